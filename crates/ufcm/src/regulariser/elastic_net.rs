//! u(x) = sum of l_i |x_i| + r_i/2 x_i^2.

use super::ScalarTerm;
use super::fields::WEIGHTS;
use super::separable::{PerCoordinate, Separable};
use crate::catalogue::{Field, Kind, RegulariserEntry, Section};
use crate::error::{DataError, check_all_nonnegative};
use crate::oracle::Grounds;

const KIND: &str = "elastic net";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "elastic_net",
        aliases: &[],
        formula: "sum of w1_i |x_i| + w2_i x_i^2 / 2",
        about: "The l1 norm and half squares together.",
        fields: &[
            Field { name: "l1", symbol: "w1", blamed_as: &["l1 weights"], ..WEIGHTS },
            Field { name: "ridge", symbol: "w2", blamed_as: &["ridge weights"], ..WEIGHTS },
        ],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| {
        let l1 = values.per_coordinate("l1")?;
        Ok(Box::new(ElasticNet::new(l1, values.per_coordinate("ridge")?)?))
    },
};

/// A weighted l1 norm plus half a weighted sum of squares.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::ElasticNet;
///
/// let u = ElasticNet::new(1.0, 3.0)?;
/// let mut x = [5.0, -0.5];
/// u.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ElasticNet {
    l1: PerCoordinate,
    ridge: PerCoordinate,
    dimension: Option<usize>,
}

impl ElasticNet {
    /// sum of l_i |x_i| + r_i/2 x_i^2; each weight one for all coordinates, or one for each.
    ///
    /// # Errors
    /// A weight that is negative, NaN or infinite; weights of different lengths.
    pub fn new(l1: impl Into<PerCoordinate>, ridge: impl Into<PerCoordinate>) -> Result<Self, DataError> {
        let (l1, ridge) = (l1.into(), ridge.into());
        check_all_nonnegative(KIND, "l1 weights", l1.values())?;
        check_all_nonnegative(KIND, "ridge weights", ridge.values())?;
        let dimension = l1.common_dimension(KIND, "ridge weights", &ridge)?;
        Ok(Self { l1, ridge, dimension })
    }
}

impl Separable for ElasticNet {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> Option<usize> {
        self.dimension
    }

    fn term(&self, i: usize) -> ScalarTerm {
        let l1 = self.l1.at(i);
        ScalarTerm { above: l1, below: l1, ridge: self.ridge.at(i), ..ScalarTerm::ZERO }
    }

    fn strong_convexity(&self) -> f64 {
        self.ridge.smallest()
    }
}
