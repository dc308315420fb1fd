//! Every method keeps what it promises, on problems with known solutions. One executable: each takes seconds to link.

mod acgd_s;
mod adaptive;
mod baselines;
#[path = "../common/counting.rs"]
mod counting;
mod curvature;
#[path = "../common/differences.rs"]
mod differences;
mod experiments;
mod images;
#[path = "../literal/mod.rs"]
mod literal;
mod metrics;
mod own_constants;
#[path = "../planted/mod.rs"]
mod planted;
mod primal_dual;
mod published;
#[path = "../common/random.rs"]
mod random;
mod restarts;
mod sliding;
#[path = "../common/planted.rs"]
mod sums;
mod theory;
mod traces;
mod transcription;
mod without_jacobian;
mod working_set;
