//! Terms that are bounded as a whole: any composer that is at most a level (`composer::Sublevel`).

use super::Plan;
use super::unlike::Maker;
use crate::describe::{Block, Composer, Growth, Instance, Truth};
use crate::random::Random;

pub const FAMILIES: [&str; 5] =
    ["risk at most", "max or smooth max at most", "norm at most", "loss at most", "several at most"];

pub fn instance(family: &'static str, mut random: Random) -> Instance {
    let n = 1 + (40.0 * random.within(0.0, 1.0).powi(3)) as usize;
    let mut plan = Plan { random, n, inside: Vec::new() };
    let domain = plan.domain();
    let bounded = domain.growth() != Growth::Fast;
    let mut maker = Maker { plan, bounded };
    let objective = match domain.growth() {
        // Only the objective holds the minimum.
        Growth::Flat => maker.plan.quadratic_minimal_inside(),
        _ => maker.part(),
    };
    let mut blocks = vec![maker.at_most(family)];
    if family == "several at most" {
        blocks.push(maker.at_most("risk at most"));
        blocks.push(maker.at_most("norm at most"));
    }
    if maker.plan.random.chance(0.3) {
        blocks.push(maker.constraint());
    }
    Instance { family, objective, blocks, domain, truth: Truth::Feasible }
}

impl Maker {
    /// A term, at most a little more than at the planted point. Some touch it there, unless that is where they are least.
    fn at_most(&mut self, family: &str) -> Block {
        let kind = match family {
            "risk at most" => "risk",
            "max or smooth max at most" => self.plan.random.pick(&["max", "log-sum-exp"]),
            "norm at most" => self.plan.random.pick(&["l1 norm", "l2 norm", "linf norm"]),
            _ => self.plan.random.pick(&["huber", "quantile", "power sum", "quadratic", "l1 norm"]),
        };
        let Block { composer, rows } = if kind == "risk" { self.risk() } else { self.term(kind) };
        let composer = match self.plan.random.chance(0.2) {
            true => Composer::Scaled(self.plan.random.positive(1, 0.1, 10.0)[0], Box::new(composer)),
            false => composer,
        };
        let block = Block { composer, rows };
        let value = block.composer.value(&block.values(&self.plan.inside));
        let touches =
            self.plan.random.chance(0.3) && (value > 0.1 || kind == "risk" || family.starts_with("max"));
        let slack = if touches { 0.0 } else { self.plan.random.within(0.05, 0.5) };
        let Block { composer, rows } = block;
        Block { composer: Composer::AtMost(value + slack, Box::new(composer)), rows }
    }
}
