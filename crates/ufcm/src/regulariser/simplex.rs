//! X = {x >= 0, sum x = total}.

use super::{check_fit, indicator};
use crate::catalogue::{Field, FieldType, Kind, Preset, RegulariserEntry, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, check_positive};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Grounds, MEMBERSHIP, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::projection;

const KIND: &str = "simplex";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Domain,
        name: "simplex",
        aliases: &[],
        formula: "x >= 0, sum of x_i = total",
        about: "A simplex: shares of a total.",
        fields: &[Field::new("total", FieldType::Number, "what the entries sum to")
            .bounds("positive")
            .preset(Preset::Number(1.0))
            .sample("2")],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| Ok(Box::new(Simplex::new(values.number("total")?)?)),
};

/// The nonnegative vectors with a given sum: probabilities, portfolios.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::Simplex;
///
/// let probabilities = Simplex::new(1.0)?;
/// let mut x = [1.0, 0.5, -3.0];
/// probabilities.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [0.75, 0.25, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Simplex {
    total: f64,
}

impl Simplex {
    /// x >= 0 with sum x = total.
    ///
    /// # Errors
    /// A total that is not positive and finite.
    pub fn new(total: f64) -> Result<Self, DataError> {
        check_positive(KIND, "total", total)?;
        Ok(Self { total })
    }
}

impl Regulariser for Simplex {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn value(&self, x: &[f64]) -> f64 {
        let slack = MEMBERSHIP * self.total;
        let sum: f64 = x.iter().sum();
        indicator((sum - self.total).abs() <= slack && x.iter().all(|&x| x >= -slack))
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        projection::simplex(weight, self.total, x);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        // Without coordinates the set is empty, and so is the infimum: +inf.
        let Some((smallest, s)) = slope.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)) else {
            return f64::INFINITY;
        };
        if let Some(minimiser) = minimiser {
            minimiser.fill(0.0);
            minimiser[smallest] = self.total;
        }
        self.total * s
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        x.iter().for_each(|x| form.nonnegative(x.clone()));
        form.zero(Expression::combination((0..x.len()).map(|i| (i, 1.0)), x).shifted(-self.total));
        Some(Expression::default())
    }

    fn interval(&self, _: usize) -> [f64; 2] {
        [0.0, self.total]
    }
}

impl NewtonRegulariser for Simplex {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        projection::simplex_jacobian(weight, self.total, point, out);
        Ok(())
    }
}
