//! Problems: built and checked once, evaluated, audited.

use crate::arrays::{Vector, numbers};
use crate::block::Block;
use crate::component::Component;
use crate::error::{self, Error, OrBadValue, bad_value, detached, raised_behind};
use crate::listen;
use crate::ranks::Link;
use crate::regulariser::Regulariser;
use crate::theory::constants::row_fields;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use ufcm::audit::{self, AuditOptions, Finding};
use ufcm::budget::Budget;
use ufcm::component::Linear;
use ufcm::error::DataError;
use ufcm::oracle::Component as Oracle;
use ufcm::regulariser::joined;
use ufcm::settings::Settings;
use ufcm::theory::{Plan, PlanError, Promise};

/// A problem, checked.
#[pyclass(module = "ufcm._ufcm", frozen)]
pub(crate) struct Problem {
    pub(crate) problem: ufcm::problem::Problem,
}

#[pymethods]
impl Problem {
    /// `blocks` are terms and constraints, in the order in which their rows are to stand.
    #[new]
    #[pyo3(signature = (n, objective, blocks, regularizers, domains, link = None))]
    fn new(
        n: usize,
        objective: Option<&Component>,
        blocks: Vec<PyRef<'_, Block>>,
        regularizers: Vec<PyRef<'_, Regulariser>>,
        domains: Vec<PyRef<'_, Regulariser>>,
        link: Option<&Link>,
    ) -> PyResult<Self> {
        let objective: Arc<dyn Oracle> = match objective {
            Some(objective) => objective.oracle.clone(),
            None => Arc::new(Linear::constant(n, 0.0).or_bad_value()?),
        };
        let mut builder = ufcm::problem::Problem::minimise(objective);
        for block in &blocks {
            builder = block.add_to(builder)?;
        }
        if !regularizers.is_empty() {
            builder = builder.regularised_by(sum(&regularizers, n)?);
        }
        if !domains.is_empty() {
            builder = builder.within(sum(&domains, n)?);
        }
        if let Some(link) = link {
            builder = builder.over_ranks(&link.link);
        }
        Ok(Self { problem: builder.build().map_err(bad_value)? })
    }

    /// The number of variables.
    #[getter]
    fn dimension(&self) -> usize {
        self.problem.dimension()
    }

    /// The name of each row.
    #[getter]
    fn row_names(&self) -> Vec<String> {
        self.problem.row_names().to_vec()
    }

    /// (name, first row, rows, composer, component, is a constraint) of the objective and of each block.
    #[getter]
    fn blocks(&self) -> Vec<(String, usize, usize, String, String, bool)> {
        let composers: Vec<_> = self.problem.parts().collect();
        let block = |rows: &std::ops::Range<usize>| {
            let composer = composers.iter().find(|(other, _)| other.start == rows.start);
            let component = self.problem.component(rows.start).map_or("affine block", |g| g.kind());
            let name = self.problem.row_names().get(rows.start).cloned().unwrap_or_default();
            let name = if rows.len() == 1 { name } else { name.trim_end_matches("[0]").to_owned() };
            (
                name,
                rows.start,
                rows.len(),
                composer.map_or("sum", |(_, composer)| composer.kind()).to_owned(),
                component.to_owned(),
                composer.is_some_and(|(_, composer)| composer.is_constraint()),
            )
        };
        self.problem.blocks().iter().map(block).collect()
    }

    /// Regulariser and domain, in words.
    #[getter]
    fn regularizer_kind(&self) -> &'static str {
        self.problem.regulariser().kind()
    }

    /// The objective at `x`, infinite where a constraint is violated.
    fn value(&self, py: Python<'_>, x: Vector<'_>) -> PyResult<f64> {
        let x = numbers(&x);
        detached(py, || self.problem.value(&x))?.map_err(|error| error::oracle(&error))
    }

    /// The Euclidean distance of the rows at `x` from satisfying the constraints.
    fn violation(&self, py: Python<'_>, x: Vector<'_>) -> PyResult<f64> {
        let x = numbers(&x);
        detached(py, || self.problem.violation(&x))?.map_err(|error| error::oracle(&error))
    }

    /// What an audit of all oracles finds: (part, kind, faults) for each.
    fn check(
        slf: Py<Self>,
        py: Python<'_>,
        seed: u64,
        radius: f64,
        quick: bool,
    ) -> PyResult<Vec<(String, &'static str, Vec<Fault>)>> {
        let options = AuditOptions { seed, radius, quick, ..AuditOptions::default() };
        let budget = Budget::unlimited();
        let (audited, raised) = listen::run(py, &budget.stop_flag(), None, move |_| {
            audit_parts(&slf.get().problem, &options, &budget)
        })?;
        if let Some(raised) = raised {
            return Err(raised);
        }
        let told = |(name, kind, found): Audited| Ok((name, kind, faults(py, &found)?));
        audited.or_bad_value()?.into_iter().map(told).collect()
    }
}

/// Regularisers or domains as one, for `n` variables.
fn sum(parts: &[PyRef<'_, Regulariser>], n: usize) -> PyResult<Box<dyn ufcm::oracle::Regulariser>> {
    let mut parts = parts.iter().map(|part| part.for_dimension(n)).collect::<PyResult<Vec<_>>>()?;
    // One alone is checked with the problem, which names the part.
    if parts.len() == 1
        && let Some(alone) = parts.pop()
    {
        return Ok(alone);
    }
    joined(parts, n).map_err(bad_value)
}

/// A part of a problem, its kind, and what was found.
type Audited = (String, &'static str, Vec<Finding>);

/// Audits part after part, as long as the budget allows.
fn audit_parts(
    problem: &ufcm::problem::Problem,
    options: &AuditOptions,
    budget: &Budget,
) -> Result<Vec<Audited>, DataError> {
    let mut audited = Vec::new();
    for (row, name) in problem.row_names().iter().enumerate() {
        if let Some(component) = problem.component(row) {
            audited.push((
                name.clone(),
                component.kind(),
                audit::component_within(component, options, budget)?,
            ));
        }
    }
    for (rows, composer) in problem.parts().take_while(|_| budget.ask().is_ok()) {
        let name = format!("composer of {}", problem.row_names()[rows.start]);
        audited.push((name, composer.kind(), audit::composer(composer, options)?));
    }
    let (u, n) = (problem.regulariser(), problem.dimension());
    audited.push(("regularizer".to_owned(), u.kind(), audit::regulariser(u, n, options)?));
    Ok(audited)
}

/// The law that is broken, a text, and the exception of the user's function, where it raised one.
type Fault = (String, String, Option<PyErr>);

/// Findings as Python is told of them. Who interrupts an audit wants its end, and no fault.
fn faults(py: Python<'_>, findings: &[Finding]) -> PyResult<Vec<Fault>> {
    let fault = |finding: &Finding| {
        let raised = finding.error.as_ref().and_then(|error| raised_behind(error));
        match raised {
            Some(raised) if raised.is_instance_of::<PyKeyboardInterrupt>(py) => Err(raised),
            raised => Ok((format!("{:?}", finding.check), finding.to_string(), raised)),
        }
    };
    findings.iter().map(fault).collect()
}

/// What the paper promises for an accuracy `eps`, as a dictionary. The problem is solved for it, since the constants speak
/// of a solution.
#[pyfunction]
pub(crate) fn plan<'py>(py: Python<'py>, problem: Py<Problem>, eps: f64) -> PyResult<Bound<'py, PyDict>> {
    if !(eps.is_finite() && eps > 0.0) {
        return Err(PyValueError::new_err(format!("eps is {eps}; it must be positive")));
    }
    let budget = Budget::unlimited();
    let (planned, raised) = listen::run(py, &budget.stop_flag(), None, move |observe| {
        let problem = &problem.get().problem;
        // The distances are to be right in their leading digits.
        let settings = Settings { eps_rel: (eps / 10.0).min(1e-6), ..Settings::default() };
        let report = problem.solve_within(&settings, &budget, observe).map_err(PlanError::from)?;
        let plan = report.status.is_success().then(|| Plan::new(problem, &report, eps)).transpose()?;
        Ok((report, plan))
    })?;
    if let Some(raised) = raised {
        return Err(raised);
    }
    let (report, plan) = planned.map_err(|error: PlanError| bad_value(error))?;
    let Some(plan) = plan else {
        let raised = report.trouble.as_ref().and_then(|trouble| raised_behind(trouble));
        let (status, meaning) = (report.status, report.meaning());
        let text = format!("the constants speak of a solution, and none was found: {status}: {meaning}");
        return Err(raised.unwrap_or_else(|| Error::new_err(text)));
    };
    let told = PyDict::new(py);
    for (name, value) in [
        ("eps", plan.eps),
        ("l_ada", plan.l_ada),
        ("mu_ada", plan.mu_ada),
        ("l_h", plan.l_h),
        ("r", plan.r),
        ("d_x", plan.at.d_x),
        ("d_lambda", plan.at.d_lambda),
        ("m", plan.at.m),
        ("m_restarted", plan.m_restarted),
        ("gap", plan.gap),
    ] {
        told.set_item(name, value)?;
    }
    told.set_item("executions", plan.executions)?;
    told.set_item("rows", plan.rows.iter().map(row_fields).collect::<Vec<_>>())?;
    let calls = |promise: Promise| (promise.gradients.ceil().max(1.0), promise.proximal.ceil());
    for (name, promise) in [("ufcm", plan.ufcm), ("restarted", plan.restarted)] {
        told.set_item(name, promise.ok().map(calls))?;
        told.set_item(format!("{name}_unproven"), promise.err().map(|unproven| unproven.to_string()))?;
    }
    told.set_item("used", (report.counts.gradients, report.counts.newton_steps))?;
    Ok(told)
}
