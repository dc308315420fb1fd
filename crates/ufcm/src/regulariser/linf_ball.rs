//! X = {|x_i - c_i| <= radius for all i}.

use super::ScalarTerm;
use super::bounds::Bounds;
use super::fields::{CENTRE, RADIUS};
use super::separable::{PerCoordinate, Separable};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::error::{DataError, check_finite, check_positive};
use crate::oracle::Grounds;

const KIND: &str = "linf ball";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Domain,
        name: "linf_ball",
        aliases: &[],
        formula: "max |x_i - centre_i| <= R",
        about: "A ball of the largest absolute value.",
        fields: &[RADIUS, CENTRE],
        example: "",
    },
    needs_dimension: false,
    build: |values, n| {
        let radius = values.number("radius")?;
        Ok(Box::new(match values.spread("centre", n)? {
            None => LinfBall::new(radius)?,
            Some(centre) => LinfBall::with_centre(radius, centre)?,
        }))
    },
};

/// The ball of the largest absolute entry: a box around a centre.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::LinfBall;
///
/// let ball = LinfBall::with_centre(1.0, vec![0.0, 5.0])?;
/// let mut x = [2.0, 5.5];
/// ball.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [1.0, 5.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinfBall {
    bounds: Bounds,
}

impl LinfBall {
    /// max |x_i| <= radius.
    ///
    /// # Errors
    /// A radius that is not positive and finite.
    pub fn new(radius: f64) -> Result<Self, DataError> {
        check_positive(KIND, "radius", radius)?;
        Ok(Self { bounds: Bounds::of(KIND, (-radius).into(), radius.into())? })
    }

    /// max |x_i - c_i| <= radius.
    ///
    /// # Errors
    /// A radius that is not positive and finite; a centre that is not finite.
    pub fn with_centre(radius: f64, centre: Vec<f64>) -> Result<Self, DataError> {
        check_positive(KIND, "radius", radius)?;
        check_finite(KIND, "centre", &centre)?;
        let side = |offset: f64| PerCoordinate::Each(centre.iter().map(|c| c + offset).collect());
        Ok(Self { bounds: Bounds::of(KIND, side(-radius), side(radius))? })
    }
}

impl Separable for LinfBall {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> Option<usize> {
        Separable::dimension(&self.bounds)
    }

    fn term(&self, i: usize) -> ScalarTerm {
        self.bounds.term(i)
    }
}
