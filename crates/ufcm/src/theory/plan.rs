//! All the theory says of one problem, once its solution is known.

use super::promise::{self, Balance, Case, Distances};
use super::{Aggregate, Promise, RowConstants};
use crate::error::DataError;
use crate::oracle::{OracleError, Smoothness, Weight};
use crate::problem::Problem;
use crate::report::Report;

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

impl Plan {
    /// The plan for a problem with the solution and the multipliers of `report`.
    ///
    /// # Errors
    /// A row whose smoothness is not known, an accuracy that is not positive, or a row that cannot be evaluated.
    pub fn new(problem: &Problem, report: &Report, eps: f64) -> Result<Self, PlanError> {
        let start = Start::new(problem)?;
        let d_x = distance(&start.x, &report.x).max(f64::MIN_POSITIVE);
        let d_lambda = distance(&start.multipliers, &report.multipliers);
        // cor:smooth-composite-rates-primal-dist; where the multipliers are known, r is not asked for.
        let r = if d_lambda > 0.0 { d_lambda * eps.sqrt() } else { eps.sqrt() };
        let rows = rows(problem, &report.multipliers)?;
        let theory = Aggregate::new(rows.clone(), eps, r)?;
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

/// Where a run starts: the point of X nearest to 0, with the multipliers nearest to 0.
struct Start {
    x: Vec<f64>,
    values: Vec<f64>,
    multipliers: Vec<f64>,
}

impl Start {
    fn new(problem: &Problem) -> Result<Self, OracleError> {
        let mut x = vec![0.0; problem.dimension()];
        if !problem.regulariser().value(&x).is_finite() {
            problem.regulariser().prox(Weight::scalar(1.0), &mut x)?;
        }
        let mut values = vec![0.0; problem.rows()];
        problem.mapping().values(&x, &mut values)?;
        let mut multipliers = vec![0.0; problem.rows()];
        problem.composer().prox_conjugate(Weight::scalar(1.0), &mut multipliers)?;
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
