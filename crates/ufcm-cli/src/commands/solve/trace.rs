//! The trace of a published method as a file: JSON, one line for each iteration, or CSV.

use crate::failure::{Failure, Outcome};
use crate::load::ending;
use std::path::Path;
use ufcm::report::TraceRecord;

/// Refuses names of other formats.
pub(super) fn check(path: &Path) -> Outcome<()> {
    match ending(path).as_str() {
        "jsonl" | "csv" => Ok(()),
        _ => Err(Failure::in_file(
            path,
            "--trace writes JSON lines or CSV; give a name that ends in .jsonl or .csv",
        )),
    }
}

/// The trace in the format that the name of its file says.
pub(super) fn text(path: &Path, trace: &[TraceRecord]) -> Outcome<String> {
    if ending(path) == "csv" {
        let lines = trace.iter().map(|record| record.cells().join(","));
        let all: Vec<String> = std::iter::once(TraceRecord::COLUMNS.join(",")).chain(lines).collect();
        return Ok(all.join("\n") + "\n");
    }
    let lines = trace.iter().map(serde_json::to_string).collect::<Result<Vec<String>, _>>()?;
    Ok(lines.iter().map(|line| format!("{line}\n")).collect())
}
