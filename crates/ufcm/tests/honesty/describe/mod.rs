//! A convex problem as plain data, with its own evaluation: what the solver reports is held against these formulas, and
//! both the solver's form and the conic form are built from them.

mod component;
mod composer;
mod domain;
mod law;

pub use component::{Component, Curve, Loss, scores};
pub use composer::{Composer, split};
pub use domain::{Domain, Growth, Penalty, Set};
pub use law::Law;

/// x -> A x - b.
#[derive(Debug, Clone)]
pub struct Rows {
    pub matrix: Vec<Vec<f64>>,
    pub offset: Vec<f64>,
}

#[derive(Debug, Clone)]
pub enum BlockRows {
    Components(Vec<Component>),
    Affine(Rows),
}

/// h over its rows: a part of the objective, a constraint, or both in one.
#[derive(Debug, Clone)]
pub struct Block {
    pub composer: Composer,
    pub rows: BlockRows,
}

/// What the construction knows of the optimum.
#[derive(Debug, Clone, PartialEq)]
pub enum Truth {
    /// There is a feasible point.
    Feasible,
    /// This point is a minimiser.
    Minimiser(Vec<f64>),
    Infeasible,
    Unbounded,
}

#[derive(Debug, Clone)]
pub struct Instance {
    pub family: &'static str,
    pub objective: Component,
    pub blocks: Vec<Block>,
    pub domain: Domain,
    pub truth: Truth,
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn norm(v: impl Iterator<Item = f64>) -> f64 {
    v.map(|v| v * v).sum::<f64>().sqrt()
}

impl Rows {
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        self.matrix.iter().zip(&self.offset).map(|(row, b)| dot(row, x) - b).collect()
    }
}

impl Block {
    pub fn components(composer: Composer, components: Vec<Component>) -> Self {
        Self { composer, rows: BlockRows::Components(components) }
    }

    pub fn affine(composer: Composer, rows: Rows) -> Self {
        Self { composer, rows: BlockRows::Affine(rows) }
    }

    /// g(x) <= bound
    pub fn at_most(mut g: Component, bound: f64) -> Self {
        g.constant -= bound;
        Self::components(Composer::Nonpositive, vec![g])
    }

    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        match &self.rows {
            BlockRows::Components(components) => components.iter().map(|g| g.value(x)).collect(),
            BlockRows::Affine(rows) => rows.values(x),
        }
    }
}

impl Instance {
    pub fn dimension(&self) -> usize {
        self.objective.slope.len()
    }

    /// What stands in the objective, constraints left aside.
    pub fn objective_at(&self, x: &[f64]) -> f64 {
        let blocks: f64 = self.blocks.iter().map(|block| block.composer.value(&block.values(x))).sum();
        self.objective.value(x) + blocks + self.domain.value(x)
    }

    /// What the violation is at most; terms that are bounded as a whole are measured by a point of their set.
    #[allow(dead_code, reason = "the adversary suite bounds no terms as a whole")]
    pub fn most_violated_at(&self, x: &[f64]) -> f64 {
        norm(self.blocks.iter().flat_map(|block| block.composer.most_violated(&block.values(x))))
    }

    /// The Euclidean norm of the violations of all rows.
    pub fn violation_at(&self, x: &[f64]) -> f64 {
        norm(self.blocks.iter().flat_map(|block| block.composer.violations(&block.values(x))))
    }
}
