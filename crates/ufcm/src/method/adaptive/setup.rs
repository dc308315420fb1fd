//! How a method is set up: where it starts, and in which metrics.

use super::super::epoch::Epoch;
use super::super::start::{check_multipliers, check_x};
use super::images::Images;
use super::{Adaptive, AdaptiveParameters, MEMORY};
use crate::error::{DataError, check_length, check_positive};
use crate::method::tuning::setup::SLACK;
use crate::method::tuning::slack::SLACK_SHARES;
use crate::metric::choice::{Available, MetricChoice};
use crate::metric::second_order::{self, Kind, Spent};
use crate::metric::{CurvatureMetric, CurvedSolver, Metric};
use crate::oracle::{Mapping, OracleError};
use crate::problem::Problem;
use crate::subproblem::{Solver, is_cheaper_by_sliding};
use std::sync::Arc;

const KIND: &str = "adaptive method";

impl<'a> Adaptive<'a> {
    /// Starts from `x` in X and `multipliers` in the domain of h*, with steps measured in `metric`.
    ///
    /// # Errors
    /// A parameter that is not positive, a metric of the wrong length, or a starting point of the wrong length, not finite, or outside.
    pub fn new(
        problem: &'a Problem,
        x: &[f64],
        multipliers: &[f64],
        parameters: AdaptiveParameters,
        metric: Metric,
    ) -> Result<Self, DataError> {
        check(problem, x, multipliers, parameters, &metric)?;
        let (n, m) = (problem.dimension(), problem.rows());
        let mapping = problem.mapping();
        Ok(Self {
            problem,
            solver: solver_for(&*mapping),
            images: Images::of(problem, &*mapping),
            mapping,
            r: parameters.r,
            eps: parameters.eps,
            slack_share: SLACK_SHARES.0,
            accuracy: parameters.eps / SLACK_SHARES.0,
            slack: slack(problem),
            choice: MetricChoice::fixed(metric),
            curved: CurvedSolver::new(n),
            spent: Spent::default(),
            model_solved: true,
            unsolved: 0,
            is_all_affine: (0..m).all(|row| problem.is_affine(row)),
            linearised_at: vec![f64::NAN; n],
            at_next: false,
            epoch: Epoch::new(),
            l: parameters.l,
            a_sum: 0.0,
            x: x.to_vec(),
            z: x.to_vec(),
            y: vec![0.0; n],
            previous_y: vec![0.0; n],
            z_next: vec![0.0; n],
            x_next: vec![0.0; n],
            values_x: vec![0.0; m],
            values: vec![0.0; m],
            offset: vec![0.0; m],
            values_next: vec![0.0; m],
            change: vec![0.0; m],
            values_z: vec![0.0; m],
            multipliers: multipliers.to_vec(),
            multipliers_next: multipliers.to_vec(),
            peak: vec![0.0; m],
            ceiling: vec![f64::INFINITY; m],
            pinned: (0..m).map(|row| problem.composer().is_pinned(row)).collect(),
            size: vec![0.0; m],
            implied: [0.0; MEMORY],
            last_implied: None,
            accepted: 0,
            mismatch: None,
            direction: vec![0.0; n],
            buffer: vec![0.0; n],
            slope: vec![0.0; n],
            stationarity: f64::INFINITY,
            spread: f64::INFINITY,
        })
    }

    /// The first metric of a run that chooses among them: the components' hints, damped where variables are many.
    #[must_use]
    pub fn first_metric(problem: &Problem) -> Metric {
        if second_order::is_small(problem) {
            Metric::from_hints(problem)
        } else {
            Metric::from_damped_hints(problem)
        }
    }

    /// Lets the method change to other metrics at restarts, and keep the one under which it gets on fastest.
    #[must_use]
    pub fn choosing_its_metric(mut self) -> Self {
        // Sliding takes a prox of u in the metric for each inner step: one that is no diagonal must not cost more than that.
        let square = (self.x.len() as u64).pow(2);
        let matrices = !self.solver.slides() || square <= self.mapping.product_operations();
        let available = Available {
            variables: self.x.len(),
            diagonal: self.problem.regulariser().has_diagonal_prox(),
            second: second_order::available(self.problem).filter(|_| matrices),
            quasi_newton: matrices && second_order::is_black_box(self.problem),
            other_diagonal: other_diagonal(self.problem, self.choice.metric()),
        };
        self.choice = MetricChoice::open(self.choice.metric().clone(), available);
        self
    }

    /// Begins near a solution, with the metric of an earlier run if there is one: second derivatives are used at once, nearly undamped.
    ///
    /// # Errors
    /// A component whose Hessian cannot be had at the starting point.
    pub fn warm(mut self, carried: Option<&Metric>) -> Result<Self, OracleError> {
        let carried = carried.and_then(Metric::as_curvature);
        let fits = |metric: &&Arc<CurvatureMetric>| metric.matrix().order() == self.x.len();
        let mut form = second_order::curvature_at(self.problem, &self.x, &self.multipliers, &mut self.spent);
        self.choice.begin_warm(carried.filter(fits), &mut form)?;
        drop(form);
        Ok(self)
    }

    /// Takes model steps by sliding, whatever they would cost otherwise.
    #[must_use]
    pub fn sliding(mut self) -> Self {
        self.solver.set_sliding(true);
        self
    }

    /// Measures steps by second derivatives, formed here and then now and again.
    ///
    /// # Errors
    /// A component whose Hessian cannot be had at the starting point.
    pub fn with_curvature(self) -> Result<Self, OracleError> {
        self.with_kind(Kind::Hessian)
    }

    /// Measures steps by a diagonal plus a matrix of low rank that stand for the second derivatives.
    ///
    /// # Errors
    /// A component that has no products with its Hessian at the starting point.
    pub fn with_low_rank(self) -> Result<Self, OracleError> {
        self.with_kind(Kind::Sketch)
    }

    /// Measures steps by what gradients tell of second derivatives; in the plain norm while they tell little.
    #[must_use]
    pub fn with_quasi_newton(mut self) -> Self {
        self.choice = MetricChoice::alone(Kind::QuasiNewton, self.x.len());
        self
    }

    fn with_kind(mut self, kind: Kind) -> Result<Self, OracleError> {
        let mut form = second_order::curvature_at(self.problem, &self.x, &self.multipliers, &mut self.spent);
        let choice = MetricChoice::formed(kind, self.x.len(), &mut form)?;
        drop(form);
        self.choice = choice;
        Ok(self)
    }
}

/// The solver of model steps that suits the rows.
fn solver_for(mapping: &dyn Mapping) -> Solver {
    let mut solver = Solver::new(mapping.rows(), mapping.dimension());
    solver.set_sliding(is_cheaper_by_sliding(mapping));
    solver
}

/// Checks what the method is started with.
fn check(
    problem: &Problem,
    x: &[f64],
    multipliers: &[f64],
    parameters: AdaptiveParameters,
    metric: &Metric,
) -> Result<(), DataError> {
    for (field, value) in [("eps", parameters.eps), ("r", parameters.r), ("L", parameters.l)] {
        check_positive(KIND, field, value)?;
    }
    check_x(KIND, problem, x)?;
    check_multipliers(KIND, "lambda0", problem, multipliers)?;
    if let Metric::Diagonal(diagonal) = metric {
        check_length(KIND, "the metric", problem.dimension(), diagonal.len())?;
        diagonal.iter().try_for_each(|&d| check_positive(KIND, "an entry of the metric", d))?;
    }
    Ok(())
}

/// The components' hints where the first metric is them damped, and the other way round; `None` where there are none, or a
/// Hessian of few variables makes up for both.
fn other_diagonal(problem: &Problem, first: &Metric) -> Option<Metric> {
    if *first == Metric::Scalar || second_order::is_small(problem) {
        return None;
    }
    let hints = Metric::from_hints(problem);
    Some(if *first == hints { Metric::from_damped_hints(problem) } else { hints })
}

/// How deep to slide: the dearer a gradient beside two products with J, the more exact the model steps.
fn slack(problem: &Problem) -> f64 {
    let mapping = problem.mapping();
    let gradient = mapping.operations().map_or(f64::INFINITY, |operations| operations as f64);
    let ratio = gradient / (2.0 * mapping.product_operations().max(1) as f64);
    SLACK.iter().find(|(most, _)| ratio <= *most).map_or(SLACK[1].1, |(_, slack)| *slack)
}
