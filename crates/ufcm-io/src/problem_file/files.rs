//! The files that a problem file names.

use super::error::ProblemFileError;
use super::node::Node;
use crate::mapped::container::{self, Labelled};
use crate::mapped::folder;
use crate::paths::{Base, similar};
use crate::{ReadError, Source, mapped};
use std::cell::Cell;
use std::path::PathBuf;
use ufcm::matrix::Matrix;
use ufcm::ranks::Link;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// What a file holds, by the end of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Npy,
    Npz,
    MatrixMarket,
    Libsvm,
    Csv,
    Parquet,
    Arrow,
    Ufcm,
    Csr,
}

const FORMATS: [(&str, Format); 13] = [
    ("npy", Format::Npy),
    ("npz", Format::Npz),
    ("mtx", Format::MatrixMarket),
    ("svm", Format::Libsvm),
    ("libsvm", Format::Libsvm),
    ("svmlight", Format::Libsvm),
    ("csv", Format::Csv),
    ("tsv", Format::Csv),
    ("parquet", Format::Parquet),
    ("arrow", Format::Arrow),
    ("feather", Format::Arrow),
    ("ufcm", Format::Ufcm),
    ("csr", Format::Csr),
];

/// Opens files below a folder.
#[derive(Clone, Copy)]
pub(super) struct Files<'b> {
    pub(super) base: &'b Base,
    /// The ranks that share the rows of data, where there are any.
    pub(super) link: Option<&'b Link>,
    /// Whether all ranks know of a failure already.
    pub(super) failed: &'b Cell<bool>,
}

impl Files<'_> {
    /// Opens the file that `node` names.
    pub(super) fn open(&self, node: &Node<'_>) -> Result<(Source, Format)> {
        let (path, format) = self.locate(node)?;
        if matches!(format, Format::Ufcm | Format::Csr) {
            return Err(self.must_be_mapped(node));
        }
        Ok((self.base.open(&path).in_file(node)?, format))
    }

    /// Files of this format are read where they are, and the problem file does not say so.
    pub(super) fn must_be_mapped(&self, node: &Node<'_>) -> ProblemFileError {
        let help = "add `mapped = true`: they are read where they are";
        node.error_with("data of this format are mapped", Some(help.into()))
    }

    /// The matrix in the file that `node` names, which stays there.
    pub(super) fn mapped(&self, node: &Node<'_>) -> Result<Matrix> {
        let matrix = self.mapped_unchecked(node)?;
        matrix.check().map_err(|error| node.error(error.to_string()))?;
        Ok(matrix)
    }

    /// As [`Files::mapped`], without a look at the numbers where ranks share them.
    pub(super) fn mapped_set(&self, node: &Node<'_>) -> Result<Matrix> {
        if self.link.is_some() { self.mapped_unchecked(node) } else { self.mapped(node) }
    }

    /// A matrix with labels, of a file of `ufcm convert` or a folder of arrays that `node` names; nothing where it is another file.
    pub(super) fn container(&self, node: &Node<'_>) -> Result<Option<Labelled>> {
        let (path, format) = self.locate(node)?;
        let read = match format {
            Format::Ufcm => container::read(&path),
            Format::Csr => folder::read(&path),
            _ => return Ok(None),
        };
        self.base.note(&path);
        read.in_file(node).map(Some)
    }

    fn mapped_unchecked(&self, node: &Node<'_>) -> Result<Matrix> {
        if let Some(read) = self.container(node)? {
            return Ok(read.matrix);
        }
        let (path, format) = self.locate(node)?;
        if format != Format::Npy || node.text()?.ends_with(".gz") {
            let help = "a .npy file of float64 or float32, which numpy.save writes";
            return Err(node.error_with("this file cannot be mapped", Some(help.into())));
        }
        self.base.note(&path);
        mapped::npy_unchecked(&path).in_file(node)
    }

    /// Where the file is that `node` names, and what it holds.
    pub(super) fn locate(&self, node: &Node<'_>) -> Result<(PathBuf, Format)> {
        let name = node.text()?;
        let path = self.base.resolve(name).map_err(|error| {
            node.error_with(error.to_string(), Some("move the file, or give the option --allow-paths".into()))
        })?;
        let ending = name.trim_end_matches(".gz").rsplit('.').next().unwrap_or_default().to_lowercase();
        let Some((_, format)) = FORMATS.iter().find(|(known, _)| *known == ending) else {
            let known = FORMATS.map(|(name, _)| format!(".{name}")).join(", ");
            let message = format!("\"{name}\" does not end in a format that is read");
            return Err(node.error_with(message, Some(format!("{known}; each also with .gz"))));
        };
        if !path.exists() {
            return Err({
                let help = similar(&path).map(|near| format!("did you mean \"{near}\"?"));
                node.error_with(format!("there is no file {}", path.display()), help)
            });
        }
        Ok((path, *format))
    }
}

/// What went wrong in a data file, told at the place that names it.
pub(super) trait InFile<T> {
    fn in_file(self, node: &Node<'_>) -> Result<T>;
}

impl<T> InFile<T> for std::result::Result<T, ReadError> {
    fn in_file(self, node: &Node<'_>) -> Result<T> {
        self.map_err(|error| node.error(error.to_string()))
    }
}

impl<T> InFile<T> for std::result::Result<T, crate::Fault> {
    fn in_file(self, node: &Node<'_>) -> Result<T> {
        self.map_err(|fault| node.error(fault.to_string()))
    }
}
