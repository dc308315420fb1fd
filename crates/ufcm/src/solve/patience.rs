//! What to do where nothing improves: let the slack of the method's test fall, look elsewhere, give up.

use crate::settings::Settings;

/// Accepted steps without any improvement after which rounding is held to keep the tolerance out of reach.
pub(super) const PATIENCE: usize = 500;
/// Accepted steps without improvement after which the slack of the method's test is held to be what stops it.
const SLACK_PATIENCE: usize = 20;
/// Accepted steps without improvement after which all metrics deserve another trial.
const METRIC_PATIENCE: usize = 100;
/// Accepted steps without improvement after which another method deserves a trial, where there is one.
const METHOD_PATIENCE: usize = 100;
/// The slack of the method's test, as a share of the tolerances: at first, and at least.
const SLACK_SHARES: (f64, f64) = (0.1, 1e-6);
/// The factor by which a gap or a violation must fall to count as improvement.
const IMPROVEMENT: f64 = 0.99;

/// What may improve.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    /// Objective minus lower bound, +inf without one.
    pub(super) gap: f64,
    /// The violation as far as it exceeds its tolerance.
    pub(super) violation: f64,
    pub(super) objective: f64,
}

pub(super) struct Patience {
    /// Accepted steps since something last fell noticeably, and what all was then.
    idle: usize,
    mark: Standing,
    slack_share: f64,
}

impl Patience {
    pub(super) fn new() -> Self {
        let mark = Standing { gap: f64::INFINITY, violation: f64::INFINITY, objective: f64::INFINITY };
        Self { idle: 0, mark, slack_share: SLACK_SHARES.0 }
    }

    /// Takes in what stands after a step. Without a bound, a fall of the objective counts as well.
    pub(super) fn note(&mut self, now: Standing) {
        let mark = self.mark;
        let objective_fell = now.objective < mark.objective - 1e-9 * (1.0 + now.objective.abs());
        let improved = now.gap < IMPROVEMENT * mark.gap
            || now.violation < IMPROVEMENT * mark.violation
            || (now.gap == f64::INFINITY && objective_fell);
        if improved {
            self.idle = 0;
            self.mark = Standing {
                gap: now.gap.min(mark.gap),
                violation: now.violation.min(mark.violation),
                objective: now.objective,
            };
            return;
        }
        self.idle += 1;
        if self.is_time_for_a_change() {
            let lower = 0.1 * self.slack_share;
            self.slack_share = if lower >= SLACK_SHARES.1 { lower } else { SLACK_SHARES.0 };
        }
    }

    /// Whether another [`SLACK_PATIENCE`] steps have passed without improvement.
    pub(super) fn is_time_for_a_change(&self) -> bool {
        self.idle > 0 && self.idle.is_multiple_of(SLACK_PATIENCE)
    }

    /// Whether another [`METRIC_PATIENCE`] steps have passed without improvement.
    pub(super) fn is_time_for_another_metric(&self) -> bool {
        self.idle > 0 && self.idle.is_multiple_of(METRIC_PATIENCE)
    }

    /// Whether [`METHOD_PATIENCE`] steps have passed without improvement.
    pub(super) fn has_stalled(&self) -> bool {
        self.idle >= METHOD_PATIENCE
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.idle > PATIENCE
    }

    /// The slack of the method's test: a share of what is asked for, in objective and in violation.
    ///
    /// Rough components need it, but steps that pass only by it keep slopes of the order of sqrt(L slack), and a lower
    /// bound loses that times the diameter of X: where nothing improves any more, the share falls, and starts anew once it
    /// has been as small as makes sense.
    pub(super) fn slack(&self, settings: &Settings, objective: f64) -> f64 {
        self.slack_share * settings.gap_tolerance(objective).min(settings.eps_feas)
    }
}
