//! All the theory says of one problem, once its solution is known.

use super::promise::{self, Balance, Case, Distances, Errors};
use super::{Aggregate, Promise, RowConstants, Unproven};
use crate::error::{DataError, check_positive};
use crate::method::tuning::aim::HEAVY;
use crate::oracle::{OracleError, Smoothness, Weight};
use crate::problem::Problem;
use crate::report::Report;

const KIND: &str = "plan";

/// Multipliers that need not move, though they could, have no distance to go; step sizes need one, and any that is larger is a bound
/// too. Relative to the size of the multipliers.
const LEAST_DISTANCE: f64 = 1e-3;

/// Differences below this part of what is subtracted are rounding.
const ROUNDING: f64 = 1e-12;

/// The constants of a problem and what they promise for an accuracy eps.
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
/// assert!(plan.ufcm?.gradients > report.counts.gradients as f64);
/// // The theorems ask for eps <= 1.
/// let told = Plan::new(&problem, &report, 5.0)?.ufcm.unwrap_err().to_string();
/// assert_eq!(told, "eps <= 1 does not hold: eps = 5e0");
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
    /// L_h; infinite where h is not smooth, 0 where it is linear.
    pub l_h: f64,
    /// r, the slack of the multipliers. It says nothing where h is linear.
    pub r: f64,
    /// D_x, D_lambda (0 where h is linear: multipliers have one value), and M over the ball where Algorithm 1 stays.
    pub at: Distances,
    /// M over the ball where Algorithm 2 stays: its first execution starts with D_x^(0), which may be more than D_x.
    pub m_restarted: f64,
    /// Q(z~^0, z^^0), the gap function between start and saddle point.
    pub gap: f64,
    /// Which iterates R-UFCM restarts.
    pub case: Case,
    /// The executions of R-UFCM.
    pub executions: usize,
    /// The rows as the theory sees them, in their order; a g_0 that is constant is none.
    pub rows: Vec<RowConstants>,
    /// What UFCM (Algorithm 1) promises, or which condition of its theorem does not hold.
    pub ufcm: Result<Promise, Unproven>,
    /// What R-UFCM (Algorithm 2) promises, or which condition of its theorem does not hold.
    pub restarted: Result<Promise, Unproven>,
}

/// What a plan is made for. `Target { eps, ..Target::default() }` is the paper's choice from the start that a solve has by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Target {
    /// The accuracy.
    pub eps: f64,
    /// r. By default sqrt(eps) min(D_lambda, 2 sqrt(L_h)): the paper's D_lambda sqrt(eps) where its proof allows it (docs/errata.md).
    pub r: Option<f64>,
    /// K. By default what the theorem asks for.
    pub executions: Option<usize>,
    /// L_ADA. By default from the rows' own constants; where it is given, rows need not have any.
    pub l_ada: Option<f64>,
    /// mu_ADA. By default from the rows' own constants.
    pub mu_ada: Option<f64>,
    /// D_x. By default the distance to the solution.
    pub d_x: Option<f64>,
    /// D_lambda. By default the distance to the solution's multipliers.
    pub d_lambda: Option<f64>,
    /// x^0. By default the point of X nearest to 0.
    pub x0: Option<Vec<f64>>,
    /// lambda^0. By default the multipliers nearest to 0.
    pub multipliers0: Option<Vec<f64>>,
}

/// Why there is no plan.
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
    /// The plan for a problem with the solution and the multipliers of `report`, for an accuracy and the defaults of [`Target`].
    ///
    /// # Errors
    /// As [`Plan::with`].
    pub fn new(problem: &Problem, report: &Report, eps: f64) -> Result<Self, PlanError> {
        Self::with(problem, report, &Target { eps, ..Target::default() })
    }

    /// The plan for a problem with the solution and the multipliers of `report`.
    ///
    /// # Errors
    /// A row whose smoothness is not known, an accuracy that is not positive, or a row that cannot be evaluated.
    pub fn with(problem: &Problem, report: &Report, target: &Target) -> Result<Self, PlanError> {
        check_positive(KIND, "eps", target.eps)?;
        let start = Start::new(problem, target)?;
        let d_lambda = target.d_lambda.unwrap_or_else(|| start.dual_distance(problem, report));
        let l_h = problem.composer().smoothness();
        let r = target.r.unwrap_or_else(|| default_radius(target.eps, d_lambda, l_h));
        Self::from_start(problem, report, &start, target, r)
    }

    fn from_start(
        problem: &Problem,
        report: &Report,
        start: &Start,
        target: &Target,
        r: f64,
    ) -> Result<Self, PlanError> {
        let eps = target.eps;
        let (slopes, rows) = rows(problem, report, target.l_ada.is_some())?;
        let theory = Aggregate::new(rows.iter().flatten().copied().collect(), eps, r)?;
        let l_plain = |d_x: f64| target.l_ada.unwrap_or_else(|| theory.l_ada(d_x));
        let d_x = match target.d_x {
            Some(given) => given,
            None => far_enough(l_plain, eps, distance(&start.x, &report.x).max(f64::MIN_POSITIVE)),
        };
        let d_lambda = target.d_lambda.unwrap_or_else(|| start.dual_distance(problem, report));
        let l_ada = target.l_ada.unwrap_or_else(|| theory.l_ada_convex(d_x));
        let (l_ada_plain, mu_ada) = (l_plain(d_x), target.mu_ada.unwrap_or_else(|| theory.mu_ada()));
        let l_h = problem.composer().smoothness();
        let gap = start.gap(problem, report)?;
        let executions = target.executions.unwrap_or_else(|| promise::executions(gap, eps));
        let m_within =
            |l: f64, d_x: f64, steps: f64| jacobian_bound(&slopes, &rows, reach(&theory, l, d_x, steps));
        let m = m_within(l_ada_plain, d_x, (24.0 * l_ada_plain * d_x * d_x / eps).sqrt());
        let at = Distances { d_x, d_lambda, m };
        let first = promise::first_radius(mu_ada, eps, executions, d_x);
        let steps = (24.0 * l_ada * d_x * d_x / eps).min(96.0 * l_ada / mu_ada).sqrt();
        let m_restarted = m_within(l_ada, first.max(d_x), steps);
        let restarted = Self::promised_by_restarts(
            (l_ada, mu_ada, l_h),
            (eps, r),
            (executions, gap),
            Distances { m: m_restarted, ..at },
        );
        let ufcm = promise::heterogeneous_balanced(l_ada_plain, eps, at);
        let ufcm = ufcm.and_then(|promise| {
            let too_large = d_lambda > 0.0 && r > d_lambda * (1.0 + 1e-12);
            if too_large { Err(Unproven::RadiusAboveDistance { r, d_lambda }) } else { Ok(promise) }
        });
        let case = Case::of(mu_ada, l_h, eps, at);
        Ok(Self {
            eps,
            l_ada,
            l_ada_plain,
            mu_ada,
            l_h,
            r,
            at,
            m_restarted,
            gap,
            case,
            executions,
            rows: theory.rows().to_vec(),
            ufcm,
            restarted,
        })
    }

    fn promised_by_restarts(
        (l_ada, mu_ada, l_h): (f64, f64, f64),
        (eps, r): (f64, f64),
        (executions, gap): (usize, f64),
        at: Distances,
    ) -> Result<Promise, Unproven> {
        if executions < promise::executions(gap, eps) {
            return Err(Unproven::TooFewExecutions { executions, gap, eps });
        }
        promise::restarted(l_ada, mu_ada, l_h, (eps, r), executions, at)
    }

    /// D_lambda for step sizes, which divide by it: that of the plan, or where that is 0 the largest for which S_t = 1 in all of `steps`
    /// from a start at a distance of at least `d_x` (the proof of cor:Lada-recovers-HS).
    #[must_use]
    pub fn dual_distance_for(&self, l_ada: f64, d_x: f64, steps: f64) -> f64 {
        if self.at.d_lambda > 0.0 {
            return self.at.d_lambda;
        }
        let largest = 2.0 * l_ada * d_x / (self.m_restarted.max(self.at.m) * steps.ceil().max(1.0));
        if largest.is_normal() { largest } else { 1.0 }
    }
}

/// sqrt(eps) min(D_lambda, 2 sqrt(L_h)): r = D_lambda sqrt(eps), but no more than D_lambda^(K-1). For a linear h any r will do.
pub(crate) fn default_radius(eps: f64, d_lambda: f64, l_h: f64) -> f64 {
    if d_lambda == 0.0 {
        return eps.sqrt();
    }
    let most = if l_h == 0.0 { d_lambda } else { 2.0 * l_h.sqrt() };
    eps.sqrt() * d_lambda.min(most)
}

/// Where a run starts.
pub(crate) struct Start {
    pub(crate) x: Vec<f64>,
    pub(crate) multipliers: Vec<f64>,
}

impl Start {
    /// What was given; else the point of X nearest to 0, with the multipliers nearest to 0.
    fn new(problem: &Problem, target: &Target) -> Result<Self, OracleError> {
        let x = match &target.x0 {
            Some(x) => x.clone(),
            None => {
                let mut x = vec![0.0; problem.dimension()];
                if !problem.regulariser().value(&x).is_finite() {
                    problem.regulariser().prox(Weight::scalar(1.0), &mut x)?;
                }
                x
            }
        };
        OracleError::check_length("x0", problem.dimension(), x.len())?;
        Self::at(problem, x, target.multipliers0.clone())
    }

    /// A point of X, with these multipliers or those nearest to 0.
    pub(crate) fn at(
        problem: &Problem,
        x: Vec<f64>,
        multipliers: Option<Vec<f64>>,
    ) -> Result<Self, OracleError> {
        let multipliers = match multipliers {
            Some(given) => given,
            None => {
                let mut nearest = vec![0.0; problem.rows()];
                problem.composer().prox_conjugate(Weight::scalar(1.0), &mut nearest)?;
                nearest
            }
        };
        OracleError::check_length("multipliers", problem.rows(), multipliers.len())?;
        Ok(Self { x, multipliers })
    }

    /// D_lambda: the distance to the multipliers of the report, at least [`LEAST_DISTANCE`] where h is not linear; else 0.
    pub(crate) fn dual_distance(&self, problem: &Problem, report: &Report) -> f64 {
        if (0..problem.rows()).all(|row| problem.composer().is_pinned(row)) {
            return 0.0;
        }
        let size = report.multipliers.iter().map(|l| l * l).sum::<f64>().sqrt();
        distance(&self.multipliers, &report.multipliers).max(LEAST_DISTANCE * (1.0 + size))
    }

    /// Q(z~^0, z^^0) = L(x0; lambda*, ∇g(x0)) - L(x*; lambda0, ∇g(x0)), before thm:fully-heteogeneous-component-guarantees. The first
    /// half exceeds p* by what x0 is worth, the second falls short of it by what lambda0 is worth.
    fn gap(&self, problem: &Problem, report: &Report) -> Result<f64, PlanError> {
        let (mut mapping, composer) = (problem.mapping(), problem.composer());
        let mut values = vec![0.0; problem.rows()];
        mapping.linearise(&self.x, &mut values)?;
        let mut slope = vec![0.0; problem.dimension()];
        mapping.apply_transpose(&self.multipliers, &mut slope);
        let mut best = report.multipliers.clone();
        if !composer.conjugate(&best).is_finite() {
            // An ulp outside the domain of h*.
            composer.prox_conjugate(Weight::scalar(HEAVY), &mut best)?;
        }
        let dualised =
            |l: &[f64]| values.iter().zip(l).map(|(g, l)| g * l).sum::<f64>() - composer.conjugate(l);
        let moved: f64 =
            slope.iter().zip(report.x.iter().zip(&self.x)).map(|(s, (to, from))| s * (to - from)).sum();
        let u = |x: &[f64]| problem.regulariser().value(x);
        let (upper, lower) =
            (dualised(&best) + u(&self.x), dualised(&self.multipliers) + moved + u(&report.x));
        let gap = upper - lower;
        if gap.is_finite() {
            // What is left by rounding is nothing.
            Ok(if gap <= ROUNDING * (upper.abs() + lower.abs()) { 0.0 } else { gap })
        } else {
            Err(DataError::structure(KIND, "the gap function at the start is not finite").into())
        }
    }
}

/// The theorems hold for eps <= 24 L_ADA D_x^2. A start that is nearer takes a larger D_x, which is a bound as well.
fn far_enough(l_ada: impl Fn(f64) -> f64, eps: f64, distance: f64) -> f64 {
    let mut d_x = distance;
    while l_ada(1.0) > 0.0 && d_x < 1e100 && 24.0 * l_ada(d_x) * d_x * d_x < eps {
        d_x *= 2.0;
    }
    d_x
}

/// How far from x* Algorithm 1 can get from a start within `d_x` of it, in so many steps. With C = D_lambda/D_x and Delta = C/(2L) that is a
/// multiple of D_x, whatever D_lambda.
fn reach(theory: &Aggregate, l_ada: f64, d_x: f64, steps: f64) -> f64 {
    let smooth = theory.rows().iter().all(|row| row.smoothness.exponent == 1.0);
    if l_ada == 0.0 {
        return 3f64.sqrt() * d_x;
    }
    let errors = if smooth { Errors::None } else { Errors::UpTo(steps) };
    promise::iterate_radius(l_ada, Balance::with_distances(l_ada, d_x, d_x), d_x, d_x, errors)
}

/// The norm of each row's gradient at x*, and what the theory needs of each row; a row that does not know its smoothness is
/// named, or counts as if it could be as steep as one likes where L_ADA is known anyway. A g_0 that is constant is none: the paper counts m rows
/// without it.
fn rows(
    problem: &Problem,
    report: &Report,
    l_ada_is_known: bool,
) -> Result<(Vec<f64>, Vec<Option<RowConstants>>), PlanError> {
    let mut mapping = problem.mapping();
    mapping.linearise(&report.x, &mut vec![0.0; problem.rows()])?;
    let mut gradient = vec![0.0; problem.dimension()];
    let slopes: Vec<f64> = (0..problem.rows())
        .map(|row| {
            mapping.jacobian_row(row, &mut gradient);
            gradient.iter().map(|g| g * g).sum::<f64>().sqrt()
        })
        .collect();
    let constants = |row: usize| {
        if row == 0 && slopes[0] == 0.0 && problem.is_affine(0) {
            return Ok(None);
        }
        let component = problem.component(row);
        let affine = Smoothness { constant: 0.0, exponent: 1.0 };
        let smoothness =
            if problem.is_affine(row) { Some(affine) } else { component.and_then(|g| g.smoothness()) };
        let smoothness =
            smoothness.or(l_ada_is_known.then_some(Smoothness { constant: f64::MAX, exponent: 1.0 }));
        let smoothness = smoothness.ok_or_else(|| PlanError::NoSmoothness {
            row: problem.row_names()[row].clone(),
            kind: component.map_or("component", |g| g.kind()),
        })?;
        Ok(Some(RowConstants {
            multiplier: report.multipliers[row].abs(),
            pinned: problem.composer().is_pinned(row),
            smoothness,
            convexity: component.and_then(|g| g.convexity()),
        }))
    };
    let rows = (0..problem.rows()).map(constants).collect::<Result<_, PlanError>>()?;
    Ok((slopes, rows))
}

/// M >= |J(x)| for |x - x*| <= R: the norms of the rows at x*, each plus L_j R^p_j, as one Frobenius norm.
fn jacobian_bound(slopes: &[f64], rows: &[Option<RowConstants>], radius: f64) -> f64 {
    let square = |(norm, row): (&f64, &Option<RowConstants>)| {
        let Some(row) = row else { return 0.0 };
        let Smoothness { constant, exponent } = row.smoothness;
        // An affine row has the same gradient everywhere, however far that is.
        let change = if constant > 0.0 { constant * radius.powf(exponent) } else { 0.0 };
        (norm + change).powi(2)
    };
    slopes.iter().zip(rows).map(square).sum::<f64>().sqrt()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
