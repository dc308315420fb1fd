//! Halpern's iteration, restarted: what the primal-dual loops have in common.
//!
//! ```text
//! z_k+1 = (k+1)/(k+2) (z_k + delta (T(z_k) - z_k)) + 1/(k+2) z_0
//! ```
//!
//! z_0, the anchor, moves to T(z_k) once the fixed-point residual |z - T(z)| has fallen enough.

/// An epoch ends once the residual has fallen to this share of its first, ...
const SUFFICIENT: f64 = 0.2;
/// ... or to this share and no longer falls, ...
const NECESSARY: f64 = 0.8;
/// ... or when it is this share of all iterations.
const LONGEST: f64 = 0.36;

/// Where an epoch of the iteration stands.
pub(crate) struct Halpern {
    /// delta
    relaxation: f64,
    /// k
    age: usize,
    /// |z - T(z)| now, in the iteration before, and at the start of the epoch.
    residual: f64,
    previous: f64,
    first: f64,
}

impl Halpern {
    pub(crate) fn new(relaxation: f64) -> Self {
        Self { relaxation, age: 0, residual: f64::INFINITY, previous: f64::INFINITY, first: f64::INFINITY }
    }

    /// Starts an epoch.
    pub(crate) fn begin(&mut self) {
        self.age = 0;
    }

    /// Takes in |z_k - T(z_k)|.
    pub(crate) fn note(&mut self, residual: f64) {
        (self.previous, self.residual) = (self.residual, residual);
        if self.age == 0 {
            self.first = residual;
        }
    }

    /// Whether the anchor should move, in a run of so many iterations.
    pub(crate) fn is_over(&self, iterations: usize) -> bool {
        let stalled = self.residual <= NECESSARY * self.first && self.residual > self.previous;
        let long = self.age as f64 >= LONGEST * iterations as f64;
        self.age > 0 && (self.residual <= SUFFICIENT * self.first || stalled || long)
    }

    /// z_k becomes z_k+1, or any affine image of it, given those of T(z_k) and of the anchor.
    pub(crate) fn blend(&self, at: &mut [f64], mapped: &[f64], anchor: &[f64]) {
        let share = (self.age + 1) as f64 / (self.age + 2) as f64;
        let delta = self.relaxation;
        for ((at, mapped), anchor) in at.iter_mut().zip(mapped).zip(anchor) {
            *at = share * (*at + delta * (mapped - *at)) + (1.0 - share) * anchor;
        }
    }

    /// Counts the step that was blended.
    pub(crate) fn advance(&mut self) {
        self.age += 1;
    }
}

/// Half-way, in logarithms, from a primal weight to one that a ratio of distances travelled asks for.
pub(crate) fn balanced(omega: f64, ratio: f64) -> f64 {
    if ratio.is_finite() && ratio > 0.0 { (omega * ratio).sqrt() } else { omega }
}
