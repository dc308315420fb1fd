//! A slow minimiser that knows nothing of proxes: the ellipsoid method on u(x) + 1/2 |x - v|_W^2, which sees u only
//! through values with subgradients, and cuts where u is infinite.

/// What a naive oracle says at a point.
pub enum Answer {
    /// u(x) and a subgradient there.
    Value(f64, Vec<f64>),
    /// x is outside: <normal, y - x> <= 0 for all y inside.
    Outside(Vec<f64>),
}

pub type Oracle = Box<dyn Fn(&[f64]) -> Answer>;

/// The affine set in which the domain of u has an interior: a point and directions.
#[derive(Clone)]
pub struct Hull {
    pub point: Vec<f64>,
    pub directions: Vec<Vec<f64>>,
}

impl Hull {
    pub fn whole_space(n: usize) -> Self {
        let unit = |j: usize| (0..n).map(|i| f64::from(u8::from(i == j))).collect();
        Self { point: vec![0.0; n], directions: (0..n).map(unit).collect() }
    }

    /// The point of the set next to `x`; the directions must be orthonormal.
    pub fn nearest(&self, x: &[f64]) -> Vec<f64> {
        let mut nearest = self.point.clone();
        for q in &self.directions {
            let along: f64 = q.iter().zip(x).zip(&self.point).map(|((q, x), p)| q * (x - p)).sum();
            nearest.iter_mut().zip(q).for_each(|(n, q)| *n += along * q);
        }
        nearest
    }

    /// Directions orthonormal in W, by Gram and Schmidt, twice.
    fn orthonormal(&self, w: &[f64]) -> Vec<Vec<f64>> {
        let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).zip(w).map(|((a, b), w)| a * b * w).sum::<f64>();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for direction in &self.directions {
            let mut direction = direction.clone();
            for _ in 0..2 {
                for q in &basis {
                    let along = inner(q, &direction);
                    direction.iter_mut().zip(q).for_each(|(d, q)| *d -= along * q);
                }
                let length = inner(&direction, &direction).sqrt();
                direction.iter_mut().for_each(|d| *d /= length);
            }
            basis.push(direction);
        }
        basis
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A point whose distance to the minimiser, in |.|_W, is proven to be at most `tolerance`.
///
/// The minimiser never leaves the ellipsoid, so its half axes bound the distance; and where u is finite at the centre,
/// so does sqrt(2 gap), by the strong convexity of the objective, with the ellipsoid's width along a subgradient for the gap.
pub fn minimise(oracle: &Oracle, hull: &Hull, w: &[f64], v: &[f64], tolerance: f64) -> Vec<f64> {
    let basis = hull.orthonormal(w);
    let k = basis.len();
    let at = |z: &[f64]| {
        let mut x = hull.point.clone();
        for (q, z) in basis.iter().zip(z) {
            x.iter_mut().zip(q).for_each(|(x, q)| *x += z * q);
        }
        x
    };
    let weighted =
        |x: &[f64]| -> Vec<f64> { x.iter().zip(v).zip(w).map(|((x, v), w)| w * (x - v)).collect() };
    let pull = weighted(&hull.point);
    let mut centre: Vec<f64> = basis.iter().map(|q| -dot(q, &pull)).collect();
    if k == 0 {
        return hull.point.clone();
    }

    let size = |x: &[f64]| x.iter().zip(w).map(|(x, w)| w * x * x).sum::<f64>().sqrt();
    let spread: f64 = w.iter().map(|w| w + 1.0 / w).sum::<f64>().sqrt();
    let radius = 10.0 * (size(v) + size(&hull.point) + 10.0 * spread);
    // Off the symmetries that v and u may share: on one, all cuts would be parallel.
    centre.iter_mut().enumerate().for_each(|(i, c)| *c += 0.1 * radius * (i as f64 + 1.0).sin());
    // The ellipsoid {centre + shape' u : |u| <= 1}, by rows; a factor stays accurate where its square would not.
    let mut shape = vec![vec![0.0; k]; k];
    (0..k).for_each(|i| shape[i][i] = radius);
    for _ in 0..60 * 2 * k * (k + 1) {
        let x = at(&centre);
        let mut distance = shape.iter().map(|row| dot(row, row)).sum::<f64>().sqrt();
        let answer = oracle(&x);
        let normal = match &answer {
            Answer::Outside(normal) => normal.clone(),
            Answer::Value(_, gradient) => weighted(&x).iter().zip(gradient).map(|(p, g)| p + g).collect(),
        };
        let cut: Vec<f64> = basis.iter().map(|q| dot(q, &normal)).collect();
        let mut across: Vec<f64> = shape.iter().map(|row| dot(row, &cut)).collect();
        let width = dot(&across, &across).sqrt();
        if let Answer::Value(..) = answer {
            distance = distance.min((2.0 * width).sqrt());
        }
        if distance <= tolerance {
            return x;
        }
        across.iter_mut().for_each(|a| *a /= width);
        let step: Vec<f64> =
            (0..k).map(|i| shape.iter().zip(&across).map(|(row, a)| row[i] * a).sum()).collect();
        let n = k as f64;
        centre.iter_mut().zip(&step).for_each(|(c, s)| *c -= s / (n + 1.0));
        // Shrunk along the cut to n / (n + 1), stretched across it by n / sqrt(n^2 - 1).
        let stretch = if k == 1 { 1.0 } else { n / (n * n - 1.0).sqrt() };
        let loss = stretch - n / (n + 1.0);
        for (row, a) in shape.iter_mut().zip(&across) {
            row.iter_mut().zip(&step).for_each(|(entry, s)| *entry = stretch * *entry - loss * a * s);
        }
    }
    panic!("the ellipsoid method did not get within {tolerance:e}")
}
