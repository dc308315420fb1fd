//! When a run is done: a pure function of where it stands.

use crate::report::{Record, Status};
use crate::settings::Settings;

/// The part of eps_rel to which the conditions of optimality must hold where a bound is finite and yet may never be tight.
const PATIENT: f64 = 1e-3;

/// What the decision needs besides the progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Standing {
    /// What the last step left of stationarity, relative to the size of the slopes.
    pub(crate) stationarity: f64,
    /// How far the last step went, relative to the size of x.
    pub(crate) movement: f64,
    /// Whether a premise makes every lower bound finite, so that a small gap can be waited for.
    pub(crate) premised: bool,
    /// Seconds since the start, where the user set a limit.
    pub(crate) seconds: Option<f64>,
}

/// The status with which to stop now, if any.
pub(crate) fn decide(settings: &Settings, progress: &Record, standing: &Standing) -> Option<Status> {
    let feasible = progress.violation <= settings.eps_feas;
    let gap = progress.objective - progress.lower_bound;
    // The tolerance grows with the objective: an infinite one would pass.
    if feasible && gap.is_finite() && gap <= settings.gap_tolerance(progress.objective) {
        return Some(Status::Certified);
    }
    if feasible && progress.objective < settings.objective_floor {
        return Some(Status::Unbounded);
    }
    // Without a premise a bound that is finite is so by luck: it may come to nothing, but for a while it is waited for.
    let room = match progress.lower_bound {
        f64::NEG_INFINITY => 1.0,
        _ if standing.premised => 0.0,
        _ => PATIENT,
    };
    let stationary = standing.stationarity.max(standing.movement) <= room * settings.eps_rel;
    if feasible && room > 0.0 && stationary {
        return Some(Status::Solved);
    }
    if settings.max_gradients.is_some_and(|most| progress.counts.gradients >= most) {
        return Some(Status::IterationLimit);
    }
    let late = settings.time_limit.zip(standing.seconds).is_some_and(|(limit, seconds)| seconds >= limit);
    late.then_some(Status::TimeLimit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Counts;

    #[test]
    fn statuses_say_what_is_proven() {
        let settings = Settings { max_gradients: Some(10), time_limit: Some(1.0), ..Settings::default() };
        let counts = |gradients| Counts { gradients, ..Counts::default() };
        let progress = |objective, lower_bound, violation, gradients| Record {
            objective,
            lower_bound,
            violation,
            counts: counts(gradients),
            ..Record::default()
        };
        let far = Standing { stationarity: 1.0, movement: 1.0, premised: true, seconds: Some(0.5) };
        let decide = |progress: &Record, standing: &Standing| decide(&settings, progress, standing);
        assert_eq!(decide(&progress(1.0, 0.5, 0.0, 1), &far), None);
        assert_eq!(decide(&progress(1.0, 1.0 - 1e-7, 0.0, 1), &far), Some(Status::Certified));
        assert_eq!(
            decide(&progress(1.0, 1.0, 1e-3, 1), &far),
            None,
            "a small gap proves nothing of a violated point"
        );
        assert_eq!(decide(&progress(-1e21, f64::NEG_INFINITY, 0.0, 1), &far), Some(Status::Unbounded));
        let still = Standing { stationarity: 1e-9, movement: 1e-9, ..far };
        assert_eq!(decide(&progress(1.0, f64::NEG_INFINITY, 0.0, 1), &still), Some(Status::Solved));
        assert_eq!(
            decide(&progress(1.0, 0.5, 0.0, 1), &still),
            None,
            "where a bound is finite, only the bound counts"
        );
        let by_luck = Standing { premised: false, ..still };
        assert_eq!(decide(&progress(1.0, 0.5, 0.0, 1), &by_luck), Some(Status::Solved));
        let not_yet = Standing { stationarity: 1e-8, ..by_luck };
        assert_eq!(decide(&progress(1.0, 0.5, 0.0, 1), &not_yet), None, "a bound may still come");
        assert_eq!(decide(&progress(1.0, 0.5, 0.0, 10), &far), Some(Status::IterationLimit));
        let late = Standing { seconds: Some(2.0), ..far };
        assert_eq!(decide(&progress(1.0, 0.5, 0.0, 1), &late), Some(Status::TimeLimit));
        assert_eq!(
            decide(&progress(f64::NAN, 0.5, 0.0, 10), &far),
            Some(Status::IterationLimit),
            "NaN certifies nothing"
        );
        assert_eq!(
            decide(&progress(f64::INFINITY, 0.5, 0.0, 1), &far),
            None,
            "a point outside X certifies nothing"
        );
    }
}
