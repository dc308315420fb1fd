//! `cargo run --release -p ufcm --example theory`: the published method on instances with planted saddle points, next to
//! what its theorems promise, for every composer of the paper. Prints the tables and writes docs/theory.svg.
//!
//! "promised" are the gradients (and proximal steps) that the theory says suffice; "observed" the gradients after which the
//! output was (eps, r)-optimal. Every promise is also asserted. All numbers are counts: the same on every run.

#[path = "picture/mod.rs"]
mod picture;
#[path = "../tests/planted/mod.rs"]
mod planted;

use picture::{Count, Line, Mark, Panel, Scale};
use planted::runs::{self, Run, fitted_slope};
use planted::{COMPOSITIONS, Composition, Instance, RowKind, uniform_instance};
use std::error::Error;
use std::path::Path;
use ufcm::theory::promise::{Case, Distances};

const NOTE: &str =
    "gradients to (eps, r)-optimality against 1/eps; points: observed, dashed: promised by the theorems";

fn main() -> Result<(), Box<dyn Error>> {
    let mut panels: Vec<Panel> = COMPOSITIONS.into_iter().map(rates).collect();
    panels.push(restarts());
    smooth_and_lipschitz();
    inactive_constraints();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/theory.svg");
    std::fs::write(&path, picture::draw(&panels, NOTE))?;
    println!("\nwrote {}", path.canonicalize()?.display());
    Ok(())
}

fn check(run: &Run) {
    assert!(run.hit as f64 <= run.promised.gradients.ceil(), "the promise was not kept: {run:?}");
    assert!(run.inner_steps as f64 <= run.promised.proximal, "too many proximal steps: {run:?}");
}

/// Algorithm 1: gradients against eps for each smoothness exponent.
fn rates(composition: Composition) -> Panel {
    println!("\nUFCM, {}: gradients to (eps, r)-optimality", composition.name());
    println!(
        "     p  order in 1/eps  fitted      eps   observed   promised  ratio  proximal steps  promised"
    );
    let mut lines = Vec::new();
    for (p, first, last) in [(0.0, 0.5, 0.1), (0.25, 0.15, 1e-2), (0.5, 0.15, 1e-3), (1.0, 0.15, 1e-5)] {
        let instance = uniform_instance(composition, p, None, 11);
        let accuracies = runs::accuracies(&instance, first, last, 6);
        let list: Vec<Run> = accuracies.into_iter().map(|eps| runs::ufcm(&instance, eps, true)).collect();
        for (k, run) in list.iter().enumerate() {
            check(run);
            let (order, fitted) =
                (format!("{:.2}", 2.0 / (1.0 + 3.0 * p)), format!("{:.2}", fitted_slope(&list)));
            let lead = if k == 0 { format!("{p:6.2}  {order:>14}  {fitted:>6}") } else { " ".repeat(30) };
            print_run(&lead, run);
        }
        lines.push(line(format!("p = {p}"), &list));
    }
    panel(format!("UFCM, {}", composition.name()), lines)
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
fn restarts() -> Panel {
    println!("\nR-UFCM: gradients taken by the plan, and those after which the output was (eps, r)-optimal");
    println!(
        "composer       q  constants  case          eps   observed   promised  ratio  proximal steps  promised"
    );
    let mut lines = Vec::new();
    for composition in COMPOSITIONS {
        for q in [None, Some(1.0), Some(2.0), Some(3.0)] {
            let instance = uniform_instance(composition, 1.0, q.map(|q| (0.3, q)), 11);
            for own in [false, true] {
                let accuracies = runs::accuracies(&instance, 1e-2, 1e-5, 4);
                let list: Vec<Run> =
                    accuracies.into_iter().map(|eps| runs::restarted(&instance, eps, own, false)).collect();
                for run in &list {
                    assert!(run.reached <= run.eps, "the promise was not kept: {run:?}");
                    assert!(
                        run.gradients as f64 <= run.promised.gradients.ceil(),
                        "too many gradients: {run:?}"
                    );
                    check(run);
                }
                let run = &list[3];
                let q_name = q.map_or("-".to_owned(), |q| q.to_string());
                let constants = if own { "own" } else { "one set" };
                let lead = format!(
                    "{:13} {q_name:>2}  {constants:9}  {:8}",
                    composition.name(),
                    case(&instance, run.eps)
                );
                print_run(&lead, run);
                if own && composition == Composition::Constraints {
                    lines.push(line(format!("q = {q_name}"), &list));
                }
            }
        }
    }
    panel("R-UFCM, constraints".to_owned(), lines)
}

fn case(instance: &Instance, eps: f64) -> &'static str {
    let at = Distances { d_x: instance.d_x, d_lambda: instance.d_lambda, m: 0.0 };
    match Case::of(instance.theory(eps).mu_ada(), runs::composer_smoothness(instance), eps, at) {
        Case::Neither => "1a",
        Case::Dual => "1b",
        Case::Primal => "2a",
        Case::Both => "2b",
    }
}

/// Section 1.2: the max of one smooth and one Lipschitz piece, as the multiplier moves from one to the other.
fn smooth_and_lipschitz() {
    let eps = 0.02;
    println!("\nmax of a smooth and a Lipschitz piece (section 1.2), eps = {eps}, lambda^0 = (1/2, 1/2)");
    println!("                                      r = eps^(3/4)        r = sqrt(eps)");
    println!("lambda* of the Lipschitz piece  observed   promised  observed   promised");
    for lipschitz in [0.0, 0.01, 0.1, 0.3, 0.6, 0.9, 1.0] {
        let list = [0.75, 0.5]
            .map(|power| runs::ufcm(&planted::smooth_and_lipschitz(lipschitz, eps, power), eps, true));
        list.iter().for_each(check);
        let told = list.map(|run| format!("{:9} {:10.0}", run.hit, run.promised.gradients));
        println!("{lipschitz:30} {}", told.join(" "));
    }
}

/// Constraints that are not active at x* cost next to nothing, however curved they are.
fn inactive_constraints() {
    println!("\nconstraints: the same problem with inactive constraints added, eps = 1e-4");
    println!("inactive  their L  observed   promised");
    for (count, scale) in [(0, 1.0), (1, 1.0), (10, 1.0), (10, 10.0)] {
        let active = [(1.0, 1.0), (2.0, 0.7)].map(|(scale, multiplier)| (scale, multiplier));
        let rows = active.into_iter().chain((0..count).map(|_| (scale, 0.0)));
        let kinds: Vec<RowKind> =
            rows.map(|(scale, multiplier)| RowKind { scale, p: 1.0, convexity: None, multiplier }).collect();
        let instance = Instance::new(Composition::Constraints, &kinds, 30, 7);
        let run = runs::ufcm(&instance, 1e-4, true);
        check(&run);
        println!("{count:8} {scale:8} {:9} {:10.0}", run.hit, run.promised.gradients);
    }
}
