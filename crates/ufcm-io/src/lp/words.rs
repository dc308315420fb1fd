//! The words of an LP file: numbers, names and signs, each with its line and column.

use crate::error::{Fault, ReadError, quoted};
use crate::source::Source;

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Name,
    Plus,
    Minus,
    Times,
    Power,
    Slash,
    Colon,
    /// `[`
    Open,
    /// `]`
    Close,
    AtMost,
    AtLeast,
    Equal,
    /// `->`, of an indicator.
    Arrow,
    End,
}

/// A word with its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) line: usize,
    column: usize,
    /// Whether nothing stands before it on its line.
    pub(super) is_first: bool,
    /// Whether a colon follows.
    pub(super) is_label: bool,
}

/// Characters besides letters and digits that names may have.
const SIGNS_IN_NAMES: &str = "!\"#$%&(),.;?@_'`{}~|";

/// The words of a file, one by one.
pub(super) struct Words<'a> {
    source: &'a Source,
    text: &'a str,
    at: usize,
    line: usize,
    line_start: usize,
    is_first: bool,
    next: Word<'a>,
}

impl<'a> Words<'a> {
    pub(super) fn new(source: &'a Source) -> Result<Self, ReadError> {
        let text = source.text()?;
        let none = Word { kind: Kind::End, text: "", line: 1, column: 1, is_first: true, is_label: false };
        let mut words = Self { source, text, at: 0, line: 1, line_start: 0, is_first: true, next: none };
        words.next = words.read()?;
        Ok(words)
    }

    /// The next word, which stays.
    pub(super) fn peek(&self) -> Word<'a> {
        self.next
    }

    /// Takes the next word.
    pub(super) fn take(&mut self) -> Result<Word<'a>, ReadError> {
        let after = self.read()?;
        Ok(std::mem::replace(&mut self.next, after))
    }

    /// Takes the next word if it is this one.
    pub(super) fn takes(&mut self, kind: Kind) -> Result<bool, ReadError> {
        let is_there = self.next.kind == kind;
        if is_there {
            self.take()?;
        }
        Ok(is_there)
    }

    pub(super) fn error(&self, word: &Word<'_>, fault: Fault) -> ReadError {
        self.source.error_at(Some(word.line), Some(&format!("column {}", word.column)), fault)
    }

    /// The error for a word where another thing should be.
    pub(super) fn expected(&self, what: &str, word: &Word<'_>) -> ReadError {
        let found = if word.kind == Kind::End { "the end of the file".into() } else { quoted(word.text) };
        self.error(word, Fault::expected(what, found))
    }

    /// Blanks, ends of lines and comments are left out.
    fn skip(&mut self) -> Result<(), ReadError> {
        while let Some(c) = self.text[self.at..].chars().next() {
            match c {
                '\n' => {
                    self.at += 1;
                    self.line += 1;
                    (self.line_start, self.is_first) = (self.at, true);
                    self.source.ask(self.line)?;
                }
                '\\' => self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at),
                c if c.is_whitespace() => self.at += c.len_utf8(),
                _ => break,
            }
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Word<'a>, ReadError> {
        self.skip()?;
        let rest = &self.text[self.at..];
        let column = 1 + self.text[self.line_start..self.at].chars().count();
        let place = Word {
            kind: Kind::End,
            text: "",
            line: self.line,
            column,
            is_first: self.is_first,
            is_label: false,
        };
        let Some(first) = rest.chars().next() else { return Ok(place) };
        let pair = rest.as_bytes().get(1).copied();
        let (kind, length) = match (first, pair) {
            ('-', Some(b'>')) => (Kind::Arrow, 2),
            ('<', Some(b'=')) | ('=', Some(b'<')) => (Kind::AtMost, 2),
            ('>', Some(b'=')) | ('=', Some(b'>')) => (Kind::AtLeast, 2),
            ('=', Some(b'=')) => (Kind::Equal, 2),
            ('<', _) => (Kind::AtMost, 1),
            ('>', _) => (Kind::AtLeast, 1),
            ('=', _) => (Kind::Equal, 1),
            ('+', _) => (Kind::Plus, 1),
            ('-', _) => (Kind::Minus, 1),
            ('*', _) => (Kind::Times, 1),
            ('^', _) => (Kind::Power, 1),
            ('/', _) => (Kind::Slash, 1),
            (':', _) => (Kind::Colon, 1),
            ('[', _) => (Kind::Open, 1),
            (']', _) => (Kind::Close, 1),
            (c, next) if c.is_ascii_digit() || (c == '.' && next.is_some_and(|b| b.is_ascii_digit())) => {
                let length = number_length(rest);
                let value = rest[..length].parse().ok().filter(|value: &f64| value.is_finite());
                let word = Word { text: &rest[..length], ..place };
                let fault = || Fault::expected("a finite number", quoted(word.text));
                (Kind::Number(value.ok_or_else(|| self.error(&word, fault()))?), length)
            }
            (c, _) if c.is_alphabetic() || SIGNS_IN_NAMES.contains(c) => (Kind::Name, name_length(rest)),
            (c, _) => {
                let word = Word { text: &rest[..c.len_utf8()], ..place };
                return Err(self.expected("a number, a name or a sign", &word));
            }
        };
        self.at += length;
        self.is_first = false;
        let is_label =
            kind == Kind::Name && self.text[self.at..].trim_start_matches([' ', '\t']).starts_with(':');
        Ok(Word { kind, text: &rest[..length], is_label, ..place })
    }
}

/// Digits, a point, and an exponent where digits follow it.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        match digits((end + 1 + sign).min(bytes.len())) {
            0 => {}
            more => end += 1 + sign + more,
        }
    }
    end
}

/// Letters, digits and signs; brackets around an index, as in `x[1,2]`.
fn name_length(text: &str) -> usize {
    let mut open = false;
    for (at, c) in text.char_indices() {
        match c {
            '[' if !open && at > 0 => open = true,
            ']' if open => open = false,
            c if c.is_alphanumeric() || SIGNS_IN_NAMES.contains(c) => {}
            _ => return at,
        }
    }
    text.len()
}
