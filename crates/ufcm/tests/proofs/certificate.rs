//! Bounds are bounds: never above the optimum, tight where they can be, and certificates that lie are found out.

use crate::planted;

use planted::{COMPOSITIONS, Composition, Instance, Random, uniform_instance};
use std::sync::Arc;
use ufcm::certificate::{
    Certificate, CertificateError, Floor, Infeasibility, Linearisation, LowerModel, Premise, Upper, Witness,
    repair,
};
use ufcm::component::{Custom, LeastSquares, Linear, Quadratic};
use ufcm::composer::L1Norm;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::method::{Adaptive, AdaptiveParameters};
use ufcm::metric::Metric;
use ufcm::oracle::{Component, NewtonRegulariser, Regulariser, Weight};
use ufcm::problem::{IntoConstraint, Problem, ProblemBuilder, Term};
use ufcm::regulariser::{Bounds, GroupL2, L1, L2Norm, LinfNorm};

const PARAMETERS: AdaptiveParameters = AdaptiveParameters { eps: 1e-10, r: 1.0, l: 1.0 };

fn push(model: &mut LowerModel, problem: &Problem, y: &[f64], multipliers: &[f64]) -> bool {
    let mut mapping = problem.mapping();
    let mut values = vec![0.0; problem.rows()];
    mapping.linearise(y, &mut values).unwrap();
    let composer = problem.composer();
    model.push(&Linearisation { mapping: &*mapping, composer, y, values: &values, multipliers }).unwrap()
}

/// A point of the domain of h*, of some scale.
fn random_multipliers(problem: &Problem, random: &mut Random) -> Vec<f64> {
    let scale = 10f64.powf(3.0 * random.uniform());
    let mut l: Vec<f64> = (0..problem.rows()).map(|_| scale * random.uniform()).collect();
    problem.composer().prox_conjugate(Weight::scalar(1.0), &mut l).unwrap();
    l
}

fn instances() -> Vec<Instance> {
    let kinds = [(1.0, None), (0.5, None), (0.0, None), (1.0, Some((0.5, 1.0)))];
    let all = COMPOSITIONS.iter().flat_map(|&c| kinds.iter().map(move |&(p, uc)| (c, p, uc)));
    all.enumerate().map(|(k, (c, p, uc))| uniform_instance(c, p, uc, 100 + k as u64)).collect()
}

#[test]
fn no_bound_is_above_the_optimum() {
    let mut random = Random(1);
    let mut kept = 0;
    for instance in instances() {
        let problem = &instance.problem;
        let premise = Premise::implied(problem, &instance.x0).unwrap();
        assert_eq!(premise, Premise::BoundedDomain);
        let mut floor = Floor::new(problem, &premise);
        let mut model = LowerModel::new(problem, 8).unwrap();
        for _ in 0..32 {
            let distance = 10f64.powf(3.0 * random.uniform() - 3.0);
            let mut y = random.vector(30, distance);
            y.iter_mut().zip(&instance.saddle.x).for_each(|(y, x)| *y += x);
            let near = random.uniform() > 0.0;
            let l = if near {
                instance.saddle.multipliers.clone()
            } else {
                random_multipliers(problem, &mut random)
            };
            assert!(push(&mut model, problem, &y, &l), "{l:?}");
            kept += 1;
            let before = model.lower();
            let lower = model.bound(&mut floor, f64::INFINITY);
            assert!(lower >= before && lower <= instance.saddle.value, "{lower} {}", instance.saddle.value);
        }
    }
    assert!(kept >= 500);
}

#[test]
fn no_bound_is_above_the_optimum_for_badly_scaled_data() {
    let mut random = Random(2);
    let n = 20;
    let mut worst = 0.0f64;
    for _ in 0..500 {
        let mut power = || 10f64.powf(6.0 * random.uniform());
        let d: Vec<f64> = (0..n).map(|_| power()).collect();
        let c: Vec<f64> = (0..n).map(|_| power()).collect();
        let value: f64 = d.iter().zip(&c).map(|(d, c)| -0.5 * d * c * c).sum();
        let linear = d.iter().zip(&c).map(|(d, c)| -d * c).collect();
        let objective = Quadratic::diagonal(d).unwrap().with_linear(linear).unwrap();
        let edge: Vec<f64> = c.iter().map(|c| 3.0 * c).collect();
        let bounds = Bounds::new(edge.iter().map(|e| -e).collect::<Vec<_>>(), edge).unwrap();
        let problem = Problem::minimise(objective).within(bounds).build().unwrap();
        let premise = Premise::implied(&problem, &vec![0.0; n]).unwrap();
        let mut floor = Floor::new(&problem, &premise);
        let mut model = LowerModel::new(&problem, 6).unwrap();
        for _ in 0..4 {
            let distance = 10f64.powf(4.0 * random.uniform() - 4.0);
            let y: Vec<f64> = c.iter().map(|c| c * (1.0 + distance * random.uniform())).collect();
            assert!(push(&mut model, &problem, &y, &[1.0]));
            assert!(model.bound(&mut floor, value) <= value);
        }
        assert!(push(&mut model, &problem, &c, &[1.0]));
        let lower = model.bound(&mut floor, value);
        assert!(lower <= value);
        worst = worst.max((value - lower) / value.abs());
    }
    assert!(worst < 1e-12, "{worst:e}");
}

#[test]
fn at_a_saddle_point_the_bound_is_the_optimum() {
    for instance in instances() {
        let premise = Premise::BoundedDomain;
        let mut floor = Floor::new(&instance.problem, &premise);
        let mut model = LowerModel::new(&instance.problem, 3).unwrap();
        assert!(push(&mut model, &instance.problem, &instance.saddle.x, &instance.saddle.multipliers));
        let lower = model.bound(&mut floor, f64::INFINITY);
        let value = instance.saddle.value;
        assert!(lower <= value && value - lower <= 1e-9, "{}", value - lower);
    }
}

/// A run, with the bound of the best single minorant and of the combinations after each step.
fn bounds_of_a_run(instance: &Instance, steps: usize) -> Vec<(f64, f64)> {
    let problem = &instance.problem;
    let premise = Premise::BoundedDomain;
    let mut floor = Floor::new(problem, &premise);
    let (mut single, mut model) =
        (LowerModel::new(problem, 1).unwrap(), LowerModel::new(problem, 20).unwrap());
    let mut method =
        Adaptive::new(problem, &instance.x0, &instance.multipliers0, PARAMETERS, Metric::Scalar).unwrap();
    let mut bounds = Vec::new();
    for _ in 0..steps {
        method.step().unwrap();
        assert!(single.push(&method.linearisation()).unwrap());
        assert!(model.push(&method.linearisation()).unwrap());
        let upper = Upper::at(problem, method.x()).unwrap();
        // Whether an active constraint holds is itself known up to rounding: lambda* times some ulps of its row.
        let rounding = upper.rounding + 1e-14;
        let above = upper.value() + rounding - instance.saddle.value;
        assert!(above >= 0.0, "{above:e}");
        let upper = upper.objective.max(instance.saddle.value);
        bounds.push((single.bound(&mut floor, upper), model.bound(&mut floor, upper)));
    }
    bounds
}

#[test]
fn combinations_are_better_than_the_best_of_their_parts() {
    let (mut sum, mut count, mut largest) = (0.0, 0.0, 0.0f64);
    for composition in COMPOSITIONS {
        let (mut own, mut own_count) = (0.0, 0.0);
        // Exponents a little above 1: a single minorant that makes use of strong convexity is near the optimum already.
        for (seed, p, convexity) in
            [(7, 1.0, None), (8, 0.5, None), (9, 1.0, Some((0.3, 1.001))), (10, 1.0, Some((0.1, 1.001)))]
        {
            let instance = uniform_instance(composition, p, convexity, seed);
            let value = instance.saddle.value;
            for (single, combined) in bounds_of_a_run(&instance, 40).into_iter().skip(3) {
                assert!(combined >= single && combined <= value, "{single} {combined} {value}");
                // Where a single one is at the optimum but for rounding there is nothing to gain.
                if value - single > 1e-8 {
                    let factor = (value - single) / (value - combined).max(1e-9);
                    own += factor.ln();
                    own_count += 1.0;
                    largest = largest.max(factor);
                }
            }
        }
        println!("{composition:?}: gaps {:.2} times smaller", f64::exp(own / own_count));
        sum += own;
        count += own_count;
    }
    let factor = f64::exp(sum / count);
    println!(
        "the gap of the best combination is {factor:.2} times smaller than that of the best single minorant in the \
         geometric mean, {largest:.0} times at best"
    );
    assert!(factor > 3.0, "{factor}");
}

#[test]
fn known_strong_convexity_proves_more_and_needs_no_bounded_domain() {
    // The same quadratic as our own component, which knows its least curvature, and as a black box, which does not.
    let (d, c) = ([2.0, 0.5, 1.0], [1.0, -3.0, 0.4]);
    let known = || Quadratic::diagonal(d.to_vec()).unwrap().with_linear(c.to_vec()).unwrap();
    let unknown = || {
        Custom::new(3, move |x, gradient| {
            if let Some(gradient) = gradient {
                (0..3).for_each(|i| gradient[i] = d[i] * x[i] + c[i]);
            }
            Ok((0..3).map(|i| (0.5 * d[i] * x[i] + c[i]) * x[i]).sum())
        })
        .unwrap()
    };
    let value: f64 = (0..3).map(|i| -0.5 * c[i] * c[i] / d[i]).sum();
    let bounded =
        |builder: ProblemBuilder| builder.within(Bounds::new(-50.0, 50.0).unwrap()).build().unwrap();
    let gap_after_8_steps = |problem: &Problem| {
        let premise = Premise::None;
        let mut floor = Floor::new(problem, &premise);
        let mut model = LowerModel::new(problem, 20).unwrap();
        let mut method = Adaptive::new(problem, &[0.0; 3], &[1.0], PARAMETERS, Metric::Scalar).unwrap();
        for _ in 0..8 {
            method.step().unwrap();
            assert!(model.push(&method.linearisation()).unwrap());
        }
        let lower = model.bound(&mut floor, value);
        assert!(lower <= value, "{lower} is no bound of {value}");
        let certificate = Certificate::new(problem, method.x(), &model, &premise).unwrap();
        let verified = certificate.verify(problem).unwrap();
        assert!((verified.lower - lower).abs() <= 1e-12 || lower == f64::NEG_INFINITY);
        (value - lower, certificate)
    };
    let (with, certificate) = gap_after_8_steps(&bounded(Problem::minimise(known())));
    let (without, plain) = gap_after_8_steps(&bounded(Problem::minimise(unknown())));
    assert!(with < 0.01 * without, "{with:e} against {without:e}");
    assert!(certificate.curvature > 0.0 && plain.curvature == 0.0);
    let (free, _) = gap_after_8_steps(&Problem::minimise(known()).build().unwrap());
    assert!(free.is_finite() && free < 2.0 * with + 1e-12, "{free:e}");
    let (nothing, _) = gap_after_8_steps(&Problem::minimise(unknown()).build().unwrap());
    assert!(nothing > 1e300, "a black box without bounds proves nothing, {nothing:e}");
    // A claim of more curvature than the components have is refused.
    let claim = Certificate { curvature: 0.6, ..certificate };
    assert!(claim.verify(&bounded(Problem::minimise(known()))).is_err());
}

#[test]
fn repaired_points_are_feasible_and_bound_from_above() {
    let mut random = Random(3);
    for _ in 0..100 {
        let c = random.vector(5, 1.0);
        let problem = Problem::minimise(Linear::new(c.clone(), 0.0).unwrap())
            .subject_to(Quadratic::diagonal(vec![1.0; 5]).unwrap().at_most(0.5))
            .subject_to(Quadratic::diagonal(vec![0.1, 0.2, 0.0, 0.0, 0.5]).unwrap().at_most(0.5))
            .build()
            .unwrap();
        let distance = 1.0 + 3.0 * random.uniform().abs();
        let x = random.vector(5, distance);
        let repaired = repair(&problem, &x, &[0.0; 5]).unwrap().unwrap();
        assert_eq!(problem.violation(&repaired.x).unwrap(), 0.0);
        assert!(repaired.step > 0.0 && repaired.step < 1.0);
        // The optimum over the unit ball is -|c|.
        assert!(repaired.upper.value() + repaired.upper.rounding >= -1.0);
        // From the best point but for a violation, the repair costs as much as the violation asks for.
        let outside: Vec<f64> = c.iter().map(|c| -c * (1.0 + 1e-6)).collect();
        let repaired = repair(&problem, &outside, &[0.0; 5]).unwrap().unwrap();
        assert!((repaired.upper.value() + 1.0).abs() < 3e-6);
        // No interior point, no repair.
        assert_eq!(repair(&problem, &x, &x).unwrap(), None);
    }
}

fn regression(random: &mut Random, rows: usize, n: usize) -> LeastSquares {
    let data: Vec<f64> = (0..rows * n).map(|_| random.uniform()).collect();
    let labels: Vec<f64> = (0..rows).map(|_| random.uniform()).collect();
    LeastSquares::new(Matrix::row_major(rows, n, data).unwrap(), labels).unwrap()
}

/// Runs until the gap is closed; the last F is the optimum but for 1e-9.
fn closes_the_gap(problem: &Problem, premise: &Premise) {
    let n = problem.dimension();
    let mut floor = Floor::new(problem, premise);
    let mut model = LowerModel::new(problem, 20).unwrap();
    // Little slack: steps that pass the test by it keep slopes of the order of its root, and the radius multiplies them.
    let parameters = AdaptiveParameters { eps: 1e-14, ..PARAMETERS };
    let mut method = Adaptive::new(problem, &vec![0.0; n], &[1.0], parameters, Metric::Scalar).unwrap();
    let mut bounds = Vec::new();
    for _ in 0..300 {
        method.step().unwrap();
        assert!(model.push(&method.linearisation()).unwrap());
        bounds.push(model.bound(&mut floor, problem.value(method.x()).unwrap()));
    }
    let value = problem.value(method.x()).unwrap();
    assert!(bounds.iter().all(|lower| *lower <= value + 1e-13));
    let lower = bounds[bounds.len() - 1];
    assert!(value - lower < 1e-7, "{premise}: {value} {lower}");
    let verified = Certificate::new(problem, method.x(), &model, premise).unwrap().verify(problem).unwrap();
    assert!((verified.lower - lower).abs() < 1e-11 && verified.lower <= value + 1e-13);
}

#[test]
fn level_sets_and_radii_make_bounds_finite() {
    let mut random = Random(4);
    let n = 12;
    let groups = || GroupL2::new(n, [0..4, 4..7, 7..12], 0.05).unwrap();
    let regularisers: Vec<Box<dyn Fn() -> Box<dyn Regulariser>>> = vec![
        Box::new(|| L1::new(0.02).unwrap().into()),
        Box::new(|| L2Norm::new(0.05).unwrap().into()),
        Box::new(move || groups().into()),
        Box::new(|| LinfNorm::new(0.05).unwrap().into()),
    ];
    for make in regularisers {
        let problem =
            Problem::minimise(regression(&mut random, 40, n)).regularised_by(Boxed(make())).build().unwrap();
        let premise = Premise::implied(&problem, &vec![0.0; n]).unwrap();
        assert!(matches!(premise, Premise::LevelSet { .. }), "{premise}");
        closes_the_gap(&problem, &premise);
        closes_the_gap(&problem, &Premise::Radius { centre: vec![0.1; n], radius: 20.0 });
    }
    let problem = Problem::minimise(regression(&mut random, 40, n)).build().unwrap();
    assert_eq!(Premise::implied(&problem, &vec![0.0; n]).unwrap(), Premise::None);
    closes_the_gap(&problem, &Premise::Radius { centre: vec![0.1; n], radius: 20.0 });
}

#[test]
fn bounds_over_level_sets_and_balls_stay_below_a_known_optimum() {
    let mut random = Random(8);
    let n = 10;
    for _ in 0..200 {
        // k |x - c|^2 + w |x|_1: coordinates shrink by w / 2k.
        let scale = 10f64.powf(6.0 * random.uniform());
        let c: Vec<f64> = (0..n).map(|_| scale * random.uniform()).collect();
        let identity = (0..n * n).map(|at| if at % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
        let loss = LeastSquares::new(Matrix::row_major(n, n, identity).unwrap(), c.clone()).unwrap();
        let zero = vec![0.0; n];
        let k = loss.evaluate(&zero, None).unwrap() / c.iter().map(|c| c * c).sum::<f64>();
        let w = 2.0 * k * scale * random.uniform().abs();
        let optimum =
            |c: &f64| if c.abs() <= w / (2.0 * k) { k * c * c } else { w * (c.abs() - w / (4.0 * k)) };
        let value: f64 = c.iter().map(optimum).sum();
        let problem = Problem::minimise(loss).regularised_by(L1::new(w).unwrap()).build().unwrap();
        let level = Premise::implied(&problem, &zero).unwrap();
        assert!(matches!(level, Premise::LevelSet { .. }));
        for premise in [level, Premise::Radius { centre: zero.clone(), radius: 4.0 * scale }] {
            let mut floor = Floor::new(&problem, &premise);
            let mut model = LowerModel::new(&problem, 5).unwrap();
            for _ in 0..5 {
                let distance = scale * 10f64.powf(3.0 * random.uniform() - 3.0);
                let y: Vec<f64> = c.iter().map(|c| c + distance * random.uniform()).collect();
                assert!(push(&mut model, &problem, &y, &[1.0]));
                let lower = model.bound(&mut floor, f64::INFINITY);
                assert!(lower.is_finite() && lower <= value, "{premise}: {lower:e} {value:e}");
            }
            let shrink = |c: &f64| c.signum() * (c.abs() - w / (2.0 * k)).max(0.0);
            assert!(push(&mut model, &problem, &c.iter().map(shrink).collect::<Vec<_>>(), &[1.0]));
            let lower = model.bound(&mut floor, value);
            // The numbers that cancel are as large as F(0), the level.
            let size = problem.value(&zero).unwrap();
            assert!(lower <= value && value - lower <= 1e-11 * size, "{premise}: {lower:e} {value:e}");
        }
    }
}

#[test]
fn level_sets_follow_through_every_kind_of_block() {
    let mut random = Random(9);
    let mut loss = || -> Arc<dyn Component> { Arc::new(regression(&mut random, 9, 3)) };
    let (a, b) = (loss(), loss());
    let plane = || Affine::new(Matrix::row_major(1, 3, vec![1.0, 1.0, 1.0]).unwrap(), vec![0.0]).unwrap();
    let problem = Problem::over(3)
        .plus(Term::max(vec![a.clone(), b]))
        .plus(Term::affine(L1Norm::new(vec![1.0]).unwrap(), plane()))
        .subject_to(plane().equal_to_zero())
        // Flat in one direction: constraints that bound every variable would be the premise.
        .subject_to(Quadratic::diagonal(vec![1.0, 1.0, 0.0]).unwrap().at_most(5.0))
        .regularised_by(L1::new(0.1).unwrap())
        .build()
        .unwrap();
    let zero = [0.0; 3];
    let Premise::LevelSet { tau, .. } = Premise::implied(&problem, &zero).unwrap() else { panic!() };
    // Losses are at least 0, so u is at most F(0).
    assert!((tau - problem.value(&zero).unwrap()).abs() < 1e-12);
    // A linear objective has no lower bound, and an infeasible start no level.
    let linear =
        Problem::minimise(Linear::new(vec![0.01; 3], 0.0).unwrap()).regularised_by(L1::new(0.1).unwrap());
    assert_eq!(Premise::implied(&linear.build().unwrap(), &zero).unwrap(), Premise::None);
    assert_eq!(Premise::implied(&problem, &[1.0, 0.0, 0.0]).unwrap(), Premise::None);
}

/// A regulariser from a list.
struct Boxed(Box<dyn Regulariser>);

impl Regulariser for Boxed {
    fn kind(&self) -> &'static str {
        self.0.kind()
    }
    fn dimension(&self) -> Option<usize> {
        self.0.dimension()
    }
    fn value(&self, x: &[f64]) -> f64 {
        self.0.value(x)
    }
    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), ufcm::oracle::OracleError> {
        self.0.prox(weight, x)
    }
    fn has_diagonal_prox(&self) -> bool {
        self.0.has_diagonal_prox()
    }
    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        self.0.min_linear(slope, minimiser)
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }
}

impl NewtonRegulariser for Boxed {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut ufcm::jacobian::JacobianBlock<'_>,
    ) -> Result<(), ufcm::oracle::OracleError> {
        self.0.prox_jacobian(weight, point, out)
    }
}

#[test]
fn a_level_that_does_not_follow_is_refused() {
    let problem = Problem::minimise(regression(&mut Random(5), 9, 3))
        .regularised_by(L1::new(0.1).unwrap())
        .build()
        .unwrap();
    let Premise::LevelSet { start, tau } = Premise::implied(&problem, &[0.0; 3]).unwrap() else { panic!() };
    let witnesses = vec![Witness::at(vec![0.0; 3], vec![1.0])];
    let premise = Premise::LevelSet { start, tau: 0.99 * tau };
    let upper = problem.value(&[0.0; 3]).unwrap() + 1e-9;
    let certificate = Certificate {
        x: vec![0.0; 3],
        lower: -1e9,
        upper,
        violation: 0.0,
        premise,
        curvature: 0.0,
        witnesses,
        grounds: Vec::new(),
        constants: None,
    };
    assert!(matches!(certificate.verify(&problem), Err(CertificateError::Premise(_))));
}

#[test]
fn a_violation_may_be_off_by_the_rounding_of_its_rows_and_no_more() {
    // 1e5 x_1 - 1e5 x_2 = 0.3: a row whose terms are far above what they sum to.
    let row = Matrix::row_major(1, 2, vec![1e5, -1e5]).unwrap();
    let problem = Problem::minimise(Linear::new(vec![1.0, 1.0], 0.0).unwrap())
        .subject_to(Affine::new(row, vec![0.3]).unwrap().equal_to_zero())
        .within(Bounds::new(-10.0, 10.0).unwrap())
        .build()
        .unwrap();
    let x = vec![3e-6 + 1e-16 + 1.0, 1.0];
    let violation = problem.violation(&x).unwrap();
    assert!(0.0 < violation && violation < 1e-9, "{violation}");
    let upper = x[0] + x[1] + 1e-9;
    let claiming = |violation| Certificate {
        x: x.clone(),
        lower: f64::NEG_INFINITY,
        upper,
        violation,
        premise: Premise::BoundedDomain,
        curvature: 0.0,
        witnesses: Vec::new(),
        grounds: Vec::new(),
        constants: None,
    };
    // One bit of a term moves the sum by 1.5e-11.
    let bit = 1e5 * f64::EPSILON / 2.0;
    assert!(claiming(violation).verify(&problem).is_ok());
    assert!(claiming(violation - bit).verify(&problem).is_ok(), "{violation}");
    let worse = vec![x[0] + 1e-10, x[1]];
    let far = Certificate { x: worse, ..claiming(violation) }.verify(&problem);
    assert!(matches!(far, Err(CertificateError::Claim { what: "the violation", .. })), "{far:?}");
}

#[test]
fn certificates_come_back_from_json_bit_for_bit() {
    for (seed, composition) in (0..).zip(COMPOSITIONS) {
        let instance = uniform_instance(composition, 1.0, None, seed);
        let certificate = certified_run(&instance);
        let read: Certificate =
            serde_json::from_str(&serde_json::to_string_pretty(&certificate).unwrap()).unwrap();
        assert_eq!(read, certificate);
        assert_eq!(read.verify(&instance.problem).unwrap(), certificate.verify(&instance.problem).unwrap());
    }
    // Numbers that a reader without correct rounding gets wrong in the last bit.
    let bits = |state: u64| f64::from_bits(state.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for value in (1..20_000u64).map(bits).filter(|value| value.is_finite()) {
        let read: f64 = serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap();
        assert_eq!(read.to_bits(), value.to_bits(), "{value:e}");
    }
}

fn certified_run(instance: &Instance) -> Certificate {
    let premise = Premise::BoundedDomain;
    let mut floor = Floor::new(&instance.problem, &premise);
    let mut model = LowerModel::new(&instance.problem, 10).unwrap();
    let mut method =
        Adaptive::new(&instance.problem, &instance.x0, &instance.multipliers0, PARAMETERS, Metric::Scalar)
            .unwrap();
    for _ in 0..12 {
        method.step().unwrap();
        model.push(&method.linearisation()).unwrap();
    }
    model.bound(&mut floor, f64::INFINITY);
    Certificate::new(&instance.problem, method.x(), &model, &premise).unwrap()
}

#[test]
fn certificates_are_accepted_and_tampering_is_found_out() {
    let mut random = Random(6);
    let (mut tampered, mut refused) = (0, 0);
    for composition in COMPOSITIONS {
        let instance = uniform_instance(composition, 1.0, None, 60);
        let sound = certified_run(&instance);
        let verified = sound.verify(&instance.problem).unwrap();
        assert!((verified.lower - sound.lower).abs() <= 1e-11, "{verified:?}");
        assert!(verified.lower <= instance.saddle.value);
        for round in 0..48 {
            let mut certificate = sound.clone();
            let k = (random.uniform().abs() * certificate.witnesses.len() as f64) as usize;
            let (witness, size) = (&mut certificate.witnesses[k], 10f64.powf(2.0 * random.uniform() - 2.0));
            let j = round / 6 % witness.multipliers.len();
            match round % 6 {
                0 => witness.multipliers[j] = -witness.multipliers[j] - size,
                1 => witness.multipliers[j] *= 1.0 + size,
                2 => witness.weight += size,
                3 => witness.y.iter_mut().for_each(|y| *y += size * random.uniform()),
                4 => certificate.lower += 1e-3,
                _ => certificate.upper -= 1e-3,
            }
            tampered += 1;
            match certificate.verify(&instance.problem) {
                Ok(verified) => assert!(round % 6 < 4 && verified.lower <= instance.saddle.value),
                Err(_) => refused += 1,
            }
        }
    }
    println!("{refused} of {tampered} tampered certificates refused, the others prove less");
    assert!(tampered >= 200 && refused >= tampered / 2);
}

#[test]
fn malformed_certificates_are_refused_by_name() {
    let instance = uniform_instance(Composition::Max, 1.0, None, 61);
    let sound = certified_run(&instance);
    let verify = |change: &dyn Fn(&mut Certificate)| {
        let mut certificate = sound.clone();
        change(&mut certificate);
        certificate.verify(&instance.problem).unwrap_err()
    };
    assert!(matches!(verify(&|c| c.x.truncate(3)), CertificateError::Length { what: "x", .. }));
    assert!(matches!(verify(&|c| c.x[1] = f64::NAN), CertificateError::NotFinite { what: "x" }));
    assert!(matches!(verify(&|c| c.upper = f64::NAN), CertificateError::NotFinite { .. }));
    assert!(matches!(
        verify(&|c| c.lower = f64::NAN),
        CertificateError::Claim { what: "the lower bound", .. }
    ));
    assert!(matches!(verify(&|c| c.witnesses.clear()), CertificateError::Empty));
    assert!(matches!(verify(&|c| c.witnesses[0].y.push(0.0)), CertificateError::Length { what: "y", .. }));
    let short = verify(&|c| c.witnesses[0].multipliers.truncate(1));
    assert!(matches!(short, CertificateError::Length { what: "multipliers", .. }));
    let infinite = verify(&|c| c.witnesses[0].multipliers[1] = f64::INFINITY);
    assert!(matches!(infinite, CertificateError::NotFinite { what: "multipliers" }));
    assert!(matches!(verify(&|c| c.witnesses[0].weight = -0.1), CertificateError::Weight { witness: 0, .. }));
    assert!(matches!(verify(&|c| c.witnesses[0].weight += 0.1), CertificateError::WeightSum { .. }));
    let negative = verify(&|c| c.witnesses[0].multipliers[1] = -0.5);
    assert!(matches!(negative, CertificateError::Negative { witness: 0, .. }));
    let outside = verify(&|c| c.witnesses[0].multipliers[1] += 0.5);
    assert!(matches!(outside, CertificateError::OutsideDomain { witness: 0, .. }));
}

fn two_balls(distance: f64) -> Problem {
    let around = |c: f64| {
        let q = Quadratic::diagonal(vec![2.0, 2.0]).unwrap().with_linear(vec![-2.0 * c, 0.0]).unwrap();
        q.at_most(1.0 - c * c)
    };
    Problem::minimise(Linear::new(vec![1.0, 1.0], 0.0).unwrap())
        .subject_to(around(0.0))
        .subject_to(around(distance))
        .within(Bounds::new(-100.0, 100.0).unwrap())
        .build()
        .unwrap()
}

#[test]
fn infeasibility_is_proven_where_it_is_and_nowhere_else() {
    let proof = |y: Vec<f64>, multipliers: Vec<f64>| Infeasibility {
        premise: Premise::None,
        witnesses: vec![Witness::at(y, multipliers)],
        grounds: Vec::new(),
        rows: Vec::new(),
    };
    // Balls of radius 1 around 0 and 5: at 2.5 both rows are 5.25, their slopes opposite.
    let apart = two_balls(5.0);
    let margin = proof(vec![2.5, 0.0], vec![0.0, 1.0, 1.0]).verify(&apart).unwrap();
    assert!((margin - 10.5).abs() < 1e-9 && margin <= 10.5);
    let on_objective = proof(vec![2.5, 0.0], vec![1.0, 1.0, 1.0]).verify(&apart);
    assert!(matches!(on_objective, Err(CertificateError::NotConstraint { .. })));
    let negative = proof(vec![2.5, 0.0], vec![0.0, 1.0, -1.0]).verify(&apart);
    assert!(matches!(negative, Err(CertificateError::OutsideDomain { .. })));
    let one_sided = proof(vec![2.5, 0.0], vec![0.0, 1.0, 0.0]).verify(&apart);
    assert!(matches!(one_sided, Err(CertificateError::NotSeparating { .. })));
    // x + y = 3 against x + y in [0, 2]: the equation's slope cancels the interval's.
    let sum = |b: f64| Affine::new(Matrix::row_major(1, 2, vec![1.0, 1.0]).unwrap(), vec![b]).unwrap();
    let lines = Problem::over(2)
        .subject_to(sum(3.0).equal_to_zero())
        .subject_to(sum(0.0).between(vec![0.0], vec![2.0]))
        .build()
        .unwrap();
    let margin = proof(vec![0.0, 0.0], vec![0.0, -1.0, 1.0]).verify(&lines).unwrap();
    assert!((margin - 1.0).abs() < 1e-12);
    assert!(proof(vec![0.0, 0.0], vec![0.0, 1.0, -1.0]).verify(&lines).is_err());
    // Balls that touch: nothing proves them apart.
    let touching = two_balls(2.0);
    let mut random = Random(7);
    for k in 0..500 {
        let size = 10f64.powf(-12.0 * random.uniform().abs());
        let y = vec![1.0 + size * random.uniform(), size * random.uniform()];
        let multipliers = if k % 2 == 0 {
            vec![0.0, 1.0, 1.0]
        } else {
            vec![0.0, random.uniform().abs(), random.uniform().abs()]
        };
        assert!(proof(y, multipliers).verify(&touching).is_err());
    }
}

/// min x^2 over the whole line; the bound follows from x^2 >= 4 x - 4.
fn parabola() -> (Problem, Certificate) {
    let problem = Problem::minimise(Quadratic::diagonal(vec![2.0]).unwrap()).build().unwrap();
    let certificate = Certificate {
        x: vec![2.0],
        lower: -4.1,
        upper: 4.0 + 1e-9,
        violation: 0.0,
        premise: Premise::Radius { centre: vec![1.0], radius: 1.0 },
        curvature: 0.0,
        witnesses: vec![Witness::at(vec![2.0], vec![1.0])],
        grounds: Vec::new(),
        constants: None,
    };
    (problem, certificate)
}

#[test]
fn a_ball_that_does_not_hold_the_point_proves_nothing() {
    let (problem, sound) = parabola();
    assert!(sound.verify(&problem).is_ok(), "the point lies on the sphere");
    for (centre, radius) in [(1e9, 1e-3), (0.9, 1.0), (2.1, 0.0), (1e300, 1e299)] {
        let premise = Premise::Radius { centre: vec![centre], radius };
        let forged = Certificate { premise, ..sound.clone() };
        let refused = forged.verify(&problem);
        assert!(
            matches!(refused, Err(CertificateError::OutsideRadius { .. })),
            "{centre} {radius}: {refused:?}"
        );
    }
    for radius in [f64::NAN, f64::INFINITY, -1.0] {
        let forged = Certificate { premise: Premise::Radius { centre: vec![2.0], radius }, ..sound.clone() };
        assert!(matches!(forged.verify(&problem), Err(CertificateError::Premise(_))), "{radius}");
    }
}

#[test]
fn a_bound_above_a_feasible_point_is_refused() {
    // -x^2, linearised at 0: "no value is below 0", which x = 1 disproves.
    let concave = Quadratic::trusted(&Matrix::row_major(1, 1, vec![-2.0]).unwrap()).unwrap();
    let problem = Problem::minimise(concave).within(Bounds::new(-5.0, 5.0).unwrap()).build().unwrap();
    let claiming = |x: f64| Certificate {
        x: vec![x],
        lower: -1e-9,
        upper: -x * x + 1e-9,
        violation: 0.0,
        premise: Premise::BoundedDomain,
        curvature: 0.0,
        witnesses: vec![Witness::at(vec![0.0], vec![1.0])],
        grounds: Vec::new(),
        constants: None,
    };
    assert!(claiming(0.0).verify(&problem).is_ok(), "nothing in the certificate contradicts it");
    let refused = claiming(1.0).verify(&problem);
    assert!(matches!(refused, Err(CertificateError::AboveValue { .. })), "{refused:?}");
}

#[test]
fn points_outside_the_domain_and_domains_that_are_not_bounded_are_refused_by_name() {
    let (problem, sound) = parabola();
    let unbounded = Certificate { premise: Premise::BoundedDomain, ..sound.clone() };
    assert!(matches!(unbounded.verify(&problem), Err(CertificateError::Premise(_))));
    let boxed = Problem::minimise(Quadratic::diagonal(vec![2.0]).unwrap())
        .within(Bounds::new(-1.0, 1.0).unwrap())
        .build()
        .unwrap();
    let outside = Certificate { premise: Premise::BoundedDomain, ..sound };
    assert_eq!(outside.verify(&boxed), Err(CertificateError::OutsideX));
}
