//! h(z) = sum of w_j / z_j over z > 0. Its conjugate is the sum of -2 sqrt(-w_j l_j) over l <= 0.

use super::fields::{REDUCTION, WEIGHT, WEIGHTS, row_weights};
use super::negative_log::check_weights;
use super::rowwise::{Rowwise, ScalarLaw};
use crate::catalogue::{Bound, ComposerEntry, Kind, RowsTaken, Section};
use crate::conic::{Expression, Form};
use crate::error::DataError;

const KIND: &str = "reciprocal";

/// Rows are at least this, so that h is closed where it is finite.
const FLOOR: f64 = 1e-100;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "reciprocal",
        aliases: &[],
        formula: "sum of w_j / z_j",
        about: "The reciprocals of affine rows, which must be positive: compliance of bars, variances of shares of a sample.",
        fields: &[WEIGHTS, REDUCTION, WEIGHT],
        example: r#">>> compliance = ufcm.reciprocal(ufcm.affine([[1.0, 0.0], [0.0, 1.0]]), [1.0, 4.0])
>>> whole = ufcm.affine([[1.0, 1.0]], [3.0]) <= 0
>>> r = ufcm.Problem(minimize=compliance, subject_to=[whole], domain=ufcm.nonnegative()).solve()
>>> r.status, round(float(r.x[1]), 3)
('Certified', 2.0)"#,
    },
    rows: RowsTaken::Affine,
    bound: Bound::Whole,
    prepare: None,
    build: |values, rows| Ok(Box::new(Reciprocal::new(row_weights(values, rows)?)?)),
};

/// The reciprocals of affine rows, weighted: +inf where a row is not positive.
///
/// ```
/// use ufcm::composer::Reciprocal;
/// use ufcm::oracle::Composer;
///
/// let h = Reciprocal::new(vec![1.0, 2.0])?;
/// assert_eq!(h.value(&[1.0, 0.5]), 5.0);
/// assert_eq!(h.value(&[1.0, 0.0]), f64::INFINITY);
/// assert_eq!(h.conjugate(&[-1.0, -8.0]), -10.0);
/// assert_eq!(h.conjugate(&[1.0, -8.0]), f64::INFINITY);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Reciprocal {
    weights: Vec<f64>,
}

impl Reciprocal {
    /// sum of `weights`_j / z_j; no rows are allowed.
    ///
    /// # Errors
    /// A weight that is not a number between 1e-100 and 1e100.
    pub fn new(weights: Vec<f64>) -> Result<Self, DataError> {
        check_weights(KIND, &weights)?;
        Ok(Self { weights })
    }
}

impl Rowwise for Reciprocal {
    type Law = ReciprocalLaw;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn rows(&self) -> usize {
        self.weights.len()
    }

    fn suits_interior_points(&self) -> bool {
        true
    }

    fn law(&self, row: usize) -> ReciprocalLaw {
        ReciprocalLaw { weight: self.weights[row] }
    }

    /// Not known: no bound is stated on it.
    fn sublevel_multiplier(&self, _level: f64, _multipliers: &[f64]) -> Option<f64> {
        None
    }
}

/// z -> weight / z.
pub(super) struct ReciprocalLaw {
    weight: f64,
}

impl ReciprocalLaw {
    /// The z whose slope -weight / z^2 is (z / w) less than v's, -weight / z^2 = v - z / w: the root of z - w v - w weight / z^2, which is concave and
    /// increases. So Newton's method from the left of the root moves right and never past it; where it starts, z is at least half the root.
    fn root(&self, w: f64, v: f64) -> f64 {
        let (shift, scale) = (w * v, w * self.weight);
        let mut z = if v >= 0.0 {
            shift.max(scale.cbrt())
        } else {
            (0.5 * scale).cbrt().min((-0.5 * self.weight / v).sqrt())
        };
        for _ in 0..100 {
            let pull = scale / (z * z);
            let next = z - (z - shift - pull) / (1.0 + 2.0 * pull / z);
            if next <= z || next.is_nan() {
                break;
            }
            z = next;
        }
        z.max(FLOOR)
    }
}

impl ScalarLaw for ReciprocalLaw {
    fn value(&self, z: f64) -> f64 {
        if z >= FLOOR { self.weight / z } else { f64::INFINITY }
    }

    /// The supremum of l z - weight / z is at z = sqrt(-weight / l), or at the floor where that is below it.
    fn conjugate(&self, l: f64) -> f64 {
        if l > 0.0 || l.is_nan() {
            return f64::INFINITY;
        }
        let product = (self.weight * -l).sqrt();
        if self.weight < product * FLOOR { l * FLOOR - self.weight / FLOOR } else { -2.0 * product }
    }

    fn conjugate_magnitude(&self, l: f64) -> f64 {
        2.0 * self.conjugate(l).abs()
    }

    fn prox_conjugate(&self, w: f64, v: f64) -> f64 {
        let z = self.root(w, v);
        -self.weight / z / z
    }

    /// h*'' = z^3 / (2 weight), z the point whose slope is l.
    fn prox_conjugate_jacobian(&self, w: f64, v: f64) -> f64 {
        let z = self.root(w, v);
        1.0 / (z / self.weight * z * z * 0.5 + w)
    }

    fn multiplier_at(&self, z: f64) -> f64 {
        let z = z.max(FLOOR);
        -self.weight / z / z
    }

    fn smoothness(&self) -> f64 {
        f64::INFINITY
    }

    fn is_nondecreasing(&self) -> bool {
        false
    }

    fn conic(&self, form: &mut Form, z: &Expression) -> Expression {
        form.reciprocal(z, self.weight)
    }

    fn domain(&self) -> [f64; 2] {
        [FLOOR, f64::INFINITY]
    }
}
