//! Working storage for oracles that need some.

use std::sync::{Mutex, PoisonError};

/// A pool of vectors: oracles are called through `&self` by several threads at once, and must not allocate in
/// every call. The pool grows to the number of calls that ever ran side by side, and stays.
#[derive(Debug, Default)]
pub(super) struct Scratch(Mutex<Vec<Vec<f64>>>);

impl Scratch {
    /// Runs `work` on `length` numbers, all 0.
    pub(super) fn with<T>(&self, length: usize, work: impl FnOnce(&mut [f64]) -> T) -> T {
        let mut vector = self.lock().pop().unwrap_or_default();
        vector.clear();
        vector.resize(length, 0.0);
        let outcome = work(&mut vector);
        self.lock().push(vector);
        outcome
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Vec<f64>>> {
        // A panic elsewhere leaves whole vectors or none: nothing to repair.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Storage is no part of what an oracle is: a clone starts with none, and all are equal.
impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Scratch {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}
