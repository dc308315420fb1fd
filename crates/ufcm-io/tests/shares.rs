//! Data that several ranks read together, each its own share: the problem of one machine, and errors that all of them are told, with file and line.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use ufcm::problem::Problem;
use ufcm::ranks::{Link, Threads};
use ufcm::report::Status;
use ufcm::settings::Settings;
use ufcm_io::paths::Base;
use ufcm_io::{Source, problem_file};

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ufcm-io-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn on_ranks<T: Send>(size: usize, work: impl Fn(&Arc<Link>) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let ranks = Threads::group(size).into_iter();
        let running: Vec<_> = ranks.map(|rank| scope.spawn(move || work(&Link::new(rank)))).collect();
        running.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

fn read(folder: &Path, text: &str, link: Option<&Arc<Link>>) -> Result<Problem, String> {
    let source = Source::from_bytes("p.toml", text.into()).unwrap();
    let read = problem_file::read_over(&source, &Base::new(folder), link);
    read.map(|read| read.problem).map_err(|error| error.to_string())
}

/// Values of all rows at a few points, and their gradients.
fn told(problem: &Problem) -> Vec<f64> {
    let (n, m) = (problem.dimension(), problem.rows());
    let mut mapping = problem.mapping();
    let mut told = vec![n as f64, m as f64];
    for k in 0..3 {
        let x: Vec<f64> = (0..n).map(|j| 0.1 * ((j + k) % 5) as f64 - 0.2).collect();
        let (mut values, mut gradient) = (vec![0.0; m], vec![0.0; n]);
        mapping.linearise(&x, &mut values).unwrap();
        told.extend(&values);
        for row in 0..m {
            mapping.jacobian_row(row, &mut gradient);
            told.extend(&gradient);
        }
    }
    told
}

/// The same problem on one machine and on ranks, within rounding.
fn assert_same(folder: &Path, text: &str) {
    let alone = told(&read(folder, text, None).unwrap());
    for size in [1, 2, 3, 5] {
        for own in on_ranks(size, |link| told(&read(folder, text, Some(link)).unwrap())) {
            assert_eq!(own.len(), alone.len(), "{size} ranks");
            for (own, alone) in own.iter().zip(&alone) {
                assert!(
                    (own - alone).abs() <= 1e-12 * (1.0 + alone.abs()),
                    "{size} ranks: {own} {alone}\n{text}"
                );
            }
        }
    }
}

const JOBS: [&str; 4] = ["clerk", "cook", "\"head, of\nall\"", "smith"];

/// Samples, some with cells in quotes.
fn people(rows: std::ops::Range<usize>, quoted: bool) -> String {
    let line = |k: usize| {
        let job = if quoted { JOBS[k * k % 4] } else { JOBS[k % 2] };
        let label = if (k * 7919) % 5 < 2 { "yes" } else { "no" };
        format!("{},{job},{},{label}\n", 20 + k * 37 % 41, (k * 13 % 17) as f64 / 8.0)
    };
    format!("age,job,hours,income\n{}", rows.map(line).collect::<String>())
}

fn losses(data: &str) -> String {
    format!(
        "{data}
[components.alarms]\nkind = \"logistic\"\ndata = \"d\"\nrows = \"label == -1\"
[components.missed]\nkind = \"logistic\"\ndata = \"d\"\nrows = \"label == 1 and row >= 3\"
[objective]\nminimise = \"alarms\"
[[constraints]]\ncomponent = \"missed\"\nat_most = 0.6
[domain]\nkind = \"ball\"\nradius = 10\n"
    )
}

const TABLE: &str =
    "one_hot = \"job\"\nlabel = \"income\"\npositive = \"yes\"\nstandardise = true\nintercept = true";

#[test]
fn tables_are_shared_by_their_lines_or_records() {
    let folder = Folder::new("shared-tables");
    folder.write("plain.csv", people(0..97, false));
    folder.write("quoted.csv", people(0..97, true));
    for (name, quoted) in [("plain", false), ("quoted", true)] {
        for (k, rows) in [0..40, 40..41, 41..97].into_iter().enumerate() {
            folder.write(&format!("{name}-{k}.csv"), people(rows, quoted));
        }
        let whole = losses(&format!("[data.d]\nfile = \"{name}.csv\"\n{TABLE}"));
        assert_same(&folder.0, &whole);
        let files = format!("[\"{name}-0.csv\", \"{name}-1.csv\", \"{name}-2.csv\"]");
        let parts = losses(&format!("[data.d]\nfile = {files}\n{TABLE}"));
        assert_same(&folder.0, &parts);
        // Files one after the other are one file.
        assert_eq!(
            told(&read(&folder.0, &whole, None).unwrap()),
            told(&read(&folder.0, &parts, None).unwrap())
        );
    }
}

#[test]
fn other_formats_are_shared_as_well() {
    let folder = Folder::new("shared-formats");
    let (rows, columns) = (53usize, 4usize);
    let value = |i: usize, j: usize| ((i * 31 + j * 17) % 13) as f64 / 4.0 - 1.5;
    let label = |i: usize| if (i * 7919).is_multiple_of(3) { 1.0 } else { -1.0 };
    let entries: Vec<f64> = (0..rows * columns).map(|k| value(k / columns, k % columns)).collect();
    folder.write("a.npy", ufcm_io::npy::matrix_bytes(rows, columns, entries));
    folder.write("y.npy", ufcm_io::npy::vector_bytes(&(0..rows).map(label).collect::<Vec<f64>>()));
    let svm = |rows: std::ops::Range<usize>| -> String {
        // The last column is in the last rows alone.
        let entry = |i: usize, j: usize| {
            if j + 1 < columns || i > 50 { format!(" {}:{}", j + 1, value(i, j)) } else { String::new() }
        };
        let line =
            |i: usize| format!("{}{}\n", label(i), (0..columns).map(|j| entry(i, j)).collect::<String>());
        rows.map(line).collect()
    };
    folder.write("a.svm", svm(0..rows));
    folder.write("b-0.svm", svm(0..20));
    folder.write("b-1.svm", svm(20..rows));
    let mut market =
        format!("%%MatrixMarket matrix coordinate real general\n{rows} {columns} {}\n", rows * columns);
    (0..rows * columns).for_each(|k| {
        let (i, j) = (k % rows, k / rows);
        market.push_str(&format!("{} {} {}\n", i + 1, j + 1, value(i, j)));
    });
    folder.write("a.mtx", market);
    for data in [
        "file = \"a.npy\"\nlabel = \"y.npy\"",
        "file = \"a.npy\"\nlabel = \"y.npy\"\nintercept = true\nstandardise = true",
        "file = \"a.mtx\"\nlabel = \"y.npy\"",
        "file = \"a.svm\"",
        "file = [\"b-0.svm\", \"b-1.svm\"]",
    ] {
        assert_same(&folder.0, &losses(&format!("[data.d]\n{data}")));
    }
    // Weights are given for all samples; a log-sum-exp and a block need them all.
    let weights: Vec<String> = (0..rows).map(|i| format!("{}", 1 + i % 3)).collect();
    let text = format!(
        "[data.d]\nfile = \"a.npy\"\nlabel = \"y.npy\"
[data.e]\nfile = \"a.npy\"\nlabel = \"y.npy\"
[components.loss]\nkind = \"logistic\"\ndata = \"d\"\nweights = [{}]
[components.top]\nkind = \"log_sum_exp\"\ndata = \"e\"
[affine.block]\ndata = \"e\"\nrows = \"row < 2\"
[objective]\nminimise = [\"loss\", \"top\"]
[[constraints]]\naffine = \"block\"\nat_most = 50
[domain]\nkind = \"ball\"\nradius = 10\n",
        weights.join(", ")
    );
    assert_same(&folder.0, &text);
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zipped(members: &[(&str, Vec<u8>)], method: zip::CompressionMethod) -> Vec<u8> {
    use std::io::Write;
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in members {
        writer.start_file(format!("{name}.npy"), options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn array(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// An array of 64-bit integers.
fn integers(values: impl IntoIterator<Item = usize>) -> Vec<u8> {
    let values: Vec<u8> = values.into_iter().flat_map(|value| (value as i64).to_le_bytes()).collect();
    array("<i8", &format!("({},)", values.len() / 8), &values)
}

/// What a rank has read of its rows has the bits of rows that are mapped, whatever the format.
#[test]
fn shares_of_matrices_have_the_bits_of_mapped_rows() {
    let folder = Folder::new("shared-bits");
    let (rows, columns) = (61usize, 5usize);
    let value = |i: usize, j: usize| ((i * 31 + j * 17) % 13) as f64 / 7.0 - 0.9;
    let kept = |i: usize, j: usize| !(i * 5 + j * 3).is_multiple_of(4);
    let labels: Vec<f64> = (0..rows).map(|i| if (i * 7919).is_multiple_of(3) { 1.0 } else { -1.0 }).collect();
    folder.write("y.npy", ufcm_io::npy::vector_bytes(&labels));

    let dense: Vec<f64> = (0..rows * columns).map(|k| value(k / columns, k % columns)).collect();
    let dense_bytes = ufcm_io::npy::matrix_bytes(rows, columns, dense.iter().copied());
    folder.write("dense.npy", &dense_bytes);
    folder.write("dense.npy.gz", gzipped(&dense_bytes));
    let by_columns: String =
        (0..rows * columns).map(|k| format!("{}\n", value(k % rows, k / rows))).collect();
    let market_array = format!("%%MatrixMarket matrix array real general\n{rows} {columns}\n{by_columns}");
    folder.write("dense.mtx", &market_array);
    folder.write("dense.mtx.gz", gzipped(market_array.as_bytes()));
    let y = ufcm_io::npy::vector_bytes(&labels);
    let members = [("A", dense_bytes), ("y", y.clone())];
    folder.write("stored.npz", zipped(&members, zip::CompressionMethod::Stored));
    folder.write("packed.npz", zipped(&members, zip::CompressionMethod::Deflated));

    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..rows {
        for j in (0..columns).filter(|&j| kept(i, j)) {
            indices.push(j);
            values.push(value(i, j));
        }
        starts.push(indices.len());
    }
    let matrix = ufcm::matrix::Matrix::csr(rows, columns, &starts, &indices, values.clone()).unwrap();
    folder.write("sparse.ufcm", ufcm_io::mapped::container::bytes(&matrix, None));
    let entries = (0..rows * columns).map(|k| (k % rows, k / rows)).filter(|&(i, j)| kept(i, j));
    let lines: String = entries.map(|(i, j)| format!("{} {} {}\n", i + 1, j + 1, value(i, j))).collect();
    let market =
        format!("%%MatrixMarket matrix coordinate real general\n{rows} {columns} {}\n{lines}", values.len());
    folder.write("sparse.mtx", &market);
    folder.write("sparse.mtx.gz", gzipped(market.as_bytes()));
    let csr = |method| {
        let members = [
            ("format", array("|S3", "()", b"csr")),
            ("shape", integers([rows, columns])),
            ("indptr", integers(starts.iter().copied())),
            ("indices", integers(indices.iter().copied())),
            ("data", ufcm_io::npy::vector_bytes(&values)),
            ("y", y.clone()),
        ];
        zipped(&members, method)
    };
    folder.write("csr.npz", csr(zip::CompressionMethod::Stored));
    folder.write("csr-packed.npz", csr(zip::CompressionMethod::Deflated));

    let text = |data: &str| losses(&format!("[data.d]\n{data}\n"));
    let dense_files = [
        "file = \"dense.npy\"\nlabel = \"y.npy\"",
        "file = \"dense.npy.gz\"\nlabel = \"y.npy\"",
        "file = \"dense.mtx\"\nlabel = \"y.npy\"",
        "file = \"dense.mtx.gz\"\nlabel = \"y.npy\"",
        "file = \"stored.npz\"\narray = \"A\"\nlabel = \"y\"",
        "file = \"packed.npz\"\narray = \"A\"\nlabel = \"y\"",
    ];
    let sparse_files = [
        "file = \"sparse.mtx\"\nlabel = \"y.npy\"",
        "file = \"sparse.mtx.gz\"\nlabel = \"y.npy\"",
        "file = \"csr.npz\"\nlabel = \"y\"",
        "file = \"csr-packed.npz\"\nlabel = \"y\"",
    ];
    // Rows of a component that do not follow each other cannot be mapped: all rows are taken.
    let all = |data: &str| {
        text(data).replace("rows = \"label == -1\"", "").replace("rows = \"label == 1 and row >= 3\"", "")
    };
    for (mapped, files) in [("dense.npy", &dense_files[..]), ("sparse.ufcm", &sparse_files[..])] {
        let mapped = all(&format!("file = \"{mapped}\"\nlabel = \"y.npy\"\nmapped = true"));
        for data in files {
            assert_same(&folder.0, &text(data));
            assert_eq!(
                told(&read(&folder.0, &all(data), None).unwrap()),
                told(&read(&folder.0, &mapped, None).unwrap()),
                "{data}"
            );
            for size in [1, 2, 4] {
                let expected = on_ranks(size, |link| told(&read(&folder.0, &mapped, Some(link)).unwrap()));
                let own = on_ranks(size, |link| told(&read(&folder.0, &all(data), Some(link)).unwrap()));
                assert_eq!(own, expected, "{size} ranks: {data}");
            }
        }
    }
}

#[test]
fn packed_tables_are_shared_as_plain_ones_are() {
    let folder = Folder::new("shared-packed");
    let (plain, quoted) = (people(0..97, false), people(0..97, true));
    folder.write("plain.csv", &plain);
    folder.write("plain.csv.gz", gzipped(plain.as_bytes()));
    folder.write("quoted.csv", &quoted);
    folder.write("quoted.csv.gz", gzipped(quoted.as_bytes()));
    let svm: String = (0..50).map(|i| format!("{} 1:{} 2:{}\n", i % 2 * 2 - 1, i % 7, i % 3)).collect();
    folder.write("a.svm", &svm);
    folder.write("a.svm.gz", gzipped(svm.as_bytes()));
    for (name, more) in [("plain.csv", TABLE), ("quoted.csv", TABLE), ("a.svm", "")] {
        let text = |end: &str| losses(&format!("[data.d]\nfile = \"{name}{end}\"\n{more}"));
        for size in [1, 2, 4] {
            let [plain, packed] = ["", ".gz"]
                .map(|end| on_ranks(size, |link| told(&read(&folder.0, &text(end), Some(link)).unwrap())));
            assert_eq!(packed, plain, "{size} ranks: {name}");
        }
    }
    // The line is told that the cell has in the unpacked file.
    let wrong = svm.replacen("1:6", "1:six", 5).replacen("1:six", "1:6", 4);
    let line = wrong.lines().position(|line| line.contains("six")).unwrap() + 1;
    folder.write("a.svm.gz", gzipped(wrong.as_bytes()));
    for told in
        on_ranks(2, |link| read(&folder.0, &losses("[data.d]\nfile = \"a.svm.gz\""), Some(link)).unwrap_err())
    {
        assert!(
            told.contains(&format!("a.svm.gz, line {line}, value: expected a number, found `six`")),
            "{told}"
        );
    }
}

#[test]
fn ranks_certify_what_they_have_read_in_shares() {
    let folder = Folder::new("shared-solve");
    folder.write("p-0.csv", people(0..300, true));
    folder.write("p-1.csv", people(300..800, true));
    let text = losses(&format!("[data.d]\nfile = [\"p-0.csv\", \"p-1.csv\"]\n{TABLE}"));
    let alone = read(&folder.0, &text, None).unwrap().solve(&Settings::default()).unwrap();
    assert_eq!(alone.status, Status::Certified);
    let all =
        on_ranks(3, |link| read(&folder.0, &text, Some(link)).unwrap().solve(&Settings::default()).unwrap());
    for report in &all {
        assert_eq!(report.status, Status::Certified);
        assert_eq!(report.x, all[0].x);
        assert!((report.objective - alone.objective).abs() <= 2e-6);
    }
}

#[test]
fn what_is_wrong_with_the_rows_of_one_rank_is_told_to_all() {
    let folder = Folder::new("shared-errors");
    folder.write("p-0.csv", people(0..100, false));
    folder.write("p-1.csv", people(100..200, false).replacen("\n20,", "\ntwenty,", 1));
    let bad = people(100..200, false).lines().position(|line| line.starts_with("20,")).unwrap() + 1;
    let text = losses(&format!("[data.d]\nfile = [\"p-0.csv\", \"p-1.csv\"]\n{TABLE}"));
    let message = format!("p-1.csv, line {bad}, column `age`: expected a finite number, found `twenty`");
    assert!(read(&folder.0, &text, None).unwrap_err().contains(&message));
    for size in [2, 4] {
        for (rank, told) in
            on_ranks(size, |link| read(&folder.0, &text, Some(link)).unwrap_err()).iter().enumerate()
        {
            assert!(told.contains(&message), "{size} ranks, {rank}: {told}");
        }
    }
    folder.write("p-1.csv", "age,work,hours,income\n");
    let error = read(&folder.0, &text, None).unwrap_err();
    assert!(
        error.contains("p-1.csv: expected the columns of") && error.contains("column 2 `job`, found `work`"),
        "{error}"
    );
    folder.write("a.svm", "1 1:1\n-1 2:x\n");
    let text = losses("[data.d]\nfile = \"a.svm\"");
    for told in on_ranks(2, |link| read(&folder.0, &text, Some(link)).unwrap_err()) {
        assert!(told.contains("a.svm, line 2, value: expected a number, found `x`"), "{told}");
    }
    for (file, message) in [
        ("[]", "it names no file"),
        ("[\"a.svm\", \"p-0.csv\"]", "the files of a data set have one format"),
        ("[\"a.svm\", \"none.svm\"]", "there is no file"),
    ] {
        let error = read(&folder.0, &losses(&format!("[data.d]\nfile = {file}")), None).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    // Nobody has such rows.
    folder.write("a.svm", "1 1:1\n1 2:2\n");
    let text = losses("[data.d]\nfile = \"a.svm\"");
    for told in on_ranks(2, |link| read(&folder.0, &text, Some(link)).unwrap_err()) {
        assert!(told.contains("no row of 2 is like that"), "{told}");
    }
}

/// Samples in groups of 7 rows.
fn write_parquet(path: &Path, rows: std::ops::Range<usize>) {
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type};
    use parquet::file::writer::SerializedFileWriter;
    let schema = "message people { required int32 age; required binary job (UTF8); optional double hours; required binary income (UTF8); }";
    let schema = Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let all: Vec<usize> = rows.collect();
    for rows in all.chunks(7) {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let ages: Vec<i32> = rows.iter().map(|k| (20 + k * 37 % 41) as i32).collect();
        column.typed::<Int32Type>().write_batch(&ages, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let jobs: Vec<ByteArray> = rows.iter().map(|k| JOBS[k % 2].into()).collect();
        column.typed::<ByteArrayType>().write_batch(&jobs, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let hours: Vec<f64> = rows.iter().map(|k| (k * 13 % 17) as f64 / 8.0).collect();
        column.typed::<DoubleType>().write_batch(&hours, Some(&vec![1; rows.len()]), None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let income = |k: &usize| if (k * 7919) % 5 < 2 { "yes".into() } else { "no".into() };
        let income: Vec<ByteArray> = rows.iter().map(income).collect();
        column.typed::<ByteArrayType>().write_batch(&income, None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn parquet_states_the_problem_of_the_same_csv() {
    let folder = Folder::new("shared-parquet");
    folder.write("plain.csv", people(0..97, false));
    write_parquet(&folder.0.join("a.parquet"), 0..97);
    write_parquet(&folder.0.join("b-0.parquet"), 0..30);
    write_parquet(&folder.0.join("b-1.parquet"), 30..97);
    let csv =
        told(&read(&folder.0, &losses(&format!("[data.d]\nfile = \"plain.csv\"\n{TABLE}")), None).unwrap());
    for file in ["\"a.parquet\"", "[\"b-0.parquet\", \"b-1.parquet\"]"] {
        let text = losses(&format!("[data.d]\nfile = {file}\n{TABLE}"));
        assert_eq!(told(&read(&folder.0, &text, None).unwrap()), csv);
        assert_same(&folder.0, &text);
    }
}

/// Values and error rates of all rows: the values have the bits of an evaluation, ranks count all samples.
#[test]
fn ranks_judge_an_answer_as_one_machine_does() {
    let folder = Folder::new("shared-judged");
    // All samples of one class come first, so that the last ranks have none of it.
    let line = |k: usize| {
        let label = if k < 20 { "yes" } else { "no" };
        format!("{},{},{},{label}\n", 20 + k * 37 % 41, JOBS[k % 2], (k * 13 % 17) as f64 / 8.0)
    };
    folder.write("p.csv", format!("age,job,hours,income\n{}", (0..90).map(line).collect::<String>()));
    let text = losses(&format!("[data.d]\nfile = \"p.csv\"\n{TABLE}"));
    let alone = read(&folder.0, &text, None).unwrap();
    let x: Vec<f64> = (0..alone.dimension()).map(|j| 0.3 * ((j % 3) as f64) - 0.25).collect();
    let judged = alone.judged_at(&x).unwrap();
    assert_eq!(judged.iter().map(|(value, _)| *value).collect::<Vec<f64>>(), alone.values_at(&x).unwrap());
    let rates: Vec<_> = judged.iter().map(|(_, rates)| rates.unwrap()).collect();
    assert_eq!((rates[0].positives, rates[0].negatives), (0, 70));
    assert_eq!((rates[1].positives, rates[1].negatives), (17, 0));
    let wrong = rates[0].false_alarms + rates[1].missed;
    assert!(wrong > 0 && wrong < 87, "both signs occur: {rates:?}");
    for size in [1, 2, 4] {
        let all = on_ranks(size, |link| read(&folder.0, &text, Some(link)).unwrap().judged_at(&x).unwrap());
        for own in all {
            for ((value, rates), (expected, counted)) in own.iter().zip(&judged) {
                assert!((value - expected).abs() <= 1e-12, "{size} ranks: {value} {expected}");
                assert_eq!(rates, counted, "{size} ranks");
            }
        }
    }
}
