//! A matrix in one file: `.npy`, `.npz` and Matrix Market. Where there are ranks, each holds no more of it than its rows.

use super::data::{Raw, check_labels};
use super::error::ProblemFileError;
use super::files::{Files, Format, InFile};
use super::node::{Node, Section};
use super::shares::Part;
use crate::npy::rows::Numbers;
use crate::npz::{self, Archive};
use crate::part::Text;
use crate::{ReadError, mapped, matrix_market, packed};
use std::path::Path;
use ufcm::matrix::Matrix;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// Reads a matrix, and its labels: a file of their own, or an array of the same archive.
pub(super) fn in_one_file(
    files: &Files<'_>,
    section: &Section<'_>,
    file: &Node<'_>,
    format: Format,
) -> Result<Raw> {
    let (array, label) = (section.get("array").filter(|_| format == Format::Npz), section.get("label"));
    section.finish()?;
    let (path, ranks) = (files.locate(file)?.0, files.link.is_some());
    let (matrix, label, rows) = match format {
        Format::Ufcm | Format::Csr => return Err(files.must_be_mapped(file)),
        Format::Npz if ranks && is_plain(&path) => {
            let archive = npz::rows::InFile::open(&path, files.base.budget()).in_file(file)?;
            let own = |rows: usize| files.share_of(rows);
            let (matrix, rows) = match &array {
                Some(array) => archive.matrix(array.text()?, own).in_file(array)?,
                None => archive.sparse(own).in_file(file)?,
            };
            let label = in_archive(files, label.as_ref(), rows, |name| archive.vector(name))?;
            (matrix, label, rows)
        }
        Format::Npz => {
            let archive = Archive::read(files.open(file)?.0).in_file(file)?;
            let matrix = match &array {
                Some(array) => archive.matrix(array.text()?).in_file(array)?,
                None => archive.sparse().in_file(file)?,
            };
            let label = in_archive(files, label.as_ref(), matrix.rows(), |name| archive.vector(name))?;
            return Raw::of_whole(files, section, matrix, label, false);
        }
        Format::Npy if ranks && let Ok(matrix) = mapped::npy_unchecked(&path) => {
            // A rank copies its own rows from where they are, in their precision.
            let label = label.map(|label| files.vector(&label, Some(matrix.rows()))).transpose()?;
            return Raw::of_whole(files, section, matrix, label, false);
        }
        _ => {
            let (matrix, rows) = own_rows(files, &path, format).in_file(file)?;
            let label = label.map(|label| files.vector(&label, Some(rows))).transpose()?;
            (matrix, label, rows)
        }
    };
    check_labels(section, label.as_deref(), rows)?;
    let own = files.share_of(rows);
    let part = ranks.then_some(Part { first: own.start, total: rows });
    let label = label.map(|label| if ranks { label[own].to_vec() } else { label });
    Ok(Raw::of_matrix(matrix, label, part))
}

/// The rows of this rank, and how many there are.
fn own_rows(
    files: &Files<'_>,
    path: &Path,
    format: Format,
) -> std::result::Result<(Matrix, usize), ReadError> {
    let budget = files.base.budget();
    let text = Text::open(path, files.link.is_some(), budget)?;
    let own = |rows: usize| files.share_of(rows);
    match format {
        Format::Npy => {
            let numbers = text.reader().map_err(crate::Fault::of_reading);
            let numbers = numbers.and_then(|reader| Numbers::open(reader, text.length(), budget));
            numbers.and_then(|numbers| numbers.matrix(own)).map_err(|fault| text.error(fault))
        }
        _ => matrix_market::read_rows(text.scan()?, own),
    }
}

/// The labels of a matrix in an archive: an array of it, by name, or numbers.
fn in_archive(
    files: &Files<'_>,
    label: Option<&Node<'_>>,
    rows: usize,
    array: impl FnOnce(&str) -> std::result::Result<Vec<f64>, ReadError>,
) -> Result<Option<Vec<f64>>> {
    match label {
        Some(node) if node.is_text() => array(node.text()?).in_file(node).map(Some),
        Some(node) => files.vector(node, Some(rows)).map(Some),
        None => Ok(None),
    }
}

/// Whether parts of a file can be read where they are: it is neither packed as a whole nor a pipe.
fn is_plain(path: &Path) -> bool {
    path.is_file() && packed::is_packed(path).is_ok_and(|packed| !packed)
}
