//! Composers, regularisers, problems and the catalogue of their kinds. One executable: each takes seconds to link.

mod catalogue;
mod composers;
#[path = "../composers_common/mod.rs"]
mod composers_common;
mod cones;
#[path = "../common/ellipsoid.rs"]
mod ellipsoid;
mod problem;
#[path = "../common/random.rs"]
mod random;
#[path = "../common/regulariser_list.rs"]
mod regulariser_list;
mod regularisers;
mod sublevel;
