//! A file in memory, unpacked where it was compressed, with the limits on what it may unfold to.

use crate::error::{Fault, ReadError, quoted};
use crate::origin::Origin;
use crate::scan::Lines;
use crate::stream::{read_file, read_stdin};
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::path::Path;
use ufcm::budget::Budget;

/// Compressed data may unfold to this multiple of their size, or to [`UNPACKED_FLOOR`] if that is more.
pub const UNPACKED_RATIO: u64 = 200;
/// What any compressed file may unfold to: 64 MiB.
pub const UNPACKED_FLOOR: u64 = 64 << 20;
/// A sparse matrix may have a row or a column for each byte of its file, and this many besides.
pub const DIMENSION_FLOOR: usize = 1 << 20;
/// No reader holds more than this multiple of its unpacked source at any time, besides [`MEMORY_FLOOR`].
pub const MEMORY_RATIO: usize = 128;
/// What any reader may hold: 64 MiB, for the dimensions that [`DIMENSION_FLOOR`] allows.
pub const MEMORY_FLOOR: usize = 64 << 20;

/// The first two bytes of a gzip file.
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The bytes of a file with its name, unpacked if they were gzipped; what every reader takes.
///
/// A gzipped file may unfold to [`UNPACKED_RATIO`] times its size, or to [`UNPACKED_FLOOR`]; beyond that it is
/// refused while it is being unpacked.
///
/// ```
/// use ufcm_io::Source;
///
/// let source = Source::from_bytes("inline", b"some text".to_vec())?;
/// assert_eq!(source.text()?, "some text");
/// assert!(Source::open("no/such/file").unwrap_err().to_string().starts_with("no/such/file: "));
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Source {
    origin: Origin,
    bytes: Vec<u8>,
    budget: Budget,
}

/// Bytes that are read, and lines that are parsed, between two questions to the budget.
const CHUNK: usize = 1 << 20;
pub(crate) const LINES: usize = 1 << 12;

impl Source {
    /// Reads a file or a pipe, unpacking it if it is gzipped (by its content, not its name). Folders, devices and sockets are
    /// refused, and pipes that bring more than [`PIPE_LIMIT`](crate::PIPE_LIMIT).
    ///
    /// # Errors
    /// A file that cannot be read or unpacked, or that unfolds to too much.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Self::open_within(path, &Budget::unlimited())
    }

    /// As [`Source::open`], as long as the budget allows: reading, waiting for a pipe, unpacking and parsing lines ask it.
    ///
    /// # Errors
    /// As [`Source::open`], and the budget.
    pub fn open_within(path: impl AsRef<Path>, budget: &Budget) -> Result<Self, ReadError> {
        let origin = Origin::whole(path.as_ref().display().to_string());
        match read_file(path.as_ref(), budget) {
            Ok(bytes) => Self { origin, bytes, budget: budget.clone() }.unpacked(),
            Err(fault) => Err(origin.error(None, None, fault)),
        }
    }

    /// As [`Source::open_within`], of standard input.
    ///
    /// # Errors
    /// As there.
    pub fn from_stdin(budget: &Budget) -> Result<Self, ReadError> {
        let origin = Origin::whole("standard input");
        match read_stdin(budget) {
            Ok(bytes) => Self { origin, bytes, budget: budget.clone() }.unpacked(),
            Err(fault) => Err(origin.error(None, None, fault)),
        }
    }

    /// Takes bytes as if they had come from a file of that name.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, ReadError> {
        Self { origin: Origin::whole(name), bytes, budget: Budget::unlimited() }.unpacked()
    }

    /// Lines of a file, from where `origin` says.
    pub(crate) fn of_part(origin: Origin, bytes: Vec<u8>, budget: &Budget) -> Self {
        Self { origin, bytes, budget: budget.clone() }
    }

    /// Where the bytes come from.
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    fn unpacked(self) -> Result<Self, ReadError> {
        if !self.bytes.starts_with(&GZIP) {
            return Ok(self);
        }
        let limit = unpacked_limit(self.bytes.len());
        match read_at_most(MultiGzDecoder::new(self.bytes.as_slice()), limit, &self.budget) {
            Ok(bytes) => Ok(Self { bytes, ..self }),
            Err(fault) => Err(self.error(None, fault)),
        }
    }

    /// What reading may spend.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Asks the budget now and then: before every [`LINES`]-th line.
    pub(crate) fn ask(&self, line: usize) -> Result<(), ReadError> {
        if !line.is_multiple_of(LINES) {
            return Ok(());
        }
        self.budget.ask().map_err(|stop| self.error_at(Some(line), None, Fault::Stopped(stop)))
    }

    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        self.origin.name()
    }

    /// The bytes, unpacked.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes as text.
    ///
    /// # Errors
    /// Bytes that are not UTF-8, by their line.
    pub fn text(&self) -> Result<&str, ReadError> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let good = &self.bytes[..error.valid_up_to()];
            let number = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
            let found = format!("the byte 0x{:02x}", self.bytes[error.valid_up_to()]);
            self.error_at(Some(number), None, Fault::expected("UTF-8 text", found))
        })
    }

    /// The lines, without their ends.
    pub(crate) fn lines(&self) -> Result<impl Iterator<Item = Line<'_>>, ReadError> {
        let lines = self.text()?.lines().enumerate();
        let (origin, length) = (&self.origin, self.bytes.len());
        Ok(lines.map(move |(k, text)| Line { origin, length, number: k + 1, text }))
    }

    /// The same lines, one after the other.
    pub(crate) fn scan(&self) -> Lines<'_> {
        Lines::new(self.origin.clone(), self.bytes.len(), Box::new(self.bytes.as_slice()), &self.budget)
    }

    pub(crate) fn error(&self, field: Option<&str>, fault: Fault) -> ReadError {
        self.error_at(None, field, fault)
    }

    pub(crate) fn error_at(&self, line: Option<usize>, field: Option<&str>, fault: Fault) -> ReadError {
        self.origin.error(line, field.map(str::to_owned), fault)
    }
}

/// Checks the declared sizes of a sparse matrix, for which a few of its `bytes` would do, before anything is allocated.
pub(crate) fn check_dimensions(bytes: usize, rows: usize, columns: usize) -> Result<(), Fault> {
    let limit = bytes.saturating_add(DIMENSION_FLOOR) as u128;
    for (what, size) in [("the number of rows", rows), ("the number of columns", columns)] {
        if size as u128 > limit {
            return Err(Fault::TooLarge { what: what.into(), size: size as u128, limit, advice: "" });
        }
    }
    Ok(())
}

/// What `packed` bytes may unfold to.
pub(crate) fn unpacked_limit(packed: usize) -> u64 {
    UNPACKED_FLOOR.max(UNPACKED_RATIO.saturating_mul(packed as u64))
}

/// Reads to the end, unless that is more than `limit` bytes or the budget does not allow it.
pub(crate) fn read_at_most(reader: impl Read, limit: u64, budget: &Budget) -> Result<Vec<u8>, Fault> {
    let (mut bytes, mut reader) = (Vec::new(), reader.take(limit.saturating_add(1)));
    loop {
        budget.ask().map_err(Fault::Stopped)?;
        if reader.by_ref().take(CHUNK as u64).read_to_end(&mut bytes).map_err(Fault::of_reading)? == 0 {
            break;
        }
    }
    if bytes.len() as u64 > limit { Err(unpacks_too_far(bytes.len() as u64, limit)) } else { Ok(bytes) }
}

pub(crate) fn unpacks_too_far(size: u64, limit: u64) -> Fault {
    let what = "the unpacked size".into();
    let advice = " (unpack it first if it is to be trusted)";
    Fault::TooLarge { what, size: size.into(), limit: limit.into(), advice }
}

/// One line of a source, which knows where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) origin: &'a Origin,
    /// The unpacked bytes of the source.
    pub(crate) length: usize,
    pub(crate) number: usize,
    pub(crate) text: &'a str,
}

impl<'a> Line<'a> {
    pub(crate) fn error(&self, fault: Fault) -> ReadError {
        self.origin.error(Some(self.number), None, fault)
    }

    pub(crate) fn error_in(&self, field: &str, fault: Fault) -> ReadError {
        self.origin.error(Some(self.number), Some(field.to_owned()), fault)
    }

    pub(crate) fn expected(&self, field: &str, expected: &str, found: &str) -> ReadError {
        self.error_in(field, Fault::expected(expected, quoted(found)))
    }

    pub(crate) fn words(&self) -> std::str::SplitWhitespace<'a> {
        self.text.split_whitespace()
    }

    /// A finite number.
    pub(crate) fn number(&self, field: &str, word: &str) -> Result<f64, ReadError> {
        let value = self.number_or_infinity(field, word)?;
        if value.is_finite() { Ok(value) } else { Err(self.expected(field, "a finite number", word)) }
    }

    /// A number, possibly infinite; exponents may be written with a D, as Fortran does.
    pub(crate) fn number_or_infinity(&self, field: &str, word: &str) -> Result<f64, ReadError> {
        let value = parse_number(word).ok_or_else(|| self.expected(field, "a number", word))?;
        if value.is_nan() { Err(self.expected(field, "a number", word)) } else { Ok(value) }
    }

    /// Checks that a file of this length may have so many columns.
    pub(crate) fn check_columns(&self, field: &str, columns: usize) -> Result<(), ReadError> {
        check_dimensions(self.length, 0, columns).map_err(|fault| self.error_in(field, fault))
    }

    /// A count or an index.
    pub(crate) fn count(&self, field: &str, word: &str) -> Result<usize, ReadError> {
        word.parse().map_err(|_| self.expected(field, "a nonnegative integer", word))
    }
}

fn parse_number(word: &str) -> Option<f64> {
    let plain = word.parse().ok();
    plain.or_else(|| word.contains(['d', 'D']).then(|| word.replace(['d', 'D'], "e").parse().ok())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn gzip_is_unpacked_by_content() {
        let source = Source::from_bytes("a.mps", gzip(b"hello\n")).unwrap();
        assert_eq!(source.text().unwrap(), "hello\n");
        let mut cut = gzip(b"hello\n");
        cut.truncate(12);
        assert!(Source::from_bytes("a.gz", cut).unwrap_err().to_string().starts_with("a.gz: "));
    }

    #[test]
    fn a_bomb_is_refused_while_it_unfolds() {
        let bomb = gzip(&vec![0; UNPACKED_FLOOR as usize + 1]);
        let error = Source::from_bytes("bomb.gz", bomb).unwrap_err().to_string();
        assert!(
            error.contains("bomb.gz: the unpacked size is 67108865") && error.contains("at most 67108864")
        );
    }

    #[test]
    fn bad_text_is_told_by_its_line() {
        let source = Source::from_bytes("t", b"one\ntwo \xff\n".to_vec()).unwrap();
        assert_eq!(
            source.text().unwrap_err().to_string(),
            "t, line 2: expected UTF-8 text, found the byte 0xff"
        );
    }

    #[test]
    fn numbers_may_come_from_fortran() {
        assert_eq!(parse_number("1.5D+2"), Some(150.0));
        assert_eq!(parse_number("-2e3"), Some(-2000.0));
        assert_eq!(parse_number("12x"), None);
    }
}
