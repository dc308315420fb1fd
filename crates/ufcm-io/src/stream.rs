//! The bytes behind a name: of a file, or of a pipe while the budget lasts. Nothing else is read.

use crate::error::Fault;
use crate::source::read_at_most;
use std::fs::{File, FileType};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use ufcm::budget::Budget;

/// What a pipe may bring: 1 GiB. It does not tell how much it has, and may never end.
pub const PIPE_LIMIT: usize = 1 << 30;

/// How often the budget is asked while a pipe is silent.
const PATIENCE: Duration = Duration::from_millis(20);
/// What is read of a pipe at once: what it holds on Linux.
const CHUNK: usize = 1 << 16;

/// Reads all of a file or a pipe.
pub(crate) fn read_file(path: &Path, budget: &Budget) -> Result<Vec<u8>, Fault> {
    let kind = std::fs::metadata(path).map_err(|error| Fault::of_opening(path, error))?.file_type();
    if kind.is_file() {
        let file = File::open(path).map_err(Fault::Io)?;
        return read_at_most(file, u64::MAX, budget);
    }
    match other(kind) {
        Other::Pipe => read_pipe(path.to_owned(), budget),
        Other::Refused(what) => Err(Fault::expected("a file", what)),
    }
}

enum Other {
    Pipe,
    Refused(&'static str),
}

/// What a name leads to that is no file.
#[cfg(unix)]
fn other(kind: FileType) -> Other {
    use std::os::unix::fs::FileTypeExt;
    match () {
        () if kind.is_fifo() => Other::Pipe,
        () if kind.is_dir() => Other::Refused("a folder"),
        () if kind.is_socket() => Other::Refused("a socket"),
        () => Other::Refused("a device"),
    }
}

#[cfg(not(unix))]
fn other(kind: FileType) -> Other {
    Other::Refused(if kind.is_dir() { "a folder" } else { "a device" })
}

/// Reads a pipe to its end. Opening it waits for a writer and reading for what it writes: another thread does both, which
/// stays behind if the budget is spent before.
fn read_pipe(path: PathBuf, budget: &Budget) -> Result<Vec<u8>, Fault> {
    read_stream(move || File::open(&path), budget)
}

/// Reads standard input to its end.
pub(crate) fn read_stdin(budget: &Budget) -> Result<Vec<u8>, Fault> {
    read_stream(|| Ok(std::io::stdin()), budget)
}

/// Reads what `open` opens to its end, on another thread.
fn read_stream<R: Read>(
    open: impl FnOnce() -> std::io::Result<R> + Send + 'static,
    budget: &Budget,
) -> Result<Vec<u8>, Fault> {
    let (sender, receiver) = sync_channel(4);
    std::thread::Builder::new().name("pipe".into()).spawn(move || send(open, &sender)).map_err(Fault::Io)?;
    let mut bytes = Vec::new();
    loop {
        budget.ask().map_err(Fault::Stopped)?;
        match receiver.recv_timeout(PATIENCE) {
            Ok(chunk) => bytes.extend(chunk.map_err(Fault::Io)?),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(bytes),
        }
        if bytes.len() > PIPE_LIMIT {
            let advice = "write it into a file first".to_owned();
            return Err(Fault::Unsupported { what: "a pipe with more than 1 GiB".into(), instead: advice });
        }
    }
}

/// Sends what a pipe brings, until it ends or nobody wants it.
fn send<R: Read>(open: impl FnOnce() -> std::io::Result<R>, sender: &SyncSender<std::io::Result<Vec<u8>>>) {
    let mut pipe = match open() {
        Ok(pipe) => pipe,
        Err(error) => return drop(sender.send(Err(error))),
    };
    loop {
        let mut chunk = vec![0; CHUNK];
        let sent = match pipe.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => {
                chunk.truncate(length);
                sender.send(Ok(chunk))
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return drop(sender.send(Err(error))),
        };
        if sent.is_err() {
            return;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn pipes_are_read_and_endless_things_refused() {
        let folder = std::env::temp_dir();
        let pipe = folder.join(format!("ufcm-io-pipe-{}", std::process::id()));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let text = b"some text\n".repeat(100_000);
        let (path, sent) = (pipe.clone(), text.clone());
        let writer = std::thread::spawn(move || {
            File::options().write(true).open(path).unwrap().write_all(&sent).unwrap();
        });
        let read = read_file(&pipe, &Budget::unlimited());
        writer.join().unwrap();
        let silent = read_file(&pipe, &Budget::unlimited().with_time(0.1));
        std::fs::remove_file(&pipe).unwrap();
        assert!(read.unwrap() == text);
        assert!(matches!(silent, Err(Fault::Stopped(_))));
        for (path, what) in [(folder.as_path(), "a folder"), (Path::new("/dev/zero"), "a device")] {
            let refused = read_file(path, &Budget::unlimited()).unwrap_err().to_string();
            assert_eq!(refused, format!("expected a file, found {what}"));
        }
    }
}
