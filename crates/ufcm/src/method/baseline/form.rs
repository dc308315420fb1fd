//! Which form a problem has, for methods that take only some.

use crate::composer::Nonpositive;
use crate::error::DataError;
use crate::oracle::Composer;
use crate::problem::Problem;

/// min over x of <weights, g(x)> + u(x) subject to g_j(x) <= 0 for the rows j of `constraints`.
pub(super) struct Constrained {
    /// The weight of each row in the objective; 0 for constraints.
    pub weights: Vec<f64>,
    /// The rows that are constraints.
    pub constraints: Vec<usize>,
}

impl Constrained {
    /// Refuses a problem with a block that is neither a sum nor a constraint g <= 0.
    pub fn of(method: &'static str, problem: &Problem) -> Result<Self, DataError> {
        let mut weights = vec![0.0; problem.rows()];
        problem.composer().multipliers_at(&vec![0.0; problem.rows()], &mut weights);
        let mut constraints = Vec::new();
        let nonpositive = Composer::kind(&Nonpositive::new(0));
        for (rows, composer) in problem.parts() {
            if composer.kind() == nonpositive {
                weights[rows.clone()].fill(0.0);
                constraints.extend(rows.clone());
            } else if !is_sum(composer) {
                return Err(refusal(method, problem, rows.start, composer, "sums and constraints g <= 0"));
            }
        }
        Ok(Self { weights, constraints })
    }
}

/// The weights of min over x of <weights, g(x)> + u(x); refuses a problem with any other composer than sums.
pub(super) fn sum_weights(method: &'static str, problem: &Problem) -> Result<Vec<f64>, DataError> {
    for (rows, composer) in problem.parts() {
        if !is_sum(composer) {
            return Err(refusal(method, problem, rows.start, composer, "sums"));
        }
    }
    let mut weights = vec![0.0; problem.rows()];
    problem.composer().multipliers_at(&vec![0.0; problem.rows()], &mut weights);
    Ok(weights)
}

/// Which rows have a multiplier that can move; the others belong to sums.
pub(super) fn moving_rows(problem: &Problem) -> Vec<bool> {
    problem.parts().flat_map(|(rows, composer)| rows.map(move |_| !is_sum(composer))).collect()
}

/// An h whose gradient never changes is affine: its multipliers are its weights.
fn is_sum(composer: &dyn Composer) -> bool {
    composer.smoothness() == 0.0
}

fn refusal(
    method: &'static str,
    problem: &Problem,
    row: usize,
    composer: &dyn Composer,
    takes: &str,
) -> DataError {
    let (name, kind) = (problem.row_names().get(row).map_or("a block", String::as_str), composer.kind());
    DataError::structure(
        method,
        format!("{name} stands under the composer {kind}; this method takes {takes}"),
    )
}
