//! Files into plain data: matrices, vectors, tables, linear and quadratic programs.
//!
//! | format | module | gives |
//! |---|---|---|
//! | MPS, QPS (fixed, free) | [`mps`] | [`Program`], which states a [`Problem`](ufcm::problem::Problem) |
//! | LP (of CPLEX) | [`lp`] | [`Program`] |
//! | CBF | [`cbf`] | [`Program`], with cones |
//! | NumPy `.npy`, `.npz`, SciPy sparse `.npz` | [`npy`], [`npz`] | arrays, matrices |
//! | `.npy` larger than memory | [`mapped`] | a matrix that stays in its file |
//! | Matrix Market | [`matrix_market`] | a matrix |
//! | LIBSVM, svmlight | [`libsvm`] | a sparse matrix with labels |
//! | CSV | [`table`] | a table with named columns |
//! | Parquet | [`parquet`] | a table with named columns |
//! | Arrow, Feather | [`arrow`] | a table with named columns |
//! | problem files (TOML) | [`problem_file`] | a [`Problem`](ufcm::problem::Problem) |
//!
//! All of them take a [`Source`], which is a file in memory (unpacked if it was gzipped), and answer what they cannot
//! read with a [`ReadError`] that tells file, line, field, what was expected and what came. No input makes them panic.
//!
//! # What a file may cost
//!
//! Declared sizes are checked against what is there before anything is allocated for them. A reader's memory is
//! bounded by [`MEMORY_RATIO`] times the unpacked size of its source plus [`MEMORY_FLOOR`]; compressed data unfold to
//! at most [`UNPACKED_RATIO`] times their size, or [`UNPACKED_FLOOR`] if that is more. A pipe may bring [`PIPE_LIMIT`] bytes;
//! devices are not read.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod arrow;
mod assign;
pub mod cbf;
mod error;
pub mod libsvm;
pub mod lp;
pub mod mapped;
pub mod matrix_market;
pub mod mps;
mod nearest;
pub mod npy;
pub mod npz;
mod origin;
mod packed;
pub mod parquet;
mod part;
pub mod paths;
pub mod problem_file;
mod program;
mod scan;
mod source;
mod sparse;
mod stream;
pub mod table;

pub use assign::{AssignError, assigned};
pub use error::{Fault, Place, ReadError};
pub use nearest::nearest;
pub use program::{Cone, ConeRows, NotAProgram, ProblemRow, Program, QuadraticRow, Sense};
pub use source::{DIMENSION_FLOOR, MEMORY_FLOOR, MEMORY_RATIO, Source, UNPACKED_FLOOR, UNPACKED_RATIO};
pub use stream::PIPE_LIMIT;
