//! The one gate through which a status leaves a run. It weighs the evidence, has the verifier check what is claimed, and can
//! only weaken a claim.

use super::Run;
use super::claim::Claim;
use super::incumbent::is_closed;
use super::tuning::{CLEARLY, PATIENT, PRICED, STATIONARITY_ROOM, WAIT};
use crate::budget::Activity;
use crate::certificate::{Certificate, CertificateError, Premise, Repaired, margin, violation_rounding};
use crate::method::{Candidate, Kkt, Method, Residuals};
use crate::oracle::{OracleError, Weight};
use crate::problem::Problem;
use crate::report::{Status, Trouble};
use crate::settings::Settings;

/// What a status is claimed from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence {
    pub(super) objective: f64,
    /// The same with violations charged by the multipliers: about what a feasible point nearby has.
    pub(super) charged: f64,
    pub(super) violation: f64,
    pub(super) lower_bound: f64,
    /// What stands for 1 in the tolerance on gaps.
    pub(super) unit: f64,
    /// Whether a premise makes every lower bound finite, so that a small gap can be waited for.
    pub(super) premised: bool,
    pub(super) residuals: Residuals,
    /// Steps of the run so far.
    pub(super) steps: usize,
}

/// What a judge remembers: the step from which on optimality conditions hold, though no bound proves it.
#[derive(Debug, Default)]
pub(super) struct Judge {
    solved_since: Option<usize>,
    /// The same where a bound proves it to some tolerances.
    nearly_since: Option<usize>,
    /// Whether the method takes no more steps: then nothing is worth waiting for.
    last: bool,
    /// Whether each of its steps is a whole solve: then one more is all that is waited for.
    dear: bool,
}

impl Judge {
    /// Says whether the step before was the method's last, and whether its steps are whole solves.
    pub(super) fn set_step(&mut self, last: bool, dear: bool) {
        (self.last, self.dear) = (last, dear);
    }

    /// The status that the evidence allows to claim, if any.
    pub(super) fn claim(&mut self, settings: &Settings, evidence: &Evidence) -> Option<Status> {
        let Evidence { objective, violation, lower_bound, .. } = *evidence;
        let feasible = violation <= settings.eps_feas;
        // A weak bound and an objective that a violation has lowered may meet far below the optimum.
        let dear = evidence.charged - lower_bound > PRICED * settings.gap_tolerance(evidence.unit, objective);
        if feasible && !dear && is_closed(settings, evidence.unit, objective, lower_bound) {
            return Some(Status::Certified);
        }
        // A point far below the bound is no answer: what it violates is worth more than the tolerance.
        let honest = objective >= lower_bound - settings.gap_tolerance(evidence.unit, objective);
        let solved = match &evidence.residuals {
            Residuals::Unknown => false,
            Residuals::Step { stationarity, movement } => {
                is_stationary(settings, evidence, stationarity.max(*movement))
            }
            Residuals::Kkt(kkt) => self.ends_without_proof(settings, evidence, kkt),
        };
        if feasible && objective < settings.objective_floor {
            return Some(Status::BelowFloor);
        }
        match (solved && honest, feasible) {
            (true, true) => Some(Status::Solved),
            // Perhaps: the run looks at what rounding does to its rows.
            (true, false) => Some(Status::PrecisionLimit),
            _ => None,
        }
    }

    /// Whether the optimality conditions hold, and did so long enough for a bound to follow if one is finite.
    pub(super) fn ends_without_proof(&mut self, settings: &Settings, evidence: &Evidence, kkt: &Kkt) -> bool {
        let share = required_share(settings, evidence);
        // Clearly so where a finite bound has not proven it yet, unless all that is missing is a violation that is small
        // beside the data only.
        let room = STATIONARITY_ROOM * settings.gap_tolerance(evidence.unit, kkt.objective);
        let close = (kkt.objective - kkt.dual_objective).abs() <= room;
        let cheap = close && kkt.worth <= STATIONARITY_ROOM * settings.eps_rel;
        if kkt.primal > share * settings.eps_feas || !cheap || !is_optimal(settings, evidence, kkt) {
            return self.waited_for_proof(settings, evidence, kkt) && cheap;
        }
        let since = *self.solved_since.get_or_insert(evidence.steps);
        share == 1.0 || self.last || evidence.steps >= WAIT * since
    }
}

impl Judge {
    /// Whether the conditions hold, a bound proves the objective to some tolerances, and a second solve made no better of it. Decision
    /// 0032.
    fn waited_for_proof(&mut self, settings: &Settings, evidence: &Evidence, kkt: &Kkt) -> bool {
        let holds = kkt.primal <= settings.eps_feas && kkt.dual.max(kkt.gap) <= settings.eps_rel;
        if !(self.dear && holds && is_nearly_proven(settings, evidence)) {
            return false;
        }
        let since = *self.nearly_since.get_or_insert(evidence.steps);
        self.last || evidence.steps > since
    }
}

/// Whether a bound proves the objective to some tolerances: an answer that is no worse than that is no guess.
pub(super) fn is_nearly_proven(settings: &Settings, evidence: &Evidence) -> bool {
    let Evidence { objective, lower_bound, unit, .. } = *evidence;
    evidence.premised
        && objective - lower_bound <= STATIONARITY_ROOM * settings.gap_tolerance(unit, objective)
}

/// Whether a step's residuals are small enough. Without a premise a bound that is finite is so by luck: it may come to
/// nothing, but for a while it is waited for.
fn is_stationary(settings: &Settings, evidence: &Evidence, residual: f64) -> bool {
    let room = match evidence.lower_bound {
        f64::NEG_INFINITY => 1.0,
        _ if evidence.premised => 0.0,
        _ => PATIENT,
    };
    room > 0.0 && residual <= room * settings.eps_rel
}

/// Whether all optimality conditions hold but for feasibility.
pub(super) fn is_optimal(settings: &Settings, evidence: &Evidence, kkt: &Kkt) -> bool {
    kkt.dual.max(kkt.gap) <= required_share(settings, evidence) * settings.eps_rel
}

/// The share of the tolerances that the optimality conditions must meet.
fn required_share(settings: &Settings, evidence: &Evidence) -> f64 {
    let Evidence { objective, lower_bound, .. } = *evidence;
    let close = objective - lower_bound <= settings.gap_tolerance(evidence.unit, objective);
    if lower_bound == f64::NEG_INFINITY || close { 1.0 } else { CLEARLY }
}

/// Whether x = prox_u(x - J'l) but for the tolerance, by a prox in the plain norm: whatever the metric of the step, and
/// however far out x is.
pub(super) fn is_plainly_stationary(
    problem: &Problem,
    settings: &Settings,
    candidate: &Candidate<'_>,
    [unit, objective]: [f64; 2],
) -> Result<bool, OracleError> {
    let (x, Some(slope)) = (candidate.x, candidate.slope) else { return Ok(false) };
    let mut moved: Vec<f64> = x.iter().zip(slope).map(|(x, s)| x - s).collect();
    problem.regulariser().prox(Weight::scalar(1.0), &mut moved)?;
    let residual = moved.iter().zip(x).map(|(w, x)| (w - x).abs()).fold(0.0, f64::max);
    let size = slope.iter().fold(1.0f64, |size, s| size.max(s.abs()));
    // So far out that x no longer feels the slope, nothing can be told.
    let rounding = f64::EPSILON * x.iter().fold(0.0f64, |size, x| size.max(x.abs()));
    if residual.max(rounding) > STATIONARITY_ROOM * settings.eps_rel * size {
        return Ok(false);
    }
    // F(x) exceeds the optimum by at most <residual, x - x*>: with x for x - x* it must be small beside the objective. On the way
    // to -inf it is as large as what the objective has fallen by.
    let worth: f64 = moved.iter().zip(x).map(|(w, at)| ((w - at) * at).abs()).sum();
    Ok(worth <= STATIONARITY_ROOM * settings.gap_tolerance(unit, objective))
}

/// What leaves a run.
pub(super) struct Verdict {
    pub(super) claim: Claim,
    pub(super) lower_bound: f64,
    pub(super) upper_bound: f64,
    pub(super) feasible: Option<Repaired>,
    pub(super) certificate: Option<Certificate>,
    pub(super) multipliers: Option<Vec<f64>>,
}

/// Passes a claim, or a weaker one.
pub(super) fn pass(run: &mut Run<'_>, mut claim: Claim, method: Option<&dyn Method>) -> Verdict {
    run.budget.doing(Activity::Proving);
    if claim.voids_bounds {
        run.bounds.void();
    }
    let upper = run.best.upper(run.problem);
    let mut certificate = upper.map(|upper| run.bounds.certificate(&run.best.x, &upper));
    let jacobian = method.and_then(Method::linearisation).map(|at| at.mapping);
    let feasible = run.made_feasible(&claim, jacobian);
    let upper_bound = match (&feasible, &certificate) {
        (Some(repaired), _) => repaired.upper.objective + repaired.upper.rounding,
        (None, Some(certificate)) if run.best.violation == 0.0 => certificate.upper,
        _ => f64::INFINITY,
    };
    let at = feasible.as_ref().map_or(&run.best.x, |repaired| &repaired.x);
    let upper_bound = upper_bound + run.worth_of_rounding(jacobian, at, upper_bound);
    // Nothing says that a run in trouble is near a feasible point where constraints hold up to rounding only.
    let doubtful = matches!(claim.status, Status::NumericalError | Status::PrecisionLimit);
    let unproven = doubtful && upper_bound.is_finite() && !is_plainly_inside(run.problem, at);
    let upper_bound = if unproven { f64::INFINITY } else { upper_bound };
    let lower_bound = run.bounds.lower();
    let disproven = claim.infeasibility.is_some() && upper_bound < f64::INFINITY;
    if disproven || upper_bound < lower_bound - run.tolerance(upper_bound) {
        claim = Claim::contradiction(run.bounds.premise());
        run.bounds.void();
        certificate = None;
    }
    // A ball that does not hold the answer itself proves nothing of it.
    if certificate.is_some() && run.bounds.premise().check_point(&run.best.x).is_err() {
        if claim.status == Status::Certified {
            claim = Claim::contradiction(run.bounds.premise());
        }
        run.bounds.void();
        certificate = upper.map(|upper| Certificate {
            premise: Premise::None,
            ..run.bounds.certificate(&run.best.x, &upper)
        });
    }
    if claim.status == Status::Certified
        && let Some(proof) = &mut certificate
        && let Err(error) = verify(run, proof)
        && !is_closed_by(run, proof, &error)
    {
        claim = weakened(error);
        run.bounds.void();
        certificate = None;
    }
    // Nobody waits for a run in trouble: what it says of bounds is checked too.
    if let Some(proof) = certificate.as_mut().filter(|_| claim.status == Status::NumericalError) {
        weaken(proof, run.problem);
        run.bounds.lower_to(proof.lower);
    }
    // What is solved without a proof is so with the multipliers of its own step.
    let multipliers = if claim.status == Status::Solved { None } else { run.bounds.multipliers() };
    let lower_bound = run.bounds.lower();
    Verdict { claim, lower_bound, upper_bound, feasible, certificate, multipliers }
}

/// Whether constraints hold at `x` with more room than rounding may have given them; also where there are none.
fn is_plainly_inside(problem: &Problem, x: &[f64]) -> bool {
    let mut values = vec![0.0; problem.rows()];
    let margin = problem.mapping().values(x, &mut values).ok().and_then(|()| margin(problem, &values));
    let rounding = violation_rounding(problem, x);
    margin.is_some_and(|margin| margin == f64::INFINITY || rounding.is_ok_and(|rounding| margin > rounding))
}

/// Lowers the bound of a certificate to what the verifier finds, should a sum that is rounded in another order have made it less.
pub(super) fn weaken(certificate: &mut Certificate, problem: &Problem) {
    let proven = match certificate.verify(problem) {
        Err(CertificateError::Claim { what: "the lower bound", proven, .. }) => proven,
        Err(CertificateError::Premise(_)) => {
            certificate.premise = Premise::None;
            f64::NEG_INFINITY
        }
        _ => return,
    };
    certificate.lower = proven;
    if proven == f64::NEG_INFINITY {
        certificate.witnesses.clear();
    }
}

/// Checks a certificate from the oracles alone.
fn verify(run: &mut Run<'_>, certificate: &Certificate) -> Result<(), CertificateError> {
    run.counts.proof_gradients += certificate.witnesses.len();
    certificate.verify(run.problem).map(|_| ())
}

/// Whether what the verifier finds instead of the lower bound is close enough as well; if so, that is the bound. Rows whose linearisations came
/// from images are rounded in another way than those that are evaluated.
fn is_closed_by(run: &mut Run<'_>, certificate: &mut Certificate, error: &CertificateError) -> bool {
    let CertificateError::Claim { what: "the lower bound", proven, .. } = error else { return false };
    let closed = is_closed(&run.settings, run.best.unit(run.problem), run.best.charged, *proven);
    if closed {
        certificate.lower = *proven;
        run.bounds.lower_to(*proven);
    }
    closed
}

/// What is left of a claim whose certificate was refused.
fn weakened(error: CertificateError) -> Claim {
    match error {
        CertificateError::Oracle(OracleError::Stopped(stop)) => Claim::stopped(stop),
        error => Claim::in_trouble(Trouble::Refuted(Box::new(error))),
    }
}

/// Whether bounds may be waited for.
pub(super) fn is_premised(premise: &Premise) -> bool {
    premise.is_complete()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: Residuals = Residuals::Step { stationarity: 1.0, movement: 1.0 };
    const STILL: Residuals = Residuals::Step { stationarity: 1e-9, movement: 1e-9 };

    fn evidence(objective: f64, lower_bound: f64, violation: f64, residuals: Residuals) -> Evidence {
        let charged = objective;
        Evidence {
            objective,
            charged,
            violation,
            lower_bound,
            unit: 1.0,
            premised: true,
            residuals,
            steps: 1,
        }
    }

    #[test]
    fn statuses_say_what_is_proven() {
        let settings = Settings::default();
        let claim = |evidence: &Evidence| Judge::default().claim(&settings, evidence);
        assert_eq!(claim(&evidence(1.0, 0.5, 0.0, FAR)), None);
        assert_eq!(claim(&evidence(1.0, 1.0 - 1e-7, 0.0, FAR)), Some(Status::Certified));
        let violated = evidence(1.0, 1.0, 1e-3, FAR);
        assert_eq!(claim(&violated), None, "a small gap proves nothing of a violated point");
        let priced = Evidence { charged: 1.0 + 1e-5, ..evidence(1.0, 1.0, 1e-7, FAR) };
        assert_eq!(claim(&priced), None, "what is violated is worth ten times the tolerance");
        let none = f64::NEG_INFINITY;
        assert_eq!(claim(&evidence(-1e21, none, 0.0, FAR)), None);
        let floor = Settings { objective_floor: -1e6, ..Settings::default() };
        let below = Judge::default().claim(&floor, &evidence(-1e7, none, 0.0, FAR));
        assert_eq!(below, Some(Status::BelowFloor));
        let priced = evidence(0.0, 1.0, 1e-6, FAR);
        assert_eq!(claim(&priced), None, "a violation that is worth more than the tolerance");
        assert_eq!(claim(&evidence(1.0, none, 0.0, STILL)), Some(Status::Solved));
        let bounded = evidence(1.0, 0.5, 0.0, STILL);
        assert_eq!(claim(&bounded), None, "where a bound is finite, only the bound counts");
        let by_luck = Evidence { premised: false, ..bounded };
        assert_eq!(claim(&by_luck), Some(Status::Solved));
        let not_yet = Residuals::Step { stationarity: 1e-8, movement: 1e-9 };
        assert_eq!(claim(&Evidence { residuals: not_yet, ..by_luck }), None, "a bound may still come");
        let unmeasured = Evidence { residuals: Residuals::Unknown, ..by_luck };
        assert_eq!(claim(&unmeasured), None, "what is not measured is not solved");
        assert_eq!(claim(&evidence(f64::NAN, 0.5, 0.0, FAR)), None, "NaN certifies nothing");
        assert_eq!(claim(&evidence(f64::INFINITY, 0.5, 0.0, FAR)), None, "nor does a point outside X");
    }

    #[test]
    fn what_a_bound_nearly_proves_is_solved_after_a_second_solve() {
        let settings = Settings::default();
        let kkt =
            Kkt { primal: 1e-9, dual: 6e-7, gap: 4e-7, worth: 4e-7, objective: 1.0, dual_objective: 1.0 };
        let at =
            |lower_bound, steps| Evidence { steps, ..evidence(1.0, lower_bound, 0.0, Residuals::Kkt(kkt)) };
        let mut judge = Judge::default();
        judge.set_step(false, true);
        assert_eq!(judge.claim(&settings, &at(1.0 - 3e-6, 57)), None, "a second solve may prove it");
        assert_eq!(judge.claim(&settings, &at(1.0 - 3e-6, 116)), Some(Status::Solved));
        let mut weak = Judge::default();
        weak.set_step(false, true);
        assert_eq!([57, 116].map(|steps| weak.claim(&settings, &at(0.9, steps))), [None, None]);
        let mut cheap = Judge::default();
        assert_eq!([57, 116].map(|steps| cheap.claim(&settings, &at(1.0 - 3e-6, steps))), [None, None]);
    }

    #[test]
    fn conditions_that_hold_are_waited_with_while_a_bound_may_follow() {
        let settings = Settings::default();
        let kkt =
            Kkt { primal: 1e-9, dual: 1e-9, gap: 1e-9, worth: 1e-9, objective: 1.0, dual_objective: 1.0 };
        let at =
            |lower_bound, steps| Evidence { steps, ..evidence(1.0, lower_bound, 0.0, Residuals::Kkt(kkt)) };
        let mut judge = Judge::default();
        assert_eq!(judge.claim(&settings, &at(0.5, 10)), None);
        assert_eq!(judge.claim(&settings, &at(0.5, 39)), None);
        assert_eq!(judge.claim(&settings, &at(0.5, 40)), Some(Status::Solved));
        let without_bound = at(f64::NEG_INFINITY, 10);
        assert_eq!(Judge::default().claim(&settings, &without_bound), Some(Status::Solved));
    }
}
