//! The rows of constraints by the names under which they are told.

use crate::failure::Failure;
use crate::record::Description;
use std::ops::Range;
use ufcm::problem::{BoundedTerm, Problem, Sides};
use ufcm_io::nearest;

/// A row of a constraint, or a term of several that is bounded as a whole.
#[derive(Debug, Clone)]
pub(crate) struct ConstraintRow {
    pub(crate) name: String,
    /// The row, or the first.
    pub(crate) row: usize,
    /// -1 where the row stands negated in the problem, else 1.
    pub(crate) sign: f64,
    /// The term, and its rows.
    pub(crate) term: Option<(BoundedTerm, Range<usize>)>,
}

impl ConstraintRow {
    /// Its value and its multiplier, from those of all rows, in the numbers of the file.
    pub(crate) fn measured(&self, values: &[f64], multipliers: &[f64]) -> (f64, f64) {
        let of_row = |row: usize| multipliers.get(row).copied().unwrap_or(0.0);
        if let Some((term, rows)) = &self.term {
            let of_rows: Vec<f64> = rows.clone().map(of_row).collect();
            return (term.value(&values[rows.clone()]) + 0.0, term.multiplier(&of_rows) + 0.0);
        }
        (self.sign * values[self.row] + 0.0, self.sign * of_row(self.row) + 0.0)
    }

    /// Where the row must be, in the numbers of the file; `None` where that depends on other rows.
    pub(crate) fn sides(&self, problem: &Problem) -> Option<Sides> {
        if let Some((term, _)) = &self.term {
            return Some(Sides { lower: f64::NEG_INFINITY, upper: term.bound() });
        }
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
        if let Some(term) = problem.bounded_term(&group.rows) {
            let term = Some((term.clone(), group.rows.clone()));
            all.push(ConstraintRow { name: group.name.clone(), row: group.rows.start, sign: 1.0, term });
            continue;
        }
        for row in rows {
            let name = match group.rows.len() {
                1 => group.name.clone(),
                _ => format!("{}[{}]", group.name, row - group.rows.start),
            };
            all.push(ConstraintRow { name, row, sign: group.sign, term: None });
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
