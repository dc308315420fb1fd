//! No method allocates in a step, restarts included: on one thread, with components that do not allocate either.

#[path = "common/counting.rs"]
mod counting;
#[path = "common/planted.rs"]
#[allow(dead_code, reason = "constraints will do")]
mod planted;
#[path = "common/random.rs"]
#[allow(dead_code, reason = "these tests need not every distribution")]
mod random;

use counting::allocations;
use planted::Planted;
use ufcm::component::Quadratic;
use ufcm::method::baseline::{
    AcgdS, AcgdSParameters, IdealGradient, PrimalDualBacktracking, PrimalDualParameters,
    SwitchingSubgradient, UniversalFastGradient,
};
use ufcm::method::{Doubling, RestartPlan, Restarted, Ufcm, UfcmParameters};
use ufcm::problem::Problem;
use ufcm::regulariser::L1;
use ufcm::theory::promise::Balance;

const START: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// The first call of a component may make its buffers.
fn warm_up(problem: &Problem) {
    let (x, mut values) = (vec![0.0; problem.dimension()], vec![0.0; problem.rows()]);
    problem.mapping().linearise(&x, &mut values).expect("finite");
}

/// Asserts that no step allocates, the first included.
fn check(name: &str, steps: usize, mut step: impl FnMut()) {
    let count = allocations(|| (0..steps).for_each(|_| step()));
    assert_eq!(count, 0, "{name} allocates in its steps");
}

#[test]
fn the_count_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1.0; 3]))), 1);
}

#[test]
fn the_published_methods_allocate_nothing() {
    let Planted { problem, .. } = planted::constraints(6, 1);
    warm_up(&problem);
    let l_ada = 10.0;
    let parameters = UfcmParameters { l_ada, balance: Balance::without_distances(l_ada) };
    let mut method = Ufcm::new(&problem, &[0.0; 6], &START, parameters).expect("valid");
    check("UFCM", 30, || method.step().expect("finite"));
    let mut method = Ufcm::new(&problem, &[0.0; 6], &START, parameters).expect("valid").keeping_jacobian();
    check("UFCM with its Jacobian", 30, || method.step().expect("finite"));

    // Both the primal and the dual iterate restart.
    let plan = RestartPlan::new(l_ada, 1.0, 1.0, 1e-4, (2.0, 2.0), 4).expect("valid");
    assert!(plan.executions.iter().any(|execution| execution.restart_x && execution.restart_multipliers));
    let steps = plan.gradients();
    let mut method = Restarted::new(&problem, &[0.0; 6], &START, plan).expect("valid");
    check("R-UFCM", steps, || method.step().expect("finite"));
    assert!(method.is_done() && method.execution() == 3);

    let mut method = Doubling::new(&problem, &[0.0; 6], &START, 0.5, (2.0, 2.0)).expect("valid");
    check("the doubling schedule", 100, || {
        method.step().expect("finite");
    });
    assert!(method.l() > 1.0);
}

#[test]
fn the_baselines_allocate_nothing() {
    let Planted { problem, saddle, smoothness } = planted::constraints(6, 2);
    warm_up(&problem);
    let multipliers = saddle.multipliers;
    let mut method = IdealGradient::new(&problem, &[0.0; 6], &multipliers, 10.0).expect("valid").restarting();
    check("the ideal gradient method", 100, || method.step().expect("finite"));

    let parameters = AcgdSParameters { smoothness, multipliers, r: 0.1, d_x: 2.0 };
    let mut method = AcgdS::new(&problem, &[0.0; 6], &parameters).expect("valid");
    check("ACGD-S", 30, || method.step().expect("finite"));

    let parameters = PrimalDualParameters { tau: 100.0, gamma: 1.0, restart: Some(8) };
    let mut method = PrimalDualBacktracking::new(&problem, &[0.0; 6], &START, parameters).expect("valid");
    check("primal-dual with backtracking", 100, || method.step().expect("finite"));

    let mut method = SwitchingSubgradient::new(&problem, &[0.0; 6], 0.1).expect("valid");
    check("the switching subgradient method", 100, || method.step().expect("finite"));

    let objective = Quadratic::diagonal(vec![1.0, 4.0]).expect("convex");
    let sum =
        Problem::minimise(objective).regularised_by(L1::new(0.1).expect("positive")).build().expect("convex");
    warm_up(&sum);
    let mut method = UniversalFastGradient::new(&sum, &[1.0, 1.0], 1e-6, 0.01).expect("valid");
    check("the universal fast gradient method", 100, || method.step().expect("finite"));
}
