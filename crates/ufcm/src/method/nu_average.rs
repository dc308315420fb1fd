//! nu_bar, the average of the Jacobians that Algorithm 1 has seen (eq:averaging-scheme).

use crate::oracle::Mapping;

/// Sums of omega lambda~_j (nu_j, offset_j), and what they weigh; m x n numbers twice.
pub(super) struct NuAverage {
    slopes: Vec<f64>,
    offsets: Vec<f64>,
    weights: Vec<f64>,
    /// nu^1 = ∇g(x^0), for rows whose multiplier stays 0.
    first_slopes: Vec<f64>,
    first_offsets: Vec<f64>,
    row: Vec<f64>,
}

impl NuAverage {
    pub(super) fn new(m: usize, n: usize) -> Self {
        Self {
            slopes: vec![0.0; m * n],
            offsets: vec![0.0; m],
            weights: vec![0.0; m],
            first_slopes: vec![0.0; m * n],
            first_offsets: vec![0.0; m],
            row: vec![0.0; n],
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.slopes.fill(0.0);
        self.offsets.fill(0.0);
        self.weights.fill(0.0);
    }

    /// Takes iteration t with weight omega, multipliers lambda~^t and the linearisation nu^t w + offset.
    pub(super) fn add(
        &mut self,
        t: usize,
        omega: f64,
        multipliers: &[f64],
        mapping: &dyn Mapping,
        offset: &[f64],
    ) {
        let n = self.row.len();
        for (j, l) in multipliers.iter().enumerate() {
            let weight = omega * l;
            mapping.jacobian_row(j, &mut self.row);
            let sums = self.slopes[j * n..][..n].iter_mut();
            sums.zip(&self.row).for_each(|(sum, a)| *sum += weight * a);
            self.offsets[j] += weight * offset[j];
            self.weights[j] += weight;
            if t == 1 {
                // x_^1 = x^0, so this is ∇g(x^0).
                self.first_slopes[j * n..][..n].copy_from_slice(&self.row);
                self.first_offsets[j] = offset[j];
            }
        }
    }

    /// nu_bar, row after row.
    pub(super) fn jacobian(&self) -> Vec<f64> {
        self.mean(&self.slopes, &self.first_slopes, self.row.len())
    }

    /// The averages of the offsets.
    pub(super) fn offsets(&self) -> Vec<f64> {
        self.mean(&self.offsets, &self.first_offsets, 1)
    }

    fn mean(&self, sums: &[f64], first: &[f64], width: usize) -> Vec<f64> {
        let share = |(k, sum): (usize, &f64)| match self.weights[k / width] {
            0.0 => first[k],
            weight => sum / weight,
        };
        sums.iter().enumerate().map(share).collect()
    }
}
