//! Slopes that cancel to the last digits: what a proof of infeasibility needs where X does not hold x.
//!
//! Multipliers l of constraints, linearised at y, have the slope J(y)'l. Changes of l, in parts of each multiplier, and of y, where rows
//! are curved, take away what of it X lets lead to infinity: least squares, in which every entry of the slope is measured against the
//! terms that cancel in it, so that units do not matter. Decision 0021.

use super::Run;
use super::least_change::{Products, take_away_patiently};
use super::tuning::{CANCELLATIONS, DUST, HEAVY, LARGE, MOST_CURVED, OUT};
use crate::oracle::{Mapping, MinorantSums, OracleError, Weight};

impl Run<'_> {
    /// Changes `y` and `l`, those that are not 0, until the slope cancels where it must.
    pub(super) fn cancel(&self, y: &mut [f64], l: &mut [f64]) -> Result<(), OracleError> {
        let (n, m) = (y.len(), l.len());
        let (mut mapping, mut values) = (self.problem.mapping(), vec![0.0; m]);
        mapping.linearise(y, &mut values)?;
        let curved = (0..m).any(|row| l[row] != 0.0 && !self.problem.is_affine(row)) && n <= MOST_CURVED;
        for _ in 0..CANCELLATIONS {
            let (slope, sizes) = slope_and_sizes(&*mapping, y, &values, l);
            let (mut residual, counts) = self.left_over(&slope)?;
            let relative = |i: usize| if sizes[i] > 0.0 && counts[i] { 1.0 / sizes[i] } else { 0.0 };
            let inverse: Vec<f64> = (0..n).map(relative).collect();
            residual.iter_mut().zip(&inverse).for_each(|(r, inverse)| *r *= inverse);
            if residual.iter().all(|r| r.abs() <= f64::EPSILON) {
                break;
            }
            let hessian = if curved { self.lagrangian_hessian(y, l)? } else { Vec::new() };
            let size = 1.0 + y.iter().fold(0.0f64, |largest, y| largest.max(y.abs()));
            let system = Joint { mapping: &*mapping, l, inverse: &inverse, hessian: &hessian, size };
            let mut change = vec![0.0; m + if hessian.is_empty() { 0 } else { n }];
            take_away_patiently(&system, &mut residual, &mut change, 0.5 * f64::EPSILON, &self.budget)?;
            if change.iter().any(|d| !d.is_finite()) || change[..m].iter().all(|d| *d < -LARGE || *d == 0.0) {
                break;
            }
            // A multiplier that would change its sign is not needed.
            l.iter_mut().zip(&change).for_each(|(l, d)| *l *= (1.0 + d).max(0.0));
            y.iter_mut().zip(&change[m..]).for_each(|(y, d)| *y += size * d);
            mapping.linearise(y, &mut values)?;
        }
        Ok(())
    }

    /// What of a slope must cancel, because X reaches to infinity against it; and the variables in which a change of it counts.
    fn left_over(&self, slope: &[f64]) -> Result<(Vec<f64>, Vec<bool>), OracleError> {
        let u = self.problem.regulariser();
        let largest = slope.iter().fold(0.0f64, |largest, s| largest.max(s.abs()));
        if (0..slope.len()).all(|i| u.scalar_term(i).is_some()) {
            let leads_out = |(i, s): (usize, &f64)| {
                let bound = |law: crate::oracle::ScalarTerm| law.ends_towards(-s);
                !u.scalar_term(i).is_some_and(bound)
            };
            let counts: Vec<bool> = slope.iter().enumerate().map(leads_out).collect();
            let left = slope.iter().zip(&counts).map(|(s, counts)| if *counts { *s } else { 0.0 });
            return Ok((left.collect(), counts));
        }
        if largest == 0.0 {
            return Ok((slope.to_vec(), vec![true; slope.len()]));
        }
        // The part of the direction -s that stays in X for ever.
        let mut far: Vec<f64> = slope.iter().map(|s| -s / largest * OUT * OUT).collect();
        u.prox(Weight::scalar(HEAVY), &mut far)?;
        let part = |far: &f64| if far.abs() <= DUST * OUT * OUT { 0.0 } else { -far / (OUT * OUT) * largest };
        Ok((far.iter().map(part).collect(), vec![true; slope.len()]))
    }

    /// sum_j l_j times the second derivatives of row j, by columns; nothing where a curved row does not tell its own.
    fn lagrangian_hessian(&self, y: &[f64], l: &[f64]) -> Result<Vec<f64>, OracleError> {
        let n = y.len();
        let mut hessian = vec![0.0; n * n];
        let curved = |row: &usize| l[*row] != 0.0 && !self.problem.is_affine(*row);
        for row in (0..l.len()).filter(curved) {
            let Some(curvature) = self.problem.component(row).and_then(|g| g.curvature()) else {
                return Ok(Vec::new());
            };
            curvature.add_hessian_within(y, l[row], &mut hessian, &self.budget)?;
        }
        for j in 0..n {
            for i in 0..j {
                hessian[j * n + i] = hessian[i * n + j];
            }
        }
        Ok(hessian)
    }
}

/// J'l, and the sums of the absolute values in it.
fn slope_and_sizes(mapping: &dyn Mapping, y: &[f64], values: &[f64], l: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut slope, mut slope_sizes) = (vec![0.0; y.len()], vec![0.0; y.len()]);
    let mut sums =
        MinorantSums { offset: 0.0, offset_size: 0.0, slope: &mut slope, slope_sizes: &mut slope_sizes };
    mapping.add_minorant(y, values, l, &mut sums, &mut Vec::new());
    (slope, slope_sizes)
}

/// What changes e of the multipliers, l_j e_j each, and d of the point, in its size, make of the slope, relative to its terms.
struct Joint<'a> {
    mapping: &'a dyn Mapping,
    l: &'a [f64],
    /// One over the terms; 0 where the slope does not count.
    inverse: &'a [f64],
    /// Of the Lagrangian; empty where the point stays.
    hessian: &'a [f64],
    size: f64,
}

impl Products for Joint<'_> {
    fn apply(&self, d: &[f64], out: &mut [f64]) {
        let changes: Vec<f64> = self.l.iter().zip(d).map(|(l, d)| l * d).collect();
        self.mapping.apply_transpose(&changes, out);
        for (column, d) in self.hessian.chunks_exact(out.len()).zip(&d[self.l.len()..]) {
            out.iter_mut().zip(column).for_each(|(out, h)| *out += h * self.size * d);
        }
        out.iter_mut().zip(self.inverse).for_each(|(out, inverse)| *out *= inverse);
    }

    fn apply_transpose(&self, r: &[f64], out: &mut [f64]) {
        let weighed: Vec<f64> = r.iter().zip(self.inverse).map(|(r, inverse)| r * inverse).collect();
        let (of_rows, of_point) = out.split_at_mut(self.l.len());
        self.mapping.apply(&weighed, of_rows);
        of_rows.iter_mut().zip(self.l).for_each(|(out, l)| *out *= l);
        for (column, out) in self.hessian.chunks_exact(r.len()).zip(of_point) {
            *out = self.size * column.iter().zip(&weighed).map(|(h, r)| h * r).sum::<f64>();
        }
    }
}
