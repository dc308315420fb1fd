//! A user's regulariser or composer that knows its prox and nothing of its Jacobian is solved with all the same.

use crate::planted;

use planted::{Random, distance};
use std::sync::Arc;
use ufcm::component::Quadratic;
use ufcm::composer::{Max, SquaredHinge};
use ufcm::oracle::{Component, Composer, OracleError, Regulariser, Weight};
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::{Ball, L1};
use ufcm::report::Status;
use ufcm::settings::Settings;

/// An oracle as a user would write it: what the trait requires and no more, with a prox for scalar weights.
struct Plain<T>(T);

const UNSUPPORTED: OracleError = OracleError::Unsupported { oracle: "plain", what: "this" };

fn scalar(weight: Weight<'_>) -> Result<Weight<'_>, OracleError> {
    weight.as_scalar().map(Weight::scalar).ok_or(UNSUPPORTED)
}

impl<T: Regulariser> Regulariser for Plain<T> {
    fn kind(&self) -> &'static str {
        "plain"
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.0.value(x)
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        self.0.prox(scalar(weight)?, x)
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        self.0.min_linear(slope, minimiser)
    }
}

/// The same for composers.
struct PlainComposer<T>(T);

impl<T: Composer> Composer for PlainComposer<T> {
    fn kind(&self) -> &'static str {
        "plain"
    }

    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn value(&self, z: &[f64]) -> f64 {
        self.0.value(z)
    }

    fn conjugate(&self, multipliers: &[f64]) -> f64 {
        self.0.conjugate(multipliers)
    }

    fn prox_conjugate(&self, weight: Weight<'_>, multipliers: &mut [f64]) -> Result<(), OracleError> {
        self.0.prox_conjugate(scalar(weight)?, multipliers)
    }

    fn multipliers_at(&self, z: &[f64], multipliers: &mut [f64]) {
        self.0.multipliers_at(z, multipliers);
    }

    fn is_nondecreasing(&self, row: usize) -> bool {
        self.0.is_nondecreasing(row)
    }
}

fn quadratic(random: &mut Random, n: usize) -> Arc<dyn Component> {
    let diagonal = (0..n).map(|_| 1.0 + 0.5 * random.uniform()).collect();
    Arc::new(Quadratic::diagonal(diagonal).unwrap().with_linear(random.vector(n, 2.0)).unwrap())
}

/// Solves a problem with plain oracles and its twin with Jacobians: both are certified, at the same point, with about as
/// many gradients.
fn compare(label: &str, plain: Problem, full: Problem) {
    let solve = |problem: &Problem| {
        let report = problem.solve(&Settings { radius: Some(10.0), ..Settings::default() }).unwrap();
        println!("{label:24} {:?} {:?}, {:.2} s", report.status, report.counts, report.seconds);
        assert_eq!(report.status, Status::Certified, "{label}: {:?} {:?}", report.counts, report.trouble);
        assert!(report.gap_rel() <= 1.1e-6 && report.violation <= 1e-6, "{label}");
        report.certificate.as_ref().expect("a certificate").verify(problem).expect("a sound certificate");
        report
    };
    let (plain, full) = (solve(&plain), solve(&full));
    assert!(distance(&plain.x, &full.x) < 1e-2, "{label}");
    assert!(plain.counts.gradients <= 2 * full.counts.gradients + 20, "{label}: {:?}", plain.counts);
}

#[test]
fn regularisers_without_jacobians_are_certified() {
    let n = 12;
    let builder = |seed: u64| {
        let mut random = Random(seed);
        let mut row = || quadratic(&mut random, n);
        Problem::minimise(row()).subject_to(row().at_most(0.1)).subject_to(row().at_most(0.2))
    };
    compare(
        "ball",
        builder(1).within(Plain(Ball::new(2.0))).build().unwrap(),
        builder(1).within(Ball::new(2.0)).build().unwrap(),
    );
    let l1 = || L1::new(0.3).unwrap();
    compare(
        "l1",
        builder(2).regularised_by(Plain(l1())).build().unwrap(),
        builder(2).regularised_by(l1()).build().unwrap(),
    );
}

#[test]
fn composers_without_jacobians_are_certified() {
    let n = 12;
    let rows = |seed: u64, count: usize| -> Vec<Arc<dyn Component>> {
        let mut random = Random(seed);
        (0..count).map(|_| quadratic(&mut random, n)).collect()
    };
    compare(
        "max",
        Problem::over(n)
            .plus(Term::new(PlainComposer(Max::new(5).unwrap()), rows(3, 5)))
            .within(Ball::new(2.0))
            .build()
            .unwrap(),
        Problem::over(n).plus(Term::max(rows(3, 5))).within(Ball::new(2.0)).build().unwrap(),
    );
    let objective = || quadratic(&mut Random(4), n);
    compare(
        "squared hinge",
        Problem::minimise(objective())
            .plus(Term::new(PlainComposer(SquaredHinge::new(3, 0.3).unwrap()), rows(5, 3)))
            .within(Plain(Ball::new(2.0)))
            .build()
            .unwrap(),
        Problem::minimise(objective())
            .plus(Term::squared_hinge(rows(5, 3), 0.3))
            .within(Ball::new(2.0))
            .build()
            .unwrap(),
    );
}
