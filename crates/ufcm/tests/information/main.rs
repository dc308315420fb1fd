//! Giving more information never makes a run worse.

mod shown;

use shown::{Shown, Shows};
use ufcm::component::Logistic;
use ufcm::matrix::Matrix;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Ball;
use ufcm::report::{Report, Status};
use ufcm::settings::Settings;
#[path = "../common/random.rs"]
mod random;
use random::Random;

const NOTHING: Shows =
    Shows { hessian: false, hints: false, operations: false, lower_bound: false, smoothness: false };
const HESSIAN: Shows = Shows { hessian: true, ..NOTHING };

/// Rows of a class, with mixed columns and a constant.
fn class(rows: usize, n: usize, label: f64, seed: u64) -> Logistic {
    let mut random = Random::new(seed);
    let mixing = Random::new(1).vector((n - 1) * (n - 1), 1.7);
    let k = n - 1;
    let mut values = Vec::with_capacity(rows * n);
    for _ in 0..rows {
        let raw: Vec<f64> = random
            .vector(k, 1.7)
            .iter()
            .enumerate()
            .map(|(j, v)| (v + if j < 3 { 0.7 * label } else { 0.0 }) * 10f64.powf(-(j as f64) / k as f64))
            .collect();
        values.extend(
            (0..k).map(|i| (0..k).map(|j| raw[j] * mixing[j * k + i]).sum::<f64>() / (k as f64).sqrt()),
        );
        values.push(1.0);
    }
    Logistic::new(Matrix::row_major(rows, n, values).unwrap(), &vec![label; rows]).unwrap()
}

fn neyman_pearson(n: usize, shows: Shows, bound: f64) -> Problem {
    Problem::minimise(Shown { of: class(300, n, 1.0, 11), shows })
        .subject_to(Shown { of: class(250, n, -1.0, 12), shows }.at_most(bound))
        .within(Ball::new(10.0))
        .build()
        .unwrap()
}

fn solve(problem: &Problem) -> Report {
    problem.solve(&Settings { max_gradients: Some(20_000), ..Settings::default() }).unwrap()
}

#[test]
fn hessians_of_users_are_used_without_being_asked_for() {
    for bound in [0.5, 0.3, 0.2] {
        let native = solve(&neyman_pearson(
            31,
            Shows { hessian: true, hints: true, operations: true, lower_bound: true, smoothness: true },
            bound,
        ));
        let with = solve(&neyman_pearson(31, HESSIAN, bound));
        let without = solve(&neyman_pearson(31, NOTHING, bound));
        for r in [&native, &with, &without] {
            println!("{bound} {:?} {:?} {:?}", r.status, r.counts, r.trouble);
        }
    }
}
