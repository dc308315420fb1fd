//! Methods that take over from each other, and what is kept meanwhile.
//!
//! An answer that rests on optimality conditions alone, without a bound, may be wrong where the sizes of things are unusual, or be
//! provable by another method. So another has a look at it first: interior points, where they are cheap; and after those, where X is
//! bounded, whatever may prove it. What was there before is told if nothing better comes. Decision 0017.

use super::Run;
use super::choice::{self, Candidates};
use super::claim::Claim;
use super::incumbent::Incumbent;
use super::judge::{is_nearly_proven, is_premised};
use super::tuning::{
    CHEAP_LOOK, LAST_LEG, LONG, LONG_INSIDE, MUCH_INSIDE, NEWTON_STEPS, SECOND_LOOK, TIGHTER,
};
use super::uniqueness;
use crate::budget::Budget;
use crate::certificate::{Linearisation, Premise};
use crate::linalg::BLOCKS_AT_ONCE;
use crate::method::{Method, Residuals, Start, StepError};
use crate::report::{Counts, Held, Status, Trouble};
use crate::settings::{MethodRule, MetricRule, Settings};

/// Why another method goes on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Because {
    /// The one before has done what it could.
    Ended,
    /// Nothing improved.
    Stalled,
    /// The run has spent more operations than interior points would take.
    Outspent,
    /// Newton's method takes far more steps than it should.
    Overdue,
    /// An answer without a bound is looked at once more.
    Doubt,
}

impl Because {
    fn sentence(self, next: &str) -> String {
        let why = match self {
            Self::Ended => "the one before ended without an answer",
            Self::Stalled => "nothing improved",
            Self::Outspent => "the run had taken more operations than a solve by factorisations takes",
            Self::Overdue => "Newton's method took far more steps than it mostly takes",
            Self::Doubt => "no bound proves the answer so far",
        };
        format!("{}, because {why}", choice::told(next))
    }
}

/// An answer that is told if nothing better comes.
pub(super) struct Kept {
    best: Incumbent,
    /// Gradients when it was found.
    gradients: usize,
    /// Whether interior points found it, whose multipliers are the most exact.
    by_engine: bool,
}

/// What a run had done when its method last changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    gradients: usize,
    inner_steps: usize,
    /// Operations of Newton systems.
    systems: u64,
}

impl Work {
    pub(super) fn of(counts: &Counts, budget: &Budget) -> Self {
        let inner_steps = budget.pulse().inner_steps;
        Self { gradients: counts.gradients, inner_steps, systems: budget.systems() }
    }
}

impl<'a> Run<'a> {
    /// The method that may go on, if there is one.
    pub(super) fn successor(&self) -> Option<MethodRule> {
        // Who asks for a method or a metric by name asks for that alone.
        let open = self.settings.method == MethodRule::Auto && self.settings.metric == MetricRule::Auto;
        open.then(|| self.candidates().after(self.methods.len())).flatten()
    }

    fn candidates(&self) -> &Candidates {
        let looked = || choice::candidates(self.problem, || choice::prepared(self.problem));
        self.candidates.get_or_init(looked)
    }

    /// Operations of the method in use since the run stood at these counts, besides those that it counts itself.
    pub(super) fn operations_since(&self, before: &Counts, inner_steps: usize, systems: u64) -> f64 {
        let (gradient, n) = (self.gradient_operations, self.problem.dimension() as f64);
        let since = |now: usize, before: usize| now.saturating_sub(before) as f64;
        let now = &self.counts;
        let passes = since(now.gradients, before.gradients)
            + since(now.hessian_products, before.hessian_products)
            + 0.5 * since(now.values, before.values)
            + since(self.inner_steps, inner_steps);
        let squares = since(now.newton_steps, before.newton_steps) + since(now.hessians, before.hessians);
        // A Hessian takes a pass for each variable of the model, in dense blocks, over the data of those.
        let read = gradient * self.model_variables / n;
        let hessians =
            since(now.hessians, before.hessians) * read * self.model_variables / (4.0 * BLOCKS_AT_ONCE);
        let w = self.model_variables;
        let systems = (self.budget.systems() - systems) as f64;
        passes * (gradient + n) + squares * w * w + hessians + systems
    }

    /// Operations so far, about.
    pub(super) fn spent(&self) -> f64 {
        let (gradient, n, w) =
            (self.gradient_operations, self.problem.dimension() as f64, self.model_variables);
        self.counts.gradients as f64 * gradient + self.counts.newton_steps as f64 * (gradient * w / n + w * w)
    }

    /// Operations of gradients and of products in model steps so far, without bounds and factorisations.
    pub(super) fn spent_on_products(&self) -> f64 {
        let product = self.product_operations + self.problem.dimension() as f64;
        self.counts.gradients as f64 * self.gradient_operations + self.counts.newton_steps as f64 * product
    }

    /// Operations in the model steps of the method in use, about: products with the Jacobian in rounds of inner loops, and Newton
    /// systems.
    fn spent_inside(&self) -> f64 {
        let (product, n) = (self.product_operations, self.problem.dimension() as f64);
        let rounds = self.budget.pulse().inner_steps - self.changed_at.inner_steps;
        let systems = self.budget.systems() - self.changed_at.systems;
        rounds as f64 * (product + n) + systems as f64
    }

    /// Whether the run has gone on for so long that interior points would have been cheaper. Nobody asks before: to count their
    /// operations the conic program is written down, which is worth it after many steps, or where model steps are most of the work.
    pub(super) fn is_outspent(&self) -> bool {
        let (inside, spent) = (self.spent_inside(), self.spent());
        let long = self.counts.steps >= LONG || (inside > MUCH_INSIDE && inside > spent);
        long && self.successor() == Some(MethodRule::InteriorPoint)
            && self.candidates().operations().is_some_and(|operations| spent + inside > operations)
    }

    /// Whether Newton's method has taken so many steps that it does not converge as it should.
    pub(super) fn is_overdue(&self, method: &dyn Method) -> bool {
        [MethodRule::Newton, MethodRule::WorkingSet].map(MethodRule::name).contains(&method.name())
            && self.steps_taken >= NEWTON_STEPS
            && self.successor().is_some()
    }

    /// Whether a look by interior points costs little, or no more than the run did.
    fn can_afford_a_look(&self) -> bool {
        let most = CHEAP_LOOK.max(self.spent());
        self.candidates().operations().is_some_and(|operations| operations <= most)
    }

    /// Ends the run with this claim, or keeps it and lets another method have a look.
    pub(super) fn leave(
        &mut self,
        method: &mut Box<dyn Method + 'a>,
        claim: Claim,
    ) -> Result<Option<Claim>, StepError> {
        // Who asks for a successor has the conic program written down, which can take longer than the run.
        if claim.status != Status::Solved || self.kept.is_some() || self.proven_otherwise == Some(true) {
            return Ok(Some(claim));
        }
        let own = method.name() == MethodRule::InteriorPoint.name();
        // What they found and a bound proves to some tolerances is in no doubt.
        if own && is_nearly_proven(&self.settings, &self.evidence(method.residuals())) {
            return Ok(Some(claim));
        }
        let wanted = match self.successor() {
            None => false,
            Some(MethodRule::InteriorPoint) => self.can_afford_a_look(),
            Some(_) => own && (is_premised(self.bounds.premise()) || self.is_second_look_cheap()),
        };
        if self.is_the_only_answer(&**method)? || !wanted {
            return Ok(Some(claim));
        }
        self.kept = Some(Kept { best: self.best.clone(), gradients: self.counts.gradients, by_engine: own });
        self.change_method(method, Because::Doubt)
    }

    /// Whether all gradients of a second look take some milliseconds.
    fn is_second_look_cheap(&self) -> bool {
        SECOND_LOOK as f64 * self.gradient_operations <= CHEAP_LOOK
    }

    /// Whether what holds the answer where it is proves it: the end of the run will say so. If need be with multipliers that are
    /// straightened.
    fn is_the_only_answer(&mut self, method: &dyn Method) -> Result<bool, StepError> {
        // Where X is bounded, a bound is what proves it.
        Ok(!is_premised(self.bounds.premise()) && self.is_held_in_place(method)?)
    }

    /// The same of an answer of interior points that meets the optimality conditions, where a bound is finite by what constraints imply and
    /// yet far off: wide bounds on variables prove little. Decision 0024.
    pub(super) fn is_proven_otherwise(&mut self, method: &dyn Method) -> Result<bool, StepError> {
        let Residuals::Kkt(kkt) = method.residuals() else { return Ok(false) };
        let Settings { eps_rel, eps_feas, .. } = self.settings;
        let holds = kkt.primal <= eps_feas && kkt.dual.max(kkt.gap) <= eps_rel;
        let wide = matches!(self.bounds.premise(), Premise::ImpliedBounds { .. });
        if !(holds && wide && method.ends_by_itself()) || self.proven_otherwise.is_some() {
            return Ok(false);
        }
        let proven = self.is_held_in_place(method)?;
        self.proven_otherwise = Some(proven);
        Ok(proven)
    }

    fn is_held_in_place(&mut self, method: &dyn Method) -> Result<bool, StepError> {
        let sizes = [self.best.unit(self.problem), self.best.objective];
        let proof = |run: &Self, multipliers: &[f64]| {
            uniqueness::certificate(run.problem, &run.settings, &run.best.x, multipliers, sizes)
        };
        let mut multipliers = self.best.multipliers.clone();
        let mut certificate = proof(self, &multipliers);
        if let (None, Some(at)) = (&certificate, method.linearisation()) {
            let at = Linearisation { multipliers: &self.best.multipliers, ..at };
            if self.straightened(&at, &mut multipliers)? {
                certificate = proof(self, &multipliers);
            }
        }
        let proven = certificate.is_some();
        if proven {
            self.best.multipliers = multipliers;
        }
        let (x, multipliers) = (self.best.x.clone(), self.best.multipliers.clone());
        self.held = Some(Held { x, multipliers, certificate });
        Ok(proven)
    }

    /// Whether another method has had its look at what is kept.
    pub(super) fn has_looked_again(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| self.counts.gradients > kept.gradients + SECOND_LOOK)
    }

    /// Whether an adaptive method that goes on after interior points, the last there is, has had its time.
    pub(super) fn is_last_leg_over(&self, method: &dyn Method) -> bool {
        let after_engine = self.methods.iter().any(|name| name == MethodRule::InteriorPoint.name());
        let long =
            self.counts.gradients > self.changed_at.gradients + LAST_LEG || self.spent_inside() > LONG_INSIDE;
        after_engine && long && matches!(method.name(), "adaptive" | "sliding") && self.successor().is_none()
    }

    /// What the run ends with: what was kept, if the end is nothing better.
    pub(super) fn with_kept(&mut self, claim: Claim) -> Claim {
        use Status::{Certified, Infeasible, Interrupted, Solved, Unbounded};
        let better = |by_engine: bool| match claim.status {
            Certified | Infeasible | Unbounded | Interrupted => true,
            Solved => !by_engine,
            _ => false,
        };
        match self.kept.take() {
            Some(Kept { best, by_engine, .. }) if !better(by_engine) && !self.is_refuted(&best) => {
                self.best = best;
                Claim::new(Solved)
            }
            _ => claim,
        }
    }

    /// Whether the run has met a better point since, or a bound above what was kept.
    fn is_refuted(&self, kept: &Incumbent) -> bool {
        let tolerance = self.tolerance(kept.objective);
        let feasible = self.best.violation <= self.settings.eps_feas;
        (feasible && self.best.charged < kept.objective - tolerance)
            || self.bounds.lower() > kept.objective + tolerance
    }

    /// Another method goes on from where this one stands; the bounds stay.
    pub(super) fn change_method(
        &mut self,
        method: &mut Box<dyn Method + 'a>,
        because: Because,
    ) -> Result<Option<Claim>, StepError> {
        let Some(rule) = self.successor() else { return Ok(None) };
        let hopeless = self.kept.is_none() && self.best.violation > TIGHTER * self.settings.eps_feas;
        if hopeless && let Some(proof) = self.infeasibility_of_phase_one(true)? {
            return Ok(Some(Claim::infeasible(proof)));
        }
        let handed_over = method.hand_over();
        let (x, multipliers) = (self.best.x.clone(), self.best.multipliers.clone());
        let start = Start { x, multipliers, ..handed_over };
        let prepared = self.candidates().prepared();
        let changed = choice::make(rule, self.problem, prepared, &self.settings, &start, self.accuracy())
            .and_then(|next| self.bounds.change_method(next.minorants()).map(|()| next));
        match changed {
            Ok(next) => {
                self.methods.push(next.name().to_owned());
                self.chosen.push(because.sentence(next.name()));
                *method = next;
            }
            Err(error) => {
                let trouble = |error| Claim::in_trouble(Trouble::NoOtherMethod(Box::new(error)));
                return Ok(Some(error.stop().map_or_else(|| trouble(error), Claim::stopped)));
            }
        }
        self.ladder.start_anew(self.counts.steps);
        self.changed_at = Work::of(&self.counts, &self.budget);
        Ok(None)
    }
}
