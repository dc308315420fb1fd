//! Regression in the l1 norm and for a quantile, 50 000 rows and 200 variables, to a certified relative gap of 1e-4:
//! `cargo run --release -p ufcm --example regression [ROWS COLUMNS TOLERANCE]`
//!
//! One line for each of three things that a bound can rest on: a box, the level set of the start (under a small multiple of
//! |x|_1, which makes it bounded), and a radius that the user gives. Every certificate is checked by the verifier. Time is also
//! told in pairs of products A x and A'y of the same matrix, measured in the same run, which is what the best conceivable
//! first-order step costs.

#![allow(clippy::print_stdout, reason = "an example that prints a table")]

#[path = "../tests/common/pair.rs"]
mod pair;
#[path = "../tests/common/random.rs"]
mod random;

use pair::seconds_of_a_pair;
use random::Random;
use std::error::Error;
use std::sync::Arc;
use ufcm::composer::{L1Norm, Quantile};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::Mapping;
use ufcm::problem::{Problem, Term};
use ufcm::regulariser::{Bounds, L1};
use ufcm::report::Status;
use ufcm::settings::Settings;

/// Every solution of the instances lies well inside.
const RADIUS: f64 = 100.0;
/// The weight of |x|_1 that bounds level sets.
const SHRINKAGE: f64 = 1e-3;
/// The quantile that is looked for.
const LEVEL: f64 = 0.9;

/// b = A x + noise, whose size varies from row to row by a factor of 1000.
fn data(rows: usize, columns: usize) -> Result<(Arc<Matrix>, Vec<f64>), Box<dyn Error>> {
    let mut random = Random::new(50_200);
    let (a, truth) = (random.vector(rows * columns, 1.0), random.vector(columns, 1.0));
    let (noise, sizes) = (random.vector(rows, 1.0), random.positive(rows, 1e-2, 10.0));
    let product = |row: &[f64]| row.iter().zip(&truth).map(|(a, x)| a * x).sum::<f64>();
    let noisy = |(row, (noise, size)): (&[f64], (&f64, &f64))| product(row) + noise * size;
    let b = a.chunks(columns).zip(noise.iter().zip(&sizes)).map(noisy).collect();
    Ok((Arc::new(Matrix::row_major(rows, columns, a)?), b))
}

fn loss(name: &str, block: Affine) -> Result<Term, Box<dyn Error>> {
    let rows = block.rows();
    let weight = 1.0 / rows as f64;
    Ok(match name {
        "l1" => Term::affine(L1Norm::new(vec![weight; rows])?, block),
        _ => Term::affine(Quantile::new(rows, LEVEL, weight)?, block),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rows = arguments.next().map_or(Ok(50_000), |word| word.parse())?;
    let columns = arguments.next().map_or(Ok(200), |word| word.parse())?;
    let eps_rel = arguments.next().map_or(Ok(1e-4), |word| word.parse())?;
    let (a, b) = data(rows, columns)?;
    let block = Affine::new(a, b)?;
    let pair = seconds_of_a_pair(&block)?;
    println!(
        "{rows} x {columns}, certified relative gap {eps_rel:e}; a pair A x, A'y takes {:.2} ms\n",
        1e3 * pair
    );
    println!(
        "loss      bound rests on   status     gradients  restarts  seconds   verified gap   pairs/gradient"
    );
    for name in ["l1", "quantile"] {
        for premise in ["box", "level set", "radius"] {
            let builder = Problem::over(columns).plus(loss(name, block.clone())?);
            let builder = match premise {
                "box" => builder.within(Bounds::new(-RADIUS, RADIUS)?),
                "level set" => builder.regularised_by(L1::new(SHRINKAGE)?),
                _ => builder,
            };
            let problem = builder.build()?;
            let radius = (premise == "radius").then_some(RADIUS);
            let report = problem.solve(&Settings { eps_rel, radius, ..Settings::default() })?;
            let certificate = report.certificate.as_ref().ok_or("no certificate")?;
            let gap = certificate.verify(&problem)?.gap() / report.objective.abs().max(1.0);
            println!(
                "{name:9} {premise:16} {:10} {:9} {:9} {:8.2} {gap:14.2e} {:16.2}",
                report.status.to_string(),
                report.counts.gradients,
                report.counts.restarts,
                report.seconds,
                report.seconds / pair / report.counts.gradients as f64,
            );
            if report.status != Status::Certified {
                return Err(format!("{name}, {premise}: {}", report.status).into());
            }
        }
    }
    Ok(())
}
