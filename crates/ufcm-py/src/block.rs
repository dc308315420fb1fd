//! Terms of the objective and constraints: rows under a composer.

use crate::arrays::{Vector, numbers};
use crate::component::Component;
use crate::error::OrBadValue;
use crate::kinds;
use crate::matrix::Matrix;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use ufcm::catalogue::{self, Bound as Bounded, ComposerEntry, Rows, Values};
use ufcm::composer::Cones;
use ufcm::error::DataError;
use ufcm::mapping;
use ufcm::oracle::{Composer, Mapping};
use ufcm::problem::{Constraint, IntoConstraint, ProblemBuilder, Term};

/// An affine block A x - b.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Affine {
    matrix: Arc<ufcm::matrix::Matrix>,
    pub(crate) block: mapping::Affine,
}

#[pymethods]
impl Affine {
    #[new]
    fn new(matrix: &Matrix, offset: Vector<'_>) -> PyResult<Self> {
        let matrix = matrix.data.clone();
        let block = mapping::Affine::new(matrix.clone(), numbers(&offset)).or_bad_value()?;
        Ok(Self { matrix, block })
    }

    /// (rows, variables)
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.block.rows(), self.block.dimension())
    }

    /// A.
    #[getter]
    fn matrix(&self) -> Matrix {
        Matrix { data: self.matrix.clone() }
    }

    /// b.
    #[getter]
    fn offset<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.block.offset())
    }
}

/// What stands under a composer.
fn rows_of(rows: &Bound<'_, PyAny>) -> PyResult<Rows> {
    if let Ok(affine) = rows.cast::<Affine>() {
        return Ok(Rows::Affine(affine.get().block.clone()));
    }
    let components: Vec<PyRef<'_, Component>> = rows.extract()?;
    Ok(Rows::Components(components.iter().map(|component| component.oracle.clone()).collect()))
}

/// A term or a constraint, from which each problem makes its own.
#[derive(Clone)]
enum Kind {
    Term { entry: &'static ComposerEntry, values: Values },
    Bounded { entry: &'static ComposerEntry, values: Values, bound: f64 },
    AtMost(f64),
    AtMostZero,
    EqualToZero,
    Between(Vec<f64>, Vec<f64>),
    InCones(Cones),
}

/// A term of the objective or a constraint.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Block {
    rows: Rows,
    kind: Kind,
    name: Option<String>,
}

#[pymethods]
impl Block {
    /// A composer of the catalogue over its rows.
    #[staticmethod]
    fn term(
        kind: &str,
        rows: &Bound<'_, PyAny>,
        values: &Bound<'_, PyDict>,
        name: Option<String>,
    ) -> PyResult<Self> {
        let entry = kinds::entry(kind, catalogue::composer)?;
        let kind = Kind::Term { entry, values: kinds::values(&entry.kind, values)? };
        let block = Self { rows: rows_of(rows)?, kind, name };
        block.make().or_bad_value()?;
        Ok(block)
    }

    /// A bound on what a composer of the catalogue makes of its rows.
    #[staticmethod]
    fn bounded(
        rows: &Bound<'_, PyAny>,
        kind: &str,
        values: &Bound<'_, PyDict>,
        bound: f64,
        name: Option<String>,
    ) -> PyResult<Self> {
        let entry = kinds::entry(kind, catalogue::composer)?;
        let kind = Kind::Bounded { entry, values: kinds::values(&entry.kind, values)?, bound };
        let block = Self { rows: rows_of(rows)?, kind, name };
        block.make().or_bad_value()?;
        Ok(block)
    }

    /// Whether a bound on the term has one multiplier, and not one for each row; `None` for constraints.
    #[getter]
    fn is_bounded_as_a_whole(&self) -> Option<bool> {
        let Kind::Term { entry, .. } = &self.kind else { return None };
        Some(!matches!(entry.bound, Bounded::EachRow | Bounded::BothSides))
    }

    /// The multiplier of the bound as a whole, from those of its rows.
    fn bound_multiplier(&self, multipliers: Vector<'_>) -> PyResult<Option<f64>> {
        let Kind::Bounded { entry, values, bound } = &self.kind else { return Ok(None) };
        let multipliers = numbers(&multipliers);
        entry.bound_multiplier(&mut values.clone(), self.rows.clone(), *bound, &multipliers).or_bad_value()
    }

    /// g(x) <= bound.
    #[staticmethod]
    fn at_most(component: &Component, bound: f64, name: Option<String>) -> Self {
        let rows = Rows::Components(vec![component.oracle.clone()]);
        Self { rows, kind: Kind::AtMost(bound), name }
    }

    /// A x - b <= 0, or = 0.
    #[staticmethod]
    fn one_sided(affine: &Affine, equality: bool, name: Option<String>) -> Self {
        let kind = if equality { Kind::EqualToZero } else { Kind::AtMostZero };
        Self { rows: Rows::Affine(affine.block.clone()), kind, name }
    }

    /// lower <= A x - b <= upper.
    #[staticmethod]
    fn between(
        affine: &Affine,
        lower: Vector<'_>,
        upper: Vector<'_>,
        name: Option<String>,
    ) -> PyResult<Self> {
        let (lower, upper) = (numbers(&lower), numbers(&upper));
        ufcm::composer::Interval::new(lower.clone(), upper.clone()).or_bad_value()?;
        let rows = Rows::Affine(affine.block.clone());
        if rows.count() != lower.len() {
            let (got, expected) = (lower.len(), rows.count());
            return Err(PyValueError::new_err(format!("there are {got} bounds for {expected} rows")));
        }
        Ok(Self { rows, kind: Kind::Between(lower, upper), name })
    }

    /// A x - b in a product of cones: second-order ones by their sizes, power cones by their exponents, exponential ones by neither.
    #[staticmethod]
    #[pyo3(signature = (affine, sizes, exponents, name))]
    fn in_cones(
        affine: &Affine,
        sizes: Option<Vec<usize>>,
        exponents: Option<Vec<f64>>,
        name: Option<String>,
    ) -> PyResult<Self> {
        let rows = affine.block.rows();
        let cones = match (sizes, exponents) {
            (Some(sizes), _) => Cones::second_order(&sizes).or_bad_value()?,
            (None, Some(exponents)) => Cones::power(&exponents).or_bad_value()?,
            (None, None) => Cones::exponential(rows / 3),
        };
        if cones.rows() != rows {
            let message = format!("the cones have {} rows; the block has {rows}", cones.rows());
            return Err(PyValueError::new_err(message));
        }
        Ok(Self { rows: Rows::Affine(affine.block.clone()), kind: Kind::InCones(cones), name })
    }

    /// The number of rows in the problem.
    #[getter]
    fn rows(&self) -> PyResult<usize> {
        let rows = match self.make().or_bad_value()? {
            Piece::Term(term) => term.rows(),
            Piece::Constraint(constraint) => constraint.rows(),
        };
        Ok(rows)
    }

    /// The number of variables.
    #[getter]
    pub(crate) fn dimension(&self) -> Option<usize> {
        self.rows.dimension()
    }
}

/// What a block is made into.
enum Piece {
    Term(Term),
    Constraint(Constraint),
}

impl Block {
    /// Adds the term or constraint to a problem.
    pub(crate) fn add_to(&self, builder: ProblemBuilder) -> PyResult<ProblemBuilder> {
        Ok(match (self.make().or_bad_value()?, &self.name) {
            (Piece::Term(term), None) => builder.plus(term),
            (Piece::Term(term), Some(name)) => builder.plus(term.named(name)),
            (Piece::Constraint(constraint), None) => builder.subject_to(constraint),
            (Piece::Constraint(constraint), Some(name)) => builder.subject_to(constraint.named(name)),
        })
    }

    fn make(&self) -> Result<Piece, DataError> {
        let constraint = match (&self.kind, &self.rows) {
            (Kind::Term { entry, values }, rows) => {
                return entry.term(&mut values.clone(), rows.clone()).map(Piece::Term);
            }
            (Kind::Bounded { entry, values, bound }, rows) => {
                entry.constraint(&mut values.clone(), rows.clone(), *bound)?
            }
            (Kind::AtMost(bound), Rows::Components(components)) => components[0].clone().at_most(*bound),
            (Kind::EqualToZero, Rows::Affine(affine)) => affine.clone().equal_to_zero(),
            (Kind::Between(lower, upper), Rows::Affine(affine)) => {
                affine.clone().between(lower.clone(), upper.clone())
            }
            (Kind::InCones(cones), Rows::Affine(affine)) => affine.clone().in_cones(cones.clone()),
            // The constructors leave only A x - b <= 0.
            (_, Rows::Affine(affine)) => affine.clone().at_most_zero(),
            (_, Rows::Components(components)) => components[0].clone().at_most(0.0),
        };
        Ok(Piece::Constraint(constraint))
    }
}
