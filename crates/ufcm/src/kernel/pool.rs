//! Buffers that are made once and lent out again.

use std::sync::Mutex;

/// Reusable buffers for oracles, which are called through `&self`: the first call allocates, later ones do not.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    idle: Mutex<Vec<Vec<f64>>>,
}

impl Pool {
    /// Runs `work` with a buffer of `len` numbers of unspecified content.
    pub(crate) fn with<T>(&self, len: usize, work: impl FnOnce(&mut [f64]) -> T) -> T {
        // A panic elsewhere cannot leave a list of buffers half changed: poisoning is no reason to stop.
        let lend = |idle: &Mutex<Vec<Vec<f64>>>| idle.lock().unwrap_or_else(|e| e.into_inner()).pop();
        let mut buffer = lend(&self.idle).unwrap_or_default();
        buffer.resize(len, 0.0);
        let outcome = work(&mut buffer);
        self.idle.lock().unwrap_or_else(|e| e.into_inner()).push(buffer);
        outcome
    }
}

impl Clone for Pool {
    /// A pool of its own: buffers are not content.
    fn clone(&self) -> Self {
        Self::default()
    }
}
