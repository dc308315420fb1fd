//! Algorithm 2: the Restarted Universal Fast Composite Method (alg:R-FCM).

use super::ufcm::{SetupError, Ufcm, UfcmParameters};
use crate::constants::ExecutionConstants;
use crate::error::{DataError, DataProblem, check_nonnegative, check_positive};
use crate::oracle::OracleError;
use crate::problem::Problem;
use crate::theory::Aggregate;
use crate::theory::promise::Balance;

const KIND: &str = "R-UFCM";

/// One execution of Algorithm 1 within Algorithm 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Execution {
    /// ceil(T_k) outer iterations.
    pub steps: usize,
    /// The constant given to Algorithm 1.
    pub l_ada: f64,
    /// D_x^(k), a bound of |x^k - x*|.
    pub d_x: f64,
    /// D_lambda^(k), a bound of |lambda^k - lambda*|.
    pub d_lambda: f64,
    /// Whether the next execution starts from this one's x_bar (else from x^0).
    pub restart_x: bool,
    /// Whether the next execution starts from this one's lambda_bar (else from lambda^0).
    pub restart_multipliers: bool,
}

impl Execution {
    /// C = D_lambda/D_x, Delta = C/(2 L_ADA) (thm:fully-heteogeneous-component-guarantees).
    #[must_use]
    pub fn parameters(&self) -> UfcmParameters {
        let balance = Balance::with_distances(self.l_ada, self.d_x, self.d_lambda);
        UfcmParameters { l_ada: self.l_ada, balance }
    }
}

/// All executions, known before the first one runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RestartPlan {
    /// In order, k = 0, ..., K - 1.
    pub executions: Vec<Execution>,
}

impl RestartPlan {
    /// The executions of Algorithm 2 (eq:R-UFCM-initializations and lines 4 and 5), all four cases.
    ///
    /// # Errors
    /// A constant that is negative, NaN, or zero where it must not be; no executions.
    pub fn new(
        l_ada: f64,
        mu_ada: f64,
        l_h: f64,
        eps: f64,
        (d_x, d_lambda): (f64, f64),
        executions: usize,
    ) -> Result<Self, DataError> {
        check(
            &[("L_ADA", l_ada), ("eps", eps), ("D_x", d_x), ("D_lambda", d_lambda)],
            mu_ada,
            l_h,
            executions,
        )?;
        let power = |k: usize| 2f64.powi((executions - k) as i32); // 2^(K-k)
        let primal = mu_ada >= 4.0 * eps / (d_x * d_x);
        let plan = (0..executions).map(|k| {
            let radius = if primal { (2.0 * power(k) * eps / mu_ada).sqrt() } else { d_x };
            let steps = if primal {
                (96.0 * l_ada / mu_ada).sqrt()
            } else {
                (24.0 * l_ada * d_x * d_x / (0.5 * power(k) * eps)).sqrt()
            };
            Execution {
                steps: steps.ceil().max(1.0) as usize,
                l_ada,
                d_x: radius,
                d_lambda: dual_radius(2.0 * power(k) * eps, l_h, d_lambda),
                restart_x: primal,
                restart_multipliers: (power(k) * eps * l_h).sqrt() <= d_lambda,
            }
        });
        Ok(Self { executions: plan.collect() })
    }

    /// The same with the constants of each execution's own accuracy e_k = 2^(K-k-1) eps (rmk:smooth-sc-analog), which avoids
    /// the logarithm where they grow geometrically. `executions` must be at least
    /// [`executions`](crate::theory::promise::executions).
    ///
    /// Two things are not as printed (docs/errata.md). The remark restarts from x_bar where mu >= 4 (2 e_k)/D_x^2, while its T_k = min{...} takes
    /// the first term from mu >= 4 e_k/D_x^2 on: in between T_k would be too small for D_x. Here an execution starts from x_bar wherever
    /// D_x^(k+1) is at most D_x, and then the min is enough. And where T_k < 1, L_ADA must be that for an error of e_k, not of e_k/T_k.
    ///
    /// # Errors
    /// As [`RestartPlan::new`].
    pub fn with_own_constants(
        rows: &Aggregate,
        l_h: f64,
        (d_x, d_lambda): (f64, f64),
        executions: usize,
    ) -> Result<Self, DataError> {
        let each = Self::own_constants(rows, d_x, executions)?;
        let mu_of =
            |times: f64| rows_for(rows, times * accuracy(executions, 0, rows.eps())).map(|own| own.mu_ada());
        Self::of_each(&each, (mu_of(4.0)?, mu_of(2.0)?), l_h, rows.eps(), (d_x, d_lambda))
    }

    /// The constants of each execution's own accuracy, for rows that are known. Where one step is enough, L_ADA is that for an error of e_k.
    ///
    /// # Errors
    /// A D_x that is not positive; no executions.
    pub fn own_constants(
        rows: &Aggregate,
        d_x: f64,
        executions: usize,
    ) -> Result<Vec<ExecutionConstants>, DataError> {
        check(&[("D_x", d_x)], 0.0, f64::INFINITY, executions)?;
        let of = |k: usize| {
            let target = accuracy(executions, k, rows.eps());
            let own = rows_for(rows, target)?;
            let (l_ada, mu_ada) = (own.l_ada_convex(d_x), own.mu_ada());
            let steps = own_steps(l_ada, mu_ada, d_x, target);
            let l_ada = if steps < 1.0 { l_ada.max(own.l_delta(target)) } else { l_ada };
            Ok(ExecutionConstants { l_ada, mu_ada })
        };
        (0..executions).map(of).collect()
    }

    /// As many executions as there are constants, each with its own. mu_ADA does not fall as eps grows (lemma:muada-nondecreasing), so that of
    /// the first execution stands for those of larger accuracies, which D_x^(0) and D_x^(1) speak of.
    ///
    /// # Errors
    /// As [`RestartPlan::new`].
    pub fn with_constants_of_each(
        each: &[ExecutionConstants],
        l_h: f64,
        eps: f64,
        distances: (f64, f64),
    ) -> Result<Self, DataError> {
        let first = each.first().map_or(0.0, |own| own.mu_ada);
        Self::of_each(each, (first, first), l_h, eps, distances)
    }

    /// `larger` are mu_ADA for 4 e_0 and for 2 e_0.
    fn of_each(
        each: &[ExecutionConstants],
        larger: (f64, f64),
        l_h: f64,
        eps: f64,
        (d_x, d_lambda): (f64, f64),
    ) -> Result<Self, DataError> {
        let executions = each.len();
        check(&[("eps", eps), ("D_x", d_x), ("D_lambda", d_lambda)], 0.0, l_h, executions)?;
        each.iter().try_for_each(|own| check(&[("L_ADA", own.l_ada)], own.mu_ada, l_h, executions))?;
        // G_x^-1(gap) = sqrt(2 gap/mu_{2 gap}): the distance that growth allows (lemma:Hetero-growth-x), or D_x.
        let within = |gap: f64, mu: f64| (2.0 * gap / mu).sqrt().min(d_x);
        let mut plan = Vec::with_capacity(executions);
        let first = accuracy(executions, 0, eps);
        // D_x^(0) and D_lambda^(0) as eq:R-UFCM-initializations has them: Q(z~^0, z^^0) <= 2^K eps.
        let (mut radius, mut dual_bound) =
            (within(2.0 * first, larger.0), dual_radius(4.0 * first, l_h, d_lambda));
        let mut mu_before = larger.1;
        for (k, &ExecutionConstants { l_ada, mu_ada }) in each.iter().enumerate() {
            let target = accuracy(executions, k, eps);
            // 2 e_k = e_(k-1)
            let next = within(target, mu_before);
            plan.push(Execution {
                steps: own_steps(l_ada, mu_ada, d_x, target).ceil().max(1.0) as usize,
                l_ada,
                d_x: radius,
                d_lambda: dual_bound,
                restart_x: next < d_x,
                restart_multipliers: (2.0 * target * l_h).sqrt() <= d_lambda,
            });
            (radius, dual_bound) = (next, dual_radius(2.0 * target, l_h, d_lambda));
            mu_before = mu_ada;
        }
        Ok(Self { executions: plan })
    }

    /// N = sum of ceil(T_k), the gradients all executions take.
    #[must_use]
    pub fn gradients(&self) -> usize {
        self.executions.iter().map(|execution| execution.steps).sum()
    }
}

/// e_k = 2^(K-k-1) eps.
fn accuracy(executions: usize, k: usize, eps: f64) -> f64 {
    2f64.powi((executions - k - 1) as i32) * eps
}

/// The same rows for another accuracy.
fn rows_for(rows: &Aggregate, eps: f64) -> Result<Aggregate, DataError> {
    Aggregate::new(rows.rows().to_vec(), eps, rows.r())
}

/// T_k = min{sqrt(96 L_k/mu_k), sqrt(24 L_k D_x^2/e_k)} (rmk:smooth-sc-analog).
fn own_steps(l_ada: f64, mu_ada: f64, d_x: f64, target: f64) -> f64 {
    (96.0 * l_ada / mu_ada).sqrt().min((24.0 * l_ada * d_x * d_x / target).sqrt())
}

/// min(D_lambda, sqrt(gap L_h)): what a gap says of the multipliers. Where h is linear (L_h = 0) they cannot move, any
/// radius holds, and the one given keeps the step sizes positive.
fn dual_radius(gap: f64, l_h: f64, d_lambda: f64) -> f64 {
    if l_h == 0.0 { d_lambda } else { d_lambda.min((gap * l_h).sqrt()) }
}

fn check(
    positive: &[(&'static str, f64)],
    mu_ada: f64,
    l_h: f64,
    executions: usize,
) -> Result<(), DataError> {
    positive.iter().try_for_each(|&(field, value)| check_positive(KIND, field, value))?;
    check_nonnegative(KIND, "mu_ADA", mu_ada)?;
    if l_h != f64::INFINITY {
        check_nonnegative(KIND, "L_h", l_h)?;
    }
    if executions == 0 {
        return Err(DataError::new(KIND, DataProblem::Empty { field: "executions" }));
    }
    Ok(())
}

/// Algorithm 2 in the making.
pub struct Restarted<'a> {
    method: Ufcm<'a>,
    plan: RestartPlan,
    /// k, the execution under way.
    k: usize,
    /// (x^0, lambda^0)
    start: (Vec<f64>, Vec<f64>),
    /// Where the next execution starts: restarting moves numbers and allocates nothing.
    next: (Vec<f64>, Vec<f64>),
    gradients: usize,
}

impl<'a> Restarted<'a> {
    /// Starts the first execution from `x` in X and `multipliers` in the domain of h*.
    ///
    /// # Errors
    /// An empty plan, or as [`Ufcm::new`].
    pub fn new(
        problem: &'a Problem,
        x: &[f64],
        multipliers: &[f64],
        plan: RestartPlan,
    ) -> Result<Self, SetupError> {
        let Some(first) = plan.executions.first() else {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "executions" }).into());
        };
        let method = Ufcm::new(problem, x, multipliers, first.parameters())?;
        let start = (x.to_vec(), multipliers.to_vec());
        Ok(Self { method, plan, k: 0, next: start.clone(), start, gradients: 0 })
    }

    /// Whether all executions are done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        let last = self.plan.executions.len() - 1;
        self.k == last && self.method.iterations() >= self.plan.executions[last].steps
    }

    /// One outer iteration, after a restart where one is due. Once all is done it does nothing.
    ///
    /// # Errors
    /// As [`Ufcm::step`].
    pub fn step(&mut self) -> Result<(), OracleError> {
        if self.is_done() {
            return Ok(());
        }
        let execution = self.plan.executions[self.k];
        if self.method.iterations() >= execution.steps {
            self.next_execution(execution)?;
        }
        // A step that is stopped has taken its gradient.
        self.gradients += 1;
        self.method.step()
    }

    /// Lines 4 to 6.
    fn next_execution(&mut self, done: Execution) -> Result<(), OracleError> {
        self.k += 1;
        let (x, multipliers) = &mut self.next;
        x.copy_from_slice(if done.restart_x { self.method.average_x() } else { &self.start.0 });
        let averaged = done.restart_multipliers;
        multipliers.copy_from_slice(if averaged { self.method.average_multipliers() } else { &self.start.1 });
        let parameters = self.plan.executions[self.k].parameters();
        let restarted = self.method.restart(x, multipliers, parameters);
        restarted.map_err(OracleError::failed)
    }

    /// k, the execution under way.
    #[must_use]
    pub fn execution(&self) -> usize {
        self.k
    }

    /// Gradients taken so far.
    #[must_use]
    pub fn gradients(&self) -> usize {
        self.gradients
    }

    /// Algorithm 1, to be told what to keep besides.
    pub(super) fn method_mut(&mut self) -> &mut Ufcm<'a> {
        &mut self.method
    }

    /// Algorithm 1 as it stands in the execution under way.
    #[must_use]
    pub fn method(&self) -> &Ufcm<'a> {
        &self.method
    }
}
