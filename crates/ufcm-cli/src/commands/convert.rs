//! `ufcm convert`: between the formats that are read.

use crate::arguments::ConvertOptions;
use crate::console::{Console, say};
use crate::failure::{Exit, Failure, Outcome};
use crate::load::{ending, read_program};
use crate::output::{Named, Output, refuse_clashes};
use std::path::{Path, PathBuf};
use ufcm::budget::Budget;
use ufcm::matrix::Matrix;
use ufcm_io::libsvm::Labelled;
use ufcm_io::mapped::container;
use ufcm_io::npz::Archive;
use ufcm_io::paths::Base;
use ufcm_io::table::{Column, Options, Table};
use ufcm_io::{Program, Source, arrow, libsvm, matrix_market, mps, npy, parquet, problem_file};

/// What a file holds.
enum Content {
    /// A matrix; its columns may have names and its rows labels.
    Data(Box<Data>),
    Program(Box<Program>),
}

struct Data {
    matrix: Matrix,
    names: Option<Vec<String>>,
    labels: Option<Vec<f64>>,
}

/// Reads one format and writes another.
pub(crate) fn convert(options: &ConvertOptions, console: &mut Console) -> Outcome {
    let named = Named::new("OUTPUT", &options.output);
    named.check_stdout_is_for("`solve --json`")?;
    let clash = |files: &[PathBuf]| {
        let inputs: Vec<Named> = files.iter().map(|path| Named::new("a file that is read", path)).collect();
        refuse_clashes(std::slice::from_ref(&named), &inputs)
    };
    clash(std::slice::from_ref(&options.input))?;
    let output = Output::open(named.clone(), &Budget::unlimited())?;
    let (content, data) = read(options)?;
    clash(&data)?;
    let bytes = match &content {
        Content::Data(data) => write_data(options, data)?,
        Content::Program(program) => write_program(options, program)?,
    };
    output.write(bytes)?;
    match &content {
        Content::Data(data) => say!(
            console,
            "{}: {} rows, {} columns, {} entries",
            options.output.display(),
            data.matrix.rows(),
            data.matrix.columns(),
            data.matrix.stored()
        ),
        Content::Program(program) => {
            program.notes.iter().for_each(|note| say!(console, "note: {note}"));
            let (rows, variables) = (program.rows.len(), program.variables.len());
            say!(console, "{}: {rows} rows, {variables} variables", options.output.display());
        }
    }
    Ok(Exit::Success)
}

/// What the file holds, and the data files that it names.
fn read(options: &ConvertOptions) -> Result<(Content, Vec<PathBuf>), Failure> {
    let path = &options.input;
    let table = match ending(path).as_str() {
        "parquet" => Some(parquet::read(path)?),
        "arrow" | "feather" => Some(arrow::read(path)?),
        _ => None,
    };
    if let Some(table) = table {
        let data = in_table(&table, options.label.as_deref())?;
        return Ok((Content::Data(Box::new(data)), Vec::new()));
    }
    let source = Source::open(path)?;
    let data = |matrix, names, labels| Content::Data(Box::new(Data { matrix, names, labels }));
    let plain = |matrix| data(matrix, None, None);
    let in_file = |fault: ufcm_io::Fault| Failure::in_file(path, fault);
    let mut named = Vec::new();
    let content = match ending(path).as_str() {
        "mps" | "qps" | "lp" | "cbf" => {
            Content::Program(Box::new(read_program(path, &source, options.relax_integers)?))
        }
        "npy" => plain(npy::read(&source)?.into_matrix().map_err(in_file)?),
        "npz" => {
            let archive = Archive::read(source)?;
            plain(options.array.as_ref().map_or_else(|| archive.sparse(), |name| archive.matrix(name))?)
        }
        "mtx" => plain(matrix_market::read(&source)?),
        "svm" | "libsvm" | "svmlight" => {
            let Labelled { matrix, labels, .. } = libsvm::read(&source, None)?;
            data(matrix, None, Some(labels))
        }
        "csv" => {
            let table = Table::read(&source, &Options::default())?;
            Content::Data(Box::new(in_table(&table, options.label.as_deref())?))
        }
        "toml" => {
            let (program, data) = read_problem(&source, path)?;
            named = data;
            Content::Program(Box::new(program))
        }
        other => return Err(Failure::in_file(path, format!("\".{other}\" is no format that is read"))),
    };
    Ok((content, named))
}

/// A problem file that states a linear or quadratic program, and the data files that it names.
fn read_problem(source: &Source, path: &Path) -> Result<(Program, Vec<PathBuf>), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let base = Base::new(folder);
    let file = problem_file::read(source, &base)?;
    let name = file.name.unwrap_or_default();
    let program = Program::from_problem(&name, &file.problem, file.variables.as_deref())
        .map_err(|error| Failure::in_file(path, format!("it is no program that can be written: {error}")))?;
    Ok((program, base.opened()))
}

fn in_table(table: &Table, label: Option<&str>) -> Result<Data, Failure> {
    let labels = label.map(|label| table.numbers(label)).transpose()?;
    let columns: Vec<Column> =
        table.names().iter().filter(|name| Some(name.as_str()) != label).map(Column::number).collect();
    let rows: Vec<usize> = (0..table.rows()).collect();
    let features = table.features(&columns, &rows)?;
    Ok(Data { matrix: features.matrix, names: Some(features.names), labels })
}

fn write_data(options: &ConvertOptions, data: &Data) -> Result<Vec<u8>, Failure> {
    let Data { matrix, names, labels } = data;
    let path = &options.output;
    match ending(path).as_str() {
        "ufcm" => Ok(container::bytes(matrix, labels.as_deref())),
        "npy" => Ok(npy::matrix_bytes(matrix.rows(), matrix.columns(), entries(matrix))),
        "mtx" => Ok(matrix_market::text(matrix).into()),
        "csv" => Ok(csv(matrix, names.as_deref(), labels.as_deref()).into()),
        "svm" | "libsvm" | "svmlight" => {
            let labels = labels.clone();
            let labels =
                labels.ok_or_else(|| Failure::in_file(path, "rows need labels here: give --label COLUMN"))?;
            Ok(Labelled { matrix: matrix.clone(), labels, queries: None }.text().into())
        }
        other => Err(Failure::in_file(
            path,
            format!("data are written as .ufcm, .npy, .mtx, .csv or .svm, not as \".{other}\""),
        )),
    }
}

fn write_program(options: &ConvertOptions, program: &Program) -> Result<Vec<u8>, Failure> {
    let path = &options.output;
    match ending(path).as_str() {
        "mps" | "qps" | "toml" if !program.cones.is_empty() => Err(Failure::in_file(
            path,
            "its cones cannot be written in this format; solve the .cbf file itself",
        )),
        "mps" | "qps" if !program.quadratic_rows.is_empty() => {
            Err(Failure::in_file(path, "its quadratic rows can be written as .toml alone"))
        }
        "mps" | "qps" => Ok(mps::text(program).into()),
        "toml" => Ok(program.to_toml()?.into()),
        other => Err(Failure::in_file(
            path,
            format!("a program is written as .mps, .qps or .toml, not as \".{other}\""),
        )),
    }
}

/// All entries row after row, zeros included.
fn entries(matrix: &Matrix) -> impl Iterator<Item = f64> {
    let mut row = vec![0.0; matrix.columns()];
    (0..matrix.rows()).flat_map(move |i| {
        matrix.copy_row(i, &mut row);
        row.clone()
    })
}

fn csv(matrix: &Matrix, names: Option<&[String]>, labels: Option<&[f64]>) -> String {
    let quoted = |name: &String| match name.contains([',', '"', '\n']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.clone(),
    };
    let numbered = || (1..=matrix.columns()).map(|k| format!("c{k}")).collect();
    let mut header: Vec<String> = names.map_or_else(numbered, |names| names.iter().map(quoted).collect());
    header.extend(labels.map(|_| "label".to_owned()));
    let mut text = header.join(",") + "\n";
    let mut row = vec![0.0; matrix.columns()];
    for i in 0..matrix.rows() {
        matrix.copy_row(i, &mut row);
        let cells = row.iter().chain(labels.map(|labels| &labels[i])).map(f64::to_string);
        text.push_str(&(cells.collect::<Vec<_>>().join(",") + "\n"));
    }
    text
}
