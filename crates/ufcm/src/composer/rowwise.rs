//! The composers that act on each row by itself: h(z) = sum_j h_j(z_j).
//!
//! Most conjugates of such h_j are one and the same scalar law, the [`ScalarTerm`] of the regularisers: a linear
//! function with a kink at 0 plus a quadratic, on an interval. [`ConjugateTerm`] reads everything about h_j off it.

use super::Interval;
use crate::conic::{Expression, Form};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Composer, Grounds, MEMBERSHIP, NewtonComposer, OracleError, ScalarTerm, Weight};

/// One h_j: the scalar forms of the methods of [`Composer`].
pub(super) trait ScalarLaw {
    fn value(&self, z: f64) -> f64;

    fn conjugate(&self, l: f64) -> f64;

    /// As [`Composer::conjugate_magnitude`].
    fn conjugate_magnitude(&self, l: f64) -> f64 {
        self.conjugate(l).abs()
    }

    /// argmin over l of h*(l) + w/2 (l - v)^2.
    fn prox_conjugate(&self, w: f64, v: f64) -> f64;

    /// S = 1 / (h*'' + w) there.
    fn prox_conjugate_jacobian(&self, w: f64, v: f64) -> f64;

    fn multiplier_at(&self, z: f64) -> f64;

    /// The least t > 0 with l / t in the domain of h*; 0 where all will do, infinite where none does.
    fn least_scale(&self, l: f64) -> f64 {
        let _ = l;
        0.0
    }

    /// The part of h*(l) that grows faster than |l|, like |l|^e, with e.
    fn curved_part(&self, l: f64) -> (f64, f64) {
        let _ = l;
        (0.0, 2.0)
    }

    fn smoothness(&self) -> f64;

    fn is_nondecreasing(&self) -> bool;

    /// h_j(z), as part of a conic program.
    fn conic(&self, form: &mut Form, z: &Expression) -> Expression;

    /// The ends of the interval where h_j is finite.
    fn domain(&self) -> [f64; 2] {
        [f64::NEG_INFINITY, f64::INFINITY]
    }

    /// The point nearest to `z` where h_j is finite.
    fn nearest_in_domain(&self, z: f64) -> f64 {
        let [floor, ceiling] = self.domain();
        z.max(floor).min(ceiling)
    }
}

/// A composer that is a sum of scalar laws, one for each row. Every `Rowwise` is a [`Composer`].
pub(super) trait Rowwise: Send + Sync {
    type Law: ScalarLaw;

    fn kind(&self) -> &'static str;

    fn rows(&self) -> usize;

    /// Whether every h_j is an indicator.
    fn is_constraint(&self) -> bool {
        false
    }

    /// As [`Composer::suits_interior_points`].
    fn suits_interior_points(&self) -> bool {
        false
    }

    /// h_j.
    fn law(&self, row: usize) -> Self::Law;

    /// As [`Composer::sublevel_multiplier`]. With K the sum of the parts of h* that grow like |l|^e, t (level + h*(l / t)) is level t + K t^(1 - e) and
    /// what does not depend on t: least where level = (e - 1) K t^-e, but no smaller than the domain of h* allows.
    fn sublevel_multiplier(&self, level: f64, multipliers: &[f64]) -> Option<f64> {
        let (mut least, mut sum, mut growth) = (0.0f64, 0.0, 2.0);
        for (j, &l) in multipliers.iter().enumerate().filter(|(_, l)| **l != 0.0) {
            let law = self.law(j);
            least = least.max(law.least_scale(l));
            let (curved, exponent) = law.curved_part(l);
            if curved > 0.0 {
                sum += curved;
                growth = exponent;
            }
        }
        let best = if sum > 0.0 { ((growth - 1.0) * (sum / level)).powf(growth.recip()) } else { 0.0 };
        Some(least.max(best))
    }
}

impl<T: Rowwise> Composer for T {
    fn kind(&self) -> &'static str {
        Rowwise::kind(self)
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn rows(&self) -> usize {
        Rowwise::rows(self)
    }

    fn value(&self, z: &[f64]) -> f64 {
        z.iter().enumerate().map(|(j, &z)| self.law(j).value(z)).sum()
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        multipliers.iter().enumerate().map(|(j, &l)| self.law(j).conjugate(l)).sum()
    }

    fn conjugate_magnitude(&self, multipliers: &[f64]) -> f64 {
        multipliers.iter().enumerate().map(|(j, &l)| self.law(j).conjugate_magnitude(l)).sum()
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        for (j, l) in multipliers.iter_mut().enumerate() {
            *l = self.law(j).prox_conjugate(weight.at(j), *l);
        }
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        for (j, (l, &z)) in multipliers.iter_mut().zip(z).enumerate() {
            *l = self.law(j).multiplier_at(z);
        }
    }

    fn smoothness(&self) -> f64 {
        (0..Rowwise::rows(self)).map(|j| self.law(j).smoothness()).fold(0.0, f64::max)
    }

    fn is_nondecreasing(&self, row: usize) -> bool {
        row < Rowwise::rows(self) && self.law(row).is_nondecreasing()
    }

    /// Where h_j is affine its conjugate lives on a point.
    fn is_pinned(&self, row: usize) -> bool {
        row < Rowwise::rows(self) && self.law(row).smoothness() == 0.0
    }

    fn is_constraint(&self) -> bool {
        Rowwise::is_constraint(self)
    }

    fn suits_interior_points(&self) -> bool {
        Rowwise::suits_interior_points(self)
    }

    fn domain_distance(&self, z: &[f64]) -> f64 {
        let distance = |(j, &z): (usize, &f64)| (z - self.law(j).nearest_in_domain(z)).abs();
        z.iter().enumerate().map(distance).fold(0.0, f64::hypot)
    }

    fn row_domain(&self, row: usize) -> Option<[f64; 2]> {
        Some(self.law(row).domain())
    }

    fn with_rows_scaled(&self, factors: &[f64]) -> Option<Box<dyn Composer>> {
        Rowwise::is_constraint(self).then_some(())?;
        let ends = |(row, factor): (usize, &f64)| self.law(row).domain().map(|end| factor * end);
        let (lower, upper) = factors.iter().enumerate().map(ends).map(|[low, high]| (low, high)).unzip();
        Interval::new(lower, upper).ok().map(|interval| Box::new(interval) as Box<dyn Composer>)
    }

    fn sublevel_multiplier(&self, level: f64, multipliers: &[f64]) -> Option<f64> {
        if Rowwise::is_constraint(self) {
            None
        } else {
            Rowwise::sublevel_multiplier(self, level, multipliers)
        }
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        let mut sum = Expression::default();
        z.iter().enumerate().for_each(|(j, z)| sum.add(1.0, &self.law(j).conic(form, z)));
        Some(sum)
    }
}

impl<T: Rowwise> NewtonComposer for T {
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        for (j, (d, &v)) in out.diagonal().iter_mut().zip(point).enumerate() {
            *d = self.law(j).prox_conjugate_jacobian(weight.at(j), v);
        }
        Ok(())
    }
}

/// The h_j whose conjugate is this term.
pub(super) struct ConjugateTerm(pub ScalarTerm);

impl ConjugateTerm {
    /// The h_j whose conjugate is the indicator of [lower, upper].
    pub fn interval(lower: f64, upper: f64) -> Self {
        Self(ScalarTerm { lower, upper, ..ScalarTerm::ZERO })
    }

    /// argmax over l of l z - h*(l); infinite where h_j(z) is.
    fn maximiser(&self, z: f64) -> f64 {
        self.0.minimiser_of_linear(-z)
    }
}

impl ScalarLaw for ConjugateTerm {
    /// max over l of l z - h*(l).
    fn value(&self, z: f64) -> f64 {
        let l = self.maximiser(z);
        if l.is_infinite() {
            return f64::INFINITY;
        }
        // l comes out of the bracket, so that large squares overflow to infinity and not to inf - inf.
        let slope = if l > 0.0 { self.0.above } else { -self.0.below };
        l * (z - slope - 0.5 * self.0.ridge * l)
    }

    fn conjugate(&self, l: f64) -> f64 {
        let bound = |bound: f64| if bound.is_finite() { bound.abs() } else { 0.0 };
        let scale = bound(self.0.lower).max(bound(self.0.upper));
        let inside = l.max(self.0.lower).min(self.0.upper);
        // Written so that a NaN is outside.
        if (l - inside).abs() <= MEMBERSHIP * scale { self.0.value(inside) } else { f64::INFINITY }
    }

    fn prox_conjugate(&self, w: f64, v: f64) -> f64 {
        self.0.prox(w, v)
    }

    fn prox_conjugate_jacobian(&self, w: f64, v: f64) -> f64 {
        self.0.prox_jacobian(w, v)
    }

    fn multiplier_at(&self, z: f64) -> f64 {
        self.maximiser(self.nearest_in_domain(z)).clamp(-f64::MAX, f64::MAX)
    }

    fn least_scale(&self, l: f64) -> f64 {
        let end = if l > 0.0 { self.0.upper } else { self.0.lower };
        // An end at 0 allows no multiplier of that sign.
        if end.is_infinite() { 0.0 } else { (l / end).abs() }
    }

    fn curved_part(&self, l: f64) -> (f64, f64) {
        (0.5 * self.0.ridge * l * l, 2.0)
    }

    /// h_j is affine where h* lives on a point, and 1/ridge-smooth where h* is ridge-convex.
    fn smoothness(&self) -> f64 {
        if self.0.lower == self.0.upper { 0.0 } else { 1.0 / self.0.ridge }
    }

    /// h* is a sum of three, so h is the least sum of their conjugates over all ways to write z = a + b + c: a within [-below,
    /// above], b^2 / (2 ridge), and the support function of [lower, upper] at c. What h* lacks, the sum lacks as well.
    fn conic(&self, form: &mut Form, z: &Expression) -> Expression {
        let ScalarTerm { above, below, ridge, lower, upper } = self.0;
        let (kinked, curved) = (above != -below, ridge > 0.0);
        let fixed = if kinked { 0.0 } else { above };
        let (mut rest, mut sum) = (z.clone().shifted(-fixed), Expression::default());
        let held = lower > f64::NEG_INFINITY || upper < f64::INFINITY;
        let mut take = |form: &mut Form, last: bool| {
            if last {
                return std::mem::take(&mut rest);
            }
            let part = form.variable();
            rest.add(-1.0, &part);
            part
        };
        if kinked {
            let a = take(form, !curved && !held);
            if above.is_finite() {
                form.nonnegative(a.clone().times(-1.0).shifted(above));
            }
            if below.is_finite() {
                form.nonnegative(a.shifted(below));
            }
        }
        if curved {
            let b = take(form, !held);
            let squares = form.scaled(ridge.recip(), |form| Some(form.half_squares(vec![b])));
            sum.add(1.0, &squares.unwrap_or_default());
        }
        if held {
            let c = take(form, true);
            match (lower.is_finite(), upper.is_finite()) {
                (true, true) => sum.add(1.0, &form.slopes(&c, upper, -lower)),
                (true, false) => {
                    form.nonnegative(c.clone().times(-1.0));
                    sum.add(lower, &c);
                }
                _ => {
                    form.nonnegative(c.clone());
                    sum.add(upper, &c);
                }
            }
        }
        if !kinked && !curved && !held {
            form.zero(rest);
        }
        sum
    }

    /// Exactly when no multiplier is negative.
    fn is_nondecreasing(&self) -> bool {
        self.0.lower >= 0.0
    }

    /// A side of h_j is a wall where nothing stops l from growing.
    fn domain(&self) -> [f64; 2] {
        let ScalarTerm { above, below, ridge, lower, upper } = self.0;
        let ceiling = if upper == f64::INFINITY && ridge == 0.0 { above } else { f64::INFINITY };
        let floor = if lower == f64::NEG_INFINITY && ridge == 0.0 { -below } else { f64::NEG_INFINITY };
        [floor, ceiling]
    }
}
