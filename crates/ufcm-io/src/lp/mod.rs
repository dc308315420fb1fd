//! LP files, in the format of CPLEX that Gurobi, HiGHS, SCIP and GLPK write as well: linear and convex quadratic programs, plain or gzipped.
//!
//! ```text
//! \ a comment
//! maximize
//!   profit: 3 x + 2 y - [ x^2 + 2 x*y + 2 y^2 ] / 2
//! subject to
//!   supply: x + y <= 4
//!   both:   -2 <= x - y <= 2
//!   energy: [ x^2 + y^2 ] <= 9
//! bounds
//!   y free
//! end
//! ```
//!
//! Conventions, where the format leaves things open:
//!
//! - What stands in brackets is divided by 2 where `/ 2` follows, and counts as it stands otherwise.
//! - Variables are nonnegative unless bounded otherwise. Bounds of 1e20 and more are infinite. Of bounds given twice the last counts.
//! - A number left of the relation is taken to the right, one in the objective is its constant. Variables stand left of the relation.
//! - Rows without a name are called `R1`, `R2`, ..., by their place.
//! - `generals` and `binaries` are refused, or relaxed with a note if [`Options::relax_integers`] says so; binaries then lie between 0 and 1.
//! - Semi-continuous variables, sets (`sos`), indicators and user cuts are refused by name: the problem would not be convex.

mod bounds;
mod expression;
mod rows;
mod words;

use crate::error::{Fault, ReadError};
use crate::program::{Program, QuadraticRow, Sense};
use crate::source::Source;
use crate::sparse::from_entries;
use bounds::Bounds;
use expression::{Variables, expression};
use rows::{Entries, Rows};
use words::{Kind, Word, Words};

/// How to read an LP file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether integer variables are taken as real ones (otherwise they are refused).
    pub relax_integers: bool,
}

/// What begins with a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Minimise,
    Maximise,
    Rows,
    Bounds,
    Integers,
    Binaries,
    End,
    /// A section that is refused.
    NotOne,
}

/// Words that begin a section where they stand first on a line, and the word that follows them where it takes two.
const SECTIONS: [(&str, &str, Section); 34] = [
    ("minimize", "", Section::Minimise),
    ("minimise", "", Section::Minimise),
    ("minimum", "", Section::Minimise),
    ("min", "", Section::Minimise),
    ("maximize", "", Section::Maximise),
    ("maximise", "", Section::Maximise),
    ("maximum", "", Section::Maximise),
    ("max", "", Section::Maximise),
    ("subject", "to", Section::Rows),
    ("such", "that", Section::Rows),
    ("st", "", Section::Rows),
    ("s.t.", "", Section::Rows),
    ("st.", "", Section::Rows),
    ("bounds", "", Section::Bounds),
    ("bound", "", Section::Bounds),
    ("general", "", Section::Integers),
    ("generals", "", Section::Integers),
    ("gen", "", Section::Integers),
    ("integer", "", Section::Integers),
    ("integers", "", Section::Integers),
    ("int", "", Section::Integers),
    ("binary", "", Section::Binaries),
    ("binaries", "", Section::Binaries),
    ("bin", "", Section::Binaries),
    ("end", "", Section::End),
    ("sos", "", Section::NotOne),
    ("sos1", "", Section::NotOne),
    ("sos2", "", Section::NotOne),
    ("semi", "", Section::NotOne),
    ("semis", "", Section::NotOne),
    ("lazy", "constraints", Section::NotOne),
    ("user", "cuts", Section::NotOne),
    ("pwlobj", "", Section::NotOne),
    ("multi", "", Section::NotOne),
];

/// The section that a word begins.
fn section(word: &Word<'_>) -> Option<Section> {
    if word.kind != Kind::Name || !word.is_first || word.is_label {
        return None;
    }
    let lower = word.text.to_ascii_lowercase();
    SECTIONS.iter().find(|(name, ..)| *name == lower).map(|(.., section)| *section)
}

/// Reads a program.
///
/// ```
/// use ufcm_io::{Source, lp};
///
/// let text = "minimize\n cost: x + 3 y\nsubject to\n need: 2 x + y >= 4\nend\n";
/// let program = lp::read(&Source::from_bytes("tiny.lp", text.into())?, &lp::Options::default())?;
/// assert_eq!((program.variables, program.row_lower), (vec!["x".into(), "y".into()], vec![4.0]));
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
///
/// # Errors
/// The first thing in the file that is wrong or not supported, by its line and column.
pub fn read(source: &Source, options: &Options) -> Result<Program, ReadError> {
    let mut words = Words::new(source)?;
    let first = words.peek();
    let sense = match section(&first) {
        Some(Section::Minimise) => Sense::Minimise,
        Some(Section::Maximise) => Sense::Maximise,
        _ => return Err(words.expected("`minimize` or `maximize`", &first)),
    };
    words.take()?;
    let mut reader =
        Reader { variables: Variables::default(), rows: Rows::default(), bounds: Bounds::default() };
    if words.peek().is_label {
        words.take()?;
        words.take()?;
    }
    let objective = expression(&mut words, &mut reader.variables)?;
    let relaxed = reader.sections(&mut words, options)?;
    let failed = |error| source.error(None, Fault::Data(error));
    let Reader { variables, rows, bounds } = reader;
    let (n, m) = (variables.names.len(), rows.names.len());
    let mut linear = vec![0.0; n];
    objective.linear.iter().for_each(|&(j, value)| linear[j] += value);
    let quadratic = objective.quadratic();
    let quadratic =
        if quadratic.is_empty() { None } else { Some(from_entries(n, n, &quadratic).map_err(failed)?) };
    let row =
        |(row, entries): (usize, Entries)| Ok(QuadraticRow { row, matrix: from_entries(n, n, &entries)? });
    let quadratic_rows = rows.quadratic.into_iter().map(row).collect::<Result<_, _>>().map_err(failed)?;
    let (lower, upper) = bounds.finish(source, &variables.names)?;
    Ok(Program {
        name: String::new(),
        sense,
        variables: variables.names,
        rows: rows.names,
        linear,
        constant: objective.constant,
        quadratic,
        matrix: from_entries(m, n, &rows.entries).map_err(failed)?,
        row_lower: rows.lower,
        row_upper: rows.upper,
        quadratic_rows,
        cones: Vec::new(),
        lower,
        upper,
        notes: relaxed,
    })
}

struct Reader {
    variables: Variables,
    rows: Rows,
    bounds: Bounds,
}

impl Reader {
    /// Reads all sections after the objective; what is to be told of them.
    fn sections(&mut self, words: &mut Words<'_>, options: &Options) -> Result<Vec<String>, ReadError> {
        let mut integers = 0;
        loop {
            let word = words.peek();
            let Some(section) = section(&word) else {
                let what = "a relation, a sign or a section such as `subject to`, `bounds` and `end`";
                return Err(words.expected(what, &word));
            };
            let word = open(words)?;
            match section {
                Section::End => break,
                Section::Rows => self.rows.read(words, &mut self.variables)?,
                Section::Bounds => self.bounds.read(words, &mut self.variables)?,
                Section::Integers | Section::Binaries => {
                    let is_binary = section == Section::Binaries;
                    integers +=
                        self.bounds.integers(words, &self.variables, is_binary, options.relax_integers)?;
                }
                Section::Minimise | Section::Maximise => {
                    return Err(words.error(&word, Fault::Repeated { what: "the objective".into() }));
                }
                Section::NotOne => {
                    let what = format!("the section `{}`", word.text);
                    return Err(
                        words.error(&word, Fault::unsupported(what, "the problem would not be convex"))
                    );
                }
            }
        }
        let note = |count| format!("{count} integer variables are taken as real ones");
        Ok((integers > 0).then(|| note(integers)).into_iter().collect())
    }
}

/// Takes the words that begin a section.
fn open<'a>(words: &mut Words<'a>) -> Result<Word<'a>, ReadError> {
    let word = words.take()?;
    let second = SECTIONS.iter().find(|(name, ..)| word.text.eq_ignore_ascii_case(name)).map_or("", |s| s.1);
    if !second.is_empty() {
        let next = words.take()?;
        if !next.text.eq_ignore_ascii_case(second) {
            return Err(words.expected(&format!("`{} {second}`", word.text), &next));
        }
    }
    Ok(word)
}

#[cfg(test)]
mod tests;
