//! A linear or quadratic program as plain data, and the problem it states.

mod from_problem;
mod to_toml;

pub use from_problem::NotAProgram;

use ufcm::component::{Linear, Quadratic};
use ufcm::composer::Cones;
use ufcm::error::{DataError, DataProblem, Position};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{Constraint, IntoConstraint, Problem, ProblemBuilder, ProblemError};
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
/// lower <= x <= upper. Rows may have quadratic parts of their own.
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
    /// Rows that are curved: what is added to them.
    pub quadratic_rows: Vec<QuadraticRow>,
    /// Rows that lie in cones, besides those of A.
    pub cones: Vec<ConeRows>,
    /// The lower bound of each variable; -inf for none.
    pub lower: Vec<f64>,
    /// The upper bound of each variable; inf for none.
    pub upper: Vec<f64>,
    /// How the reader took what a file leaves open, in sentences for the user.
    pub notes: Vec<String>,
}

/// x'Qx / 2, added to a row of a [`Program`]: the row then has an upper side alone and a positive semidefinite Q, or a lower side and a negative one.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadraticRow {
    /// The row.
    pub row: usize,
    /// Q, with both triangles.
    pub matrix: Matrix,
}

/// A cone that rows of a [`Program`] lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cone {
    /// The first row is at least the Euclidean norm of the others.
    SecondOrder,
    /// Three rows (t, s, r) with t >= s exp(r / s) and s > 0, or at the edge of that.
    Exponential,
}

/// A x + offset in a cone.
#[derive(Debug, Clone, PartialEq)]
pub struct ConeRows {
    /// Its name.
    pub name: String,
    /// Which cone.
    pub kind: Cone,
    /// A.
    pub matrix: Matrix,
    /// What is added to A x.
    pub offset: Vec<f64>,
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
    Quadratic,
}

const KINDS: [(Kind, &str); 4] = [
    (Kind::Equality, "equalities"),
    (Kind::Inequality, "inequalities"),
    (Kind::Range, "ranges"),
    (Kind::Quadratic, "quadratic"),
];

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
            if kind == Kind::Quadratic {
                for member in &members {
                    let name = &self.rows[member.row];
                    let row = self.quadratic_row(member).map_err(|source| data(name, source))?;
                    builder = builder.subject_to(row.named(name));
                }
            } else if !members.is_empty() {
                let block = self.block(kind, &members).map_err(|source| data(name, source))?;
                builder = builder.subject_to(block.named(name));
            }
        }
        for cone in &self.cones {
            let rows = cone.constraint().map_err(|source| data(&cone.name, source))?;
            builder = builder.subject_to(rows.named(&cone.name));
        }
        if self.lower.iter().chain(&self.upper).any(|bound| bound.is_finite()) {
            let bounds = Bounds::new(self.lower.clone(), self.upper.clone());
            builder = builder.within(bounds.map_err(|source| data("bounds", source))?);
        }
        builder.build()
    }

    /// The rows of the problem after its objective, which is row 0, and before those of cones.
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
            _ if self.quadratic_rows.iter().any(|curved| curved.row == row) => Some(Kind::Quadratic),
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

    /// x'Qx / 2 + a.x <= b, negated where the row has a lower side.
    fn quadratic_row(&self, member: &ProblemRow) -> Result<Constraint, DataError> {
        let sign = if member.negated { -1.0 } else { 1.0 };
        let mut linear = vec![0.0; self.variables.len()];
        self.matrix.view_row(member.row).for_each(|j, value| linear[j] = sign * value + 0.0);
        let form = self.quadratic_rows.iter().find(|curved| curved.row == member.row);
        let form = form.map_or_else(
            || Quadratic::diagonal(vec![0.0; linear.len()]),
            |f| quadratic_form(&f.matrix, sign),
        )?;
        let side = if member.negated { -self.row_lower[member.row] } else { self.row_upper[member.row] };
        Ok(form.with_linear(linear)?.at_most(side))
    }

    fn block(&self, kind: Kind, members: &[ProblemRow]) -> Result<Constraint, DataError> {
        let matrix = take_rows(&self.matrix, members)?;
        let side = |r: &ProblemRow| if r.negated { -self.row_lower[r.row] } else { self.row_upper[r.row] };
        if kind == Kind::Range {
            let [lower, upper] = [&self.row_lower, &self.row_upper]
                .map(|sides| members.iter().map(|r| sides[r.row]).collect());
            return Ok(Affine::new(matrix, vec![0.0; members.len()])?.between(lower, upper));
        }
        // The sides are told as the file has them, not as zeros.
        let sides: Vec<f64> = members.iter().map(side).collect();
        let block = Affine::new(matrix, vec![0.0; members.len()])?.minus(&sides)?;
        Ok(if kind == Kind::Equality { block.equal_to_zero() } else { block.at_most_zero() })
    }

    fn check(&self) -> Result<(), ProblemError> {
        let (n, m) = (self.linear.len(), self.rows.len());
        let quadratic = self.quadratic.as_ref().map_or(n, Matrix::columns);
        for QuadraticRow { row, matrix } in &self.quadratic_rows {
            let found = (*row < m && matrix.columns() == n && matrix.rows() == n).then_some(*row);
            let sides = found.map(|row| [self.row_lower.get(row), self.row_upper.get(row)]);
            if sides.is_none_or(|sides| sides.iter().all(|side| side.is_none_or(|side| side.is_finite()))) {
                let message =
                    format!("the quadratic row {row} is none that can be convex, or its matrix does not fit");
                return Err(fault(DataProblem::Structure(message)));
            }
        }
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

impl ConeRows {
    fn constraint(&self) -> Result<Constraint, DataError> {
        let rows = self.matrix.rows();
        // The library has the exponential cone with its rows the other way round.
        let (order, cones): (Vec<usize>, _) = match self.kind {
            Cone::SecondOrder => ((0..rows).collect(), Cones::second_order(&[rows])?),
            Cone::Exponential => ((0..rows).rev().collect(), Cones::exponential(1)),
        };
        let offset = order.iter().map(|&row| 0.0 - self.offset[row]).collect();
        Ok(Affine::new(self.matrix.selected(&order)?, offset)?.in_cones(cones))
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
