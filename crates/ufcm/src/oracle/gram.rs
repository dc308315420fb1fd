//! J S J', the matrix of a Newton step on the multipliers.

use crate::budget::{Budget, Stop};
use crate::jacobian::{ProxJacobian, TermSupport};
use crate::kernel::{products_of_rows, simd};
use crate::oracle::Mapping;

/// Rows from which their products are those of matrices, in blocks, and not of each row with the ones below it.
const IN_BLOCKS: usize = 16;

/// Writes the lower triangle, by columns, of J_R S J_R' for the listed rows R of the kept Jacobian.
pub(crate) fn gram<M: Mapping + ?Sized>(
    mapping: &M,
    s: &ProxJacobian,
    rows: &[usize],
    scratch: &mut Vec<f64>,
    out: &mut [f64],
    budget: &Budget,
) -> Result<(), Stop> {
    let copy_row = |row: usize, out: &mut [f64]| mapping.jacobian_row(row, out);
    gram_of_rows(mapping.dimension(), copy_row, s, rows, scratch, out, budget)
}

/// As [`gram`], for rows of length `n` that `copy_row` writes.
pub(crate) fn gram_of_rows(
    n: usize,
    copy_row: impl Fn(usize, &mut [f64]),
    s: &ProxJacobian,
    rows: &[usize],
    scratch: &mut Vec<f64>,
    out: &mut [f64],
    budget: &Budget,
) -> Result<(), Stop> {
    let k = rows.len();
    // Images of all rows at once, where S is known by what it does to vectors, or rows are many.
    let images = if s.operator().is_some() || k >= IN_BLOCKS { k } else { 1 };
    scratch.resize((k + images) * n + k, 0.0);
    let (jacobian, rest) = scratch.split_at_mut(k * n);
    let (scaled, products) = rest.split_at_mut(images * n);
    for (&row, out) in rows.iter().zip(jacobian.chunks_exact_mut(n)) {
        copy_row(row, out);
    }
    if let Some(operator) = s.operator() {
        budget.ask()?;
        operator.apply_to_each(n, jacobian, scaled);
        for (j, image) in scaled.chunks_exact(n).enumerate() {
            simd::row_dots(&jacobian[j * n..], image, &mut out[j * k + j..(j + 1) * k]);
        }
        return Ok(());
    }
    let scale = |row: &[f64], out: &mut [f64]| {
        out.iter_mut().zip(s.diagonal()).zip(row).for_each(|((out, d), a)| *out = d * a);
    };
    if k >= IN_BLOCKS {
        jacobian.chunks_exact(n).zip(scaled.chunks_exact_mut(n)).for_each(|(row, out)| scale(row, out));
        products_of_rows(n, jacobian, scaled, out, budget)?;
    } else {
        for j in 0..k {
            budget.ask()?;
            scale(&jacobian[j * n..][..n], scaled);
            simd::row_dots(&jacobian[j * n..], scaled, &mut out[j * k + j..(j + 1) * k]);
        }
    }
    for (weight, support, values) in s.terms() {
        budget.ask()?;
        for (product, row) in products.iter_mut().zip(jacobian.chunks_exact(n)) {
            *product = match support {
                TermSupport::From(first) => simd::dot(values, &row[first..first + values.len()]),
                TermSupport::Listed(indices) => indices.iter().zip(values).map(|(&i, v)| v * row[i]).sum(),
            };
        }
        for j in 0..k {
            let scaled = weight * products[j];
            simd::add_scaled(scaled, &products[j..], &mut out[j * k + j..(j + 1) * k]);
        }
    }
    Ok(())
}
