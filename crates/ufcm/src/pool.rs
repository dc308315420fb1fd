//! Buffers that are made once and lent out again.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Reusable buffers for oracles, which are called through `&self`, by several threads at once, and must not allocate in
/// every call. A pool grows to the number of calls that ever ran side by side, and stays.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    idle: Mutex<Vec<Vec<f64>>>,
}

impl Pool {
    /// Runs `work` with a buffer of `len` numbers of unspecified content.
    pub(crate) fn with<T>(&self, len: usize, work: impl FnOnce(&mut [f64]) -> T) -> T {
        let mut buffer = self.idle().pop().unwrap_or_default();
        buffer.resize(len, 0.0);
        let outcome = work(&mut buffer);
        self.idle().push(buffer);
        outcome
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Vec<f64>>> {
        // A panic elsewhere leaves whole buffers or none: nothing to repair.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Storage is no part of what an oracle is: a clone starts with none, and all are equal.
impl Clone for Pool {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Pool {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}
