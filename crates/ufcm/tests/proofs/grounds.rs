//! On what each part of a problem rests, and what certificates say of it.

use std::sync::Arc;
use ufcm::audit::Role;
use ufcm::certificate::{Certificate, Ground, Premise};
use ufcm::component::{ComponentExt, Custom, LeastSquares, Linear, Quadratic, Sum};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, Grounds, LinearOperator, OracleError, Regulariser, Weight};
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::{Ball, Bounds, L1, ScalarTerm, Separable, SeparableSum, Translated};

fn square() -> Custom {
    Custom::new(2, |x, gradient| {
        if let Some(gradient) = gradient {
            gradient.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
        }
        Ok(x[0] * x[0] + x[1] * x[1])
    })
    .unwrap()
}

fn matrix(n: usize, values: &[f64]) -> Matrix {
    Matrix::row_major(n, n, values.to_vec()).unwrap()
}

fn trusted() -> Quadratic {
    Quadratic::trusted(&matrix(2, &[2.0, 1.0, 1.0, 2.0])).unwrap()
}

#[test]
fn components_rest_on_the_weakest_of_their_parts() {
    let ours = || Linear::new(vec![1.0, 2.0], 0.5).unwrap();
    let data = || LeastSquares::new(Matrix::row_major(1, 2, vec![1.0, 2.0]).unwrap(), vec![3.0]).unwrap();
    assert_eq!(ours().grounds(), Grounds::Construction);
    assert_eq!(data().grounds(), Grounds::Construction);
    assert_eq!(square().grounds(), Grounds::Function);
    assert_eq!(trusted().grounds(), Grounds::Trusted);
    assert_eq!(data().scaled(2.0).unwrap().shifted(1.0).unwrap().grounds(), Grounds::Construction);
    assert_eq!(trusted().scaled(2.0).unwrap().grounds(), Grounds::Trusted);
    assert_eq!(data().plus(trusted()).unwrap().grounds(), Grounds::Trusted);
    assert_eq!(trusted().plus(square()).unwrap().grounds(), Grounds::Function);
    let shared: Arc<dyn Component> = Arc::new(trusted());
    assert_eq!(Sum::new(vec![shared.clone(), Arc::new(ours())]).unwrap().grounds(), Grounds::Trusted);
    let boxed: Box<dyn Component> = Box::new(shared);
    assert_eq!(boxed.grounds(), Grounds::Trusted);
}

#[test]
fn a_quadratic_is_convex_by_construction_where_its_data_prove_it() {
    let singular = Quadratic::new(&matrix(2, &[1.0, 1.0, 1.0, 1.0])).unwrap();
    assert_eq!(singular.grounds(), Grounds::Construction, "what is singular is semidefinite");
    // Within what `new` forgives, beyond what rounding explains.
    let barely = Quadratic::new(&matrix(2, &[1.0, 1.0 + 1e-10, 1.0 + 1e-10, 1.0])).unwrap();
    assert_eq!(barely.grounds(), Grounds::Trusted);
    assert_eq!(barely.prove_convex(), Ok(true));
    assert_eq!(barely.grounds(), Grounds::Trusted, "a proof up to 1e-9 is none from the data");
    let asked = trusted();
    assert_eq!(asked.prove_convex(), Ok(true));
    assert_eq!(asked.grounds(), Grounds::Construction, "what is proven on demand is proven");
    let indefinite = Quadratic::trusted(&matrix(2, &[1.0, 2.0, 2.0, 1.0])).unwrap();
    assert!(indefinite.prove_convex().is_err());
    assert_eq!(indefinite.grounds(), Grounds::Trusted);
    for q in [
        Quadratic::diagonal(vec![0.0, 1.0]).unwrap(),
        Quadratic::factored(Matrix::row_major(1, 2, vec![1.0, -1.0]).unwrap(), None).unwrap(),
        Quadratic::new(&matrix(2, &[0.0; 4])).unwrap(),
    ] {
        assert_eq!(q.grounds(), Grounds::Construction);
    }
}

#[test]
fn computed_gram_matrices_of_any_rank_and_scale_are_proven() {
    let mut state = 5u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    for (n, rank) in [(2, 1), (5, 5), (12, 3), (40, 40), (60, 7), (150, 20)] {
        for scale in [1e-9, 1.0, 1e9] {
            let factor: Vec<f64> = (0..rank * n).map(|_| scale * uniform()).collect();
            let entry = |i: usize, j: usize| (0..rank).map(|k| factor[k * n + i] * factor[k * n + j]).sum();
            let q: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
            let q = Quadratic::new(&matrix(n, &q)).unwrap();
            assert_eq!(q.grounds(), Grounds::Construction, "order {n}, rank {rank}, scale {scale}");
        }
    }
}

/// The least that a user writes.
struct Own;

impl Regulariser for Own {
    fn kind(&self) -> &'static str {
        "own"
    }

    fn value(&self, _x: &[f64]) -> f64 {
        0.0
    }

    fn prox(&self, _weight: Weight<'_>, _x: &mut [f64]) -> Result<(), OracleError> {
        Ok(())
    }

    fn min_linear(&self, slope: &[f64], _minimiser: Option<&mut [f64]>) -> f64 {
        if slope.iter().all(|s| *s == 0.0) { 0.0 } else { f64::NEG_INFINITY }
    }
}

struct OwnTerms;

impl Separable for OwnTerms {
    fn kind(&self) -> &'static str {
        "own terms"
    }

    fn dimension(&self) -> Option<usize> {
        None
    }

    fn term(&self, _i: usize) -> ScalarTerm {
        ScalarTerm { ridge: 1.0, lower: -1.0, upper: 1.0, ..ScalarTerm::ZERO }
    }
}

#[test]
fn what_users_write_themselves_rests_on_their_code() {
    assert_eq!(Own.grounds(), Grounds::Function);
    assert_eq!(Regulariser::grounds(&OwnTerms), Grounds::Function);
    let parts: Vec<(std::ops::Range<usize>, Box<dyn Regulariser>)> =
        vec![(0..1, Box::new(L1::new(1.0).unwrap())), (1..2, Box::new(Own))];
    assert_eq!(SeparableSum::new(parts).unwrap().grounds(), Grounds::Function);
    assert_eq!(Translated::new(Own, vec![1.0]).unwrap().grounds(), Grounds::Function);
    for domain in
        [Box::new(Bounds::new(-2.0, 2.0).unwrap()) as Box<dyn Regulariser>, Box::new(Ball::new(1.0))]
    {
        let joint = Problem::over(2).regularised_by(OwnTerms).within(domain).build().unwrap();
        assert_eq!(joint.regulariser().grounds(), Grounds::Function);
    }
}

struct Products;

impl LinearOperator for Products {
    fn kind(&self) -> &'static str {
        "products"
    }

    fn rows(&self) -> usize {
        2
    }

    fn columns(&self) -> usize {
        2
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
    }

    fn apply_transpose(&self, l: &[f64], out: &mut [f64]) {
        out.copy_from_slice(l);
    }
}

#[test]
fn a_problem_lists_what_is_not_convex_by_construction() {
    let ours = Problem::minimise(Linear::new(vec![1.0, 1.0], 0.0).unwrap())
        .subject_to(Affine::new(matrix(2, &[1.0, 0.0, 0.0, 1.0]), vec![1.0; 2]).unwrap().at_most_zero())
        .within(Bounds::new(-1.0, 1.0).unwrap())
        .build()
        .unwrap();
    assert_eq!(ours.grounds(), []);
    let rows: Vec<Arc<dyn Component>> = vec![
        Arc::new(square()),
        Arc::new(Linear::new(vec![1.0, 0.0], 0.0).unwrap()),
        Arc::new(square().with_lower_bound(0.0).unwrap()),
        Arc::new(trusted()),
    ];
    let problem = Problem::minimise(trusted())
        .plus(Term::max(rows).named("worst"))
        .subject_to(square().at_most(1.0).named("disc"))
        .subject_to(Affine::by_products(Products, vec![1.0; 2]).unwrap().at_most_zero().named("products"))
        .regularised_by(Own)
        .build()
        .unwrap();
    let listed: Vec<(String, Role, Grounds, bool)> =
        problem.grounds().into_iter().map(|g| (g.component, g.role, g.grade, g.declares)).collect();
    let entry = |name: &str, role, grade, declares| (name.to_owned(), role, grade, declares);
    assert_eq!(
        listed,
        [
            entry("objective", Role::Component, Grounds::Trusted, false),
            entry("worst", Role::Component, Grounds::Function, true),
            entry("worst[3]", Role::Component, Grounds::Trusted, false),
            entry("disc", Role::Component, Grounds::Function, false),
            entry("products", Role::Operator, Grounds::Function, false),
            entry("regulariser", Role::Regulariser, Grounds::Function, false),
        ]
    );
}

#[test]
fn a_certificate_is_not_believed_about_what_it_rests_on() {
    let problem = Problem::minimise(square()).within(Bounds::new(-1.0, 1.0).unwrap()).build().unwrap();
    let nothing = Certificate {
        x: vec![0.0; 2],
        lower: f64::NEG_INFINITY,
        upper: 0.0,
        violation: 0.0,
        premise: Premise::BoundedDomain,
        curvature: 0.0,
        witnesses: Vec::new(),
        grounds: problem.grounds(),
        constants: None,
    };
    assert_eq!(
        nothing.rests_on(),
        "the domain is bounded or the regulariser grows fast; `objective` is a user's function: gradient and convexity \
         neither checked (no audit ran) nor proven"
    );
    let hiding = Certificate { grounds: Vec::new(), ..nothing.clone() };
    assert!(hiding.rests_on().starts_with("no premise"), "this is what it says of itself");
    assert_eq!(
        hiding.rests_on_in(&problem),
        "the domain is bounded or the regulariser grows fast; `objective` is a user's function: gradient and convexity \
         not proven"
    );
    let checked = Ground { points: 12, audited: true, ..problem.grounds().remove(0) };
    let checked = Certificate { grounds: vec![checked], ..nothing };
    assert!(checked.rests_on().ends_with("checked at 12 points, not proven"), "{}", checked.rests_on());
    let told = checked.rests_on_in(&problem);
    assert!(told.ends_with("not proven; the certificate says that 12 points were checked"), "{told}");
    let written = serde_json::to_value(&checked).unwrap();
    let entry =
        serde_json::json!({"component": "objective", "grade": "function", "points": 12, "audited": true});
    assert_eq!(written["grounds"], serde_json::json!([entry]));
    // As version 0.1 wrote it.
    let mut old = written;
    old.as_object_mut().unwrap().remove("grounds");
    assert_eq!(serde_json::from_value::<Certificate>(old).unwrap().grounds, []);
}
