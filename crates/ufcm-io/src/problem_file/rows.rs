//! Selections of rows: `label == 1 and (sex == 'Female' or age in (18, 19))`.

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

/// Comparisons, and how they are joined.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Selection {
    One(Comparison),
    All(Vec<Selection>),
    Any(Vec<Selection>),
    Not(Box<Selection>),
}

const SHAPE: &str = "rows = \"label == 1\", \"sex == 'Female' and age >= 40\", \"not (age < 18 or state in ('NY', 'CA'))\"; \
     names with blanks stand in `backticks`";

/// How deep parentheses and `not` may be nested.
const DEEPEST: usize = 50;

/// Comparisons joined by `and`, `or`, `not` and parentheses; `and` binds closer than `or`.
pub(super) fn parse(node: &Node<'_>) -> Result<Selection> {
    let text = node.text()?;
    let mut reader = Reader { rest: text };
    let read = reader.any(0).and_then(|selection| match reader.rest.trim_start() {
        "" => Ok(selection),
        _ => Err("`and`, `or` or the end"),
    });
    read.map_err(|expected| {
        let place = reader.rest.trim().chars().take(30).collect::<String>();
        node.error_with(format!("expected {expected} at `{place}`"), Some(SHAPE.into()))
    })
}

/// What is left to read. Errors are what was expected there.
struct Reader<'t> {
    rest: &'t str,
}

type Read<T> = std::result::Result<T, &'static str>;

impl<'t> Reader<'t> {
    fn any(&mut self, depth: usize) -> Read<Selection> {
        let mut parts = vec![self.all(depth)?];
        while self.word("or") {
            parts.push(self.all(depth)?);
        }
        Ok(joined(parts, Selection::Any))
    }

    fn all(&mut self, depth: usize) -> Read<Selection> {
        let mut parts = vec![self.one(depth)?];
        while self.word("and") {
            parts.push(self.one(depth)?);
        }
        Ok(joined(parts, Selection::All))
    }

    fn one(&mut self, depth: usize) -> Read<Selection> {
        if depth > DEEPEST {
            return Err("fewer parentheses");
        }
        if self.word("not") {
            return Ok(Selection::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.sign("(") {
            let inner = self.any(depth + 1)?;
            return if self.sign(")") { Ok(inner) } else { Err("`)`") };
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Read<Selection> {
        let before = self.rest;
        let column = self.column().ok_or("a comparison")?.to_owned();
        let one =
            |relation, literal| Selection::One(Comparison { column: column.clone(), relation, literal });
        let negated = self.word("not");
        if self.word("in") {
            let among: Vec<Selection> =
                self.list()?.into_iter().map(|literal| one(Relation::Equal, literal)).collect();
            let among = joined(among, Selection::Any);
            return Ok(if negated { Selection::Not(Box::new(among)) } else { among });
        }
        let Some((_, relation)) = RELATIONS.iter().find(|(word, _)| self.sign(word)).filter(|_| !negated)
        else {
            if self.rest.trim_start().starts_with('=') {
                return Err("`==` for equality");
            }
            self.rest = before;
            return Err("a comparison");
        };
        let literal = self.literal().ok_or("a number or a text in 'quotes'")?;
        Ok(one(*relation, literal))
    }

    /// `('a', 'b')` or `[1, 2]`.
    fn list(&mut self) -> Read<Vec<Literal>> {
        let end = if self.sign("(") {
            ")"
        } else if self.sign("[") {
            "]"
        } else {
            return Err("a list such as ('a', 'b')");
        };
        let mut list = vec![self.literal().ok_or("a number or a 'text'")?];
        while self.sign(",") {
            list.push(self.literal().ok_or("a number or a 'text'")?);
        }
        if self.sign(end) { Ok(list) } else { Err("`,` or the end of the list") }
    }

    fn column(&mut self) -> Option<&'t str> {
        let text = self.rest.trim_start();
        let (column, rest) = match text.strip_prefix('`') {
            Some(quoted) => quoted.split_once('`')?,
            None => text.split_at(text.find(|c: char| c.is_whitespace() || "=!<>`'\"()[],".contains(c))?),
        };
        (!column.is_empty()).then(|| {
            self.rest = rest;
            column
        })
    }

    fn literal(&mut self) -> Option<Literal> {
        let text = self.rest.trim_start();
        let quote = text.chars().next().filter(|c| *c == '\'' || *c == '"');
        let (literal, rest) = match quote {
            Some(quote) => {
                let (text, rest) = text[1..].split_once(quote)?;
                (Literal::Text(text.to_owned()), rest)
            }
            None => {
                let end = text.find(|c: char| c.is_whitespace() || "()[],".contains(c)).unwrap_or(text.len());
                let (word, rest) = text.split_at(end);
                (word.parse().ok().filter(|v: &f64| v.is_finite()).map(Literal::Number)?, rest)
            }
        };
        self.rest = rest;
        Some(literal)
    }

    /// Takes a word, which ends where letters end.
    fn word(&mut self, word: &str) -> bool {
        let Some(rest) = self.rest.trim_start().strip_prefix(word) else { return false };
        let ends = rest.chars().next().is_none_or(|c| c.is_whitespace() || "()[]`".contains(c));
        // A column of this name is compared with something.
        let compared = RELATIONS.iter().any(|(sign, _)| rest.trim_start().starts_with(sign));
        if ends && !compared {
            self.rest = rest;
        }
        ends && !compared
    }

    fn sign(&mut self, sign: &str) -> bool {
        let taken = self.rest.trim_start().strip_prefix(sign);
        self.rest = taken.unwrap_or(self.rest);
        taken.is_some()
    }
}

/// A single part is itself.
fn joined(mut parts: Vec<Selection>, join: impl FnOnce(Vec<Selection>) -> Selection) -> Selection {
    if parts.len() == 1 { parts.remove(0) } else { join(parts) }
}

impl Selection {
    /// Which of `rows` rows it takes, where `holds` says so of one comparison.
    pub(super) fn rows(
        &self,
        rows: usize,
        holds: &impl Fn(&Comparison) -> Result<Vec<bool>>,
    ) -> Result<Vec<bool>> {
        let combined = |parts: &[Self], all: bool| {
            let mut kept = vec![all; rows];
            for part in parts {
                let own = part.rows(rows, holds)?;
                kept.iter_mut()
                    .zip(own)
                    .for_each(|(kept, own)| *kept = if all { *kept && own } else { *kept || own });
            }
            Ok(kept)
        };
        match self {
            Self::One(comparison) => holds(comparison),
            Self::All(parts) => combined(parts, true),
            Self::Any(parts) => combined(parts, false),
            Self::Not(inner) => Ok(inner.rows(rows, holds)?.into_iter().map(|kept| !kept).collect()),
        }
    }
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

    fn read(text: &str) -> Option<Selection> {
        let mut reader = Reader { rest: text };
        reader.any(0).ok().filter(|_| reader.rest.trim().is_empty())
    }

    fn one(text: &str) -> Option<Comparison> {
        match read(text)? {
            Selection::One(comparison) => Some(comparison),
            _ => None,
        }
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
        for bad in [
            "",
            "age",
            "age =",
            "age = 1",
            "== 1",
            "age == nan",
            "age == Male",
            "`age == 1",
            "age == 'x",
            "a == 1 and",
            "(a == 1",
            "a == 1)",
            "a in ()",
            "a in (1",
            "a in 1",
            "not",
            "a not 1",
            "a == 1 b == 2",
            "a not == 1",
        ] {
            assert_eq!(one(bad), None, "{bad}");
            assert_eq!(read(bad), None, "{bad}");
        }
        let deep = format!("{}a == 1{}", "(".repeat(1000), ")".repeat(1000));
        assert_eq!(read(&deep), None);
    }

    /// All sixteen rows of four columns of 0 and 1, against the same in Rust.
    #[test]
    fn words_join_comparisons_as_in_other_languages() {
        let cell = |row: usize, column: &str| row >> (column.as_bytes()[0] - b'a') & 1;
        type Truth = fn(bool, bool, bool, bool) -> bool;
        let cases: [(&str, Truth); 8] = [
            ("a == 1 and b == 1 or c == 1", |a, b, c, _| a && b || c),
            ("a == 1 or b == 1 and c == 1", |a, b, c, _| a || b && c),
            ("(a == 1 or b == 1) and c == 1", |a, b, c, _| (a || b) && c),
            ("not a == 1 and d == 0", |a, _, _, d| !a && !d),
            ("not(a == 1 or not(b == 1))", |a, b, _, _| !a && b),
            ("a in (1, 2) and b not in [0]", |a, b, _, _| a && b),
            ("a==1and b==1", |_, _, _, _| false),
            ("(((a == 1)))", |a, _, _, _| a),
        ];
        for (text, truth) in cases {
            let Some(selection) = read(text) else {
                assert_eq!(text, "a==1and b==1");
                continue;
            };
            let holds = |comparison: &Comparison| {
                Ok((0..16)
                    .map(|row| comparison.holds_for_number(cell(row, &comparison.column) as f64))
                    .collect())
            };
            let expected: Vec<bool> = (0..16)
                .map(|row| {
                    let [a, b, c, d] = ["a", "b", "c", "d"].map(|column| cell(row, column) == 1);
                    truth(a, b, c, d)
                })
                .collect();
            assert_eq!(selection.rows(16, &holds).unwrap(), expected, "{text}");
        }
    }
}
