//! One problem on several ranks, which are threads here: the same bits on all of them, the same answer as on one, errors that are everyone's.

#[path = "../common/random.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod random;

mod dealt;

use random::Random;
use std::sync::Arc;
use ufcm::budget::Budget;
use ufcm::component::{
    ComponentExt, Custom, LeastSquares, Logistic, MultinomialLogistic, Poisson, Quadratic, Reduction, Sum,
};
use ufcm::matrix::Matrix;
use ufcm::oracle::{Component, OracleError};
use ufcm::problem::{IntoConstraint, Problem, Term};
use ufcm::ranks::{Link, Split, Threads, Traffic};
use ufcm::regulariser::{Ball, L1};
use ufcm::report::{Control, Report, Status};
use ufcm::settings::Settings;

/// Runs `work` on so many ranks.
fn on_ranks<T: Send>(size: usize, work: impl Fn(&Arc<Link>) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let ranks = Threads::group(size).into_iter();
        let running: Vec<_> = ranks.map(|rank| scope.spawn(move || work(&Link::new(rank)))).collect();
        running.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

/// Samples of two kinds, with labels.
struct Samples {
    columns: usize,
    values: Vec<f64>,
    labels: Vec<f64>,
}

impl Samples {
    fn new(rows: usize, columns: usize, seed: u64) -> Self {
        let mut rng = Random::new(seed);
        let direction = rng.vector(columns, 1.0);
        let values: Vec<f64> = rng.vector(rows * columns, 1.5);
        let mut sign =
            |row: &[f64]| row.iter().zip(&direction).map(|(a, d)| a * d).sum::<f64>() + rng.vector(1, 0.8)[0];
        let labels =
            values.chunks(columns).map(&mut sign).map(|t| if t > 0.0 { 1.0 } else { -1.0 }).collect();
        Self { columns, values, labels }
    }

    /// What rank `rank` of `size` has of the rows that `keep` keeps; unlike numbers of them.
    fn part(&self, link: Option<&Link>, keep: impl Fn(f64) -> bool) -> (Matrix, Vec<f64>) {
        let rows: Vec<usize> = (0..self.labels.len()).filter(|&i| keep(self.labels[i])).collect();
        let cut = |k: usize, size: usize| (rows.len() * k * (k + 1)) / (size * (size + 1));
        let own = match link {
            Some(link) => &rows[cut(link.rank(), link.size())..cut(link.rank() + 1, link.size())],
            None => &rows[..],
        };
        let values =
            own.iter().flat_map(|&i| &self.values[i * self.columns..][..self.columns]).copied().collect();
        let labels = own.iter().map(|&i| self.labels[i]).collect();
        (Matrix::row_major(own.len(), self.columns, values).unwrap(), labels)
    }
}

fn over(builder: ufcm::problem::ProblemBuilder, link: Option<&Arc<Link>>) -> Problem {
    match link {
        Some(link) => builder.over_ranks(link).build().unwrap(),
        None => builder.build().unwrap(),
    }
}

/// Neyman and Pearson: the loss on one class, with a bound on that on the other.
fn neyman_pearson(samples: &Samples, link: Option<&Arc<Link>>, bound: f64) -> Problem {
    let loss = |label: f64| {
        let (data, labels) = samples.part(link.map(|l| &**l), |y| y == label);
        Logistic::new(data, &labels).unwrap()
    };
    let builder = Problem::minimise(loss(-1.0)).subject_to(loss(1.0).at_most(bound).named("missed"));
    over(builder.within(Ball::new(10.0)), link)
}

fn solved(problem: &Problem) -> Report {
    problem.solve(&Settings::default()).unwrap()
}

/// All that must have the same bits.
fn bits(report: &Report) -> (Vec<u64>, Vec<u64>, [u64; 3], String) {
    let of = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let bounds = [report.objective, report.lower_bound, report.upper_bound].map(f64::to_bits);
    (of(&report.x), of(&report.multipliers), bounds, format!("{:?} {:?}", report.status, report.counts))
}

#[test]
fn ranks_have_the_same_bits_and_the_answer_of_one() {
    let samples = Samples::new(8_000, 20, 1);
    let alone = solved(&neyman_pearson(&samples, None, 0.4));
    assert_eq!(alone.status, Status::Certified);
    for size in [1, 2, 4] {
        let run = || -> Vec<(Report, Traffic)> {
            on_ranks(size, |link| {
                let problem = neyman_pearson(&samples, Some(link), 0.4);
                let report = solved(&problem);
                let traffic = link.traffic();
                // The certificate holds on the ranks, and where all data are in one place.
                report.certificate.as_ref().unwrap().verify(&problem).unwrap();
                let whole = neyman_pearson(&samples, None, 0.4);
                report.certificate.as_ref().unwrap().verify(&whole).unwrap();
                (report, traffic)
            })
        };
        let (first, again) = (run(), run());
        for (report, traffic) in first.iter().chain(&again) {
            assert_eq!(report.status, Status::Certified);
            assert_eq!(bits(report), bits(&first[0].0), "{size} ranks");
            assert!(
                (report.objective - alone.objective).abs() <= 2e-6,
                "{} {}",
                report.objective,
                alone.objective
            );
            assert!(traffic.reductions <= 80, "{size} ranks: {traffic:?}");
        }
        let Traffic { reductions, bytes, .. } = first[0].1;
        println!("{size} ranks: {reductions} reductions of {bytes} bytes in all; {:?}", first[0].0.counts);
    }
}

/// What a component tells at a point.
fn told(g: &dyn Component, x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let mut gradient = vec![0.0; n];
    let value = g.evaluate(x, Some(&mut gradient)).unwrap();
    let mut all = vec![value, g.evaluate(x, None).unwrap(), g.lower_bound().unwrap_or(-1.0)];
    all.extend(gradient);
    let Some(curvature) = g.curvature() else { return all };
    let (mut diagonal, mut bound, mut hessian) = (vec![0.0; n], vec![0.0; n], vec![0.0; n * n]);
    curvature.add_diagonal(x, 2.0, &mut diagonal).unwrap();
    curvature.add_hessian(x, 2.0, &mut hessian).unwrap();
    let known = curvature.add_diagonal_bound(1.0, &mut bound);
    all.extend(diagonal.into_iter().chain(hessian).chain(bound));
    all.extend([f64::from(u8::from(known)), curvature.terms() as f64, g.operations().unwrap() as f64]);
    if curvature.has_products() {
        let mut product = vec![0.0; n];
        curvature.add_products(x, 1.0, x, &mut product).unwrap();
        all.extend(product);
    }
    all
}

type Make = fn(&Samples, Option<&Link>) -> Arc<dyn Component>;

fn kinds() -> Vec<Make> {
    fn weighted(samples: &Samples, link: Option<&Link>) -> Logistic {
        let (data, labels) = samples.part(link, |_| true);
        let weights = (0..labels.len()).map(|i| data.view_row(i).dot(&[0.5; 6]).abs()).collect();
        Logistic::new(data, &labels).unwrap().weighted(weights).unwrap()
    }
    vec![
        |samples, link| {
            let (data, labels) = samples.part(link, |_| true);
            Arc::new(LeastSquares::new(data, labels).unwrap())
        },
        |samples, link| {
            let (data, labels) = samples.part(link, |_| true);
            Arc::new(Logistic::new(data, &labels).unwrap().reduced_by(Reduction::Sum).scaled(0.5).unwrap())
        },
        |samples, link| Arc::new(weighted(samples, link)),
        |samples, link| Arc::new(weighted(samples, link).scaled(3.0).unwrap().shifted(0.7).unwrap()),
        |samples, link| {
            let (data, labels) = samples.part(link, |_| true);
            let counts = labels.iter().map(|y| y + 1.0).collect();
            Arc::new(Poisson::new(data, counts).unwrap())
        },
        |samples, link| {
            let (data, labels) = samples.part(link, |_| true);
            let classes: Vec<f64> = labels.iter().map(|y| f64::from(u8::from(*y > 0.0))).collect();
            Arc::new(MultinomialLogistic::new(data, &classes, 2).unwrap())
        },
        |samples, link| {
            let ridge = Quadratic::diagonal(vec![0.3; 6]).unwrap();
            Arc::new(Sum::new(vec![Arc::new(weighted(samples, link)), Arc::new(ridge)]).unwrap())
        },
    ]
}

#[test]
fn components_over_ranks_are_those_over_all_samples() {
    let samples = Samples::new(90, 6, 2);
    for (k, make) in kinds().into_iter().enumerate() {
        let whole = make(&samples, None);
        let n = whole.dimension();
        let x: Vec<f64> = (0..n).map(|i| 0.1 * (i as f64) - 0.3).collect();
        let expected = told(&*whole, &x);
        for all in on_ranks(3, |link| {
            let problem = Problem::minimise(make(&samples, Some(link))).over_ranks(link).build().unwrap();
            // Through the mapping, where all rows are added up at once, and by itself.
            let mut mapping = problem.mapping();
            let (mut values, mut gradient) = ([0.0], vec![0.0; n]);
            mapping.linearise(&x, &mut values).unwrap();
            mapping.jacobian_row(0, &mut gradient);
            let mut alone = vec![0.0; n];
            let value = problem.component(0).unwrap().evaluate(&x, Some(&mut alone)).unwrap();
            assert!((value - values[0]).abs() < 1e-14 && (alone[0] - gradient[0]).abs() < 1e-14, "kind {k}");
            told(problem.component(0).unwrap(), &x)
        }) {
            assert_eq!(all.len(), expected.len(), "kind {k}");
            // Of a sum with a part that every rank has, each counts that part.
            let counts = 3 + n + 2 * n + n * n + 1..3 + n + 2 * n + n * n + 3;
            for (i, (ours, theirs)) in all.iter().zip(&expected).enumerate() {
                if k == 6 && counts.contains(&i) {
                    continue;
                }
                assert!(
                    (ours - theirs).abs() <= 1e-12 * theirs.abs().max(1.0),
                    "kind {k}, {i}: {ours} {theirs}"
                );
            }
        }
    }
}

#[test]
fn many_groups_bad_units_and_a_regulariser() {
    let mut samples = Samples::new(3_000, 8, 3);
    // Columns of sizes from 1e-3 to 1e4: the run is one in other units.
    samples.values.iter_mut().enumerate().for_each(|(k, v)| *v *= 10f64.powi((k % 8) as i32 - 3));
    let build = |link: Option<&Arc<Link>>| {
        let group = |g: usize| -> Arc<dyn Component> {
            let (data, labels) = samples.part(link.map(|l| &**l), |_| true);
            let rows: Vec<usize> = (0..labels.len()).filter(|i| i % 4 == g).collect();
            let own: Vec<f64> = rows.iter().map(|&i| labels[i]).collect();
            Arc::new(
                Logistic::new(data.selected(&rows).unwrap(), &own).unwrap().shifted(0.01 * g as f64).unwrap(),
            )
        };
        let builder = Problem::over(8).plus(Term::max((0..4).map(group).collect::<Vec<_>>()).named("worst"));
        over(builder.regularised_by(L1::new(1e-4).unwrap()), link)
    };
    for size in [2, 3] {
        let reports = on_ranks(size, |link| solved(&build(Some(link))));
        for report in &reports {
            assert!(report.status.is_success(), "{:?} {:?}", report.status, report.trouble);
            assert_eq!(bits(report), bits(&reports[0]));
        }
    }
}

#[test]
fn functions_of_ones_own_are_summed_where_they_say_so() {
    // Half of |x - c|^2 on each rank, with its own c.
    let part = |c: f64| {
        Custom::new(2, move |x: &[f64], gradient: Option<&mut [f64]>| {
            if let Some(gradient) = gradient {
                gradient.iter_mut().zip(x).for_each(|(g, x)| *g = x - c);
            }
            Ok(x.iter().map(|x| (x - c) * (x - c) / 2.0).sum())
        })
        .unwrap()
    };
    let reports = on_ranks(2, |link| {
        let own = part(if link.rank() == 0 { 1.0 } else { 3.0 }).of_this_rank(Split::Mean(1.0)).unwrap();
        solved(&Problem::minimise(own).within(Ball::new(10.0)).over_ranks(link).build().unwrap())
    });
    for report in &reports {
        assert!(
            report.status.is_success() && (report.x[0] - 2.0).abs() < 1e-4,
            "{:?} {:?}",
            report.status,
            report.x
        );
        assert_eq!(bits(report), bits(&reports[0]));
    }
    // The same functions without that word are refused: every rank would solve another problem.
    let errors = on_ranks(2, |link| {
        let own = part(if link.rank() == 0 { 1.0 } else { 3.0 });
        let problem =
            Problem::minimise(own).plus(Term::max(vec![sample(link)])).over_ranks(link).build().unwrap();
        problem.solve(&Settings::default()).map(|_| ()).unwrap_err().to_string()
    });
    assert!(
        errors.iter().all(|error| error.contains("same data of components that are not split")),
        "{errors:?}"
    );
}

/// A loss over one sample.
fn sample(link: &Link) -> Arc<dyn Component> {
    Arc::new(Logistic::new(Matrix::row_major(1, 2, vec![1.0, link.rank() as f64]).unwrap(), &[1.0]).unwrap())
}

#[test]
fn an_error_a_nan_and_a_panic_on_one_rank_are_everyones() {
    type Fault = fn() -> Result<f64, OracleError>;
    let faults: [(Fault, &str); 3] = [
        (|| Err(OracleError::failed("the disk is gone")), "on rank 1: the oracle failed: the disk is gone"),
        (|| Ok(f64::NAN), "on rank 1: value is NaN"),
        (|| panic!("out of cheese"), "on rank 1: the oracle panicked: out of cheese"),
    ];
    for (fault, expected) in faults {
        let reports = on_ranks(3, |link| {
            let faulty = link.rank() == 1;
            let own = Custom::new(2, move |x: &[f64], gradient: Option<&mut [f64]>| {
                if faulty && x[0] != 0.0 {
                    return fault();
                }
                if let Some(gradient) = gradient {
                    gradient.iter_mut().zip(x).for_each(|(g, x)| *g = x - 1.0);
                }
                Ok(x.iter().map(|x| x * x / 2.0 - x).sum())
            });
            let own = own.unwrap().of_this_rank(Split::Sum).unwrap();
            let builder =
                Problem::minimise(Quadratic::diagonal(vec![1.0, 1.0]).unwrap()).subject_to(own.at_most(0.0));
            let problem = builder.within(Ball::new(5.0)).over_ranks(link).build().unwrap();
            let start = Settings { x0: Some(vec![2.0, 1.0]), ..Settings::default() };
            let report = problem.solve(&start);
            report.map_or_else(|error| error.to_string(), |report| report.meaning().to_string())
        });
        assert!(reports.iter().all(|told| told.contains(expected) && told.contains("row 1")), "{reports:?}");
    }
}

#[test]
fn ranks_with_different_problems_or_settings_are_refused() {
    let samples = Samples::new(200, 3, 4);
    let refused = |bound: [f64; 2], eps: [f64; 2], names: [&str; 2]| {
        let errors = on_ranks(2, |link| {
            let loss = |label: f64| {
                let (data, labels) = samples.part(Some(link), |y| y == label);
                Logistic::new(data, &labels).unwrap()
            };
            let k = link.rank();
            let constraint = loss(1.0).at_most(bound[k]).named(names[k]);
            let builder = Problem::minimise(loss(-1.0)).subject_to(constraint).within(Ball::new(1.0));
            let settings = Settings { eps_rel: eps[k], threads: Some(1 + k), ..Settings::default() };
            builder.over_ranks(link).build().unwrap().solve(&settings).map(|_| ()).unwrap_err().to_string()
        });
        assert_eq!(errors[0], errors[1]);
        errors[0].clone()
    };
    assert!(refused([0.5, 0.6], [1e-6; 2], ["a"; 2]).contains("same bounds, weights"));
    assert!(refused([0.5; 2], [1e-6, 1e-5], ["a"; 2]).contains("same settings"));
    assert!(refused([0.5; 2], [1e-6; 2], ["a", "b"]).contains("same names of rows"));
}

#[test]
fn ranks_stop_together() {
    let samples = Samples::new(4_000, 10, 5);
    let stopped = |time: [f64; 2], raise: Option<usize>, observed: bool| {
        on_ranks(2, |link| {
            let problem = neyman_pearson(&samples, Some(link), 0.3);
            let budget = Budget::unlimited().with_time(time[link.rank()]);
            if raise == Some(link.rank()) {
                budget.stop_flag().raise();
            }
            let stops = observed && link.rank() == 1;
            let observer =
                &mut |_: &ufcm::report::Progress<'_>| if stops { Control::Stop } else { Control::Continue };
            let report = problem.solve_within(&Settings::default(), &budget, observer).unwrap();
            (report.status, report.x)
        })
    };
    for (time, raise, observed, expected) in [
        ([0.0, 1e9], None, false, Status::TimeLimit),
        ([1e9, 0.0], None, false, Status::Certified),
        ([1e9, 1e9], Some(1), false, Status::Interrupted),
        ([1e9, 1e9], None, true, Status::Interrupted),
    ] {
        let ends = stopped(time, raise, observed);
        assert!(ends.iter().all(|(status, x)| *status == expected && *x == ends[0].1), "{ends:?}");
    }
}

#[test]
fn a_rank_that_leaves_ends_the_run_of_the_others() {
    let samples = Samples::new(300, 3, 6);
    let told = on_ranks(2, |link| {
        let problem = neyman_pearson(&samples, Some(link), 0.5);
        if link.rank() == 1 {
            return String::new();
        }
        problem.solve(&Settings::default()).map(|_| ()).unwrap_err().to_string()
    });
    assert!(told[0].contains("rank 1 has left"), "{}", told[0]);
}
