//! A metric that can be chosen, where it comes from, and how fast the run was under it.

use crate::metric::Metric;
use crate::metric::second_order::Kind;

/// Where a metric comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Source {
    /// It is what it is.
    Given,
    /// The diagonal from secants, made anew each time it is taken up.
    Secants,
    /// Second derivatives, formed anew for each stretch; how often that has been.
    Curvature { kind: Kind, damping: f64, formed: usize },
}

impl Source {
    /// Whether it asks the components for more than gradients.
    pub(crate) fn has_a_price(self) -> bool {
        matches!(self, Self::Curvature { kind: Kind::Hessian | Kind::Sketch, .. })
    }
}

impl From<Kind> for Source {
    fn from(kind: Kind) -> Self {
        Self::Curvature { kind, damping: kind.first_damping(), formed: 0 }
    }
}

/// A metric with its record.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) metric: Metric,
    pub(crate) source: Source,
    /// L under this metric when it was last left.
    pub(crate) l: f64,
    /// The fall of the logarithm of the residual per gradient, where the candidate has been tried.
    pub(crate) rate: Option<f64>,
}

impl Candidate {
    pub(crate) fn new(metric: Metric, source: Source) -> Self {
        Self { metric, source, l: 1.0, rate: None }
    }
}
