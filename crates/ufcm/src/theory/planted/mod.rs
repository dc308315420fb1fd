//! Instances with a planted saddle point: x*, lambda* and all constants of the theory are known, for every composer of
//! the paper. The tables of docs/theory.md are made of them.
//!
//! ```
//! use ufcm::theory::planted::{Composition, runs, uniform_instance};
//!
//! let instance = uniform_instance(Composition::Max, 1.0, None, 11)?;
//! let run = runs::ufcm(&instance, 1e-2, true)?;
//! assert!(run.hit as f64 <= run.promised.gradients.ceil());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod composition;
mod row;
pub mod runs;

use super::measure::{MeasureError, SaddlePoint};
use super::promise::Distances;
use super::{Aggregate, RowConstants, default_radius};
use crate::error::{DataError, DataProblem};
use crate::linalg::norm_of;
use crate::method::check_multipliers;
use crate::oracle::{Component, OracleError};
use crate::problem::{IntoConstraint, Problem, ProblemError};
use crate::random::Random;
use crate::regulariser::Ball;
pub use composition::Composition;
use row::Planted;
pub use row::RowKind;
use std::sync::Arc;

const KIND: &str = "planted instance";

/// The radius of X; x* and the centres of the rows lie well inside.
pub const RADIUS: f64 = 4.0;

/// Where the start has the right multipliers already, any positive D_lambda will do.
const LEAST_DISTANCE: f64 = 1e-6;

/// A problem with its saddle point, a start, and the constants of its rows.
pub struct Instance {
    /// The problem, over the ball of radius [`RADIUS`].
    pub problem: Problem,
    /// x*, lambda* and p*.
    pub saddle: SaddlePoint,
    /// x^0 = 0.
    pub x0: Vec<f64>,
    /// lambda^0, over all rows.
    pub multipliers0: Vec<f64>,
    /// Of the planted rows; a g_0 that is not there does not count.
    pub constants: Vec<RowConstants>,
    /// |x^0 - x*| = 1.
    pub d_x: f64,
    /// |lambda^0 - lambda*|, or a little more where that is 0.
    pub d_lambda: f64,
    /// |∇g_j(x*)| of the planted rows.
    slopes: Vec<f64>,
    /// The power of eps in r; `None` for the paper's D_lambda sqrt(eps), as far as its proof goes.
    r_power: Option<f64>,
}

impl Instance {
    /// Rows of the given kinds in `n` variables, with x* at distance 1 from x0 = 0.
    ///
    /// Each row gets a curved part by its kind and a random slope; the slope of the first is then set so that
    /// sum_j lambda*_j ∇g_j(x*) = 0, and the constants so that lambda* is a subgradient of h at g(x*).
    ///
    /// # Errors
    /// No row with a multiplier, a number of a kind out of its range, or multipliers that the composition cannot have.
    pub fn new(composition: Composition, kinds: &[RowKind], n: usize, seed: u64) -> Result<Self, DataError> {
        kinds.iter().try_for_each(RowKind::check)?;
        let Some(first) = kinds.iter().position(|kind| kind.multiplier > 0.0) else {
            return Err(DataError::structure(KIND, "no row has a positive multiplier"));
        };
        if n == 0 {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "variables" }));
        }
        let mut random = Random::new(seed);
        let x = random.direction(n, 1.0);
        let mut rows: Vec<Planted> = kinds.iter().map(|kind| Planted::new(kind, n, &mut random)).collect();
        let made = balance(&mut rows, kinds, first, &x)
            .and_then(|()| set_values(&mut rows, &composition.values_at_saddle(kinds), &x));
        made.map_err(|error| DataError::oracle(KIND, error))?;
        Self::assemble(composition, rows, kinds, x)
    }

    fn assemble(
        composition: Composition,
        rows: Vec<Planted>,
        kinds: &[RowKind],
        x: Vec<f64>,
    ) -> Result<Self, DataError> {
        let failed = |error: OracleError| DataError::oracle(KIND, error);
        let (n, pinned) = (x.len(), composition == Composition::Sum);
        let slope = |row: &Planted| row.gradient(&x).map(|gradient| norm_of(gradient.into_iter()));
        let slopes = rows.iter().map(slope).collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let constants = |(row, kind): (&Planted, &RowKind)| RowConstants {
            multiplier: kind.multiplier,
            pinned,
            smoothness: row.smoothness,
            convexity: row.convexity,
        };
        let mut constants: Vec<RowConstants> = rows.iter().zip(kinds).map(constants).collect();
        let mut multipliers: Vec<f64> = kinds.iter().map(|kind| kind.multiplier).collect();
        if composition == Composition::Constraints {
            constants[0].pinned = true;
        } else {
            // Row 0 is the constant 0: a row of the problem, and none of the paper's.
            multipliers.insert(0, 1.0);
        }
        let problem =
            build(composition, rows, n).map_err(|error| DataError::structure(KIND, error.to_string()))?;
        check_multipliers(KIND, "lambda*", &problem, &multipliers)?;
        // p* through the multipliers: an active constraint may be an ulp above 0 at x*, where F is infinite.
        let saddle = SaddlePoint::new(&problem, x, multipliers).map_err(|error| match error {
            MeasureError::Data(error) => error,
            MeasureError::Oracle(error) => failed(error),
        })?;
        let x0 = vec![0.0; n];
        let multipliers0 = first_multipliers(composition, &problem, &x0).map_err(failed)?;
        let d_lambda = distance(&multipliers0, &saddle.multipliers).max(LEAST_DISTANCE);
        let d_x = norm_of(saddle.x.iter().copied());
        Ok(Self { problem, saddle, x0, multipliers0, constants, d_x, d_lambda, slopes, r_power: None })
    }

    /// r: D_lambda sqrt(eps), but at most D_lambda^(K-1) = 2 sqrt(eps L_h) (docs/errata.md).
    #[must_use]
    pub fn r(&self, eps: f64) -> f64 {
        match self.r_power {
            Some(power) => eps.powf(power),
            None => default_radius(eps, self.d_lambda, self.l_h()),
        }
    }

    /// L_h of the composer: infinite where it is not smooth, 0 where it is linear.
    #[must_use]
    pub fn l_h(&self) -> f64 {
        self.problem.composer().smoothness()
    }

    /// The theory's view for accuracy eps.
    ///
    /// # Errors
    /// An accuracy that is not positive.
    pub fn theory(&self, eps: f64) -> Result<Aggregate, DataError> {
        Aggregate::new(self.constants.clone(), eps, self.r(eps))
    }

    /// The same from other multipliers, with r = eps^power where one is given, and D_lambda at least r for this eps: the theorem asks
    /// for it.
    fn starting_from(mut self, multipliers: Vec<f64>, eps: f64, power: f64) -> Self {
        self.r_power = Some(power);
        let away = distance(&multipliers, &self.saddle.multipliers).max(LEAST_DISTANCE);
        self.d_lambda = away.max(self.r(eps));
        self.multipliers0 = multipliers;
        self
    }

    /// D_x, D_lambda, and M: the norm of the Jacobian within `radius` of x* and in X, from |∇g_j(x*)| and the smoothness.
    #[must_use]
    pub fn distances(&self, radius: f64) -> Distances {
        let radius = radius.min(RADIUS + self.d_x);
        let bound = |(slope, row): (&f64, &RowConstants)| {
            (slope + row.smoothness.constant * radius.powf(row.smoothness.exponent)).powi(2)
        };
        let m = self.slopes.iter().zip(&self.constants).map(bound).sum::<f64>().sqrt();
        Distances { d_x: self.d_x, d_lambda: self.d_lambda, m }
    }
}

fn build(composition: Composition, rows: Vec<Planted>, n: usize) -> Result<Problem, ProblemError> {
    let mut shared = rows.into_iter().map(|row| Arc::new(row) as Arc<dyn Component>);
    let builder = if composition == Composition::Constraints {
        let builder = shared.next().map_or_else(|| Problem::over(n), Problem::minimise);
        shared.fold(builder, |builder, row| builder.subject_to(row.at_most(0.0)))
    } else {
        composition
            .term(shared.collect())
            .into_iter()
            .fold(Problem::over(n), |builder, term| builder.plus(term))
    };
    builder.within(Ball::new(RADIUS)).build()
}

/// Sets the slope of row `first` so that sum_j lambda*_j ∇g_j(x*) = 0.
fn balance(rows: &mut [Planted], kinds: &[RowKind], first: usize, x: &[f64]) -> Result<(), OracleError> {
    let mut total = vec![0.0; x.len()];
    for (row, kind) in rows.iter().zip(kinds) {
        let gradient = row.gradient(x)?;
        total.iter_mut().zip(&gradient).for_each(|(t, g)| *t += kind.multiplier * g);
    }
    for (slope, total) in rows[first].slope.iter_mut().zip(&total) {
        *slope -= total / kinds[first].multiplier;
    }
    Ok(())
}

/// Sets the constants so that the rows have these values at x*.
fn set_values(rows: &mut [Planted], targets: &[f64], x: &[f64]) -> Result<(), OracleError> {
    for (row, target) in rows.iter_mut().zip(targets) {
        row.constant += target - row.evaluate(x, None)?;
    }
    Ok(())
}

/// Those of the rows' values at x0; with constraints none, the usual start, and lambda* is away from it.
fn first_multipliers(
    composition: Composition,
    problem: &Problem,
    x0: &[f64],
) -> Result<Vec<f64>, OracleError> {
    let mut multipliers = vec![0.0; problem.rows()];
    if composition == Composition::Constraints {
        multipliers[0] = 1.0;
    } else {
        let mut start = vec![0.0; problem.rows()];
        problem.mapping().values(x0, &mut start)?;
        problem.composer().multipliers_at(&start, &mut multipliers);
    }
    Ok(multipliers)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// An instance with three rows of one smoothness exponent and one (mu, q) in 30 variables.
///
/// # Errors
/// As [`Instance::new`].
pub fn uniform_instance(
    composition: Composition,
    p: f64,
    convexity: Option<(f64, f64)>,
    seed: u64,
) -> Result<Instance, DataError> {
    let scales = [1.0, 2.0, 0.5];
    let kinds: Vec<RowKind> = composition
        .multipliers(3)
        .into_iter()
        .zip(scales)
        .map(|(multiplier, scale)| RowKind { scale, p, convexity, multiplier })
        .collect();
    Instance::new(composition, &kinds, 30, seed)
}

/// The max of one smooth and one Lipschitz piece, the latter with this multiplier (section 1.2 of the paper), from
/// lambda^0 = (1/2, 1/2) whatever lambda* is, with r = eps^power.
///
/// # Errors
/// A multiplier that is not between 0 and 1.
pub fn smooth_and_lipschitz(lipschitz: f64, eps: f64, power: f64) -> Result<Instance, DataError> {
    let row = |p: f64, multiplier: f64| RowKind { scale: 1.0, p, convexity: None, multiplier };
    let kinds = [row(1.0, 1.0 - lipschitz), row(0.0, lipschitz)];
    let instance = Instance::new(Composition::Max, &kinds, 30, 5)?;
    Ok(instance.starting_from(vec![1.0, 0.5, 0.5], eps, power))
}

/// Rows whose exponents differ: p over {0, 1/4, 1/2, 1} or {1/2, 3/4, 1}, and q over {1, 2, 3} where `convex`.
///
/// # Errors
/// As [`Instance::new`].
pub fn mixed_instance(
    composition: Composition,
    rough: bool,
    convex: bool,
    seed: u64,
) -> Result<Instance, DataError> {
    let exponents: &[f64] = if rough { &[0.0, 0.25, 0.5, 1.0] } else { &[1.0, 0.5, 0.75, 1.0] };
    let kinds: Vec<RowKind> = composition
        .multipliers(exponents.len())
        .into_iter()
        .zip(exponents)
        .enumerate()
        .map(|(j, (multiplier, &p))| {
            let convexity = convex.then_some((1.0, 1.0 + (j % 3) as f64));
            RowKind { scale: [1.0, 2.0, 0.5, 1.5][j], p, convexity, multiplier }
        })
        .collect();
    Instance::new(composition, &kinds, 30, seed)
}
