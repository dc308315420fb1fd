//! Conic constraints: Moreau's decomposition proves a projection, so it is checked by memberships that are written down here anew.

use crate::composers_common::{Stream, norm};
use ufcm::component::Linear;
use ufcm::composer::Cones;
use ufcm::jacobian::ProxJacobian;
use ufcm::mapping::Affine;
use ufcm::matrix::Matrix;
use ufcm::oracle::{Composer, Weight};
use ufcm::problem::Problem;
use ufcm::report::Status;
use ufcm::settings::{MethodRule, Settings};

#[derive(Debug, Clone, Copy)]
enum Kind {
    SecondOrder,
    Exponential,
    Power(f64),
}

impl Kind {
    fn composer(self, rows: usize) -> Cones {
        match self {
            Self::SecondOrder => Cones::second_order(&[rows]).unwrap(),
            Self::Exponential => Cones::exponential(1),
            Self::Power(p) => Cones::power(&[p]).unwrap(),
        }
    }

    /// A point of the polar's boundary. What has no positive product with any of them is in the cone.
    fn polar_point(self, rows: usize, stream: &mut Stream) -> Vec<f64> {
        match self {
            Self::SecondOrder => {
                let tail = stream.point(rows - 1, 1.0, &[]);
                std::iter::once(-norm(&tail)).chain(tail).collect()
            }
            Self::Exponential => {
                let t = stream.within(-30.0, 30.0);
                vec![1.0, 1.0 - t, -(-t).exp()]
            }
            Self::Power(p) => {
                let (u, v) = (stream.magnitude(1e-6, 1e6), stream.magnitude(1e-6, 1e6));
                let third = (u / p).powf(p) * (v / (1.0 - p)).powf(1.0 - p);
                vec![-u, -v, third * stream.pick(&[1.0, -1.0])]
            }
        }
    }

    /// By how much l leaves the polar, at most.
    fn polar_excess(self, l: &[f64]) -> f64 {
        match self {
            Self::SecondOrder => norm(&l[1..]) + l[0],
            // a exp(b/a) <= -e c
            Self::Exponential if l[0] > 0.0 => {
                let (a, b, c) = (l[0], l[1], l[2]);
                let in_logarithms = if c < 0.0 { b - a * (1.0 + (-c / a).ln()) } else { f64::INFINITY };
                in_logarithms.min(a * (b / a).exp() / std::f64::consts::E + c)
            }
            Self::Exponential => l[1].max(l[2]).max(-l[0]),
            Self::Power(p) => {
                let mean = (-l[0] / p).max(0.0).powf(p) * (-l[1] / (1.0 - p)).max(0.0).powf(1.0 - p);
                l[0].max(l[1]).max(l[2].abs() - mean)
            }
        }
    }
}

fn visit(mut check: impl FnMut(Kind, &[f64], &mut Stream)) {
    let mut stream = Stream(7);
    let kinds = [Kind::SecondOrder, Kind::Exponential, Kind::Power(0.5), Kind::Power(0.1), Kind::Power(0.9)];
    for kind in kinds {
        for round in 0..4000 {
            let rows = if matches!(kind, Kind::SecondOrder) { 1 + round % 5 } else { 3 };
            let scale = stream.magnitude(1e-6, 1e6);
            let mut v = stream.point(rows, scale, &[0.0, 1.0, -1.0]);
            if round % 3 == 0 {
                // Entries of very different sizes.
                v.iter_mut().for_each(|v| *v *= stream.magnitude(1e-8, 1.0));
            }
            check(kind, &v, &mut stream);
        }
    }
}

fn polar_part(h: &Cones, v: &[f64]) -> Vec<f64> {
    let mut l = v.to_vec();
    h.prox_conjugate(Weight::scalar(3.0), &mut l).unwrap();
    l
}

#[test]
fn every_point_is_the_sum_of_its_two_parts() {
    visit(|kind, v, stream| {
        let h = kind.composer(v.len());
        let l = polar_part(&h, v);
        let z: Vec<f64> = v.iter().zip(&l).map(|(v, l)| v - l).collect();
        let size = norm(v);
        let product: f64 = z.iter().zip(&l).map(|(z, l)| z * l).sum();
        for _ in 0..20 {
            let other = kind.polar_point(v.len(), stream);
            let product: f64 = z.iter().zip(&other).map(|(z, l)| z * l).sum();
            assert!(
                product <= 1e-11 * size * norm(&other),
                "{kind:?} at {v:?}: {z:?} is outside, by {other:?}"
            );
        }
        let outside = kind.polar_excess(&l);
        assert!(outside <= 1e-11 * norm(&l), "{kind:?} at {v:?}: {l:?} is outside by {outside:e}");
        assert!(product.abs() <= 1e-11 * size * size, "{kind:?} at {v:?}: {product:e}");
        // What is projected is in the domain of the conjugate, and stays where it is.
        assert_eq!(h.conjugate(&l), 0.0, "{kind:?} at {v:?}: {l:?}");
        let again = polar_part(&h, &l);
        assert!(norm(&again.iter().zip(&l).map(|(a, l)| a - l).collect::<Vec<_>>()) <= 1e-11 * norm(&l));
    });
}

#[test]
fn distances_are_those_to_the_cone_and_zero_exactly_inside() {
    let mut inside = 0;
    visit(|kind, v, _| {
        let h = kind.composer(v.len());
        let distance = h.domain_distance(v);
        assert_eq!(distance == 0.0, h.value(v) == 0.0, "{kind:?} at {v:?}");
        inside += usize::from(distance == 0.0);
        if distance > 0.0 {
            assert!((distance - norm(&polar_part(&h, v))).abs() <= 1e-12 * norm(v));
        }
    });
    assert!(inside > 500, "only {inside} points lay inside");
}

#[test]
fn multipliers_outside_the_polar_are_refused() {
    visit(|kind, v, _| {
        let h = kind.composer(v.len());
        if kind.polar_excess(v) > 1e-6 * norm(v) {
            assert_eq!(h.conjugate(v), f64::INFINITY, "{kind:?} at {v:?}");
        }
    });
}

#[test]
fn second_order_cones_know_diagonal_metrics_and_derivatives() {
    let (mut stream, mut storage) = (Stream(3), ProxJacobian::new());
    let mut compared = 0;
    for round in 0..500 {
        let rows = 2 + round % 4;
        let w: Vec<f64> = (0..rows).map(|_| stream.magnitude(0.1, 10.0)).collect();
        let (h, v) = (Cones::second_order(&[rows]).unwrap(), stream.point(rows, 1.0, &[]));
        let weight = Weight::diagonal(1.0, &w);
        let part = |v: &[f64]| {
            let mut l = v.to_vec();
            h.prox_conjugate(weight, &mut l).unwrap();
            l
        };
        let l = part(&v);
        let force: Vec<f64> = (0..rows).map(|i| w[i] * (v[i] - l[i])).collect();
        let product: f64 = force.iter().zip(&l).map(|(f, l)| f * l).sum();
        assert!(Kind::SecondOrder.polar_excess(&l) <= 1e-13 && product.abs() <= 1e-12, "{v:?}, {w:?}");
        assert!(norm(&force[1..]) - force[0] <= 1e-12 * norm(&force), "{v:?}, {w:?}");
        h.newton().unwrap().prox_conjugate_jacobian(weight, &v, &mut storage.start(rows)).unwrap();
        let direction = stream.point(rows, 1.0, &[]);
        let weighted: Vec<f64> = direction.iter().zip(&w).map(|(d, w)| d * w).collect();
        let mut derivative = vec![0.0; rows];
        storage.apply(&weighted, &mut derivative);
        let moved = |t: f64| part(&v.iter().zip(&direction).map(|(v, d)| v + t * d).collect::<Vec<_>>());
        let (ahead, behind) = (moved(1e-6), moved(-1e-6));
        let sides = |i: usize| ((ahead[i] - l[i]) / 1e-6, (l[i] - behind[i]) / 1e-6);
        if (0..rows).all(|i| (sides(i).0 - sides(i).1).abs() < 1e-4) {
            compared += 1;
            for (i, expected) in derivative.iter().enumerate() {
                let quotient = 0.5 * (sides(i).0 + sides(i).1);
                assert!((quotient - expected).abs() < 1e-5, "{v:?}: {quotient} {expected}");
            }
        }
    }
    assert!(compared > 400);
}

#[test]
fn what_cannot_be_a_cone_is_refused() {
    assert!(Cones::second_order(&[2, 0]).unwrap_err().to_string().contains("sizes"));
    let told = Cones::power(&[0.5, 1.0]).unwrap_err().to_string();
    assert_eq!(told, "cones: exponents[1] is 1; it must be strictly between 0 and 1");
}

/// min x_2 with (1, 1, x_2) in the cone of exponentials: e. And where the bounds leave no point.
#[test]
fn a_conic_program_is_solved_and_its_infeasibility_proven() {
    let rows = |third: f64| {
        let matrix = Matrix::row_major(3, 1, vec![0.0, 0.0, 1.0]).unwrap();
        Affine::new(matrix, vec![-1.0, -1.0, third]).unwrap()
    };
    let settings = Settings { method: MethodRule::InteriorPoint, ..Settings::default() };
    let problem = Problem::minimise(Linear::new(vec![1.0], 0.0).unwrap())
        .subject_to(rows(0.0).in_cones(Cones::exponential(1)))
        .within(ufcm::regulariser::Bounds::new(-10.0, 10.0).unwrap())
        .build()
        .unwrap();
    let report = problem.solve(&settings).unwrap();
    assert_eq!(report.status, Status::Certified);
    assert!((report.objective - std::f64::consts::E).abs() < 1e-6, "{}", report.objective);
    let verified = report.certificate.unwrap().verify(&problem).unwrap();
    assert!(verified.gap() <= 1e-5);
    let impossible = Problem::minimise(Linear::new(vec![1.0], 0.0).unwrap())
        .subject_to(rows(20.0).in_cones(Cones::exponential(1)))
        .within(ufcm::regulariser::Bounds::new(-10.0, 10.0).unwrap())
        .build()
        .unwrap();
    assert_eq!(impossible.solve(&settings).unwrap().status, Status::Infeasible);
}
