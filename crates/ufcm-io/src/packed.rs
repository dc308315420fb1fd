//! Gzipped files that are unpacked as they are read. Nothing of them is kept: a place in the middle is reached by unpacking what comes before.

use crate::source::GZIP;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufReader, Error, ErrorKind, Read, Result, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use ufcm::budget::Budget;

/// Bytes that are read or passed by at once.
const CHUNK: usize = 1 << 18;

/// Bytes that can be read from any place on.
pub(crate) trait Bytes: Read + Seek {}
impl<T: Read + Seek> Bytes for T {}

/// The bytes of a file, unpacked if it is gzipped.
pub(crate) fn open<'a>(path: &Path, budget: &'a Budget) -> Result<Box<dyn Bytes + 'a>> {
    Ok(match is_packed(path)? {
        true => Box::new(Unpacking::open(path, budget)?),
        false => Box::new(File::open(path)?),
    })
}

/// Whether a file is gzipped, by its content.
pub(crate) fn is_packed(path: &Path) -> Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(GZIP.len() as u64).read_to_end(&mut start)?;
    Ok(start == GZIP)
}

/// Passes the next `bytes` by; how many there were.
pub(crate) fn pass(mut reader: impl Read, bytes: u64, budget: &Budget) -> Result<u64> {
    let (mut chunk, mut passed) = (vec![0; CHUNK], 0);
    while passed < bytes {
        budget.ask().map_err(Error::other)?;
        let wanted = (bytes - passed).min(CHUNK as u64) as usize;
        match reader.read(&mut chunk[..wanted]) {
            Ok(0) => break,
            Ok(read) => passed += read as u64,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(passed)
}

/// Bytes that come one after the other: those before a place are passed by.
pub(crate) struct Forward<'a, R> {
    reader: R,
    /// The bytes that were read.
    at: u64,
    budget: &'a Budget,
}

impl<'a, R: Read> Forward<'a, R> {
    pub(crate) fn new(reader: R, budget: &'a Budget) -> Self {
        Self { reader, at: 0, budget }
    }
}

impl<R: Read> Read for Forward<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.reader.read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl<R: Read> Seek for Forward<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let bytes = match to {
            SeekFrom::Start(to) => to.checked_sub(self.at),
            SeekFrom::Current(by) => u64::try_from(by).ok(),
            SeekFrom::End(_) => None,
        };
        let bytes = bytes.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "packed bytes end before"))?;
        self.at += pass(&mut self.reader, bytes, self.budget)?;
        Ok(self.at)
    }
}

/// A gzipped file. To go back is to begin again.
struct Unpacking<'a> {
    path: PathBuf,
    bytes: Forward<'a, MultiGzDecoder<BufReader<File>>>,
}

impl<'a> Unpacking<'a> {
    fn open(path: &Path, budget: &'a Budget) -> Result<Self> {
        let decoder = MultiGzDecoder::new(BufReader::with_capacity(CHUNK, File::open(path)?));
        Ok(Self { path: path.to_owned(), bytes: Forward::new(decoder, budget) })
    }
}

impl Read for Unpacking<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.bytes.read(buffer)
    }
}

impl Seek for Unpacking<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        if let SeekFrom::Start(to) = to
            && to < self.bytes.at
        {
            *self = Self::open(&self.path, self.bytes.budget)?;
        }
        self.bytes.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn places_are_those_of_the_unpacked_bytes() {
        let path = std::env::temp_dir().join(format!("ufcm-io-packed-{}.gz", std::process::id()));
        let plain: Vec<u8> = (0..1_000_000u32).map(|k| (k.wrapping_mul(k) >> 7) as u8).collect();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&plain).unwrap();
        std::fs::write(&path, encoder.finish().unwrap()).unwrap();
        let budget = Budget::unlimited();
        let mut bytes = open(&path, &budget).unwrap();
        for place in [700_000, 10, 999_990, 0] {
            bytes.seek(SeekFrom::Start(place as u64)).unwrap();
            let mut read = [0; 10];
            bytes.read_exact(&mut read).unwrap();
            assert_eq!(read, plain[place..place + 10]);
        }
        bytes.seek(SeekFrom::Current(5)).unwrap();
        let mut read = [0; 3];
        bytes.read_exact(&mut read).unwrap();
        assert_eq!(read, plain[15..18]);
        let spent = Budget::unlimited().with_time(0.0);
        let stopped = open(&path, &spent).and_then(|mut bytes| bytes.seek(SeekFrom::Start(9))).unwrap_err();
        assert!(matches!(crate::Fault::of_reading(stopped), crate::Fault::Stopped(_)));
        std::fs::remove_file(&path).unwrap();
    }
}
