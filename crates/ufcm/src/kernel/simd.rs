//! The innermost loops, for AVX2 + FMA and for any machine, chosen at run time.
//!
//! A plain `cargo build` is as fast as one for the native target: where the processor has the instructions, loops run
//! inside functions compiled for them. Most are one portable body compiled twice. Dot products, which the compiler does
//! not vectorise well by itself (measured: 25 against 72 GB/s from cache), have a second body in [`wide`]. The order of
//! every sum is written down, so results are the same from run to run on a machine.
//!
//! Rows that come from memory are asked for before their turn: the processor's own prefetching stops at every page of 4 kB, and while a
//! tile is added to the gradient it does nothing. With it a pass runs at the speed of a plain read (decision 0001).
//!
//! This is the only module with unsafe code. There are three reasons for it: calling a function compiled for
//! instructions that the processor was just found to have, loading four numbers from a reference to four numbers, and prefetching.
//! The indices of sparse rows are checked again where they are used: beside the gather it costs nothing that
//! benches/kernel.rs could measure, and the numbers may be kept by someone else
//! ([`Matrix::csr_shared`](crate::matrix::Matrix::csr_shared)).
#![allow(unsafe_code)]

use super::bodies::{
    add_rows_body, add_scaled_body, add_sparse_rows_body, add_squared_rows_body, sparse_row_dots_body,
};
use crate::matrix::{Lines, Number};

const LANES: usize = 4;
/// Rows below this length are read one after the other.
pub(super) const SHORT: usize = 2048;
/// Bytes of data from which on they come from memory, and not from a cache, where asking ahead of time is a waste: beyond the end of what is
/// small every request looks for its page in vain. Decision 0001.
pub(super) const LARGE: usize = 1 << 20;
/// Bytes by which rows that are read one after the other are asked for before their turn: four pages. Decision 0001.
pub(super) const AHEAD: usize = 1 << 14;

/// Asks for the memory so many bytes after a number, which need not be in the same slice, or anywhere.
#[inline(always)]
pub(super) fn prefetch<T>(from: &T, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: no program sees what a prefetch reads, and no address makes it fail.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(from).cast::<i8>().wrapping_add(bytes));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, bytes);
}

/// A number of which four are loaded at a time.
pub(crate) trait Load: Number {
    /// Four numbers, in double precision.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn load(four: &[Self; LANES]) -> std::arch::x86_64::__m256d;
}

impl Load for f64 {
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load(four: &[Self; LANES]) -> std::arch::x86_64::__m256d {
        // SAFETY: the reference is to four numbers, and the load asks for no alignment.
        unsafe { std::arch::x86_64::_mm256_loadu_pd(four.as_ptr()) }
    }
}

impl Load for f32 {
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load(four: &[Self; LANES]) -> std::arch::x86_64::__m256d {
        // SAFETY: as above. The compiler would convert the numbers one by one.
        let narrow = unsafe { std::arch::x86_64::_mm_loadu_ps(four.as_ptr()) };
        std::arch::x86_64::_mm256_cvtps_pd(narrow)
    }
}

/// Declares `name` as a choice between a body for AVX2 + FMA and one for any machine.
macro_rules! dispatch {
    ($(#[$doc:meta])* $name:ident $(<$any_type:ident: $bound:ident>)? ($($arg:ident: $type:ty),*) $(-> $out:ty)?
        = $wide:expr, $any:expr) => {
        $(#[$doc])*
        pub(crate) fn $name$(<$any_type: $bound>)?($($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn compiled_wide$(<$any_type: $bound>)?($($arg: $type),*) $(-> $out)? {
                    $wide($($arg),*)
                }
                if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                    // SAFETY: the processor has just been found to have the features this is compiled for.
                    return unsafe { compiled_wide($($arg),*) };
                }
            }
            $any($($arg),*)
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
    row_dots<T: Load>(rows: &[T], x: &[f64], out: &mut [f64]) = wide::row_dots::<T, false>, row_dots_any
}

dispatch! {
    /// The same where rows come from memory and more of them follow.
    row_dots_of_stream<T: Load>(rows: &[T], x: &[f64], out: &mut [f64]) = wide::row_dots::<T, true>, row_dots_any
}

dispatch! {
    /// gradient += sum over k of r[k] row k, for the rows stored one after the other.
    add_rows<T: Number>(rows: &[T], r: &[f64], gradient: &mut [f64])
        = add_rows_body::<true, T>, add_rows_body::<false, T>
}

dispatch! {
    /// diagonal += sum over k of r[k] (row k)^2, entry by entry.
    add_squared_rows<T: Number>(rows: &[T], r: &[f64], diagonal: &mut [f64])
        = add_squared_rows_body::<true, T>, add_squared_rows_body::<false, T>
}

dispatch! {
    /// <a, x>
    dot(a: &[f64], x: &[f64]) -> f64 = wide::dot, dot_any
}

dispatch! {
    /// y += c a
    add_scaled(c: f64, a: &[f64], y: &mut [f64]) = add_scaled_body::<true, f64>, add_scaled_body::<false, f64>
}

dispatch! {
    /// <row k, x> of four rows, and y += sum over k of c[k] row k in the same pass over them. If they come from memory, the rows so many
    /// bytes after each come next; else that is 0.
    dots_and_add(rows: [&[f64]; 4], x: &[f64], c: [f64; 4], y: &mut [f64], next: usize) -> [f64; 4]
        = wide::dots_and_add, dots_and_add_any
}

dispatch! {
    /// out[k] = <line first + k, x> for lines of a sparse matrix.
    sparse_row_dots(lines: Lines<'_>, first: usize, x: &[f64], out: &mut [f64])
        = sparse_row_dots_body::<true>, sparse_row_dots_body::<false>
}

dispatch! {
    /// gradient += sum over k of r[k] line (first + k) for lines of a sparse matrix.
    add_sparse_rows(lines: Lines<'_>, first: usize, r: &[f64], gradient: &mut [f64])
        = add_sparse_rows_body::<true>, add_sparse_rows_body::<false>
}

/// a b + c, fused where the hardware fuses (in software it would be slow).
#[inline(always)]
pub(super) fn fma<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// The sum of lanes in a fixed order.
#[inline(always)]
fn fold(lanes: [f64; LANES]) -> f64 {
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

fn dot_any<T: Number>(a: &[T], x: &[f64]) -> f64 {
    let (a_wide, a_rest) = a.as_chunks::<LANES>();
    let (x_wide, x_rest) = x.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, x) in a_wide.iter().zip(x_wide) {
        for l in 0..LANES {
            sums[l] += a[l].double() * x[l];
        }
    }
    a_rest.iter().zip(x_rest).fold(fold(sums), |sum, (a, x)| sum + a.double() * x)
}

fn dots_and_add_any(rows: [&[f64]; 4], x: &[f64], c: [f64; 4], y: &mut [f64], _: usize) -> [f64; 4] {
    rows.iter().zip(c).for_each(|(row, c)| add_scaled_body::<false, f64>(c, row, y));
    rows.map(|row| dot_any(row, x))
}

fn row_dots_any<T: Number>(rows: &[T], x: &[f64], out: &mut [f64]) {
    for (row, out) in rows.chunks_exact(x.len().max(1)).zip(out) {
        *out = dot_any(row, x);
    }
}

/// Dot products in AVX2 + FMA.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{AHEAD, LANES, Load, Number, SHORT, fold, four, prefetch};
    use std::arch::x86_64::{
        __m256d, _mm256_add_pd, _mm256_fmadd_pd, _mm256_loadu_pd, _mm256_set1_pd, _mm256_setzero_pd,
        _mm256_storeu_pd,
    };

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn load(four: &[f64; LANES]) -> __m256d {
        // SAFETY: the reference is to four numbers, and the load asks for no alignment.
        unsafe { _mm256_loadu_pd(four.as_ptr()) }
    }

    /// Four numbers of either type.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn load_any<T: Load>(four: &[T; LANES]) -> __m256d {
        // SAFETY: this function is compiled for the features that `T::load` asks for.
        unsafe { T::load(four) }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn store(four: &mut [f64; LANES], value: __m256d) {
        // SAFETY: the reference is to four numbers, and the store asks for no alignment.
        unsafe { _mm256_storeu_pd(four.as_mut_ptr(), value) }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn sum(value: __m256d) -> f64 {
        let mut lanes = [0.0; LANES];
        store(&mut lanes, value);
        fold(lanes)
    }

    /// The end of a dot product, where fewer than four numbers are left.
    #[inline(always)]
    fn finish<T: Number>(start: f64, a: &[T], x: &[f64]) -> f64 {
        a.iter().zip(x).fold(start, |sum, (a, x)| a.double().mul_add(*x, sum))
    }

    /// Four dot products that share the loads of x. The rows behind them come next.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn dot4<T: Load, const GOES_ON: bool>(rows: [&[T]; 4], x: &[f64]) -> [f64; 4] {
        let next = 4 * size_of_val(x) / size_of::<f64>() * size_of::<T>();
        let [(a0, r0), (a1, r1), (a2, r2), (a3, r3)] = rows.map(|row| row.as_chunks::<LANES>());
        let (x_wide, x_rest) = x.as_chunks::<LANES>();
        let mut sums = [_mm256_setzero_pd(); 4];
        for (k, ((((x, a0), a1), a2), a3)) in x_wide.iter().zip(a0).zip(a1).zip(a2).zip(a3).enumerate() {
            if GOES_ON && k % 2 == 0 {
                [a0, a1, a2, a3].into_iter().for_each(|a| prefetch(a, next));
            }
            let x = load(x);
            sums[0] = _mm256_fmadd_pd(load_any(a0), x, sums[0]);
            sums[1] = _mm256_fmadd_pd(load_any(a1), x, sums[1]);
            sums[2] = _mm256_fmadd_pd(load_any(a2), x, sums[2]);
            sums[3] = _mm256_fmadd_pd(load_any(a3), x, sums[3]);
        }
        [
            finish(sum(sums[0]), r0, x_rest),
            finish(sum(sums[1]), r1, x_rest),
            finish(sum(sums[2]), r2, x_rest),
            finish(sum(sums[3]), r3, x_rest),
        ]
    }

    /// Short rows one at a time, because memory is then read in one stream, which can be asked for ahead of time over the ends of rows;
    /// long rows four at a time, because x then no longer stays in the first cache. Decision 0001.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn row_dots<T: Load, const GOES_ON: bool>(rows: &[T], x: &[f64], out: &mut [f64]) {
        let n = x.len();
        let (quads, rest) = if n < SHORT { (&mut [][..], out) } else { out.as_chunks_mut::<4>() };
        let done = 4 * n * quads.len();
        for (k, quad) in quads.iter_mut().enumerate() {
            *quad = dot4::<T, GOES_ON>(four(&rows[4 * n * k..], n), x);
        }
        for (k, out) in rest.iter_mut().enumerate() {
            *out = dot_of::<T, GOES_ON>(&rows[done + n * k..][..n], x);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn dot(a: &[f64], x: &[f64]) -> f64 {
        dot_of::<f64, false>(a, x)
    }

    /// A dot product, perhaps with a in memory and what is behind it coming next.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn dot_of<T: Load, const GOES_ON: bool>(a: &[T], x: &[f64]) -> f64 {
        // Four sets of lanes: fewer would wait for the latency of their own additions.
        let (a_wide, a_rest) = a.as_chunks::<LANES>();
        let (x_wide, x_rest) = x.as_chunks::<LANES>();
        let (a_sets, a_last) = a_wide.as_chunks::<4>();
        let (x_sets, x_last) = x_wide.as_chunks::<4>();
        let mut sums = [_mm256_setzero_pd(); 4];
        for (a, x) in a_sets.iter().zip(x_sets) {
            if GOES_ON {
                prefetch(&a[0], AHEAD);
                // Two lines of the cache, of double precision.
                if size_of::<T>() == size_of::<f64>() {
                    prefetch(&a[2], AHEAD);
                }
            }
            sums[0] = _mm256_fmadd_pd(load_any(&a[0]), load(&x[0]), sums[0]);
            sums[1] = _mm256_fmadd_pd(load_any(&a[1]), load(&x[1]), sums[1]);
            sums[2] = _mm256_fmadd_pd(load_any(&a[2]), load(&x[2]), sums[2]);
            sums[3] = _mm256_fmadd_pd(load_any(&a[3]), load(&x[3]), sums[3]);
        }
        for (a, x) in a_last.iter().zip(x_last) {
            sums[0] = _mm256_fmadd_pd(load_any(a), load(x), sums[0]);
        }
        let total = _mm256_add_pd(_mm256_add_pd(sums[0], sums[1]), _mm256_add_pd(sums[2], sums[3]));
        finish(sum(total), a_rest, x_rest)
    }

    /// Four rows at a time, so that y is loaded and stored once for all of them: one at a time waits for the stores.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn dots_and_add(
        rows: [&[f64]; 4],
        x: &[f64],
        c: [f64; 4],
        y: &mut [f64],
        next: usize,
    ) -> [f64; 4] {
        let [(a0, r0), (a1, r1), (a2, r2), (a3, r3)] = rows.map(|row| row.as_chunks::<LANES>());
        let (x_wide, x_rest) = x.as_chunks::<LANES>();
        let (y_wide, y_rest) = y.as_chunks_mut::<LANES>();
        let (mut sums, factors) = ([_mm256_setzero_pd(); 4], c.map(|c| _mm256_set1_pd(c)));
        let all = x_wide.iter().zip(y_wide).zip(a0).zip(a1).zip(a2).zip(a3);
        for (i, (((((x, y), a0), a1), a2), a3)) in all.enumerate() {
            if next > 0 && i % 2 == 0 {
                [a0, a1, a2, a3].into_iter().for_each(|a| prefetch(a, next));
            }
            let (x, mut moved) = (load(x), load(y));
            for (k, a) in [a0, a1, a2, a3].into_iter().enumerate() {
                let a = load(a);
                sums[k] = _mm256_fmadd_pd(a, x, sums[k]);
                moved = _mm256_fmadd_pd(factors[k], a, moved);
            }
            store(y, moved);
        }
        let rests = [r0, r1, r2, r3];
        for (rest, c) in rests.iter().zip(c) {
            rest.iter().zip(&mut *y_rest).for_each(|(a, y)| *y = c.mul_add(*a, *y));
        }
        std::array::from_fn(|k| finish(sum(sums[k]), rests[k], x_rest))
    }
}

/// The four rows that start at `rows`.
#[inline(always)]
pub(super) fn four<T>(rows: &[T], n: usize) -> [&[T]; 4] {
    [&rows[..n], &rows[n..2 * n], &rows[2 * n..3 * n], &rows[3 * n..4 * n]]
}
