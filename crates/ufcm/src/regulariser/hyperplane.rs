//! X = {x : a.x = b}.

use super::fields::{NORMAL, OFFSET, normal};
use super::{SLOPE_ROUNDING, check_fit, fits, indicator};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, Position, check_finite, check_finite_scalar};
use crate::jacobian::JacobianBlock;
use crate::linalg::{dot, norm, norm_of};
use crate::oracle::{Grounds, MEMBERSHIP, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::projection::identity_jacobian;

const KIND: &str = "hyperplane";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Domain,
        name: "hyperplane",
        aliases: &[],
        formula: "a.x = b",
        about: "A hyperplane.",
        fields: &[NORMAL, OFFSET],
        example: "",
    },
    needs_dimension: false,
    build: |values, n| {
        let normal = normal(values, n)?;
        Ok(Box::new(Hyperplane::new(normal, values.number("offset")?)?))
    },
};

/// A hyperplane.
///
/// [`Regulariser::min_linear`] is finite only for slopes parallel to a, up to rounding (1e-12 of the slope).
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::Hyperplane;
///
/// let plane = Hyperplane::new(vec![0.0, 2.0], 6.0)?;
/// let mut x = [1.0, 1.0];
/// plane.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [1.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperplane {
    /// a / |a|.
    normal: Vec<f64>,
    /// b / |a|.
    offset: f64,
}

impl Hyperplane {
    /// normal . x = offset.
    ///
    /// # Errors
    /// A normal that is 0 or not finite; an offset that is not finite, or too large beside the normal.
    pub fn new(normal: Vec<f64>, offset: f64) -> Result<Self, DataError> {
        Self::of(KIND, normal, offset)
    }

    /// The hyperplane inside another object, which errors name.
    pub(super) fn of(object: &'static str, mut normal: Vec<f64>, offset: f64) -> Result<Self, DataError> {
        check_finite(object, "normal", &normal)?;
        check_finite_scalar(object, "offset", offset)?;
        let largest = normal.iter().fold(0.0f64, |largest, a| largest.max(a.abs()));
        if largest == 0.0 {
            return Err(DataError::structure(object, "the normal is 0"));
        }
        // By the largest entry first: the norm itself may overflow.
        let mut unit_offset = offset;
        for scale in [largest, norm_of(normal.iter().map(|a| a / largest))] {
            normal.iter_mut().for_each(|a| *a /= scale);
            unit_offset /= scale;
        }
        if !unit_offset.is_finite() {
            let expected = "within the range of numbers when divided by the normal's length";
            return Err(DataError::out_of_range(object, "offset", Position::Scalar, offset, expected));
        }
        Ok(Self { normal, offset: unit_offset })
    }

    /// a / |a| and b / |a|.
    pub(super) fn unit(&self) -> (&[f64], f64) {
        (&self.normal, self.offset)
    }

    /// a.x - b with |a| = 1, and the size of the numbers it is the sum of.
    pub(super) fn excess(&self, x: &[f64]) -> (f64, f64) {
        let mut excess = (-self.offset, self.offset.abs());
        for (a, x) in self.normal.iter().zip(x) {
            excess = (excess.0 + a * x, excess.1 + (a * x).abs());
        }
        excess
    }

    /// x -= (a.x - b) / (a' W^-1 a) W^-1 a.
    pub(super) fn project(&self, weight: Weight<'_>, x: &mut [f64]) {
        let energy = self.energy(weight);
        // Far from the plane the subtraction cancels; each pass gains as many digits as the first had.
        for _ in 0..PASSES {
            let (excess, size) = self.excess(x);
            for (i, (x, a)) in x.iter_mut().zip(&self.normal).enumerate() {
                *x -= excess / energy * (a / weight.at(i));
            }
            if excess.abs() <= 1e-2 * size {
                break;
            }
        }
    }

    /// W^-1 - (W^-1 a)(W^-1 a)' / (a' W^-1 a).
    pub(super) fn jacobian(&self, weight: Weight<'_>, out: &mut JacobianBlock<'_>) {
        identity_jacobian(weight, out);
        let across = self.normal.iter().enumerate().map(|(i, a)| a / weight.at(i));
        out.rank_one(-1.0 / self.energy(weight), 0, across);
    }

    /// a' W^-1 a.
    fn energy(&self, weight: Weight<'_>) -> f64 {
        self.normal.iter().enumerate().map(|(i, a)| a * (a / weight.at(i))).sum()
    }

    /// κ where the slope is κ a, up to rounding.
    pub(super) fn multiple_of_normal(&self, slope: &[f64]) -> Option<f64> {
        let kappa = dot(&self.normal, slope);
        let rest = norm_of(slope.iter().zip(&self.normal).map(|(s, a)| s - kappa * a));
        (rest <= SLOPE_ROUNDING * norm(slope)).then_some(kappa)
    }

    /// The minimum of κ a.x on the plane, with the point of the plane next to 0.
    pub(super) fn minimum(&self, kappa: f64, minimiser: Option<&mut [f64]>) -> f64 {
        if let Some(minimiser) = minimiser {
            minimiser.iter_mut().zip(&self.normal).for_each(|(x, a)| *x = self.offset * a);
        }
        kappa * self.offset
    }
}

/// From 1e308 down to 1e-308 in steps of at least 1e-14.
const PASSES: usize = 50;

impl Hyperplane {
    /// a . x - b
    pub(super) fn excess_expression(&self, x: &[Expression]) -> Expression {
        Expression::combination(self.normal.iter().copied().enumerate(), x).shifted(-self.offset)
    }
}

impl Regulariser for Hyperplane {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> Option<usize> {
        Some(self.normal.len())
    }

    fn value(&self, x: &[f64]) -> f64 {
        let (excess, size) = self.excess(x);
        indicator(fits(self, x.len()) && excess.abs() <= MEMBERSHIP * size)
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        self.project(weight, x);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        if !fits(self, slope.len()) {
            return f64::NEG_INFINITY;
        }
        self.multiple_of_normal(slope).map_or(f64::NEG_INFINITY, |kappa| self.minimum(kappa, minimiser))
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        form.zero(self.excess_expression(x));
        Some(Expression::default())
    }
}

impl NewtonRegulariser for Hyperplane {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        self.jacobian(weight, out);
        Ok(())
    }
}
