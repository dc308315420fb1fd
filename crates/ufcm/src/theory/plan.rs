//! All the theory says of one problem, once its solution is known.

use super::promise::{self, Balance, Case, Distances};
use super::{Aggregate, Promise, RowConstants};
use crate::error::DataError;
use crate::oracle::{OracleError, Smoothness, Weight};
use crate::problem::Problem;
use crate::report::Report;

/// Multipliers that need not move have no distance to go; step sizes need one, and any that is larger is a bound too. Relative
/// to the size of the multipliers.
const LEAST_DISTANCE: f64 = 1e-3;

/// The constants of a problem and what they promise for an accuracy eps, from the start that a solve has by default.
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::problem::{IntoConstraint, Problem};
/// use ufcm::regulariser::Bounds;
/// use ufcm::settings::Settings;
/// use ufcm::theory::Plan;
///
/// let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, 0.0])?;
/// let problem = Problem::minimise(objective)
///     .subject_to(Quadratic::diagonal(vec![1.0, 1.0])?.at_most(0.5))
///     .within(Bounds::new(-5.0, 5.0)?)
///     .build()?;
/// let report = problem.solve(&Settings::default())?;
/// let plan = Plan::new(&problem, &report, 1e-4)?;
/// assert!(plan.ufcm.gradients > report.counts.gradients as f64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The accuracy.
    pub eps: f64,
    /// L_ADA.
    pub l_ada: f64,
    /// L_ADA without the help of mu_ADA: what Algorithm 1 asks for.
    pub l_ada_plain: f64,
    /// mu_ADA.
    pub mu_ada: f64,
    /// L_h; infinite where h is not smooth.
    pub l_h: f64,
    /// r, the slack of the multipliers.
    pub r: f64,
    /// D_x, D_lambda and M.
    pub at: Distances,
    /// Which iterates R-UFCM restarts.
    pub case: Case,
    /// The executions of R-UFCM.
    pub executions: usize,
    /// What UFCM (Algorithm 1) promises.
    pub ufcm: Promise,
    /// What R-UFCM promises; `None` where all rows are affine: its bounds divide by L_ADA.
    pub restarted: Option<Promise>,
}

/// Why the theory promises nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A row without the constants that the theory speaks of.
    #[error("{row} ({kind}) has no Hölder smoothness that holds everywhere: the theory promises nothing")]
    NoSmoothness {
        /// The row's name.
        row: String,
        /// Its component.
        kind: &'static str,
    },
    /// A solution, or an accuracy, that makes no sense.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A row that cannot be evaluated.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

impl PlanError {
    /// The same as the reason why `object` cannot be made. What an oracle reported goes with it.
    pub(crate) fn refusing(self, object: &'static str) -> DataError {
        match self {
            Self::Oracle(error) => DataError::oracle(object, error),
            other => DataError::structure(object, other.to_string()),
        }
    }
}

impl Plan {
    /// The plan for a problem with the solution and the multipliers of `report`.
    ///
    /// # Errors
    /// A row whose smoothness is not known, an accuracy that is not positive, or a row that cannot be evaluated.
    pub fn new(problem: &Problem, report: &Report, eps: f64) -> Result<Self, PlanError> {
        let start = Start::new(problem)?;
        let d_lambda = distance(&start.multipliers, &report.multipliers);
        // cor:smooth-composite-rates-primal-dist; where the multipliers are known, r is not asked for.
        let r = if d_lambda > 0.0 { d_lambda * eps.sqrt() } else { eps.sqrt() };
        Self::with_radius(problem, report, &start, d_lambda, (eps, r))
    }

    /// The plan for a run that starts elsewhere and is to leave a gap of eps <= 1 and a violation of `eps_feas`.
    ///
    /// (eps, r)-optimality bounds the violation by eps/r, so r = eps/eps_feas would do; but beyond D_lambda a larger r costs as
    /// much as it brings, and eps must be smaller instead. With r <= D_lambda the promise is the one for r = D_lambda sqrt(eps)
    /// (thm:heterogeneous-composite-convergence).
    pub(crate) fn from_start(
        problem: &Problem,
        report: &Report,
        start: &Start,
        (eps, eps_feas): (f64, f64),
    ) -> Result<Self, PlanError> {
        let size = distance(&report.multipliers, &vec![0.0; problem.rows()]);
        let d_lambda = distance(&start.multipliers, &report.multipliers).max(LEAST_DISTANCE * (1.0 + size));
        let small = d_lambda * eps.sqrt();
        let accuracy = if problem.parts().any(|(_, composer)| composer.is_constraint()) {
            let r = (eps / eps_feas).min(d_lambda).max(small);
            (eps.min(eps_feas * r), r)
        } else {
            (eps, small)
        };
        Self::with_radius(problem, report, start, d_lambda, accuracy)
    }

    fn with_radius(
        problem: &Problem,
        report: &Report,
        start: &Start,
        d_lambda: f64,
        (eps, r): (f64, f64),
    ) -> Result<Self, PlanError> {
        let rows = rows(problem, &report.multipliers)?;
        let theory = Aggregate::new(rows.clone(), eps, r)?;
        let d_x = far_enough(&theory, distance(&start.x, &report.x).max(f64::MIN_POSITIVE));
        let (l_ada, mu_ada, l_h) =
            (theory.l_ada_convex(d_x), theory.mu_ada(), problem.composer().smoothness());
        let balance = Balance::with_distances(l_ada, d_x, d_lambda.max(f64::MIN_POSITIVE));
        let smooth = rows.iter().all(|row| row.smoothness.exponent == 1.0);
        let radius = promise::iterate_radius(l_ada, balance, d_x, d_lambda, smooth);
        let at = Distances { d_x, d_lambda, m: jacobian_bound(problem, &report.x, &rows, radius)? };
        let executions = promise::executions(start.gap(problem, report), eps);
        Ok(Self {
            eps,
            l_ada,
            l_ada_plain: theory.l_ada(d_x),
            mu_ada,
            l_h,
            r,
            at,
            case: Case::of(mu_ada, l_h, eps, at),
            executions,
            ufcm: promise::heterogeneous_balanced(theory.l_ada(d_x), eps, at),
            restarted: (l_ada > 0.0).then(|| promise::restarted(l_ada, mu_ada, l_h, eps, executions, at)),
        })
    }
}

/// Where a run starts.
pub(crate) struct Start {
    pub(crate) x: Vec<f64>,
    values: Vec<f64>,
    pub(crate) multipliers: Vec<f64>,
}

impl Start {
    /// The point of X nearest to 0, with the multipliers nearest to 0.
    fn new(problem: &Problem) -> Result<Self, OracleError> {
        let mut x = vec![0.0; problem.dimension()];
        if !problem.regulariser().value(&x).is_finite() {
            problem.regulariser().prox(Weight::scalar(1.0), &mut x)?;
        }
        Self::at(problem, x, None)
    }

    /// A point of X, with these multipliers or those nearest to 0.
    pub(crate) fn at(
        problem: &Problem,
        x: Vec<f64>,
        multipliers: Option<Vec<f64>>,
    ) -> Result<Self, OracleError> {
        let mut values = vec![0.0; problem.rows()];
        problem.mapping().values(&x, &mut values)?;
        let multipliers = match multipliers {
            Some(given) => given,
            None => {
                let mut nearest = vec![0.0; problem.rows()];
                problem.composer().prox_conjugate(Weight::scalar(1.0), &mut nearest)?;
                nearest
            }
        };
        Ok(Self { x, values, multipliers })
    }

    /// sum of lambda*_j g_j(x0) - h*(lambda*) + u(x0) minus the optimal value: the primal part of the gap function.
    fn gap(&self, problem: &Problem, report: &Report) -> f64 {
        let dualised: f64 = self.values.iter().zip(&report.multipliers).map(|(g, l)| g * l).sum();
        let conjugate = problem.composer().conjugate(&report.multipliers);
        let gap = dualised - conjugate + problem.regulariser().value(&self.x) - report.objective;
        if gap.is_finite() { gap.max(0.0) } else { 0.0 }
    }
}

/// The theorems hold for eps <= 24 L_ADA D_x^2. A start that is nearer takes a larger D_x, which is a bound as well.
fn far_enough(theory: &Aggregate, distance: f64) -> f64 {
    let mut d_x = distance;
    while theory.l_ada(1.0) > 0.0 && d_x < 1e100 && 24.0 * theory.l_ada(d_x) * d_x * d_x < theory.eps() {
        d_x *= 2.0;
    }
    d_x
}

/// What the theory needs of each row; a row that does not know its smoothness is named.
fn rows(problem: &Problem, multipliers: &[f64]) -> Result<Vec<RowConstants>, PlanError> {
    let constants = |row: usize| {
        let component = problem.component(row);
        let affine = Smoothness { constant: 0.0, exponent: 1.0 };
        let smoothness =
            if problem.is_affine(row) { Some(affine) } else { component.and_then(|g| g.smoothness()) };
        let smoothness = smoothness.ok_or_else(|| PlanError::NoSmoothness {
            row: problem.row_names()[row].clone(),
            kind: component.map_or("component", |g| g.kind()),
        })?;
        Ok(RowConstants {
            multiplier: multipliers[row].abs(),
            pinned: problem.composer().is_pinned(row),
            smoothness,
            convexity: component.and_then(|g| g.convexity()),
        })
    };
    (0..problem.rows()).map(constants).collect()
}

/// M >= |J(x)| for |x - x*| <= R: the norms of the rows at x*, each plus L_j R^p_j, as one Frobenius norm.
fn jacobian_bound(
    problem: &Problem,
    x: &[f64],
    rows: &[RowConstants],
    radius: f64,
) -> Result<f64, OracleError> {
    let mut mapping = problem.mapping();
    mapping.linearise(x, &mut vec![0.0; problem.rows()])?;
    let mut gradient = vec![0.0; problem.dimension()];
    let square = |(row, constants): (usize, &RowConstants)| {
        mapping.jacobian_row(row, &mut gradient);
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        let Smoothness { constant, exponent } = constants.smoothness;
        // An affine row has the same gradient everywhere, however far that is.
        let change = if constant > 0.0 { constant * radius.powf(exponent) } else { 0.0 };
        (norm + change).powi(2)
    };
    Ok(rows.iter().enumerate().map(square).sum::<f64>().sqrt())
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
