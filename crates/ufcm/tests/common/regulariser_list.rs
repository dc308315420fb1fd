//! All regularisers, each with a naive twin: a value and a subgradient or a cut, written from the definition. A new
//! regulariser gets all tests by being added to [`list`].

use ufcm::oracle::Regulariser;
use ufcm::regulariser::*;

use crate::ellipsoid::{Answer, Hull, Oracle};
use crate::random::Random;

pub struct Case {
    pub name: &'static str,
    pub u: Box<dyn Regulariser>,
    pub naive: Oracle,
    pub hull: Hull,
}

fn case(name: &'static str, n: usize, u: impl Into<Box<dyn Regulariser>>, naive: Oracle) -> Case {
    Case { name, u: u.into(), naive, hull: Hull::whole_space(n) }
}

/// Every regulariser in dimension n, with data drawn from `random`.
pub fn list(n: usize, random: &mut Random) -> Vec<Case> {
    let mut cases = coordinatewise(n, random);
    cases.extend(norms(n, random));
    cases.extend(weightless(n));
    cases.extend(sets(n, random));
    cases.extend(flat_sets(n, random));
    cases.extend(made_from_others(n, random));
    cases.extend(joint(n, random));
    cases
}

fn coordinatewise(n: usize, random: &mut Random) -> Vec<Case> {
    let w = random.positive(n, 0.1, 2.0);
    let r: Vec<f64> = random.positive(n, 0.1, 2.0);
    let sides: Vec<(f64, f64)> =
        (0..n).map(|_| (random.within(-2.0, 0.5), random.within(0.6, 2.0))).collect();
    let lower: Vec<f64> =
        sides.iter().enumerate().map(|(i, s)| if i % 3 == 1 { f64::NEG_INFINITY } else { s.0 }).collect();
    let upper: Vec<f64> =
        sides.iter().enumerate().map(|(i, s)| if i % 3 == 2 { f64::INFINITY } else { s.1 }).collect();
    let centre = random.vector(n, 2.0);
    let around = |sign: f64| centre.iter().map(|c| c + sign * 0.8).collect::<Vec<f64>>();
    let (zeros, infinite) = (vec![0.0; n], vec![f64::INFINITY; n]);
    vec![
        case("zero", n, Zero, terms(n, |_, _| (0.0, 0.0))),
        case("l1", n, L1::new(0.7).unwrap(), terms(n, |_, x| absolute(0.7, x))),
        case("l1 weighted", n, L1::new(w.clone()).unwrap(), terms(n, owned(&w, absolute))),
        case(
            "l1 positive part",
            n,
            L1::positive_part(w.clone()).unwrap(),
            terms(n, owned(&w, |w, x| (w * x.max(0.0), if x > 0.0 { w } else { 0.0 }))),
        ),
        case("ridge", n, Ridge::new(2.5).unwrap(), terms(n, |_, x| square(2.5, x))),
        case("ridge weighted", n, Ridge::new(r.clone()).unwrap(), terms(n, owned(&r, square))),
        case(
            "elastic net",
            n,
            ElasticNet::new(0.7, r.clone()).unwrap(),
            terms(n, owned(&r, |r, x| (absolute(0.7, x).0 + square(r, x).0, absolute(0.7, x).1 + r * x))),
        ),
        case(
            "bounds",
            n,
            Bounds::new(lower.clone(), upper.clone()).unwrap(),
            in_box(lower.clone(), upper.clone(), zero(n)),
        ),
        case("nonnegative", n, Nonnegative, in_box(zeros, infinite, zero(n))),
        case(
            "linf ball",
            n,
            LinfBall::with_centre(0.8, centre.clone()).unwrap(),
            in_box(around(-1.0), around(1.0), zero(n)),
        ),
        case(
            "l1 in a box",
            n,
            L1Box::new(w.clone(), lower.clone(), upper.clone()).unwrap(),
            in_box(lower, upper, terms(n, owned(&w, absolute))),
        ),
    ]
}

fn norms(n: usize, random: &mut Random) -> Vec<Case> {
    // Every third index; the last index is in no group.
    let groups: Vec<Vec<usize>> = (0..3.min(n - 1)).map(|g| (g..n - 1).step_by(3).collect()).collect();
    let weights = random.positive(groups.len(), 0.2, 2.0);
    let group_l2 = GroupL2::new(n, groups.clone(), weights.clone()).unwrap();
    let count = n.div_ceil(3);
    let mut falling = random.positive(n, 0.05, 1.5);
    falling.sort_by(|a, b| b.total_cmp(a));
    // Runs of equal weights, and entries that cost nothing.
    let steps: Vec<f64> = (0..n).map(|k| [1.2, 0.4, 0.0][3 * k / n]).collect();
    vec![
        case("l2 norm", n, L2Norm::new(1.3).unwrap(), group_norms(n, vec![(0..n).collect()], vec![1.3])),
        case("group l2", n, group_l2, group_norms(n, groups, weights)),
        case(
            "linf norm",
            n,
            LinfNorm::new(1.3).unwrap(),
            function(move |x| {
                let largest = (0..x.len()).max_by(|&i, &j| x[i].abs().total_cmp(&x[j].abs())).unwrap();
                let mut gradient = vec![0.0; x.len()];
                gradient[largest] = 1.3f64.copysign(x[largest]);
                (1.3 * x[largest].abs(), gradient)
            }),
        ),
        case("total variation", n, TotalVariation::new(0.6).unwrap(), total_variation(0.6)),
        case("sorted l1", n, SortedL1::new(falling.clone()).unwrap(), sorted_l1(falling)),
        case("sorted l1 in steps", n, SortedL1::new(steps.clone()).unwrap(), sorted_l1(steps)),
        case(
            "sum of largest",
            n,
            SumOfLargest::new(count, 0.9).unwrap(),
            function(move |x| {
                let mut order: Vec<usize> = (0..x.len()).collect();
                order.sort_by(|&i, &j| x[j].total_cmp(&x[i]));
                let mut gradient = vec![0.0; x.len()];
                order[..count].iter().for_each(|&i| gradient[i] = 0.9);
                (order[..count].iter().map(|&i| 0.9 * x[i]).sum(), gradient)
            }),
        ),
    ]
}

/// Everything whose weight may be 0, with that weight.
fn weightless(n: usize) -> Vec<Case> {
    vec![
        case("l2 norm without weight", n, L2Norm::new(0.0).unwrap(), zero(n)),
        case("group l2 without weight", n, GroupL2::new(n, [vec![0]], 0.0).unwrap(), zero(n)),
        case("linf norm without weight", n, LinfNorm::new(0.0).unwrap(), zero(n)),
        case("total variation without weight", n, TotalVariation::new(0.0).unwrap(), zero(n)),
        case("sum of largest without weight", n, SumOfLargest::new(2, 0.0).unwrap(), zero(n)),
        case("sorted l1 without weight", n, SortedL1::new(vec![0.0; n]).unwrap(), zero(n)),
    ]
}

fn sets(n: usize, random: &mut Random) -> Vec<Case> {
    let centre = random.vector(n, 2.0);
    let normal = random.vector(n, 3.0);
    let half = Halfspace::new(normal.clone(), 0.5).unwrap();
    vec![
        case("l1 ball", n, L1Ball::new(1.2).unwrap(), l1_ball(1.2)),
        case("ball", n, Ball::new(1.5), ball(1.5, vec![0.0; n])),
        case("ball with centre", n, Ball::with_centre(1.5, centre.clone()), ball(1.5, centre)),
        case("halfspace", n, half, set(move |x| (dot(&normal, x) > 0.5).then(|| normal.clone()))),
        case(
            "second-order cone",
            n,
            SecondOrderCone,
            set(|x| {
                let length = dot(&x[1..], &x[1..]).sqrt();
                let outside = length > x[0];
                let direction = x[1..].iter().map(|y| if length > 0.0 { y / length } else { 0.0 });
                outside.then(|| std::iter::once(-1.0).chain(direction).collect())
            }),
        ),
    ]
}

/// Sets without an interior, and what lies in them.
fn flat_sets(n: usize, random: &mut Random) -> Vec<Case> {
    let normal = random.vector(n, 3.0);
    let plane = Hyperplane::new(normal.clone(), 0.5).unwrap();
    let rows: Vec<Vec<f64>> = (0..n.div_ceil(3)).map(|_| random.vector(n, 3.0)).collect();
    let member = random.vector(n, 2.0);
    let mut equations = rows.clone();
    equations.push((0..n).map(|i| rows.iter().map(|row| row[i]).sum()).collect());
    equations.push(vec![0.0; n]);
    let rhs = equations.iter().map(|row| dot(row, &member)).collect();
    let affine = AffineSet::new(equations, rhs).unwrap();
    let corner: Vec<f64> = normal.iter().map(|a| 0.5 * a / dot(&normal, &normal)).collect();
    vec![
        Case { hull: simplex_hull(n, 1.7), ..case("simplex", n, Simplex::new(1.7).unwrap(), nonnegative()) },
        Case { hull: orthogonal_to(&[normal], corner), ..case("hyperplane", n, plane, zero(n)) },
        Case { hull: orthogonal_to(&rows, member), ..case("affine set", n, affine, zero(n)) },
    ]
}

fn made_from_others(n: usize, random: &mut Random) -> Vec<Case> {
    let centre = random.vector(n, 2.0);
    let flipped: Vec<f64> = vec![0.0; n];
    let mut cases = vec![
        case(
            "translated l1 ball",
            n,
            Translated::new(L1Ball::new(1.2).unwrap(), centre.clone()).unwrap(),
            substituted(l1_ball(1.2), 1.0, 1.0, centre.clone()),
        ),
        case(
            "translated box",
            n,
            Translated::new(Bounds::new(-0.3, 0.7).unwrap(), centre.clone()).unwrap(),
            substituted(in_box(vec![-0.3; n], vec![0.7; n], zero(n)), 1.0, 1.0, centre),
        ),
        case(
            "scaled total variation",
            n,
            Scaled::new(TotalVariation::new(0.6).unwrap(), 2.0, -0.3).unwrap(),
            substituted(total_variation(0.6), 2.0, -0.3, flipped.clone()),
        ),
        case(
            "scaled elastic net",
            n,
            Scaled::new(ElasticNet::new(0.7, 1.1).unwrap(), 0.5, 3.0).unwrap(),
            substituted(
                terms(n, |_, x| (absolute(0.7, x).0 + square(1.1, x).0, absolute(0.7, x).1 + 1.1 * x)),
                0.5,
                3.0,
                flipped.clone(),
            ),
        ),
        case(
            "scaled box",
            n,
            Scaled::new(Bounds::new(-0.1, 0.7).unwrap(), 2.0, -0.3).unwrap(),
            substituted(in_box(vec![-0.1; n], vec![0.7; n], zero(n)), 2.0, -0.3, flipped),
        ),
    ];
    if n >= 3 {
        let (a, b) = (n / 3, 2 * n / 3);
        let parts = vec![
            (0..a, L1::new(0.7).unwrap().into()),
            (a..b, Ball::new(1.5).into()),
            (b..n, TotalVariation::new(0.6).unwrap().into()),
        ];
        let naive = side_by_side(vec![
            (0, terms(a, |_, x| absolute(0.7, x))),
            (a, ball(1.5, vec![0.0; b - a])),
            (b, total_variation(0.6)),
        ]);
        cases.push(case("separable sum", n, SeparableSum::new(parts).unwrap(), naive));
    }
    cases
}

/// Two together.
fn joint(n: usize, random: &mut Random) -> Vec<Case> {
    let (w, centre) = (random.positive(n, 0.1, 2.0), random.vector(n, 0.6));
    let in_ball = |u: &dyn Regulariser, ball: Ball| InBall::new(u, &ball, n).unwrap();
    let norm_in_ball =
        |u: Box<dyn Regulariser>| NormInBall::new(u, &Ball::new(1.3)).ok().expect("both are homogeneous");
    let ridged = |u: Box<dyn Regulariser>| Ridged::new(1.4, u).unwrap();
    let ridge = || terms(n, |_, x| square(1.4, x));
    let simplex = ridged(Simplex::new(1.7).unwrap().into());
    let falling: Vec<f64> = (0..n).map(|k| 0.9 / (1 + k) as f64).collect();
    vec![
        case(
            "l1 in a ball",
            n,
            in_ball(&L1::new(w.clone()).unwrap(), Ball::new(1.5)),
            both(ball(1.5, vec![0.0; n]), terms(n, owned(&w, absolute))),
        ),
        case(
            "elastic net in a ball with centre",
            n,
            in_ball(&ElasticNet::new(0.3, 0.8).unwrap(), Ball::with_centre(1.1, centre.clone())),
            both(
                ball(1.1, centre.clone()),
                terms(n, |_, x| (absolute(0.3, x).0 + square(0.8, x).0, absolute(0.3, x).1 + 0.8 * x)),
            ),
        ),
        case(
            "box in a ball",
            n,
            in_ball(&Bounds::new(-0.5, 0.7).unwrap(), Ball::with_centre(0.9, centre.clone())),
            both(ball(0.9, centre), in_box(vec![-0.5; n], vec![0.7; n], zero(n))),
        ),
        case(
            "l1 in the positive part of a ball",
            n,
            in_ball(&L1Box::new(0.4, 0.0, f64::INFINITY).unwrap(), Ball::new(0.8)),
            both(ball(0.8, vec![0.0; n]), both(nonnegative(), terms(n, |_, x| absolute(0.4, x)))),
        ),
        case(
            "l2 norm in a ball",
            n,
            norm_in_ball(L2Norm::new(0.5).unwrap().into()),
            both(ball(1.3, vec![0.0; n]), group_norms(n, vec![(0..n).collect()], vec![0.5])),
        ),
        case(
            "total variation in a ball",
            n,
            norm_in_ball(TotalVariation::new(0.6).unwrap().into()),
            both(ball(1.3, vec![0.0; n]), total_variation(0.6)),
        ),
        case(
            "sorted l1 in a ball",
            n,
            norm_in_ball(SortedL1::new(falling.clone()).unwrap().into()),
            both(ball(1.3, vec![0.0; n]), sorted_l1(falling)),
        ),
        case("ridge in an l1 ball", n, ridged(L1Ball::new(1.2).unwrap().into()), both(l1_ball(1.2), ridge())),
        case(
            "ridge and total variation",
            n,
            ridged(TotalVariation::new(0.6).unwrap().into()),
            both(total_variation(0.6), ridge()),
        ),
        Case {
            hull: simplex_hull(n, 1.7),
            ..case("ridge in a simplex", n, simplex, both(nonnegative(), ridge()))
        },
    ]
}

// Naive oracles.

fn both(first: Oracle, second: Oracle) -> Oracle {
    Box::new(move |x| match (first(x), second(x)) {
        (Answer::Value(a, u), Answer::Value(b, v)) => {
            Answer::Value(a + b, u.iter().zip(&v).map(|(u, v)| u + v).collect())
        }
        (Answer::Outside(normal), _) | (_, Answer::Outside(normal)) => Answer::Outside(normal),
    })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn absolute(w: f64, x: f64) -> (f64, f64) {
    (w * x.abs(), w.copysign(x))
}

fn square(r: f64, x: f64) -> (f64, f64) {
    (0.5 * r * x * x, r * x)
}

fn owned<F>(data: &[f64], term: F) -> impl Fn(usize, f64) -> (f64, f64) + use<F>
where
    F: Fn(f64, f64) -> (f64, f64),
{
    let data = data.to_vec();
    move |i, x| term(data[i], x)
}

fn function(f: impl Fn(&[f64]) -> (f64, Vec<f64>) + 'static) -> Oracle {
    Box::new(move |x| {
        let (value, gradient) = f(x);
        Answer::Value(value, gradient)
    })
}

fn terms(n: usize, term: impl Fn(usize, f64) -> (f64, f64) + 'static) -> Oracle {
    function(move |x| {
        let pairs: Vec<(f64, f64)> = (0..n).map(|i| term(i, x[i])).collect();
        (pairs.iter().map(|p| p.0).sum(), pairs.iter().map(|p| p.1).collect())
    })
}

fn zero(n: usize) -> Oracle {
    terms(n, |_, _| (0.0, 0.0))
}

fn set(violated: impl Fn(&[f64]) -> Option<Vec<f64>> + 'static) -> Oracle {
    Box::new(move |x| match violated(x) {
        Some(normal) => Answer::Outside(normal),
        None => Answer::Value(0.0, vec![0.0; x.len()]),
    })
}

fn in_box(lower: Vec<f64>, upper: Vec<f64>, inside: Oracle) -> Oracle {
    Box::new(move |x| {
        let Some(i) = (0..x.len()).find(|&i| !(lower[i]..=upper[i]).contains(&x[i])) else {
            return inside(x);
        };
        let mut normal = vec![0.0; x.len()];
        normal[i] = if x[i] > upper[i] { 1.0 } else { -1.0 };
        Answer::Outside(normal)
    })
}

fn nonnegative() -> Oracle {
    set(|x| {
        let i = (0..x.len()).find(|&i| x[i] < 0.0)?;
        Some((0..x.len()).map(|j| if i == j { -1.0 } else { 0.0 }).collect())
    })
}

fn group_norms(n: usize, groups: Vec<Vec<usize>>, weights: Vec<f64>) -> Oracle {
    function(move |x| {
        let (mut value, mut gradient) = (0.0, vec![0.0; n]);
        for (group, w) in groups.iter().zip(&weights) {
            let length = group.iter().map(|&i| x[i] * x[i]).sum::<f64>().sqrt();
            value += w * length;
            if length > 0.0 {
                group.iter().for_each(|&i| gradient[i] = w * x[i] / length);
            }
        }
        (value, gradient)
    })
}

fn sorted_l1(weights: Vec<f64>) -> Oracle {
    function(move |x| {
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&i, &j| x[j].abs().total_cmp(&x[i].abs()));
        let (mut value, mut gradient) = (0.0, vec![0.0; x.len()]);
        for (i, w) in order.into_iter().zip(&weights) {
            value += w * x[i].abs();
            gradient[i] = w.copysign(x[i]);
        }
        (value, gradient)
    })
}

fn total_variation(w: f64) -> Oracle {
    function(move |x| {
        let (mut value, mut gradient) = (0.0, vec![0.0; x.len()]);
        for i in 1..x.len() {
            let slope = w.copysign(x[i] - x[i - 1]);
            value += w * (x[i] - x[i - 1]).abs();
            gradient[i] += slope;
            gradient[i - 1] -= slope;
        }
        (value, gradient)
    })
}

fn l1_ball(radius: f64) -> Oracle {
    set(move |x| {
        let outside = x.iter().map(|x| x.abs()).sum::<f64>() > radius;
        outside.then(|| x.iter().map(|x| 1f64.copysign(*x)).collect())
    })
}

fn ball(radius: f64, centre: Vec<f64>) -> Oracle {
    set(move |x| {
        let offset: Vec<f64> = x.iter().zip(&centre).map(|(x, c)| x - c).collect();
        (dot(&offset, &offset).sqrt() > radius).then_some(offset)
    })
}

/// c u(a (x - shift)).
fn substituted(inner: Oracle, c: f64, a: f64, shift: Vec<f64>) -> Oracle {
    Box::new(move |x| {
        let z: Vec<f64> = x.iter().zip(&shift).map(|(x, s)| a * (x - s)).collect();
        match inner(&z) {
            Answer::Value(value, gradient) => {
                Answer::Value(c * value, gradient.iter().map(|g| c * a * g).collect())
            }
            Answer::Outside(normal) => Answer::Outside(normal.iter().map(|g| a * g).collect()),
        }
    })
}

fn side_by_side(parts: Vec<(usize, Oracle)>) -> Oracle {
    Box::new(move |x| {
        let (mut total, mut gradient) = (0.0, Vec::new());
        for (k, (start, part)) in parts.iter().enumerate() {
            let end = parts.get(k + 1).map_or(x.len(), |next| next.0);
            match part(&x[*start..end]) {
                Answer::Value(value, g) => {
                    total += value;
                    gradient.extend(g);
                }
                Answer::Outside(normal) => {
                    let mut padded = vec![0.0; x.len()];
                    padded[*start..end].copy_from_slice(&normal);
                    return Answer::Outside(padded);
                }
            }
        }
        Answer::Value(total, gradient)
    })
}

fn simplex_hull(n: usize, total: f64) -> Hull {
    orthogonal_to(&[vec![1.0; n]], vec![total / n as f64; n])
}

/// All directions orthogonal to `rows`, through `point`.
fn orthogonal_to(rows: &[Vec<f64>], point: Vec<f64>) -> Hull {
    let n = point.len();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let candidates = rows.iter().cloned().chain(Hull::whole_space(n).directions);
    for mut direction in candidates {
        for _ in 0..2 {
            for q in &basis {
                let along = dot(q, &direction);
                direction.iter_mut().zip(q).for_each(|(d, q)| *d -= along * q);
            }
        }
        let length = dot(&direction, &direction).sqrt();
        if length > 1e-9 {
            direction.iter_mut().for_each(|d| *d /= length);
            basis.push(direction);
        }
    }
    Hull { point, directions: basis.split_off(rows.len()) }
}
