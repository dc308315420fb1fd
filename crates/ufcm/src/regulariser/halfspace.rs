//! X = {x : a.x <= b}.

use super::fields::{NORMAL, OFFSET, normal};
use super::hyperplane::Hyperplane;
use super::{check_fit, fits, indicator};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::jacobian::JacobianBlock;
use crate::oracle::{Grounds, MEMBERSHIP, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::projection::identity_jacobian;

const KIND: &str = "halfspace";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Domain,
        name: "halfspace",
        aliases: &[],
        formula: "a.x <= b",
        about: "One side of a hyperplane.",
        fields: &[NORMAL, OFFSET],
        example: "",
    },
    needs_dimension: false,
    build: |values, n| {
        let normal = normal(values, n)?;
        Ok(Box::new(Halfspace::new(normal, values.number("offset")?)?))
    },
};

/// One side of a hyperplane.
///
/// [`Regulariser::min_linear`] is finite only for slopes that are negative multiples of a, up to rounding (1e-12 of
/// the slope).
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::Halfspace;
///
/// let half = Halfspace::new(vec![0.0, 2.0], 6.0)?;
/// let mut x = [1.0, 4.0];
/// half.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [1.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Halfspace {
    boundary: Hyperplane,
}

impl Halfspace {
    /// normal . x <= offset.
    ///
    /// # Errors
    /// A normal that is 0 or not finite; an offset that is not finite, or too large beside the normal.
    pub fn new(normal: Vec<f64>, offset: f64) -> Result<Self, DataError> {
        Ok(Self { boundary: Hyperplane::of(KIND, normal, offset)? })
    }
}

impl Regulariser for Halfspace {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> Option<usize> {
        self.boundary.dimension()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let (excess, size) = self.boundary.excess(x);
        indicator(fits(self, x.len()) && excess <= MEMBERSHIP * size)
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        if self.boundary.excess(x).0 > 0.0 {
            self.boundary.project(weight, x);
        }
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        match self.boundary.multiple_of_normal(slope) {
            Some(kappa) if kappa <= 0.0 && fits(self, slope.len()) => self.boundary.minimum(kappa, minimiser),
            _ => f64::NEG_INFINITY,
        }
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        form.nonnegative(self.boundary.excess_expression(x).times(-1.0));
        Some(Expression::default())
    }
}

impl NewtonRegulariser for Halfspace {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        if self.boundary.excess(point).0 > 0.0 {
            self.boundary.jacobian(weight, out);
        } else {
            identity_jacobian(weight, out);
        }
        Ok(())
    }
}
