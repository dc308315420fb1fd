//! Small dense linear systems, solved in place without allocating.

use crate::budget::{Budget, Stop};
use crate::kernel::simd;

/// Solves A x = b for a k x k matrix stored by rows, overwriting both; false where A is singular to working precision. The
/// budget is asked before every column.
///
/// Gaussian elimination with partial pivoting. The systems here have as many rows as there are active multipliers:
/// tens, rarely hundreds.
pub(crate) fn solve(a: &mut [f64], b: &mut [f64], budget: &Budget) -> Result<bool, Stop> {
    let k = b.len();
    for column in 0..k {
        budget.ask()?;
        let mut pivot = column;
        for row in column + 1..k {
            if a[row * k + column].abs() > a[pivot * k + column].abs() {
                pivot = row;
            }
        }
        let value = a[pivot * k + column];
        if value == 0.0 || !value.is_finite() {
            return Ok(false);
        }
        if pivot != column {
            let (upper, lower) = a.split_at_mut(pivot * k);
            upper[column * k..][..k].swap_with_slice(&mut lower[..k]);
            b.swap(pivot, column);
        }
        let (upper, lower) = a.split_at_mut((column + 1) * k);
        let leading = &upper[column * k..][..k];
        for (row, entries) in lower.chunks_exact_mut(k).enumerate() {
            let factor = entries[column] / value;
            if factor != 0.0 {
                simd::add_scaled(-factor, &leading[column..], &mut entries[column..]);
                b[column + 1 + row] -= factor * b[column];
            }
        }
    }
    for row in (0..k).rev() {
        let known: f64 = (row + 1..k).map(|column| a[row * k + column] * b[column]).sum();
        b[row] = (b[row] - known) / a[row * k + row];
    }
    Ok(b.iter().all(|x| x.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn solutions_solve(entries in prop::collection::vec(-1.0..1.0f64, 36), right in prop::collection::vec(-1.0..1.0f64, 6)) {
            let mut a = entries.clone();
            (0..6).for_each(|i| a[i * 6 + i] += 3.0);
            let matrix = a.clone();
            let mut x = right.clone();
            prop_assert_eq!(solve(&mut a, &mut x, &Budget::unlimited()), Ok(true));
            for i in 0..6 {
                let product: f64 = (0..6).map(|j| matrix[i * 6 + j] * x[j]).sum();
                prop_assert!((product - right[i]).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn pivots_are_sought_and_singular_systems_are_told() {
        let (mut a, mut b) = ([0.0, 1.0, 1.0, 0.0], [2.0, 3.0]);
        let budget = Budget::unlimited();
        assert_eq!(solve(&mut a, &mut b, &budget), Ok(true));
        assert_eq!(b, [3.0, 2.0]);
        let mut singular = [1.0; 4];
        assert_eq!(solve(&mut singular, &mut [1.0, 1.0], &budget), Ok(false));
        budget.stop_flag().raise();
        assert_eq!(solve(&mut a, &mut b, &budget), Err(Stop::Request));
    }
}
