//! What to do where nothing improves: let the slack of the method's test fall, look elsewhere, give up.

use crate::settings::Settings;

/// Accepted steps without any improvement after which rounding is held to keep the tolerance out of reach.
pub(super) const PATIENCE: usize = 500;
/// Accepted steps without improvement after which the slack of the method's test is held to be what stops it.
const SLACK_PATIENCE: usize = 20;
/// The slack of the method's test, as a share of the tolerances: at first, and at least.
const SLACK_SHARES: (f64, f64) = (0.1, 1e-6);
/// The factor by which the merit must fall to count as improvement.
const IMPROVEMENT: f64 = 0.99;

pub(super) struct Patience {
    /// Accepted steps since the merit last fell noticeably, and what it was then.
    idle: usize,
    mark: (f64, f64),
    slack_share: f64,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self { idle: 0, mark: (f64::INFINITY, f64::INFINITY), slack_share: SLACK_SHARES.0 }
    }

    /// Takes in the merit after a step. Without a bound, a fall of the objective counts as well.
    pub(super) fn note(&mut self, merit: (f64, f64), lower_bound: f64) {
        let objective_fell = merit.1 < self.mark.1 - 1e-9 * (1.0 + merit.1.abs());
        if merit.0 < IMPROVEMENT * self.mark.0 || (lower_bound == f64::NEG_INFINITY && objective_fell) {
            (self.idle, self.mark) = (0, merit);
            return;
        }
        self.idle += 1;
        if self.is_time_for_a_change() {
            self.slack_share = (0.1 * self.slack_share).max(SLACK_SHARES.1);
        }
    }

    /// Whether another [`SLACK_PATIENCE`] steps have passed without improvement.
    pub(super) fn is_time_for_a_change(&self) -> bool {
        self.idle > 0 && self.idle.is_multiple_of(SLACK_PATIENCE)
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.idle > PATIENCE
    }

    /// The slack of the method's test: a share of what is asked for, in objective and in violation.
    ///
    /// Rough components need it, but steps that pass only by it keep slopes of the order of sqrt(L slack), and a lower
    /// bound loses that times the diameter of X: where nothing improves any more, the share falls.
    pub(super) fn slack(&self, settings: &Settings, objective: f64) -> f64 {
        self.slack_share * settings.gap_tolerance(objective).min(settings.eps_feas)
    }
}
