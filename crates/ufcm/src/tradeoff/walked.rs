//! Curves of linear and quadratic programs, along a path of answers that takes no solves.
//!
//! Between changes of the active rows, answers of a program are affine in the bound, and a walk from change to change finds them all
//! (`method/interior_point/walk`). It only proposes: points count by their own values, and lines by certificates from the multipliers. Where
//! every row is affine, the linearisation at one point is that at every other, so that all lines together take one gradient. Elsewhere a line takes one,
//! as any guess does. Where the path ends, solves go on. Decision 0044.

use super::TradeoffError;
use super::follow::Follow;
use super::guess::{Guess, speaks_of_no_answer};
use super::solves::{Shown, Solves};
use super::tuning::{FIRST_TRY, SAME, UNKNOWN};
use crate::certificate::{
    Certificate, CertificateError, Infeasibility, Plane, Premise, Witness, first_feasible,
};
use crate::method::Path;

impl Follow<'_, '_> {
    /// Walks from the loosest bound to the tightest. True where that gives both ends of the curve.
    pub(super) fn begin_by_walk(&mut self) -> Result<bool, TradeoffError> {
        let [loose, tight] = [&self.solves.range.loosest, &self.solves.range.tightest].map(|end| end.0[0]);
        // A little farther: the point at the end must satisfy the tightest bound itself.
        let spare = SAME * (loose - tight) + 16.0 * f64::EPSILON * (loose.abs() + tight.abs());
        let ends = [(loose, &self.solves.range.loosest.1), (tight, &self.solves.range.tightest.1)];
        let (path, counts) = Path::walked(ends, tight - 2.0 * spare, &self.solves.budget);
        self.solves.counts.add(&counts);
        self.path = path;
        let Some(end) = self.path.as_ref().map(Path::end) else { return Ok(false) };
        let mut first = tight;
        if end > tight - spare {
            // The curve begins a little looser than where the path ends, if all tighter bounds are proven to be infeasible.
            first = end + FIRST_TRY * (loose - tight);
            if first > loose || !self.ends_where_nothing_is_feasible(first)? {
                return Ok(false);
            }
        }
        self.on_path(first - spare)?;
        if !self.band.upper(first).is_finite() {
            return Ok(false);
        }
        self.begin_at(first).map(|()| true)
    }

    /// Whether the multipliers with which the path ended prove that no point is feasible with bounds a little tighter than `first`.
    fn ends_where_nothing_is_feasible(&mut self, first: f64) -> Result<bool, TradeoffError> {
        let Some(multipliers) = self.path.as_ref().and_then(|path| path.hopeless.clone()) else {
            return Ok(false);
        };
        let range = &self.solves.range;
        let (tight, problem) = (range.tightest.0[0], &range.tightest.1);
        let proof = Infeasibility {
            premise: Premise::None,
            witnesses: vec![Witness::at(vec![0.0; problem.dimension()], multipliers)],
            grounds: Vec::new(),
            rows: Vec::new(),
        };
        self.solves.counts.gradients += 1;
        let known = first_feasible(&proof, problem, tight, range).unwrap_or(f64::NEG_INFINITY);
        let is_close = first - known <= UNKNOWN * (range.loosest.0[0] - tight);
        if is_close {
            self.infeasible = Some(known);
        }
        Ok(is_close)
    }

    /// The answer of the path with the bound `s`, which goes to the upper side; `None` where the path does not lead.
    pub(super) fn on_path(&mut self, s: f64) -> Result<Option<Guess>, TradeoffError> {
        let Some(path) = &self.path else { return Ok(None) };
        let Some((x, multipliers)) = path.at(&self.solves.at([s])?, s) else { return Ok(None) };
        if let Some(above) = self.solves.at_own_values(&x, multipliers.clone())? {
            self.band.add_above(above);
        }
        Ok(Some(Guess { x, multipliers }))
    }

    /// Whether the lines of the path take no gradients.
    pub(super) fn is_straight(&self) -> bool {
        self.path.is_some() && self.solves.is_straight()
    }

    /// What the path's answer with the bound `s` proves without a gradient, if that is enough there.
    pub(super) fn proven_by_path(
        &mut self,
        s: f64,
        guess: &Guess,
    ) -> Result<Option<Shown<1>>, TradeoffError> {
        if !self.is_straight() {
            return Ok(None);
        }
        let level = self.band.upper(self.solves.range.tightest.0[0]);
        let Ok(Some(line)) = self.solves.straight(&guess.multipliers, level) else { return Ok(None) };
        self.band.lines.push(line);
        let (lower, upper) = (self.band.lower(s), self.band.upper(s));
        if self.band.width(s) > self.solves.tol {
            return Ok(None);
        }
        let Guess { x, multipliers } = guess.clone();
        Ok(Some(Shown { above: None, lower, upper, stopped: None, x, multipliers, gradients: 0 }))
    }
}

impl<const D: usize> Solves<'_, D> {
    /// Whether every row is affine.
    fn is_straight(&self) -> bool {
        (0..self.problem.rows()).all(|row| self.problem.is_affine(row))
    }

    /// What multipliers prove of a problem whose rows are all affine. All such proofs speak of the loosest bounds, and linearise at the same point.
    fn straight(&mut self, multipliers: &[f64], level: f64) -> Result<Option<Plane<D>>, CertificateError> {
        let reaches =
            |premise: &Premise| speaks_of_no_answer(premise) || matches!(premise, Premise::Enclosure { .. });
        let Some(premise) = self.premise.clone().filter(reaches) else { return Ok(None) };
        let y = match &self.straight_at {
            Some(y) => y.clone(),
            None => {
                let y = vec![0.0; self.problem.dimension()];
                self.counts.gradients += 1;
                self.range.loosest.1 = self.range.loosest.1.linearised_at(&y)?.0;
                self.straight_at = Some(y.clone());
                y
            }
        };
        let problem = &self.range.loosest.1;
        premise.check(problem)?;
        let mut proof = Certificate {
            x: y.clone(),
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            violation: 0.0,
            premise,
            curvature: 0.0,
            witnesses: vec![Witness::at(y, multipliers.to_vec())],
            grounds: Vec::new(),
            constants: None,
        };
        // A box is made anew with the line.
        if !matches!(proof.premise, Premise::Enclosure { .. }) {
            proof.lower = proof.bound(problem)?.0;
        }
        let line = Plane::of(&proof, problem, self.range.loosest.0, &self.range, level)?;
        Ok(Some(line).filter(|line| line.value.is_finite()))
    }
}
