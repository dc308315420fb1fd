//! Problems: built and checked once, evaluated, audited.

use crate::arrays::{Vector, numbers};
use crate::block::Block;
use crate::component::Component;
use crate::error::{self, Error, OrBadValue, bad_value, detached};
use crate::raised::take_back;
use crate::regulariser::Regulariser;
use crate::watch::Watched;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use ufcm::audit::{self, AuditOptions, Finding};
use ufcm::component::Linear;
use ufcm::oracle::Component as Oracle;
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
    fn new(
        n: usize,
        objective: Option<&Component>,
        blocks: Vec<PyRef<'_, Block>>,
        regularizer: Option<&Regulariser>,
        domain: Option<&Regulariser>,
    ) -> PyResult<Self> {
        let objective: Arc<dyn Oracle> = match objective {
            Some(objective) => objective.oracle.clone(),
            None => Arc::new(Linear::constant(n, 0.0).or_bad_value()?),
        };
        let mut builder = ufcm::problem::Problem::minimise(Watched::new(objective));
        for block in &blocks {
            builder = block.add_to(builder)?;
        }
        if let Some(regularizer) = regularizer {
            builder = builder.regularised_by(regularizer.for_dimension(n)?);
        }
        if let Some(domain) = domain {
            builder = builder.within(domain.for_dimension(n)?);
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
    fn check(&self, py: Python<'_>, seed: u64, radius: f64, quick: bool) -> PyResult<Vec<Audited>> {
        let options = AuditOptions { seed, radius, quick, ..AuditOptions::default() };
        let problem = &self.problem;
        detached(py, || {
            let mut audited = Vec::new();
            for (row, name) in problem.row_names().iter().enumerate() {
                if let Some(component) = problem.component(row) {
                    audited.push((name.clone(), component.kind(), audit::component(component, &options)?));
                }
            }
            for (rows, composer) in problem.parts() {
                let name = format!("composer of {}", problem.row_names()[rows.start]);
                audited.push((name, composer.kind(), audit::composer(composer, &options)?));
            }
            let (u, n) = (problem.regulariser(), problem.dimension());
            audited.push(("regularizer".to_owned(), u.kind(), audit::regulariser(u, n, &options)?));
            Ok(audited.into_iter().map(|(name, kind, found)| (name, kind, told(&found))).collect())
        })?
        .or_bad_value()
    }
}

/// What the paper promises for an accuracy `eps`, as a dictionary. The problem is solved for it, since the constants speak
/// of a solution.
#[pyfunction]
pub(crate) fn plan<'py>(py: Python<'py>, problem: &Problem, eps: f64) -> PyResult<Bound<'py, PyDict>> {
    if !(eps.is_finite() && eps > 0.0) {
        return Err(PyValueError::new_err(format!("eps is {eps}; it must be positive")));
    }
    let problem = &problem.problem;
    let planned = detached(py, || {
        // The distances are to be right in their leading digits.
        let settings = Settings { eps_rel: (eps / 10.0).min(1e-6), ..Settings::default() };
        let report = problem.solve(&settings).map_err(PlanError::from)?;
        let plan = report.status.is_success().then(|| Plan::new(problem, &report, eps)).transpose()?;
        Ok((report, plan))
    })?;
    let (report, plan) = planned.map_err(|error: PlanError| bad_value(error))?;
    let Some(plan) = plan else {
        let text = format!("the constants speak of a solution, and none was found: {}", report.status);
        let (trouble, raised) =
            take_back(&report.trouble.map(|trouble| trouble.to_string()).unwrap_or_default());
        let text = if trouble.is_empty() { text } else { format!("{text}: {trouble}") };
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
    ] {
        told.set_item(name, value)?;
    }
    told.set_item("executions", plan.executions)?;
    let calls = |promise: Promise| (promise.gradients.ceil().max(1.0), promise.proximal.ceil());
    told.set_item("ufcm", calls(plan.ufcm))?;
    told.set_item("restarted", plan.restarted.map(calls))?;
    told.set_item("used", (report.counts.gradients, report.counts.newton_steps))?;
    Ok(told)
}

/// A part of a problem, its kind, and its faults as (law, text).
type Audited = (String, &'static str, Vec<(String, String)>);

fn told(findings: &[Finding]) -> Vec<(String, String)> {
    // A fault's text may hold the mark of an exception, which is told there in words.
    let tell = |finding: &Finding| (format!("{:?}", finding.check), take_back(&finding.to_string()).0);
    findings.iter().map(tell).collect()
}
