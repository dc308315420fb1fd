//! Quadratic and affine rows, with the degeneracies that are known to hurt: duplicates, no interior, zero multipliers, bad
//! scales, kinks.

use super::Plan;
use crate::describe::{
    Block, Component, Composer, Curve, Domain, Instance, Law, Penalty, Set, Truth, dot, norm,
};
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

pub fn instance(family: &'static str, mut random: Random) -> Instance {
    let n = 1 + random.below(30);
    let mut plan = Plan { random, n, inside: Vec::new() };
    let domain = plan.simple_domain(family);
    let objective = plan.simple_objective(family);
    let planted = matches!(family, "zero multipliers" | "planted kink");
    let truth = if planted { Truth::Minimiser(plan.inside.clone()) } else { Truth::Feasible };
    let mut instance = Instance { family, objective, blocks: vec![], domain, truth };
    plan.fill(family, &mut instance);
    instance
}

impl Plan {
    fn fill(&mut self, family: &str, instance: &mut Instance) {
        let m = 1 + self.random.below(10);
        let blocks = &mut instance.blocks;
        match family {
            "smooth" => (0..m / 3).for_each(|_| {
                blocks.push(Block::components(Composer::Sum(vec![1.0]), vec![self.quadratic(1.0)]));
            }),
            "linear program" => (0..m).for_each(|_| blocks.push(self.slack(false, 1.0))),
            "curved constraints" => (0..m).for_each(|_| blocks.push(self.slack(true, 1.0))),
            "max of quadratics" => {
                let parts = (0..m).map(|_| self.quadratic(1.0)).collect();
                blocks.push(Block::components(Composer::Max, parts));
            }
            "max of linear" => {
                let parts = (0..m).map(|_| self.linear(1.0)).collect();
                blocks.push(Block::components(Composer::Max, parts));
            }
            "affine terms" => (0..1 + m / 5).for_each(|_| blocks.push(self.affine_term())),
            "equalities, intervals" => {
                blocks.push(self.equalities());
                blocks.push(self.intervals());
            }
            "duplicates" => self.duplicates(blocks),
            "no interior" => (0..m.div_ceil(2)).for_each(|_| self.without_interior(blocks)),
            "zero multipliers" => {
                instance.objective = self.quadratic_minimal_inside();
                (0..m).for_each(|k| blocks.push(self.touching(k % 2 == 0)));
            }
            "bad scales" => {
                for k in 0..m {
                    let scale = self.random.positive(1, 1e-3, 1e3)[0];
                    blocks.push(self.slack(k % 2 == 0, scale));
                }
            }
            "planted kink" => {
                instance.objective = self.linear(0.0);
                blocks.push(self.kink(m));
            }
            _ => {
                blocks.push(self.affine_term());
                blocks.push(Block::components(Composer::Max, vec![self.quadratic(1.0), self.linear(1.0)]));
                (0..m / 2).for_each(|k| blocks.push(self.slack(k % 2 == 0, 1.0)));
                blocks.push(self.intervals());
            }
        }
    }

    /// Chooses X and the planted point in it.
    fn simple_domain(&mut self, family: &str) -> Domain {
        let n = self.n;
        let kind = self.random.below(5);
        // Where the planted point is to be the minimiser of the smooth part, u must not move it.
        let kind = if matches!(family, "zero multipliers" | "planted kink") { kind % 2 * 2 } else { kind };
        let lower = self.random.vector(n, 1.0).iter().map(|v| v - 1.0).collect::<Vec<_>>();
        let upper = self.random.vector(n, 1.0).iter().map(|v| v + 1.5).collect::<Vec<_>>();
        self.inside = (0..n).map(|i| self.random.within(lower[i], upper[i])).collect();
        let (penalty, set) = match kind {
            0 => (Penalty::None, Set::Box { lower, upper }),
            1 => (Penalty::L1(self.random.within(0.01, 1.0)), Set::Box { lower, upper }),
            2 => {
                let centre = self.random.vector(n, 0.5);
                let distance = norm(self.inside.iter().zip(&centre).map(|(x, c)| x - c));
                let radius = distance * self.random.within(1.0, 2.0) + 0.1;
                (Penalty::None, Set::Ball { radius, centre })
            }
            3 => {
                let total = self.random.within(0.5, 3.0);
                let weights: Vec<f64> = self.random.vector(n, 1.0).iter().map(|w| w.abs()).collect();
                let sum: f64 = weights.iter().sum();
                self.inside = weights.iter().map(|w| w * total / sum).collect();
                (Penalty::None, Set::Simplex { total })
            }
            _ => (Penalty::Ridge(self.random.within(0.01, 1.0)), Set::Free),
        };
        Domain { penalty, set }
    }

    fn simple_objective(&mut self, family: &str) -> Component {
        let linear = matches!(family, "linear program" | "max of linear" | "max of quadratics");
        if linear || self.random.chance(0.25) { self.linear(1.0) } else { self.quadratic(1.0) }
    }

    /// A constraint that is active at the planted point or not.
    fn slack(&mut self, curved: bool, scale: f64) -> Block {
        let g = if curved { self.quadratic(scale) } else { self.linear(scale) };
        let slack = if self.random.chance(0.3) { 0.0 } else { scale * self.random.within(0.0, 0.5) };
        let bound = g.value(&self.inside) + slack;
        Block::at_most(g, bound)
    }

    pub fn equalities(&mut self) -> Block {
        let count = 1 + self.random.below((self.n / 2).clamp(1, 5));
        Block::affine(Composer::Equal, self.rows_through(count))
    }

    pub fn intervals(&mut self) -> Block {
        let count = 1 + self.random.below(4);
        let lower = (0..count).map(|_| -self.random.within(0.0, 0.5)).collect();
        let mut upper: Vec<f64> = (0..count).map(|_| self.random.within(0.0, 0.5)).collect();
        upper[0] = 0.0;
        Block::affine(Composer::Between(lower, upper), self.rows_through(count))
    }

    /// Every constraint several times, and a row that others imply.
    fn duplicates(&mut self, blocks: &mut Vec<Block>) {
        let curved = self.slack(true, 1.0);
        blocks.extend([curved.clone(), curved]);
        let mut rows = self.rows_through(2);
        rows.matrix.push(rows.matrix[0].clone());
        rows.matrix.push((0..self.n).map(|i| 0.5 * (rows.matrix[0][i] + rows.matrix[1][i])).collect());
        rows.offset = rows.matrix.iter().map(|row| dot(row, &self.inside)).collect();
        blocks.push(Block::affine(Composer::Nonpositive, rows));
    }

    /// a.x <= b and -a.x <= -b.
    fn without_interior(&mut self, blocks: &mut Vec<Block>) {
        let a = self.random.vector(self.n, 1.0);
        let b = dot(&a, &self.inside);
        let opposite = a.iter().map(|a| -a).collect();
        blocks.push(Block::at_most(Component { curve: Curve::Flat, slope: a, constant: 0.0 }, b));
        blocks.push(Block::at_most(Component { curve: Curve::Flat, slope: opposite, constant: 0.0 }, -b));
    }

    /// Active exactly at the planted point's level.
    fn touching(&mut self, curved: bool) -> Block {
        let g = if curved { self.quadratic(1.0) } else { self.linear(1.0) };
        let bound = g.value(&self.inside);
        Block::at_most(g, bound)
    }

    /// A max whose pieces agree at the planted point, with gradients there that add up to 0: it is a minimiser.
    fn kink(&mut self, m: usize) -> Block {
        let mut pieces: Vec<Component> = (0..m + 1).map(|_| self.quadratic_minimal_inside()).collect();
        let slopes: Vec<Vec<f64>> = (0..=m).map(|_| self.random.vector(self.n, 1.0)).collect();
        let mean = |i: usize| slopes.iter().map(|s| s[i]).sum::<f64>() / (m + 1) as f64;
        for (piece, slope) in pieces.iter_mut().zip(&slopes) {
            for (i, c) in piece.slope.iter_mut().enumerate() {
                *c += slope[i] - mean(i);
            }
            piece.constant = 0.0;
            piece.constant = -piece.value(&self.inside);
        }
        Block::components(Composer::Max, pieces)
    }

    fn affine_term(&mut self) -> Block {
        let count = 1 + self.random.below(8);
        // Through the planted point the kinks meet there.
        let rows = if self.random.chance(0.5) { self.rows_through(count) } else { self.rows(count) };
        let weight = self.random.positive(1, 0.1, 10.0)[0];
        let composer = match self.random.below(5) {
            0 => Composer::Rowwise(Law::Absolute, weight),
            1 => Composer::Linf(weight),
            2 => Composer::L2(weight),
            3 => Composer::Rowwise(Law::Quantile(self.random.within(0.05, 0.95)), weight),
            _ => Composer::Rowwise(Law::Huber(self.random.within(0.1, 1.0)), weight),
        };
        Block::affine(composer, rows)
    }
}
