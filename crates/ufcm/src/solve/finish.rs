//! How near a run is to what was asked, and what is told of it in the end.

use super::Run;
use super::claim::Claim;
use super::judge::{self, Verdict};
use crate::certificate::{Certificate, Infeasibility, Measured, violation_rounding};
use crate::method::Method;
use crate::problem::Problem;
use crate::report::{Report, Status};
use crate::warm_start::WarmStart;

impl Run<'_> {
    /// The violation to reach: eps_feas, and less where that much is worth more than the tolerance on the objective.
    pub(super) fn violation_target(&self) -> f64 {
        let (eps, tolerance) = (self.settings.eps_feas, self.tolerance(self.best.objective));
        let worth = self.bounds.lower() - self.best.objective;
        let priced = self.best.violation <= eps && worth > tolerance && worth.is_finite();
        if priced { 0.5 * self.best.violation * tolerance / worth } else { eps }
    }

    /// Whether the best point violates the constraints by more than eps_feas, and by no more than rounding makes of its rows. It is only
    /// looked at now and then: it takes a gradient.
    pub(super) fn is_at_rounding(&mut self) -> bool {
        let due = self.counts.steps >= self.schedule.rounding;
        if self.best.violation <= self.settings.eps_feas || !due {
            return false;
        }
        self.schedule.rounding = self.next_attempt();
        violation_rounding(self.problem, &self.best.x).is_ok_and(|rounding| self.best.violation <= rounding)
    }

    /// What came of the run, once the judge has passed it.
    pub(super) fn report(mut self, claim: Claim, method: Option<&dyn Method>) -> Report {
        self.counts.gradients = self.budget.gradients() - self.began.1;
        if method.is_some_and(Method::is_indirect) {
            self.best.reevaluate(self.problem);
        }
        if claim.status != Status::Certified {
            self.bounds.combine(self.best.charged);
        }
        let (mut claim, grounds) = self.audited(claim);
        claim.infeasibility = claim.infeasibility.map(|proof| self.reduced(proof));
        let Verdict { claim, lower_bound, upper_bound, feasible, certificate, multipliers } =
            judge::pass(&mut self, claim, method);
        let infeasibility =
            claim.infeasibility.map(|proof| Infeasibility { grounds: grounds.clone(), ..proof });
        let certificate = certificate.map(|proof| Certificate { grounds, ..proof });
        let (seconds, unit) = (self.seconds(), self.best.unit(self.problem));
        let multipliers = multipliers.unwrap_or_else(|| self.best.multipliers.clone());
        let warm = Some(left_behind(
            self.problem,
            &self.best.x,
            &multipliers,
            method.filter(|_| claim.trouble.is_none()),
        ));
        let nearby = method.and_then(Method::linearisation);
        let measure =
            |values: &[f64]| Measured::of(self.problem, &self.best.x, values, &multipliers, nearby.as_ref());
        let nothing = Measured { relative: None, worth: 0.0 };
        let Measured { relative: violation_relative, worth: violation_worth } =
            self.best.row_values().map_or(nothing, measure);
        Report {
            status: claim.status,
            x: self.best.x,
            objective: self.best.objective,
            lower_bound,
            upper_bound,
            violation: self.best.violation,
            violation_relative,
            violation_worth,
            unit,
            feasible,
            multipliers,
            methods: self.methods,
            chosen: self.chosen,
            counts: self.counts,
            prelude: None,
            constants: None,
            trace: Vec::new(),
            seconds,
            history: self.history.finish(self.last),
            trouble: claim.trouble,
            fault: claim.fault,
            certificate,
            infeasibility,
            unboundedness: claim.unboundedness,
            warm,
            held: self.held,
        }
    }
}

/// What the next run can begin with.
fn left_behind(problem: &Problem, x: &[f64], multipliers: &[f64], method: Option<&dyn Method>) -> WarmStart {
    let (metric, l) = method.map(Method::hand_over).map_or((None, None), |start| (start.metric, start.l));
    let named = problem.row_names().iter().cloned().zip(multipliers.iter().copied()).collect();
    WarmStart { metric, l, ..WarmStart::new(x.to_vec(), named) }
}
