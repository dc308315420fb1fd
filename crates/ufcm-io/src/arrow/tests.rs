use super::*;
use std::path::PathBuf;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/arrow").join(name)
}

#[test]
fn columns_are_read_however_they_are_packed() {
    for name in ["lz4.feather", "plain.arrow"] {
        let table = read(sample(name)).unwrap();
        let names =
            ["age", "hours", "tags", "sex", "city", "paid", "born", "big", "price", "nothing", "single"];
        assert_eq!(table.names(), names);
        assert_eq!((table.rows(), rows(&sample(name)).unwrap()), (5, 5));
        assert_eq!(table.numbers("big").unwrap(), [1.0, 2.0, 3.0, 4.0, (1u64 << 40) as f64]);
        assert_eq!(table.numbers("price").unwrap(), [1.25; 5]);
        assert_eq!(table.numbers("single").unwrap(), [1.5, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(table.rows_where("paid", "1").unwrap(), [0, 2, 3]);
        let cities: Vec<_> = table.texts("city").unwrap().map(String::from).collect();
        assert_eq!(cities, ["Graz", "a city with a long name", "", "Wien", "Linz"]);
        assert_eq!(table.rows_where("sex", "M").unwrap(), [1, 4]);
        for (column, words) in [
            ("age", "row 2 (counted from 0), column `age`: expected a value, found a missing one"),
            ("born", "column `born`: a column of dates or times is not supported"),
            ("tags", "column `tags`: a column of lists or structures is not supported"),
            ("nothing", "row 0 (counted from 0), column `nothing`"),
        ] {
            let error = table.numbers(column).unwrap_err().to_string();
            assert!(error.contains(words), "{name}: {error}");
        }
    }
    // Polars writes texts as views.
    let table = read(sample("polars.arrow")).unwrap();
    let cities: Vec<_> = table.texts("city").unwrap().map(String::from).collect();
    assert_eq!(cities, ["Graz", "a city with a long name", "", "Wien", "Linz"]);
}

#[test]
fn parts_are_those_of_the_whole() {
    for name in ["lz4.feather", "plain.arrow"] {
        let whole = read(sample(name)).unwrap().numbers("single").unwrap();
        for (start, end) in [(0, 5), (0, 0), (1, 2), (1, 4), (3, 5)] {
            let part = read_rows(&sample(name), Some(start..end), &Budget::unlimited()).unwrap();
            assert_eq!(part.numbers("single").unwrap(), whole[start..end]);
            assert_eq!(
                part.rows_where("sex", "M").unwrap().len(),
                [1, 4].iter().filter(|k| (start..end).contains(k)).count()
            );
        }
    }
}

#[test]
fn what_is_not_read_is_told() {
    for (name, words) in [
        ("zstd.arrow", "the packing of its columns (ZSTD)"),
        ("stream.arrow", "an Arrow stream"),
        ("make.py", "an Arrow file, which begins and ends with ARROW1"),
        ("none.arrow", "none.arrow: "),
    ] {
        let error = read(sample(name)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn other_bytes_are_refused_without_a_panic() {
    let path = std::env::temp_dir().join(format!("ufcm-io-{}-broken.arrow", std::process::id()));
    for name in ["lz4.feather", "plain.arrow", "polars.arrow"] {
        let bytes = std::fs::read(sample(name)).unwrap();
        for cut in (0..bytes.len()).step_by(97) {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(read(&path).is_err());
        }
        // Any byte changed: a table or an error.
        for at in (0..bytes.len()).step_by(17) {
            let mut changed = bytes.clone();
            changed[at] ^= if at.is_multiple_of(2) { 0x55 } else { 0xFF };
            std::fs::write(&path, &changed).unwrap();
            let _ = read(&path).map(|table| table.rows());
        }
    }
    let _ = std::fs::remove_file(&path);
}
