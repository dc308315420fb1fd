//! Proofs that no point satisfies the constraints: from the multipliers of a step, or from differences of iterates, which tend
//! to such multipliers where there is no solution.

use super::Run;
use super::farkas;
use super::tuning::{CORRECTIONS_OF, HEAVY, INFEASIBILITY_STEPS, REACH};
use super::unbounded::difference;
use crate::certificate::{Infeasibility, Linearisation, Premise, Witness, may_separate};
use crate::method::{Displacement, Method};
use crate::oracle::{OracleError, Weight};

impl Run<'_> {
    /// A proof from the step's multipliers, those of the objective set to 0, that no point satisfies the constraints. It is
    /// only looked for now and then, and where the best point violates them.
    pub(super) fn infeasibility_of_step(&mut self, method: &dyn Method) -> Option<Infeasibility> {
        let due = self.steps_taken.is_multiple_of(INFEASIBILITY_STEPS);
        if !due || self.best.violation <= self.settings.eps_feas {
            return None;
        }
        let (at, row_values) = (method.linearisation()?, method.candidate().row_values);
        let mut multipliers = at.multipliers.to_vec();
        for (rows, composer) in self.problem.parts() {
            // Only constraints can be infinite, and only their multipliers can prove anything.
            if !composer.is_constraint() || composer.domain_distance(&row_values[rows.clone()]) == 0.0 {
                multipliers[rows].fill(0.0);
            }
        }
        let size = multipliers.iter().map(|l| l.abs()).sum::<f64>();
        (size > 0.0).then_some(())?;
        multipliers.iter_mut().for_each(|l| *l /= size);
        self.separating(&at, &multipliers).or_else(|| {
            // A bound above the objective tells that the violation is worth more and more.
            let hopeful = self.bounds.lower() > self.best.objective;
            let due = self.steps_taken.is_multiple_of(CORRECTIONS_OF * INFEASIBILITY_STEPS);
            (hopeful || due).then_some(())?;
            farkas::correct(&at, self.problem.regulariser(), &mut multipliers, &self.budget).ok()?;
            self.separating(&at, &multipliers)
        })
    }

    /// A verified proof by these multipliers, rows linearised as they are, if it is one.
    fn separating(&self, at: &Linearisation<'_>, multipliers: &[f64]) -> Option<Infeasibility> {
        for premise in premises_near(at.y, self.bounds.premise()) {
            let at = Linearisation { multipliers, ..*at };
            // The proof is checked from the oracles alone, which takes a gradient.
            if may_separate(self.problem, &premise, &at) && self.budget.gradient().is_ok() {
                let (y, multipliers) = (at.y.to_vec(), multipliers.to_vec());
                let proof = Infeasibility {
                    premise,
                    witnesses: vec![Witness::at(y, multipliers)],
                    grounds: Vec::new(),
                    rows: Vec::new(),
                };
                if proof.verify(self.problem).is_ok() {
                    return Some(proof);
                }
            }
        }
        None
    }

    /// A proof from multipliers that the method holds to be a ray, corrected into one.
    pub(super) fn infeasibility_of_ray(&self, method: &dyn Method, l: [&[f64]; 2]) -> Option<Infeasibility> {
        let at = method.linearisation().filter(|_| method.shows_rays())?;
        let mut multipliers = difference(l);
        let size = multipliers.iter().map(|l| l.abs()).sum::<f64>();
        (size > 0.0).then_some(())?;
        multipliers.iter_mut().for_each(|l| *l /= size);
        farkas::correct(&at, self.problem.regulariser(), &mut multipliers, &self.budget).ok()?;
        self.separating(&at, &multipliers)
    }

    /// A proof from differences of multipliers, if one is.
    pub(super) fn infeasibility_of_displacements(
        &self,
        displacements: &[Displacement<'_>; 2],
    ) -> Result<Option<Infeasibility>, OracleError> {
        for Displacement { x, l } in displacements {
            if let Some(proof) = self.infeasibility_by(x[0], &difference(*l))? {
                return Ok(Some(proof));
            }
        }
        Ok(None)
    }

    /// A verified proof from multipliers of the constraints, rows linearised at `x`, if it is one.
    pub(super) fn infeasibility_by(
        &self,
        x: &[f64],
        multipliers: &[f64],
    ) -> Result<Option<Infeasibility>, OracleError> {
        let mut multipliers = multipliers.to_vec();
        let largest = multipliers.iter().fold(0.0f64, |largest, l| largest.max(l.abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            return Ok(None);
        }
        multipliers.iter_mut().for_each(|l| *l /= largest);
        self.problem.composer().prox_conjugate(Weight::scalar(HEAVY), &mut multipliers)?;
        let objective = self.problem.parts().filter(|(_, composer)| !composer.is_constraint());
        objective.for_each(|(rows, _)| multipliers[rows].fill(0.0));
        let size: f64 = multipliers.iter().map(|l| l.abs()).sum();
        if size == 0.0 {
            return Ok(None);
        }
        multipliers.iter_mut().for_each(|l| *l /= size);
        let witnesses = vec![Witness::at(x.to_vec(), multipliers)];
        let mut proofs = premises_near(x, self.bounds.premise()).into_iter().map(|premise| Infeasibility {
            premise,
            witnesses: witnesses.clone(),
            grounds: Vec::new(),
            rows: Vec::new(),
        });
        Ok(proofs.find(|proof| proof.verify(self.problem).is_ok()))
    }
}

/// What proofs of infeasibility by linearisations at `x` may rest on, where lower bounds rest on `premise`.
pub(super) fn premises_near(x: &[f64], premise: &Premise) -> Vec<Premise> {
    if let Premise::Radius { .. } = premise {
        return vec![premise.clone()];
    }
    // Rounding keeps slopes from vanishing where X is unbounded, whatever the regulariser.
    let size = 1.0 + x.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    let within = |reach: f64| Premise::Reach { centre: x.to_vec(), reach: vec![reach * size; x.len()] };
    vec![Premise::None, within(REACH.0), within(REACH.1)]
}
