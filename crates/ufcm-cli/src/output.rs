//! Files that are written whole or not at all.

use crate::failure::Failure;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Checks before a long run that a file can be put there.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    let folder = folder_of(path);
    if path.is_dir() {
        return Err(Failure::in_file(path, "this is a folder; give the name of a file"));
    }
    if !folder.is_dir() {
        return Err(Failure::in_file(path, format!("there is no folder {}", folder.display())));
    }
    Ok(())
}

/// Writes beside the file and moves it there: what was there before stays until the new one is complete.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error| Failure::in_file(path, format!("cannot be written: {error}"));
    // A pipe or a device must not be replaced by a file.
    if path.exists() && !path.is_file() {
        return std::fs::write(path, bytes).map_err(failed);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder_of(path).join(format!(".{name}.{}.partial", std::process::id()));
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| std::fs::rename(&beside, path)).map_err(|error| {
        // The half-written file is of no use; that it may not go away changes nothing.
        let _ = std::fs::remove_file(&beside);
        failed(error)
    })
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_kept() {
        let folder = std::env::temp_dir().join(format!("ufcm-output-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("x.json");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
        let nowhere = folder.join("no/such/x.json");
        assert!(check(&nowhere).unwrap_err().to_string().contains("there is no folder"));
        assert!(write(&nowhere, b"").unwrap_err().to_string().contains("x.json: cannot be written"));
        assert!(check(&folder).unwrap_err().to_string().contains("this is a folder"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
