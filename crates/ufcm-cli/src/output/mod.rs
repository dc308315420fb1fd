//! Outputs: opened before anything is read, written whole or not at all.

mod identity;
mod partial;

use crate::failure::Failure;
use identity::{Identity, folder_of, real};
use partial::Partial;
pub(crate) use partial::abandon;
use std::fs::{File, Metadata};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;
use ufcm::budget::Budget;

/// How often the budget is asked while nobody reads a pipe.
const PATIENCE: Duration = Duration::from_millis(20);

/// A file by the word of the command line that names it.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    /// An option, or a phrase such as "the problem file".
    word: String,
    path: PathBuf,
}

impl Named {
    pub(crate) fn new(word: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { word: word.into(), path: path.into() }
    }

    /// Whether standard output is meant.
    pub(crate) fn is_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Refuses standard output where another word than `word` names it.
    pub(crate) fn check_stdout_is_for(&self, word: &str) -> Result<(), Failure> {
        match self.is_stdout() && self.word != word {
            true => {
                Err(self.failure(format!("standard output is for {word} alone; give the name of a file")))
            }
            false => Ok(()),
        }
    }

    fn failure(&self, error: impl std::fmt::Display) -> Failure {
        Failure::new(format!("{} {}: {error}", self.word, self.path.display()))
    }

    fn unwritable(&self, error: &std::io::Error) -> Failure {
        self.failure(format!("cannot be written: {error}"))
    }
}

/// Something that will be written, and is open.
pub(crate) struct Output {
    named: Named,
    target: Target,
}

enum Target {
    /// Standard output, which the console writes.
    Console,
    /// A pipe or a device, which must not be replaced by a file.
    Stream(File),
    File(Partial),
}

impl Output {
    /// Opens what is to be written, as long as the budget allows.
    pub(crate) fn open(named: Named, budget: &Budget) -> Result<Self, Failure> {
        let path = &named.path;
        let target = if named.is_stdout() {
            check_stdout()?;
            Target::Console
        } else {
            match std::fs::metadata(path) {
                Ok(known) if known.is_dir() => {
                    return Err(named.failure("this is a folder; give the name of a file"));
                }
                Ok(known) if !known.is_file() => Target::Stream(stream(&named, &known, budget)?),
                _ => Target::File(beside(&named)?),
            }
        };
        Ok(Self { named, target })
    }

    pub(crate) fn word(&self) -> &str {
        &self.named.word
    }

    pub(crate) fn path(&self) -> &Path {
        &self.named.path
    }

    /// Takes so many bytes of the disk, for the output to find room later.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(), Failure> {
        match &mut self.target {
            Target::File(partial) => partial.reserve(bytes).map_err(|error| self.named.unwritable(&error)),
            Target::Console | Target::Stream(_) => Ok(()),
        }
    }

    /// Writes all of it. Answers with the bytes where the console is to write them.
    pub(crate) fn write(self, bytes: Vec<u8>) -> Result<Option<Vec<u8>>, Failure> {
        let Self { named, target } = self;
        let written = match target {
            Target::Console => return Ok(Some(bytes)),
            Target::Stream(mut file) => file.write_all(&bytes),
            Target::File(partial) => partial.finish(&bytes),
        };
        written.map(|()| None).map_err(|error| named.unwritable(&error))
    }

    /// What kept the output from being made.
    pub(crate) fn failure(&self, error: impl std::fmt::Display) -> Failure {
        self.named.failure(error)
    }
}

fn beside(named: &Named) -> Result<Partial, Failure> {
    let folder = folder_of(&real(&named.path));
    if !folder.is_dir() {
        return Err(named.failure(format!("there is no folder {}", folder.display())));
    }
    Partial::create(&named.path).map_err(|error| named.unwritable(&error))
}

/// Opens a pipe or a device, and asks it to take nothing: a full one refuses even that.
fn stream(named: &Named, known: &Metadata, budget: &Budget) -> Result<File, Failure> {
    refuse_kind(known).map_err(|what| named.failure(format!("this is {what}; give the name of a file")))?;
    let (sender, receiver) = sync_channel(1);
    let path = named.path.clone();
    // Opening a pipe waits for someone to read it; that must not keep a limit of time from taking effect.
    std::thread::spawn(move || sender.send(File::options().write(true).open(path)));
    let opened = loop {
        if let Err(stop) = budget.ask() {
            return Err(named.failure(format!("{stop} while nobody read this pipe")).stopped_by(budget));
        }
        match receiver.recv_timeout(PATIENCE) {
            Ok(opened) => break opened,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break Err(std::io::ErrorKind::Other.into()),
        }
    };
    let tested = opened.and_then(|mut file| file.write(&[]).map(|_| file));
    tested.map_err(|error| named.unwritable(&error))
}

/// Disks and sockets are not written to by their name.
fn refuse_kind(known: &Metadata) -> Result<(), &'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = known.file_type();
        if kind.is_block_device() {
            return Err("a disk");
        }
        if kind.is_socket() {
            return Err("a socket");
        }
    }
    let _ = known;
    Ok(())
}

/// Asks standard output to take nothing: a full one refuses even that.
fn check_stdout() -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let stdout = std::io::stdout().as_fd().try_clone_to_owned();
        let tested = stdout.and_then(|stdout| File::from(stdout).write(&[]));
        tested.map_err(|error| Failure::new(format!("standard output: {error}")))?;
    }
    Ok(())
}

/// Refuses outputs that are inputs, and two outputs that are one file.
pub(crate) fn refuse_clashes(outputs: &[Named], inputs: &[Named]) -> Result<(), Failure> {
    let files: Vec<&Named> = outputs.iter().filter(|named| !named.is_stdout()).collect();
    for (k, output) in files.iter().enumerate() {
        let identity = Identity::of(&output.path);
        let same = |other: &&Named| Identity::of(&other.path) == identity;
        if let Some(input) = inputs.iter().find(same) {
            let (word, path) = (&input.word, input.path.display());
            return Err(output.failure(format!("{word} is this file ({path}); give another name")));
        }
        // What goes to /dev/null goes nowhere, however often.
        let goes_nowhere = real(&output.path) == Path::new("/dev/null");
        if let Some(other) = files[..k].iter().copied().find(same).filter(|_| !goes_nowhere) {
            let (word, path) = (&other.word, other.path.display());
            return Err(output.failure(format!("{word} writes to it too ({path}); give another name")));
        }
        #[cfg(unix)]
        for (stream, name) in [
            (Identity::of_stream(std::io::stdout()), "standard output"),
            (Identity::of_stream(std::io::stderr()), "standard error"),
        ] {
            if stream.as_ref() == Some(&identity) {
                return Err(output.failure(format!("{name} goes to it too; give another name")));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
