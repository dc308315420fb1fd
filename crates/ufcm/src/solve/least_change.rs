//! The least change of a vector that takes a residual away: conjugate gradients on the normal equations.

use super::tuning::{CORRECTION_STEPS, MOST_CORRECTION_STEPS, NOISE};
use crate::budget::{Budget, Stop};
use crate::linalg::dot;

/// A linear map, by its products.
pub(super) trait Products {
    /// `out` = B d
    fn apply(&self, d: &[f64], out: &mut [f64]);
    /// `out` = B'r
    fn apply_transpose(&self, r: &[f64], out: &mut [f64]);
}

/// Adds to `vector` the least d for which |residual + B d| is least, or at most `enough` for each entry: what is less is rounding, which
/// leads anywhere.
///
/// # Errors
/// The budget, which is asked before every step.
pub(super) fn take_away(
    system: &impl Products,
    residual: &mut [f64],
    vector: &mut [f64],
    enough: f64,
    budget: &Budget,
) -> Result<(), Stop> {
    take_away_in(CORRECTION_STEPS, system, residual, vector, enough, budget)
}

/// The same in more steps where the system is small: in exact arithmetic the smaller size is enough, ill-conditioned ones take some times as many.
pub(super) fn take_away_patiently(
    system: &impl Products,
    residual: &mut [f64],
    vector: &mut [f64],
    enough: f64,
    budget: &Budget,
) -> Result<(), Stop> {
    let steps = (4 * residual.len().min(vector.len())).clamp(CORRECTION_STEPS, MOST_CORRECTION_STEPS);
    take_away_in(steps, system, residual, vector, enough, budget)
}

fn take_away_in(
    steps: usize,
    system: &impl Products,
    residual: &mut [f64],
    vector: &mut [f64],
    enough: f64,
    budget: &Budget,
) -> Result<(), Stop> {
    let (mut gradient, mut image) = (vec![0.0; vector.len()], vec![0.0; residual.len()]);
    system.apply_transpose(residual, &mut gradient);
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let (mut square, start, mut norm) = (dot(&gradient, &gradient), dot(residual, residual), 0.0f64);
    let least = (start * f64::EPSILON * f64::EPSILON).max(enough * enough * residual.len() as f64);
    for _ in 0..steps {
        budget.inner_step()?;
        system.apply(&direction, &mut image);
        // |B d|^2 / |d|^2, the largest of which tells the norm of B. Where rounding is all that is left of B'r, or of B d, steps lead
        // anywhere.
        let (length, left) = (dot(&image, &image), dot(residual, residual));
        let ratio = length / dot(&direction, &direction);
        norm = ratio.max(norm);
        let step = square / length;
        let drowned = square <= NOISE * NOISE * norm * left || ratio <= NOISE * NOISE * norm;
        if !step.is_finite() || left <= least || drowned {
            break;
        }
        vector.iter_mut().zip(&direction).for_each(|(v, d)| *v += step * d);
        residual.iter_mut().zip(&image).for_each(|(r, i)| *r += step * i);
        system.apply_transpose(residual, &mut gradient);
        let next = dot(&gradient, &gradient);
        direction.iter_mut().zip(&gradient).for_each(|(d, g)| *d = next / square * *d - g);
        square = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x -> (x_0 + x_1, 2 x_2)
    struct Sum;

    impl Products for Sum {
        fn apply(&self, d: &[f64], out: &mut [f64]) {
            out.copy_from_slice(&[d[0] + d[1], 2.0 * d[2]]);
        }

        fn apply_transpose(&self, r: &[f64], out: &mut [f64]) {
            out.copy_from_slice(&[r[0], r[0], 2.0 * r[1]]);
        }
    }

    #[test]
    fn the_change_is_the_least_one() {
        let (mut residual, mut vector) = ([4.0, 6.0], [4.0, 0.0, 3.0]);
        take_away(&Sum, &mut residual, &mut vector, 0.0, &Budget::unlimited()).unwrap();
        for (v, expected) in vector.iter().zip([2.0, -2.0, 0.0]) {
            assert!((v - expected).abs() < 1e-12, "{vector:?}");
        }
        assert!(residual.iter().all(|r| r.abs() < 1e-12));
    }
}
