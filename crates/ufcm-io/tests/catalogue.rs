//! Every kind of the catalogue, built from a problem file with the samples of its fields: under each of its names and each
//! spelling of its fields, with the same bits. The numbers are kept in `kinds.txt`, to which the Python package's tests
//! hold what Python builds from the same samples. `UFCM_BLESS=1 cargo test --workspace --test catalogue` writes them anew.

use std::fmt::Write;
use std::path::Path;
use ufcm::catalogue::{self, Field, Kind, RowsTaken, Section};
use ufcm::problem::Problem;
use ufcm_io::paths::Base;
use ufcm_io::{Source, problem_file};

/// The points at which kinds are compared, cut or repeated to the number of variables. Python's tests have the same.
const POINTS: [[f64; 3]; 3] = [[0.3, -0.7, 0.25], [0.5, 0.5, 1.0], [0.0, 0.0, 0.0]];

fn read(text: &str) -> Problem {
    let source = Source::from_bytes("p.toml", text.into()).unwrap();
    let read = problem_file::read(&source, &Base::new("no/such/folder"));
    read.unwrap_or_else(|error| panic!("{text}\n{error}")).problem
}

/// A section that states a kind by its samples.
fn section(kind: &Kind, name: &str, spelling: impl Fn(&Field) -> &'static str) -> String {
    let fields = kind.fields.iter().filter(|field| !field.sample.is_empty());
    let keys: String = fields.map(|field| format!("{} = {}\n", spelling(field), field.sample)).collect();
    format!("kind = \"{name}\"\n{keys}")
}

/// A problem of which the kind is all there is, or nearly.
fn problem(kind: &Kind, section: &str) -> String {
    match kind.section {
        Section::Component => format!("[components.g]\n{section}[objective]\nminimise = \"g\"\n"),
        Section::Composer => {
            let takes = catalogue::composer(kind.name).unwrap().rows;
            let rows = if takes == RowsTaken::Affine { "affine = \"z\"" } else { "of = [\"a\", \"b\"]" };
            let unlike = "[components.a]\nkind = \"linear\"\nlinear = [1, 2]\n[components.b]\nkind = \"quadratic\"\ndiagonal = [2, 1]\n";
            let block = "[affine.z]\nmatrix = [[1, 2], [-1, 0.5]]\noffset = [0.5, 0]\n";
            format!("{unlike}{block}[[terms]]\n{rows}\n{section}")
        }
        _ => format!("[variables]\ncount = 3\n[domain]\n{section}"),
    }
}

/// Values at the points, with gradients for components.
fn numbers(problem: &Problem, kind: &Kind) -> String {
    let n = problem.dimension();
    let mut line = String::new();
    for point in POINTS {
        let x: Vec<f64> = point.iter().copied().cycle().take(n).collect();
        if kind.section == Section::Component {
            let mut gradient = vec![0.0; n];
            let value = problem.component(0).unwrap().evaluate(&x, Some(&mut gradient)).unwrap();
            write!(line, " {value:?}").unwrap();
            gradient.iter().for_each(|g| write!(line, " {g:?}").unwrap());
        } else {
            write!(line, " {:?}", problem.value(&x).unwrap()).unwrap();
        }
    }
    line
}

#[test]
fn every_kind_is_built_from_its_samples() {
    let mut table = String::new();
    for kind in catalogue::kinds() {
        let own = numbers(&read(&problem(kind, &section(kind, kind.name, |field| field.name))), kind);
        for name in kind.aliases.iter().map(|alias| alias.name) {
            let text = problem(kind, &section(kind, name, |field| field.name));
            assert_eq!(numbers(&read(&text), kind), own, "{text}");
        }
        for spelling in 1..4 {
            let text = problem(
                kind,
                &section(kind, kind.name, |field| field.spellings().nth(spelling).unwrap_or(field.name)),
            );
            assert_eq!(numbers(&read(&text), kind), own, "{text}");
        }
        writeln!(table, "{}{own}", kind.name).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kinds.txt");
    if std::env::var_os("UFCM_BLESS").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    // Another processor may round the last digit differently.
    let agree = |a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a == b || (a - b).abs() <= 1e-13 * b.abs().max(1.0),
        _ => a == b,
    };
    let (got, kept) = (words(&table), words(&expected));
    assert_eq!(got.len(), kept.len(), "kinds came or went; UFCM_BLESS=1 writes tests/kinds.txt anew");
    for (got, kept) in got.iter().zip(&kept) {
        assert!(agree(got, kept), "{got} is not {kept} in\n{table}");
    }
}

#[test]
fn what_is_given_twice_or_elsewhere_is_told() {
    let told = |text: &str| {
        let source = Source::from_bytes("p.toml", text.into()).unwrap();
        problem_file::read(&source, &Base::new(".")).unwrap_err().to_string()
    };
    let twice = told("[domain]\nkind = \"ball\"\nradius = 1\nR = 2\n");
    assert!(twice.contains("`radius` is given twice") && twice.contains("p.toml:4:5"), "{twice}");
    let elsewhere = told("[components.a]\nkind = \"max\"\n");
    assert!(elsewhere.contains("it belongs into [[terms]]"), "{elsewhere}");
    let weights =
        told("[affine.z]\nmatrix = [[1]]\n[[terms]]\nkind = \"norm1\"\naffine = \"z\"\nweights = [1, 2]\n");
    assert!(
        weights.contains("weights has length 2; expected 1") && weights.contains("p.toml:6:"),
        "{weights}"
    );
    let missing = told("[components.a]\nkind = \"huber\"\nmatrix = [[1]]\ntarget = 1\n");
    assert!(missing.contains("components.a: `delta` is missing"), "{missing}");
    let near = told("[components.a]\nkind = \"huber\"\nmatrix = [[1]]\ntarget = 1\ndetla = 1\n");
    assert!(near.contains("did you mean `delta`?"), "{near}");
    let level = told("[affine.z]\nmatrix = [[1]]\n[[terms]]\nkind = \"quantile\"\naffine = \"z\"\nq = 2\n");
    assert!(level.contains("p.toml:6:5"), "{level}");
}
