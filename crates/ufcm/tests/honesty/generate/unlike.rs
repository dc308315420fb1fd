//! Every composer over rows of every kind, with every domain; sizes 1 to 60, most of them small.

use super::Plan;
use crate::describe::{Block, Component, Composer, Domain, Growth, Instance, Law, Penalty, Rows, Set, Truth};
use crate::random::Random;

pub const FAMILIES: [&str; 21] = [
    "weighted sum",
    "max",
    "nonpositive",
    "log-sum-exp",
    "squared hinge",
    "equality",
    "interval",
    "l1 norm",
    "l2 norm",
    "linf norm",
    "huber",
    "quantile",
    "power sum",
    "quadratic",
    "scaled",
    "stacked",
    "stacked with constraints",
    "repeated",
    "tight",
    "everything",
    "second-order cone",
];

pub fn instance(family: &'static str, mut random: Random) -> Instance {
    let n = 1 + (60.0 * random.within(0.0, 1.0).powi(3)) as usize;
    let mut plan = Plan { random, n, inside: Vec::new() };
    let domain = if family == "second-order cone" { plan.cone() } else { plan.domain() };
    let bounded = domain.growth() != Growth::Fast;
    let mut maker = Maker { plan, bounded };
    let objective = match domain.growth() {
        // Only the objective holds the minimum.
        Growth::Flat => maker.plan.quadratic_minimal_inside(),
        _ => maker.part(),
    };
    let mut instance = Instance { family, objective, blocks: vec![], domain, truth: Truth::Feasible };
    maker.fill(family, &mut instance);
    instance
}

/// Draws parts that fit the domain: where u grows no faster than a norm, they must not fall for ever.
pub struct Maker {
    pub plan: Plan,
    pub bounded: bool,
}

impl Maker {
    fn fill(&mut self, family: &str, instance: &mut Instance) {
        let blocks = &mut instance.blocks;
        match family {
            "nonpositive" | "second-order cone" => {
                let count = 1 + self.plan.random.below(6);
                (0..count).for_each(|_| blocks.push(self.constraint()));
            }
            "equality" => blocks.push(self.plan.equalities()),
            "interval" => blocks.push(self.plan.intervals()),
            "stacked with constraints" => blocks.push(self.mixed_stack()),
            "repeated" => self.repeated(blocks),
            "tight" => self.tight(instance),
            "everything" => {
                for kind in ["weighted sum", "max", "log-sum-exp", "huber", "linf norm"] {
                    if self.plan.random.chance(0.5) {
                        blocks.push(self.term(kind));
                    }
                }
                (0..self.plan.random.below(4)).for_each(|_| blocks.push(self.constraint()));
                blocks.push(self.plan.intervals());
            }
            kind => blocks.push(self.term(kind)),
        }
    }

    /// A component of any kind that fits the domain.
    pub fn part(&mut self) -> Component {
        if self.bounded { self.plan.component_bounded_below() } else { self.plan.component() }
    }

    pub fn parts(&mut self) -> Vec<Component> {
        let count = 1 + self.plan.random.below(6);
        (0..count).map(|_| self.part()).collect()
    }

    /// A term with this composer: over components where it may be, otherwise over affine rows.
    pub fn term(&mut self, kind: &str) -> Block {
        if matches!(kind, "weighted sum" | "max" | "log-sum-exp" | "squared hinge") {
            let parts = self.parts();
            let composer = self.monotone(kind, parts.len());
            return Block::components(composer, parts);
        }
        match kind {
            "scaled" => {
                let factor = self.plan.random.positive(1, 0.1, 10.0)[0];
                let inner = self.plan.random.pick(&["max", "log-sum-exp", "l1 norm", "l2 norm", "power sum"]);
                let Block { composer, rows } = self.term(inner);
                Block { composer: Composer::Scaled(factor, Box::new(composer)), rows }
            }
            "stacked" => self.stack(),
            _ => {
                let rows = self.affine_rows();
                Block::affine(self.norm_like(kind), rows)
            }
        }
    }

    fn monotone(&mut self, kind: &str, rows: usize) -> Composer {
        let eta = self.plan.random.within(0.1, 1.0);
        match kind {
            "max" => Composer::Max,
            "log-sum-exp" => Composer::SmoothMax(eta),
            "squared hinge" => Composer::SquaredHinge(eta),
            _ => {
                let mut weights = self.plan.random.positive(rows, 0.1, 3.0);
                // A row of no weight.
                if rows > 2 {
                    weights[0] = 0.0;
                }
                Composer::Sum(weights)
            }
        }
    }

    fn norm_like(&mut self, kind: &str) -> Composer {
        let random = &mut self.plan.random;
        let weight = random.positive(1, 0.1, 10.0)[0];
        match kind {
            "l1 norm" => Composer::Rowwise(Law::Absolute, weight),
            "l2 norm" => Composer::L2(weight),
            "linf norm" => Composer::Linf(weight),
            "huber" => Composer::Rowwise(Law::Huber(random.within(0.1, 1.0)), weight),
            "quantile" => Composer::Rowwise(Law::Quantile(random.within(0.05, 0.95)), weight),
            "power sum" => Composer::Rowwise(Law::Power(random.within(1.1, 1.9)), weight),
            "quadratic" => Composer::Rowwise(Law::Square, weight),
            other => unreachable!("{other}"),
        }
    }

    /// Through the planted point, so that kinks meet there, or not; a row may be repeated.
    fn affine_rows(&mut self) -> Rows {
        let count = 1 + self.plan.random.below(8);
        let through = self.plan.random.chance(0.5);
        let mut rows = if through { self.plan.rows_through(count) } else { self.plan.rows(count) };
        if self.plan.random.chance(0.2) {
            rows.matrix.push(rows.matrix[0].clone());
            rows.offset.push(rows.offset[0]);
        }
        rows
    }

    /// Several composers over one list of components.
    fn stack(&mut self) -> Block {
        let mut stack = Vec::new();
        let mut all = Vec::new();
        for kind in ["max", "weighted sum", "log-sum-exp", "squared hinge"] {
            if self.plan.random.chance(0.6) || stack.is_empty() {
                let parts = self.parts();
                stack.push((parts.len(), self.monotone(kind, parts.len())));
                all.extend(parts);
            }
        }
        Block::components(Composer::Stacked(stack), all)
    }

    /// A part of the objective and constraints under one composer.
    fn mixed_stack(&mut self) -> Block {
        let mut parts = self.parts();
        let terms = (parts.len(), Composer::Max);
        let bounded: Vec<Component> = (0..2).map(|_| self.holding(0.2)).collect();
        parts.extend(bounded);
        Block::components(Composer::Stacked(vec![terms, (2, Composer::Nonpositive)]), parts)
    }

    /// A component that is at most 0 at the planted point, with this slack at most.
    pub fn holding(&mut self, slack: f64) -> Component {
        let mut g = self.plan.component();
        let touches = self.plan.random.chance(0.3);
        let slack = if touches { 0.0 } else { self.plan.random.within(0.0, slack) };
        g.constant -= g.value(&self.plan.inside) + slack;
        g
    }

    pub fn constraint(&mut self) -> Block {
        Block::components(Composer::Nonpositive, vec![self.holding(0.5)])
    }

    /// Everything twice.
    fn repeated(&mut self, blocks: &mut Vec<Block>) {
        let (constraint, equality) = (self.constraint(), self.plan.equalities());
        let parts = self.parts();
        let twice = parts.iter().chain(&parts).cloned().collect();
        let mut all = vec![constraint];
        if self.plan.random.chance(0.5) {
            all.push(equality);
        }
        blocks.extend(all.iter().chain(&all).cloned());
        blocks.push(Block::components(Composer::Max, twice));
    }

    /// The planted point is the least of the objective, and every constraint touches it: multipliers may be 0.
    fn tight(&mut self, instance: &mut Instance) {
        instance.objective = self.plan.quadratic_minimal_inside();
        let count = 1 + self.plan.random.below(4);
        (0..count).for_each(|_| {
            let mut g = self.plan.component();
            g.constant -= g.value(&self.plan.inside);
            instance.blocks.push(Block::components(Composer::Nonpositive, vec![g]));
        });
        if matches!(instance.domain.penalty, Penalty::None) {
            instance.truth = Truth::Minimiser(self.plan.inside.clone());
        }
    }
}

impl Plan {
    /// The second-order cone, which is flat: what holds the minimum is the objective.
    fn cone(&mut self) -> Domain {
        self.inside = self.random.vector(self.n, 1.0);
        self.inside[0] =
            self.inside[1..].iter().map(|x| x * x).sum::<f64>().sqrt() * self.random.pick(&[1.0, 1.5]);
        Domain { penalty: Penalty::None, set: Set::SecondOrderCone }
    }
}
