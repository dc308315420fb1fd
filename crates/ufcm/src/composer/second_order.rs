//! h(z) = 0 where |(z_1, ..., z_(m-1))| <= z_0, infinite elsewhere. Its conjugate is the indicator of the opposite cone.

use crate::conic::{Expression, Form};
use crate::jacobian::JacobianBlock;
use crate::linalg::{norm, norm_of};
use crate::oracle::{
    Composer, Grounds, MEMBERSHIP, NewtonComposer, NewtonRegulariser, OracleError, Regulariser, Weight,
};
use crate::regulariser::SecondOrderCone;

const KIND: &str = "second-order cone";

/// Affine rows in the second-order cone: the first is at least the Euclidean norm of the others.
///
/// ```
/// use ufcm::composer::InSecondOrderCone;
/// use ufcm::oracle::Composer;
///
/// let h = InSecondOrderCone::new(3);
/// assert_eq!(h.value(&[5.0, 3.0, -4.0]), 0.0);
/// assert_eq!(h.domain_distance(&[-5.0, 3.0, 4.0]), 50.0f64.sqrt());
/// assert_eq!(h.conjugate(&[-5.0, 3.0, 4.0]), 0.0);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InSecondOrderCone {
    rows: usize,
}

impl InSecondOrderCone {
    /// The cone of so many rows.
    #[must_use]
    pub fn new(rows: usize) -> Self {
        Self { rows }
    }
}

fn projected(z: &[f64]) -> Vec<f64> {
    let mut nearest = z.to_vec();
    // A weight of 1 fits every length.
    let fits = SecondOrderCone.prox(Weight::scalar(1.0), &mut nearest);
    debug_assert!(fits.is_ok());
    nearest
}

/// In place: what `work` makes of the opposite point, turned back.
fn opposite<T>(l: &mut [f64], work: impl FnOnce(&mut [f64]) -> T) -> T {
    l.iter_mut().for_each(|l| *l = -*l);
    let made = work(l);
    l.iter_mut().for_each(|l| *l = -*l);
    made
}

impl Composer for InSecondOrderCone {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn is_constraint(&self) -> bool {
        true
    }

    fn value(&self, z: &[f64]) -> f64 {
        let inside = z.split_first().is_none_or(|(head, tail)| norm(tail) <= *head);
        if inside { 0.0 } else { f64::INFINITY }
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        let inside = multipliers
            .split_first()
            .is_none_or(|(head, tail)| norm(tail) <= -head + MEMBERSHIP * norm(tail).min(head.abs()));
        if inside { 0.0 } else { f64::INFINITY }
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        opposite(multipliers, |l| SecondOrderCone.prox(weight, l))
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    /// The way from the nearest point of the cone to z is in the opposite cone.
    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        let nearest = projected(z);
        multipliers.iter_mut().zip(z).zip(&nearest).for_each(|((l, z), p)| *l = z - p);
        // Rounding may leave the cone; its head is made to fit.
        if let Some((head, tail)) = multipliers.split_first_mut() {
            *head = head.min(-norm(tail));
        }
    }

    fn domain_distance(&self, z: &[f64]) -> f64 {
        if self.value(z) == 0.0 {
            return 0.0;
        }
        norm_of(projected(z).iter().zip(z).map(|(p, z)| z - p)).max(f64::MIN_POSITIVE)
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, z: &[Expression]) -> Option<Expression> {
        let (head, tail) = z.split_first()?;
        form.second_order(head.clone(), tail.iter().cloned());
        Some(Expression::default())
    }
}

impl NewtonComposer for InSecondOrderCone {
    /// The Jacobian of l -> -P(-l) is that of P at -l.
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        let opposite: Vec<f64> = point.iter().map(|l| -l).collect();
        SecondOrderCone.prox_jacobian(weight, &opposite, out)
    }
}
