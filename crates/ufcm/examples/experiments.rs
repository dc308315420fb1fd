//! `cargo run --release -p ufcm --example experiments -- [--quick] [--only NAME] [--out FOLDER]`: experiments about the published method
//! that nobody has published. Writes the tables of FOLDER/experiments.md between their marks, and FOLDER/experiments/NAME.svg and .csv;
//! FOLDER is docs, or target/experiments for the quick form. All numbers are counts from seeded instances: the same on every run.
//!
//! Ends with status 1 and a list of what was promised and not kept, if anything was.

#[path = "experiments/mod.rs"]
mod experiments;
#[path = "../tests/planted/mod.rs"]
mod planted;

use experiments::{EXPERIMENTS, Effort, Experiment, Outcome, Sheet, document};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: experiments [--quick] [--only NAME] [--out FOLDER]";

struct Arguments {
    effort: Effort,
    only: Option<String>,
    folder: PathBuf,
}

impl Arguments {
    fn read(mut given: impl Iterator<Item = String>) -> Outcome<Self> {
        let (mut effort, mut only, mut folder) = (Effort::Full, None, None);
        while let Some(argument) = given.next() {
            let mut value = || given.next().ok_or_else(|| format!("{argument} asks for a value; {USAGE}"));
            match argument.as_str() {
                "--quick" => effort = Effort::Quick,
                "--only" => only = Some(value()?),
                "--out" => folder = Some(PathBuf::from(value()?)),
                _ => return Err(format!("{argument}: no such argument; {USAGE}").into()),
            }
        }
        let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        let usual = repository.join(effort.choose("target/experiments", "docs"));
        Ok(Self { effort, only, folder: folder.unwrap_or(usual) })
    }

    /// The experiments that were asked for.
    fn chosen(&self) -> Outcome<Vec<&'static Experiment>> {
        let Some(only) = &self.only else { return Ok(EXPERIMENTS.iter().collect()) };
        let names = || EXPERIMENTS.iter().map(|experiment| experiment.name).collect::<Vec<_>>().join(", ");
        let chosen = EXPERIMENTS.iter().find(|experiment| experiment.name == only);
        Ok(vec![chosen.ok_or_else(|| format!("{only}: no such experiment; there are {}", names()))?])
    }
}

fn main() -> Outcome<ExitCode> {
    let arguments = Arguments::read(std::env::args().skip(1))?;
    let pictures = arguments.folder.join("experiments");
    std::fs::create_dir_all(&pictures)?;
    let path = arguments.folder.join("experiments.md");
    let mut broken = Vec::new();
    for Experiment { name, run } in arguments.chosen()? {
        println!("== {name}\n");
        let sheets = run(arguments.effort)?;
        sheets.iter().for_each(|sheet| println!("{}", document::markdown(sheet)));
        broken.extend(sheets.iter().flat_map(Sheet::broken));
        std::fs::write(pictures.join(format!("{name}.svg")), document::picture(&sheets))?;
        std::fs::write(pictures.join(format!("{name}.csv")), document::csv(&sheets))?;
        // After each, so that a run that is stopped leaves what it has found.
        let document = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::write(&path, document::replace(&document, name, &document::section(name, &sheets))?)?;
    }
    println!("wrote {}", path.canonicalize()?.display());
    if broken.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("\nPROMISED AND NOT KEPT:");
    broken.iter().for_each(|line| println!("  {line}"));
    Ok(ExitCode::FAILURE)
}
