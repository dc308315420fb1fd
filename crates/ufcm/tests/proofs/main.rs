//! Certificates, what they rest on, and what is audited. One executable: each takes seconds to link.

mod audit;
mod audited;
mod certificate;
mod curved_bounds;
mod enclosure;
mod grounds;
mod mixing;
#[path = "../planted/mod.rs"]
mod planted;
mod promises;
#[path = "../common/random.rs"]
#[allow(dead_code, reason = "these tests need not every distribution")]
mod random;
