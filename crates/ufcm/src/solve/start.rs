//! Where a run begins: the point, moved into X, with its rows and what lower bounds may rest on.

use super::incumbent::{Incumbent, Interior};
use crate::certificate::Premise;
use crate::method::{Candidate, Start};
use crate::oracle::{OracleError, Weight};
use crate::problem::Problem;
use crate::settings::Settings;

/// Where a run begins.
pub(super) struct Place {
    pub(super) start: Start,
    pub(super) best: Incumbent,
    pub(super) interior: Interior,
    /// What lower bounds rest on.
    pub(super) premise: Premise,
    /// Evaluations of the rows that it took.
    pub(super) values: usize,
}

impl Place {
    /// The starting point, moved into X, with its rows and what bounds may rest on.
    pub(super) fn of(problem: &Problem, settings: &Settings) -> Result<Self, OracleError> {
        let m = problem.rows();
        let x = point(problem, settings)?;
        let (mut row_values, mut interior, mut values) = (vec![0.0; m], Interior::none(), 0);
        if let Some(inside) = &settings.interior {
            problem.mapping().values(inside, &mut row_values)?;
            interior.offer(problem, inside, &row_values);
            values += 1;
        }
        match problem.linearised_values(&x) {
            Some(known) => row_values.copy_from_slice(known),
            None => {
                problem.mapping().values(&x, &mut row_values)?;
                values += 1;
            }
        }
        interior.offer(problem, &x, &row_values);
        let multipliers = settings.multipliers0.clone().unwrap_or_else(|| {
            let mut multipliers = vec![0.0; m];
            problem.composer().multipliers_at(&row_values, &mut multipliers);
            multipliers
        });
        let candidate = Candidate { x: &x, row_values: &row_values, multipliers: &multipliers, slope: None };
        let mut best = Incumbent::new(problem, &candidate);
        values += usize::from(settings.x0.is_some() && best.note_size_at_origin(problem));
        // What the problem proves, else the radius that the user gave.
        let premise = match (implied(problem, settings, &x)?, settings.radius) {
            (implied, Some(radius)) if !implied.is_complete() => {
                Premise::Radius { centre: x.clone(), radius }
            }
            (implied, _) => implied,
        };
        let (metric, l) = settings.warm.as_ref().map_or((None, None), |warm| (warm.metric.clone(), warm.l));
        Ok(Self { start: Start { x, multipliers, l, metric }, best, interior, premise, values })
    }

    /// Where not even the rows at the starting point could be evaluated in time.
    pub(super) fn unknown(problem: &Problem, settings: &Settings) -> Self {
        let x = settings.x0.clone().unwrap_or_else(|| vec![0.0; problem.dimension()]);
        let multipliers = vec![0.0; problem.rows()];
        let best = Incumbent::unknown(x.clone(), multipliers.clone());
        let start = Start { x, multipliers, ..Start::default() };
        Self { start, best, interior: Interior::none(), premise: Premise::None, values: 0 }
    }
}

/// What the problem itself proves of where solutions are. A start that was given may violate a constraint: then the level set of
/// the default start may still bound them.
fn implied(problem: &Problem, settings: &Settings, x: &[f64]) -> Result<Premise, OracleError> {
    let implied = Premise::implied(problem, x)?;
    if implied.is_complete() || settings.x0.is_none() {
        return Ok(implied);
    }
    let at_origin = origin(problem).and_then(|origin| Premise::implied(problem, &origin));
    Ok(at_origin.unwrap_or(implied))
}

/// The starting point, moved into X.
pub(super) fn point(problem: &Problem, settings: &Settings) -> Result<Vec<f64>, OracleError> {
    moved_into_domain(problem, settings.x0.clone().unwrap_or_else(|| vec![0.0; problem.dimension()]))
}

/// The default start: the point of X nearest to 0.
pub(super) fn origin(problem: &Problem) -> Result<Vec<f64>, OracleError> {
    moved_into_domain(problem, vec![0.0; problem.dimension()])
}

fn moved_into_domain(problem: &Problem, mut x: Vec<f64>) -> Result<Vec<f64>, OracleError> {
    // A point that is in X already stays where it is.
    if !problem.regulariser().value(&x).is_finite() {
        problem.regulariser().prox(Weight::scalar(1.0), &mut x)?;
    }
    Ok(x)
}
