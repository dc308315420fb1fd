//! Which metric to measure steps in, by what each has achieved.
//!
//! A diagonal helps where columns differ in scale and harms where the trouble is in correlations, and only a run tells. So
//! metrics are tried in turn for a stretch of epochs each, and the one under which the residual fell fastest per gradient
//! goes on. Decisions fall at restarts, where the theory allows another norm.

use super::secant::Secants;
use crate::metric::Metric;

/// Gradients after which a stretch may end (and does, while a candidate waits to be tried), twice the differences that
/// a diagonal from secants needs.
const STRETCH: usize = 20;
/// Where the logarithm of the residual falls by this much per gradient, there is no reason to look for another metric.
const GOOD_RATE: f64 = 0.25;

/// A metric with its record.
#[derive(Debug, Clone)]
struct Candidate {
    metric: Metric,
    /// Whether the metric is the diagonal from secants, made anew each time it is taken up.
    from_secants: bool,
    /// L under this metric when it was last left.
    l: f64,
    /// The fall of the logarithm of the residual per gradient, where the candidate has been tried.
    rate: Option<f64>,
}

/// The candidates, one of which is in use.
#[derive(Debug, Clone)]
pub(super) struct MetricChoice {
    candidates: Vec<Candidate>,
    current: usize,
    /// The residual at the start of the stretch, and the gradients since.
    start: Option<f64>,
    gradients: usize,
    secants: Option<Secants>,
}

impl MetricChoice {
    /// One metric and no other.
    pub(super) fn fixed(metric: Metric) -> Self {
        let given = Candidate { metric, from_secants: false, l: 1.0, rate: None };
        Self { candidates: vec![given], current: 0, start: None, gradients: 0, secants: None }
    }

    /// A first metric; the plain norm and a diagonal from secants in reserve, where u has a prox in it.
    pub(super) fn open(first: Metric, n: usize, diagonal_prox: bool) -> Self {
        let plain = first == Metric::Scalar;
        let mut choice = Self::fixed(first);
        if diagonal_prox {
            let candidate = |metric, from_secants| Candidate { metric, from_secants, l: 1.0, rate: None };
            choice.candidates.push(candidate(Metric::Diagonal(vec![1.0; n]), true));
            if !plain {
                choice.candidates.push(candidate(Metric::Scalar, false));
            }
            choice.secants = Some(Secants::new(n));
        }
        choice
    }

    /// The metric in use.
    pub(super) fn metric(&self) -> &Metric {
        &self.candidates[self.current].metric
    }

    /// Where differences of gradients go, if anybody wants them.
    pub(super) fn secants(&mut self) -> Option<&mut Secants> {
        self.secants.as_mut()
    }

    pub(super) fn count(&mut self, gradients: usize) {
        self.gradients += gradients;
    }

    /// Whether the stretch has gone on for so long that the epoch should end for the sake of candidates not yet tried.
    pub(super) fn is_overdue(&self) -> bool {
        let untried = || self.candidates.iter().skip(1).any(|candidate| candidate.rate.is_none());
        self.gradients >= STRETCH && untried()
    }

    /// Takes in the residual of the first step of an epoch. Where the stretch ends with it and another metric (or a new
    /// diagonal) goes on, the L to start with; `l` is that of the metric in use so far.
    pub(super) fn epoch_started(&mut self, residual: f64, l: f64) -> Option<f64> {
        let Some(start) = self.start else {
            self.start = Some(residual);
            self.gradients = 0;
            return None;
        };
        if self.gradients < STRETCH || self.candidates.len() == 1 {
            return None;
        }
        let rate = (start / residual.max(f64::MIN_POSITIVE)).ln() / self.gradients as f64;
        self.start = None;
        let left = self.current;
        self.candidates[left].rate = Some(rate);
        self.candidates[left].l = l;
        self.current = if rate >= GOOD_RATE { left } else { self.next() };
        let renewed = self.renew();
        (renewed || self.current != left).then(|| self.candidates[self.current].l)
    }

    /// The first that has not been tried, else the fastest.
    fn next(&self) -> usize {
        let untried = self.candidates.iter().position(|candidate| candidate.rate.is_none());
        untried.unwrap_or_else(|| self.fastest())
    }

    fn fastest(&self) -> usize {
        let rate = |k: usize| self.candidates[k].rate.unwrap_or(f64::NEG_INFINITY);
        // Of equals the first.
        (1..self.candidates.len()).fold(0, |best, k| if rate(k) > rate(best) { k } else { best })
    }

    /// Makes the diagonal anew where it comes from secants; where they tell nothing, the fastest of the others goes on.
    fn renew(&mut self) -> bool {
        let candidate = &mut self.candidates[self.current];
        let (true, Some(secants)) = (candidate.from_secants, &mut self.secants) else { return false };
        if let Metric::Diagonal(diagonal) = &mut candidate.metric
            && secants.count() >= STRETCH / 2
            && secants.diagonal(diagonal)
        {
            secants.clear();
            // The diagonal is in units of curvature.
            candidate.l = 1.0;
            return true;
        }
        candidate.rate = Some(f64::NEG_INFINITY);
        self.current = self.next();
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HINTS: [f64; 2] = [1.0, 0.5];

    fn open() -> MetricChoice {
        MetricChoice::open(Metric::Diagonal(HINTS.to_vec()), 2, true)
    }

    /// One stretch in which the residual falls by `factor`; the curvatures seen on the way are 3 and 7.
    fn stretch(choice: &mut MetricChoice, factor: f64) -> Option<f64> {
        assert_eq!(choice.epoch_started(1.0, 9.0), None);
        for _ in 0..STRETCH {
            choice.count(1);
            choice.secants().unwrap().add([&[0.0, 0.0], &[1.0, 1.0]], [&[0.0, 0.0], &[3.0, 7.0]]);
        }
        choice.epoch_started(factor, 9.0)
    }

    #[test]
    fn each_is_tried_once_and_the_fastest_stays_while_it_is() {
        let mut choice = open();
        assert_eq!(stretch(&mut choice, 0.5), Some(1.0));
        assert_eq!(*choice.metric(), Metric::Diagonal(vec![3.0, 7.0]));
        assert_eq!(stretch(&mut choice, 0.9), Some(1.0));
        assert_eq!(*choice.metric(), Metric::Scalar);
        assert_eq!(stretch(&mut choice, 0.1), None, "the plain norm is the fastest and stays");
        assert_eq!(stretch(&mut choice, 0.7), Some(9.0), "it has slowed down");
        assert_eq!(*choice.metric(), Metric::Diagonal(HINTS.to_vec()));
    }

    #[test]
    fn a_fast_one_is_not_disturbed_and_a_short_stretch_proves_nothing() {
        let mut choice = open();
        assert_eq!(stretch(&mut choice, 1e-9), None);
        assert_eq!(choice.epoch_started(1.0, 9.0), None);
        choice.count(STRETCH - 1);
        assert_eq!(choice.epoch_started(0.9, 9.0), None);
        let mut alone = MetricChoice::fixed(Metric::Scalar);
        assert_eq!(alone.epoch_started(1.0, 9.0), None);
        alone.count(STRETCH);
        assert_eq!(alone.epoch_started(0.9, 9.0), None);
    }

    #[test]
    fn secants_that_tell_nothing_are_passed_over() {
        let mut choice = open();
        assert_eq!(choice.epoch_started(1.0, 9.0), None);
        choice.count(STRETCH);
        assert_eq!(choice.epoch_started(0.9, 9.0), Some(1.0));
        assert_eq!(*choice.metric(), Metric::Scalar);
    }
}
