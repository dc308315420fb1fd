//! The problems of the honesty suite, with seeds that it does not use. Clarabel solves them in plain units.

use super::{Base, Reference};
use crate::conic::{self, Answer};
use crate::describe::{Instance, Truth};
use crate::generate::Key;

/// An optimum counts as known where it is known to this, relative to 1 + |p*|.
const KNOWN: f64 = 1e-7;

pub fn base(suite: &str, seed: u64) -> Base {
    let instance = Key::of_suite(suite, 1_000_000 + seed).unwrap().instance();
    let reference = reference(&instance);
    Base { instance, reference, margin: None }
}

pub fn reference(instance: &Instance) -> Reference {
    match &instance.truth {
        Truth::Infeasible => return Reference::Infeasible,
        Truth::Unbounded => return Reference::Unbounded,
        Truth::Minimiser(x) => {
            let value = instance.objective_at(x);
            return Reference::Optimum { value, uncertainty: 1e-12 * (1.0 + value.abs()) };
        }
        Truth::Feasible => {}
    }
    match conic::answer_of(instance) {
        Answer::Optimum { value, uncertainty } if uncertainty <= KNOWN * (1.0 + value.abs()) => {
            Reference::Optimum { value, uncertainty }
        }
        _ => Reference::Unknown,
    }
}
