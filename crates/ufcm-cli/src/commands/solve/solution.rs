//! The solution as a file: .csv, .json or .npy, by its ending.

use crate::answer::variable_names;
use crate::failure::{Failure, Outcome};
use crate::load::ending;
use crate::record::RunRecord;
use serde_json::{Map, Value};
use std::path::Path;
use ufcm_io::npy;

/// Refuses names whose ending is no format, before anything is read.
pub(super) fn check(path: &Path) -> Outcome<()> {
    if path.as_os_str() == "-" {
        return Ok(());
    }
    match ending(path).as_str() {
        "csv" | "json" | "npy" => Ok(()),
        other => {
            let message = format!(
                "--solution writes .csv (name and value), .json or .npy, by the end of the name; \".{other}\" is none of them"
            );
            Err(Failure::in_file(path, message))
        }
    }
}

/// x in the format of the ending; lines of CSV on standard output.
pub(super) fn content(path: &Path, record: &RunRecord) -> Outcome<Vec<u8>> {
    let x = &record.report.x;
    let names = variable_names(record.description.variable_names.as_deref(), x.len());
    Ok(match ending(path).as_str() {
        "npy" => npy::vector_bytes(x),
        "json" => {
            let number =
                |value: &f64| serde_json::Number::from_f64(*value).map_or(Value::Null, Value::Number);
            let named: Map<String, Value> = names.into_iter().zip(x.iter().map(number)).collect();
            (serde_json::to_string_pretty(&named)? + "\n").into()
        }
        _ => {
            let mut text = "name,value\n".to_owned();
            for (name, value) in names.iter().zip(x) {
                text.push_str(&format!("{},{value:?}\n", quoted(name)));
            }
            text.into()
        }
    })
}

/// A cell of CSV.
pub(crate) fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{check, quoted};
    use std::path::Path;

    #[test]
    fn endings_and_cells() {
        for name in ["x.csv", "x.json", "x.npy", "-"] {
            assert!(check(Path::new(name)).is_ok(), "{name}");
        }
        for name in ["x", "x.txt", "x.mtx", "x.csv.bak"] {
            assert!(check(Path::new(name)).is_err(), "{name}");
        }
        assert_eq!([quoted("age"), quoted("a,\"b\"")], ["age", "\"a,\"\"b\"\"\""]);
    }
}
