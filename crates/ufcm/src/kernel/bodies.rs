//! Loops that the compiler vectorises by itself: [`simd`](super::simd) compiles each twice, for AVX2 + FMA and for any machine.

use super::simd::{AHEAD, LARGE, fma, four, prefetch};
use crate::matrix::{Lines, Number};

#[inline(always)]
pub(super) fn add_rows_body<const FUSED: bool, T: Number>(rows: &[T], r: &[f64], gradient: &mut [f64]) {
    let n = gradient.len();
    let (quads, rest) = r.as_chunks::<4>();
    let done = 4 * n * quads.len();
    for (k, r) in quads.iter().enumerate() {
        let [a0, a1, a2, a3] = four(&rows[4 * n * k..], n);
        for ((((g, a0), a1), a2), a3) in gradient.iter_mut().zip(a0).zip(a1).zip(a2).zip(a3) {
            let low = fma::<FUSED>(r[1], a1.double(), fma::<FUSED>(r[0], a0.double(), *g));
            *g = fma::<FUSED>(r[3], a3.double(), fma::<FUSED>(r[2], a2.double(), low));
        }
    }
    for (k, r) in rest.iter().enumerate() {
        add_scaled_body::<FUSED, T>(*r, &rows[done + n * k..][..n], gradient);
    }
}

#[inline(always)]
pub(super) fn add_squared_rows_body<const FUSED: bool, T: Number>(
    rows: &[T],
    r: &[f64],
    diagonal: &mut [f64],
) {
    let n = diagonal.len();
    for (k, r) in r.iter().enumerate() {
        for (d, a) in diagonal.iter_mut().zip(&rows[n * k..][..n]) {
            *d = fma::<FUSED>(r * a.double(), a.double(), *d);
        }
    }
}

#[inline(always)]
pub(super) fn add_scaled_body<const FUSED: bool, T: Number>(c: f64, a: &[T], y: &mut [f64]) {
    for (y, a) in y.iter_mut().zip(a) {
        *y = fma::<FUSED>(c, a.double(), *y);
    }
}

#[inline(always)]
pub(super) fn sparse_row_dots_body<const FUSED: bool>(
    lines: Lines<'_>,
    first: usize,
    x: &[f64],
    out: &mut [f64],
) {
    let is_large = 12 * lines.stored() > LARGE;
    for (k, out) in out.iter_mut().enumerate() {
        let (indices, values) = lines.line(first + k);
        let (i_wide, i_rest) = indices.as_chunks::<4>();
        let (v_wide, v_rest) = values.as_chunks::<4>();
        let mut sums = [0.0; 4];
        for (i, v) in i_wide.iter().zip(v_wide) {
            if is_large {
                prefetch(v, AHEAD);
                prefetch(i, AHEAD / 2);
            }
            for l in 0..4 {
                sums[l] = fma::<FUSED>(v[l], x[i[l] as usize], sums[l]);
            }
        }
        let mut sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
        for (&i, v) in i_rest.iter().zip(v_rest) {
            sum = fma::<FUSED>(*v, x[i as usize], sum);
        }
        *out = sum;
    }
}

#[inline(always)]
pub(super) fn add_sparse_rows_body<const FUSED: bool>(
    lines: Lines<'_>,
    first: usize,
    r: &[f64],
    gradient: &mut [f64],
) {
    for (k, r) in r.iter().enumerate() {
        let (indices, values) = lines.line(first + k);
        for (&i, v) in indices.iter().zip(values) {
            let g = &mut gradient[i as usize];
            *g = fma::<FUSED>(*r, *v, *g);
        }
    }
}
