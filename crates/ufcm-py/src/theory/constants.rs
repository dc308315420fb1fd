//! L_ADA and mu_ADA of rows.

use crate::error::OrBadValue;
use pyo3::prelude::*;
use ufcm::method::RestartPlan;
use ufcm::oracle::{Convexity, Smoothness};
use ufcm::theory::{Aggregate as Rows, RowConstants};

/// The fields of Python's `RowConstants`: lambda*_j, (L_j, p_j), (mu_j, q_j), whether the multiplier is pinned.
pub(crate) type RowFields = (f64, (f64, f64), Option<(f64, f64)>, bool);

/// A row for Python.
pub(crate) fn row_fields(row: &RowConstants) -> RowFields {
    let convexity = row.convexity.map(|Convexity { constant, exponent }| (constant, exponent));
    (row.multiplier, (row.smoothness.constant, row.smoothness.exponent), convexity, row.pinned)
}

/// A row of Python's.
fn row((multiplier, (constant, exponent), convexity, pinned): RowFields) -> RowConstants {
    let convexity = convexity.map(|(constant, exponent)| Convexity { constant, exponent });
    RowConstants { multiplier, pinned, smoothness: Smoothness { constant, exponent }, convexity }
}

/// The rows of a problem as the theory sees them.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Aggregate {
    pub(crate) rows: Rows,
}

#[pymethods]
impl Aggregate {
    #[new]
    fn new(rows: Vec<RowFields>, eps: f64, r: f64) -> PyResult<Self> {
        let rows = rows.into_iter().map(row).collect();
        Ok(Self { rows: Rows::new(rows, eps, r).or_bad_value()? })
    }

    fn l_ada_smooth(&self) -> f64 {
        self.rows.l_ada_smooth()
    }

    fn l_delta(&self, delta: f64) -> f64 {
        self.rows.l_delta(delta)
    }

    fn l_ada(&self, d_x: f64) -> f64 {
        self.rows.l_ada(d_x)
    }

    fn l_ada_convex(&self, d_x: f64) -> f64 {
        self.rows.l_ada_convex(d_x)
    }

    fn mu_ada(&self) -> f64 {
        self.rows.mu_ada()
    }

    /// (L_ADA, mu_ADA) of each execution of R-UFCM.
    fn own_constants(&self, d_x: f64, executions: usize) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let each = RestartPlan::own_constants(&self.rows, d_x, executions).or_bad_value()?;
        Ok(each.iter().map(|own| (own.l_ada, own.mu_ada)).unzip())
    }
}
