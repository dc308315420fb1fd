//! Optima planted by their optimality conditions: a point and multipliers first, then the linear term for which they are right.
//! All numbers are small integers times powers of 2, so that nothing is rounded.

use super::{Base, Reference};
use crate::describe::{Block, Component, Composer, Curve, Domain, Instance, Penalty, Rows, Set, Truth, dot};
use crate::lp::integer;
use crate::random::Random;
use crate::scale::{multiply_objective, ten};

struct Planter<'a> {
    random: &'a mut Random,
    n: usize,
    /// The minimiser.
    x: Vec<f64>,
    /// The gradient there of all but the linear term of the objective, normals of constraints included.
    gradient: Vec<f64>,
    blocks: Vec<Block>,
}

pub fn base(random: &mut Random, large: bool) -> Base {
    let (n, m) = match large {
        true => (20 + random.below(181), 20 + random.below(281)),
        false => {
            let most = random.pick(&[6.0, 12.0, 40.0]);
            (1 + (most * random.within(0.0, 1.0).powi(2)) as usize, random.below(12))
        }
    };
    let x = (0..n).map(|_| if random.chance(0.3) { 0.0 } else { integer(random, 32) / 8.0 }).collect();
    let mut planter = Planter { random, n, x, gradient: vec![0.0; n], blocks: Vec::new() };
    let set = planter.set();
    let penalty = planter.penalty();
    let curve = planter.curve();
    planter.constraints(m);
    let slope = planter.gradient.iter().map(|g| -g).collect();
    let objective = Component { curve, slope, constant: 0.0 };
    let truth = Truth::Minimiser(planter.x);
    let domain = Domain { penalty, set };
    let mut instance = Instance { family: "planted", objective, blocks: planter.blocks, domain, truth };
    normalise(&mut instance);
    let Truth::Minimiser(x) = &instance.truth else { unreachable!() };
    let value = instance.objective_at(x);
    let reference = Reference::Optimum { value, uncertainty: 1e-13 * value.abs().max(1.0) };
    Base { instance, reference, margin: None }
}

/// Brings the terms of the objective to the order of 1.
fn normalise(instance: &mut Instance) {
    let Truth::Minimiser(x) = &instance.truth else { unreachable!() };
    let terms: f64 = instance.objective.slope.iter().zip(x).map(|(c, x)| (c * x).abs()).sum();
    let largest = instance.objective.slope.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    let size = terms.max(largest);
    if size > 0.0 {
        multiply_objective(instance, ten(-size.log10()));
    }
}

impl Planter<'_> {
    fn add(&mut self, weight: f64, direction: &[f64]) {
        self.gradient.iter_mut().zip(direction).for_each(|(g, d)| *g += weight * d);
    }

    /// A multiplier: 0 now and then.
    fn multiplier(&mut self) -> f64 {
        if self.random.chance(0.2) { 0.0 } else { (1 + self.random.below(16)) as f64 / 8.0 }
    }

    fn set(&mut self) -> Set {
        match self.random.below(4) {
            0 => Set::Free,
            1 => {
                self.x.iter_mut().for_each(|x| *x = x.abs());
                for j in 0..self.n {
                    if self.x[j] == 0.0 {
                        self.gradient[j] -= self.multiplier();
                    }
                }
                Set::Nonnegative
            }
            _ => self.bounds(),
        }
    }

    /// Bounds that touch x or not, from 1e-6 to 1e9 wide, some of them infinite.
    fn bounds(&mut self) -> Set {
        let widths = match self.random.below(3) {
            0 => [1.0, 4.0, 1.0, 4.0],
            1 => [2f64.powi(-20), 1.0, 2f64.powi(20), 2f64.powi(30)],
            _ => [2f64.powi(-20), 1.0, 2f64.powi(20), f64::INFINITY],
        };
        let (mut lower, mut upper) = (self.x.clone(), self.x.clone());
        for j in 0..self.n {
            let touches = self.random.below(6);
            if touches != 0 {
                lower[j] -= self.random.pick(&widths);
            } else {
                self.gradient[j] -= self.multiplier();
            }
            if touches != 1 {
                upper[j] += self.random.pick(&widths);
            } else {
                self.gradient[j] += self.multiplier();
            }
        }
        Set::Box { lower, upper }
    }

    fn penalty(&mut self) -> Penalty {
        let kind = self.random.below(6);
        let weight = (1 + self.random.below(8)) as f64 / 4.0;
        if matches!(kind, 0 | 1) {
            for j in 0..self.n {
                let subgradient = match self.x[j] {
                    0.0 => integer(self.random, 4) / 4.0,
                    x => x.signum(),
                };
                self.gradient[j] += weight * subgradient;
            }
        }
        if matches!(kind, 1 | 2) {
            let x = self.x.clone();
            self.add(weight, &x);
        }
        match kind {
            0 => Penalty::L1(weight),
            1 => Penalty::ElasticNet { l1: weight, ridge: weight },
            2 => Penalty::Ridge(weight),
            _ => Penalty::None,
        }
    }

    fn curve(&mut self) -> Curve {
        if self.random.chance(0.5) {
            return Curve::Flat;
        }
        let rank = 1 + self.random.below(self.n.min(10));
        let factor: Vec<Vec<f64>> = (0..rank).map(|_| self.row()).collect();
        for row in &factor {
            let image = dot(row, &self.x);
            self.add(image, row);
        }
        Curve::Quadratic(factor)
    }

    fn row(&mut self) -> Vec<f64> {
        let dense = self.n < 8 || self.random.chance(0.5);
        let share = if dense { 1.0 } else { 5.0 / self.n as f64 };
        let entry = |_| if self.random.chance(share) { integer(self.random, 3) } else { 0.0 };
        (0..self.n).map(entry).collect()
    }

    fn constraints(&mut self, m: usize) {
        let mut left = m;
        while left > 0 {
            let count = 1 + self.random.below(left);
            left -= count;
            match self.random.below(5) {
                0 => self.equalities(count),
                1 => self.intervals(count),
                2 => self.curved(),
                _ => self.half_spaces(count),
            }
        }
    }

    /// Rows, some of them the same, nearly the same, or sums of others.
    fn rows(&mut self, count: usize) -> Vec<Vec<f64>> {
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for k in 0..count {
            let mut row = self.row();
            if k > 0 && self.random.chance(0.25) {
                row = rows[self.random.below(k)].clone();
                match self.random.below(3) {
                    0 => row[self.random.below(self.n)] += 2f64.powi(-20),
                    1 => {
                        let other = rows[self.random.below(k)].clone();
                        row.iter_mut().zip(other).for_each(|(v, w)| *v -= 2.0 * w);
                    }
                    _ => {}
                }
            }
            rows.push(row);
        }
        rows
    }

    fn equalities(&mut self, count: usize) {
        let matrix = self.rows(count);
        for row in &matrix {
            let multiplier = integer(self.random, 16) / 8.0;
            self.add(multiplier, row);
        }
        let offset = matrix.iter().map(|row| dot(row, &self.x)).collect();
        self.blocks.push(Block::affine(Composer::Equal, Rows { matrix, offset }));
    }

    /// Slack 1e-7 to 1, or none and a multiplier.
    fn slack(&mut self) -> Option<f64> {
        self.random.chance(0.5).then(|| self.random.pick(&[2f64.powi(-23), 2f64.powi(-10), 0.25, 1.0]))
    }

    fn half_spaces(&mut self, count: usize) {
        let matrix = self.rows(count);
        let mut offset = Vec::new();
        for row in &matrix {
            let slack = self.slack();
            if slack.is_none() {
                let multiplier = self.multiplier();
                self.add(multiplier, row);
            }
            offset.push(dot(row, &self.x) + slack.unwrap_or(0.0));
        }
        self.blocks.push(Block::affine(Composer::Nonpositive, Rows { matrix, offset }));
    }

    /// Intervals of width 1e-7 to 1, with x at one end or between.
    fn intervals(&mut self, count: usize) {
        let matrix = self.rows(count);
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for row in &matrix {
            let (level, width) = (dot(row, &self.x), self.random.pick(&[2f64.powi(-23), 0.25, 2.0]));
            let (below, sign) = self.random.pick(&[(0.0, -1.0), (1.0, 1.0), (0.5, 0.0)]);
            let multiplier = sign * self.multiplier();
            self.add(multiplier, row);
            lower.push(level - below * width);
            upper.push(level + (1.0 - below) * width);
        }
        let offset = vec![0.0; count];
        self.blocks.push(Block::affine(Composer::Between(lower, upper), Rows { matrix, offset }));
    }

    /// |F x|^2 / 2 + c.x <= b, active.
    fn curved(&mut self) {
        let rank = 1 + self.random.below(self.n.min(4));
        let factor: Vec<Vec<f64>> = (0..rank).map(|_| self.row()).collect();
        let slope = self.row();
        let multiplier = self.multiplier();
        self.add(multiplier, &slope);
        for row in &factor {
            let image = dot(row, &self.x);
            self.add(multiplier * image, row);
        }
        let g = Component { curve: Curve::Quadratic(factor), slope, constant: 0.0 };
        let bound = g.value(&self.x);
        self.blocks.push(Block::at_most(g, bound));
    }
}
