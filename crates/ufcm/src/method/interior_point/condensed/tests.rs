//! Programs with a planted optimum, one family for each structure, and programs without one.

use super::*;
use crate::method::interior_point::engine::{engine, engine_settings};
use crate::method::interior_point::operations::Factors;
use crate::method::tuning::interior_point::ATTEMPTS;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, ZeroConeT};

/// Numbers in (-1, 1) that look random.
struct Draw(u64);

impl Draw {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }

    fn row(&mut self, n: usize) -> Vec<(usize, f64)> {
        (0..n).map(|i| (i, self.number())).collect()
    }
}

/// A program in the making: sparse rows, and the upper triangle of P.
#[derive(Default)]
struct Rows {
    columns: usize,
    p: Vec<(usize, usize, f64)>,
    equal: Vec<Vec<(usize, f64)>>,
    above: Vec<Vec<(usize, f64)>>,
}

impl Rows {
    fn over(columns: usize) -> Self {
        Self { columns, ..Self::default() }
    }

    fn column(&mut self) -> usize {
        self.columns += 1;
        self.columns - 1
    }

    /// Bounds on the first columns, from both sides.
    fn boxed(mut self, columns: usize, scale: f64) -> Self {
        for k in 0..columns {
            self.above.push(vec![(k, scale)]);
            self.above.push(vec![(k, -scale)]);
        }
        self
    }

    /// A program of these rows with an optimum: y, multipliers and slacks first, right-hand sides and cost after them. Where it is
    /// `degenerate`, some inequalities have neither slack nor multiplier.
    fn planted(self, draw: &mut Draw, degenerate: bool) -> (Program, Vec<f64>) {
        let y: Vec<f64> = (0..self.columns).map(|_| draw.number()).collect();
        let (mut triplets, mut b) = ([Vec::new(), Vec::new()], Vec::new());
        let (mut values, mut q) = (Vec::new(), vec![0.0; self.columns]);
        for (row, entries) in self.equal.iter().chain(&self.above).enumerate() {
            let is_equation = row < self.equal.len();
            let (share, size) = (draw.number(), draw.number());
            let active = share > 0.0;
            let idle = is_equation || (degenerate && share.abs() < 0.3);
            let slack = if idle || active { 0.0 } else { size.abs() + 0.1 };
            let multiplier = match (is_equation, idle, active) {
                (true, _, _) => size,
                (_, false, true) => size.abs() + 0.1,
                _ => 0.0,
            };
            b.push(entries.iter().map(|(k, v)| v * y[*k]).sum::<f64>() + slack);
            for (k, v) in entries {
                triplets[0].push(row);
                triplets[1].push(*k);
                values.push(*v);
                q[*k] -= v * multiplier;
            }
        }
        for (i, j, v) in &self.p {
            q[*i] -= v * y[*j];
            if i != j {
                q[*j] -= v * y[*i];
            }
        }
        let [rows, columns] = triplets;
        let a = CscMatrix::new_from_triplets(b.len(), self.columns, rows, columns, values);
        let i = self.p.iter().map(|(i, _, _)| *i).collect();
        let j = self.p.iter().map(|(_, j, _)| *j).collect();
        let v = self.p.iter().map(|(_, _, v)| *v).collect();
        let p = CscMatrix::new_from_triplets(self.columns, self.columns, i, j, v);
        let mut cones = Vec::new();
        if !self.equal.is_empty() {
            cones.push(ZeroConeT(self.equal.len()));
        }
        cones.push(NonnegativeConeT(self.above.len()));
        (Program::of_parts(p, q, a, b, cones), y)
    }
}

/// A x = b, x >= 0.
fn standard(draw: &mut Draw, rows: usize, n: usize) -> Rows {
    let mut all = Rows::over(n);
    all.equal = (0..rows).map(|_| draw.row(n)).collect();
    all.above = (0..n).map(|k| vec![(k, -1.0)]).collect();
    all
}

/// t_j >= a_j.x - b_j, t_j >= c_j, x in a box.
fn hinges(draw: &mut Draw, rows: usize, n: usize) -> Rows {
    let mut all = Rows::over(n).boxed(n, 1.0);
    for _ in 0..rows {
        let (t, mut row) = (all.column(), draw.row(n));
        row.push((t, -1.0));
        all.above.push(row);
        all.above.push(vec![(t, -1.0)]);
    }
    all
}

/// t_j = a_j.x - b_j and t_j^2 in the cost; rows of a third of the columns.
fn squares(draw: &mut Draw, rows: usize, n: usize) -> Rows {
    let mut all = Rows::over(n).boxed(n, 2.0);
    for j in 0..rows {
        let t = all.column();
        let mut row: Vec<_> = draw.row(n).into_iter().filter(|(k, _)| (k + j) % 5 == 0).collect();
        row.push((t, -1.0));
        all.equal.push(row);
        all.p.push((t, t, 1.0 + draw.number()));
    }
    all
}

/// z_j = a_j.x - b_j, t_j >= z_j, t_j >= -z_j; with w_j between them, and its square, Huber's function.
fn sizes(draw: &mut Draw, rows: usize, n: usize, huber: bool) -> Rows {
    let mut all = Rows::over(n);
    for _ in 0..rows {
        let (z, t) = (all.column(), all.column());
        let mut row = draw.row(n);
        row.push((z, -1.0));
        all.equal.push(row);
        let mut apart = vec![(z, 1.0)];
        if huber {
            let w = all.column();
            apart.push((w, -1.0));
            all.p.push((w, w, 1.0));
        }
        for sign in [1.0, -1.0] {
            let mut row: Vec<_> = apart.iter().map(|(k, v)| (*k, sign * v)).collect();
            row.push((t, -1.0));
            row.sort_by_key(|(k, _)| *k);
            all.above.push(row);
        }
    }
    all
}

/// A dense P of half the rank, a few equations, a box.
fn quadratic(draw: &mut Draw, rows: usize, n: usize) -> Rows {
    let mut all = Rows::over(n).boxed(n, 1.0);
    let factors: Vec<Vec<f64>> = (0..n / 2).map(|_| (0..n).map(|_| draw.number()).collect()).collect();
    for i in 0..n {
        for j in i..n {
            all.p.push((i, j, factors.iter().map(|f| f[i] * f[j]).sum()));
        }
    }
    all.equal = (0..rows).map(|_| draw.row(n)).collect();
    all
}

/// G x <= b with x free, and a few equations.
fn free(draw: &mut Draw, rows: usize, n: usize) -> Rows {
    let mut all = Rows::over(n);
    all.above = (0..rows).map(|_| draw.row(n)).collect();
    all.equal = (0..n / 5).map(|_| draw.row(n)).collect();
    all
}

/// Hinges and a bound on their sum: a row that ties them all.
fn bounded_sum(draw: &mut Draw, rows: usize, n: usize) -> Rows {
    let mut all = hinges(draw, rows, n);
    all.above.push((0..rows).map(|j| (n + j, 1.0)).collect());
    all.equal.push((0..n).map(|k| (k, 1.0)).collect());
    all
}

/// One program of each family.
fn families(seed: u64) -> Vec<(&'static str, Program, Vec<f64>)> {
    let draw = &mut Draw(seed);
    let all = vec![
        ("standard", standard(draw, 20, 45), false),
        ("degenerate", standard(draw, 25, 50), true),
        ("hinges", hinges(draw, 150, 12), false),
        ("degenerate hinges", hinges(draw, 80, 40), true),
        ("squares", squares(draw, 120, 40), false),
        ("sizes", sizes(draw, 90, 11, false), false),
        ("huber", sizes(draw, 90, 11, true), false),
        ("quadratic", quadratic(draw, 5, 30), false),
        ("free", free(draw, 100, 20), false),
        ("bounded sum", bounded_sum(draw, 250, 10), false),
        ("fewer rows", free(draw, 10, 40).boxed(40, 1.0), false),
    ];
    all.into_iter()
        .map(|(name, rows, degenerate)| {
            let (program, y) = rows.planted(draw, degenerate);
            (name, program, y)
        })
        .collect()
}

/// The cost at y.
fn cost(program: &Program, y: &[f64]) -> f64 {
    let [p, _] = scaling::matrices(program);
    let mut curved = vec![0.0; y.len()];
    p.multiply(y, &mut curved);
    (0..y.len()).map(|k| y[k] * (0.5 * curved[k] + program.q[k])).sum()
}

/// The largest error of the optimality conditions, worked out from the program as it is, relative to its numbers.
fn error(program: &Program, y: &[f64], dual: &[f64]) -> f64 {
    let [p, a] = scaling::matrices(program);
    let equations = scaling::equations(program).unwrap();
    let (mut slope, mut product) = (vec![0.0; y.len()], vec![0.0; dual.len()]);
    p.multiply(y, &mut slope);
    a.add_transposed(dual, &mut slope);
    a.multiply(y, &mut product);
    let dual_error = slope.iter().zip(&program.q).fold(0.0f64, |all, (s, q)| all.max((s + q).abs()));
    let mut primal_error = 0.0f64;
    for (row, product) in product.iter().enumerate() {
        let slack = program.b[row] - product;
        let violated = if row < equations { slack.abs() } else { (-slack).max(0.0).max(-dual[row]) };
        let together = if row < equations { 0.0 } else { (slack * dual[row]).abs() };
        primal_error = primal_error.max(violated).max(together);
    }
    let sizes = program.q.iter().chain(&program.b).fold(1.0f64, |all, v| all.max(v.abs()));
    dual_error.max(primal_error) / sizes
}

#[test]
fn planted_optima_are_found() {
    for seed in 0..20 {
        for (name, program, planted) in families(seed) {
            let Outcome { status, y, dual, .. } =
                solve(&program, 1e-9, &Budget::unlimited()).unwrap_or_else(|| panic!("{name} {seed}"));
            let left = error(&program, &y, &dual);
            let [found, best] = [&y, &planted].map(|y| cost(&program, y));
            assert_eq!(status, SolverStatus::Solved, "{name} {seed}");
            assert!(left <= 1e-8, "{name} {seed}: {left:e}");
            assert!((found - best).abs() <= 1e-7 * (1.0 + best.abs()), "{name} {seed}: {found} and {best}");
        }
    }
}

#[test]
fn both_engines_agree() {
    for (name, program, _) in families(100) {
        let ours = solve(&program, 1e-9, &Budget::unlimited()).expect(name);
        let theirs = engine(
            &program,
            engine_settings(&ATTEMPTS[0], Factors::ByEntry, false),
            true,
            Budget::unlimited(),
        );
        let [ours, theirs] = [ours, theirs.expect(name)].map(|outcome| cost(&program, &outcome.y));
        assert!((ours - theirs).abs() <= 1e-7 * (1.0 + theirs.abs()), "{name}: {ours} and {theirs}");
    }
}

#[test]
fn bits_are_the_same_twice() {
    for (name, program, _) in families(200) {
        let [first, again] = [(); 2].map(|()| solve(&program, 1e-9, &Budget::unlimited()).expect(name));
        assert!(first.y == again.y && first.dual == again.dual, "{name}");
    }
}

#[test]
fn a_stop_is_heard() {
    let (_, program, _) = families(1).remove(0);
    let budget = Budget::unlimited();
    budget.stop_flag().raise();
    assert!(solve(&program, 1e-9, &budget).is_none());
}

#[test]
fn programs_without_a_solution_have_no_answer() {
    let draw = &mut Draw(7);
    let (mut program, _) = standard(draw, 10, 30).planted(draw, false);
    // x >= 0, and a row of positive entries that is to be negative.
    let equation = 0;
    for k in 0..program.a.rowval.len() {
        if program.a.rowval[k] == equation {
            program.a.nzval[k] = 1.0;
        }
    }
    program.b[equation] = -5.0;
    assert!(solve(&program, 1e-9, &Budget::unlimited()).is_none());
    let (mut program, _) = hinges(draw, 40, 5).planted(draw, false);
    // A cost that falls for ever as t grows.
    *program.q.last_mut().unwrap() = -10.0;
    assert!(solve(&program, 1e-9, &Budget::unlimited()).is_none());
}

#[test]
fn auxiliary_columns_are_eliminated_with_the_equations_that_define_them() {
    let draw = &mut Draw(3);
    let core = |rows: Rows, draw: &mut Draw| {
        let (program, _) = rows.planted(draw, false);
        let [p, a] = scaling::matrices(&program);
        let by_columns = a.transposed(program.q.len());
        let equations = scaling::equations(&program).unwrap();
        let pattern = Pattern::new(&p, &a, &by_columns, equations);
        let (structure, _) = cheapest(&pattern).unwrap();
        (structure.core.len(), structure.rows.len())
    };
    let all = [
        (hinges(draw, 60, 9), (9, 0)),
        (squares(draw, 60, 9), (9, 0)),
        (sizes(draw, 60, 9, false), (9, 0)),
        (sizes(draw, 60, 9, true), (9, 0)),
        (bounded_sum(draw, 300, 9), (9, 1)),
        (standard(draw, 9, 60), (0, 9)),
        (quadratic(draw, 3, 20), (20, 3)),
    ];
    for (k, (rows, expected)) in all.into_iter().enumerate() {
        assert_eq!(core(rows, draw), expected, "{k}");
    }
}

/// Nanoseconds that this thread has worked; 0 where the system does not tell.
fn worked() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    told.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

/// Both engines on programs of the sizes that decision 0025 is about; `UFCM_LONG=1 cargo test --release -p ufcm --lib sizes_of -- --nocapture`
/// prints the seconds.
#[test]
fn both_engines_agree_on_programs_of_the_sizes_of_decision_0025() {
    let long = std::env::var_os("UFCM_LONG").is_some();
    let (draw, part) = (&mut Draw(25), if long { 1 } else { 20 });
    let all = [
        ("hinges 10 000 x 50", hinges(draw, 10_000 / part, 50)),
        ("hinges of a bounded sum 10 000 x 50", bounded_sum(draw, 10_000 / part, 50)),
        ("sizes 5 000 x 50", sizes(draw, 5_000 / part, 50, false)),
        ("standard 500 x 1 000", standard(draw, 500 / part, 1000 / part)),
        ("squares 20 000 x 350", squares(draw, 20_000 / part, 350)),
    ];
    for (name, rows) in all {
        let (program, _) = rows.planted(draw, false);
        let began = worked();
        let ours = solve(&program, 1e-9, &Budget::unlimited()).expect(name);
        let between = worked();
        let settings = engine_settings(&ATTEMPTS[0], Factors::ByEntry, false);
        let theirs = engine(&program, settings, true, Budget::unlimited()).expect(name);
        let seconds = [between - began, worked() - between].map(|time| time * 1e-9);
        let iterations = [&ours, &theirs].map(|outcome| outcome.iterations);
        println!("{name}: {seconds:.3?} s, {iterations:?} iterations, {:.1} times", seconds[1] / seconds[0]);
        let counts = [
            operations(&program, &Budget::unlimited()).expect(name),
            crate::method::interior_point::operations::of_sparse_factorisation(&program).0,
        ];
        println!("    {:.1e} and {:.1e} operations of a factorisation", counts[0], counts[1]);
        let [ours, theirs] = [ours, theirs].map(|outcome| cost(&program, &outcome.y));
        assert!((ours - theirs).abs() <= 1e-7 * (1.0 + theirs.abs()), "{name}: {ours} and {theirs}");
    }
}

/// Hinge losses as |z| / 2 + z / 2: few rows are far from their kinks, steps are short, and progress is slow.
#[test]
fn a_support_vector_machine() {
    use crate::component::{Linear, Quadratic};
    use crate::composer::L1Norm;
    use crate::mapping::Affine;
    use crate::matrix::Matrix;
    use crate::problem::{Problem, Term};
    use crate::regulariser::Bounds;
    let (draw, rows, n) =
        (&mut Draw(9), if std::env::var_os("UFCM_LONG").is_some() { 5000 } else { 1000 }, 50);
    let mut normal = || (0..12).map(|_| draw.number()).sum::<f64>() * 0.5;
    let shift: Vec<f64> = (0..n).map(|_| 0.3 * normal()).collect();
    let a: Vec<f64> = (0..rows * n).map(|k| normal() + shift[k % n]).collect();
    let half = 0.5 / rows as f64;
    let mut slope = vec![0.0; n];
    a.iter().enumerate().for_each(|(k, v)| slope[k % n] -= v * half);
    let affine = Affine::new(Matrix::row_major(rows, n, a).unwrap(), vec![1.0; rows]).unwrap();
    let problem = Problem::minimise(Linear::new(slope, 0.0).unwrap())
        .plus(Term::sum(vec![std::sync::Arc::new(Quadratic::diagonal(vec![1e-3; n]).unwrap())]))
        .plus(Term::affine(L1Norm::new(vec![half; rows]).unwrap(), affine))
        .within(Bounds::new(-10.0, 10.0).unwrap())
        .build()
        .unwrap();
    let program = Program::of(&problem).unwrap();
    let theirs =
        engine(&program, engine_settings(&ATTEMPTS[0], Factors::ByEntry, false), true, Budget::unlimited())
            .unwrap();
    let ours = solve(&program, 1e-9, &Budget::unlimited()).unwrap();
    assert_eq!(ours.status, SolverStatus::Solved);
    let [ours, theirs] = [ours, theirs].map(|outcome| cost(&program, &outcome.y));
    assert!((ours - theirs).abs() <= 1e-7, "{ours} and {theirs}");
}
