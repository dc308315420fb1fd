//! Every kind that a problem file can name, and every way to write data, against the value it must have.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use ufcm::problem::Problem;
use ufcm_io::paths::Base;
use ufcm_io::{Source, problem_file};

/// The problem of a text whose data lie in `folder`.
fn problem_in(folder: &Path, text: &str) -> Problem {
    let source = Source::from_bytes("p.toml", text.into()).unwrap();
    problem_file::read(&source, &Base::new(folder)).unwrap_or_else(|error| panic!("{error}")).problem
}

fn value(text: &str, x: &[f64]) -> f64 {
    problem_in(Path::new("no/such/folder"), text).value(x).unwrap()
}

fn assert_near(got: f64, expected: f64, what: &str) {
    assert!((got - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{what}: {got}, not {expected}");
}

#[test]
fn every_component() {
    // a_1.x = 1 and a_2.x = -2 at x = (1, 2); labels 1 and -1, so that margins are 1 and 2.
    let samples = "matrix = [[1, 0], [0, -1]]\ntarget = [1, -1]";
    let log = |v: f64| (-v).exp().ln_1p();
    let cases = [
        (format!("kind = \"logistic\"\n{samples}"), (log(1.0) + log(2.0)) / 2.0),
        (format!("kind = \"logistic\"\n{samples}\nweights = [3, 1]"), (3.0 * log(1.0) + log(2.0)) / 4.0),
        (format!("kind = \"squared_hinge\"\n{samples}\nreduction = \"sum\""), 0.0),
        (format!("kind = \"smoothed_hinge\"\n{samples}\ngamma = 0.5"), 0.0),
        (format!("kind = \"least_squares\"\n{samples}"), 0.25),
        (format!("kind = \"least_squares\"\n{samples}\nreduction = \"sum\"\nweight = 4\nconstant = 1"), 3.0),
        (format!("kind = \"huber\"\n{samples}\ndelta = 0.5"), (0.5 * (1.0 - 0.25)) / 2.0),
        (format!("kind = \"power\"\n{samples}\np = 1.5"), 0.5),
        ("kind = \"poisson\"\nmatrix = [[1, 0]]\ntarget = [2]".into(), 1f64.exp() - 2.0),
        ("kind = \"exponential_sum\"\nmatrix = [[1, 0]]\noffset = [1]".into(), 2f64.exp()),
        ("kind = \"log_sum_exp\"\nmatrix = [[1, 0], [1, 0]]".into(), 1.0 + 2f64.ln()),
        ("kind = \"quadratic\"\nmatrix = [[2, 1], [1, 2]]\nlinear = [1, 0]".into(), 8.0),
        ("kind = \"quadratic\"\ndiagonal = [1, 2]".into(), 4.5),
        ("kind = \"quadratic\"\nfactor = [[1, 1]]\ndiagonal = [1, 0]".into(), 5.0),
        ("kind = \"linear\"\nlinear = [3, -1]\nconstant = 2".into(), 3.0),
    ];
    for (component, expected) in cases {
        let text = format!("[components.g]\n{component}\n[objective]\nminimise = \"g\"\n");
        assert_near(value(&text, &[1.0, 2.0]), expected, &component);
    }
}

#[test]
fn every_composer() {
    // Rows 1 and 4 at x = (1, 2) as components; 3 and -1 as affine rows.
    let parts = "\
[components.a]
kind = \"linear\"
linear = [1, 0]
[components.b]
kind = \"quadratic\"
diagonal = [0, 2]
[affine.z]
matrix = [[1, 1], [1, -1]]
";
    let soft = |z: [f64; 2], eta: f64| eta * z.iter().map(|z| (z / eta).exp()).sum::<f64>().ln();
    let cases = [
        ("kind = \"sum\"\nof = [\"a\", \"b\"]\nweights = [2, 1]", 6.0),
        ("kind = \"max\"\nof = [\"a\", \"b\"]\nweight = 3", 12.0),
        ("kind = \"smooth_max\"\nof = [\"a\", \"b\"]\neta = 0.5", soft([1.0, 4.0], 0.5)),
        ("kind = \"squared_hinge\"\nof = [\"a\", \"b\"]\neta = 2\nat_most = [0, 2]", 1.25),
        ("kind = \"penalty\"\nof = [\"a\", \"b\"]\nat_most = 2\nweight = 10", 20.0),
        ("kind = \"max\"\naffine = \"z\"", 3.0),
        ("kind = \"norm1\"\naffine = \"z\"\nweights = [1, 2]\nweight = 2", 10.0),
        ("kind = \"norm2\"\naffine = \"z\"\nweight = 2", 2.0 * 10f64.sqrt()),
        ("kind = \"norm_inf\"\naffine = \"z\"", 3.0),
        ("kind = \"sum_power\"\naffine = \"z\"\np = 1.5", 3f64.powf(1.5) + 1.0),
        ("kind = \"quantile\"\naffine = \"z\"\nq = 0.75", 0.25 * 3.0 + 0.75),
        ("kind = \"huber\"\naffine = \"z\"\ndelta = 1", 3.0 - 0.5 + 0.5),
        ("kind = \"squares\"\naffine = \"z\"\nweights = [1, 4]", 4.5 + 2.0),
    ];
    for (term, expected) in cases {
        assert_near(value(&format!("{parts}[[terms]]\n{term}\n"), &[1.0, 2.0]), expected, term);
    }
    for (constraint, violation) in [
        ("component = [\"a\", \"b\"]\nweights = [2, 1]\nat_most = 5", 1.0),
        ("affine = \"z\"\nat_most = 0", 3.0),
        ("affine = \"z\"\nat_most = [inf, -3]", 2.0),
        ("affine = \"z\"\nat_least = 1", 2.0),
        ("affine = \"z\"\nequals = [3, 0]", 1.0),
        ("affine = \"z\"\nat_least = [0, 0]\nat_most = [7, 7]", 1.0),
    ] {
        let problem = problem_in(Path::new("."), &format!("{parts}[[constraints]]\n{constraint}\n"));
        assert_near(problem.violation(&[1.0, 2.0]).unwrap(), violation, constraint);
    }
}

#[test]
fn every_regulariser_and_domain() {
    let inf = f64::INFINITY;
    let cases = [
        ("kind = \"zero\"", 0.0),
        ("kind = \"l1\"\nweight = [1, 2]", 3.0 + 8.0),
        ("kind = \"positive_part\"\nweight = 2", 6.0),
        ("kind = \"ridge\"\nweight = 2", 25.0),
        ("kind = \"elastic_net\"\nl1 = 1\nridge = 2", 32.0),
        ("kind = \"l1_box\"\nweight = 1\nupper = 2", inf),
        ("kind = \"l2\"\nweight = 2", 10.0),
        ("kind = \"group_l2\"\ngroups = [[0, 1]]\nweight = 2", 10.0),
        ("kind = \"linf\"\nweight = 2", 8.0),
        ("kind = \"total_variation\"\nweight = 2", 14.0),
        ("kind = \"sum_of_largest\"\ncount = 1\nweight = 2", 6.0),
        ("kind = \"box\"\nlower = -4\nupper = [3, inf]", 0.0),
        ("kind = \"nonnegative\"", inf),
        ("kind = \"linf_ball\"\nradius = 4", 0.0),
        ("kind = \"ball\"\nradius = 4.9", inf),
        ("kind = \"ball\"\nradius = 1\ncentre = [3, -4]", 0.0),
        ("kind = \"l1_ball\"\nradius = 7", 0.0),
        ("kind = \"simplex\"\ntotal = 1", inf),
        ("kind = \"halfspace\"\nnormal = [1, 1]\noffset = 0", 0.0),
        ("kind = \"hyperplane\"\nnormal = [1, 0]\noffset = 2", inf),
        ("kind = \"affine_set\"\nmatrix = [[1, 0]]\noffset = [2]", inf),
        ("kind = \"second_order_cone\"", inf),
        ("kind = \"l1\"\nweight = 1\nfactor = 2\nargument = 3", 42.0),
        (
            "kind = \"parts\"\nparts = [{ variables = 1, kind = \"l1\", weight = 2 }, { variables = 1, kind = \"ridge\", weight = 1 }]",
            14.0,
        ),
    ];
    for (kind, expected) in cases {
        for section in ["regulariser", "domain"] {
            let text = format!("[variables]\ncount = 2\n[{section}]\n{kind}\n");
            let got = value(&text, &[3.0, -4.0]);
            assert!(
                got == expected || (got - expected).abs() < 1e-12 * expected,
                "{kind}: {got}, not {expected}"
            );
        }
    }
}

/// A folder with the same data in every format, removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn archive(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn the_same_data_from_every_format() {
    let folder = Folder(std::env::temp_dir().join(format!("ufcm-io-problems-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.0.join(name), bytes).unwrap();
    write("a.csv", b"u,v,kind,y\n1,2,k,1\n0,3,m,-1\n4,0,k,1\n");
    write("a.tsv", b"u\tv\ty\n1\t2\t1\n0\t3\t-1\n4\t0\t1\n");
    write("a.svm", b"1 1:1 2:2\n-1 2:3\n1 1:4\n");
    write("a.svm.gz", &gzip(b"1 1:1 2:2\n-1 2:3\n1 1:4\n"));
    write("a.mtx", b"%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 1\n1 2 2\n2 2 3\n3 1 4\n");
    write("a.npy", &ufcm_io::npy::matrix_bytes(3, 2, [1.0, 2.0, 0.0, 3.0, 4.0, 0.0]));
    write("y.npy", &ufcm_io::npy::vector_bytes(&[1.0, -1.0, 1.0]));
    let members = ["a.npy", "y.npy"].map(|name| (name, std::fs::read(folder.0.join(name)).unwrap()));
    write("d.npz", &archive(&members));
    let sets = [
        "file = \"a.csv\"\nlabel = \"y\"\nignore = \"kind\"",
        "file = \"a.csv\"\nlabel = \"kind\"\npositive = \"k\"\nfeatures = [\"u\", \"v\"]",
        "file = \"a.tsv\"\nlabel = \"y\"",
        "file = \"a.svm\"",
        "file = \"a.svm.gz\"\ncolumns = 2",
        "file = \"a.mtx\"\nlabel = \"y.npy\"",
        "file = \"a.npy\"\nlabel = [1, -1, 1]",
        "file = \"d.npz\"\narray = \"a\"\nlabel = \"y\"",
        "matrix = { file = \"d.npz\", array = \"a\" }\nlabel = { file = \"d.npz\", array = \"y\" }",
        "matrix = [[1, 2], [0, 3], [4, 0]]\nlabel = { file = \"a.csv\", columns = \"y\" }",
        "matrix = { file = \"a.csv\", columns = [\"u\", \"v\"] }\nlabel = [1, -1, 1]",
    ];
    let values: Vec<f64> = sets
        .iter()
        .map(|set| {
            let rows = "rows = \"label == 1 and row != 2\"";
            let text = format!(
                "[data.d]\n{set}\n[components.all]\nkind = \"logistic\"\ndata = \"d\"\n[components.one]\nkind = \"logistic\"\ndata = \"d\"\n{rows}\n\
                 [objective]\nminimise = [\"all\", \"one\"]\nweights = [1, 10]\n"
            );
            problem_in(&folder.0, &text).value(&[0.5, -0.25]).unwrap()
        })
        .collect();
    let log = |v: f64| (-v).exp().ln_1p();
    let expected = (log(0.0) + log(0.75) + log(2.0)) / 3.0 + 10.0 * log(0.0);
    for (set, value) in sets.iter().zip(values) {
        assert_near(value, expected, set);
    }
    // A vector stands for a diagonal, written out or in a file.
    write("q.npy", &ufcm_io::npy::vector_bytes(&[2.0, 4.0]));
    for matrix in ["[2, 4]", "\"q.npy\"", "[[2, 0], [0, 4]]"] {
        let text = format!(
            "[components.q]\nkind = \"quadratic\"\nmatrix = {matrix}\n[objective]\nminimise = \"q\"\n"
        );
        assert_near(problem_in(&folder.0, &text).value(&[1.0, 0.5]).unwrap(), 1.5, matrix);
    }
}

#[test]
fn rows_of_terms_keep_the_names_of_their_components() {
    let text = "\
[components.a]
kind = \"linear\"
linear = [1, 0]
[components.b]
kind = \"linear\"
linear = [0, 1]
[affine.both]
matrix = [[1, 0], [0, 1]]
[[terms]]
kind = \"max\"
of = [\"b\", \"a\"]
[[terms]]
kind = \"norm1\"
affine = \"both\"
[[terms]]
kind = \"penalty\"
of = [\"a\", \"b\"]
[[terms]]
kind = \"sum\"
of = \"a\"
[domain]
kind = \"ball\"
radius = 1
";
    let source = Source::from_bytes("p.toml", text.into()).unwrap();
    let file = problem_file::read(&source, &Base::new("no/such/folder")).unwrap();
    let names: Vec<(usize, &str)> =
        file.component_names.iter().map(|(row, name)| (*row, name.as_str())).collect();
    // Row 0 is the objective.
    assert_eq!(names, [(1, "b"), (2, "a"), (5, "a"), (6, "b")]);
    assert_eq!(file.problem.rows(), 8);
}
