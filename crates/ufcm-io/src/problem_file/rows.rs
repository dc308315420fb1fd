//! Selections of rows: `label == 1 and sex == "Female"`.

use super::error::ProblemFileError;
use super::node::Node;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// What a cell is compared with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Literal {
    Number(f64),
    Text(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
}

// The longer ones first, since they begin like the shorter.
const RELATIONS: [(&str, Relation); 6] = [
    ("==", Relation::Equal),
    ("!=", Relation::Unequal),
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("<", Relation::Less),
    (">", Relation::More),
];

/// One comparison of a column with a number or a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    pub(super) column: String,
    pub(super) relation: Relation,
    pub(super) literal: Literal,
}

const SHAPE: &str =
    "rows = \"label == 1\", \"sex == 'Female' and age >= 40\"; names with blanks stand in `backticks`";

/// Comparisons joined by `and`.
pub(super) fn parse(node: &Node<'_>) -> Result<Vec<Comparison>> {
    let mut rest = node.text()?;
    let mut comparisons = Vec::new();
    loop {
        let (comparison, after) = comparison(rest).ok_or_else(|| {
            let place = rest.trim().chars().take(30).collect::<String>();
            node.error_with(format!("expected a comparison at `{place}`"), Some(SHAPE.into()))
        })?;
        comparisons.push(comparison);
        rest = after.trim_start();
        if rest.is_empty() {
            return Ok(comparisons);
        }
        rest = rest.strip_prefix("and ").ok_or_else(|| {
            let place = rest.chars().take(30).collect::<String>();
            node.error_with(format!("expected `and` or the end at `{place}`"), Some(SHAPE.into()))
        })?;
    }
}

fn comparison(text: &str) -> Option<(Comparison, &str)> {
    let text = text.trim_start();
    let (column, rest) = match text.strip_prefix('`') {
        Some(quoted) => quoted.split_once('`')?,
        None => text.split_at(text.find(|c: char| c.is_whitespace() || "=!<>`'\"".contains(c))?),
    };
    let rest = rest.trim_start();
    let (word, relation) = RELATIONS.iter().find(|(word, _)| rest.starts_with(word))?;
    let rest = rest[word.len()..].trim_start();
    let quote = rest.chars().next().filter(|c| *c == '\'' || *c == '"');
    let (literal, rest) = match quote {
        Some(quote) => {
            let (text, rest) = rest[1..].split_once(quote)?;
            (Literal::Text(text.to_owned()), rest)
        }
        None => {
            let (word, rest) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
            (word.parse().ok().filter(|v: &f64| v.is_finite()).map(Literal::Number)?, rest)
        }
    };
    let known = !column.is_empty();
    known.then(|| (Comparison { column: column.to_owned(), relation: *relation, literal }, rest))
}

impl Comparison {
    /// Whether a cell of text passes. Texts are compared as numbers with numbers, and as they stand with texts.
    pub(super) fn holds_for_text(&self, cell: &str) -> bool {
        match (&self.literal, cell.parse::<f64>()) {
            (Literal::Number(_), Ok(number)) => self.holds_for_number(number),
            (Literal::Number(_), Err(_)) => self.relation == Relation::Unequal,
            (Literal::Text(text), _) => self.passes(cell.cmp(text)),
        }
    }

    pub(super) fn holds_for_number(&self, cell: f64) -> bool {
        match &self.literal {
            Literal::Number(number) => cell.partial_cmp(number).is_some_and(|order| self.passes(order)),
            Literal::Text(_) => self.relation == Relation::Unequal,
        }
    }

    fn passes(&self, order: std::cmp::Ordering) -> bool {
        match self.relation {
            Relation::Equal => order.is_eq(),
            Relation::Unequal => order.is_ne(),
            Relation::Less => order.is_lt(),
            Relation::AtMost => order.is_le(),
            Relation::More => order.is_gt(),
            Relation::AtLeast => order.is_ge(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Option<Comparison> {
        comparison(text).filter(|(_, rest)| rest.is_empty()).map(|(comparison, _)| comparison)
    }

    #[test]
    fn comparisons_are_read() {
        let equal = one("label==1").unwrap();
        assert_eq!((equal.column.as_str(), equal.relation), ("label", Relation::Equal));
        assert!(equal.holds_for_text("1.0") && !equal.holds_for_text("2") && !equal.holds_for_text("one"));
        let text = one("`marital status` != 'Never married'").unwrap();
        assert_eq!(text.column, "marital status");
        assert!(text.holds_for_text("Divorced") && !text.holds_for_text("Never married"));
        let range = one(" age >= -4e1").unwrap();
        assert!(range.holds_for_number(-40.0) && !range.holds_for_number(-41.0));
        for bad in
            ["", "age", "age =", "age = 1", "== 1", "age == nan", "age == Male", "`age == 1", "age == 'x"]
        {
            assert_eq!(one(bad), None, "{bad}");
        }
    }
}
