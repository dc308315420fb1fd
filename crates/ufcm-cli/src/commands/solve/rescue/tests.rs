//! A run that panics, driven as the command drives it; no problem file is known that makes one.

use super::super::files::Files;
use super::*;
use crate::arguments::{Arguments, Command, SolveOptions};
use crate::console::Console;
use crate::course::Course;
use crate::failure::Exit;
use crate::load::{Loaded, load};
use crate::record::RunRecord;
use crate::summary::Proof;
use clap::Parser;
use std::path::{Path, PathBuf};
use ufcm::report::Control;

const PROBLEM: &str = "\
[components.cost]
kind = \"quadratic\"
diagonal = [1, 1]
linear = [-2, 0]
[objective]
minimise = \"cost\"
[components.size]
kind = \"quadratic\"
diagonal = [1, 1]
[[constraints]]
component = \"size\"
at_most = 0.5
[domain]
kind = \"box\"
lower = 0.25
upper = 5
";

fn options(folder: &Path) -> Box<SolveOptions> {
    let path = |name: &str| folder.join(name).into_os_string();
    let arguments = [
        ("--json", "run.json"),
        ("--solution", "x.npy"),
        ("--certificate", "proof.json"),
        ("--report", "run.html"),
        ("--plot", "run.svg"),
    ];
    let arguments = arguments.into_iter().flat_map(|(option, name)| [option.into(), path(name)]);
    let line = ["ufcm".into(), "solve".into(), path("p.toml")].into_iter().chain(arguments);
    match Arguments::try_parse_from(line).unwrap().command {
        Command::Solve(options) => options,
        _ => unreachable!("solve was asked for"),
    }
}

/// What a run leaves that panics after so many steps: the summary, the certificate, the solution, and how it ended.
fn after_panic(steps: usize) -> (serde_json::Value, Proof, Vec<f64>, Loaded, Report) {
    let folder: PathBuf = std::env::temp_dir().join(format!("ufcm-panic-{steps}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("p.toml"), PROBLEM).unwrap();
    let (options, budget) = (options(&folder), Budget::unlimited());
    let files = Files::open(&options, &budget).unwrap();
    let loaded = load(&options.problem, &budget).unwrap();
    let settings = options.limits.settings();
    let mut course = Course::new(loaded.problem.rows());
    let report = saved(&loaded.problem, &settings, &budget, |kept| {
        let mut seen = 0;
        assert!(steps > 0, "a mistake before the first step");
        loaded.problem.solve_within(&settings, &budget, &mut |now| {
            kept.step(now);
            course.step(now);
            seen += 1;
            assert!(seen < steps, "a mistake in step {seen}");
            Control::Continue
        })
    });
    let description = loaded.description.clone();
    let record = RunRecord::new(description, settings, report.unwrap(), Vec::new());
    files.write(&loaded.problem, &record, Some(course), &mut Console::stdout()).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let summary = serde_json::from_str(&read("run.json")).unwrap();
    let proof = serde_json::from_str(&read("proof.json")).unwrap();
    let x = ufcm_io::npy::read(&ufcm_io::Source::open(folder.join("x.npy")).unwrap()).unwrap();
    assert!(read("run.html").contains("a mistake") && read("run.svg").contains("<svg"));
    std::fs::remove_dir_all(&folder).unwrap();
    (summary, proof, x.into_vector().unwrap(), loaded, record.report)
}

#[test]
fn after_a_panic_the_best_point_is_written_and_nothing_is_claimed_below_it() {
    for steps in [0, 1, 4] {
        let (summary, proof, x, loaded, report) = after_panic(steps);
        assert_eq!(Exit::from(report.status), Exit::Trouble);
        assert!(internal_error(&report).is_some_and(|told| told.contains("a mistake")), "{report:?}");
        assert_eq!(
            (summary["status"].as_str(), summary["lower_bound"].as_str()),
            (Some("NumericalError"), Some("-inf"))
        );
        let trouble = summary["trouble"].as_str().unwrap();
        assert!(
            trouble.starts_with("internal error: a mistake") && trouble.contains("please report"),
            "{trouble}"
        );
        let history = summary["history"].as_array().unwrap();
        assert_eq!(history.len(), steps);
        if let Some(last) = history.last() {
            let told = |key: &str| [summary[key].as_f64().unwrap(), last[key].as_f64().unwrap()];
            for [now, then] in [told("objective"), told("violation")] {
                assert!((now - then).abs() <= 1e-12 * then.abs().max(1.0), "{now} and {then}");
            }
        } else {
            assert_eq!(x, [0.25, 0.25], "0, moved into the domain");
        }
        let Proof::Bounds(certificate) = proof else { panic!("it proves bounds") };
        assert_eq!((certificate.lower, certificate.witnesses.len()), (f64::NEG_INFINITY, 0));
        assert_eq!(certificate.x, x);
        certificate.verify(&loaded.problem).unwrap();
    }
}
