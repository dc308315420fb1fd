//! A file beside the one that is to be written: it holds the place from before the run to its end, and is moved there whole.

use super::identity::{folder_of, real};
use std::fs::File;
use std::io::{Error, ErrorKind, Result, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is reserved for any file: a block of most disks.
const LEAST: usize = 4096;
/// Characters of a file's own name in the name beside it; all of it may be too long.
const NAME: usize = 60;

/// The files beside others that there are now.
static ALL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn all() -> MutexGuard<'static, Vec<PathBuf>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all files beside others, for a program that ends at once: none can be made while the answer is held.
pub(crate) fn abandon() -> impl Drop {
    let mut all = all();
    for path in all.drain(..) {
        // One that cannot be removed must not keep the program from ending.
        let _ = std::fs::remove_file(path);
    }
    all
}

/// A file that will replace another.
pub(super) struct Partial {
    file: File,
    beside: PathBuf,
    /// Where it goes, links followed.
    destination: PathBuf,
    reserved: usize,
}

impl Partial {
    /// A file beside `path`, with room for a little.
    pub(super) fn create(path: &Path) -> Result<Self> {
        let destination = real(path);
        let before = match std::fs::metadata(&destination) {
            // A file that may not be written must not be replaced either.
            Ok(_) => Some(File::options().write(true).open(&destination)?.metadata()?.permissions()),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let (file, beside) = file_beside(&destination)?;
        let mut partial = Self { file, beside, destination, reserved: 0 };
        if let Some(permissions) = before {
            partial.file.set_permissions(permissions)?;
        }
        partial.reserve(LEAST)?;
        Ok(partial)
    }

    /// Takes so many bytes of the disk.
    pub(super) fn reserve(&mut self, bytes: usize) -> Result<()> {
        static ZEROS: [u8; 1 << 16] = [0; 1 << 16];
        while self.reserved < bytes {
            self.reserved += self.file.write(&ZEROS[..ZEROS.len().min(bytes - self.reserved)])?;
        }
        self.file.sync_data()
    }

    /// Writes the content and moves it to its place: what was there before stays until the new one is complete.
    pub(super) fn finish(mut self, bytes: &[u8]) -> Result<()> {
        if !self.beside.exists() {
            // Someone has tidied up. Both would have the same name.
            let destination = self.destination.clone();
            drop(self);
            self = Self::create(&destination)?;
        }
        self.file.rewind()?;
        self.file.write_all(bytes)?;
        self.file.set_len(bytes.len() as u64)?;
        self.file.sync_all()?;
        std::fs::rename(&self.beside, &self.destination).map_err(|error| {
            // The content is whole: better there than nowhere.
            all().retain(|path| *path != self.beside);
            let beside = self.beside.display();
            Error::new(error.kind(), format!("{error}; what belongs there is in {beside}"))
        })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let mut all = all();
        let before = all.len();
        all.retain(|path| *path != self.beside);
        if all.len() < before {
            // After it was moved there is none; else it is of no use, and that it may not go away changes nothing.
            let _ = std::fs::remove_file(&self.beside);
        }
    }
}

/// A new file beside `destination`, made and noted at once.
fn file_beside(destination: &Path) -> Result<(File, PathBuf)> {
    let name = destination.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().take(NAME).collect();
    for attempt in 0..100 {
        let beside = format!(".{name}.{}-{attempt}.partial", std::process::id());
        let beside = folder_of(destination).join(beside);
        let mut all = all();
        match File::options().write(true).create_new(true).open(&beside) {
            Ok(file) => {
                all.push(beside.clone());
                return Ok((file, beside));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}
