//! `ufcm solve`.

use crate::arguments::SolveOptions;
use crate::console::{Console, complain, say};
use crate::course::Course;
use crate::failure::{Failure, Outcome};
use crate::heartbeat::Heartbeat;
use crate::interrupt;
use crate::load::{Loaded, ending, load};
use crate::number::scientific;
use crate::output;
use crate::progress::{Progress, Table};
use crate::record::{Description, RunRecord};
use crate::report::{page, picture};
use crate::sense::Values;
use crate::summary::{Proof, summary};
use std::path::{Path, PathBuf};
use ufcm::budget::Budget;
use ufcm::problem::Problem;
use ufcm::report::{Control, Prelude, Report, Status};
use ufcm::settings::Settings;
use ufcm::summary::Multiplier;
use ufcm_io::{Source, npy};

/// How many multipliers are shown.
const SHOWN: usize = 20;

/// Solves a problem, shows how it goes, and writes what was asked for.
pub(crate) fn solve(options: &SolveOptions, console: &mut Console) -> Outcome {
    let files = [&options.json, &options.solution, &options.certificate, &options.report, &options.plot];
    options.plot.as_deref().map_or(Ok(()), check_plot)?;
    files.into_iter().flatten().filter(|path| !is_stdout(path)).try_for_each(|path| output::check(path))?;
    let budget = options
        .limits
        .settings()
        .time_limit
        .map_or_else(Budget::unlimited, |seconds| Budget::unlimited().with_time(seconds));
    interrupt::listen(budget.stop_flag())?;
    let heartbeat = (!options.quiet).then(|| Heartbeat::on_terminal(&budget)).flatten();
    let loaded = load(&options.problem, &budget)?;
    if let Some(heartbeat) = &heartbeat {
        heartbeat.clear();
    }
    let settings = settings(options, loaded.problem.dimension())?;
    let json_only = options.json.as_deref().is_some_and(is_stdout);
    let mut silent = Console::stdout();
    silent.silence();
    let shown: &mut Console = if options.quiet || json_only { &mut silent } else { console };
    banner(shown, &loaded.description, &settings, &loaded.notes);
    let drawn = options.report.is_some() || options.plot.is_some();
    let mut course = drawn.then(|| Course::new(loaded.problem.rows()));
    let follower = Follower { options, course: course.as_mut(), heartbeat };
    let report = follower.run(&loaded, &settings, &budget, shown)?;
    let mut notes = loaded.notes;
    notes.extend(report.prelude.as_ref().map(|before| prelude(&report, before)));
    let record = RunRecord { description: loaded.description, settings, report, notes };
    conclusion(shown, &record);
    let written = [
        write_files(options, &record, console),
        course.map_or(Ok(()), |course| draw(options, &loaded.problem, &record, course)),
    ];
    all_of(written)?;
    Ok(record.report.status.into())
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn settings(options: &SolveOptions, n: usize) -> Result<Settings, Failure> {
    let x0 = options.x0.as_deref().map(|path| start(path, n)).transpose()?;
    let settings = Settings { x0, ..options.limits.settings() };
    settings.validate().map_err(|error| {
        Failure::new(error.to_string().replace('_', "-").replace("settings: ", "option --"))
    })?;
    Ok(settings)
}

fn start(path: &Path, n: usize) -> Result<Vec<f64>, Failure> {
    let array = npy::read(&Source::open(path)?)?;
    let x0 = array.into_vector().map_err(|fault| Failure::in_file(path, fault))?;
    if x0.len() != n {
        return Err(Failure::in_file(
            path,
            format!("it has {} numbers; the problem has {n} variables", x0.len()),
        ));
    }
    if let Some(i) = x0.iter().position(|v| !v.is_finite()) {
        return Err(Failure::in_file(path, format!("entry {i} is {}; it must be a finite number", x0[i])));
    }
    Ok(x0)
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
            (false, true) => Progress::Live(settings.eps_rel.max(1e-16)),
            (false, false) => Progress::Table(Table::new(console, loaded.description.sense)),
        };
        let heartbeat = self.heartbeat.as_ref();
        let report = loaded.problem.solve_within(settings, budget, &mut |now| {
            // What finds the constants of a published method is no part of its course.
            if !now.prelude {
                progress.step(&now.record, heartbeat);
                if let Some(course) = &mut self.course {
                    course.step(now);
                }
            }
            Control::Continue
        })?;
        progress.end(heartbeat);
        Ok(report)
    }
}

fn banner(console: &mut Console, description: &Description, settings: &Settings, notes: &[String]) {
    say!(console, "ufcm {}: convex problems with a proven gap", env!("CARGO_PKG_VERSION"));
    say!(console);
    say!(console, "problem    {} ({})", description.name, description.file);
    let Description { variables, rows, regulariser, .. } = description;
    say!(console, "           {variables} variables, {rows} rows, regulariser and domain: {regulariser}");
    for block in &description.blocks {
        say!(console, "           {}: {block}", block.name);
    }
    let Settings { eps_rel, eps_abs, eps_feas, .. } = settings;
    say!(console, "settings   gap {eps_rel:e} relative + {eps_abs:e}, violation {eps_feas:e}");
    notes.iter().for_each(|note| say!(console, "note       {note}"));
    say!(console);
}

fn conclusion(console: &mut Console, record: &RunRecord) {
    let report = &record.report;
    say!(console);
    say!(console, "status       {}: {}", report.status, report.meaning());
    // Where no point is feasible, there is no value to speak of.
    if report.status != Status::Infeasible {
        values(console, record);
    }
    say!(console, "violation    {}", scientific(report.violation, 2));
    say!(console, "rests on     {}", record.premise());
    multipliers(console, &record.multipliers());
    if !report.methods.is_empty() {
        say!(console, "method       {}", report.methods.join(", then "));
    }
    let counts = &report.counts;
    say!(
        console,
        "work         {} gradients, {} values, {} Hessians, {} inner steps, {} restarts",
        counts.gradients,
        counts.values,
        counts.hessians,
        counts.newton_steps,
        counts.restarts
    );
    if counts.audit_gradients > 0 {
        let points = counts.audit_gradients;
        say!(console, "audit        {points} gradients beyond these, of what is not convex by construction");
    }
    if let Some(before) = &report.prelude {
        say!(console, "before       {}", prelude(report, before));
    }
    say!(console, "time         {:.3} s", report.seconds);
}

/// What finding the constants of a published method took, and what they promise.
fn prelude(report: &Report, before: &Prelude) -> String {
    let gradients = before.counts.gradients;
    match before.promised {
        Some(promised) => format!(
            "finding the constants took {gradients} gradients of the default method; they promise {promised} to suffice"
        ),
        None if report.counts.gradients > 0 => {
            format!("finding the constants took {gradients} gradients of the default method")
        }
        None => format!("the constants were not found in {gradients} gradients of the default method"),
    }
}

fn values(console: &mut Console, record: &RunRecord) {
    let report = &record.report;
    let values = Values::of(report, record.description.sense);
    say!(console, "objective    {}", scientific(values.objective, 9));
    say!(console, "lower bound  {}", bound(values.lower_bound));
    say!(console, "upper bound  {}", bound(values.upper_bound));
    if report.gap().is_finite() {
        let (gap, relative) = (scientific(report.gap(), 2), scientific(report.gap_rel(), 2));
        say!(console, "gap          {gap}, relative {relative}{}", below(report));
    }
}

fn bound(value: f64) -> String {
    if value.is_finite() { scientific(value, 9) } else { "none".into() }
}

/// Why a gap may be negative.
fn below(report: &Report) -> &'static str {
    if report.gap() < 0.0 { " (negative, since x violates the constraints a little)" } else { "" }
}

fn multipliers(console: &mut Console, multipliers: &[(String, Multiplier)]) {
    let mut title = "multipliers";
    for (name, multiplier) in multipliers.iter().take(SHOWN) {
        let value = match multiplier {
            Multiplier::One(value) => scientific(*value, 6),
            Multiplier::Many(values) => {
                let active = values.iter().filter(|l| **l != 0.0).count();
                format!("{} rows, {active} not 0", values.len())
            }
        };
        say!(console, "{title:<12} {name}: {value}");
        title = "";
    }
    if multipliers.len() > SHOWN {
        say!(console, "             and {} more (see --json)", multipliers.len() - SHOWN);
    }
}

/// Writes all files that were asked for, also after one has failed.
fn write_files(options: &SolveOptions, record: &RunRecord, console: &mut Console) -> Outcome<()> {
    let mut failures = Vec::new();
    if let Some(path) = &options.solution {
        failures.extend(output::write(path, &npy::vector_bytes(&record.report.x)).err());
    }
    if let Some(path) = &options.certificate {
        let written = match Proof::of(record) {
            Some(proof) => proof.text().and_then(|text| output::write(path, text.as_bytes())),
            None => Err(Failure::in_file(path, "not written: the run proved nothing")),
        };
        failures.extend(written.err());
    }
    if let Some(path) = &options.json {
        let written = summary(record).and_then(|text| match is_stdout(path) {
            true => {
                console.write(text.as_bytes());
                Ok(())
            }
            false => output::write(path, text.as_bytes()),
        });
        failures.extend(written.err());
    }
    all_of(failures.into_iter().map(Err))
}

/// Writes the page and the picture that were asked for, also after one has failed.
fn draw(options: &SolveOptions, problem: &Problem, record: &RunRecord, mut course: Course) -> Outcome<()> {
    course.end(&record.report);
    let page = |path: &PathBuf| output::write(path, page(problem, record, &course).as_bytes());
    let picture = |path: &PathBuf| output::write(path, picture(record, &course).as_bytes());
    all_of([options.report.as_ref().map_or(Ok(()), page), options.plot.as_ref().map_or(Ok(()), picture)])
}

/// Pictures are drawn as SVG; other formats take a program that draws it.
fn check_plot(path: &Path) -> Outcome<()> {
    match ending(path).as_str() {
        "svg" => Ok(()),
        _ => Err(Failure::in_file(
            path,
            "--plot writes SVG; give a name that ends in .svg (browsers and `rsvg-convert` make PNG and PDF of it)",
        )),
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
