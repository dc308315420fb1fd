//! Runs for the tests of pages and pictures.

use crate::answer::Answer;
use crate::course::Course;
use crate::record::{Description, RunRecord};
use std::path::Path;
use ufcm::component::Quadratic;
use ufcm::problem::{IntoConstraint, Problem};
use ufcm::regulariser::Bounds;
use ufcm::report::{Counts, Progress, Record};
use ufcm::settings::Settings;

/// A small problem with a constraint of this name, solved.
pub(super) fn solved(name: &str) -> (Problem, RunRecord) {
    let objective = Quadratic::diagonal(vec![1.0, 1.0]).unwrap().with_linear(vec![-2.0, 0.0]).unwrap();
    let problem = Problem::minimise(objective)
        .subject_to(Quadratic::diagonal(vec![1.0, 1.0]).unwrap().at_most(0.5).named(name))
        .within(Bounds::new(-5.0, 5.0).unwrap())
        .build()
        .unwrap();
    let settings = Settings::default();
    let report = problem.solve(&settings).unwrap();
    let description = Description::new(name.into(), Path::new("p.toml"), &problem, None, None);
    let mut record = RunRecord::new(description, settings, report, vec!["a note".into()]);
    record.answer = Answer::of(&problem, &record);
    (problem, record)
}

/// A course of so many steps that ends where the record does.
pub(super) fn course(record: &RunRecord, steps: usize) -> Course {
    let mut course = Course::new(2);
    for k in 1..=steps {
        let distance = 10f64.powi(-(k.min(9) as i32));
        let now = Record {
            seconds: 0.01 * k as f64,
            objective: -1.5 + distance,
            // No bound at first.
            lower_bound: if k == 1 { f64::NEG_INFINITY } else { -1.5 - 2.0 * distance },
            violation: if k % 2 == 0 { 0.0 } else { distance },
            unit: 1.0,
            l: 2.0,
            restarted: k == 3,
            counts: Counts { steps: k, gradients: k + 1, ..Counts::default() },
        };
        let (multipliers, row_values) = ([1.0, 1.0 - distance], [-1.5, distance]);
        course.step(&Progress {
            record: now,
            x: &[],
            multipliers: &multipliers,
            row_values: &row_values,
            prelude: false,
        });
    }
    course.end(&record.report);
    course
}
