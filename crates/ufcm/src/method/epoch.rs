//! When a restart is allowed.
//!
//! A restart that comes too early costs the speed of the accelerated method. If the residual has not halved since the last
//! restart, the shortest length that the next epoch may have is doubled: that keeps the universal worst case within a
//! constant factor (method.md, section 4).

/// The epoch in the making.
#[derive(Debug, Clone)]
pub(super) struct Epoch {
    /// Accepted steps.
    steps: usize,
    /// The steps that it has at least.
    shortest: usize,
    /// The residual of its first step.
    residual: f64,
}

impl Epoch {
    pub(super) fn new() -> Self {
        Self { steps: 0, shortest: 1, residual: f64::INFINITY }
    }

    /// Whether no step has been taken yet.
    pub(super) fn is_new(&self) -> bool {
        self.steps == 0
    }

    /// Takes in an accepted step and what it left of stationarity.
    pub(super) fn step(&mut self, residual: f64) {
        if self.is_new() {
            let halved = residual <= 0.5 * self.residual;
            self.shortest = if halved { 1 } else { self.shortest.saturating_mul(2) };
            self.residual = residual;
        }
        self.steps += 1;
    }

    pub(super) fn may_end(&self) -> bool {
        self.steps >= self.shortest
    }

    /// Starts the next epoch.
    pub(super) fn end(&mut self) {
        self.steps = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::Epoch;

    #[test]
    fn epochs_that_do_not_halve_the_residual_make_the_next_longer() {
        let mut epoch = Epoch::new();
        let mut lengths = Vec::new();
        for residual in [8.0, 7.0, 6.0, 5.0, 1.0, 0.4] {
            epoch.step(residual);
            let mut length = 1;
            while !epoch.may_end() {
                epoch.step(0.0);
                length += 1;
            }
            lengths.push(length);
            epoch.end();
        }
        assert_eq!(lengths, [1, 2, 4, 8, 1, 1]);
    }
}
