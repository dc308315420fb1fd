//! h(z) = eta log sum_j exp(z_j / eta). Its conjugate is eta sum_j l_j log l_j on the unit simplex.

use super::check_scale;
use super::fields::{WEIGHT, scaled};
use super::max::in_unit_simplex;
use crate::catalogue::{Alias, Bound, ComposerEntry, Field, FieldType, Kind, RowsTaken, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, DataProblem};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Composer, Grounds, NewtonComposer, OracleError, Weight};

const KIND: &str = "log-sum-exp";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "smooth_maximum",
        aliases: &[Alias::of_problem_files("smooth_max")],
        formula: "eta log sum exp(z_j / eta)",
        about: "The smoothed maximum of m rows, above it by at most eta log m.",
        fields: &[
            Field::new("eta", FieldType::Number, "the smoothing").bounds("positive").sample("0.5"),
            WEIGHT,
        ],
        example: "",
    },
    rows: RowsTaken::Any,
    bound: Bound::Whole,
    prepare: None,
    build: |values, rows| scaled(values, LogSumExp::new(rows, values.number("eta")?)?),
};

/// The soft maximum: max_j z_j <= h(z) <= max_j z_j + eta log m, with L_h = 1 / eta.
///
/// ```
/// use ufcm::composer::LogSumExp;
/// use ufcm::oracle::Composer;
///
/// let h = LogSumExp::new(2, 0.5)?;
/// assert_eq!(h.value(&[3.0, 3.0]), 3.0 + 0.5 * 2f64.ln());
/// assert_eq!(h.smoothness(), 2.0);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LogSumExp {
    rows: usize,
    eta: f64,
}

impl LogSumExp {
    /// The soft maximum of `rows` rows at temperature `eta`.
    ///
    /// # Errors
    /// No rows at all, or an `eta` that is not a number between 1e-100 and 1e100.
    pub fn new(rows: usize, eta: f64) -> Result<Self, DataError> {
        if rows == 0 {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "rows" }));
        }
        check_scale(KIND, "eta", eta)?;
        Ok(Self { rows, eta })
    }

    /// exp((z_j - max z) / eta), without overflow.
    fn exponential(&self, z: f64, largest: f64) -> f64 {
        ((z - largest) / self.eta).exp()
    }
}

impl Composer for LogSumExp {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn value(&self, z: &[f64]) -> f64 {
        let largest = largest(z);
        largest + self.eta * z.iter().map(|&z| self.exponential(z, largest)).sum::<f64>().ln()
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        if !in_unit_simplex(multipliers) {
            return f64::INFINITY;
        }
        // 0 log 0 = 0.
        self.eta * multipliers.iter().filter(|&&l| l > 0.0).map(|l| l * l.ln()).sum::<f64>()
    }

    /// Near a vertex of the simplex h* is small, but the rounding of l is not: it enters with 1 + log l.
    fn conjugate_magnitude(&self, multipliers: &[f64]) -> f64 {
        self.eta
            * multipliers.iter().filter(|&&l| l > 0.0).map(|l| l * (1.0 + 2.0 * l.ln().abs())).sum::<f64>()
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        let level = Level::new(self.eta, weight, multipliers);
        for (j, l) in multipliers.iter_mut().enumerate() {
            let (a, x) = level.entry(weight.at(j), *l);
            *l = tilted(a, x);
        }
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        let largest = largest(z);
        for (l, &z) in multipliers.iter_mut().zip(z) {
            *l = self.exponential(z, largest);
        }
        let sum: f64 = multipliers.iter().sum();
        multipliers.iter_mut().for_each(|l| *l /= sum);
    }

    fn smoothness(&self) -> f64 {
        1.0 / self.eta
    }

    fn is_nondecreasing(&self, _row: usize) -> bool {
        true
    }

    fn domain_distance(&self, _z: &[f64]) -> f64 {
        0.0
    }

    /// Multipliers add up to 1 where h* is finite.
    fn sublevel_multiplier(&self, _level: f64, multipliers: &[f64]) -> Option<f64> {
        Some(multipliers.iter().sum::<f64>().max(0.0))
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        let cold: Vec<_> = z.iter().map(|z| z.clone().times(self.eta.recip())).collect();
        Some(form.log_sum_exp(&cold).times(self.eta))
    }
}

impl NewtonComposer for LogSumExp {
    /// With D = (W + eta diag(1/l))^-1: D - (D 1)(D 1)' / (1' D 1).
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        out.with_vector(point.iter().copied(), |d, out| {
            self.prox_conjugate(weight, d)?;
            for (j, d) in d.iter_mut().enumerate() {
                *d /= weight.at(j) * *d + self.eta;
            }
            out.diagonal().copy_from_slice(d);
            out.rank_one(-1.0 / d.iter().sum::<f64>(), 0, d.iter().copied());
            Ok(())
        })
    }
}

fn largest(z: &[f64]) -> f64 {
    z.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The multiplier theta of sum_j l_j = 1 in the prox of the conjugate at v, kept as `base` + eta `offset`.
///
/// Optimality reads eta log l_j + w_j (l_j - v_j) + theta = 0 (the constant eta is part of theta): l_j is the
/// [`tilted`] root for a = w_j / eta and x = (w_j v_j - theta) / eta. Where |v| is large that x cancels, so theta is
/// measured from the largest w_j v_j. In a diagonal metric that resolves theta only to the rounding of the heaviest
/// row; a second root, measured from the first, brings the light rows to full precision.
struct Level {
    eta: f64,
    base: f64,
    offset: f64,
}

impl Level {
    fn new(eta: f64, weight: Weight<'_>, v: &[f64]) -> Self {
        let above = |base: f64| {
            let level = Self { eta, base, offset: 0.0 };
            Self { offset: level.normaliser(weight, v), ..level }
        };
        let level = above(v.iter().enumerate().fold(f64::NEG_INFINITY, |m, (j, v)| m.max(weight.at(j) * v)));
        if weight.as_scalar().is_some() { level } else { above(level.base + eta * level.offset) }
    }

    /// (a, x) of an entry at this level.
    fn entry(&self, w: f64, v: f64) -> (f64, f64) {
        (w / self.eta, (w * v - self.base) / self.eta - self.offset)
    }

    /// The mu with sum_j l_j(x_j - mu) = 1.
    ///
    /// The sum is convex and decreasing in mu, so Newton's method from the left of the root moves right, never past
    /// it. At mu = max_j (x_j - a_j) no l_j exceeds 1 and one of them is 1: left of the root, and near it.
    fn normaliser(&self, weight: Weight<'_>, v: &[f64]) -> f64 {
        let entries = v.iter().enumerate().map(|(j, &v)| self.entry(weight.at(j), v));
        let mut mu = entries.clone().fold(f64::NEG_INFINITY, |m, (a, x)| m.max(x - a));
        for iteration in 0..200 {
            let (mut sum, mut slope) = (0.0, 0.0);
            for (a, x) in entries.clone() {
                let l = tilted(a, x - mu);
                sum += l;
                slope += l / (1.0 + a * l);
            }
            let next = mu + (sum - 1.0) / slope;
            // Rounding may have put the first point right of the root; one step then brings it back to the left.
            if next == mu || (next < mu && iteration > 0) {
                break;
            }
            mu = next;
        }
        mu
    }
}

/// The l > 0 with log l + a l = x, for a > 0 (it underflows to 0 where x is far below 0).
///
/// The left-hand side is concave and increasing, so Newton's method from the left of the root moves right, never
/// past it. With t = x + log a and y = a l, the root solves y + log y = t: then y >= t - log t for t >= 1, and
/// y >= exp(t) / (1 + exp(t)) always.
fn tilted(a: f64, x: f64) -> f64 {
    let t = x + a.ln();
    let mut l = if t > 1.0 { (t - t.ln()) / a } else { x.exp() / (1.0 + t.exp()) };
    if l == 0.0 {
        return 0.0;
    }
    loop {
        let next = l * (1.0 + (x - l.ln())) / (1.0 + a * l);
        if next <= l * (1.0 + f64::EPSILON) || next.is_nan() {
            return next;
        }
        l = next;
    }
}
