//! What ranks: several classes (softmax), the worst share of the rows (conditional value at risk), weights by size (sorted l1).

use super::Plan;
use super::unlike::Maker;
use crate::describe::{
    Block, Component, Composer, Curve, Domain, Growth, Instance, Penalty, Set, Truth, norm,
};
use crate::random::Random;

pub const FAMILIES: [&str; 4] =
    ["multinomial logistic", "conditional value at risk", "sorted l1", "risk of classes, sorted l1"];

pub fn instance(family: &'static str, mut random: Random) -> Instance {
    let (features, classes) = (1 + random.below(7), 2 + random.below(3));
    let mut plan = Plan { random, n: features * classes, inside: Vec::new() };
    let domain = if family.ends_with("sorted l1") { plan.sorted_domain() } else { plan.domain() };
    let bounded = domain.growth() != Growth::Fast;
    let mut maker = Maker { plan, bounded };
    let has_classes = family.contains("classes") || family.starts_with("multinomial");
    let objective = if has_classes { maker.plan.softmax(classes) } else { maker.part() };
    let mut blocks = Vec::new();
    match family {
        "multinomial logistic" => {
            if maker.plan.random.chance(0.5) {
                blocks.push(maker.held_softmax(classes));
            }
            if maker.plan.random.chance(0.3) {
                let count = 1 + maker.plan.random.below(3);
                let parts = (0..count).map(|_| maker.plan.softmax(classes)).collect();
                blocks.push(Block::components(Composer::Max, parts));
            }
        }
        "conditional value at risk" => blocks.push(maker.risk()),
        "sorted l1" => {
            if maker.plan.random.chance(0.5) {
                blocks.push(maker.constraint());
            }
        }
        _ => {
            let count = 2 + maker.plan.random.below(6);
            let parts = (0..count).map(|_| maker.plan.softmax(classes)).collect();
            let alpha = maker.plan.share();
            blocks.push(Block::components(Composer::Risk(alpha), parts));
            if maker.plan.random.chance(0.5) {
                blocks.push(maker.held_softmax(classes));
            }
        }
    }
    Instance { family, objective, blocks, domain, truth: Truth::Feasible }
}

impl Maker {
    /// A softmax loss that is at most 0 at the planted point, once its constant is taken off.
    fn held_softmax(&mut self, classes: usize) -> Block {
        let mut g = self.plan.softmax(classes);
        let touches = self.plan.random.chance(0.3);
        let slack = if touches { 0.0 } else { self.plan.random.within(0.0, 0.3) };
        g.constant -= g.value(&self.plan.inside) + slack;
        Block::components(Composer::Nonpositive, vec![g])
    }

    /// Over components; where u outgrows them also over affine rows, which may fall for ever. Rows may be repeated, and h
    /// scaled.
    pub fn risk(&mut self) -> Block {
        let alpha = self.plan.share();
        let composer = match self.plan.random.chance(0.3) {
            true => {
                Composer::Scaled(self.plan.random.positive(1, 0.1, 10.0)[0], Box::new(Composer::Risk(alpha)))
            }
            false => Composer::Risk(alpha),
        };
        if !self.bounded && self.plan.random.chance(0.5) {
            let count = 1 + self.plan.random.below(30);
            let through = self.plan.random.chance(0.5);
            let rows = if through { self.plan.rows_through(count) } else { self.plan.rows(count) };
            return Block::affine(composer, rows);
        }
        let mut parts = self.parts();
        if self.plan.random.chance(0.2) {
            parts.push(parts[0].clone());
        }
        Block::components(composer, parts)
    }
}

impl Plan {
    /// alpha: all rows, some, or fewer than one.
    fn share(&mut self) -> f64 {
        match self.random.below(6) {
            0 => 1.0,
            1 => 0.5,
            2 => 0.05,
            _ => self.random.within(0.1, 0.95),
        }
    }

    /// Over all variables, whose number is a multiple of the classes. Not every class has a sample.
    fn softmax(&mut self, classes: usize) -> Component {
        let features = self.n / classes;
        let count = 1 + self.random.below(8);
        let size = 1.5 / (features as f64).sqrt();
        let data = (0..count).map(|_| self.random.vector(features, size)).collect();
        let labels = (0..count).map(|_| self.random.below(classes)).collect();
        let curve = Curve::Softmax { data, labels, classes };
        Component { curve, slope: vec![0.0; self.n], constant: 0.0 }
    }

    /// Weights that fall, some of them equal, the last perhaps 0; over the whole space or a ball around 0.
    fn sorted_domain(&mut self) -> Domain {
        self.inside = self.random.vector(self.n, 1.0);
        let mut weights = self.random.positive(self.n, 0.003, 0.2);
        weights.sort_by(|a, b| b.total_cmp(a));
        if self.random.chance(0.4) {
            let middle = self.n / 2;
            let level = weights[middle];
            weights[middle..].fill(if self.random.chance(0.5) { level } else { 0.0 });
        }
        let set = match self.random.chance(0.3) {
            true => {
                let radius = norm(self.inside.iter().copied()) * self.random.within(1.0, 2.0) + 0.1;
                Set::Ball { radius, centre: vec![0.0; self.n] }
            }
            false => Set::Free,
        };
        Domain { penalty: Penalty::Sorted(weights), set }
    }
}
