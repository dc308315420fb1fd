//! `cargo run --release -p ufcm --example theory`: the published method on instances with planted saddle points, next to
//! what its theorems promise, for every composer of the paper. Prints docs/theory.txt and writes docs/theory.svg.
//! `examples/python/theory.py` prints the same. With `--short` both print a part of it, in seconds, and nothing is written.
//!
//! "promised" are the gradients (and proximal steps) that the theory says suffice; "observed" the gradients after which the
//! output was (eps, r)-optimal. Every promise is also asserted. All numbers are counts: the same on every run.

#[path = "picture/mod.rs"]
mod picture;

use picture::{Count, Line, Mark, Panel, Scale};
use std::error::Error;
use std::path::Path;
use ufcm::theory::planted::runs::{self, Run, fitted_slope};
use ufcm::theory::planted::{Composition, Instance, RowKind, smooth_and_lipschitz, uniform_instance};
use ufcm::theory::promise::{Case, Distances};

const NOTE: &str =
    "gradients to (eps, r)-optimality against 1/eps; points: observed, dashed: promised by the theorems";

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What is run: everything, or what takes seconds.
struct Extent {
    rates: &'static [Composition],
    /// p, and the first and the last accuracy as a share of the start's.
    exponents: &'static [(f64, f64, f64)],
    restarts: &'static [Composition],
    /// lambda* of the Lipschitz piece.
    sweep: &'static [f64],
}

const ALL: Extent = Extent {
    rates: &Composition::ALL,
    exponents: &[(0.0, 0.5, 0.1), (0.25, 0.15, 1e-2), (0.5, 0.15, 1e-3), (1.0, 0.15, 1e-5)],
    restarts: &Composition::ALL,
    sweep: &[0.0, 0.01, 0.1, 0.3, 0.6, 0.9, 1.0],
};

const SHORT: Extent = Extent {
    rates: &[Composition::Sum, Composition::LogSumExp(0.5)],
    exponents: &[(1.0, 0.15, 1e-5)],
    restarts: &[Composition::Sum],
    sweep: &[0.0, 0.01],
};

fn main() -> Outcome<()> {
    let short = std::env::args().any(|argument| argument == "--short");
    let extent = if short { SHORT } else { ALL };
    let (mut panels, mut slopes) = (Vec::new(), Vec::new());
    for &composition in extent.rates {
        let (panel, fitted) = rates(composition, extent.exponents)?;
        panels.push(panel);
        slopes.push(fitted);
    }
    if !short {
        print_slopes(&extent, &slopes);
    }
    panels.push(restarts(extent.restarts)?);
    sweep(extent.sweep)?;
    inactive_constraints()?;
    if !short {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/theory.svg");
        std::fs::write(&path, picture::draw(&panels, NOTE))?;
        eprintln!("\nwrote {}", path.canonicalize()?.display());
    }
    Ok(())
}

fn check(run: &Run) {
    assert!(run.hit as f64 <= run.promised.gradients.ceil(), "the promise was not kept: {run:?}");
    assert!(run.inner_steps as f64 <= run.promised.proximal, "too many proximal steps: {run:?}");
}

/// Algorithm 1: gradients against eps for each smoothness exponent, and the fitted slopes.
fn rates(composition: Composition, exponents: &[(f64, f64, f64)]) -> Outcome<(Panel, Vec<f64>)> {
    println!("\nUFCM, {}: gradients to (eps, r)-optimality", composition.name());
    println!(
        "     p  order in 1/eps  fitted      eps   observed   promised  ratio  proximal steps  promised"
    );
    let mut lines = Vec::new();
    let mut slopes = Vec::new();
    for &(p, first, last) in exponents {
        let instance = uniform_instance(composition, p, None, 11)?;
        let accuracies = runs::accuracies(&instance, first, last, 6)?;
        let list: Vec<Run> =
            accuracies.into_iter().map(|eps| runs::ufcm(&instance, eps, true)).collect::<Result<_, _>>()?;
        let slope = fitted_slope(&list);
        for (k, run) in list.iter().enumerate() {
            check(run);
            let lead = format!("{p:6.2}  {:>14.2}  {slope:>6.2}", order(p));
            print_run(if k == 0 { &lead } else { "                              " }, run);
        }
        slopes.push(slope);
        lines.push(line(format!("p = {p}"), &list));
    }
    Ok((panel(format!("UFCM, {}", composition.name()), lines), slopes))
}

fn line(label: String, list: &[Run]) -> Line {
    let mark = |run: &Run| Mark {
        x: run.eps,
        observed: Count::Reached(run.hit as f64),
        promised: Some(run.promised.gradients),
    };
    Line { label, marks: list.iter().map(mark).collect() }
}

fn panel(title: String, lines: Vec<Line>) -> Panel {
    Panel::new(title, ("eps", Scale::Inverse), "gradients", lines)
}

/// 2/(1 + 3p), the promised order in 1/eps.
fn order(p: f64) -> f64 {
    2.0 / (1.0 + 3.0 * p)
}

/// The table of docs/theory.md.
fn print_slopes(extent: &Extent, slopes: &[Vec<f64>]) {
    let names: Vec<&str> = extent.rates.iter().map(|composition| composition.name()).collect();
    println!("\n| p | order 2/(1+3p) | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(names.len()));
    for (k, &(p, ..)) in extent.exponents.iter().enumerate() {
        let fitted: Vec<String> = slopes.iter().map(|fitted| format!("{:.2}", fitted[k])).collect();
        println!("| {p:?} | {:.2} | {} |", order(p), fitted.join(" | "));
    }
}

fn print_run(lead: &str, run: &Run) {
    println!(
        "{lead}  {:7.1e} {:10} {:10.0} {:6.1} {:15} {:9.1e}",
        run.eps,
        run.hit,
        run.promised.gradients,
        run.promised.gradients / run.hit as f64,
        run.inner_steps,
        run.promised.proximal
    );
}

/// Algorithm 2 in its four cases, with one set of constants and with each execution's own.
fn restarts(compositions: &[Composition]) -> Outcome<Panel> {
    println!("\nR-UFCM: gradients taken by the plan, and those after which the output was (eps, r)-optimal");
    println!(
        "composer       q  constants  case          eps   observed   promised  ratio  proximal steps  promised"
    );
    let mut lines = Vec::new();
    for &composition in compositions {
        for q in [None, Some(1.0), Some(2.0), Some(3.0)] {
            let instance = uniform_instance(composition, 1.0, q.map(|q| (0.3, q)), 11)?;
            for own in [false, true] {
                let list = restarts_of(&instance, own)?;
                let run = &list[3];
                let q_name = q.map_or("-".to_owned(), |q| q.to_string());
                let constants = if own { "own" } else { "one set" };
                let (name, case) = (composition.name(), case(&instance, run.eps)?);
                print_run(&format!("{name:13} {q_name:>2}  {constants:9}  {case:8}"), run);
                if own && composition == Composition::Constraints {
                    lines.push(line(format!("q = {q_name}"), &list));
                }
            }
        }
    }
    Ok(panel("R-UFCM, constraints".to_owned(), lines))
}

fn restarts_of(instance: &Instance, own: bool) -> Outcome<Vec<Run>> {
    let accuracies = runs::accuracies(instance, 1e-2, 1e-5, 4)?;
    let list: Vec<Run> = accuracies
        .into_iter()
        .map(|eps| runs::restarted(instance, eps, own, false))
        .collect::<Result<_, _>>()?;
    for run in &list {
        assert!(run.reached <= run.eps, "the promise was not kept: {run:?}");
        assert!(run.gradients as f64 <= run.promised.gradients.ceil(), "too many gradients: {run:?}");
        check(run);
    }
    Ok(list)
}

fn case(instance: &Instance, eps: f64) -> Outcome<&'static str> {
    let at = Distances { d_x: instance.d_x, d_lambda: instance.d_lambda, m: 0.0 };
    Ok(Case::of(instance.theory(eps)?.mu_ada(), instance.l_h(), eps, at).name())
}

/// Section 1.2: the max of one smooth and one Lipschitz piece, as the multiplier moves from one to the other.
fn sweep(shares: &[f64]) -> Outcome<()> {
    let eps = 0.02;
    println!("\nmax of a smooth and a Lipschitz piece (section 1.2), eps = {eps}, lambda^0 = (1/2, 1/2)");
    println!("                                      r = eps^(3/4)        r = sqrt(eps)");
    println!("lambda* of the Lipschitz piece  observed   promised  observed   promised");
    for &lipschitz in shares {
        let mut told = Vec::new();
        for power in [0.75, 0.5] {
            let run = runs::ufcm(&smooth_and_lipschitz(lipschitz, eps, power)?, eps, true)?;
            check(&run);
            told.push(format!("{:9} {:10.0}", run.hit, run.promised.gradients));
        }
        println!("{lipschitz:30} {}", told.join(" "));
    }
    Ok(())
}

/// Constraints that are not active at x* cost next to nothing, however curved they are.
fn inactive_constraints() -> Outcome<()> {
    println!("\nconstraints: the same problem with inactive constraints added, eps = 1e-4");
    println!("inactive  their L  observed   promised");
    for (count, scale) in [(0, 1.0), (1, 1.0), (10, 1.0), (10, 10.0)] {
        let rows = [(1.0, 1.0), (2.0, 0.7)].into_iter().chain((0..count).map(|_| (scale, 0.0)));
        let kinds: Vec<RowKind> =
            rows.map(|(scale, multiplier)| RowKind { scale, p: 1.0, convexity: None, multiplier }).collect();
        let run = runs::ufcm(&Instance::new(Composition::Constraints, &kinds, 30, 7)?, 1e-4, true)?;
        check(&run);
        println!("{count:8} {scale:8} {:9} {:10.0}", run.hit, run.promised.gradients);
    }
    Ok(())
}
