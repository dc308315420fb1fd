//! The bounds of constraints as the user said them, and the same problem with another one.

use super::bounded_term::Moved;
use super::{BoundedTerm, Problem};
use crate::oracle::{ErrorRates, OracleError};
use std::ops::Range;
use std::sync::Arc;

/// Where a row of a constraint must be, in the user's numbers: `at_most(0.3)` makes it [-inf, 0.3].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sides {
    /// The smallest that the row may be, possibly -inf.
    pub lower: f64,
    /// The largest, possibly +inf.
    pub upper: f64,
}

impl Sides {
    /// The one bound that there is; `None` where there are two, or none.
    #[must_use]
    pub fn only(&self) -> Option<f64> {
        match (self.lower.is_finite(), self.upper.is_finite()) {
            (false, true) => Some(self.upper),
            (true, false) => Some(self.lower),
            _ => None,
        }
    }

    /// How far inside its bounds a value is; negative outside.
    #[must_use]
    pub fn slack(&self, value: f64) -> f64 {
        (self.upper - value).min(value - self.lower)
    }
}

/// Why a constraint has no bound that could be another.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundError {
    /// No constraint has this name.
    #[error("there is no constraint \"{name}\"; there {}", listed(known))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names of the rows of constraints.
        known: Vec<String>,
    },
    /// The constraint has several rows.
    #[error(
        "the constraint \"{name}\" has {rows} rows, each with a bound of its own: \"{name}[0]\" is the first"
    )]
    Several {
        /// Its name.
        name: String,
        /// How many rows it has.
        rows: usize,
    },
    /// It has two bounds.
    #[error(
        "\"{name}\" must be between {lower} and {upper}: which of the bounds is meant cannot be said; state it as two constraints"
    )]
    TwoSided {
        /// Its name.
        name: String,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// It is an equation.
    #[error("\"{name}\" is an equation: it has no side that could be loosened")]
    Equation {
        /// Its name.
        name: String,
    },
    /// A bound on a term that cannot be moved, or not there.
    #[error("the bound of \"{name}\" ({composer}) cannot be {bound}: {reason}")]
    Term {
        /// Its name.
        name: String,
        /// What it bounds.
        composer: &'static str,
        /// What was asked for.
        bound: f64,
        /// Why not.
        reason: String,
    },
    /// A constraint on several rows together.
    #[error(
        "the bound of \"{name}\" ({composer}) is part of its composer; it cannot be another without building the problem anew"
    )]
    Joint {
        /// Its name.
        name: String,
        /// The composer's kind.
        composer: &'static str,
    },
    /// No number.
    #[error("the bound of \"{name}\" cannot be {bound}; it must be a finite number")]
    NotFinite {
        /// Its name.
        name: String,
        /// What was asked for.
        bound: f64,
    },
    /// The mapping cannot do it.
    #[error(
        "the rows of this problem cannot be moved: \"{name}\" is computed by a mapping that does not say how"
    )]
    Unsupported {
        /// The name of the row.
        name: String,
    },
}

/// "is none", "is only "a"", or the first few.
fn listed(known: &[String]) -> String {
    const MOST: usize = 8;
    let quoted: Vec<String> = known.iter().take(MOST).map(|name| format!("\"{name}\"")).collect();
    match known.len() {
        0 => "are none".to_owned(),
        1 => format!("is only {}", quoted[0]),
        more if more > MOST => format!("are {} and {} more", quoted.join(", "), more - MOST),
        _ => format!("are {}", quoted.join(", ")),
    }
}

impl Problem {
    /// Where each row of a constraint must be, in the user's numbers; `None` for other rows, and where that depends on several rows
    /// together.
    #[must_use]
    pub fn sides(&self, row: usize) -> Option<Sides> {
        let (rows, composer) = self.parts().find(|(rows, _)| rows.contains(&row))?;
        let [lower, upper] = composer.row_domain(row - rows.start).filter(|_| composer.is_constraint())?;
        Some(Sides { lower: lower + self.bounds[row], upper: upper + self.bounds[row] })
    }

    /// The values of all rows at `x` in the user's numbers: what is bounded by [`Problem::sides`].
    ///
    /// # Errors
    /// A row that cannot be evaluated at `x`.
    pub fn values_at(&self, x: &[f64]) -> Result<Vec<f64>, OracleError> {
        Ok(self.values_of_rows(&self.row_values(x)?))
    }

    /// As [`Problem::values_at`], and for losses over samples with the labels 1 and -1 the error rates. Where every row is such a loss, the data are read
    /// once. Where ranks have their own samples, all of them ask.
    ///
    /// # Errors
    /// As [`Problem::values_at`].
    pub fn judged_at(&self, x: &[f64]) -> Result<Vec<(f64, Option<ErrorRates>)>, OracleError> {
        OracleError::check_length("x", self.dimension(), x.len())?;
        let judged: Vec<Option<(f64, ErrorRates)>> =
            (0..self.rows()).map(|row| self.component(row)?.judged(x)).collect();
        let rows = match judged.iter().map(|judged| judged.map(|(value, _)| value)).collect() {
            Some(rows) => rows,
            None => self.row_values(x)?,
        };
        let rates = judged.into_iter().map(|judged| judged.map(|(_, rates)| rates));
        Ok(self.values_of_rows(&rows).into_iter().zip(rates).collect())
    }

    /// Values in the user's numbers, from rows as oracles have them.
    pub(crate) fn values_of_rows(&self, rows: &[f64]) -> Vec<f64> {
        rows.iter().zip(&*self.bounds).map(|(row, bound)| row + bound).collect()
    }

    /// The rows as oracles have them, from values in the user's numbers.
    pub(crate) fn rows_of_values(&self, values: &[f64]) -> Vec<f64> {
        values.iter().zip(&*self.bounds).map(|(value, bound)| value - bound).collect()
    }

    /// The row of the constraint `name`, and its one bound.
    ///
    /// # Errors
    /// Why it has none.
    pub fn bounded_row(&self, name: &str) -> Result<(usize, f64), BoundError> {
        if let Some((row, term)) = self.terms.iter().find(|(row, _)| self.term_name(*row) == name) {
            return Ok((*row, term.bound()));
        }
        let known: Vec<(usize, &String)> = self
            .parts()
            .filter(|(_, composer)| composer.is_constraint())
            .flat_map(|(rows, _)| rows)
            .map(|row| (row, &self.names[row]))
            .collect();
        let Some((row, _)) = known.iter().find(|(_, known)| *known == name) else {
            let first = format!("{name}[0]");
            let block = self.blocks.iter().find(|rows| self.names[rows.start] == first);
            return Err(match block {
                Some(rows) => BoundError::Several { name: name.to_owned(), rows: rows.len() },
                None => BoundError::Unknown {
                    name: name.to_owned(),
                    known: known.into_iter().map(|(_, name)| name.clone()).collect(),
                },
            });
        };
        self.bound_of(*row).map(|bound| (*row, bound))
    }

    /// The one bound of a row of a constraint.
    ///
    /// # Errors
    /// Why it has none.
    pub fn bound_of(&self, row: usize) -> Result<f64, BoundError> {
        if let Some(term) = self.term_at(row) {
            return Ok(term.bound());
        }
        let name = self.names.get(row).cloned().unwrap_or_default();
        let Some(sides) = self.sides(row) else {
            let holder = self.parts().find(|(rows, _)| rows.contains(&row));
            let composer = holder.map_or("none", |(_, composer)| composer.kind());
            return Err(BoundError::Joint { name, composer });
        };
        let Sides { lower, upper } = sides;
        match sides.only() {
            Some(bound) => Ok(bound),
            None if lower == upper => Err(BoundError::Equation { name }),
            None => Err(BoundError::TwoSided { name, lower, upper }),
        }
    }

    /// The same problem with another bound of the constraint `name`. Data are shared, not copied; [`Report::warm_start`] of a solve of one
    /// is a start for the other.
    ///
    /// ```
    /// use ufcm::component::Quadratic;
    /// use ufcm::problem::{IntoConstraint, Problem};
    ///
    /// let problem = Problem::minimise(Quadratic::diagonal(vec![2.0])?.with_linear(vec![-8.0])?)
    ///     .subject_to(Quadratic::diagonal(vec![2.0])?.at_most(1.0).named("size"))
    ///     .build()?;
    /// let looser = problem.with_bound("size", 4.0)?;
    /// assert_eq!(looser.bounded_row("size")?, (1, 4.0));
    /// assert!((looser.solve(&Default::default())?.x[0] - 2.0).abs() < 1e-3);
    /// assert!(problem.with_bound("weight", 1.0).unwrap_err().to_string().contains("is only \"size\""));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A constraint that does not exist or has no single bound; a bound that is no number.
    ///
    /// [`Report::warm_start`]: crate::report::Report::warm_start
    pub fn with_bound(&self, name: &str, bound: f64) -> Result<Self, BoundError> {
        let (row, _) = self.bounded_row(name)?;
        self.with_bound_of(row, bound)
    }

    /// As [`Problem::with_bound`], by the number of the row.
    ///
    /// # Errors
    /// As there.
    pub fn with_bound_of(&self, row: usize, bound: f64) -> Result<Self, BoundError> {
        let before = self.bound_of(row)?;
        let by = bound - before;
        let name = || self.names[row].clone();
        if !by.is_finite() {
            return Err(BoundError::NotFinite { name: name(), bound });
        }
        if let Some(term) = self.term_at(row) {
            return self.with_term_at(row, term, bound);
        }
        let mut problem = self.within_budget(&self.budget);
        let mapping =
            self.mapping.lowered(row, by).ok_or_else(|| BoundError::Unsupported { name: name() })?;
        let mut bounds = self.bounds.to_vec();
        // Written so that the bound is what was asked for, to the last digit.
        bounds[row] = bound - (before - bounds[row]);
        (problem.mapping, problem.bounds, problem.linearised) = (mapping, bounds.into(), None);
        problem.mapping.set_budget(&self.budget);
        Ok(problem)
    }

    /// The term that is bounded as a whole, by its first row.
    fn term_at(&self, row: usize) -> Option<&BoundedTerm> {
        self.terms.iter().find(|(first, _)| *first == row).map(|(_, term)| term)
    }

    fn term_rows(&self, row: usize) -> Range<usize> {
        self.blocks.iter().find(|rows| rows.start == row).cloned().unwrap_or(row..row + 1)
    }

    /// The name of a bounded term, which is that of its rows without their numbers.
    fn term_name(&self, row: usize) -> &str {
        let name = self.names[row].as_str();
        if self.term_rows(row).len() == 1 { name } else { name.strip_suffix("[0]").unwrap_or(name) }
    }

    /// The same problem with another bound of a term.
    fn with_term_at(&self, row: usize, term: &BoundedTerm, bound: f64) -> Result<Self, BoundError> {
        let refused = |reason: String| BoundError::Term {
            name: self.term_name(row).to_owned(),
            composer: term.kind(),
            bound,
            reason,
        };
        let Some(moved) = term.moved(bound) else {
            let reason = "it is stated as one row of squares; a bound on the sum of squares can be moved";
            return Err(refused(reason.to_owned()));
        };
        let (term, moved) = moved.map_err(|error| refused(error.to_string()))?;
        let mut problem = self.within_budget(&self.budget);
        match moved {
            Moved::Composer(composer) => {
                problem.composer = Arc::new(self.composer.with_part(row, composer.into()));
            }
            Moved::Lowered(by) => {
                let mut bounds = self.bounds.to_vec();
                for row in self.term_rows(row) {
                    let unsupported = || BoundError::Unsupported { name: self.names[row].clone() };
                    problem.mapping = problem.mapping.lowered(row, by).ok_or_else(unsupported)?;
                    bounds[row] += by;
                }
                (problem.bounds, problem.linearised) = (bounds.into(), None);
                problem.mapping.set_budget(&self.budget);
            }
        }
        let other = |(first, other): &(usize, BoundedTerm)| {
            (*first, if *first == row { term.clone() } else { other.clone() })
        };
        problem.terms = self.terms.iter().map(other).collect();
        Ok(problem)
    }

    /// The value that the bound of `row` bounds, from the values of all rows in the user's numbers.
    pub(crate) fn bounded_value(&self, row: usize, values: &[f64]) -> f64 {
        self.term_at(row).map_or(values[row], |term| term.value(&values[self.term_rows(row)]))
    }

    /// The multiplier of the bound of `row`, from those of all rows.
    pub(crate) fn bound_multiplier(&self, row: usize, multipliers: &[f64]) -> f64 {
        self.term_at(row).map_or(multipliers[row], |term| term.multiplier(&multipliers[self.term_rows(row)]))
    }

    /// 1 where the bound of `row` is from above, -1 where it is from below.
    pub(crate) fn bound_sign(&self, row: usize) -> f64 {
        let above =
            self.term_at(row).is_some() || self.sides(row).is_some_and(|sides| sides.upper.is_finite());
        if above { 1.0 } else { -1.0 }
    }

    /// What a constraint is called whose bound is that of `row`.
    pub(crate) fn bound_name(&self, row: usize) -> &str {
        if self.term_at(row).is_some() { self.term_name(row) } else { &self.names[row] }
    }
}
