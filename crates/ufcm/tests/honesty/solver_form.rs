//! An instance as a [`Problem`].

use crate::instance::{Constraint, Domain, Instance, Quad, Rows, Term};
use std::sync::Arc;
use ufcm::component::{Linear, Quadratic};
use ufcm::composer::{Huber, L1Norm, L2Norm, LinfNorm, Quantile};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;
use ufcm::problem::{self, IntoConstraint, Problem, ProblemBuilder};
use ufcm::regulariser::{Ball, Bounds, L1Box, Ridge, Simplex};

pub fn problem_of(instance: &Instance) -> Problem {
    let mut builder = match &instance.objective {
        g if g.factor.is_empty() => Problem::minimise(linear(g)),
        g => Problem::minimise(quadratic(g)),
    };
    for term in &instance.terms {
        builder = builder.plus(term_of(term));
    }
    for constraint in &instance.constraints {
        builder = builder.subject_to(constraint_of(constraint));
    }
    with_domain(builder, &instance.domain).build().unwrap()
}

fn matrix(rows: &[Vec<f64>]) -> Matrix {
    Matrix::row_major(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

fn affine(rows: &Rows) -> Affine {
    Affine::new(matrix(&rows.matrix), rows.offset.clone()).unwrap()
}

fn linear(g: &Quad) -> Linear {
    Linear::new(g.linear.clone(), g.constant).unwrap()
}

fn quadratic(g: &Quad) -> Quadratic {
    let curved = Quadratic::factored(matrix(&g.factor), None).unwrap();
    curved.with_linear(g.linear.clone()).unwrap().with_constant(g.constant).unwrap()
}

fn components(parts: &[Quad]) -> Vec<Arc<dyn Component>> {
    let component = |g: &Quad| -> Arc<dyn Component> {
        if g.factor.is_empty() { Arc::new(linear(g)) } else { Arc::new(quadratic(g)) }
    };
    parts.iter().map(component).collect()
}

fn term_of(term: &Term) -> problem::Term {
    match term {
        Term::Sum(parts) => problem::Term::sum(components(parts)),
        Term::Max(parts) => problem::Term::max(components(parts)),
        Term::L1 { rows, weight } => {
            let composer = L1Norm::new(vec![*weight; rows.offset.len()]).unwrap();
            problem::Term::affine(composer, affine(rows))
        }
        Term::Linf { rows, weight } => {
            problem::Term::affine(LinfNorm::new(rows.offset.len(), *weight).unwrap(), affine(rows))
        }
        Term::L2 { rows, weight } => {
            problem::Term::affine(L2Norm::new(rows.offset.len(), *weight).unwrap(), affine(rows))
        }
        Term::Quantile { rows, level, weight } => {
            problem::Term::affine(Quantile::new(rows.offset.len(), *level, *weight).unwrap(), affine(rows))
        }
        Term::Huber { rows, delta, weight } => {
            problem::Term::affine(Huber::new(rows.offset.len(), *delta, *weight).unwrap(), affine(rows))
        }
    }
}

fn constraint_of(constraint: &Constraint) -> problem::Constraint {
    match constraint {
        Constraint::AtMost(g, bound) if g.factor.is_empty() => linear(g).at_most(*bound),
        Constraint::AtMost(g, bound) => quadratic(g).at_most(*bound),
        Constraint::RowsAtMost(rows) => affine(rows).at_most_zero(),
        Constraint::Equal(rows) => affine(rows).equal_to_zero(),
        Constraint::Between(rows, lower, upper) => affine(rows).between(lower.clone(), upper.clone()),
    }
}

fn with_domain(builder: ProblemBuilder, domain: &Domain) -> ProblemBuilder {
    match domain {
        Domain::Box { lower, upper } => builder.within(Bounds::new(lower.clone(), upper.clone()).unwrap()),
        Domain::L1Box { weight, lower, upper } => {
            builder.within(L1Box::new(*weight, lower.clone(), upper.clone()).unwrap())
        }
        Domain::Ball { radius, centre } => builder.within(Ball::with_centre(*radius, centre.clone())),
        Domain::Simplex { total } => builder.within(Simplex::new(*total).unwrap()),
        Domain::Ridge { weight } => builder.regularised_by(Ridge::new(*weight).unwrap()),
    }
}
