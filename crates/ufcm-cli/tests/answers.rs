//! What a user takes away: the answer by name, trade-off curves, other values of keys, templates.

mod common;

use common::{Folder, json, run, ufcm};
use std::io::Write;
use std::process::Stdio;

/// The lines of a CSV file without its heading, as numbers from the second cell on.
fn rows(text: &str) -> Vec<Vec<f64>> {
    text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
}

#[test]
fn the_answer_is_told_by_name() {
    let folder = Folder::with_example("neyman-pearson");
    let solved = run(&folder.0, &["solve", "problem.toml", "--json", "run.json", "--solution", "x.csv"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    for words in [
        "loosening `missed` by 0.01 lowers the objective by about 0.021",
        "intercept",
        "<= 0.03",
        "positives found",
    ] {
        assert!(solved.stdout.contains(words), "{words}: {}", solved.stdout);
    }
    let summary = json(&folder.read("run.json"));
    let held = &summary["constraints"][0];
    assert!(held["name"] == "missed" && held["upper"] == 0.03 && held["active"] == true, "{held}");
    assert!((held["value"].as_f64().unwrap() - 0.03).abs() < 1e-5, "{held}");
    let classifiers = summary["classifiers"].as_array().unwrap();
    assert_eq!(classifiers.len(), 2);
    // One class each: the error on malignant tumours is what is missed.
    let missed = &classifiers[1];
    let found = missed["true_positive_rate"].as_f64().unwrap();
    assert!((found + missed["error"].as_f64().unwrap() - 1.0).abs() < 1e-12 && found > 0.95, "{missed}");
    assert!(missed["false_positive_rate"].is_null() && missed["positives"] == 212);
    let names: Vec<String> =
        folder.read("x.csv").lines().skip(1).map(|l| l.split(',').next().unwrap().into()).collect();
    assert!(names.len() == 31 && names[0] == "mean radius" && names[30] == "intercept", "{names:?}");
}

#[test]
fn solutions_go_where_their_ending_says() {
    let folder = Folder::with_example("lp");
    let solved = run(&folder.0, &["solve", "problem.toml", "--solution", "x.json", "--quiet"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    let x = json(&folder.read("x.json"));
    assert!((x["B to Y"].as_f64().unwrap() - 35.0).abs() < 1e-3, "{x}");
    let shown = run(&folder.0, &["solve", "problem.toml", "--solution", "-"]);
    assert!(
        shown.stdout.starts_with("name,value\nA to X,") && shown.stdout.lines().count() == 7,
        "{}",
        shown.stdout
    );
    // The ending is looked at before anything is read.
    let refused = run(&folder.0, &["solve", "missing.toml", "--solution", "x.txt"]);
    assert!(
        refused.code == Some(3) && refused.stderr.contains(".csv (name and value), .json or .npy"),
        "{}",
        refused.stderr
    );
    let both = run(&folder.0, &["solve", "problem.toml", "--solution", "-", "--json", "-"]);
    assert!(
        both.code == Some(3) && both.stderr.contains("standard output is for --json alone"),
        "{}",
        both.stderr
    );
}

#[test]
fn keys_are_set_and_problems_come_from_standard_input() {
    let folder = Folder::with_example("neyman-pearson");
    let objective = |arguments: &[&str]| {
        let all = [&["solve", "problem.toml", "--json", "-"], arguments].concat();
        let solved = run(&folder.0, &all);
        assert_eq!(solved.code, Some(0), "{}", solved.stderr);
        json(&solved.stdout)["objective"].as_f64().unwrap()
    };
    let (tight, loose) = (objective(&[]), objective(&["--set", "constraints.missed.at_most=0.05"]));
    assert!(loose < tight - 0.02, "{tight} {loose}");
    let unknown = run(&folder.0, &["solve", "problem.toml", "--set", "constraints.mised.at_most=0.05"]);
    assert!(unknown.code == Some(3) && unknown.stderr.contains("has \"missed\""), "{}", unknown.stderr);
    let mut child = ufcm(&folder.0, &["solve", "-", "--json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(folder.read("problem.toml").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(told["objective"].as_f64(), Some(tight));
}

#[test]
fn an_earlier_run_is_a_start() {
    let folder = Folder::with_example("neyman-pearson");
    let gradients = |arguments: &[&str]| {
        let all = [&["solve", "problem.toml", "--json", "next.json"], arguments].concat();
        let solved = run(&folder.0, &all);
        assert_eq!(solved.code, Some(0), "{}", solved.stderr);
        json(&folder.read("next.json"))["gradient_evaluations"].as_u64().unwrap()
    };
    let cold = gradients(&[]);
    std::fs::rename(folder.0.join("next.json"), folder.0.join("run.json")).unwrap();
    let other =
        ["--set", "constraints.missed.at_most=0.031", "--x0", "run.json", "--multipliers0", "run.json"];
    let warm = gradients(&other);
    assert!(warm < cold, "{warm} {cold}");
    folder.write("odd.json", "{\"somebody\": 3}");
    for option in ["--x0", "--multipliers0"] {
        let refused = run(&folder.0, &["solve", "problem.toml", option, "odd.json"]);
        assert!(refused.code == Some(3) && refused.stderr.contains("odd.json"), "{}", refused.stderr);
    }
}

#[test]
fn a_curve_is_shown_and_written() {
    let folder = Folder::with_example("neyman-pearson");
    let arguments = ["tradeoff", "problem.toml", "--constraint", "missed", "--from", "0.02", "--to", "0.2"];
    let outputs = ["--csv", "curve.csv", "--json", "curve.json", "--plot", "curve.svg"];
    let told = run(&folder.0, &[&arguments[..], &outputs].concat());
    assert_eq!(told.code, Some(0), "{}{}", told.stdout, told.stderr);
    assert!(told.stdout.contains("status       Certified: the band is within"), "{}", told.stdout);
    let curve = json(&folder.read("curve.json"));
    let count = |key: &str| curve[key].as_u64().unwrap();
    assert!(count("gradient_evaluations") <= 5 * count("first_gradient_evaluations"), "{}", told.stdout);
    assert!(curve["width"].as_f64().unwrap() <= 1e-3 && curve["violation"] == 0.0);
    let corners = rows(&folder.read("curve.csv"));
    assert!(corners[0][0] == 0.02 && corners[corners.len() - 1][0] == 0.2);
    assert!(
        corners.iter().all(|corner| corner[1] <= corner[2] && corner[2] - corner[1] <= 1e-3),
        "{corners:?}"
    );
    let svg = folder.read("curve.svg");
    assert!(svg.contains("<path") && svg.contains("bound of missed") && !svg.contains("NaN"));
    // What a solve finds lies in the band.
    let solved = run(&folder.0, &["solve", "problem.toml", "--json", "-"]);
    let value = json(&solved.stdout)["lower_bound"].as_f64().unwrap();
    let after = corners.iter().position(|corner| corner[0] > 0.03).unwrap();
    let (a, b) = (&corners[after - 1], &corners[after]);
    let at = |k: usize| a[k] + (0.03 - a[0]) / (b[0] - a[0]) * (b[k] - a[k]);
    assert!(at(1) - 1e-9 <= value && value <= at(2) + 1e-9, "{} {value} {}", at(1), at(2));
}

#[test]
fn mistakes_of_curves_are_told() {
    let folder = Folder::with_example("neyman-pearson");
    let tell = |name: &str, from: &str, to: &str| {
        run(&folder.0, &["tradeoff", "problem.toml", "--constraint", name, "--from", from, "--to", to])
    };
    let unknown = tell("mised", "0.1", "0.2");
    assert!(
        unknown.code == Some(3) && unknown.stderr.contains("did you mean \"missed\"?"),
        "{}",
        unknown.stderr
    );
    let empty = tell("missed", "0.1", "0.1");
    assert!(empty.code == Some(3) && empty.stderr.contains("two different numbers"), "{}", empty.stderr);
    // A loss is not negative.
    let hopeless = tell("missed", "-2", "-1");
    assert!(
        hopeless.code == Some(2) && hopeless.stderr.contains("no point satisfies"),
        "{}",
        hopeless.stderr
    );
}

#[test]
fn every_template_is_certified_and_none_overwrites() {
    let folder = Folder::new();
    let kinds = run(&folder.0, &["init"]).stdout;
    let kinds: Vec<&str> = kinds.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(kinds.len(), 10, "{kinds:?}");
    for kind in kinds {
        let made = run(&folder.0, &["init", kind]);
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        let problem = format!("{kind}/problem.toml");
        let solved = run(&folder.0, &["solve", &problem]);
        assert!(
            solved.code == Some(0) && solved.stdout.contains("Certified"),
            "{kind}: {}{}",
            solved.stdout,
            solved.stderr
        );
        let again = run(&folder.0, &["init", kind]);
        assert!(again.code == Some(3) && again.stderr.contains("not overwritten"), "{}", again.stderr);
    }
    let frontier =
        ["tradeoff", "portfolio/problem.toml", "--constraint", "return", "--from", "3", "--to", "8"];
    let told = run(&folder.0, &frontier);
    assert!(told.code == Some(0) && told.stdout.contains("Certified"), "{}{}", told.stdout, told.stderr);
    let unknown = run(&folder.0, &["init", "portfolo"]);
    assert!(
        unknown.code == Some(3) && unknown.stderr.contains("did you mean \"portfolio\"?"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn a_model_scores_other_files() {
    let folder = Folder::new();
    let people = "age,city,income,bought\n30,Graz,2,yes\n40,Linz,3,no\n35,Graz,5,yes\n50,Wien,1,no\n28,Wien,4,yes\n61,Linz,2,yes\n45,Graz,1,no\n";
    folder.write("people.csv", people);
    let problem = "[data.people]\nfile = \"people.csv\"\nlabel = \"bought\"\npositive = \"yes\"\none_hot = [\"city\"]\nstandardise = true\n\
                   intercept = true\n[components.loss]\nkind = \"logistic\"\ndata = \"people\"\n[objective]\nminimise = \"loss\"\n\
                   [domain]\nkind = \"ball\"\nradius = 3\n";
    folder.write("problem.toml", problem);
    let solved = run(&folder.0, &["solve", "problem.toml", "--model", "model.json", "--json", "run.json"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    assert!(solved.stdout.contains("2 columns of numbers were standardised"), "{}", solved.stdout);
    let told = run(&folder.0, &["predict", "model.json", "people.csv", "--output", "scores.csv"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert!(told.stderr.contains("ignored: bought"), "{}", told.stderr);
    // The mean logistic loss of the scores is the objective.
    let scores = rows(&folder.read("scores.csv"));
    let labels = people.lines().skip(1).map(|line| if line.ends_with("yes") { 1.0 } else { -1.0 });
    let losses = labels.zip(&scores).map(|(label, row)| (1.0 + (-label * row[1]).exp()).ln());
    let mean = losses.sum::<f64>() / scores.len() as f64;
    let objective = json(&folder.read("run.json"))["objective"].as_f64().unwrap();
    assert!((mean - objective).abs() < 1e-9, "{mean} {objective}");
    for (data, words) in [
        ("age,city\n30,Graz\n", "it has no column income, which the model needs"),
        ("age,city,salary\n30,Graz,1\n", "no column income, which the model needs; it has salary, which"),
        ("age,city,income\n30,Graz,1\n40,Rom,2\n", "row 2, column \"city\": \"Rom\" is no category"),
        ("age,city,income\n30,Graz,x\n", "new.csv"),
    ] {
        folder.write("new.csv", data);
        let refused = run(&folder.0, &["predict", "model.json", "new.csv"]);
        assert!(refused.code == Some(3) && refused.stderr.contains(words), "{words}: {}", refused.stderr);
    }
    let refused = run(&folder.0, &["predict", "modl.json", "people.csv"]);
    let words = "modl.json: there is no such file; did you mean model.json?";
    assert!(refused.code == Some(3) && refused.stderr.contains(words), "{}", refused.stderr);
    folder.write("odd.json", "{}");
    let odd = run(&folder.0, &["predict", "odd.json", "people.csv"]);
    assert!(odd.code == Some(3) && odd.stderr.contains("no model"), "{}", odd.stderr);
    let lp = Folder::with_example("lp");
    let refused = run(&lp.0, &["solve", "problem.toml", "--model", "m.json"]);
    assert!(refused.code == Some(3) && refused.stderr.contains("columns of one table"), "{}", refused.stderr);
}

/// Rows of a program have the sides that its file gives them.
#[test]
fn rows_of_a_program_are_told_with_their_sides() {
    let folder = Folder::new();
    let text = "NAME T\nROWS\n N COST\n L LIM\n G LEAST\n E SUM\nCOLUMNS\n X COST -1 LIM 1\n X LEAST 2 SUM 1\n Y COST 1 SUM 1\n\
                RHS\n R LIM 4 LEAST 3\n R SUM 10\nENDATA\n";
    folder.write("t.mps", text);
    let solved = run(&folder.0, &["solve", "t.mps", "--json", "run.json"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    for words in
        ["LIM          4.00000e+00  <= 4", "LEAST        8.00000e+00  >= 3", "SUM          1.00000e+01  = 10"]
    {
        assert!(solved.stdout.contains(words), "{words}\n{}", solved.stdout);
    }
    assert!(
        solved.stdout.contains("loosening `LIM` by 1 lowers the objective by about 2"),
        "{}",
        solved.stdout
    );
    // The bounds of a trade-off are those of the file.
    let told = run(
        &folder.0,
        &["tradeoff", "t.mps", "--constraint", "LIM", "--from", "2", "--to", "4", "--csv", "c.csv"],
    );
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let curve = rows(&folder.read("c.csv"));
    let (first, last) = (&curve[0], &curve[curve.len() - 1]);
    // Y - X with X + Y = 10 and X at its bound.
    assert!((first[0] - 2.0).abs() < 1e-9 && (first[1] - 6.0).abs() < 1e-2, "{first:?}");
    assert!((last[0] - 4.0).abs() < 1e-9 && (last[1] - 2.0).abs() < 1e-2, "{last:?}");
}

/// Whatever rows a bounded term is stated by, it is one constraint: its value, its bound, its multiplier.
#[test]
fn a_bounded_term_is_told_as_one_constraint() {
    let folder = Folder::new();
    for (kind, more) in [
        ("max", ""),
        ("norm_inf", ""),
        ("norm1", ""),
        ("norm2", ""),
        ("conditional_value_at_risk", "alpha = 0.5"),
    ] {
        let problem = |bound: f64| {
            format!(
                "[components.loss]\nkind = \"linear\"\nlinear = [-1, -1.5]\n[affine.rows]\nmatrix = [[1, 0.2], [-0.4, 1], [0.5, 0.5]]\n\
                 [objective]\nminimise = \"loss\"\n[[constraints]]\nname = \"held\"\nkind = \"{kind}\"\naffine = \"rows\"\nweight = 2\n{more}\n\
                 at_most = {bound}\n[domain]\nkind = \"ball\"\nradius = 5\n"
            )
        };
        let solve = |bound: f64| {
            folder.write("problem.toml", problem(bound));
            let solved = run(&folder.0, &["solve", "problem.toml", "--json", "-"]);
            assert_eq!(solved.code, Some(0), "{kind}: {}", solved.stderr);
            json(&solved.stdout)
        };
        let (told, looser) = (solve(1.5), solve(1.501));
        let [held] = &told["constraints"].as_array().unwrap()[..] else { panic!("{kind}: {told}") };
        let number = |held: &serde_json::Value, key: &str| held[key].as_f64().unwrap();
        assert!(held["name"] == "held" && held["upper"] == 1.5 && held["active"] == true, "{kind}: {held}");
        assert!((number(held, "value") - 1.5).abs() < 1e-5, "{kind}: {held}");
        // The multiplier is what the optimum falls by.
        let falls = (number(&told, "objective") - number(&looser, "objective")) / 1e-3;
        assert!((number(held, "multiplier") - falls).abs() < 0.02 * falls, "{kind}: {held} {falls}");
    }
}

#[test]
fn two_constraints_give_a_surface() {
    let folder = Folder::new();
    let problem = "[components.cost]\nkind = \"quadratic\"\ndiagonal = [1, 2]\nlinear = [-3, -1]\n\
                   [components.a]\nkind = \"linear\"\nlinear = [1, 2]\n[components.b]\nkind = \"linear\"\nlinear = [2, 1]\n\
                   [objective]\nminimise = \"cost\"\n[[constraints]]\ncomponent = \"a\"\nat_most = 1\n[[constraints]]\ncomponent = \"b\"\nat_most = 1\n\
                   [domain]\nkind = \"box\"\nlower = -9\nupper = 9\n";
    folder.write("problem.toml", problem);
    let first = ["tradeoff", "problem.toml", "--constraint", "a", "--from", "0", "--to", "3"];
    let second = ["--constraint", "b", "--from", "-1", "--to", "2", "--tol", "1e-2", "--check", "5"];
    let outputs = ["--csv", "map.csv", "--json", "map.json", "--plot", "map.svg"];
    let told = run(&folder.0, &[&first[..], &second, &outputs].concat());
    assert_eq!(told.code, Some(0), "{}{}", told.stdout, told.stderr);
    assert!(told.stdout.contains("Certified: the surface is within"), "{}", told.stdout);
    assert!(told.stdout.contains("5 of 5 solves at random bounds lie in the band"), "{}", told.stdout);
    let grid = rows(&folder.read("map.csv"));
    assert_eq!(grid.len(), 41 * 41);
    assert!(grid[0][..2] == [0.0, -1.0] && grid[grid.len() - 1][..2] == [3.0, 2.0]);
    let narrow = |row: &Vec<f64>| row[2] <= row[3] && row[3] - row[2] <= 1e-2 * row[2].abs().max(1.0);
    assert!(grid.iter().all(narrow), "{grid:?}");
    let map = json(&folder.read("map.json"));
    assert!(map["status"] == "Certified" && map["constraints"][1] == "b" && map["undecided"] == 0.0);
    let svg = folder.read("map.svg");
    assert!(svg.contains("bound of a") && svg.contains("bound of b") && !svg.contains("NaN"));
    let odd = run(&folder.0, &[&first[..], &["--constraint", "b"]].concat());
    assert!(odd.code == Some(3) && odd.stderr.contains("a surface two"), "{}", odd.stderr);
}

#[test]
fn files_of_other_kinds_are_told_apart() {
    let folder = Folder::with_example("lp");
    for (arguments, words) in [
        (&["solve", "problem.toml", "--report", "run.pdf"][..], "run.pdf: --report writes HTML; give a name"),
        (&["solve", "problem.toml", "--x0", "start.csv"], "start.csv: a start is read from a .npy file"),
        (&["verify", "problem.toml", "problem.toml"], "it is no certificate of `ufcm solve --certificate`"),
    ] {
        let refused = run(&folder.0, arguments);
        assert!(refused.code == Some(3) && refused.stderr.contains(words), "{words}: {}", refused.stderr);
    }
    assert!(!folder.0.join("run.pdf").exists());
}

/// A table for models: numbers, a category, an exposure, a class, a yes or no.
const CUSTOMERS: &str = "age,region=x,logyears,claims,tier,left\n30,n,0.5,1,gold,yes\n41,s,1.2,0,iron,no\n35,n,0.1,2,gold,yes\n\
    52,w,0.9,1,tin,no\n28,w,0.3,0,tin,yes\n63,s,1.5,3,iron,no\n45,n,0.7,1,iron,no\n39,s,0.2,0,gold,yes\n";

/// The mean of losses at scores, by the lines of the table and of what `predict` shows.
fn mean_loss(shown: &str, loss: impl Fn(&[&str], &[&str]) -> f64) -> f64 {
    let cells = |line: &'static str| line.split(',').collect::<Vec<_>>();
    let pairs = CUSTOMERS.lines().skip(1).zip(shown.lines().skip(1));
    let losses: Vec<f64> =
        pairs.map(|(row, told)| loss(&cells(row), &told.split(',').collect::<Vec<_>>())).collect();
    losses.iter().sum::<f64>() / losses.len() as f64
}

/// What a loss adds to a_i.x, a model adds as well; a score without it would be another one.
#[test]
fn a_model_adds_the_offset_of_its_losses() {
    let folder = Folder::new();
    folder.write("c.csv", CUSTOMERS);
    let problem = "[data.c]\nfile = \"c.csv\"\nlabel = \"claims\"\nfeatures = [\"age\"]\none_hot = [\"region=x\"]\nstandardise = true\nintercept = true\n\
                   [components.loss]\nkind = \"poisson\"\ndata = \"c\"\noffset = \"logyears\"\n[objective]\nminimise = \"loss\"\n\
                   [domain]\nkind = \"ball\"\nradius = 4\n";
    folder.write("problem.toml", problem);
    let solved = run(&folder.0, &["solve", "problem.toml", "--model", "m.json", "--json", "run.json"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    let told = run(&folder.0, &["predict", "m.json", "c.csv"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert!(!told.stderr.contains("logyears"), "{}", told.stderr);
    let number = |cell: &str| cell.parse::<f64>().unwrap();
    let mean = mean_loss(&told.stdout, |row, told| number(told[2]) - number(row[3]) * number(told[1]));
    let objective = json(&folder.read("run.json"))["objective"].as_f64().unwrap();
    assert!((mean - objective).abs() < 1e-9, "{mean} {objective}");
    folder.write("short.csv", "age,region=x\n30,n\n");
    let refused = run(&folder.0, &["predict", "m.json", "short.csv"]);
    let words = "no column logyears, which the model needs (logyears is added to every score";
    assert!(refused.code == Some(3) && refused.stderr.contains(words), "{}", refused.stderr);
    folder.write("problem.toml", problem.replace("\"logyears\"", "[0, 1, 0, 1, 0, 1, 0, 1]"));
    let refused = run(&folder.0, &["solve", "problem.toml", "--model", "m.json"]);
    assert!(
        refused.code == Some(3) && refused.stderr.contains("`offset` that is a column"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_model_of_several_classes_tells_the_probability_of_each() {
    let folder = Folder::new();
    folder.write("c.csv", CUSTOMERS);
    let problem = "[data.c]\nfile = \"c.csv\"\nlabel = \"tier\"\nfeatures = [\"age\", \"logyears\"]\nstandardise = true\nintercept = true\n\
                   [components.loss]\nkind = \"multinomial_logistic\"\ndata = \"c\"\n[objective]\nminimise = \"loss\"\n\
                   [domain]\nkind = \"ball\"\nradius = 3\n";
    folder.write("problem.toml", problem);
    let solved = run(&folder.0, &["solve", "problem.toml", "--model", "m.json", "--json", "run.json"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    assert!(solved.stdout.contains("2 columns of numbers were standardised"), "{}", solved.stdout);
    let told = run(&folder.0, &["predict", "m.json", "c.csv"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(told.stdout.lines().next(), Some("row,class,gold,iron,tin"));
    let names = ["gold", "iron", "tin"];
    let mean = mean_loss(&told.stdout, |row, told| {
        let class = names.iter().position(|name| *name == row[4]).unwrap();
        let probabilities: Vec<f64> = told[2..].iter().map(|cell| cell.parse().unwrap()).collect();
        let likeliest = names.iter().position(|name| *name == told[1]).unwrap();
        assert!(probabilities.iter().all(|p| *p <= probabilities[likeliest]), "{told:?}");
        assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{told:?}");
        -probabilities[class].ln()
    });
    let objective = json(&folder.read("run.json"))["objective"].as_f64().unwrap();
    assert!((mean - objective).abs() < 1e-9, "{mean} {objective}");
}

/// A sum of losses is a classifier like one of them, and each is told by its name.
#[test]
fn losses_of_a_sum_and_of_some_variables_are_told_and_scored() {
    let folder = Folder::new();
    folder.write("c.csv", CUSTOMERS);
    let head = "[data.c]\nfile = \"c.csv\"\nlabel = \"left\"\npositive = \"yes\"\nfeatures = [\"age\"]\nstandardise = true\nintercept = true\n";
    let losses = |more: [&str; 2]| {
        let [a, b] = more;
        format!(
            "[components.old]\nkind = \"logistic\"\ndata = \"c\"\nrows = \"age >= 40\"\n{a}\n[components.young]\nkind = \"logistic\"\ndata = \"c\"\n\
             rows = \"age < 40\"\n{b}\n[objective]\nminimise = [\"old\", \"young\"]\n[domain]\nkind = \"ball\"\nradius = 3\n"
        )
    };
    folder.write("problem.toml", format!("{head}{}", losses(["", ""])));
    let solved = run(&folder.0, &["solve", "problem.toml", "--model", "m.json", "--json", "run.json"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    let summary = json(&folder.read("run.json"));
    let told: Vec<(String, u64, u64)> = summary["classifiers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let count = |key: &str| one[key].as_u64().unwrap();
            (one["name"].as_str().unwrap().to_owned(), count("positives"), count("negatives"))
        })
        .collect();
    assert_eq!(told, [("old".to_owned(), 0, 4), ("young".to_owned(), 4, 0)]);
    let parts: f64 =
        summary["classifiers"].as_array().unwrap().iter().map(|one| one["loss"].as_f64().unwrap()).sum();
    assert!((parts - summary["objective"].as_f64().unwrap()).abs() < 1e-9, "{summary}");
    let scored = run(&folder.0, &["predict", "m.json", "c.csv"]);
    assert_eq!(scored.stdout.lines().next(), Some("row,score,probability,positive"));
    // Blocks of variables: each loss has its own coefficients, which no model of one table has.
    let blocks = format!(
        "[variables]\nblocks = {{ a = 2, b = 2 }}\n{head}{}",
        losses(["variables = \"a\"", "variables = \"b\""])
    );
    folder.write("blocks.toml", blocks);
    let solved = run(&folder.0, &["solve", "blocks.toml"]);
    for words in ["  old  ", "  young  ", "1 column of numbers was standardised"] {
        assert!(solved.stdout.contains(words), "{words}: {}", solved.stdout);
    }
}

/// A model of one table would score with the wrong means where losses are over tables of their own.
#[test]
fn no_model_is_written_of_two_tables() {
    let folder = Folder::new();
    folder.write("a.csv", "u,y\n1,1\n2,0\n4,1\n");
    folder.write("b.csv", "u,y\n10,0\n20,1\n60,0\n");
    let part = |name: &str| {
        format!(
            "[data.{name}]\nfile = \"{name}.csv\"\nlabel = \"y\"\nstandardise = true\nintercept = true\n[components.of_{name}]\nkind = \"logistic\"\n\
             data = \"{name}\"\n"
        )
    };
    let rest = "[objective]\nminimise = \"of_b\"\n[[constraints]]\ncomponent = \"of_a\"\nat_most = 1\n[domain]\nkind = \"ball\"\nradius = 3\n";
    folder.write("problem.toml", format!("{}{}{rest}", part("a"), part("b")));
    let refused = run(&folder.0, &["solve", "problem.toml", "--model", "m.json"]);
    assert!(refused.code == Some(3) && refused.stderr.contains("columns of one table"), "{}", refused.stderr);
    let solved = run(&folder.0, &["solve", "problem.toml"]);
    for words in ["a: 1 column of numbers was standardised", "b: 1 column of numbers was standardised"] {
        assert!(solved.stdout.contains(words), "{words}: {}", solved.stdout);
    }
}

/// What raising a variable at its bound by a little costs, measured by raising the bound.
#[test]
fn reduced_costs_are_what_moving_the_bound_costs() {
    let folder = Folder::new();
    let problem = |lower: [f64; 3], upper: f64| {
        format!(
            "[variables]\nnames = [\"a\", \"b\", \"c\"]\n[components.fit]\nkind = \"least_squares\"\nmatrix = {{ identity = 3 }}\ntarget = [3, -2, 0.5]\n\
             reduction = \"sum\"\n[objective]\nminimise = \"fit\"\n[regulariser]\nkind = \"l1_box\"\nweight = 1\nlower = {lower:?}\nupper = {upper:?}\n"
        )
    };
    let solve = |lower: [f64; 3], upper: f64| {
        folder.write("problem.toml", problem(lower, upper));
        let solved = run(&folder.0, &["solve", "problem.toml", "--eps-rel", "1e-10", "--json", "-"]);
        assert_eq!(solved.code, Some(0), "{}", solved.stderr);
        json(&solved.stdout)
    };
    let told = solve([0.0; 3], 1.5);
    let cost = |name: &str| {
        let all = told["at_bounds"].as_array().unwrap();
        all.iter().find(|at| at["name"] == name).unwrap()["reduced_cost"].as_f64().unwrap()
    };
    let objective = |told: &serde_json::Value| told["objective"].as_f64().unwrap();
    let (step, at) = (1e-3, objective(&told));
    let measured = [
        (objective(&solve([0.0; 3], 1.5 + step)) - at) / step,
        (objective(&solve([0.0, step, 0.0], 1.5)) - at) / step,
        (objective(&solve([0.0, 0.0, step], 1.5)) - at) / step,
    ];
    for (name, measured) in ["a", "b", "c"].into_iter().zip(measured) {
        assert!((cost(name) - measured).abs() < 2e-3, "{name}: {} {measured}", cost(name));
    }
    assert!((cost("b") - 3.0).abs() < 1e-6 && (cost("c") - 0.5).abs() < 1e-6, "{told}");
}

/// A row in large units is active as well, though its multiplier is small; what is violated comes first.
#[test]
fn rows_in_any_unit_are_active_and_violated_ones_come_first() {
    let folder = Folder::new();
    let text = "[components.cost]\nkind = \"linear\"\nlinear = [-1, -1]\n[affine.small]\nmatrix = [[1, 0]]\n[affine.large]\nmatrix = [[0, 1e9]]\n\
                [objective]\nminimise = \"cost\"\n[[constraints]]\naffine = \"small\"\nat_most = 1\n[[constraints]]\naffine = \"large\"\nat_most = 1e9\n\
                [domain]\nkind = \"box\"\nlower = 0\nupper = 5\n";
    folder.write("problem.toml", text);
    let solved = run(&folder.0, &["solve", "problem.toml"]);
    for words in
        ["loosening `small` by 0.1 lowers", "loosening `large` by 1e8 lowers the objective by about 0.1"]
    {
        assert!(solved.stdout.contains(words), "{words}: {}", solved.stdout);
    }
    let np = Folder::with_example("neyman-pearson");
    let stopped = run(&np.0, &["solve", "problem.toml", "--max-gradients", "1", "--json", "run.json"]);
    let held = &json(&np.read("run.json"))["constraints"][0];
    assert!(held["violated"] == true && held["slack"].as_f64().unwrap() < -0.1, "{held}");
    assert!(
        stopped.stdout.contains("-6.63e-01") && stopped.stdout.contains("0 not 0\n"),
        "{}",
        stopped.stdout
    );
}

/// Where a run proved nothing, its certificate does not prove bounds either.
#[test]
fn verify_tells_what_is_not_proven() {
    let folder = Folder::new();
    folder.write("c.csv", CUSTOMERS);
    let problem = "[data.c]\nfile = \"c.csv\"\nlabel = \"claims\"\nfeatures = [\"age\"]\nstandardise = true\nintercept = true\n[components.loss]\n\
                   kind = \"poisson\"\ndata = \"c\"\n[objective]\nminimise = \"loss\"\n[regulariser]\nkind = \"l1\"\nweight = 0.001\nexcept = [\"intercept\"]\n";
    folder.write("problem.toml", problem);
    let solved = run(&folder.0, &["solve", "problem.toml", "--certificate", "proof.json"]);
    let told = run(&folder.0, &["verify", "problem.toml", "proof.json"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let proven = solved.stdout.contains("status       Certified");
    assert_eq!(told.stdout.contains("proves bounds"), proven, "{}\n{}", solved.stdout, told.stdout);
    assert!(proven || told.stdout.contains("lower bound  none"), "{}", told.stdout);
}

/// Rows of a program are named as in its file wherever a sentence speaks of them, and a ray is no answer.
#[test]
fn proofs_of_programs_speak_of_rows_by_the_names_of_the_file() {
    let folder = Folder::new();
    folder.write("none.lp", "Minimize\n obj: x + y\nSubject To\n need: x + y >= 2\n cap: x + y <= 1\nEnd\n");
    let told = run(&folder.0, &["solve", "none.lp", "--certificate", "proof.json", "--json", "run.json"]);
    assert_eq!(told.code, Some(2), "{}", told.stderr);
    let verified = run(&folder.0, &["verify", "none.lp", "proof.json"]);
    for shown in [&told.stdout, &verified.stdout] {
        assert!(shown.contains("`need` and `cap` have no common point"), "{shown}");
        assert!(shown.contains("need: multiplier") && !shown.contains("inequalities["), "{shown}");
    }
    let meaning = json(&folder.read("run.json"))["meaning"].as_str().unwrap().to_owned();
    assert!(meaning.contains("`need`"), "{meaning}");
    // A point that no proof speaks of is not shown beside a ray.
    folder.write("free.lp", "Maximize\n obj: x + y\nSubject To\n c1: x - y >= 2\nEnd\n");
    let told = run(&folder.0, &["solve", "free.lp"]);
    assert_eq!(told.code, Some(2), "{}", told.stderr);
    assert!(told.stdout.contains("a point with violation 0.00e+00 and a ray"), "{}", told.stdout);
    assert!(!told.stdout.contains("reduced cost") && !told.stdout.contains("-2.00e+00"), "{}", told.stdout);
    assert!(!told.stdout.contains("multipliers  "), "{}", told.stdout);
    // Curves and answers have the same sign of a row with a lower side.
    folder.write("q.lp", "Minimize\n obj: x + [ x^2 + 2 x*y + 4 y^2 ] / 2\nSubject To\n c1: x + y >= 2\nBounds\n -9 <= x <= 9\n -9 <= y <= 9\nEnd\n");
    let solved = run(&folder.0, &["solve", "q.lp", "--json", "-"]);
    let price = json(&solved.stdout)["constraints"][0]["multiplier"].as_f64().unwrap();
    let curve = run(
        &folder.0,
        &["tradeoff", "q.lp", "--constraint", "c1", "--from", "2", "--to", "3", "--json", "-"],
    );
    let curve = json(&curve.stdout);
    let points = curve["points"].as_array().unwrap();
    let at = points.iter().find(|point| point["bound"].as_f64() == Some(2.0)).unwrap();
    assert!(price < -1.0 && (at["multiplier"].as_f64().unwrap() - price).abs() < 1e-2, "{price} {at}");
    let refused = run(&folder.0, &["solve", "."]);
    assert!(
        refused.code == Some(3) && refused.stderr.contains("expected a file, found a folder"),
        "{}",
        refused.stderr
    );
}
