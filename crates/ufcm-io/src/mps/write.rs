//! Writing programs, in the free layout.

use crate::program::{Program, Sense};
use std::fmt::Write;

/// The text of an MPS file (QPS, where there is a quadratic part) in the free layout. Numbers are written so that the same
/// ones are read again. Blanks in names become underscores, since the layout has no quotes.
///
/// ```
/// use ufcm_io::{Source, mps};
///
/// let text = "NAME q\nROWS\n N f\n G c\nCOLUMNS\n x f 1 c 1\n y c 1\nRHS\n r f -3 c 2\nRANGES\n r c 4\nBOUNDS\n FR b x\nQUADOBJ\n x x 2\nENDATA\n";
/// let program = mps::read(&Source::from_bytes("q.qps", text.into())?, &mps::Options::default())?;
/// let written = mps::text(&program);
/// assert_eq!(mps::read(&Source::from_bytes("r.qps", written.into())?, &mps::Options::default())?, program);
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
#[must_use]
pub fn text(program: &Program) -> String {
    let name = |name: &str| name.replace(char::is_whitespace, "_");
    let mut text = format!("NAME {}\n", name(&program.name));
    let objective = objective_name(program);
    if program.sense == Sense::Maximise {
        text.push_str("OBJSENSE\n    MAX\n");
    }
    let _ = write!(text, "ROWS\n N {objective}\n");
    for (k, row) in program.rows.iter().enumerate() {
        let _ = writeln!(text, " {} {}", Sides::of(program, k).kind, name(row));
    }
    columns(program, &objective, &mut text);
    text.push_str("RHS\n");
    if program.constant != 0.0 {
        let _ = writeln!(text, " RHS {objective} {:?}", -program.constant);
    }
    let mut ranges = String::new();
    for (k, row) in program.rows.iter().enumerate() {
        let sides = Sides::of(program, k);
        if sides.rhs != 0.0 {
            let _ = writeln!(text, " RHS {} {:?}", name(row), sides.rhs);
        }
        if let Some(range) = sides.range {
            let _ = writeln!(ranges, " RANGES {} {range:?}", name(row));
        }
    }
    if !ranges.is_empty() {
        let _ = write!(text, "RANGES\n{ranges}");
    }
    bounds(program, &mut text);
    if let Some(q) = &program.quadratic {
        text.push_str("QMATRIX\n");
        q.for_each(|i, j, value| {
            let _ =
                writeln!(text, " {} {} {value:?}", name(&program.variables[i]), name(&program.variables[j]));
        });
    }
    text.push_str("ENDATA\n");
    text
}

/// A name for the objective that no row has.
fn objective_name(program: &Program) -> String {
    let mut name = "objective".to_owned();
    while program.rows.contains(&name) {
        name.push('_');
    }
    name
}

/// A row as MPS puts it.
struct Sides {
    kind: char,
    rhs: f64,
    range: Option<f64>,
}

impl Sides {
    fn of(program: &Program, row: usize) -> Self {
        let (lower, upper) = (program.row_lower[row], program.row_upper[row]);
        match (lower.is_finite(), upper.is_finite()) {
            (false, false) => Self { kind: 'N', rhs: 0.0, range: None },
            (false, true) => Self { kind: 'L', rhs: upper, range: None },
            (true, false) => Self { kind: 'G', rhs: lower, range: None },
            (true, true) if lower == upper => Self { kind: 'E', rhs: lower, range: None },
            (true, true) => Self { kind: 'G', rhs: lower, range: Some(upper - lower) },
        }
    }
}

fn columns(program: &Program, objective: &str, text: &mut String) {
    let name = |name: &str| name.replace(char::is_whitespace, "_");
    let mut entries = vec![Vec::new(); program.variables.len()];
    program.matrix.for_each(|i, j, value| entries[j].push((i, value)));
    text.push_str("COLUMNS\n");
    for (j, variable) in program.variables.iter().enumerate() {
        // Also where it is 0: a column is declared by its entries.
        let _ = writeln!(text, " {} {objective} {:?}", name(variable), program.linear[j]);
        for (i, value) in &entries[j] {
            let _ = writeln!(text, " {} {} {value:?}", name(variable), name(&program.rows[*i]));
        }
    }
}

fn bounds(program: &Program, text: &mut String) {
    text.push_str("BOUNDS\n");
    for (j, variable) in program.variables.iter().enumerate() {
        let variable = variable.replace(char::is_whitespace, "_");
        let (lower, upper) = (program.lower[j], program.upper[j]);
        let _ = match (lower.is_finite(), upper.is_finite()) {
            (false, false) => writeln!(text, " FR BOUNDS {variable}"),
            (true, true) if lower == upper => writeln!(text, " FX BOUNDS {variable} {lower:?}"),
            (false, true) => writeln!(text, " MI BOUNDS {variable}\n UP BOUNDS {variable} {upper:?}"),
            (true, false) if lower == 0.0 => Ok(()),
            (true, false) => writeln!(text, " LO BOUNDS {variable} {lower:?}"),
            (true, true) => {
                writeln!(text, " LO BOUNDS {variable} {lower:?}\n UP BOUNDS {variable} {upper:?}")
            }
        };
    }
}
