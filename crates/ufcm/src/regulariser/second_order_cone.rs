//! X = {(t, y) : |y| <= t}.

use super::{SLOPE_ROUNDING, check_fit, indicator, min_linear_at_zero};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::conic::{Expression, Form};
use crate::jacobian::JacobianBlock;
use crate::linalg::{norm, norm_of};
use crate::oracle::{Grounds, MEMBERSHIP, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::projection::identity_jacobian;

const KIND: &str = "second-order cone";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Domain,
        name: "second_order_cone",
        aliases: &[],
        formula: "|(x_1, ..., x_(n-1))| <= x_0",
        about: "The second-order cone.",
        fields: &[],
        example: "",
    },
    needs_dimension: false,
    build: |_, _| Ok(Box::new(SecondOrderCone)),
};

/// The second-order cone; t is the first coordinate.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::SecondOrderCone;
///
/// let mut x = [0.0, 3.0, 4.0];
/// SecondOrderCone.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [2.5, 1.5, 2.0]);
/// # Ok::<(), ufcm::oracle::OracleError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SecondOrderCone;

/// Where the projection of a point v = (v_0, v̄) in the metric D = diag(d_0, D̄) lies.
enum Region {
    /// v is in the cone.
    Inside,
    /// The projection is 0.
    Apex,
    /// It is on the boundary: y_i = d_i v_i / (d_i + κ), t = |y|, where κ / |y| is the multiplier of |y| <= t.
    Boundary { kappa: f64 },
}

impl Region {
    fn of(weight: Weight<'_>, v: &[f64]) -> Self {
        let Some((&first, tail)) = v.split_first() else { return Self::Inside };
        if norm(tail) <= first {
            return Self::Inside;
        }
        // κ does not depend on the size of v, so v is taken relative to it: squares neither overflow nor vanish.
        let size = v.iter().fold(0.0f64, |size, v| size.max(v.abs()));
        let (v0, d0) = (first / size, weight.at(0));
        let entries = tail.iter().enumerate().map(|(i, v)| (weight.at(i + 1), v / size));
        let pull = norm_of(entries.clone().map(|(d, v)| d * v));
        if pull <= -d0 * v0 {
            return Self::Apex;
        }
        Self::Boundary { kappa: boundary_multiplier(v0, d0, pull, entries) }
    }
}

/// The root of v_0 / |y(κ)| = 1 - κ / d_0, which is t = d_0 v_0 / (d_0 - κ) = |y| without a pole. It lies in (0, d_0) for
/// v_0 > 0 and beyond d_0 for v_0 < 0. `pull` is |D̄ v̄|; it exceeds -d_0 v_0.
///
/// 1 / |y(κ)| is concave and increasing, so Newton's method moves right to the root for v_0 > 0, left to it
/// for v_0 < 0, and never past it, when it starts on the right side. That is the root for D̄ replaced by its
/// largest entry d times I, where |y| = pull / (d + κ): κ = d_0 (pull - d v_0) / (pull + d_0 v_0).
fn boundary_multiplier(
    v0: f64,
    d0: f64,
    pull: f64,
    entries: impl Iterator<Item = (f64, f64)> + Clone,
) -> f64 {
    let largest = entries.clone().fold(0.0f64, |largest, (d, _)| largest.max(d));
    let mut kappa = (d0 * ((pull - largest * v0) / (pull + d0 * v0))).max(0.0);
    for _ in 0..200 {
        let (mut square, mut change) = (0.0, 0.0);
        for (d, v) in entries.clone() {
            let y = v * (d / (d + kappa));
            square += y * y;
            change += y * y / (d + kappa);
        }
        let ratio = v0 / square.sqrt();
        let next = kappa - (ratio - 1.0 + kappa / d0) / (ratio * (change / square) + 1.0 / d0);
        let moves = if v0 > 0.0 { next > kappa } else { next < kappa };
        if !moves {
            break;
        }
        kappa = next;
    }
    kappa
}

impl Regulariser for SecondOrderCone {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn is_homogeneous(&self) -> bool {
        true
    }

    fn value(&self, x: &[f64]) -> f64 {
        let Some((t, y)) = x.split_first() else { return 0.0 };
        let length = norm(y);
        indicator(length - t <= MEMBERSHIP * length)
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        match Region::of(weight, x) {
            Region::Inside => {}
            Region::Apex => x.fill(0.0),
            Region::Boundary { kappa } => {
                for (i, x) in x.iter_mut().enumerate().skip(1) {
                    *x *= weight.at(i) / (weight.at(i) + kappa);
                }
                x[0] = norm(&x[1..]);
            }
        }
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    /// The cone is its own dual: 0 for slopes in it.
    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        let in_dual = slope.split_first().is_none_or(|(s, tail)| norm(tail) <= s * (1.0 + SLOPE_ROUNDING));
        min_linear_at_zero(in_dual, minimiser)
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let (t, y) = x.split_first()?;
        form.second_order(t.clone(), y.iter().cloned());
        Some(Expression::default())
    }
}

impl NewtonRegulariser for SecondOrderCone {
    /// On the boundary, by the implicit function theorem for the constraint |y| - t <= 0 with gradient a = (-1, e),
    /// e = y / |y|, and curvature κ (I - e e') on y:
    ///
    /// ```text
    /// S = K^-1 - (K^-1 a)(K^-1 a)' / (a' K^-1 a),   K = diag(d_0, M - κ e e'),   M = D̄ + κ I
    /// (M - κ e e')^-1 = M^-1 + κ/β m m',   m = M^-1 e,   β = 1 - κ e'm = sum of e_i^2 d_i / (d_i + κ)
    /// K^-1 a = (-1/d_0, m/β),   a' K^-1 a = 1/d_0 + e'm/β
    /// ```
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        let kappa = match Region::of(weight, point) {
            Region::Inside => {
                identity_jacobian(weight, out);
                return Ok(());
            }
            Region::Apex => return Ok(()),
            Region::Boundary { kappa } => kappa,
        };
        let d0 = weight.at(0);
        let tail = 1..point.len();
        let y = |i: usize| point[i] * (weight.at(i) / (weight.at(i) + kappa));
        let length = norm_of(tail.clone().map(y));
        let m = |i: usize| y(i) / length / (weight.at(i) + kappa);
        let (mut em, mut beta) = (0.0, 0.0);
        for i in tail.clone() {
            em += y(i) / length * m(i);
            beta += y(i) / length * m(i) * weight.at(i);
        }
        out.diagonal()[0] = 1.0 / d0;
        for i in tail.clone() {
            out.diagonal()[i] = 1.0 / (weight.at(i) + kappa);
        }
        out.rank_one(kappa / beta, 1, tail.clone().map(m));
        let across = std::iter::once(-1.0 / d0).chain(tail.map(|i| m(i) / beta));
        out.rank_one(-1.0 / (1.0 / d0 + em / beta), 0, across);
        Ok(())
    }
}
