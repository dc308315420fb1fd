//! h(z) = 0 where z is in a product of cones, infinite elsewhere. Its conjugate is the indicator of the product of their polars.

use crate::cone;
use crate::conic::{Cone, Expression, Form};
use crate::error::{DataError, DataProblem, Position};
use crate::jacobian::JacobianBlock;
use crate::linalg::norm;
use crate::oracle::{Composer, Grounds, NewtonComposer, NewtonRegulariser, OracleError, Weight};
use crate::regulariser::SecondOrderCone;
use std::ops::Range;

const KIND: &str = "cones";

/// Conic constraints on affine rows: each group of rows lies in a second-order, exponential or power cone.
///
/// ```
/// use ufcm::composer::Cones;
/// use ufcm::oracle::Composer;
///
/// // |(z_1, z_2)| <= z_0
/// let h = Cones::second_order(&[3])?;
/// assert_eq!(h.value(&[5.0, 3.0, 4.0]), 0.0);
/// assert_eq!(h.value(&[4.9, 3.0, 4.0]), f64::INFINITY);
/// assert_eq!(h.conjugate(&[-5.0, 3.0, 4.0]), 0.0);
/// // z_1 exp(z_0 / z_1) <= z_2
/// assert_eq!(Cones::exponential(1).value(&[0.0, 1.0, 1.0]), 0.0);
/// // z_0^p z_1^(1-p) >= |z_2|
/// assert_eq!(Cones::power(&[0.5])?.value(&[4.0, 1.0, -2.0]), 0.0);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cones {
    parts: Vec<(Range<usize>, Cone)>,
    rows: usize,
}

impl Cones {
    /// |(z_1, ..., z_(k-1))| <= z_0 for each group of k rows, one after the other; `sizes` has the k.
    ///
    /// # Errors
    /// A cone without rows.
    pub fn second_order(sizes: &[usize]) -> Result<Self, DataError> {
        if sizes.contains(&0) {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "sizes" }));
        }
        Ok(Self::product(sizes.iter().map(|size| (*size, Cone::SecondOrder))))
    }

    /// b exp(a/b) <= c, b > 0, and the limits of such points, for each three rows (a, b, c).
    #[must_use]
    pub fn exponential(count: usize) -> Self {
        Self::product(std::iter::repeat_n((3, Cone::Exponential), count))
    }

    /// a^p b^(1-p) >= |c|, a, b >= 0, for each three rows (a, b, c); `exponents` has the p.
    ///
    /// # Errors
    /// An exponent that is not strictly between 0 and 1.
    pub fn power(exponents: &[f64]) -> Result<Self, DataError> {
        if let Some(i) = exponents.iter().position(|p| !(*p > 0.0 && *p < 1.0)) {
            let (position, expected) = (Position::Entry(i), "strictly between 0 and 1");
            return Err(DataError::out_of_range(KIND, "exponents", position, exponents[i], expected));
        }
        Ok(Self::product(exponents.iter().map(|p| (3, Cone::Power(*p)))))
    }

    fn product(cones: impl Iterator<Item = (usize, Cone)>) -> Self {
        let (mut rows, mut parts) = (0, Vec::new());
        for (size, cone) in cones {
            parts.push((rows..rows + size, cone));
            rows += size;
        }
        Self { parts, rows }
    }

    fn are_second_order(&self) -> bool {
        self.parts.iter().all(|(_, cone)| *cone == Cone::SecondOrder)
    }
}

impl Composer for Cones {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn value(&self, z: &[f64]) -> f64 {
        let inside = |(rows, cone): &(Range<usize>, Cone)| cone::contains(*cone, &z[rows.clone()]);
        if self.parts.iter().all(inside) { 0.0 } else { f64::INFINITY }
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        let inside =
            |(rows, cone): &(Range<usize>, Cone)| cone::polar_contains(*cone, &multipliers[rows.clone()]);
        if self.parts.iter().all(inside) { 0.0 } else { f64::INFINITY }
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        if !self.are_second_order() {
            weight.require_scalar(KIND)?;
        }
        self.parts.iter().try_for_each(|(rows, cone)| {
            cone::polar_part(*cone, weight.slice(rows.clone()), &mut multipliers[rows.clone()])
        })
    }

    fn has_diagonal_prox(&self) -> bool {
        self.are_second_order()
    }

    /// 0 is a normal everywhere in the cones.
    fn multipliers_at(&self, _z: &[f64], multipliers: &mut [f64]) {
        multipliers.fill(0.0);
    }

    fn is_constraint(&self) -> bool {
        true
    }

    fn suits_interior_points(&self) -> bool {
        true
    }

    fn domain_distance(&self, z: &[f64]) -> f64 {
        let outside = self.parts.iter().filter(|(rows, cone)| !cone::contains(*cone, &z[rows.clone()]));
        let distance = |(rows, cone): &(Range<usize>, Cone)| {
            let mut part = z[rows.clone()].to_vec();
            match cone::polar_part(*cone, Weight::scalar(1.0), &mut part) {
                // A point that is outside by rounding alone is outside.
                Ok(()) => norm(&part).max(f64::MIN_POSITIVE),
                Err(_) => f64::INFINITY,
            }
        };
        outside.map(distance).fold(0.0, f64::hypot)
    }

    fn narrow(&self, intervals: &mut [[f64; 2]]) {
        for (rows, cone) in &self.parts {
            cone::narrow(*cone, &mut intervals[rows.clone()]);
        }
    }

    fn nonnegative_pairs(&self) -> Vec<(usize, usize, f64)> {
        let heads = self.parts.iter().filter(|(_, cone)| *cone == Cone::SecondOrder);
        let pairs = |(rows, _): &(Range<usize>, Cone)| {
            let head = rows.start;
            (head + 1..rows.end).flat_map(move |row| [(head, row, 1.0), (head, row, -1.0)])
        };
        heads.flat_map(pairs).collect()
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        self.are_second_order().then_some(self as _)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        for (rows, cone) in &self.parts {
            form.in_cone(*cone, z[rows.clone()].to_vec());
        }
        Some(Expression::default())
    }
}

impl NewtonComposer for Cones {
    /// The projection onto the mirrored cone has at v the derivative that the one onto the cone has at -v.
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        self.parts.iter().try_for_each(|(rows, _)| {
            let mirrored = point[rows.clone()].iter().map(|v| -v);
            out.block(rows.clone()).with_vector(mirrored, |point, out| {
                SecondOrderCone.prox_jacobian(weight.slice(rows.clone()), point, out)
            })
        })
    }
}
