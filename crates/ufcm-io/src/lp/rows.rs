//! `subject to`: rows with a relation, or with two.

use super::expression::{Expression, Variables, at_end, constant, expression};
use super::words::{Kind, Word, Words};
use crate::error::{Fault, ReadError, quoted};
use std::collections::HashSet;

/// Sides of this size and more are infinite.
const INFINITE: f64 = 1e20;

/// Entries of a matrix: row, column, value.
pub(super) type Entries = Vec<(usize, usize, f64)>;

/// The rows so far.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) names: Vec<String>,
    seen: HashSet<String>,
    pub(super) entries: Vec<(usize, usize, f64)>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// Rows with a quadratic part: entries of both triangles of Q, of x'Qx / 2.
    pub(super) quadratic: Vec<(usize, Entries)>,
}

impl Rows {
    pub(super) fn read(&mut self, words: &mut Words<'_>, variables: &mut Variables) -> Result<(), ReadError> {
        while !at_end(words) && super::section(&words.peek()).is_none() {
            self.row(words, variables)?;
        }
        Ok(())
    }

    fn row(&mut self, words: &mut Words<'_>, variables: &mut Variables) -> Result<(), ReadError> {
        let start = words.peek();
        let name = match start.is_label {
            true => {
                words.take()?;
                words.take()?;
                start.text.to_owned()
            }
            false => format!("R{}", self.names.len() + 1),
        };
        if !self.seen.insert(name.clone()) {
            return Err(words.error(&start, Fault::Repeated { what: format!("the row {}", quoted(&name)) }));
        }
        let left = expression(words, variables)?;
        let relation = relation(words)?;
        let (sum, mut sides) = if left.is_constant() {
            // A number comes first: 3 <= x + y, or 3 <= x + y <= 8.
            let sum = expression(words, variables)?;
            let sides = side(words, &relation, left.constant, true)?;
            (sum, sides)
        } else {
            let value = constant(words, true)?;
            (left, side(words, &relation, value, false)?)
        };
        let next = words.peek();
        match next.kind {
            Kind::AtMost | Kind::AtLeast | Kind::Equal => {
                let second = super::rows::relation(words)?;
                if second.kind != relation.kind || second.kind == Kind::Equal {
                    return Err(words.expected("the same inequality on both sides", &second));
                }
                let value = constant(words, true)?;
                let other = side(words, &second, value, false)?;
                sides = [sides[0].max(other[0]), sides[1].min(other[1])];
            }
            Kind::Arrow => {
                return Err(
                    words.error(&next, Fault::unsupported("an indicator", "the problem would not be convex"))
                );
            }
            Kind::Plus | Kind::Minus | Kind::Number(_) | Kind::Name | Kind::Open | Kind::Times
                if !next.is_first && !next.is_label =>
            {
                return Err(words.expected("the end of the row: terms stand left of the relation", &next));
            }
            _ => {}
        }
        if sum.is_constant() {
            return Err(words.expected("a row with variables", &start));
        }
        self.add(words, &start, name, &sum, sides)
    }

    fn add(
        &mut self,
        words: &Words<'_>,
        start: &Word<'_>,
        name: String,
        sum: &Expression,
        sides: [f64; 2],
    ) -> Result<(), ReadError> {
        let row = self.names.len();
        let [lower, upper] = sides.map(|side| side - sum.constant);
        if lower > upper {
            let found = format!("{lower} and {upper}");
            return Err(
                words.error(start, Fault::expected("a lower side that is at most the upper one", found))
            );
        }
        if !sum.products.is_empty() {
            if lower.is_finite() && upper.is_finite() {
                let what = "a quadratic row with an equality or two sides";
                return Err(words.error(start, Fault::unsupported(what, "it would not be convex")));
            }
            self.quadratic.push((row, sum.quadratic()));
        }
        self.entries.extend(sum.linear.iter().map(|&(j, value)| (row, j, value)));
        self.names.push(name);
        self.lower.push(lower);
        self.upper.push(upper);
        Ok(())
    }
}

fn relation<'a>(words: &mut Words<'a>) -> Result<Word<'a>, ReadError> {
    let word = words.take()?;
    match word.kind {
        Kind::AtMost | Kind::AtLeast | Kind::Equal => Ok(word),
        _ => Err(words.expected("`<=`, `>=` or `=`", &word)),
    }
}

/// The sides that `sum relation value` gives a sum, or `value relation sum` where it stands left.
pub(super) fn side(
    words: &Words<'_>,
    relation: &Word<'_>,
    value: f64,
    is_left: bool,
) -> Result<[f64; 2], ReadError> {
    let value = if value.abs() >= INFINITE { value.signum() * f64::INFINITY } else { value };
    let sides = match (relation.kind, is_left) {
        (Kind::Equal, _) => [value, value],
        (Kind::AtMost, false) | (Kind::AtLeast, true) => [f64::NEG_INFINITY, value],
        _ => [value, f64::INFINITY],
    };
    if sides[0] == f64::INFINITY || sides[1] == f64::NEG_INFINITY {
        return Err(
            words.error(relation, Fault::expected("a side that a number can meet", format!("{value}")))
        );
    }
    Ok(sides)
}
