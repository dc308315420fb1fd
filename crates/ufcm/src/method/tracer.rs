//! Who keeps the trace of a published method.

use super::Ufcm;
use crate::oracle::{Composer, OracleError};
use crate::problem::Problem;
use crate::report::TraceRecord;
use crate::theory::measure::{MeasureError, SaddlePoint, optimality};
use std::sync::{Arc, Mutex, PoisonError};

/// Where the records of a trace gather: the run holds one end, whoever asked for it the other.
pub(crate) type Trace = Arc<Mutex<Vec<TraceRecord>>>;

/// Writes a record after every iteration.
pub(crate) struct Tracer {
    pub(crate) trace: Trace,
    /// The saddle point, where it is known.
    pub(crate) saddle: Option<SaddlePoint>,
    /// r of the (eps, r) measure.
    pub(crate) r: f64,
}

impl Tracer {
    /// The record of the iteration that `inner` has done, with the rows at its averaged point.
    pub(super) fn write(
        &self,
        problem: &Problem,
        inner: &Ufcm<'_>,
        (execution, gradients): (usize, usize),
        row_values: &[f64],
    ) -> Result<(), OracleError> {
        let Some(sizes) = inner.last_step_sizes() else { return Ok(()) };
        let x = inner.average_x();
        let u = problem.regulariser().value(x);
        let (gap, measure) = self.against_saddle(problem, inner, row_values, u)?;
        let record = TraceRecord {
            execution,
            t: inner.iterations(),
            gradients,
            inner_steps: sizes.inner.steps,
            jacobian_norm: sizes.jacobian_norm,
            l_ada: inner.parameters().l_ada,
            objective: objective(problem, row_values) + u,
            violation: problem.composer().domain_distance(row_values),
            gap,
            measure,
        };
        self.trace.lock().unwrap_or_else(PoisonError::into_inner).push(record);
        Ok(())
    }

    fn against_saddle(
        &self,
        problem: &Problem,
        inner: &Ufcm<'_>,
        row_values: &[f64],
        u: f64,
    ) -> Result<(Option<f64>, Option<f64>), OracleError> {
        let Some((saddle, linear)) = self.saddle.as_ref().zip(inner.linearised_at_reference()) else {
            return Ok((None, None));
        };
        let composer = problem.composer();
        let multipliers = &saddle.multipliers;
        let at_x: f64 = multipliers.iter().zip(row_values).map(|(l, g)| l * g).sum();
        // L(x_bar; lambda*, ∇g(x_bar)) - L(x*; lambda_bar, nu_bar).
        let upper = at_x - composer.conjugate(multipliers) + u;
        let lower =
            linear - composer.conjugate(inner.average_multipliers()) + problem.regulariser().value(&saddle.x);
        let measured =
            optimality(problem, inner.average_x(), saddle, self.r).map_err(|error| match error {
                MeasureError::Oracle(error) => error,
                MeasureError::Data(error) => OracleError::failed(error),
            })?;
        Ok((Some(upper - lower), Some(measured.eps())))
    }
}

/// What stands in the objective: constraints are left aside.
fn objective(problem: &Problem, row_values: &[f64]) -> f64 {
    let part = |(rows, composer): (std::ops::Range<usize>, &dyn Composer)| {
        if composer.is_constraint() { 0.0 } else { composer.value(&row_values[rows]) }
    };
    problem.parts().map(part).sum()
}
