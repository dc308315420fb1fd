//! Sliding: the model step by many cheap steps, a product with J and one with J' each, for models whose rows are too many
//! for Newton systems, or of which only products are available.
//!
//! ```text
//! T(w, l):  w+ = argmin u + <l, J .> + 1/2 |. - z|_W^2 + 1/2 |. - w|_P^2          P = omega c
//!           l+ = prox_{h*, V}(l + V^-1 (J (2 w+ - w) + b))                       V = r / omega
//! ```
//!
//! c and r are the sums of |J| by columns and by rows (or its norm, where rows cannot be had), so that T is averaged in the norm
//! that P, V and J make; Halpern's iteration on it restarts as that of the primal-dual method does. It stops once what
//! is left is small relative to the step itself; the paper's fixed numbers S_t of inner steps have the same purpose:
//!
//! ```text
//! |J'(l+ - l) - P (w+ - w)|_(W^-1) <= sigma |w+ - z|_W,      max |V (l+ - l) - J (w+ - w)| <= sigma max |J (w+ - z)|
//! ```

use super::{Outcome, Subproblem};
use crate::halpern::{Halpern, balanced};
use crate::linalg::{largest_eigenvalue, norm_of};
use crate::oracle::{OracleError, Weight};
use crate::subproblem::tuning::sliding::{LEAST_SUM, OMEGA, POWER_ROUNDS, SAFETY};

/// What a model step asks of the loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Depth {
    /// sigma: how large an error may be beside what the step brings.
    pub relative: f64,
    /// Errors of rows below this are small enough in any case; so are slopes whose square it bounds.
    pub floor: f64,
}

/// (w, l) with J w and J'l.
struct Point {
    w: Vec<f64>,
    l: Vec<f64>,
    image: Vec<f64>,
    slope: Vec<f64>,
}

impl Point {
    fn new(m: usize, n: usize) -> Self {
        Self { w: vec![0.0; n], l: vec![0.0; m], image: vec![0.0; m], slope: vec![0.0; n] }
    }

    fn copy_from(&mut self, other: &Self) {
        self.w.copy_from_slice(&other.w);
        self.l.copy_from_slice(&other.l);
        self.image.copy_from_slice(&other.image);
        self.slope.copy_from_slice(&other.slope);
    }
}

/// The loop, with all its buffers and the primal weight of the last model step.
pub(super) struct Sliding {
    omega: f64,
    /// c and r
    column_sums: Vec<f64>,
    row_sums: Vec<f64>,
    /// |J|, where rows cannot be had.
    norm: Option<f64>,
    /// Rows whose multipliers cannot move.
    pinned: Vec<bool>,
    /// W + P and V
    primal: Vec<f64>,
    dual: Vec<f64>,
    at: Point,
    next: Point,
    anchor: Point,
    /// J z
    centre_image: Vec<f64>,
    scratch: Vec<f64>,
}

impl Sliding {
    pub fn new(m: usize, n: usize) -> Self {
        Self {
            omega: 1.0,
            column_sums: vec![0.0; n],
            row_sums: vec![0.0; m],
            norm: None,
            pinned: vec![false; m],
            primal: vec![0.0; n],
            dual: vec![0.0; m],
            at: Point::new(m, n),
            next: Point::new(m, n),
            anchor: Point::new(m, n),
            centre_image: vec![0.0; m],
            scratch: Vec::with_capacity(n),
        }
    }

    /// As [`Newton::solve`](super::Newton::solve), in up to `most` steps.
    pub fn solve(
        &mut self,
        problem: &Subproblem<'_>,
        depth: Depth,
        most: usize,
        multipliers: &mut [f64],
        w: &mut [f64],
    ) -> Result<Outcome, OracleError> {
        self.weigh(problem)?;
        self.start(problem, multipliers);
        let mut epoch = Halpern::new(2.0);
        let (mut steps, mut residual, mut solved) = (0, f64::INFINITY, false);
        while steps < most {
            problem.budget.inner_step()?;
            self.apply_operator(problem)?;
            steps += 1;
            if self.raise_norm(problem) {
                self.anchor.copy_from(&self.at);
                epoch.begin();
                continue;
            }
            (residual, solved) = self.judge(problem, depth);
            if solved {
                break;
            }
            epoch.note(self.movement());
            if epoch.is_over(steps) {
                self.balance(problem);
                self.at.copy_from(&self.next);
                self.anchor.copy_from(&self.next);
                epoch.begin();
                continue;
            }
            let Self { at, next, anchor, .. } = self;
            epoch.blend(&mut at.w, &next.w, &anchor.w);
            epoch.blend(&mut at.l, &next.l, &anchor.l);
            epoch.blend(&mut at.image, &next.image, &anchor.image);
            epoch.blend(&mut at.slope, &next.slope, &anchor.slope);
            epoch.advance();
        }
        multipliers.copy_from_slice(&self.next.l);
        w.copy_from_slice(&self.next.w);
        Ok(Outcome { steps, residual, solved })
    }

    /// From z and the multipliers of the last step.
    fn start(&mut self, problem: &Subproblem<'_>, multipliers: &[f64]) {
        let Self { at, anchor, centre_image, .. } = self;
        at.w.copy_from_slice(problem.centre);
        at.l.copy_from_slice(multipliers);
        problem.mapping.apply(&at.w, &mut at.image);
        problem.mapping.apply_transpose(&at.l, &mut at.slope);
        centre_image.copy_from_slice(&at.image);
        anchor.copy_from(at);
    }

    /// c and r, of the rows whose multipliers move.
    fn weigh(&mut self, problem: &Subproblem<'_>) -> Result<(), OracleError> {
        let Self { column_sums, row_sums, pinned, scratch, .. } = self;
        pinned.iter_mut().enumerate().for_each(|(j, pinned)| *pinned = problem.composer.is_pinned(j));
        if problem.mapping.has_rows() {
            column_sums.fill(0.0);
            row_sums.fill(0.0);
            for j in (0..row_sums.len()).filter(|&j| !pinned[j]) {
                problem.mapping.with_row(j, scratch, &mut |row| {
                    row.for_each(|i, a| {
                        row_sums[j] += a.abs();
                        column_sums[i] += a.abs();
                    });
                });
            }
            level(column_sums, problem.regulariser.has_diagonal_prox());
            level(row_sums, problem.composer.has_diagonal_prox());
        } else {
            let norm = match self.norm {
                Some(norm) => norm,
                None => SAFETY * self.power_method(problem)?,
            };
            self.set_norm(norm);
        }
        self.set_weights(problem);
        Ok(())
    }

    fn set_norm(&mut self, norm: f64) {
        self.norm = Some(norm);
        let sum = if norm > 0.0 && norm.is_finite() { norm } else { 1.0 };
        self.column_sums.fill(sum);
        self.row_sums.fill(sum);
    }

    /// |J| on the rows whose multipliers move.
    fn power_method(&mut self, problem: &Subproblem<'_>) -> Result<f64, OracleError> {
        let (Point { w, image, .. }, pinned) = (&mut self.next, &self.pinned);
        let square = largest_eigenvalue(w, POWER_ROUNDS, |w| {
            problem.budget.ask()?;
            problem.mapping.apply(w, image);
            image.iter_mut().zip(pinned).filter(|(_, pinned)| **pinned).for_each(|(image, _)| *image = 0.0);
            problem.mapping.apply_transpose(image, w);
            Ok(())
        })?;
        Ok(square.sqrt())
    }

    /// Where rows cannot be had and a step shows that |J| is larger than was thought, raises it and answers so.
    fn raise_norm(&mut self, problem: &Subproblem<'_>) -> bool {
        let Some(norm) = self.norm else { return false };
        let (at, next) = (&self.at, &self.next);
        let moving = |j: &usize| !self.pinned[*j];
        let image = norm_of((0..at.l.len()).filter(moving).map(|j| next.image[j] - at.image[j]));
        let moved = norm_of(next.w.iter().zip(&at.w).map(|(next, w)| next - w));
        let shown = image / moved;
        // Written so that a NaN raises nothing; differences of large images round.
        let raises = shown > norm && shown.is_finite() && moved > 1e-8 * norm_of(next.w.iter().copied());
        if raises {
            self.set_norm(SAFETY * shown);
            self.set_weights(problem);
        }
        raises
    }

    fn set_weights(&mut self, problem: &Subproblem<'_>) {
        for (i, (weight, sum)) in self.primal.iter_mut().zip(&self.column_sums).enumerate() {
            *weight = problem.weight.at(i) + self.omega * sum;
        }
        for (weight, sum) in self.dual.iter_mut().zip(&self.row_sums) {
            *weight = sum / self.omega;
        }
    }

    /// T(at)
    fn apply_operator(&mut self, problem: &Subproblem<'_>) -> Result<(), OracleError> {
        let Self { at, next, primal, dual, omega, column_sums, .. } = self;
        for (i, w) in next.w.iter_mut().enumerate() {
            let held = problem.weight.at(i) * problem.centre[i] + *omega * column_sums[i] * at.w[i];
            *w = (held - at.slope[i]) / primal[i];
        }
        problem.regulariser.prox(as_weight(primal, problem.regulariser.has_diagonal_prox()), &mut next.w)?;
        problem.mapping.apply(&next.w, &mut next.image);
        for (j, l) in next.l.iter_mut().enumerate() {
            *l = at.l[j] + (2.0 * next.image[j] - at.image[j] + problem.offset[j]) / dual[j];
        }
        problem
            .composer
            .prox_conjugate(as_weight(dual, problem.composer.has_diagonal_prox()), &mut next.l)?;
        problem.mapping.apply_transpose(&next.l, &mut next.slope);
        Ok(())
    }

    /// max |V (l+ - l) - J (w+ - w)|, and whether that and the slope are small enough.
    fn judge(&self, problem: &Subproblem<'_>, depth: Depth) -> (f64, bool) {
        let (at, next) = (&self.at, &self.next);
        let (mut slope, mut step) = (0.0, 0.0);
        for i in 0..at.w.len() {
            let weight = problem.weight.at(i);
            let pull = self.omega * self.column_sums[i] * (next.w[i] - at.w[i]);
            slope += (next.slope[i] - at.slope[i] - pull).powi(2) / weight;
            step += weight * (next.w[i] - problem.centre[i]).powi(2);
        }
        let (mut rows, mut brought) = (0.0f64, 0.0f64);
        for j in (0..at.l.len()).filter(|&j| !self.pinned[j]) {
            let error = self.dual[j] * (next.l[j] - at.l[j]) - (next.image[j] - at.image[j]);
            rows = if error.is_nan() { f64::INFINITY } else { rows.max(error.abs()) };
            brought = brought.max((next.image[j] - self.centre_image[j]).abs());
        }
        let small = slope <= (depth.relative.powi(2) * step).max(depth.floor);
        (rows, small && rows <= (depth.relative * brought).max(depth.floor))
    }

    /// |z - T(z)| in the norm in which T is averaged.
    fn movement(&self) -> f64 {
        let (at, next) = (&self.at, &self.next);
        let mut square = 0.0;
        for (i, sum) in self.column_sums.iter().enumerate() {
            square += self.omega * sum * (next.w[i] - at.w[i]).powi(2);
        }
        for j in (0..at.l.len()).filter(|&j| !self.pinned[j]) {
            let (moved, change) = (next.l[j] - at.l[j], next.image[j] - at.image[j]);
            square += self.dual[j] * moved * moved - 2.0 * moved * change;
        }
        square.max(0.0).sqrt()
    }

    /// Moves omega towards the ratio of the distances that l and w have travelled in this epoch.
    fn balance(&mut self, problem: &Subproblem<'_>) {
        let (next, anchor) = (&self.next, &self.anchor);
        let w = norm_of((0..next.w.len()).map(|i| self.column_sums[i].sqrt() * (next.w[i] - anchor.w[i])));
        let l = norm_of((0..next.l.len()).map(|j| self.row_sums[j].sqrt() * (next.l[j] - anchor.l[j])));
        self.omega = balanced(self.omega, l / w).clamp(OMEGA.0, OMEGA.1);
        self.set_weights(problem);
    }
}

/// No sum far below the largest; all the same where a prox takes one weight only.
fn level(sums: &mut [f64], diagonal: bool) {
    let largest = sums.iter().copied().fold(0.0, f64::max);
    let least = if diagonal { LEAST_SUM * largest } else { largest };
    let least = if least > 0.0 { least } else { 1.0 };
    sums.iter_mut().for_each(|sum| *sum = sum.max(least));
}

fn as_weight(weights: &[f64], diagonal: bool) -> Weight<'_> {
    match weights.first() {
        Some(&weight) if !diagonal => Weight::scalar(weight),
        _ => Weight::diagonal(1.0, weights),
    }
}
