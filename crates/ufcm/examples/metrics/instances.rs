//! Seeded problems on which the metrics differ.

use std::error::Error;
use ufcm::component::{Custom, Logistic};
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, OracleError};
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::{Ball, L1Box};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in (0, 1).
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let angle = std::f64::consts::TAU * self.uniform();
        (-2.0 * self.uniform().ln()).sqrt() * angle.cos()
    }
}

/// Text-like rows of norm 1: column j occurs with a frequency of about 1/j. The class is that of a linear rule with noise.
struct Text {
    rows: [Vec<Vec<(u32, f64)>>; 2],
    n: usize,
}

impl Text {
    fn new(rows: usize, n: usize, per_row: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let rule: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let mut classes = [Vec::new(), Vec::new()];
        for _ in 0..rows {
            let mut row: Vec<(u32, f64)> = Vec::with_capacity(per_row);
            for _ in 0..per_row {
                // n^u - 1 has the density 1/(1 + j).
                let word = ((n as f64).powf(random.uniform()) - 1.0) as u32;
                row.push((word, 1.0));
            }
            row.sort_unstable_by_key(|(word, _)| *word);
            row.dedup_by_key(|(word, _)| *word);
            let norm = (row.len() as f64).sqrt();
            row.iter_mut().for_each(|(_, value)| *value /= norm);
            let score: f64 = row.iter().map(|(word, value)| value * rule[*word as usize]).sum();
            let label = score + 0.5 * random.normal() > 0.0;
            classes[usize::from(label)].push(row);
        }
        Self { rows: classes, n }
    }

    /// The mean logistic loss of a class.
    fn loss(&self, class: usize) -> Outcome<Logistic> {
        let rows = &self.rows[class];
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            columns.extend(row.iter().map(|(word, _)| *word as usize));
            values.extend(row.iter().map(|(_, value)| *value));
            starts.push(columns.len());
        }
        let matrix = Matrix::csr(rows.len(), self.n, &starts, &columns, values)?;
        let label = if class == 1 { 1.0 } else { -1.0 };
        Ok(Logistic::new(matrix, &vec![label; rows.len()])?)
    }
}

/// Logistic regression on sparse data with a bound on the loss of one class, in a ball or with an l1 penalty.
pub fn text(rows: usize, n: usize, per_row: usize, penalty: f64) -> Outcome<Problem> {
    let text = Text::new(rows, n, per_row, 7);
    let builder = Problem::minimise(text.loss(1)?).subject_to(text.loss(0)?.at_most(0.55));
    let builder = match penalty {
        0.0 => builder.within(Ball::new(30.0)),
        weight => builder.regularised_by(L1Box::new(weight, -50.0, 50.0)?),
    };
    Ok(builder.build()?)
}

/// Logistic regression on dense features that share a few factors, with a bound on the loss of one class.
pub fn factors(rows: usize, n: usize, factors: usize) -> Outcome<Problem> {
    let mut random = Random(11);
    let loadings: Vec<f64> = (0..factors * n).map(|_| random.normal()).collect();
    let mut loss = |label: f64| -> Outcome<Logistic> {
        let mut values = Vec::with_capacity(rows * n);
        for _ in 0..rows {
            let scores: Vec<f64> =
                (0..factors).map(|k| (random.normal() + 0.1 * label) * 0.8f64.powi(k as i32)).collect();
            values.extend((0..n).map(|i| {
                let common: f64 = scores.iter().enumerate().map(|(k, s)| s * loadings[k * n + i]).sum();
                (common + 0.3 * random.normal()) / (n as f64).sqrt()
            }));
        }
        Ok(Logistic::new(Matrix::row_major(rows, n, values)?, &vec![label; rows])?)
    };
    let (objective, other) = (loss(1.0)?, loss(-1.0)?);
    Ok(Problem::minimise(objective).subject_to(other.at_most(0.6)).within(Ball::new(10.0)).build()?)
}

/// log(1 + exp(t)) with its derivative.
fn softplus(t: f64) -> (f64, f64) {
    let e = (-t.abs()).exp();
    let derivative = if t >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) };
    (t.max(0.0) + e.ln_1p(), derivative)
}

/// x -> (x - c)'Q(x - c)/2 + the mean of softplus(b_i.x), as a closure that tells nothing but values and gradients. Q is a
/// diagonal that spreads over `condition`, between reflections.
fn black_box(n: usize, condition: f64, shift: f64, seed: u64) -> Outcome<Custom> {
    let mut random = Random(seed);
    let mut vectors = |count: usize, size: f64| -> Vec<Vec<f64>> {
        (0..count).map(|_| (0..n).map(|_| size * random.normal()).collect()).collect()
    };
    let centre = vectors(1, shift).concat();
    let mirrors = vectors(3, 1.0);
    let losses = vectors(20, 1.0 / (n as f64).sqrt());
    let scales: Vec<f64> = (0..n).map(|i| condition.powf(-(i as f64) / (n as f64 - 1.0))).collect();
    let evaluate = move |x: &[f64], gradient: Option<&mut [f64]>| -> Result<f64, OracleError> {
        let mut v: Vec<f64> = x.iter().zip(&centre).map(|(x, c)| x - c).collect();
        mirrors.iter().for_each(|mirror| reflect(&mut v, mirror));
        let mut value = 0.5 * v.iter().zip(&scales).map(|(v, s)| s * v * v).sum::<f64>();
        v.iter_mut().zip(&scales).for_each(|(v, s)| *v *= s);
        mirrors.iter().rev().for_each(|mirror| reflect(&mut v, mirror));
        for b in &losses {
            let (loss, slope) = softplus(dot(b, x));
            value += loss / losses.len() as f64;
            v.iter_mut().zip(b).for_each(|(v, b)| *v += slope / losses.len() as f64 * b);
        }
        if let Some(gradient) = gradient {
            gradient.copy_from_slice(&v);
        }
        Ok(value)
    };
    Ok(Custom::new(n, evaluate)?.with_lower_bound(0.0)?)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// v <- v - 2 <m, v>/<m, m> m
fn reflect(v: &mut [f64], mirror: &[f64]) {
    let share = 2.0 * dot(mirror, v) / dot(mirror, mirror);
    v.iter_mut().zip(mirror).for_each(|(v, m)| *v -= share * m);
}

/// An ill-conditioned black box with bounds on two more, in a ball or with an l1 penalty.
pub fn black_boxes(n: usize, condition: f64, penalty: f64) -> Outcome<Problem> {
    let objective = black_box(n, condition, 1.0, 21)?;
    let bounds = [black_box(n, condition, 0.9, 22)?, black_box(n, condition, 1.1, 23)?];
    let mut builder = Problem::minimise(objective);
    for bound in bounds {
        let at_start = bound.evaluate(&vec![0.0; n], None)?;
        builder = builder.subject_to(bound.at_most(0.9 * at_start));
    }
    let builder = match penalty {
        0.0 => builder.within(Ball::new(3.0 * (n as f64).sqrt())),
        weight => builder.regularised_by(L1Box::new(weight, -50.0, 50.0)?),
    };
    Ok(builder.build()?)
}
