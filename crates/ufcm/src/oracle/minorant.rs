//! What a lower bound takes from the rows: <l, g(y) - J y> and J'l, row by row.

use crate::oracle::{Mapping, MinorantSums};

/// As [`Mapping::add_minorant`], by the rows with a multiplier.
pub(crate) fn add_minorant<M: Mapping + ?Sized>(
    mapping: &M,
    y: &[f64],
    values: &[f64],
    multipliers: &[f64],
    sums: &mut MinorantSums<'_>,
    scratch: &mut Vec<f64>,
) {
    for (j, (&l, &g)) in multipliers.iter().zip(values).enumerate().filter(|(_, (l, _))| **l != 0.0) {
        mapping.with_row(j, scratch, &mut |row| {
            sums.offset += l * (g - row.dot(y));
            row.for_each(|i, a| {
                sums.slope[i] += l * a;
                sums.slope_sizes[i] += (l * a).abs();
            });
        });
        sums.offset_size += (l * g).abs();
    }
}
