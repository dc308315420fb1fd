//! The course of a published method, iteration by iteration.

use serde::{Deserialize, Serialize};

/// Where a published method stands after an iteration. Nothing is left out: there is one for each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TraceRecord {
    /// k, the execution of R-UFCM or the run of the doubling schedule, from 0 on.
    pub execution: usize,
    /// t, the iteration of this execution, from 1 on.
    pub t: usize,
    /// Evaluations of all gradients so far, over all executions.
    pub gradients: usize,
    /// S_t, the inner steps of this iteration.
    pub inner_steps: usize,
    /// |nu^t|, the norm of the Jacobian as the step sizes have it: an upper bound with a small margin.
    pub jacobian_norm: f64,
    /// The constant L_ADA of this execution.
    pub l_ada: f64,
    /// F at the averages x_bar^t, constraints left aside.
    #[serde(with = "crate::serde_infinity")]
    pub objective: f64,
    /// The violation there.
    #[serde(with = "crate::serde_infinity")]
    pub violation: f64,
    /// Q(z_bar^t, (x*; lambda*, ∇g(x_bar^t))), where the saddle point is known (eq:gap-function).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// An eps for which x_bar^t is (eps, r)-optimal, where the saddle point is known
    /// ([`Optimality::eps`](crate::theory::measure::Optimality::eps)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<f64>,
}

impl TraceRecord {
    /// The columns of a table of them, as [`TraceRecord::cells`] fills it.
    pub const COLUMNS: [&str; 10] = [
        "execution",
        "t",
        "gradients",
        "inner_steps",
        "jacobian_norm",
        "l_ada",
        "objective",
        "violation",
        "gap",
        "measure",
    ];

    /// Its numbers as text, in the order of the columns; what is not known is empty.
    #[must_use]
    pub fn cells(&self) -> [String; 10] {
        let known = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:e}"));
        [
            self.execution.to_string(),
            self.t.to_string(),
            self.gradients.to_string(),
            self.inner_steps.to_string(),
            format!("{:e}", self.jacobian_norm),
            format!("{:e}", self.l_ada),
            format!("{:e}", self.objective),
            format!("{:e}", self.violation),
            known(self.gap),
            known(self.measure),
        ]
    }
}
