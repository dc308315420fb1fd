//! c.x + d.

use crate::catalogue::{ComponentEntry, Field, FieldType, Kind, Preset, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, DataProblem, check_finite, check_finite_scalar};
use crate::kernel::simd;
use crate::oracle::{Component, Grounds, MinorantSums, OracleError, QuadraticForm, Smoothness};
use std::sync::Arc;

const KIND: &str = "linear component";

/// The entry of the catalogue.
pub(crate) const ENTRY: ComponentEntry = ComponentEntry {
    kind: Kind {
        section: Section::Component,
        name: "linear",
        aliases: &[],
        formula: "c.x + constant",
        about: "An affine function.",
        fields: &[
            Field::new("linear", FieldType::Vector, "the slope")
                .symbol("c")
                .sample("[1, -2]")
                .blamed_as(&["slope"]),
            Field::new("constant", FieldType::Number, "the value at 0")
                .preset(Preset::Number(0.0))
                .sample("0.5"),
        ],
        example: r#">>> budget = ufcm.linear([1.0, 2.0], -3.0)
>>> budget([1.0, 1.0])
0.0
>>> budget >= -1
<Constraint: linear component >= -1.0>"#,
    },
    build: |values| Ok(Arc::new(Linear::new(values.vector("linear")?, values.number("constant")?)?)),
};

/// An affine function. Its row may stand under any composer.
///
/// ```
/// use ufcm::component::Linear;
/// use ufcm::oracle::Component;
///
/// let budget = Linear::new(vec![1.0, 2.0], -3.0)?;
/// assert_eq!(budget.evaluate(&[1.0, 1.0], None)?, 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    slope: Vec<f64>,
    constant: f64,
}

impl Linear {
    /// x -> slope.x + constant.
    ///
    /// # Errors
    /// An empty slope, or a number that is not finite.
    pub fn new(slope: Vec<f64>, constant: f64) -> Result<Self, DataError> {
        if slope.is_empty() {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "slope" }));
        }
        check_finite(KIND, "slope", &slope)?;
        check_finite_scalar(KIND, "constant", constant)?;
        Ok(Self { slope, constant })
    }

    /// The constant function of `n` variables.
    ///
    /// # Errors
    /// As [`Linear::new`].
    pub fn constant(n: usize, constant: f64) -> Result<Self, DataError> {
        Self::new(vec![0.0; n], constant)
    }
}

impl Component for Linear {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> usize {
        self.slope.len()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        OracleError::check_point(self.slope.len(), x, gradient.as_deref())?;
        if let Some(gradient) = gradient {
            gradient.copy_from_slice(&self.slope);
        }
        OracleError::check_value(simd::dot(&self.slope, x) + self.constant)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(Smoothness { constant: 0.0, exponent: 1.0 })
    }

    fn is_affine(&self) -> bool {
        true
    }

    fn add_own_minorant(&self, weight: f64, sums: &mut MinorantSums<'_>) -> bool {
        sums.add_affine(weight, self.constant, Some(&self.slope));
        true
    }

    fn lower_bound(&self) -> Option<f64> {
        self.slope.iter().all(|&s| s == 0.0).then_some(self.constant)
    }

    fn quadratic(&self) -> Option<&dyn QuadraticForm> {
        Some(self)
    }

    fn operations(&self) -> Option<u64> {
        Some(2 * self.slope.len() as u64)
    }

    fn restricted(&self, variables: &[usize]) -> Option<Arc<dyn Component>> {
        let slope = variables.iter().map(|&i| self.slope[i]).collect();
        Some(Arc::new(Self::new(slope, self.constant).ok()?))
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let _ = form;
        Some(Expression::combination(self.slope.iter().copied().enumerate(), x).shifted(self.constant))
    }
}

impl QuadraticForm for Linear {
    fn product(&self, _x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }

    fn finish(&self, x: &[f64], product: &mut [f64]) -> f64 {
        product.copy_from_slice(&self.slope);
        simd::dot(&self.slope, x) + self.constant
    }
}
