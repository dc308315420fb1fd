//! Problems and data in the formats of others: LP files, CBF, Parquet.

mod common;

use common::{Folder, json, run};

const LP: &str =
    "maximize\n profit: 3 x + 2 y\nsubject to\n supply: x + y <= 4\n energy: [ x^2 + y^2 ] <= 10\nend\n";

const CBF: &str = "VER\n3\nOBJSENSE\nMIN\nVAR\n3 1\nF 3\nCON\n4 2\nQ 3\nL= 1\nOBJACOORD\n1\n0 1\nACOORD\n5\n0 0 1\n1 1 1\n2 2 1\n3 1 1\n3 2 1\nBCOORD\n2\n1 -3\n3 -1\n";

#[test]
fn lp_files_are_solved_checked_and_converted() {
    let folder = Folder::with_example("qcqp");
    folder.write("plan.lp", LP);
    let solved =
        run(&folder.0, &["solve", "plan.lp", "--quiet", "--json", "out.json", "--certificate", "proof.json"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    let told = json(&folder.read("out.json"));
    assert_eq!(told["status"], "Certified");
    // The circle and the line meet at (3, 1).
    assert!((told["objective"].as_f64().unwrap() - 11.0).abs() < 1e-4, "{told}");
    assert_eq!(run(&folder.0, &["verify", "plan.lp", "proof.json"]).code, Some(0));
    assert_eq!(run(&folder.0, &["check", "plan.lp"]).code, Some(0));
    assert_eq!(run(&folder.0, &["convert", "plan.lp", "plan.toml"]).code, Some(0));
    let again = run(&folder.0, &["solve", "plan.toml", "--quiet", "--json", "again.json"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let other = json(&folder.read("again.json"))["objective"].as_f64().unwrap();
    assert!((other.abs() - 11.0).abs() < 1e-4, "{other}");
    let refused = run(&folder.0, &["convert", "plan.lp", "plan.mps"]);
    assert_eq!(refused.code, Some(3));
    assert!(refused.stderr.contains("quadratic rows can be written as .toml alone"), "{}", refused.stderr);
    folder.write("bad.lp", LP.replace("x + y <= 4", "x + y <= 4 y"));
    let refused = run(&folder.0, &["solve", "bad.lp"]);
    assert_eq!(refused.code, Some(3));
    assert!(refused.stderr.contains("bad.lp, line 4, column 21: expected"), "{}", refused.stderr);
}

#[test]
fn cbf_files_are_solved() {
    let folder = Folder::with_example("qcqp");
    folder.write("line.cbf", CBF);
    let solved = run(&folder.0, &["solve", "line.cbf", "--quiet", "--json", "out.json"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    let told = json(&folder.read("out.json"));
    assert!((told["objective"].as_f64().unwrap() - 2f64.sqrt()).abs() < 1e-4, "{told}");
    assert_eq!(run(&folder.0, &["check", "line.cbf"]).code, Some(0));
    let refused = run(&folder.0, &["convert", "line.cbf", "line.toml"]);
    assert!(
        refused.code == Some(3) && refused.stderr.contains("its cones cannot be written"),
        "{}",
        refused.stderr
    );
    folder.write("psd.cbf", "VER\n3\nPSDVAR\n1\n3\n");
    let refused = run(&folder.0, &["solve", "psd.cbf"]);
    let message = "psd.cbf, line 3, column 1: PSDVAR (semidefinite cones) is not supported";
    assert!(refused.code == Some(3) && refused.stderr.contains(message), "{}", refused.stderr);
}

#[test]
fn parquet_is_converted_and_solved_with() {
    let folder = Folder::with_example("qcqp");
    // 30 rows of age, job, hours and income (yes or no), as pandas writes them; numbers alone; and with a null.
    std::fs::write(folder.0.join("people.parquet"), include_bytes!("data/people.parquet")).unwrap();
    std::fs::write(folder.0.join("numbers.parquet"), include_bytes!("data/numbers.parquet")).unwrap();
    std::fs::write(folder.0.join("missing.parquet"), include_bytes!("data/missing.parquet")).unwrap();
    let converted = run(&folder.0, &["convert", "numbers.parquet", "numbers.ufcm", "--label", "income"]);
    assert_eq!(converted.code, Some(0), "{}", converted.stderr);
    assert!(converted.stdout.contains("30 rows, 2 columns"), "{}", converted.stdout);
    for (file, message) in [
        ("people.parquet", "row 0 (counted from 0), column `job`: expected a finite number, found `clerk`"),
        ("missing.parquet", "row 17 (counted from 0), column `hours`: expected a value, found a missing one"),
    ] {
        let refused = run(&folder.0, &["convert", file, "out.ufcm", "--label", "age"]);
        assert_eq!(refused.code, Some(3));
        assert!(refused.stderr.contains(&format!("{file}, {message}")), "{}", refused.stderr);
    }
    let mapped = "[data.d]\nfile = \"numbers.ufcm\"\nmapped = true\n[components.loss]\nkind = \"logistic\"\ndata = \"d\"\n[objective]\nminimise = \"loss\"\n[domain]\nkind = \"ball\"\nradius = 5\n";
    folder.write("m.toml", mapped);
    let solved = run(&folder.0, &["solve", "m.toml", "--quiet"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    let table = "[data.d]\nfile = \"people.parquet\"\nfeatures = [\"age\"]\none_hot = \"job\"\nlabel = \"income\"\npositive = \"yes\"\nstandardise = true\n";
    let text = format!(
        "{table}[components.loss]\nkind = \"logistic\"\ndata = \"d\"\nrows = \"hours >= 0.5\"\n[objective]\nminimise = \"loss\"\n[domain]\nkind = \"ball\"\nradius = 5\n"
    );
    folder.write("p.toml", text);
    let solved = run(&folder.0, &["solve", "p.toml", "--quiet", "--json", "out.json"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    assert_eq!(json(&folder.read("out.json"))["status"], "Certified");
}

#[test]
fn arrow_is_solved_converted_and_scored() {
    let folder = Folder::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../ufcm-io/tests/samples/arrow/lz4.feather");
    std::fs::copy(sample, folder.0.join("people.feather")).unwrap();
    let problem = "[data.people]\nfile = \"people.feather\"\nlabel = \"paid\"\npositive = 1\none_hot = [\"city\"]\n\
                   ignore = [\"age\", \"hours\", \"tags\", \"sex\", \"born\", \"big\", \"price\", \"nothing\"]\nmissing = \"drop\"\n\
                   [components.loss]\nkind = \"logistic\"\ndata = \"people\"\n[objective]\nminimise = \"loss\"\n[domain]\nkind = \"ball\"\nradius = 3\n";
    folder.write("problem.toml", problem);
    let solved = run(&folder.0, &["solve", "problem.toml", "--model", "model.json"]);
    assert_eq!(solved.code, Some(0), "{}{}", solved.stdout, solved.stderr);
    assert!(solved.stdout.contains("city=Graz"), "{}", solved.stdout);
}
