//! Convex functions of one number, which losses and rowwise composers share.

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// |z|
    Absolute,
    /// z^2 / 2
    Square,
    /// max(z, 0)^2
    PositiveSquare,
    /// z^2 / 2 up to the width, linear beyond.
    Huber(f64),
    /// |z|^p
    Power(f64),
    /// The pinball loss at this level.
    Quantile(f64),
    /// log(1 + e^z)
    Softplus,
    /// e^z
    Exponential,
    /// 0 below 0, z^2 / (2 gamma) up to gamma, z - gamma / 2 beyond.
    SmoothedHinge(f64),
}

impl Law {
    pub fn value(self, z: f64) -> f64 {
        match self {
            Self::Absolute => z.abs(),
            Self::Square => 0.5 * z * z,
            Self::PositiveSquare => z.max(0.0).powi(2),
            Self::Huber(delta) if z.abs() <= delta => 0.5 * z * z,
            Self::Huber(delta) => delta * (z.abs() - 0.5 * delta),
            Self::Power(p) => z.abs().powf(p),
            Self::Quantile(level) => {
                if z > 0.0 {
                    (1.0 - level) * z
                } else {
                    -level * z
                }
            }
            Self::Softplus => z.max(0.0) + (-z.abs()).exp().ln_1p(),
            Self::Exponential => z.exp(),
            Self::SmoothedHinge(gamma) if z <= gamma => 0.5 * z.max(0.0).powi(2) / gamma,
            Self::SmoothedHinge(gamma) => z - 0.5 * gamma,
        }
    }

    /// A subgradient of those that composers are made of.
    pub fn slope(self, z: f64) -> f64 {
        match self {
            Self::Absolute => z.signum(),
            Self::Square => z,
            Self::PositiveSquare => 2.0 * z.max(0.0),
            Self::Huber(delta) => z.clamp(-delta, delta),
            Self::Power(p) => p * z.signum() * z.abs().powf(p - 1.0),
            Self::Quantile(level) => {
                if z > 0.0 {
                    1.0 - level
                } else {
                    -level
                }
            }
            other => unreachable!("no composer is made of {other:?}"),
        }
    }
}
