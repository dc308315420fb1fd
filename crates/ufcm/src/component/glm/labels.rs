//! Class labels.

use crate::error::{DataError, Position, check_finite};

/// Labels as -1 and 1: they may come as -1/1 or as 0/1, not as a mixture.
pub(super) fn signs(object: &'static str, labels: &[f64]) -> Result<Vec<f64>, DataError> {
    check_finite(object, "labels", labels)?;
    let negative = if labels.contains(&0.0) { 0.0 } else { -1.0 };
    let expected = if negative == 0.0 { "0 or 1, as the others are" } else { "-1 or 1 (or all 0 or 1)" };
    let sign = |(i, &label): (usize, &f64)| match label {
        1.0 => Ok(1.0),
        _ if label == negative => Ok(-1.0),
        _ => Err(DataError::out_of_range(object, "labels", Position::Entry(i), label, expected)),
    };
    labels.iter().enumerate().map(sign).collect()
}
