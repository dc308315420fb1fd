//! Regularisers and domains.

use crate::arrays::{Vector, numbers};
use crate::error::OrBadValue;
use crate::kinds;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ufcm::catalogue::{self, Recipe};
use ufcm::oracle::Regulariser as Oracle;

/// A regulariser or a domain. What is kept is what it is made from, since each problem has its own.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Regulariser {
    pub(crate) recipe: Recipe,
}

impl Regulariser {
    /// The oracle for `n` variables.
    pub(crate) fn for_dimension(&self, n: usize) -> PyResult<Box<dyn Oracle>> {
        self.recipe.build(Some(n)).or_bad_value()
    }

    /// What is wrong with the values is said here.
    fn checked(recipe: Recipe) -> PyResult<Self> {
        recipe.build(None).or_bad_value()?;
        Ok(Self { recipe })
    }
}

#[pymethods]
impl Regulariser {
    /// A kind of the catalogue.
    #[new]
    fn new(kind: &str, values: &Bound<'_, PyDict>) -> PyResult<Self> {
        let entry = kinds::entry(kind, catalogue::regulariser)?;
        Self::checked(Recipe::new(entry, kinds::values(&entry.kind, values)?))
    }

    /// u(x - centre).
    fn translated(&self, centre: Vector<'_>) -> PyResult<Self> {
        Self::checked(self.recipe.clone().translated(numbers(&centre)))
    }

    /// factor u(argument x).
    fn scaled(&self, factor: f64, argument: f64) -> PyResult<Self> {
        Self::checked(self.recipe.clone().scaled(factor, argument))
    }

    /// The value at `x`; infinite outside the set.
    fn value(&self, x: Vector<'_>) -> PyResult<f64> {
        let x = numbers(&x);
        Ok(self.for_dimension(x.len())?.value(&x))
    }

    /// The number of variables, where the data fix it.
    #[getter]
    fn dimension(&self) -> PyResult<Option<usize>> {
        self.recipe.dimension().or_bad_value()
    }
}
