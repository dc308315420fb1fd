//! Runs of the engines, on threads of their own: Clarabel's, and our own for programs that condense to a dense core.

use super::condensed;
use super::operations::Factors;
use super::program::Program;
use crate::budget::Budget;
use crate::method::tuning::interior_point::Attempt;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// How often the budget is asked while the engine runs.
const PATIENCE: Duration = Duration::from_millis(10);

/// What a run of the engine ended with.
pub(super) struct Outcome {
    pub(super) status: SolverStatus,
    pub(super) y: Vec<f64>,
    pub(super) dual: Vec<f64>,
    pub(super) iterations: usize,
}

impl Outcome {
    fn is_finite(&self) -> bool {
        self.y.iter().chain(&self.dual).all(|v| v.is_finite())
    }
}

/// A run of the engine on a thread of its own, so that nobody who stops the run waits for a factorisation: the engine sees it after
/// that. Nothing where it fails or is stopped.
pub(super) fn run_engine(
    program: &Arc<Program>,
    settings: DefaultSettings<f64>,
    with_cost: bool,
    budget: &Budget,
) -> Option<Outcome> {
    let (program, on_thread) = (program.clone(), budget.clone());
    within(budget, move || engine(&program, settings, with_cost, on_thread).filter(Outcome::is_finite))
}

/// Runs the engine of our own. Nothing where the program does not condense, or where the run is stopped.
pub(super) fn run_condensed(program: &Arc<Program>, tolerance: f64, budget: &Budget) -> Option<Outcome> {
    let (program, on_thread) = (program.clone(), budget.clone());
    within(budget, move || condensed::solve(&program, tolerance, &on_thread).filter(Outcome::is_finite))
}

/// What `work` brings on a thread of its own; nothing where the budget ends before.
fn within<T: Send + 'static>(
    budget: &Budget,
    work: impl FnOnce() -> Option<T> + Send + 'static,
) -> Option<T> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(catch_unwind(AssertUnwindSafe(work)).ok().flatten()));
    loop {
        match told.recv_timeout(PATIENCE) {
            Ok(done) => return done,
            Err(mpsc::RecvTimeoutError::Timeout) if budget.component().is_ok() => {}
            Err(_) => return None,
        }
    }
}

/// The engine's settings, for a program whose factorisation is done in blocks or entry by entry. Where it was `misled`, it is not to look
/// for rays.
pub(super) fn engine_settings(attempt: &Attempt, factors: Factors, misled: bool) -> DefaultSettings<f64> {
    let Attempt { tolerance, regularisation, refinement, step, scaling: (widest, rounds) } = *attempt;
    let rays = if misled { f64::MIN_POSITIVE } else { tolerance };
    let standard = DefaultSettings::default();
    DefaultSettings {
        verbose: false,
        tol_feas: tolerance,
        tol_gap_abs: tolerance,
        tol_gap_rel: tolerance,
        tol_infeas_abs: rays,
        tol_infeas_rel: rays,
        tol_ktratio: if misled { f64::MIN_POSITIVE } else { standard.tol_ktratio },
        direct_solve_method: factors.name().to_owned(),
        static_regularization_constant: regularisation,
        iterative_refinement_reltol: refinement.0,
        iterative_refinement_abstol: refinement.1,
        max_step_fraction: step,
        equilibrate_max_scaling: widest,
        equilibrate_min_scaling: 1.0 / widest,
        equilibrate_max_iter: rounds,
        // The same bits for any number of threads.
        max_threads: 1,
        ..standard
    }
}

/// Runs the engine. A failure inside it is a run without a result ([`within`]); other methods go on.
pub(super) fn engine(
    program: &Program,
    settings: DefaultSettings<f64>,
    with_cost: bool,
    budget: Budget,
) -> Option<Outcome> {
    let Program { p, q, a, b, cones, .. } = program;
    let (none, free) = (CscMatrix::zeros((q.len(), q.len())), vec![0.0; q.len()]);
    let (p, q) = if with_cost { (p, q) } else { (&none, &free) };
    let mut solver = DefaultSolver::new(p, q, a, b, cones, settings).ok()?;
    solver.set_termination_callback(move |_: &_| budget.component().is_err());
    solver.solve();
    let solution = solver.solution;
    let iterations = solution.iterations as usize;
    Some(Outcome { status: solution.status, y: solution.x, dual: solution.z, iterations })
}
