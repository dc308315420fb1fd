//! The program: variables, rows in cones, the cost.

use super::Expression;

/// A cone that rows lie in together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cone {
    /// The first is at least the Euclidean norm of the others.
    SecondOrder,
    /// b exp(a / b) <= c, b > 0.
    Exponential,
    /// a^p b^(1-p) >= |c|, a, b >= 0.
    Power(f64),
}

/// Rows that lie in a cone together.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) cone: Cone,
    pub(crate) rows: Vec<Expression>,
}

/// A conic program in the making.
///
/// Its variables are x, then the values z of the rows, then those that [`Form::variable`] makes. Rows that have one sign or are 0
/// are kept together; the others make a cone each.
#[derive(Debug)]
pub struct Form {
    variables: usize,
    pub(crate) cost: Expression,
    /// The upper triangle of P; entries given twice are added.
    pub(crate) curvature: Vec<(usize, usize, f64)>,
    pub(crate) zero: Vec<Expression>,
    pub(crate) nonnegative: Vec<Expression>,
    pub(crate) cones: Vec<Block>,
    /// What is being written stands in the cost, with this factor: squares may go into P.
    weight: Option<f64>,
    /// Entries that there may still be.
    room: usize,
}

impl Form {
    /// A program over this many variables that takes so many entries at most.
    #[must_use]
    pub fn new(variables: usize, room: usize) -> Self {
        Self {
            variables,
            cost: Expression::default(),
            curvature: Vec::new(),
            zero: Vec::new(),
            nonnegative: Vec::new(),
            cones: Vec::new(),
            weight: None,
            room,
        }
    }

    /// Whether it is too large already: what is still written is forgotten.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.room == 0
    }

    pub(crate) fn variables(&self) -> usize {
        self.variables
    }

    fn takes(&mut self, entries: usize) -> bool {
        self.room = self.room.saturating_sub(entries.max(1));
        !self.is_full()
    }

    /// A new variable.
    pub fn variable(&mut self) -> Expression {
        self.variables += 1;
        Expression::variable(self.variables - 1)
    }

    /// e = 0.
    pub fn zero(&mut self, e: Expression) {
        if self.takes(e.terms.len()) {
            self.zero.push(e);
        }
    }

    /// e >= 0.
    pub fn nonnegative(&mut self, e: Expression) {
        if self.takes(e.terms.len()) {
            self.nonnegative.push(e);
        }
    }

    /// |tail| <= head.
    pub fn second_order(&mut self, head: Expression, tail: impl IntoIterator<Item = Expression>) {
        let rows: Vec<Expression> = std::iter::once(head).chain(tail).collect();
        if rows.len() == 1 {
            rows.into_iter().for_each(|head| self.nonnegative(head));
        } else {
            self.cone(Cone::SecondOrder, rows);
        }
    }

    /// Rows that lie in a cone together: any number in a second-order one, three in the others.
    pub fn in_cone(&mut self, cone: Cone, rows: Vec<Expression>) {
        let mut rows = rows.into_iter();
        match (cone, rows.next()) {
            (_, None) => {}
            (Cone::SecondOrder, Some(head)) => self.second_order(head, rows),
            (cone, Some(first)) => self.cone(cone, std::iter::once(first).chain(rows).collect()),
        }
    }

    /// Rows in a cone of their own.
    pub(super) fn cone(&mut self, cone: Cone, rows: Vec<Expression>) {
        if self.takes(rows.iter().map(|row| row.terms.len()).sum()) {
            self.cones.push(Block { cone, rows });
        }
    }

    /// The factor with which what is being written stands in the cost, if it does.
    #[must_use]
    pub fn cost_factor(&self) -> Option<f64> {
        self.weight
    }

    /// Runs `work` on what stands in the cost with this factor, or elsewhere.
    pub(crate) fn in_cost<T>(&mut self, weight: Option<f64>, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.weight, weight);
        let done = work(self);
        self.weight = before;
        done
    }

    /// `factor` times what `work` writes, `factor` >= 0.
    pub fn scaled(
        &mut self,
        factor: f64,
        work: impl FnOnce(&mut Self) -> Option<Expression>,
    ) -> Option<Expression> {
        let weight = self.weight.map(|weight| factor * weight);
        Some(self.in_cost(weight, work)?.times(factor))
    }

    /// Adds 1/2 sum of v y_i y_j over the entries of a symmetric matrix, of which those with i <= j are given, to the
    /// cost. Only for what stands there.
    pub(super) fn add_curvature(&mut self, entries: impl IntoIterator<Item = (usize, usize, f64)>) {
        let weight = self.weight.unwrap_or(0.0);
        for (i, j, v) in entries {
            if v != 0.0 && self.takes(1) {
                self.curvature.push((i.min(j), i.max(j), weight * v));
            }
        }
    }

    /// Adds an expression to the cost.
    pub(crate) fn pay(&mut self, e: &Expression) {
        self.cost.add(1.0, e);
    }
}
