//! A direction made into a ray: without what rounding, and iterations that have not converged, left in it.

use super::Run;
use super::least_change::{Products, take_away};
use super::tuning::{CLEANINGS, DUST, HEAVY, MOST_CURVED, NEARLY, OUT, PRECISELY, ROUNDED};
use crate::certificate::Unboundedness;
use crate::oracle::{Mapping, OracleError, Weight};

impl Run<'_> {
    /// A verified proof that the objective falls for ever from `x`, or from a feasible point beside it, in a direction near this one, if it is one.
    pub(super) fn ray_from(
        &self,
        x: &[f64],
        direction: &[f64],
    ) -> Result<Option<Unboundedness>, OracleError> {
        // Far out nothing can be told of a point: the start may do as well, or a point well inside.
        for point in [x, &self.start.x] {
            if let Some(x) = self.feasible_beside(point)?
                && let Some(proof) = self.ray_at(&x, direction)?
            {
                return Ok(Some(proof));
            }
        }
        self.room_point().map_or(Ok(None), |x| self.ray_at(x, direction))
    }

    /// The same from `x` itself, which need not be feasible: what is told of the direction holds all the same.
    pub(super) fn ray_at(&self, x: &[f64], direction: &[f64]) -> Result<Option<Unboundedness>, OracleError> {
        let (mut mapping, mut values) = (self.problem.mapping(), vec![0.0; self.problem.rows()]);
        mapping.linearise(x, &mut values)?;
        let Some(ray) = self.cleaned(&*mapping, x, direction)? else { return Ok(None) };
        let violation = self.problem.composer().domain_distance(&values);
        let proof = Unboundedness { violation, x: x.to_vec(), ray };
        Ok(proof.verify(self.problem).is_ok().then_some(proof))
    }

    /// A point near `x` that satisfies the constraints to the last digits, if a few moves lead to one.
    fn feasible_beside(&self, x: &[f64]) -> Result<Option<Vec<f64>>, OracleError> {
        let (mut mapping, mut values) = (self.problem.mapping(), vec![0.0; self.problem.rows()]);
        let mut x = x.to_vec();
        mapping.linearise(&x, &mut values)?;
        for _ in 0..CLEANINGS {
            if self.is_precise(&*mapping, &x, &values) {
                break;
            }
            self.step_inside(&*mapping, &values, &vec![true; x.len()], &mut x)?;
            mapping.linearise(&x, &mut values)?;
        }
        Ok(self.is_precise(&*mapping, &x, &values).then_some(x))
    }

    /// Whether a point violates the constraints by no more than the last digits, whatever rounding did to its rows. One that is only
    /// nearly feasible may be all that there is: then the problem is infeasible, not unbounded.
    fn is_precise(&self, mapping: &dyn Mapping, x: &[f64], values: &[f64]) -> bool {
        let mut scratch = Vec::new();
        let mut worst = values.to_vec();
        for (range, composer) in self.problem.parts().filter(|(_, composer)| composer.is_constraint()) {
            for (k, row) in range.enumerate() {
                let Some([low, high]) = composer.row_domain(k) else { continue };
                let mut size = values[row].abs();
                mapping
                    .with_row(row, &mut scratch, &mut |view| view.for_each(|i, a| size += (a * x[i]).abs()));
                let rounding = ROUNDED * f64::EPSILON * size;
                // To the side on which it is nearer to a bound.
                worst[row] += if high - values[row] <= values[row] - low { rounding } else { -rounding };
            }
        }
        self.problem.violation_of(&worst) <= PRECISELY * self.settings.eps_feas
    }

    /// The least move of `free` variables after which the rows that are violated hold, as far as they are affine.
    pub(super) fn step_inside(
        &self,
        mapping: &dyn Mapping,
        values: &[f64],
        free: &[bool],
        x: &mut [f64],
    ) -> Result<(), OracleError> {
        let (mut rows, mut residual) = (Vec::new(), Vec::new());
        for (range, composer) in self.problem.parts().filter(|(_, composer)| composer.is_constraint()) {
            for (k, row) in range.enumerate() {
                let Some([low, high]) = composer.row_domain(k) else { continue };
                let off = (values[row] - high).max(0.0) - (low - values[row]).max(0.0);
                if off != 0.0 {
                    rows.push(row);
                    residual.push(off);
                }
            }
        }
        take_away(&Held { mapping, rows, hessian: &[], free }, &mut residual, x, 0.0, &self.budget)?;
        // Always: what is inside up to rounding here may be outside in the user's units.
        self.problem.regulariser().prox(Weight::scalar(HEAVY), x)?;
        Ok(())
    }

    /// The direction without what leads out of X, and without what changes rows by little or is held by curvature.
    fn cleaned(
        &self,
        mapping: &dyn Mapping,
        x: &[f64],
        direction: &[f64],
    ) -> Result<Option<Vec<f64>>, OracleError> {
        let size = |v: &[f64]| v.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
        let length = size(direction);
        if !(length > 0.0 && length.is_finite()) {
            return Ok(None);
        }
        let mut ray: Vec<f64> = direction.iter().map(|d| d / length).collect();
        let (problem, out) = (self.problem, OUT * size(x).max(1.0));
        let hessian = self.hessian(x)?;
        for _ in 0..CLEANINGS {
            let mut far: Vec<f64> = x.iter().zip(&ray).map(|(x, d)| x + out * d).collect();
            problem.regulariser().prox(Weight::scalar(HEAVY), &mut far)?;
            ray.iter_mut().zip(&far).zip(x).for_each(|((d, far), x)| *d = (far - x) / out);
            for (i, d) in ray.iter_mut().enumerate() {
                if problem.regulariser().scalar_term(i).is_some_and(|law| law.ends_towards(*d)) {
                    *d = 0.0;
                }
            }
            let least = DUST * size(&ray);
            ray.iter_mut().filter(|d| d.abs() <= least).for_each(|d| *d = 0.0);
            let free: Vec<bool> = ray.iter().map(|d| *d != 0.0).collect();
            let system =
                Held { mapping, rows: self.held_rows(mapping, &ray), hessian: &hessian, free: &free };
            let mut residual = vec![0.0; system.rows.len() + if hessian.is_empty() { 0 } else { ray.len() }];
            system.apply(&ray, &mut residual);
            take_away(&system, &mut residual, &mut ray, 0.0, &self.budget)?;
        }
        Ok(Some(ray))
    }

    /// The affine rows that `ray` changes by little beside their terms.
    fn held_rows(&self, mapping: &dyn Mapping, ray: &[f64]) -> Vec<usize> {
        let mut scratch = Vec::new();
        let is_held = |row: &usize| {
            let (mut change, mut terms) = (0.0, 0.0);
            mapping.with_row(*row, &mut scratch, &mut |view| {
                view.for_each(|i, a| {
                    change += a * ray[i];
                    terms += (a * ray[i]).abs();
                });
            });
            change != 0.0 && change.abs() <= NEARLY * terms
        };
        (1..self.problem.rows()).filter(|row| self.problem.is_affine(*row)).filter(is_held).collect()
    }

    /// The sum of the curved rows' second derivatives at `x`, by columns; nothing where they are not known, or too large.
    fn hessian(&self, x: &[f64]) -> Result<Vec<f64>, OracleError> {
        let n = x.len();
        let curved: Vec<usize> =
            (0..self.problem.rows()).filter(|row| !self.problem.is_affine(*row)).collect();
        if curved.is_empty() || n > MOST_CURVED {
            return Ok(Vec::new());
        }
        let mut hessian = vec![0.0; n * n];
        for row in curved {
            let Some(curvature) = self.problem.component(row).and_then(|g| g.curvature()) else {
                return Ok(Vec::new());
            };
            curvature.add_hessian_within(x, 1.0, &mut hessian, &self.budget)?;
        }
        for j in 0..n {
            for i in 0..j {
                hessian[j * n + i] = hessian[i * n + j];
            }
        }
        Ok(hessian)
    }
}

/// What a ray must not change: rows that hold, and slopes of curved rows, within the variables in which it leads anywhere.
pub(super) struct Held<'a> {
    pub(super) mapping: &'a dyn Mapping,
    pub(super) rows: Vec<usize>,
    pub(super) hessian: &'a [f64],
    pub(super) free: &'a [bool],
}

impl Products for Held<'_> {
    fn apply(&self, d: &[f64], out: &mut [f64]) {
        let mut scratch = Vec::new();
        let (of_rows, of_slopes) = out.split_at_mut(self.rows.len());
        for (out, row) in of_rows.iter_mut().zip(&self.rows) {
            self.mapping.with_row(*row, &mut scratch, &mut |view| *out = view.dot(d));
        }
        for (column, out) in self.hessian.chunks_exact(d.len()).zip(of_slopes) {
            *out = column.iter().zip(d).map(|(h, d)| h * d).sum();
        }
    }

    fn apply_transpose(&self, r: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let mut scratch = Vec::new();
        let (of_rows, of_slopes) = r.split_at(self.rows.len());
        for (r, row) in of_rows.iter().zip(&self.rows) {
            self.mapping.with_row(*row, &mut scratch, &mut |view| view.for_each(|i, a| out[i] += r * a));
        }
        for (column, r) in self.hessian.chunks_exact(out.len()).zip(of_slopes) {
            out.iter_mut().zip(column).for_each(|(out, h)| *out += r * h);
        }
        out.iter_mut().zip(self.free).filter(|(_, free)| !**free).for_each(|(out, _)| *out = 0.0);
    }
}
