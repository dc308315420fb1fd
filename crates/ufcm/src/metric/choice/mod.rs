//! Which metric to measure steps in, by what each has achieved.
//!
//! A diagonal helps where columns differ in scale and harms where they are correlated. Second derivatives help with both, and
//! cost a matrix product or some products with vectors; an estimate from gradients costs nothing. Which of them saves gradients
//! is only known during a run. So metrics are tried in turn for a stretch of gradients each, and the one under which the
//! residual fell fastest is kept. Decisions are made at restarts, where the theory allows another norm, from counts of
//! operations, never from a clock.

mod candidate;
mod warm;

use super::quasi_newton::QuasiNewton;
use super::secant::Secants;
use super::second_order::Kind;
use crate::metric::tuning::choice::{
    AHEAD, FIRST_STRETCH, FRESH_RATE, GOOD_RATE, HESSIANS, MISLEADING, REFRESH, STRETCH, TRIALS,
};
use crate::metric::{CurvatureMetric, Metric};
use crate::oracle::OracleError;
use candidate::{Candidate, Source};
use std::sync::Arc;

/// What there is to choose from.
#[derive(Debug, Clone)]
pub(crate) struct Available {
    /// n
    pub(crate) variables: usize,
    /// Whether u has a prox in a diagonal metric.
    pub(crate) diagonal: bool,
    /// What second derivatives are to be had from the components, and what they cost in gradients.
    pub(crate) second: Option<(Kind, f64)>,
    /// Whether a quasi-Newton matrix is worth a try.
    pub(crate) quasi_newton: bool,
    /// Another diagonal than that of the first metric.
    pub(crate) other_diagonal: Option<Metric>,
}

/// What a step tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepFacts {
    /// What is left of stationarity.
    pub(crate) residual: f64,
    /// L under the metric in use.
    pub(crate) l: f64,
    /// Whether the epoch ends with the step anyway.
    pub(crate) ends: bool,
    /// How far the curvature along the step was from what the metric says, relative to that, where it matters.
    pub(crate) mismatch: Option<f64>,
}

/// Forms the metric of curvature of this kind with this damping, if there is one.
pub(crate) type Form<'f> = &'f mut dyn FnMut(Kind, f64) -> Result<Option<CurvatureMetric>, OracleError>;

/// The candidates, one of which is in use.
#[derive(Debug, Clone)]
pub(crate) struct MetricChoice {
    candidates: Vec<Candidate>,
    current: usize,
    /// The residual at the start of the stretch, and the gradients since.
    start: Option<f64>,
    gradients: usize,
    /// The residual at the start of the stretch before, under the same candidate.
    last_start: Option<f64>,
    /// The gradients since the metric in use was made.
    age: usize,
    secants: Option<Secants>,
    quasi_newton: Option<QuasiNewton>,
    hessian_cost: f64,
    /// The gradients of the run.
    spent: usize,
    /// Second derivatives that may still be formed at once, while those of a warm start are trusted.
    trust: Option<usize>,
}

impl MetricChoice {
    /// One metric and no other.
    pub(crate) fn fixed(metric: Metric) -> Self {
        let candidates = vec![Candidate::new(metric, Source::Given)];
        Self {
            candidates,
            current: 0,
            start: None,
            gradients: 0,
            last_start: None,
            age: 0,
            secants: None,
            quasi_newton: None,
            hessian_cost: 0.0,
            spent: 0,
            trust: None,
        }
    }

    /// A first metric, and others in reserve: second derivatives of a kind, other diagonals, the plain norm.
    pub(crate) fn open(first: Metric, available: Available) -> Self {
        let (n, plain) = (available.variables, first == Metric::Scalar);
        let mut choice = Self::fixed(first);
        if let Some((kind, cost)) = available.second {
            choice.hessian_cost = cost;
            choice.candidates.push(Candidate::new(Metric::Scalar, kind.into()));
        }
        if available.quasi_newton {
            choice.candidates.push(Candidate::new(Metric::Scalar, Kind::QuasiNewton.into()));
            choice.quasi_newton = Some(QuasiNewton::new(n));
        }
        if let Some(other) = available.other_diagonal {
            choice.candidates.push(Candidate::new(other, Source::Given));
        }
        if available.diagonal {
            choice.candidates.push(Candidate::new(Metric::Diagonal(vec![1.0; n]), Source::Secants));
            choice.secants = Some(Secants::new(n));
            if !plain {
                choice.candidates.push(Candidate::new(Metric::Scalar, Source::Given));
            }
        }
        choice
    }

    /// Second derivatives of a kind and nothing else, but the plain norm until they are formed.
    pub(crate) fn alone(kind: Kind, n: usize) -> Self {
        let mut choice = Self::fixed(Metric::Scalar);
        choice.candidates[0].source = kind.into();
        choice.quasi_newton = (kind == Kind::QuasiNewton).then(|| QuasiNewton::new(n));
        choice
    }

    /// As [`MetricChoice::alone`], formed before the first step.
    pub(crate) fn formed(kind: Kind, n: usize, form: Form<'_>) -> Result<Self, OracleError> {
        let mut choice = Self::alone(kind, n);
        choice.renew(form)?;
        Ok(choice)
    }

    /// The metric in use.
    pub(crate) fn metric(&self) -> &Metric {
        &self.candidates[self.current].metric
    }

    /// Whether anybody wants differences of gradients.
    pub(crate) fn wants_pairs(&self) -> bool {
        self.secants.is_some() || self.quasi_newton.is_some()
    }

    /// Takes in two points with the slopes there.
    pub(crate) fn note_pair(&mut self, x: [&[f64]; 2], slope: [&[f64]; 2]) {
        if let Some(secants) = &mut self.secants {
            secants.add(x, slope);
        }
        if let Some(matrix) = &mut self.quasi_newton {
            matrix.add(x, slope);
        }
    }

    pub(crate) fn count(&mut self, gradients: usize) {
        self.gradients += gradients;
        self.age += gradients;
        self.spent += gradients;
    }

    /// Takes in a step. Where another metric (or a new one of its kind) goes on, the L to start with: the epoch ends then.
    pub(crate) fn after_step(
        &mut self,
        facts: StepFacts,
        form: Form<'_>,
    ) -> Result<Option<f64>, OracleError> {
        if let Some(l) = self.after_trusted_step(facts, form)? {
            return Ok(Some(l));
        }
        let Some(start) = self.start else {
            self.start = Some(facts.residual);
            self.gradients = 0;
            return Ok(None);
        };
        let source = self.candidates[self.current].source;
        let renewable = matches!(source, Source::Curvature { .. });
        if facts.l > MISLEADING
            && let Some(l) = self.leave_misleading(facts.l, form)?
        {
            return Ok(Some(l));
        }
        if (self.candidates.len() == 1 && !renewable) || !self.may_end(source) {
            return self.refresh(source);
        }
        let waiting = self.candidates.iter().any(|candidate| candidate.rate.is_none());
        if !(facts.ends || waiting || renewable) {
            return Ok(None);
        }
        let rate = self.rate(start, facts.residual);
        self.start = None;
        let left = self.current;
        self.candidates[left].rate = Some(rate);
        self.candidates[left].l = facts.l;
        let since_last =
            self.last_start.replace(start).map_or(f64::NEG_INFINITY, |last| self.rate(last, start));
        if !self.is_good(source, rate) {
            self.current = self.next(since_last);
            if self.current != left {
                self.last_start = None;
            }
        } else if renewable {
            return Ok(None);
        }
        loop {
            match self.renew(form)? {
                Renewal::Made => return Ok(Some(self.candidates[self.current].l)),
                Renewal::NotNeeded => {
                    let changed = self.current != left;
                    return Ok(changed.then(|| self.candidates[self.current].l));
                }
                // The best of the others; there always is one that needs no making, or nothing to choose.
                Renewal::Failed if self.candidates.len() == 1 => return Ok(None),
                Renewal::Failed => {
                    self.candidates[self.current].rate = Some(f64::NEG_INFINITY);
                    self.current = self.other();
                    self.last_start = None;
                }
            }
        }
    }

    /// Leaves second derivatives that mislead, or under which model steps cannot be solved, for more damping, else for another
    /// metric. The L to go on with, where there is something to go on with.
    pub(crate) fn leave_misleading(&mut self, l: f64, form: Form<'_>) -> Result<Option<f64>, OracleError> {
        if !matches!(self.candidates[self.current].source, Source::Curvature { .. }) {
            return Ok(None);
        }
        if self.damp() && self.renew(form)? == Renewal::Made {
            return Ok(Some(self.candidates[self.current].l));
        }
        Ok((self.candidates.len() > 1).then(|| self.abandon(l)))
    }

    /// More damping for second derivatives that mislead; false where it was full before.
    fn damp(&mut self) -> bool {
        let candidate = &mut self.candidates[self.current];
        let Source::Curvature { kind, damping, formed: formed @ 1.. } = &mut candidate.source else {
            return false;
        };
        let Some(more) = kind.more_damping(*damping) else { return false };
        *damping = more;
        // The next one takes its place, and is not used for longer.
        *formed -= 1;
        candidate.rate = Some(0.0);
        self.start = None;
        true
    }

    /// The fall of the logarithm of the residual per gradient over the stretch.
    fn rate(&self, start: f64, residual: f64) -> f64 {
        (start / residual.max(f64::MIN_POSITIVE)).ln() / self.gradients as f64
    }

    /// In the middle of a stretch a quasi-Newton matrix takes in what the last steps have facts.
    fn refresh(&mut self, source: Source) -> Result<Option<f64>, OracleError> {
        let due = matches!(source, Source::Curvature { kind: Kind::QuasiNewton, .. }) && self.age >= REFRESH;
        let made = due && self.renew(&mut |_, _| Ok(None))? == Renewal::Made;
        Ok(made.then(|| self.candidates[self.current].l))
    }

    /// Forgets what each metric has achieved, where none gets on: what misled far away may help where the run is now.
    pub(crate) fn reopen(&mut self) {
        for candidate in &mut self.candidates {
            candidate.rate = None;
            if let Source::Curvature { kind, .. } = candidate.source {
                candidate.source = kind.into();
            }
        }
        (self.start, self.last_start) = (None, None);
    }

    /// Goes back to what was given, until the choice is reopened; its L.
    fn abandon(&mut self, l: f64) -> f64 {
        self.candidates[self.current].rate = Some(f64::NEG_INFINITY);
        self.candidates[self.current].l = l;
        (self.start, self.last_start) = (None, None);
        self.current = 0;
        self.candidates[0].l
    }

    /// Whether the stretch has been long enough.
    fn may_end(&self, source: Source) -> bool {
        let hessian_waits = || self.candidates.iter().any(|c| c.source.has_a_price() && c.rate.is_none());
        match source {
            // There was none to have at the last point.
            Source::Curvature { formed: 0, .. } => true,
            Source::Curvature { kind, formed, .. } => self.gradients >= kind.stretch(formed),
            // As much is spent on looking as a Hessian would cost.
            _ if hessian_waits() => {
                let enough = (self.hessian_cost as usize).clamp(FIRST_STRETCH.0, 5 * STRETCH);
                self.spent >= enough && self.gradients >= FIRST_STRETCH.1
            }
            _ => self.gradients >= STRETCH,
        }
    }

    /// Whether the metric in use gets on so well that no other is looked for.
    fn is_good(&self, source: Source, rate: f64) -> bool {
        let hessian = self.candidates.iter().find(|c| c.source.has_a_price());
        match (source, hessian) {
            (Source::Curvature { .. }, _) => rate >= FRESH_RATE,
            // What is left to do would cost less than Hessians do.
            (_, Some(hessian)) if hessian.rate.is_none() => {
                AHEAD / rate.max(0.0) <= HESSIANS * self.hessian_cost
            }
            _ => rate >= GOOD_RATE,
        }
    }

    /// Second derivatives stay while they get on: rates of the beginning, when everything is easy, are no match for those at
    /// the end. Else another.
    fn next(&self, since_last: f64) -> usize {
        let current = &self.candidates[self.current];
        let gets_on = |kind: Kind, rate: f64| {
            rate.max(since_last) >= kind.slow_rate() || (rate > 0.0 && self.gradients < STRETCH / 2)
        };
        match current.source {
            // The first stretches are too short for a rate to tell much.
            Source::Curvature { kind: Kind::Hessian, formed: ..TRIALS, .. } => self.current,
            Source::Curvature { kind, .. } if current.rate.is_some_and(|rate| gets_on(kind, rate)) => {
                self.current
            }
            _ => self.other(),
        }
    }

    /// The first that has not been tried, else the fastest.
    fn other(&self) -> usize {
        let untried = self.candidates.iter().position(|candidate| candidate.rate.is_none());
        untried.unwrap_or_else(|| self.fastest())
    }

    fn fastest(&self) -> usize {
        let rate = |k: usize| self.candidates[k].rate.unwrap_or(f64::NEG_INFINITY);
        // Of equals the first.
        (1..self.candidates.len()).fold(0, |best, k| if rate(k) > rate(best) { k } else { best })
    }

    /// Makes the current metric anew where it is of that kind.
    fn renew(&mut self, form: Form<'_>) -> Result<Renewal, OracleError> {
        let candidate = &mut self.candidates[self.current];
        match (&mut candidate.source, &mut candidate.metric) {
            (Source::Given, _) => Ok(Renewal::NotNeeded),
            (Source::Secants, Metric::Diagonal(diagonal)) => {
                let Some(secants) = &mut self.secants else { return Ok(Renewal::Failed) };
                if secants.count() < STRETCH / 2 || !secants.diagonal(diagonal) {
                    return Ok(Renewal::Failed);
                }
                secants.clear();
                // The diagonal is in units of curvature.
                candidate.l = 1.0;
                Ok(Renewal::Made)
            }
            (Source::Curvature { kind, damping, formed }, metric) => {
                if *formed > 0 && candidate.rate.is_some_and(|rate| rate > 0.0) {
                    *damping = kind.less_damping(*damping);
                }
                let new = match &self.quasi_newton {
                    Some(matrix) if *kind == Kind::QuasiNewton => matrix.metric(*damping),
                    _ => form(*kind, *damping)?,
                };
                let Some(new) = new else { return Ok(Renewal::Failed) };
                *formed += 1;
                *metric = Metric::Curvature(Arc::new(new));
                candidate.l = 1.0;
                self.age = 0;
                Ok(Renewal::Made)
            }
            (Source::Secants, _) => Ok(Renewal::Failed),
        }
    }
}

#[derive(PartialEq)]
enum Renewal {
    Made,
    NotNeeded,
    Failed,
}

#[cfg(test)]
mod tests;
