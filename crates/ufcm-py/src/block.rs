//! Terms of the objective and constraints: rows under a composer.

use crate::arrays::{Vector, numbers};
use crate::component::Component;
use crate::error::OrBadValue;
use crate::matrix::Matrix;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use ufcm::composer::{
    Huber, L1Norm, L2Norm, LinfNorm, LogSumExp, Max, PowerSum, Quadratic, Quantile, Scaled, SquaredHinge,
    WeightedSum,
};
use ufcm::error::DataError;
use ufcm::mapping;
use ufcm::oracle::{Component as Oracle, Composer, Mapping};
use ufcm::problem::{Constraint, IntoConstraint, ProblemBuilder, Term};

/// An affine block A x - b.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Affine {
    matrix: Arc<ufcm::matrix::Matrix>,
    block: mapping::Affine,
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
#[derive(Clone)]
enum Rows {
    Components(Vec<Arc<dyn Oracle>>),
    Affine(mapping::Affine),
}

impl Rows {
    fn of(rows: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(affine) = rows.cast::<Affine>() {
            return Ok(Self::Affine(affine.get().block.clone()));
        }
        let components: Vec<PyRef<'_, Component>> = rows.extract()?;
        Ok(Self::Components(components.iter().map(|component| component.oracle.clone()).collect()))
    }

    fn count(&self) -> usize {
        match self {
            Self::Components(components) => components.len(),
            Self::Affine(affine) => affine.rows(),
        }
    }

    fn dimension(&self) -> Option<usize> {
        match self {
            Self::Components(components) => components.first().map(|component| component.dimension()),
            Self::Affine(affine) => Some(affine.dimension()),
        }
    }

    fn under(&self, composer: impl Composer + 'static) -> Term {
        match self.clone() {
            Self::Components(components) => Term::new(composer, components),
            Self::Affine(affine) => Term::affine(composer, affine),
        }
    }
}

/// How the rows combine.
#[derive(Clone)]
enum Composition {
    Sum(Vec<f64>),
    Max,
    SmoothMax(f64),
    SquaredHinge(f64),
    Norm1(Vec<f64>),
    Squares(Vec<f64>),
    Norm2,
    NormInf,
    SumPower(f64),
    Quantile(f64),
    Huber(f64),
}

/// A term or a constraint, from which each problem makes its own.
#[derive(Clone)]
enum Kind {
    Term { composition: Composition, weight: f64 },
    AtMost(f64),
    AtMostZero,
    EqualToZero,
    Between(Vec<f64>, Vec<f64>),
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
    /// A term by its name in the Python package. `parameter` is eta, p, q or delta; `weights` are those of the rows.
    #[staticmethod]
    fn term(
        kind: &str,
        rows: &Bound<'_, PyAny>,
        parameter: f64,
        weights: Option<Vector<'_>>,
        weight: f64,
        name: Option<String>,
    ) -> PyResult<Self> {
        let rows = Rows::of(rows)?;
        let weights = weights.as_ref().map_or_else(|| vec![1.0; rows.count()], numbers);
        let composition = match kind {
            "sum" => Composition::Sum(weights),
            "maximum" => Composition::Max,
            "smooth_maximum" => Composition::SmoothMax(parameter),
            "squared_hinge" => Composition::SquaredHinge(parameter),
            "norm1" => Composition::Norm1(weights),
            "sum_squares" => Composition::Squares(weights),
            "norm2" => Composition::Norm2,
            "norm_inf" => Composition::NormInf,
            "sum_power" => Composition::SumPower(parameter),
            "quantile" => Composition::Quantile(parameter),
            "sum_huber" => Composition::Huber(parameter),
            _ => return Err(PyValueError::new_err(format!("there is no composer {kind:?}"))),
        };
        let block = Self { rows, kind: Kind::Term { composition, weight }, name };
        block.make().or_bad_value()?;
        Ok(block)
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

    /// The number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.rows.count()
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
            (Kind::Term { composition, weight }, rows) => {
                return composition.over(rows, *weight).map(Piece::Term);
            }
            (Kind::AtMost(bound), Rows::Components(components)) => components[0].clone().at_most(*bound),
            (Kind::EqualToZero, Rows::Affine(affine)) => affine.clone().equal_to_zero(),
            (Kind::Between(lower, upper), Rows::Affine(affine)) => {
                affine.clone().between(lower.clone(), upper.clone())
            }
            // The constructors leave only A x - b <= 0.
            (_, Rows::Affine(affine)) => affine.clone().at_most_zero(),
            (_, Rows::Components(components)) => components[0].clone().at_most(0.0),
        };
        Ok(Piece::Constraint(constraint))
    }
}

impl Composition {
    fn over(&self, rows: &Rows, weight: f64) -> Result<Term, DataError> {
        let count = rows.count();
        let each = |weights: &[f64]| weights.iter().map(|w| weight * w).collect::<Vec<f64>>();
        Ok(match self {
            Self::Sum(weights) => rows.under(WeightedSum::new(each(weights))?),
            Self::Norm1(weights) => rows.under(L1Norm::new(each(weights))?),
            Self::Squares(weights) => rows.under(Quadratic::new(each(weights))?),
            Self::Max => scaled(rows, weight, Max::new(count)?)?,
            Self::SmoothMax(eta) => scaled(rows, weight, LogSumExp::new(count, *eta)?)?,
            Self::SquaredHinge(eta) => scaled(rows, weight, SquaredHinge::new(count, *eta)?)?,
            Self::Norm2 => rows.under(L2Norm::new(count, weight)?),
            Self::NormInf => rows.under(LinfNorm::new(count, weight)?),
            Self::SumPower(p) => rows.under(PowerSum::new(count, *p, weight)?),
            Self::Quantile(level) => rows.under(Quantile::new(count, *level, weight)?),
            Self::Huber(delta) => rows.under(Huber::new(count, *delta, weight)?),
        })
    }
}

/// A composer without a weight of its own, times one.
fn scaled(rows: &Rows, weight: f64, composer: impl Composer + 'static) -> Result<Term, DataError> {
    if weight == 1.0 {
        return Ok(rows.under(composer));
    }
    Ok(rows.under(Scaled::new(weight, Box::new(composer))?))
}
