//! Right composers, and the same with a fault planted.

use super::family::{Rng, dot};
use ufcm::composer::Max;
use ufcm::jacobian::JacobianBlock;
use ufcm::oracle::{Composer, NewtonComposer, OracleError, Weight};

/// A sum over rows of one scalar function.
#[derive(Debug, Clone, Copy)]
pub enum Law {
    /// z <= 0: the constraint.
    Nonpositive,
    /// c/2 max(z, 0)^2.
    SquaredHinge(f64),
    /// c max(z, 0).
    Hinge(f64),
    /// c |z|, for affine rows.
    Abs(f64),
    /// z.
    Sum,
}

pub struct Elementwise {
    law: Law,
    rows: usize,
}

impl Elementwise {
    /// The interval in which multipliers live.
    fn interval(&self) -> (f64, f64) {
        match self.law {
            Law::Nonpositive | Law::SquaredHinge(_) => (0.0, f64::INFINITY),
            Law::Hinge(c) => (0.0, c),
            Law::Abs(c) => (-c, c),
            Law::Sum => (1.0, 1.0),
        }
    }

    /// The curvature of h* inside the interval.
    fn curvature(&self) -> f64 {
        if let Law::SquaredHinge(c) = self.law { 1.0 / c } else { 0.0 }
    }
}

impl Composer for Elementwise {
    fn kind(&self) -> &'static str {
        "elementwise"
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn value(&self, z: &[f64]) -> f64 {
        z.iter()
            .map(|&z| match self.law {
                Law::Nonpositive => {
                    if z <= 0.0 {
                        0.0
                    } else {
                        f64::INFINITY
                    }
                }
                Law::SquaredHinge(c) => 0.5 * c * z.max(0.0).powi(2),
                Law::Hinge(c) => c * z.max(0.0),
                Law::Abs(c) => c * z.abs(),
                Law::Sum => z,
            })
            .sum()
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        let (low, high) = self.interval();
        let inside = |l: &f64| *l >= low && *l <= high;
        if !multipliers.iter().all(inside) {
            return f64::INFINITY;
        }
        0.5 * self.curvature() * dot(multipliers, multipliers)
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        let (low, high) = self.interval();
        for (j, l) in multipliers.iter_mut().enumerate() {
            let w = weight.at(j);
            *l = (*l * (w / (w + self.curvature()))).clamp(low, high);
        }
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        for (l, &z) in multipliers.iter_mut().zip(z) {
            *l = match self.law {
                Law::Nonpositive => 0.0,
                Law::SquaredHinge(c) => c * z.max(0.0),
                Law::Hinge(c) => {
                    if z > 0.0 {
                        c
                    } else {
                        0.0
                    }
                }
                Law::Abs(c) => c * z.signum(),
                Law::Sum => 1.0,
            };
        }
    }

    fn smoothness(&self) -> f64 {
        match self.law {
            Law::SquaredHinge(c) => c,
            Law::Sum => 0.0,
            _ => f64::INFINITY,
        }
    }

    fn is_nondecreasing(&self, _row: usize) -> bool {
        !matches!(self.law, Law::Abs(_))
    }

    fn domain_distance(&self, z: &[f64]) -> f64 {
        match self.law {
            Law::Nonpositive => z.iter().map(|z| z.max(0.0).powi(2)).sum::<f64>().sqrt(),
            _ => 0.0,
        }
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        Some(self)
    }
}

impl NewtonComposer for Elementwise {
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        let (low, high) = self.interval();
        for (j, (d, l)) in out.diagonal().iter_mut().zip(point).enumerate() {
            let free = weight.at(j) + self.curvature();
            let shrunk = l * weight.at(j) / free;
            *d = if shrunk > low && shrunk < high { 1.0 / free } else { 0.0 };
        }
        Ok(())
    }
}

pub fn right(family: usize, rng: &mut Rng) -> Box<dyn Composer> {
    let (rows, c) = (rng.size(1, 20), rng.power(1.0));
    let law = match family % 6 {
        0 => Law::Nonpositive,
        1 => Law::SquaredHinge(c),
        2 => Law::Hinge(c),
        3 => Law::Abs(c),
        4 => Law::Sum,
        _ => return Box::new(Max::new(rows + 1).unwrap()),
    };
    Box::new(Elementwise { law, rows })
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// Declared nondecreasing in every row (it is planted into Abs).
    ClaimsNondecreasing,
    /// h(-z): decreasing.
    Mirrored,
    /// The prox ignores the weight.
    ProxWithoutWeight,
    /// The prox of a multiple.
    ProxScaled,
    /// The conjugate times 2, plus 1.
    Conjugate,
    /// h times 1.1, the rest as it was.
    Value,
    /// Multipliers times 1.2.
    Multipliers,
    /// The Jacobian is P = S W instead of S.
    JacobianConvention,
    /// A smoothness that is half the right one.
    Smoothness,
    /// The distance to the domain is always 1.
    Distance,
    /// h - |z|^2: not convex.
    Nonconvex,
}

pub struct Planted {
    pub inner: Box<dyn Composer>,
    pub fault: Fault,
}

impl Composer for Planted {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn rows(&self) -> usize {
        self.inner.rows()
    }

    fn value(&self, z: &[f64]) -> f64 {
        match self.fault {
            Fault::Mirrored => self.inner.value(&z.iter().map(|z| -z).collect::<Vec<_>>()),
            Fault::Value => 1.1 * self.inner.value(z),
            Fault::Nonconvex => self.inner.value(z) - dot(z, z),
            _ => self.inner.value(z),
        }
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        let value = self.inner.conjugate(multipliers);
        if self.fault == Fault::Conjugate { 2.0 * value + 1.0 } else { value }
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        match self.fault {
            Fault::ProxWithoutWeight => self.inner.prox_conjugate(Weight::scalar(1.0), multipliers),
            Fault::ProxScaled => {
                self.inner.prox_conjugate(weight, multipliers)?;
                multipliers.iter_mut().for_each(|l| *l *= 0.8);
                Ok(())
            }
            _ => self.inner.prox_conjugate(weight, multipliers),
        }
    }

    fn has_diagonal_prox(&self) -> bool {
        self.inner.has_diagonal_prox()
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        self.inner.multipliers_at(z, multipliers);
        if self.fault == Fault::Multipliers {
            multipliers.iter_mut().for_each(|l| *l *= 1.2);
        }
    }

    fn smoothness(&self) -> f64 {
        if self.fault == Fault::Smoothness { 0.5 * self.inner.smoothness() } else { self.inner.smoothness() }
    }

    fn is_nondecreasing(&self, row: usize) -> bool {
        self.fault == Fault::ClaimsNondecreasing || self.inner.is_nondecreasing(row)
    }

    fn domain_distance(&self, z: &[f64]) -> f64 {
        if self.fault == Fault::Distance { 1.0 } else { self.inner.domain_distance(z) }
    }

    fn newton(&self) -> Option<&dyn NewtonComposer> {
        Some(self)
    }
}

impl NewtonComposer for Planted {
    fn prox_conjugate_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        if self.fault == Fault::JacobianConvention {
            return out.scaled(weight.at(0), |out| self.inner.prox_conjugate_jacobian(weight, point, out));
        }
        self.inner.prox_conjugate_jacobian(weight, point, out)
    }
}
