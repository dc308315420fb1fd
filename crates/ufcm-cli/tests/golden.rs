//! What is shown, word for word; what differs from run to run or machine to machine is masked.
//! `UFCM_BLESS=1 cargo test -p ufcm-cli --test golden` writes what is expected anew.

mod common;

use common::{Folder, Run, run};
use std::path::Path;

/// Lines whose numbers rounding or the clock decides: only that they are there is expected.
const VOLATILE: [&str; 10] = [
    "before ",
    "constants    ",
    "gap ",
    "violation ",
    "work ",
    "time ",
    "start ",
    "used by",
    "promised by",
    "margin ",
];

/// The text with other numbers rounded to three digits, and the table of steps as one line.
fn masked(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_row = line.split_whitespace().count() == 8 && line.contains('.') && line.starts_with("   ");
        if is_row {
            lines.push("<steps>".to_owned());
            continue;
        }
        if let Some(word) = VOLATILE.iter().find(|word| line.starts_with(*word)) {
            lines.push(format!("{word} <numbers>"));
            continue;
        }
        let rounded = |word: &str| {
            let bare = word.trim_end_matches([',', ':', ')']);
            match bare.parse::<f64>() {
                Ok(value) if bare.contains('.') && bare.contains('e') => {
                    word.replace(bare, &format!("{value:.2e}"))
                }
                _ => word.to_owned(),
            }
        };
        lines.push(line.split(' ').map(rounded).collect::<Vec<_>>().join(" "));
    }
    lines.dedup_by(|line, last| line == "<steps>" && last == "<steps>");
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Compares a run with what is expected of it.
fn expect(name: &str, run: &Run) {
    let (stdout, stderr) = (masked(&run.stdout), masked(&run.stderr));
    let shown = format!("exit {}\n--- stdout\n{stdout}--- stderr\n{stderr}", run.code.unwrap_or(-1));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"));
    if std::env::var_os("UFCM_BLESS").is_some() {
        std::fs::write(&path, &shown).expect("it can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(shown == expected, "{} says\n{expected}\nbut this is shown:\n{shown}", path.display());
}

#[test]
fn help() {
    let folder = Folder::new();
    expect("help", &run(&folder.0, &["--help"]));
    for command in [
        "solve",
        "check",
        "compare",
        "tradeoff",
        "init",
        "predict",
        "plan",
        "verify",
        "convert",
        "kinds",
        "completions",
        "man",
    ] {
        let help = run(&folder.0, &[command, "--help"]);
        assert!(help.stdout.contains("Example"), "{command}: {}", help.stdout);
        expect(&format!("help-{command}"), &help);
    }
}

#[test]
fn kinds() {
    let folder = Folder::new();
    let all = run(&folder.0, &["kinds"]);
    assert_eq!(all.code, Some(0));
    for kind in ufcm::catalogue::kinds() {
        assert!(
            all.stdout.lines().any(|line| line.starts_with(&format!("  {} ", kind.name))),
            "{}",
            kind.name
        );
        let one = run(&folder.0, &["kinds", kind.name]);
        assert!(one.code == Some(0) && one.stdout.contains(kind.about), "{}", one.stdout);
        for field in kind.fields {
            assert!(one.stdout.contains(&format!("  {}", field.name)), "{}: {}", field.name, one.stdout);
        }
    }
    // A component of this name, and a composer that had it.
    expect("kinds-huber", &run(&folder.0, &["kinds", "huber"]));
    expect("kinds-ball", &run(&folder.0, &["kinds", "ball"]));
    expect("mistake-kinds", &run(&folder.0, &["kinds", "bal"]));
}

#[test]
fn version() {
    expect("version", &run(&Folder::new().0, &["--version"]));
}

#[test]
fn examples() {
    for example in ["neyman-pearson", "qcqp", "lp"] {
        let folder = Folder::with_example(example);
        expect(&format!("solve-{example}"), &run(&folder.0, &["solve", "problem.toml"]));
        expect(&format!("check-{example}"), &run(&folder.0, &["check", "problem.toml"]));
        expect(&format!("plan-{example}"), &run(&folder.0, &["plan", "problem.toml"]));
    }
}

#[test]
fn a_limit_and_silence() {
    let folder = Folder::with_example("qcqp");
    expect("solve-limit", &run(&folder.0, &["solve", "problem.toml", "--max-gradients", "5"]));
    expect("solve-quiet", &run(&folder.0, &["solve", "problem.toml", "--quiet"]));
}

#[test]
fn the_published_method() {
    let folder = Folder::with_example("qcqp");
    for method in ["ufcm", "restarted"] {
        let options = ["--method", method, "--eps-rel", "1e-3", "--eps-feas", "1", "--json", "run.json"];
        let arguments: Vec<&str> = ["solve", "problem.toml"].into_iter().chain(options).collect();
        expect(&format!("solve-{method}"), &run(&folder.0, &arguments));
        let summary = folder.read("run.json");
        assert!(summary.contains("finding the constants took"), "{summary}");
    }
    let folder = Folder::with_example("lp");
    expect("mistake-published", &run(&folder.0, &["solve", "problem.toml", "--method", "ufcm"]));
}

#[test]
fn infeasible() {
    let folder = Folder::with_example("lp");
    let problem = folder.read("problem.toml").replace("[30, 35, 25]", "[30, 35, 45]");
    folder.write("problem.toml", problem);
    expect("solve-infeasible", &run(&folder.0, &["solve", "problem.toml", "--certificate", "proof.json"]));
    expect("verify-infeasible", &run(&folder.0, &["verify", "problem.toml", "proof.json"]));
}

/// A good file, and what a user may have meant by a wrong one.
const GOOD: &str = "\
[data.cells]
file = \"cells.csv\"
label = \"sick\"

[components.loss]
kind = \"logistic\"
data = \"cells\"
rows = \"age >= 20 and sex == 'f'\"

[components.size]
kind = \"quadratic\"
matrix = [[2, 1], [1, 2]]

[affine.sum]
matrix = [[1, 1]]

[objective]
minimise = \"loss\"

[[constraints]]
component = \"size\"
at_most = 1

[[constraints]]
affine = \"sum\"
at_most = 1

[domain]
kind = \"ball\"
radius = 5
";
const CELLS: &str = "age,dose,sex,sick\n30,1,f,1\n40,2,f,0\n50,0.5,m,1\n25,0.1,f,1\n";

#[test]
fn mistakes_are_shown_where_they_are() {
    let features = "label = \"sick\"\nfeatures = [\"age\", \"dose\"]";
    let good = GOOD.replace("label = \"sick\"", features);
    let mistakes = [
        ("good", "", ""),
        ("key", "minimise =", "minimize ="),
        ("section", "[domain]", "[domian]"),
        ("kind", "\"logistic\"", "\"logistics\""),
        ("component", "component = \"size\"", "component = \"sise\""),
        ("data-set", "data = \"cells\"", "data = \"cels\""),
        ("file", "\"cells.csv\"", "\"cell.csv\""),
        ("outside", "\"cells.csv\"", "\"../cells.csv\""),
        ("absolute", "\"cells.csv\"", "\"/etc/passwd.csv\""),
        ("column", "label = \"sick\"", "label = \"sik\""),
        ("rows-column", "age >= 20", "aeg >= 20"),
        ("rows-syntax", "age >= 20 and", "age >= 20 &&"),
        ("rows-none", "age >= 20", "age >= 200"),
        ("type", "radius = 5", "radius = \"five\""),
        ("range", "radius = 5", "radius = -5"),
        ("missing", "radius = 5\n", ""),
        ("nan", "at_most = 1\n\n[[constraints]]\naffine", "at_most = nan\n\n[[constraints]]\naffine"),
        ("not-convex", "[[2, 1], [1, 2]]", "[[2, 3], [3, 2]]"),
        ("ragged", "[[2, 1], [1, 2]]", "[[2, 1], [1]]"),
        ("variables", "matrix = [[1, 1]]", "matrix = [[1, 1, 1]]"),
        ("toml", "[objective]", "[objective"),
        ("side", "affine = \"sum\"\nat_most = 1", "affine = \"sum\""),
        ("pickle", "\"cells.csv\"", "\"cells.pkl\""),
    ];
    let folder = Folder::new();
    folder.write("cells.csv", CELLS);
    for (name, from, to) in mistakes {
        assert!(good.contains(from), "{name}");
        folder.write("problem.toml", good.replacen(from, to, 1));
        let run = run(&folder.0, &["solve", "problem.toml", "--quiet"]);
        assert_eq!(run.code, Some(if name == "good" { 0 } else { 3 }), "{name}: {}", run.stderr);
        expect(&format!("mistake-{name}"), &run);
    }
}

#[test]
fn mistakes_in_data_are_shown_where_they_are() {
    let features = "label = \"sick\"\nfeatures = [\"age\", \"dose\"]";
    let folder = Folder::new();
    folder.write("problem.toml", GOOD.replace("label = \"sick\"", features));
    let tables = [
        ("number", CELLS.replace("40,2", "40,two")),
        ("missing", CELLS.replace("40,2", "40,")),
        ("nan", CELLS.replace("40,2", "40,nan")),
        ("short", CELLS.replace("40,2,f,0", "40,2,f")),
        ("label", CELLS.replace("40,2,f,0", "40,2,f,2")),
        ("empty", String::new()),
    ];
    for (name, table) in tables {
        folder.write("cells.csv", table);
        let run = run(&folder.0, &["solve", "problem.toml", "--quiet"]);
        assert_eq!(run.code, Some(3), "{name}: {}", run.stderr);
        expect(&format!("mistake-data-{name}"), &run);
    }
}

#[test]
fn mistakes_on_the_command_line() {
    let folder = Folder::with_example("lp");
    let mistakes: [(&str, &[&str]); 8] = [
        ("no-command", &[]),
        ("command", &["slove", "problem.toml"]),
        ("option", &["solve", "problem.toml", "--eps-rell", "1e-6"]),
        ("eps", &["solve", "problem.toml", "--eps-rel", "-1"]),
        ("method", &["solve", "problem.toml", "--method", "ufmc"]),
        ("no-file", &["solve", "problm.toml"]),
        ("format", &["solve", "README.md"]),
        ("no-folder", &["solve", "problem.toml", "--json", "no/such/run.json"]),
    ];
    for (name, arguments) in mistakes {
        let run = run(&folder.0, arguments);
        assert_eq!(run.code, Some(3), "{name}: {}{}", run.stdout, run.stderr);
        expect(&format!("mistake-line-{name}"), &run);
    }
}

#[test]
fn a_wrong_problem_shows_its_witness() {
    let folder = Folder::new();
    let problem = "\
[components.saddle]
kind = \"quadratic\"
matrix = [[1, 0], [0, -1]]
trusted = true

[objective]
minimise = \"saddle\"

[domain]
kind = \"box\"
lower = -1
upper = 1
";
    folder.write("problem.toml", problem);
    let found = run(&folder.0, &["check", "problem.toml"]);
    assert_eq!(found.code, Some(4));
    assert!(found.stdout.contains("WRONG") && found.stdout.contains("x = ["), "{}", found.stdout);
    let solved = run(&folder.0, &["solve", "problem.toml"]);
    assert!(solved.stdout.contains("[components.saddle] is convex on your word"), "{}", solved.stdout);
    assert_eq!(solved.code, Some(4), "the audit finds it: {}", solved.stdout);
    assert!(solved.stdout.contains("the audit found objective at fault"), "{}", solved.stdout);
}

#[test]
fn what_is_convex_on_the_users_word_is_told_by_solve_and_verify() {
    let folder = Folder::new();
    let problem = "\
[components.bowl]
kind = \"quadratic\"
matrix = [[2, 1], [1, 2]]
linear = [1, 0]
trusted = true

[objective]
minimise = \"bowl\"

[domain]
kind = \"box\"
lower = -1
upper = 1
";
    folder.write("problem.toml", problem);
    let solved = run(&folder.0, &["solve", "problem.toml", "--certificate", "proof.json"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stdout);
    let told = "`objective` is convex on the user's word: convexity checked at";
    assert!(solved.stdout.contains(told) && solved.stdout.contains("\naudit "), "{}", solved.stdout);
    // A certificate that lists nothing hides nothing.
    let mut proof: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.0.join("proof.json")).unwrap()).unwrap();
    proof["grounds"] = serde_json::json!([]);
    folder.write("forged.json", proof.to_string());
    let verified = run(&folder.0, &["verify", "problem.toml", "forged.json"]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
    assert!(
        verified.stdout.contains("`objective` is convex on the user's word: convexity not proven"),
        "{}",
        verified.stdout
    );
    let unchecked = run(&folder.0, &["solve", "problem.toml", "--no-audit"]);
    assert!(unchecked.stdout.contains("neither checked (no audit ran) nor proven"), "{}", unchecked.stdout);
}
