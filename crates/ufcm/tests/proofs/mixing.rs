//! Answers in unbounded domains that are proven by what components say of themselves: losses that are not negative beside a price on
//! every variable. Decision 0027.

use crate::random;

use random::Random;
use ufcm::certificate::{Certificate, Premise, Witness};
use ufcm::component::{ComponentExt, LeastSquares, Linear, SquaredHinge};
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::problem::Problem;
use ufcm::regulariser::Bounds;
use ufcm::report::Status;
use ufcm::settings::Settings;

const N: usize = 12;
const VOXELS: usize = 9;

fn nonnegative(random: &mut Random, rows: usize) -> Matrix {
    let entries = (0..rows * N).map(|_| random.within(0.0, 1.0).powi(3)).collect();
    Matrix::row_major(rows, N, entries).unwrap()
}

/// Dose planning in the small: fewer voxels than beams, so that nothing but the price of the beams bounds them.
fn plan(seed: u64) -> Problem {
    let mut random = Random::new(seed);
    let wanted = LeastSquares::new(nonnegative(&mut random, VOXELS), vec![2.0; VOXELS]).unwrap();
    let spared = SquaredHinge::new(nonnegative(&mut random, 3), &[-1.0; 3]).unwrap();
    let price = Linear::new(vec![1e-3; N], 0.0).unwrap();
    let limits = Affine::new(nonnegative(&mut random, 2), vec![1.5; 2]).unwrap();
    Problem::minimise(wanted.plus(spared.scaled(0.5).unwrap()).unwrap().plus(price).unwrap())
        .subject_to(limits.at_most_zero())
        .within(Bounds::new(0.0, f64::INFINITY).unwrap())
        .build()
        .unwrap()
}

fn certified(problem: &Problem) -> Certificate {
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!(report.status, Status::Certified, "{report:?}");
    report.certificate.expect("a certificate")
}

/// The certificate of this problem that mixes `share` of what components say of themselves into a witness at `y`.
fn mixed(x: &[f64], y: Vec<f64>, multipliers: Vec<f64>, share: f64) -> Certificate {
    let there = Witness::at(y, multipliers);
    let own = Witness { weight: share, own: true, ..there.clone() };
    Certificate {
        x: x.to_vec(),
        lower: -1e300,
        upper: 1e300,
        violation: 1e300,
        premise: Premise::None,
        curvature: 0.0,
        witnesses: vec![Witness { weight: 1.0 - share, ..there }, own],
        grounds: Vec::new(),
        constants: None,
    }
}

#[test]
fn losses_with_a_price_on_every_variable_are_certified() {
    for seed in 0..8 {
        let problem = plan(seed);
        let certificate = certified(&problem);
        let verified = certificate.verify(&problem).unwrap();
        assert!(verified.gap() <= 1e-5 * verified.upper.abs().max(1.0), "{verified:?}");
        // The text reads back as what it was, and proves the same.
        let text = serde_json::to_string(&certificate).unwrap();
        let read: Certificate = serde_json::from_str(&text).unwrap();
        assert_eq!(read, certificate);
    }
}

/// Whatever the witnesses are: what the verifier finds is below every feasible value.
#[test]
fn no_mixture_proves_more_than_the_optimum() {
    let mut finite = 0;
    for seed in 0..20 {
        let problem = plan(seed);
        let best = certified(&problem);
        let mut random = Random::new(1000 + seed);
        for trial in 0..60 {
            let y: Vec<f64> = best
                .x
                .iter()
                .map(|x| (x + random.within(-0.1, 0.1) * f64::from(trial % 4)).max(0.0))
                .collect();
            let multipliers = vec![1.0, random.within(0.0, 2.0), random.within(0.0, 2.0)];
            let share = if trial % 3 == 0 { 1.0 } else { random.within(0.0, 1.0).powi(4) };
            // Where X does not hold the slope nothing is proven.
            let Ok(verified) = mixed(&best.x, y, multipliers, share).verify(&problem) else { continue };
            finite += 1;
            assert!(verified.lower <= best.upper, "{} above {}", verified.lower, best.upper);
        }
    }
    assert!(finite > 100, "{finite} of the mixtures prove something");
}

/// A bound that adds curvature to a witness needs the linearisation there.
#[test]
fn what_components_say_of_themselves_has_no_curvature() {
    // min (x - 3)^2 / 2: 0 is a minorant, 0 + (x - 3)^2 / 2 + 1/2 would not be.
    let square = LeastSquares::new(Matrix::row_major(1, 1, vec![1.0]).unwrap(), vec![3.0]).unwrap();
    let problem = Problem::minimise(square).build().unwrap();
    let honest = Certificate {
        witnesses: vec![Witness::at(vec![3.0], vec![1.0])],
        premise: Premise::Curvature { mu: 0.5, radius: f64::INFINITY },
        lower: -1e-9,
        ..mixed(&[3.0], vec![3.0], vec![1.0], 0.0)
    };
    assert!(honest.verify(&problem).is_ok());
    let mut forged = honest.clone();
    forged.witnesses[0].own = true;
    assert!(forged.verify(&problem).is_err(), "curvature is that around a linearisation");
    let enclosed = Premise::Enclosure { level: 1e-6, lower: vec![2.0], upper: vec![4.0] };
    assert!(Certificate { premise: enclosed, ..forged }.verify(&problem).is_err());
}

/// A row that says nothing of itself cannot be part of such a witness.
#[test]
fn a_function_without_a_bound_is_refused() {
    let f = ufcm::component::Custom::new(1, |x, gradient| {
        if let Some(gradient) = gradient {
            gradient[0] = 2.0 * x[0];
        }
        Ok(x[0] * x[0])
    });
    let problem = Problem::minimise(f.unwrap()).build().unwrap();
    let error = mixed(&[0.0], vec![0.0], vec![1.0], 0.5).verify(&problem).unwrap_err();
    assert!(error.to_string().contains("says nothing of itself"), "{error}");
}
