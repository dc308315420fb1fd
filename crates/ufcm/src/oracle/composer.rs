//! How rows combine.

use super::{Grounds, OracleError, Weight};
use crate::conic::{Expression, Form};
use crate::jacobian::JacobianBlock;
use std::ops::Range;
use std::sync::Arc;

/// h: how the rows combine. Closed and convex; nondecreasing in every row that holds a curved component.
///
/// The first six methods are all that a method needs. The others have defaults that are right for any h: they say that
/// nothing more is known. What they tell makes steps cheaper ([`Composer::has_diagonal_prox`], [`Composer::newton`]), admits
/// more problems ([`Composer::is_nondecreasing`]) or serves certificates and combinations (the rest).
///
/// # Example
///
/// A user's own composer, with the one fact more that lets rows hold curved components:
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::oracle::{Component, Composer, OracleError, Weight};
/// use ufcm::problem::{Problem, Term};
///
/// /// z -> sum of max(z_j, 0). Its conjugate is the indicator of the box [0, 1]^m.
/// struct Hinges(usize);
///
/// impl Composer for Hinges {
///     fn kind(&self) -> &'static str { "hinges" }
///     fn rows(&self) -> usize { self.0 }
///     fn value(&self, z: &[f64]) -> f64 { z.iter().map(|z| z.max(0.0)).sum() }
///     fn conjugate(&self, l: &[f64]) -> f64 {
///         if l.iter().all(|l| (0.0..=1.0 + 1e-10).contains(l)) { 0.0 } else { f64::INFINITY }
///     }
///     fn prox_conjugate(&self, _weight: Weight<'_>, l: &mut [f64]) -> Result<(), OracleError> {
///         l.iter_mut().for_each(|l| *l = l.clamp(0.0, 1.0));
///         Ok(())
///     }
///     fn multipliers_at(&self, z: &[f64], l: &mut [f64]) {
///         l.iter_mut().zip(z).for_each(|(l, z)| *l = if *z > 0.0 { 1.0 } else { 0.0 });
///     }
///     fn is_nondecreasing(&self, _row: usize) -> bool { true }
/// }
///
/// // (x - 1)^2 / 2 + max(x^2 / 2, 0): the minimum is at 1/2.
/// let objective = Quadratic::diagonal(vec![1.0])?.with_linear(vec![-1.0])?.with_constant(0.5)?;
/// let row: std::sync::Arc<dyn Component> = std::sync::Arc::new(Quadratic::diagonal(vec![1.0])?);
/// let problem = Problem::minimise(objective).plus(Term::new(Hinges(1), vec![row])).build()?;
/// assert!((problem.solve(&Default::default())?.x[0] - 0.5).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Composer: Send + Sync {
    /// What this is, in words for messages: `max`.
    fn kind(&self) -> &'static str;

    /// The number of rows it takes.
    fn rows(&self) -> usize;

    /// h(z), `f64::INFINITY` outside its domain.
    fn value(&self, z: &[f64]) -> f64;

    /// h*(multipliers), `f64::INFINITY` outside its domain. The domain of h* is where multipliers live.
    fn conjugate(&self, multipliers: &[f64]) -> f64;

    /// In place: argmin over l of h*(l) + 1/2 |l - multipliers|_W^2.
    ///
    /// # Errors
    /// [`OracleError::Unsupported`] for a diagonal W where [`Composer::has_diagonal_prox`] says no.
    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError>;

    /// A subgradient of h at `z`; where z is outside the domain, at its projection. Always in the domain of h*.
    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]);

    /// On what it rests that h is convex and its answers are right: on a user's code, unless it says more. Combinations
    /// rest on the weakest of their parts.
    fn grounds(&self) -> Grounds {
        Grounds::Function
    }

    // What admits more problems, or makes steps cheaper.

    /// Whether h is nondecreasing in this row, so that the row may hold a curved component.
    fn is_nondecreasing(&self, row: usize) -> bool {
        let _ = row;
        false
    }

    /// Whether [`Composer::prox_conjugate`] takes a diagonal weight.
    fn has_diagonal_prox(&self) -> bool {
        false
    }

    /// What Newton's method on a model step needs, if it is known. A gradient method takes its place otherwise.
    fn newton(&self) -> Option<&dyn NewtonComposer> {
        None
    }

    /// L_h, the Lipschitz constant of the gradient of h; `f64::INFINITY` where h is not smooth.
    fn smoothness(&self) -> f64 {
        f64::INFINITY
    }

    // Facts for certificates and feasibility.

    /// The sum of the absolute values of everything summed in h*(multipliers), and of what the multipliers' own rounding
    /// does to it: the size of its rounding error, in units of the machine precision.
    fn conjugate_magnitude(&self, multipliers: &[f64]) -> f64 {
        self.conjugate(multipliers).abs()
    }

    /// Whether h is the indicator of a set, 0 on it and infinite elsewhere: a constraint, which is no part of the objective.
    fn is_constraint(&self) -> bool {
        false
    }

    /// The Euclidean distance from `z` to the domain of h: 0 for finite h, the violation for constraints. Where h is not
    /// finite everywhere, say it: what stands here knows of points outside only that they are.
    fn domain_distance(&self, z: &[f64]) -> f64 {
        if self.value(z) < f64::INFINITY { 0.0 } else { f64::INFINITY }
    }

    /// The ends of the interval in which this row must be for h to be finite; `None` where that depends on other rows, or is
    /// not known.
    fn row_domain(&self, row: usize) -> Option<[f64; 2]> {
        let _ = row;
        None
    }

    /// Narrows an interval for each row, ends possibly infinite: every z in the domain of h whose rows are in the intervals has them in the narrowed
    /// ones as well, whatever was rounded. Bounds of the variables follow from that (decision 0022). Where rows hold each other, as in cones,
    /// this says more than [`Composer::row_domain`].
    fn narrow(&self, intervals: &mut [[f64; 2]]) {
        for (row, [low, high]) in intervals.iter_mut().enumerate() {
            if let Some([least, most]) = self.row_domain(row) {
                (*low, *high) = (low.max(least), high.min(most));
            }
        }
    }

    /// Pairs (j, k, sign) of rows with z_j + sign z_k >= 0 wherever h is finite, such as the head of a second-order cone with each other row: sums of two
    /// rows can say what neither says alone. Empty where nothing is known.
    fn nonnegative_pairs(&self) -> Vec<(usize, usize, f64)> {
        Vec::new()
    }

    /// z -> h(z_1/r_1, z_2/r_2, ...) for an indicator of one interval for each row: the same constraint on rows that are r_j > 0 times
    /// as large. `None` where h is something else.
    fn with_rows_scaled(&self, factors: &[f64]) -> Option<Box<dyn Composer>> {
        let _ = factors;
        None
    }

    // Facts for combinations.

    /// The composer and the level where this is the set in which that composer is at most the level.
    fn level_of(&self) -> Option<(Arc<dyn Composer>, f64)> {
        None
    }

    /// The t >= 0 for which t (level + h*(multipliers / t)) is least. That least value is the support function of {z : h(z) <= level}, and t is
    /// the multiplier of h(z) <= level where the rows have `multipliers`. Any t gives a number that is not below the support function, so bounds
    /// that use it hold however t was rounded. `None` where it is not known: [`Sublevel`](crate::composer::Sublevel) then does not take h.
    fn sublevel_multiplier(&self, level: f64, multipliers: &[f64]) -> Option<f64> {
        let _ = (level, multipliers);
        None
    }

    /// Whether the multiplier of this row can have one value only, as those of a sum and of g_0 can.
    fn is_pinned(&self, row: usize) -> bool {
        let _ = row;
        false
    }

    /// Whether h is curved in a way that interior points take in their stride and model steps do not: cones, logarithms. They come
    /// first where they can.
    fn suits_interior_points(&self) -> bool {
        false
    }

    /// The composers that this one puts side by side, each with its rows, if that is what it does. Stacks among them are
    /// taken apart.
    fn stack(&self) -> Option<Vec<(Range<usize>, &dyn Composer)>> {
        None
    }

    /// Writes h down as part of a conic program, as [`Component::conic`](super::Component::conic) does: an expression that can
    /// be as small as h(z), and the constraints.
    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        let _ = (form, z);
        None
    }

    /// The composers that this one puts side by side, as they were given to it, for others to hold.
    fn shared_stack(&self) -> Option<Vec<SharedPart>> {
        None
    }

    /// In place: argmin over w of h(w) + 1/2 |w - z|_W^2, by Moreau's decomposition. It allocates; no step uses it.
    ///
    /// # Errors
    /// As [`Composer::prox_conjugate`].
    fn prox(&self, weight: Weight<'_>, z: &mut [f64]) -> Result<(), OracleError> {
        let inverse: Vec<f64> = (0..z.len()).map(|i| 1.0 / weight.at(i)).collect();
        let mut multipliers: Vec<f64> = (0..z.len()).map(|i| weight.at(i) * z[i]).collect();
        let dual = match weight.as_scalar() {
            Some(tau) => Weight::scalar(1.0 / tau),
            None => Weight::diagonal(1.0, &inverse),
        };
        self.prox_conjugate(dual, &mut multipliers)?;
        for ((z, l), inverse) in z.iter_mut().zip(&multipliers).zip(&inverse) {
            *z -= l * inverse;
        }
        Ok(())
    }
}

/// A composer with the rows that it takes of a stack.
pub type SharedPart = (Range<usize>, Arc<dyn Composer>);

/// What Newton's method on a model step needs of a [`Composer`].
pub trait NewtonComposer: Send + Sync {
    /// An element of the generalised Jacobian of [`Composer::prox_conjugate`] at `point` (the argument of the
    /// prox, not its result), in the convention of [`ProxJacobian`](crate::jacobian::ProxJacobian).
    ///
    /// # Errors
    /// As [`Composer::prox_conjugate`].
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError>;
}

impl dyn Composer + '_ {
    /// As [`NewtonComposer::prox_conjugate_jacobian`].
    ///
    /// # Errors
    /// As there; [`OracleError::Unsupported`] where [`Composer::newton`] knows nothing.
    pub fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        let unsupported = OracleError::Unsupported { oracle: self.kind(), what: "Jacobians of its prox" };
        self.newton().ok_or(unsupported)?.prox_conjugate_jacobian(weight, point, out)
    }
}
