//! The solves of a curve or a surface: with which bounds, from where, and what they show.

use super::guess::{Guess, speaks_of_no_answer};
use super::tuning::SHARE;
use super::{TradeoffError, TradeoffStatus};
use crate::budget::Budget;
use crate::certificate::{Certificate, Plane, Premise, Range, Upper};
use crate::error::check_positive;
use crate::oracle::OracleError;
use crate::problem::{BoundError, Problem};
use crate::report::{Control, Counts, Report, Status};
use crate::settings::Settings;
use crate::warm_start::WarmStart;

/// A point that satisfies all constraints with the bounds `s`: the optimal value there is at most `value`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Above<const D: usize> {
    pub(super) s: [f64; D],
    pub(super) value: f64,
    pub(super) x: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
}

/// What a solve shows, or a guess that proves itself.
pub(super) struct Shown<const D: usize> {
    pub(super) above: Option<Above<D>>,
    /// The optimal value with these bounds is at least this, and at most that.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// A limit, or the user, ended it.
    pub(super) stopped: Option<TradeoffStatus>,
    /// The answer, its multipliers, and the gradients that it took.
    pub(super) x: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
    pub(super) gradients: usize,
}

/// Solves with other bounds of D constraints. Bounds are measured by how loose they are, s.
pub(super) struct Solves<'a, const D: usize> {
    pub(super) problem: &'a Problem,
    pub(super) range: Range<D>,
    pub(super) tol: f64,
    settings: &'a Settings,
    pub(super) budget: Budget,
    /// What widths are relative to at least.
    pub(super) unit: f64,
    /// Proofs that are no planes yet: some wait for the value with the tightest bounds.
    pub(super) proofs: Vec<([f64; D], Certificate)>,
    pub(super) premises: Vec<String>,
    /// The premise of the first proof that others can rest on, for those of guesses; or of the last.
    pub(super) premise: Option<Premise>,
    pub(super) counts: Counts,
    pub(super) first: Option<Counts>,
    pub(super) violation: f64,
    /// Solves so far.
    pub(super) solved: usize,
    /// Where the problem with the loosest bounds comes linearised, for proofs of problems whose rows are all affine.
    pub(super) straight_at: Option<Vec<f64>>,
    /// What solves leave for those nearby.
    warm: Vec<([f64; D], WarmStart)>,
}

impl<'a, const D: usize> Solves<'a, D> {
    /// Checks what is asked for.
    pub(super) fn new(
        problem: &'a Problem,
        rows: [usize; D],
        ends: [[f64; 2]; D],
        tol: f64,
        settings: &'a Settings,
        budget: &Budget,
    ) -> Result<Self, TradeoffError> {
        check_positive("trade-off", "tol", tol)?;
        settings.validate()?;
        let (mut signs, mut tight, mut loose) = ([1.0; D], [0.0; D], [0.0; D]);
        for k in 0..D {
            problem.bound_of(rows[k])?;
            let [from, to] = ends[k];
            if !(from.is_finite() && to.is_finite() && from != to) {
                return Err(TradeoffError::Range { from, to });
            }
            if rows[..k].contains(&rows[k]) {
                return Err(TradeoffError::Same { name: problem.bound_name(rows[k]).to_owned() });
            }
            signs[k] = problem.bound_sign(rows[k]);
            let ends = [signs[k] * from, signs[k] * to];
            (tight[k], loose[k]) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        }
        let at = |s: [f64; D]| with_bounds(problem, rows, signs, s);
        let range = Range { rows, signs, tightest: (tight, at(tight)?), loosest: (loose, at(loose)?) };
        let budget =
            settings.time_limit.map_or_else(|| budget.clone(), |seconds| budget.clone().with_time(seconds));
        Ok(Self {
            problem,
            range,
            tol,
            settings,
            budget,
            unit: 1.0,
            proofs: Vec::new(),
            premises: Vec::new(),
            premise: None,
            counts: Counts::default(),
            first: None,
            violation: 0.0,
            solved: 0,
            straight_at: None,
            warm: Vec::new(),
        })
    }

    /// The problem with the bounds `s`.
    pub(super) fn at(&self, s: [f64; D]) -> Result<Problem, BoundError> {
        with_bounds(self.problem, self.range.rows, self.range.signs, s)
    }

    /// The range begins at `s`.
    pub(super) fn begin_at(&mut self, s: [f64; D]) -> Result<(), BoundError> {
        self.range.tightest = (s, self.at(s)?);
        Ok(())
    }

    /// The bounds `s` in the user's numbers.
    pub(super) fn bounds(&self, s: [f64; D]) -> [f64; D] {
        std::array::from_fn(|k| self.range.signs[k] * s[k] + 0.0)
    }

    pub(super) fn names(&self) -> [String; D] {
        self.range.rows.map(|row| self.problem.bound_name(row).to_owned())
    }

    /// How far two places are from each other, in parts of the range.
    pub(super) fn distance(&self, a: [f64; D], b: [f64; D]) -> f64 {
        let part =
            |k: usize| (a[k] - b[k]).abs() / (self.range.loosest.0[k] - self.range.tightest.0[k]).abs();
        (0..D).map(part).fold(0.0, f64::max)
    }

    /// Solves with the bounds `s`, where values are about `value`.
    pub(super) fn solve(
        &mut self,
        s: [f64; D],
        value: f64,
        guess: Option<Guess>,
    ) -> Result<Report, TradeoffError> {
        let problem = self.at(s)?;
        self.solve_problem(&problem, s, value, guess)
    }

    pub(super) fn solve_problem(
        &mut self,
        problem: &Problem,
        s: [f64; D],
        value: f64,
        guess: Option<Guess>,
    ) -> Result<Report, TradeoffError> {
        let share = SHARE * self.tol;
        let mut settings = Settings { eps_rel: share, ..self.settings.clone() };
        if let Some(max) = settings.max_gradients {
            settings.max_gradients = Some(max.saturating_sub(self.counts.gradients).max(1));
        }
        if self.first.is_some() {
            let size = self.unit.max(if value.is_finite() { value.abs() } else { 0.0 });
            (settings.eps_abs, settings.eps_rel) = (share * size, 0.0);
        }
        // A radius speaks of the start that the user gave.
        if self.settings.radius.is_none()
            && let Some(start) = self.start(s, guess)
        {
            (settings.warm, settings.x0, settings.multipliers0) = (Some(start), None, None);
        }
        let report = problem.solve_within(&settings, &self.budget, &mut |_| Control::Continue)?;
        self.counts.add(&report.counts);
        self.solved += 1;
        self.first.get_or_insert(report.counts);
        Ok(report)
    }

    /// The guess, or the nearest solve, with the metric of the latter.
    fn start(&self, s: [f64; D], guess: Option<Guess>) -> Option<WarmStart> {
        let distance = |other: &([f64; D], WarmStart)| self.distance(other.0, s);
        let nearest =
            self.warm.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).map(|(_, start)| start);
        let Some(guess) = guess else { return nearest.cloned() };
        let named = self.problem.row_names().iter().cloned().zip(guess.multipliers).collect();
        let start = WarmStart::new(guess.x, named);
        Some(match nearest {
            Some(nearest) => WarmStart { x: start.x, multipliers: start.multipliers, ..nearest.clone() },
            None => start,
        })
    }

    /// Takes what a solve shows.
    pub(super) fn take(&mut self, s: [f64; D], report: &Report) -> Result<Shown<D>, TradeoffError> {
        let checked = checked_proof(&self.at(s)?, report);
        let ended = matches!(report.status, Status::TimeLimit | Status::IterationLimit | Status::Interrupted);
        if checked.is_none() && !ended {
            return Err(self.no_bound(s, report));
        }
        let mut above = None;
        if report.x.len() == self.problem.dimension()
            && report.objective.is_finite()
            && report.violation.is_finite()
        {
            let (x, upper) = match &report.feasible {
                Some(repaired) => (&repaired.x, repaired.upper.objective + repaired.upper.rounding),
                None => (&report.x, report.upper_bound),
            };
            let multipliers = report.multipliers.clone();
            above = match upper.is_finite() {
                true => Some(Above { s, value: upper.max(report.upper_bound), x: x.clone(), multipliers }),
                false => self.at_own_values(x, multipliers)?,
            };
        }
        self.warm.push((s, report.warm_start()));
        let lower = checked.as_ref().map_or(f64::NEG_INFINITY, |proof| proof.lower);
        if let Some(proof) = checked {
            let told = report.premise();
            if !self.premises.contains(&told) {
                self.premises.push(told);
            }
            // The first speaks of the loosest bounds: what bounds the variables there does so everywhere.
            if !self.premise.as_ref().is_some_and(speaks_of_no_answer) {
                self.premise = Some(proof.premise.clone());
            }
            self.proofs.push((s, proof));
        }
        let spent = self.settings.max_gradients.is_some_and(|max| self.counts.gradients >= max);
        let limit = if ended { report.status } else { Status::IterationLimit };
        let stopped = (ended || spent).then_some(TradeoffStatus::Stopped(limit));
        let (x, multipliers) = (report.x.clone(), report.multipliers.clone());
        let (upper, gradients) = (report.upper_bound, report.counts.gradients);
        Ok(Shown { above, lower, upper, stopped, x, multipliers, gradients })
    }

    /// What a point shows with its own values of the rows as the bounds, if other constraints hold.
    pub(super) fn at_own_values(
        &mut self,
        x: &[f64],
        multipliers: Vec<f64>,
    ) -> Result<Option<Above<D>>, OracleError> {
        self.counts.values += 1;
        let values = self.problem.values_at(x)?;
        Ok(self.above_of_values(x, multipliers, values))
    }

    pub(super) fn above_of_values(
        &mut self,
        x: &[f64],
        multipliers: Vec<f64>,
        values: Vec<f64>,
    ) -> Option<Above<D>> {
        let mut s = [0.0; D];
        for (k, &row) in self.range.rows.iter().enumerate() {
            let needed = self.range.signs[k] * self.problem.bounded_value(row, &values);
            s[k] = needed + 4.0 * f64::EPSILON * needed.abs();
        }
        // With these bounds only the other constraints can be violated.
        let problem = self.at(s).ok()?;
        let rows = problem.rows_of_values(&values);
        let upper = Upper::of(&problem, x, &rows);
        if !(upper.violation <= self.settings.eps_feas && upper.objective.is_finite()) {
            return None;
        }
        self.violation = self.violation.max(upper.violation);
        Some(Above { s, value: upper.objective + upper.rounding, x: x.to_vec(), multipliers })
    }

    /// What the objective falls by as each bound is loosened.
    pub(super) fn rates(&self, s: [f64; D], multipliers: &[f64]) -> [f64; D] {
        let problem = self.at(s).ok().filter(|_| multipliers.len() == self.problem.rows());
        self.range.rows.map(|row| {
            problem.as_ref().map_or(0.0, |problem| problem.bound_multiplier(row, multipliers).abs())
        })
    }

    /// Planes of the proofs that wait; the optimum with the tightest bounds is at most `level`.
    pub(super) fn planes(&mut self, level: f64) -> Result<Vec<Plane<D>>, BoundError> {
        let mut planes = Vec::new();
        for (s, proof) in std::mem::take(&mut self.proofs) {
            // What is made anew is linearised once more.
            let again = match &proof.premise {
                Premise::ImpliedBounds { .. } => proof.premise.check(&self.range.loosest.1).is_err(),
                premise => matches!(premise, Premise::Enclosure { .. }),
            };
            self.counts.proof_gradients += if again { proof.witnesses.len() } else { 0 };
            planes.extend(Plane::of(&proof, &self.at(s)?, s, &self.range, level).ok());
        }
        Ok(planes)
    }

    fn no_bound(&self, s: [f64; D], report: &Report) -> TradeoffError {
        let advice = match report.status {
            Status::Solved => "; a bounded domain, or a radius, would give the lower side",
            _ => "",
        };
        let (status, meaning) = (report.status, report.meaning());
        TradeoffError::Solve { bounds: self.told(s), status, meaning, advice }
    }

    /// The bounds `s` in words.
    pub(super) fn told(&self, s: [f64; D]) -> String {
        let (names, bounds) = (self.names(), self.bounds(s));
        let told: Vec<String> =
            names.iter().zip(bounds).map(|(name, bound)| format!("\"{name}\" at {bound}")).collect();
        told.join(" and ")
    }
}

fn with_bounds<const D: usize>(
    problem: &Problem,
    rows: [usize; D],
    signs: [f64; D],
    s: [f64; D],
) -> Result<Problem, BoundError> {
    let mut moved = problem.with_bound_of(rows[0], signs[0] * s[0])?;
    for k in 1..D {
        moved = moved.with_bound_of(rows[k], signs[k] * s[k])?;
    }
    Ok(moved)
}

/// The proof of a lower bound, if it holds: what leaves a run as certified was verified, and others are verified here.
fn checked_proof(problem: &Problem, report: &Report) -> Option<Certificate> {
    let proof = report.certificate.as_ref().filter(|proof| proof.lower > f64::NEG_INFINITY)?;
    if report.status == Status::Certified {
        return Some(proof.clone());
    }
    let verified = proof.verify(problem).ok()?;
    Some(Certificate { lower: proof.lower.min(verified.lower), ..proof.clone() })
}
