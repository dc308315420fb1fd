//! What is told after a solve.

use crate::certificate::{Certificate, Infeasibility};
use std::fmt;

/// How a solve ended, and what that proves. Every status comes with the best point so far and the bounds that hold for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Proven: the violation is within eps_feas, and the objective at x exceeds the optimum by no more than the gap
    /// tolerance. The proof is the lower bound; it rests on the report's premise and on the oracles being convex with right
    /// gradients.
    Certified,
    /// The optimality conditions hold within tolerance, but no finite lower bound is available: the domain is not bounded,
    /// u does not grow, and no radius was given. Nothing is proven of the distance to the optimum.
    Solved,
    /// Proven: no point of X satisfies the constraints. The report's infeasibility is the proof.
    Infeasible,
    /// The objective fell below the floor while the violation was within tolerance.
    Unbounded,
    /// The limit on gradients was reached.
    IterationLimit,
    /// The limit on time was reached.
    TimeLimit,
    /// The caller's observer asked to stop.
    Interrupted,
    /// An oracle failed or contradicts itself, or rounding keeps the tolerance out of reach; the report's trouble says which.
    NumericalError,
}

impl Status {
    /// Whether x can be taken for a solution within the tolerances.
    #[must_use]
    pub fn is_success(self) -> bool {
        matches!(self, Self::Certified | Self::Solved)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Certified => "Certified",
            Self::Solved => "Solved",
            Self::Infeasible => "Infeasible",
            Self::Unbounded => "Unbounded",
            Self::IterationLimit => "IterationLimit",
            Self::TimeLimit => "TimeLimit",
            Self::Interrupted => "Interrupted",
            Self::NumericalError => "NumericalError",
        })
    }
}

/// Counts of what a run cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Evaluations of all values and gradients.
    pub gradients: usize,
    /// Evaluations of all values alone.
    pub values: usize,
    /// Newton steps in the subproblems.
    pub newton_steps: usize,
    /// Restarts of the method.
    pub restarts: usize,
    /// Accepted steps.
    pub steps: usize,
}

/// Where a run stands, for observers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The objective at the best point, constraints left aside.
    pub objective: f64,
    /// The proven lower bound, possibly -inf.
    pub lower_bound: f64,
    /// The violation at the best point.
    pub violation: f64,
    /// What it has cost so far.
    pub counts: Counts,
}

/// What an observer wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Stop and report what there is.
    Stop,
}

/// The result of a solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// The best point found.
    pub x: Vec<f64>,
    /// g_0(x) + h(g(x)) + u(x) with constraints left aside: what stands in the objective.
    pub objective: f64,
    /// No point of X that satisfies the constraints has a smaller objective; -inf where nothing is proven.
    pub lower_bound: f64,
    /// The Euclidean distance of g(x) from satisfying the constraints.
    pub violation: f64,
    /// The multipliers of all rows, that of g_0 (1) first.
    pub multipliers: Vec<f64>,
    /// What it cost.
    pub counts: Counts,
    /// Wall-clock time.
    pub seconds: f64,
    /// What went wrong, with [`Status::NumericalError`].
    pub trouble: Option<String>,
    /// The proof of the bounds as plain data, which [`Certificate::verify`] checks without the solver. It names the premise.
    pub certificate: Option<Certificate>,
    /// The proof that no point satisfies the constraints, with [`Status::Infeasible`].
    pub infeasibility: Option<Infeasibility>,
}

impl Report {
    /// Objective minus lower bound.
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.objective - self.lower_bound
    }

    /// The gap relative to max(1, |objective|).
    #[must_use]
    pub fn gap_rel(&self) -> f64 {
        self.gap() / self.objective.abs().max(1.0)
    }
}
