//! Quadratics that are convex together.
//!
//! A lower bound rests on the Lagrangian of each witness, sum_j l_j g_j, lying above its linearisation: the sum must be convex, not each g_j.
//! Of large quadratics with multipliers one factorisation of their sum proves that, where one for each of them would take longer than the
//! run. Where rows are used by themselves, as bounds that follow from constraints do, it proves too little. Decision 0035.

use super::evidence::Witness;
use super::premise::Premise;
use super::tuning::together::MOST_OPERATIONS;
use crate::oracle::OracleError;
use crate::problem::Problem;
use faer::linalg::solvers::Llt;
use faer::{MatRef, Side};

/// What a sum may lack, in units of n EPSILON times its size: as of one quadratic.
const ROUNDING: f64 = 16.0;

/// The quadratic rows that the witnesses prove convex together; none where that is not so, or would take longer than one by one.
pub(crate) fn convex_together(problem: &Problem, premise: &Premise, witnesses: &[Witness]) -> Vec<usize> {
    let n = problem.dimension() as f64;
    let rows = dear_rows(problem, witnesses);
    let count = witnesses.len();
    let pays = rows.len() >= 2 && rows.len() >= count && count as f64 * n.powi(3) / 3.0 <= MOST_OPERATIONS;
    let alone = matches!(premise, Premise::BoundedDomain) && problem.mapping().link().is_none();
    let proven = |witness: &Witness| !witness.own && is_sum_convex(problem, &rows, witness).unwrap_or(false);
    if pays && alone && witnesses.iter().all(proven) { rows } else { Vec::new() }
}

/// The quadratic rows with multipliers whose convexity only a factorisation tells.
fn dear_rows(problem: &Problem, witnesses: &[Witness]) -> Vec<usize> {
    let is_used = |row: usize| witnesses.iter().any(|w| w.multipliers.get(row).is_some_and(|l| *l != 0.0));
    let is_dear = |row: usize| {
        let form = problem.component(row).and_then(|component| component.quadratic());
        form.is_some_and(|form| form.needs_factorisation())
    };
    (0..problem.rows()).filter(|row| is_used(*row) && is_dear(*row)).collect()
}

/// Whether the sum of these rows with the multipliers of a witness is convex, up to the rounding of its entries.
fn is_sum_convex(problem: &Problem, rows: &[usize], witness: &Witness) -> Result<bool, OracleError> {
    let n = problem.dimension();
    let (mut sum, mut size) = (vec![0.0; n * n], 0.0);
    for &row in rows.iter().filter(|row| witness.multipliers[**row] != 0.0) {
        let (l, component) = (witness.multipliers[row], problem.component(row));
        let Some((curvature, smooth)) = component.and_then(|c| c.curvature().zip(c.smoothness())) else {
            return Ok(false);
        };
        curvature.add_hessian_within(&witness.y, l, &mut sum, problem.budget())?;
        size += l * smooth.constant;
    }
    let shift = ROUNDING * n as f64 * f64::EPSILON * size;
    if !(shift > 0.0 && shift.is_finite()) {
        return Ok(size == 0.0);
    }
    (0..n).for_each(|i| sum[i * n + i] += shift);
    Ok(Llt::new(MatRef::from_column_major_slice(&sum, n, n), Side::Lower).is_ok())
}
