//! Instances with a planted saddle point: x*, lambda* and all constants of the theory are known, for every composer of
//! the paper. Shared by the tests of the published method and by `examples/theory.rs`.

#![allow(dead_code, missing_docs)] // each user takes what it needs

pub mod runs;

use std::sync::Arc;
use ufcm::oracle::{Component, Convexity, OracleError, Smoothness};
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::Ball;
use ufcm::theory::measure::SaddlePoint;
use ufcm::theory::promise::Distances;
use ufcm::theory::{Aggregate, RowConstants};

/// A small deterministic generator (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// Uniform in [-1, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self, n: usize, norm: f64) -> Vec<f64> {
        let v: Vec<f64> = (0..n).map(|_| self.uniform()).collect();
        let scale = norm / length(&v);
        v.iter().map(|v| scale * v).collect()
    }
}

pub fn length(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// One curved piece: scale |x - a|_w^(power) / power with |v|_w^2 = sum of w_i v_i^2, 0 < w_i <= 1.
#[derive(Debug, Clone)]
pub struct Piece {
    pub scale: f64,
    pub power: f64,
    pub centre: Vec<f64>,
    pub weights: Vec<f64>,
}

impl Piece {
    /// |x - a|_w
    fn radius(&self, x: &[f64]) -> f64 {
        let square = |((x, a), w): ((&f64, &f64), &f64)| w * (x - a).powi(2);
        x.iter().zip(&self.centre).zip(&self.weights).map(square).sum::<f64>().sqrt()
    }
}

/// A sum of pieces plus c.x + d, with declared constants.
#[derive(Debug, Clone)]
pub struct Planted {
    pub pieces: Vec<Piece>,
    pub slope: Vec<f64>,
    pub constant: f64,
    pub smoothness: Smoothness,
    pub convexity: Option<Convexity>,
}

impl Component for Planted {
    fn kind(&self) -> &'static str {
        "planted component"
    }

    fn dimension(&self) -> usize {
        self.slope.len()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        let linear: f64 = self.slope.iter().zip(x).map(|(c, x)| c * x).sum();
        let mut value = linear + self.constant;
        let mut gradient = gradient;
        if let Some(gradient) = gradient.as_deref_mut() {
            gradient.copy_from_slice(&self.slope);
        }
        for piece in &self.pieces {
            let radius = piece.radius(x);
            value += piece.scale * radius.powf(piece.power) / piece.power;
            if let Some(gradient) = gradient.as_deref_mut()
                && radius > 0.0
            {
                let factor = piece.scale * radius.powf(piece.power - 2.0);
                for (i, g) in gradient.iter_mut().enumerate() {
                    *g += factor * piece.weights[i] * (x[i] - piece.centre[i]);
                }
            }
        }
        Ok(value)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(self.smoothness)
    }

    fn convexity(&self) -> Option<Convexity> {
        self.convexity
    }
}

/// What a row should be like.
#[derive(Debug, Clone, Copy)]
pub struct RowKind {
    /// L_j is about this.
    pub scale: f64,
    /// p_j
    pub p: f64,
    /// (mu_j, q_j)
    pub convexity: Option<(f64, f64)>,
    /// lambda*_j
    pub multiplier: f64,
}

/// How the rows combine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Composition {
    Sum,
    /// Row 0 is the objective.
    Constraints,
    Max,
    LogSumExp(f64),
    SquaredHinge(f64),
}

impl Composition {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Constraints => "constraints",
            Self::Max => "max",
            Self::LogSumExp(_) => "log-sum-exp",
            Self::SquaredHinge(_) => "squared hinge",
        }
    }
}

pub struct Instance {
    pub problem: Problem,
    pub saddle: SaddlePoint,
    pub x0: Vec<f64>,
    pub multipliers0: Vec<f64>,
    /// Of the planted rows; a g_0 that is not there does not count.
    pub constants: Vec<RowConstants>,
    pub d_x: f64,
    pub d_lambda: f64,
    /// |∇g_j(x*)| of the planted rows.
    slopes: Vec<f64>,
    /// The power of eps in r; `None` for the paper's D_lambda sqrt(eps), as far as its proof goes.
    r_power: Option<f64>,
}

/// The radius of X; x* and the centres lie well inside.
pub const RADIUS: f64 = 4.0;

impl Instance {
    /// Rows of the given kinds in `n` variables, with x* at distance 1 from x0 = 0.
    ///
    /// Each row gets a curved part by its kind and a random slope; the slope of the first is then set so that
    /// sum_j lambda*_j ∇g_j(x*) = 0, and the constants so that lambda* is a subgradient of h at g(x*).
    pub fn new(composition: Composition, kinds: &[RowKind], n: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let x = random.vector(n, 1.0);
        let mut rows: Vec<Planted> = kinds.iter().map(|kind| make_row(kind, n, &mut random)).collect();
        balance(&mut rows, kinds, &x);
        let targets = target_values(composition, kinds);
        for (row, target) in rows.iter_mut().zip(targets) {
            row.constant += target - row.evaluate(&x, None).unwrap();
        }
        Self::assemble(composition, rows, kinds, x)
    }

    fn assemble(composition: Composition, rows: Vec<Planted>, kinds: &[RowKind], x: Vec<f64>) -> Self {
        let n = x.len();
        let lengths: Vec<f64> = rows
            .iter()
            .map(|row| {
                let mut gradient = vec![0.0; n];
                row.evaluate(&x, Some(&mut gradient)).unwrap();
                length(&gradient)
            })
            .collect();
        let mut constants: Vec<RowConstants> = rows
            .iter()
            .zip(kinds)
            .map(|(row, kind)| RowConstants {
                multiplier: kind.multiplier,
                pinned: composition == Composition::Sum,
                smoothness: row.smoothness,
                convexity: row.convexity,
            })
            .collect();
        let mut multipliers: Vec<f64> = kinds.iter().map(|kind| kind.multiplier).collect();
        let shared: Vec<Arc<dyn Component>> = rows.iter().map(|row| Arc::new(row.clone()) as _).collect();
        let builder = match term(composition, shared) {
            None => {
                constants[0].pinned = true;
                let mut rows = rows.into_iter();
                let builder = Problem::minimise(rows.next().expect("an objective"));
                rows.fold(builder, |builder, row| builder.subject_to(row.at_most(0.0)))
            }
            Some(term) => {
                // Row 0 is the constant 0: a row of the problem, and none of the paper's.
                multipliers.insert(0, 1.0);
                Problem::over(n).plus(term)
            }
        };
        let problem = builder.within(Ball::new(RADIUS)).build().expect("a sound instance");
        // p* through the multipliers: an active constraint may be an ulp above 0 at x*, where F is infinite.
        let mut at_saddle = vec![0.0; problem.rows()];
        problem.mapping().values(&x, &mut at_saddle).expect("a sound instance");
        let dualised: f64 = multipliers.iter().zip(&at_saddle).map(|(l, g)| l * g).sum();
        let value = dualised - problem.composer().conjugate(&multipliers);
        let mut multipliers0 = vec![0.0; problem.rows()];
        let mut start = vec![0.0; problem.rows()];
        let x0 = vec![0.0; n];
        problem.mapping().values(&x0, &mut start).expect("a sound instance");
        problem.composer().multipliers_at(&start, &mut multipliers0);
        if composition == Composition::Constraints {
            // From nothing: the usual start, and lambda* away from it.
            multipliers0.fill(0.0);
            multipliers0[0] = 1.0;
        }
        // Where the start has the right multipliers already, any positive bound will do.
        let d_lambda = distance(&multipliers0, &multipliers).max(1e-6);
        let (d_x, saddle) = (length(&x), SaddlePoint { x, multipliers, value });
        Self { problem, saddle, x0, multipliers0, constants, d_x, d_lambda, slopes: lengths, r_power: None }
    }

    /// r: D_lambda sqrt(eps), but at most D_lambda^(K-1) = 2 sqrt(eps L_h) (docs/errata.md).
    pub fn r(&self, eps: f64) -> f64 {
        match (self.r_power, self.problem.composer().smoothness()) {
            (Some(power), _) => eps.powf(power),
            (None, 0.0) => self.d_lambda * eps.sqrt(),
            (None, l_h) => self.d_lambda.min(2.0 * l_h.sqrt()) * eps.sqrt(),
        }
    }

    /// The theory's view for accuracy eps.
    pub fn theory(&self, eps: f64) -> Aggregate {
        Aggregate::new(self.constants.clone(), eps, self.r(eps)).unwrap()
    }

    /// The same from other multipliers.
    pub fn starting_from(mut self, multipliers: Vec<f64>) -> Self {
        self.d_lambda = distance(&multipliers, &self.saddle.multipliers).max(1e-6);
        self.multipliers0 = multipliers;
        self
    }

    /// D_x, D_lambda, and M: the norm of the Jacobian within `radius` of x* and in X, from |∇g_j(x*)| and the smoothness.
    pub fn distances(&self, radius: f64) -> Distances {
        let radius = radius.min(RADIUS + self.d_x);
        let bound = |(slope, row): (&f64, &RowConstants)| {
            (slope + row.smoothness.constant * radius.powf(row.smoothness.exponent)).powi(2)
        };
        let m = self.slopes.iter().zip(&self.constants).map(bound).sum::<f64>().sqrt();
        Distances { d_x: self.d_x, d_lambda: self.d_lambda, m }
    }
}

/// The composition as one term; constraints are none.
fn term(composition: Composition, rows: Vec<Arc<dyn Component>>) -> Option<Term> {
    match composition {
        Composition::Constraints => None,
        Composition::Sum => Some(Term::sum(rows)),
        Composition::Max => Some(Term::max(rows)),
        Composition::LogSumExp(eta) => Some(Term::smooth_max(rows, eta)),
        Composition::SquaredHinge(eta) => Some(Term::squared_hinge(rows, eta)),
    }
}

fn make_row(kind: &RowKind, n: usize, random: &mut Random) -> Planted {
    let mut piece = |scale: f64, power: f64, spread: bool| Piece {
        scale,
        power,
        centre: random.vector(n, 1.5),
        weights: (0..n).map(|i| if spread { 10f64.powf(-6.0 * i as f64 / n as f64) } else { 1.0 }).collect(),
    };
    // Curvatures over six decades, without a gap: then acceleration alone decides, at every accuracy.
    // |.|^(1+p)/(1+p) has gradients with Hölder constant 2^(1-p); weights up to 1 do not raise it.
    let mut pieces = vec![piece(kind.scale, 1.0 + kind.p, kind.convexity.is_none())];
    let mut constant = kind.scale * (1.0 - kind.p).exp2();
    let convexity = kind.convexity.map(|(mu, q)| {
        // |.|^(q+1)/(q+1) is (2^(1-q), q)-uniformly convex; on X its curvature is at most q (|x - a|)^(q-1).
        pieces.push(piece(mu, q + 1.0, false));
        // ... and on X, whose diameter is 2 RADIUS, a Lipschitz gradient is a Hölder one of every lower exponent.
        constant += mu * q * (RADIUS + 1.5).powf(q - 1.0) * (2.0 * RADIUS).powf(1.0 - kind.p);
        Convexity { constant: mu * (1.0 - q).exp2(), exponent: q }
    });
    let smoothness = Smoothness { constant, exponent: kind.p };
    Planted { pieces, slope: random.vector(n, 0.5), constant: 0.0, smoothness, convexity }
}

/// Sets the slope of the first row with a multiplier so that sum_j lambda*_j ∇g_j(x*) = 0.
fn balance(rows: &mut [Planted], kinds: &[RowKind], x: &[f64]) {
    let n = x.len();
    let first = kinds.iter().position(|kind| kind.multiplier > 0.0).expect("a row that counts");
    let mut total = vec![0.0; n];
    for (row, kind) in rows.iter().zip(kinds) {
        let mut gradient = vec![0.0; n];
        row.evaluate(x, Some(&mut gradient)).unwrap();
        total.iter_mut().zip(&gradient).for_each(|(t, g)| *t += kind.multiplier * g);
    }
    for (slope, total) in rows[first].slope.iter_mut().zip(&total) {
        *slope -= total / kinds[first].multiplier;
    }
}

/// Values at x* that make lambda* a subgradient of h there.
fn target_values(composition: Composition, kinds: &[RowKind]) -> Vec<f64> {
    let by_activity = |active: f64, inactive: f64| {
        move |kind: &RowKind| if kind.multiplier > 0.0 { active } else { inactive }
    };
    match composition {
        Composition::Sum => kinds.iter().map(|_| 1.0).collect(),
        Composition::Constraints => kinds.iter().map(by_activity(0.0, -0.5)).collect(),
        Composition::Max => kinds.iter().map(by_activity(1.0, 0.5)).collect(),
        Composition::LogSumExp(eta) => kinds.iter().map(|kind| eta * kind.multiplier.ln()).collect(),
        Composition::SquaredHinge(eta) => kinds
            .iter()
            .map(|kind| if kind.multiplier > 0.0 { 0.5 * kind.multiplier * eta * eta } else { -0.5 })
            .collect(),
    }
}

/// The multipliers that go well with a composition, for `m` rows.
pub fn multipliers(composition: Composition, m: usize) -> Vec<f64> {
    match composition {
        Composition::Sum => vec![1.0; m],
        Composition::Constraints => (0..m)
            .map(|j| {
                if j == 0 {
                    1.0
                } else if j % 2 == 1 {
                    0.5 + 0.2 * j as f64
                } else {
                    0.0
                }
            })
            .collect(),
        Composition::Max => {
            let total: usize = (1..m).sum();
            (0..m).map(|j| if j + 1 < m { (j + 1) as f64 / total as f64 } else { 0.0 }).collect()
        }
        Composition::LogSumExp(_) => {
            let total: usize = (1..=m).sum();
            (0..m).map(|j| (j + 1) as f64 / total as f64).collect()
        }
        Composition::SquaredHinge(_) => {
            (0..m).map(|j| if j % 2 == 0 { 0.4 + 0.1 * j as f64 } else { 0.0 }).collect()
        }
    }
}

/// The compositions of the paper.
pub const COMPOSITIONS: [Composition; 5] = [
    Composition::Sum,
    Composition::Constraints,
    Composition::Max,
    Composition::LogSumExp(0.5),
    Composition::SquaredHinge(1.0),
];

/// An instance with three rows of one smoothness exponent.
pub fn uniform_instance(
    composition: Composition,
    p: f64,
    convexity: Option<(f64, f64)>,
    seed: u64,
) -> Instance {
    let scales = [1.0, 2.0, 0.5];
    let kinds: Vec<RowKind> = multipliers(composition, 3)
        .into_iter()
        .zip(scales)
        .map(|(multiplier, scale)| RowKind { scale, p, convexity, multiplier })
        .collect();
    Instance::new(composition, &kinds, 30, seed)
}

/// The max of one smooth and one Lipschitz piece, the latter with this multiplier (section 1.2 of the paper), from
/// lambda^0 = (1/2, 1/2) whatever lambda* is, with r = eps^power. The theorem asks for D_lambda >= r.
pub fn smooth_and_lipschitz(lipschitz: f64, eps: f64, power: f64) -> Instance {
    let row = |p: f64, multiplier: f64| RowKind { scale: 1.0, p, convexity: None, multiplier };
    let instance = Instance::new(Composition::Max, &[row(1.0, 1.0 - lipschitz), row(0.0, lipschitz)], 30, 5);
    let mut instance = instance.starting_from(vec![1.0, 0.5, 0.5]);
    instance.r_power = Some(power);
    instance.d_lambda = instance.d_lambda.max(instance.r(eps));
    instance
}

/// Rows whose exponents differ: p over {0, 1/4, 1/2, 1} or {1/2, 3/4, 1}, and q over {1, 2, 3} where `convex`.
pub fn mixed_instance(composition: Composition, rough: bool, convex: bool, seed: u64) -> Instance {
    let exponents: &[f64] = if rough { &[0.0, 0.25, 0.5, 1.0] } else { &[1.0, 0.5, 0.75, 1.0] };
    let kinds: Vec<RowKind> = multipliers(composition, exponents.len())
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
