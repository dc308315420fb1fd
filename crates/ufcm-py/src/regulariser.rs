//! Regularisers and domains. Some are made only once the number of variables is known, and each problem has its own: what is
//! kept is what they are made from.

use crate::arrays::{Vector, numbers};
use crate::error::OrBadValue;
use crate::matrix::Matrix;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use ufcm::error::DataError;
use ufcm::oracle::Regulariser as Oracle;
use ufcm::regulariser::{
    AffineSet, Ball, Bounds, ElasticNet, GroupL2, Halfspace, Hyperplane, L1, L1Ball, L1Box, L2Norm, LinfBall,
    LinfNorm, Nonnegative, PerCoordinate, Ridge, Scaled, SecondOrderCone, SeparableSum, Simplex,
    SumOfLargest, TotalVariation, Translated, Zero,
};

/// What a regulariser is made from.
#[derive(Clone)]
enum Recipe {
    Zero,
    L1(PerCoordinate),
    PositivePart(PerCoordinate),
    Ridge(PerCoordinate),
    ElasticNet(PerCoordinate, PerCoordinate),
    L1Box(PerCoordinate, PerCoordinate, PerCoordinate),
    L2(f64),
    GroupL2(Arc<Vec<Vec<usize>>>, PerCoordinate),
    Linf(f64),
    TotalVariation(f64),
    SumOfLargest(usize, f64),
    Box(PerCoordinate, PerCoordinate),
    Nonnegative,
    LinfBall(f64, Option<Vec<f64>>),
    Ball(f64, Option<Vec<f64>>),
    L1Ball(f64),
    Simplex(f64),
    Halfspace(Vec<f64>, f64),
    Hyperplane(Vec<f64>, f64),
    AffineSet(Arc<Vec<Vec<f64>>>, Vec<f64>),
    SecondOrderCone,
    Parts(Vec<(usize, Recipe)>),
    Translated(Box<Recipe>, Vec<f64>),
    Scaled(Box<Recipe>, f64, f64),
}

type Made = Result<Box<dyn Oracle>, DataError>;

fn boxed<R: Oracle + 'static>(made: Result<R, DataError>) -> Made {
    let made = made?;
    made.check()?;
    Ok(Box::new(made))
}

impl Recipe {
    /// The regulariser for `n` variables.
    fn make(&self, n: usize) -> Made {
        match self.clone() {
            Self::Zero => boxed(Ok(Zero)),
            Self::L1(weight) => boxed(L1::new(weight)),
            Self::PositivePart(weight) => boxed(L1::positive_part(weight)),
            Self::Ridge(weight) => boxed(Ridge::new(weight)),
            Self::ElasticNet(l1, ridge) => boxed(ElasticNet::new(l1, ridge)),
            Self::L1Box(weight, lower, upper) => boxed(L1Box::new(weight, lower, upper)),
            Self::L2(weight) => boxed(L2Norm::new(weight)),
            Self::GroupL2(groups, weight) => boxed(GroupL2::new(n, groups.iter().cloned(), weight)),
            Self::Linf(weight) => boxed(LinfNorm::new(weight)),
            Self::TotalVariation(weight) => boxed(TotalVariation::new(weight)),
            Self::SumOfLargest(count, weight) => boxed(SumOfLargest::new(count, weight)),
            Self::Box(lower, upper) => boxed(Bounds::new(lower, upper)),
            Self::Nonnegative => boxed(Ok(Nonnegative)),
            Self::LinfBall(radius, None) => boxed(LinfBall::new(radius)),
            Self::LinfBall(radius, Some(centre)) => boxed(LinfBall::with_centre(radius, centre)),
            Self::Ball(radius, None) => boxed(Ok(Ball::new(radius))),
            Self::Ball(radius, Some(centre)) => boxed(Ok(Ball::with_centre(radius, centre))),
            Self::L1Ball(radius) => boxed(L1Ball::new(radius)),
            Self::Simplex(total) => boxed(Simplex::new(total)),
            Self::Halfspace(normal, offset) => boxed(Halfspace::new(normal, offset)),
            Self::Hyperplane(normal, offset) => boxed(Hyperplane::new(normal, offset)),
            Self::AffineSet(rows, offset) => boxed(AffineSet::new((*rows).clone(), offset)),
            Self::SecondOrderCone => boxed(Ok(SecondOrderCone)),
            Self::Parts(parts) => {
                let mut start = 0usize;
                let mut made = Vec::new();
                for (count, recipe) in parts {
                    let end = start.saturating_add(count);
                    made.push((start..end, recipe.make(count)?));
                    start = end;
                }
                boxed(SeparableSum::new(made))
            }
            Self::Translated(recipe, centre) => boxed(Translated::new(recipe.make(n)?, centre)),
            Self::Scaled(recipe, factor, argument) => boxed(Scaled::new(recipe.make(n)?, factor, argument)),
        }
    }

    /// A number of variables with which the data can be checked before the problem's own is known.
    fn trial_dimension(&self) -> usize {
        match self {
            Self::GroupL2(groups, _) => {
                groups.iter().flatten().max().map_or(1, |largest| largest.saturating_add(1))
            }
            Self::Translated(recipe, _) | Self::Scaled(recipe, _, _) => recipe.trial_dimension(),
            _ => 1,
        }
    }
}

/// A regulariser or a domain.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Regulariser {
    recipe: Recipe,
}

impl Regulariser {
    /// The oracle for `n` variables.
    pub(crate) fn for_dimension(&self, n: usize) -> PyResult<Box<dyn Oracle>> {
        self.recipe.make(n).or_bad_value()
    }

    fn checked(recipe: Recipe) -> PyResult<Self> {
        recipe.make(recipe.trial_dimension()).or_bad_value()?;
        Ok(Self { recipe })
    }
}

/// The keywords of a regulariser.
struct Parameters<'a, 'py>(&'a Bound<'py, PyDict>);

impl<'py> Parameters<'_, 'py> {
    fn get(&self, key: &str) -> PyResult<Bound<'py, PyAny>> {
        self.0.get_item(key)?.ok_or_else(|| PyKeyError::new_err(key.to_owned()))
    }

    fn number(&self, key: &str) -> PyResult<f64> {
        self.get(key)?.extract()
    }

    fn vector(&self, key: &str) -> PyResult<Vec<f64>> {
        Ok(numbers(&self.get(key)?.extract::<Vector<'_>>()?))
    }

    fn centre(&self) -> PyResult<Option<Vec<f64>>> {
        let centre = self.get("center")?;
        if centre.is_none() { Ok(None) } else { self.vector("center").map(Some) }
    }

    /// A number for all coordinates, or one for each.
    fn each(&self, key: &str) -> PyResult<PerCoordinate> {
        match self.number(key) {
            Ok(number) => Ok(PerCoordinate::Uniform(number)),
            Err(_) => self.vector(key).map(PerCoordinate::Each),
        }
    }
}

#[pymethods]
impl Regulariser {
    /// A regulariser by its name in the Python package.
    #[new]
    fn new(kind: &str, parameters: &Bound<'_, PyDict>) -> PyResult<Self> {
        let given = Parameters(parameters);
        Self::checked(match kind {
            "zero" => Recipe::Zero,
            "l1" => Recipe::L1(given.each("weight")?),
            "positive_part" => Recipe::PositivePart(given.each("weight")?),
            "ridge" => Recipe::Ridge(given.each("weight")?),
            "elastic_net" => Recipe::ElasticNet(given.each("l1")?, given.each("ridge")?),
            "l1_box" => Recipe::L1Box(given.each("weight")?, given.each("lower")?, given.each("upper")?),
            "l2" => Recipe::L2(given.number("weight")?),
            "group_l2" => Recipe::GroupL2(Arc::new(given.get("groups")?.extract()?), given.each("weight")?),
            "linf" => Recipe::Linf(given.number("weight")?),
            "total_variation" => Recipe::TotalVariation(given.number("weight")?),
            "sum_of_largest" => Recipe::SumOfLargest(given.get("count")?.extract()?, given.number("weight")?),
            "box" => Recipe::Box(given.each("lower")?, given.each("upper")?),
            "nonnegative" => Recipe::Nonnegative,
            "linf_ball" => Recipe::LinfBall(given.number("radius")?, given.centre()?),
            "ball" => Recipe::Ball(given.number("radius")?, given.centre()?),
            "l1_ball" => Recipe::L1Ball(given.number("radius")?),
            "simplex" => Recipe::Simplex(given.number("total")?),
            "halfspace" => Recipe::Halfspace(given.vector("normal")?, given.number("offset")?),
            "hyperplane" => Recipe::Hyperplane(given.vector("normal")?, given.number("offset")?),
            "affine_set" => {
                let matrix: PyRef<'_, Matrix> = given.get("matrix")?.extract()?;
                Recipe::AffineSet(Arc::new(full_rows(&matrix)), given.vector("offset")?)
            }
            "second_order_cone" => Recipe::SecondOrderCone,
            "parts" => {
                let parts: Vec<(usize, PyRef<'_, Self>)> = given.get("parts")?.extract()?;
                Recipe::Parts(parts.iter().map(|(count, part)| (*count, part.recipe.clone())).collect())
            }
            "shifted" => {
                let inner: PyRef<'_, Self> = given.get("inner")?.extract()?;
                Recipe::Translated(Box::new(inner.recipe.clone()), given.vector("center")?)
            }
            "scaled" => {
                let inner: PyRef<'_, Self> = given.get("inner")?.extract()?;
                let recipe = Box::new(inner.recipe.clone());
                Recipe::Scaled(recipe, given.number("factor")?, given.number("argument")?)
            }
            _ => return Err(PyValueError::new_err(format!("there is no regulariser {kind:?}"))),
        })
    }

    /// The value at `x`; infinite outside the set.
    fn value(&self, x: Vector<'_>) -> PyResult<f64> {
        let x = numbers(&x);
        Ok(self.for_dimension(x.len())?.value(&x))
    }

    /// The number of variables, where the data fix it.
    #[getter]
    fn dimension(&self) -> PyResult<Option<usize>> {
        if matches!(self.recipe, Recipe::GroupL2(..)) {
            return Ok(None);
        }
        Ok(self.for_dimension(self.recipe.trial_dimension())?.dimension())
    }
}

fn full_rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    let row = |i: usize| {
        let mut row = vec![0.0; matrix.data.columns()];
        matrix.data.copy_row(i, &mut row);
        row
    };
    (0..matrix.data.rows()).map(row).collect()
}
