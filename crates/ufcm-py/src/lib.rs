//! The Rust side of the Python package `ufcm`: thin classes around the library, which the Python modules in `python/ufcm`
//! turn into what users see. Arrays arrive here as float64; everything about them is checked by the library.

mod arrays;
mod block;
mod certificate;
mod component;
mod composed;
mod error;
mod function;
mod kinds;
mod lent;
mod listen;
mod matrix;
mod problem;
mod progress;
mod ranks;
mod regulariser;
mod settings;
mod solve;
mod summary;
mod theory;
mod tradeoff;
mod warm_start;

use pyo3::prelude::*;

/// The compiled part of ufcm; use `import ufcm`.
#[pymodule]
mod _ufcm {
    use super::*;

    #[pymodule_export]
    use super::block::{Affine, Block};
    #[pymodule_export]
    use super::certificate::{Certificate, Infeasibility, Unboundedness};
    #[pymodule_export]
    use super::component::Component;
    #[pymodule_export]
    use super::error::{CertificateError, Error, OracleError, Unproven};
    #[pymodule_export]
    use super::kinds::catalogue;
    #[pymodule_export]
    use super::matrix::Matrix;
    #[pymodule_export]
    use super::problem::{Problem, plan};
    #[pymodule_export]
    use super::progress::Progress;
    #[pymodule_export]
    use super::ranks::Link;
    #[pymodule_export]
    use super::regulariser::Regulariser;
    #[pymodule_export]
    use super::solve::solve;
    #[pymodule_export]
    use super::theory::constants::Aggregate;
    #[pymodule_export]
    use super::theory::measure::{dual_point, lagrangian, optimality, saddle_value};
    #[pymodule_export]
    use super::theory::planted::Instance;
    #[pymodule_export]
    use super::theory::promise::Promises;
    #[pymodule_export]
    use super::tradeoff::{Surface, Tradeoff, surface, tradeoff};
    #[pymodule_export]
    use super::warm_start::WarmStart;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        error::note_process();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
