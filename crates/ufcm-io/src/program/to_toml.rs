//! A program as a problem file.

use super::{KINDS, Kind, ProblemRow, Program, take_rows};
use std::fmt::Write;
use ufcm::matrix::Matrix;
use ufcm::problem::ProblemError;

impl Program {
    /// The text of a [problem file](crate::problem_file) that states the same problem as [`Program::to_problem`], with the
    /// names of variables but not those of rows.
    ///
    /// ```
    /// use ufcm_io::paths::Base;
    /// use ufcm_io::{Source, mps, problem_file};
    ///
    /// let text = "NAME tiny\nROWS\n N cost\n G need\nCOLUMNS\n x cost 1 need 2\n y cost 3 need 1\nRHS\n RHS need 4\nENDATA\n";
    /// let program = mps::read(&Source::from_bytes("tiny.mps", text.into())?, &mps::Options::default())?;
    /// let source = Source::from_bytes("tiny.toml", program.to_toml()?.into())?;
    /// let problem = problem_file::read(&source, &Base::new("."))?.problem;
    /// assert_eq!(problem.value(&[2.0, 0.0])?, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Program::to_problem`].
    pub fn to_toml(&self) -> Result<String, ProblemError> {
        self.to_problem()?;
        let (sign, n) = (self.sign(), self.variables.len());
        let names: Vec<String> = self.variables.iter().map(|name| quoted(name)).collect();
        let linear: Vec<f64> = self.linear.iter().map(|c| sign * c + 0.0).collect();
        let mut text =
            format!("name = {}\n\n[variables]\nnames = [{}]\n", quoted(&self.name), names.join(", "));
        let _ = writeln!(text, "\n[components.cost]");
        let _ = match &self.quadratic {
            None => writeln!(text, "kind = \"linear\""),
            Some(q) => {
                let mut entries = Vec::new();
                q.for_each(|i, j, value| entries.push((i, j, sign * value)));
                writeln!(text, "kind = \"quadratic\"\nmatrix = {}", matrix_text(n, n, &entries))
            }
        };
        let _ =
            writeln!(text, "linear = {}\nconstant = {}", vector_text(&linear), sign * self.constant + 0.0);
        let _ = writeln!(text, "\n[objective]\nminimise = \"cost\"");
        let origin = self.problem_rows();
        for (kind, name) in KINDS {
            let members: Vec<_> = origin.iter().filter(|r| self.kind(r.row) == Some(kind)).copied().collect();
            if members.is_empty() {
                continue;
            }
            if kind == Kind::Quadratic {
                members.iter().for_each(|member| self.write_quadratic_row(member, &mut text));
                continue;
            }
            let matrix = take_rows(&self.matrix, &members).map_err(|source| super::data(name, source))?;
            let _ = writeln!(text, "\n[affine.{name}]\nmatrix = {}", stored_text(&matrix));
            let _ = writeln!(text, "\n[[constraints]]\naffine = \"{name}\"");
            let side = |sides: &[f64]| vector_text(&members.iter().map(|r| sides[r.row]).collect::<Vec<_>>());
            let upper: Vec<f64> = members
                .iter()
                .map(|r| if r.negated { -self.row_lower[r.row] } else { self.row_upper[r.row] })
                .collect();
            let _ = match kind {
                Kind::Equality => writeln!(text, "equals = {}", vector_text(&upper)),
                Kind::Quadratic => Ok(()),
                Kind::Inequality => writeln!(text, "at_most = {}", vector_text(&upper)),
                Kind::Range => {
                    writeln!(
                        text,
                        "at_least = {}\nat_most = {}",
                        side(&self.row_lower),
                        side(&self.row_upper)
                    )
                }
            };
        }
        if self.lower.iter().chain(&self.upper).any(|bound| bound.is_finite()) {
            let (lower, upper) = (vector_text(&self.lower), vector_text(&self.upper));
            let _ = writeln!(text, "\n[domain]\nkind = \"box\"\nlower = {lower}\nupper = {upper}");
        }
        Ok(text)
    }
}

impl Program {
    fn write_quadratic_row(&self, member: &ProblemRow, text: &mut String) {
        let (sign, n) = (if member.negated { -1.0 } else { 1.0 }, self.variables.len());
        let mut linear = vec![0.0; n];
        self.matrix.view_row(member.row).for_each(|j, value| linear[j] = sign * value + 0.0);
        let mut entries = Vec::new();
        for curved in self.quadratic_rows.iter().filter(|curved| curved.row == member.row) {
            curved.matrix.for_each(|i, j, value| entries.push((i, j, sign * value)));
        }
        let side = if member.negated { -self.row_lower[member.row] } else { self.row_upper[member.row] };
        // A name that cannot clash with others, and may be any text in the file.
        let name = quoted(&format!("quadratic {}", self.rows[member.row]));
        let _ = writeln!(
            text,
            "\n[components.{name}]\nkind = \"quadratic\"\nmatrix = {}",
            matrix_text(n, n, &entries)
        );
        let _ = writeln!(text, "linear = {}", vector_text(&linear));
        let _ = writeln!(text, "\n[[constraints]]\ncomponent = {name}\nat_most = {}", number_text(side));
    }
}

fn vector_text(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(|v| number_text(*v)).collect::<Vec<_>>().join(", "))
}

/// A number that TOML reads as the same one.
fn number_text(value: f64) -> String {
    format!("{value:?}")
}

fn stored_text(matrix: &Matrix) -> String {
    let mut entries = Vec::new();
    matrix.for_each(|i, j, value| entries.push((i, j, value)));
    matrix_text(matrix.rows(), matrix.columns(), &entries)
}

fn matrix_text(rows: usize, columns: usize, entries: &[(usize, usize, f64)]) -> String {
    let entries: Vec<String> =
        entries.iter().map(|(i, j, value)| format!("[{i}, {j}, {}]", number_text(*value))).collect();
    format!("{{ rows = {rows}, columns = {columns}, entries = [{}] }}", entries.join(", "))
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace(char::is_control, " "))
}
