//! Right components of many shapes and scales, and a wrapper that plants a fault in one.

use std::sync::Mutex;
use ufcm::oracle::{Component, OracleError};

/// Xorshift64*: not the audit's own generator, so that the two share nothing.
pub struct Rng(pub u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        let mut rng = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            rng.uniform();
        }
        rng
    }

    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [-1, 1].
    pub fn signed(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }

    /// 10 to a uniform power in [-range, range].
    pub fn power(&mut self, range: f64) -> f64 {
        10.0_f64.powf(range * self.signed())
    }

    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.signed()).collect()
    }

    pub fn size(&mut self, low: usize, high: usize) -> usize {
        low + (self.uniform() * (high + 1 - low) as f64) as usize
    }
}

type Evaluate = dyn Fn(&[f64], &mut [f64]) -> f64 + Send + Sync;

/// A component made from a closure that gives the value and writes the gradient.
pub struct Closure {
    pub kind: &'static str,
    pub n: usize,
    pub evaluate: Box<Evaluate>,
}

impl Component for Closure {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn dimension(&self) -> usize {
        self.n
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        let mut own = vec![0.0; self.n];
        Ok((self.evaluate)(x, gradient.unwrap_or(&mut own)))
    }
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// sum over rows of phi(row, a_row' x), from phi and its derivative.
fn over_rows(
    kind: &'static str,
    rows: Vec<Vec<f64>>,
    phi: impl Fn(usize, f64) -> (f64, f64) + Send + Sync + 'static,
) -> Closure {
    let n = rows[0].len();
    let evaluate = move |x: &[f64], gradient: &mut [f64]| {
        gradient.fill(0.0);
        let mut sum = 0.0;
        for (k, row) in rows.iter().enumerate() {
            let (value, slope) = phi(k, dot(row, x));
            sum += value;
            gradient.iter_mut().zip(row).for_each(|(g, a)| *g += slope * a);
        }
        sum
    };
    Closure { kind, n, evaluate: Box::new(evaluate) }
}

fn unit_rows(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

/// max over rows of a_k' x + b_k, smoothed by `soft` > 0 to soft log sum exp(. / soft).
fn max_of_rows(kind: &'static str, rows: Vec<Vec<f64>>, b: Vec<f64>, soft: f64) -> Closure {
    let n = rows[0].len();
    let evaluate = move |x: &[f64], gradient: &mut [f64]| {
        let z: Vec<f64> = rows.iter().zip(&b).map(|(row, b)| dot(row, x) + b).collect();
        let top = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = if soft > 0.0 {
            z.iter().map(|z| ((z - top) / soft).exp()).collect()
        } else {
            let first = z.iter().position(|z| *z == top);
            (0..z.len()).map(|k| f64::from(u8::from(Some(k) == first))).collect()
        };
        let sum: f64 = weights.iter().sum();
        gradient.fill(0.0);
        for (w, row) in weights.iter().zip(&rows) {
            gradient.iter_mut().zip(row).for_each(|(g, a)| *g += w / sum * a);
        }
        top + soft * sum.ln()
    };
    Closure { kind, n, evaluate: Box::new(evaluate) }
}

pub const FAMILIES: usize = 12;

/// A right component of family `family`; scales go from 1e-6 to 1e6.
pub fn right(family: usize, rng: &mut Rng) -> Closure {
    let n = rng.size(1, 50);
    let m = rng.size(n, 2 * n + 5);
    let scale = rng.power(6.0);
    let rows = |rng: &mut Rng, m: usize| -> Vec<Vec<f64>> { (0..m).map(|_| rng.vector(n)).collect() };
    let targets = rng.vector(m);
    match family {
        0 => over_rows("least squares", rows(rng, m), move |k, t| {
            let r = t - targets[k];
            (0.5 * scale * r * r, scale * r)
        }),
        1 => {
            let count = m as f64;
            let steep = rng.power(1.0);
            over_rows("logistic", rows(rng, m), move |k, t| {
                let margin = steep * if targets[k] > 0.0 { t } else { -t };
                let value =
                    if margin > 0.0 { (-margin).exp().ln_1p() } else { (margin).exp().ln_1p() - margin };
                let slope = -steep / (1.0 + margin.exp()) / count;
                (value / count, if targets[k] > 0.0 { slope } else { -slope })
            })
        }
        2 => over_rows("sum of abs", unit_rows(n), move |k, t| {
            let r = t - targets[k];
            (scale * r.abs(), scale * if r >= 0.0 { 1.0 } else { -1.0 })
        }),
        3 => max_of_rows("log-sum-exp", rows(rng, m), targets, rng.power(1.0)),
        4 => {
            let rows = rows(rng, m).into_iter().map(|row| row.iter().map(|a| scale * a).collect()).collect();
            max_of_rows("max of affine", rows, targets.iter().map(|t| scale * t).collect(), 0.0)
        }
        5 => over_rows("quartic", unit_rows(n), move |k, t| {
            let c = scale * (1.0 + targets[k]);
            (c * t.powi(4) / 4.0, c * t.powi(3))
        }),
        6 => over_rows("exponentials", rows(rng, m), move |k, t| {
            let value = scale * (t + targets[k]).exp();
            (value, value)
        }),
        7 => over_rows("Huber", rows(rng, m), move |k, t| {
            let r = t - targets[k];
            if r.abs() <= 0.1 {
                (0.5 * scale * r * r, scale * r)
            } else {
                (scale * 0.1 * (r.abs() - 0.05), scale * 0.1 * r.signum())
            }
        }),
        8 => {
            let least = over_rows("", rows(rng, m), move |k, t| {
                let r = t - targets[k];
                (r * r, r)
            });
            let evaluate = move |x: &[f64], gradient: &mut [f64]| {
                let norm = (least.evaluate)(x, gradient).sqrt();
                gradient.iter_mut().for_each(|g| *g *= if norm > 0.0 { scale / norm } else { 0.0 });
                scale * norm
            };
            Closure { kind: "norm of residual", n, evaluate: Box::new(evaluate) }
        }
        9 => {
            // Expanded, with a constant: the value is what is left after large terms cancel.
            let (q, b) = (over_rows("", rows(rng, m), |_, t| (0.5 * t * t, t)), rng.vector(n));
            let constant = rng.power(3.0);
            let evaluate = move |x: &[f64], gradient: &mut [f64]| {
                let square = (q.evaluate)(x, gradient);
                gradient.iter_mut().zip(&b).for_each(|(g, b)| *g = scale * (*g - b));
                scale * (square - dot(&b, x) + constant)
            };
            Closure { kind: "quadratic", n, evaluate: Box::new(evaluate) }
        }
        10 => {
            let curvatures: Vec<f64> = (0..n).map(|_| rng.power(6.0)).collect();
            let offset = 1e8 * rng.signed();
            let diagonal = over_rows("", unit_rows(n), move |k, t| {
                (0.5 * curvatures[k] * (t - targets[k]).powi(2), curvatures[k] * (t - targets[k]))
            });
            let evaluate = move |x: &[f64], gradient: &mut [f64]| (diagonal.evaluate)(x, gradient) + offset;
            Closure { kind: "ill-conditioned quadratic", n, evaluate: Box::new(evaluate) }
        }
        _ => over_rows("affine", rows(rng, 1), move |_, t| (scale * (t - 3.0), scale)),
    }
}

/// What a planted fault does to a right component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// g -> c g.
    GradientTimes(f64),
    /// f -> c f, the gradient as it was.
    ValueTimes(f64),
    /// Two gradient entries change places.
    Swapped(usize, usize),
    /// Gradient entries move on by one.
    Shifted,
    /// g_i -> g_i + c.
    Entry(usize, f64),
    /// g_i -> 0.
    Zeroed(usize),
    /// The gradient of the point before.
    Stale,
    /// The value alone lacks a constant.
    LostConstant(f64),
    /// f += amplitude sin(frequency x_i), with its gradient.
    Ripple(usize, f64, f64),
    /// f -= c (x_i + x_j)^2 / 2, with its gradient.
    Dent(usize, usize, f64),
    /// f -= c |x_i - a|, with its gradient.
    ConcaveKink(usize, f64, f64),
    /// g_i is not written.
    Unwritten(usize),
    /// f is NaN.
    Nan,
    /// The oracle fails.
    Fails,
    /// The oracle panics.
    Panics,
    /// Each call adds a little more.
    Drifts(f64),
}

/// A component with a fault.
pub struct Planted {
    pub inner: Closure,
    pub fault: Fault,
    memory: Mutex<(Vec<f64>, f64)>,
}

impl Planted {
    pub fn new(inner: Closure, fault: Fault) -> Self {
        let memory = Mutex::new((vec![0.0; inner.n], 0.0));
        Self { inner, fault, memory }
    }
}

impl Component for Planted {
    fn kind(&self) -> &'static str {
        self.inner.kind
    }

    fn dimension(&self) -> usize {
        self.inner.n
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        let wanted = gradient.is_some();
        let mut own = vec![0.0; x.len()];
        let g = gradient.unwrap_or(&mut own);
        let untouched = if let Fault::Unwritten(i) = self.fault { g[i] } else { 0.0 };
        let mut value = (self.inner.evaluate)(x, g);
        match self.fault {
            Fault::GradientTimes(c) => g.iter_mut().for_each(|g| *g *= c),
            Fault::ValueTimes(c) => value *= c,
            Fault::Swapped(i, j) => g.swap(i, j),
            Fault::Shifted => g.rotate_right(1),
            Fault::Entry(i, c) => g[i] += c,
            Fault::Zeroed(i) => g[i] = 0.0,
            Fault::Stale => {
                let mut memory = self.memory.lock().unwrap();
                (self.inner.evaluate)(&memory.0, g);
                memory.0.copy_from_slice(x);
            }
            Fault::LostConstant(c) => value += if wanted { c } else { 0.0 },
            Fault::Ripple(i, amplitude, frequency) => {
                value += amplitude * (frequency * x[i]).sin();
                g[i] += amplitude * frequency * (frequency * x[i]).cos();
            }
            Fault::Dent(i, j, c) => {
                let t = x[i] + x[j];
                value -= 0.5 * c * t * t;
                g[i] -= c * t;
                g[j] -= c * t;
            }
            Fault::ConcaveKink(i, a, c) => {
                value -= c * (x[i] - a).abs();
                g[i] -= c * (x[i] - a).signum();
            }
            Fault::Unwritten(i) => g[i] = untouched,
            Fault::Nan => value = f64::NAN,
            Fault::Fails => return Err(OracleError::failed("no data")),
            Fault::Panics => panic!("index out of bounds"),
            Fault::Drifts(c) => {
                let mut memory = self.memory.lock().unwrap();
                memory.1 += c * value.abs();
                value += memory.1;
            }
        }
        Ok(value)
    }
}
