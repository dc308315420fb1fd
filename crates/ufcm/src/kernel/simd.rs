//! The innermost loops, compiled for AVX2 + FMA and for any machine, and chosen at run time.
//!
//! Each loop is one `#[inline(always)]` body; the AVX2 version is the same body inside a function that may use
//! those instructions, so a plain `cargo build` is as fast as one for the native target. Bodies keep explicit
//! lanes: the order of every sum is written down, which makes results the same from run to run.
//!
//! This is the only module with unsafe code. There are two reasons for it: calling a function compiled for
//! instructions that the processor was just found to have, and reading `x[i]` for the indices of a sparse row,
//! which were checked against the number of columns when the matrix was made.
#![allow(unsafe_code)]

use crate::matrix::Compressed;

const LANES: usize = 8;

/// Declares `name` as a choice between `body::<true>` under AVX2 + FMA and `body::<false>` anywhere.
macro_rules! dispatch {
    ($(#[$doc:meta])* $name:ident = $body:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?) => {
        $(#[$doc])*
        pub(crate) fn $name($($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($arg: $type),*) $(-> $out)? {
                    $body::<true>($($arg),*)
                }
                if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                    // SAFETY: the processor has just been found to have the features `wide` is compiled for.
                    return unsafe { wide($($arg),*) };
                }
            }
            $body::<false>($($arg),*)
        }
    };
}

/// Runs `work` compiled for the widest instructions we use, so that loops inside it vectorise.
#[inline(always)]
pub(crate) fn vectorised<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn wide<T>(work: impl FnOnce() -> T) -> T {
            work()
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            // SAFETY: the processor has just been found to have the features `wide` is compiled for.
            return unsafe { wide(work) };
        }
    }
    work()
}

dispatch! {
    /// out[k] = <row k, x> for the rows (of length x.len()) stored one after the other.
    row_dots = row_dots_body(rows: &[f64], x: &[f64], out: &mut [f64])
}

dispatch! {
    /// gradient += sum over k of r[k] row k, for the rows stored one after the other.
    add_rows = add_rows_body(rows: &[f64], r: &[f64], gradient: &mut [f64])
}

dispatch! {
    /// diagonal += sum over k of r[k] (row k)^2, entry by entry.
    add_squared_rows = add_squared_rows_body(rows: &[f64], r: &[f64], diagonal: &mut [f64])
}

dispatch! {
    /// <a, x>
    dot = dot_body(a: &[f64], x: &[f64]) -> f64
}

dispatch! {
    /// y += c a
    add_scaled = add_scaled_body(c: f64, a: &[f64], y: &mut [f64])
}

dispatch! {
    /// <a, x>, and y += c a in the same pass over a.
    dot_and_add = dot_and_add_body(a: &[f64], x: &[f64], c: f64, y: &mut [f64]) -> f64
}

dispatch! {
    /// out[k] = <line first + k, x> for lines of a sparse matrix.
    sparse_row_dots = sparse_row_dots_body(lines: &Compressed, first: usize, x: &[f64], out: &mut [f64])
}

dispatch! {
    /// gradient += sum over k of r[k] line (first + k) for lines of a sparse matrix.
    add_sparse_rows = add_sparse_rows_body(lines: &Compressed, first: usize, r: &[f64], gradient: &mut [f64])
}

/// a b + c, fused where the hardware fuses (in software it would be slow).
#[inline(always)]
fn fma<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// The sum of lanes in a fixed order.
#[inline(always)]
fn fold(lanes: [f64; LANES]) -> f64 {
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

#[inline(always)]
fn dot_body<const FUSED: bool>(a: &[f64], x: &[f64]) -> f64 {
    // Twice the lanes: fewer would wait for the latency of their own additions.
    let (a_wide, a_rest) = a.as_chunks::<{ 2 * LANES }>();
    let (x_wide, x_rest) = x.as_chunks::<{ 2 * LANES }>();
    let mut sums = [0.0; 2 * LANES];
    for (a, x) in a_wide.iter().zip(x_wide) {
        for l in 0..2 * LANES {
            sums[l] = fma::<FUSED>(a[l], x[l], sums[l]);
        }
    }
    let mut halves = [0.0; LANES];
    for l in 0..LANES {
        halves[l] = sums[l] + sums[l + LANES];
    }
    let mut sum = fold(halves);
    for (a, x) in a_rest.iter().zip(x_rest) {
        sum = fma::<FUSED>(*a, *x, sum);
    }
    sum
}

/// Four dot products that share the loads of x.
#[inline(always)]
fn dot4<const FUSED: bool>(rows: [&[f64]; 4], x: &[f64]) -> [f64; 4] {
    let [(a0, r0), (a1, r1), (a2, r2), (a3, r3)] = rows.map(|row| row.as_chunks::<LANES>());
    let (x_wide, x_rest) = x.as_chunks::<LANES>();
    let mut sums = [[0.0; LANES]; 4];
    for ((((x, a0), a1), a2), a3) in x_wide.iter().zip(a0).zip(a1).zip(a2).zip(a3) {
        for l in 0..LANES {
            sums[0][l] = fma::<FUSED>(a0[l], x[l], sums[0][l]);
            sums[1][l] = fma::<FUSED>(a1[l], x[l], sums[1][l]);
            sums[2][l] = fma::<FUSED>(a2[l], x[l], sums[2][l]);
            sums[3][l] = fma::<FUSED>(a3[l], x[l], sums[3][l]);
        }
    }
    let mut out = sums.map(fold);
    for ((((x, a0), a1), a2), a3) in x_rest.iter().zip(r0).zip(r1).zip(r2).zip(r3) {
        out[0] = fma::<FUSED>(*a0, *x, out[0]);
        out[1] = fma::<FUSED>(*a1, *x, out[1]);
        out[2] = fma::<FUSED>(*a2, *x, out[2]);
        out[3] = fma::<FUSED>(*a3, *x, out[3]);
    }
    out
}

/// The four rows that start at `rows`.
#[inline(always)]
fn four(rows: &[f64], n: usize) -> [&[f64]; 4] {
    [&rows[..n], &rows[n..2 * n], &rows[2 * n..3 * n], &rows[3 * n..4 * n]]
}

#[inline(always)]
fn row_dots_body<const FUSED: bool>(rows: &[f64], x: &[f64], out: &mut [f64]) {
    let n = x.len();
    let (quads, rest) = out.as_chunks_mut::<4>();
    let done = 4 * n * quads.len();
    for (k, quad) in quads.iter_mut().enumerate() {
        *quad = dot4::<FUSED>(four(&rows[4 * n * k..], n), x);
    }
    for (k, out) in rest.iter_mut().enumerate() {
        *out = dot_body::<FUSED>(&rows[done + n * k..][..n], x);
    }
}

#[inline(always)]
fn add_rows_body<const FUSED: bool>(rows: &[f64], r: &[f64], gradient: &mut [f64]) {
    let n = gradient.len();
    let (quads, rest) = r.as_chunks::<4>();
    let done = 4 * n * quads.len();
    for (k, r) in quads.iter().enumerate() {
        let [a0, a1, a2, a3] = four(&rows[4 * n * k..], n);
        for ((((g, a0), a1), a2), a3) in gradient.iter_mut().zip(a0).zip(a1).zip(a2).zip(a3) {
            let low = fma::<FUSED>(r[1], *a1, fma::<FUSED>(r[0], *a0, *g));
            *g = fma::<FUSED>(r[3], *a3, fma::<FUSED>(r[2], *a2, low));
        }
    }
    for (k, r) in rest.iter().enumerate() {
        add_scaled_body::<FUSED>(*r, &rows[done + n * k..][..n], gradient);
    }
}

#[inline(always)]
fn add_squared_rows_body<const FUSED: bool>(rows: &[f64], r: &[f64], diagonal: &mut [f64]) {
    let n = diagonal.len();
    for (k, r) in r.iter().enumerate() {
        for (d, a) in diagonal.iter_mut().zip(&rows[n * k..][..n]) {
            *d = fma::<FUSED>(r * a, *a, *d);
        }
    }
}

#[inline(always)]
fn add_scaled_body<const FUSED: bool>(c: f64, a: &[f64], y: &mut [f64]) {
    for (y, a) in y.iter_mut().zip(a) {
        *y = fma::<FUSED>(c, *a, *y);
    }
}

#[inline(always)]
fn dot_and_add_body<const FUSED: bool>(a: &[f64], x: &[f64], c: f64, y: &mut [f64]) -> f64 {
    let (a_wide, a_rest) = a.as_chunks::<LANES>();
    let (x_wide, x_rest) = x.as_chunks::<LANES>();
    let (y_wide, y_rest) = y.as_chunks_mut::<LANES>();
    let mut sums = [0.0; LANES];
    for ((a, x), y) in a_wide.iter().zip(x_wide).zip(y_wide) {
        for l in 0..LANES {
            sums[l] = fma::<FUSED>(a[l], x[l], sums[l]);
            y[l] = fma::<FUSED>(c, a[l], y[l]);
        }
    }
    let mut sum = fold(sums);
    for ((a, x), y) in a_rest.iter().zip(x_rest).zip(y_rest) {
        sum = fma::<FUSED>(*a, *x, sum);
        *y = fma::<FUSED>(c, *a, *y);
    }
    sum
}

#[inline(always)]
fn sparse_row_dots_body<const FUSED: bool>(lines: &Compressed, first: usize, x: &[f64], out: &mut [f64]) {
    assert!(x.len() >= lines.width(), "x is shorter than the sparse lines are wide");
    for (k, out) in out.iter_mut().enumerate() {
        let (indices, values) = lines.line(first + k);
        let (i_wide, i_rest) = indices.as_chunks::<4>();
        let (v_wide, v_rest) = values.as_chunks::<4>();
        let mut sums = [0.0; 4];
        for (i, v) in i_wide.iter().zip(v_wide) {
            for l in 0..4 {
                // SAFETY: a `Compressed` holds only indices below its width, and x is at least that long.
                let x = unsafe { *x.get_unchecked(i[l] as usize) };
                sums[l] = fma::<FUSED>(v[l], x, sums[l]);
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
fn add_sparse_rows_body<const FUSED: bool>(
    lines: &Compressed,
    first: usize,
    r: &[f64],
    gradient: &mut [f64],
) {
    assert!(gradient.len() >= lines.width(), "the gradient is shorter than the sparse lines are wide");
    for (k, r) in r.iter().enumerate() {
        let (indices, values) = lines.line(first + k);
        for (&i, v) in indices.iter().zip(values) {
            // SAFETY: a `Compressed` holds only indices below its width, and the gradient is at least that long.
            let g = unsafe { gradient.get_unchecked_mut(i as usize) };
            *g = fma::<FUSED>(*r, *v, *g);
        }
    }
}
