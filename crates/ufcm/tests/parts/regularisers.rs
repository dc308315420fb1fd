//! Every regulariser against its definition: prox, Jacobian, minimum of a linear function, strong convexity, bad input.

use crate::ellipsoid;
use crate::random;
use crate::regulariser_list;

use ellipsoid::Answer;
use faer::{Mat, Side};
use random::Random;
use regulariser_list::{Case, list};
use ufcm::error::{DataError, DataProblem, Position};
use ufcm::jacobian::ProxJacobian;
use ufcm::oracle::{Grounds, OracleError, Regulariser, Weight};
use ufcm::regulariser::{
    AffineSet, Ball, Bounds, ElasticNet, GroupL2, Halfspace, Hyperplane, L1, L1Ball, L1Box, L2Norm, LinfBall,
    LinfNorm, Ridge, Scaled, SeparableSum, Simplex, SortedL1, SumOfLargest, TotalVariation, Translated, Zero,
};

const DIMENSIONS: [usize; 6] = [1, 2, 3, 5, 8, 12];

/// A weight that owns its diagonal.
#[derive(Debug, Clone)]
enum Metric {
    Scalar(f64),
    Diagonal(f64, Vec<f64>),
}

impl Metric {
    fn weight(&self) -> Weight<'_> {
        match self {
            Self::Scalar(tau) => Weight::scalar(*tau),
            Self::Diagonal(scale, d) => Weight::diagonal(*scale, d),
        }
    }

    fn entries(&self, n: usize) -> Vec<f64> {
        (0..n).map(|i| self.weight().at(i)).collect()
    }

    /// Scalars, and diagonals with entries from 1/spread to spread, as far as `u` takes them.
    fn several(u: &dyn Regulariser, n: usize, spread: f64, random: &mut Random) -> Vec<Self> {
        let mut metrics = vec![Self::Scalar(1.0), Self::Scalar(random.within(0.2, 5.0))];
        if u.has_diagonal_prox() {
            metrics.push(Self::Diagonal(1.0, random.positive(n, 1.0 / spread, spread)));
            metrics.push(Self::Diagonal(0.5, random.positive(n, 0.5, 2.0)));
        }
        metrics
    }
}

/// Runs `test` on every regulariser, dimension and metric.
fn for_all(seed: u64, spread: f64, test: impl FnMut(&Case, usize, &Metric, &mut Random)) {
    for_all_of(&DIMENSIONS, seed, spread, test);
}

fn for_all_of(
    dimensions: &[usize],
    seed: u64,
    spread: f64,
    mut test: impl FnMut(&Case, usize, &Metric, &mut Random),
) {
    let mut random = Random::new(seed);
    for &n in dimensions {
        for case in list(n, &mut random) {
            for metric in Metric::several(case.u.as_ref(), n, spread, &mut random) {
                test(&case, n, &metric, &mut random);
            }
        }
    }
}

fn prox(u: &dyn Regulariser, metric: &Metric, v: &[f64]) -> Vec<f64> {
    let mut x = v.to_vec();
    u.prox(metric.weight(), &mut x).unwrap();
    x
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// |x|_W.
fn size(w: &[f64], x: &[f64]) -> f64 {
    x.iter().zip(w).map(|(x, w)| w * x * x).sum::<f64>().sqrt()
}

/// W (v - x), the subgradient of u at x that a prox leaves.
fn pull(w: &[f64], v: &[f64], x: &[f64]) -> Vec<f64> {
    minus(v, x).iter().zip(w).map(|(d, w)| w * d).collect()
}

/// As [`pull`], with 0 for what is but the rounding of x.
fn subgradient(w: &[f64], v: &[f64], x: &[f64]) -> Vec<f64> {
    let moved = |i: usize| (v[i] - x[i]).abs() > 4.0 * f64::EPSILON * v[i].abs();
    pull(w, v, x).iter().enumerate().map(|(i, s)| if moved(i) { *s } else { 0.0 }).collect()
}

/// Random points of several sizes, and points where something happens: 0, equal entries, signs, points of X, and the
/// two sides of the cones |y| <= t and |y| <= -t.
fn points(case: &Case, n: usize, random: &mut Random) -> Vec<Vec<f64>> {
    let mut points: Vec<Vec<f64>> = [1e-3, 1.0, 30.0].iter().map(|&s| random.vector(n, s)).collect();
    points.push(vec![0.0; n]);
    points.push(vec![1.0; n]);
    points.push(random.vector(n, 1.0).iter().map(|x| 2f64.copysign(*x)).collect());
    points.push(prox(case.u.as_ref(), &Metric::Scalar(1.0), &random.vector(n, 3.0)));
    for slant in [-1.005, -0.995, 0.995, 1.005] {
        let mut edge = random.vector(n, 1.0);
        edge[0] = slant * dot(&edge[1..], &edge[1..]).sqrt();
        points.push(edge);
    }
    points
}

/// Points of X of several sizes.
fn members(case: &Case, n: usize, random: &mut Random) -> Vec<Vec<f64>> {
    let sizes = [1e-2, 1.0, 1.0, 3.0, 10.0, 100.0];
    sizes.iter().map(|&s| prox(case.u.as_ref(), &Metric::Scalar(1.0), &random.vector(n, s))).collect()
}

#[test]
fn values_are_those_of_the_naive_twins() {
    for_all(1, 1e3, |case, n, _, random| {
        for anywhere in [0.1, 0.3, 1.0, 3.0].map(|s| random.vector(n, s)) {
            let x = case.hull.nearest(&anywhere);
            let value = case.u.value(&x);
            match (case.naive)(&x) {
                Answer::Value(naive, _) => {
                    let rounding = 1e-12 * (1.0 + naive.abs());
                    assert!((value - naive).abs() <= rounding, "{}: {value} not {naive}", case.name);
                }
                Answer::Outside(_) => assert_eq!(value, f64::INFINITY, "{} at {x:?}", case.name),
            }
            if case.hull.directions.len() < n {
                assert_eq!(case.u.value(&anywhere), f64::INFINITY, "{} at {anywhere:?}", case.name);
            }
        }
    });
}

#[test]
fn proxes_agree_with_a_minimiser_that_knows_only_the_definition() {
    for_all(2, 1e3, |case, n, metric, random| {
        if n > 8 {
            return;
        }
        let w = metric.entries(n);
        for v in points(case, n, random) {
            let x = prox(case.u.as_ref(), metric, &v);
            // The twin compares objectives in doubles: it sees sqrt(eps) of the numbers that enter them, not less.
            let scale = 1.0 + size(&w, &v) + size(&w, &x);
            let naive = ellipsoid::minimise(&case.naive, &case.hull, &w, &v, 3e-7 * scale);
            let distance = size(&w, &minus(&x, &naive));
            assert!(
                distance <= 1e-6 * scale,
                "{} (n = {n}, {metric:?}): prox of {v:?}\n is {x:?},\n not {naive:?}: distance {distance:e}",
                case.name
            );
        }
    });
}

#[test]
fn proxes_satisfy_the_variational_inequality() {
    for_all(3, 1e3, |case, n, metric, random| {
        let w = metric.entries(n);
        for v in points(case, n, random) {
            let x = prox(case.u.as_ref(), metric, &v);
            let value = case.u.value(&x);
            assert!(value.is_finite(), "{}: the prox {x:?} is outside", case.name);
            let s = pull(&w, &v, &x);
            let scale: f64 = w.iter().zip(&v).map(|(w, v)| w * v.abs()).sum();
            for y in members(case, n, random) {
                let gap = case.u.value(&y) - value - dot(&s, &minus(&y, &x));
                let reach = y.iter().chain(&x).fold(1.0f64, |m, y| m.max(y.abs()));
                assert!(gap >= -1e-9 * (1.0 + scale) * reach, "{}: {gap:e} from {v:?} to {y:?}", case.name);
                let better = case.u.value(&y) + 0.5 * size(&w, &minus(&y, &v)).powi(2);
                let best = value + 0.5 * size(&w, &minus(&x, &v)).powi(2);
                assert!(best <= better + 1e-9 * (1.0 + better.abs()), "{}: {y:?} is better", case.name);
            }
        }
    });
}

#[test]
fn proxes_are_firmly_nonexpansive() {
    for_all(4, 1e3, |case, n, metric, random| {
        let w = metric.entries(n);
        let points = points(case, n, random);
        for (a, b) in points.iter().zip(points.iter().skip(1)) {
            let moved = minus(&prox(case.u.as_ref(), metric, a), &prox(case.u.as_ref(), metric, b));
            let inner = dot(&moved, &pull(&w, a, b));
            let rounding = 1e-10 * (1.0 + size(&w, a) + size(&w, b)).powi(2);
            assert!(inner >= size(&w, &moved).powi(2) - rounding, "{} {metric:?}: {a:?} {b:?}", case.name);
        }
    });
}

/// A slope that is inside the domain of u* where `slope` is on its boundary, if 0 is inside.
fn nearer_to_zero(slope: &[f64]) -> Vec<f64> {
    slope.iter().map(|s| (1.0 - 1e-10) * s).collect()
}

/// u(x) + u*(s) = <s, x> for x = prox(v), s = W (v - x): value, prox and min_linear tell of one function.
#[test]
fn values_proxes_and_linear_minima_satisfy_fenchel_youngs_equality() {
    for_all_of(&[1, 2, 3, 5, 8, 12, 300], 5, 10.0, |case, n, metric, random| {
        let w = metric.entries(n);
        for v in [random.vector(n, 1.0), random.vector(n, 5.0), vec![2.0; n]] {
            let x = prox(case.u.as_ref(), metric, &v);
            let minus_s: Vec<f64> = subgradient(&w, &v, &x).iter().map(|s| -s).collect();
            // s may lie a rounding outside the domain of u*; a bit nearer to 0 it does not.
            let minimum = case.u.min_linear(&minus_s, None);
            let nearer = case.u.min_linear(&nearer_to_zero(&minus_s), None);
            let minimum = if minimum.is_finite() { minimum } else { nearer };
            let reached = case.u.value(&x) + dot(&minus_s, &x);
            assert!(
                (minimum - reached).abs() <= 1e-8 * (1.0 + reached.abs() + dot(&minus_s, &minus_s).sqrt()),
                "{} (n = {n}, {metric:?}) at {v:?}: {minimum} against {reached}",
                case.name
            );
        }
    });
}

#[test]
fn linear_minima_are_attained_and_lowest_or_unbounded_along_a_ray() {
    for_all(6, 10.0, |case, n, _, random| {
        let u = case.u.as_ref();
        let v = random.vector(n, 4.0);
        let x = prox(u, &Metric::Scalar(1.0), &v);
        let attained: Vec<f64> = subgradient(&vec![1.0; n], &v, &x).iter().map(|s| -s).collect();
        let mut slopes: Vec<Vec<f64>> = [0.1, 1.0, 10.0].iter().map(|&s| random.vector(n, s)).collect();
        slopes.push(vec![0.0; n]);
        slopes.extend([0.99, 1.01].map(|c| attained.iter().map(|s| c * s).collect()));
        let mut same_sum = attained;
        same_sum[0] += 2.0;
        same_sum[n - 1] -= 2.0;
        slopes.push(same_sum);
        for slope in slopes {
            let mut at = vec![f64::NAN; n];
            let minimum = u.min_linear(&slope, Some(&mut at));
            assert_eq!(minimum.to_bits(), u.min_linear(&slope, None).to_bits(), "{}", case.name);
            let objective = |x: &[f64]| u.value(x) + dot(&slope, x);
            // argmin <s, x> + u(x) + weight/2 |x|^2 goes to infinity with its value where that is unbounded.
            let far = |weight: f64| {
                let start: Vec<f64> = slope.iter().map(|s| -s / weight).collect();
                prox(u, &Metric::Scalar(weight), &start)
            };
            if minimum.is_finite() {
                let rounding = 1e-12 * slope.iter().zip(&at).map(|(s, x)| (s * x).abs()).sum::<f64>();
                assert!(
                    (objective(&at) - minimum).abs() <= 1e-11 + rounding,
                    "{} {slope:?}: {at:?}",
                    case.name
                );
                for y in members(case, n, random).into_iter().chain([1e-1, 1e-4].map(far)) {
                    let size: f64 = slope.iter().zip(&y).map(|(s, y)| (s * y).abs()).sum();
                    let lower = objective(&y);
                    assert!(lower >= minimum - 1e-10 * (1.0 + size), "{}: {y:?} is lower", case.name);
                }
            } else if !u.min_linear(&nearer_to_zero(&slope), None).is_finite() {
                assert_eq!(minimum, f64::NEG_INFINITY, "{}", case.name);
                let fall = [1e-7, 1e-9, 1e-11].map(|weight| objective(&far(weight)));
                let endless = fall[0] < 0.0 && fall[1] < 50.0 * fall[0] && fall[2] < 50.0 * fall[1];
                assert!(endless, "{} {slope:?}: {fall:?}", case.name);
            }
        }
    });
}

/// The dual of a total variation: the partial sums p_k of W (v - x) stay within the weight, reach it where x steps, with
/// the sign of the step, and end at 0. Together these prove x, at any length.
#[test]
fn total_variation_is_solved_at_length() {
    let mut random = Random::new(13);
    let (n, limit) = (20_000, 2.0);
    let u = TotalVariation::new(limit).unwrap();
    for (spread, size) in [(1.0, 5.0), (1e3, 5.0), (1e3, 0.01), (10.0, 1e6)] {
        let metric = Metric::Diagonal(1.0, random.positive(n, 1.0 / spread, spread));
        let steps = |i: usize| size * (i * 7 / n) as f64;
        let v: Vec<f64> = random.vector(n, size).iter().enumerate().map(|(i, v)| v + steps(i)).collect();
        let x = prox(&u, &metric, &v);
        let w = metric.entries(n);
        // What the terms w_i (v_i - x_i) of the sums are rounded to.
        let rounding = f64::EPSILON * (0..n).map(|i| w[i] * (v[i].abs() + x[i].abs())).sum::<f64>();
        let mut partial = 0.0;
        for (k, s) in pull(&w, &v, &x).iter().enumerate() {
            partial += s;
            let step = x.get(k + 1).map_or(0.0, |next| next - x[k]);
            let expected = if k + 1 == n { 0.0 } else { -limit * step.signum() };
            assert!(partial.abs() <= limit + rounding, "{partial} at {k}");
            assert!(k + 1 < n && step == 0.0 || (partial - expected).abs() <= rounding, "{partial} at {k}");
        }
    }
}

fn dense(u: &dyn Regulariser, weight: Weight<'_>, point: &[f64]) -> Mat<f64> {
    let n = point.len();
    let mut jacobian = ProxJacobian::new();
    u.prox_jacobian(weight, point, &mut jacobian.start(n)).unwrap();
    let mut matrix = Mat::zeros(n, n);
    let (mut unit, mut column) = (vec![0.0; n], vec![0.0; n]);
    for j in 0..n {
        unit[j] = 1.0;
        jacobian.apply(&unit, &mut column);
        (0..n).for_each(|i| matrix[(i, j)] = column[i]);
        unit[j] = 0.0;
    }
    matrix
}

/// W^1/2 S W^1/2, which has the eigenvalues of S W.
fn balanced(s: &Mat<f64>, w: &[f64]) -> Mat<f64> {
    Mat::from_fn(w.len(), w.len(), |i, j| w[i].sqrt() * s[(i, j)] * w[j].sqrt())
}

#[test]
fn jacobians_are_symmetric_with_eigenvalues_between_0_and_1() {
    for_all(7, 1e3, |case, n, metric, random| {
        for v in points(case, n, random) {
            let s = balanced(&dense(case.u.as_ref(), metric.weight(), &v), &metric.entries(n));
            for i in 0..n {
                for j in 0..i {
                    assert!((s[(i, j)] - s[(j, i)]).abs() <= 1e-12, "{}", case.name);
                }
            }
            let eigenvalues = s.self_adjoint_eigenvalues(Side::Lower).unwrap();
            assert!(
                eigenvalues.iter().all(|&l| (-1e-9..=1.0 + 1e-9).contains(&l)),
                "{} {metric:?} at {v:?}: {eigenvalues:?}",
                case.name
            );
        }
    });
}

#[test]
fn jacobians_agree_with_differences_of_proxes() {
    for_all(8, 1e3, |case, n, metric, random| {
        let w = metric.entries(n);
        for v in [0.1, 1.0, 4.0].map(|s| random.vector(n, s)) {
            let s = balanced(&dense(case.u.as_ref(), metric.weight(), &v), &w);
            for j in 0..n {
                let step = 1e-6;
                let moved = |sign: f64| {
                    let mut v = v.clone();
                    v[j] += sign * step;
                    prox(case.u.as_ref(), metric, &v)
                };
                let difference = minus(&moved(1.0), &moved(-1.0));
                for i in 0..n {
                    let expected = (w[i] / w[j]).sqrt() * difference[i] / (2.0 * step);
                    assert!(
                        (s[(i, j)] - expected).abs() <= 1e-5,
                        "{} (n = {n}, {metric:?}) at {v:?}: S[{i}, {j}] is {} but should be {expected}",
                        case.name,
                        s[(i, j)]
                    );
                }
            }
        }
    });
}

#[test]
fn strong_convexity_holds_between_members() {
    for_all(9, 1e3, |case, n, _, random| {
        let (mu, value) = (case.u.strong_convexity(), |x: &[f64]| case.u.value(x));
        let members = members(case, n, random);
        for (a, b) in members.iter().zip(members.iter().skip(1)) {
            let middle: Vec<f64> = a.iter().zip(b).map(|(a, b)| 0.5 * a + 0.5 * b).collect();
            let chord = 0.5 * value(a) + 0.5 * value(b);
            let dip = mu / 8.0 * dot(&minus(a, b), &minus(a, b));
            assert!(
                value(&middle) <= chord - dip + 1e-12 * (1.0 + chord.abs()),
                "{}: {a:?} {b:?}",
                case.name
            );
        }
    });
    assert_eq!(Ridge::new(vec![3.0, 2.0]).unwrap().strong_convexity(), 2.0);
    assert_eq!(ElasticNet::new(1.0, 4.0).unwrap().strong_convexity(), 4.0);
    assert_eq!(Scaled::new(Ridge::new(2.0).unwrap(), 5.0, -3.0).unwrap().strong_convexity(), 90.0);
    let parts = vec![(0..1, Ridge::new(2.0).unwrap().into()), (1..2, Ridge::new(1.5).unwrap().into())];
    assert_eq!(SeparableSum::new(parts).unwrap().strong_convexity(), 1.5);
}

#[test]
fn members_lie_in_the_intervals_of_their_variables() {
    let mut bounded = 0;
    for_all(17, 1.0, |case, n, _, random| {
        for x in members(case, n, random) {
            for (i, x_i) in x.iter().enumerate() {
                let [low, high] = case.u.interval(i);
                let room = 1e-9 * (1.0 + dot(&x, &x).sqrt());
                assert!(low - room <= *x_i && *x_i <= high + room, "{}: {x_i} in [{low}, {high}]", case.name);
                bounded += usize::from(low.is_finite() && high.is_finite());
            }
        }
    });
    assert!(bounded > 100, "{bounded}");
}

#[test]
fn proxes_stay_inside_at_every_magnitude() {
    for_all(10, 1e3, |case, n, metric, random| {
        for exponent in [-150, -100, -30, -8, 8, 30, 100, 150] {
            let magnitude = 10f64.powi(exponent);
            let mut mixed = random.vector(n, 1.0);
            mixed[0] *= magnitude;
            let mut along_one = vec![0.0; n];
            along_one[n - 1] = -magnitude;
            for v in [random.vector(n, magnitude), mixed, along_one, vec![magnitude; n]] {
                let x = prox(case.u.as_ref(), metric, &v);
                assert!(case.u.value(&x).is_finite(), "{} {metric:?}: {v:?} goes to {x:?}", case.name);
            }
        }
    });
}

#[test]
fn nothing_panics_or_hangs_on_numbers_that_are_none() {
    for_all(11, 1e3, |case, n, metric, random| {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut v = random.vector(n, 1.0);
            v[n / 2] = bad;
            let mut x = v.clone();
            let _ = case.u.prox(metric.weight(), &mut x);
            let _ = case.u.prox_jacobian(metric.weight(), &v, &mut ProxJacobian::new().start(n));
            let _ = (case.u.value(&v), case.u.min_linear(&v, Some(&mut x)));
        }
    });
}

#[test]
fn wrong_lengths_are_told() {
    for_all(12, 1e3, |case, n, metric, random| {
        let u = case.u.as_ref();
        let long = random.vector(n + 1, 1.0);
        let diagonal = vec![1.0; n + 1];
        let refused = |outcome: Result<(), OracleError>| {
            assert!(matches!(outcome, Err(OracleError::Length { .. })), "{}: {outcome:?}", case.name);
        };
        refused(u.prox(Weight::diagonal(1.0, &diagonal), &mut long[..n].to_vec()));
        refused(u.prox_jacobian(
            Weight::diagonal(1.0, &diagonal),
            &long[..n],
            &mut ProxJacobian::new().start(n),
        ));
        if u.dimension().is_some() {
            assert_eq!(u.dimension(), Some(n), "{}", case.name);
            refused(u.prox(Weight::scalar(1.0), &mut long.clone()));
            refused(u.prox_jacobian(Weight::scalar(1.0), &long, &mut ProxJacobian::new().start(n + 1)));
            assert_eq!(u.value(&long), f64::INFINITY, "{}", case.name);
            assert_eq!(u.min_linear(&long, None), f64::NEG_INFINITY, "{}", case.name);
        }
        assert!(u.check().is_ok() && !u.kind().is_empty(), "{}", case.name);
        if !u.has_diagonal_prox() {
            let outcome = u.prox(Weight::diagonal(1.0, &diagonal[..n]), &mut long[..n].to_vec());
            assert!(matches!(outcome, Err(OracleError::Unsupported { .. })), "{} {metric:?}", case.name);
        }
    });
}

/// The error of a constructor, with its message.
fn problem<T>(outcome: Result<T, DataError>, message: &str) -> DataProblem {
    let Err(error) = outcome else { panic!("accepted, but: {message}") };
    assert_eq!(error.to_string(), message);
    error.problem
}

#[test]
fn bad_data_is_refused_by_name() {
    let nan = f64::NAN;
    let inf = f64::INFINITY;
    problem(
        SortedL1::new(vec![2.0, 1.0, 1.5]),
        "sorted l1: weights[2] is 1.5; it must be at most the weight before it",
    );
    problem(SortedL1::new(vec![1.0, -1.0]), "sorted l1: weights[1] is -1; it must be nonnegative");
    problem(SortedL1::new(vec![nan]), "sorted l1: weights[0] is NaN; it must be a finite number");
    problem(L1::new(-1.0), "l1 norm: weights[0] is -1; it must be nonnegative");
    problem(Ridge::new(vec![1.0, nan]), "ridge: weights[1] is NaN; it must be a finite number");
    problem(ElasticNet::new(1.0, -2.0), "elastic net: ridge weights[0] is -2; it must be nonnegative");
    problem(
        ElasticNet::new(vec![1.0], vec![1.0, 2.0]),
        "elastic net: ridge weights has length 2; expected 1",
    );
    let crossed = problem(
        Bounds::new(0.0, vec![1.0, -1.0]),
        "bounds: lower[1] is 0; it must be at most the upper bound",
    );
    assert!(matches!(crossed, DataProblem::OutOfRange { position: Position::Entry(1), .. }));
    problem(Bounds::new(2.0, 1.0), "bounds: lower is 2; it must be at most the upper bound");
    problem(Bounds::new(inf, inf), "bounds: lower[0] is inf; it must be a finite number");
    problem(Bounds::new(0.0, vec![1.0, nan]), "bounds: upper[1] is NaN; it must be a finite number");
    problem(Bounds::new(vec![0.0], vec![1.0, 1.0]), "bounds: upper has length 2; expected 1");
    problem(LinfBall::new(0.0), "linf ball: radius is 0; it must be positive");
    problem(
        LinfBall::with_centre(1.0, vec![0.0, inf]),
        "linf ball: centre[1] is inf; it must be a finite number",
    );
    problem(L1Box::new(-1.0, 0.0, 1.0), "l1 norm in a box: weights[0] is -1; it must be nonnegative");
    problem(L1Box::new(1.0, 3.0, 1.0), "l1 norm in a box: lower is 3; it must be at most the upper bound");
    problem(L1Box::new(vec![1.0], 0.0, vec![1.0, 2.0]), "l1 norm in a box: upper has length 2; expected 1");
    problem(L2Norm::new(inf), "l2 norm: weight is inf; it must be a finite number");
    problem(LinfNorm::new(-1.0), "linf norm: weight is -1; it must be nonnegative");
    problem(TotalVariation::new(nan), "total variation: weight is NaN; it must be a finite number");
    problem(SumOfLargest::new(0, 1.0), "sum of largest: count is empty");
    problem(SumOfLargest::new(1, -1.0), "sum of largest: weight is -1; it must be nonnegative");
    problem(Simplex::new(0.0), "simplex: total is 0; it must be positive");
    problem(L1Ball::new(-1.0), "l1 ball: radius is -1; it must be positive");
    problem(Ball::new(0.0).check(), "l2 ball: radius is 0; it must be positive");
    problem(
        Ball::with_centre(1.0, vec![nan]).check(),
        "l2 ball: centre[0] is NaN; it must be a finite number",
    );
}

#[test]
fn bad_structure_is_refused_by_name() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    problem(
        GroupL2::new(3, [vec![0, 1], vec![3]], 1.0),
        "group l2 norm: groups[1, 0] is 3; it must be below 3",
    );
    problem(
        GroupL2::new(3, [0..2, 1..3], 1.0),
        "group l2 norm: groups[1, 0] is 1, which groups[0] holds already",
    );
    problem(
        GroupL2::new(3, [0..2, 2..usize::MAX], 1.0),
        "group l2 norm: groups[1, 1] is 3; it must be below 3",
    );
    problem(GroupL2::new(3, [0..2, 2..2], 1.0), "group l2 norm: groups[1] is empty");
    problem(GroupL2::new(3, [0..2, 2..3], vec![1.0]), "group l2 norm: weights has length 1; expected 2");
    problem(GroupL2::new(2, [vec![0, 1]], -1.0), "group l2 norm: weights[0] is -1; it must be nonnegative");
    problem(Halfspace::new(vec![0.0, 0.0], 1.0), "halfspace: the normal is 0");
    problem(Halfspace::new(vec![1.0], nan), "halfspace: offset is NaN; it must be a finite number");
    problem(Hyperplane::new(vec![], 1.0), "hyperplane: the normal is 0");
    problem(Hyperplane::new(vec![1.0, inf], 1.0), "hyperplane: normal[1] is inf; it must be a finite number");
    assert!(Hyperplane::new(vec![1e-300], 1e300).is_err());
    problem(AffineSet::new(vec![], vec![]), "affine set: rows is empty");
    problem(
        AffineSet::new(vec![vec![1.0, 2.0], vec![1.0]], vec![0.0, 0.0]),
        "affine set: rows[1] has length 1; expected 2",
    );
    problem(
        AffineSet::new(vec![vec![1.0, nan]], vec![0.0]),
        "affine set: rows[0, 1] is NaN; it must be a finite number",
    );
    problem(AffineSet::new(vec![vec![1.0]], vec![]), "affine set: rhs has length 0; expected 1");
    problem(
        AffineSet::new(vec![vec![1.0]], vec![inf]),
        "affine set: rhs[0] is inf; it must be a finite number",
    );
    problem(AffineSet::new(vec![vec![0.0]], vec![2.0]), "affine set: rows[0] is 0 and rhs[0] is 2");
    problem(
        AffineSet::new(vec![vec![2.0, 4.0], vec![1.0, 2.0]], vec![2.0, 1.5]),
        "affine set: rows[1] contradicts the other rows: no x satisfies them all",
    );
    problem(
        SeparableSum::new(vec![(0..1, Zero.into()), (2..3, Zero.into())]),
        "separable sum: parts[1] begins at 2; it must begin at 1, where the parts before it end",
    );
    problem(SeparableSum::new(vec![(0..0, Zero.into())]), "separable sum: parts[0] has the empty range 0..0");
    problem(
        SeparableSum::new(vec![(0..3, L1::new(vec![1.0, 2.0]).unwrap().into())]),
        "separable sum: parts[0] is a l1 norm of 2 variables on a range of 3",
    );
    problem(
        SeparableSum::new(vec![(0..1, Ball::new(nan).into())]),
        "l2 ball: radius is NaN; it must be a finite number",
    );
    problem(Translated::new(Ball::new(-1.0), vec![0.0]), "l2 ball: radius is -1; it must be positive");
    problem(
        Translated::new(Zero, vec![0.0, nan]),
        "translated regulariser: centre[1] is NaN; it must be a finite number",
    );
    problem(
        Translated::new(L1::new(vec![1.0]).unwrap(), vec![0.0, 0.0]),
        "translated regulariser: centre has length 2; expected 1",
    );
    problem(Scaled::new(Zero, 0.0, 1.0), "scaled regulariser: weight is 0; it must be positive");
    problem(Scaled::new(Zero, 1.0, nan), "scaled regulariser: argument is NaN; it must be a finite number");
    assert!(Scaled::new(Zero, 1.0, 0.0).is_err());
    assert!(Scaled::new(Zero, 1.0, 1e200).is_err());
    problem(Scaled::new(Ball::new(0.0), 1.0, 1.0), "l2 ball: radius is 0; it must be positive");
}

#[test]
fn all_rest_on_construction() {
    for n in DIMENSIONS {
        for case in list(n, &mut Random::new(3)) {
            assert_eq!(case.u.grounds(), Grounds::Construction, "{}", case.name);
        }
    }
}
