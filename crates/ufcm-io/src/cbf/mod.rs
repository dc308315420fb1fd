//! CBF, the conic benchmark format: linear programs with second-order and exponential cones, plain or gzipped.
//!
//! ```text
//! VER
//! 3
//! OBJSENSE
//! MIN
//! VAR            variables and the cones they lie in
//! 3 1
//! F 3
//! CON            rows A x + b and the cones they lie in
//! 3 1
//! Q 3
//! OBJACOORD      objective: variable, coefficient
//! 1
//! 0 1.0
//! ACOORD         A: row, variable, coefficient
//! 3
//! 0 0 1.0
//! 1 1 1.0
//! 2 2 1.0
//! BCOORD         b: row, number
//! 1
//! 1 -3.0
//! ```
//!
//! | cone | what it says |
//! |---|---|
//! | `F`, `L+`, `L-`, `L=` | free, at least 0, at most 0, equal to 0 |
//! | `Q` | the first is at least the Euclidean norm of the others |
//! | `QR` | 2 x_0 x_1 is at least the sum of squares of the others, x_0 and x_1 are nonnegative: read as \|(2 x_2, 2 x_3, ..., 2 x_0 - x_1)\| <= 2 x_0 + x_1 |
//! | `EXP` | x_0 >= x_1 exp(x_2 / x_1), x_1 > 0, or at the edge of that |
//!
//! Semidefinite variables and rows, power cones and dual exponential cones are refused by name. `INT` is refused, or relaxed with a note. Entries given twice are
//! added. Variables are called `x0`, `x1`, ..., rows `row0`, `row1`, ... and cones `cone0`, `cone1`, ..., as CBF has no names.

mod lines;
mod state;

use crate::error::{Fault, ReadError};
use crate::program::{Program, Sense};
use crate::source::Source;
use lines::{Lines, Word};
use state::{Domain, State};

/// How to read a CBF file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether integer variables are taken as real ones (otherwise they are refused).
    pub relax_integers: bool,
}

/// The newest version that is read.
const NEWEST: usize = 4;

/// Reads a program.
///
/// ```
/// use ufcm_io::{Source, cbf};
///
/// let text = "VER\n3\nOBJSENSE\nMIN\nVAR\n2 1\nL+ 2\nCON\n1 1\nL+ 1\nOBJACOORD\n2\n0 1\n1 3\nACOORD\n2\n0 0 2\n0 1 1\nBCOORD\n1\n0 -4\n";
/// let program = cbf::read(&Source::from_bytes("tiny.cbf", text.into())?, &cbf::Options::default())?;
/// assert_eq!((program.linear, program.row_lower), (vec![1.0, 3.0], vec![4.0]));
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
///
/// # Errors
/// The first thing in the file that is wrong or not supported, by its line and column.
pub fn read(source: &Source, options: &Options) -> Result<Program, ReadError> {
    let mut lines = Lines::new(source)?;
    let mut state = State::default();
    while let Some(keyword) = lines.keyword()? {
        section(&mut lines, &mut state, &keyword, options)?;
    }
    if !state.has_variables {
        return Err(source.error(None, Fault::expected("the section VAR", "none")));
    }
    state.finish(source)
}

fn section(
    lines: &mut Lines<'_>,
    state: &mut State,
    keyword: &Word<'_>,
    options: &Options,
) -> Result<(), ReadError> {
    match keyword.text {
        "VER" => {
            let [version] = lines.words()?;
            if lines.count(&version, NEWEST + 1)? == 0 {
                return Err(lines.expected("a version from 1 on", &version));
            }
        }
        "OBJSENSE" => {
            let [sense] = lines.words()?;
            state.sense = match sense.text {
                "MIN" => Sense::Minimise,
                "MAX" => Sense::Maximise,
                _ => return Err(lines.expected("MIN or MAX", &sense)),
            };
        }
        "VAR" => {
            let (count, domains) = domains(lines, keyword, state.has_variables)?;
            (state.variables, state.has_variables, state.variable_domains) = (count, true, domains);
        }
        "CON" => {
            let (count, domains) = domains(lines, keyword, !state.row_domains.is_empty())?;
            (state.rows, state.row_domains) = (count, domains);
        }
        "INT" => integers(lines, state, options)?,
        _ => coordinates(lines, state, keyword)?,
    }
    Ok(())
}

/// Indices of integer variables.
fn integers(lines: &mut Lines<'_>, state: &mut State, options: &Options) -> Result<(), ReadError> {
    let count = lines.size()?;
    for _ in 0..count {
        let [variable] = lines.words()?;
        let index = lines.count(&variable, state.variables)?;
        if !options.relax_integers {
            let what = format!("the integer variable x{index}");
            let instead = "--relax-integers takes integer variables as real ones";
            return Err(lines.error(&variable, Fault::unsupported(what, instead)));
        }
    }
    state.relaxed += count;
    Ok(())
}

/// Numbers of the objective and of the rows.
fn coordinates(lines: &mut Lines<'_>, state: &mut State, keyword: &Word<'_>) -> Result<(), ReadError> {
    match keyword.text {
        "OBJACOORD" => {
            for _ in 0..lines.size()? {
                let [variable, value] = lines.words()?;
                let entry = (lines.count(&variable, state.variables)?, lines.number(&value)?);
                state.objective.push(entry);
            }
        }
        "OBJBCOORD" => {
            let [value] = lines.words()?;
            state.constant += lines.number(&value)?;
        }
        "ACOORD" => {
            for _ in 0..lines.size()? {
                let [row, variable, value] = lines.words()?;
                let (i, j) = (lines.count(&row, state.rows)?, lines.count(&variable, state.variables)?);
                state.entries.push((i, j, lines.number(&value)?));
            }
        }
        "BCOORD" => {
            for _ in 0..lines.size()? {
                let [row, value] = lines.words()?;
                let entry = (lines.count(&row, state.rows)?, lines.number(&value)?);
                state.offsets.push(entry);
            }
        }
        other => return Err(lines.error(keyword, refused(other))),
    }
    Ok(())
}

/// What is wrong with a word that opens no section that is read.
fn refused(word: &str) -> Fault {
    match word {
        "PSDVAR" | "PSDCON" | "OBJFCOORD" | "FCOORD" | "HCOORD" | "DCOORD" => Fault::unsupported(
            format!("{word} (semidefinite cones)"),
            "linear, second-order and exponential cones are read",
        ),
        "POWCONES" | "POW*CONES" => Fault::unsupported(
            format!("{word} (power cones)"),
            "linear, second-order and exponential cones are read",
        ),
        "CHANGE" => {
            Fault::unsupported("CHANGE (several problems in a file)", "write each into a file of its own")
        }
        _ => {
            let all = "one of VER, OBJSENSE, VAR, CON, INT, OBJACOORD, OBJBCOORD, ACOORD and BCOORD";
            Fault::expected(all, crate::error::quoted(word))
        }
    }
}

/// `rows cones` and a line `cone rows` for each.
fn domains(
    lines: &mut Lines<'_>,
    keyword: &Word<'_>,
    is_again: bool,
) -> Result<(usize, Vec<(Domain, usize)>), ReadError> {
    if is_again {
        return Err(lines.error(keyword, Fault::Repeated { what: format!("the section {}", keyword.text) }));
    }
    let [count, cones] = lines.words()?;
    let (total, cones) = (lines.dimension(&count)?, lines.dimension(&cones)?);
    let (mut all, mut sum) = (Vec::new(), 0usize);
    for _ in 0..cones {
        let [name, size] = lines.words()?;
        let Some(domain) = Domain::of(name.text) else {
            let fault = match name.text {
                "EXP*" | "SVECPSD" => Fault::unsupported(
                    format!("the cone {}", name.text),
                    "F, L+, L-, L=, Q, QR and EXP are read",
                ),
                text if text.starts_with('@') => {
                    Fault::unsupported("a power cone", "F, L+, L-, L=, Q, QR and EXP are read")
                }
                text => Fault::expected("F, L+, L-, L=, Q, QR or EXP", crate::error::quoted(text)),
            };
            return Err(lines.error(&name, fault));
        };
        let rows = lines.dimension(&size)?;
        if rows < domain.least_rows() || (domain == Domain::Exponential && rows != 3) {
            let least = domain.least_rows();
            let what = if domain == Domain::Exponential {
                "3 rows".into()
            } else {
                format!("at least {least} rows")
            };
            return Err(lines.expected(&what, &size));
        }
        sum = sum.saturating_add(rows);
        all.push((domain, rows));
    }
    if sum != total {
        return Err(
            lines.error(&count, Fault::expected(format!("{total} rows in all cones"), sum.to_string()))
        );
    }
    Ok((total, all))
}

#[cfg(test)]
mod tests;
