//! The audit before a success: what is not convex by construction is looked at, in few evaluations (decision 0015).

use super::Run;
use super::claim::Claim;
use crate::audit::{self, AuditOptions, Finding, Places, Role};
use crate::budget::Activity;
use crate::certificate::{Ground, convex_together};
use crate::oracle::{Grounds, OracleError};
use crate::report::{Fault, Status, Trouble};

/// The evaluations of a user's function: one in so many gradients of the run, between these limits.
const SHARE: usize = 20;
const FEWEST: usize = 20;
const MOST: usize = 64;

/// Gradients after which a run is audited on its way: most take tens.
const AUDITED_FROM: usize = 1000;

/// Points of the audits of operators, composers and regularisers, which take no gradients.
const POINTS: usize = 3;

/// How an audit ended that did not pass.
enum Fail {
    /// What was found, and in which part.
    Found { part: String, finding: Box<Finding> },
    /// An oracle failed where the run had evaluated it, or the budget is spent.
    Oracle(OracleError),
}

impl Run<'_> {
    /// The claim, or what an audit makes of it; and what proofs rest on beside their premise. Only successes and proofs of
    /// infeasibility are audited: other claims speak of a run, not of a solution.
    pub(super) fn audited(&mut self, claim: Claim) -> (Claim, Vec<Ground>) {
        let proven = claim.status == Status::Certified;
        let multipliers = if proven { self.bounds.multipliers() } else { None };
        let witnesses = if proven { self.bounds.witnesses() } else { Vec::new() };
        let together = convex_together(self.problem, self.bounds.premise(), &witnesses);
        let mut grounds = self.problem.grounds_by_rows(multipliers.as_deref(), &together);
        let due = claim.status.is_success() || claim.status == Status::Infeasible;
        let outcome = if due && self.settings.audit { self.audit_all(&mut grounds) } else { Ok(()) };
        let claim = outcome.map_or_else(|fail| self.failed(fail), |()| claim);
        (claim, grounds.into_iter().map(|(ground, _)| ground).collect())
    }

    /// What an audit finds in a run that has become long: a function whose gradient is not its own leads nowhere, and the run would go on to its
    /// limit. Once, where parts rest on a user's word.
    pub(super) fn audited_on_the_way(&mut self) -> Option<Claim> {
        let due = self.counts.gradients >= AUDITED_FROM && !self.has_been_audited && self.settings.audit;
        if !due {
            return None;
        }
        self.has_been_audited = true;
        let mut grounds = self.problem.grounds_by_rows(None, &[]);
        match self.audit_all(&mut grounds) {
            Err(fail @ Fail::Found { .. }) => Some(self.failed(fail)),
            _ => None,
        }
    }

    /// What becomes of a claim whose audit failed.
    fn failed(&self, fail: Fail) -> Claim {
        match fail {
            Fail::Oracle(error) => Claim::of_error(&error.into(), None),
            Fail::Found { part, finding } => {
                let point = finding.points.first().map(|(_, x)| x.clone()).unwrap_or_default();
                let fault = Some(Fault { row: part.clone(), step: self.counts.steps, point });
                let trouble = Trouble::Audit { part, finding };
                Claim { voids_bounds: true, fault, ..Claim::in_trouble(trouble) }
            }
        }
    }

    fn audit_all(&mut self, grounds: &mut [(Ground, Vec<usize>)]) -> Result<(), Fail> {
        self.budget.doing(Activity::Proving);
        let mut most = 0;
        let outcome = grounds.iter_mut().try_for_each(|(ground, rows)| match ground.role {
            Role::Component => rows.iter().try_for_each(|&row| {
                let points = self.audit_row(row, ground.grade, &mut most)?;
                ground.note(points);
                Ok(())
            }),
            _ => self.audit_other(ground, rows),
        });
        self.counts.audit_gradients += most;
        outcome
    }

    /// Audits a user's function, or data on the user's word; answers at how many points, the most of which are counted.
    fn audit_row(&self, row: usize, grade: Grounds, most: &mut usize) -> Result<usize, Fail> {
        let Some(component) = self.problem.component(row) else { return Ok(0) };
        let places = Places {
            start: &self.start.x,
            answer: &self.best.x,
            domain: self.problem.regulariser(),
            accuracy: self.tolerance(self.best.objective).max(self.settings.eps_feas),
            evaluations: (self.counts.gradients / SHARE).clamp(FEWEST, MOST),
        };
        let spot = audit::spot(component, grade, &places, &self.budget);
        let spot = spot.map_err(|error| Fail::Oracle(error.in_row(row)))?;
        *most = spot.points.max(*most);
        match spot.finding {
            None => Ok(spot.points),
            Some(finding) => {
                let part = self.problem.row_names()[row].clone();
                Err(Fail::Found { part, finding: Box::new(finding) })
            }
        }
    }

    /// Audits a user's operator, composer or regulariser, which takes no gradient.
    fn audit_other(&self, ground: &mut Ground, rows: &[usize]) -> Result<(), Fail> {
        self.budget.ask().map_err(|stop| Fail::Oracle(stop.into()))?;
        let options = AuditOptions { points: POINTS, quick: true, ..AuditOptions::default() };
        let problem = self.problem;
        let findings = match (ground.role, rows) {
            (Role::Regulariser, _) => {
                audit::regulariser(problem.regulariser(), problem.dimension(), &options)
            }
            (Role::Composer, [first, ..]) => match problem.parts().find(|(rows, _)| rows.start == *first) {
                Some((_, composer)) => audit::composer(composer, &options),
                None => Ok(Vec::new()),
            },
            (Role::Operator, [first, ..]) => {
                Ok(audit::products(&*problem.mapping(), &(*first..first + rows.len()), &options))
            }
            _ => Ok(Vec::new()),
        };
        let findings = findings.map_err(|error| Fail::Oracle(OracleError::failed(error)))?;
        if let Some(finding) = findings.into_iter().next() {
            let part = ground.component.clone();
            return Err(Fail::Found { part, finding: Box::new(finding) });
        }
        ground.note(POINTS);
        Ok(())
    }
}
