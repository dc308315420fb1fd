//! How far loose variables can go: rows that are held, and curvature, hold them together.

use super::View;
use crate::certificate::CertificateError;
use crate::certificate::curved::hessian_floor;
use crate::certificate::tuning::curved::{MOST_VARIABLES, PROVEN};
use crate::certificate::tuning::enclosed::{EXACT, FINE, FINEST, MOST_LOOSE, MOST_OPERATIONS};
use crate::oracle::{Composer, Mapping, OracleError, Weight};
use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, MatRef, Side};
use std::ops::Range;

/// Heavy enough that a prox only projects.
const HEAVY: f64 = 1e30;

impl View<'_> {
    /// How far each loose variable can be from the centre, where that is no more than `rho` and all others are between `ends`; `None`
    /// where nothing holds one. Moves of less than a small part of rho count as that much, so that what cannot move at all does not
    /// outweigh the rest beyond what a factorisation can tell.
    pub(super) fn ways_of_loose(
        &self,
        gap: f64,
        rho: f64,
        ends: &[Vec<f64>; 2],
    ) -> Result<Option<Vec<f64>>, CertificateError> {
        if self.loose.len() > MOST_LOOSE {
            return Ok(None);
        }
        let mut form = Form::new(self, FINE * rho, ends);
        for (range, composer) in self.problem.parts() {
            let intervals = self.intervals(gap, range.clone(), composer)?;
            for (row, interval) in range.zip(intervals) {
                self.problem.budget().component().map_err(OracleError::from)?;
                if !form.add_row(self, row, interval) {
                    return Ok(None);
                }
            }
        }
        self.add_curvature(gap, rho, &mut form)?;
        Ok(form.ways())
    }

    /// Where each row of a part lies, as far as that is known.
    fn intervals(
        &self,
        gap: f64,
        range: Range<usize>,
        composer: &dyn Composer,
    ) -> Result<Vec<[f64; 2]>, OracleError> {
        let (values, multipliers) = (&self.values[range.clone()], &self.witness.multipliers[range.clone()]);
        if composer.is_constraint() {
            let one = |k: usize| {
                // Where rows are held together, none of them has an interval of its own.
                let Some([low, high]) = composer.row_domain(k) else {
                    return [f64::NEG_INFINITY, f64::INFINITY];
                };
                let (z, l) = (values[k], multipliers[k]);
                // l (high - z) <= gap
                let from = if l > 0.0 { high - gap / l } else { f64::NEG_INFINITY };
                let to = if l < 0.0 { low + gap / -l } else { f64::INFINITY };
                // Widened until c is inside.
                [low.max(from).min(z), high.min(to).max(z)]
            };
            return Ok((0..range.len()).map(one).collect());
        }
        let mut intervals = vec![[f64::NEG_INFINITY, f64::INFINITY]; range.len()];
        if range.len() * range.len() > MOST_OPERATIONS {
            return Ok(intervals);
        }
        let [down, up] = dual_ends(composer, multipliers)?;
        let (mut moved, conjugate) = (multipliers.to_vec(), composer.conjugate(multipliers));
        let rounding = 2.0 * self.unit * composer.conjugate_magnitude(multipliers);
        for (k, interval) in intervals.iter_mut().enumerate() {
            for (t, end) in [(down[k], 0), (up[k], 1)] {
                // Not to the very end, where h* may be infinite by rounding.
                let t = t * (1.0 - f64::EPSILON.sqrt());
                moved[k] = multipliers[k] + t;
                let change = composer.conjugate(&moved) - conjugate;
                if t.abs() > FINEST * (1.0 + multipliers[k].abs()) && change.is_finite() {
                    interval[end] = (change + gap + rounding) / t;
                }
                moved[k] = multipliers[k];
            }
            *interval = [interval[0].min(values[k]), interval[1].max(values[k])];
        }
        Ok(intervals)
    }

    /// Adds |x - c|_M^2 <= 2 gap, which a change of the others shifts: M from second derivatives as far as all this speaks of.
    fn add_curvature(&self, gap: f64, rho: f64, form: &mut Form<'_>) -> Result<(), CertificateError> {
        let n = self.centre.len();
        let curved = |row: usize| self.problem.component(row).is_some_and(|g| g.curvature().is_some());
        if n > MOST_VARIABLES || !(0..self.problem.rows()).any(curved) {
            return Ok(());
        }
        let away = |i: usize| if form.place[i].is_none() { form.away(i) } else { rho };
        let radius = (0..n).map(away).map(|d| d * d).sum::<f64>().sqrt() * (1.0 + 1e-9);
        let hessian = hessian_floor(self.problem, &self.witness, radius)?;
        let mut others = 0.0;
        for j in (0..n).filter(|j| form.place[*j].is_none()) {
            for i in (j..n).filter(|i| form.place[*i].is_none()) {
                let twice = if i == j { 1.0 } else { 2.0 };
                others += twice * hessian[j * n + i].abs() * form.away(i) * form.away(j);
            }
        }
        let mean = self.loose.iter().map(|i| hessian[i * n + i]).sum::<f64>() / self.loose.len() as f64;
        let reach = ((2.0 * gap).sqrt() + others.sqrt()).max(form.fine * mean.sqrt());
        if !(reach.is_finite() && reach > 0.0) {
            return Ok(());
        }
        for (b, j) in self.loose.iter().enumerate() {
            for (a, i) in self.loose.iter().enumerate().skip(b) {
                form.matrix[b * form.order + a] += hessian[j * n + i] / (reach * reach);
            }
        }
        form.terms += 1.0;
        form.rounding = form.rounding.max(PROVEN);
        Ok(())
    }
}

/// How far each multiplier alone can move down and up; at most about its own size, where there is no end.
fn dual_ends(composer: &dyn Composer, multipliers: &[f64]) -> Result<[Vec<f64>; 2], OracleError> {
    let end = |sign: f64| -> Result<Vec<f64>, OracleError> {
        let step = |l: f64| sign * (1.0 + l.abs());
        let mut moved: Vec<f64> = multipliers.iter().map(|l| l + step(*l)).collect();
        composer.prox_conjugate(Weight::scalar(HEAVY), &mut moved)?;
        Ok(moved.iter().zip(multipliers).map(|(moved, l)| sign * (sign * (moved - l)).max(0.0)).collect())
    };
    Ok([end(-1.0)?, end(1.0)?])
}

/// A quadratic form of the loose variables, d'Hd <= `terms`.
struct Form<'a> {
    mapping: Box<dyn Mapping>,
    ends: &'a [Vec<f64>; 2],
    centre: &'a [f64],
    /// The least move that counts.
    fine: f64,
    /// The place of each variable among the loose ones.
    place: Vec<Option<usize>>,
    order: usize,
    /// The lower triangle of H, by columns.
    matrix: Vec<f64>,
    terms: f64,
    /// What rounding may have done to second derivatives in it, in units of the trace.
    rounding: f64,
    /// Operations that may still be spent.
    left: usize,
}

impl<'a> Form<'a> {
    fn new(view: &'a View<'_>, fine: f64, ends: &'a [Vec<f64>; 2]) -> Self {
        let order = view.loose.len();
        let mut place = vec![None; view.centre.len()];
        view.loose.iter().enumerate().for_each(|(k, i)| place[*i] = Some(k));
        let (matrix, rounding) = (vec![0.0; order * order], 0.0);
        let left = MOST_OPERATIONS;
        Self {
            mapping: view.problem.mapping(),
            ends,
            centre: view.centre,
            fine,
            place,
            order,
            matrix,
            terms: 0.0,
            rounding,
            left,
        }
    }

    /// How far variable `i` can be from the centre.
    fn away(&self, i: usize) -> f64 {
        (self.ends[1][i] - self.centre[i]).max(self.centre[i] - self.ends[0][i])
    }

    /// Adds an affine row that lies between the ends of `interval`, if both are known; whether there was time.
    fn add_row(&mut self, view: &View<'_>, row: usize, [low, high]: [f64; 2]) -> bool {
        if !(view.problem.is_affine(row) && low.is_finite() && high.is_finite()) {
            return true;
        }
        let z = view.values[row];
        let (mut reach, mut size, mut entries) = ((high - z).max(z - low), z.abs(), Vec::new());
        self.mapping.with_row(row, &mut Vec::new(), &mut |view| {
            view.for_each(|i, a| {
                size += (a * self.centre[i]).abs();
                match self.place[i] {
                    Some(k) if a != 0.0 => entries.push((k, a)),
                    _ if a != 0.0 => reach += a.abs() * self.away(i),
                    _ => {}
                }
            });
        });
        let largest = entries.iter().fold(0.0f64, |largest, (_, a)| largest.max(a.abs()));
        reach = (reach + 2.0 * view.unit * size).max(self.fine * largest);
        if entries.is_empty() || !reach.is_finite() {
            return true;
        }
        let operations = entries.len() * entries.len();
        if operations > self.left {
            return false;
        }
        self.left -= operations;
        for (k, a) in &entries {
            let factor = a / (reach * reach);
            let column = &mut self.matrix[k * self.order..(k + 1) * self.order];
            entries.iter().filter(|(i, _)| i >= k).for_each(|(i, b)| column[*i] += factor * b);
        }
        self.terms += 1.0;
        true
    }

    /// How far each variable can go: (terms (H^-1)_ii)^1/2. What is factored is H with less on its diagonal than rounding can have
    /// added, so that its inverse exceeds that of H.
    fn ways(mut self) -> Option<Vec<f64>> {
        let n = self.order;
        let diagonal: Vec<f64> = (0..n).map(|i| self.matrix[i * n + i]).collect();
        if !diagonal.iter().all(|d| *d > 0.0 && d.is_finite()) {
            return None;
        }
        // Sums of as many products as there are terms, and those of the factorisation; with ones on the diagonal the trace is n.
        let rounding = self.rounding + 2.0 * (self.terms + n as f64 + 16.0) * f64::EPSILON;
        for j in 0..n {
            for i in j..n {
                self.matrix[j * n + i] /= diagonal[i].sqrt() * diagonal[j].sqrt();
            }
            self.matrix[j * n + j] -= 2.0 * rounding * n as f64;
        }
        let factored = Llt::new(MatRef::from_column_major_slice(&self.matrix, n, n), Side::Lower).ok()?;
        let inverse = factored.solve(Mat::<f64>::identity(n, n));
        // The condition number, at most: |H| <= n. Solutions are off by that times rounding.
        let condition = n as f64 * inverse.norm_l2();
        let exact = n as f64 * f64::EPSILON * condition <= EXACT;
        let way = |(i, d): (usize, &f64)| (2.0 * self.terms * inverse[(i, i)] / d).sqrt();
        exact.then(|| diagonal.iter().enumerate().map(way).collect())
    }
}
