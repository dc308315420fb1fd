//! Calls to a user's products, which have no way of their own to say that they failed.

use crate::linalg::largest_eigenvalue;
use crate::oracle::guard::caught;
use crate::oracle::{LinearOperator, OracleError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Rounds of the power method for |A|, and what its result, which is a little too small, is multiplied with.
const POWER_ROUNDS: usize = 20;
const SAFETY: f64 = 1.1;

/// An operator whose panics are remembered: the product is then NaN, and the next evaluation of the rows says what happened.
#[derive(Clone)]
pub(super) struct Guarded {
    operator: Arc<dyn LinearOperator>,
    panic: Arc<Mutex<Option<String>>>,
    norm: Arc<OnceLock<f64>>,
}

impl Guarded {
    pub fn new(operator: Arc<dyn LinearOperator>) -> Self {
        Self { operator, panic: Arc::default(), norm: Arc::default() }
    }

    pub fn inner(&self) -> &dyn LinearOperator {
        &*self.operator
    }

    pub fn apply(&self, x: &[f64], out: &mut [f64]) {
        self.guard(out, |operator, out| operator.apply(x, out));
    }

    pub fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]) {
        self.guard(out, |operator, out| operator.apply_transpose(multipliers, out));
    }

    /// |A|, estimated when first asked for.
    pub fn norm(&self) -> f64 {
        *self.norm.get_or_init(|| SAFETY * self.power_method())
    }

    fn power_method(&self) -> f64 {
        let (mut image, mut v) = (vec![0.0; self.inner().rows()], vec![0.0; self.inner().columns()]);
        let square = largest_eigenvalue(&mut v, POWER_ROUNDS, |v| {
            self.apply(v, &mut image);
            self.apply_transpose(&image, v);
            Ok(())
        });
        // Products do not say that they failed: NaN does.
        square.unwrap_or(f64::NAN).sqrt()
    }

    fn guard(&self, out: &mut [f64], call: impl FnOnce(&dyn LinearOperator, &mut [f64])) {
        if let Err(message) = caught(|| call(self.inner(), out)) {
            out.fill(f64::NAN);
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
        }
    }

    /// The panic of a product since the last look.
    pub fn check(&self) -> Result<(), OracleError> {
        match self.panic.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(message) => Err(OracleError::Panicked { message }),
            None => Ok(()),
        }
    }
}
