//! What the command does beyond solving: proofs, files, interrupts, conversions.

mod common;

use common::{Folder, endless, json, run, ufcm};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_tampered_certificate_is_refused() {
    let folder = Folder::with_example("qcqp");
    run(&folder.0, &["solve", "problem.toml", "--quiet", "--certificate", "proof.json"]);
    let proof = json(&folder.read("proof.json"));
    assert_eq!(proof["proves"], "bounds");
    let verify = |proof: &serde_json::Value| {
        folder.write("tampered.json", proof.to_string());
        run(&folder.0, &["verify", "problem.toml", "tampered.json"])
    };
    assert_eq!(verify(&proof).code, Some(0));
    let lower = proof["lower"].as_f64().unwrap();
    for (field, value, message) in [
        ("lower", serde_json::json!(lower + 1e-3), "the lower bound is claimed to be"),
        ("upper", serde_json::json!(lower - 1.0), "the upper bound is claimed to be"),
        ("x", serde_json::json!([1.0, 2.0]), "x has length 2; expected 5"),
        ("lower", serde_json::json!("nan"), "the lower bound"),
        ("witnesses", serde_json::json!([]), "there is no witness"),
        ("premise", serde_json::json!("Trust"), "unknown variant"),
    ] {
        let mut tampered = proof.clone();
        tampered[field] = value;
        let refused = verify(&tampered);
        assert_eq!(refused.code, Some(3), "{field}: {}", refused.stdout);
        assert!(refused.stderr.starts_with("error: tampered.json: "), "{}", refused.stderr);
        assert!(refused.stderr.contains(message), "{field}: {}", refused.stderr);
    }
    // The proof of another problem proves nothing here.
    let other = folder.read("problem.toml").replace("at_most = 162", "at_most = 150");
    folder.write("problem.toml", other);
    assert_eq!(verify(&proof).code, Some(3));
}

/// The options that give the constants of a summary.
fn options_of(constants: &serde_json::Value) -> Vec<String> {
    let option = |(name, value): (&String, &serde_json::Value)| {
        [format!("--{}", name.replace('_', "-")), value.to_string()]
    };
    constants.as_object().unwrap().iter().flat_map(option).collect()
}

#[test]
fn published_methods_run_from_their_own_numbers_alone_and_are_repeated_from_what_they_tell() {
    let folder = Folder::with_example("qcqp");
    let solve = |more: &[&str], name: &str| {
        let (summary, solution) = (format!("{name}.json"), format!("{name}.npy"));
        let common = [
            "solve",
            "problem.toml",
            "--eps-rel",
            "1e-3",
            "--eps-feas",
            "1",
            "--quiet",
            "--json",
            &summary,
            "--solution",
            &solution,
        ];
        let run = run(&folder.0, &[&common[..], more].concat());
        assert!(run.code == Some(0) || run.code == Some(1), "{more:?}: {}", run.stderr);
        (json(&folder.read(&summary)), std::fs::read(folder.0.join(&solution)).unwrap())
    };
    let own = ["--method", "ufcm", "--l-ada", "50", "--d-x", "1", "--d-lambda", "0.1", "--iterations", "40"];
    let (summary, _) = solve(&own, "own");
    assert_eq!(summary["constants_gradients"], 0, "nothing is solved before");
    assert_eq!(
        (&summary["constants"]["l_ada"], &summary["gradient_evaluations"]),
        (&50.0.into(), &40.into())
    );
    for method in ["ufcm", "restarted", "doubling"] {
        let (first, x) = solve(&["--method", method, "--max-gradients", "300"], "first");
        assert!(first["constants_gradients"].as_u64() > Some(0), "{first}");
        let options = options_of(&first["constants"]);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let (again, x_again) =
            solve(&[&["--method", method, "--max-gradients", "300"], &options[..]].concat(), "again");
        assert_eq!(again["constants_gradients"], 0, "{method}: {options:?}");
        assert_eq!(x, x_again, "{method}: the same bits");
        for key in ["objective", "lower_bound", "gradient_evaluations", "constants"] {
            assert_eq!(first[key], again[key], "{method}: {key}");
        }
    }
}

#[test]
fn each_execution_may_have_its_own_constants_and_files_of_a_run_repeat_it() {
    let folder = Folder::with_example("qcqp");
    let solve = |more: &[&str], name: &str| {
        let (summary, solution, proof) =
            (format!("{name}.json"), format!("{name}.npy"), format!("{name}-proof.json"));
        let common = [
            "solve",
            "problem.toml",
            "--method",
            "restarted",
            "--eps-rel",
            "1e-3",
            "--eps-feas",
            "1",
            "--quiet",
        ];
        let outputs = ["--json", &summary, "--solution", &solution, "--certificate", &proof];
        let run = run(&folder.0, &[&common[..], &outputs, more].concat());
        assert!(run.code == Some(0) || run.code == Some(1), "{more:?}: {}", run.stderr);
        (json(&folder.read(&summary)), std::fs::read(folder.0.join(&solution)).unwrap())
    };
    let own =
        ["--l-ada", "40,45,50", "--mu-ada", "30,29,28", "--d-x", "1", "--d-lambda", "0.1", "--eps", "0.1"];
    let (first, x) = solve(&own, "first");
    let each = &first["constants"]["each"];
    assert_eq!((&each[1]["l_ada"], &each[2]["mu_ada"]), (&45.0.into(), &28.0.into()), "{first}");
    assert_eq!(first["constants"]["executions"], 3);
    for file in ["first.json", "first-proof.json"] {
        let (again, x_again) = solve(&["--constants", file], "again");
        assert_eq!((&again["constants"], &x_again), (&first["constants"], &x), "{file}: the same bits");
    }
    let verified = run(&folder.0, &["verify", "problem.toml", "first-proof.json"]);
    let told = "constants    L_ADA = 4e1,4.5e1,5e1, mu_ADA = 3e1,2.9e1,2.8e1, D_x = 1e0";
    assert!(verified.stdout.contains(told), "{}", verified.stdout);
    assert!(verified.stdout.contains("(of the run; no part of the proof)"), "{}", verified.stdout);
    for (options, told) in [
        (&["--l-ada", "1,2", "--mu-ada", "1,2,3"][..], "option --l-ada has 2 numbers, and --mu-ada 3"),
        (
            &["--l-ada", "1,2", "--executions", "3"],
            "l-ada has 2 numbers, one for each execution; executions is 3",
        ),
        (&["--constants", "problem.toml"], "problem.toml"),
    ] {
        let refused =
            run(&folder.0, &[&["solve", "problem.toml", "--method", "restarted"], options].concat());
        assert!(refused.code == Some(3) && refused.stderr.contains(told), "{}", refused.stderr);
    }
}

#[test]
fn every_iteration_is_traced_in_both_formats() {
    let folder = Folder::with_example("qcqp");
    let own = [
        "--method",
        "restarted",
        "--l-ada",
        "50",
        "--mu-ada",
        "30",
        "--d-x",
        "1",
        "--d-lambda",
        "0.1",
        "--eps",
        "0.1",
    ];
    let trace = |name: &str| {
        let more = ["--executions", "3", "--eps-rel", "1e-12", "--quiet", "--trace", name];
        let run = run(&folder.0, &[&["solve", "problem.toml"], &own[..], &more].concat());
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        folder.read(name)
    };
    let (lines, table) = (trace("run.jsonl"), trace("run.csv"));
    let lines: Vec<serde_json::Value> = lines.lines().map(json).collect();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..4], ["execution", "t", "gradients", "inner_steps"]);
    assert_eq!(rows.len(), lines.len() + 1);
    assert_eq!(lines.last().unwrap()["execution"], 2);
    for (k, (line, row)) in lines.iter().zip(&rows[1..]).enumerate() {
        assert_eq!(line["gradients"], k + 1);
        assert_eq!(row[6].parse::<f64>().unwrap(), line["objective"].as_f64().unwrap());
    }
    let refused = run(&folder.0, &["solve", "problem.toml", "--trace", "run.txt"]);
    assert!(refused.code == Some(3) && refused.stderr.contains(".jsonl or .csv"), "{}", refused.stderr);
    let refused = run(&folder.0, &["solve", "problem.toml", "--trace", "run.csv"]);
    assert!(
        refused.code == Some(3) && refused.stderr.contains("the method auto has no trace"),
        "{}",
        refused.stderr
    );
}

#[test]
fn methods_are_compared_in_a_table_a_picture_and_a_file() {
    let folder = Folder::with_example("qcqp");
    let methods = "auto,ufcm,restarted,acgd-s,apdb,ideal,switching,ufgm";
    let options = ["--methods", methods, "--eps-rel", "1e-3", "--eps-feas", "1e-1", "--max-gradients", "300"];
    let outputs = ["--plot", "errors.svg", "--csv", "errors.csv"];
    let shown = run(&folder.0, &[&["compare", "problem.toml"], &options[..], &outputs].concat());
    assert_eq!(shown.code, Some(0), "{}{}", shown.stdout, shown.stderr);
    for method in methods.split(',') {
        assert!(shown.stdout.lines().any(|line| line.starts_with(method)), "{method}: {}", shown.stdout);
    }
    // The universal fast gradient method takes no constraints, and says so in its row.
    assert!(
        shown.stdout.lines().any(|line| line.starts_with("ufgm") && line.contains("sum")),
        "{}",
        shown.stdout
    );
    let table = folder.read("errors.csv");
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    for method in ["auto", "ufcm", "restarted", "acgd-s", "apdb", "ideal", "switching"] {
        let own: Vec<&Vec<&str>> = rows.iter().filter(|row| row[0] == method).collect();
        assert!(!own.is_empty(), "{method}");
        let gradients: Vec<usize> = own.iter().map(|row| row[2].parse().unwrap()).collect();
        assert!(gradients.windows(2).all(|pair| pair[0] <= pair[1]), "{method}");
    }
    let last = rows.iter().rfind(|row| row[0] == "auto").unwrap();
    assert!(last[8].parse::<f64>().unwrap() <= 1e-1, "{last:?}");
    let picture = folder.read("errors.svg");
    assert!(
        picture.starts_with("<svg") && picture.contains(">restarted</text>") && !picture.contains("NaN"),
        "{picture}"
    );
    let unknown = run(&folder.0, &["compare", "problem.toml", "--methods", "auto,simplex"]);
    assert!(
        unknown.code == Some(3) && unknown.stderr.contains("method is \"simplex\""),
        "{}",
        unknown.stderr
    );
}

#[test]
fn smoothness_and_convexity_can_be_declared_in_problem_files() {
    let folder = Folder::new();
    let problem = |declared: &str| {
        format!(
            "[objective]\nminimise = \"loss\"\n[components.loss]\nkind = \"poisson\"\nmatrix = [[1.0], [-0.5]]\ntarget = [3.0, 1.0]\n{declared}\n\
             [domain]\nkind = \"box\"\nlower = -1.0\nupper = 1.0\n"
        )
    };
    folder.write("p.toml", problem(""));
    let refused = run(&folder.0, &["plan", "p.toml"]);
    assert!(refused.code == Some(3) && refused.stderr.contains("no Hölder smoothness"), "{}", refused.stderr);
    folder.write("p.toml", problem("smoothness = [4.0, 1.0]\nconvexity = [0.1, 1.0]"));
    let plan = run(&folder.0, &["plan", "p.toml"]);
    assert!(plan.stdout.contains("L_ADA = 4.000e+00, mu_ADA = 1.000e-01"), "{}{}", plan.stdout, plan.stderr);
    for (declared, message) in [
        ("smoothness = [4.0]", "it must have two: constant and exponent"),
        ("smoothness = [4.0, 1.5]", "between 0 and 1"),
        ("convexity = [1.0, 0.5]", "at least 1"),
        ("smooth = [4.0, 1.0]", "did you mean `smoothness`?"),
    ] {
        folder.write("p.toml", problem(declared));
        let refused = run(&folder.0, &["plan", "p.toml"]);
        assert!(
            refused.code == Some(3) && refused.stderr.contains(message),
            "{declared}: {}",
            refused.stderr
        );
    }
}

#[test]
fn limits_are_kept() {
    let folder = endless();
    let started = Instant::now();
    let run = run(&folder.0, &["solve", "problem.toml", "--eps-rel", "1e-13", "--time-limit", "0.3"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("status       TimeLimit"), "{}", run.stdout);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = Folder::with_example("qcqp");
    let mut child = ufcm(&folder.0, &["solve", "problem.toml", "--json", "run.json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(json(&folder.read("run.json"))["status"], "Certified");
}

#[test]
fn data_come_back_the_same_through_every_format() {
    let folder = Folder::new();
    folder.write("a.csv", "u,v,y\n1.5,0,1\n0,-2e-3,-1\n0.1,7,1\n");
    let convert = |from: &str, to: &str, more: &[&str]| {
        let arguments: Vec<&str> = ["convert", from, to].into_iter().chain(more.iter().copied()).collect();
        let run = run(&folder.0, &arguments);
        assert_eq!(run.code, Some(0), "{from} to {to}: {}", run.stderr);
    };
    convert("a.csv", "b.npy", &[]);
    convert("b.npy", "c.mtx", &[]);
    convert("c.mtx", "d.csv", &[]);
    assert_eq!(folder.read("d.csv"), "c1,c2,c3\n1.5,0,1\n0,-0.002,-1\n0.1,7,1\n");
    convert("a.csv", "e.svm", &["--label", "y"]);
    assert_eq!(folder.read("e.svm"), "1 1:1.5\n-1 2:-0.002\n1 1:0.1 2:7\n");
    convert("e.svm", "f.csv", &[]);
    assert_eq!(folder.read("f.csv"), "c1,c2,label\n1.5,0,1\n0,-0.002,-1\n0.1,7,1\n");
    let unlabelled = run(&folder.0, &["convert", "b.npy", "g.svm"]);
    assert_eq!(unlabelled.code, Some(3));
    assert!(unlabelled.stderr.contains("give --label COLUMN"), "{}", unlabelled.stderr);
    assert!(!folder.0.join("g.svm").exists());
}

#[test]
fn programs_are_solved_and_converted() {
    let folder = Folder::new();
    let program = "NAME tiny\nOBJSENSE\n MAX\nROWS\n N profit\n L flour\n G bread_min\nCOLUMNS\n bread profit 2 flour 1\n \
                   bread bread_min 1\n cake profit 3 flour 2\nRHS\n r flour 10 bread_min 2\nBOUNDS\n UP b bread 6\n UP b cake 5\nENDATA\n";
    folder.write("tiny.mps", program);
    let solved = run(&folder.0, &["solve", "tiny.mps", "--json", "run.json"]);
    assert_eq!(solved.code, Some(0), "{}{}", solved.stdout, solved.stderr);
    assert!(solved.stdout.contains("the program is to be maximised"), "{}", solved.stdout);
    // The number that stands after some word at the start of a line.
    let shown = |stdout: &str, word: &str| -> f64 {
        let line = stdout.lines().find_map(|line| line.strip_prefix(word)).unwrap_or_default();
        line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(f64::NAN)
    };
    assert!((shown(&solved.stdout, "objective") - 18.0).abs() < 1e-4, "{}", solved.stdout);
    let summary = json(&folder.read("run.json"));
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    // 6 breads and 2 cakes: 18, and 1.5 for one more of flour. What is proven is that no more can be had.
    assert!((number(&summary["objective"]) - 18.0).abs() < 1e-4, "{summary}");
    assert_eq!(summary["problem"]["sense"], "maximise");
    let upper = number(&summary["upper_bound"]);
    assert!((17.9999..18.0001).contains(&upper), "{summary}");
    let last = summary["history"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (number(&last["objective"]), number(&last["upper_bound"])),
        (number(&summary["objective"]), upper)
    );
    assert!((summary["multipliers"]["flour"].as_f64().unwrap() - 1.5).abs() < 1e-4, "{summary}");
    assert!(summary["gap_rel"].as_f64().unwrap().abs() <= 1e-6, "{summary}");
    run(&folder.0, &["solve", "tiny.mps", "--quiet", "--certificate", "proof.json"]);
    let verified = run(&folder.0, &["verify", "tiny.mps", "proof.json"]);
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
    for word in ["upper bound", "objective"] {
        assert!((shown(&verified.stdout, word) - 18.0).abs() < 1e-4, "{}", verified.stdout);
    }
    // A problem file has no maximisation: it minimises minus the objective.
    for (name, optimum) in [("tiny.toml", -18.0), ("copy.mps", 18.0)] {
        assert_eq!(run(&folder.0, &["convert", "tiny.mps", name]).code, Some(0));
        let again = run(&folder.0, &["solve", name, "--json", "-"]);
        assert_eq!(again.code, Some(0), "{}", again.stderr);
        assert!((json(&again.stdout)["objective"].as_f64().unwrap() - optimum).abs() < 1e-4, "{name}");
    }
    folder.write("bad.mps", program.replace("cake profit 3", "cake profit three"));
    let bad = run(&folder.0, &["solve", "bad.mps"]);
    assert_eq!(bad.code, Some(3));
    assert!(bad.stderr.starts_with("error: bad.mps, line 11, "), "{}", bad.stderr);
}

#[test]
fn problem_files_become_programs_where_they_are_linear_or_quadratic() {
    let folder = Folder::with_example("lp");
    let converted = |from: &str, to: &str| run(&folder.0, &["convert", from, to]);
    let first = converted("problem.toml", "lp.mps");
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let solved = run(&folder.0, &["solve", "lp.mps", "--json", "-"]);
    let summary = json(&solved.stdout);
    assert!((summary["objective"].as_f64().unwrap() - 445.0).abs() < 1e-3, "{summary}");
    assert_eq!(summary["problem"]["variable_names"][1], "A_to_Y");
    assert!((summary["multipliers"]["supply[1]"].as_f64().unwrap() - 1.0).abs() < 1e-4, "{summary}");
    // x'Qx/2 with both triangles, a constant, a range, an equation, bounds on one side.
    let program = "\
[components.cost]
kind = \"quadratic\"
matrix = [[4, 1], [1, 2]]
linear = [-8, 1]
constant = 3

[affine.rows]
matrix = [[1, 1], [1, -1]]
offset = [0.5, 0]

[affine.sum]
matrix = [[1, 3]]

[objective]
minimise = \"cost\"

[[constraints]]
affine = \"rows\"
at_least = [-1, -inf]
at_most = [2, 0.25]

[[constraints]]
affine = \"sum\"
equals = 2

[domain]
kind = \"box\"
lower = [0, -inf]
upper = [inf, 7]
";
    folder.write("q.toml", program);
    let second = converted("q.toml", "q.qps");
    assert_eq!(second.code, Some(0), "{}", second.stderr);
    let [here, there] = ["q.toml", "q.qps"].map(|name| {
        let solved = run(&folder.0, &["solve", name, "--json", "-", "--radius", "100"]);
        assert_eq!(solved.code, Some(0), "{name}: {}", solved.stderr);
        json(&solved.stdout)["objective"].as_f64().unwrap()
    });
    assert!((here - there).abs() <= 1e-5, "{here} {there}");
    for (from, to, message) in [
        (
            "[objective]",
            "[components.g]\nkind = \"quadratic\"\ndiagonal = [1, 1]\n\n[[constraints]]\nname = \"energy\"\ncomponent = \"g\"\nat_most = 9\n\n[objective]",
            "the constraint `energy` (quadratic) is not linear",
        ),
        (
            "[domain]",
            "[[terms]]\nname = \"size\"\nkind = \"norm1\"\naffine = \"sum\"\n\n[domain]",
            "`size` (l1 norm of rows) is a term",
        ),
        (
            "kind = \"box\"\nlower = [0, -inf]\nupper = [inf, 7]",
            "kind = \"simplex\"",
            "the regulariser or domain (simplex)",
        ),
    ] {
        assert!(program.contains(from));
        folder.write("other.toml", program.replace(from, to));
        let refused = converted("other.toml", "other.mps");
        assert_eq!(refused.code, Some(3), "{}", refused.stdout);
        assert!(
            refused.stderr.contains("other.toml: it is no program that can be written: "),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
        assert!(!folder.0.join("other.mps").exists());
    }
}

#[test]
fn a_problem_with_other_components_is_not_converted() {
    let folder = Folder::with_example("neyman-pearson");
    let refused = run(&folder.0, &["convert", "problem.toml", "out.mps"]);
    assert_eq!(refused.code, Some(3));
    assert!(
        refused.stderr.contains("the objective (logistic loss) is neither linear nor quadratic"),
        "{}",
        refused.stderr
    );
}

#[test]
fn plans_compare_with_a_summary() {
    let folder = Folder::with_example("qcqp");
    run(&folder.0, &["solve", "problem.toml", "--quiet", "--json", "run.json"]);
    let gradients = json(&folder.read("run.json"))["gradient_evaluations"].to_string();
    let plan = run(&folder.0, &["plan", "problem.toml", "--summary", "run.json"]);
    let used = plan.stdout.lines().last().unwrap().to_owned();
    assert!(used.starts_with("used by the run of the summary") && used.contains(&gradients), "{used}");
    let wrong = run(&folder.0, &["plan", "problem.toml", "--summary", "problem.toml"]);
    assert_eq!(wrong.code, Some(3));
    assert!(wrong.stderr.starts_with("error: problem.toml: "), "{}", wrong.stderr);
}

#[test]
fn data_outside_the_folder_need_leave() {
    let folder = Folder::with_example("qcqp");
    std::fs::create_dir(folder.0.join("sub")).unwrap();
    folder.write(
        "sub/problem.toml",
        folder
            .read("problem.toml")
            .replace("\"quiet.csv\"", "\"../quiet.csv\"")
            .replace("\"crisis.csv\"", "\"../crisis.csv\""),
    );
    assert_eq!(run(&folder.0, &["solve", "sub/problem.toml", "--quiet"]).code, Some(3));
    assert_eq!(run(&folder.0, &["solve", "sub/problem.toml", "--quiet", "--allow-paths"]).code, Some(0));
}

#[test]
fn results_are_the_same_for_any_number_of_threads() {
    let folder = Folder::with_example("neyman-pearson");
    let solutions: Vec<Vec<u8>> = ["1", "2", "4"]
        .iter()
        .map(|threads| {
            let arguments = ["solve", "problem.toml", "--quiet", "--threads", threads, "--solution", "x.npy"];
            assert_eq!(run(&folder.0, &arguments).code, Some(0));
            std::fs::read(folder.0.join("x.npy")).unwrap()
        })
        .collect();
    assert!(solutions.iter().all(|solution| *solution == solutions[0]));
}

#[test]
fn completions_and_the_manual_page_cover_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&folder.0, &["completions", shell]);
        assert_eq!(script.code, Some(0));
        assert!(script.stdout.contains("verify") && script.stdout.contains("eps-rel"), "{shell}");
    }
    let manual = run(&folder.0, &["man"]).stdout;
    for word in ["SOLVE", "CHECK", "PLAN", "VERIFY", "CONVERT", "max\\-gradients", "Exit codes"] {
        assert!(manual.contains(word), "{word}");
    }
}

#[test]
fn the_published_method_certifies_the_examples_by_itself() {
    let number = |summary: &str, name: &str| {
        let summary: serde_json::Value = serde_json::from_str(summary).unwrap();
        summary[name].as_f64().unwrap()
    };
    for example in ["qcqp", "neyman-pearson"] {
        let folder = Folder::with_example(example);
        let best = number(&run(&folder.0, &["solve", "problem.toml", "--json", "-"]).stdout, "objective");
        for method in ["ufcm", "restarted"] {
            let published = ["--method", method, "--eps-rel", "1e-3", "--eps-feas", "1e-3", "--json", "-"];
            let arguments = ["solve", "problem.toml", "--certificate", "proof.json"];
            let solved = run(&folder.0, &[&arguments[..], &published[..]].concat());
            assert_eq!(solved.code, Some(0), "{example}, {method}: {}", solved.stderr);
            // lambda* is 2.1 at most, and the violation 1e-3.
            let objective = number(&solved.stdout, "objective");
            let room = 1e-3 * best.abs().max(1.0) + 2.2e-3;
            assert!((objective - best).abs() <= room, "{example}, {method}: {objective} and {best}");
            assert!(solved.stdout.contains("finding the constants took"), "{}", solved.stdout);
            assert_eq!(run(&folder.0, &["verify", "problem.toml", "proof.json"]).code, Some(0));
        }
    }
}
