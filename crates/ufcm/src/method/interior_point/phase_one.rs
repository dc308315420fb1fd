//! Phase one: the least violation that the constraints leave, the objective set aside.
//!
//! ```text
//! minimise t   with   low_j - w_j t <= g_j(x) <= high_j + w_j t, x in X, t >= 0
//! ```
//!
//! w_j is the size of the row. Where the least t is above 0, the multipliers nearly prove that no point satisfies the constraints.

use super::engine::{Outcome, engine_settings, run_engine};
use super::operations::{self, Factors};
use super::program::Program;
use crate::budget::Budget;
use crate::method::tuning::interior_point::{ATTEMPTS, Attempt, BESIDE, ITERATIONS, LARGEST, PHASE_ONE};
use crate::problem::Problem;
use std::sync::Arc;

/// The program of phase one for some of a problem's constraints.
pub(crate) struct PhaseOne {
    program: Arc<Program>,
    /// The column of t.
    t: usize,
    factors: Factors,
    /// Operations of a run, about.
    pub(crate) operations: f64,
}

/// What the rows are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// As little violation as possible, all rows alike.
    Violation,
    /// As much room as possible; equations must hold.
    Room,
}

/// What came of it.
pub(crate) struct Least {
    pub(crate) x: Vec<f64>,
    /// Of all rows; 0 where a row was not listed.
    pub(crate) multipliers: Vec<f64>,
    /// t
    pub(crate) violation: f64,
}

impl PhaseOne {
    /// For the listed rows, which are constraints. Nothing where a part has no conic form, or where the program is too large.
    pub(crate) fn of(problem: &Problem, listed: &[bool], leave: Leave) -> Option<Self> {
        let (program, t) = Program::of_phase_one(problem, listed, leave).ok()?;
        let (factorisation, factors) = operations::of_sparse_factorisation(&program);
        let beside = BESIDE * (program.q.len() + program.b.len() + program.a.nzval.len()) as f64;
        let operations = ITERATIONS * (factorisation + beside);
        (factorisation <= LARGEST).then(|| Self { program: Arc::new(program), t, factors, operations })
    }

    /// Runs the engine; nothing where it fails or is stopped.
    pub(crate) fn solve(&self, budget: &Budget) -> Option<Least> {
        let settings = engine_settings(&Attempt { tolerance: PHASE_ONE, ..ATTEMPTS[1] }, self.factors, false);
        let Outcome { y, dual, .. } = run_engine(&self.program, settings, true, budget)?;
        let x = self.program.point(&y).to_vec();
        Some(Least { x, multipliers: self.program.multipliers(&y, &dual), violation: y[self.t] })
    }
}
