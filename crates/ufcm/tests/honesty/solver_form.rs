//! An instance as a [`Problem`].
//!
//! Components and composers are of many types, and the builder takes each by its own: what is to be done with one is a
//! receiver.

use crate::describe::{
    Block, BlockRows, Component, Composer, Curve, Domain, Instance, Law, Loss, Penalty, Rows, Set,
};
use std::sync::Arc;
use ufcm::component::{self, ComponentExt, Linear, Quadratic};
use ufcm::composer;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle;
use ufcm::problem::{self, IntoConstraint, Problem, ProblemBuilder, Term};
use ufcm::regulariser::{
    Ball, Bounds, ElasticNet, GroupL2, L1, L1Ball, L1Box, L2Norm, LinfNorm, Nonnegative, Ridge,
    SecondOrderCone, Simplex, SortedL1,
};

pub fn problem_of(instance: &Instance) -> Problem {
    let mut builder = give(&instance.objective, Minimise);
    for block in &instance.blocks {
        builder = if block.composer.is_constraint() {
            constraints(block).into_iter().fold(builder, ProblemBuilder::subject_to)
        } else {
            builder.plus(give_composer(&block.composer, row_count(block), MakeTerm(block)))
        };
    }
    with_domain(builder, &instance.domain, instance.dimension()).build().unwrap()
}

trait TakeComponent {
    type Out;
    fn take(self, g: impl oracle::Component + 'static) -> Self::Out;
}

struct Minimise;
impl TakeComponent for Minimise {
    type Out = ProblemBuilder;
    fn take(self, g: impl oracle::Component + 'static) -> ProblemBuilder {
        Problem::minimise(g)
    }
}

struct Share;
impl TakeComponent for Share {
    type Out = Arc<dyn oracle::Component>;
    fn take(self, g: impl oracle::Component + 'static) -> Self::Out {
        Arc::new(g)
    }
}

/// g <= bound
struct AtMost(f64);
impl TakeComponent for AtMost {
    type Out = problem::Constraint;
    fn take(self, g: impl oracle::Component + 'static) -> Self::Out {
        g.at_most(self.0)
    }
}

/// Multiplies a curve, then passes it on.
struct Multiplied<T>(f64, T);
impl<T: TakeComponent> TakeComponent for Multiplied<T> {
    type Out = T::Out;
    fn take(self, g: impl oracle::Component + 'static) -> Self::Out {
        self.1.take(g.scaled(self.0).unwrap())
    }
}

/// Adds the affine part of a component to its curve, then passes it on.
struct Tilted<'a, T>(&'a Component, T);
impl<T: TakeComponent> TakeComponent for Tilted<'_, T> {
    type Out = T::Out;
    fn take(self, g: impl oracle::Component + 'static) -> Self::Out {
        let Component { slope, constant, .. } = self.0;
        match (slope.iter().all(|s| *s == 0.0), *constant == 0.0) {
            (true, true) => self.1.take(g),
            (true, false) => self.1.take(g.shifted(*constant).unwrap()),
            (false, _) => self.1.take(g.plus(linear(slope, *constant)).unwrap()),
        }
    }
}

fn give<T: TakeComponent>(g: &Component, receiver: T) -> T::Out {
    match &g.curve {
        Curve::Flat => receiver.take(linear(&g.slope, g.constant)),
        Curve::Quadratic(factor) => {
            let curved = Quadratic::factored(matrix(factor), None).unwrap();
            let tilted = g.slope.iter().any(|s| *s != 0.0);
            let curved = if tilted { curved.with_linear(g.slope.clone()).unwrap() } else { curved };
            receiver.take(curved.with_constant(g.constant).unwrap())
        }
        Curve::Times(factor, curve) => give_curve(curve, Multiplied(*factor, Tilted(g, receiver))),
        curve => give_curve(curve, Tilted(g, receiver)),
    }
}

/// A curve alone, without an affine part.
fn give_curve<T: TakeComponent>(curve: &Curve, receiver: T) -> T::Out {
    match curve {
        Curve::LogSumExp(rows) => {
            let offsets = rows.offset.iter().map(|b| -b).collect();
            receiver.take(component::LogSumExp::new(matrix(&rows.matrix), offsets).unwrap())
        }
        Curve::Data { loss, data, targets } => {
            let (data, y) = (matrix(data), targets.clone());
            match *loss {
                Loss::Squared => receiver.take(component::LeastSquares::new(data, y).unwrap()),
                Loss::Logistic => receiver.take(component::Logistic::new(data, &y).unwrap()),
                Loss::Huber(delta) => receiver.take(component::Huber::new(data, y, delta).unwrap()),
                Loss::Power(p) => receiver.take(component::Power::new(data, y, p).unwrap()),
                Loss::SquaredHinge => receiver.take(component::SquaredHinge::new(data, &y).unwrap()),
                Loss::SmoothedHinge(gamma) => {
                    receiver.take(component::SmoothedHinge::new(data, &y, gamma).unwrap())
                }
                Loss::Exponential => receiver.take(component::ExponentialSum::new(data, y).unwrap()),
                Loss::Poisson => receiver.take(component::Poisson::new(data, y).unwrap()),
            }
        }
        Curve::Softmax { data, labels, classes } => {
            let labels: Vec<f64> = labels.iter().map(|label| *label as f64).collect();
            receiver.take(component::MultinomialLogistic::new(matrix(data), &labels, *classes).unwrap())
        }
        other => unreachable!("{other:?} is given with its affine part, or multiplied twice"),
    }
}

trait TakeComposer {
    type Out;
    fn take(self, h: impl oracle::Composer + 'static) -> Self::Out;
}

struct Boxed;
impl TakeComposer for Boxed {
    type Out = Box<dyn oracle::Composer>;
    fn take(self, h: impl oracle::Composer + 'static) -> Self::Out {
        Box::new(h)
    }
}

/// h over the rows of the block
struct MakeTerm<'a>(&'a Block);
impl TakeComposer for MakeTerm<'_> {
    type Out = Term;
    fn take(self, h: impl oracle::Composer + 'static) -> Term {
        match &self.0.rows {
            BlockRows::Components(parts) => Term::new(h, parts.iter().map(|g| give(g, Share)).collect()),
            BlockRows::Affine(rows) => Term::affine(h, affine(rows)),
        }
    }
}

/// A set of the rows of the block
struct MakeConstraint<'a>(&'a Block);
impl TakeComposer for MakeConstraint<'_> {
    type Out = problem::Constraint;
    fn take(self, h: impl oracle::Composer + 'static) -> Self::Out {
        match &self.0.rows {
            BlockRows::Components(parts) => {
                problem::Constraint::new(h, parts.iter().map(|g| give(g, Share)).collect())
            }
            BlockRows::Affine(rows) => problem::Constraint::affine(h, affine(rows)),
        }
    }
}

fn give_composer<T: TakeComposer>(h: &Composer, rows: usize, receiver: T) -> T::Out {
    match h {
        Composer::Sum(weights) => receiver.take(composer::WeightedSum::new(weights.clone()).unwrap()),
        Composer::Max => receiver.take(composer::Max::new(rows).unwrap()),
        Composer::Risk(alpha) => receiver.take(composer::ConditionalValueAtRisk::new(rows, *alpha).unwrap()),
        Composer::SmoothMax(eta) => receiver.take(composer::LogSumExp::new(rows, *eta).unwrap()),
        Composer::SquaredHinge(eta) => receiver.take(composer::SquaredHinge::new(rows, *eta).unwrap()),
        Composer::Rowwise(law, weight) => give_rowwise(*law, *weight, rows, receiver),
        Composer::L2(weight) => receiver.take(composer::L2Norm::new(rows, *weight).unwrap()),
        Composer::Linf(weight) => receiver.take(composer::LinfNorm::new(rows, *weight).unwrap()),
        Composer::Nonpositive => receiver.take(composer::Nonpositive::new(rows)),
        Composer::Equal => receiver.take(composer::Equality::new(rows)),
        Composer::Between(lower, upper) => {
            receiver.take(composer::Interval::new(lower.clone(), upper.clone()).unwrap())
        }
        Composer::Scaled(factor, inner) => {
            receiver.take(composer::Scaled::new(*factor, give_composer(inner, rows, Boxed)).unwrap())
        }
        Composer::AtMost(level, inner) => {
            receiver.take(composer::Sublevel::new(give_composer(inner, rows, Boxed), *level).unwrap())
        }
        Composer::Stacked(parts) => {
            let parts = parts.iter().map(|(count, h)| give_composer(h, *count, Boxed));
            receiver.take(composer::Stacked::new(parts.collect()))
        }
    }
}

fn give_rowwise<T: TakeComposer>(law: Law, weight: f64, rows: usize, receiver: T) -> T::Out {
    match law {
        Law::Absolute => receiver.take(composer::L1Norm::new(vec![weight; rows]).unwrap()),
        Law::Square => receiver.take(composer::Quadratic::new(vec![weight; rows]).unwrap()),
        Law::Huber(delta) => receiver.take(composer::Huber::new(rows, delta, weight).unwrap()),
        Law::Power(p) => receiver.take(composer::PowerSum::new(rows, p, weight).unwrap()),
        Law::Quantile(level) => receiver.take(composer::Quantile::new(rows, level, weight).unwrap()),
        other => unreachable!("no composer is made of {other:?}"),
    }
}

fn constraints(block: &Block) -> Vec<problem::Constraint> {
    match (&block.rows, &block.composer) {
        (BlockRows::Components(parts), Composer::Nonpositive) => {
            let at_most =
                |g: &Component| give(&Component { constant: 0.0, ..g.clone() }, AtMost(-g.constant));
            parts.iter().map(at_most).collect()
        }
        (BlockRows::Affine(rows), Composer::Nonpositive) => vec![affine(rows).at_most_zero()],
        (BlockRows::Affine(rows), Composer::Equal) => vec![affine(rows).equal_to_zero()],
        (BlockRows::Affine(rows), Composer::Between(lower, upper)) => {
            vec![affine(rows).between(lower.clone(), upper.clone())]
        }
        (_, whole @ Composer::AtMost(..)) => {
            vec![give_composer(whole, row_count(block), MakeConstraint(block))]
        }
        (rows, composer) => unreachable!("{composer:?} over {rows:?}"),
    }
}

fn with_domain(builder: ProblemBuilder, domain: &Domain, n: usize) -> ProblemBuilder {
    if let (Penalty::L1(weight), Set::Box { lower, upper }) = (&domain.penalty, &domain.set) {
        return builder.within(L1Box::new(*weight, lower.clone(), upper.clone()).unwrap());
    }
    if let (Penalty::Weighted { l1, ridge }, Set::Box { lower, upper }) = (&domain.penalty, &domain.set)
        && ridge.iter().all(|w| *w == 0.0)
    {
        return builder.within(L1Box::new(l1.clone(), lower.clone(), upper.clone()).unwrap());
    }
    let builder = match &domain.penalty {
        Penalty::None => builder,
        Penalty::L1(weight) => builder.regularised_by(L1::new(*weight).unwrap()),
        Penalty::Ridge(weight) => builder.regularised_by(Ridge::new(*weight).unwrap()),
        Penalty::ElasticNet { l1, ridge } => builder.regularised_by(ElasticNet::new(*l1, *ridge).unwrap()),
        Penalty::Weighted { l1, ridge } => {
            let none = |weights: &[f64]| weights.iter().all(|w| *w == 0.0);
            match (none(l1), none(ridge)) {
                (_, true) => builder.regularised_by(L1::new(l1.clone()).unwrap()),
                (true, _) => builder.regularised_by(Ridge::new(ridge.clone()).unwrap()),
                _ => builder.regularised_by(ElasticNet::new(l1.clone(), ridge.clone()).unwrap()),
            }
        }
        Penalty::Groups { groups, weight } => {
            builder.regularised_by(GroupL2::new(n, groups.iter().cloned(), *weight).unwrap())
        }
        Penalty::Sorted(weights) => builder.regularised_by(SortedL1::new(weights.clone()).unwrap()),
        Penalty::L2(weight) => builder.regularised_by(L2Norm::new(*weight).unwrap()),
        Penalty::Linf(weight) => builder.regularised_by(LinfNorm::new(*weight).unwrap()),
    };
    match &domain.set {
        Set::Free => builder,
        Set::Box { lower, upper } => builder.within(Bounds::new(lower.clone(), upper.clone()).unwrap()),
        Set::Ball { radius, centre } => builder.within(Ball::with_centre(*radius, centre.clone())),
        Set::Simplex { total } => builder.within(Simplex::new(*total).unwrap()),
        Set::Nonnegative => builder.within(Nonnegative),
        Set::L1Ball { radius } => builder.within(L1Ball::new(*radius).unwrap()),
        Set::SecondOrderCone => builder.within(SecondOrderCone),
    }
}

fn matrix(rows: &[Vec<f64>]) -> Matrix {
    Matrix::row_major(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

fn affine(rows: &Rows) -> Affine {
    Affine::new(matrix(&rows.matrix), rows.offset.clone()).unwrap()
}

fn linear(slope: &[f64], constant: f64) -> Linear {
    Linear::new(slope.to_vec(), constant).unwrap()
}

fn row_count(block: &Block) -> usize {
    match &block.rows {
        BlockRows::Components(parts) => parts.len(),
        BlockRows::Affine(rows) => rows.matrix.len(),
    }
}
