//! h(z) = -sum of w_j log z_j over z > 0. Its conjugate is the sum of -w_j - w_j log(-l_j / w_j) over l < 0.

use super::fields::{REDUCTION, WEIGHT, WEIGHTS, row_weights};
use super::rowwise::{Rowwise, ScalarLaw};
use super::{SCALES, check_scale};
use crate::catalogue::{Bound, ComposerEntry, Kind, RowsTaken, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, Position};

const KIND: &str = "negative log";

/// Rows are at least this, so that h is closed where it is finite.
const FLOOR: f64 = 1e-100;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "negative_log",
        aliases: &[],
        formula: "-sum of w_j log(z_j)",
        about: "Minus the logarithms of affine rows, which must be positive: growth of wealth, log-likelihoods, barriers.",
        fields: &[WEIGHTS, REDUCTION, WEIGHT],
        example: r#">>> growth = ufcm.negative_log(ufcm.affine([[1.5, 1.0], [0.6, 1.0]]), [0.5, 0.5])     # heads and tails
>>> whole = ufcm.affine([[1.0, 1.0]], [1.0]) == 0
>>> r = ufcm.Problem(minimize=growth, subject_to=[whole], domain=ufcm.nonnegative()).solve()
>>> r.status, round(float(r.x[0]), 3)
('Certified', 0.25)"#,
    },
    rows: RowsTaken::Affine,
    bound: Bound::Whole,
    prepare: None,
    build: |values, rows| Ok(Box::new(NegativeLog::new(row_weights(values, rows)?)?)),
};

/// Minus the logarithms of affine rows, weighted: +inf where a row is not positive.
///
/// ```
/// use ufcm::composer::NegativeLog;
/// use ufcm::oracle::Composer;
///
/// let h = NegativeLog::new(vec![1.0, 2.0])?;
/// assert_eq!(h.value(&[1.0, 1.0]), 0.0);
/// assert_eq!(h.value(&[1.0, 0.0]), f64::INFINITY);
/// assert_eq!(h.conjugate(&[-1.0, -2.0]), -3.0);
/// assert_eq!(h.conjugate(&[1.0, -2.0]), f64::INFINITY);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NegativeLog {
    weights: Vec<f64>,
}

impl NegativeLog {
    /// -sum of `weights`_j log z_j; no rows are allowed.
    ///
    /// # Errors
    /// A weight that is not a number between 1e-100 and 1e100.
    pub fn new(weights: Vec<f64>) -> Result<Self, DataError> {
        check_weights(KIND, &weights)?;
        Ok(Self { weights })
    }
}

/// Checks that all weights are positive and within [`SCALES`].
pub(super) fn check_weights(kind: &'static str, weights: &[f64]) -> Result<(), DataError> {
    match weights.iter().position(|w| !SCALES.contains(w)) {
        None => Ok(()),
        Some(j) if weights[j].is_finite() => {
            let expected = "between 1e-100 and 1e100";
            Err(DataError::out_of_range(kind, "weights", Position::Entry(j), weights[j], expected))
        }
        Some(j) => check_scale(kind, "weights", weights[j]),
    }
}

impl Rowwise for NegativeLog {
    type Law = LogLaw;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn rows(&self) -> usize {
        self.weights.len()
    }

    fn suits_interior_points(&self) -> bool {
        true
    }

    fn law(&self, row: usize) -> LogLaw {
        LogLaw { weight: self.weights[row] }
    }

    /// Not known: no bound is stated on it.
    fn sublevel_multiplier(&self, _level: f64, _multipliers: &[f64]) -> Option<f64> {
        None
    }
}

/// z -> -weight log z.
pub(super) struct LogLaw {
    weight: f64,
}

impl ScalarLaw for LogLaw {
    fn value(&self, z: f64) -> f64 {
        if z >= FLOOR { -self.weight * z.ln() } else { f64::INFINITY }
    }

    /// The supremum of l z + w log z is at z = -w/l, or at the floor where that is below it.
    fn conjugate(&self, l: f64) -> f64 {
        let w = self.weight;
        if l >= 0.0 || l.is_nan() {
            return f64::INFINITY;
        }
        let z = -w / l;
        if z < FLOOR { l * FLOOR + w * FLOOR.ln() } else { -w + w * z.ln() }
    }

    /// The rounding of l counts w times, that of the logarithm and of the sum once each.
    fn conjugate_magnitude(&self, l: f64) -> f64 {
        3.0 * self.weight + self.conjugate(l).abs()
    }

    /// The negative root of l^2 - v l - w/weight, without cancellation.
    fn prox_conjugate(&self, w: f64, v: f64) -> f64 {
        let s = self.weight / w;
        let root = v.hypot(2.0 * s.sqrt());
        if v > 0.0 { -2.0 * s / (v + root) } else { 0.5 * (v - root) }
    }

    /// h*'' = weight / l^2.
    fn prox_conjugate_jacobian(&self, w: f64, v: f64) -> f64 {
        let l = self.prox_conjugate(w, v);
        1.0 / (self.weight / (l * l) + w)
    }

    fn multiplier_at(&self, z: f64) -> f64 {
        -self.weight / z.max(FLOOR)
    }

    fn smoothness(&self) -> f64 {
        f64::INFINITY
    }

    fn is_nondecreasing(&self) -> bool {
        false
    }

    fn conic(&self, form: &mut Form, z: &Expression) -> Expression {
        form.negative_log(z.clone()).times(self.weight)
    }

    fn domain(&self) -> [f64; 2] {
        [FLOOR, f64::INFINITY]
    }
}
