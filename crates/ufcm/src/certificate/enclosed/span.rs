//! How far loose variables can go: rows that are held, and curvature, hold them together.

use super::View;
use crate::certificate::CertificateError;
use crate::certificate::second::SecondDerivatives;
use crate::certificate::tuning::curved::PROVEN;
use crate::certificate::tuning::enclosed::{
    DENSE_AT_ONCE, EXACT, FINE, FINEST, MOST_ENTRYWISE, MOST_LOOSE, MOST_OPERATIONS,
};
use crate::linalg::SparseSymmetric;
use crate::oracle::{Composer, Mapping, OracleError, Weight};
use faer::linalg::solvers::Llt;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{Mat, MatRef, Par, Side};
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
        if !(0..self.problem.rows()).any(curved) {
            return Ok(());
        }
        let away = |i: usize| if form.place[i].is_none() { form.away(i) } else { rho };
        let radius = (0..n).map(away).map(|d| d * d).sum::<f64>().sqrt() * (1.0 + 1e-9);
        let floor = SecondDerivatives::floor(self.problem, &self.witness, radius)?;
        let Some(hessian) = floor else { return Ok(()) };
        let (mut others, mut trace) = (0.0, 0.0);
        hessian.for_each(|i, j, v| match [form.place[i], form.place[j]] {
            [None, None] => {
                let twice = if i == j { 1.0 } else { 2.0 };
                others += twice * v.abs() * form.away(i) * form.away(j);
            }
            [Some(_), Some(_)] if i == j => trace += v,
            _ => {}
        });
        let mean = trace / self.loose.len() as f64;
        let reach = ((2.0 * gap).sqrt() + others.sqrt()).max(form.fine * mean.sqrt());
        if !(reach.is_finite() && reach > 0.0) {
            return Ok(());
        }
        hessian.for_each(|i, j, v| {
            if let [Some(a), Some(b)] = [form.place[i], form.place[j]]
                && v != 0.0
            {
                form.curvature.push((a, b, v / (reach * reach)));
            }
        });
        form.terms += 1.0;
        // Entries of components are exact; sums over data are not.
        if let SecondDerivatives::Dense(_) = hessian {
            form.rounding = form.rounding.max(PROVEN);
        }
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
    /// Rows, by their entries over their reach, in order.
    rows: Vec<Vec<(usize, f64)>>,
    /// Entries of the lower triangle of what else is in H.
    curvature: Vec<(usize, usize, f64)>,
    terms: f64,
    /// What rounding may have done to second derivatives in it, in units of the trace.
    rounding: f64,
    /// Products of two entries of a row, in all.
    products: usize,
}

impl<'a> Form<'a> {
    fn new(view: &'a View<'_>, fine: f64, ends: &'a [Vec<f64>; 2]) -> Self {
        let mut place = vec![None; view.centre.len()];
        view.loose.iter().enumerate().for_each(|(k, i)| place[*i] = Some(k));
        Self {
            mapping: view.problem.mapping(),
            ends,
            centre: view.centre,
            fine,
            place,
            order: view.loose.len(),
            rows: Vec::new(),
            curvature: Vec::new(),
            terms: 0.0,
            rounding: 0.0,
            products: 0,
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
        self.products += entries.len() * entries.len();
        if self.products > MOST_OPERATIONS {
            return false;
        }
        entries.iter_mut().for_each(|(_, a)| *a /= reach);
        entries.sort_unstable_by_key(|(k, _)| *k);
        self.rows.push(entries);
        self.terms += 1.0;
        true
    }

    /// How far each variable can go: (terms (H^-1)_ii)^1/2. What is factored is H, with ones on its diagonal and then less by more than
    /// rounding can have added, so that its inverse exceeds that of H.
    fn ways(self) -> Option<Vec<f64>> {
        let n = self.order as f64;
        // Sums of as many products as there are terms, and those of the factorisation; with ones on the diagonal the trace is n.
        let rounding = self.rounding + 2.0 * (self.terms + n + 16.0) * f64::EPSILON;
        let less = 2.0 * rounding * n;
        let (diagonal, inverse) = match self.sparse() {
            Some(matrix) => {
                let diagonal = matrix.diagonal();
                let roots = roots(&diagonal)?;
                let entry = |i: usize, j: usize, v: f64| {
                    let own = v / (roots[i] * roots[j]);
                    if i == j { own - less } else { own }
                };
                let inverse = matrix.factor(entry)?.inverse_diagonal();
                (diagonal, inverse)
            }
            None => self.dense(less)?,
        };
        // The condition number, at most: |H| <= n, and |H^-1| is no more than its trace. Solutions are off by that times rounding.
        let condition = n * inverse.iter().sum::<f64>();
        let exact = n * f64::EPSILON * condition <= EXACT;
        let way = |(inverse, d): (&f64, &f64)| (2.0 * self.terms * inverse / d).sqrt();
        exact.then(|| inverse.iter().zip(&diagonal).map(way).collect())
    }

    /// H by its entries, where that is the cheaper way.
    fn sparse(&self) -> Option<SparseSymmetric> {
        let n = self.order;
        if 2 * (self.products + self.curvature.len()) > n * n {
            return None;
        }
        let pairs = self.rows.iter().flat_map(|row| {
            row.iter().flat_map(move |(i, a)| {
                row.iter().filter(move |(j, _)| j <= i).map(move |(j, b)| (*i, *j, a * b))
            })
        });
        let entries: Vec<_> = pairs.chain(self.curvature.iter().copied()).collect();
        let matrix = SparseSymmetric::new(n, &entries)?;
        let operations: f64 = matrix.operations().iter().sum();
        let cube = (n as f64).powi(3);
        let cheap = operations * DENSE_AT_ONCE <= cube && n <= MOST_LOOSE;
        (cheap || operations <= MOST_ENTRYWISE).then_some(matrix)
    }

    /// The diagonals of H and of the inverse of H with ones on its diagonal less `less`.
    fn dense(&self, less: f64) -> Option<(Vec<f64>, Vec<f64>)> {
        let n = self.order;
        if n > MOST_LOOSE {
            return None;
        }
        let mut matrix = vec![0.0; n * n];
        for row in &self.rows {
            for (from, (k, a)) in row.iter().enumerate() {
                let column = &mut matrix[k * n..(k + 1) * n];
                row[from..].iter().for_each(|(i, b)| column[*i] += a * b);
            }
        }
        self.curvature.iter().for_each(|(i, j, v)| matrix[j * n + i] += v);
        let diagonal: Vec<f64> = (0..n).map(|i| matrix[i * n + i]).collect();
        let roots = roots(&diagonal)?;
        for j in 0..n {
            (j..n).for_each(|i| matrix[j * n + i] /= roots[i] * roots[j]);
            matrix[j * n + j] -= less;
        }
        let factored = Llt::new(MatRef::from_column_major_slice(&matrix, n, n), Side::Lower).ok()?;
        let mut inverse = Mat::<f64>::zeros(n, n);
        invert_lower_triangular(inverse.as_mut(), factored.L(), Par::Seq);
        let squares = (0..n).map(|i| inverse.col(i).squared_norm_l2()).collect();
        Some((diagonal, squares))
    }
}

/// The roots of a positive diagonal.
fn roots(diagonal: &[f64]) -> Option<Vec<f64>> {
    let root = |d: &f64| (*d > 0.0 && d.is_finite()).then(|| d.sqrt());
    diagonal.iter().map(root).collect()
}
