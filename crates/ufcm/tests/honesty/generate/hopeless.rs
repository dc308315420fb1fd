//! Problems without a solution: constraints that contradict each other, objectives that fall for ever.

use super::Plan;
use crate::describe::{
    Block, BlockRows, Component, Composer, Curve, Domain, Instance, Law, Loss, Penalty, Rows, Set, Truth,
};
use crate::random::Random;

pub const FAMILIES: [&str; 6] = [
    "infeasible: half-spaces",
    "infeasible: equalities",
    "infeasible: out of reach",
    "infeasible: curved",
    "unbounded",
    "unbounded in a cone",
];

pub fn instance(family: &'static str, mut random: Random) -> Instance {
    let n = 1 + (60.0 * random.within(0.0, 1.0).powi(3)) as usize;
    let mut plan = Plan { random, n, inside: Vec::new() };
    if family.starts_with("unbounded") {
        return plan.unbounded(family);
    }
    plan.inside = plan.random.vector(n, 1.0);
    let domain = Domain { penalty: Penalty::None, set: plan.box_around() };
    let objective = plan.component();
    // Constraints that can be met hide those that cannot.
    let mut blocks = vec![plan.intervals()];
    let margin = plan.random.positive(1, 1e-2, 1.0)[0];
    let block = match family {
        "infeasible: half-spaces" => plan.opposite(margin),
        "infeasible: equalities" => plan.dependent_equalities(margin),
        "infeasible: out of reach" => plan.out_of_reach(&domain.set, margin),
        _ => plan.too_low(margin),
    };
    blocks.push(block);
    Instance { family, objective, blocks, domain, truth: Truth::Infeasible }
}

impl Plan {
    /// Rows a_1, ..., a_k and minus their sum, each at most 0, which cannot be: together they say 0 <= -margin.
    fn opposite(&mut self, margin: f64) -> Block {
        let count = 1 + self.random.below(4);
        let mut rows = self.rows_through(count);
        rows.matrix.push((0..self.n).map(|i| -rows.matrix.iter().map(|row| row[i]).sum::<f64>()).collect());
        rows.offset.push(-rows.offset.iter().sum::<f64>() - margin);
        Block::affine(Composer::Nonpositive, rows)
    }

    /// Equations, and their sum with another right-hand side.
    fn dependent_equalities(&mut self, margin: f64) -> Block {
        let count = 1 + self.random.below(4);
        let mut rows = self.rows_through(count);
        rows.matrix.push((0..self.n).map(|i| rows.matrix.iter().map(|row| row[i]).sum()).collect());
        rows.offset.push(rows.offset.iter().sum::<f64>() + margin);
        Block::affine(Composer::Equal, rows)
    }

    /// A row that is to be larger than it can be in the box.
    fn out_of_reach(&mut self, set: &Set, margin: f64) -> Block {
        let Set::Box { lower, upper } = set else { unreachable!() };
        let rows = self.rows(1);
        let most: f64 =
            (0..self.n).map(|i| (rows.matrix[0][i] * lower[i]).max(rows.matrix[0][i] * upper[i])).sum();
        Block::affine(Composer::Between(vec![most + margin], vec![most + 2.0 * margin]), rows)
    }

    /// A function that is nowhere negative, at most -margin.
    fn too_low(&mut self, margin: f64) -> Block {
        let loss = self.loss();
        let g = match loss.curve {
            // The Poisson loss can be negative.
            Curve::Data { loss: Loss::Poisson, .. } => {
                Component { slope: vec![0.0; self.n], constant: 0.0, ..self.quadratic(1.0) }
            }
            _ => loss,
        };
        Block::at_most(g, -margin)
    }

    /// A linear function that falls along a few coordinates, which nothing else notices.
    fn unbounded(&mut self, family: &'static str) -> Instance {
        let falling = 1 + self.random.below(self.n);
        self.inside = self.random.vector(self.n, 1.0).iter().map(|x| x.abs()).collect();
        self.inside[..falling].fill(0.0);
        let set = if family == "unbounded" { Set::Free } else { Set::Nonnegative };
        let mut objective = self.linear(1.0);
        objective.slope[..falling].iter_mut().for_each(|c| *c = -c.abs() - 0.1);
        // What does not fall must not fall.
        objective.slope[falling..].iter_mut().for_each(|c| *c = 0.0);
        let mut blocks = Vec::new();
        if falling < self.n {
            let count = 1 + self.random.below(4);
            blocks.push(Block::affine(Composer::Rowwise(Law::Huber(0.5), 1.0), self.rows_through(count)));
            blocks.push(self.intervals());
            let g = self.loss();
            blocks.push(Block::components(Composer::Nonpositive, vec![g]));
        }
        for block in &mut blocks {
            ignore(block, falling);
            if let BlockRows::Components(parts) = &mut block.rows {
                parts[0].constant = -parts[0].value(&self.inside) - 0.1;
            }
        }
        let domain = Domain { penalty: Penalty::None, set };
        Instance { family, objective, blocks, domain, truth: Truth::Unbounded }
    }
}

/// Takes the first coordinates out of every row.
fn ignore(block: &mut Block, coordinates: usize) {
    let matrix = match &mut block.rows {
        BlockRows::Affine(Rows { matrix, .. }) => matrix,
        BlockRows::Components(parts) => match &mut parts[0].curve {
            Curve::Data { data, .. } => data,
            other => unreachable!("{other:?}"),
        },
    };
    matrix.iter_mut().for_each(|row| row[..coordinates].fill(0.0));
}
