//! Sums of terms: `3 x + 2 y - 4 + [ x^2 + 4 x*y ] / 2`.

use super::words::{Kind, Word, Words};
use super::{Section, section};
use crate::error::{Fault, ReadError, quoted};
use std::collections::HashMap;

/// The variables, in the order in which they first stand in the file.
#[derive(Default)]
pub(super) struct Variables {
    pub(super) names: Vec<String>,
    places: HashMap<String, usize>,
}

impl Variables {
    pub(super) fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.find(name) {
            return place;
        }
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }
}

/// c.x + constant + sum of q_ij x_i x_j.
#[derive(Debug, Default)]
pub(super) struct Expression {
    pub(super) linear: Vec<(usize, f64)>,
    pub(super) constant: f64,
    pub(super) products: Vec<(usize, usize, f64)>,
}

impl Expression {
    pub(super) fn is_constant(&self) -> bool {
        self.linear.is_empty() && self.products.is_empty()
    }

    /// Entries of both triangles of Q, where the products are x'Qx / 2.
    pub(super) fn quadratic(&self) -> Vec<(usize, usize, f64)> {
        let both = |&(i, j, q): &(usize, usize, f64)| {
            if i == j { vec![(i, i, 2.0 * q)] } else { vec![(i, j, q), (j, i, q)] }
        };
        self.products.iter().flat_map(both).collect()
    }
}

/// Reads terms as long as there are any; each but the first begins with its sign.
pub(super) fn expression(words: &mut Words<'_>, variables: &mut Variables) -> Result<Expression, ReadError> {
    let mut sum = Expression::default();
    let mut is_first = true;
    loop {
        let next = words.peek();
        let signed = matches!(next.kind, Kind::Plus | Kind::Minus);
        let is_term = matches!(next.kind, Kind::Number(_) | Kind::Name | Kind::Open) && !next.is_label;
        if !signed && (!is_first || !is_term || starts_section(&next)) {
            return Ok(sum);
        }
        let sign = sign(words)?;
        term(words, variables, sign, &mut sum)?;
        is_first = false;
    }
}

fn starts_section(word: &Word<'_>) -> bool {
    section(word).is_some()
}

/// The product of any number of signs.
pub(super) fn sign(words: &mut Words<'_>) -> Result<f64, ReadError> {
    let mut sign = 1.0;
    loop {
        match words.peek().kind {
            Kind::Plus => {}
            Kind::Minus => sign = -sign,
            _ => return Ok(sign),
        }
        words.take()?;
    }
}

fn term(
    words: &mut Words<'_>,
    variables: &mut Variables,
    sign: f64,
    sum: &mut Expression,
) -> Result<(), ReadError> {
    let mut factor = sign;
    let mut is_number = false;
    if let Kind::Number(value) = words.peek().kind {
        words.take()?;
        factor *= value;
        is_number = true;
        if words.takes(Kind::Times)? {
            is_number = false;
        }
    }
    let next = words.peek();
    match next.kind {
        Kind::Name if !(next.is_label || is_number && starts_section(&next)) => {
            words.take()?;
            if matches!(words.peek().kind, Kind::Power | Kind::Times) {
                let fault = Fault::unsupported(
                    "a product outside of brackets",
                    "write [ x^2 + 2 x*y ] / 2, or [ ... ] in a row",
                );
                return Err(words.error(&words.peek(), fault));
            }
            sum.linear.push((variables.place(next.text), factor));
        }
        Kind::Open => products(words, variables, factor, sum)?,
        _ if is_number => sum.constant += factor,
        _ => return Err(words.expected("a number or a name", &next)),
    }
    Ok(())
}

/// `[ x^2 + 4 x*y ] / 2`; without the `/ 2` all of it counts.
fn products(
    words: &mut Words<'_>,
    variables: &mut Variables,
    factor: f64,
    sum: &mut Expression,
) -> Result<(), ReadError> {
    words.take()?;
    let first = sum.products.len();
    let mut is_first = true;
    while !words.takes(Kind::Close)? {
        let next = words.peek();
        if !is_first && !matches!(next.kind, Kind::Plus | Kind::Minus) {
            return Err(words.expected("`+`, `-` or `]`", &next));
        }
        is_first = false;
        let mut value = factor * sign(words)?;
        if let Kind::Number(number) = words.peek().kind {
            words.take()?;
            words.takes(Kind::Times)?;
            value *= number;
        }
        let (i, j) = pair(words, variables)?;
        sum.products.push((i, j, value));
    }
    if words.takes(Kind::Slash)? {
        let by = words.take()?;
        match by.kind {
            Kind::Number(2.0) => sum.products[first..].iter_mut().for_each(|(_, _, value)| *value /= 2.0),
            _ => return Err(words.expected("2 after `] /`", &by)),
        }
    }
    Ok(())
}

/// `x^2` or `x*y`.
fn pair(words: &mut Words<'_>, variables: &mut Variables) -> Result<(usize, usize), ReadError> {
    let name = |words: &mut Words<'_>, variables: &mut Variables| {
        let word = words.take()?;
        match word.kind {
            Kind::Name => Ok(variables.place(word.text)),
            _ => Err(words.expected("a variable", &word)),
        }
    };
    let i = name(words, variables)?;
    let word = words.take()?;
    match word.kind {
        Kind::Times => Ok((i, name(words, variables)?)),
        Kind::Power => {
            let power = words.take()?;
            match power.kind {
                Kind::Number(2.0) => Ok((i, i)),
                _ => Err(words.expected("the power 2", &power)),
            }
        }
        _ => Err(words.expected("`^2` or `*` and a variable", &word)),
    }
}

/// A number with its sign; `inf` and `infinity` where `infinite` allows it.
pub(super) fn constant(words: &mut Words<'_>, infinite: bool) -> Result<f64, ReadError> {
    let sign = sign(words)?;
    let word = words.take()?;
    match word.kind {
        Kind::Number(value) => Ok(sign * value),
        Kind::Name if infinite && is_infinity(&word) => Ok(sign * f64::INFINITY),
        Kind::Name => {
            let fault = Fault::expected(
                "a number",
                format!("{}; variables stand left of the relation", quoted(word.text)),
            );
            Err(words.error(&word, fault))
        }
        _ => Err(words.expected("a number", &word)),
    }
}

pub(super) fn is_infinity(word: &Word<'_>) -> bool {
    ["inf", "infinity"].iter().any(|name| word.text.eq_ignore_ascii_case(name))
}

/// Whether a section begins here, or the file ends.
pub(super) fn at_end(words: &Words<'_>) -> bool {
    let next = words.peek();
    next.kind == Kind::End || section(&next).is_some_and(|section| section != Section::NotOne)
}
