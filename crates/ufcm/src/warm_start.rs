//! What a solve leaves for the next one: of the same problem, or of one with another bound or a row more or less.

use crate::error::{DataError, check_finite, check_length};
use crate::metric::Metric;
use crate::oracle::Weight;
use crate::problem::Problem;
use crate::scaling::Factors;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

const KIND: &str = "warm start";
/// Heavy enough that a prox of h* only projects onto the domain of h*.
const HEAVY: f64 = 1e30;

/// Where a solve ended, for the next one to begin with ([`Settings::warm`](crate::settings::Settings::warm)). Multipliers go by the names of
/// their rows, so the next problem may have other bounds, and rows more or less; the variables must be the same. The norm in which
/// the last steps were measured, with its second derivatives, goes along; it is not written to files.
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::problem::{IntoConstraint, Problem};
/// use ufcm::regulariser::Ball;
/// use ufcm::settings::Settings;
///
/// let bounded = |bound: f64| {
///     let objective = Quadratic::diagonal(vec![1.0, 1.0])?.with_linear(vec![-2.0, 0.0])?;
///     let within = Quadratic::diagonal(vec![2.0, 1.0])?.at_most(bound).named("budget");
///     Ok::<_, Box<dyn std::error::Error>>(Problem::minimise(objective).subject_to(within).within(Ball::new(9.0)).build()?)
/// };
/// let first = bounded(0.5)?.solve(&Settings::default())?;
/// let settings = Settings { warm: Some(first.warm_start()), ..Settings::default() };
/// let second = bounded(0.6)?.solve(&settings)?;
/// assert!(second.status.is_success() && second.counts.gradients < first.counts.gradients);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct WarmStart {
    /// The best point.
    pub x: Vec<f64>,
    /// The multipliers, each with the name of its row.
    pub multipliers: Vec<(String, f64)>,
    /// The metric of the last steps, with L in it, in the user's units.
    #[serde(skip)]
    pub(crate) metric: Option<Metric>,
    #[serde(skip)]
    pub(crate) l: Option<f64>,
}

impl fmt::Debug for WarmStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { x, multipliers, .. } = self;
        f.debug_struct("WarmStart").field("x", x).field("multipliers", multipliers).finish_non_exhaustive()
    }
}

/// What is told is compared. The metric only makes a run faster, and does not survive a file.
impl PartialEq for WarmStart {
    fn eq(&self, other: &Self) -> bool {
        self.x == other.x && self.multipliers == other.multipliers
    }
}

impl WarmStart {
    /// A point and multipliers, each with the name of its row; there may be none.
    #[must_use]
    pub fn new(x: Vec<f64>, multipliers: Vec<(String, f64)>) -> Self {
        Self { x, multipliers, metric: None, l: None }
    }

    /// Checks the point against a problem, and the multipliers for being numbers.
    pub(crate) fn check(&self, problem: &Problem) -> Result<(), DataError> {
        check_length(KIND, "x", problem.dimension(), self.x.len())?;
        check_finite(KIND, "x", &self.x)?;
        let multipliers: Vec<f64> = self.multipliers.iter().map(|(_, l)| *l).collect();
        check_finite(KIND, "multipliers", &multipliers)
    }

    /// Multipliers of all rows of a problem, in the domain of h*: those of the same name, in the order in which they come where
    /// several have it; 0 for others. `None` where no row has a name that is known, or h* cannot be projected onto.
    pub(crate) fn multipliers_for(&self, problem: &Problem) -> Option<Vec<f64>> {
        let mut known: HashMap<&str, Vec<f64>> = HashMap::new();
        for (name, l) in self.multipliers.iter().rev() {
            known.entry(name).or_default().push(*l);
        }
        let mut found = 0;
        let mut of_name = |name: &String| {
            let l = known.get_mut(name.as_str()).and_then(Vec::pop);
            found += usize::from(l.is_some());
            l.unwrap_or(0.0)
        };
        let mut multipliers: Vec<f64> = problem.row_names().iter().map(&mut of_name).collect();
        // Twice, as for minorants: the first may leave rounding of the size of what it removed.
        for _ in 0..2 {
            problem.composer().prox_conjugate(Weight::scalar(HEAVY), &mut multipliers).ok()?;
        }
        let sound = problem.composer().conjugate(&multipliers).is_finite();
        (found > 0 && sound).then_some(multipliers)
    }

    /// The metric and L in units in which points are D^-1 x and values s F.
    pub(crate) fn metric_inward(&self, factors: &Factors) -> Self {
        let (metric, l) = in_units(self, factors.objective, |i| factors.columns[i], factors.uniform());
        Self { metric, l, ..self.clone() }
    }

    /// What a run in other units leaves, in the user's.
    pub(crate) fn outward(&self, factors: &Factors) -> Self {
        let uniform = factors.uniform().map(|d| 1.0 / d);
        let (metric, l) = in_units(self, 1.0 / factors.objective, |i| 1.0 / factors.columns[i], uniform);
        let values: Vec<f64> = self.multipliers.iter().map(|(_, l)| *l).collect();
        let names = self.multipliers.iter().map(|(name, _)| name.clone());
        let multipliers = names.zip(factors.multipliers(&values)).collect();
        Self { x: factors.point(&self.x), multipliers, metric, l }
    }
}

/// The metric times s D from the left and D from the right, and L in it; `uniform` is the one entry of D, if there is one.
fn in_units(
    warm: &WarmStart,
    s: f64,
    columns: impl Fn(usize) -> f64,
    uniform: Option<f64>,
) -> (Option<Metric>, Option<f64>) {
    match &warm.metric {
        Some(Metric::Curvature(metric)) => {
            (metric.in_units(s, columns).map(|metric| Metric::Curvature(Arc::new(metric))), warm.l)
        }
        Some(Metric::Diagonal(diagonal)) => {
            let scaled = |(i, d): (usize, &f64)| s * columns(i) * columns(i) * d;
            (Some(Metric::Diagonal(diagonal.iter().enumerate().map(scaled).collect())), warm.l)
        }
        // The plain norm of one unit is none of another, unless all variables have the same.
        Some(Metric::Scalar) if uniform.is_some() => {
            (Some(Metric::Scalar), warm.l.zip(uniform).map(|(l, d)| s * d * d * l))
        }
        _ => (None, None),
    }
}
