//! How the answer of a linear or quadratic program changes with one bound.
//!
//! ```text
//! minimise 1/2 y'P y + q.y   with   A y + s = b(c), s in nonnegative and zero cones, b affine in the bound c
//! ```
//!
//! While the same rows are active, answer and multipliers are affine in c. The walk goes from a loose bound to tighter ones: where another
//! row becomes active, or a multiplier reaches 0, the active rows change, and it goes on (parametric programming). It costs solves of
//! linear systems, and no gradient.
//!
//! Nothing rests on its word. It proposes points and multipliers, of which certificates make bounds; where it meets a system that is
//! singular, or too many changes, it ends. Rows that become active at the same bound are told apart by a small perturbation, at random: rows are
//! tightened a little, and prices added that keep the dual feasible. Multipliers are those of the program without it, and so are points where
//! that leaves them feasible. Decision 0044.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | the path, and the program that the walk is in |
//! | `changes` | the changes of the active rows |
//! | `begin` | which rows are active at the start |
//! | `system` | the linear systems |

mod begin;
mod changes;
mod system;
mod tuning;

use super::operations::of_sparse_factorisation;
use super::program::Program;
use super::{BESIDE, HEAVY};
use crate::budget::Budget;
use crate::oracle::Weight;
use crate::problem::Problem;
use crate::report::Counts;
use clarabel::solver::SupportedConeT;
use system::Data;
use tuning::LARGEST;

/// A part of the path along which answer and multipliers are affine in the bound: their values at both ends.
struct Piece {
    /// How loose the bound is, the looser end first.
    s: [f64; 2],
    x: [Vec<f64>; 2],
    multipliers: [Vec<f64>; 2],
}

/// Answers and multipliers for all bounds from a loose one to a tight one.
pub(crate) struct Path {
    pieces: Vec<Piece>,
    /// Multipliers that may prove that tighter bounds leave no feasible point, where that is what ended it.
    pub(crate) hopeless: Option<Vec<f64>>,
}

impl Path {
    /// Walks from the loosest bound as far towards `end` as it gets; `ends` are two bounds with the problems that have them, the looser one
    /// first. Nothing where they are no linear or quadratic programs, or too large ones. Also what that cost.
    pub(crate) fn walked(ends: [(f64, &Problem); 2], end: f64, budget: &Budget) -> (Option<Self>, Counts) {
        let mut counts = Counts::default();
        (Self::counted(ends, end, budget, &mut counts), counts)
    }

    fn counted(ends: [(f64, &Problem); 2], end: f64, budget: &Budget, counts: &mut Counts) -> Option<Self> {
        let [(loose, first), (tight, second)] = ends;
        if !is_quadratic(first) {
            return None;
        }
        // Writing a program down linearises its rows.
        counts.gradients += 2;
        let [program, other] = [Program::of(first).ok()?, Program::of(second).ok()?];
        let (operations, factors) = of_sparse_factorisation(&program);
        if !(operations <= LARGEST && is_walkable(&program) && differs_in_sides(&program, &other)) {
            return None;
        }
        let rates = program.b.iter().zip(&other.b).map(|(b, c)| (b - c) / (loose - tight)).collect();
        let mut walk = Walk::new(program, rates, loose);
        let begun = walk.begin(factors, budget)?;
        let pieces = walk.pieces(begun, end, budget);
        let steps = walk.iterations + walk.changes;
        let beside = BESIDE * (walk.program.q.len() + walk.program.entries()) as f64;
        let operations = (walk.iterations + walk.factorisations) as f64 * operations + steps as f64 * beside;
        counts.steps += steps;
        counts.operations += operations as u64;
        let hopeless = walk.ray.as_ref().map(|ray| walk.program.multipliers_of_ray(ray));
        (!pieces.is_empty()).then_some(Self { pieces, hopeless })
    }

    /// The tightest bound that it leads to.
    pub(crate) fn end(&self) -> f64 {
        self.pieces.last().map_or(f64::INFINITY, |piece| piece.s[1])
    }

    /// The answer and the multipliers with the bound `s` of `problem`, moved to where they belong; nothing where the path does not lead.
    pub(crate) fn at(&self, problem: &Problem, s: f64) -> Option<(Vec<f64>, Vec<f64>)> {
        let piece = self.pieces.iter().find(|piece| piece.s[1] <= s && s <= piece.s[0])?;
        let t = (piece.s[0] - s) / (piece.s[0] - piece.s[1]);
        let mix = |ends: &[Vec<f64>; 2]| -> Vec<f64> {
            ends[0].iter().zip(&ends[1]).map(|(a, b)| a + t * (b - a)).collect()
        };
        let (mut x, mut multipliers) = (mix(&piece.x), mix(&piece.multipliers));
        problem.regulariser().prox(Weight::scalar(HEAVY), &mut x).ok()?;
        problem.composer().prox_conjugate(Weight::scalar(HEAVY), &mut multipliers).ok()?;
        let curved = multipliers.iter_mut().enumerate().filter(|(row, _)| !problem.is_affine(*row));
        curved.for_each(|(_, l)| *l = l.max(0.0));
        Some((x, multipliers))
    }
}

/// Whether all rows are affine, or quadratic between kinks and part of the objective.
fn is_quadratic(problem: &Problem) -> bool {
    let bends = |row: usize| {
        let curvature = problem.component(row).and_then(|component| component.curvature());
        problem.composer().is_pinned(row)
            && curvature.is_some_and(|curvature| curvature.is_piecewise_constant())
    };
    (0..problem.rows()).all(|row| problem.is_affine(row) || bends(row))
}

/// Whether all rows of the program are equations or inequalities.
fn is_walkable(program: &Program) -> bool {
    let straight = |cone: &SupportedConeT<f64>| {
        matches!(cone, SupportedConeT::ZeroConeT(_) | SupportedConeT::NonnegativeConeT(_))
    };
    program.cones.iter().all(straight)
}

/// Whether two programs are the same but for b.
fn differs_in_sides(a: &Program, b: &Program) -> bool {
    a.b.len() == b.b.len() && a.q == b.q && a.cones == b.cones && a.a == b.a && a.p == b.p
}

/// A walk in the making.
struct Walk {
    program: Program,
    data: Data,
    /// How much looser each row is for a bound that is looser by 1.
    rates: Vec<f64>,
    /// The bound of the program.
    loosest: f64,
    /// Rows that are equations.
    is_equation: Vec<bool>,
    /// By how much rows are loosened, and what is added to their multipliers.
    loosened: Vec<f64>,
    prices: Vec<f64>,
    /// Iterations of the engine, changes of the active rows, and factorisations.
    iterations: usize,
    changes: usize,
    factorisations: usize,
    /// Multipliers of the rows that no point satisfies with tighter bounds.
    ray: Option<Vec<f64>>,
}

impl Walk {
    fn new(program: Program, rates: Vec<f64>, loosest: f64) -> Self {
        let (columns, mut rows) = (program.q.len(), vec![Vec::new(); program.b.len()]);
        let mut curvature = Vec::new();
        for j in 0..columns {
            let entries = |m: &clarabel::algebra::CscMatrix<f64>| m.colptr[j]..m.colptr[j + 1];
            entries(&program.a).for_each(|k| rows[program.a.rowval[k]].push((j, program.a.nzval[k])));
            curvature.extend(entries(&program.p).map(|k| (program.p.rowval[k], j, program.p.nzval[k])));
        }
        let mut is_equation = Vec::with_capacity(rows.len());
        for cone in &program.cones {
            let count = match cone {
                SupportedConeT::ZeroConeT(count) | SupportedConeT::NonnegativeConeT(count) => *count,
                _ => 0,
            };
            is_equation.extend(std::iter::repeat_n(matches!(cone, SupportedConeT::ZeroConeT(_)), count));
        }
        let none = vec![0.0; rows.len()];
        Self {
            program,
            data: Data { columns, curvature, rows },
            rates,
            loosest,
            is_equation,
            loosened: none.clone(),
            prices: none,
            iterations: 0,
            changes: 0,
            factorisations: 0,
            ray: None,
        }
    }

    /// b with the bound `s`.
    fn sides(&self, s: f64) -> Vec<f64> {
        self.program.b.iter().zip(&self.rates).map(|(b, rate)| b + (s - self.loosest) * rate).collect()
    }

    /// q less A' of the prices.
    fn priced(&self) -> Vec<f64> {
        let mut q = self.program.q.clone();
        for (row, price) in self.data.rows.iter().zip(&self.prices) {
            row.iter().for_each(|(column, a)| q[*column] -= a * price);
        }
        q
    }
}
