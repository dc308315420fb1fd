//! Second derivatives of an earlier run, or of a start that is near the solution: they are used at once, nearly undamped, and renewed
//! as soon as a step shows that they have changed. Decision 0018.

use super::candidate::Source;
use super::{Form, MetricChoice, StepFacts};
use crate::metric::quasi_newton::QuasiNewton;
use crate::metric::second_order::Kind;
use crate::metric::tuning::warm::{AFFORDABLE, DAMPING, DISTRUST, MATCH, RENEWALS};
use crate::metric::{CurvatureMatrix, CurvatureMetric, Metric};
use crate::oracle::OracleError;
use std::sync::Arc;

impl MetricChoice {
    /// Whether the metric in use is that of a warm start, or one renewed since, and no step has spoken against it.
    pub(crate) fn is_trusted(&self) -> bool {
        self.trust.is_some() && self.metric().as_curvature().is_some()
    }

    /// Begins with second derivatives: those of an earlier run, or new ones where these cost little.
    pub(crate) fn begin_warm(
        &mut self,
        carried: Option<&Arc<CurvatureMetric>>,
        form: Form<'_>,
    ) -> Result<(), OracleError> {
        if let Some(metric) = carried
            && let Some(place) = self.place_for(metric)
        {
            self.take_up(place, metric);
            return Ok(());
        }
        let Some(place) = self.place_of(Kind::Hessian).filter(|_| self.is_affordable()) else {
            return Ok(());
        };
        let before = std::mem::replace(&mut self.current, place);
        self.candidates[place].source =
            Source::Curvature { kind: Kind::Hessian, damping: DAMPING, formed: 0 };
        if self.renew_undamped(form)?.is_none() {
            self.candidates[place].source = Kind::Hessian.into();
            self.current = before;
        } else {
            self.trust = Some(RENEWALS);
        }
        Ok(())
    }

    fn is_affordable(&self) -> bool {
        self.hessian_cost <= AFFORDABLE
    }

    fn place_of(&self, kind: Kind) -> Option<usize> {
        let is_it = |source: Source| matches!(source, Source::Curvature { kind: own, .. } if own == kind);
        self.candidates.iter().position(|candidate| is_it(candidate.source))
    }

    /// The candidate that this matrix belongs to. A quasi-Newton matrix can go on from any.
    fn place_for(&self, metric: &CurvatureMetric) -> Option<usize> {
        let dense = matches!(metric.matrix(), CurvatureMatrix::Dense(_));
        self.place_of(metric.kind()).or_else(|| self.place_of(Kind::QuasiNewton).filter(|_| dense))
    }

    fn take_up(&mut self, place: usize, metric: &Arc<CurvatureMetric>) {
        let Source::Curvature { kind, .. } = self.candidates[place].source else { return };
        let damping =
            if kind == Kind::QuasiNewton { kind.first_damping() } else { metric.damping().min(DAMPING) };
        if let (Kind::QuasiNewton, CurvatureMatrix::Dense(matrix)) = (kind, metric.matrix()) {
            self.quasi_newton = Some(QuasiNewton::from(matrix));
        }
        let taken =
            if damping == metric.damping() { metric.clone() } else { Arc::new(metric.with_damping(damping)) };
        let candidate = &mut self.candidates[place];
        candidate.metric = Metric::Curvature(taken);
        candidate.source = Source::Curvature { kind, damping, formed: 1 };
        candidate.l = 1.0;
        self.current = place;
        self.trust = Some(RENEWALS);
    }

    /// Looks at what a step says of second derivatives that are trusted. Where they have changed they are formed anew, and the L
    /// to go on with is told.
    pub(super) fn after_trusted_step(
        &mut self,
        facts: StepFacts,
        form: Form<'_>,
    ) -> Result<Option<f64>, OracleError> {
        let Some(left) = self.trust else { return Ok(None) };
        let Source::Curvature { kind: Kind::Hessian, .. } = self.candidates[self.current].source else {
            return Ok(None);
        };
        if facts.l > DISTRUST {
            self.trust = None;
            return Ok(None);
        }
        let changed = facts.mismatch.is_some_and(|mismatch| mismatch > MATCH);
        if !changed || left == 0 || !self.is_affordable() {
            return Ok(None);
        }
        self.trust = Some(left - 1);
        self.renew_undamped(form)
    }

    /// Forms the metric in use anew with the damping that it has; the L to go on with.
    fn renew_undamped(&mut self, form: Form<'_>) -> Result<Option<f64>, OracleError> {
        let candidate = &mut self.candidates[self.current];
        let Source::Curvature { kind, damping, formed } = &mut candidate.source else { return Ok(None) };
        let Some(metric) = form(*kind, *damping)? else { return Ok(None) };
        *formed += 1;
        candidate.metric = Metric::Curvature(Arc::new(metric));
        candidate.l = 1.0;
        self.age = 0;
        (self.start, self.last_start) = (None, None);
        Ok(Some(1.0))
    }
}
