//! The runs whose gradients are counted.

use super::instances::Instance;
use faer::{MatRef, Side};
use std::error::Error;
use ufcm::method::{Ufcm, UfcmParameters};
use ufcm::report::{Control, Counts, Report, Status};
use ufcm::settings::Settings;
use ufcm::theory::promise::Balance;
use ufcm::theory::{Aggregate, RowConstants};

/// Gradients after which a run that has not arrived is given up.
const LIMIT: usize = 3000;
/// The accuracy of p* where we find it ourselves.
const REFERENCE: f64 = 1e-9;
/// The gradients after which the published method is given up.
pub const PUBLISHED_LIMIT: usize = 5000;

/// tol relative to max(1, |p*|).
pub fn absolute(tolerance: f64, optimum: f64) -> f64 {
    tolerance * optimum.abs().max(1.0)
}

/// What the solver costs from 0 until objective error and violation, at the point that it would return, are both below the
/// tolerance; nothing where it does not get there. It is told no constants, and p* only to know when to stop counting.
pub fn solution(
    instance: &Instance,
    optimum: f64,
    settings: &Settings,
) -> Result<Option<Counts>, Box<dyn Error>> {
    let goal = absolute(settings.eps_rel, optimum);
    // Asked for less, it might stop at a point whose violation hides an objective that is off by more.
    let (eps_rel, eps_feas) = (0.1 * settings.eps_rel, 0.1 * settings.eps_feas);
    let mut arrived = None;
    let settings = Settings { eps_rel, eps_feas, ..settings.clone() };
    instance.problem.solve_observed(&settings, &mut |progress| {
        let record = &progress.record;
        if (record.objective - optimum).abs().max(record.violation) >= goal {
            return Control::Continue;
        }
        arrived = Some(record.counts);
        Control::Stop
    })?;
    Ok(arrived)
}

/// The solver as users call it, asked to prove a relative gap, with violations of the same size.
pub fn asked_for(tolerance: f64) -> Settings {
    Settings {
        eps_abs: 0.0,
        eps_rel: tolerance,
        eps_feas: tolerance,
        max_gradients: Some(LIMIT),
        ..Settings::default()
    }
}

/// p* as the instance knows it, else the middle of certified bounds, [`REFERENCE`] apart.
pub fn optimum(instance: &Instance) -> Result<f64, Box<dyn Error>> {
    if let Some(optimum) = instance.optimum {
        return Ok(optimum);
    }
    let report = tight(instance, REFERENCE)?;
    Ok(0.5 * (report.objective + report.lower_bound))
}

fn tight(instance: &Instance, tolerance: f64) -> Result<Report, Box<dyn Error>> {
    let report = instance.problem.solve(&asked_for(tolerance))?;
    if report.status != Status::Certified {
        let (status, meaning) = (report.status, report.meaning());
        return Err(format!("the reference to {tolerance:e} ended with {status}: {meaning}").into());
    }
    Ok(report)
}

/// The gradients that Algorithm 1 takes to the tolerance, given what nobody knows: L_ADA, D_x and D_lambda at the solution.
/// Nothing where the limit came first.
pub fn published(instance: &Instance, optimum: f64, tolerance: f64) -> Result<Option<usize>, Box<dyn Error>> {
    let (problem, goal) = (&instance.problem, absolute(tolerance, optimum));
    let solution = tight(instance, 1e-8)?;
    let (x0, mut multipliers0) = (vec![0.0; problem.dimension()], vec![0.0; problem.rows()]);
    multipliers0[0] = 1.0;
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
        let error = values[1..].iter().copied().fold((values[0] - optimum).abs(), f64::max);
        if error < goal {
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
