//! Interior points for linear and quadratic programs whose Newton system condenses to a small dense core.
//!
//! Clarabel factors data entry by entry where many rows share few columns. Here auxiliary columns and the rows that define them are
//! eliminated by formulas, and what is left is factored as a dense matrix, by products of matrices. Which columns these are is read off
//! the program's pattern alone. The method is Mehrotra's predictor and corrector. It makes no claim about programs without a solution:
//! where it does not converge it has no answer, and Clarabel goes on. Decision 0025.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | the iteration |
//! | `point` | the iterate: what is left of the optimality conditions, steps |
//! | `structure` | what is eliminated, and what is left as a core |
//! | `block` | the elimination of a block |
//! | `gram` | sums of rows' products |
//! | `border` | long rows that tie what is eliminated |
//! | `dense` | dense matrices and their factors |
//! | `system` | factors and solutions of the Newton system |
//! | `newton` | directions, refined |
//! | `scaling` | the program in units of its own |
//! | `rows` | sparse rows |

mod block;
mod border;
mod dense;
mod gram;
mod newton;
mod point;
mod rows;
mod scaling;
mod structure;
mod system;
#[cfg(test)]
#[allow(clippy::print_stdout, reason = "one of the tests prints what decision 0025 quotes")]
mod tests;

use super::engine::Outcome;
use super::program::Program;
use crate::budget::Budget;
use crate::linalg::BLOCKS_AT_ONCE;
use crate::method::tuning::condensed::{ACCEPTABLE, BY_ENTRY, ITERATIONS, PATIENCE};
use clarabel::solver::SolverStatus;
use newton::Newton;
use point::{Directions, Point};
use scaling::Scaled;
use structure::{Pattern, Structure};
use system::System;

/// The cheaper of the two ways to condense a program, with its operations at the speed of products.
fn cheapest(pattern: &Pattern<'_>) -> Option<(Structure, f64)> {
    let counted = [pattern.by_blocks(), pattern.by_rows()].into_iter().flatten().map(|structure| {
        let [in_blocks, by_entry] = structure.operations(pattern, gram::is_dense);
        (structure, in_blocks / BLOCKS_AT_ONCE + BY_ENTRY * by_entry)
    });
    counted.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Operations of one factorisation at the speed of products; nothing where the program does not condense.
pub(super) fn operations(program: &Program, budget: &Budget) -> Option<f64> {
    let equations = scaling::equations(program)?;
    let [p, a] = scaling::matrices(program);
    budget.component().ok()?;
    let by_columns = a.transposed(program.q.len());
    budget.component().ok()?;
    let pattern = Pattern::new(&p, &a, &by_columns, equations);
    cheapest(&pattern).map(|(_, operations)| operations)
}

/// A point with multipliers that satisfies the optimality conditions to `tolerance`, or nearly; nothing where the program does not
/// condense, where the iteration does not converge, or where it is stopped.
pub(super) fn solve(program: &Program, tolerance: f64, budget: &Budget) -> Option<Outcome> {
    let scaled = scaling::scale(program)?;
    let by_columns = scaled.a.transposed(scaled.q.len());
    let Scaled { p, a, equations, .. } = &scaled;
    let pattern = Pattern::new(p, a, &by_columns, *equations);
    let (structure, _) = cheapest(&pattern)?;
    budget.component().ok()?;
    let mut newton = Newton::new(&scaled, System::new(&scaled, structure));
    iterate(&scaled, &mut newton, tolerance, budget)
}

fn iterate(program: &Scaled, newton: &mut Newton, tolerance: f64, budget: &Budget) -> Option<Outcome> {
    let mut point = Point::first(program, newton)?;
    let mut directions = Directions::new(program);
    let (mut best, mut least) = (point.clone(), f64::INFINITY);
    let (mut halved, mut since) = (f64::INFINITY, 0);
    let mut done = 0;
    loop {
        let error = point.error(program);
        if error < least {
            least = error;
            best.copy_from(&point);
        }
        since += 1;
        if error < 0.5 * halved {
            (halved, since) = (error, 0);
        }
        if !error.is_finite() || error <= tolerance || since > PATIENCE || done == ITERATIONS {
            break;
        }
        budget.component().ok()?;
        if !newton.factor(point.inverse_weights()) || !point.advance(program, newton, &mut directions) {
            break;
        }
        done += 1;
    }
    let status = match least {
        least if least <= tolerance => SolverStatus::Solved,
        least if least <= ACCEPTABLE => SolverStatus::AlmostSolved,
        _ => return None,
    };
    let (y, dual) = best.in_units_of_the_program(program);
    Some(Outcome { status, y, dual, iterations: done })
}
