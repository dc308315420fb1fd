//! What every component promises, tested for all of them: see `list` for the components, and one file for each promise.

mod bad_input;
mod convexity;
mod extremes;
mod gradient;
mod hessian;
mod indefinite;
mod list;
mod measure;
mod oracle_errors;
mod random;
mod samples;
mod sparse_structure;
mod storages;
mod threads;
mod wide;
