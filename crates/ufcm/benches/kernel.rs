//! `cargo bench --bench kernel`: value and gradient of a logistic loss in one pass over the data, against the read
//! bandwidth of the machine and against two passes (A x, then A'r), all measured in this run, turn by turn.
//!
//! Machines are shared and noisy: the ratios mean something, the absolute times little. Each figure is the best of
//! many rounds in which the contestants take turns.
#![allow(missing_docs)]

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::hint::black_box;
use std::time::Instant;
use ufcm::component::Logistic;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, Mapping};

const ROUNDS: usize = 25;

/// A small deterministic generator (SplitMix64), uniform in [-1, 1).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.uniform()).collect()
    }

    fn labels(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| 1f64.copysign(self.uniform())).collect()
    }
}

/// The best time of each contestant over rounds in which they take turns.
fn race(contestants: &mut [(&str, &mut dyn FnMut())]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; contestants.len()];
    for _ in 0..ROUNDS {
        for (best, (_, run)) in best.iter_mut().zip(contestants.iter_mut()) {
            let start = Instant::now();
            run();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best
}

/// Reads all numbers once, as fast as we know how.
fn read(values: &[f64]) -> f64 {
    values
        .par_chunks(values.len().div_ceil(64))
        .map(|chunk| {
            let (wide, rest) = chunk.as_chunks::<32>();
            let mut sums = [0.0; 32];
            for lane in wide {
                for (sum, value) in sums.iter_mut().zip(lane) {
                    *sum += value;
                }
            }
            sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
        })
        .sum()
}

fn report(name: &str, threads: usize, bytes: usize, times: &[f64], names: &[&str]) {
    let speed = |time: f64| bytes as f64 / time / 1e9;
    println!("{name}, {threads} thread{}", if threads == 1 { "" } else { "s" });
    for (name, &time) in names.iter().zip(times) {
        println!(
            "  {name:<34} {:8.2} ms {:7.1} GB/s   {:5.2} of the read bandwidth",
            1e3 * time,
            speed(time),
            speed(time) / speed(times[0])
        );
    }
}

fn dense(rows: usize, n: usize, threads: usize) {
    let mut random = Random(1);
    let values = random.vector(rows * n);
    let labels = random.labels(rows);
    let x: Vec<f64> = random.vector(n).iter().map(|x| x / n as f64).collect();
    let bytes = 8 * rows * n;
    let loss = Logistic::new(Matrix::row_major(rows, n, values.clone()).unwrap(), &labels).unwrap();
    let (mut g1, mut g2) = (vec![0.0; n], vec![0.0; n]);
    let mut t = vec![0.0; rows];
    let a = MatRef::from_row_major_slice(&values, rows, n);
    let par = if threads == 1 { Par::Seq } else { Par::rayon(threads) };
    let mut two_passes = || {
        let image = MatMut::from_column_major_slice_mut(&mut t, rows, 1);
        matmul(image, Accum::Replace, a, MatRef::from_column_major_slice(&x, n, 1), 1.0, par);
        let mut value = 0.0;
        for (t, y) in t.iter_mut().zip(&labels) {
            let margin = *t * y;
            let e = (-margin.abs()).exp();
            value += (-margin).max(0.0) + e.ln_1p();
            *t = -y * if margin > 0.0 { e } else { 1.0 } / (1.0 + e) / rows as f64;
        }
        let gradient = MatMut::from_column_major_slice_mut(&mut g2, n, 1);
        let r = MatRef::from_column_major_slice(&t, rows, 1);
        matmul(gradient, Accum::Replace, a.transpose(), r, 1.0, par);
        black_box(value);
    };
    let times = race(&mut [
        ("read only", &mut || {
            black_box(read(&values));
        }),
        ("one pass", &mut || {
            black_box(loss.evaluate(&x, Some(&mut g1)).unwrap());
        }),
        ("two passes (faer)", &mut two_passes),
    ]);
    let worst = g1.iter().zip(&g2).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-12, "the contestants must agree: {worst:e}");
    let names = ["read only", "one pass", "two passes (faer)"];
    report(&format!("dense {rows} x {n}"), threads, bytes, &times, &names);
    println!("  one pass: {:.2} times the speed of two passes", times[2] / times[1]);
}

fn sparse(rows: usize, n: usize, per_row: usize, threads: usize) {
    let mut random = Random(2);
    let starts: Vec<usize> = (0..=rows).map(|i| i * per_row).collect();
    let mut indices = Vec::with_capacity(rows * per_row);
    for _ in 0..rows {
        // One index in each of `per_row` strips of the columns: distinct and increasing.
        let strip = n / per_row;
        indices.extend((0..per_row).map(|k| k * strip + random.bits() as usize % strip));
    }
    let values = random.vector(rows * per_row);
    let labels = random.labels(rows);
    let x: Vec<f64> = random.vector(n).iter().map(|x| x / per_row as f64).collect();
    let bytes = 12 * rows * per_row;
    let matrix = Matrix::csr(rows, n, &starts, &indices, values).unwrap();
    let loss = Logistic::new(matrix.clone(), &labels).unwrap();
    let same_bytes = random.vector(bytes / 8);
    let rows_of_data = Affine::new(matrix.clone(), vec![0.0; rows]).unwrap();
    let (mut g1, mut g2, mut t) = (vec![0.0; n], vec![0.0; n], vec![0.0; rows]);
    let times = race(&mut [
        ("read only", &mut || {
            black_box(read(&same_bytes));
        }),
        ("value and gradient", &mut || {
            black_box(loss.evaluate(&x, Some(&mut g1)).unwrap());
        }),
        ("A x, then A'r", &mut || {
            rows_of_data.apply(&x, &mut t);
            for (t, y) in t.iter_mut().zip(&labels) {
                *t = -y / (1.0 + (y * *t).exp()) / rows as f64;
            }
            rows_of_data.apply_transpose(&t, &mut g2);
            black_box(&g2);
        }),
    ]);
    let worst = g1.iter().zip(&g2).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-12, "the contestants must agree: {worst:e}");
    let names = ["read only", "value and gradient", "A x, then A'r"];
    report(&format!("sparse {rows} x {n}, {per_row} per row"), threads, bytes, &times, &names);
    println!("  one call: {:.2} times the speed of two", times[2] / times[1]);
}

fn main() {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            dense(20_000, 1_000, threads);
            dense(200_000, 100, threads);
            sparse(266_000, 20_000, 50, threads);
            sparse(266_000, 1_000_000, 50, threads);
        });
    }
}
