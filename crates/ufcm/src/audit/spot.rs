//! The audit that a run makes before it claims a success: few evaluations, where they tell most, and none outside X.
//!
//! A run has followed gradients to its answer, and believes what they say of all points. The audit looks where the run has
//! been (start, answer, between them) and where it has not: at the ends of X, at random points, along the direction of least
//! curvature. Every evaluated point is held against every other by the one law on which bounds rest,
//! f(y) >= f(x) + <g(x), y - x>; see pairs.rs.

use super::finding::{Check, Finding, Findings, Role, Seen};
use super::pairs;
use super::{component::Sample, distance, lanczos, shifted};
use crate::budget::{Budget, Stop};
use crate::linalg::norm;
use crate::oracle::{Component, Grounds, OracleError, Regulariser, Weight, guarded};
use crate::random::Random;

/// Makes u small beside a slope: what attains the minimum is an end of X, if that is bounded there.
const LOUD: [f64; 2] = [1e60, 1e30];
/// A prox of this weight is a projection onto X, but for a shift by its inverse.
const HEAVY: f64 = 1e12;
/// Distance of points that are near each other, relative to the size of what is about: quotients over it tell a derivative to 6
/// digits or so, and what they miss by beyond that is noise.
const NEAR: f64 = 1.0 / (1u64 << 20) as f64;
/// The step of differences of gradients, in the same units.
const STEP: f64 = 1e-3;
/// Products for the direction of least curvature: of a user's function, and of a quadratic on the user's word, for which it
/// is all there is to check.
const PRODUCTS: [usize; 2] = [4, 24];
/// Evaluations before the direction of least curvature is looked for: of either.
const LEAST: [usize; 2] = [12, 4];
/// How far random points are from the answer, relative to its size.
const SPREADS: [f64; 8] = [1.0, 0.1, 3.0, 0.01, 0.3, 10.0, 0.03, 2.0];
/// How far a point is drawn towards the answer where the function gives no answer, and how often.
const DRAWN: [f64; 2] = [0.125, 0.01];

/// Where a run has been, and what may be spent.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    /// Where it began, in X.
    pub(crate) start: &'a [f64],
    /// Where it ended, in X.
    pub(crate) answer: &'a [f64],
    /// X.
    pub(crate) domain: &'a dyn Regulariser,
    /// The accuracy that was asked for, in the units of the rows: noise beyond it is a fault.
    pub(crate) accuracy: f64,
    /// Evaluations that may be spent on a user's function.
    pub(crate) evaluations: usize,
}

/// What an audit of one row found, and at how many points it looked.
pub(crate) struct Spot {
    pub(crate) points: usize,
    pub(crate) finding: Option<Finding>,
}

/// Audits a component that rests on `grade`.
///
/// # Errors
/// The budget, or an oracle that fails where the run has evaluated it.
pub(crate) fn spot(
    component: &dyn Component,
    grade: Grounds,
    places: &Places<'_>,
    budget: &Budget,
) -> Result<Spot, OracleError> {
    let mut audit = SpotAudit {
        component,
        places,
        budget,
        random: Random::new(SEED),
        samples: Vec::new(),
        rows: Vec::new(),
        evaluations: 0,
        stopped: None,
    };
    audit.visit(grade)?;
    let mut finding = audit.worst(grade)?;
    if let Some(found) = &finding {
        // Noise that few differences did not show looks like a fault: it is measured where the fault is seen.
        for (_, x) in found.points.clone() {
            audit.sample_noise(&x);
        }
        finding = audit.worst(grade)?;
    }
    Ok(Spot { points: audit.evaluations, finding })
}

const SEED: u64 = 0x5107;

struct SpotAudit<'a> {
    component: &'a dyn Component,
    places: &'a Places<'a>,
    budget: &'a Budget,
    random: Random,
    samples: Vec<Sample>,
    /// Samples in a row, near each other and at equal distances.
    rows: Vec<[usize; 3]>,
    evaluations: usize,
    stopped: Option<Stop>,
}

impl SpotAudit<'_> {
    /// Evaluates the component where it tells most.
    fn visit(&mut self, grade: Grounds) -> Result<(), OracleError> {
        let Places { start, answer, .. } = *self.places;
        let (answer, start) = (answer.to_vec(), start.to_vec());
        self.sample_of_run(answer.clone())?;
        let apart = start != answer;
        if apart {
            self.sample_of_run(start.clone())?;
            self.sample(blend(&answer, &start, 0.5));
        }
        let sizes = self.sizes(&answer, &start);
        let ends = self.ends(answer.len());
        let inner = self.inner(&answer, &sizes, &ends);
        let least = LEAST[usize::from(grade == Grounds::Trusted)];
        self.sample(inner.clone());
        if grade == Grounds::Function {
            self.sample_near(&answer, &inner, &sizes);
        }
        for end in ends.iter().take(2) {
            self.sample(end.clone());
        }
        for (k, spread) in SPREADS.into_iter().enumerate() {
            if self.evaluations < least {
                let far = self.random_point(&answer, &sizes, spread);
                self.sample(far.clone());
                if k == 0 && grade == Grounds::Function {
                    self.sample_near(&inner, &far, &sizes);
                }
            }
        }
        self.visit_least_curvature(&inner, &sizes, PRODUCTS[usize::from(grade == Grounds::Trusted)]);
        if grade == Grounds::Function {
            self.visit_more(&answer, &sizes, &ends[ends.len().min(2)..]);
        }
        Ok(())
    }

    /// What is left of the evaluations: ends of X, random points, and where the function falls from them.
    fn visit_more(&mut self, answer: &[f64], sizes: &[f64], ends: &[Vec<f64>]) {
        let mut ends = ends.iter().cloned();
        for k in 0..self.places.evaluations {
            if self.evaluations >= self.places.evaluations || self.stopped.is_some() {
                break;
            }
            let spread = SPREADS[k % SPREADS.len()];
            let point = ends.next().unwrap_or_else(|| self.random_point(answer, sizes, spread));
            let before = self.samples.len();
            self.sample(point);
            if let Some(sample) = self.samples.get(before) {
                let length = norm(&sample.gradient);
                let step = 0.5 * distance(&sample.x, answer) / length;
                let lower = shifted(&sample.x, -step, &sample.gradient);
                if step.is_finite()
                    && let Some(lower) = self.inside(lower)
                {
                    self.sample(lower);
                }
            }
        }
    }

    /// The direction of least curvature around `centre`, by a few differences of gradients; and points along it.
    fn visit_least_curvature(&mut self, centre: &[f64], sizes: &[f64], products: usize) {
        let n = centre.len();
        let Some(at) = self.samples.iter().position(|sample| sample.x == centre).filter(|_| n > 1) else {
            return;
        };
        let gradient = self.samples[at].gradient.clone();
        let scale = norm(sizes);
        let h = STEP * scale;
        let begin = self.random.normals(n);
        let product = |v: &[f64]| {
            let there = self.inside(shifted(centre, h, v))?;
            let answer = self.gradient_at(&there)?;
            let image: Vec<f64> = answer.iter().zip(&gradient).map(|(a, b)| (a - b) / h).collect();
            // Only what stays in X counts: the image is projected as the vector was.
            let length = norm(&image);
            if length == 0.0 {
                return Some(image);
            }
            let inside = self.inside(shifted(centre, h / length, &image))?;
            Some(inside.iter().zip(centre).map(|(a, b)| (a - b) / h * length).collect())
        };
        let Some(least) = lanczos::extreme_vectors(product, begin, products.min(n)).into_iter().next() else {
            return;
        };
        for side in [scale, -scale] {
            if let Some(point) = self.along(centre, side, &least) {
                self.sample(point);
            }
        }
    }

    /// As far as X lets one go from `centre` in this direction, up to `step`.
    fn along(&self, centre: &[f64], mut step: f64, direction: &[f64]) -> Option<Vec<f64>> {
        const HALVINGS: usize = 20;
        for _ in 0..HALVINGS {
            let wanted = shifted(centre, step, direction);
            let found = self.inside(wanted.clone())?;
            if distance(&found, &wanted) <= 1e-6 * step.abs() {
                return Some(found);
            }
            step *= 0.5;
        }
        None
    }

    /// What counts as a distance in each coordinate: the size of the answer and the start there, else that of the others.
    fn sizes(&self, answer: &[f64], start: &[f64]) -> Vec<f64> {
        let mut sizes: Vec<f64> = answer.iter().zip(start).map(|(a, b)| a.abs().max(b.abs())).collect();
        let largest = sizes.iter().fold(0.0f64, |largest, size| largest.max(*size));
        let usual = if largest > 0.0 { largest } else { 1.0 };
        sizes.iter_mut().filter(|size| **size < 1e-3 * usual).for_each(|size| *size = usual);
        sizes
    }

    /// Ends of X in random directions, each with the opposite one; none where X is not bounded.
    fn ends(&mut self, n: usize) -> Vec<Vec<f64>> {
        const DIRECTIONS: usize = 4;
        let mut ends = Vec::new();
        for _ in 0..DIRECTIONS {
            let direction = self.random.normals(n);
            for sign in [1.0, -1.0] {
                ends.extend(self.end(&direction, sign).filter(|end| !ends.contains(end)));
            }
        }
        ends
    }

    fn end(&self, direction: &[f64], sign: f64) -> Option<Vec<f64>> {
        let attained = LOUD.map(|loud| {
            let slope: Vec<f64> = direction.iter().map(|d| sign * loud * d).collect();
            let mut end = vec![f64::NAN; slope.len()];
            let least = self.places.domain.min_linear(&slope, Some(&mut end));
            (least.is_finite() && end.iter().all(|x| x.is_finite())).then_some(end)
        });
        let [Some(louder), Some(loud)] = attained else { return None };
        // A u that grows fast has minimisers that follow the slope: they are no ends of X.
        let same = distance(&louder, &loud) <= 1e-9 * norm(&louder);
        (same && self.places.domain.value(&louder).is_finite()).then_some(louder)
    }

    /// A point inside X that has nothing to do with the run: between its ends, if it has any.
    fn inner(&mut self, answer: &[f64], sizes: &[f64], ends: &[Vec<f64>]) -> Vec<f64> {
        let mut point = vec![0.0; answer.len()];
        if ends.len() > 1 {
            let weights: Vec<f64> = ends.iter().map(|_| 0.2 + self.random.uniform()).collect();
            let total: f64 = weights.iter().sum();
            for (end, weight) in ends.iter().zip(&weights) {
                point.iter_mut().zip(end).for_each(|(p, e)| *p += weight / total * e);
            }
            // A little of the answer, so that two opposite ends do not leave a line alone.
            point = blend(&point, answer, 0.1 + 0.2 * self.random.uniform());
            if let Some(point) = self.inside(point) {
                return point;
            }
        }
        self.random_point(answer, sizes, 0.7)
    }

    fn random_point(&mut self, answer: &[f64], sizes: &[f64], spread: f64) -> Vec<f64> {
        let moved = |(x, size): (&f64, &f64)| x + spread * size * self.random.normal();
        let point: Vec<f64> = answer.iter().zip(sizes).map(moved).collect();
        self.inside(point).unwrap_or_else(|| answer.to_vec())
    }

    /// The point, or its projection where it lies outside X; `None` where that fails.
    fn inside(&self, mut x: Vec<f64>) -> Option<Vec<f64>> {
        let u = self.places.domain;
        if !u.value(&x).is_finite() {
            u.prox(Weight::scalar(HEAVY), &mut x).ok()?;
        }
        (x.iter().all(|x| x.is_finite()) && u.value(&x).is_finite()).then_some(x)
    }

    /// Two points near `x` on the way to `other`: X holds them, whatever it is.
    fn sample_near(&mut self, x: &[f64], other: &[f64], sizes: &[f64]) {
        let way = distance(x, other);
        let near = NEAR * way.min(norm(sizes)).max(NEAR * norm(x));
        self.sample_row(x, other, near, 2);
    }

    /// Points in a row from `x` on, so many at this distance from each other, on the way to `other`.
    fn sample_row(&mut self, x: &[f64], other: &[f64], near: f64, count: usize) {
        let way = distance(x, other);
        let Some(first) = self.samples.iter().position(|sample| sample.x == x) else { return };
        if near.is_nan() || near <= 0.0 || way <= count as f64 * near {
            return;
        }
        let mut row = vec![first];
        for step in 1..=count {
            let next = self.samples.len();
            if self.stopped.is_some() || self.evaluate(blend(x, other, step as f64 * near / way)).is_err() {
                return;
            }
            row.push(next);
        }
        self.rows.extend(row.windows(3).map(|three| [three[0], three[1], three[2]]));
    }

    /// Measures the noise around a sample, towards the sample that is furthest away.
    fn sample_noise(&mut self, x: &[f64]) {
        const POINTS: usize = 6;
        let away = |a: &&Sample, b: &&Sample| distance(&a.x, x).total_cmp(&distance(&b.x, x));
        let Some(other) = self.samples.iter().max_by(away).map(|sample| sample.x.clone()) else { return };
        let size = distance(x, &other).min(norm(x).max(norm(self.places.answer)));
        self.sample_row(x, &other, NEAR * size, POINTS);
    }

    /// The worst of what all samples show.
    fn worst(&mut self, grade: Grounds) -> Result<Option<Finding>, OracleError> {
        if let Some(stop) = self.stopped {
            return Err(stop.into());
        }
        let mut findings = Findings::new(Role::Component, self.component.kind());
        pairs::check(self.component, &mut self.samples, &self.rows, self.places.accuracy, &mut findings);
        if grade == Grounds::Function {
            self.check_value_alone(&mut findings)?;
        }
        let worst = |a: &Finding, b: &Finding| a.severity().total_cmp(&b.severity());
        Ok(findings.into_list().into_iter().max_by(worst))
    }

    /// Evaluates where the run has evaluated, or could have.
    fn sample_of_run(&mut self, x: Vec<f64>) -> Result<(), OracleError> {
        self.evaluate(x).map(|_| ())
    }

    /// Evaluates where the run has not been. A function may well be undefined there: then nearer to the answer.
    fn sample(&mut self, x: Vec<f64>) {
        if self.stopped.is_some() || self.samples.iter().any(|sample| sample.x == x) {
            return;
        }
        if self.evaluate(x.clone()).is_ok() {
            return;
        }
        for share in DRAWN {
            let nearer = blend(self.places.answer, &x, share);
            if self.stopped.is_some() || self.evaluate(nearer).is_ok() {
                return;
            }
        }
    }

    /// The value must be the same where no gradient is asked for.
    fn check_value_alone(&mut self, findings: &mut Findings) -> Result<(), OracleError> {
        self.budget.component()?;
        let Some(first) = self.samples.first() else { return Ok(()) };
        let alone = guarded(self.component, &first.x, None)?;
        let tolerance = first.value_noise + 1e-9 * first.value.abs() + self.places.accuracy;
        findings.law(Check::ValueAlone, (alone - first.value).abs(), tolerance, || Seen {
            points: vec![("x", first.x.clone())],
            numbers: vec![("value with gradient", first.value), ("value alone", alone)],
            ..Seen::default()
        });
        Ok(())
    }

    fn gradient_at(&mut self, x: &[f64]) -> Option<Vec<f64>> {
        let before = self.samples.len();
        self.evaluate(x.to_vec()).ok()?;
        self.samples.get(before).map(|sample| sample.gradient.clone())
    }

    fn evaluate(&mut self, x: Vec<f64>) -> Result<(), OracleError> {
        if let Err(stop) = self.budget.component() {
            self.stopped = Some(stop);
            return Err(stop.into());
        }
        self.evaluations += 1;
        let mut gradient = vec![0.0; x.len()];
        let value = guarded(self.component, &x, Some(&mut gradient))?;
        self.samples.push(Sample { x, value, gradient, value_noise: 0.0, gradient_noise: 0.0 });
        Ok(())
    }
}

/// (1 - share) a + share b
fn blend(a: &[f64], b: &[f64], share: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + share * (b - a)).collect()
}
