//! Data that stay in their files: the same bits as data that are read, and errors that say what cannot be mapped.

use std::path::{Path, PathBuf};
use ufcm::matrix::Matrix;
use ufcm::problem::Problem;
use ufcm::report::{Report, Status};
use ufcm::settings::Settings;
use ufcm_io::mapped::container;
use ufcm_io::paths::Base;
use ufcm_io::{Source, mapped, npy, problem_file};

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ufcm-io-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn problem(folder: &Path, text: &str) -> Result<Problem, String> {
    let source = Source::from_bytes("p.toml", text.into()).unwrap();
    problem_file::read(&source, &Base::new(folder))
        .map(|read| read.problem)
        .map_err(|error| error.to_string())
}

/// The bytes of an array as NumPy writes them.
fn array(descr: &str, order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

const ROWS: usize = 3_000;
const COLUMNS: usize = 12;

/// Features of two classes, the second after the first, which single precision holds; and labels.
fn samples() -> (Vec<f32>, Vec<f64>) {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    let shift = |i: usize| if i < ROWS / 2 { -0.1 } else { 0.1 };
    let values = (0..ROWS * COLUMNS).map(|k| next() + shift(k / COLUMNS)).collect();
    (values, (0..ROWS).map(|i| if i < ROWS / 2 { -1.0 } else { 1.0 }).collect())
}

fn solved(folder: &Path, options: &str) -> Report {
    let text = format!(
        "[data.d]\nlabel = \"y.npy\"\n{options}
[components.alarms]\nkind = \"logistic\"\ndata = \"d\"\nrows = \"label == -1\"
[components.missed]\nkind = \"logistic\"\ndata = \"d\"\nrows = \"label == 1\"
[objective]\nminimise = \"alarms\"
[[constraints]]\ncomponent = \"missed\"\nat_most = 0.6
[domain]\nkind = \"ball\"\nradius = 10\n"
    );
    let report = problem(folder, &text).unwrap().solve(&Settings::default()).unwrap();
    assert_eq!(report.status, Status::Certified, "{options}");
    report
}

#[test]
fn mapped_data_have_the_bits_of_data_in_memory() {
    let folder = Folder::new("mapped-bits");
    let (values, labels) = samples();
    let doubles: Vec<u8> = values.iter().flat_map(|v| f64::from(*v).to_le_bytes()).collect();
    let singles: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let shape = format!("({ROWS}, {COLUMNS})");
    folder.write("a64.npy", &array("<f8", "False", &shape, &doubles));
    folder.write("a32.npy", &array("<f4", "False", &shape, &singles));
    folder.write("y.npy", &npy::vector_bytes(&labels));
    let reference = solved(&folder.0, "file = \"a64.npy\"");
    for options in [
        "file = \"a64.npy\"\nmapped = true",
        "file = \"a32.npy\"\nmapped = true",
        "file = \"a32.npy\"\ndtype = \"f32\"",
        "matrix = { file = \"a32.npy\", mapped = true }",
    ] {
        let report = solved(&folder.0, options);
        assert_eq!(report.x, reference.x, "{options}");
        assert_eq!(report.multipliers, reference.multipliers, "{options}");
        assert_eq!(
            (report.lower_bound, report.counts),
            (reference.lower_bound, reference.counts),
            "{options}"
        );
    }
}

#[test]
fn what_cannot_be_mapped_is_refused_by_name() {
    let folder = Folder::new("mapped-errors");
    let number = 1.5f64.to_le_bytes();
    let cases = [
        (array("<f8", "True", "(2, 2)", &number.repeat(4)), "Fortran order"),
        (array(">f8", "False", "(1, 1)", &number), "big-endian"),
        (array("<i8", "False", "(1, 1)", &number), "another type"),
        (array("<f8", "False", "(3, 1)", &number), "24 bytes of data"),
        (array("<f8", "False", "(1, 2)", &[number, f64::NAN.to_le_bytes()].concat()), "values[0, 1] is NaN"),
        (b"text".to_vec(), "expected a .npy file"),
    ];
    for (bytes, expected) in cases {
        let error = mapped::npy(folder.write("a.npy", &bytes)).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("a.npy"), "{error}");
    }
    assert!(mapped::npy(&folder.0).unwrap_err().to_string().contains("expected a file"));
    folder.write("a.npy", &array("<f8", "False", "(3, 1)", &number.repeat(3)));
    folder.write("a.csv", b"u\n1\n");
    let data = |lines: &str| {
        let part = "[components.g]\nkind = \"least_squares\"\ndata = \"d\"\nrows = \"label == 1\"\n[objective]\nminimise = \"g\"\n";
        problem(&folder.0, &format!("[data.d]\nmapped = true\n{lines}\n{part}")).map(|_| ()).unwrap_err()
    };
    for (lines, expected) in [
        ("file = \"a.npy\"\nstandardise = true", "`standardise` cannot change them"),
        ("file = \"a.csv\"", "this file cannot be mapped"),
        ("file = \"a.npy\"\nlabel = [1, 0, 1]", "do not follow each other"),
        ("file = \"a.npy\"\ndtype = \"f16\"", "type of numbers"),
    ] {
        let error = data(lines);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn converted_data_are_what_they_were() {
    let folder = Folder::new("mapped-container");
    let dense = Matrix::row_major(2, 3, vec![1.0, 0.5, -2.0, 0.0, 3.0, 0.25]).unwrap();
    let sparse = Matrix::csr(3, 4, &[0, 2, 2, 3], &[1, 3, 0], vec![1.0, -2.0, 0.5]).unwrap();
    let wide = Matrix::csr(2, 70_000, &[0, 2, 3], &[5, 69_999, 7], vec![1.0, 2.0, 3.0]).unwrap();
    for (matrix, labels) in [
        (dense.in_single_precision().unwrap(), None),
        (dense, Some([1.0, -1.0].to_vec())),
        (sparse, None),
        (wide, Some(vec![0.0, 1.0])),
    ] {
        let path = folder.write("d.ufcm", &container::bytes(&matrix, labels.as_deref()));
        let read = container::read(&path).unwrap();
        assert_eq!((&read.matrix, &read.labels), (&matrix, &labels));
        assert_eq!(
            read.matrix.compressed().map(|(_, c)| c.is_some()),
            matrix.compressed().map(|(_, c)| c.is_some())
        );
        // Cut anywhere, or with another head, it is refused and not read.
        let whole = std::fs::read(&path).unwrap();
        for end in [0, 7, 100, 128, whole.len() - 1] {
            let cut = folder.write("cut.ufcm", &whole[..end]);
            assert!(container::read(cut).is_err(), "{end} of {} bytes", whole.len());
        }
        let mut changed = whole.clone();
        changed[24] ^= 1;
        let error = container::read(folder.write("changed.ufcm", &changed)).unwrap_err().to_string();
        assert!(error.contains("another sum of its numbers"), "{error}");
    }
}

#[test]
fn sparse_problems_have_the_same_bits_from_converted_data() {
    let folder = Folder::new("mapped-sparse");
    let mut text = String::new();
    let mut state = 5u64;
    for i in 0..900 {
        text += if i % 3 == 0 { "-1" } else { "1" };
        for j in 1..=40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if state >> 60 == 0 {
                text += &format!(" {j}:{}", (state >> 40) as f64 / (1u64 << 23) as f64 - 0.9);
            }
        }
        text.push('\n');
    }
    let source = Source::from_bytes("a.svm", text.clone().into()).unwrap();
    let read = ufcm_io::libsvm::read(&source, None).unwrap();
    folder.write("a.svm", text.as_bytes());
    folder.write("a.ufcm", &container::bytes(&read.matrix, Some(&read.labels)));
    let solve = |data: &str| {
        let text = format!(
            "[data.d]\n{data}\n[components.g]\nkind = \"logistic\"\ndata = \"d\"\n[objective]\nminimise = \"g\"\n[domain]\nkind = \"ball\"\nradius = 3\n"
        );
        let report = problem(&folder.0, &text).unwrap().solve(&Settings::default()).unwrap();
        assert_eq!(report.status, Status::Certified);
        (report.x, report.lower_bound)
    };
    assert_eq!(solve("file = \"a.ufcm\"\nmapped = true"), solve("file = \"a.svm\""));
    // The arrays as SciPy has them.
    std::fs::create_dir(folder.0.join("a.csr")).unwrap();
    let (by_rows, _) = read.matrix.compressed().unwrap();
    let vector = |descr: &str, count: usize, data: &[u8]| array(descr, "False", &format!("({count},)"), data);
    let longs =
        |numbers: &[usize]| numbers.iter().flat_map(|n| (*n as i64).to_le_bytes()).collect::<Vec<u8>>();
    let ints: Vec<u8> = by_rows.indices.iter().flat_map(|i| (*i as i32).to_le_bytes()).collect();
    let doubles: Vec<u8> = by_rows.values.iter().flat_map(|v| v.to_le_bytes()).collect();
    folder.write("a.csr/shape.npy", &vector("<i8", 2, &longs(&[read.matrix.rows(), read.matrix.columns()])));
    folder.write("a.csr/indptr.npy", &vector("<i8", by_rows.starts.len(), &longs(by_rows.starts)));
    folder.write("a.csr/indices.npy", &vector("<i4", by_rows.indices.len(), &ints));
    folder.write("a.csr/data.npy", &vector("<f8", by_rows.values.len(), &doubles));
    folder.write("a.csr/labels.npy", &npy::vector_bytes(&read.labels));
    assert_eq!(solve("file = \"a.csr\"\nmapped = true"), solve("file = \"a.svm\""));
    let mut spoilt = ints.clone();
    spoilt[..4].copy_from_slice(&(-1i32).to_le_bytes());
    folder.write("a.csr/indices.npy", &vector("<i4", by_rows.indices.len(), &spoilt));
    let error = mapped::folder::read(folder.0.join("a.csr")).unwrap_err().to_string();
    assert!(error.contains("it must be below 40"), "{error}");
    folder.write("a.csr/indices.npy", &vector("<i8", 1, &[0; 8]));
    let error = mapped::folder::read(folder.0.join("a.csr")).unwrap_err().to_string();
    assert!(error.contains("indices.npy") && error.contains("int32 or uint32"), "{error}");
    let part = "[components.g]\nkind = \"logistic\"\ndata = \"d\"\n[objective]\nminimise = \"g\"\n";
    let error = problem(&folder.0, &format!("[data.d]\nfile = \"a.ufcm\"\n{part}")).map(|_| ()).unwrap_err();
    assert!(error.contains("add `mapped = true`"), "{error}");
}
