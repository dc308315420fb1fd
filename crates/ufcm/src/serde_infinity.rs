//! Numbers that may be infinite, for formats that know finite ones only: JSON has no -inf, which is an honest lower bound.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Finite(f64),
    Word(String),
}

/// Writes a finite number as it is, others as the words `inf`, `-inf` and `nan`.
pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let written = if value.is_finite() { Written::Finite(*value) } else { Written::Word(value.to_string()) };
    written.serialize(serializer)
}

/// Reads what [`serialize`] writes.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match Written::deserialize(deserializer)? {
        Written::Finite(value) => Ok(value),
        Written::Word(word) => word.parse().map_err(|_| {
            serde::de::Error::custom(format!("\"{word}\" is no number; expected one, or inf, -inf or nan"))
        }),
    }
}

/// The same for vectors.
pub(crate) mod vector {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Number(#[serde(with = "super")] f64);

    pub(crate) fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|value| Number(*value)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        Ok(Vec::<Number>::deserialize(deserializer)?.into_iter().map(|number| number.0).collect())
    }
}
