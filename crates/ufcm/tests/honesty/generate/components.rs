//! Components of every kind.

use super::Plan;
use crate::describe::{Component, Curve, Loss, Rows};

impl Plan {
    /// A component of any kind.
    pub fn component(&mut self) -> Component {
        match self.random.below(6) {
            0 => self.linear(1.0),
            1 => self.quadratic(1.0),
            2 => self.log_sum_exp(),
            _ => self.loss(),
        }
    }

    /// One that knows a number it never goes below.
    pub fn component_bounded_below(&mut self) -> Component {
        if self.random.chance(0.2) {
            return Component { slope: vec![0.0; self.n], ..self.quadratic(1.0) };
        }
        self.loss()
    }

    /// Rows with which a.x stays of the order of 1, so that exponentials do.
    fn data(&mut self) -> Vec<Vec<f64>> {
        let count = 1 + self.random.below(8);
        let size = 1.5 / (self.n as f64).sqrt();
        (0..count).map(|_| self.random.vector(self.n, size)).collect()
    }

    fn log_sum_exp(&mut self) -> Component {
        let matrix = self.data();
        let offset = self.random.vector(matrix.len(), 1.0);
        self.untilted(Curve::LogSumExp(Rows { matrix, offset }))
    }

    pub fn loss(&mut self) -> Component {
        let loss = match self.random.below(8) {
            0 => Loss::Squared,
            1 => Loss::Logistic,
            2 => Loss::Huber(self.random.within(0.1, 1.0)),
            3 => Loss::Power(self.random.within(1.2, 1.9)),
            4 => Loss::SquaredHinge,
            5 => Loss::SmoothedHinge(self.random.within(0.1, 1.0)),
            6 => Loss::Exponential,
            _ => Loss::Poisson,
        };
        let data = self.data();
        let target = |_| match loss {
            loss if loss.has_labels() => self.random.pick(&[-1.0, 1.0]),
            Loss::Poisson => self.random.pick(&[0.0, 1.0, 2.0, 5.0]),
            _ => self.random.within(-1.0, 1.0),
        };
        let targets = (0..data.len()).map(target).collect();
        self.untilted(Curve::Data { loss, data, targets })
    }

    fn untilted(&self, curve: Curve) -> Component {
        Component { curve, slope: vec![0.0; self.n], constant: 0.0 }
    }
}
