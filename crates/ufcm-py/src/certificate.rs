//! Certificates: proofs as data, checked without the solver.

use crate::arrays::array;
use crate::error::{bad_value, certificate, detached};
use crate::problem::Problem;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use ufcm::certificate::{Certificate as Proof, Infeasibility as NoPoint, NeededRow, Unboundedness as Ray};

/// The name of a row, its multiplier, and a point that satisfies all the others, where there is one.
type RowTold<'py> = (String, f64, Option<Bound<'py, PyArray1<f64>>>);

/// A point, bounds of the optimal value, and what proves them.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Certificate {
    pub(crate) proof: Proof,
}

#[pymethods]
impl Certificate {
    /// (lower, upper, violation) as recomputed from the problem's oracles alone.
    fn check(&self, py: Python<'_>, problem: &Problem) -> PyResult<(f64, f64, f64)> {
        let verified = detached(py, || self.proof.verify(&problem.problem))?;
        let verified = verified.map_err(|error| certificate(&error))?;
        Ok((verified.lower, verified.upper, verified.violation))
    }

    /// All that the proof rests on, as the problem itself tells.
    fn rests_on(&self, py: Python<'_>, problem: &Problem) -> PyResult<String> {
        detached(py, || self.proof.rests_on_in(&problem.problem))
    }

    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.proof.x)
    }

    #[getter]
    fn lower(&self) -> f64 {
        self.proof.lower
    }

    #[getter]
    fn upper(&self) -> f64 {
        self.proof.upper
    }

    #[getter]
    fn violation(&self) -> f64 {
        self.proof.violation
    }

    #[getter]
    fn premise(&self) -> String {
        self.proof.rests_on()
    }

    #[getter]
    fn premise_kind(&self) -> &'static str {
        self.proof.premise.name()
    }

    #[getter]
    fn witnesses(&self) -> usize {
        self.proof.witnesses.len()
    }

    /// The certificate as JSON.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.proof).map_err(bad_value)
    }

    /// A certificate from its JSON.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Ok(Self { proof: serde_json::from_str(text).map_err(bad_value)? })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (py.get_type::<Self>().getattr("from_json")?, (self.to_json()?,)).into_pyobject(py)
    }
}

/// A proof that no point satisfies the constraints.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Infeasibility {
    pub(crate) proof: NoPoint,
}

#[pymethods]
impl Infeasibility {
    /// The margin of the proof, positive.
    fn check(&self, py: Python<'_>, problem: &Problem) -> PyResult<f64> {
        detached(py, || self.proof.verify(&problem.problem))?.map_err(|error| certificate(&error))
    }

    /// All that the proof rests on, as the problem itself tells.
    fn rests_on(&self, py: Python<'_>, problem: &Problem) -> PyResult<String> {
        detached(py, || self.proof.rests_on_in(&problem.problem))
    }

    #[getter]
    fn premise(&self) -> String {
        self.proof.rests_on()
    }

    /// Which constraints have no common point, in words.
    #[getter]
    fn conflict(&self) -> String {
        self.proof.conflict()
    }

    /// Whether every one of them is shown to be needed.
    #[getter]
    fn irreducible(&self) -> bool {
        self.proof.is_irreducible()
    }

    /// The constraints: name, multiplier, and a point that satisfies all the others.
    fn rows<'py>(&self, py: Python<'py>) -> Vec<RowTold<'py>> {
        let row = |needed: &NeededRow| {
            let without = (!needed.without.is_empty()).then(|| array(py, &needed.without));
            (needed.name.clone(), needed.multiplier, without)
        };
        self.proof.rows.iter().map(row).collect()
    }

    /// The proof as JSON.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.proof).map_err(bad_value)
    }

    /// A proof from its JSON.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Ok(Self { proof: serde_json::from_str(text).map_err(bad_value)? })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (py.get_type::<Self>().getattr("from_json")?, (self.to_json()?,)).into_pyobject(py)
    }
}

/// A point and a ray along which the objective falls without bound.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Unboundedness {
    pub(crate) proof: Ray,
}

#[pymethods]
impl Unboundedness {
    /// The rate at which the objective falls, for each length of the ray.
    fn check(&self, py: Python<'_>, problem: &Problem) -> PyResult<f64> {
        detached(py, || self.proof.verify(&problem.problem))?.map_err(|error| certificate(&error))
    }

    /// All that the proof rests on.
    fn rests_on(&self, _problem: &Problem) -> String {
        self.proof.rests_on()
    }

    #[getter]
    fn premise(&self) -> String {
        self.proof.rests_on()
    }

    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.proof.x)
    }

    #[getter]
    fn ray<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, &self.proof.ray)
    }

    /// The proof as JSON.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.proof).map_err(bad_value)
    }

    /// A proof from its JSON.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Ok(Self { proof: serde_json::from_str(text).map_err(bad_value)? })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (py.get_type::<Self>().getattr("from_json")?, (self.to_json()?,)).into_pyobject(py)
    }
}
