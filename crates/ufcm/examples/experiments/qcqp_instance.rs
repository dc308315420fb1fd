//! The instances of the random QCQPs, each with its solution.
//!
//! min x'A x/2 + b.x subject to x'Q_j x/2 + d_j.x <= c_j and -10 <= x <= 10, where A and Q_j have random eigenvectors, eigenvalues
//! uniform in [0, 100] but for one that is next to 0; b and d_j are normal, c_j and x^0 uniform in [0, 1]; lambda^0 = 0.

use super::Outcome;
use super::planted::{Random, distance, length};
use ufcm::component::Quadratic;
use ufcm::matrix::Matrix;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Bounds;
use ufcm::report::Status;
use ufcm::settings::Settings;

pub const CONSTRAINTS: usize = 10;
const LARGEST: f64 = 100.0;
const SMALLEST: f64 = 1e-10;
/// The accuracy of the reference.
const REFERENCE: f64 = 1e-8;

/// One instance with its solution.
pub struct Family {
    pub problem: Problem,
    pub x0: Vec<f64>,
    pub multipliers0: Vec<f64>,
    /// L_j of all rows.
    pub smoothness: Vec<f64>,
    /// |∇g_j(x*)|
    pub slopes: Vec<f64>,
    pub optimum: f64,
    pub multipliers: Vec<f64>,
    pub d_x: f64,
    pub d_lambda: f64,
}

impl Family {
    pub fn new(n: usize, seed: u64) -> Outcome<Self> {
        let mut random = Random(seed);
        let x0: Vec<f64> = (0..n).map(|_| unit(&mut random)).collect();
        let mut smoothness = Vec::new();
        let mut row = |random: &mut Random| -> Outcome<Quadratic> {
            let (matrix, largest) = matrix(n, random)?;
            smoothness.push(largest);
            Ok(Quadratic::new(&matrix)?.with_linear((0..n).map(|_| normal(random)).collect())?)
        };
        let mut builder = Problem::minimise(row(&mut random)?);
        for _ in 0..CONSTRAINTS {
            let constraint = row(&mut random)?;
            builder = builder.subject_to(constraint.at_most(unit(&mut random)));
        }
        let problem = builder.within(Bounds::new(-10.0, 10.0)?).build()?;
        let report = problem.solve(&Self::asking(REFERENCE, &x0))?;
        if report.status != Status::Certified {
            return Err(format!("the reference ended with {}: {}", report.status, report.meaning()).into());
        }
        let mut multipliers0 = vec![0.0; problem.rows()];
        multipliers0[0] = 1.0;
        let mut mapping = problem.mapping();
        mapping.linearise(&report.x, &mut vec![0.0; problem.rows()])?;
        let mut gradient = vec![0.0; n];
        let slopes = (0..problem.rows()).map(|j| {
            mapping.jacobian_row(j, &mut gradient);
            length(&gradient)
        });
        let slopes = slopes.collect();
        Ok(Self {
            d_x: distance(&x0, &report.x),
            d_lambda: distance(&multipliers0, &report.multipliers),
            optimum: 0.5 * (report.objective + report.lower_bound),
            multipliers: report.multipliers,
            problem,
            x0,
            multipliers0,
            smoothness,
            slopes,
        })
    }

    /// Settings for a tolerance from a start.
    pub fn asking(tolerance: f64, x0: &[f64]) -> Settings {
        Settings {
            eps_abs: 0.0,
            eps_rel: tolerance,
            eps_feas: tolerance,
            x0: Some(x0.to_vec()),
            ..Settings::default()
        }
    }
}

fn unit(random: &mut Random) -> f64 {
    0.5 * (random.uniform() + 1.0)
}

/// Box and Muller's.
fn normal(random: &mut Random) -> f64 {
    let (radius, angle) = (1.0 - unit(random), std::f64::consts::TAU * unit(random));
    (-2.0 * radius.ln()).sqrt() * angle.cos()
}

/// S'DS with random eigenvectors, and its largest eigenvalue. Reflections of growing size, each with a normal vector, make S uniform over the
/// orthogonal matrices (Stewart 1980); S'DS is diagonal outside of what they have reached.
fn matrix(n: usize, random: &mut Random) -> Outcome<(Matrix, f64)> {
    let mut values = vec![0.0; n * n];
    let mut largest = SMALLEST;
    for i in 0..n {
        let eigenvalue = if i + 1 < n { LARGEST * unit(random) } else { SMALLEST };
        values[i * n + i] = eigenvalue;
        largest = eigenvalue.max(largest);
    }
    let (mut v, mut w) = (vec![0.0; n], vec![0.0; n]);
    for first in (0..n - 1).rev() {
        let v = &mut v[first..];
        v.fill_with(|| normal(random));
        let norm = length(v);
        v.iter_mut().for_each(|v| *v /= norm);
        // (I - 2vv') A (I - 2vv') = A - vw' - wv' with w = 2 (Av - (v'Av) v).
        let w = &mut w[first..];
        for (w, row) in w.iter_mut().zip(values[first * n..].chunks_exact(n)) {
            *w = row[first..].iter().zip(&*v).map(|(a, v)| a * v).sum();
        }
        let inner: f64 = v.iter().zip(&*w).map(|(v, w)| v * w).sum();
        w.iter_mut().zip(&*v).for_each(|(w, v)| *w = 2.0 * (*w - inner * v));
        for (i, row) in values[first * n..].chunks_exact_mut(n).enumerate() {
            let (vi, wi) = (v[i], w[i]);
            for ((a, v), w) in row[first..].iter_mut().zip(&*v).zip(&*w) {
                *a -= vi * w + wi * v;
            }
        }
    }
    Ok((Matrix::row_major(n, n, values)?, largest))
}
