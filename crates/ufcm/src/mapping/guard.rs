//! The gate between the solver and an oracle: panics are caught, and only finite numbers pass.

use crate::oracle::{Component, OracleError};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Evaluates a component; a panic, a NaN or an infinity comes back as an error.
pub(crate) fn guarded(
    component: &dyn Component,
    x: &[f64],
    mut gradient: Option<&mut [f64]>,
) -> Result<f64, OracleError> {
    // After a panic only `gradient` may be half written, and it is not used then.
    let outcome = catch_unwind(AssertUnwindSafe(|| component.evaluate(x, gradient.as_deref_mut())));
    let value =
        outcome.unwrap_or_else(|payload| Err(OracleError::Panicked { message: message(&*payload) }))?;
    if !value.is_finite() {
        return Err(OracleError::NotFinite { what: "value", index: None, value });
    }
    if let Some(gradient) = gradient
        && let Some(i) = gradient.iter().position(|g| !g.is_finite())
    {
        return Err(OracleError::NotFinite { what: "gradient", index: Some(i), value: gradient[i] });
    }
    Ok(value)
}

fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}
