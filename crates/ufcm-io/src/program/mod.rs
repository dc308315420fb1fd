//! A linear or quadratic program as plain data, and the problem it states.

mod from_problem;
mod to_toml;

pub use from_problem::NotAProgram;

use ufcm::component::{Linear, Quadratic};
use ufcm::error::{DataError, DataProblem, Position};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{Constraint, Problem, ProblemBuilder, ProblemError};
use ufcm::regulariser::Bounds;

const OBJECT: &str = "program";

/// What a program asks of its objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sense {
    /// Make it small.
    #[default]
    Minimise,
    /// Make it large.
    Maximise,
}

/// c.x + x'Qx / 2 + constant, to be minimised or maximised subject to row_lower <= A x <= row_upper and
/// lower <= x <= upper.
///
/// ```
/// use ufcm_io::{Source, mps};
///
/// let text = "NAME tiny\nROWS\n N cost\n G need\nCOLUMNS\n x cost 1 need 2\n y cost 3 need 1\nRHS\n RHS need 4\nENDATA\n";
/// let program = mps::read(&Source::from_bytes("tiny.mps", text.into())?, &mps::Options::default())?;
/// assert_eq!(program.row_lower, [4.0]);
/// let problem = program.to_problem()?;
/// assert_eq!(problem.row_names(), ["objective", "need"]);
/// assert_eq!(problem.value(&[2.0, 0.0])?, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The program's name.
    pub name: String,
    /// Whether the objective, which is kept as it was written, is to be minimised or maximised.
    pub sense: Sense,
    /// The name of each variable.
    pub variables: Vec<String>,
    /// The name of each row of A.
    pub rows: Vec<String>,
    /// c.
    pub linear: Vec<f64>,
    /// The constant of the objective.
    pub constant: f64,
    /// Q with both triangles, where there is one.
    pub quadratic: Option<Matrix>,
    /// A.
    pub matrix: Matrix,
    /// The lower side of each row; -inf for none.
    pub row_lower: Vec<f64>,
    /// The upper side of each row; inf for none.
    pub row_upper: Vec<f64>,
    /// The lower bound of each variable; -inf for none.
    pub lower: Vec<f64>,
    /// The upper bound of each variable; inf for none.
    pub upper: Vec<f64>,
    /// How the reader took what a file leaves open, in sentences for the user.
    pub notes: Vec<String>,
}

/// Where a row of a [`Problem`] made by [`Program::to_problem`] comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemRow {
    /// The row of the program.
    pub row: usize,
    /// Whether it stands there negated: a.x >= b as -a.x <= -b. Its multiplier is then minus the program's.
    pub negated: bool,
}

/// The blocks of the problem, in their order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Equality,
    Inequality,
    Range,
}

const KINDS: [(Kind, &str); 3] =
    [(Kind::Equality, "equalities"), (Kind::Inequality, "inequalities"), (Kind::Range, "ranges")];

impl Program {
    /// The problem, always to be minimised: a maximisation has its objective negated, so that its optimal value is
    /// minus the program's.
    ///
    /// Rows become at most three affine blocks: `equalities` (A x = b), `inequalities` (A x <= b, with the rows that
    /// have a lower side alone negated) and `ranges` (two finite sides); a block of one row bears that row's name.
    /// Rows without a side are left out. [`Program::problem_rows`] tells which row went where. Bounds become the
    /// domain.
    ///
    /// # Errors
    /// Arrays of different lengths, sides or bounds that contradict each other, a Q that is not positive semidefinite
    /// (negative, for a maximisation), by a sparse factorisation; where that would be too large, as far as
    /// [`Quadratic::new`] finds out.
    pub fn to_problem(&self) -> Result<Problem, ProblemError> {
        self.check()?;
        let mut builder = self.objective()?;
        let origin = self.problem_rows();
        for (kind, name) in KINDS {
            let members: Vec<_> = origin.iter().filter(|r| self.kind(r.row) == Some(kind)).copied().collect();
            let name = if let [only] = members[..] { &self.rows[only.row] } else { name };
            if !members.is_empty() {
                let block = self.block(kind, &members).map_err(|source| data(name, source))?;
                builder = builder.subject_to(block.named(name));
            }
        }
        if self.lower.iter().chain(&self.upper).any(|bound| bound.is_finite()) {
            let bounds = Bounds::new(self.lower.clone(), self.upper.clone());
            builder = builder.within(bounds.map_err(|source| data("bounds", source))?);
        }
        builder.build()
    }

    /// The rows of the problem after its objective, which is row 0.
    #[must_use]
    pub fn problem_rows(&self) -> Vec<ProblemRow> {
        let rows = 0..self.row_lower.len().min(self.row_upper.len());
        let of_kind = |kind| rows.clone().filter(move |&row| self.kind(row) == Some(kind));
        let negated = |row: usize| self.row_upper[row] == f64::INFINITY;
        KINDS
            .iter()
            .flat_map(|(kind, _)| of_kind(*kind))
            .map(|row| ProblemRow { row, negated: negated(row) })
            .collect()
    }

    fn kind(&self, row: usize) -> Option<Kind> {
        match (self.row_lower[row], self.row_upper[row]) {
            (f64::NEG_INFINITY, f64::INFINITY) => None,
            (f64::NEG_INFINITY, _) | (_, f64::INFINITY) => Some(Kind::Inequality),
            (lower, upper) if lower == upper => Some(Kind::Equality),
            _ => Some(Kind::Range),
        }
    }

    /// What the objective is multiplied by to be minimised.
    fn sign(&self) -> f64 {
        if self.sense == Sense::Maximise { -1.0 } else { 1.0 }
    }

    fn objective(&self) -> Result<ProblemBuilder, ProblemError> {
        let sign = self.sign();
        // + 0.0 turns -0 into 0.
        let linear: Vec<f64> = self.linear.iter().map(|c| sign * c + 0.0).collect();
        let constant = sign * self.constant + 0.0;
        if linear.is_empty() {
            return Err(ProblemError::NoVariables);
        }
        let failed = |source| data("objective", source);
        match &self.quadratic {
            None => Linear::new(linear, constant).map(Problem::minimise).map_err(failed),
            Some(q) => {
                let form = quadratic_form(q, sign).map_err(failed)?;
                let whole = form.with_linear(linear).and_then(|form| form.with_constant(constant));
                whole.map(Problem::minimise).map_err(failed)
            }
        }
    }

    fn block(&self, kind: Kind, members: &[ProblemRow]) -> Result<Constraint, DataError> {
        let matrix = take_rows(&self.matrix, members)?;
        let side = |r: &ProblemRow| if r.negated { -self.row_lower[r.row] } else { self.row_upper[r.row] };
        if kind == Kind::Range {
            let [lower, upper] = [&self.row_lower, &self.row_upper]
                .map(|sides| members.iter().map(|r| sides[r.row]).collect());
            return Ok(Affine::new(matrix, vec![0.0; members.len()])?.between(lower, upper));
        }
        let block = Affine::new(matrix, members.iter().map(side).collect())?;
        Ok(if kind == Kind::Equality { block.equal_to_zero() } else { block.at_most_zero() })
    }

    fn check(&self) -> Result<(), ProblemError> {
        let (n, m) = (self.linear.len(), self.rows.len());
        let quadratic = self.quadratic.as_ref().map_or(n, Matrix::columns);
        for (field, expected, got) in [
            ("variables", n, self.variables.len()),
            ("a row of matrix", n, self.matrix.columns()),
            ("a row of quadratic", n, quadratic),
            ("lower", n, self.lower.len()),
            ("upper", n, self.upper.len()),
            ("a column of matrix", m, self.matrix.rows()),
            ("row_lower", m, self.row_lower.len()),
            ("row_upper", m, self.row_upper.len()),
        ] {
            if expected != got {
                return Err(fault(DataProblem::Length { field, expected, got }));
            }
        }
        for (row, (&lower, &upper)) in self.row_lower.iter().zip(&self.row_upper).enumerate() {
            // Written so that a NaN on either side fails it.
            if !(lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY) {
                let (position, expected) =
                    (Position::Entry(row), "at most row_upper, with a number between them");
                return Err(fault(DataProblem::OutOfRange {
                    field: "row_lower",
                    position,
                    value: lower,
                    expected,
                }));
            }
        }
        Ok(())
    }
}

/// x'(sign Q)x / 2, as a sum of squares where Q is diagonal.
fn quadratic_form(q: &Matrix, sign: f64) -> Result<Quadratic, DataError> {
    let (n, mut diagonal, mut is_diagonal) = (q.columns(), vec![0.0; q.columns()], q.rows() == q.columns());
    let mut entries = Vec::with_capacity(q.stored());
    q.for_each(|i, j, value| {
        if i == j {
            diagonal[i] = sign * value + 0.0;
        } else {
            is_diagonal &= value == 0.0;
        }
        entries.push((i, j, sign * value));
    });
    if is_diagonal {
        return Quadratic::diagonal(diagonal);
    }
    let form = Quadratic::new(&crate::sparse::from_entries(q.rows(), n, &entries)?)?;
    form.prove_convex()?;
    Ok(form)
}

/// Some rows of a matrix, each negated where asked.
fn take_rows(matrix: &Matrix, members: &[ProblemRow]) -> Result<Matrix, DataError> {
    let mut place = vec![None; matrix.rows()];
    for (k, member) in members.iter().enumerate() {
        place[member.row] = Some((k, if member.negated { -1.0 } else { 1.0 }));
    }
    let mut entries = Vec::new();
    matrix.for_each(|i, j, value| {
        if let Some((k, sign)) = place[i] {
            entries.push((k, j, sign * value));
        }
    });
    crate::sparse::from_entries(members.len(), matrix.columns(), &entries)
}

fn fault(problem: DataProblem) -> ProblemError {
    data(OBJECT, DataError { object: OBJECT, problem })
}

fn data(part: &str, source: DataError) -> ProblemError {
    ProblemError::Data { part: part.to_owned(), source }
}

#[cfg(test)]
mod tests;
