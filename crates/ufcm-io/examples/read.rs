//! Reads files and prints what is in them: `cargo run --release -p ufcm-io --example read -- FILE...`

use std::time::Instant;
use ufcm::matrix::Matrix;
use ufcm_io::npz::Archive;
use ufcm_io::table::{Options, Table};
use ufcm_io::{Program, ReadError, Source, libsvm, matrix_market, mps, npy};

fn main() {
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let start = Instant::now();
        match describe(&path) {
            Ok(description) => {
                println!("{path}: {description} ({:.1} ms)", 1e3 * start.elapsed().as_secs_f64());
            }
            Err(error) => {
                println!("{error}");
                failed = true;
            }
        }
    }
    std::process::exit(i32::from(failed));
}

/// What a file holds, by the end of its name.
fn describe(path: &str) -> Result<String, ReadError> {
    let source = Source::open(path)?;
    let stem = path.trim_end_matches(".gz");
    Ok(match stem.rsplit('.').next().unwrap_or_default() {
        "mps" | "qps" => program(&mps::read(&source, &mps::Options::default())?),
        "npy" => format!("array of shape {:?}", npy::read(&source)?.shape()),
        "npz" => archive(&Archive::read(source)?)?,
        "mtx" => matrix(&matrix_market::read(&source)?),
        "svm" | "libsvm" => matrix(&libsvm::read(&source, None)?.matrix),
        _ => {
            let table = Table::read(&source, &Options::default())?;
            format!("{} rows, columns {}", table.rows(), table.names().join(", "))
        }
    })
}

fn program(program: &Program) -> String {
    let problem = match program.to_problem() {
        Ok(problem) => format!("a problem of {} rows", problem.rows()),
        Err(error) => format!("no problem: {error}"),
    };
    let notes: String = program.notes.iter().map(|note| format!("; {note}")).collect();
    format!("{}: {}, {problem}{notes}", program.name, matrix(&program.matrix))
}

fn archive(archive: &Archive) -> Result<String, ReadError> {
    let shape = |name: &str| Ok(format!("{name} {:?}", archive.array(name)?.shape()));
    Ok(archive.names().map(shape).collect::<Result<Vec<_>, _>>()?.join(", "))
}

fn matrix(matrix: &Matrix) -> String {
    format!("{} rows, {} columns, {} nonzeros", matrix.rows(), matrix.columns(), matrix.stored())
}
