//! h(z) = sum of w_j z_j log z_j over z >= 0. Its conjugate is the sum of w_j exp(l_j / w_j - 1).

use super::fields::{REDUCTION, WEIGHT, WEIGHTS, row_weights};
use super::negative_log::check_weights;
use super::rowwise::{Rowwise, ScalarLaw};
use crate::catalogue::{Bound, ComposerEntry, Kind, RowsTaken, Section};
use crate::conic::{Expression, Form};
use crate::error::DataError;

const KIND: &str = "negative entropy";

/// At z = 0 the slope is -inf; this many weights are enough for the conjugate to vanish.
const STEEPEST: f64 = -800.0;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "negative_entropy",
        aliases: &[],
        formula: "sum of w_j z_j log(z_j)",
        about: "The negative entropy of affine rows, which must not be negative; 0 log 0 is 0.",
        fields: &[WEIGHTS, REDUCTION, WEIGHT],
        example: r#">>> ufcm.negative_entropy(ufcm.affine([[1.0, 0.0], [0.0, 1.0]]))
<Term: negative_entropy of 2 rows>"#,
    },
    rows: RowsTaken::Affine,
    bound: Bound::Whole,
    prepare: None,
    build: |values, rows| Ok(Box::new(NegativeEntropy::new(row_weights(values, rows)?)?)),
};

/// The negative entropy of affine rows, weighted: +inf where a row is negative.
///
/// ```
/// use ufcm::composer::NegativeEntropy;
/// use ufcm::oracle::Composer;
///
/// let h = NegativeEntropy::new(vec![1.0, 2.0])?;
/// assert_eq!(h.value(&[1.0, 0.0]), 0.0);
/// assert_eq!(h.value(&[1.0, -0.1]), f64::INFINITY);
/// assert_eq!(h.conjugate(&[1.0, 2.0]), 3.0);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NegativeEntropy {
    weights: Vec<f64>,
}

impl NegativeEntropy {
    /// sum of `weights`_j z_j log z_j; no rows are allowed.
    ///
    /// # Errors
    /// A weight that is not a number between 1e-100 and 1e100.
    pub fn new(weights: Vec<f64>) -> Result<Self, DataError> {
        check_weights(KIND, &weights)?;
        Ok(Self { weights })
    }
}

impl Rowwise for NegativeEntropy {
    type Law = EntropyLaw;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn rows(&self) -> usize {
        self.weights.len()
    }

    fn suits_interior_points(&self) -> bool {
        true
    }

    fn law(&self, row: usize) -> EntropyLaw {
        EntropyLaw { weight: self.weights[row] }
    }

    /// Not known: no bound is stated on it.
    fn sublevel_multiplier(&self, _level: f64, _multipliers: &[f64]) -> Option<f64> {
        None
    }
}

/// z -> weight z log z.
pub(super) struct EntropyLaw {
    weight: f64,
}

impl EntropyLaw {
    /// The derivative of h* at l: the z whose slope is l.
    fn point(&self, l: f64) -> f64 {
        (l / self.weight - 1.0).exp()
    }
}

impl ScalarLaw for EntropyLaw {
    fn value(&self, z: f64) -> f64 {
        if z > 0.0 {
            self.weight * z * z.ln()
        } else if z == 0.0 {
            0.0
        } else {
            f64::INFINITY
        }
    }

    fn conjugate(&self, l: f64) -> f64 {
        if l.is_nan() { f64::INFINITY } else { self.weight * self.point(l) }
    }

    /// The exponent multiplies the relative error of l by itself.
    fn conjugate_magnitude(&self, l: f64) -> f64 {
        (2.0 + (l / self.weight).abs()) * self.conjugate(l)
    }

    /// exp(l / weight - 1) = w (v - l). With s = log of z over w weight, z = w (v - l), it reads s + exp(s) = d: convex and increasing,
    /// so Newton's method from the right of the root moves left and never past it.
    fn prox_conjugate(&self, w: f64, v: f64) -> f64 {
        let scale = w * self.weight;
        let d = v / self.weight - 1.0 - scale.ln();
        let mut s = if d > 1.0 { d.ln() } else { d };
        for _ in 0..100 {
            let e = s.exp();
            let next = s - (s + e - d) / (1.0 + e);
            if next >= s || next.is_nan() {
                break;
            }
            s = next;
        }
        let z = scale * s.exp();
        let mut l = if z <= 0.5 * w * v.abs() { v - z / w } else { self.weight * (1.0 + s + scale.ln()) };
        // The logarithms carry rounding of their own; steps on the equation as it stands remove it.
        for _ in 0..2 {
            let z = self.point(l);
            let next = l - (z + w * (l - v)) / (z / self.weight + w);
            l = if next.is_finite() { next } else { l };
        }
        l
    }

    fn prox_conjugate_jacobian(&self, w: f64, v: f64) -> f64 {
        1.0 / (self.point(self.prox_conjugate(w, v)) / self.weight + w)
    }

    fn multiplier_at(&self, z: f64) -> f64 {
        self.weight * (z.max(0.0).ln() + 1.0).max(STEEPEST)
    }

    fn smoothness(&self) -> f64 {
        f64::INFINITY
    }

    fn is_nondecreasing(&self) -> bool {
        false
    }

    fn conic(&self, form: &mut Form, z: &Expression) -> Expression {
        form.negative_entropy(z.clone()).times(self.weight)
    }

    fn domain(&self) -> [f64; 2] {
        [0.0, f64::INFINITY]
    }
}
