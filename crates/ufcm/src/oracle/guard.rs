//! Calls into code that is not ours: a panic becomes a message.

use crate::oracle::{Component, OracleError};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `call`; the panic message if it panicked.
///
/// Nothing of ours is left half changed: what `call` writes to is thrown away after a panic. What an oracle keeps
/// inside itself is its own affair.
pub(crate) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| message_of(payload.as_ref()))
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

/// Evaluates a component as the solver does: a panic, a NaN or an infinity comes back as an error.
///
/// # Errors
/// What the component says, or what is wrong with what it did.
pub fn guarded(
    component: &dyn Component,
    x: &[f64],
    mut gradient: Option<&mut [f64]>,
) -> Result<f64, OracleError> {
    let outcome = caught(|| component.evaluate(x, gradient.as_deref_mut()));
    let value = outcome.unwrap_or_else(|message| Err(OracleError::Panicked { message }))?;
    OracleError::check_value(value)?;
    if let Some(gradient) = gradient {
        OracleError::check_finite("gradient", gradient)?;
    }
    Ok(value)
}
