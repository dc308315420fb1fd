//! What is wrong with a problem file, and where: the line is shown, with a mark under the place.

use crate::nearest::nearest;
use std::fmt;
use std::ops::Range;

/// The text of a problem file with its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
}

/// A problem file that states no problem.
///
/// ```
/// use ufcm_io::paths::Base;
/// use ufcm_io::{Source, problem_file};
///
/// let source = Source::from_bytes("p.toml", b"[domain]\nkind = \"bal\"\n".to_vec())?;
/// let error = problem_file::read(&source, &Base::new(".")).unwrap_err();
/// assert_eq!((error.line, error.column), (2, 8));
/// assert_eq!(error.message, "domain.kind: unknown kind \"bal\"");
/// assert_eq!(error.help.as_deref(), Some("did you mean \"ball\"?"));
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemFileError {
    /// The file's name, as it was given.
    pub file: Box<str>,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters.
    pub column: usize,
    /// That line.
    pub text: Box<str>,
    /// How many characters of it are meant; at least 1.
    pub width: usize,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<Box<str>>,
    /// What else is wrong with the file, in its order; 19 at most.
    pub others: Box<[ProblemFileError]>,
    /// How many more there are.
    pub left_out: u32,
    /// Whether it follows from another fault alone.
    implied: bool,
}

impl std::error::Error for ProblemFileError {}

impl ProblemFileError {
    /// The same, as what follows from another fault alone.
    pub(super) fn implied(self) -> Self {
        Self { implied: true, ..self }
    }

    pub(super) fn is_implied(&self) -> bool {
        self.implied
    }

    pub(super) fn with_others(self, others: Vec<Self>, left_out: usize) -> Self {
        let left_out = u32::try_from(left_out).unwrap_or(u32::MAX);
        Self { others: others.into(), left_out, ..self }
    }

    /// Each error by itself, this one first.
    pub(super) fn each(mut self) -> impl Iterator<Item = Self> {
        let others = std::mem::take(&mut self.others);
        std::iter::once(self).chain(others)
    }
}

impl fmt::Display for ProblemFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, text, width, message, help, others, left_out, .. } = self;
        let margin = " ".repeat(line.to_string().len());
        writeln!(f, "{message}")?;
        writeln!(f, "{margin}--> {file}:{line}:{column}")?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{line} | {text}")?;
        write!(f, "{margin} | {}{}", " ".repeat(column - 1), "^".repeat(*width))?;
        if let Some(help) = help {
            write!(f, "\n{margin} = help: {help}")?;
        }
        others.iter().try_for_each(|other| write!(f, "\n\nerror: {other}"))?;
        if *left_out > 0 {
            write!(f, "\n\n... and {left_out} more")?;
        }
        Ok(())
    }
}

/// Lines longer than this are shown from near the place on.
const LONGEST_LINE: usize = 100;
/// How much of a long line is shown before the place.
const BEFORE: usize = 40;

impl<'a> Text<'a> {
    /// An error at a range of bytes of the text.
    pub(super) fn error(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> ProblemFileError {
        let at = floor_boundary(self.text, span.start);
        let before = &self.text[..at];
        let line = 1 + before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let whole = self.text[start..].lines().next().unwrap_or_default();
        let column = self.text[start..at].chars().count();
        let end = floor_boundary(self.text, span.end.clamp(at, start + whole.len().max(at - start)));
        let width = self.text[at..end].chars().count().max(1);
        // A tab would put the mark in the wrong place.
        let mut text: String = whole.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut shown = column;
        if text.chars().count() > LONGEST_LINE {
            let skipped = column.saturating_sub(BEFORE);
            text = text.chars().skip(skipped).take(LONGEST_LINE).collect();
            shown -= skipped;
        }
        let width = width.min(text.chars().count().saturating_sub(shown).max(1));
        ProblemFileError {
            file: self.name.into(),
            line,
            column: shown + 1,
            text: text.into(),
            width,
            message: message.into(),
            help: help.map(String::into_boxed_str),
            others: Box::default(),
            left_out: 0,
            implied: false,
        }
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&k| text.is_char_boundary(k)).unwrap_or(0)
}

/// "did you mean ...?", or all there is.
pub(super) fn suggestion<'k>(
    name: &str,
    known: impl IntoIterator<Item = &'k str> + Clone,
    otherwise: &str,
) -> String {
    match nearest(name, known.clone()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None if known.clone().into_iter().next().is_none() => "the file has none".into(),
        None => format!("{otherwise}: {}", list(known)),
    }
}

/// Names after each other; many are cut.
pub(super) fn list<'k>(names: impl IntoIterator<Item = &'k str>) -> String {
    const SHOWN: usize = 30;
    let names: Vec<&str> = names.into_iter().collect();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    if names.is_empty() {
        "none".into()
    } else {
        format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_marked() {
        let text = Text { name: "p.toml", text: "a = 1\nnamé = \"x\"\n" };
        let at = text.text.find("\"x\"").unwrap();
        let error = text.error(at..at + 3, "wrong", Some("right".into()));
        assert_eq!(
            error.to_string(),
            "wrong\n --> p.toml:2:8\n  |\n2 | namé = \"x\"\n  |        ^^^\n  = help: right"
        );
    }

    #[test]
    fn any_range_is_shown_without_panic() {
        let long = format!("é{}\n\tx\n", "y".repeat(500));
        let text = Text { name: "p", text: &long };
        for start in 0..long.len() + 3 {
            for width in [0, 1, 7, 1000] {
                let error = text.error(start..start + width, "m", None);
                assert!(error.text.chars().count() <= LONGEST_LINE && error.width >= 1);
                assert!(error.column <= error.text.chars().count() + 1, "{error}");
            }
        }
        assert_eq!(Text { name: "p", text: "" }.error(0..0, "m", None).line, 1);
    }
}
