//! The rows of constraints by the names under which they are told.

use crate::failure::Failure;
use crate::record::Description;
use ufcm::problem::{Problem, Sides};
use ufcm_io::nearest;

/// A row of a constraint.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConstraintRow {
    pub(crate) name: String,
    pub(crate) row: usize,
    /// -1 where the row stands negated in the problem, else 1.
    pub(crate) sign: f64,
}

impl ConstraintRow {
    /// Where the row must be, in the numbers of the file; `None` where that depends on other rows.
    pub(crate) fn sides(&self, problem: &Problem) -> Option<Sides> {
        let Sides { lower, upper } = problem.sides(self.row)?;
        Some(match self.sign < 0.0 {
            true => Sides { lower: -upper + 0.0, upper: -lower + 0.0 },
            false => Sides { lower, upper },
        })
    }
}

/// All rows of constraints, in the order of the file.
pub(crate) fn constraint_rows(problem: &Problem, description: &Description) -> Vec<ConstraintRow> {
    let held: Vec<_> =
        problem.parts().filter(|(_, composer)| composer.is_constraint()).map(|(rows, _)| rows).collect();
    let mut all = Vec::new();
    for group in &description.multipliers {
        let rows = group.rows.clone().filter(|row| held.iter().any(|rows| rows.contains(row)));
        for row in rows {
            let name = match group.rows.len() {
                1 => group.name.clone(),
                _ => format!("{}[{}]", group.name, row - group.rows.start),
            };
            all.push(ConstraintRow { name, row, sign: group.sign });
        }
    }
    all
}

/// The row of the constraint `name`.
pub(crate) fn find(
    problem: &Problem,
    description: &Description,
    name: &str,
) -> Result<ConstraintRow, Failure> {
    let rows = constraint_rows(problem, description);
    if let Some(row) = rows.iter().find(|row| row.name == name) {
        return Ok(row.clone());
    }
    let group = description.multipliers.iter().find(|group| group.name == name);
    if let Some(group) = group.filter(|group| group.rows.len() > 1) {
        let count = group.rows.len();
        let message = format!(
            "the constraint \"{name}\" has {count} rows, each with a bound of its own; \"{name}[0]\" is the first"
        );
        return Err(Failure::new(message));
    }
    let meant = nearest(name, rows.iter().map(|row| row.name.as_str()));
    let known: Vec<&str> = rows.iter().take(8).map(|row| row.name.as_str()).collect();
    let help = match (meant, known.is_empty()) {
        (Some(meant), _) => format!("; did you mean \"{meant}\"?"),
        (None, true) => "; the problem has no constraints".to_owned(),
        (None, false) => format!("; there are: {}", known.join(", ")),
    };
    Err(Failure::new(format!("there is no constraint \"{name}\"{help}")))
}
