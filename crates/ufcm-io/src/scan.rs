//! The lines of a text, one after the other: none is kept, so that a file may be longer than memory.

use crate::error::{Fault, ReadError};
use crate::origin::Origin;
use crate::source::{LINES, Line};
use std::io::BufRead;
use ufcm::budget::Budget;

/// A text of which one line is held.
pub(crate) struct Lines<'a> {
    origin: Origin,
    /// The bytes of the whole text.
    length: usize,
    reader: Box<dyn BufRead + 'a>,
    budget: &'a Budget,
    number: usize,
    line: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(
        origin: Origin,
        length: usize,
        reader: Box<dyn BufRead + 'a>,
        budget: &'a Budget,
    ) -> Self {
        Self { origin, length, reader, budget, number: 0, line: Vec::new() }
    }

    /// Goes to the next line, unless there is none.
    pub(crate) fn advance(&mut self) -> Result<bool, ReadError> {
        self.number += 1;
        if self.number.is_multiple_of(LINES) {
            let stopped = |stop| self.origin.error(Some(self.number), None, Fault::Stopped(stop));
            self.budget.ask().map_err(stopped)?;
        }
        self.line.clear();
        let read = self.reader.read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| self.error(Fault::of_reading(error)))?;
        if self.line.pop_if(|last| *last == b'\n').is_some() {
            self.line.pop_if(|last| *last == b'\r');
        }
        if let Err(error) = std::str::from_utf8(&self.line) {
            let found = format!("the byte 0x{:02x}", self.line[error.valid_up_to()]);
            return Err(self.origin.error(Some(self.number), None, Fault::expected("UTF-8 text", found)));
        }
        Ok(read > 0)
    }

    /// The line where it is, without its end.
    pub(crate) fn line(&self) -> Line<'_> {
        let text = std::str::from_utf8(&self.line).unwrap_or_default();
        Line { origin: &self.origin, length: self.length, number: self.number, text }
    }

    /// An error of the whole text.
    pub(crate) fn error(&self, fault: Fault) -> ReadError {
        self.origin.error(None, None, fault)
    }
}

#[cfg(test)]
mod tests {
    use crate::Source;

    #[test]
    fn lines_are_those_of_the_text() {
        for text in ["", "a", "a\n", "a\r\nb\n\n c \r", "\n\n", "ä\r\r\n1"] {
            let source = Source::from_bytes("t", text.into()).unwrap();
            let (mut lines, mut seen) = (source.scan(), Vec::new());
            while lines.advance().unwrap() {
                seen.push((lines.line().number, lines.line().text.to_owned()));
            }
            let expected: Vec<(usize, String)> =
                text.lines().enumerate().map(|(k, line)| (k + 1, line.to_owned())).collect();
            assert_eq!(seen, expected, "{text:?}");
        }
        let source = Source::from_bytes("t", b"one\ntwo \xff\n".to_vec()).unwrap();
        let mut lines = source.scan();
        assert!(lines.advance().unwrap());
        let error = lines.advance().unwrap_err().to_string();
        assert_eq!(error, "t, line 2: expected UTF-8 text, found the byte 0xff");
    }
}
