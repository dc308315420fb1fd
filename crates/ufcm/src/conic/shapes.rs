//! Functions that many parts share. Each answers with an expression that can be as small as the function's value.

use super::{Cone, Expression, Form};

impl Form {
    /// |e|
    pub fn absolute(&mut self, e: &Expression) -> Expression {
        let t = self.variable();
        self.nonnegative(t.clone().plus(-1.0, e));
        self.nonnegative(t.clone().plus(1.0, e));
        t
    }

    /// above max(e, 0) + below max(-e, 0), above + below >= 0.
    pub fn slopes(&mut self, e: &Expression, above: f64, below: f64) -> Expression {
        if above == -below {
            return e.clone().times(above);
        }
        let t = self.variable();
        self.nonnegative(t.clone().plus(-above, e));
        self.nonnegative(t.clone().plus(below, e));
        t
    }

    /// max(e, 0)
    pub fn positive_part(&mut self, e: &Expression) -> Expression {
        self.slopes(e, 1.0, 0.0)
    }

    /// The largest of several.
    pub fn largest(&mut self, z: &[Expression]) -> Expression {
        let t = self.variable();
        z.iter().for_each(|z| self.nonnegative(t.clone().plus(-1.0, z)));
        t
    }

    /// The sum of the `count` largest, the last of them in part: by duality the least of count t + sum of max(z_j - t, 0).
    pub fn sum_of_largest(&mut self, count: f64, z: &[Expression]) -> Expression {
        let t = self.variable();
        let mut sum = t.clone().times(count);
        for z in z {
            let excess = self.positive_part(&z.clone().plus(-1.0, &t));
            sum.add(1.0, &excess);
        }
        sum
    }

    /// |z|, the Euclidean norm.
    pub fn norm(&mut self, z: Vec<Expression>) -> Expression {
        let t = self.variable();
        self.second_order(t.clone(), z);
        t
    }

    /// The largest of |z_j|.
    pub fn largest_size(&mut self, z: &[Expression]) -> Expression {
        let t = self.variable();
        for z in z {
            self.nonnegative(t.clone().plus(-1.0, z));
            self.nonnegative(t.clone().plus(1.0, z));
        }
        t
    }

    /// 1/2 sum of z_j^2: in the cost by P, elsewhere by a second-order cone, |(z, t - 1/2)| <= t + 1/2.
    pub fn half_squares(&mut self, z: Vec<Expression>) -> Expression {
        if self.cost_factor().is_some() {
            for z in z {
                let single = z.single().unwrap_or_else(|| {
                    let t = self.variable();
                    let index = t.terms[0].0;
                    self.zero(t.plus(-1.0, &z));
                    (index, 1.0)
                });
                self.add_curvature([(single.0, single.0, single.1 * single.1)]);
            }
            return Expression::default();
        }
        let t = self.variable();
        let tail = z.into_iter().chain([t.clone().shifted(-0.5)]);
        self.second_order(t.clone().shifted(0.5), tail);
        t
    }

    /// 1/2 x'Q x, from the entries (i, j, v) of Q with i <= j. Only in the cost, and of arguments that are variables.
    pub fn quadratic(
        &mut self,
        entries: impl IntoIterator<Item = (usize, usize, f64)>,
        x: &[Expression],
    ) -> Option<Expression> {
        self.cost_factor()?;
        let x = x.iter().map(Expression::single).collect::<Option<Vec<_>>>()?;
        self.add_curvature(entries.into_iter().map(|(i, j, v)| (x[i].0, x[j].0, x[i].1 * x[j].1 * v)));
        Some(Expression::default())
    }

    /// e^2 / 2 up to |e| = delta, delta (|e| - delta/2) beyond: the least of w^2 / 2 + delta |e - w|.
    pub fn huber(&mut self, e: &Expression, delta: f64) -> Expression {
        let near = self.variable();
        let far = self.absolute(&e.clone().plus(-1.0, &near));
        self.half_squares(vec![near]).plus(delta, &far)
    }

    /// max(e, 0)^2 / 2
    pub fn half_positive_square(&mut self, e: &Expression) -> Expression {
        let positive = self.positive_part(e);
        self.half_squares(vec![positive])
    }

    /// exp(e)
    pub fn exponential(&mut self, e: Expression) -> Expression {
        let t = self.variable();
        self.cone(Cone::Exponential, vec![e, Expression::constant(1.0), t.clone()]);
        t
    }

    /// -log(e): -t with exp(t) <= e.
    pub fn negative_log(&mut self, e: Expression) -> Expression {
        let t = self.variable();
        self.cone(Cone::Exponential, vec![t.clone(), Expression::constant(1.0), e]);
        t.times(-1.0)
    }

    /// e log(e): t with e exp(-t/e) <= 1.
    pub fn negative_entropy(&mut self, e: Expression) -> Expression {
        let t = self.variable();
        self.cone(Cone::Exponential, vec![t.clone().times(-1.0), e, Expression::constant(1.0)]);
        t
    }

    /// w / e, w >= 0: t with t e >= w. The weight is inside the cone: rows of which it is little have a small t then, and t and e are of one size.
    pub fn reciprocal(&mut self, e: &Expression, w: f64) -> Expression {
        let t = self.variable();
        let tail = vec![e.clone().plus(-1.0, &t), Expression::constant(2.0 * w.sqrt())];
        self.second_order(e.clone().plus(1.0, &t), tail);
        t
    }

    /// log of sum of exp(z_j): t with sum of exp(z_j - t) <= 1.
    pub fn log_sum_exp(&mut self, z: &[Expression]) -> Expression {
        let t = self.variable();
        let mut rest = Expression::constant(1.0);
        for z in z {
            let e = self.exponential(z.clone().plus(-1.0, &t));
            rest.add(-1.0, &e);
        }
        self.nonnegative(rest);
        t
    }

    /// |e|^p, p >= 1.
    pub fn power(&mut self, e: &Expression, p: f64) -> Expression {
        if p == 1.0 {
            return self.absolute(e);
        }
        if p == 2.0 {
            let twice = self.scaled(2.0, |form| Some(form.half_squares(vec![e.clone()])));
            return twice.unwrap_or_default();
        }
        let t = self.variable();
        self.cone(Cone::Power(1.0 / p), vec![t.clone(), Expression::constant(1.0), e.clone()]);
        t
    }
}
