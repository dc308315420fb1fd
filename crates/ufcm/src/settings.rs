//! What a user can ask of a solve. Every field has a default that works.

pub use crate::constants::{Constants, ExecutionConstants};
use crate::error::{DataError, Position, check_finite, check_length, check_nonnegative, check_positive};
use crate::named::named;
use crate::problem::Problem;
use crate::theory::measure::SaddlePoint;
use crate::warm_start::WarmStart;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

const KIND: &str = "settings";

/// The default limit on evaluations of all values and gradients: every run ends.
pub const WORK_LIMIT: usize = 2_000_000;

/// Settings of [`Problem::solve`].
///
/// ```
/// use ufcm::settings::Settings;
///
/// let settings = Settings { eps_rel: 1e-8, max_gradients: Some(1000), ..Settings::default() };
/// assert!(settings.validate().is_ok());
/// assert!(Settings { eps_rel: f64::NAN, ..settings }.validate().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Absolute tolerance of the gap between objective and lower bound, in units of the objective's size where that is below 1.
    pub eps_abs: f64,
    /// Tolerance of that gap relative to max(1, |objective|), either way. Where the objective is below 0.1 all along, a
    /// tenth of the largest that it was stands for the 1 ([`Report::unit`](crate::report::Report::unit)).
    pub eps_rel: f64,
    /// Tolerance of the violation of constraints.
    pub eps_feas: f64,
    /// Stop after this many evaluations of all values and gradients; never exceeded. By default [`WORK_LIMIT`]. (With a published method: by the
    /// method itself, whatever finding its constants takes.)
    pub max_gradients: Option<usize>,
    /// Stop after this many seconds; looked at before every evaluation of the rows, so a run overshoots by one at most.
    pub time_limit: Option<f64>,
    /// A solution is known to lie within this distance of the starting point: bounds may then rest on it where the domain
    /// is not bounded.
    pub radius: Option<f64>,
    /// Where to start; the point of X nearest to 0 by default.
    pub x0: Option<Vec<f64>>,
    /// The multipliers to start from, over all rows; found from the start by default.
    pub multipliers0: Option<Vec<f64>>,
    /// What a solve before has left ([`Report::warm_start`](crate::report::Report::warm_start)): point, multipliers by the names of their rows,
    /// metric. `x0` and `multipliers0` come before it.
    #[serde(skip)]
    pub warm: Option<WarmStart>,
    /// A point of X that satisfies constraints g_j <= 0 strictly: x is then moved towards it for a true upper bound. One
    /// that is met on the way will do as well.
    pub interior: Option<Vec<f64>>,
    /// Which method takes the steps.
    pub method: MethodRule,
    /// The constants of a method that asks for some; what is not given is found.
    #[serde(skip_serializing_if = "Constants::is_empty")]
    pub constants: Constants,
    /// Whether [`Report::trace`](crate::report::Report::trace) gets every iteration of a published method.
    #[serde(skip_serializing_if = "is_false")]
    pub trace: bool,
    /// (x*, lambda*), where they are known: a trace then has the gap function and the (eps, r) measure of every iteration.
    #[serde(skip)]
    pub saddle: Option<SaddlePoint>,
    /// The norm in which steps are measured.
    pub metric: MetricRule,
    /// The number of threads; those of the current rayon pool by default.
    pub threads: Option<usize>,
    /// Whether what is not convex by construction (users' functions, data on the user's word) is audited before a success is
    /// claimed, in few evaluations. Without it the report's premise says that nobody checked.
    pub audit: bool,
    /// The run ends where a point within tolerance has an objective below this (`BelowFloor`); -inf, the default, for never.
    #[serde(with = "crate::serde_infinity")]
    pub objective_floor: f64,
}

/// Which method takes the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(into = "&'static str", try_from = "String")]
pub enum MethodRule {
    /// Interior points for linear and quadratic programs of moderate size, the primal-dual method for larger ones, Newton's
    /// method where second derivatives are cheap, the adaptive method elsewhere; and another where that stalls.
    #[default]
    Auto,
    /// The adaptive method: few evaluations of curved rows, each step a small problem of its own.
    Adaptive,
    /// The adaptive method with model steps by sliding: products with the rows' Jacobian instead of Newton systems. Chosen by
    /// itself where that costs fewer operations.
    Sliding,
    /// The restarted primal-dual method, for affine rows under a smooth objective: many cheap steps.
    PrimalDual,
    /// Newton's method: model steps in the metric of second derivatives from a sample of the data, one read of the data for each.
    Newton,
    /// Newton's method on the few variables that matter, for answers that are mostly 0.
    WorkingSet,
    /// Interior points, by Clarabel's engine: few, dear steps, for problems that can be said in cones and factored quickly.
    InteriorPoint,
    /// UFCM as published (Algorithm 1), for research. It asks for constants that speak of the solution: those of
    /// [`Settings::constants`], or else the problem is solved by the default method first. Then the method runs from the start until its own
    /// linearisations prove the gap, for the iterations given or at most for the gradients that its theorem promises.
    /// [`Report::prelude`](crate::report::Report::prelude) and [`Report::constants`](crate::report::Report::constants) have both.
    Ufcm,
    /// R-UFCM as published (Algorithm 2), in the same way.
    Restarted,
    /// The doubling schedule over L (remark rmk:tradeoff-lada-dist), with distances from a solve before. It has no end of its own.
    Doubling,
    /// ACGD-S (Zhang and Lan), with constants from a solve before: for sums and constraints of smooth components.
    AcgdS,
    /// APDB (Hamedani and Aybat), with the ratio of distances from a solve before: every composer.
    Apdb,
    /// FISTA with the true multipliers, from a solve before: what a method would do that knew them.
    Ideal,
    /// Nesterov's universal fast gradient method: sums alone.
    Ufgm,
    /// Polyak's switching subgradient method: constraints, smooth or not.
    Switching,
}

/// Which norm steps are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(into = "&'static str", try_from = "String")]
pub enum MetricRule {
    /// Start with what the components suggest, try others at restarts, keep the one under which the run gets on fastest.
    #[default]
    Auto,
    /// The plain Euclidean norm.
    Scalar,
    /// The diagonal that the components' curvature bounds suggest; the plain norm where one knows of none.
    Hints,
    /// The square root of that diagonal, in the same units: half-way between it and the plain norm. For sparse data.
    Damped,
    /// Second derivatives, damped; every curved row must have them.
    Curvature,
    /// A diagonal plus a matrix of low rank that stand for the second derivatives, from products with them: for n beyond a few
    /// thousand. Every curved row must have such products.
    LowRank,
    /// A dense matrix from differences of the run's own gradients (the BFGS update), n x n numbers: for black boxes. The plain
    /// norm while there are few of them.
    QuasiNewton,
}

impl MethodRule {
    /// All methods, the default first.
    pub const ALL: &[Self] = &[
        Self::Auto,
        Self::Adaptive,
        Self::Sliding,
        Self::PrimalDual,
        Self::Newton,
        Self::WorkingSet,
        Self::InteriorPoint,
        Self::Ufcm,
        Self::Restarted,
        Self::Doubling,
        Self::AcgdS,
        Self::Apdb,
        Self::Ideal,
        Self::Ufgm,
        Self::Switching,
    ];

    /// Whether it asks for constants that speak of the solution, which a solve by the default method finds before.
    #[must_use]
    pub fn asks_for_constants(self) -> bool {
        matches!(self, Self::Ufcm | Self::Restarted | Self::Doubling | Self::AcgdS | Self::Apdb | Self::Ideal)
    }

    /// The name by which users ask for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Adaptive => "adaptive",
            Self::Sliding => "sliding",
            Self::PrimalDual => "primal-dual",
            Self::Newton => "newton",
            Self::WorkingSet => "working-set",
            Self::InteriorPoint => "interior-point",
            Self::Ufcm => "ufcm",
            Self::Restarted => "restarted",
            Self::Doubling => "doubling",
            Self::AcgdS => "acgd-s",
            Self::Apdb => "apdb",
            Self::Ideal => "ideal",
            Self::Ufgm => "ufgm",
            Self::Switching => "switching",
        }
    }

    /// What it is, in half a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Auto => {
                "interior-point for linear and quadratic programs of moderate size, primal-dual for larger ones, newton where second derivatives are cheap, adaptive elsewhere"
            }
            Self::Adaptive => "few evaluations of curved rows, each step a small problem of its own",
            Self::Sliding => "adaptive, with products instead of Newton systems",
            Self::PrimalDual => "many cheap steps, for affine rows under a smooth objective",
            Self::Newton => "second derivatives from samples, one read of the data for each step",
            Self::WorkingSet => "newton on the few variables that matter, for answers that are mostly 0",
            Self::InteriorPoint => "few dear steps, for what can be said in cones and factored quickly",
            Self::Ufcm => {
                "for research: Algorithm 1 as published, with constants from a default solve before"
            }
            Self::Restarted => "for research: Algorithm 2 as published, in the same way",
            Self::Doubling => "for research: the schedule over L, with distances from a default solve before",
            Self::AcgdS => "a rival: accelerated constrained gradient descent with sliding",
            Self::Apdb => "a rival: accelerated primal-dual steps with backtracking",
            Self::Ideal => "a rival: FISTA with the true multipliers",
            Self::Ufgm => "a rival: the universal fast gradient method, for sums alone",
            Self::Switching => "a rival: switching subgradients, for constraints",
        }
    }
}

impl MetricRule {
    /// All metrics, the default first.
    pub const ALL: &[Self] = &[
        Self::Auto,
        Self::Scalar,
        Self::Hints,
        Self::Damped,
        Self::Curvature,
        Self::LowRank,
        Self::QuasiNewton,
    ];

    /// The name by which users ask for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Scalar => "scalar",
            Self::Hints => "hints",
            Self::Damped => "damped",
            Self::Curvature => "curvature",
            Self::LowRank => "low-rank",
            Self::QuasiNewton => "quasi-newton",
        }
    }

    /// What it is, in half a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Auto => "what the components suggest, then whichever gets on fastest",
            Self::Scalar => "the plain Euclidean norm",
            Self::Hints => "the diagonal that the components suggest",
            Self::Damped => "its square root: for sparse data",
            Self::Curvature => "second derivatives, damped",
            Self::LowRank => {
                "a diagonal plus a low rank from products with second derivatives: for many variables"
            }
            Self::QuasiNewton => "a matrix from differences of gradients: for black boxes",
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

named!(MethodRule, "method");
named!(MetricRule, "metric");

impl Default for Settings {
    fn default() -> Self {
        Self {
            eps_abs: 1e-9,
            eps_rel: 1e-6,
            eps_feas: 1e-6,
            max_gradients: None,
            time_limit: None,
            radius: None,
            x0: None,
            multipliers0: None,
            warm: None,
            interior: None,
            method: MethodRule::Auto,
            constants: Constants::default(),
            trace: false,
            saddle: None,
            metric: MetricRule::Auto,
            threads: None,
            audit: true,
            objective_floor: f64::NEG_INFINITY,
        }
    }
}

impl Settings {
    /// Checks every field.
    ///
    /// # Errors
    /// The first field that makes no sense.
    pub fn validate(&self) -> Result<(), DataError> {
        check_nonnegative(KIND, "eps_abs", self.eps_abs)?;
        check_nonnegative(KIND, "eps_rel", self.eps_rel)?;
        if self.eps_abs == 0.0 && self.eps_rel == 0.0 {
            let expected = "positive where eps_abs is 0";
            return Err(DataError::out_of_range(KIND, "eps_rel", Position::Scalar, 0.0, expected));
        }
        check_positive(KIND, "eps_feas", self.eps_feas)?;
        self.constants.validate(KIND)?;
        let taken = self.method.constants();
        if let Some(other) = self.constants.names().find(|name| !taken.contains(name)) {
            let takes = if taken.is_empty() { "no constants".to_owned() } else { taken.join(", ") };
            let message = format!("the method {} does not take {other}; it takes {takes}", self.method);
            return Err(DataError::structure(KIND, message));
        }
        if self.trace && !self.method.is_traced() {
            let message =
                format!("the method {} has no trace; ufcm, restarted, doubling and acgd-s have", self.method);
            return Err(DataError::structure(KIND, message));
        }
        for (field, value) in [("time_limit", self.time_limit), ("radius", self.radius)] {
            value.map_or(Ok(()), |value| check_positive(KIND, field, value))?;
        }
        for (field, count) in [("threads", self.threads), ("max_gradients", self.max_gradients)] {
            if count == Some(0) {
                return Err(DataError::out_of_range(KIND, field, Position::Scalar, 0.0, "at least 1"));
            }
        }
        if self.objective_floor.is_nan() {
            let value = self.objective_floor;
            return Err(DataError::out_of_range(
                KIND,
                "objective_floor",
                Position::Scalar,
                value,
                "a number",
            ));
        }
        Ok(())
    }

    /// Checks the starting points against a problem.
    pub(crate) fn validate_for(&self, problem: &Problem) -> Result<(), DataError> {
        self.validate()?;
        let (n, m) = (problem.dimension(), problem.rows());
        let points =
            [("x0", &self.x0, n), ("interior", &self.interior, n), ("multipliers0", &self.multipliers0, m)];
        if let Some(SaddlePoint { x, multipliers, .. }) = &self.saddle {
            check_length(KIND, "x*", n, x.len())?;
            check_length(KIND, "lambda*", m, multipliers.len())?;
            check_finite(KIND, "x*", x)?;
            check_finite(KIND, "lambda*", multipliers)?;
        }
        self.warm.as_ref().map_or(Ok(()), |warm| warm.check(problem))?;
        for (field, point, expected) in points {
            if let Some(point) = point {
                check_length(KIND, field, expected, point.len())?;
                check_finite(KIND, field, point)?;
            }
        }
        Ok(())
    }

    /// The settings with what a warm start says of this problem in the place of what was not given.
    pub(crate) fn warmed(&self, problem: &Problem) -> Cow<'_, Self> {
        let Some(warm) = &self.warm else { return Cow::Borrowed(self) };
        Cow::Owned(Self {
            x0: self.x0.clone().or_else(|| Some(warm.x.clone())),
            multipliers0: self.multipliers0.clone().or_else(|| warm.multipliers_for(problem)),
            ..self.clone()
        })
    }

    /// The gap that is small enough for an objective of this size, where `unit` stands for 1.
    pub(crate) fn gap_tolerance(&self, unit: f64, objective: f64) -> f64 {
        self.eps_abs * unit + self.eps_rel * objective.abs().max(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for method in MethodRule::ALL {
            assert_eq!(MethodRule::from_name(method.name()), Ok(*method));
            let json = serde_json::to_string(method).unwrap();
            assert_eq!(json, format!("\"{method}\""));
            assert_eq!(serde_json::from_str::<MethodRule>(&json).unwrap(), *method);
        }
        for metric in MetricRule::ALL {
            assert_eq!(MetricRule::from_name(metric.name()), Ok(*metric));
        }
        // As version 0.1 wrote it.
        assert_eq!(MethodRule::from_name("primaldual"), Ok(MethodRule::PrimalDual));
        let told = MethodRule::from_name("simplex").unwrap_err();
        assert!(told.starts_with("method is \"simplex\"; it must be one of auto, adaptive"), "{told}");
    }
}
