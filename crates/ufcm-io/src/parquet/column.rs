//! One column of a Parquet file, decoded into cells.

use super::malformed;
use crate::error::{Fault, quoted};
use crate::table::Cells;
use ::parquet::basic::{ConvertedType, LogicalType, Type};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Records that are decoded at once.
const BATCH: usize = 1 << 13;
/// Powers of ten up to this are exact.
const EXACT_POWER: i32 = 22;

/// What a column is read into.
pub(super) fn empty(column: &ColumnDescriptor) -> Cells {
    let unreadable = |what| Cells::Unreadable { count: 0, what };
    let is_decimal = column.converted_type() == ConvertedType::DECIMAL;
    let in_time = matches!(
        column.logical_type_ref(),
        Some(LogicalType::Date | LogicalType::Time(_) | LogicalType::Timestamp(_))
    );
    let in_time = in_time
        || matches!(
            column.converted_type(),
            ConvertedType::DATE
                | ConvertedType::TIME_MILLIS
                | ConvertedType::TIME_MICROS
                | ConvertedType::TIMESTAMP_MILLIS
                | ConvertedType::TIMESTAMP_MICROS
        );
    match column.physical_type() {
        _ if in_time => unreadable("a column of dates or times"),
        _ if column.max_rep_level() > 0 => unreadable("a column of lists"),
        Type::BOOLEAN | Type::FLOAT | Type::DOUBLE => Cells::Numbers(Vec::new()),
        Type::INT32 | Type::INT64 if !is_decimal || (0..=EXACT_POWER).contains(&column.type_scale()) => {
            Cells::Numbers(Vec::new())
        }
        Type::BYTE_ARRAY if !is_decimal => Cells::texts(),
        Type::INT96 => unreadable("a column of dates or times"),
        _ => unreadable("a column of this type"),
    }
}

/// Adds records of a group of rows.
pub(super) fn read(
    reader: ColumnReader,
    column: &ColumnDescriptor,
    records: Range<usize>,
    cells: &mut Cells,
) -> Result<(), Fault> {
    let unsigned = matches!(column.converted_type(), ConvertedType::UINT_32 | ConvertedType::UINT_64);
    let scale = match column.converted_type() {
        ConvertedType::DECIMAL => 10f64.powi(column.type_scale()),
        _ => 1.0,
    };
    let integer = |value: i64, wide: bool| match (unsigned, wide) {
        (true, true) => value as u64 as f64,
        (true, false) => f64::from(value as u32),
        (false, _) => value as f64 / scale,
    };
    let number = |cells: &mut Cells, value: Option<f64>| {
        if let Cells::Numbers(numbers) = cells {
            numbers.push(value.unwrap_or(f64::NAN));
        }
        Ok(())
    };
    match reader {
        ColumnReader::BoolColumnReader(reader) => each(reader, column, records, |value: Option<&bool>| {
            number(cells, value.map(|value| f64::from(u8::from(*value))))
        }),
        ColumnReader::Int32ColumnReader(reader) => each(reader, column, records, |value: Option<&i32>| {
            number(cells, value.map(|value| integer(i64::from(*value), false)))
        }),
        ColumnReader::Int64ColumnReader(reader) => each(reader, column, records, |value: Option<&i64>| {
            number(cells, value.map(|value| integer(*value, true)))
        }),
        ColumnReader::FloatColumnReader(reader) => each(reader, column, records, |value: Option<&f32>| {
            number(cells, value.map(|value| f64::from(*value)))
        }),
        ColumnReader::DoubleColumnReader(reader) => {
            each(reader, column, records, |value: Option<&f64>| number(cells, value.copied()))
        }
        ColumnReader::ByteArrayColumnReader(reader) => {
            each(reader, column, records, |value: Option<&ByteArray>| {
                let bytes = value.map_or(&[][..], ByteArray::data);
                let text = std::str::from_utf8(bytes).map_err(|_| {
                    let found = quoted(&String::from_utf8_lossy(bytes));
                    Fault::expected(format!("UTF-8 text in column {}", quoted(column.name())), found)
                })?;
                cells.push(text.trim());
                Ok(())
            })
        }
        _ => Err(Fault::unsupported("a column of this type", "write it as numbers or texts")),
    }
}

/// Calls `take` for each of these records, with nothing for a null.
fn each<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    column: &ColumnDescriptor,
    records: Range<usize>,
    mut take: impl FnMut(Option<&T::T>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    reader.skip_records(records.start).map_err(malformed)?;
    let mut left = records.len();
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    while left > 0 {
        values.clear();
        levels.clear();
        let (read, _, _) =
            reader.read_records(left.min(BATCH), Some(&mut levels), None, &mut values).map_err(malformed)?;
        if read == 0 {
            let found = format!("{left} fewer in column {}", quoted(column.name()));
            return Err(Fault::expected("as many rows as the file declares", found));
        }
        left -= read;
        if column.max_def_level() == 0 {
            values.iter().try_for_each(|value| take(Some(value)))?;
            continue;
        }
        let mut present = values.iter();
        for level in &levels {
            take(if *level == column.max_def_level() { present.next() } else { None })?;
        }
    }
    Ok(())
}
