//! Rows that every rank has, each evaluated by one of them.

use crate::{Samples, bits, on_ranks, over, solved};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use ufcm::component::{Logistic, Quadratic};
use ufcm::oracle::{Component, Curvature, Grounds, OracleError};
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::ranks::Link;
use ufcm::regulariser::Ball;
use ufcm::report::Status;
use ufcm::settings::Settings;

/// A component that counts how often it is asked.
struct Counted(Quadratic, Arc<AtomicUsize>);

impl Component for Counted {
    fn kind(&self) -> &'static str {
        "counted"
    }

    fn grounds(&self) -> Grounds {
        self.0.grounds()
    }

    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.evaluate(x, gradient)
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        self.0.curvature()
    }

    fn lower_bound(&self) -> Option<f64> {
        self.0.lower_bound()
    }

    fn operations(&self) -> Option<u64> {
        Some(1_000_000)
    }
}

/// A loss over samples, with many rows that every rank has.
fn many_rows(samples: &Samples, link: Option<&Arc<Link>>, shift: f64) -> (Problem, Arc<AtomicUsize>) {
    let count = Arc::<AtomicUsize>::default();
    let (data, labels) = samples.part(link.map(|l| &**l), |_| true);
    let mut builder = Problem::minimise(Logistic::new(data, &labels).unwrap()).within(Ball::new(10.0));
    for k in 0..12 {
        let diagonal = (0..5).map(|i| 1.0 + ((i + k) % 4) as f64).collect();
        let linear = (0..5).map(|i| 0.1 * ((i * k) % 3) as f64 + shift).collect();
        let row = Quadratic::diagonal(diagonal).unwrap().with_linear(linear).unwrap();
        builder = builder.subject_to(Counted(row, count.clone()).at_most(0.05 + 0.01 * k as f64));
    }
    (over(builder, link), count)
}

#[test]
fn many_rows_that_every_rank_has_are_dealt_out() {
    let samples = Samples::new(2_000, 5, 7);
    let alone = solved(&many_rows(&samples, None, 0.0).0);
    assert_eq!(alone.status, Status::Certified);
    for size in [2, 4] {
        let all = on_ranks(size, |link| {
            let (problem, count) = many_rows(&samples, Some(link), 0.0);
            let x = vec![0.1; 5];
            let mut mapping = problem.mapping();
            let mut values = vec![0.0; 13];
            let before = count.load(Ordering::Relaxed);
            mapping.linearise(&x, &mut values).unwrap();
            let asked = count.load(Ordering::Relaxed) - before;
            let report = solved(&problem);
            report.certificate.as_ref().unwrap().verify(&many_rows(&samples, None, 0.0).0).unwrap();
            (report, asked, values)
        });
        for (report, asked, values) in &all {
            assert_eq!(report.status, Status::Certified);
            assert_eq!((bits(report), *asked), (bits(&all[0].0), 12 / size), "{size} ranks");
            assert_eq!(values, &all[0].2);
            assert!((report.objective - alone.objective).abs() <= 2e-6);
        }
    }
    // They must be the same on all ranks.
    let errors = on_ranks(2, |link| {
        let (problem, _) = many_rows(&samples, Some(link), 0.1 * link.rank() as f64);
        problem.solve(&Settings::default()).map(|_| ()).unwrap_err().to_string()
    });
    assert!(errors.iter().all(|error| error.contains("same bounds, weights and parameters")), "{errors:?}");
}
