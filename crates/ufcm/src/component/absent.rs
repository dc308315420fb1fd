//! A component over samples of which this rank has none.

use crate::budget::Budget;
use crate::oracle::{Component, Curvature, Grounds, OracleError, Smoothness};
use crate::ranks::Split;

/// What a rank brings to a component over all ranks where none of its samples are the rank's own: nothing.
///
/// ```
/// use ufcm::component::{Absent, Logistic};
/// use ufcm::matrix::Matrix;
/// use ufcm::oracle::Component;
/// use ufcm::ranks::Split;
///
/// let elsewhere = Logistic::new(Matrix::row_major(1, 2, vec![1.0, 2.0])?, &[1.0])?;
/// let here = Absent::of(&elsewhere);
/// assert_eq!((here.evaluate(&[1.0, 1.0], None)?, here.split()), (0.0, Split::Mean(0.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Absent {
    kind: &'static str,
    n: usize,
    split: Split,
    parameters: Vec<f64>,
}

impl Absent {
    /// No samples of `component`.
    #[must_use]
    pub fn of(component: &dyn Component) -> Self {
        let split = match component.split() {
            Split::Mean(_) => Split::Mean(0.0),
            split => split,
        };
        let mut parameters = Vec::new();
        component.add_parameters(&mut parameters);
        Self { kind: component.kind(), n: component.dimension(), split, parameters }
    }
}

impl Component for Absent {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> usize {
        self.n
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        OracleError::check_point(self.n, x, gradient.as_deref())?;
        gradient.into_iter().for_each(|gradient| gradient.fill(0.0));
        Ok(0.0)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(Smoothness { constant: 0.0, exponent: 1.0 })
    }

    fn lower_bound(&self) -> Option<f64> {
        Some(0.0)
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        Some(self)
    }

    fn operations(&self) -> Option<u64> {
        Some(0)
    }

    fn split(&self) -> Split {
        self.split
    }

    fn add_parameters(&self, out: &mut Vec<f64>) {
        out.extend(&self.parameters);
    }
}

/// Nothing is added.
impl Curvature for Absent {
    fn add_diagonal(&self, _x: &[f64], _weight: f64, _diagonal: &mut [f64]) -> Result<(), OracleError> {
        Ok(())
    }

    fn add_hessian(&self, _x: &[f64], _weight: f64, _hessian: &mut [f64]) -> Result<(), OracleError> {
        Ok(())
    }

    fn add_sampled_hessian(
        &self,
        _x: &[f64],
        _weight: f64,
        _share: f64,
        _hessian: &mut [f64],
        _budget: &Budget,
    ) -> Result<(), OracleError> {
        Ok(())
    }

    fn terms(&self) -> usize {
        0
    }

    fn hessian_operations(&self) -> Option<u64> {
        Some(0)
    }

    fn has_products(&self) -> bool {
        true
    }

    fn add_products(
        &self,
        _x: &[f64],
        _w: f64,
        _vectors: &[f64],
        _out: &mut [f64],
    ) -> Result<(), OracleError> {
        Ok(())
    }

    fn add_diagonal_bound(&self, _weight: f64, _diagonal: &mut [f64]) -> bool {
        true
    }
}
