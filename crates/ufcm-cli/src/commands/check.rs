//! `ufcm check`: every oracle of a problem is held to its laws.

use crate::arguments::CheckOptions;
use crate::console::{Console, say};
use crate::failure::{Exit, Failure, Outcome};
use crate::load::load;
use crate::number::{counted, scientific};
use ufcm::audit::{self, AuditOptions, Finding};
use ufcm::budget::Budget;
use ufcm::certificate::Premise;
use ufcm::error::DataError;
use ufcm::oracle::Weight;
use ufcm::problem::Problem;

/// Audits the components, composers and the regulariser of a problem.
pub(crate) fn check(options: &CheckOptions, console: &mut Console) -> Outcome {
    let loaded = load(&options.problem, &Budget::unlimited())?;
    let problem = &loaded.problem;
    let audit = AuditOptions {
        seed: options.seed,
        radius: options.radius,
        quick: options.quick,
        ..AuditOptions::default()
    };
    say!(console, "problem    {} ({})", loaded.description.name, loaded.description.file);
    let (variables, rows) = (counted(problem.dimension(), "variable"), counted(problem.rows(), "row"));
    say!(console, "           {variables}, {rows}");
    loaded.notes.iter().for_each(|note| say!(console, "note       {note}"));
    start(problem, console)?;
    let mut faults = 0;
    let mut tell = |name: &str, kind: &str, findings: Result<Vec<Finding>, DataError>| -> Outcome<()> {
        let findings = findings?;
        let verdict = if findings.is_empty() { "ok" } else { "WRONG" };
        say!(console, "{verdict:<10} {name} ({kind})");
        findings.iter().for_each(|finding| say!(console, "           {finding}"));
        faults += findings.len();
        Ok(())
    };
    for (row, name) in problem.row_names().iter().enumerate() {
        if let Some(component) = problem.component(row) {
            tell(name, component.kind(), audit::component(component, &audit))?;
        }
    }
    for (rows, composer) in problem.parts() {
        tell(
            &format!("composer of {}", problem.row_names()[rows.start]),
            composer.kind(),
            audit::composer(composer, &audit),
        )?;
    }
    let regulariser = problem.regulariser();
    tell("regulariser", regulariser.kind(), audit::regulariser(regulariser, problem.dimension(), &audit))?;
    if faults == 0 {
        say!(console, "no fault found");
        return Ok(Exit::Success);
    }
    say!(console, "{faults} faults found; each comes with points at which it can be seen");
    Ok(Exit::Trouble)
}

/// What can be told at the start of a run: violation, and what a bound would rest on.
fn start(problem: &Problem, console: &mut Console) -> Outcome<()> {
    let mut x = vec![0.0; problem.dimension()];
    if !problem.regulariser().value(&x).is_finite() {
        problem.regulariser().prox(Weight::scalar(1.0), &mut x)?;
    }
    let violation = problem.violation(&x).map_err(|error| named(problem, &error))?;
    say!(console, "start      violation {}", scientific(violation, 2));
    let premise = Premise::implied(problem, &x).map_err(|error| named(problem, &error))?;
    match premise {
        Premise::None => {
            say!(console, "bounds     the domain is not bounded; if solve proves no gap, give it a --radius")
        }
        premise => say!(console, "bounds     rest on {premise}"),
    }
    Ok(())
}

fn named(problem: &Problem, error: &ufcm::oracle::OracleError) -> Failure {
    match error {
        ufcm::oracle::OracleError::InRow { row, source } => {
            Failure::new(format!("{} at the start: {source}", problem.row_names()[*row]))
        }
        other => Failure::new(other.to_string()),
    }
}
