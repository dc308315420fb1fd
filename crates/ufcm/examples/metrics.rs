//! `cargo run --release -p ufcm --example metrics [part of a name]`: what each metric needs on seeded instances until the solver
//! has proven a relative gap of 1e-6.
//!
//! "gradients" are evaluations of all values and gradients, "products" those of Hessians with vectors, each of which costs
//! about as much; both are counts, the same on every run. Black boxes tell neither hints nor second derivatives.

#[path = "metrics/instances.rs"]
mod instances;

use instances::{black_boxes, factors, text};
use std::error::Error;
use ufcm::problem::Problem;
use ufcm::report::Status;
use ufcm::settings::{MetricRule, Settings};

const KNOWN: [MetricRule; 5] =
    [MetricRule::Scalar, MetricRule::Hints, MetricRule::Damped, MetricRule::LowRank, MetricRule::Auto];
const BLACK_BOX: [MetricRule; 3] = [MetricRule::Scalar, MetricRule::QuasiNewton, MetricRule::Auto];
const MOST_GRADIENTS: usize = 3000;

type Make = fn() -> Result<Problem, Box<dyn Error>>;

const INSTANCES: [(&str, Make, &[MetricRule]); 9] = [
    ("text-5000-ball", || text(4000, 5000, 40, 0.0), &KNOWN),
    ("text-5000-l1", || text(4000, 5000, 40, 1e-4), &KNOWN),
    ("text-20000-ball", || text(10_000, 20_000, 60, 0.0), &KNOWN),
    ("text-20000-l1", || text(10_000, 20_000, 60, 1e-4), &KNOWN),
    ("factors-4000-ball", || factors(500, 4000, 20), &KNOWN),
    ("black-box-50-ball", || black_boxes(50, 1e4, 0.0), &BLACK_BOX),
    ("black-box-50-l1", || black_boxes(50, 1e4, 1e-3), &BLACK_BOX),
    ("black-box-200-ball", || black_boxes(200, 1e4, 0.0), &BLACK_BOX),
    ("black-box-500-ball", || black_boxes(500, 1e4, 0.0), &BLACK_BOX),
];

fn main() -> Result<(), Box<dyn Error>> {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    println!("instance            metric        gradients  products  seconds");
    for (name, make, metrics) in INSTANCES.iter().filter(|(name, ..)| name.contains(&wanted)) {
        let problem = make()?;
        for &metric in *metrics {
            let settings = Settings { metric, max_gradients: Some(MOST_GRADIENTS), ..Settings::default() };
            let report = problem.solve(&settings)?;
            let proven = report.status == Status::Certified;
            println!(
                "{name:19} {:13} {:>9} {:>9} {:>8.2}{}",
                format!("{metric:?}"),
                report.counts.gradients,
                report.counts.hessian_products,
                report.seconds,
                if proven { String::new() } else { format!("  {}", report.status) },
            );
        }
    }
    Ok(())
}
