//! Answers that are guessed from those nearby: many prove themselves, for one gradient.
//!
//! Answers and multipliers change smoothly with the bounds. A guess from answers on all sides is off by little, and its point and multipliers make a
//! lower bound like those of any other point. Where that leaves the band wide, a solve begins there, and uses the same gradient.

use super::TradeoffError;
use super::solves::{Above, Shown, Solves};
use crate::certificate::{Certificate, CertificateError, Premise, Witness};
use crate::problem::Problem;
use crate::warm_start::WarmStart;

/// Where a solve may begin.
#[derive(Debug, Clone)]
pub(super) struct Guess {
    pub(super) x: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
}

impl Guess {
    /// The mix of answers, each with its weight.
    pub(super) fn mixed<const D: usize>(parts: &[(f64, &Above<D>)]) -> Self {
        let mix = |of: &dyn Fn(&Above<D>) -> &[f64]| -> Vec<f64> {
            let mut sum = vec![0.0; parts.first().map_or(0, |(_, part)| of(part).len())];
            for (weight, part) in parts {
                sum.iter_mut().zip(of(part)).for_each(|(sum, v)| *sum += weight * v);
            }
            sum
        };
        Self { x: mix(&|part| &part.x), multipliers: mix(&|part| &part.multipliers) }
    }
}

/// The problem linearised at a guess, with what that proves and shows.
struct Tried<const D: usize> {
    problem: Problem,
    proof: Certificate,
    above: Above<D>,
}

impl<const D: usize> Solves<'_, D> {
    /// What a guess proves by itself, or what a solve shows that begins there; `suffices` decides by the bounds of the guess.
    pub(super) fn guess_or_solve(
        &mut self,
        s: [f64; D],
        value: f64,
        guess: Guess,
        suffices: impl FnOnce(f64, &Above<D>) -> bool,
    ) -> Result<Shown<D>, TradeoffError> {
        let problem = self.at(s)?.within_budget(&self.budget);
        let problem = match self.tried(&problem, &guess) {
            Ok(Some(tried)) if suffices(tried.proof.lower, &tried.above) => {
                self.counts.gradients += 1;
                let (lower, upper) = (tried.proof.lower, tried.above.value);
                self.proofs.push((s, tried.proof));
                let Guess { x, multipliers } = guess;
                let above = Some(tried.above);
                return Ok(Shown { above, lower, upper, stopped: None, x, multipliers, gradients: 1 });
            }
            Ok(Some(tried)) => tried.problem,
            _ => problem,
        };
        let report = self.solve_problem(&problem, s, value, Some(guess))?;
        self.take(s, &report)
    }

    /// Linearises at a guess. `None` where no premise is known that lets it prove anything.
    fn tried(&mut self, problem: &Problem, guess: &Guess) -> Result<Option<Tried<D>>, CertificateError> {
        let Some(premise) = self.premise.clone().filter(speaks_of_no_answer) else { return Ok(None) };
        premise.check(problem)?;
        let named = problem.row_names().iter().cloned().zip(guess.multipliers.iter().copied()).collect();
        let Some(multipliers) = WarmStart::new(guess.x.clone(), named).multipliers_for(problem) else {
            return Ok(None);
        };
        if !problem.regulariser().value(&guess.x).is_finite() {
            return Ok(None);
        }
        let (problem, rows) = problem.linearised_at(&guess.x)?;
        let values = problem.values_of_rows(&rows);
        let Some(above) = self.above_of_values(&guess.x, guess.multipliers.clone(), values) else {
            return Ok(None);
        };
        let mut proof = Certificate {
            x: guess.x.clone(),
            lower: f64::NEG_INFINITY,
            upper: above.value,
            violation: 0.0,
            premise,
            curvature: 0.0,
            witnesses: vec![Witness::at(guess.x.clone(), multipliers)],
            grounds: problem.grounds(),
            constants: None,
        };
        proof.lower = proof.recompute(&problem)?.0;
        Ok(Some(Tried { problem, proof, above }))
    }
}

/// Whether a premise holds for the proofs of other answers, too.
pub(super) fn speaks_of_no_answer(premise: &Premise) -> bool {
    matches!(
        premise,
        Premise::None
            | Premise::BoundedDomain
            | Premise::LevelSet { .. }
            | Premise::ImpliedBounds { .. }
            | Premise::Radius { .. }
    ) || matches!(premise, Premise::Curvature { radius, .. } if *radius == f64::INFINITY)
}
