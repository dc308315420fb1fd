//! Ridge regression with all that a component can declare, and one flaw in it.

use super::family::{Rng, dot};
use ufcm::oracle::{Component, Convexity, Curvature, OracleError, Smoothness};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flaw {
    None,
    Smoothness,
    Convexity,
    LowerBound,
    Affine,
    Diagonal,
    HessianEntry,
    HessianScale,
    HessianIndefinite,
    HessianOverwrites,
    HessianUpper,
    DiagonalBound,
}

/// 1/2 |A x - b|^2 + ridge/2 |x|^2, with fewer rows than columns: the least curvature is exactly `ridge`.
pub struct Regression {
    rows: Vec<Vec<f64>>,
    targets: Vec<f64>,
    ridge: f64,
    top: f64,
    n: usize,
    pub flaw: Flaw,
}

impl Regression {
    pub fn new(rng: &mut Rng, flaw: Flaw) -> Self {
        let n = rng.size(3, 30);
        let m = rng.size(2, n - 1);
        let scale = rng.power(3.0);
        let rows: Vec<Vec<f64>> = (0..m).map(|_| rng.vector(n).iter().map(|a| scale * a).collect()).collect();
        let targets = rng.vector(m).iter().map(|t| scale * t).collect();
        let ridge = 0.1 * scale * scale;
        let mut regression = Self { rows, targets, ridge, top: 0.0, n, flaw };
        regression.top = regression.largest_eigenvalue(rng);
        regression
    }

    /// The power method; a little is added for its error.
    fn largest_eigenvalue(&self, rng: &mut Rng) -> f64 {
        let mut v = rng.vector(self.n);
        let mut top = 0.0;
        for _ in 0..2000 {
            let length = dot(&v, &v).sqrt();
            v.iter_mut().for_each(|v| *v /= length);
            let mut next: Vec<f64> = v.iter().map(|v| self.ridge * v).collect();
            for row in &self.rows {
                let t = dot(row, &v);
                next.iter_mut().zip(row).for_each(|(next, a)| *next += t * a);
            }
            top = dot(&next, &v);
            v = next;
        }
        1.0001 * top
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        let product: f64 = self.rows.iter().map(|row| row[i] * row[j]).sum();
        product + if i == j { self.ridge } else { 0.0 }
    }
}

impl Component for Regression {
    fn kind(&self) -> &'static str {
        "regression"
    }

    fn dimension(&self) -> usize {
        self.n
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        let mut image = vec![0.0; self.rows.len()];
        self.rows.iter().zip(&mut image).for_each(|(row, z)| *z = dot(row, x));
        let residuals: Vec<f64> = image.iter().zip(&self.targets).map(|(z, t)| z - t).collect();
        if let Some(gradient) = gradient {
            gradient.iter_mut().zip(x).for_each(|(g, x)| *g = self.ridge * x);
            for (r, row) in residuals.iter().zip(&self.rows) {
                gradient.iter_mut().zip(row).for_each(|(g, a)| *g += r * a);
            }
        }
        Ok(0.5 * dot(&residuals, &residuals) + 0.5 * self.ridge * dot(x, x))
    }

    fn smoothness(&self) -> Option<Smoothness> {
        let constant = if self.flaw == Flaw::Smoothness { 0.9 * self.top } else { self.top };
        Some(Smoothness { constant, exponent: 1.0 })
    }

    fn convexity(&self) -> Option<Convexity> {
        let constant = if self.flaw == Flaw::Convexity { 1.2 * self.ridge } else { self.ridge };
        Some(Convexity { constant, exponent: 1.0 })
    }

    fn is_affine(&self) -> bool {
        self.flaw == Flaw::Affine
    }

    fn lower_bound(&self) -> Option<f64> {
        // 1/2 |b|^2 is the value at 0, which is not the least.
        Some(if self.flaw == Flaw::LowerBound { 0.5 * dot(&self.targets, &self.targets) } else { 0.0 })
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        Some(self)
    }
}

impl Curvature for Regression {
    fn add_diagonal(&self, _x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        let forgotten = if self.flaw == Flaw::Diagonal { self.ridge } else { 0.0 };
        for (i, d) in diagonal.iter_mut().enumerate() {
            *d += weight * (self.entry(i, i) - forgotten);
        }
        Ok(())
    }

    fn add_hessian(&self, _x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        let n = self.n;
        for j in 0..n {
            let first = if self.flaw == Flaw::HessianUpper { 0 } else { j };
            for i in first..n {
                let mut entry = self.entry(i, j);
                match self.flaw {
                    Flaw::HessianEntry if (i, j) == (n - 1, 0) => entry += 0.3 * self.top,
                    Flaw::HessianScale => entry *= 2.0,
                    Flaw::HessianIndefinite => entry = -entry,
                    _ => {}
                }
                let cell = &mut hessian[j * n + i];
                *cell = if self.flaw == Flaw::HessianOverwrites {
                    weight * entry
                } else {
                    *cell + weight * entry
                };
            }
        }
        Ok(())
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        let factor = if self.flaw == Flaw::DiagonalBound { 0.9 } else { 1.0 };
        for (i, d) in diagonal.iter_mut().enumerate() {
            *d += factor * weight * self.entry(i, i);
        }
        true
    }
}
