//! Curved components, an affine block of hundreds of rows, l1 and a box at once; half of them solved by sliding.

use super::Plan;
use crate::describe::{Block, Component, Composer, Domain, Instance, Law, Penalty, Rows, Set, Truth};
use crate::random::Random;

/// The second asks for [`MethodRule::Sliding`](ufcm::settings::MethodRule::Sliding).
pub const FAMILIES: [&str; 2] = ["mixed", BY_SLIDING];
pub const BY_SLIDING: &str = "mixed, by sliding";

pub fn instance(family: &'static str, mut random: Random) -> Instance {
    let n = 5 + random.below(36);
    let inside = random.vector(n, 0.5);
    let weight = random.positive(1, 1e-3, 0.1)[0];
    let mut plan = Plan { random, n, inside };
    let objective = plan.component_bounded_below();
    let mut blocks: Vec<Block> = (0..1 + plan.random.below(2)).map(|_| plan.bounded_component()).collect();
    blocks.push(plan.many_rows());
    if plan.random.chance(0.5) {
        let rows = plan.rows(10 + plan.n);
        blocks.push(Block::affine(Composer::Rowwise(Law::Absolute, 0.1 * weight), rows));
    }
    let set = Set::Box { lower: vec![-1.0; n], upper: vec![1.0; n] };
    let domain = Domain { penalty: Penalty::L1(weight), set };
    Instance { family, objective, blocks, domain, truth: Truth::Feasible }
}

impl Plan {
    /// A curved component that holds at the planted point with some room.
    fn bounded_component(&mut self) -> Block {
        let mut g: Component = self.quadratic(1.0);
        g.constant -= g.value(&self.inside) + self.random.within(0.01, 0.5);
        Block::components(Composer::Nonpositive, vec![g])
    }

    /// 300 to 600 rows, a third of their entries not 0, that hold at the planted point with some room.
    fn many_rows(&mut self) -> Block {
        let count = 300 + self.random.below(300);
        let Rows { mut matrix, .. } = self.rows(count);
        for entry in matrix.iter_mut().flatten() {
            if self.random.chance(2.0 / 3.0) {
                *entry = 0.0;
            }
        }
        let mut rows = Rows { matrix, offset: vec![0.0; count] };
        rows.offset = rows.values(&self.inside).iter().map(|v| v + self.random.within(0.01, 1.0)).collect();
        Block::affine(Composer::Nonpositive, rows)
    }
}
