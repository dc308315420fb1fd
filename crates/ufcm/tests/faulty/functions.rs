//! Functions with a fault, and right ones that look odd.

use crate::random::Random;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use ufcm::component::{Custom, Quadratic};
use ufcm::matrix::Matrix;
use ufcm::oracle::Component;

/// Value and gradient at a point; the gradient comes filled with zeros.
type Law = Box<dyn Fn(&[f64], &mut [f64]) -> f64 + Send + Sync>;

/// A component from a law.
pub fn component(n: usize, law: Law) -> Box<dyn Component> {
    let evaluate = move |x: &[f64], gradient: Option<&mut [f64]>| {
        let mut own = vec![0.0; x.len()];
        let value = law(x, &mut own);
        if let Some(gradient) = gradient {
            gradient.copy_from_slice(&own);
        }
        Ok(value)
    };
    Box::new(Custom::new(n, evaluate).unwrap())
}

/// sum of w_i (x_i - c_i)^2 / 2
fn bowl(w: &[f64], c: &[f64], x: &[f64], g: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        g[i] += w[i] * (x[i] - c[i]);
        sum += 0.5 * w[i] * (x[i] - c[i]) * (x[i] - c[i]);
    }
    sum
}

/// sum of scalar laws (value, derivative) over the coordinates.
fn each(x: &[f64], g: &mut [f64], law: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut sum = 0.0;
    for (x, g) in x.iter().zip(g) {
        let (value, slope) = law(*x);
        *g += slope;
        sum += value;
    }
    sum
}

/// A number in [-1, 1] that looks random and depends on the bits of x.
fn hashed(x: &[f64], salt: u64) -> f64 {
    let mut state = salt;
    for x in x {
        // The mixing of SplitMix64.
        state = (state ^ x.to_bits()).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// The kinds of faults.
pub const FAULTS: [&str; 30] = [
    "negative quadratic",
    "saddle",
    "one concave coordinate",
    "one concave direction, slightly",
    "wrong sign",
    "gradient twice",
    "gradient half",
    "gradient of a shifted function",
    "missing term",
    "missing coordinate",
    "swapped coordinates",
    "constant gradient",
    "zero gradient",
    "stale gradient",
    "gradient off by 1 %",
    "gradient off by a constant",
    "sine",
    "bowl with a sine",
    "root",
    "logarithm",
    "concave beyond 2",
    "second valley",
    "double well",
    "saturating",
    "minimum instead of maximum",
    "jump down",
    "noise of 1e-2",
    "random noise of 1e-3",
    "trusted, one eigenvalue -1e-3",
    "trusted, saddle",
];

/// Fault number `kind` in n variables.
pub fn faulty(kind: usize, n: usize, random: &mut Random) -> Box<dyn Component> {
    let w = random.positive(n, 0.3, 3.0);
    let c = random.vector(n, 2.0);
    let d = random.vector(n, 1.0);
    let law: Law = match FAULTS[kind] {
        "negative quadratic" => Box::new(move |x, g| {
            let value = -bowl(&w, &c, x, g);
            g.iter_mut().for_each(|g| *g = -*g);
            value
        }),
        "saddle" => Box::new(move |x, g| {
            let mut w = w.clone();
            w.iter_mut().step_by(2).for_each(|w| *w = -*w);
            bowl(&w, &c, x, g)
        }),
        "one concave coordinate" => Box::new(move |x, g| {
            let mut w = w.clone();
            w[n - 1] = -0.3;
            bowl(&w, &c, x, g)
        }),
        "one concave direction, slightly" => Box::new(move |x, g| {
            // -1 % along d, which is a random direction.
            let along: f64 = x.iter().zip(&d).map(|(x, d)| x * d).sum();
            let length: f64 = d.iter().map(|d| d * d).sum();
            let value = bowl(&vec![1.0; n], &vec![0.0; n], x, g) - 0.505 * along * along / length;
            g.iter_mut().zip(&d).for_each(|(g, d)| *g -= 1.01 * along * d / length);
            value
        }),
        "wrong sign" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, g);
            g.iter_mut().for_each(|g| *g = -*g);
            value
        }),
        "gradient twice" => scaled_gradient(w, c, 2.0),
        "gradient half" => scaled_gradient(w, c, 0.5),
        "gradient off by 1 %" => scaled_gradient(w, c, 1.01),
        "gradient of a shifted function" => Box::new(move |x, g| {
            let moved: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x - 0.1 * d).collect();
            bowl(&w, &c, &moved, g);
            bowl(&w, &c, x, &mut vec![0.0; x.len()])
        }),
        "missing term" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, g);
            value + each(x, &mut vec![0.0; x.len()], |x| (x.abs().powi(3) / 6.0, 0.0))
        }),
        "missing coordinate" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, g);
            g[n / 2] = 0.0;
            value
        }),
        "swapped coordinates" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, g);
            if n == 1 {
                g[0] += 0.5
            } else {
                g.swap(0, n - 1)
            }
            value
        }),
        "constant gradient" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, g);
            g.copy_from_slice(&d);
            value
        }),
        "zero gradient" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, g);
            g.fill(0.0);
            value
        }),
        "stale gradient" => {
            let last = Mutex::new(vec![0.0; n]);
            Box::new(move |x, g| {
                let value = bowl(&w, &c, x, g);
                let mut last = last.lock().unwrap();
                last.iter_mut().zip(g).for_each(|(last, g)| std::mem::swap(last, g));
                value
            })
        }
        "gradient off by a constant" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, g);
            g.iter_mut().zip(&d).for_each(|(g, d)| *g += 0.01 * d);
            value
        }),
        "sine" => Box::new(move |x, g| each(x, g, |x| ((x + 0.3).sin(), (x + 0.3).cos()))),
        "bowl with a sine" => Box::new(move |x, g| {
            bowl(&w, &c, x, g) + each(x, g, |x| (3.0 * (2.0 * x).sin(), 6.0 * (2.0 * x).cos()))
        }),
        "root" => Box::new(move |x, g| {
            each(x, g, |x| {
                let root = (x.abs() + 1e-12).sqrt();
                (root, 0.5 * x.signum() / root)
            })
        }),
        "logarithm" => Box::new(move |x, g| each(x, g, |x| ((1.0 + x * x).ln(), 2.0 * x / (1.0 + x * x)))),
        "concave beyond 2" => Box::new(move |x, g| {
            each(x, g, |x| {
                if x.abs() < 2.0 {
                    (x * x, 2.0 * x)
                } else {
                    (
                        8.0 * x.abs() - 12.0 + 2.0 * x * x - 2.0 * (2.0 * x.abs() - 2.0) * x.abs(),
                        4.0 * x.signum() - 4.0 * (x - 2.0 * x.signum()),
                    )
                }
            })
        }),
        "second valley" => Box::new(move |x, g| {
            // A hole of depth 8 around 3 (1, ..., 1) in a bowl around 0.
            let away: Vec<f64> = x.iter().map(|x| x - 3.0).collect();
            let hole = 8.0 * (-0.5 * away.iter().map(|a| a * a).sum::<f64>() / n as f64).exp();
            let value = bowl(&vec![0.2; n], &vec![0.0; n], x, g) / n as f64;
            g.iter_mut().zip(&away).for_each(|(g, a)| *g = *g / n as f64 + hole * a / n as f64);
            value - hole
        }),
        "double well" => Box::new(move |x, g| {
            each(x, g, |x| ((x * x - 1.0) * (x * x - 1.0) + 0.3 * x, 4.0 * x * (x * x - 1.0) + 0.3))
        }),
        "saturating" => {
            Box::new(move |x, g| each(x, g, |x| (1.0 - (-0.5 * x * x).exp(), x * (-0.5 * x * x).exp())))
        }
        "minimum instead of maximum" => Box::new(move |x, g| {
            each(x, g, |x| {
                if x < 0.5 {
                    ((x + 1.0).powi(2), 2.0 * (x + 1.0))
                } else {
                    ((x - 2.0).powi(2) - 0.5, 2.0 * (x - 2.0))
                }
            })
        }),
        "jump down" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, g);
            value - if x[0] > 0.7 { 3.0 } else { 0.0 }
        }),
        "noise of 1e-2" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, g);
            g.iter_mut().enumerate().for_each(|(i, g)| *g += 1e-2 * hashed(x, i as u64));
            value + 1e-2 * hashed(x, 99)
        }),
        "random noise of 1e-3" => {
            let calls = AtomicU64::new(0);
            Box::new(move |x, g| {
                let salt = calls.fetch_add(1, Ordering::Relaxed);
                bowl(&w, &c, x, g) + 1e-3 * hashed(x, salt)
            })
        }
        "trusted, one eigenvalue -1e-3" => return with_eigenvalue(n, -1e-3, random),
        "trusted, saddle" => return with_eigenvalue(n, -0.5, random),
        other => unreachable!("{other}"),
    };
    component(n, law)
}

fn scaled_gradient(w: Vec<f64>, c: Vec<f64>, factor: f64) -> Law {
    Box::new(move |x, g| {
        let value = bowl(&w, &c, x, g);
        g.iter_mut().for_each(|g| *g *= factor);
        value
    })
}

/// A trusted quadratic with eigenvalues in [0, 1] but for one, whose eigenvector is a random direction.
fn with_eigenvalue(n: usize, least: f64, random: &mut Random) -> Box<dyn Component> {
    let d = random.vector(n, 1.0);
    let length: f64 = d.iter().map(|d| d * d).sum();
    let w = random.positive(n, 0.05, 1.0);
    // P diag(w) P + least dd'/|d|^2 with P the projection away from d.
    let mut q = vec![0.0; n * n];
    let project = |i: usize, k: usize| f64::from(u8::from(i == k)) - d[i] * d[k] / length;
    for i in 0..n {
        for j in 0..n {
            q[i * n + j] = (0..n).map(|k| project(i, k) * w[k] * project(k, j)).sum::<f64>()
                + least * d[i] * d[j] / length;
        }
    }
    let linear = random.vector(n, 0.2);
    Box::new(Quadratic::trusted(&Matrix::row_major(n, n, q).unwrap()).unwrap().with_linear(linear).unwrap())
}

/// Right functions that look odd.
pub const RIGHT: [&str; 16] = [
    "bowl",
    "ill-conditioned bowl",
    "absolute values",
    "maximum of planes",
    "exponentials",
    "log-sum-exp",
    "quartic",
    "distance",
    "power 1.5",
    "noise of 1e-8",
    "noise of 1e-8 of the value",
    "single precision",
    "gradient by differences",
    "flat",
    "barrier",
    "large offset",
];

/// Right function number `kind`: `scale` times a function of x / `unit`.
pub fn right(kind: usize, n: usize, scale: f64, unit: f64, random: &mut Random) -> Box<dyn Component> {
    let w = random.positive(n, 0.3, 3.0);
    let c = random.vector(n, 2.0);
    let planes: Vec<Vec<f64>> = (0..3 * n + 2).map(|_| random.vector(n, 1.0)).collect();
    let law: Law = match RIGHT[kind] {
        "bowl" => Box::new(move |x, g| bowl(&w, &c, x, g)),
        "ill-conditioned bowl" => {
            let w = random.positive(n, 1e-4, 1e3);
            Box::new(move |x, g| bowl(&w, &c, x, g))
        }
        "absolute values" => Box::new(move |x, g| {
            let mut sum = 0.0;
            for i in 0..n {
                let t = x[i] - c[i];
                g[i] = w[i] * if t == 0.0 { 0.3 } else { t.signum() };
                sum += w[i] * t.abs();
            }
            sum
        }),
        "maximum of planes" => Box::new(move |x, g| {
            let height = |p: &Vec<f64>| p.iter().zip(x).map(|(p, x)| p * x).sum::<f64>();
            let best = planes.iter().max_by(|a, b| height(a).total_cmp(&height(b))).unwrap();
            g.copy_from_slice(best);
            height(best) + bowl(&vec![0.05; n], &c, x, g)
        }),
        "exponentials" => Box::new(move |x, g| each(x, g, |x| (x.exp() - 2.0 * x, x.exp() - 2.0))),
        "log-sum-exp" => Box::new(move |x, g| log_sum_exp(&planes, x, g) + bowl(&vec![0.1; n], &c, x, g)),
        "quartic" => Box::new(move |x, g| each(x, g, |x| ((x - 0.5).powi(4), 4.0 * (x - 0.5).powi(3)))),
        "distance" => Box::new(move |x, g| {
            let length = x.iter().zip(&c).map(|(x, c)| (x - c) * (x - c)).sum::<f64>().sqrt();
            if length > 0.0 {
                g.iter_mut().zip(x.iter().zip(&c)).for_each(|(g, (x, c))| *g = (x - c) / length);
            }
            length
        }),
        "power 1.5" => Box::new(move |x, g| {
            each(x, g, |x| ((x - 0.4).abs().powf(1.5), 1.5 * (x - 0.4).signum() * (x - 0.4).abs().sqrt()))
        }),
        "noise of 1e-8" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, g);
            g.iter_mut().enumerate().for_each(|(i, g)| *g += 1e-8 * hashed(x, i as u64));
            value + 1e-8 * hashed(x, 99)
        }),
        "noise of 1e-8 of the value" => Box::new(move |x, g| {
            let value = 1.0 + bowl(&w, &c, x, g);
            g.iter_mut().enumerate().for_each(|(i, g)| *g *= 1.0 + 1e-8 * hashed(x, i as u64));
            value * (1.0 + 1e-8 * hashed(x, 99))
        }),
        "single precision" => Box::new(move |x, g| {
            let mut sum = 0.0f32;
            for i in 0..n {
                let t = x[i] as f32 - c[i] as f32;
                g[i] = f64::from(w[i] as f32 * t);
                sum += 0.5 * w[i] as f32 * t * t;
            }
            f64::from(sum)
        }),
        "gradient by differences" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, &mut vec![0.0; n]);
            for i in 0..n {
                let mut moved = x.to_vec();
                let h = 1e-7 * x[i].abs().max(1.0);
                moved[i] += h;
                g[i] = (bowl(&w, &c, &moved, &mut vec![0.0; n]) - value) / h;
            }
            value
        }),
        "flat" => Box::new(move |x, g| {
            // A deep valley: flat in all directions but one.
            let along: f64 = x.iter().zip(&c).map(|(x, c)| x * c).sum::<f64>() - 1.0;
            g.iter_mut().zip(&c).for_each(|(g, c)| *g = along * c);
            0.5 * along * along
        }),
        "barrier" => Box::new(move |x, g| {
            let value = bowl(&w, &c, x, g);
            let logs = each(x, g, |x| (-0.1 * (6.0 - x).ln(), 0.1 / (6.0 - x)));
            value + logs
        }),
        "large offset" => Box::new(move |x, g| 1e7 + bowl(&w, &c, x, g)),
        other => unreachable!("{other}"),
    };
    component(
        n,
        Box::new(move |x, g| {
            let inner: Vec<f64> = x.iter().map(|x| x / unit).collect();
            let value = law(&inner, g);
            g.iter_mut().for_each(|g| *g *= scale / unit);
            scale * value
        }),
    )
}

fn log_sum_exp(planes: &[Vec<f64>], x: &[f64], g: &mut [f64]) -> f64 {
    let heights: Vec<f64> = planes.iter().map(|p| p.iter().zip(x).map(|(p, x)| p * x).sum::<f64>()).collect();
    let top = heights.iter().fold(f64::NEG_INFINITY, |top, h| top.max(*h));
    let total: f64 = heights.iter().map(|h| (h - top).exp()).sum();
    for (plane, height) in planes.iter().zip(&heights) {
        let share = (height - top).exp() / total;
        g.iter_mut().zip(plane).for_each(|(g, p)| *g += share * p);
    }
    top + total.ln()
}
