//! The audit of a component: guarded evaluations, the sample points with their measured rounding, and the order
//! of the checks.

use super::finding::{Check, Finding, Findings, Role, Seen};
use super::{AuditOptions, COSTLY, largest, shifted};
use crate::linalg::norm;
use crate::oracle::guard::caught;
use crate::oracle::{Component, OracleError};
use crate::random::Random;

/// Rounding that nobody can avoid, as a multiple of the terms of a sum: a few dozen units in the last place.
pub(super) const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// How much larger than the rounding seen in a few differences the rounding elsewhere may be.
const SAFETY: f64 = 8.0;

/// Numbers beyond which squares and products may overflow: the audit stays nearer the centre.
const HUGE: f64 = 1e100;

/// A point with all that was measured there.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    /// How far rounding may move the value.
    pub(super) value_noise: f64,
    /// How far rounding may move the gradient (Euclidean norm).
    pub(super) gradient_noise: f64,
}

impl Sample {
    fn terms(&self) -> f64 {
        terms(self.value, &self.gradient, &self.x)
    }
}

/// Why there is no answer.
pub(super) enum Trouble {
    /// The oracle said, as it should, that the numbers grow out of range here. No fault of its own.
    OutOfRange,
    /// A finding has been noted.
    Noted,
}

pub(super) struct ComponentAudit<'a> {
    pub(super) oracle: &'a dyn Component,
    pub(super) options: &'a AuditOptions,
    pub(super) n: usize,
    pub(super) quick: bool,
    pub(super) random: Random,
    pub(super) findings: Findings,
}

/// Runs the checks in order; each relies on those before it.
pub(super) fn audit(oracle: &dyn Component, options: &AuditOptions) -> Vec<Finding> {
    let n = oracle.dimension();
    let mut audit = ComponentAudit {
        oracle,
        options,
        n,
        quick: options.is_quick(n) || oracle.operations().is_some_and(|operations| operations > COSTLY),
        random: Random::new(options.seed),
        findings: Findings::new(Role::Component, oracle.kind()),
    };
    if let Err(message) = caught(|| audit.run()) {
        audit.findings.note(Check::Panic, Seen { message: Some(message), ..Seen::default() });
    }
    audit.findings.into_list()
}

impl ComponentAudit<'_> {
    fn run(&mut self) {
        if self.n == 0 {
            return;
        }
        let samples = self.samples();
        if !self.findings.is_empty() {
            return;
        }
        self.check_gradients(&samples);
        self.check_segments(&samples);
        if self.findings.holds(&[Check::Gradient, Check::GradientEntry]) {
            self.check_pairs(&samples);
            self.check_extreme_curvature(&samples);
            self.check_lower_bound(&samples);
            self.check_curvature(&samples);
        }
    }

    /// The value at `x`, and the gradient where a buffer is given; what is wrong with the answer becomes a finding.
    pub(super) fn evaluate(&mut self, x: &[f64], gradient: Option<&mut Vec<f64>>) -> Result<f64, Trouble> {
        let (oracle, n) = (self.oracle, self.n);
        self.receive(x, gradient.map(|g| (g, n)), |g| oracle.evaluate(x, g))
    }

    /// Calls an oracle about the point `x` and checks what came: no panic, no error, finite, all written.
    pub(super) fn receive(
        &mut self,
        x: &[f64],
        output: Option<(&mut Vec<f64>, usize)>,
        call: impl FnOnce(Option<&mut [f64]>) -> Result<f64, OracleError>,
    ) -> Result<f64, Trouble> {
        let mut none = Vec::new();
        let wanted = output.is_some();
        let (buffer, length) = output.unwrap_or((&mut none, 0));
        buffer.clear();
        // NaNs show what an oracle forgets to write.
        buffer.resize(length, f64::NAN);
        let at_x = || Seen { points: vec![("x", x.to_vec())], excess: f64::INFINITY, ..Seen::default() };
        let value = match caught(|| call(wanted.then_some(buffer.as_mut_slice()))) {
            Err(message) => {
                self.findings.note(Check::Panic, Seen { message: Some(message), ..at_x() });
                return Err(Trouble::Noted);
            }
            Ok(Err(OracleError::Overflow { .. })) => return Err(Trouble::OutOfRange),
            Ok(Err(error)) => {
                self.findings.note(Check::Failure, Seen::failure(error, at_x().points));
                return Err(Trouble::Noted);
            }
            Ok(Ok(value)) => value,
        };
        if !value.is_finite() {
            self.findings.note(Check::Finite, Seen { numbers: vec![("value", value)], ..at_x() });
            return Err(Trouble::Noted);
        }
        if let Some(i) = buffer.iter().position(|g| !g.is_finite()) {
            let check = if buffer[i].is_nan() { Check::Written } else { Check::Finite };
            let numbers = vec![("output entry", buffer[i])];
            self.findings.note(check, Seen { numbers, index: Some(i), ..at_x() });
            return Err(Trouble::Noted);
        }
        Ok(value)
    }

    /// The value at `x`, where there is one.
    pub(super) fn value_at(&mut self, x: &[f64]) -> Option<f64> {
        self.evaluate(x, None).ok()
    }

    /// The value and gradient at a point near `near`, taken to be as exact as there.
    pub(super) fn sample_near(&mut self, near: &Sample, x: Vec<f64>) -> Option<Sample> {
        let mut gradient = Vec::new();
        let value = self.evaluate(&x, Some(&mut gradient)).ok()?;
        let value_noise = near.value_noise.max(ROUNDING * terms(value, &gradient, &x));
        let gradient_noise = near.gradient_noise.max(ROUNDING * norm(&gradient));
        Some(Sample { x, value, gradient, value_noise, gradient_noise })
    }

    /// Points at several distances from the centre, each with its gradient and rounding.
    fn samples(&mut self) -> Vec<Sample> {
        let mut samples: Vec<Sample> = Vec::new();
        for k in 0..self.options.points(self.quick) {
            // Near points see fine structure, far ones the whole.
            let spread = [1.0, 0.3, 0.03][k % 3];
            let x = match &self.options.centre {
                Some(centre) if k == 0 => centre.clone(),
                _ => self.options.point(&mut self.random, self.n, spread),
            };
            match self.sample_within_range(x) {
                Some(sample) => samples.push(sample),
                None => break,
            }
        }
        if let [first, .., last] = samples.as_slice() {
            self.check_repeatable(first, last);
        }
        pool_noise(&mut samples);
        samples
    }

    /// A sample at `x`, or closer to the centre where the numbers overflow; `None` after a finding.
    fn sample_within_range(&mut self, mut x: Vec<f64>) -> Option<Sample> {
        const HALVINGS: usize = 60;
        let mut gradient = Vec::new();
        for _ in 0..HALVINGS {
            match self.evaluate(&x, Some(&mut gradient)) {
                Ok(value) if value.abs().max(largest(gradient.iter().copied())) < HUGE => {
                    return self.measured(x, value, gradient);
                }
                Err(Trouble::Noted) => return None,
                Ok(_) | Err(Trouble::OutOfRange) => match &self.options.centre {
                    Some(centre) => x.iter_mut().zip(centre).for_each(|(x, c)| *x = 0.5 * (*x + c)),
                    None => x.iter_mut().for_each(|x| *x *= 0.5),
                },
            }
        }
        let message = Some(format!("values or gradients above {HUGE:e}, or overflow, all around the centre"));
        let (points, excess) = (vec![("x", x)], f64::INFINITY);
        self.findings.note(Check::Failure, Seen { points, message, excess, ..Seen::default() });
        None
    }

    /// Checks the value alone at x, and measures the rounding there: over steps this small a function is all but a
    /// straight line, and what its second differences show is rounding (or a kink, then small as the step is).
    fn measured(&mut self, x: Vec<f64>, value: f64, gradient: Vec<f64>) -> Option<Sample> {
        // A step that double precision feels, and one that single precision does: much code computes in that.
        const STEPS: [f64; 2] = [1.0 / (1_u64 << 40) as f64, 1.0 / (1_u64 << 22) as f64];
        let mut sample = Sample {
            value_noise: ROUNDING * terms(value, &gradient, &x),
            gradient_noise: ROUNDING * norm(&gradient),
            x,
            value,
            gradient,
        };
        let d = self.random.normals(self.n);
        // Of length `scale`, however many variables there are: curvature adds up over coordinates.
        let scale = self.options.radius.max(largest(sample.x.iter().copied())) / (self.n as f64).sqrt();
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for h in STEPS.map(|step| step * scale) {
            let above = self.evaluate(&shifted(&sample.x, h, &d), Some(&mut plus)).ok()?;
            let below = self.evaluate(&shifted(&sample.x, -h, &d), Some(&mut minus)).ok()?;
            let value = (above - sample.value) + (below - sample.value);
            let gradient: Vec<f64> = sample
                .gradient
                .iter()
                .zip(plus.iter().zip(&minus))
                .map(|(g, (p, m))| (p - g) + (m - g))
                .collect();
            sample.value_noise = sample.value_noise.max(SAFETY * value.abs());
            sample.gradient_noise = sample.gradient_noise.max(SAFETY * norm(&gradient));
        }
        self.check_value_alone(&sample)?;
        Some(sample)
    }

    fn check_value_alone(&mut self, sample: &Sample) -> Option<()> {
        let alone = self.value_at(&sample.x)?;
        self.findings.law(
            Check::ValueAlone,
            (alone - sample.value).abs(),
            sample.value_noise + self.options.tolerance * sample.value.abs(),
            || Seen {
                points: vec![("x", sample.x.clone())],
                numbers: vec![("value with gradient", sample.value), ("value alone", alone)],
                ..Seen::default()
            },
        );
        Some(())
    }

    /// Asks again where the audit began, after other points: an oracle that remembers gives itself away.
    fn check_repeatable(&mut self, first: &Sample, last: &Sample) {
        for sample in [first, last] {
            let mut gradient = Vec::new();
            let Ok(value) = self.evaluate(&sample.x, Some(&mut gradient)) else { return };
            let entry = gradient.iter().zip(&sample.gradient).position(|(a, b)| a.to_bits() != b.to_bits());
            if value.to_bits() == sample.value.to_bits() && entry.is_none() {
                continue;
            }
            let (was, is) = entry.map_or((sample.value, value), |i| (sample.gradient[i], gradient[i]));
            self.findings.law(Check::Repeatable, (was - is).abs(), 0.0, || Seen {
                points: vec![("x", sample.x.clone())],
                numbers: vec![(if entry.is_some() { "gradient entry" } else { "value" }, was), ("again", is)],
                index: entry,
                ..Seen::default()
            });
        }
    }
}

/// What a few differences show of rounding is a matter of luck, all the more where values are coarse (single
/// precision): each sample takes the others' rounding for its own, in proportion to the size of its terms. Gradients
/// are relatively no more exact than values.
fn pool_noise(samples: &mut [Sample]) {
    // Where terms all but vanish (a minimum of value 0) their rounding does not tell of larger ones.
    const MOST: f64 = 8.0;
    let measured: Vec<(f64, f64)> = samples.iter().map(|s| (s.value_noise, s.terms())).collect();
    for sample in samples {
        let own = sample.terms();
        for (noise, terms) in &measured {
            let share = if own < MOST * terms { own / terms } else { MOST };
            sample.value_noise = sample.value_noise.max(share * noise);
        }
        if own > 0.0 {
            let relative = sample.value_noise / own;
            sample.gradient_noise = sample.gradient_noise.max(relative * norm(&sample.gradient));
        }
    }
}

/// The size of the terms whose sum is f(x): the value itself, and what relative changes of x make of it.
fn terms(value: f64, gradient: &[f64], x: &[f64]) -> f64 {
    value.abs() + gradient.iter().zip(x).map(|(g, x)| (g * x).abs()).sum::<f64>()
}
