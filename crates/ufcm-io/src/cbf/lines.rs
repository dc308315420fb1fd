//! The lines of a CBF file, word by word, each with its place.

use crate::error::{Fault, ReadError, quoted};
use crate::source::{Source, check_dimensions};

/// A word with its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    line: usize,
    column: usize,
}

/// The lines that have content.
pub(super) struct Lines<'a> {
    source: &'a Source,
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    last: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(source: &'a Source) -> Result<Self, ReadError> {
        Ok(Self { source, lines: source.text()?.lines().enumerate(), last: 0 })
    }

    /// The next line with content; comments begin with `#`.
    fn next(&mut self) -> Result<Option<(usize, &'a str)>, ReadError> {
        for (k, text) in self.lines.by_ref() {
            self.last = k + 1;
            self.source.ask(k + 1)?;
            let text = text.split('#').next().unwrap_or_default();
            if !text.trim().is_empty() {
                return Ok(Some((k + 1, text)));
            }
        }
        Ok(None)
    }

    /// The word that opens a section; nothing at the end of the file.
    pub(super) fn keyword(&mut self) -> Result<Option<Word<'a>>, ReadError> {
        let Some((line, text)) = self.next()? else { return Ok(None) };
        let mut words = words(line, text);
        let first = words.next();
        match words.next() {
            Some(more) => Err(self.expected("the end of the line", &more)),
            None => Ok(first),
        }
    }

    /// A line of so many words.
    pub(super) fn words<const N: usize>(&mut self) -> Result<[Word<'a>; N], ReadError> {
        let Some((line, text)) = self.next()? else {
            let fault = Fault::expected(format!("a line of {N}"), "the end of the file");
            return Err(self.source.error_at(Some(self.last + 1), None, fault));
        };
        let all: Vec<Word<'a>> = words(line, text).collect();
        let found = all.len();
        all.try_into().map_err(|all: Vec<Word<'a>>| {
            let place = all.get(N).or(all.last()).copied().unwrap_or(Word { text: "", line, column: 1 });
            self.error(&place, Fault::expected(format!("{N} on this line"), found.to_string()))
        })
    }

    /// A line with the number of lines that follow.
    pub(super) fn size(&mut self) -> Result<usize, ReadError> {
        let [word] = self.words()?;
        self.dimension(&word)
    }

    /// A count that a file of this length can have.
    pub(super) fn dimension(&self, word: &Word<'_>) -> Result<usize, ReadError> {
        let count = word.text.parse().map_err(|_| self.expected("a nonnegative integer", word))?;
        check_dimensions(self.source.bytes().len(), count, 0).map_err(|fault| self.error(word, fault))?;
        Ok(count)
    }

    /// An index below `limit`.
    pub(super) fn count(&self, word: &Word<'_>, limit: usize) -> Result<usize, ReadError> {
        let index: usize = word.text.parse().map_err(|_| self.expected("a nonnegative integer", word))?;
        if index < limit { Ok(index) } else { Err(self.expected(&format!("a number below {limit}"), word)) }
    }

    pub(super) fn number(&self, word: &Word<'_>) -> Result<f64, ReadError> {
        let value: Option<f64> = word.text.parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| self.expected("a finite number", word))
    }

    pub(super) fn expected(&self, what: &str, word: &Word<'_>) -> ReadError {
        self.error(word, Fault::expected(what, quoted(word.text)))
    }

    pub(super) fn error(&self, word: &Word<'_>, fault: Fault) -> ReadError {
        self.source.error_at(Some(word.line), Some(&format!("column {}", word.column)), fault)
    }
}

fn words(line: usize, text: &str) -> impl Iterator<Item = Word<'_>> {
    text.split_whitespace().map(move |word| {
        // Both are pieces of the same text.
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        Word { text: word, line, column: 1 + text[..at].chars().count() }
    })
}
