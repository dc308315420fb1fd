//! Planted instances, and runs of the published method on them.

use super::constants::{RowFields, row_fields};
use super::promise::{DistanceFields, PromiseFields, told};
use crate::arrays::{Vector, array, numbers};
use crate::error::{OrBadValue, bad_value, detached, oracle, unproven};
use crate::problem::Problem;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ufcm::budget::Budget;
use ufcm::theory::planted::runs::{self, Run, RunError};
use ufcm::theory::planted::{self as library, Composition, RowKind};

/// The name of a composition, and its eta where it has one.
type CompositionFields = (String, Option<f64>);
/// (L_j about this, p_j, (mu_j, q_j), lambda*_j)
type KindFields = (f64, f64, Option<(f64, f64)>, f64);
/// The fields of Python's `Run`, in its order; no `hit` where the output never was good enough.
type RunFields = (f64, PromiseFields, f64, Option<usize>, usize, u64, f64);

fn composition((name, eta): CompositionFields) -> PyResult<Composition> {
    let found = Composition::ALL.into_iter().find(|known| known.name() == name);
    match (found, eta) {
        (Some(Composition::LogSumExp(_)), Some(eta)) => Ok(Composition::LogSumExp(eta)),
        (Some(Composition::SquaredHinge(_)), Some(eta)) => Ok(Composition::SquaredHinge(eta)),
        (Some(known), None) => Ok(known),
        (Some(known), Some(_)) => {
            Err(PyValueError::new_err(format!("the composition {} has no eta", known.name())))
        }
        (None, _) => {
            let names = Composition::ALL.map(Composition::name).join(", ");
            Err(PyValueError::new_err(format!("no composition is called {name:?}; they are {names}")))
        }
    }
}

fn run_fields(run: Run) -> RunFields {
    let hit = (run.hit < usize::MAX).then_some(run.hit);
    (run.eps, told(run.promised), run.reached, hit, run.gradients, run.inner_steps, run.excursion)
}

fn done(py: Python<'_>, run: Result<Run, RunError>) -> PyResult<RunFields> {
    run.map(run_fields).map_err(|error| match error {
        RunError::Unproven(condition) => unproven(py, &condition),
        RunError::Oracle(error) => oracle(&error),
        other => bad_value(other),
    })
}

/// A problem with its saddle point, a start, and the constants of its rows.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Instance {
    instance: library::Instance,
}

#[pymethods]
impl Instance {
    #[new]
    fn new(composed: CompositionFields, kinds: Vec<KindFields>, n: usize, seed: u64) -> PyResult<Self> {
        let kind = |(scale, p, convexity, multiplier)| RowKind { scale, p, convexity, multiplier };
        let kinds: Vec<RowKind> = kinds.into_iter().map(kind).collect();
        let instance = library::Instance::new(composition(composed)?, &kinds, n, seed).or_bad_value()?;
        Ok(Self { instance })
    }

    #[staticmethod]
    fn uniform(
        composed: CompositionFields,
        p: f64,
        convexity: Option<(f64, f64)>,
        seed: u64,
    ) -> PyResult<Self> {
        let instance =
            library::uniform_instance(composition(composed)?, p, convexity, seed).or_bad_value()?;
        Ok(Self { instance })
    }

    #[staticmethod]
    fn mixed(composed: CompositionFields, rough: bool, convex: bool, seed: u64) -> PyResult<Self> {
        let instance = library::mixed_instance(composition(composed)?, rough, convex, seed).or_bad_value()?;
        Ok(Self { instance })
    }

    #[staticmethod]
    fn smooth_and_lipschitz(lipschitz: f64, eps: f64, power: f64) -> PyResult<Self> {
        let instance = library::smooth_and_lipschitz(lipschitz, eps, power).or_bad_value()?;
        Ok(Self { instance })
    }

    /// (name, eta) of all compositions.
    #[staticmethod]
    fn compositions() -> Vec<(&'static str, Option<f64>)> {
        let fields = |composition: Composition| match composition {
            Composition::LogSumExp(eta) | Composition::SquaredHinge(eta) => (composition.name(), Some(eta)),
            _ => (composition.name(), None),
        };
        Composition::ALL.into_iter().map(fields).collect()
    }

    /// Multipliers that go well with a composition of `m` rows.
    #[staticmethod]
    fn multipliers_of(composed: CompositionFields, m: usize) -> PyResult<Vec<f64>> {
        Ok(composition(composed)?.multipliers(m))
    }

    #[getter]
    fn problem(&self) -> Problem {
        Problem { problem: self.instance.problem.within_budget(&Budget::unlimited()) }
    }

    /// (x*, lambda*, p*)
    #[getter]
    fn saddle<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64) {
        let saddle = &self.instance.saddle;
        (array(py, &saddle.x), array(py, &saddle.multipliers), saddle.value)
    }

    #[getter]
    fn x0<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.instance.x0)
    }

    #[getter]
    fn multipliers0<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.instance.multipliers0)
    }

    #[getter]
    fn constants(&self) -> Vec<RowFields> {
        self.instance.constants.iter().map(row_fields).collect()
    }

    #[getter]
    fn d_x(&self) -> f64 {
        self.instance.d_x
    }

    #[getter]
    fn d_lambda(&self) -> f64 {
        self.instance.d_lambda
    }

    #[getter]
    fn l_h(&self) -> f64 {
        self.instance.l_h()
    }

    fn r(&self, eps: f64) -> f64 {
        self.instance.r(eps)
    }

    fn distances(&self, radius: f64) -> DistanceFields {
        let at = self.instance.distances(radius);
        (at.d_x, at.d_lambda, at.m)
    }

    fn ufcm(&self, py: Python<'_>, eps: f64, early: bool) -> PyResult<RunFields> {
        done(py, detached(py, || runs::ufcm(&self.instance, eps, early))?)
    }

    fn restarted(&self, py: Python<'_>, eps: f64, own_constants: bool, early: bool) -> PyResult<RunFields> {
        done(py, detached(py, || runs::restarted(&self.instance, eps, own_constants, early))?)
    }

    fn measured(&self, py: Python<'_>, x: Vector<'_>, eps: f64) -> PyResult<f64> {
        let x = numbers(&x);
        detached(py, || runs::measured(&self.instance, &x, eps))?.map_err(bad_value)
    }

    fn initial(&self, py: Python<'_>) -> PyResult<f64> {
        detached(py, || runs::initial(&self.instance))?.map_err(bad_value)
    }

    fn initial_gap(&self, py: Python<'_>) -> PyResult<f64> {
        detached(py, || runs::initial_gap(&self.instance))?.map_err(|error| oracle(&error))
    }

    fn accuracies(&self, py: Python<'_>, first: f64, last: f64, count: usize) -> PyResult<Vec<f64>> {
        detached(py, || runs::accuracies(&self.instance, first, last, count))?.map_err(bad_value)
    }
}
