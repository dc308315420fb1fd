//! What is told after a solve.

mod trace;
mod trouble;

pub use trace::TraceRecord;
pub use trouble::Trouble;

use crate::certificate::{Certificate, Infeasibility, Repaired, Unboundedness};
use crate::constants::Constants;
use crate::warm_start::WarmStart;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a solve ended, and what that proves. Every status comes with the best point so far and the bounds that hold for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Status {
    /// Proven: the violation is within eps_feas, and objective and lower bound differ by no more than the gap tolerance, either way. The proof is the lower bound; it rests on the report's premise and on the oracles being convex with right
    /// gradients.
    Certified,
    /// The violation is within eps_feas and the optimality conditions hold within tolerance, but no lower bound proves it: the domain is
    /// not bounded, u does not grow, and no radius was given; or (primal-dual method) the bound is too far off and stays so. Nothing is
    /// proven of the distance to the optimum.
    Solved,
    /// Proven: no point of X satisfies the constraints. The report's infeasibility is the proof, and names its premise: where
    /// X is unbounded, rounding may leave a proof that speaks of all points within some huge distance.
    Infeasible,
    /// Proven: from a point where the violation is within tolerance the objective falls for ever along a ray. The report's unboundedness
    /// holds both.
    Unbounded,
    /// The objective fell below the floor that the user set ([`Settings::objective_floor`](crate::settings::Settings::objective_floor))
    /// while the violation was within tolerance.
    BelowFloor,
    /// The optimality conditions hold, but the violation exceeds eps_feas and is no more than rounding makes of rows of this size: in these
    /// units eps_feas cannot be reached. The report's violation says what was.
    PrecisionLimit,
    /// The limit on gradients was reached; with a published method perhaps the number that its theorem promises.
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

    /// What the status says, in half a sentence; [`Report::meaning`] may know more.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Certified => "the gap is proven",
            Self::Solved => {
                "the optimality conditions hold; nothing bounds the optimum from below unless a radius is given"
            }
            Self::Infeasible => "no point satisfies the constraints; the certificate proves it",
            Self::Unbounded => "the objective improves without bound; a point and a ray prove it",
            Self::BelowFloor => "the objective passed the floor that was set",
            Self::PrecisionLimit => {
                "the constraints hold as well as rounding allows, which is less than was asked for"
            }
            Self::IterationLimit => "the limit on gradients was reached",
            Self::TimeLimit => "the limit on time was reached",
            Self::Interrupted => "stopped on request",
            Self::NumericalError => "numerical trouble",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Certified => "Certified",
            Self::Solved => "Solved",
            Self::Infeasible => "Infeasible",
            Self::Unbounded => "Unbounded",
            Self::BelowFloor => "BelowFloor",
            Self::PrecisionLimit => "PrecisionLimit",
            Self::IterationLimit => "IterationLimit",
            Self::TimeLimit => "TimeLimit",
            Self::Interrupted => "Interrupted",
            Self::NumericalError => "NumericalError",
        })
    }
}

/// Counts of what a run cost. The names under which they are written are those of [`Summary`](crate::summary::Summary);
/// the names of version 0.1 are read as well.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Evaluations of all values and gradients.
    #[serde(rename = "gradient_evaluations", alias = "gradients")]
    pub gradients: usize,
    /// Evaluations of all values alone.
    #[serde(rename = "value_evaluations", alias = "values")]
    pub values: usize,
    /// Hessians formed.
    #[serde(rename = "hessian_evaluations", alias = "hessians")]
    pub hessians: usize,
    /// Products of Hessians with vectors: sum_j l_j ∇²g_j(x) v counts once. One costs about as much as a gradient.
    #[serde(default)]
    pub hessian_products: usize,
    /// Newton steps in the subproblems; proximal steps of a published method.
    #[serde(rename = "inner_steps", alias = "newton_steps")]
    pub newton_steps: usize,
    /// Gradients that checking the proof took, beyond those of the run: one for each of its linearisations.
    #[serde(default)]
    pub proof_gradients: usize,
    /// Points at which the audit before a success looked at the rows that are not convex by construction, beyond those of the
    /// run: a value and a gradient of each such row.
    #[serde(default)]
    pub audit_gradients: usize,
    /// Restarts of the method.
    pub restarts: usize,
    /// Accepted steps.
    pub steps: usize,
    /// Multiplications and additions, about, at the speed of products with data: those of gradients, Hessians, Newton systems and
    /// factorisations. Methods are compared by it.
    #[serde(default)]
    pub operations: u64,
    /// Reads of the data from beginning to end: every evaluation of all rows, with a gradient or without, those of proofs and audits
    /// included; of a Hessian the share of the data that it was formed from. Known once the run has ended.
    #[serde(default)]
    pub data_passes: f64,
}

impl Counts {
    /// Adds what something else cost.
    pub(crate) fn add(&mut self, other: &Self) {
        let Self {
            gradients,
            values,
            hessians,
            hessian_products,
            newton_steps,
            proof_gradients,
            audit_gradients,
            restarts,
            steps,
            operations,
            data_passes,
        } = *other;
        self.gradients += gradients;
        self.values += values;
        self.hessians += hessians;
        self.hessian_products += hessian_products;
        self.newton_steps += newton_steps;
        self.proof_gradients += proof_gradients;
        self.audit_gradients += audit_gradients;
        self.restarts += restarts;
        self.steps += steps;
        self.operations += operations;
        self.data_passes += data_passes;
    }
}

/// The solve by the default method that comes before a published one, which asks for constants of the solution. All counts are 0 where the
/// constants were given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prelude {
    /// What it cost. The report's own counts leave it aside.
    pub counts: Counts,
    /// Its wall-clock time, which is part of the report's.
    pub seconds: f64,
    /// The gradients that the theorem promises to suffice for the tolerance, with the constants found; `None` where the
    /// solve was stopped before they were.
    pub promised: Option<usize>,
}

/// Where an oracle failed or contradicted itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// The name of the row.
    pub row: String,
    /// The step in which it happened, from 1 on.
    pub step: usize,
    /// The point at which the row was evaluated.
    pub point: Vec<f64>,
}

/// Where a run stands after a step, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Record {
    /// Wall-clock time since the start.
    pub seconds: f64,
    /// The objective at the best point, constraints left aside.
    #[serde(with = "crate::serde_infinity")]
    pub objective: f64,
    /// The proven lower bound, possibly -inf.
    #[serde(with = "crate::serde_infinity")]
    pub lower_bound: f64,
    /// The violation at the best point.
    #[serde(with = "crate::serde_infinity")]
    pub violation: f64,
    /// What the gap is relative to at least, as [`Report::unit`].
    #[serde(default = "one")]
    pub unit: f64,
    /// L, the inverse of the step size.
    pub l: f64,
    /// Whether the step ended an epoch.
    pub restarted: bool,
    /// What it has cost so far.
    pub counts: Counts,
}

impl Record {
    /// The gap relative to max(unit, |objective|), as [`Report::gap_rel`].
    #[must_use]
    pub fn gap_rel(&self) -> f64 {
        (self.objective - self.lower_bound) / self.objective.abs().max(self.unit).max(f64::MIN_POSITIVE)
    }
}

/// Where a run stands after a step, for observers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// The numbers.
    pub record: Record,
    /// The best point so far.
    pub x: &'a [f64],
    /// The multipliers of the last step, over all rows.
    pub multipliers: &'a [f64],
    /// The rows at the last step's point.
    pub row_values: &'a [f64],
    /// Whether the step belongs to the prelude: it finds the constants of a published method, whose own steps come after.
    pub prelude: bool,
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// The best point found.
    pub x: Vec<f64>,
    /// g_0(x) + h(g(x)) + u(x) with constraints left aside: what stands in the objective.
    #[serde(with = "crate::serde_infinity")]
    pub objective: f64,
    /// No point of X that satisfies the constraints has a smaller objective; -inf where nothing is proven.
    #[serde(with = "crate::serde_infinity")]
    pub lower_bound: f64,
    /// The optimum is at most this, as a point that satisfies all constraints shows: x itself, or [`Report::feasible`].
    /// +inf where no such point is known.
    #[serde(with = "crate::serde_infinity")]
    pub upper_bound: f64,
    /// The Euclidean distance of g(x) from satisfying the constraints.
    #[serde(with = "crate::serde_infinity")]
    pub violation: f64,
    /// The largest violation of a row relative to the size of its terms, |g_j| + sum_i |J_ji x_i|; `None` where that is not known.
    #[serde(default)]
    pub violation_relative: Option<f64>,
    /// What the violation may be worth in the objective: the sum over rows of |multiplier| times violation.
    #[serde(default)]
    pub violation_worth: f64,
    /// What the gap is relative to at least: 1. Where |objective| was below 0.1 at all best points of the run, a tenth of the largest that it
    /// was.
    #[serde(default = "one")]
    pub unit: f64,
    /// Where x violates constraints and a strictly feasible point was given, met on the way or found beside x: x moved
    /// towards it until all hold.
    pub feasible: Option<Repaired>,
    /// The multipliers of all rows, that of g_0 (1) first: those behind the lower bound where there is one, else (and with
    /// [`Status::Solved`]) those of the step that found x.
    pub multipliers: Vec<f64>,
    /// The methods that took the steps, one after the other: more than one where the first stalled and another went on.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Why each of these was chosen, in half a sentence; empty where a method was asked for by name.
    #[serde(default)]
    pub chosen: Vec<String>,
    /// What it cost.
    pub counts: Counts,
    /// What came before, with a published method.
    #[serde(default)]
    pub prelude: Option<Prelude>,
    /// The constants that a method was run with, given or found: [`Settings::constants`](crate::settings::Settings::constants) of these
    /// repeat the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constants: Option<Constants>,
    /// Wall-clock time.
    pub seconds: f64,
    /// The course of the run, one record for each step (fewer in long runs).
    pub history: Vec<Record>,
    /// Every iteration of a published method, where [`Settings::trace`](crate::settings::Settings::trace) asked for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<TraceRecord>,
    /// What went wrong, with [`Status::NumericalError`].
    pub trouble: Option<Trouble>,
    /// Which row failed, when and where, if it was an oracle.
    pub fault: Option<Fault>,
    /// The proof of the bounds as plain data, which [`Certificate::verify`] checks without the solver. It names the premise.
    pub certificate: Option<Certificate>,
    /// The proof that no point satisfies the constraints, with [`Status::Infeasible`].
    pub infeasibility: Option<Infeasibility>,
    /// The proof that the objective falls without bound, with [`Status::Unbounded`]: a point and a ray.
    #[serde(default)]
    pub unboundedness: Option<Unboundedness>,
    /// What the next solve can begin with; [`Report::warm_start`] has it in any case.
    #[serde(default)]
    pub warm: Option<WarmStart>,
    /// Whether what holds x where it is proves it, where the run has asked.
    #[doc(hidden)]
    #[serde(skip)]
    pub held: Option<Held>,
}

/// What came of the question whether an answer is proven by what holds it where it is.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    pub(crate) x: Vec<f64>,
    pub(crate) multipliers: Vec<f64>,
    pub(crate) certificate: Option<Certificate>,
}

fn one() -> f64 {
    1.0
}

impl Report {
    /// Where the solve ended, for the next one to begin with: of the same problem, or of one with another bound or a row more or
    /// less. It holds the second derivatives that the run has formed last, if any: n x n numbers.
    #[must_use]
    pub fn warm_start(&self) -> WarmStart {
        self.warm.clone().unwrap_or_else(|| WarmStart::new(self.x.clone(), Vec::new()))
    }

    /// Objective minus lower bound.
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.objective - self.lower_bound
    }

    /// The gap relative to max(unit, |objective|).
    #[must_use]
    pub fn gap_rel(&self) -> f64 {
        self.gap() / self.objective.abs().max(self.unit)
    }

    /// What the status means here, in half a sentence.
    #[must_use]
    pub fn meaning(&self) -> String {
        match (self.status, &self.trouble) {
            (Status::NumericalError, Some(trouble)) => trouble.to_string(),
            (Status::IterationLimit, _) if self.has_spent_its_promise() => {
                "all gradients that the theorem promises were taken, and prove less than was asked for"
                    .to_owned()
            }
            (Status::Solved, _) if self.lower_bound.is_finite() => {
                "the optimality conditions hold; the lower bound is too far off to prove the gap".to_owned()
            }
            (status, _) => match &self.infeasibility {
                Some(proof) => format!("{}; the certificate proves it", proof.conflict()),
                None => status.meaning().to_owned(),
            },
        }
    }

    /// The gap beside what it is relative to, in words.
    #[must_use]
    pub fn gap_told(&self) -> String {
        let (gap, relative) = (self.gap(), self.gap_rel());
        if self.objective.abs() >= self.unit {
            format!("{gap:.2e}, relative {relative:.2e}")
        } else if self.unit == 1.0 {
            format!("{gap:.2e}, absolute: the objective is below 1")
        } else {
            format!("{gap:.2e}, {relative:.2e} of {:.1e}: the objective is smaller", self.unit)
        }
    }

    /// Whether a published method took all gradients that its theorem promises to suffice.
    fn has_spent_its_promise(&self) -> bool {
        let promised = self.prelude.as_ref().and_then(|prelude| prelude.promised);
        promised.is_some_and(|promised| self.counts.gradients >= promised)
    }
}
