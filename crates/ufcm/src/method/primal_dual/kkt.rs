//! How far a pair of iterates is from optimality.

use super::PrimalDual;
use crate::linalg::norm_of;

/// The optimality conditions at (x, l), each with what is left of it relative to the size of the data.
///
/// ```text
/// l in ∂h(g(x) + p),     s in ∂u(x) + J(x)'l,     gap = |<l, p>| + |<x, s>|
/// primal = |p| / (1 + |b|),   dual = |s| / (1 + |∇g_0(0)|),   gap / (1 + |F(x)| + |F(x) - gap|)
/// ```
///
/// with |b| the size of g(0) or of its distance from where h wants it, row by row the larger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kkt {
    /// |p|, relative.
    pub primal: f64,
    /// |s|, relative.
    pub dual: f64,
    /// The difference of the primal and the dual objective, relative.
    pub gap: f64,
    /// sum |l_j p_j| + sum |x_i s_i|, relative in the same way: what is left of all conditions, at its price.
    pub worth: f64,
    /// F(x), the constraints left aside.
    pub objective: f64,
    /// The dual objective, F(x) - gap.
    pub dual_objective: f64,
}

impl Kkt {
    /// Before the first measurement.
    pub(in crate::method) const UNKNOWN: Self = Self {
        primal: f64::INFINITY,
        dual: f64::INFINITY,
        gap: f64::INFINITY,
        worth: f64::INFINITY,
        objective: f64::INFINITY,
        dual_objective: f64::NEG_INFINITY,
    };

    /// The largest of the three; a NaN counts as infinite.
    #[must_use]
    pub fn error(&self) -> f64 {
        let parts = [self.primal, self.dual, self.gap];
        if parts.iter().any(|part| part.is_nan()) {
            f64::INFINITY
        } else {
            parts.iter().copied().fold(0.0, f64::max)
        }
    }
}

impl PrimalDual<'_> {
    /// The conditions at T(z): its two proxes say which subgradients there are.
    pub(super) fn measure(&self) -> Kkt {
        let (at, next) = (&self.at, &self.next);
        let (primal, dual) = (self.primal_weight(), self.dual_weight());
        // W (x - x+) - J'l is in ∂u(x+), V (l - l+) + 2 g(x+) - g(x) in ∂h*(l+).
        let s = |i: usize| primal.at(i) * (at.x[i] - next.x[i]) + next.slope[i] - at.slope[i];
        let p = |j: usize| dual.at(j) * (at.l[j] - next.l[j]) + next.values[j] - at.values[j];
        let (n, m) = (next.x.len(), next.l.len());
        let free = (0..m).filter(|&j| !self.pinned[j]);
        let by_rows: f64 = free.clone().map(|j| next.l[j] * p(j)).sum();
        let by_variables: f64 = (0..n).map(|i| next.x[i] * s(i)).sum();
        let gap = by_rows.abs() + by_variables.abs();
        // What each condition is off by, at its price: signs must not cancel, nor huge multipliers hide in a relative residual.
        let worth = free.clone().map(|j| (next.l[j] * p(j)).abs()).sum::<f64>()
            + (0..n).map(|i| (next.x[i] * s(i)).abs()).sum::<f64>();
        let objective = self.objective();
        let dual_objective = objective - by_rows - by_variables;
        // Large weights magnify the rounding of the iterates.
        let s_rounding = norm_of((0..n).map(|i| primal.at(i) * f64::EPSILON * next.x[i]));
        let p_rounding = norm_of(free.clone().map(|j| dual.at(j) * f64::EPSILON * next.l[j]));
        Kkt {
            primal: (norm_of(free.map(p)) + p_rounding) / (1.0 + self.row_size),
            dual: (norm_of((0..n).map(s)) + s_rounding) / (1.0 + self.slope_size),
            gap: gap / (1.0 + objective.abs() + dual_objective.abs()),
            worth: worth / (1.0 + objective.abs() + dual_objective.abs()),
            objective,
            dual_objective,
        }
    }

    /// F at x+, the constraints left aside.
    fn objective(&self) -> f64 {
        let terms = self.terms.iter().map(|(rows, composer)| composer.value(&self.next.values[rows.clone()]));
        self.problem.regulariser().value(&self.next.x) + terms.sum::<f64>()
    }
}
