//! Rows at points between others, from products that are linear in the point: one read of the data for each step.
//!
//! y and x+ lie between x_bar and z, or z+. Where all rows are quadratic or affine, what was read at those serves them: the only new
//! point of a step is z+.

use super::Adaptive;
use crate::method::tuning::adaptive::{IMAGE_LEAST, IMAGE_WORTH};
use crate::oracle::{Between, Mapping, OracleError};
use crate::problem::Problem;

/// Images of the points that others lie between.
pub(super) struct Images {
    /// Of x_bar, z and z+.
    x: Vec<f64>,
    z: Vec<f64>,
    z_next: Vec<f64>,
    /// Whether those of x_bar and z are known.
    known: bool,
}

/// The size of the image of a point; `None` where rows are not quadratic, or where a read costs no more than what images take, or next to
/// nothing.
pub(in crate::method) fn image_size_worth_keeping(problem: &Problem, mapping: &dyn Mapping) -> Option<usize> {
    let size = mapping.image_size()?;
    let curved = (0..problem.rows()).any(|row| !problem.is_affine(row));
    let least = (IMAGE_WORTH * size as f64).max(IMAGE_LEAST);
    let worth = mapping.operations().is_some_and(|read| read as f64 >= least);
    (curved && worth).then_some(size)
}

impl Images {
    /// `None` where images are not worth keeping.
    pub(super) fn of(problem: &Problem, mapping: &dyn Mapping) -> Option<Self> {
        let size = image_size_worth_keeping(problem, mapping)?;
        let zeros = || vec![0.0; size];
        Some(Self { x: zeros(), z: zeros(), z_next: zeros(), known: false })
    }

    /// z+ is z, and x+ is x_bar.
    pub(super) fn accept(&mut self, alpha: f64) {
        for (x, z) in self.x.iter_mut().zip(&self.z_next) {
            *x = (1.0 - alpha) * *x + alpha * z;
        }
        std::mem::swap(&mut self.z, &mut self.z_next);
    }

    /// z moves to x_bar.
    pub(super) fn restart(&mut self) {
        self.z.copy_from_slice(&self.x);
    }

    /// x_bar moves to z.
    pub(super) fn go_to_z(&mut self) {
        self.x.copy_from_slice(&self.z);
    }
}

impl Adaptive<'_> {
    /// The values and the Jacobian at y = (1 - alpha) x_bar + alpha z.
    pub(super) fn linearise_at_y(&mut self, alpha: f64) -> Result<(), OracleError> {
        let Some(images) = &mut self.images else {
            return self.mapping.linearise(&self.y, &mut self.values);
        };
        if !images.known {
            self.mapping.image(&self.x, &mut images.x)?;
            images.restart();
            images.known = true;
        }
        let at = Between { x: &self.y, images: [&images.x, &images.z], share: alpha };
        self.mapping.linearise_between(at, &mut self.values)
    }

    /// The values at x+ = (1 - alpha) x_bar + alpha z+.
    pub(super) fn evaluate_next(&mut self, alpha: f64) -> Result<(), OracleError> {
        let Some(images) = &mut self.images else {
            return self.mapping.values(&self.x_next, &mut self.values_next);
        };
        self.mapping.image(&self.z_next, &mut images.z_next)?;
        let at = Between { x: &self.x_next, images: [&images.x, &images.z_next], share: alpha };
        self.mapping.values_between(at, &mut self.values_next)
    }

    /// The values at z.
    pub(super) fn evaluate_at_z(&mut self) -> Result<(), OracleError> {
        match &self.images {
            Some(images) if images.known => {
                let at = Between { x: &self.z, images: [&images.x, &images.z], share: 1.0 };
                self.mapping.values_between(at, &mut self.values_z)
            }
            _ => self.mapping.values(&self.z, &mut self.values_z),
        }
    }
}
