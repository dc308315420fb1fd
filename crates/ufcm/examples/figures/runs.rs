//! The runs whose gradients are counted.

use super::instances::Instance;
use faer::{MatRef, Side};
use std::error::Error;
use ufcm::method::{Adaptive, AdaptiveParameters, Ufcm, UfcmParameters};
use ufcm::metric::Metric;
use ufcm::report::{Report, Status};
use ufcm::settings::Settings;
use ufcm::theory::promise::Balance;
use ufcm::theory::{Aggregate, RowConstants};

/// Gradients after which a run that has not arrived is given up.
const LIMIT: usize = 3000;
/// The same for the published method.
pub const PUBLISHED_LIMIT: usize = 5000;

/// tol relative to max(1, |p*|).
pub fn absolute(tolerance: f64, optimum: f64) -> f64 {
    tolerance * optimum.abs().max(1.0)
}

/// The gradients that the adaptive method takes from 0 until objective error and violation are both below the tolerance;
/// nothing where it does not get there. It is told no constants, and p* only to know when to stop counting.
pub fn solution(instance: &Instance, optimum: f64, tolerance: f64) -> Result<Option<usize>, Box<dyn Error>> {
    let (problem, goal) = (&instance.problem, absolute(tolerance, optimum));
    let parameters = AdaptiveParameters { eps: goal / 10.0, r: 1e-2, l: 1.0 };
    let (x0, multipliers) = (vec![0.0; problem.dimension()], instance.first_multipliers());
    let metric = Metric::from_hints(problem);
    let mut method = Adaptive::new(problem, &x0, &multipliers, parameters, metric)?.choosing_its_metric();
    let mut gradients = 0;
    while gradients < LIMIT {
        gradients += method.step()?.gradients;
        if instance.error(method.row_values(), optimum) < goal {
            return Ok(Some(gradients));
        }
    }
    Ok(None)
}

/// The solver as users call it, asked to prove a relative gap, with violations of the same size.
pub fn certified(instance: &Instance, tolerance: f64) -> Result<Report, Box<dyn Error>> {
    let settings = Settings {
        eps_abs: 0.0,
        eps_rel: tolerance,
        eps_feas: tolerance,
        max_gradients: Some(LIMIT),
        ..Settings::default()
    };
    Ok(instance.problem.solve(&settings)?)
}

/// p* as the instance knows it, else the middle of certified bounds 1e-9 apart.
pub fn optimum(instance: &Instance) -> Result<f64, Box<dyn Error>> {
    if let Some(optimum) = instance.optimum {
        return Ok(optimum);
    }
    let report = tight(instance, 1e-9)?;
    Ok(0.5 * (report.objective + report.lower_bound))
}

fn tight(instance: &Instance, tolerance: f64) -> Result<Report, Box<dyn Error>> {
    let report = certified(instance, tolerance)?;
    if report.status != Status::Certified {
        let (status, trouble) = (report.status, report.trouble.unwrap_or_default());
        return Err(format!("the reference to {tolerance:e} ended with {status} {trouble}").into());
    }
    Ok(report)
}

/// The gradients that Algorithm 1 takes to the tolerance, given what nobody knows: L_ADA, D_x and D_lambda at the solution.
/// Nothing where the limit came first.
pub fn published(instance: &Instance, optimum: f64, tolerance: f64) -> Result<Option<usize>, Box<dyn Error>> {
    let (problem, goal) = (&instance.problem, absolute(tolerance, optimum));
    let solution = tight(instance, 1e-8)?;
    let (x0, multipliers0) = (vec![0.0; problem.dimension()], instance.first_multipliers());
    let (d_x, d_lambda) = (distance(&x0, &solution.x), distance(&multipliers0, &solution.multipliers));
    let mut rows = Vec::new();
    for (q, &multiplier) in instance.quadratics.iter().zip(&solution.multipliers) {
        rows.push(RowConstants::smooth(multiplier, largest_eigenvalue(q)?));
    }
    rows[0] = rows[0].pinned();
    // r = D_lambda sqrt(eps), as in the corollary that gives these step sizes.
    let l_ada = Aggregate::new(rows, goal, d_lambda * goal.sqrt())?.l_ada_smooth();
    let parameters = UfcmParameters { l_ada, balance: Balance::with_distances(l_ada, d_x, d_lambda) };
    let mut method = Ufcm::new(problem, &x0, &multipliers0, parameters)?;
    let (mapping, mut values) = (problem.mapping(), vec![0.0; problem.rows()]);
    while method.iterations() < PUBLISHED_LIMIT {
        method.step()?;
        mapping.values(method.average_x(), &mut values)?;
        if instance.error(&values, optimum) < goal {
            return Ok(Some(method.iterations()));
        }
    }
    Ok(None)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// Of a symmetric matrix.
fn largest_eigenvalue(q: &[f64]) -> Result<f64, Box<dyn Error>> {
    let n = q.len().isqrt();
    let eigenvalues = MatRef::from_row_major_slice(q, n, n).self_adjoint_eigenvalues(Side::Lower);
    let eigenvalues = eigenvalues.map_err(|error| format!("eigenvalues: {error:?}"))?;
    Ok(eigenvalues.last().copied().unwrap_or(0.0))
}
