//! MPS and QPS: linear and quadratic programs, plain or gzipped.
//!
//! Conventions, where the format leaves things open:
//!
//! - The first N row is the objective; other N rows are left out, with a note.
//! - A right-hand side on the objective is minus its constant.
//! - A range R turns `L` into [b - |R|, b], `G` into [b, b + |R|], and `E` into [b, b + R] or, for R < 0, [b + R, b].
//! - Variables are nonnegative unless bounded otherwise. A negative `UP` on a variable that has no lower bound of its
//!   own makes its lower bound -inf, with a note; `UP 0` does not. `MI` leaves the upper bound alone.
//! - Bounds of 1e20 and more are infinite.
//! - `QUADOBJ` (or `QSECTION` on the objective) gives one triangle of Q, `QMATRIX` all of it; the objective has
//!   x'Qx / 2.
//! - Of several sets of right-hand sides, ranges or bounds the first is taken, with a note.
//! - Integer variables are refused, or relaxed with a note if [`Options::relax_integers`] says so.

mod bounds;
mod columns;
mod layout;
mod quadratic;
mod rows;
mod sections;
mod write;

pub use layout::Layout;
pub use write::text;

use crate::error::{Fault, ReadError, quoted};
use crate::program::Program;
use crate::source::{Line, Source};
use layout::{Card, is_fixed};
use sections::Sections;

/// What stands in place of a row where integer variables begin and end.
const MARKER: &str = "'MARKER'";

/// How to read an MPS file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// How fields are told apart.
    pub layout: Layout,
    /// Whether integer variables are taken as real ones (otherwise they are refused).
    pub relax_integers: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Name,
    Sense,
    Rows,
    Columns,
    Rhs,
    Ranges,
    Bounds,
    Quadratic,
    End,
}

impl Section {
    /// What a line of data looks like.
    fn shape(self) -> &'static str {
        match self {
            Self::Rows => "`type row`",
            Self::Columns => "`column row value [row value]`",
            Self::Rhs | Self::Ranges => "`[set] row value [row value]`",
            Self::Bounds => "`type [set] column value`",
            Self::Quadratic => "`column column value [column value]`",
            Self::Sense => "MIN or MAX",
            Self::Name | Self::End => "a section",
        }
    }
}

/// Reads a program.
///
/// ```
/// use ufcm_io::{Source, mps};
///
/// let text = "NAME q\nROWS\n N f\n L c\nCOLUMNS\n x f 1 c 1\n y c 1\nRHS\n r f -3 c 2\nBOUNDS\n UP b x 4\nQUADOBJ\n x x 2\n y x 1\nENDATA\n";
/// let program = mps::read(&Source::from_bytes("q.qps", text.into())?, &mps::Options::default())?;
/// assert_eq!((program.constant, program.upper[0]), (3.0, 4.0));
/// assert_eq!(program.quadratic.unwrap().stored(), 3);
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
///
/// # Errors
/// The first thing in the file that is wrong or not supported, by its line.
pub fn read(source: &Source, options: &Options) -> Result<Program, ReadError> {
    let fixed = match options.layout {
        Layout::Fixed => true,
        Layout::Free => false,
        Layout::Detect => all_fixed(source)?,
    };
    let mut sections = Sections::new(options.relax_integers);
    let (mut section, mut opened) = (Section::Name, 0);
    for line in source.lines()?.filter(has_content) {
        opened = line.number;
        source.ask(line.number)?;
        if is_header(&line) {
            section = open(&line, &mut sections)?;
            if section == Section::End {
                return sections.finish(source);
            }
        } else if section == Section::Sense {
            sections.set_sense(&line, line.text.trim())?;
        } else if section == Section::Name {
            return Err(line.error(Fault::expected("a section such as ROWS", quoted(line.text.trim()))));
        } else {
            let card = if fixed { Card::fixed(&line)? } else { Card::free(&line, section)? };
            sections.add(&line, section, &card)?;
        }
    }
    Err(source.error_at(Some(opened + 1), None, Fault::expected("ENDATA", "the end of the file")))
}

fn has_content(line: &Line<'_>) -> bool {
    !line.text.starts_with('*') && !line.text.trim().is_empty()
}

fn is_header(line: &Line<'_>) -> bool {
    !line.text.starts_with([' ', '\t'])
}

/// Whether all lines of data keep to the fixed columns.
fn all_fixed(source: &Source) -> Result<bool, ReadError> {
    let mut section = Section::Name;
    for line in source.lines()?.filter(has_content) {
        source.ask(line.number)?;
        if is_header(&line) {
            // What is wrong with a header is reported when it is read.
            section = named(line.words().next().unwrap_or_default()).unwrap_or(Section::Name);
            if section == Section::End {
                break;
            }
        } else if !is_fixed(line.text, section) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn named(word: &str) -> Option<Section> {
    Some(match word {
        "NAME" => Section::Name,
        "OBJSENSE" => Section::Sense,
        "ROWS" => Section::Rows,
        "COLUMNS" => Section::Columns,
        "RHS" => Section::Rhs,
        "RANGES" => Section::Ranges,
        "BOUNDS" => Section::Bounds,
        "QUADOBJ" | "QSECTION" | "QMATRIX" => Section::Quadratic,
        "ENDATA" => Section::End,
        _ => return None,
    })
}

fn open(line: &Line<'_>, sections: &mut Sections) -> Result<Section, ReadError> {
    let mut words = line.words();
    let (word, argument) = (words.next().unwrap_or_default(), words.next());
    let section = named(word).ok_or_else(|| line.error(refused(word)))?;
    match (section, argument) {
        (Section::Name, Some(name)) => sections.set_name(name),
        (Section::Sense, Some(sense)) => sections.set_sense(line, sense)?,
        (Section::Quadratic, row) => sections.open_quadratic(line, word == "QMATRIX", row)?,
        _ => {}
    }
    Ok(section)
}

/// What is wrong with a header that opens no section.
fn refused(word: &str) -> Fault {
    match word {
        "SOS" | "SOS1" | "SOS2" | "INDICATORS" => Fault::unsupported(word, "the problem would not be convex"),
        "QCMATRIX" | "CSECTION" => Fault::unsupported(word, "constraints must be linear here"),
        _ => {
            let all =
                "one of NAME, OBJSENSE, ROWS, COLUMNS, RHS, RANGES, BOUNDS, QUADOBJ, QMATRIX and ENDATA";
            Fault::expected(all, quoted(word))
        }
    }
}

#[cfg(test)]
mod tests;
