//! Problems with a planted ray along which the objective falls for ever. All numbers are integers times powers of 2.

use super::{Base, Reference};
use crate::describe::{
    Block, Component, Composer, Curve, Domain, Instance, Law, Penalty, Rows, Set, Truth, dot,
};
use crate::lp::integer;
use crate::random::Random;

/// A feasible point, and a ray from it.
struct Ray<'a> {
    random: &'a mut Random,
    n: usize,
    x: Vec<f64>,
    d: Vec<f64>,
}

pub fn base(random: &mut Random) -> Base {
    let n = 1 + (random.pick(&[4.0, 20.0]) * random.within(0.0, 1.0).powi(2)) as usize;
    let set = random.pick(&[0, 1, 2]);
    let entry = |_| if set == 0 { integer(random, 2) } else { integer(random, 2).abs() };
    let mut d: Vec<f64> = (0..n).map(entry).collect();
    d[random.below(n)] = 1.0;
    let x: Vec<f64> = (0..n).map(|_| integer(random, 8).abs() / 4.0).collect();
    let mut ray = Ray { random, n, x, d };
    let penalty = if ray.random.chance(0.3) { Penalty::L1(0.25) } else { Penalty::None };
    let set = match set {
        0 => Set::Free,
        1 => Set::Nonnegative,
        _ => ray.bounds(),
    };
    let objective = ray.objective(matches!(penalty, Penalty::L1(_)));
    let blocks = ray.blocks();
    let domain = Domain { penalty, set };
    let instance = Instance { family: "ray", objective, blocks, domain, truth: Truth::Unbounded };
    Base { instance, reference: Reference::Unbounded, margin: None }
}

impl Ray<'_> {
    /// A row that does not see the ray.
    fn row_across(&mut self) -> Vec<f64> {
        let row: Vec<f64> = (0..self.n).map(|_| integer(self.random, 2)).collect();
        let (along, length) = (dot(&row, &self.d), dot(&self.d, &self.d));
        row.iter().zip(&self.d).map(|(a, d)| a * length - along * d).collect()
    }

    /// A row that falls along the ray, or does not see it.
    fn row_down(&mut self) -> Vec<f64> {
        let row: Vec<f64> = (0..self.n).map(|_| integer(self.random, 3)).collect();
        if dot(&row, &self.d) > 0.0 { row.iter().map(|a| -a).collect() } else { row }
    }

    /// Bounds below everywhere; above where the ray does not go.
    fn bounds(&mut self) -> Set {
        let lower = self.x.iter().map(|x| x - self.random.below(3) as f64).collect();
        let upper = self.x.iter().zip(&self.d);
        let upper = upper.map(|(x, d)| if *d > 0.0 { f64::INFINITY } else { x + 1.0 }).collect();
        Set::Box { lower, upper }
    }

    /// It falls by 1 or more along the ray: slowly, against a part that does not see the ray, or fast. Where there is a
    /// penalty of 1/4 |x|_1, it falls by more than that grows.
    fn objective(&mut self, penalised: bool) -> Component {
        let length: f64 = self.d.iter().map(|d| d.abs()).sum();
        let mut slope = self.row_across();
        let fall = if penalised { 1.0 } else { self.random.pick(&[2f64.powi(-10), 0.25, 1.0]) };
        // The slope along d is minus |d|^2 times the fall, at least |d|_1 times the fall for integers.
        slope.iter_mut().zip(&self.d).for_each(|(c, d)| *c -= fall * d);
        debug_assert!(dot(&slope, &self.d) + if penalised { 0.25 * length } else { 0.0 } < 0.0);
        let curve = match self.random.chance(0.5) {
            true => Curve::Quadratic((0..1 + self.random.below(3)).map(|_| self.row_across()).collect()),
            false => Curve::Flat,
        };
        Component { curve, slope, constant: 0.0 }
    }

    fn blocks(&mut self) -> Vec<Block> {
        let mut blocks = Vec::new();
        for _ in 0..self.random.below(4) {
            let count = 1 + self.random.below(3);
            let kind = self.random.below(4);
            let row = |ray: &mut Self| if kind == 0 { ray.row_down() } else { ray.row_across() };
            let matrix: Vec<Vec<f64>> = (0..count).map(|_| row(self)).collect();
            let levels: Vec<f64> = matrix.iter().map(|row| dot(row, &self.x)).collect();
            let (composer, offset) = match kind {
                0 => {
                    (Composer::Nonpositive, levels.iter().map(|v| v + self.random.below(2) as f64).collect())
                }
                1 => (Composer::Equal, levels),
                2 => (Composer::Rowwise(Law::Huber(0.5), 1.0), levels),
                _ => {
                    let upper = levels.iter().map(|v| v + 1.0).collect();
                    (Composer::Between(levels, upper), vec![0.0; count])
                }
            };
            blocks.push(Block::affine(composer, Rows { matrix, offset }));
        }
        blocks
    }
}
