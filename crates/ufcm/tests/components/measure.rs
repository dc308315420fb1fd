//! Vectors and closeness.

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// x + t d
pub fn step(x: &[f64], t: f64, d: &[f64]) -> Vec<f64> {
    x.iter().zip(d).map(|(x, d)| x + t * d).collect()
}

pub fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    step(a, -1.0, b)
}

/// Asserts |a - b| <= tolerance max(|a|, |b|) in the Euclidean norm.
#[track_caller]
pub fn assert_close(name: &str, a: &[f64], b: &[f64], tolerance: f64) {
    let (gap, size) = (norm(&minus(a, b)), norm(a).max(norm(b)));
    assert!(gap <= tolerance * size, "{name}: {gap:e} apart at size {size:e}");
}

pub fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}
