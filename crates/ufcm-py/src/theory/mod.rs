//! The paper's constants, promises, measures and planted instances: thin classes and functions around `ufcm::theory`, which the modules of
//! `python/ufcm/theory` give the names of the library.

pub(crate) mod constants;
pub(crate) mod measure;
pub(crate) mod planted;
pub(crate) mod promise;
