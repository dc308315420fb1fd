//! Sums over the entries of vectors.

/// The Euclidean norm, safe against overflow and underflow of squares.
pub(crate) fn norm(v: &[f64]) -> f64 {
    norm_of(v.iter().copied())
}

/// As [`norm`], of entries that are not stored.
pub(crate) fn norm_of(v: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = v.clone().fold(0.0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    if (1e-140..1e140).contains(&largest) {
        return v.map(|v| v * v).sum::<f64>().sqrt();
    }
    largest * v.map(|v| (v / largest) * (v / largest)).sum::<f64>().sqrt()
}

/// <a, b>.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
