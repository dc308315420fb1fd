//! Remark rmk:tradeoff-lada-dist: without L_ADA, with distances: run Algorithm 1 with L = 1, 2, 4, ..., each for
//! N = sqrt(24 L D_x^2/eps) iterations. Once L reaches L_ADA the output is eps-optimal, at a constant factor more
//! gradients in total. (Which run that is, the schedule cannot tell.)

use super::ufcm::{Ufcm, UfcmParameters};
use crate::error::{DataError, check_positive};
use crate::oracle::OracleError;
use crate::problem::Problem;
use crate::theory::promise::Balance;

const KIND: &str = "doubling schedule";

/// The schedule in the making: run k has L = 2^k.
pub struct Doubling<'a> {
    method: Ufcm<'a>,
    eps: f64,
    d_x: f64,
    d_lambda: f64,
    k: i32,
    start: (Vec<f64>, Vec<f64>),
    gradients: usize,
}

impl<'a> Doubling<'a> {
    /// Starts run 0 from `x` in X and `multipliers` in the domain of h*.
    ///
    /// # Errors
    /// An accuracy or distance that is not positive, or as [`Ufcm::new`].
    pub fn new(
        problem: &'a Problem,
        x: &[f64],
        multipliers: &[f64],
        eps: f64,
        (d_x, d_lambda): (f64, f64),
    ) -> Result<Self, DataError> {
        for (field, value) in [("eps", eps), ("D_x", d_x), ("D_lambda", d_lambda)] {
            check_positive(KIND, field, value)?;
        }
        let method = Ufcm::new(problem, x, multipliers, parameters(0, d_x, d_lambda))?;
        let start = (x.to_vec(), multipliers.to_vec());
        Ok(Self { method, eps, d_x, d_lambda, k: 0, start, gradients: 0 })
    }

    /// N_k, the iterations of the run under way.
    #[must_use]
    pub fn run_length(&self) -> usize {
        (24.0 * 2f64.powi(self.k) * self.d_x * self.d_x / self.eps).sqrt().ceil().max(1.0) as usize
    }

    /// One outer iteration. Returns whether it ended a run.
    ///
    /// # Errors
    /// As [`Ufcm::step`].
    pub fn step(&mut self) -> Result<bool, OracleError> {
        if self.method.iterations() >= self.run_length() {
            self.k += 1;
            let next = parameters(self.k, self.d_x, self.d_lambda);
            let restarted = self.method.restart(&self.start.0, &self.start.1, next);
            restarted.map_err(OracleError::failed)?;
        }
        self.method.step()?;
        self.gradients += 1;
        Ok(self.method.iterations() >= self.run_length())
    }

    /// k, the run under way.
    #[must_use]
    pub fn run(&self) -> usize {
        usize::try_from(self.k).unwrap_or(0)
    }

    /// The constant 2^k of the run under way.
    #[must_use]
    pub fn l(&self) -> f64 {
        2f64.powi(self.k)
    }

    /// Gradients taken so far, over all runs.
    #[must_use]
    pub fn gradients(&self) -> usize {
        self.gradients
    }

    /// Algorithm 1, to be told what to keep besides.
    pub(super) fn method_mut(&mut self) -> &mut Ufcm<'a> {
        &mut self.method
    }

    /// Algorithm 1 as it stands in the run under way.
    #[must_use]
    pub fn method(&self) -> &Ufcm<'a> {
        &self.method
    }
}

fn parameters(k: i32, d_x: f64, d_lambda: f64) -> UfcmParameters {
    let l_ada = 2f64.powi(k);
    UfcmParameters { l_ada, balance: Balance::with_distances(l_ada, d_x, d_lambda) }
}
