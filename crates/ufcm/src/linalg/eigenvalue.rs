//! The power method: the largest eigenvalue of a symmetric matrix that is known by its products.

use super::norm;
use crate::oracle::OracleError;

/// The largest eigenvalue of a positive semidefinite matrix, from below, after so many products; `multiply` puts the product
/// in the place of a vector, and `v` is storage of its length.
///
/// # Errors
/// A product that failed.
pub(crate) fn largest_eigenvalue(
    v: &mut [f64],
    rounds: usize,
    mut multiply: impl FnMut(&mut [f64]) -> Result<(), OracleError>,
) -> Result<f64, OracleError> {
    // In no particular direction, and the same in every run.
    v.iter_mut().enumerate().for_each(|(i, v)| *v = 1.0 + 0.5 * (i as f64 * 1.618).sin());
    normalise(v);
    let mut eigenvalue = 0.0;
    for _ in 0..rounds {
        multiply(v)?;
        eigenvalue = normalise(v);
        if eigenvalue == 0.0 || !eigenvalue.is_finite() {
            break;
        }
    }
    Ok(eigenvalue)
}

/// Divides by the norm and returns it.
fn normalise(v: &mut [f64]) -> f64 {
    let norm = norm(v);
    if norm > 0.0 {
        v.iter_mut().for_each(|v| *v /= norm);
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_eigenvalue_is_found_and_nothing_is_made_of_nothing() {
        let mut v = [0.0; 3];
        let diagonal = |v: &mut [f64]| {
            v.iter_mut().zip([1.0, 5.0, 2.0]).for_each(|(v, d)| *v *= d);
            Ok(())
        };
        assert!((largest_eigenvalue(&mut v, 60, diagonal).unwrap() - 5.0).abs() < 1e-12);
        let nothing = |v: &mut [f64]| {
            v.fill(0.0);
            Ok(())
        };
        assert_eq!(largest_eigenvalue(&mut v, 60, nothing), Ok(0.0));
    }
}
