//! `scripts/figures [curvature]`: what the default solver needs on given instances, next to what it must not exceed.
//!
//! "solution": gradients until objective error and violation, at the point that the solver would return, are both within the
//! tolerance (relative to max(1, |p*|), from 0). "certified": gradients until the solver, which does not know p*, has proven a
//! relative gap of the tolerance. All but the time are counts, the same on every run. Ends with status 1 and a list of what is
//! missed, if anything is.

#[path = "figures/archive.rs"]
mod archive;
#[path = "figures/curvature.rs"]
mod curvature;
#[path = "figures/instances.rs"]
mod instances;
#[path = "figures/runs.rs"]
mod runs;
#[path = "figures/seeded.rs"]
mod seeded;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, suite, names @ ..] = arguments.as_slice() else {
        return Err(
            "usage: figures FOLDER seeded|curvature [NAME...]; `scripts/figures` writes the instances".into(),
        );
    };
    let missed = match suite.as_str() {
        "seeded" => seeded::figures(Path::new(folder))?,
        "curvature" => curvature::figures(Path::new(folder), names)?,
        _ => return Err(format!("{suite}: no such suite").into()),
    };
    if missed.is_empty() {
        println!("\nall figures are met");
        return Ok(ExitCode::SUCCESS);
    }
    println!("\nMISSED:");
    missed.iter().for_each(|line| println!("  {line}"));
    Ok(ExitCode::FAILURE)
}
