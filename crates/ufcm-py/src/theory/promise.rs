//! What the theorems promise.

use super::constants::Aggregate;
use crate::error::unproven;
use pyo3::prelude::*;
use ufcm::theory::Unproven;
use ufcm::theory::promise::{self, Balance, Case, Distances, Errors, Promise};

/// (D_x, D_lambda, M)
pub(crate) type DistanceFields = (f64, f64, f64);
/// (C, Delta)
type BalanceFields = (f64, f64);
/// (gradients, proximal steps)
pub(crate) type PromiseFields = (f64, f64);

fn distances((d_x, d_lambda, m): DistanceFields) -> Distances {
    Distances { d_x, d_lambda, m }
}

fn balance((c, delta): BalanceFields) -> Balance {
    Balance { c, delta }
}

/// A promise for Python.
pub(crate) fn told(promise: Promise) -> PromiseFields {
    (promise.gradients, promise.proximal)
}

fn proven(py: Python<'_>, promise: Result<Promise, Unproven>) -> PyResult<PromiseFields> {
    promise.map(told).map_err(|condition| unproven(py, &condition))
}

fn errors(steps: Option<f64>) -> Errors {
    steps.map_or(Errors::None, Errors::UpTo)
}

/// The functions of `ufcm::theory::promise`.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Promises;

#[pymethods]
impl Promises {
    #[staticmethod]
    fn balance_without_distances(l_ada: f64) -> BalanceFields {
        let Balance { c, delta } = Balance::without_distances(l_ada);
        (c, delta)
    }

    #[staticmethod]
    fn balance_with_distances(l_ada: f64, d_x: f64, d_lambda: f64) -> BalanceFields {
        let Balance { c, delta } = Balance::with_distances(l_ada, d_x, d_lambda);
        (c, delta)
    }

    #[staticmethod]
    fn smooth(l_ada: f64, eps: f64, r: f64, c_and_delta: BalanceFields, at: DistanceFields) -> PromiseFields {
        told(promise::smooth(l_ada, eps, r, balance(c_and_delta), distances(at)))
    }

    #[staticmethod]
    fn gap_bound(
        l_ada: f64,
        eps: f64,
        r: f64,
        c_and_delta: BalanceFields,
        at: DistanceFields,
        steps: f64,
    ) -> f64 {
        promise::gap_bound(l_ada, eps, r, balance(c_and_delta), distances(at), steps)
    }

    #[staticmethod]
    fn heterogeneous(
        py: Python<'_>,
        l_ada: f64,
        eps: f64,
        r: f64,
        c_and_delta: BalanceFields,
        at: DistanceFields,
    ) -> PyResult<PromiseFields> {
        proven(py, promise::heterogeneous(l_ada, eps, r, balance(c_and_delta), distances(at)))
    }

    #[staticmethod]
    fn heterogeneous_balanced(
        py: Python<'_>,
        l_ada: f64,
        eps: f64,
        at: DistanceFields,
    ) -> PyResult<PromiseFields> {
        proven(py, promise::heterogeneous_balanced(l_ada, eps, distances(at)))
    }

    #[staticmethod]
    fn restarted(
        py: Python<'_>,
        aggregate: (f64, f64, f64),
        accuracy: (f64, f64),
        executions: usize,
        at: DistanceFields,
    ) -> PyResult<PromiseFields> {
        let (l_ada, mu_ada, l_h) = aggregate;
        proven(py, promise::restarted(l_ada, mu_ada, l_h, accuracy, executions, distances(at)))
    }

    #[staticmethod]
    fn executions(initial_gap: f64, eps: f64) -> usize {
        promise::executions(initial_gap, eps)
    }

    #[staticmethod]
    fn first_radius(mu_ada: f64, eps: f64, executions: usize, d_x: f64) -> f64 {
        promise::first_radius(mu_ada, eps, executions, d_x)
    }

    #[staticmethod]
    fn last_dual_radius(l_h: f64, eps: f64, d_lambda: f64) -> f64 {
        promise::last_dual_radius(l_h, eps, d_lambda)
    }

    #[staticmethod]
    fn iterate_radius(
        l_ada: f64,
        c_and_delta: BalanceFields,
        d_x: f64,
        d_lambda: f64,
        steps: Option<f64>,
    ) -> f64 {
        promise::iterate_radius(l_ada, balance(c_and_delta), d_x, d_lambda, errors(steps))
    }

    #[staticmethod]
    fn dual_iterate_radius(
        l_ada: f64,
        l_h: f64,
        c_and_delta: BalanceFields,
        at: DistanceFields,
        steps: Option<f64>,
    ) -> f64 {
        promise::dual_iterate_radius(l_ada, l_h, balance(c_and_delta), distances(at), errors(steps))
    }

    /// 1a, 1b, 2a or 2b.
    #[staticmethod]
    fn case(mu_ada: f64, l_h: f64, eps: f64, at: DistanceFields) -> &'static str {
        Case::of(mu_ada, l_h, eps, distances(at)).name()
    }

    #[staticmethod]
    fn implicit_gradients(rows: &Aggregate, d_x: f64) -> f64 {
        promise::implicit_gradients(&rows.rows, d_x)
    }

    #[staticmethod]
    fn k_sm(eps: f64, l: f64, p: f64, distance: f64) -> f64 {
        promise::k_sm(eps, l, p, distance)
    }

    #[staticmethod]
    fn k_uc(eps: f64, l: f64, p: f64, mu: f64, q: f64, gap: f64) -> f64 {
        promise::k_uc(eps, l, p, mu, q, gap)
    }

    #[staticmethod]
    fn table(l_ada: f64, mu_ada: f64, l_h: f64, eps: f64, at: DistanceFields) -> PromiseFields {
        told(promise::table(l_ada, mu_ada, l_h, eps, distances(at)))
    }

    #[staticmethod]
    fn acgd_s(l: f64, mu_0: f64, eps: f64, at: DistanceFields) -> PromiseFields {
        told(promise::acgd_s(l, mu_0, eps, distances(at)))
    }

    #[staticmethod]
    fn acgd_s_strongly_convex(l: f64, mu_0: f64, eps: f64, at: DistanceFields) -> PromiseFields {
        told(promise::acgd_s_strongly_convex(l, mu_0, eps, distances(at)))
    }
}
