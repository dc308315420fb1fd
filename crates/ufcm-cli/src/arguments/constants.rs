//! The constants of published methods.

use clap::Args;
use std::path::PathBuf;
use ufcm::settings::{Constants, ExecutionConstants};

/// The constants of a method that asks for some.
#[derive(Debug, Clone, Args)]
#[command(
    next_help_heading = "Constants of ufcm, restarted, doubling, acgd-s, apdb and ideal; what is not given is found"
)]
pub(crate) struct ConstantOptions {
    /// L_ADA, or an upper bound of it; L,L,... for each execution (restarted).
    #[arg(long, value_name = "L", allow_negative_numbers = true, value_delimiter = ',')]
    l_ada: Vec<f64>,
    /// mu_ADA, or a lower bound of it (restarted, acgd-s); MU,MU,... for each execution (restarted).
    #[arg(long, value_name = "MU", allow_negative_numbers = true, value_delimiter = ',')]
    mu_ada: Vec<f64>,
    /// D_x, a bound of the distance from the start to the solution.
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    d_x: Option<f64>,
    /// D_lambda, a bound of the distance from the first multipliers to those of the solution.
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    d_lambda: Option<f64>,
    /// C (ufcm).
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    c: Option<f64>,
    /// Delta (ufcm).
    #[arg(long, value_name = "DELTA", allow_negative_numbers = true)]
    delta: Option<f64>,
    /// r, which speaks of what is promised alone.
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    r: Option<f64>,
    /// The accuracy that the theorems speak of; what the tolerances ask for by default.
    #[arg(long, value_name = "EPS", allow_negative_numbers = true)]
    eps: Option<f64>,
    /// Run for so many iterations, more or fewer than a theorem promises to suffice.
    #[arg(long, value_name = "N")]
    iterations: Option<usize>,
    /// K, the executions of restarted.
    #[arg(long, value_name = "K")]
    executions: Option<usize>,
    /// The constants of an earlier run, from its summary or certificate in JSON; options beside it go first.
    #[arg(long, value_name = "FILE")]
    pub(crate) constants: Option<PathBuf>,
}

impl ConstantOptions {
    /// As the library takes them; a sentence where lists do not fit each other.
    pub(crate) fn constants(&self) -> Result<Constants, String> {
        let (l_ada, mu_ada) = (&self.l_ada, &self.mu_ada);
        let own = l_ada.len() > 1 || mu_ada.len() > 1;
        Ok(Constants {
            l_ada: l_ada.first().copied().filter(|_| !own),
            mu_ada: mu_ada.first().copied().filter(|_| !own),
            each: if own { each(l_ada, mu_ada)? } else { Vec::new() },
            d_x: self.d_x,
            d_lambda: self.d_lambda,
            c: self.c,
            delta: self.delta,
            r: self.r,
            eps: self.eps,
            iterations: self.iterations,
            executions: self.executions,
        })
    }
}

/// The constants of each execution; one number stands for all of them, and no mu_ADA for 0.
fn each(l_ada: &[f64], mu_ada: &[f64]) -> Result<Vec<ExecutionConstants>, String> {
    let executions = l_ada.len().max(mu_ada.len());
    let of = |list: &[f64], k: usize| if list.len() == 1 { list.first() } else { list.get(k) }.copied();
    let mu_ada = if mu_ada.is_empty() { &[0.0] } else { mu_ada };
    let each = |k: usize| Some(ExecutionConstants { l_ada: of(l_ada, k)?, mu_ada: of(mu_ada, k)? });
    (0..executions).map(each).collect::<Option<_>>().ok_or_else(|| {
        let (l, mu) = (l_ada.len(), mu_ada.len());
        format!("option --l-ada has {l} numbers, and --mu-ada {mu}; both speak of each execution")
    })
}
