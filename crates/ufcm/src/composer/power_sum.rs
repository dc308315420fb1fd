//! h(z) = w times the sum of |z_j|^p, 1 <= p <= 2. Its conjugate is the indicator of |l_j| <= w for p = 1, the sum
//! of (p-1)/p |l_j| (|l_j| / (w p))^(1/(p-1)) for p > 1.

use super::check_scale;
use super::fields::{REDUCTION, WEIGHT, weight};
use super::rowwise::{ConjugateTerm, Rowwise, ScalarLaw};
use crate::catalogue::{Bound, ComposerEntry, Field, FieldType, Kind, RowsTaken, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, Position, check_finite_scalar};
use crate::oracle::ScalarTerm;

const KIND: &str = "power sum";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "sum_power",
        aliases: &[],
        formula: "sum of |z_j|^p",
        about: "Powers of affine rows.",
        fields: &[
            Field::new("p", FieldType::Number, "the exponent")
                .bounds("between 1 and 2")
                .sample("1.5")
                .blamed_as(&["exponent"]),
            REDUCTION,
            WEIGHT,
        ],
        example: "",
    },
    rows: RowsTaken::Affine,
    bound: Bound::Whole,
    prepare: None,
    build: |values, rows| Ok(Box::new(PowerSum::new(rows, values.number("p")?, weight(values, rows)?)?)),
};

/// The sum of p-th powers of affine rows: between least absolute deviations (p = 1) and least squares (p = 2).
///
/// ```
/// use ufcm::composer::PowerSum;
/// use ufcm::oracle::Composer;
///
/// let h = PowerSum::new(2, 1.5, 2.0)?;
/// assert_eq!(h.value(&[4.0, -1.0]), 2.0 * (8.0 + 1.0));
/// let mut multipliers = [0.0; 2];
/// h.multipliers_at(&[4.0, -1.0], &mut multipliers);
/// assert_eq!(multipliers, [6.0, -3.0]);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PowerSum {
    rows: usize,
    exponent: f64,
    weight: f64,
}

impl PowerSum {
    /// `weight` times the sum of |z_j|^p, p = `exponent`, over `rows` rows, possibly none.
    ///
    /// # Errors
    /// An `exponent` outside [1, 2], or a `weight` that is not a number between 1e-100 and 1e100.
    pub fn new(rows: usize, exponent: f64, weight: f64) -> Result<Self, DataError> {
        check_finite_scalar(KIND, "exponent", exponent)?;
        if !(1.0..=2.0).contains(&exponent) {
            let expected = "between 1 and 2";
            return Err(DataError::out_of_range(KIND, "exponent", Position::Scalar, exponent, expected));
        }
        check_scale(KIND, "weight", weight)?;
        Ok(Self { rows, exponent, weight })
    }
}

impl Rowwise for PowerSum {
    type Law = PowerLaw;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn law(&self, _row: usize) -> PowerLaw {
        PowerLaw { exponent: self.exponent, weight: self.weight }
    }
}

/// z -> weight |z|^exponent.
pub(super) struct PowerLaw {
    exponent: f64,
    weight: f64,
}

impl PowerLaw {
    /// The ends p = 1 and p = 2, where everything is exact.
    fn end(&self) -> Option<ConjugateTerm> {
        if self.exponent == 1.0 {
            Some(ConjugateTerm::interval(-self.weight, self.weight))
        } else if self.exponent == 2.0 {
            Some(ConjugateTerm(ScalarTerm { ridge: 0.5 / self.weight, ..ScalarTerm::ZERO }))
        } else {
            None
        }
    }

    /// The z >= 0 with z/w + s z^e = v, where s = weight p, e = p - 1 in (0, 1) and v > 0: the prox of h at w v, with
    /// weight 1/w.
    fn prox(&self, w: f64, v: f64) -> f64 {
        let (s, e) = (self.weight * self.exponent, self.exponent - 1.0);
        // For t = log(z / (w v)) the equation reads log(exp(t) + exp(k + e t)) = 0, the soft maximum of two lines:
        // convex and increasing. Newton's method from the right of the root moves left, never past it.
        let k = s.ln() + e * w.ln() + (e - 1.0) * v.ln();
        let mut t = (-k / e).min(0.0);
        for _ in 0..100 {
            let (first, second) = (t.exp(), (k + e * t).exp());
            let sum = first + second;
            let next = t - sum.ln() * sum / (first + e * second);
            if next >= t || next.is_nan() {
                break;
            }
            t = next;
        }
        // t carries the rounding of k; one step on the equation as it stands removes it.
        let z = w * v * t.exp();
        let (residual, slope) = (z / w + s * z.powf(e) - v, 1.0 / w + s * e * z.powf(e - 1.0));
        (z - residual / slope).max(0.0)
    }
}

impl ScalarLaw for PowerLaw {
    fn value(&self, z: f64) -> f64 {
        self.end().map_or_else(|| self.weight * z.abs().powf(self.exponent), |end| end.value(z))
    }

    fn conjugate(&self, l: f64) -> f64 {
        if let Some(end) = self.end() {
            return end.conjugate(l);
        }
        let (l, e) = (l.abs(), self.exponent - 1.0);
        e / self.exponent * l * (l / (self.weight * self.exponent)).powf(1.0 / e)
    }

    /// h* grows like |l|^(p/e), which multiplies the relative error of l by p/e.
    fn conjugate_magnitude(&self, l: f64) -> f64 {
        let growth = if self.end().is_some() { 2.0 } else { self.exponent / (self.exponent - 1.0) };
        (1.0 + growth) * self.conjugate(l).abs()
    }

    fn prox_conjugate(&self, w: f64, v: f64) -> f64 {
        if let Some(end) = self.end() {
            return end.prox_conjugate(w, v);
        }
        if v == 0.0 {
            return 0.0;
        }
        // Of the two forms of l the one without cancellation.
        let removed = self.prox(w, v.abs()) / w;
        if removed <= 0.5 * v.abs() {
            v - removed.copysign(v)
        } else {
            self.multiplier_at(w * removed).copysign(v)
        }
    }

    /// 1 / (w + 1/h''(z)) at z = w (v - l).
    fn prox_conjugate_jacobian(&self, w: f64, v: f64) -> f64 {
        if let Some(end) = self.end() {
            return end.prox_conjugate_jacobian(w, v);
        }
        let z = if v == 0.0 { 0.0 } else { self.prox(w, v.abs()) };
        let p = self.exponent;
        1.0 / (w + z.powf(2.0 - p) / (self.weight * p * (p - 1.0)))
    }

    fn multiplier_at(&self, z: f64) -> f64 {
        if let Some(end) = self.end() {
            return end.multiplier_at(z);
        }
        (self.weight * self.exponent * z.abs().powf(self.exponent - 1.0)).copysign(z)
    }

    fn least_scale(&self, l: f64) -> f64 {
        self.end().map_or(0.0, |end| end.least_scale(l))
    }

    fn curved_part(&self, l: f64) -> (f64, f64) {
        let growth = self.exponent / (self.exponent - 1.0);
        self.end().map_or_else(|| (self.conjugate(l), growth), |end| end.curved_part(l))
    }

    fn smoothness(&self) -> f64 {
        self.end().map_or(f64::INFINITY, |end| end.smoothness())
    }

    fn is_nondecreasing(&self) -> bool {
        false
    }

    fn conic(&self, form: &mut Form, z: &Expression) -> Expression {
        let power = form.scaled(self.weight, |form| Some(form.power(z, self.exponent)));
        power.unwrap_or_default()
    }
}
