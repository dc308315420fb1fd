//! Which files a problem file may name: those below its own folder, unless the user allows others.

use crate::error::ReadError;
use crate::nearest::nearest;
use crate::source::Source;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use ufcm::budget::Budget;

/// A path that is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// A path from the root.
    #[error("{0}: an absolute path; only files below {1} are read unless others are allowed")]
    Absolute(String, String),
    /// A path that `..` or a link leads out of the folder.
    #[error("{0}: it leads outside {1}; only files below it are read unless others are allowed")]
    Outside(String, String),
}

/// The folder that paths are relative to.
///
/// ```
/// use ufcm_io::paths::Base;
///
/// let base = Base::new("problems");
/// assert!(base.resolve("data/../a.mps")?.ends_with("problems/a.mps"));
/// assert!(base.resolve("../a.mps").is_err() && base.resolve("/etc/passwd").is_err());
/// assert!(base.allowing_others().resolve("/data/a.mps").is_ok());
/// # Ok::<(), ufcm_io::paths::PathError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Base {
    folder: PathBuf,
    others: bool,
    budget: Budget,
    /// What was opened, through this or a clone.
    opened: Arc<Mutex<Vec<PathBuf>>>,
}

impl Base {
    /// Paths lead to files below `folder` alone.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), others: false, budget: Budget::unlimited(), opened: Arc::default() }
    }

    /// Paths may lead anywhere; relative ones still start from the folder.
    #[must_use]
    pub fn allowing_others(self) -> Self {
        Self { others: true, ..self }
    }

    /// Files are read as long as `budget` allows.
    #[must_use]
    pub fn within(self, budget: &Budget) -> Self {
        Self { budget: budget.clone(), ..self }
    }

    /// Opens a file that [`Base::resolve`] led to.
    ///
    /// # Errors
    /// As [`Source::open_within`].
    pub fn open(&self, path: &Path) -> Result<Source, ReadError> {
        self.note(path);
        Source::open_within(path, &self.budget)
    }

    /// What reading may spend.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Notes a file that was opened otherwise.
    pub(crate) fn note(&self, path: &Path) {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
    }

    /// The files that were opened so far, for whoever must not overwrite them.
    #[must_use]
    pub fn opened(&self) -> Vec<PathBuf> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The file a path leads to. It need not exist; if it does, links in it are followed and must not lead outside
    /// either.
    ///
    /// # Errors
    /// An absolute path, or one that leads outside, unless that is allowed.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<PathBuf, PathError> {
        let path = path.as_ref();
        let joined = self.folder.join(path);
        if self.others {
            return Ok(joined);
        }
        let shown = || (path.display().to_string(), self.folder.display().to_string());
        let mut inside = PathBuf::new();
        for part in path.components() {
            let stays = match part {
                Component::Prefix(_) | Component::RootDir => {
                    let (path, folder) = shown();
                    return Err(PathError::Absolute(path, folder));
                }
                Component::CurDir => true,
                Component::ParentDir => inside.pop(),
                Component::Normal(name) => {
                    inside.push(name);
                    true
                }
            };
            if !stays {
                return Err(outside(shown()));
            }
        }
        let resolved = self.folder.join(inside);
        match (resolved.canonicalize(), self.folder.canonicalize()) {
            (Ok(file), Ok(folder)) if !file.starts_with(&folder) => Err(outside(shown())),
            _ => Ok(resolved),
        }
    }
}

/// The name of the file beside `path` that was probably meant, where there is no such file.
#[must_use]
pub fn similar(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    nearest(wanted, names.iter().map(String::as_str)).map(str::to_owned)
}

fn outside((path, folder): (String, String)) -> PathError {
    PathError::Outside(path, folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_folder() {
        let base = Base::new("folder");
        for (path, expected) in
            [("a", "folder/a"), ("./b/../a", "folder/a"), ("b/c", "folder/b/c"), ("..a", "folder/..a")]
        {
            assert_eq!(base.resolve(path).unwrap(), Path::new(expected));
        }
        for path in ["..", "a/../../b", "../folder/a"] {
            let error = base.resolve(path).unwrap_err().to_string();
            assert!(error.contains("it leads outside folder"), "{error}");
        }
        assert!(base.resolve("/a").unwrap_err().to_string().starts_with("/a: an absolute path"));
        assert_eq!(base.allowing_others().resolve("../a").unwrap(), Path::new("folder/../a"));
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let root = std::env::temp_dir().join(format!("ufcm-io-links-{}", std::process::id()));
        let folder = root.join("folder");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(root.join("secret"), "s").unwrap();
        std::fs::write(folder.join("own"), "o").unwrap();
        std::os::unix::fs::symlink(root.join("secret"), folder.join("out")).unwrap();
        std::os::unix::fs::symlink(folder.join("own"), folder.join("in")).unwrap();
        let base = Base::new(&folder);
        let (out, within) = (base.resolve("out"), base.resolve("in"));
        std::fs::remove_dir_all(&root).unwrap();
        assert!(matches!(out, Err(PathError::Outside(..))));
        assert!(within.is_ok());
    }
}
