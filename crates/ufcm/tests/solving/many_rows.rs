//! Problems with many rows: the subproblem keeps a working set. `UFCM_LONG=1` takes the full sizes.

use crate::planted;

use planted::Random;
use ufcm::component::{Logistic, Quadratic};
use ufcm::composer::{Huber, L1Norm, L2Norm, Max};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::regulariser::Bounds;
use ufcm::report::Status;
use ufcm::settings::Settings;

fn long() -> bool {
    std::env::var_os("UFCM_LONG").is_some()
}

/// The given size with `UFCM_LONG`, a fifth of it without.
fn size(full: usize) -> usize {
    if long() { full } else { full / 5 }
}

fn matrix(random: &mut Random, rows: usize, n: usize, row_norm: f64) -> Matrix {
    let scale = row_norm * (3.0 / n as f64).sqrt();
    Matrix::row_major(rows, n, (0..rows * n).map(|_| scale * random.uniform()).collect()).unwrap()
}

/// A x <= b, with slack between 0 and 1 at a point of norm 1.
fn planted_rows(random: &mut Random, rows: usize, n: usize) -> Affine {
    let a = matrix(random, rows, n, 1.0);
    let mut b = vec![0.0; rows];
    a.apply(&random.vector(n, 1.0), &mut b);
    b.iter_mut().for_each(|b| *b += 0.5 * (1.0 + random.uniform()));
    Affine::new(a, b).unwrap()
}

fn certify(label: &str, problem: &Problem, most_gradients: usize) {
    let report = problem.solve(&Settings::default()).unwrap();
    println!("{label:40} {:?} {:?}, {:.2} s", report.status, report.counts, report.seconds);
    assert_eq!(report.status, Status::Certified, "{label}: {:?} {:?}", report.counts, report.trouble);
    assert!(report.violation <= 1e-6 && report.gap_rel() <= 1.1e-6, "{label}");
    report.certificate.expect("a certificate").verify(problem).expect("a sound certificate");
    assert!(report.counts.gradients <= most_gradients, "{label}: {:?}", report.counts);
}

fn in_box(builder: ufcm::problem::ProblemBuilder) -> Problem {
    builder.within(Bounds::new(-10.0, 10.0).unwrap()).build().unwrap()
}

#[test]
fn thousands_of_affine_constraints() {
    let (m, n) = (size(10_000), size(200));
    let mut random = Random(71);
    let diagonal: Vec<f64> = (0..n).map(|i| 10f64.powf(-(i as f64) / n as f64)).collect();
    let objective = Quadratic::diagonal(diagonal).unwrap().with_linear(random.vector(n, 10.0)).unwrap();
    let rows = planted_rows(&mut random, m, n);
    certify("diagonal quadratic", &in_box(Problem::minimise(objective).subject_to(rows.at_most_zero())), 30);

    let objective = Quadratic::factored(matrix(&mut random, n, n, 1.0), None)
        .unwrap()
        .with_linear(random.vector(n, 10.0))
        .unwrap();
    let rows = planted_rows(&mut random, m, n);
    certify("dense quadratic", &in_box(Problem::minimise(objective).subject_to(rows.at_most_zero())), 300);

    // In full size interior points do not take it: Newton's method does (decision 0036).
    let quadratic = |random: &mut Random, rank: usize| {
        let factored = Quadratic::factored(matrix(random, rank, n, 1.0), None).unwrap();
        factored.with_linear(random.vector(n, 10.0)).unwrap()
    };
    let (objective, shape) = (quadratic(&mut random, n), quadratic(&mut random, n / 4));
    let rows = planted_rows(&mut random, m, n);
    let problem =
        Problem::minimise(objective).subject_to(shape.at_most(20.0)).subject_to(rows.at_most_zero());
    certify("quadratics, one of them bounded", &in_box(problem), 40);

    let samples = 5 * n;
    let labels: Vec<f64> = (0..samples).map(|_| random.uniform().signum()).collect();
    let objective = Logistic::new(matrix(&mut random, samples, n, 10.0), &labels).unwrap();
    let rows = planted_rows(&mut random, m, n);
    certify("logistic loss", &in_box(Problem::minimise(objective).subject_to(rows.at_most_zero())), 300);
}

#[test]
fn the_largest_of_thousands_of_pieces() {
    let (m, n) = (size(2000), size(100));
    let mut random = Random(72);
    let affine = Affine::new(matrix(&mut random, m, n, 1.0), random.vector(m, 10.0)).unwrap();
    let largest = Term::affine(Max::new(m).unwrap(), affine.clone());
    certify("max of affine pieces", &in_box(Problem::over(n).plus(largest)), 300);
    let largest = Term::affine(Max::new(m).unwrap(), affine);
    let objective = Quadratic::diagonal(vec![0.1; n]).unwrap();
    certify("max of affine pieces + quadratic", &in_box(Problem::minimise(objective).plus(largest)), 30);
}

#[test]
fn hundreds_of_quadratic_constraints() {
    let (m, n) = (300, 50);
    let mut random = Random(73);
    let mut quadratic = |slope: f64| {
        let factor = matrix(&mut random, n, n, 1.0);
        Quadratic::factored(factor, None).unwrap().with_linear(random.vector(n, slope)).unwrap()
    };
    let builder = Problem::minimise(quadratic(5.0));
    let builder = (0..m).fold(builder, |builder, _| builder.subject_to(quadratic(1.0).at_most(0.5)));
    certify("quadratic constraints", &in_box(builder), 100);
}

#[test]
fn terms_whose_rows_are_all_in_play() {
    let (m, n) = (size(5000), size(100));
    let mut random = Random(74);
    let affine = Affine::new(matrix(&mut random, m, n, 1.0), random.vector(m, (m as f64).sqrt())).unwrap();
    for (label, term) in [
        ("l1 norm", Term::affine(L1Norm::new(vec![1.0 / m as f64; m]).unwrap(), affine.clone())),
        ("huber", Term::affine(Huber::new(m, 0.1, 1.0 / m as f64).unwrap(), affine.clone())),
        // Its rows move together, too many for a Newton system.
        ("l2 norm", Term::affine(L2Norm::new(m, 1.0).unwrap(), affine.clone())),
    ] {
        let objective = Quadratic::diagonal(vec![0.1; n]).unwrap();
        certify(label, &in_box(Problem::minimise(objective).plus(term)), 30);
    }
}
