//! Experiments about the published method, one file each. `examples/experiments.rs` writes what they find to docs/experiments.md;
//! `tests/methods/experiments.rs` runs them in their quick form and holds every observed count against its promise.

#![allow(dead_code, missing_docs)] // the command and the test each take what they need

mod balance;
mod convex_and_rough;
pub mod document;
mod doubling;
mod inner_steps;
mod many_constraints;
mod misjudged;
mod mixed_convexity;
mod mixed_smoothness;
mod multiplier_sweep;
#[path = "../picture/mod.rs"]
mod picture;
mod qcqp_instance;
mod random_qcqp;
mod restarts;
mod runs;
mod sheet;

use crate::planted; // one copy, at the root of the command and of the test
pub use sheet::Sheet;
use std::error::Error;

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Seconds: what tests run.
    Quick,
    /// Minutes: what docs/experiments.md shows.
    Full,
}

impl Effort {
    /// The one or the other.
    pub fn choose<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// One experiment: its name and what runs it.
pub struct Experiment {
    pub name: &'static str,
    pub run: fn(Effort) -> Outcome<Vec<Sheet>>,
}

/// All of them, in the order of docs/experiments.md.
pub const EXPERIMENTS: [Experiment; 11] = [
    Experiment { name: "mixed-smoothness", run: mixed_smoothness::run },
    Experiment { name: "mixed-convexity", run: mixed_convexity::run },
    Experiment { name: "multiplier-sweep", run: multiplier_sweep::run },
    Experiment { name: "many-constraints", run: many_constraints::run },
    Experiment { name: "misjudged", run: misjudged::run },
    Experiment { name: "balance", run: balance::run },
    Experiment { name: "convex-and-rough", run: convex_and_rough::run },
    Experiment { name: "doubling", run: doubling::run },
    Experiment { name: "restarts", run: restarts::run },
    Experiment { name: "inner-steps", run: inner_steps::run },
    Experiment { name: "random-qcqp", run: random_qcqp::run },
];
