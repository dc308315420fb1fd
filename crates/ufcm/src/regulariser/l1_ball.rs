//! X = {sum |x_i| <= radius}.

use super::fields::RADIUS;
use super::{check_fit, indicator};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, check_positive};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Grounds, MEMBERSHIP, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::projection;

const KIND: &str = "l1 ball";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Domain,
        name: "l1_ball",
        aliases: &[],
        formula: "sum of |x_i| <= R",
        about: "A ball of the l1 norm.",
        fields: &[RADIUS],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| Ok(Box::new(L1Ball::new(values.number("radius")?)?)),
};

/// The ball of the l1 norm: the lasso in its constrained form.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::L1Ball;
///
/// let ball = L1Ball::new(2.0)?;
/// let mut x = [3.0, -2.0, 0.25];
/// ball.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [1.5, -0.5, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct L1Ball {
    radius: f64,
}

impl L1Ball {
    /// sum |x_i| <= radius.
    ///
    /// # Errors
    /// A radius that is not positive and finite.
    pub fn new(radius: f64) -> Result<Self, DataError> {
        check_positive(KIND, "radius", radius)?;
        Ok(Self { radius })
    }
}

impl Regulariser for L1Ball {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn value(&self, x: &[f64]) -> f64 {
        indicator(x.iter().map(|x| x.abs()).sum::<f64>() <= self.radius * (1.0 + MEMBERSHIP))
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        projection::l1_ball(weight, self.radius, x);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        let steepest = slope.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let Some((steepest, s)) = steepest else { return 0.0 };
        if let Some(minimiser) = minimiser {
            minimiser.fill(0.0);
            minimiser[steepest] = -self.radius.copysign(*s);
        }
        -self.radius * s.abs()
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let mut rest = Expression::constant(self.radius);
        x.iter().for_each(|x| rest.add(-1.0, &form.absolute(x)));
        form.nonnegative(rest);
        Some(Expression::default())
    }

    fn interval(&self, _: usize) -> [f64; 2] {
        [-self.radius, self.radius]
    }
}

impl NewtonRegulariser for L1Ball {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        projection::l1_ball_jacobian(weight, self.radius, point, out);
        Ok(())
    }
}
