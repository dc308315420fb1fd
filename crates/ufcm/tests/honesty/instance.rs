//! A convex problem as plain data, with its own evaluation: what the solver reports is held against these formulas.

/// |F x|^2 / 2 + c.x + d; linear where F has no rows.
#[derive(Debug, Clone)]
pub struct Quad {
    pub factor: Vec<Vec<f64>>,
    pub linear: Vec<f64>,
    pub constant: f64,
}

/// x -> A x - b.
#[derive(Debug, Clone)]
pub struct Rows {
    pub matrix: Vec<Vec<f64>>,
    pub offset: Vec<f64>,
}

/// A part of the objective.
#[derive(Debug, Clone)]
pub enum Term {
    Sum(Vec<Quad>),
    Max(Vec<Quad>),
    L1 { rows: Rows, weight: f64 },
    Linf { rows: Rows, weight: f64 },
    L2 { rows: Rows, weight: f64 },
    Quantile { rows: Rows, level: f64, weight: f64 },
    Huber { rows: Rows, delta: f64, weight: f64 },
}

#[derive(Debug, Clone)]
pub enum Constraint {
    AtMost(Quad, f64),
    RowsAtMost(Rows),
    Equal(Rows),
    Between(Rows, Vec<f64>, Vec<f64>),
}

/// u and X.
#[derive(Debug, Clone)]
pub enum Domain {
    Box { lower: Vec<f64>, upper: Vec<f64> },
    L1Box { weight: f64, lower: Vec<f64>, upper: Vec<f64> },
    Ball { radius: f64, centre: Vec<f64> },
    Simplex { total: f64 },
    Ridge { weight: f64 },
}

#[derive(Debug, Clone)]
pub struct Instance {
    pub family: &'static str,
    pub objective: Quad,
    pub terms: Vec<Term>,
    pub constraints: Vec<Constraint>,
    pub domain: Domain,
    /// A minimiser, where the construction makes one.
    pub minimiser: Option<Vec<f64>>,
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(v: impl Iterator<Item = f64>) -> f64 {
    v.map(|v| v * v).sum::<f64>().sqrt()
}

impl Quad {
    pub fn value(&self, x: &[f64]) -> f64 {
        let squares: f64 = self.factor.iter().map(|row| dot(row, x).powi(2)).sum();
        0.5 * squares + dot(&self.linear, x) + self.constant
    }
}

impl Rows {
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        self.matrix.iter().zip(&self.offset).map(|(row, b)| dot(row, x) - b).collect()
    }
}

impl Term {
    fn value(&self, x: &[f64]) -> f64 {
        match self {
            Self::Sum(parts) => parts.iter().map(|g| g.value(x)).sum(),
            Self::Max(parts) => parts.iter().map(|g| g.value(x)).fold(f64::NEG_INFINITY, f64::max),
            Self::L1 { rows, weight } => weight * rows.values(x).iter().map(|z| z.abs()).sum::<f64>(),
            Self::Linf { rows, weight } => {
                weight * rows.values(x).iter().map(|z| z.abs()).fold(0.0, f64::max)
            }
            Self::L2 { rows, weight } => weight * norm(rows.values(x).into_iter()),
            Self::Quantile { rows, level, weight } => {
                let loss = |z: &f64| if *z > 0.0 { level * z } else { (level - 1.0) * z };
                weight * rows.values(x).iter().map(loss).sum::<f64>()
            }
            Self::Huber { rows, delta, weight } => {
                let loss = |z: &f64| match z.abs() {
                    z if z <= *delta => 0.5 * z * z,
                    z => delta * (z - 0.5 * delta),
                };
                weight * rows.values(x).iter().map(loss).sum::<f64>()
            }
        }
    }
}

impl Constraint {
    /// By how much each row is violated.
    fn violations(&self, x: &[f64]) -> Vec<f64> {
        match self {
            Self::AtMost(g, bound) => vec![(g.value(x) - bound).max(0.0)],
            Self::RowsAtMost(rows) => rows.values(x).into_iter().map(|z| z.max(0.0)).collect(),
            Self::Equal(rows) => rows.values(x),
            Self::Between(rows, lower, upper) => {
                let bounds = lower.iter().zip(upper);
                let outside = |(z, (l, u)): (f64, (&f64, &f64))| (z - u).max(l - z).max(0.0);
                rows.values(x).into_iter().zip(bounds).map(outside).collect()
            }
        }
    }
}

impl Domain {
    fn value(&self, x: &[f64]) -> f64 {
        match self {
            Self::L1Box { weight, .. } => weight * x.iter().map(|x| x.abs()).sum::<f64>(),
            Self::Ridge { weight } => 0.5 * weight * dot(x, x),
            Self::Box { .. } | Self::Ball { .. } | Self::Simplex { .. } => 0.0,
        }
    }

    /// By how much x is outside X.
    fn violation(&self, x: &[f64]) -> f64 {
        match self {
            Self::Box { lower, upper } | Self::L1Box { lower, upper, .. } => {
                let bounds = lower.iter().zip(upper);
                x.iter().zip(bounds).map(|(x, (l, u))| (x - u).max(l - x)).fold(0.0, f64::max)
            }
            Self::Ball { radius, centre } => {
                (norm(x.iter().zip(centre).map(|(x, c)| x - c)) - radius).max(0.0)
            }
            Self::Simplex { total } => {
                let lowest = x.iter().copied().fold(0.0, f64::min);
                (x.iter().sum::<f64>() - total).abs().max(-lowest)
            }
            Self::Ridge { .. } => 0.0,
        }
    }
}

impl Instance {
    pub fn dimension(&self) -> usize {
        self.objective.linear.len()
    }

    /// What stands in the objective, constraints left aside.
    pub fn objective_at(&self, x: &[f64]) -> f64 {
        let terms: f64 = self.terms.iter().map(|term| term.value(x)).sum();
        self.objective.value(x) + terms + self.domain.value(x)
    }

    /// The Euclidean norm of the violations of all rows.
    pub fn violation_at(&self, x: &[f64]) -> f64 {
        norm(self.constraints.iter().flat_map(|c| c.violations(x)))
    }

    /// By how much x is outside X.
    pub fn outside(&self, x: &[f64]) -> f64 {
        self.domain.violation(x)
    }
}
