//! Calls into code that is not ours: a panic becomes a message.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `call`; the panic message if it panicked.
///
/// Nothing of ours is left half changed: what `call` writes to is thrown away after a panic. What an oracle keeps
/// inside itself is its own affair; the worst it can do is break another law.
pub(super) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| message_of(payload.as_ref()))
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    if let Some(message) = payload.downcast_ref::<&str>() {
        (*message).to_owned()
    } else if let Some(message) = payload.downcast_ref::<String>() {
        message.clone()
    } else {
        "a panic without a message".to_owned()
    }
}
