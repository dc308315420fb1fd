//! A problem as a program, where it is linear or quadratic.

use super::{Program, Sense};
use crate::sparse::from_entries;
use ufcm::error::DataError;
use ufcm::oracle::OracleError;
use ufcm::problem::Problem;

/// Variables and rows up to which a problem is asked for its numbers one by one.
const LARGEST: usize = 5000;
/// Domains that are bounds of the variables.
const BOUNDS: [&str; 3] = ["bounds", "nonnegative vectors", "zero"];

/// Why a problem is no linear or quadratic program.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAProgram {
    /// The objective is neither.
    #[error("the objective ({kind}) is neither linear nor quadratic")]
    Objective {
        /// Its kind.
        kind: &'static str,
    },
    /// There is a term besides the objective.
    #[error("`{part}` ({kind}) is a term that linear and quadratic programs do not have")]
    Term {
        /// Its name.
        part: String,
        /// The composer.
        kind: &'static str,
    },
    /// A constraint is not linear.
    #[error("the constraint `{part}` ({kind}) is not linear")]
    Constraint {
        /// Its name.
        part: String,
        /// The component.
        kind: &'static str,
    },
    /// The regulariser or the domain is not a box.
    #[error("the regulariser or domain ({kind}) is more than bounds of the variables")]
    Domain {
        /// Its kind.
        kind: &'static str,
    },
    /// There are too many variables or rows.
    #[error("{count} variables or rows are too many to be written out; {LARGEST} are not")]
    TooLarge {
        /// How many.
        count: usize,
    },
    /// Two names are the same once blanks are underscores.
    #[error("two variables or rows are called `{name}`")]
    Name {
        /// The name.
        name: String,
    },
    /// A row cannot be evaluated at 0.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// Numbers that make no matrix.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl Program {
    /// The program that a linear or quadratic problem with bounds of the variables states, by asking its parts at 0.
    ///
    /// ```
    /// use ufcm_io::{Program, Source, mps};
    ///
    /// let text = "NAME tiny\nROWS\n N cost\n G need\nCOLUMNS\n x cost 1 need 2\n y cost 3 need 1\nRHS\n RHS need 4\nENDATA\n";
    /// let program = mps::read(&Source::from_bytes("tiny.mps", text.into())?, &mps::Options::default())?;
    /// let again = Program::from_problem("tiny", &program.to_problem()?, None)?;
    /// assert_eq!((&again.linear, again.row_upper[0]), (&program.linear, -4.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What of the problem is neither linear nor quadratic, by name.
    pub fn from_problem(
        name: &str,
        problem: &Problem,
        variables: Option<&[String]>,
    ) -> Result<Self, NotAProgram> {
        let (n, m) = (problem.dimension(), problem.rows());
        if n.max(m) > LARGEST {
            return Err(NotAProgram::TooLarge { count: n.max(m) });
        }
        check_kinds(problem)?;
        let mut mapping = problem.mapping();
        let (origin, mut values, mut scratch) = (vec![0.0; n], vec![0.0; m], Vec::new());
        mapping.linearise(&origin, &mut values)?;
        let mut linear = vec![0.0; n];
        mapping.with_row(0, &mut scratch, &mut |row| row.for_each(|i, a| linear[i] = a));
        let mut entries = Vec::new();
        for j in 1..m {
            let mut add = |i, a: f64| entries.extend((a != 0.0).then_some((j - 1, i, a)));
            mapping.with_row(j, &mut scratch, &mut |row| row.for_each(&mut add));
        }
        let (row_lower, row_upper) = sides(problem, &values);
        let (lower, upper) = bounds(problem);
        let numbered = || (1..=n).map(|k| format!("x{k}")).collect();
        Ok(Self {
            name: name.to_owned(),
            sense: Sense::Minimise,
            variables: distinct(variables.map_or_else(numbered, <[String]>::to_vec))?,
            rows: distinct(problem.row_names()[1..].to_vec())?,
            linear,
            constant: values[0],
            quadratic: quadratic(problem)?,
            matrix: from_entries(m - 1, n, &entries)?,
            row_lower,
            row_upper,
            quadratic_rows: Vec::new(),
            cones: Vec::new(),
            lower,
            upper,
            notes: Vec::new(),
        })
    }
}

fn check_kinds(problem: &Problem) -> Result<(), NotAProgram> {
    let kind = |row: usize| problem.component(row).map_or("affine block", |component| component.kind());
    if !problem.is_affine(0) && kind(0) != "quadratic" {
        return Err(NotAProgram::Objective { kind: kind(0) });
    }
    for (range, composer) in problem.parts().filter(|(range, _)| range.start > 0) {
        let part = problem.row_names()[range.start].trim_end_matches("[0]").to_owned();
        if !composer.is_constraint() {
            return Err(NotAProgram::Term { part, kind: composer.kind() });
        }
        if let Some(row) = range.into_iter().find(|&row| !problem.is_affine(row)) {
            return Err(NotAProgram::Constraint { part: problem.row_names()[row].clone(), kind: kind(row) });
        }
    }
    let kind = problem.regulariser().kind();
    if BOUNDS.contains(&kind) { Ok(()) } else { Err(NotAProgram::Domain { kind }) }
}

/// Q with both triangles, where there is one.
fn quadratic(problem: &Problem) -> Result<Option<ufcm::matrix::Matrix>, NotAProgram> {
    let n = problem.dimension();
    if problem.is_affine(0) {
        return Ok(None);
    }
    let component = problem.component(0);
    let Some(curvature) = component.and_then(|component| component.curvature()) else {
        return Err(NotAProgram::Objective { kind: component.map_or("unknown", |c| c.kind()) });
    };
    let mut hessian = vec![0.0; n * n];
    curvature.add_hessian(&vec![0.0; n], 1.0, &mut hessian)?;
    // Whichever triangle is filled, or both.
    let at = |i: usize, j: usize| match (hessian[i * n + j], hessian[j * n + i]) {
        (0.0, other) => other,
        (value, _) => value,
    };
    let entries: Vec<_> =
        (0..n * n).map(|k| (k / n, k % n, at(k / n, k % n))).filter(|(_, _, value)| *value != 0.0).collect();
    Ok(Some(from_entries(n, n, &entries)?))
}

/// The sides of A x in each constraint, from those of A x - b: the support function of a product of intervals tells them.
fn sides(problem: &Problem, at_origin: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for (range, composer) in problem.parts().filter(|(range, _)| range.start > 0) {
        let mut unit = vec![0.0; range.len()];
        for (k, row) in range.enumerate() {
            let mut support = |sign: f64| {
                unit[k] = sign;
                let value = composer.conjugate(&unit);
                unit[k] = 0.0;
                value
            };
            // + 0.0 turns -0 into 0.
            upper.push(support(1.0) - at_origin[row] + 0.0);
            lower.push(-support(-1.0) - at_origin[row] + 0.0);
        }
    }
    (lower, upper)
}

fn bounds(problem: &Problem) -> (Vec<f64>, Vec<f64>) {
    let n = problem.dimension();
    let mut unit = vec![0.0; n];
    let mut least = |i: usize, sign: f64| {
        unit[i] = sign;
        let value = problem.regulariser().min_linear(&unit, None);
        unit[i] = 0.0;
        value
    };
    (0..n).map(|i| (least(i, 1.0), -least(i, -1.0) + 0.0)).unzip()
}

/// Names as an MPS file can have them, if they stay different.
fn distinct(names: Vec<String>) -> Result<Vec<String>, NotAProgram> {
    let names: Vec<String> = names.iter().map(|name| name.replace(char::is_whitespace, "_")).collect();
    let mut seen = std::collections::HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(name) => Err(NotAProgram::Name { name: name.clone() }),
        None => Ok(names),
    }
}
