//! No bytes make a reader panic, or hold more memory than the crate says.

mod samples;

use peak_alloc::PeakAlloc;
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::{Mutex, PoisonError};
use ufcm_io::npz::Archive;
use ufcm_io::paths::Base;
use ufcm_io::table::{Column, Options, Table};
use ufcm_io::{
    MEMORY_FLOOR, MEMORY_RATIO, Program, ReadError, Source, libsvm, matrix_market, mps, npy, problem_file,
};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The allocator counts for all threads, so that tests must not measure side by side.
static ALONE: Mutex<()> = Mutex::new(());

/// The most that was held beyond what was held before.
fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = work();
    (result, MEMORY.peak_usage().saturating_sub(before))
}

type Reader = fn(Source) -> Result<(), ReadError>;

/// Each reader, followed by all that its result can be asked for.
const READERS: [(&str, Reader); 6] = [
    ("mps", |source| {
        let relaxed = mps::Options { relax_integers: true, ..mps::Options::default() };
        mps::read(&source, &relaxed).map(|program: Program| drop(program.to_problem()))
    }),
    ("npy", |source| {
        npy::read(&source).map(|array| drop((array.clone().into_indices(), array.into_matrix())))
    }),
    ("npz", |source| {
        let archive = Archive::read(source)?;
        archive.names().for_each(|name| drop(archive.matrix(name)));
        archive.sparse().map(drop)
    }),
    ("mtx", |source| matrix_market::read(&source).map(drop)),
    ("svm", |source| libsvm::read(&source, None).map(drop)),
    ("csv", |source| {
        let table = Table::read(&source, &Options::default())?;
        let columns: Vec<Column> = table.names().iter().map(Column::one_hot).collect();
        let rows: Vec<usize> = (0..table.rows()).collect();
        table.features(&columns, &rows).map(drop)
    }),
];

fn check(name: &str, reader: Reader, bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let size = bytes.len();
    let (unpacked, peak) = peak_of(|| {
        let source = Source::from_bytes("fuzz", bytes).ok()?;
        let unpacked = source.bytes().len();
        // What is wrong must be told in words.
        if let Err(error) = reader(source) {
            assert!(error.to_string().starts_with("fuzz"), "{error}");
        }
        Some(unpacked)
    });
    let limit = MEMORY_RATIO * unpacked.unwrap_or(size) + MEMORY_FLOOR;
    prop_assert!(peak <= limit, "{name}: {size} bytes made it hold {peak}");
    Ok(())
}

/// A change of a file: some bytes at a place give way to others.
#[derive(Debug, Clone)]
struct Edit {
    at: Index,
    removed: usize,
    inserted: Vec<u8>,
}

fn edit() -> impl Strategy<Value = Edit> {
    let tokens = [
        "",
        " ",
        "\n",
        "\t",
        "-",
        "0",
        "1e999",
        "nan",
        "inf",
        "99999999999999999999",
        "4294967295",
        "'MARKER'",
        "é",
        ":",
        ",",
        "\"",
        "#",
        "%",
        "1 1 1\n",
        "ENDATA\n",
        "RHS\n",
        "QUADOBJ\n",
        "(",
        "'|O'",
        "\r\n",
        "1:1 ",
        "\0",
    ];
    let token = prop::sample::select(tokens.to_vec()).prop_map(|token| token.as_bytes().to_vec());
    let inserted = prop_oneof![2 => token, 1 => prop::collection::vec(any::<u8>(), 1..4)];
    (any::<Index>(), prop_oneof![3 => 0..3usize, 1 => 0..200usize], inserted)
        .prop_map(|(at, removed, inserted)| Edit { at, removed, inserted })
}

fn edited(mut bytes: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    for Edit { at, removed, inserted } in edits {
        let start = at.index(bytes.len() + 1);
        let end = (start + removed).min(bytes.len());
        bytes.splice(start..end, inserted.iter().copied());
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for (name, reader) in READERS {
            check(name, reader, bytes.clone())?;
        }
    }

    #[test]
    fn arbitrary_bytes_after_a_valid_start(
        start in any::<Index>(), bytes in prop::collection::vec(any::<u8>(), 0..100)
    ) {
        for (name, reader) in READERS {
            let mut sample = samples::of(name);
            sample.truncate(start.index(sample.len() + 1));
            sample.extend(&bytes);
            check(name, reader, sample)?;
        }
    }

    #[test]
    fn changed_files(edits in prop::collection::vec(edit(), 1..5)) {
        for (name, reader) in READERS {
            check(name, reader, edited(samples::of(name), &edits))?;
        }
    }

    #[test]
    fn changed_gzip_files(edits in prop::collection::vec(edit(), 1..3)) {
        for (name, reader) in READERS {
            check(name, reader, edited(samples::gzip(&samples::of(name)), &edits))?;
            check(name, reader, samples::gzip(&edited(samples::of(name), &edits)))?;
        }
    }
}

/// Reads a problem file and all that it names; nothing lies beside it.
fn read_problem(bytes: Vec<u8>) -> Result<(), String> {
    let source = Source::from_bytes("fuzz", bytes).map_err(|error| error.to_string())?;
    problem_file::read(&source, &Base::new("no/such/folder")).map(drop).map_err(|error| error.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_problem_files(edits in prop::collection::vec(edit(), 1..5)) {
        let sample = samples::problem().into_bytes();
        let bytes = edited(sample, &edits);
        let size = bytes.len();
        let (result, peak) = peak_of(|| read_problem(bytes));
        prop_assert!(peak <= MEMORY_RATIO * size + MEMORY_FLOOR, "{size} bytes made it hold {peak}");
        if let Err(message) = result {
            // What is wrong is told with its place.
            prop_assert!(message.contains("--> fuzz:"), "{message}");
        }
    }
}

/// Ranks that share a file hold together what one machine holds, not each of them the whole.
#[test]
fn ranks_hold_no_more_than_their_rows() {
    use std::io::Write;
    use ufcm::ranks::{Link, Threads};
    let folder = std::env::temp_dir().join(format!("ufcm-io-ranks-hold-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (rows, columns) = (60_000, 20);
    let value = |i: usize, j: usize| ((i * 31 + j * 17) % 1009) as f64 / 7.0;
    let places = (0..rows * columns).map(|k| (k % rows, k / rows));
    let array: String = places.clone().map(|(i, j)| format!("{}\n", value(i, j))).collect();
    let array = format!("%%MatrixMarket matrix array real general\n{rows} {columns}\n{array}");
    let entries: String = places.map(|(i, j)| format!("{} {} {}\n", i + 1, j + 1, value(i, j))).collect();
    let entries = format!(
        "%%MatrixMarket matrix coordinate real general\n{rows} {columns} {}\n{entries}",
        rows * columns
    );
    let numbers =
        npy::matrix_bytes(rows, columns, (0..rows * columns).map(|k| value(k / columns, k % columns)));
    let zipped = |method| {
        let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        writer.start_file("A.npy", options).unwrap();
        writer.write_all(&numbers).unwrap();
        writer.finish().unwrap().into_inner()
    };
    let files = [
        ("array.mtx", array.clone().into_bytes()),
        ("array.mtx.gz", samples::gzip(array.as_bytes())),
        ("entries.mtx", entries.clone().into_bytes()),
        ("entries.mtx.gz", samples::gzip(entries.as_bytes())),
        ("stored.npz", zipped(zip::CompressionMethod::Stored)),
        ("packed.npz", zipped(zip::CompressionMethod::Deflated)),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).unwrap();
        let array = if name.ends_with("npz") { "array = \"A\"" } else { "" };
        let text = format!(
            "[data.d]\nfile = \"{name}\"\n{array}\n[components.c]\nkind = \"least_squares\"\ndata = \"d\"\ntarget = \"y.npy\"\n[objective]\nminimise = \"c\"\n"
        );
        let source = Source::from_bytes("p.toml", text.into()).unwrap();
        std::fs::write(folder.join("y.npy"), npy::vector_bytes(&vec![1.0; rows])).unwrap();
        let whole = |link: Option<&std::sync::Arc<Link>>| {
            problem_file::read_over(&source, &Base::new(&folder), link)
                .map_err(|error| error.to_string())
                .unwrap()
        };
        let (_, alone) = peak_of(|| whole(None));
        let size = 8;
        let (_, together) = peak_of(|| {
            std::thread::scope(|scope| {
                let ranks = Threads::group(size).into_iter();
                let running: Vec<_> =
                    ranks.map(|rank| scope.spawn(move || drop(whole(Some(&Link::new(rank)))))).collect();
                running.into_iter().for_each(|rank| rank.join().unwrap());
            });
        });
        // What every rank holds besides: labels of all rows, twice, and what it reads at once.
        let besides = size * (3 * 8 * rows + (3 << 20));
        assert!(together <= alone + besides, "{name}: {together} on ranks, {alone} alone");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_problem_is_valid() {
    read_problem(samples::problem().into()).unwrap();
}

#[test]
fn the_samples_are_valid() {
    for (name, reader) in READERS {
        for bytes in [samples::of(name), samples::gzip(&samples::of(name))] {
            reader(Source::from_bytes(name, bytes).unwrap()).unwrap();
        }
    }
}

#[test]
fn files_that_cost_most_stay_within_the_stated_multiple() {
    for (what, name, bytes) in samples::expensive() {
        let (_, reader) = READERS.into_iter().find(|(other, _)| *other == name).unwrap();
        let size = bytes.len();
        let (result, peak) = peak_of(|| reader(Source::from_bytes(what, bytes).unwrap()));
        result.unwrap();
        println!("{what}: {:.1} times the size of the file", peak as f64 / size as f64);
        assert!(peak <= MEMORY_RATIO * size, "{what}: {peak} for {size}");
    }
}
