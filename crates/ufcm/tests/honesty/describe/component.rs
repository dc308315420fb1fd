//! Components: a curve plus an affine function.

use super::{Law, Rows, dot};

#[derive(Debug, Clone)]
pub struct Component {
    pub curve: Curve,
    pub slope: Vec<f64>,
    pub constant: f64,
}

#[derive(Debug, Clone)]
#[allow(dead_code, reason = "only the adversary suite multiplies curves")]
pub enum Curve {
    Flat,
    /// A positive number times another curve.
    Times(f64, Box<Curve>),
    /// |F x|^2 / 2
    Quadratic(Vec<Vec<f64>>),
    /// log sum exp of the rows
    LogSumExp(Rows),
    /// The mean of a loss over the samples; the sum for [`Loss::Exponential`].
    Data {
        loss: Loss,
        data: Vec<Vec<f64>>,
        targets: Vec<f64>,
    },
    /// The mean of log sum exp of the scores minus the score of the label, over the samples. x holds the weights of all
    /// features for the first class, then those for the next.
    Softmax {
        data: Vec<Vec<f64>>,
        labels: Vec<usize>,
        classes: usize,
    },
}

/// The rows by which x gives the scores of one sample, one for each class.
pub fn scores(row: &[f64], classes: usize) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; classes * row.len()]; classes];
    rows.iter_mut()
        .enumerate()
        .for_each(|(k, score)| score[k * row.len()..][..row.len()].copy_from_slice(row));
    rows
}

#[derive(Debug, Clone, Copy)]
pub enum Loss {
    Squared,
    Logistic,
    Huber(f64),
    Power(f64),
    SquaredHinge,
    SmoothedHinge(f64),
    Exponential,
    Poisson,
}

/// A loss at one target: law(scale t + shift) + tilt t.
pub struct Sample {
    pub law: Law,
    pub scale: f64,
    pub shift: f64,
    pub tilt: f64,
}

impl Loss {
    pub fn at(self, y: f64) -> Sample {
        let residual = |law| Sample { law, scale: 1.0, shift: -y, tilt: 0.0 };
        let margin = |law| Sample { law, scale: -y, shift: 1.0, tilt: 0.0 };
        match self {
            Self::Squared => residual(Law::Square),
            Self::Huber(delta) => residual(Law::Huber(delta)),
            Self::Power(p) => residual(Law::Power(p)),
            Self::Logistic => Sample { law: Law::Softplus, scale: -y, shift: 0.0, tilt: 0.0 },
            Self::SquaredHinge => margin(Law::PositiveSquare),
            Self::SmoothedHinge(gamma) => margin(Law::SmoothedHinge(gamma)),
            Self::Exponential => Sample { law: Law::Exponential, scale: 1.0, shift: y, tilt: 0.0 },
            Self::Poisson => Sample { law: Law::Exponential, scale: 1.0, shift: 0.0, tilt: -y },
        }
    }

    /// What each of `count` samples counts.
    pub fn share(self, count: usize) -> f64 {
        if matches!(self, Self::Exponential) { 1.0 } else { 1.0 / count as f64 }
    }

    pub fn has_labels(self) -> bool {
        matches!(self, Self::Logistic | Self::SquaredHinge | Self::SmoothedHinge(_))
    }
}

impl Component {
    pub fn value(&self, x: &[f64]) -> f64 {
        self.curve.value(x) + dot(&self.slope, x) + self.constant
    }
}

impl Curve {
    fn value(&self, x: &[f64]) -> f64 {
        match self {
            Self::Flat => 0.0,
            Self::Times(factor, curve) => factor * curve.value(x),
            Self::Quadratic(factor) => 0.5 * factor.iter().map(|row| dot(row, x).powi(2)).sum::<f64>(),
            Self::LogSumExp(rows) => log_sum_exp(&rows.values(x)),
            Self::Data { loss, data, targets } => {
                let sample = |(row, y): (&Vec<f64>, &f64)| {
                    let (Sample { law, scale, shift, tilt }, t) = (loss.at(*y), dot(row, x));
                    law.value(scale * t + shift) + tilt * t
                };
                loss.share(data.len()) * data.iter().zip(targets).map(sample).sum::<f64>()
            }
            Self::Softmax { data, labels, classes } => {
                let sample = |(row, label): (&Vec<f64>, &usize)| {
                    let scores: Vec<f64> = scores(row, *classes).iter().map(|row| dot(row, x)).collect();
                    log_sum_exp(&scores) - scores[*label]
                };
                data.iter().zip(labels).map(sample).sum::<f64>() / data.len() as f64
            }
        }
    }
}

pub fn log_sum_exp(z: &[f64]) -> f64 {
    let largest = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + z.iter().map(|z| (z - largest).exp()).sum::<f64>().ln()
}
