//! Valid files of each format, and those that cost most memory for their size.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Cursor, Write};
use zip::write::{SimpleFileOptions, ZipWriter};

const MPS: &str = "\
NAME q
OBJSENSE
    MIN
ROWS
 N cost
 L le
 E eq
COLUMNS
 x cost 1 le 2
 M1 'MARKER' 'INTORG'
 y eq 4 le 1.5
 M2 'MARKER' 'INTEND'
RHS
 rhs cost -10 le 1
 rhs eq 3
RANGES
 r eq -2
BOUNDS
 UP b x 5
 MI b y
QUADOBJ
 x x 2 y -1
 y y 3
ENDATA
";

/// A valid file of a format.
pub fn of(format: &str) -> Vec<u8> {
    match format {
        "mps" => MPS.into(),
        "npy" => npy("'<f8'", "(2, 1)", &[0; 16]),
        "npz" => npz(),
        "mtx" => b"%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 2\n1 1 4.5\n3 1 -1\n".to_vec(),
        "svm" => b"+1 qid:1 1:0.5 3:2\n-1 qid:2 2:1 # a comment\n".to_vec(),
        _ => b"age,sex,label\n39,Male,1\n50,\"Fe,male\",0\n28,Female,1\n".to_vec(),
    }
}

/// A valid problem file with something of every kind of section.
pub fn problem() -> String {
    r#"name = "sample"
[variables]
names = ["u", "v"]
[data.d]
matrix = [[1, 2], [3.5, -4], [0, 1]]
label = [1, 0, 1]
[components.loss]
kind = "logistic"
data = "d"
rows = "label == 1 and row < 3"
[components.form]
kind = "quadratic"
matrix = { rows = 2, columns = 2, entries = [[0, 0, 1], [1, 1, 2]] }
[affine.a]
matrix = { identity = 2 }
offset = [1, 0.5]
[objective]
minimise = ["loss", "form"]
weights = [1, 0.5]
[[terms]]
kind = "norm1"
affine = "a"
[[terms]]
kind = "penalty"
of = "form"
at_most = 1
[[constraints]]
component = "form"
at_most = 3
[[constraints]]
affine = "a"
at_least = -1
at_most = [inf, 4]
[regulariser]
kind = "elastic_net"
l1 = [0.1, 0.2]
ridge = 1
[domain]
kind = "box"
lower = -2
upper = 0x2
"#
    .into()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {descr}, 'fortran_order': True, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// A sparse matrix as SciPy writes it, half of it compressed.
fn npz() -> Vec<u8> {
    let vector = |data: &[u8]| npy("'|u1'", &format!("({},)", data.len()), data);
    let members = [
        ("format.npy", npy("'|S3'", "()", b"csr")),
        ("shape.npy", vector(&[2, 3])),
        ("indptr.npy", vector(&[0, 2, 3])),
        ("indices.npy", vector(&[0, 2, 1])),
        ("data.npy", vector(&[7, 8, 9])),
    ];
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (k, (name, bytes)) in members.iter().enumerate() {
        let method = [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated][k % 2];
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Files of some hundred kilobytes with the least text for each thing that is stored: (what, format, bytes).
pub fn expensive() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let lines = |line: &dyn Fn(usize) -> String| (0..50_000).map(line).collect::<String>();
    let columns = lines(&|k| format!(" {k:x} C 1\n"));
    let squares = lines(&|k| format!(" {k:x} {k:x} 1\n"));
    let mps = |rows: String, columns: &str| format!("ROWS\n N C\n{rows}COLUMNS\n{columns}ENDATA\n");
    let market = |text: String| format!("%%MatrixMarket matrix {text}");
    let texts = [
        ("many rows", "mps", mps(lines(&|k| format!(" L {k:x}\n")), " x C 1\n")),
        ("many columns", "mps", mps(String::new(), &columns)),
        ("many quadratic entries", "mps", mps(String::new(), &format!("{columns}QUADOBJ\n{squares}"))),
        (
            "many entries",
            "mtx",
            market(format!("coordinate pattern general\n9 9 50000\n{}", "1 1\n".repeat(50_000))),
        ),
        (
            "many symmetric entries",
            "mtx",
            market(format!("coordinate pattern symmetric\n9 9 50000\n{}", "2 1\n".repeat(50_000))),
        ),
        ("an array", "mtx", market(format!("array real general\n50000 1\n{}", "1\n".repeat(50_000)))),
        ("many labels", "svm", "1\n".repeat(200_000)),
        ("many features", "svm", "1 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1\n".repeat(20_000)),
        ("many cells", "csv", format!("{}\n{}", ["a", "b", "c", "d"].join(","), "1,1,1,1\n".repeat(50_000))),
        ("many categories", "csv", format!("{}\n{}", "n".repeat(128), lines(&|k| format!("{k:x}\n")))),
        ("many names", "csv", (0..50_000).map(|k| format!("{k:x},")).collect::<String>() + "z"),
    ];
    let mut files: Vec<_> =
        texts.into_iter().map(|(what, format, text)| (what, format, text.into_bytes())).collect();
    files.push(("many bytes", "npy", npy("'|u1'", "(400000,)", &[1; 400_000])));
    files
}
