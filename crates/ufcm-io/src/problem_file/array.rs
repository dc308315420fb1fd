//! Vectors and matrices: written out, or in files.

use super::error::ProblemFileError;
use super::files::{Files, Format, InFile};
use super::node::{Node, Section};
use crate::npz::Archive;
use crate::source::check_dimensions;
use crate::table::{Column, Table};
use crate::{Fault, libsvm, matrix_market, npy, sparse};
use ufcm::matrix::Matrix;

type Result<T> = std::result::Result<T, ProblemFileError>;

const VECTORS: &str = "a vector is [1, 2], \"b.npy\", { file = \"a.npz\", array = \"b\" } or { file = \"t.csv\", columns = \"b\" }";
const MATRICES: &str = "a matrix is [[1, 2], [3, 4]], \"a.npy\", \"a.mtx\", { file = \"a.npz\", array = \"A\" }, \
     { file = \"t.csv\", columns = [\"u\", \"v\"] }, { identity = 3 } or { rows = 2, columns = 3, entries = [[0, 2, 1.5]] }";

/// An array in a file.
struct InsideFile<'a> {
    file: Node<'a>,
    array: Option<Node<'a>>,
    columns: Option<Vec<Node<'a>>>,
    /// Whether the file is to be read where it is.
    mapped: bool,
}

impl<'a> InsideFile<'a> {
    fn of(node: &Node<'a>, section: Option<&Section<'a>>) -> Result<Self> {
        let Some(section) = section else {
            return Ok(Self { file: node.clone(), array: None, columns: None, mapped: false });
        };
        let file = section.require("file")?;
        let array = section.get("array");
        let columns = section.get("columns").map(|columns| columns.texts()).transpose()?;
        let mapped = section.get("mapped").map_or(Ok(false), |node| node.boolean())?;
        section.finish()?;
        Ok(Self { file, array, columns, mapped })
    }
}

impl Files<'_> {
    /// A vector; a single number stands for `length` of them where the length is known.
    pub(super) fn vector(&self, node: &Node<'_>, length: Option<usize>) -> Result<Vec<f64>> {
        match length {
            Some(length) if node.is_number() => Ok(vec![node.number()?; length]),
            _ if node.is_array() => node.items()?.iter().map(Node::number).collect(),
            _ => self.vector_in_file(node),
        }
    }

    /// A vector whose entries may be infinite; a number stands for `length` of them.
    pub(super) fn sides(&self, node: &Node<'_>, length: usize) -> Result<Vec<f64>> {
        if node.is_number() {
            return Ok(vec![node.number_or_infinity()?; length]);
        }
        if node.is_array() {
            return node.items()?.iter().map(Node::number_or_infinity).collect();
        }
        self.vector_in_file(node)
    }

    fn vector_in_file(&self, node: &Node<'_>) -> Result<Vec<f64>> {
        if !node.is_text() && !node.is_table() {
            let message = format!("expected a vector, found {}", node.described());
            return Err(node.error_with(message, Some(VECTORS.into())));
        }
        let section = node.is_table().then(|| node.section()).transpose()?;
        let InsideFile { file, array, columns, .. } = InsideFile::of(node, section.as_ref())?;
        if let (Some(table), None, Some([column])) = (self.whole_table(&file)?, &array, columns.as_deref()) {
            return table.numbers(column.text()?).in_file(column);
        }
        let (source, format) = self.open(&file)?;
        match (format, array, columns.as_deref()) {
            (Format::Npy, None, None) => npy::read(&source).in_file(&file)?.into_vector().in_file(&file),
            (Format::Npz, Some(array), None) => {
                Archive::read(source).in_file(&file)?.vector(array.text()?).in_file(&array)
            }
            _ => Err(node.error_with("this is no vector", Some(VECTORS.into()))),
        }
    }

    /// A matrix.
    pub(super) fn matrix(&self, node: &Node<'_>) -> Result<Matrix> {
        if node.is_array() {
            return written_out(node);
        }
        if !node.is_text() && !node.is_table() {
            let message = format!("expected a matrix, found {}", node.described());
            return Err(node.error_with(message, Some(MATRICES.into())));
        }
        let section = node.is_table().then(|| node.section()).transpose()?;
        match &section {
            Some(section) if section.has("identity") => identity(section),
            Some(section) if section.has("entries") => entries(section),
            _ => self.matrix_in_file(node, section.as_ref()),
        }
    }

    fn matrix_in_file<'a>(&self, node: &Node<'a>, section: Option<&Section<'a>>) -> Result<Matrix> {
        let InsideFile { file, array, columns, mapped } = InsideFile::of(node, section)?;
        if mapped && array.is_none() && columns.is_none() {
            return self.mapped(&file);
        }
        if let (Some(table), None) = (self.whole_table(&file)?, &array) {
            return matrix_of(&table, &file, columns.as_deref());
        }
        let (source, format) = self.open(&file)?;
        match (format, array, columns) {
            (Format::Npy, None, None) => npy::read(&source).in_file(&file)?.into_matrix().in_file(&file),
            (Format::MatrixMarket, None, None) => matrix_market::read(&source).in_file(&file),
            (Format::Libsvm, None, None) => Ok(libsvm::read(&source, None).in_file(&file)?.matrix),
            (Format::Npz, None, None) => Archive::read(source).in_file(&file)?.sparse().in_file(&file),
            (Format::Npz, Some(array), None) => {
                Archive::read(source).in_file(&file)?.matrix(array.text()?).in_file(&array)
            }
            _ => Err(node.error_with("this is no matrix", Some(MATRICES.into()))),
        }
    }
}

/// The columns of a table as numbers; all of them without names.
fn matrix_of(table: &Table, file: &Node<'_>, columns: Option<&[Node<'_>]>) -> Result<Matrix> {
    let names = match columns {
        Some(columns) => columns.iter().map(|c| Ok(Column::number(c.text()?))).collect::<Result<_>>()?,
        None => table.names().iter().map(Column::number).collect::<Vec<_>>(),
    };
    let rows: Vec<usize> = (0..table.rows()).collect();
    Ok(table.features(&names, &rows).in_file(file)?.matrix)
}

fn written_out(node: &Node<'_>) -> Result<Matrix> {
    let rows = node.items()?;
    let columns = rows.first().map_or(Ok(0), |row| row.items().map(|row| row.len()))?;
    let mut values = Vec::new();
    for row in &rows {
        let entries = row.items()?;
        if entries.len() != columns {
            return Err(row.error(format!("this row has {} entries; the first has {columns}", entries.len())));
        }
        for entry in entries {
            values.push(entry.number()?);
        }
    }
    Matrix::row_major(rows.len(), columns, values).map_err(|error| node.error(error.to_string()))
}

fn identity(section: &Section<'_>) -> Result<Matrix> {
    let size = section.require("identity")?;
    section.finish()?;
    let n = size.count()?;
    check_dimensions(section.text.text.len(), n, n).in_file(&size)?;
    let entries: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    sparse::from_entries(n, n, &entries).map_err(|error| size.error(error.to_string()))
}

fn entries(section: &Section<'_>) -> Result<Matrix> {
    let (rows, columns) = (section.require("rows")?, section.require("columns")?);
    let list = section.require("entries")?;
    section.finish()?;
    let sizes = [rows.count()?, columns.count()?];
    check_dimensions(section.text.text.len(), sizes[0], sizes[1]).in_file(&list)?;
    let mut entries = Vec::new();
    for item in list.items()? {
        let [row, column, value] = &item.items()?[..] else {
            return Err(item.error("an entry is [row, column, value], counted from 0"));
        };
        for (index, size) in [row, column].into_iter().zip(sizes) {
            if index.count()? >= size {
                return Err(index.error(
                    Fault::expected(format!("an index below {size}"), index.described()).to_string(),
                ));
            }
        }
        entries.push((row.count()?, column.count()?, value.number()?));
    }
    sparse::from_entries(sizes[0], sizes[1], &entries).map_err(|error| list.error(error.to_string()))
}
