//! `ufcm tradeoff`: the optimal value for all bounds of one constraint.

mod picture;
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
use ufcm::report::Control;
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
    let row = find(&loaded.problem, &loaded.description, &options.constraint)?;
    let hidden = options.quiet || outputs.iter().any(|output| output.path().as_os_str() == "-");
    let mut silent = Console::stdout();
    silent.silence();
    let shown: &mut Console = if hidden { &mut silent } else { console };
    say!(shown, "ufcm {}: convex problems with a proven gap", env!("CARGO_PKG_VERSION"));
    say!(shown);
    say!(shown, "problem    {} ({})", loaded.description.name, loaded.description.file);
    say!(shown, "bound      of `{}`, from {} to {}", row.name, options.from, options.to);
    say!(shown);
    interrupt::stop_with(budget.stop_flag());
    let curve = follow(options, &loaded, &row, &budget, heartbeat.as_ref(), shown);
    drop(heartbeat);
    let told = Told { curve: &curve?, row: &row, description: &loaded.description };
    told.conclude(shown);
    for output in outputs {
        let content = match output.word() {
            "--csv" => told.csv(),
            "--plot" => picture::draw(&told),
            _ => told.json()?,
        };
        if let Some(bytes) = output.write(content.into())? {
            console.write(&bytes);
        }
    }
    Ok(match told.curve.status {
        TradeoffStatus::Certified => Exit::Success,
        TradeoffStatus::Stopped(status) => status.into(),
        TradeoffStatus::Stalled => Exit::Stopped,
    })
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
    let ends = [sign * options.from, sign * options.to];
    let heads = ["solve", "bound", "lower", "upper", "gradients", "width"];
    let [solve, bound, lower, upper, gradients, width] = heads;
    say!(console, "{solve:>5}{bound:>14}{lower:>16}{upper:>16}{gradients:>11}{width:>11}");
    let mut solves = 0;
    let sense = loaded.description.sense;
    let curve = loaded.problem.tradeoff_within(row.row, ends, options.tol, &settings, budget, &mut |now| {
        solves += 1;
        heartbeat.inspect(|heartbeat| heartbeat.clear());
        let (lower, upper) = told::in_sense(now.point.lower, now.point.upper, sense);
        let [lower, upper] = [lower, upper].map(told::shown);
        let (bound, gradients) = (sign * now.point.bound, now.point.gradient_evaluations);
        let width = told::shown_width(now.width);
        say!(console, "{solves:>5}{:>14}{lower:>16}{upper:>16}{gradients:>11}{width:>11}", scientific(bound, 4));
        Control::Continue
    });
    heartbeat.inspect(|heartbeat| heartbeat.clear());
    curve.map_err(|error| match error {
        TradeoffError::Infeasible { .. } => Failure::hopeless(error.to_string()),
        _ => Failure::new(error.to_string()),
    })
}

/// Checks what needs no problem, in the words of the command line.
fn check(options: &TradeoffOptions, settings: &Settings) -> Outcome<()> {
    let TradeoffOptions { from, to, tol, .. } = *options;
    if !(from.is_finite() && to.is_finite() && from != to) {
        let message = format!("the bounds go from {from} to {to}; --from and --to must be two different numbers");
        return Err(Failure::new(message));
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
