//! Averages of points.

/// (1 - alpha) x + alpha z, never beyond either end: rounding must not carry an average of points of a box out of it.
pub(super) fn between(x: f64, z: f64, alpha: f64) -> f64 {
    ((1.0 - alpha) * x + alpha * z).max(x.min(z)).min(x.max(z))
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn averages_stay_between_their_ends() {
        let shares: Vec<f64> = (1..1000).map(|k| f64::from(k) / 1000.0).collect();
        let plain = |u: f64, alpha: f64| (1.0 - alpha) * u + alpha * u;
        assert!(shares.iter().any(|&alpha| plain(0.7, alpha) > 0.7), "rounding does leave the interval");
        assert!(shares.iter().all(|&alpha| between(0.7, 0.7, alpha) == 0.7));
        assert_eq!(between(-1.0, 3.0, 0.25), 0.0);
    }
}
