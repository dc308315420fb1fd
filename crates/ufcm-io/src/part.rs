//! Parts of text files: a line, or a record of a table, belongs to the part in which its first byte is. So parts that cover a file hold each of
//! its lines once, and none is cut.

use crate::error::{Fault, ReadError};
use crate::origin::Origin;
use crate::packed::{self, Bytes};
use crate::scan::Lines;
use crate::source::{Source, read_at_most, unpacked_limit, unpacks_too_far};
use std::io::{BufReader, Cursor, Read, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use ufcm::budget::Budget;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 20;

/// A text file of which parts can be read.
pub(crate) enum Text {
    /// Read where it is asked for; a packed file is unpacked up to there, and not kept.
    File { path: PathBuf, length: u64, budget: Budget },
    /// Held in memory.
    Held(Source),
}

impl Text {
    /// A file of which `parts` are wanted, or else all.
    pub(crate) fn open(path: &Path, parts: bool, budget: &Budget) -> Result<Self, ReadError> {
        let failed =
            |error| Origin::whole(path.display().to_string()).error(None, None, Fault::of_reading(error));
        let kind = std::fs::metadata(path).map_err(failed)?;
        let packed = kind.is_file() && packed::is_packed(path).map_err(failed)?;
        if !kind.is_file() || packed && !parts {
            return Source::open_within(path, budget).map(Self::Held);
        }
        let (path, budget) = (path.to_owned(), budget.clone());
        if !packed {
            return Ok(Self::File { path, length: kind.len(), budget });
        }
        let limit = unpacked_limit(usize::try_from(kind.len()).unwrap_or(usize::MAX));
        let count = || packed::pass(packed::open(&path, &budget)?, limit.saturating_add(1), &budget);
        let length = count().map_err(failed)?;
        if length > limit {
            let name = path.display().to_string();
            return Err(Origin::whole(name).error(None, None, unpacks_too_far(length, limit)));
        }
        Ok(Self::File { path, length, budget })
    }

    /// The unpacked bytes.
    pub(crate) fn length(&self) -> u64 {
        match self {
            Self::File { length, .. } => *length,
            Self::Held(source) => source.bytes().len() as u64,
        }
    }

    pub(crate) fn reader(&self) -> std::io::Result<Box<dyn Bytes + '_>> {
        match self {
            Self::File { path, budget, .. } => packed::open(path, budget),
            Self::Held(source) => Ok(Box::new(Cursor::new(source.bytes()))),
        }
    }

    /// An error of the whole file.
    pub(crate) fn error(&self, fault: Fault) -> ReadError {
        match self {
            Self::File { path, .. } => Origin::whole(path.display().to_string()).error(None, None, fault),
            Self::Held(source) => source.error(None, fault),
        }
    }

    fn told<T>(&self, result: std::io::Result<T>) -> Result<T, ReadError> {
        result.map_err(|error| self.error(Fault::of_reading(error)))
    }

    /// All lines, one after the other.
    pub(crate) fn scan(&self) -> Result<Lines<'_>, ReadError> {
        match self {
            Self::Held(source) => Ok(source.scan()),
            Self::File { path, length, budget } => {
                let reader = BufReader::with_capacity(CHUNK, self.told(self.reader())?);
                let length = usize::try_from(*length).unwrap_or(usize::MAX);
                let origin = Origin::whole(path.display().to_string());
                Ok(Lines::new(origin, length, Box::new(reader), budget))
            }
        }
    }

    /// The lines that begin in `part`.
    pub(crate) fn lines(&self, part: &Range<u64>) -> Result<Range<u64>, ReadError> {
        let bounds = || {
            let mut reader = self.reader()?;
            let mut start = |at: u64| line_start(&mut *reader, at, self.length());
            Ok(start(part.start)?..start(part.end)?)
        };
        self.told(bounds())
    }

    /// The records of a table that begin in `part`, wherever in a line: found by reading from the beginning on.
    pub(crate) fn records(&self, part: &Range<u64>, delimiter: u8) -> Result<Range<u64>, ReadError> {
        let bounds = || {
            let reader = BufReader::with_capacity(CHUNK, self.reader()?);
            let mut reader = csv::ReaderBuilder::new()
                .delimiter(delimiter)
                .has_headers(false)
                .flexible(true)
                .from_reader(reader);
            let (mut record, mut bounds) = (csv::ByteRecord::new(), [self.length(); 2]);
            while reader.read_byte_record(&mut record)? {
                let at = record.position().map_or(0, csv::Position::byte);
                for (bound, least) in bounds.iter_mut().zip([part.start, part.end]) {
                    if at >= least {
                        *bound = at.min(*bound);
                    }
                }
                if bounds[1] < self.length() {
                    break;
                }
            }
            Ok(if part.start == 0 { 0 } else { bounds[0] }..if part.end == 0 { 0 } else { bounds[1] })
        };
        self.told(bounds())
    }

    /// Whether a byte stands in these.
    pub(crate) fn contains(&self, byte: u8, part: &Range<u64>) -> Result<bool, ReadError> {
        let look = || {
            let mut reader = self.reader()?;
            reader.seek(SeekFrom::Start(part.start))?;
            let (mut reader, mut chunk) = (reader.take(part.end - part.start), vec![0; CHUNK]);
            loop {
                match reader.read(&mut chunk)? {
                    0 => return Ok(false),
                    length if chunk[..length].contains(&byte) => return Ok(true),
                    _ => {}
                }
            }
        };
        self.told(look())
    }

    /// The first record of a table.
    pub(crate) fn header(&self, delimiter: u8) -> Result<Vec<String>, ReadError> {
        let first = || {
            let mut reader = csv::ReaderBuilder::new();
            reader.delimiter(delimiter).has_headers(false).trim(csv::Trim::All);
            let mut records = reader.from_reader(self.reader()?).into_records();
            Ok(records.next().transpose()?.map(|record| record.iter().map(str::to_owned).collect()))
        };
        let first: Option<Vec<String>> = self.told(first())?;
        let nothing = || std::io::Error::other("expected at least one line, found none");
        self.told(first.ok_or_else(nothing))
    }

    /// These bytes, which begin and end with lines.
    pub(crate) fn source(&self, part: &Range<u64>) -> Result<Source, ReadError> {
        match self {
            Self::File { path, budget, .. } => {
                let origin = Origin::from_byte(path, part.start);
                let read = || {
                    let mut reader = self.reader().map_err(Fault::of_reading)?;
                    reader.seek(SeekFrom::Start(part.start)).map_err(Fault::of_reading)?;
                    let length = part.end - part.start;
                    read_at_most(reader.take(length), length, budget)
                };
                let bytes = read().map_err(|fault| origin.error(None, None, fault))?;
                Ok(Source::of_part(origin, bytes, budget))
            }
            Self::Held(source) => {
                let [start, end] = [part.start, part.end].map(|at| at as usize);
                let lines = source.bytes()[..start].iter().filter(|byte| **byte == b'\n').count();
                let bytes = source.bytes()[start..end].to_vec();
                Ok(Source::of_part(source.origin().after(lines), bytes, source.budget()))
            }
        }
    }
}

/// Where the first line begins that begins at byte `at` or later.
fn line_start(reader: &mut dyn Bytes, at: u64, end: u64) -> std::io::Result<u64> {
    if at == 0 || at >= end {
        return Ok(at.min(end));
    }
    let (mut here, mut chunk) = (at - 1, vec![0; 1 << 12]);
    reader.seek(SeekFrom::Start(here))?;
    loop {
        let length = reader.read(&mut chunk)?;
        if length == 0 {
            return Ok(end);
        }
        if let Some(k) = chunk[..length].iter().position(|byte| *byte == b'\n') {
            return Ok((here + k as u64 + 1).min(end));
        }
        here += length as u64;
    }
}

/// The part of each of several files, with these lengths, that rank `rank` of `size` has: equal parts of all their bytes, or rows.
pub(crate) fn shares(lengths: &[u64], rank: usize, size: usize) -> Vec<Range<u64>> {
    let total: u64 = lengths.iter().sum();
    // In 128 bits the product cannot overflow.
    let first = |rank: usize| (u128::from(total) * rank as u128 / size as u128) as u64;
    let (own, mut before) = (first(rank)..first(rank + 1), 0);
    let mut share = |length: &u64| {
        let [start, end] = [own.start, own.end].map(|at| at.saturating_sub(before).min(*length));
        before += length;
        start..end
    };
    lengths.iter().map(&mut share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &str) -> Text {
        Text::Held(Source::from_bytes("t", content.into()).unwrap())
    }

    #[test]
    fn every_line_is_in_one_part() {
        let content = "one\ntwo\n\nthree, longer\nfour";
        let (text, length) = (text(content), content.len() as u64);
        for size in 1..40 {
            let parts: Vec<String> = (0..size)
                .map(|rank| {
                    let part = text.lines(&shares(&[length], rank, size)[0]).unwrap();
                    String::from_utf8(text.source(&part).unwrap().bytes().to_vec()).unwrap()
                })
                .collect();
            assert_eq!(parts.concat(), content);
            assert!(
                parts.iter().all(|part| part.is_empty() || part.ends_with('\n') || part.ends_with("four"))
            );
        }
    }

    #[test]
    fn every_record_is_in_one_part_however_it_is_quoted() {
        let content = "a,b\n1,\"two\nlines\"\n2,\"x\"\"y\n\n\"\n3,z\n";
        let (text, length) = (text(content), content.len() as u64);
        for size in 1..30 {
            let parts: Vec<Range<u64>> = (0..size)
                .map(|rank| text.records(&shares(&[length], rank, size)[0], b',').unwrap())
                .collect();
            let joined: String =
                parts.iter().map(|part| &content[part.start as usize..part.end as usize]).collect();
            assert_eq!(joined, content, "{size}: {parts:?}");
            for part in parts.iter().filter(|part| !part.is_empty()) {
                let start = content[part.start as usize..].trim_start_matches('\n').chars().next().unwrap();
                assert!("a123".contains(start), "{size}: {parts:?}");
            }
        }
    }

    #[test]
    fn files_one_after_the_other_are_shared_as_one() {
        assert_eq!(shares(&[10, 0, 6], 0, 2), [0..8, 0..0, 0..0]);
        assert_eq!(shares(&[10, 0, 6], 1, 2), [8..10, 0..0, 0..6]);
        assert_eq!(shares(&[1, 0], 1, 3), [0..0, 0..0]);
    }
}
