//! Second derivatives for metrics: which kind is available, what it costs, how often it is renewed, and how it is formed.

use crate::jacobian::ProxJacobian;
use crate::metric::CurvatureMetric;
use crate::metric::tuning::second_order::{
    AT_ONCE, FEW_SAMPLES, HESSIAN_WORTH, INSIDE_FACTORS, LARGEST_HESSIAN, LARGEST_QUASI_NEWTON,
    MODEL_FACTORS, MOST_MODEL, MOST_READS, MUCH, PRODUCT_SPEED, RANK, SAMPLES, UNKNOWN_OPERATIONS,
};
use crate::oracle::{OracleError, Regulariser, ScalarTerm, Weight};
use crate::problem::Problem;

/// What is known of second derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All of them.
    Hessian,
    /// A diagonal and a matrix of low rank, from products with the Hessian.
    Sketch,
    /// What the run's own gradients tell.
    QuasiNewton,
}

impl Kind {
    /// The gradients after which the metric made for the `formed`-th time may be made anew, or left.
    pub(crate) fn stretch(self, formed: usize) -> usize {
        let stretches: &[usize] = match self {
            Self::Hessian => &[3, 3, 5, 10, 25, 50, 100, 200],
            Self::Sketch => &[10, 30, 100, 200],
            Self::QuasiNewton => &[20],
        };
        stretches[formed.saturating_sub(1).min(stretches.len() - 1)]
    }

    /// Where the logarithm of the residual falls by less per gradient, over more than a few, the metric misleads.
    pub(crate) fn slow_rate(self) -> f64 {
        match self {
            Self::Hessian | Self::Sketch => 0.02,
            // It learns while it runs, at times at the cost of a stretch.
            Self::QuasiNewton => 0.0,
        }
    }

    /// delta relative to the largest eigenvalue. A BFGS matrix starts from a multiple of the identity and needs no more.
    pub(crate) fn first_damping(self) -> f64 {
        match self {
            Self::Hessian | Self::Sketch => 0.1,
            Self::QuasiNewton => 1e-6,
        }
    }

    /// The damping after a stretch that went well.
    pub(crate) fn less_damping(self, damping: f64) -> f64 {
        match self {
            Self::Hessian => (damping / 1e5).max(1e-10),
            Self::Sketch => (damping / 1000.0).max(1e-10),
            Self::QuasiNewton => damping,
        }
    }

    /// The damping after the metric has misled; `None` where it cannot be the damping that was too little.
    pub(crate) fn more_damping(self, damping: f64) -> Option<f64> {
        (damping < self.first_damping()).then(|| (1000.0 * damping).min(self.first_damping()))
    }
}

/// Second derivatives that were asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    pub(crate) hessians: usize,
    pub(crate) products: usize,
}

/// Forms metrics of curvature at `x`, and counts.
pub(crate) fn curvature_at<'f>(
    problem: &'f Problem,
    x: &'f [f64],
    multipliers: &'f [f64],
    spent: &'f mut Spent,
) -> impl FnMut(Kind, f64) -> Result<Option<CurvatureMetric>, OracleError> + 'f {
    move |kind, damping| match kind {
        Kind::Hessian => {
            spent.hessians += 1;
            CurvatureMetric::dense(problem, x, multipliers, damping)
        }
        Kind::Sketch => {
            spent.products += RANK.min(x.len());
            CurvatureMetric::sketched(problem, x, multipliers, RANK, damping)
        }
        // No component knows it.
        Kind::QuasiNewton => Ok(None),
    }
}

/// Whether curved rows have second derivatives, and model steps can be solved with them.
pub(crate) fn is_available(problem: &Problem) -> bool {
    CurvatureMetric::is_available(problem) && has_jacobians(problem)
}

/// Whether n is within what dense Hessians are thought of for.
pub(crate) fn is_small(problem: &Problem) -> bool {
    problem.dimension() <= LARGEST_HESSIAN
}

/// The second derivatives to be had from the components, and what they cost in gradients, by operations; `None` where a
/// curved row has none.
pub(crate) fn available(problem: &Problem) -> Option<(Kind, f64)> {
    if !is_available(problem) {
        return None;
    }
    // A product takes two passes over the data, as a gradient does.
    let sketch = CurvatureMetric::has_products(problem).then_some((Kind::Sketch, RANK as f64));
    let hessian = hessian_cost(problem).map(|cost| (Kind::Hessian, cost));
    match (hessian, sketch) {
        (Some((_, hessian)), Some((_, cost))) if hessian > HESSIAN_WORTH * cost => sketch,
        _ => hessian.or(sketch),
    }
}

/// The share of the data from which Hessians are formed, and how often.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sampling {
    pub(crate) share: f64,
    /// Steps that a Hessian with its factors costs, about, in reads of the data; it is used for as many at least.
    pub(crate) patience: usize,
    /// Whether model steps pay only where u has no say in them: they take one factorisation then.
    pub(crate) inside: bool,
}

impl Sampling {
    /// Twice the share; false where it was all of the data.
    pub(crate) fn widen(&mut self) -> bool {
        let all = self.share >= 1.0;
        self.share = (2.0 * self.share).min(1.0);
        !all
    }
}

/// From how much of the data Hessians are formed for Newton's method: enough samples for each variable, and more where they cost little. `None`
/// where there are no second derivatives, or where they would cost too many reads of the data.
pub(crate) fn sampling(problem: &Problem) -> Option<Sampling> {
    sampling_where(problem, gradient_operations(problem))
}

/// The same where a read of the data takes so many operations: more than those of a problem that is part of a larger one.
pub(crate) fn sampling_where(problem: &Problem, gradient: f64) -> Option<Sampling> {
    if !is_small(problem) || !is_available(problem) {
        return None;
    }
    let (n, gradient) = (problem.dimension() as f64, gradient.max(1.0));
    let curved = (0..problem.rows()).filter_map(|row| problem.component(row)?.curvature());
    let (mut terms, mut operations) = (0.0, 0.0);
    for curvature in curved {
        terms += curvature.terms() as f64;
        operations += curvature.hessian_operations().map_or(n * n * n, |operations| operations as f64);
    }
    // Products of matrices run some five times as fast as what memory limits.
    let whole = operations / PRODUCT_SPEED / gradient;
    // Enough samples for each variable, and more where they cost little; fewer where they cost much.
    let enough = (SAMPLES * n / terms).max(AT_ONCE / whole);
    let share = enough.min((MUCH / whole).max(FEW_SAMPLES * n / terms)).min(1.0);
    let factors = n.powi(3) / 3.0 / PRODUCT_SPEED / gradient;
    let reads = share * whole + factors;
    // A model step takes some factorisations, where X bends.
    let inside = MODEL_FACTORS * factors > MOST_MODEL;
    let domain = is_domain(problem.regulariser(), problem.dimension());
    let is_affordable = reads <= MOST_READS && (!inside || (domain && factors <= INSIDE_FACTORS));
    let patience = (reads.ceil() as usize).max(1);
    is_affordable.then_some(Sampling { share, patience, inside })
}

/// Whether u is 0 on a ball or a box, so that it has no say in a model step that stays inside.
fn is_domain(u: &dyn Regulariser, n: usize) -> bool {
    let plain = |law: ScalarTerm| law.above == 0.0 && law.below == 0.0 && law.ridge == 0.0;
    u.as_ball().is_some() || (0..n).all(|i| u.scalar_term(i).is_some_and(plain))
}

/// `None` where n is too large for a dense one.
fn hessian_cost(problem: &Problem) -> Option<f64> {
    if !is_small(problem) {
        return None;
    }
    let gradient = gradient_operations(problem);
    let n = problem.dimension() as f64;
    // A gradient of a loss over data takes 4 operations for each entry, its part of a Hessian n/2 times as many as that
    // over 2; the factors n^3/3 more. Matrix products run some four times as fast as what memory limits.
    Some(1.0 + (n / 4.0 + n.powi(3) / 3.0 / gradient.max(1.0)) / 4.0)
}

/// Operations of a value and gradient of all rows. A user's function does not say what it costs: it counts as a loss over a few
/// samples for each variable.
pub(crate) fn gradient_operations(problem: &Problem) -> f64 {
    let mapping = problem.mapping();
    if let Some(known) = mapping.operations() {
        return known as f64;
    }
    let unknown = UNKNOWN_OPERATIONS * (problem.dimension() as f64).powi(2);
    let of_component = |row: usize| {
        let component = problem.component(row)?;
        Some(component.operations().map_or(unknown, |operations| operations as f64))
    };
    let components: f64 = (0..problem.rows()).filter_map(of_component).sum();
    components + mapping.product_operations() as f64
}

/// Whether a quasi-Newton matrix is worth a try: where a curved row has no second derivatives.
pub(crate) fn is_black_box(problem: &Problem) -> bool {
    problem.dimension() <= LARGEST_QUASI_NEWTON
        && (0..problem.rows()).any(|row| !problem.is_affine(row))
        && !CurvatureMetric::is_available(problem)
        && has_jacobians(problem)
}

/// Whether the proxes of u and h* have Jacobians, as Newton's method in the metric of curvature needs.
fn has_jacobians(problem: &Problem) -> bool {
    let (n, m, unit) = (problem.dimension(), problem.rows(), Weight::scalar(1.0));
    let (x, multipliers) = (vec![0.0; n], vec![0.0; m]);
    let mut jacobian = ProxJacobian::new();
    problem.regulariser().prox_jacobian(unit, &x, &mut jacobian.start(n)).is_ok()
        && problem.composer().prox_conjugate_jacobian(unit, &multipliers, &mut jacobian.start(m)).is_ok()
}
