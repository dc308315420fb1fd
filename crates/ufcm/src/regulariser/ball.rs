//! X = {|x - centre| <= radius}.

use super::fields::{CENTRE, RADIUS};
use super::{check_fit, fits, indicator};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, check_finite, check_positive};
use crate::jacobian::JacobianBlock;
use crate::linalg::{dot, norm, norm_of};
use crate::oracle::{
    EuclideanBall, Grounds, MEMBERSHIP, NewtonRegulariser, OracleError, Regulariser, Weight,
};
use crate::projection;

const KIND: &str = "l2 ball";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Domain,
        name: "ball",
        aliases: &[],
        formula: "|x - centre| <= R",
        about: "A Euclidean ball.",
        fields: &[RADIUS, CENTRE],
        example: "",
    },
    needs_dimension: false,
    build: |values, n| {
        let radius = values.number("radius")?;
        Ok(Box::new(match values.spread("centre", n)? {
            None => Ball::new(radius),
            Some(centre) => Ball::with_centre(radius, centre),
        }))
    },
};

/// The Euclidean ball, around 0 or a centre.
///
/// It is made without a `Result`; [`Regulariser::check`] tells what is wrong with its data, and the problem's
/// builder asks.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::Ball;
///
/// let mut x = [6.0, 8.0];
/// Ball::new(5.0).prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [3.0, 4.0]);
/// assert!(Ball::new(-1.0).check().is_err());
/// # Ok::<(), ufcm::oracle::OracleError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ball {
    radius: f64,
    centre: Option<Vec<f64>>,
}

impl Ball {
    /// |x| <= radius.
    #[must_use]
    pub fn new(radius: f64) -> Self {
        Self { radius, centre: None }
    }

    /// |x - centre| <= radius.
    #[must_use]
    pub fn with_centre(radius: f64, centre: Vec<f64>) -> Self {
        Self { radius, centre: Some(centre) }
    }

    /// x += sign centre.
    fn shift(&self, sign: f64, x: &mut [f64]) {
        if let Some(centre) = &self.centre {
            x.iter_mut().zip(centre).for_each(|(x, c)| *x += sign * c);
        }
    }
}

impl Regulariser for Ball {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> Option<usize> {
        self.centre.as_ref().map(Vec::len)
    }

    fn value(&self, x: &[f64]) -> f64 {
        let (distance, farthest) = match &self.centre {
            None => (norm(x), self.radius),
            Some(_) if !fits(self, x.len()) => return f64::INFINITY,
            // A point of a ball far from 0 is rounded to the size of its centre.
            Some(c) => (norm_of(x.iter().zip(c).map(|(x, c)| x - c)), self.radius + norm(c)),
        };
        indicator(distance <= self.radius + MEMBERSHIP * farthest)
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        self.shift(-1.0, x);
        projection::l2_ball(weight, self.radius, x);
        self.shift(1.0, x);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        if !fits(self, slope.len()) {
            return f64::NEG_INFINITY;
        }
        let steepness = norm(slope);
        if let Some(minimiser) = minimiser {
            for (x, s) in minimiser.iter_mut().zip(slope) {
                *x = if steepness > 0.0 { -self.radius * (s / steepness) } else { 0.0 };
            }
            self.shift(1.0, minimiser);
        }
        self.centre.as_ref().map_or(0.0, |centre| dot(slope, centre)) - self.radius * steepness
    }

    fn as_ball(&self) -> Option<EuclideanBall<'_>> {
        Some(EuclideanBall { centre: self.centre.as_deref(), radius: self.radius })
    }

    fn check(&self) -> Result<(), DataError> {
        check_positive(KIND, "radius", self.radius)?;
        check_finite(KIND, "centre", self.centre.as_deref().unwrap_or_default())
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let centre = |i: usize| self.centre.as_ref().map_or(0.0, |centre| centre[i]);
        let tail = x.iter().enumerate().map(|(i, x)| x.clone().shifted(-centre(i)));
        form.second_order(Expression::constant(self.radius), tail);
        Some(Expression::default())
    }
}

impl NewtonRegulariser for Ball {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        out.with_vector(point.iter().copied(), |point, out| {
            self.shift(-1.0, point);
            projection::l2_ball_jacobian(weight, self.radius, point, out);
            Ok(())
        })
    }
}
