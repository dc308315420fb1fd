//! The values of a problem file, each with its place: what is asked for is read, what is left over is refused.

use super::error::{ProblemFileError, Text, list, suggestion};
use super::errors::joined;
use crate::nearest::nearest;
use std::cell::RefCell;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use ufcm::catalogue::{self, Field};

type Result<T> = std::result::Result<T, ProblemFileError>;

/// A value with its place and its path (`components.loss.data`).
#[derive(Clone)]
pub(super) struct Node<'a> {
    pub(super) text: Text<'a>,
    pub(super) path: String,
    pub(super) span: Range<usize>,
    value: &'a DeValue<'a>,
}

/// A table; it notes which keys were asked for, so that the others can be refused with the nearest of these.
pub(super) struct Section<'a> {
    pub(super) text: Text<'a>,
    pub(super) path: String,
    pub(super) span: Range<usize>,
    table: &'a DeTable<'a>,
    asked: RefCell<Vec<&'static str>>,
    /// Other spellings that were asked for; they are read, but not suggested.
    aliases: RefCell<Vec<&'static str>>,
}

impl<'a> Node<'a> {
    pub(super) fn error(&self, message: impl AsRef<str>) -> ProblemFileError {
        self.error_with(message, None)
    }

    pub(super) fn error_with(&self, message: impl AsRef<str>, help: Option<String>) -> ProblemFileError {
        self.text.error(self.span.clone(), format!("{}: {}", self.path, message.as_ref()), help)
    }

    fn expected<T>(&self, what: &str) -> Result<T> {
        Err(self.error(format!("expected {what}, found {}", self.described())))
    }

    pub(super) fn described(&self) -> String {
        match self.value {
            DeValue::String(text) => format!("the text \"{}\"", text.chars().take(40).collect::<String>()),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(_) => "a date".into(),
            DeValue::Array(items) => format!("an array of {}", items.len()),
            DeValue::Table(_) => "a table".into(),
        }
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self.value, DeValue::Integer(_) | DeValue::Float(_))
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.value, DeValue::Table(_))
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    pub(super) fn is_array_of_numbers(&self) -> bool {
        let DeValue::Array(items) = self.value else { return false };
        let is_number =
            |item: &Spanned<DeValue<'_>>| matches!(item.get_ref(), DeValue::Integer(_) | DeValue::Float(_));
        !items.is_empty() && items.iter().all(is_number)
    }

    pub(super) fn text(&self) -> Result<&'a str> {
        match self.value {
            DeValue::String(text) => Ok(text),
            _ => self.expected("a text"),
        }
    }

    /// A number, possibly infinite (`inf`, `-inf`), never NaN.
    pub(super) fn number_or_infinity(&self) -> Result<f64> {
        let parsed = match self.value {
            DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix()).ok().map(|n| n as f64),
            // A number beyond the range of f64 is no infinity.
            DeValue::Float(n) => {
                n.as_str().parse().ok().filter(|v: &f64| v.is_finite() || n.as_str().contains("inf"))
            }
            _ => None,
        };
        match parsed {
            Some(value) if !value.is_nan() => Ok(value),
            _ => self.expected("a number"),
        }
    }

    pub(super) fn number(&self) -> Result<f64> {
        let value = self.number_or_infinity()?;
        if value.is_finite() { Ok(value) } else { self.expected("a finite number") }
    }

    pub(super) fn count(&self) -> Result<usize> {
        match self.value {
            DeValue::Integer(n) => {
                let parsed = usize::from_str_radix(n.as_str(), n.radix());
                parsed.or_else(|_| self.expected("a nonnegative integer"))
            }
            _ => self.expected("a nonnegative integer"),
        }
    }

    pub(super) fn boolean(&self) -> Result<bool> {
        match self.value {
            DeValue::Boolean(value) => Ok(*value),
            _ => self.expected("true or false"),
        }
    }

    pub(super) fn items(&self) -> Result<Vec<Node<'a>>> {
        let DeValue::Array(items) = self.value else {
            let is_list = matches!(self.path.as_str(), "constraints" | "terms") && self.is_table();
            if is_list {
                let help = format!("write [[{}]], in two brackets: there may be several", self.path);
                return Err(self.error_with("expected an array, found a table", Some(help)));
            }
            return self.expected("an array");
        };
        let item = |(k, item): (usize, &'a Spanned<DeValue<'a>>)| Node {
            text: self.text,
            path: format!("{}[{k}]", self.path),
            span: item.span(),
            value: item.get_ref(),
        };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub(super) fn section(&self) -> Result<Section<'a>> {
        let DeValue::Table(table) = self.value else { return self.expected("a table") };
        Ok(Section {
            text: self.text,
            path: self.path.clone(),
            span: self.span.clone(),
            table,
            asked: RefCell::default(),
            aliases: RefCell::default(),
        })
    }

    /// One text, or an array of texts.
    pub(super) fn texts(&self) -> Result<Vec<Node<'a>>> {
        let items = match self.value {
            DeValue::String(_) => vec![self.clone()],
            DeValue::Array(_) => self.items()?,
            _ => return self.expected("a text or an array of texts"),
        };
        items.iter().try_for_each(|item| item.text().map(|_| ()))?;
        Ok(items)
    }

    /// The error for a word that is none of `known`.
    pub(super) fn unknown<'k>(
        &self,
        what: &str,
        known: impl IntoIterator<Item = &'k str> + Clone,
    ) -> ProblemFileError {
        let DeValue::String(word) = self.value else { return self.error(format!("expected a {what}")) };
        let word: String = word.chars().take(60).collect();
        let help = suggestion(&word, known, "there is");
        self.error_with(format!("unknown {what} \"{word}\""), Some(help))
    }
}

impl<'a> Section<'a> {
    /// A whole file.
    pub(super) fn root(text: Text<'a>, table: &'a DeTable<'a>) -> Self {
        let (asked, aliases) = (RefCell::default(), RefCell::default());
        Self { text, path: String::new(), span: 0..0, table, asked, aliases }
    }

    pub(super) fn error(&self, message: impl AsRef<str>) -> ProblemFileError {
        self.error_with(message, None)
    }

    pub(super) fn error_with(&self, message: impl AsRef<str>, help: Option<String>) -> ProblemFileError {
        let message = message.as_ref();
        let message = if self.path.is_empty() { message.into() } else { format!("{}: {message}", self.path) };
        self.text.error(self.span.clone(), message, help)
    }

    pub(super) fn get(&self, key: &'static str) -> Option<Node<'a>> {
        if !self.asked.borrow().contains(&key) {
            self.asked.borrow_mut().push(key);
        }
        self.entries().find(|(name, _)| name.get_ref() == key).map(|(_, node)| node)
    }

    /// A key that is not taken here, and is not to be suggested, where it is there nevertheless.
    pub(super) fn unlisted(&self, key: &str) -> Option<Node<'a>> {
        self.entries().find(|(name, _)| name.get_ref() == key).map(|(_, node)| node)
    }

    /// Another spelling of a key.
    pub(super) fn alias(&self, key: &'static str) -> Option<Node<'a>> {
        self.aliases.borrow_mut().push(key);
        self.entries().find(|(name, _)| name.get_ref() == key).map(|(_, node)| node)
    }

    /// A field of the catalogue under any of its spellings, but not under two.
    pub(super) fn field(&self, field: &Field) -> Result<Option<Node<'a>>> {
        let mut found = self.get(field.name);
        for spelling in field.spellings().skip(1) {
            match (&found, self.alias(spelling)) {
                (Some(_), Some(again)) => {
                    return Err(again.error(format!("`{}` is given twice", field.name)));
                }
                (None, node) => found = node,
                _ => {}
            }
        }
        Ok(found)
    }

    /// A key that must be there; if something like it is, that is what is wrong.
    pub(super) fn require(&self, key: &'static str) -> Result<Node<'a>> {
        if let Some(node) = self.get(key) {
            return Ok(node);
        }
        let unasked =
            |name: &str| !self.asked.borrow().contains(&name) && !self.aliases.borrow().contains(&name);
        let misspelt = self
            .entries()
            .find(|(name, _)| unasked(name.get_ref()) && nearest(name.get_ref(), [key]).is_some());
        if let Some((name, _)) = misspelt {
            return Err(self.unknown_key(name));
        }
        // What stands there instead may be meant: a key of another name, or of none that is known.
        let (left, help) = (self.others(), key_is_often(key));
        let stands = match &left[..] {
            [] => String::new(),
            [one] => format!("; `{one}` is none that this takes"),
            more => format!("; {} are none that this takes", list(more.iter().map(String::as_str))),
        };
        Err(self.error_with(format!("`{key}` is missing{stands}"), help.map(str::to_owned)))
    }

    /// The keys that are no word of problem files, of those that nobody asked for.
    fn others(&self) -> Vec<String> {
        let (asked, aliases) = (self.asked.borrow(), self.aliases.borrow());
        let known = |name: &str| asked.contains(&name) || aliases.contains(&name) || is_word(name);
        self.entries()
            .map(|(name, _)| name.get_ref().to_string())
            .filter(|name| !known(name))
            .take(5)
            .collect()
    }

    /// The entries, whatever their names; used where names are the user's.
    pub(super) fn named(&self) -> Vec<(String, Node<'a>)> {
        let mut entries: Vec<_> =
            self.entries().map(|(name, node)| (name.get_ref().to_string(), node)).collect();
        entries.sort_by_key(|(_, node)| node.span.start);
        entries
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.entries().any(|(name, _)| name.get_ref() == key)
    }

    /// Refuses the keys that nobody asked for.
    pub(super) fn finish(&self) -> Result<()> {
        let (asked, aliases) = (self.asked.borrow(), self.aliases.borrow());
        let is_known = |name: &str| asked.contains(&name) || aliases.contains(&name);
        let left = self.entries().filter(|(name, _)| !is_known(name.get_ref()));
        joined(left.map(|(name, _)| self.unknown_key(name)).collect())
    }

    fn unknown_key(&self, name: &Spanned<std::borrow::Cow<'a, str>>) -> ProblemFileError {
        let asked = self.asked.borrow();
        let word: String = name.get_ref().chars().take(60).collect();
        let may_be_meant = |key: &&str| !self.has(key) && !is_opposite(&word, key);
        let help = match nearest(&word, asked.iter().copied().filter(may_be_meant)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it takes: {}", list(asked.iter().copied())),
        };
        let place = if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) };
        self.text.error(name.span(), format!("{place}unknown key `{word}`"), Some(help))
    }

    fn entries(&self) -> impl Iterator<Item = (&'a Spanned<std::borrow::Cow<'a, str>>, Node<'a>)> {
        let (text, path) = (self.text, self.path.clone());
        self.table.iter().map(move |(name, value)| {
            let path = if path.is_empty() {
                name.get_ref().to_string()
            } else {
                format!("{path}.{}", name.get_ref())
            };
            // What a table says stands below its name: that is the place to show.
            let is_table = matches!(value.get_ref(), DeValue::Table(_));
            let span = if is_table { name.span() } else { value.span() };
            (name, Node { text, path, span, value: value.get_ref() })
        })
    }
}

/// Whether a key is one of problem files, in whatever section.
fn is_word(key: &str) -> bool {
    const OWN: [&str; 26] = [
        "kind",
        "data",
        "rows",
        "name",
        "of",
        "affine",
        "component",
        "components",
        "at_most",
        "at_least",
        "equals",
        "rows_at_most",
        "weights",
        "weight",
        "constant",
        "variables",
        "except",
        "centre",
        "center",
        "factor",
        "argument",
        "smoothness",
        "convexity",
        "label",
        "file",
        "groups",
    ];
    OWN.contains(&key)
        || catalogue::kinds()
            .any(|kind| kind.fields.iter().any(|field| field.spellings().any(|spelling| spelling == key)))
}

/// What is to be written under a key that is missing, where that is not plain.
fn key_is_often(key: &str) -> Option<&'static str> {
    match key {
        "at_most" => Some("at_most = 0.5 bounds a convex function from above"),
        "kind" => Some("`ufcm kinds` lists all kinds"),
        _ => None,
    }
}

/// Whether one word says the opposite of the other, so that it is never suggested for it, however alike they are.
fn is_opposite(word: &str, key: &str) -> bool {
    let word = word.to_lowercase().replace("maximize", "maximise").replace("minimize", "minimise");
    [("maximise", "minimise"), ("at_least", "at_most"), ("lower", "upper"), ("max", "min")]
        .iter()
        .any(|(a, b)| (word == *a && key == *b) || (word == *b && key == *a))
}
