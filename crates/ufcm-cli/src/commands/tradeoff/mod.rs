//! `ufcm tradeoff`: the optimal value for all bounds of one constraint, or of two.

mod axis;
mod map;
mod picture;
mod surface;
mod told;

use crate::arguments::TradeoffOptions;
use crate::console::{Console, say};
use crate::constraints::{ConstraintRow, find};
use crate::failure::{Exit, Failure, Outcome};
use crate::heartbeat::Heartbeat;
use crate::interrupt;
use crate::load::{Loaded, ending, load};
use crate::number::scientific;
use crate::output::{Named, Output, refuse_clashes};
use std::path::PathBuf;
use told::Told;
use ufcm::budget::Budget;
use ufcm::problem::Problem;
use ufcm::report::{Control, Report, Status};
use ufcm::settings::Settings;
use ufcm::tradeoff::{Tradeoff, TradeoffError, TradeoffStatus};

/// Follows the curve, shows it, and writes what was asked for.
pub(crate) fn tradeoff(options: &TradeoffOptions, console: &mut Console) -> Outcome {
    let settings = options.settings();
    check(options, &settings)?;
    let limit = settings.time_limit;
    let budget = limit.map_or_else(Budget::unlimited, |seconds| Budget::unlimited().with_time(seconds));
    let outputs = open(options, &budget)?;
    let heartbeat = (!options.quiet).then(|| Heartbeat::on_terminal(&budget)).flatten();
    let loaded = load(&options.problem, &budget)?;
    refuse_data(&outputs, &loaded)?;
    let rows: Vec<ConstraintRow> = options
        .constraint
        .iter()
        .map(|name| find(&loaded.problem, &loaded.description, name))
        .collect::<Outcome<_>>()?;
    let hidden = options.quiet || outputs.iter().any(|output| output.path().as_os_str() == "-");
    let mut silent = Console::stdout();
    silent.silence();
    let shown: &mut Console = if hidden { &mut silent } else { console };
    say!(shown, "ufcm {}: convex problems with a proven gap", env!("CARGO_PKG_VERSION"));
    say!(shown);
    say!(shown, "problem    {} ({})", loaded.description.name, loaded.description.file);
    for ((row, from), to) in rows.iter().zip(&options.from).zip(&options.to) {
        say!(shown, "bound      of `{}`, from {from} to {to}", row.name);
    }
    say!(shown);
    interrupt::stop_with(budget.stop_flag());
    let asked = Asked { options, loaded: &loaded, budget: &budget, heartbeat };
    let (files, exit) = match &rows[..] {
        [row] => asked.curve(row, shown)?,
        rows => surface::surface(asked, [&rows[0], &rows[1]], shown)?,
    };
    for output in outputs {
        let content = match output.word() {
            "--csv" => &files.csv,
            "--plot" => &files.plot,
            _ => &files.json,
        };
        if let Some(bytes) = output.write(content.clone().into())? {
            console.write(&bytes);
        }
    }
    Ok(exit)
}

/// What a curve or a surface is made of.
struct Asked<'a> {
    options: &'a TradeoffOptions,
    loaded: &'a Loaded,
    budget: &'a Budget,
    heartbeat: Option<Heartbeat>,
}

/// What can be written of it.
struct Files {
    csv: String,
    plot: String,
    json: String,
}

impl Asked<'_> {
    fn curve(self, row: &ConstraintRow, shown: &mut Console) -> Outcome<(Files, Exit)> {
        let Self { options, loaded, budget, heartbeat } = self;
        let curve = follow(options, loaded, row, budget, heartbeat.as_ref(), shown);
        drop(heartbeat);
        let told = Told { curve: &curve?, row, description: &loaded.description };
        told.conclude(shown);
        let (outside, cold) = later_solves(options, loaded, told.curve, row.row, budget)?;
        tell_check(options, outside, cold, shown);
        let files = Files { csv: told.csv(), plot: picture::draw(&told), json: told.json()? };
        Ok((files, exit(told.curve.status, outside)))
    }
}

/// How many of the later solves lie in the band.
fn tell_check(options: &TradeoffOptions, outside: usize, cold: f64, shown: &mut Console) {
    let all = options.check;
    if all > 0 {
        say!(
            shown,
            "check        {} of {all} solves at random bounds lie in the band; they took {cold:.1} gradients each",
            all - outside
        );
    }
}

fn exit(status: TradeoffStatus, outside: usize) -> Exit {
    match status {
        _ if outside > 0 => Exit::Trouble,
        TradeoffStatus::Certified => Exit::Success,
        TradeoffStatus::Stopped(status) => status.into(),
        TradeoffStatus::Stalled => Exit::Stopped,
    }
}

fn failed(error: TradeoffError) -> Failure {
    match error {
        TradeoffError::Infeasible { .. } => Failure::hopeless(error.to_string()),
        _ => Failure::new(error.to_string()),
    }
}

fn follow(
    options: &TradeoffOptions,
    loaded: &Loaded,
    row: &ConstraintRow,
    budget: &Budget,
    heartbeat: Option<&Heartbeat>,
    console: &mut Console,
) -> Outcome<Tradeoff> {
    let settings = options.settings();
    let sign = row.sign;
    let ends = [sign * options.from[0], sign * options.to[0]];
    let heads = ["place", "bound", "lower", "upper", "gradients", "width"];
    let [place, bound, lower, upper, gradients, width] = heads;
    say!(console, "{place:>5}{bound:>14}{lower:>16}{upper:>16}{gradients:>11}{width:>11}");
    let mut places = 0;
    let sense = loaded.description.sense;
    let curve = loaded.problem.tradeoff_within(row.row, ends, options.tol, &settings, budget, &mut |now| {
        places += 1;
        heartbeat.inspect(|heartbeat| heartbeat.clear());
        let (lower, upper) = told::in_sense(now.point.lower, now.point.upper, sense);
        let [lower, upper] = [lower, upper].map(told::shown);
        let (bound, gradients) = (sign * now.point.bound, now.point.gradient_evaluations);
        let width = told::shown_width(now.width);
        say!(
            console,
            "{places:>5}{:>14}{lower:>16}{upper:>16}{gradients:>11}{width:>11}",
            scientific(bound, 4)
        );
        Control::Continue
    });
    heartbeat.inspect(|heartbeat| heartbeat.clear());
    curve.map_err(failed)
}

/// Solves at random bounds, each from nothing; answers with how many values are not in the band, and what each solve took.
fn later_solves(
    options: &TradeoffOptions,
    loaded: &Loaded,
    curve: &Tradeoff,
    row: usize,
    budget: &Budget,
) -> Outcome<(usize, f64)> {
    let (mut random, mut outside, mut gradients) = (Draws(1), 0, 0);
    for _ in 0..options.check {
        let bound = curve.from + random.share() * (curve.to - curve.from);
        let problem =
            loaded.problem.with_bound_of(row, bound).map_err(|error| Failure::new(error.to_string()))?;
        let report = later_solve(&problem, options, budget)?;
        gradients += report.counts.gradients;
        outside += usize::from(!lies_in(&report, curve.band(bound)));
    }
    Ok((outside, gradients as f64 / options.check.max(1) as f64))
}

/// A solve from nothing.
fn later_solve(problem: &Problem, options: &TradeoffOptions, budget: &Budget) -> Outcome<Report> {
    let settings = Settings { time_limit: None, max_gradients: None, ..options.settings() };
    Ok(problem.solve_within(&settings, budget, &mut |_| Control::Continue)?)
}

/// Whether what a solve proves and the band have a value in common.
fn lies_in(report: &Report, (lower, upper): (f64, f64)) -> bool {
    // The objective may be below the optimum by what its violation is worth.
    let above = report.upper_bound.min(report.objective + report.violation_worth);
    match report.status {
        Status::Infeasible => upper == f64::INFINITY,
        _ => report.lower_bound <= upper && lower <= above + 1e-12 * above.abs().max(1.0),
    }
}

/// Numbers between 0 and 1, the same in every run.
struct Draws(u64);

impl Draws {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Checks what needs no problem, in the words of the command line.
fn check(options: &TradeoffOptions, settings: &Settings) -> Outcome<()> {
    let TradeoffOptions { constraint, from, to, tol, .. } = options;
    let tol = *tol;
    if constraint.len() > 2 || from.len() != constraint.len() || to.len() != constraint.len() {
        let message = format!(
            "there are {} of --constraint, {} of --from and {} of --to; a curve takes one of each, a surface two",
            constraint.len(),
            from.len(),
            to.len()
        );
        return Err(Failure::new(message));
    }
    for (from, to) in from.iter().zip(to) {
        if !(from.is_finite() && to.is_finite() && from != to) {
            let message =
                format!("the bounds go from {from} to {to}; --from and --to must be two different numbers");
            return Err(Failure::new(message));
        }
    }
    if !(tol.is_finite() && tol > 0.0) {
        return Err(Failure::new(format!("option --tol: {tol} must be positive")));
    }
    settings.validate().map_err(|error| {
        let told = error.to_string().replace('_', "-");
        Failure::new(told.replace("settings: ", "option --"))
    })
}

fn open(options: &TradeoffOptions, budget: &Budget) -> Outcome<Vec<Output>> {
    let all = [("--csv", &options.csv), ("--plot", &options.plot), ("--json", &options.json)];
    let named = |(word, path): (&str, &Option<PathBuf>)| Some(Named::new(word, path.as_ref()?));
    let names: Vec<Named> = all.into_iter().filter_map(named).collect();
    if let Some(path) = options.plot.as_deref().filter(|path| ending(path) != "svg") {
        return Err(Failure::in_file(path, "--plot writes SVG; give a name that ends in .svg"));
    }
    names.iter().try_for_each(|name| name.check_stdout_is_for("--json"))?;
    refuse_clashes(&names, &[Named::new("the problem file", &options.problem.problem)])?;
    names.into_iter().map(|name| Output::open(name, budget)).collect()
}

/// Refuses outputs that are data of the problem.
fn refuse_data(outputs: &[Output], loaded: &Loaded) -> Outcome<()> {
    let names: Vec<Named> = outputs.iter().map(|output| Named::new(output.word(), output.path())).collect();
    let inputs: Vec<Named> = loaded.files.iter().map(|path| Named::new("a data file", path)).collect();
    refuse_clashes(&names, &inputs)
}
