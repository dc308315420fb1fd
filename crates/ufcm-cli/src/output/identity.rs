//! When two names are one file.

use std::path::{Path, PathBuf};

/// How many links are followed from one to the next, as Linux does.
const LINKS: usize = 40;

/// What a file is, whatever name leads to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identity {
    /// The device and the number of a file on it: names, symbolic and hard links of one file have them in common.
    #[cfg(unix)]
    Inode(u64, u64),
    /// Where a file will be, once it is written.
    Path(PathBuf),
}

impl Identity {
    /// Of the file that a path leads to, whether or not there is one yet.
    pub(super) fn of(path: &Path) -> Self {
        match std::fs::metadata(path) {
            Ok(known) => Self::of_known(path, &known),
            Err(_) => Self::Path(real(path)),
        }
    }

    #[cfg(unix)]
    fn of_known(_: &Path, known: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self::Inode(known.dev(), known.ino())
    }

    #[cfg(not(unix))]
    fn of_known(path: &Path, _: &std::fs::Metadata) -> Self {
        Self::Path(real(path))
    }

    /// Of the file that a stream of the process goes to, if it is a plain file.
    #[cfg(unix)]
    pub(super) fn of_stream(stream: impl std::os::fd::AsFd) -> Option<Self> {
        let file = std::fs::File::from(stream.as_fd().try_clone_to_owned().ok()?);
        let known = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some(Self::of_known(Path::new(""), &known))
    }
}

/// The path without links, also of a file that does not exist yet.
pub(super) fn real(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => break,
        }
    }
    let folder = folder_of(&path);
    let folder = folder.canonicalize().unwrap_or(folder);
    path.file_name().map_or_else(|| path.clone(), |name| folder.join(name))
}

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
