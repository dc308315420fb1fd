//! Terms of the objective and constraints: rows under a composer.

use crate::arrays::{Vector, numbers};
use crate::component::Component;
use crate::composed::Composed;
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
        let composition = Composition::named(kind, parameter, weights)?;
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
                return composition.make(rows.count(), *weight, OverRows(rows)).map(Piece::Term);
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

/// What becomes of a composer.
trait Taker {
    type Made;

    fn take<H: Composer + 'static>(self, composer: H) -> Self::Made;
}

/// It stands over rows, as a term.
struct OverRows<'a>(&'a Rows);

impl Taker for OverRows<'_> {
    type Made = Term;

    fn take<H: Composer + 'static>(self, composer: H) -> Term {
        self.0.under(composer)
    }
}

/// It is boxed.
struct Boxed;

impl Taker for Boxed {
    type Made = Box<dyn Composer>;

    fn take<H: Composer + 'static>(self, composer: H) -> Self::Made {
        Box::new(composer)
    }
}

impl Composition {
    /// Composers by their names in the Python package.
    fn named(kind: &str, parameter: f64, weights: Vec<f64>) -> PyResult<Self> {
        Ok(match kind {
            "sum" => Self::Sum(weights),
            "maximum" => Self::Max,
            "smooth_maximum" => Self::SmoothMax(parameter),
            "squared_hinge" => Self::SquaredHinge(parameter),
            "norm1" => Self::Norm1(weights),
            "sum_squares" => Self::Squares(weights),
            "norm2" => Self::Norm2,
            "norm_inf" => Self::NormInf,
            "sum_power" => Self::SumPower(parameter),
            "quantile" => Self::Quantile(parameter),
            "sum_huber" => Self::Huber(parameter),
            _ => return Err(PyValueError::new_err(format!("there is no composer {kind:?}"))),
        })
    }

    /// The composer of `count` rows, times `weight`.
    fn make<T: Taker>(&self, count: usize, weight: f64, taker: T) -> Result<T::Made, DataError> {
        let each = |weights: &[f64]| weights.iter().map(|w| weight * w).collect::<Vec<f64>>();
        Ok(match self {
            Self::Sum(weights) => taker.take(WeightedSum::new(each(weights))?),
            Self::Norm1(weights) => taker.take(L1Norm::new(each(weights))?),
            Self::Squares(weights) => taker.take(Quadratic::new(each(weights))?),
            Self::Max => return scaled(weight, Max::new(count)?, taker),
            Self::SmoothMax(eta) => return scaled(weight, LogSumExp::new(count, *eta)?, taker),
            Self::SquaredHinge(eta) => return scaled(weight, SquaredHinge::new(count, *eta)?, taker),
            Self::Norm2 => taker.take(L2Norm::new(count, weight)?),
            Self::NormInf => taker.take(LinfNorm::new(count, weight)?),
            Self::SumPower(p) => taker.take(PowerSum::new(count, *p, weight)?),
            Self::Quantile(level) => taker.take(Quantile::new(count, *level, weight)?),
            Self::Huber(delta) => taker.take(Huber::new(count, *delta, weight)?),
        })
    }
}

/// A composer without a weight of its own, times one.
fn scaled<T: Taker>(weight: f64, composer: impl Composer + 'static, taker: T) -> Result<T::Made, DataError> {
    if weight == 1.0 {
        return Ok(taker.take(composer));
    }
    Ok(taker.take(Scaled::new(weight, Box::new(composer))?))
}

/// h(A x - b) as one component, by the name of h.
pub(crate) fn composed(
    kind: &str,
    affine: &Affine,
    parameter: f64,
    weights: Option<&Vector<'_>>,
    weight: f64,
) -> PyResult<Composed> {
    let block = affine.block.clone();
    let weights = weights.map_or_else(|| vec![1.0; block.rows()], numbers);
    let composition = Composition::named(kind, parameter, weights)?;
    let composer = composition.make(block.rows(), weight, Boxed).or_bad_value()?;
    Ok(Composed::new(block, composer))
}
