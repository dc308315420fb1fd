//! What the gradients of a run tell about the curvature along each axis.

use crate::metric::tuning::secant::{FLOOR, ROUNDING};

/// Differences of gradients and points, summed by coordinate: d_i = sqrt(sum w dG_i^2 / sum w dx_i^2), w = 1/|dx|^2, with dG
/// the change of J'lambda for fixed multipliers (method.md, section 4).
#[derive(Debug, Clone)]
pub(crate) struct Secants {
    slopes: Vec<f64>,
    moves: Vec<f64>,
    /// How many differences there are.
    count: usize,
}

impl Secants {
    pub(crate) fn new(n: usize) -> Self {
        Self { slopes: vec![0.0; n], moves: vec![0.0; n], count: 0 }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn clear(&mut self) {
        self.slopes.fill(0.0);
        self.moves.fill(0.0);
        self.count = 0;
    }

    /// Takes in one pair of points with the slopes there.
    pub(crate) fn add(&mut self, x: [&[f64]; 2], slope: [&[f64]; 2]) {
        let square: f64 = x[0].iter().zip(x[1]).map(|(a, b)| (a - b).powi(2)).sum();
        let largest = |v: &mut dyn Iterator<Item = f64>| v.fold(0.0, |m: f64, v| m.max(v.abs()));
        let change = largest(&mut slope[0].iter().zip(slope[1]).map(|(a, b)| a - b));
        let size = largest(&mut slope[1].iter().copied());
        // A change within rounding of the slopes is no curvature.
        if !(square > 0.0 && square.is_finite() && change > ROUNDING * size) {
            return;
        }
        let sums = self.slopes.iter_mut().zip(self.moves.iter_mut());
        for (i, (slopes, moves)) in sums.enumerate() {
            *slopes += (slope[1][i] - slope[0][i]).powi(2) / square;
            *moves += (x[1][i] - x[0][i]).powi(2) / square;
        }
        self.count += 1;
    }

    /// Writes the diagonal, in units of curvature; false where the differences tell nothing.
    pub(crate) fn diagonal(&self, diagonal: &mut [f64]) -> bool {
        for ((d, slopes), moves) in diagonal.iter_mut().zip(&self.slopes).zip(&self.moves) {
            *d = if *moves > 0.0 { (slopes / moves).sqrt() } else { 0.0 };
        }
        let largest = diagonal.iter().copied().fold(0.0, f64::max);
        if !(largest > 0.0 && largest.is_finite()) {
            return false;
        }
        diagonal.iter_mut().for_each(|d| *d = d.max(FLOOR * largest));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Secants;

    #[test]
    fn a_separable_quadratic_is_recovered() {
        let curvature = [4.0, 0.01, 1.0];
        let mut secants = Secants::new(3);
        let points = [[0.0, 0.0, 0.0], [1.0, -1.0, 0.3], [0.2, 0.7, 0.1], [0.2, 0.7, 0.1]];
        let slope = |x: &[f64; 3]| [0, 1, 2].map(|i| curvature[i] * x[i]);
        for pair in points.windows(2) {
            secants.add([&pair[0], &pair[1]], [&slope(&pair[0]), &slope(&pair[1])]);
        }
        assert_eq!(secants.count(), 2, "a pair of equal points tells nothing");
        let mut diagonal = [0.0; 3];
        assert!(secants.diagonal(&mut diagonal));
        for (d, expected) in diagonal.iter().zip(curvature) {
            assert!((d - expected).abs() < 1e-12);
        }
        secants.clear();
        assert!(!secants.diagonal(&mut diagonal));
        secants.add([&[0.0; 3], &[1.0; 3]], [&[1.0; 3], &[1.0, 1.0 + 1e-15, 1.0]]);
        assert_eq!(secants.count(), 0, "rounding of a linear function is no curvature");
    }
}
