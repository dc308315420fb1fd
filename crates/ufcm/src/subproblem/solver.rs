//! The solver of model steps: Newton's method on all rows while they are few, on a working set of them where they are
//! many, a gradient method where a prox has no Jacobian, and sliding where that costs fewer operations, too many multipliers
//! change together, or only products with J are available.

use super::Subproblem;
use super::dual_gradient::DualGradient;
use super::semismooth::Semismooth;
use super::sliding::{Depth, Sliding};
use super::working_set::WorkingSet;
use crate::oracle::{Mapping, OracleError};
use crate::subproblem::tuning::sigma::GRAM_ROWS;
use crate::subproblem::tuning::solver::{
    DEEPER, FEW_PRODUCTS, FEW_ROWS, GRADIENT_STEPS, SLIDING_LIMIT, SLIDING_STEPS, UNSOLVED,
};

/// What a solve did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Newton steps taken, or gradient steps where it came to those.
    pub steps: usize,
    /// max_j Sigma_j |l_j - l_fb_j|, in the units of the rows: how far the point is from solving the subproblem. It is
    /// computed at the point returned, for all rows.
    pub residual: f64,
    /// Whether the point is as near as it should be: to working accuracy, or, by sliding, relative to what the step brings.
    pub solved: bool,
}

/// The solver, with all its buffers and what it remembers from one subproblem to the next.
pub struct Solver {
    rows: usize,
    variables: usize,
    semismooth: Semismooth,
    working_set: Option<WorkingSet>,
    /// Whether the proxes may have Jacobians; once they turn out not to, Newton's method is not tried again.
    has_jacobians: bool,
    /// Made when first needed.
    dual_gradient: Option<DualGradient>,
    sliding: Option<Box<Sliding>>,
    /// Whether sliding is to take all model steps, and how many steps at a time.
    slides: bool,
    sliding_limit: usize,
}

impl Solver {
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
            sliding: None,
            slides: false,
            sliding_limit: SLIDING_LIMIT,
        }
    }

    /// Lets sliding take all model steps, or only those that Newton's method cannot take.
    pub fn set_sliding(&mut self, slides: bool) {
        self.slides = slides;
    }

    /// Lets sliding take more steps at a time.
    pub fn slide_deeper(&mut self) {
        self.sliding_limit = self.sliding_limit.saturating_mul(DEEPER);
    }

    /// Whether sliding takes all model steps.
    #[must_use]
    pub fn slides(&self) -> bool {
        self.slides
    }

    /// Solves the subproblem from the given multipliers (in the domain of h*), until the residual is at most `tolerance` (or by
    /// sliding, to the given depth) or `most` steps are done (a hundred times as many where they are cheap ones). Writes w and
    /// the multipliers, which are in the domain of h* whatever the residual.
    ///
    /// # Errors
    /// A prox or a generalised Jacobian that failed; one that is not supported is done without.
    pub fn solve(
        &mut self,
        problem: &Subproblem<'_>,
        accuracy: Accuracy,
        most: usize,
        multipliers: &mut [f64],
        w: &mut [f64],
    ) -> Result<Outcome, OracleError> {
        let (m, n, tolerance, slides) = (self.rows, self.variables, accuracy.tolerance, self.slides);
        let mut too_many = false;
        if self.has_jacobians && !slides {
            match self.solve_by_newton(problem, tolerance, most, multipliers, w) {
                Ok(Some(outcome)) => return Ok(judged(outcome, problem)),
                Ok(None) => too_many = true,
                Err(OracleError::Unsupported { .. }) => self.has_jacobians = false,
                Err(error) => return Err(error),
            }
        }
        let most = most.saturating_mul(GRADIENT_STEPS);
        if slides || too_many || m > GRAM_ROWS {
            let sliding = self.sliding.get_or_insert_with(|| Box::new(Sliding::new(m, n)));
            return sliding.solve(problem, accuracy.depth, most.min(self.sliding_limit), multipliers, w);
        }
        let dual_gradient = self.dual_gradient.get_or_insert_with(|| DualGradient::new(m, n));
        let outcome = dual_gradient.solve(problem, tolerance, most, multipliers, w)?;
        Ok(judged(outcome, problem))
    }

    /// `None`, and the multipliers left as they are, where there are too many rows for it.
    fn solve_by_newton(
        &mut self,
        problem: &Subproblem<'_>,
        tolerance: f64,
        most: usize,
        multipliers: &mut [f64],
        w: &mut [f64],
    ) -> Result<Option<Outcome>, OracleError> {
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

/// How exactly a model step is to be solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// The residual that is small enough for exact solvers.
    pub tolerance: f64,
    /// What is asked of sliding.
    pub depth: Depth,
}

impl Accuracy {
    /// This tolerance, for sliding too.
    #[must_use]
    pub fn exact(tolerance: f64) -> Self {
        Self { tolerance, depth: Depth { relative: 0.0, floor: tolerance } }
    }
}

pub(super) fn judged(outcome: Outcome, problem: &Subproblem<'_>) -> Outcome {
    let size = problem.offset.iter().fold(1.0, |size: f64, b| size.max(b.abs()));
    Outcome { solved: outcome.residual <= UNSOLVED * size, ..outcome }
}

/// Whether sliding takes fewer operations than Newton systems of as many rows as may be active, or rows are known by products
/// alone. Few rows are Newton's in any case.
pub(crate) fn is_cheaper_by_sliding(mapping: &dyn Mapping) -> bool {
    let (m, n) = (mapping.rows(), mapping.dimension());
    if !mapping.has_rows() {
        return m > FEW_PRODUCTS;
    }
    let active = m.min(n).min(GRAM_ROWS) as f64;
    let newton = active * active * (n as f64 + active / 3.0);
    m > FEW_ROWS && newton > SLIDING_STEPS * 2.0 * mapping.product_operations() as f64
}
