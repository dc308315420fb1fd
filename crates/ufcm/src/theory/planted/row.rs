//! A component whose constants are known: powers of distances plus a linear function.

use super::{KIND, RADIUS};
use crate::error::{DataError, Position, check_finite_scalar, check_nonnegative, check_positive};
use crate::oracle::{Component, Convexity, OracleError, Smoothness};
use crate::random::Random;

/// What a row should be like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowKind {
    /// L_j is about this: 2^(1-p) times it, and what `convexity` adds.
    pub scale: f64,
    /// p_j
    pub p: f64,
    /// (mu_j, q_j); rows without it have curvatures spread over six decades.
    pub convexity: Option<(f64, f64)>,
    /// lambda*_j
    pub multiplier: f64,
}

impl RowKind {
    pub(super) fn check(&self) -> Result<(), DataError> {
        check_positive(KIND, "scale", self.scale)?;
        check_nonnegative(KIND, "multiplier", self.multiplier)?;
        if !(0.0..=1.0).contains(&self.p) {
            return Err(DataError::out_of_range(KIND, "p", Position::Scalar, self.p, "between 0 and 1"));
        }
        if let Some((mu, q)) = self.convexity {
            check_positive(KIND, "mu", mu)?;
            check_finite_scalar(KIND, "q", q)?;
            if q < 1.0 {
                return Err(DataError::out_of_range(KIND, "q", Position::Scalar, q, "at least 1"));
            }
        }
        Ok(())
    }
}

/// One curved piece: scale |x - a|_w^power / power with |v|_w^2 = sum of w_i v_i^2, 0 < w_i <= 1.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    scale: f64,
    power: f64,
    centre: Vec<f64>,
    weights: Vec<f64>,
}

impl Piece {
    /// |x - a|_w
    fn radius(&self, x: &[f64]) -> f64 {
        let square = |((x, a), w): ((&f64, &f64), &f64)| w * (x - a).powi(2);
        x.iter().zip(&self.centre).zip(&self.weights).map(square).sum::<f64>().sqrt()
    }
}

/// A sum of pieces plus c.x + d, with constants that hold on X.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Planted {
    pieces: Vec<Piece>,
    pub(super) slope: Vec<f64>,
    pub(super) constant: f64,
    pub(super) smoothness: Smoothness,
    pub(super) convexity: Option<Convexity>,
}

impl Planted {
    /// A row of this kind in `n` variables, with random centres and a random slope.
    pub(super) fn new(kind: &RowKind, n: usize, random: &mut Random) -> Self {
        let mut piece = |scale: f64, power: f64, spread: bool| Piece {
            scale,
            power,
            centre: random.direction(n, 1.5),
            weights: (0..n)
                .map(|i| if spread { 10f64.powf(-6.0 * i as f64 / n as f64) } else { 1.0 })
                .collect(),
        };
        // Curvatures over six decades, without a gap: then acceleration alone decides, at every accuracy.
        // |.|^(1+p)/(1+p) has gradients with Hölder constant 2^(1-p); weights up to 1 do not raise it.
        let mut pieces = vec![piece(kind.scale, 1.0 + kind.p, kind.convexity.is_none())];
        let mut constant = kind.scale * (1.0 - kind.p).exp2();
        let convexity = kind.convexity.map(|(mu, q)| {
            // |.|^(q+1)/(q+1) is (2^(1-q), q)-uniformly convex; on X its curvature is at most q (|x - a|)^(q-1).
            pieces.push(piece(mu, q + 1.0, false));
            // ... and on X, whose diameter is 2 RADIUS, a Lipschitz gradient is a Hölder one of every lower exponent.
            constant += mu * q * (RADIUS + 1.5).powf(q - 1.0) * (2.0 * RADIUS).powf(1.0 - kind.p);
            Convexity { constant: mu * (1.0 - q).exp2(), exponent: q }
        });
        let smoothness = Smoothness { constant, exponent: kind.p };
        Self { pieces, slope: random.direction(n, 0.5), constant: 0.0, smoothness, convexity }
    }

    /// ∇g(x)
    pub(super) fn gradient(&self, x: &[f64]) -> Result<Vec<f64>, OracleError> {
        let mut gradient = vec![0.0; x.len()];
        self.evaluate(x, Some(&mut gradient))?;
        Ok(gradient)
    }
}

impl Component for Planted {
    fn kind(&self) -> &'static str {
        "planted component"
    }

    fn dimension(&self) -> usize {
        self.slope.len()
    }

    fn evaluate(&self, x: &[f64], mut gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        let linear: f64 = self.slope.iter().zip(x).map(|(c, x)| c * x).sum();
        let mut value = linear + self.constant;
        if let Some(gradient) = gradient.as_deref_mut() {
            gradient.copy_from_slice(&self.slope);
        }
        for piece in &self.pieces {
            let radius = piece.radius(x);
            value += piece.scale * radius.powf(piece.power) / piece.power;
            if let Some(gradient) = gradient.as_deref_mut()
                && radius > 0.0
            {
                let factor = piece.scale * radius.powf(piece.power - 2.0);
                for (i, g) in gradient.iter_mut().enumerate() {
                    *g += factor * piece.weights[i] * (x[i] - piece.centre[i]);
                }
            }
        }
        Ok(value)
    }

    fn smoothness(&self) -> Option<Smoothness> {
        Some(self.smoothness)
    }

    fn convexity(&self) -> Option<Convexity> {
        self.convexity
    }
}
