//! Whole solves: who begins, who goes on, what is told. One executable: each takes seconds to link.

mod bounds;
mod bounds_from_cones;
mod causes;
mod choosing;
mod condensed;
mod conflict;
#[path = "../common/counting.rs"]
mod counting;
mod implied_bounds;
mod kinks;
mod linear_programs;
mod many_rows;
#[path = "../planted/mod.rs"]
mod planted;
mod programs_traded;
#[path = "../common/random.rs"]
mod random;
mod rays_in_cones;
mod reads;
mod solve;
mod tradeoff;
