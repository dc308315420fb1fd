//! Where bytes come from: a file, or a part of one, of which lines are counted from its beginning.

use crate::error::{Fault, Place, ReadError};
use crate::packed;
use std::io::Read;
use std::path::{Path, PathBuf};
use ufcm::budget::Budget;

/// Bytes that are read at once where lines are counted.
const CHUNK: usize = 1 << 16;

/// A file, or the part of it from some byte on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    name: String,
    before: Before,
}

/// What of the file comes before.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Before {
    /// So many lines.
    Lines(usize),
    /// So many unpacked bytes; their lines are counted when an error asks for them.
    Bytes(PathBuf, u64),
}

impl Origin {
    /// A file from its beginning.
    pub(crate) fn whole(name: impl Into<String>) -> Self {
        Self { name: name.into(), before: Before::Lines(0) }
    }

    /// A file from byte `start` on.
    pub(crate) fn from_byte(path: &Path, start: u64) -> Self {
        Self { name: path.display().to_string(), before: Before::Bytes(path.to_owned(), start) }
    }

    /// The same file after `lines` more lines.
    pub(crate) fn after(&self, lines: usize) -> Self {
        let before = self.lines_before().unwrap_or(0);
        Self { name: self.name.clone(), before: Before::Lines(before + lines) }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// An error at a line that is counted from where the part begins.
    pub(crate) fn error(&self, line: Option<usize>, field: Option<String>, fault: Fault) -> ReadError {
        let line = line.and_then(|line| Some(line + self.lines_before()?));
        ReadError { place: Place { file: self.name.clone(), line, field }, fault: Box::new(fault) }
    }

    /// Nothing where the file cannot be read any more.
    fn lines_before(&self) -> Option<usize> {
        match &self.before {
            Before::Lines(lines) => Some(*lines),
            Before::Bytes(path, bytes) => {
                let budget = Budget::unlimited();
                count_lines(packed::open(path, &budget).ok()?.take(*bytes))
            }
        }
    }
}

fn count_lines(mut reader: impl Read) -> Option<usize> {
    let (mut chunk, mut lines) = (vec![0; CHUNK], 0);
    loop {
        match reader.read(&mut chunk).ok()? {
            0 => return Some(lines),
            length => lines += chunk[..length].iter().filter(|byte| **byte == b'\n').count(),
        }
    }
}
