//! Solves every linear and quadratic program of a folder and prints one line for each.
//!
//! ```text
//! cargo run --release -p ufcm-io --example lp_qp -- FOLDER [--tolerance 1e-6] [--feasibility 1e-6] [--seconds 10]
//!         [--method auto] [--at-least 20] [--gradients N] [--only NAME] [--without-reference]
//! ```
//!
//! It reads .mps, .qps and .npz files (plain or .gz) that the repository does not carry: the Netlib LPs as MPS, the
//! Maros-Meszaros QPs as QPS or as archives (`archive.rs` tells which arrays).
//!
//! What is printed of a solution is worked out here from x and the multipliers that came back (`kkt.rs`), not taken from
//! the solver, and the objective is compared with the optimum that Clarabel, an interior-point solver, finds
//! (`reference.rs`). The command fails if a status is false, or if fewer than `--at-least` programs are solved.
//!
//! A status is false where a success violates a row by more than the tolerance or has an objective that is off by more than ten
//! times the tolerance, where Solved comes with a relative error above the tolerance, Certified with a certificate that does not
//! verify or a bound above the optimum, Infeasible or Unbounded where there is an optimum.

mod archive;
mod kkt;
mod reference;

use kkt::Errors;
use std::error::Error;
use std::path::{Path, PathBuf};
use ufcm::report::{Report, Status};
use ufcm::settings::{MethodRule, Settings};
use ufcm_io::{Program, Source, mps};

/// How well the reference's optimum is known, relative to 1 + |optimum|.
const REFERENCE_ACCURACY: f64 = 1e-6;

struct Arguments {
    folder: PathBuf,
    tolerance: f64,
    feasibility: f64,
    method: MethodRule,
    seconds: f64,
    gradients: Option<usize>,
    at_least: usize,
    only: Option<String>,
    reference: bool,
}

impl Arguments {
    fn parse() -> Result<Self, Box<dyn Error>> {
        let mut words = std::env::args().skip(1);
        let folder = words.next().ok_or("which folder?")?.into();
        let mut arguments = Self {
            folder,
            tolerance: 1e-6,
            feasibility: 1e-6,
            method: MethodRule::Auto,
            seconds: 10.0,
            gradients: None,
            at_least: 0,
            only: None,
            reference: true,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--tolerance" => arguments.tolerance = value()?.parse()?,
                "--feasibility" => arguments.feasibility = value()?.parse()?,
                "--method" => arguments.method = MethodRule::from_name(&value()?)?,
                "--gradients" => arguments.gradients = Some(value()?.parse()?),
                "--seconds" => arguments.seconds = value()?.parse()?,
                "--at-least" => arguments.at_least = value()?.parse()?,
                "--only" => arguments.only = Some(value()?),
                "--without-reference" => arguments.reference = false,
                _ => return Err(format!("what is {word}?").into()),
            }
        }
        Ok(arguments)
    }

    /// The programs to solve, by name.
    fn paths(&self) -> Result<Vec<(String, PathBuf)>, Box<dyn Error>> {
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let mut parts = file.trim_end_matches(".gz").rsplitn(2, '.');
            let (ending, name) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let wanted = self.only.as_ref().is_none_or(|only| only == name);
            if wanted && matches!(ending, "mps" | "qps" | "npz") {
                paths.push((name.to_owned(), path));
            }
        }
        paths.sort();
        Ok(paths)
    }
}

/// A program with its solution.
struct Outcome {
    report: Report,
    errors: Errors,
    optimum: Option<f64>,
    /// What is false about the status.
    objection: Option<&'static str>,
}

impl Outcome {
    fn of(program: &Program, arguments: &Arguments) -> Result<Self, Box<dyn Error>> {
        let problem = program.to_problem()?;
        let settings = Settings {
            eps_rel: arguments.tolerance,
            eps_feas: arguments.feasibility,
            time_limit: Some(arguments.seconds),
            max_gradients: arguments.gradients,
            method: arguments.method,
            ..Settings::default()
        };
        let report = problem.solve(&settings)?;
        let errors = Errors::of(program, &report.x, &kkt::multipliers(program, &report.multipliers));
        let optimum = if arguments.reference { reference::optimum(program) } else { None };
        let verified = report.certificate.as_ref().is_some_and(|proof| {
            let gap = settings.eps_abs + settings.eps_rel * report.objective.abs().max(1.0);
            // The verifier charges for rounding what the solver does not.
            proof.verify(&problem).is_ok_and(|proven| report.objective - proven.lower <= 1.01 * gap)
        });
        let room = optimum.map_or(0.0, |optimum: f64| REFERENCE_ACCURACY * (1.0 + optimum.abs()));
        let off = optimum.map_or(0.0, |optimum| (report.objective - optimum).abs());
        let objection = match report.status {
            status if status.is_success() && errors.violation > arguments.feasibility => Some("violated"),
            status
                if status.is_success()
                    && off > 10.0 * arguments.tolerance * report.objective.abs().max(1.0) + room =>
            {
                Some("objective off the optimum")
            }
            Status::Solved if !errors.are_within(arguments.tolerance, arguments.feasibility) => {
                Some("error above tolerance")
            }
            Status::Certified if !verified => Some("certificate does not verify"),
            Status::Certified if optimum.is_some_and(|p| report.lower_bound > p + room) => {
                Some("bound above the optimum")
            }
            Status::Infeasible | Status::Unbounded if optimum.is_some() => Some("there is an optimum"),
            _ => None,
        };
        Ok(Self { report, errors, optimum, objection })
    }

    /// Within the tolerances by the errors that were worked out here.
    fn is_solved(&self, arguments: &Arguments) -> bool {
        let within = self.errors.are_within(arguments.tolerance, arguments.feasibility);
        self.report.status.is_success() && within
    }

    fn print(&self, name: &str, program: &Program) {
        let Errors { primal, dual, gap, violation, objective } = self.errors;
        let beside = self.optimum.map_or_else(
            || "-".to_owned(),
            |optimum| format!("{:+.1e}", (objective - optimum) / (1.0 + optimum.abs())),
        );
        println!(
            "{name:12} {:6} {:6} {:8} {:7.2} {primal:8.1e} {dual:8.1e} {gap:8.1e} {violation:8.1e} {objective:14.6e} {beside:>9} {} by {} {}",
            program.rows.len(),
            program.variables.len(),
            self.report.counts.gradients,
            self.report.seconds,
            self.report.status,
            self.report.methods.join(", "),
            self.objection.map_or(String::new(), |objection| format!("FALSE: {objection}")),
        );
    }
}

fn read(path: &Path) -> Result<Program, Box<dyn Error>> {
    let source = Source::open(path)?;
    if path.extension().is_some_and(|ending| ending == "npz") {
        return archive::program(source);
    }
    Ok(mps::read(&source, &mps::Options::default())?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse()?;
    println!(
        "{:12} {:>6} {:>6} {:>8} {:>7} {:>8} {:>8} {:>8} {:>8} {:>14} {:>9} status",
        "name",
        "rows",
        "cols",
        "gradient",
        "seconds",
        "primal",
        "dual",
        "gap",
        "violated",
        "objective",
        "- optimum"
    );
    let (mut solved, mut unsolved, mut refused, mut failures) = (0, Vec::new(), Vec::new(), Vec::new());
    for (name, path) in arguments.paths()? {
        let program = read(&path)?;
        match Outcome::of(&program, &arguments) {
            Ok(outcome) => {
                outcome.print(&name, &program);
                if outcome.objection.is_some() {
                    failures.push(name);
                } else if outcome.is_solved(&arguments) {
                    solved += 1;
                } else {
                    unsolved.push(name);
                }
            }
            Err(error) => {
                println!("{name:12} refused: {error}");
                refused.push(name);
            }
        }
    }
    println!(
        "\n{solved} solved to a relative error of {:e} within {} s",
        arguments.tolerance, arguments.seconds
    );
    println!("{} not solved: {}", unsolved.len(), unsolved.join(", "));
    println!("{} refused: {}", refused.len(), refused.join(", "));
    println!("{} false statuses: {}", failures.len(), failures.join(", "));
    if !failures.is_empty() || solved < arguments.at_least {
        return Err(
            format!("{solved} solved of at least {}, {} false", arguments.at_least, failures.len()).into()
        );
    }
    Ok(())
}
