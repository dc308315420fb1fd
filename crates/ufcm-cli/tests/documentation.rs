//! The manual's examples are solved, and the examples of the repository answer as their pages say.

mod common;

use common::{Folder, json, manual_problems, run};

#[test]
fn every_problem_of_the_manual_is_certified() {
    let (folder, problems) = manual_problems();
    assert!(problems.len() >= 10, "{}", problems.len());
    for problem in problems {
        folder.write("problem.toml", &problem);
        let solved = run(&folder.0, &["solve", "problem.toml"]);
        assert_eq!(solved.code, Some(0), "{problem}\n{}{}", solved.stdout, solved.stderr);
        assert!(solved.stdout.contains("Certified"), "{problem}\n{}", solved.stdout);
        let audited = run(&folder.0, &["check", "problem.toml", "--quick"]);
        assert_eq!(audited.code, Some(0), "{problem}\n{}", audited.stdout);
    }
}

#[test]
fn the_manual_has_every_kind() {
    let manual: String = common::manual_blocks().iter().map(|(_, text)| text.as_str()).collect();
    for kind in ["max", "smooth_max", "squared_hinge", "penalty", "norm1", "norm2", "norm_inf", "sum_power"] {
        assert!(manual.contains(&format!("kind = \"{kind}\"")), "{kind}");
    }
    for key in ["minimise = [", "quantile", "huber", "squares", "at_least", "equals", "at_most = [0.5, inf]"]
    {
        assert!(manual.contains(key), "{key}");
    }
}

/// Solves an example with all outputs and answers with its summary.
fn solve_example(folder: &Folder) -> serde_json::Value {
    let arguments =
        ["solve", "problem.toml", "--json", "run.json", "--solution", "x.npy", "--certificate", "proof.json"];
    let solved = run(&folder.0, &arguments);
    assert_eq!(solved.code, Some(0), "{}{}", solved.stdout, solved.stderr);
    assert!(solved.stdout.contains("status       Certified: the gap is proven"), "{}", solved.stdout);
    let verified = run(&folder.0, &["verify", "problem.toml", "proof.json"]);
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
    json(&folder.read("run.json"))
}

#[test]
fn neyman_pearson() {
    let folder = Folder::with_example("neyman-pearson");
    let summary = solve_example(&folder);
    assert!((summary["objective"].as_f64().unwrap() - 0.06153).abs() < 1e-5, "{summary}");
    assert!((summary["multipliers"]["missed"].as_f64().unwrap() - 2.142).abs() < 1e-2, "{summary}");
    assert_eq!(summary["problem"]["variable_names"][30], "intercept");
    // 1.5 times what it takes.
    assert!(summary["gradient_evaluations"].as_u64().unwrap() <= 35, "{}", summary["gradient_evaluations"]);
}

#[test]
fn qcqp() {
    let summary = solve_example(&Folder::with_example("qcqp"));
    assert!((summary["objective"].as_f64().unwrap() + 5.35149).abs() < 1e-4, "{summary}");
    assert_eq!(summary["multipliers"]["quiet"].as_f64().unwrap(), 0.0, "{summary}");
    assert!((summary["multipliers"]["crisis"].as_f64().unwrap() - 0.00811).abs() < 1e-4, "{summary}");
}

#[test]
fn lp() {
    let summary = solve_example(&Folder::with_example("lp"));
    assert!((summary["objective"].as_f64().unwrap() - 445.0).abs() < 1e-3, "{summary}");
    let supply = &summary["multipliers"]["supply"];
    assert!(
        supply[0].as_f64().unwrap().abs() < 1e-4 && (supply[1].as_f64().unwrap() - 1.0).abs() < 1e-4,
        "{summary}"
    );
    assert_eq!(summary["multipliers"]["demand"].as_array().unwrap().len(), 3);
}

#[test]
fn summaries_have_the_promised_fields() {
    let summary = solve_example(&Folder::with_example("lp"));
    let promised = [
        "status",
        "objective",
        "lower_bound",
        "upper_bound",
        "gap_rel",
        "violation",
        "gradient_evaluations",
        "value_evaluations",
        "hessian_evaluations",
        "inner_steps",
        "restarts",
        "seconds",
        "multipliers",
        "premise",
        "settings",
        "version",
    ];
    for field in promised {
        assert!(!summary[field].is_null(), "{field}: {summary}");
    }
    assert_eq!(summary["status"], "Certified");
}
