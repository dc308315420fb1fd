//! The command `ufcm`.

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Solve convex problems made of unlike parts, with a proven gap.
#[derive(Debug, Parser)]
#[command(name = "ufcm", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Solve the problem in a file.
    Solve {
        /// The problem file (TOML).
        problem: PathBuf,
    },
}

fn main() -> ExitCode {
    let Arguments { command: Command::Solve { problem } } = Arguments::parse();
    eprintln!(
        "ufcm: not yet: {} was not read. The solver works as a Rust library (see the README); problem files are still \
         to come.",
        problem.display()
    );
    ExitCode::from(4)
}
