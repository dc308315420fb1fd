//! The solver of model steps: Newton's method on all rows while they are few, on a working set of them where they are
//! many, and a gradient method where a prox has no Jacobian or too many rows move together.

use super::Subproblem;
use super::dual_gradient::DualGradient;
use super::semismooth::Semismooth;
use super::sigma::GRAM_ROWS;
use super::working_set::WorkingSet;
use crate::oracle::OracleError;

/// Rows up to which no working set is worth its rounds.
const FEW_ROWS: usize = 256;
/// Gradient steps allowed for each Newton step.
const GRADIENT_STEPS: usize = 100;

/// What a solve did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonOutcome {
    /// Newton steps taken, or gradient steps where it came to those.
    pub steps: usize,
    /// max_j Sigma_j |l_j - l_fb_j|, in the units of the rows: how far the point is from solving the subproblem. It is
    /// computed at the point returned, for all rows.
    pub residual: f64,
}

/// The solver, with all its buffers and what it remembers from one subproblem to the next.
pub struct Newton {
    rows: usize,
    variables: usize,
    semismooth: Semismooth,
    working_set: Option<WorkingSet>,
    /// Whether the proxes may have Jacobians; once they turn out not to, Newton's method is not tried again.
    has_jacobians: bool,
    /// Made when first needed.
    dual_gradient: Option<DualGradient>,
}

impl Newton {
    /// A solver for subproblems with `m` rows and `n` variables.
    #[must_use]
    pub fn new(m: usize, n: usize) -> Self {
        let few = m <= FEW_ROWS;
        Self {
            rows: m,
            variables: n,
            // For many rows its storage grows with the working set.
            semismooth: Semismooth::new(if few { m } else { 0 }, n),
            working_set: (!few).then(|| WorkingSet::new(m, n)),
            has_jacobians: true,
            dual_gradient: None,
        }
    }

    /// Solves the subproblem from the given multipliers (in the domain of h*), until the residual is at most `tolerance` or
    /// `most` steps are done (a hundred times as many where they are gradient steps). Writes w and the multipliers, which
    /// are in the domain of h* whatever the residual.
    ///
    /// # Errors
    /// A prox or a generalised Jacobian that failed; one that is not supported is done without.
    pub fn solve(
        &mut self,
        problem: &Subproblem<'_>,
        tolerance: f64,
        most: usize,
        multipliers: &mut [f64],
        w: &mut [f64],
    ) -> Result<NewtonOutcome, OracleError> {
        if self.has_jacobians {
            match self.solve_by_newton(problem, tolerance, most, multipliers, w) {
                Ok(Some(outcome)) => return Ok(outcome),
                Ok(None) => {}
                Err(OracleError::Unsupported { .. }) => self.has_jacobians = false,
                Err(error) => return Err(error),
            }
        }
        let (m, n) = (self.rows, self.variables);
        let dual_gradient = self.dual_gradient.get_or_insert_with(|| DualGradient::new(m, n));
        dual_gradient.solve(problem, tolerance, most.saturating_mul(GRADIENT_STEPS), multipliers, w)
    }

    /// `None`, and the multipliers left as they are, where there are too many rows for it.
    fn solve_by_newton(
        &mut self,
        problem: &Subproblem<'_>,
        tolerance: f64,
        most: usize,
        multipliers: &mut [f64],
        w: &mut [f64],
    ) -> Result<Option<NewtonOutcome>, OracleError> {
        match &mut self.working_set {
            Some(set) if problem.composer.has_diagonal_prox() => {
                set.solve(&mut self.semismooth, problem, tolerance, most, multipliers, w)
            }
            // Rows can be frozen in a diagonal metric alone.
            Some(_) if self.rows > GRAM_ROWS => Ok(None),
            _ => self.semismooth.solve(problem, tolerance, most, multipliers, w).map(Some),
        }
    }
}
