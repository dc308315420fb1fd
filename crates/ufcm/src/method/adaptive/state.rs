//! What can be read from the method between two steps.

use super::Adaptive;
use crate::certificate::Linearisation;

impl Adaptive<'_> {
    /// x_bar, the method's answer so far.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// g(x_bar), after the first step.
    #[must_use]
    pub fn row_values(&self) -> &[f64] {
        &self.values_x
    }

    /// lambda of the last step.
    #[must_use]
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// The rows linearised in the last step, with its multipliers: what a lower bound is made of.
    #[must_use]
    pub fn linearisation(&self) -> Linearisation<'_> {
        Linearisation {
            mapping: &*self.mapping,
            composer: self.problem.composer(),
            y: &self.y,
            values: &self.values,
            multipliers: &self.multipliers,
        }
    }

    /// z, where the proximal steps are; x_bar is their average.
    #[must_use]
    pub fn z(&self) -> &[f64] {
        &self.z
    }

    /// J'l of the last step is -(the proximal term's gradient) up to u: its size sets the scale of stationarity.
    #[must_use]
    pub fn slope(&self) -> &[f64] {
        &self.slope
    }

    /// y, where the last step took its gradients.
    #[must_use]
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// What the last step left of stationarity: the largest entry of the proximal term's gradient.
    #[must_use]
    pub fn stationarity(&self) -> f64 {
        self.stationarity
    }

    /// How far the last step's x is from y, where its gradients were taken, and from z, where its proximal step ended: what
    /// the step says of stationarity holds for x where all three are near each other.
    #[must_use]
    pub fn spread(&self) -> f64 {
        self.spread
    }
}
