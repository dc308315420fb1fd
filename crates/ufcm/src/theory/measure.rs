//! What the paper measures convergence by: the gap function Q, and (eps, r)-optimality for a known saddle point.
//!
//! These need a saddle point, so no run can stop on them; they are for checking the theory and for experiments.

use crate::error::{DataError, check_finite, check_length, check_positive};
use crate::oracle::{Composer, OracleError, Weight};
use crate::problem::Problem;

/// (lambda, nu) of the extended Lagrangian (eq:modified-lagrangian), with nu given by its linearisations
/// x -> <nu_j, x> + offset_j, offset_j = -g_j*(nu_j).
#[derive(Debug, Clone, PartialEq)]
pub struct DualPoint {
    /// lambda, in the domain of h*.
    pub multipliers: Vec<f64>,
    /// nu, row after row.
    pub jacobian: Vec<f64>,
    /// -g_j*(nu_j). A lower bound of it makes Q an upper bound.
    pub offsets: Vec<f64>,
}

impl DualPoint {
    /// `multipliers` with nu = ∇g(x), for which -g*(nu) = g(x) - nu x.
    ///
    /// # Errors
    /// A row that cannot be evaluated at `x`.
    pub fn at(problem: &Problem, x: &[f64], multipliers: &[f64]) -> Result<Self, OracleError> {
        OracleError::check_length("x", problem.dimension(), x.len())?;
        OracleError::check_length("multipliers", problem.rows(), multipliers.len())?;
        let (m, n) = (problem.rows(), problem.dimension());
        let (mut offsets, mut products) = (vec![0.0; m], vec![0.0; m]);
        let mut jacobian = vec![0.0; m * n];
        let mut mapping = problem.mapping();
        mapping.linearise(x, &mut offsets)?;
        mapping.apply(x, &mut products);
        offsets.iter_mut().zip(&products).for_each(|(offset, product)| *offset -= product);
        jacobian.chunks_exact_mut(n).enumerate().for_each(|(j, row)| mapping.jacobian_row(j, row));
        Ok(Self { multipliers: multipliers.to_vec(), jacobian, offsets })
    }
}

/// L(x; lambda, nu) = <lambda, nu x - g*(nu)> - h*(lambda) + u(x) (eq:modified-lagrangian).
#[must_use]
pub fn lagrangian(problem: &Problem, x: &[f64], dual: &DualPoint) -> f64 {
    let rows = dual.jacobian.chunks_exact(problem.dimension()).zip(&dual.offsets);
    let linear = rows.zip(&dual.multipliers).map(|((row, offset), l)| match l {
        0.0 => 0.0,
        l => l * (row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>() + offset),
    });
    linear.sum::<f64>() - problem.composer().conjugate(&dual.multipliers) + problem.regulariser().value(x)
}

/// Q(z, z_hat) = L(x; lambda_hat, nu_hat) - L(x_hat; lambda, nu) (eq:gap-function).
#[must_use]
pub fn gap(problem: &Problem, z: (&[f64], &DualPoint), z_hat: (&[f64], &DualPoint)) -> f64 {
    lagrangian(problem, z.0, z_hat.1) - lagrangian(problem, z_hat.0, z.1)
}

/// A saddle point that is known, as on planted instances.
#[derive(Debug, Clone, PartialEq)]
pub struct SaddlePoint {
    /// x*
    pub x: Vec<f64>,
    /// lambda*, over all rows.
    pub multipliers: Vec<f64>,
    /// p*
    pub value: f64,
}

impl SaddlePoint {
    /// (x*, lambda*) with p* = <lambda*, g(x*)> - h*(lambda*) + u(x*).
    ///
    /// # Errors
    /// A row that cannot be evaluated at x*, or vectors of the wrong length.
    pub fn new(problem: &Problem, x: Vec<f64>, multipliers: Vec<f64>) -> Result<Self, MeasureError> {
        const KIND: &str = "saddle point";
        check_length(KIND, "x*", problem.dimension(), x.len())?;
        check_length(KIND, "lambda*", problem.rows(), multipliers.len())?;
        let value = dualised(problem, &x, &multipliers)?;
        Ok(Self { x, multipliers, value })
    }
}

/// <lambda, g(x)> - h*(lambda) + u(x) = L(x; lambda, ∇g(x)).
pub(crate) fn dualised(problem: &Problem, x: &[f64], multipliers: &[f64]) -> Result<f64, OracleError> {
    let mut g = vec![0.0; problem.rows()];
    problem.mapping().values(x, &mut g)?;
    let linear: f64 = multipliers.iter().zip(&g).map(|(l, g)| l * g).sum();
    Ok(linear - problem.composer().conjugate(multipliers) + problem.regulariser().value(x))
}

/// How far a point is from (eps, r)-optimality (def:optimality-conditions), with the g_hat and lambda_hat of the paper's proof: it is
/// (eps, r)-optimal for every eps that is at least both numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimality {
    /// h(g_hat) + <lambda_hat, g(x) - g_hat> + u(x) - p*, g_0 included as row 0.
    pub suboptimality: f64,
    /// r |g(x) - g_hat|
    pub infeasibility: f64,
    /// g_hat, the perturbed projection of g(x) onto the domain of ∂h.
    pub g_hat: Vec<f64>,
    /// lambda_hat, a subgradient of h at g_hat within r of lambda*.
    pub multipliers: Vec<f64>,
}

impl Optimality {
    /// An eps for which the point is (eps, r)-optimal: the larger of both numbers. It is what the theorems bound. Another g_hat and
    /// lambda_hat may show the same for a smaller one.
    #[must_use]
    pub fn eps(&self) -> f64 {
        self.suboptimality.max(self.infeasibility)
    }
}

/// Measures `x` against a saddle point.
///
/// lambda_hat maximises <lambda, g(x)> - h*(lambda) over the domain of h* within r of lambda* (the dual of
/// def:composite-linearization-center-g-tilde). With a proximal term kappa in place of the ball the maximiser is a prox
/// of h*, its distance from lambda* falls as kappa grows, and g_hat = g(x) - kappa (lambda_hat - lambda*): one
/// monotone root for every composer.
///
/// # Errors
/// A radius that is not positive, vectors of the wrong length, or a row that cannot be evaluated at `x`.
pub fn optimality(
    problem: &Problem,
    x: &[f64],
    saddle: &SaddlePoint,
    r: f64,
) -> Result<Optimality, MeasureError> {
    const KIND: &str = "(eps, r)-optimality";
    check_positive(KIND, "r", r)?;
    check_length(KIND, "x", problem.dimension(), x.len())?;
    check_length(KIND, "lambda*", problem.rows(), saddle.multipliers.len())?;
    check_finite(KIND, "lambda*", &saddle.multipliers)?;
    let mut g = vec![0.0; problem.rows()];
    problem.mapping().values(x, &mut g)?;
    let (kappa, multipliers) = perturbed_multipliers(problem.composer(), &g, &saddle.multipliers, r)?;
    let step = |j: usize| kappa * (multipliers[j] - saddle.multipliers[j]);
    let g_hat: Vec<f64> = (0..g.len()).map(|j| g[j] - step(j)).collect();
    let infeasibility = r * (0..g.len()).map(|j| step(j).powi(2)).sum::<f64>().sqrt();
    // h(g_hat) - <lambda_hat, g_hat> = -h*(lambda_hat) by Fenchel-Young equality.
    let dualised: f64 = multipliers.iter().zip(&g).map(|(l, g)| l * g).sum();
    let value = dualised - problem.composer().conjugate(&multipliers) + problem.regulariser().value(x);
    Ok(Optimality { suboptimality: value - saddle.value, infeasibility, g_hat, multipliers })
}

/// Why a measure could not be taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// Wrong data.
    #[error(transparent)]
    Data(#[from] DataError),
    /// An oracle that failed.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// (kappa, lambda_hat) with lambda_hat = prox_{h*,kappa}(lambda* + g/kappa) at distance r from lambda*, or nearer
/// where even a vanishing kappa stays within r.
fn perturbed_multipliers(
    composer: &dyn Composer,
    g: &[f64],
    centre: &[f64],
    r: f64,
) -> Result<(f64, Vec<f64>), OracleError> {
    let at = |kappa: f64| -> Result<(f64, Vec<f64>), OracleError> {
        let mut l: Vec<f64> = centre.iter().zip(g).map(|(c, g)| c + g / kappa).collect();
        composer.prox_conjugate(Weight::scalar(kappa), &mut l)?;
        let distance = l.iter().zip(centre).map(|(l, c)| (l - c).powi(2)).sum::<f64>().sqrt();
        Ok((distance, l))
    };
    // The distance is at most |g|/kappa + (distance of the prox's own centre), so some kappa is large enough; and some
    // is so small that the proximal term vanishes beside g.
    let scale = 1.0 + g.iter().map(|g| g.abs()).fold(0.0, f64::max);
    let (mut low, mut high) = ((1e-14 * scale).ln(), (scale / r).ln().max(0.0) + 1.0);
    let nearest = at(low.exp())?;
    if nearest.0 <= r {
        return Ok((low.exp(), nearest.1));
    }
    while at(high.exp())?.0 > r {
        high += 2.0;
    }
    for _ in 0..100 {
        let middle = low.midpoint(high);
        if at(middle.exp())?.0 > r {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok((high.exp(), at(high.exp())?.1))
}
