//! `ufcm compare`: several methods on one problem, in one table, one picture and one CSV file.

mod picture;

use crate::arguments::CompareOptions;
use crate::console::{Console, say};
use crate::failure::{Exit, Failure, Outcome};
use crate::interrupt;
use crate::load::{ending, load};
use crate::number::scientific;
use crate::output::{Named, Output, refuse_clashes};
use std::path::PathBuf;
use ufcm::budget::Budget;
use ufcm::problem::Problem;
use ufcm::report::{Control, Progress, Report, Status};
use ufcm::settings::{MethodRule, Settings};

/// The reference is solved to this part of the tolerance.
const FINER: f64 = 1e-3;
/// ... and at most to this tolerance.
const FINEST: f64 = 1e-10;

/// Where a method stands after a step.
#[derive(Debug, Clone, Copy)]
struct Point {
    gradients: usize,
    inner_steps: usize,
    seconds: f64,
    objective: f64,
    lower_bound: f64,
    violation: f64,
    /// The larger of |objective - optimum|/max(1, |optimum|) and the violation.
    error: f64,
}

/// What a method did, or why it did nothing.
struct Run {
    method: MethodRule,
    outcome: Result<Report, String>,
    points: Vec<Point>,
}

/// Runs all methods, shows what they took, and writes what was asked for.
pub(crate) fn compare(options: &CompareOptions, console: &mut Console) -> Outcome {
    let methods = methods(&options.methods)?;
    let settings = options.limits.settings();
    settings.validate().map_err(|error| Failure::new(error.to_string()))?;
    let budget = Budget::unlimited();
    let outputs = open(options, &budget)?;
    let loaded = load(&options.problem, &budget)?;
    let problem = &loaded.problem;
    interrupt::stop_with(budget.stop_flag());
    let optimum = optimum(problem, &settings, &budget)?;
    say!(console, "problem    {} ({})", loaded.description.name, loaded.description.file);
    say!(console, "optimum    {}, as the default method finds it", scientific(optimum, 9));
    say!(console);
    let heads = ["method", "status", "gradients", "inner steps", "error", "before", "seconds"];
    let [method, status, gradients, inner, error, before, seconds] = heads;
    say!(console, "{method:<15}{status:<17}{gradients:>11}{inner:>13}{error:>11}{before:>9}{seconds:>10}");
    let mut runs = Vec::new();
    for method in methods {
        let run = Run::of(problem, &Settings { method, ..settings.clone() }, &budget, optimum);
        run.tell(console);
        runs.push(run);
    }
    for output in outputs {
        let content = match output.word() {
            "--csv" => table(&runs),
            _ => picture::draw(&loaded.description.name, &runs),
        };
        output.write(content.into())?;
    }
    let done = runs.iter().any(|run| run.outcome.is_ok());
    Ok(if done { Exit::Success } else { Exit::BadInput })
}

/// The methods by their names.
fn methods(names: &[String]) -> Outcome<Vec<MethodRule>> {
    let method = |name: &String| MethodRule::from_name(name).map_err(Failure::new);
    names.iter().map(method).collect()
}

fn open(options: &CompareOptions, budget: &Budget) -> Outcome<Vec<Output>> {
    let named = |(word, path): (&str, &Option<PathBuf>)| Some(Named::new(word, path.as_ref()?));
    let names: Vec<Named> =
        [("--csv", &options.csv), ("--plot", &options.plot)].into_iter().filter_map(named).collect();
    if let Some(path) = options.plot.as_deref().filter(|path| ending(path) != "svg") {
        return Err(Failure::in_file(path, "--plot writes SVG; give a name that ends in .svg"));
    }
    names.iter().try_for_each(|name| name.check_stdout_is_for("nothing"))?;
    refuse_clashes(&names, &[Named::new("the problem file", &options.problem.problem)])?;
    names.into_iter().map(|name| Output::open(name, budget)).collect()
}

/// The optimal value, by the default method: the middle of its bounds, or the objective where there are none.
fn optimum(problem: &Problem, settings: &Settings, budget: &Budget) -> Outcome<f64> {
    let eps_rel = (FINER * settings.eps_rel).max(FINEST);
    let settings = Settings {
        method: MethodRule::Auto,
        eps_rel,
        eps_feas: (FINER * settings.eps_feas).max(FINEST),
        max_gradients: None,
        ..settings.clone()
    };
    let report = problem.solve_within(&settings, budget, &mut |_| Control::Continue)?;
    match report.status {
        Status::Certified => Ok(0.5 * (report.objective + report.lower_bound)),
        Status::Solved | Status::PrecisionLimit => Ok(report.objective),
        status => {
            let message = format!(
                "methods are compared by their distance from the optimum, and none was found: {status}"
            );
            Err(Failure::new(message))
        }
    }
}

impl Run {
    fn of(problem: &Problem, settings: &Settings, budget: &Budget, optimum: f64) -> Self {
        let mut points = Vec::new();
        let outcome = problem.solve_within(settings, budget, &mut |now: &Progress<'_>| {
            if !now.prelude {
                let record = &now.record;
                let off = (record.objective - optimum).abs() / optimum.abs().max(1.0);
                points.push(Point {
                    gradients: record.counts.gradients,
                    inner_steps: record.counts.newton_steps,
                    seconds: record.seconds,
                    objective: record.objective,
                    lower_bound: record.lower_bound,
                    violation: record.violation,
                    error: off.max(record.violation),
                });
            }
            Control::Continue
        });
        Self { method: settings.method, outcome: outcome.map_err(|error| error.to_string()), points }
    }

    fn tell(&self, console: &mut Console) {
        let name = self.method.name();
        let report = match &self.outcome {
            Ok(report) => report,
            Err(refusal) => {
                say!(console, "{name:<15}{refusal}");
                return;
            }
        };
        let error = self.points.last().map_or_else(|| "-".to_owned(), |point| scientific(point.error, 2));
        let before = report.prelude.map_or(0, |before| before.counts.gradients);
        say!(
            console,
            "{name:<15}{:<17}{:>11}{:>13}{error:>11}{before:>9}{:>10.3}",
            report.status.to_string(),
            report.counts.gradients,
            report.counts.newton_steps,
            report.seconds
        );
    }
}

/// Every step of every method.
fn table(runs: &[Run]) -> String {
    let mut text =
        "method,step,gradients,inner_steps,seconds,objective,lower_bound,violation,error\n".to_owned();
    for run in runs {
        for (step, point) in run.points.iter().enumerate() {
            let Point { gradients, inner_steps, seconds, objective, lower_bound, violation, error } = point;
            text.push_str(&format!(
                "{},{},{gradients},{inner_steps},{seconds:.6},{objective:e},{lower_bound:e},{violation:e},{error:e}\n",
                run.method.name(),
                step + 1
            ));
        }
    }
    text
}
