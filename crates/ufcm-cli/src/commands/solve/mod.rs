//! `ufcm solve`.

mod answer;
mod files;
mod rescue;
mod show;
pub(crate) mod solution;
mod start;
mod trace;

use crate::answer::Answer;
use crate::arguments::{ConstantOptions, SolveOptions};
use crate::commands::predict::model;
use crate::console::{Console, complain, say};
use crate::course::Course;
use crate::failure::{Failure, Outcome};
use crate::heartbeat::Heartbeat;
use crate::interrupt;
use crate::load::{Loaded, load_over};
use crate::panics::caught;
use crate::progress::{Progress, Table};
use crate::ranks::Ranks;
use crate::record::{Made, RunRecord};
use files::Files;
use rescue::{internal_error, saved};
use serde::Deserialize;
use std::path::PathBuf;
use ufcm::budget::Budget;
use ufcm::report::{Control, Report};
use ufcm::settings::{Constants, Settings};
use ufcm::theory::measure::SaddlePoint;
use ufcm_io::Source;

/// Solves a problem, shows how it goes, and writes what was asked for.
pub(crate) fn solve(options: &SolveOptions, console: &mut Console) -> Outcome {
    if !options.mpi {
        return solve_here(options, None, console);
    }
    let ranks = Ranks::start()?;
    let options = ranks.options(options);
    let outcome = caught(|| solve_here(&options, Some(&ranks), console));
    match outcome.unwrap_or_else(|sentence| Err(Failure::internal(sentence))) {
        Ok(exit) => Ok(exit),
        Err(failure) => ranks.abort(&failure),
    }
}

/// Solves a problem, by itself or as one of several ranks.
fn solve_here(options: &SolveOptions, ranks: Option<&Ranks>, console: &mut Console) -> Outcome {
    let limit = options.limits.settings().time_limit;
    let budget = limit.map_or_else(Budget::unlimited, |seconds| Budget::unlimited().with_time(seconds));
    let mut files = Files::open(options, &budget)?;
    let heartbeat = (!options.quiet).then(|| Heartbeat::on_terminal(&budget)).flatten();
    let loaded = load_over(&options.problem, &budget, ranks.map(Ranks::link))?;
    if let Some(heartbeat) = &heartbeat {
        heartbeat.clear();
    }
    files.refuse_data(&loaded.files)?;
    if let Some(path) = options.model.as_deref() {
        model::check(path, &loaded)?;
    }
    files.reserve(&loaded.problem)?;
    let settings = settings(options, &loaded, &budget)?;
    let hidden = options.quiet || files.stdout_is_taken();
    let mut silent = Console::stdout();
    silent.silence();
    let shown: &mut Console = if hidden { &mut silent } else { console };
    show::banner(shown, &loaded.description, &settings, &loaded.notes);
    // From here on there is something to write, however the run ends.
    interrupt::stop_with(budget.stop_flag());
    let mut course = files.are_drawn().then(|| Course::new(loaded.problem.rows()));
    let follower = Follower { options, course: course.as_mut(), heartbeat };
    let report = follower.run(&loaded, &settings, &budget, shown)?;
    let mut notes = loaded.notes;
    notes.extend(ranks.map(Ranks::told));
    notes.extend(report.prelude.as_ref().map(|before| show::prelude(&report, before)));
    notes.extend(report.constants.as_ref().map(|constants| format!("constants: {constants}")));
    let mut record = RunRecord::new(loaded.description, settings, report, notes);
    record.prepared = loaded.preparation;
    record.losses = loaded.losses;
    record.variables = loaded.prepared;
    record.files = loaded.files;
    record.made = Some(Made::now());
    record.answer = Answer::of(&loaded.problem, &record);
    show::conclusion(shown, &record);
    if let Some(ranks) = ranks {
        say!(shown, "ranks        {}", ranks.told());
    }
    let written = files.write(&loaded.problem, &record, course, console);
    if console.has_failed() || (hidden && written.is_err()) {
        show::conclusion(&mut Console::stderr(), &record);
    }
    match internal_error(&record.report) {
        // Of two mistakes ours is the worse.
        Some(sentence) => {
            written.err().iter().for_each(complain);
            Err(Failure::internal(sentence.to_owned()))
        }
        None => written.map(|()| record.report.status.into()),
    }
}

fn settings(options: &SolveOptions, loaded: &Loaded, budget: &Budget) -> Result<Settings, Failure> {
    let problem = &loaded.problem;
    let vector = |path: &Option<PathBuf>, n: usize, of: &str| {
        path.as_deref().map(|path| start::vector(path, (n, of), budget)).transpose()
    };
    let x0 = options.x0.as_deref().map(|path| start::point(path, loaded, budget)).transpose()?;
    let multipliers0 = options.multipliers0.as_deref();
    let multipliers0 = multipliers0.map(|path| start::multipliers(path, loaded, budget)).transpose()?;
    let constants = constants(&options.constants)?;
    let x_star = vector(&options.x_star, problem.dimension(), "variables")?;
    let lambda_star = vector(&options.lambda_star, problem.rows(), "rows, the objective's first")?;
    let saddle = x_star.zip(lambda_star).map(|(x, multipliers)| SaddlePoint::new(problem, x, multipliers));
    let saddle = saddle.transpose().map_err(|error| Failure::new(error.to_string()))?;
    let trace = options.trace.is_some();
    let settings = Settings { x0, multipliers0, constants, trace, saddle, ..options.limits.settings() };
    settings.validate().map_err(|error| {
        let told = error.to_string().replace('_', "-");
        Failure::new(told.replace("settings: the ", "the ").replace("settings: ", "option --"))
    })?;
    Ok(settings)
}

/// What the options say, and for the rest what a file of an earlier run says.
fn constants(options: &ConstantOptions) -> Result<Constants, Failure> {
    /// A summary or a certificate, as far as it matters here.
    #[derive(Deserialize)]
    struct Earlier {
        constants: Option<Constants>,
    }
    let given = options.constants().map_err(Failure::new)?;
    let Some(path) = options.constants.as_deref() else { return Ok(given) };
    let source = Source::open(path)?;
    let told: Earlier =
        serde_json::from_str(source.text()?).map_err(|error| Failure::in_file(path, error))?;
    let earlier = told.constants.ok_or_else(|| {
        Failure::in_file(
            path,
            "it has no constants; summaries and certificates of published methods have some",
        )
    })?;
    Ok(given.or(&earlier))
}

/// Who follows a run: the screen, and what is drawn afterwards.
struct Follower<'f> {
    options: &'f SolveOptions,
    course: Option<&'f mut Course>,
    heartbeat: Option<Heartbeat>,
}

impl Follower<'_> {
    fn run(
        mut self,
        loaded: &Loaded,
        settings: &Settings,
        budget: &Budget,
        console: &mut Console,
    ) -> Result<Report, Failure> {
        let mut progress = match (self.options.quiet, self.heartbeat.is_some() && !self.options.verbose) {
            (true, _) => Progress::Silent,
            (false, true) => {
                let least = |tolerance: f64| tolerance.clamp(1e-16, 0.5);
                Progress::Live([settings.eps_rel, settings.eps_feas].map(least))
            }
            (false, false) => Progress::Table(Table::new(console, loaded.description.sense)),
        };
        let heartbeat = self.heartbeat.as_ref();
        let report = saved(&loaded.problem, settings, budget, |kept| {
            loaded.problem.solve_within(settings, budget, &mut |now| {
                kept.step(now);
                // What finds the constants of a published method is no part of its course.
                if !now.prelude {
                    progress.step(&now.record, heartbeat);
                    if let Some(course) = &mut self.course {
                        course.step(now);
                    }
                }
                Control::Continue
            })
        });
        progress.end(heartbeat);
        Ok(report?)
    }
}

/// The last failure; those before it are told at once.
fn all_of(outcomes: impl IntoIterator<Item = Outcome<()>>) -> Outcome<()> {
    let mut failures: Vec<Failure> = outcomes.into_iter().filter_map(Result::err).collect();
    let last = failures.pop();
    failures.iter().for_each(complain);
    last.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use crate::failure::Exit;
    use ufcm::report::Status;

    #[test]
    fn statuses_have_their_exit_codes() {
        let codes = [
            (Status::Certified, 0),
            (Status::Solved, 0),
            (Status::IterationLimit, 1),
            (Status::TimeLimit, 1),
            (Status::Interrupted, 1),
            (Status::Infeasible, 2),
            (Status::Unbounded, 2),
            (Status::NumericalError, 4),
        ];
        for (status, code) in codes {
            assert_eq!(Exit::from(status) as u8, code, "{status}");
        }
    }
}
