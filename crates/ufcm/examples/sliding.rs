//! Sliding: curved components together with many affine rows. `cargo run --release -p ufcm --example sliding [LARGE]`
//!
//! Model steps by products with the rows' Jacobian instead of Newton systems. The first instance is small enough for both; the
//! others are those that sliding is there for. Every certificate is checked by the verifier, and the figure of the first
//! instance (at most 100 gradients) is asserted. Time is also told in pairs of products with the affine block, measured in the
//! same run: an inner step cannot cost less. With `LARGE` an instance of a million rows is added.

#![allow(clippy::print_stdout, reason = "an example that prints a table")]

#[path = "../tests/common/differences.rs"]
mod differences;
#[path = "../tests/common/pair.rs"]
mod pair;
#[path = "../tests/common/random.rs"]
mod random;

use differences::Differences;
use pair::seconds_of_a_pair;
use random::Random;
use std::error::Error;
use ufcm::component::{LeastSquares, Logistic, Quadratic};
use ufcm::composer::L1Norm;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::Mapping;
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::{Bounds, L1};
use ufcm::report::Status;
use ufcm::settings::{MethodRule, Settings};

/// The most gradients that least squares under 500 affine constraints in 300 variables may take, to 1e-6.
const FIGURE: usize = 100;
/// Entries in a row of the sparse blocks.
const ENTRIES: usize = 5;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Rows with a few entries each, in columns that a random stream chooses.
fn sparse(random: &mut Random, rows: usize, columns: usize) -> Outcome<Matrix> {
    let starts: Vec<usize> = (0..=rows).map(|row| row * ENTRIES).collect();
    let values = random.vector(rows * ENTRIES, 1.0);
    let mut column = || (random.within(0.0, columns as f64) as usize).min(columns - 1);
    let indices: Vec<usize> = (0..rows * ENTRIES).map(|_| column()).collect();
    Ok(Matrix::csr(rows, columns, &starts, &indices, values)?)
}

/// A x <= b that holds at `point`, in some rows with little room.
fn around(random: &mut Random, matrix: Matrix, point: &[f64]) -> Outcome<Affine> {
    let mut offset = vec![0.0; matrix.rows()];
    matrix.apply(point, &mut offset);
    offset.iter_mut().for_each(|b| *b += random.within(0.01, 1.0));
    Ok(Affine::new(matrix, offset)?)
}

/// Least squares under dense constraints.
fn least_squares(rows: usize, n: usize) -> Outcome<(Problem, Affine)> {
    let mut random = Random::new(500);
    let a = Matrix::row_major(2 * n, n, random.vector(2 * n * n, 1.0))?;
    let b = random.vector(2 * n, 3.0);
    let point = random.vector(n, 0.1);
    let c = Matrix::row_major(rows, n, random.vector(rows * n, 1.0))?;
    let block = around(&mut random, c, &point)?;
    let problem = Problem::minimise(LeastSquares::new(a, b)?)
        .subject_to(block.clone().at_most_zero().named("limits"))
        .within(Bounds::new(-10.0, 10.0)?)
        .build()?;
    Ok((problem, block))
}

/// A logistic loss, a bound on a quadratic, many sparse rows, l1 and a box at once.
fn mixed(rows: usize, n: usize, samples: usize) -> Outcome<(Problem, Affine)> {
    let mut random = Random::new(501);
    let data = sparse(&mut random, samples, n)?;
    let truth = random.vector(n, 1.0);
    let mut margins = vec![0.0; samples];
    data.apply(&truth, &mut margins);
    let labels: Vec<f64> = margins.iter().map(|m| if *m >= 0.0 { 1.0 } else { -1.0 }).collect();
    let point = random.vector(n, 0.1);
    let matrix = sparse(&mut random, rows, n)?;
    let block = around(&mut random, matrix, &point)?;
    let problem = Problem::minimise(Logistic::new(data, &labels)?)
        .subject_to(Quadratic::diagonal(random.positive(n, 0.5, 2.0))?.at_most(0.05 * n as f64).named("size"))
        .subject_to(block.clone().at_most_zero().named("limits"))
        .regularised_by(L1::new(1e-4)?)
        .within(Bounds::new(-1.0, 1.0)?)
        .build()?;
    Ok((problem, block))
}

/// A noisy staircase, made smooth again by the l1 norm of its differences, which are known by products alone.
fn denoising(n: usize) -> Outcome<(Problem, Affine)> {
    let mut random = Random::new(502);
    let noise = random.vector(n, 0.3);
    let signal: Vec<f64> = noise.iter().enumerate().map(|(i, e)| ((10 * i / n) % 3) as f64 + e).collect();
    let block = Affine::by_products(Differences(n), vec![0.0; n - 1])?;
    let target = Quadratic::diagonal(vec![1.0; n])?.with_linear(signal.iter().map(|s| -s).collect())?;
    let problem = Problem::minimise(target)
        .plus(Term::affine(L1Norm::new(vec![1.0; n - 1])?, block.clone()).named("steps"))
        .within(Bounds::new(-10.0, 10.0)?)
        .build()?;
    Ok((problem, block))
}

/// The line of a run; its gradients.
fn line(name: &str, (problem, block): &(Problem, Affine), method: MethodRule) -> Outcome<usize> {
    let pair = seconds_of_a_pair(block)?;
    let report = problem.solve(&Settings { method, ..Settings::default() })?;
    let verified = match &report.certificate {
        Some(certificate) if report.status == Status::Certified => Some(certificate.verify(problem)?.gap()),
        _ => None,
    };
    let counts = report.counts;
    println!(
        "{name:22} {:>8} {:>7}  {:9} {:10} {:>9} {:>11} {:>8.2} {:>12} {:>10.1}",
        block.rows(),
        problem.dimension(),
        format!("{method:?}").to_lowercase(),
        report.status.to_string(),
        counts.gradients,
        counts.newton_steps,
        report.seconds,
        verified.map_or("-".into(), |gap| format!("{gap:.1e}")),
        report.seconds / pair / counts.newton_steps.max(1) as f64,
    );
    if report.status != Status::Certified {
        return Err(format!("{name}: {} {:?}", report.status, report.trouble).into());
    }
    Ok(counts.gradients)
}

fn main() -> Outcome<()> {
    let large = std::env::args().nth(1).is_some();
    println!(
        "                       affine           model                                                     verified  pairs of products"
    );
    println!(
        "instance                 rows variables steps     status     gradients inner steps  seconds          gap for an inner step"
    );
    let small = least_squares(500, 300)?;
    for method in [MethodRule::Auto, MethodRule::Sliding] {
        let gradients = line("least squares", &small, method)?;
        if gradients > FIGURE {
            return Err(format!("least squares took {gradients} gradients; {FIGURE} are allowed").into());
        }
    }
    line("mixed, sparse", &mixed(10_000, 1_000, 20_000)?, MethodRule::Auto)?;
    line("mixed, sparse", &mixed(20_000, 3_000, 50_000)?, MethodRule::Auto)?;
    line("mixed, few variables", &mixed(100_000, 500, 20_000)?, MethodRule::Auto)?;
    line("staircase, by products", &denoising(20_000)?, MethodRule::Auto)?;
    if large {
        line("mixed, sparse", &mixed(1_000_000, 5_000, 50_000)?, MethodRule::Auto)?;
    }
    Ok(())
}
