//! `bounds`, `generals` and `binaries`.

use super::expression::{Variables, at_end, constant, is_infinity};
use super::rows::side;
use super::words::{Kind, Word, Words};
use crate::error::{Fault, ReadError, quoted};
use crate::source::Source;
use std::collections::BTreeMap;

/// The bounds of the variables that have any; the others are nonnegative.
#[derive(Default)]
pub(super) struct Bounds {
    sides: BTreeMap<usize, Sides>,
}

#[derive(Default, Clone, Copy)]
struct Sides {
    both: [Option<f64>; 2],
    /// Where the last was given.
    line: usize,
}

impl Bounds {
    pub(super) fn read(&mut self, words: &mut Words<'_>, variables: &mut Variables) -> Result<(), ReadError> {
        while !at_end(words) && super::section(&words.peek()).is_none() {
            self.line(words, variables)?;
        }
        Ok(())
    }

    /// `x >= 1`, `1 <= x <= 2`, `x = 3`, `x free`.
    fn line(&mut self, words: &mut Words<'_>, variables: &mut Variables) -> Result<(), ReadError> {
        let start = words.peek();
        if start.kind != Kind::Name || is_infinity(&start) {
            let value = constant(words, true)?;
            let relation = relation(words)?;
            let variable = name(words, variables)?;
            self.set(words, variable, &relation, value, true)?;
            if !matches!(words.peek().kind, Kind::AtMost | Kind::AtLeast | Kind::Equal) {
                return Ok(());
            }
            return self.right(words, variable);
        }
        let variable = name(words, variables)?;
        let next = words.peek();
        if next.kind == Kind::Name && next.text.eq_ignore_ascii_case("free") {
            words.take()?;
            let both = [Some(f64::NEG_INFINITY), Some(f64::INFINITY)];
            self.sides.insert(variable, Sides { both, line: next.line });
            return Ok(());
        }
        self.right(words, variable)
    }

    /// What stands right of a variable: `<= 2`.
    fn right(&mut self, words: &mut Words<'_>, variable: usize) -> Result<(), ReadError> {
        let relation = relation(words)?;
        let value = constant(words, true)?;
        self.set(words, variable, &relation, value, false)
    }

    fn set(
        &mut self,
        words: &Words<'_>,
        variable: usize,
        relation: &Word<'_>,
        value: f64,
        is_left: bool,
    ) -> Result<(), ReadError> {
        let [lower, upper] = side(words, relation, value, is_left)?;
        let own = self.sides.entry(variable).or_default();
        own.line = relation.line;
        match (relation.kind, is_left) {
            (Kind::Equal, _) => own.both = [Some(lower), Some(upper)],
            (Kind::AtMost, false) | (Kind::AtLeast, true) => own.both[1] = Some(upper),
            _ => own.both[0] = Some(lower),
        }
        Ok(())
    }

    /// Reads names of integer variables, and how many there are.
    pub(super) fn integers(
        &mut self,
        words: &mut Words<'_>,
        variables: &Variables,
        are_binary: bool,
        relax: bool,
    ) -> Result<usize, ReadError> {
        let mut count = 0;
        while !at_end(words) && super::section(&words.peek()).is_none() {
            let word = words.take()?;
            let known = variables.find(word.text).filter(|_| word.kind == Kind::Name);
            let Some(variable) = known else {
                return Err(words.expected("a variable of the objective or of a row", &word));
            };
            if !relax {
                let what = format!("the integer variable {}", quoted(word.text));
                let instead = "--relax-integers takes integer variables as real ones";
                return Err(words.error(&word, Fault::unsupported(what, instead)));
            }
            if are_binary {
                self.sides.insert(variable, Sides { both: [Some(0.0), Some(1.0)], line: word.line });
            }
            count += 1;
        }
        Ok(count)
    }

    /// Lower and upper bounds of all variables.
    pub(super) fn finish(
        &self,
        source: &Source,
        names: &[String],
    ) -> Result<(Vec<f64>, Vec<f64>), ReadError> {
        let mut all = (Vec::new(), Vec::new());
        for (j, name) in names.iter().enumerate() {
            let Sides { both, line } = self.sides.get(&j).copied().unwrap_or_default();
            let (lower, upper) = (both[0].unwrap_or(0.0), both[1].unwrap_or(f64::INFINITY));
            if lower > upper {
                let preset = if both[0].is_none() { " (a lower bound is 0 unless it is given)" } else { "" };
                let message =
                    format!("the bounds of {} leave no number: {lower} and {upper}{preset}", quoted(name));
                return Err(source.error_at(Some(line), None, Fault::Inconsistent(message)));
            }
            all.0.push(lower);
            all.1.push(upper);
        }
        Ok(all)
    }
}

fn relation<'a>(words: &mut Words<'a>) -> Result<Word<'a>, ReadError> {
    let word = words.take()?;
    match word.kind {
        Kind::AtMost | Kind::AtLeast | Kind::Equal => Ok(word),
        _ => Err(words.expected("`<=`, `>=`, `=` or `free`", &word)),
    }
}

fn name(words: &mut Words<'_>, variables: &mut Variables) -> Result<usize, ReadError> {
    let word = words.take()?;
    match word.kind {
        Kind::Name => Ok(variables.place(word.text)),
        _ => Err(words.expected("a variable", &word)),
    }
}
