//! The manual's examples are solved, and the examples of the repository answer as their pages say.

mod common;

use common::{Folder, is_shown, json, manual_problems, repository, run};

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
    for kind in
        ["maximum", "smooth_maximum", "squared_hinge", "penalty", "norm1", "norm2", "norm_inf", "sum_power"]
    {
        assert!(manual.contains(&format!("kind = \"{kind}\"")), "{kind}");
    }
    for key in
        ["minimise = [", "quantile", "sum_huber", "sum_squares", "at_least", "equals", "at_most = [0.5, inf]"]
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

/// The folders of examples.
fn examples() -> Vec<String> {
    let entries = std::fs::read_dir(repository().join("examples")).unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.path().join("problem.toml").is_file());
    let mut names: Vec<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The composers that a problem file names, and the sides of its constraints, in the order of the alphabet.
fn composed_by(problem: &str) -> String {
    let (mut section, mut words) = ("", std::collections::BTreeSet::new());
    for line in problem.lines() {
        match line.split_once(" = ") {
            None if line.starts_with('[') => section = line,
            Some(("kind", kind)) if section == "[[terms]]" => {
                words.insert(kind.trim_matches('"'));
            }
            Some((side @ ("at_most" | "at_least" | "equals"), _)) if section == "[[constraints]]" => {
                words.insert(side);
            }
            _ => {}
        }
    }
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

#[test]
fn every_example_is_certified_as_the_table_says() {
    let table = std::fs::read_to_string(repository().join("examples/README.md")).unwrap();
    let names = examples();
    assert_eq!(names.len(), 15, "{names:?}");
    let mut wrong = Vec::new();
    for name in names {
        let folder = Folder::with_example(&name);
        let summary = solve_example(&folder);
        let [variables, rows] = ["variables", "rows"].map(|key| summary["problem"][key].to_string());
        let composed = composed_by(&folder.read("problem.toml"));
        let row = format!("| {variables} | {rows} | {composed} | {} |", summary["gradient_evaluations"]);
        let listed = table.lines().find(|line| line.starts_with(&format!("| [{name}]({name}) |")));
        if !listed.is_some_and(|listed| listed.ends_with(&row)) {
            wrong.push(format!("{name}: {row}, not {listed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_pages_of_examples_show_what_is_printed() {
    for name in examples() {
        let folder = Folder::with_example(&name);
        let printed = run(&folder.0, &["solve", "problem.toml"]).stdout;
        let page = folder.read("README.md");
        let block = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
        let block = block.unwrap_or_else(|| panic!("{name}: no output is shown"));
        assert!(block.contains("status ") && block.contains("objective ") && block.contains("gradient"));
        for documented in block.lines() {
            let shown = printed.lines().any(|line| is_shown(line, documented));
            assert!(shown, "{name}: {documented} is not in\n{printed}");
        }
    }
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
        "meaning",
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
