use super::*;
use crate::table::Column;
use ::parquet::basic::Compression;
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use std::path::PathBuf;
use std::sync::Arc;
use ufcm::matrix::Matrix;

const SCHEMA: &str = "message people {
    required double age; optional int32 hours; optional binary job (UTF8); required boolean paid;
    required int64 price (DECIMAL(10, 2)); optional int32 born (DATE);
    optional group tags (LIST) { repeated group list { optional binary element (UTF8); } } }";

struct Written(PathBuf);

impl Drop for Written {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Two groups of three rows and one of two.
fn people(name: &str, compression: Compression, null_hours: bool) -> Written {
    let path = std::env::temp_dir().join(format!("ufcm-io-{}-{name}.parquet", std::process::id()));
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut writer = SerializedFileWriter::new(File::create(&path).unwrap(), schema, properties).unwrap();
    let mut first = 0;
    for count in [3usize, 3, 2] {
        let rows: Vec<usize> = (first..first + count).collect();
        first += count;
        let mut group = writer.next_row_group().unwrap();
        let ages: Vec<f64> = rows.iter().map(|&k| 20.5 + k as f64).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&ages, None, None).unwrap();
        column.close().unwrap();
        // Row 4 has no hours.
        let present: Vec<i16> = rows.iter().map(|&k| i16::from(k != 4 || !null_hours)).collect();
        let hours: Vec<i32> =
            rows.iter().filter(|&&k| k != 4 || !null_hours).map(|&k| 10 * k as i32).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&hours, Some(&present), None).unwrap();
        column.close().unwrap();
        let jobs: Vec<ByteArray> = rows.iter().map(|&k| ["clerk", "cook"][k % 2].into()).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&jobs, Some(&vec![1; count]), None).unwrap();
        column.close().unwrap();
        let paid: Vec<bool> = rows.iter().map(|&k| k % 3 == 0).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<BoolType>().write_batch(&paid, None, None).unwrap();
        column.close().unwrap();
        let prices: Vec<i64> = rows.iter().map(|&k| 1999 + k as i64).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&prices, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&vec![1; count], Some(&vec![1; count]), None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let (definitions, repetitions) = (vec![0; count], vec![0; count]);
        column.typed::<ByteArrayType>().write_batch(&[], Some(&definitions), Some(&repetitions)).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
    Written(path)
}

#[test]
fn columns_are_read_however_they_are_packed() {
    let ways = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::GZIP(Default::default())];
    for (k, compression) in ways.into_iter().enumerate() {
        let file = people(&format!("packed-{k}"), compression, false);
        let table = read(&file.0).unwrap();
        assert_eq!(table.names(), ["age", "hours", "job", "paid", "price", "born", "tags"]);
        assert_eq!((table.rows(), rows(&file.0).unwrap()), (8, 8));
        assert_eq!(table.numbers("age").unwrap()[7], 27.5);
        assert_eq!(table.numbers("price").unwrap()[1], 20.0);
        assert_eq!(table.rows_where("hours", "30").unwrap(), [3]);
        assert_eq!(table.rows_where("paid", "1").unwrap(), [0, 3, 6]);
        let columns = [Column::number("age"), Column::one_hot("job")];
        let features = table.features(&columns, &[0, 3]).unwrap();
        assert_eq!(features.names, ["age", "job=clerk", "job=cook"]);
        assert_eq!(features.matrix, Matrix::row_major(2, 3, vec![20.5, 1.0, 0.0, 23.5, 0.0, 1.0]).unwrap());
    }
}

#[test]
fn a_null_is_told_by_its_row_and_column_and_so_is_what_cannot_be_read() {
    let file = people("null", Compression::SNAPPY, true);
    let table = read(&file.0).unwrap();
    let error = table.numbers("hours").unwrap_err().to_string();
    assert!(
        error.ends_with("row 4 (counted from 0), column `hours`: expected a value, found a missing one"),
        "{error}"
    );
    let error = table.numbers("born").unwrap_err().to_string();
    assert!(error.contains("column `born`: a column of dates or times is not supported"), "{error}");
    let error = table.levels("tags").unwrap_err().to_string();
    assert!(error.contains("column `tags`: a column of lists or structures is not supported"), "{error}");
}

#[test]
fn parts_are_those_of_the_whole() {
    let file = people("parts", Compression::SNAPPY, true);
    for (start, end) in [(0, 8), (0, 0), (2, 3), (2, 7), (5, 8), (3, 6)] {
        let part = read_rows(&file.0, Some(start..end), &Budget::unlimited()).unwrap();
        let ages: Vec<f64> = (start..end).map(|k| 20.5 + k as f64).collect();
        assert_eq!((part.rows(), part.numbers("age").unwrap()), (end - start, ages));
        let jobs: Vec<_> = part.texts("job").unwrap().map(String::from).collect();
        assert_eq!(jobs, (start..end).map(|k| ["clerk", "cook"][k % 2]).collect::<Vec<_>>());
        if (start..end).contains(&4) {
            let error = part.numbers("hours").unwrap_err().to_string();
            assert!(error.contains("row 4 (counted from 0), column `hours`"), "{error}");
        }
    }
}

#[test]
fn other_bytes_are_refused_without_a_panic() {
    let file = people("broken", Compression::SNAPPY, false);
    let bytes = std::fs::read(&file.0).unwrap();
    for cut in (0..bytes.len()).step_by(37) {
        std::fs::write(&file.0, &bytes[..cut]).unwrap();
        assert!(read(&file.0).is_err());
    }
    // Any byte changed: a table or an error.
    for at in (0..bytes.len()).step_by(5) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        std::fs::write(&file.0, &changed).unwrap();
        let _ = read(&file.0).map(|table| table.rows());
    }
    let missing = read("no/such/file.parquet").unwrap_err().to_string();
    assert!(missing.starts_with("no/such/file.parquet: "), "{missing}");
}
