//! The constants that the published methods and those to compare with are run with.

use crate::error::{DataError, Position, check_nonnegative, check_positive};
use crate::settings::MethodRule;
use serde::{Deserialize, Serialize};

/// What a published method asks for. What is not given is found: by a theorem from what is, or by a solve with the default method.
///
/// [`Report::constants`](crate::report::Report::constants) has all that a run was made with. The same settings with these constants repeat the run bit for
/// bit, without the solve before.
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::problem::{IntoConstraint, Problem};
/// use ufcm::regulariser::Bounds;
/// use ufcm::settings::{Constants, MethodRule, Settings};
///
/// let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, 0.0])?;
/// let problem = Problem::minimise(objective)
///     .subject_to(Quadratic::diagonal(vec![1.0, 1.0])?.at_most(0.5))
///     .within(Bounds::new(-5.0, 5.0)?)
///     .build()?;
/// let constants = Constants { l_ada: Some(2.1), d_x: Some(1.0), d_lambda: Some(1.0), ..Constants::default() };
/// let settings = Settings { method: MethodRule::Ufcm, eps_rel: 1e-3, eps_feas: 1e-3, constants, ..Settings::default() };
/// let report = problem.solve(&settings)?;
/// assert_eq!(report.prelude.map(|before| before.counts.gradients), Some(0)); // nothing was solved before
/// assert!((report.x[0] - 1.0).abs() < 1e-2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Constants {
    /// L_ADA, or an upper bound; for ACGD-S L(Lambda_r).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l_ada: Option<f64>,
    /// mu_ADA, or a lower bound; for ACGD-S mu_0 of a strongly convex objective. 0 where L_ADA is given and this is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mu_ada: Option<f64>,
    /// D_x >= |x^0 - x*|.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d_x: Option<f64>,
    /// D_lambda >= |lambda^0 - lambda*|; for ACGD-S d(Lambda_r).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d_lambda: Option<f64>,
    /// C; D_lambda/D_x by default, and sqrt(2)/2 without these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<f64>,
    /// Delta; C/(2 L_ADA) by default, and sqrt(2)/(4 L_ADA) without distances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// r; it speaks of what is promised alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r: Option<f64>,
    /// The accuracy; what the tolerances ask for by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eps: Option<f64>,
    /// Outer iterations, over all executions; what a theorem promises to suffice by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
    /// K, the executions of R-UFCM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<usize>,
    /// L_ADA and mu_ADA for the accuracy of each execution of R-UFCM, in their order, in the place of one for all (rmk:smooth-sc-analog).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub each: Vec<ExecutionConstants>,
}

/// The constants of one execution of R-UFCM: those for its own accuracy e_k = 2^(K-k-1) eps.
/// [`RestartPlan::own_constants`](crate::method::RestartPlan::own_constants) has those of known rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutionConstants {
    /// L_ADA for e_k, or an upper bound.
    pub l_ada: f64,
    /// mu_ADA for e_k, or a lower bound.
    pub mu_ada: f64,
}

/// The name of [`Constants::each`] in messages.
const EACH: &str = "l_ada of each execution";

impl Constants {
    /// The names of those that are given.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("l_ada", self.l_ada.is_some()),
            ("mu_ada", self.mu_ada.is_some()),
            ("d_x", self.d_x.is_some()),
            ("d_lambda", self.d_lambda.is_some()),
            ("c", self.c.is_some()),
            ("delta", self.delta.is_some()),
            ("r", self.r.is_some()),
            ("eps", self.eps.is_some()),
            ("iterations", self.iterations.is_some()),
            ("executions", self.executions.is_some()),
            (EACH, !self.each.is_empty()),
        ];
        given.into_iter().filter_map(|(name, given)| given.then_some(name))
    }

    /// Those that `rule` takes.
    #[must_use]
    pub fn taken_by(&self, rule: MethodRule) -> Self {
        let taken = rule.constants();
        let number = |name: &str, value: Option<f64>| value.filter(|_| taken.contains(&name));
        let count = |name: &str, value: Option<usize>| value.filter(|_| taken.contains(&name));
        Self {
            l_ada: number("l_ada", self.l_ada),
            mu_ada: number("mu_ada", self.mu_ada),
            d_x: number("d_x", self.d_x),
            d_lambda: number("d_lambda", self.d_lambda),
            c: number("c", self.c),
            delta: number("delta", self.delta),
            r: number("r", self.r),
            eps: number("eps", self.eps),
            iterations: count("iterations", self.iterations),
            executions: count("executions", self.executions),
            each: if taken.contains(&EACH) { self.each.clone() } else { Vec::new() },
        }
    }

    /// Whether nothing is given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Checks every constant that is given.
    ///
    /// # Errors
    /// The first that makes no sense, as a field of `kind`.
    pub fn validate(&self, kind: &'static str) -> Result<(), DataError> {
        let positive = [
            ("l_ada", self.l_ada),
            ("d_x", self.d_x),
            ("d_lambda", self.d_lambda),
            ("c", self.c),
            ("delta", self.delta),
            ("r", self.r),
            ("eps", self.eps),
        ];
        positive.iter().try_for_each(|&(field, value)| {
            value.map_or(Ok(()), |value| check_positive(kind, field, value))
        })?;
        self.mu_ada.map_or(Ok(()), |value| check_nonnegative(kind, "mu_ada", value))?;
        for (field, count) in [("iterations", self.iterations), ("executions", self.executions)] {
            if count == Some(0) {
                return Err(DataError::out_of_range(kind, field, Position::Scalar, 0.0, "at least 1"));
            }
        }
        self.validate_each(kind)
    }

    fn validate_each(&self, kind: &'static str) -> Result<(), DataError> {
        let Self { l_ada, mu_ada, executions, each, .. } = self;
        for own in each {
            check_positive(kind, "l_ada", own.l_ada)?;
            check_nonnegative(kind, "mu_ada", own.mu_ada)?;
        }
        if each.is_empty() {
            return Ok(());
        }
        if l_ada.is_some() || mu_ada.is_some() {
            let message = "l_ada and mu_ada are given for all executions, and for each";
            return Err(DataError::structure(kind, message));
        }
        match executions {
            Some(executions) if *executions != each.len() => {
                let message = format!(
                    "l_ada has {} numbers, one for each execution; executions is {executions}",
                    each.len()
                );
                Err(DataError::structure(kind, message))
            }
            _ => Ok(()),
        }
    }

    /// These, and those of `others` where none is given here. Where each execution has its own, there are none for all.
    #[must_use]
    pub fn or(&self, others: &Self) -> Self {
        let open = self.each.is_empty() && self.l_ada.is_none() && self.mu_ada.is_none();
        let each = if open { others.each.clone() } else { self.each.clone() };
        let for_all = |value: Option<f64>| value.filter(|_| each.is_empty());
        Self {
            l_ada: for_all(self.l_ada.or(others.l_ada)),
            mu_ada: for_all(self.mu_ada.or(others.mu_ada)),
            d_x: self.d_x.or(others.d_x),
            d_lambda: self.d_lambda.or(others.d_lambda),
            c: self.c.or(others.c),
            delta: self.delta.or(others.delta),
            r: self.r.or(others.r),
            eps: self.eps.or(others.eps),
            iterations: self.iterations.or(others.iterations),
            executions: self.executions.or(others.executions),
            each,
        }
    }
}

impl MethodRule {
    /// Whether it is Algorithm 1 of the paper, or made of it: such runs can be traced.
    #[must_use]
    pub fn is_traced(self) -> bool {
        matches!(self, Self::Ufcm | Self::Restarted | Self::Doubling | Self::AcgdS)
    }

    /// The names of the [`Constants`] that it takes.
    #[must_use]
    pub fn constants(self) -> &'static [&'static str] {
        match self {
            Self::Ufcm => &["l_ada", "d_x", "d_lambda", "c", "delta", "r", "eps", "iterations"],
            Self::Restarted => {
                &["l_ada", "mu_ada", "d_x", "d_lambda", "r", "eps", "iterations", "executions", EACH]
            }
            Self::Doubling => &["d_x", "d_lambda", "eps", "iterations"],
            Self::AcgdS => &["l_ada", "mu_ada", "d_x", "d_lambda", "eps", "iterations"],
            Self::Apdb => &["d_x", "d_lambda"],
            Self::Ideal => &["l_ada"],
            _ => &[],
        }
    }
}

impl std::fmt::Display for Constants {
    /// `L_ADA = 2.1, D_x = 1`, in the shortest digits that are read back to the same number; `L_ADA = 1,2` for each execution, as options
    /// take them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let numbers = [
            ("L_ADA", self.l_ada),
            ("mu_ADA", self.mu_ada),
            ("D_x", self.d_x),
            ("D_lambda", self.d_lambda),
            ("C", self.c),
            ("Delta", self.delta),
            ("r", self.r),
            ("eps", self.eps),
        ];
        let counts = [("iterations", self.iterations), ("executions", self.executions)];
        let numbers = numbers.iter().filter_map(|(name, value)| Some(format!("{name} = {:e}", (*value)?)));
        let counts = counts.iter().filter_map(|(name, count)| Some(format!("{name} = {}", (*count)?)));
        let list = |name: &str, value: &dyn Fn(&ExecutionConstants) -> f64| {
            let each: Vec<String> = self.each.iter().map(|own| format!("{:e}", value(own))).collect();
            (!each.is_empty()).then(|| format!("{name} = {}", each.join(",")))
        };
        let lists =
            [list("L_ADA", &|own| own.l_ada), list("mu_ADA", &|own| own.mu_ada)].into_iter().flatten();
        f.write_str(&lists.chain(numbers).chain(counts).collect::<Vec<_>>().join(", "))
    }
}
