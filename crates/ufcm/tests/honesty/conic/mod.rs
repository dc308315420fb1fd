//! An instance as a conic program for Clarabel.

mod expression;
mod program;

pub use expression::Expression;
pub use program::{Answer, Program};

use crate::describe::{
    Block, BlockRows, Component, Composer, Curve, Domain, Instance, Law, Penalty, Rows, Set, scores, split,
};

/// What Clarabel says of an instance.
pub fn answer_of(instance: &Instance) -> Answer {
    program_of(instance).solve()
}

pub fn program_of(instance: &Instance) -> Program {
    let n = instance.dimension();
    let mut program = Program::over(n);
    program.pay_component(1.0, &instance.objective);
    instance.blocks.iter().for_each(|block| program.add_block(block));
    program.add_penalty(&instance.domain, n);
    program.add_set(&instance.domain.set, n);
    program
}

impl Program {
    /// An expression that can be as small as g(x): g(x) itself where g is affine.
    fn above_component(&mut self, g: &Component) -> Expression {
        self.above_curve(&g.curve).plus(1.0, &Expression::dense(&g.slope, g.constant))
    }

    fn above_curve(&mut self, curve: &Curve) -> Expression {
        match curve {
            Curve::Flat => Expression::default(),
            Curve::Times(factor, curve) => self.above_curve(curve).times(*factor),
            Curve::Quadratic(factor) => {
                self.half_square(factor.iter().map(|row| Expression::dense(row, 0.0)).collect())
            }
            Curve::LogSumExp(rows) => self.log_sum_exp(&expressions(rows)),
            Curve::Data { loss, data, targets } => {
                let mut sum = Expression::default();
                for (row, y) in data.iter().zip(targets) {
                    let (sample, t) = (loss.at(*y), Expression::dense(row, 0.0));
                    let e = self.above(sample.law, &t.clone().times(sample.scale).shifted(sample.shift));
                    sum = sum.plus(1.0, &e).plus(sample.tilt, &t);
                }
                sum.times(loss.share(data.len()))
            }
            Curve::Softmax { data, labels, classes } => {
                let mut sum = Expression::default();
                for (row, label) in data.iter().zip(labels) {
                    let scores = scores(row, *classes);
                    let z: Vec<_> = scores.iter().map(|row| Expression::dense(row, 0.0)).collect();
                    sum = sum.plus(1.0, &self.log_sum_exp(&z)).plus(-1.0, &z[*label]);
                }
                sum.times(1.0 / data.len() as f64)
            }
        }
    }

    /// Adds weight g(x) to the objective.
    fn pay_component(&mut self, weight: f64, g: &Component) {
        if let Curve::Quadratic(factor) = &g.curve {
            self.pay(weight, &Expression::dense(&g.slope, g.constant));
            factor.iter().for_each(|row| self.pay_square(weight, &Expression::dense(row, 0.0)));
        } else if weight != 0.0 {
            let e = self.above_component(g);
            self.pay(weight, &e);
        }
    }

    fn add_block(&mut self, block: &Block) {
        match (&block.composer, &block.rows) {
            (Composer::Sum(weights), BlockRows::Components(parts)) => {
                weights.iter().zip(parts).for_each(|(w, g)| self.pay_component(*w, g));
            }
            (composer, BlockRows::Components(parts)) => {
                let z: Vec<_> = parts.iter().map(|g| self.above_component(g)).collect();
                self.add_composer(1.0, composer, &z);
            }
            (composer, BlockRows::Affine(rows)) => self.add_composer(1.0, composer, &expressions(rows)),
        }
    }

    /// Adds weight h(z) to the objective, or its domain to the constraints.
    fn add_composer(&mut self, weight: f64, composer: &Composer, z: &[Expression]) {
        let value = self.above_composer(composer, z);
        self.pay(weight, &value);
    }

    /// An expression that can be as small as h(z); nothing for constraints, which are added.
    fn above_composer(&mut self, composer: &Composer, z: &[Expression]) -> Expression {
        let nothing = Expression::default();
        match composer {
            Composer::Sum(weights) => weights.iter().zip(z).fold(nothing, |sum, (w, z)| sum.plus(*w, z)),
            Composer::Max => {
                let t = self.variable();
                z.iter().for_each(|z| self.nonnegative(t.clone().plus(-1.0, z)));
                t
            }
            Composer::Risk(alpha) => {
                let worst = alpha * z.len() as f64;
                self.largest(worst, z).times(1.0 / worst)
            }
            Composer::SmoothMax(eta) => {
                let scaled: Vec<_> = z.iter().map(|z| z.clone().times(1.0 / eta)).collect();
                self.log_sum_exp(&scaled).times(*eta)
            }
            Composer::SquaredHinge(eta) => {
                self.above_composer(&Composer::Rowwise(Law::PositiveSquare, 1.0), z).times(1.0 / (eta * eta))
            }
            Composer::Rowwise(law, factor) => z.iter().fold(nothing, |sum, z| {
                let t = self.above(*law, z);
                sum.plus(*factor, &t)
            }),
            Composer::L2(factor) => {
                let t = self.variable();
                self.second_order(t.clone(), z.to_vec());
                t.times(*factor)
            }
            Composer::Linf(factor) => {
                let t = self.variable();
                z.iter().for_each(|z| self.absolute(&t, z));
                t.times(*factor)
            }
            Composer::Scaled(factor, inner) => self.above_composer(inner, z).times(*factor),
            Composer::Stacked(parts) => {
                split(parts, z).fold(nothing, |sum, (h, z)| sum.plus(1.0, &self.above_composer(h, z)))
            }
            constraint => {
                self.add_constraint(constraint, z);
                nothing
            }
        }
    }

    fn add_constraint(&mut self, composer: &Composer, z: &[Expression]) {
        match composer {
            Composer::Nonpositive => z.iter().for_each(|z| self.nonnegative(z.clone().times(-1.0))),
            Composer::Equal => z.iter().for_each(|z| self.zero(z.clone())),
            Composer::Between(lower, upper) => {
                for (z, (l, u)) in z.iter().zip(lower.iter().zip(upper)) {
                    if l.is_finite() {
                        self.nonnegative(z.clone().shifted(-l));
                    }
                    if u.is_finite() {
                        self.nonnegative(z.clone().times(-1.0).shifted(*u));
                    }
                }
            }
            Composer::AtMost(level, inner) => {
                let value = self.above_composer(inner, z);
                self.nonnegative(value.times(-1.0).shifted(*level));
            }
            other => unreachable!("{other:?} is no constraint"),
        }
    }

    /// An expression that can be as small as the sum of the `count` largest of z, the last of them in part: by duality the
    /// least of count t + sum of max(z_j - t, 0) over t.
    fn largest(&mut self, count: f64, z: &[Expression]) -> Expression {
        let t = self.variable();
        let mut sum = t.clone().times(count);
        for z in z {
            let excess = self.positive_part(&z.clone().plus(-1.0, &t));
            sum = sum.plus(1.0, &excess);
        }
        sum
    }

    fn add_penalty(&mut self, domain: &Domain, n: usize) {
        let x: Vec<_> = (0..n).map(Expression::variable).collect();
        match &domain.penalty {
            Penalty::None => {}
            Penalty::L1(weight) => self.add_composer(*weight, &Composer::Rowwise(Law::Absolute, 1.0), &x),
            Penalty::Ridge(weight) => x.iter().for_each(|x| self.pay_square(*weight, x)),
            Penalty::ElasticNet { l1, ridge } => {
                self.add_composer(*l1, &Composer::Rowwise(Law::Absolute, 1.0), &x);
                x.iter().for_each(|x| self.pay_square(*ridge, x));
            }
            Penalty::Weighted { l1, ridge } => {
                for ((x, l1), ridge) in x.iter().zip(l1).zip(ridge) {
                    self.add_composer(*l1, &Composer::Rowwise(Law::Absolute, 1.0), std::slice::from_ref(x));
                    self.pay_square(*ridge, x);
                }
            }
            Penalty::Groups { groups, weight } => {
                groups.iter().for_each(|g| self.add_composer(*weight, &Composer::L2(1.0), &x[g.clone()]));
            }
            Penalty::Sorted(weights) => {
                let sizes: Vec<_> = x.iter().map(|x| self.above(Law::Absolute, x)).collect();
                // Every step down of the weights counts the sum of the largest before it.
                for (k, w) in weights.iter().enumerate() {
                    let step = w - weights.get(k + 1).unwrap_or(&0.0);
                    if step > 0.0 {
                        let largest = self.largest((k + 1) as f64, &sizes);
                        self.pay(step, &largest);
                    }
                }
            }
            Penalty::L2(weight) => self.add_composer(*weight, &Composer::L2(1.0), &x),
            Penalty::Linf(weight) => self.add_composer(*weight, &Composer::Linf(1.0), &x),
        }
    }

    fn add_set(&mut self, set: &Set, n: usize) {
        let x: Vec<_> = (0..n).map(Expression::variable).collect();
        match set {
            Set::Free => {}
            Set::Box { lower, upper } => {
                self.add_composer(1.0, &Composer::Between(lower.clone(), upper.clone()), &x);
            }
            Set::Ball { radius, centre } => {
                let tail = x.into_iter().zip(centre).map(|(x, c)| x.shifted(-c)).collect();
                self.second_order(Expression::constant(*radius), tail);
            }
            Set::Simplex { total } => {
                x.into_iter().for_each(|x| self.nonnegative(x));
                self.zero(Expression::dense(&vec![1.0; n], -total));
            }
            Set::Nonnegative => x.into_iter().for_each(|x| self.nonnegative(x)),
            Set::L1Ball { radius } => {
                let mut rest = Expression::constant(*radius);
                for x in &x {
                    let t = self.above(Law::Absolute, x);
                    rest = rest.plus(-1.0, &t);
                }
                self.nonnegative(rest);
            }
            Set::SecondOrderCone => self.second_order(x[0].clone(), x[1..].to_vec()),
        }
    }
}

fn expressions(rows: &Rows) -> Vec<Expression> {
    rows.matrix.iter().zip(&rows.offset).map(|(row, b)| Expression::dense(row, -b)).collect()
}
