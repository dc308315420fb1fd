//! Diagonal preconditioning, and the constants that the step sizes rest on.
//!
//! ```text
//! A^ = E^(1/2) A D^(1/2)      A: the rows whose multipliers move
//! ```
//!
//! Ruiz: rows and columns are divided by the roots of their largest entries, a few rounds; then Pock-Chambolle: by the
//! roots of their sums. Nothing is copied: D and E become weights of the two proxes.

use crate::linalg::largest_eigenvalue;
use crate::method::tuning::scaling::{POWER_ROUNDS, RANGE, RUIZ_ROUNDS};
use crate::oracle::{Mapping, OracleError, Weight};
use crate::problem::Problem;

/// D and E with |A^| and the curvature of the objective.
#[derive(Clone)]
pub(super) struct Scaling {
    /// 1/d and 1/e.
    primal: Vec<f64>,
    dual: Vec<f64>,
    diagonal_primal: bool,
    diagonal_dual: bool,
    /// An estimate of |A^|.
    pub norm: f64,
    /// An estimate of the largest eigenvalue of D^(1/2) H D^(1/2), H the Hessian of the pinned rows.
    pub curvature: f64,
}

impl Scaling {
    /// The scaling for rows that are affine where they are not pinned; `mapping` is linearised at `x` on return.
    pub fn new(
        problem: &Problem,
        mapping: &mut dyn Mapping,
        pinned: &[bool],
        x: &[f64],
    ) -> Result<Self, OracleError> {
        let (n, m) = (problem.dimension(), problem.rows());
        let mut values = vec![0.0; m];
        mapping.linearise(x, &mut values)?;
        let mut scaling = Self {
            primal: vec![1.0; n],
            dual: vec![1.0; m],
            diagonal_primal: problem.regulariser().has_diagonal_prox(),
            diagonal_dual: problem.composer().has_diagonal_prox(),
            norm: 0.0,
            curvature: 0.0,
        };
        if mapping.has_rows() && (scaling.diagonal_primal || scaling.diagonal_dual) {
            let hessian = hessian_diagonal(mapping, pinned, x)?;
            let mut sums = Sums { rows: vec![0.0; m], columns: vec![0.0; n], scratch: Vec::new() };
            for _ in 0..RUIZ_ROUNDS {
                sums.gather(mapping, pinned, &scaling, f64::max);
                for ((largest, h), d) in sums.columns.iter_mut().zip(&hessian).zip(&scaling.primal) {
                    *largest = largest.max(h / d);
                }
                scaling.divide(&sums);
            }
            sums.gather(mapping, pinned, &scaling, |sum, a| sum + a);
            scaling.divide(&sums);
        }
        scaling.norm = scaling.find_norm(mapping, pinned)?;
        scaling.curvature = scaling.find_curvature(mapping, pinned, x)?;
        mapping.linearise(x, &mut values)?;
        Ok(scaling)
    }

    /// `scale` D^-1, as the weight of a prox.
    pub fn primal(&self, scale: f64) -> Weight<'_> {
        if self.diagonal_primal { Weight::diagonal(scale, &self.primal) } else { Weight::scalar(scale) }
    }

    /// `scale` E^-1, as the weight of a prox.
    pub fn dual(&self, scale: f64) -> Weight<'_> {
        if self.diagonal_dual { Weight::diagonal(scale, &self.dual) } else { Weight::scalar(scale) }
    }

    fn divide(&mut self, sums: &Sums) {
        let divide = |inverse: &mut Vec<f64>, sums: &[f64]| {
            for (inverse, sum) in inverse.iter_mut().zip(sums).filter(|(_, sum)| **sum > 0.0) {
                *inverse = (*inverse * sum).clamp(RANGE.0, RANGE.1);
            }
        };
        if self.diagonal_primal {
            divide(&mut self.primal, &sums.columns);
        }
        if self.diagonal_dual {
            divide(&mut self.dual, &sums.rows);
        }
    }

    /// |A^|, by the power method on A^'A^.
    fn find_norm(&self, mapping: &dyn Mapping, pinned: &[bool]) -> Result<f64, OracleError> {
        let (n, m) = (self.primal.len(), self.dual.len());
        let (mut v, mut image, mut point) = (vec![0.0; n], vec![0.0; m], vec![0.0; n]);
        let square = largest_eigenvalue(&mut v, POWER_ROUNDS, |v| {
            point.iter_mut().zip(&*v).zip(&self.primal).for_each(|((point, v), d)| *point = v / d.sqrt());
            mapping.apply(&point, &mut image);
            for ((image, e), pinned) in image.iter_mut().zip(&self.dual).zip(pinned) {
                *image = if *pinned { 0.0 } else { *image / e };
            }
            mapping.apply_transpose(&image, v);
            v.iter_mut().zip(&self.primal).for_each(|(v, d)| *v /= d.sqrt());
            Ok(())
        })?;
        Ok(square.sqrt())
    }

    /// The largest eigenvalue of D^(1/2) H D^(1/2), by the power method on differences of gradients.
    fn find_curvature(
        &self,
        mapping: &mut dyn Mapping,
        pinned: &[bool],
        x: &[f64],
    ) -> Result<f64, OracleError> {
        if (0..pinned.len()).all(|row| mapping.is_affine(row)) {
            return Ok(0.0);
        }
        let (n, m) = (self.primal.len(), self.dual.len());
        let ones: Vec<f64> = pinned.iter().map(|pinned| f64::from(u8::from(*pinned))).collect();
        let (mut v, mut point, mut values, mut here) =
            (vec![0.0; n], vec![0.0; n], vec![0.0; m], vec![0.0; n]);
        mapping.apply_transpose(&ones, &mut here);
        largest_eigenvalue(&mut v, POWER_ROUNDS, |v| {
            for (i, point) in point.iter_mut().enumerate() {
                *point = x[i] + v[i] / self.primal[i].sqrt();
            }
            mapping.linearise(&point, &mut values)?;
            mapping.apply_transpose(&ones, v);
            for (i, v) in v.iter_mut().enumerate() {
                *v = (*v - here[i]) / self.primal[i].sqrt();
            }
            Ok(())
        })
    }
}

/// The largest entries or the sums of |A^| by rows and columns.
struct Sums {
    rows: Vec<f64>,
    columns: Vec<f64>,
    scratch: Vec<f64>,
}

impl Sums {
    fn gather(
        &mut self,
        mapping: &dyn Mapping,
        pinned: &[bool],
        scaling: &Scaling,
        add: impl Fn(f64, f64) -> f64,
    ) {
        let Self { rows, columns, scratch } = self;
        rows.fill(0.0);
        columns.fill(0.0);
        for j in (0..rows.len()).filter(|&j| !pinned[j]) {
            mapping.with_row(j, scratch, &mut |row| {
                row.for_each(|i, a| {
                    let size = a.abs() / (scaling.primal[i] * scaling.dual[j]).sqrt();
                    rows[j] = add(rows[j], size);
                    columns[i] = add(columns[i], size);
                });
            });
        }
    }
}

/// The diagonal of the Hessian of the pinned rows, 0 where they tell none.
fn hessian_diagonal(mapping: &dyn Mapping, pinned: &[bool], x: &[f64]) -> Result<Vec<f64>, OracleError> {
    let mut diagonal = vec![0.0; x.len()];
    for row in (0..pinned.len()).filter(|&row| pinned[row]) {
        if let Some(curvature) = mapping.component(row).and_then(|component| component.curvature()) {
            curvature.add_diagonal(x, 1.0, &mut diagonal)?;
        }
    }
    Ok(diagonal)
}
