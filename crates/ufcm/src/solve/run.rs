//! A run: what belongs to it, and what follows from a step.

use super::auxiliary::{Polished, Schedule};
use super::bounds::Bounds;
use super::choice::{self, Candidates};
use super::claim::Claim;
use super::combine::Pace;
use super::history::History;
use super::incumbent::{Incumbent, Interior};
use super::judge::{self, Evidence, Judge};
use super::ladder::Ladder;
use super::relay::{Because, Kept, Work};
use super::start::Place;
use super::{Observer, iterate};
use crate::budget::{Activity, Budget};
use crate::certificate::Premise;
use crate::error::DataError;
use crate::method::{Candidate, Change, Method, Residuals, Rung, Start, Step, StepError};
use crate::oracle::OracleError;
use crate::problem::Problem;
use crate::report::{Control, Counts, Fault, Held, Record, Report, Status, Trouble};
use crate::settings::{Settings, WORK_LIMIT};
use std::cell::OnceCell;
use std::time::Instant;

/// All that belongs to a run, whichever method takes its steps.
pub(super) struct Run<'a> {
    pub(super) problem: &'a Problem,
    /// Those of the user; the violation that is allowed may become smaller (`withstand`).
    pub(super) settings: Settings,
    pub(super) budget: Budget,
    pub(super) start: Start,
    pub(super) bounds: Bounds<'a>,
    pub(super) best: Incumbent,
    interior: Interior,
    judge: Judge,
    pub(super) ladder: Ladder,
    pub(super) schedule: Schedule,
    pub(super) counts: Counts,
    /// The methods that the problem may be given to, once somebody asked: it takes a look at its structure.
    pub(super) candidates: OnceCell<Candidates>,
    /// An answer that is told if nothing better comes.
    pub(super) kept: Option<Kept>,
    /// Whether what holds an answer where it is proves it, once that was tried before the end.
    pub(super) proven_otherwise: Option<bool>,
    /// What came of it: the end of the run asks the same.
    pub(super) held: Option<Held>,
    /// What it had done when the method last changed.
    pub(super) changed_at: Work,
    /// The names of the methods that took the steps.
    pub(super) methods: Vec<String>,
    /// Why each of them but the first took over.
    pub(super) chosen: Vec<String>,
    /// The variables that the method's model steps are in.
    pub(super) model_variables: f64,
    /// Operations of a gradient of all rows, and of a product with their Jacobian.
    pub(super) gradient_operations: f64,
    pub(super) product_operations: f64,
    /// Rounds of inner loops so far.
    pub(super) inner_steps: usize,
    /// Operations of Newton systems, likewise.
    systems: u64,
    /// When minorants are combined.
    pub(super) pace: Pace,
    /// Steps of the method in use: a batch counts once.
    pub(super) steps_taken: usize,
    /// Whether minorants around an answer at kinks were taken in.
    pub(super) has_looked_around: bool,
    /// Whether a run that has become long was audited.
    pub(super) has_been_audited: bool,
    /// Where the run was when it was last asked whether it runs away.
    pub(super) last_look: Vec<f64>,
    /// A point that leaves the constraints room, once somebody asked.
    pub(super) room_point: OnceCell<Option<Vec<f64>>>,
    /// Row values of points beside the method's own.
    pub(super) row_values: Vec<f64>,
    pub(super) history: History,
    pub(super) last: Option<Record>,
    /// When the run began, and the gradients that the budget had seen by then.
    pub(super) began: (Instant, usize),
}

/// Makes the method of a run.
pub(super) type Make<'m> =
    &'m (dyn for<'a> Fn(&'a Problem, &Run<'a>) -> Result<Box<dyn Method + 'a>, DataError> + Sync);

/// Solves `problem` by the method that `make` makes.
pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    budget: &Budget,
    make: Make<'_>,
    observer: Observer<'_>,
) -> Result<Report, DataError> {
    let began = (Instant::now(), budget.gradients());
    budget.doing(Activity::Starting);
    let budget = budget.part(settings.max_gradients.unwrap_or(WORK_LIMIT));
    let problem = problem.within_budget(&budget);
    let failed = |error: OracleError| DataError::oracle("starting point", error);
    let place = match Place::of(&problem, settings) {
        Err(OracleError::Stopped(stop)) => {
            let premise = Premise::None;
            let run =
                Run::new(&problem, settings, &budget, &premise, Place::unknown(&problem, settings), began)?;
            return Ok(run.report(Claim::stopped(stop), None));
        }
        place => place.map_err(failed)?,
    };
    let premise = place.premise.clone();
    let run = Run::new(&problem, settings, &budget, &premise, place, began)?;
    match make(&problem, &run) {
        Ok(method) => run.drive(method, observer),
        Err(error) => match error.stop() {
            Some(stop) => Ok(run.report(Claim::stopped(stop), None)),
            None => Err(error),
        },
    }
}

impl<'a> Run<'a> {
    fn new(
        problem: &'a Problem,
        settings: &'a Settings,
        budget: &Budget,
        premise: &'a Premise,
        place: Place,
        began: (Instant, usize),
    ) -> Result<Self, DataError> {
        let Place { start, best, interior, values, .. } = place;
        Ok(Self {
            problem,
            settings: settings.clone(),
            budget: budget.clone(),
            last_look: start.x.clone(),
            room_point: OnceCell::new(),
            row_values: vec![0.0; problem.rows()],
            start,
            // The method that is made for the run says how many minorants it wants.
            bounds: Bounds::new(problem, premise, 1)?,
            best,
            interior,
            judge: Judge::default(),
            ladder: Ladder::new(),
            schedule: Schedule::default(),
            counts: Counts { values, ..Counts::default() },
            candidates: OnceCell::new(),
            kept: None,
            proven_otherwise: None,
            held: None,
            changed_at: Work::of(&Counts::default(), budget),
            methods: Vec::new(),
            chosen: Vec::new(),
            model_variables: problem.dimension() as f64,
            gradient_operations: choice::operations_of_gradient(problem),
            product_operations: problem.mapping().product_operations() as f64,
            inner_steps: budget.pulse().inner_steps,
            systems: budget.systems(),
            pace: Pace::default(),
            steps_taken: 0,
            has_looked_around: false,
            has_been_audited: false,
            history: History::new(),
            last: None,
            began,
        })
    }

    /// The point and multipliers to begin with.
    pub(super) fn start(&self) -> &Start {
        &self.start
    }

    /// The accuracy that is asked for, in the units of the objective.
    pub(super) fn accuracy(&self) -> f64 {
        self.tolerance(self.best.objective).min(self.settings.eps_feas)
    }

    /// The gap that is small enough for an objective of this size.
    pub(super) fn tolerance(&self, objective: f64) -> f64 {
        self.settings.gap_tolerance(self.best.unit(self.problem), objective)
    }

    /// Runs the method to the end.
    pub(super) fn drive(
        mut self,
        mut method: Box<dyn Method + 'a>,
        observer: Observer<'_>,
    ) -> Result<Report, DataError> {
        self.bounds.change_method(method.minorants())?;
        self.methods.push(method.name().to_owned());
        let budget = self.budget.clone();
        let end = iterate(&mut method, &budget, |method, step| self.after(method, step, observer));
        let claim = end.unwrap_or_else(|error| {
            let fault = error.row().map(|row| self.fault(row, method.last_evaluated()));
            Claim::of_error(&error, fault)
        });
        let failed = claim.status == Status::NumericalError && !claim.voids_bounds;
        let claim = if failed { self.unless_infeasible(claim) } else { claim };
        let claim = self.with_kept(claim);
        Ok(self.report(claim, Some(&*method)))
    }

    /// What follows from a step; how the run ends, if it does.
    fn after(
        &mut self,
        method: &mut Box<dyn Method + 'a>,
        step: &Step,
        observer: Observer<'_>,
    ) -> Result<Option<Claim>, StepError> {
        self.model_variables = method.model_variables().unwrap_or(self.problem.dimension()) as f64;
        self.count(step);
        self.take_bounds(&**method)?;
        self.take_candidate(&method.candidate(), &method.residuals());
        self.look_around_kinks(&**method)?;
        let pending = self.climb(&mut **method)?;
        if self.tell(method.candidate(), step, observer) == Control::Stop {
            return Ok(Some(Claim::new(Status::Interrupted)));
        }
        if let Some(claim) = self.judge_step(&**method, step.finished)? {
            return self.leave(method, claim);
        }
        if let Some(claim) = self.audited_on_the_way() {
            return Ok(Some(claim));
        }
        if self.has_looked_again() {
            return Ok(Some(Claim::new(Status::IterationLimit)));
        }
        if step.finished {
            return match (self.successor(), method.residuals()) {
                (Some(_), _) => self.change_method(method, Because::Ended),
                // It measures the conditions, and they do not hold.
                (None, Residuals::Kkt(_)) => Ok(Some(self.give_up(&**method))),
                (None, _) => Ok(Some(Claim::new(Status::IterationLimit))),
            };
        }
        match pending {
            None if self.is_overdue(&**method) => self.change_method(method, Because::Overdue),
            None if self.is_outspent() => self.change_method(method, Because::Outspent),
            None if self.is_last_leg_over(&**method) => Ok(Some(self.give_up(&**method))),
            Some(Rung::OtherMethod) => self.change_method(method, Because::Stalled),
            Some(_) => Ok(Some(self.give_up(&**method))),
            None => Ok(None),
        }
    }

    fn count(&mut self, step: &Step) {
        let (before, inner_steps, systems) = (self.counts, self.inner_steps, self.systems);
        self.counts.add(&step.counts);
        self.counts.gradients = self.budget.gradients() - self.began.1;
        self.inner_steps = self.budget.pulse().inner_steps;
        self.counts.operations += self.operations_since(&before, inner_steps, systems) as u64;
        self.systems = self.budget.systems();
        self.steps_taken += 1;
    }

    fn take_candidate(&mut self, candidate: &Candidate<'_>, residuals: &Residuals) {
        self.best.take(self.problem, &self.settings, self.measured_from(), candidate, residuals);
        let objective = self.best.objective;
        let tolerance = self.tolerance(objective);
        self.bounds.take_own_floor(objective, tolerance);
        self.interior.offer(self.problem, candidate.x, candidate.row_values);
        let standing = self.best.standing(&self.settings, self.bounds.lower(), residuals);
        self.ladder.note(standing, self.counts.steps);
    }

    /// Tells the method at which rungs of the ladder the run is; those that are not for it to climb are handed back.
    fn climb(&mut self, method: &mut dyn Method) -> Result<Option<Rung>, StepError> {
        let mut pending = None;
        for rung in self.ladder.due(method.patience(self.counts.steps)) {
            let mine = match rung {
                Rung::OtherMethod | Rung::GiveUp if method.ends_by_itself() => continue,
                Rung::OtherMethod => self.successor().is_some(),
                Rung::GiveUp => true,
                _ => false,
            };
            if mine {
                pending = pending.or(Some(rung));
            } else if method.on_stall(rung)? == Change::OtherPoint {
                self.counts.values += 1;
                self.consider_other_point(method);
            }
        }
        method.set_accuracy(self.accuracy());
        Ok(pending)
    }

    /// The bound that points are compared by. One that is finite without a premise may never rise: measured from it, the solution
    /// could lose to a point that violates a constraint.
    fn measured_from(&self) -> f64 {
        if judge::is_premised(self.bounds.premise()) { self.bounds.lower() } else { f64::NEG_INFINITY }
    }

    fn consider_other_point(&mut self, method: &mut dyn Method) {
        let lower = self.measured_from();
        let better = method
            .other_point()
            .is_some_and(|other| self.best.offer(self.problem, &self.settings, lower, &other));
        if better {
            method.go_to_other_point();
        }
    }

    /// Whether the run is done: solved, or hopeless.
    fn judge_step(&mut self, method: &dyn Method, last: bool) -> Result<Option<Claim>, StepError> {
        self.judge.set_step(last, method.ends_by_itself());
        let mut residuals = method.residuals();
        let mut polished = false;
        if let Residuals::Kkt(kkt) = residuals {
            let last_chance = self.judge.ends_without_proof(&self.settings, &self.evidence(residuals), &kkt);
            match self.polish(method, &kkt, last_chance)? {
                Polished::Nothing => {}
                Polished::Point(kkt) => (residuals, polished) = (Residuals::Kkt(kkt), true),
                Polished::Infeasible(proof) => return Ok(Some(Claim::infeasible(proof))),
            }
        }
        if let Some(proof) = self.infeasibility_of_step(method) {
            return Ok(Some(Claim::infeasible(proof)));
        }
        if let Some(proof) = self.infeasibility_of_phase_one(method.shows_rays())? {
            return Ok(Some(Claim::infeasible(proof)));
        }
        let mut claimed = self.judge.claim(&self.settings, &self.evidence(residuals));
        if claimed.is_none() && self.is_proven_otherwise(method)? {
            claimed = Some(Status::Solved);
        }
        match claimed {
            Some(Status::Solved)
                if (polished || self.settles(method)?)
                    && self.withstands(Status::Solved, method)?
                    && self.holds_within_reach(method)? =>
            {
                return Ok(Some(Claim::new(Status::Solved)));
            }
            Some(Status::PrecisionLimit) if self.is_at_rounding() => {
                return Ok(Some(self.unless_infeasible(Claim::new(Status::PrecisionLimit))));
            }
            Some(Status::Certified) if self.withstands(Status::Certified, method)? => {
                return Ok(Some(Claim::new(Status::Certified)));
            }
            Some(Status::Solved | Status::PrecisionLimit | Status::Certified) | None => {}
            Some(status) => return Ok(Some(Claim::new(status))),
        }
        if let Residuals::Kkt(kkt) = residuals {
            return self.look_for_rays(method, &kkt);
        }
        Ok(self.runs_away().map(Claim::unbounded))
    }

    /// What is stationary is the last point, with the last multipliers: whether it can take the place of the best.
    fn settles(&mut self, method: &dyn Method) -> Result<bool, StepError> {
        let candidate = method.candidate();
        if let Residuals::Kkt(_) = method.residuals() {
            return Ok(self.best.settle(self.problem, &self.settings, &candidate));
        }
        // It must hold the constraints, too.
        let sizes = [self.best.unit(self.problem), self.best.objective];
        Ok(judge::is_plainly_stationary(self.problem, &self.settings, &candidate, sizes)?
            && self.best.settle(self.problem, &self.settings, &candidate))
    }

    /// What the judge is shown.
    pub(super) fn evidence(&self, residuals: Residuals) -> Evidence {
        Evidence {
            objective: self.best.objective,
            charged: self.best.charged,
            violation: self.best.violation,
            lower_bound: self.bounds.lower(),
            unit: self.best.unit(self.problem),
            premised: judge::is_premised(self.bounds.premise()),
            residuals,
            steps: self.counts.steps,
        }
    }

    fn give_up(&mut self, method: &dyn Method) -> Claim {
        let claim = match method.residuals() {
            _ if self.is_at_rounding() => Claim::new(Status::PrecisionLimit),
            Residuals::Kkt(_) => Claim::in_trouble(Trouble::NoConvergence { iterations: self.ladder.idle() }),
            _ => Claim::in_trouble(Trouble::NoImprovement { steps: method.patience(self.counts.steps) }),
        };
        self.unless_infeasible(claim)
    }

    /// The claim, or the proof that there was nothing to find.
    fn unless_infeasible(&mut self, claim: Claim) -> Claim {
        let proof = self.infeasibility_of_phase_one(true);
        proof.ok().flatten().map_or(claim, Claim::infeasible)
    }

    /// Which row failed, when and where.
    fn fault(&self, row: usize, point: &[f64]) -> Fault {
        let row = self.problem.row_names()[row].clone();
        Fault { row, step: self.counts.steps + 1, point: point.to_vec() }
    }

    /// The most interior point that has been met.
    pub(super) fn interior(&self) -> &Interior {
        &self.interior
    }
}
