//! Random instances, feasible by construction: a point of X is planted and every constraint holds there.

use crate::instance::{Constraint, Domain, Instance, Quad, Rows, Term, dot};
use crate::random::Random;

pub const FAMILIES: [&str; 13] = [
    "smooth",
    "linear program",
    "curved constraints",
    "max of quadratics",
    "max of linear",
    "affine terms",
    "equalities, intervals",
    "duplicates",
    "no interior",
    "zero multipliers",
    "bad scales",
    "planted kink",
    "mixture",
];

/// The instance that belongs to a seed.
pub fn instance_of(seed: u64) -> Instance {
    let family = FAMILIES[(seed % FAMILIES.len() as u64) as usize];
    let mut random = Random::new(seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
    let n = 1 + random.below(30);
    let mut plan = Plan { random, n, inside: Vec::new() };
    let domain = plan.domain(family);
    let objective = plan.objective(family);
    let planted = matches!(family, "zero multipliers" | "planted kink");
    let minimiser = planted.then(|| plan.inside.clone());
    let mut instance = Instance { family, objective, terms: vec![], constraints: vec![], domain, minimiser };
    plan.fill(family, &mut instance);
    instance
}

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.within(0.0, n as f64) as usize
    }

    fn chance(&mut self, share: f64) -> bool {
        self.within(0.0, 1.0) < share
    }
}

struct Plan {
    random: Random,
    n: usize,
    /// The planted point.
    inside: Vec<f64>,
}

impl Plan {
    fn fill(&mut self, family: &str, instance: &mut Instance) {
        let m = 1 + self.random.below(10);
        let (terms, constraints) = (&mut instance.terms, &mut instance.constraints);
        match family {
            "smooth" => (0..m / 3).for_each(|_| terms.push(Term::Sum(vec![self.quadratic(1.0)]))),
            "linear program" => (0..m).for_each(|_| constraints.push(self.at_most(false, 1.0))),
            "curved constraints" => (0..m).for_each(|_| constraints.push(self.at_most(true, 1.0))),
            "max of quadratics" => {
                terms.push(Term::Max((0..m).map(|_| self.quadratic(1.0)).collect()));
            }
            "max of linear" => terms.push(Term::Max((0..m).map(|_| self.linear(1.0)).collect())),
            "affine terms" => (0..1 + m / 5).for_each(|_| terms.push(self.affine_term())),
            "equalities, intervals" => {
                constraints.push(self.equalities());
                constraints.push(self.intervals());
            }
            "duplicates" => self.duplicates(constraints),
            "no interior" => (0..m.div_ceil(2)).for_each(|_| self.without_interior(constraints)),
            "zero multipliers" => {
                instance.objective = self.quadratic_minimal_inside();
                (0..m).for_each(|k| constraints.push(self.touching(k % 2 == 0)));
            }
            "bad scales" => {
                for k in 0..m {
                    let scale = self.random.positive(1, 1e-3, 1e3)[0];
                    constraints.push(self.at_most(k % 2 == 0, scale));
                }
            }
            "planted kink" => {
                instance.objective = Quad { factor: vec![], ..self.linear(0.0) };
                terms.push(self.kink(m));
            }
            _ => {
                terms.push(self.affine_term());
                terms.push(Term::Max(vec![self.quadratic(1.0), self.linear(1.0)]));
                (0..m / 2).for_each(|k| constraints.push(self.at_most(k % 2 == 0, 1.0)));
                constraints.push(self.intervals());
            }
        }
    }

    /// Chooses X and the planted point in it.
    fn domain(&mut self, family: &str) -> Domain {
        let n = self.n;
        let kind = self.random.below(5);
        // Where the planted point is to be the minimiser of the smooth part, u must not move it.
        let kind = if matches!(family, "zero multipliers" | "planted kink") { kind % 2 * 2 } else { kind };
        let lower = self.random.vector(n, 1.0).iter().map(|v| v - 1.0).collect::<Vec<_>>();
        let upper = self.random.vector(n, 1.0).iter().map(|v| v + 1.5).collect::<Vec<_>>();
        self.inside = (0..n).map(|i| self.random.within(lower[i], upper[i])).collect();
        match kind {
            0 => Domain::Box { lower, upper },
            1 => Domain::L1Box { weight: self.random.within(0.01, 1.0), lower, upper },
            2 => {
                let centre = self.random.vector(n, 0.5);
                let distance =
                    self.inside.iter().zip(&centre).map(|(x, c)| (x - c).powi(2)).sum::<f64>().sqrt();
                Domain::Ball { radius: distance * self.random.within(1.0, 2.0) + 0.1, centre }
            }
            3 => {
                let total = self.random.within(0.5, 3.0);
                let weights: Vec<f64> = self.random.vector(n, 1.0).iter().map(|w| w.abs()).collect();
                let sum: f64 = weights.iter().sum();
                self.inside = weights.iter().map(|w| w * total / sum).collect();
                Domain::Simplex { total }
            }
            _ => Domain::Ridge { weight: self.random.within(0.01, 1.0) },
        }
    }

    fn objective(&mut self, family: &str) -> Quad {
        let linear = matches!(family, "linear program" | "max of linear" | "max of quadratics");
        if linear || self.random.chance(0.25) { self.linear(1.0) } else { self.quadratic(1.0) }
    }

    fn linear(&mut self, scale: f64) -> Quad {
        let linear = self.random.vector(self.n, scale);
        Quad { factor: vec![], linear, constant: scale * self.random.within(-1.0, 1.0) }
    }

    /// Of any rank between 1 and n.
    fn quadratic(&mut self, scale: f64) -> Quad {
        let rank = 1 + self.random.below(self.n);
        let size = (2.0 * scale / rank as f64).sqrt();
        Quad { factor: (0..rank).map(|_| self.random.vector(self.n, size)).collect(), ..self.linear(scale) }
    }

    fn rows(&mut self, count: usize) -> Rows {
        let matrix = (0..count).map(|_| self.random.vector(self.n, 1.0)).collect();
        Rows { matrix, offset: vec![0.0; count] }
    }

    /// Rows whose values at the planted point are 0.
    fn rows_through(&mut self, count: usize) -> Rows {
        let rows = self.rows(count);
        Rows { offset: rows.values(&self.inside), ..rows }
    }

    /// Active at the planted point or not.
    fn at_most(&mut self, curved: bool, scale: f64) -> Constraint {
        let g = if curved { self.quadratic(scale) } else { self.linear(scale) };
        let slack = if self.random.chance(0.3) { 0.0 } else { scale * self.random.within(0.0, 0.5) };
        let bound = g.value(&self.inside) + slack;
        Constraint::AtMost(g, bound)
    }

    fn equalities(&mut self) -> Constraint {
        let count = 1 + self.random.below((self.n / 2).clamp(1, 5));
        Constraint::Equal(self.rows_through(count))
    }

    fn intervals(&mut self) -> Constraint {
        let count = 1 + self.random.below(4);
        let lower = (0..count).map(|_| -self.random.within(0.0, 0.5)).collect();
        let mut upper: Vec<f64> = (0..count).map(|_| self.random.within(0.0, 0.5)).collect();
        upper[0] = 0.0;
        Constraint::Between(self.rows_through(count), lower, upper)
    }

    /// Every constraint several times, and a row that others imply.
    fn duplicates(&mut self, constraints: &mut Vec<Constraint>) {
        let curved = self.at_most(true, 1.0);
        constraints.extend([curved.clone(), curved]);
        let mut rows = self.rows_through(2);
        rows.matrix.push(rows.matrix[0].clone());
        rows.matrix.push((0..self.n).map(|i| 0.5 * (rows.matrix[0][i] + rows.matrix[1][i])).collect());
        rows.offset = rows.matrix.iter().map(|row| dot(row, &self.inside)).collect();
        constraints.push(Constraint::RowsAtMost(rows));
    }

    /// a.x <= b and -a.x <= -b.
    fn without_interior(&mut self, constraints: &mut Vec<Constraint>) {
        let a = self.random.vector(self.n, 1.0);
        let b = dot(&a, &self.inside);
        let opposite = a.iter().map(|a| -a).collect();
        constraints.push(Constraint::AtMost(Quad { factor: vec![], linear: a, constant: 0.0 }, b));
        constraints.push(Constraint::AtMost(Quad { factor: vec![], linear: opposite, constant: 0.0 }, -b));
    }

    /// |F (x - inside)|^2 / 2
    fn quadratic_minimal_inside(&mut self) -> Quad {
        let mut g = self.quadratic(1.0);
        let images: Vec<f64> = g.factor.iter().map(|row| dot(row, &self.inside)).collect();
        for (i, c) in g.linear.iter_mut().enumerate() {
            *c = -g.factor.iter().zip(&images).map(|(row, image)| row[i] * image).sum::<f64>();
        }
        g
    }

    /// Active exactly at the planted point's level.
    fn touching(&mut self, curved: bool) -> Constraint {
        let g = if curved { self.quadratic(1.0) } else { self.linear(1.0) };
        let bound = g.value(&self.inside);
        Constraint::AtMost(g, bound)
    }

    /// A max whose pieces agree at the planted point, with gradients there that add up to 0: it is a minimiser.
    fn kink(&mut self, m: usize) -> Term {
        let mut pieces: Vec<Quad> = (0..m + 1).map(|_| self.quadratic_minimal_inside()).collect();
        let slopes: Vec<Vec<f64>> = (0..=m).map(|_| self.random.vector(self.n, 1.0)).collect();
        let mean = |i: usize| slopes.iter().map(|s| s[i]).sum::<f64>() / (m + 1) as f64;
        for (piece, slope) in pieces.iter_mut().zip(&slopes) {
            for (i, c) in piece.linear.iter_mut().enumerate() {
                *c += slope[i] - mean(i);
            }
            piece.constant = 0.0;
            piece.constant = -piece.value(&self.inside);
        }
        Term::Max(pieces)
    }

    fn affine_term(&mut self) -> Term {
        let count = 1 + self.random.below(8);
        // Through the planted point the kinks meet there.
        let rows = if self.random.chance(0.5) { self.rows_through(count) } else { self.rows(count) };
        let weight = self.random.positive(1, 0.1, 10.0)[0];
        match self.random.below(5) {
            0 => Term::L1 { rows, weight },
            1 => Term::Linf { rows, weight },
            2 => Term::L2 { rows, weight },
            3 => Term::Quantile { rows, level: self.random.within(0.05, 0.95), weight },
            _ => Term::Huber { rows, delta: self.random.within(0.1, 1.0), weight },
        }
    }
}
