//! `[[terms]]`: how components and affine blocks compose in the objective.

use super::components::{kind, number, weighted_sum};
use super::error::ProblemFileError;
use super::files::Files;
use super::node::{Node, Section};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use ufcm::component::{ComponentExt, Linear};
use ufcm::composer::{
    Huber, L1Norm, L2Norm, LinfNorm, LogSumExp, Max, PowerSum, Quadratic, Quantile, Scaled, SquaredHinge,
    Stacked, WeightedSum,
};
use ufcm::error::DataError;
use ufcm::mapping::Affine;
use ufcm::oracle::{Component, Composer, Mapping};
use ufcm::problem::Term;

type Result<T> = std::result::Result<T, ProblemFileError>;
type Shared = Arc<dyn Component>;

/// The parts that can be composed, by name, and which of them were.
pub(super) struct Parts<'b> {
    pub(super) files: &'b Files<'b>,
    pub(super) components: BTreeMap<String, Shared>,
    pub(super) affine: BTreeMap<String, Affine>,
    pub(super) used: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sum,
    Max,
    SmoothMax,
    SquaredHinge,
    Penalty,
    Norm1,
    Norm2,
    NormInf,
    SumPower,
    Quantile,
    Huber,
    Squares,
}

const KINDS: [(&str, Kind); 12] = [
    ("sum", Kind::Sum),
    ("max", Kind::Max),
    ("smooth_max", Kind::SmoothMax),
    ("squared_hinge", Kind::SquaredHinge),
    ("penalty", Kind::Penalty),
    ("norm1", Kind::Norm1),
    ("norm2", Kind::Norm2),
    ("norm_inf", Kind::NormInf),
    ("sum_power", Kind::SumPower),
    ("quantile", Kind::Quantile),
    ("huber", Kind::Huber),
    ("squares", Kind::Squares),
];

/// The rows under a composer.
enum Rows {
    Components(Vec<Shared>),
    Affine(Affine),
}

impl Rows {
    fn count(&self) -> usize {
        match self {
            Self::Components(components) => components.len(),
            Self::Affine(affine) => affine.rows(),
        }
    }

    fn under(self, composer: impl Composer + 'static) -> Term {
        match self {
            Self::Components(components) => Term::new(composer, components),
            Self::Affine(affine) => Term::affine(composer, affine),
        }
    }
}

impl Parts<'_> {
    /// A note for each part that nothing uses.
    pub(super) fn unused(&self) -> Vec<String> {
        let components = self.components.keys().map(|name| ("components", name));
        let all = components.chain(self.affine.keys().map(|name| ("affine", name)));
        let paths = all.map(|(section, name)| format!("{section}.{name}"));
        paths.filter(|path| !self.used.contains(path)).map(|path| format!("[{path}] is not used")).collect()
    }

    fn component(&mut self, node: &Node<'_>) -> Result<Shared> {
        let name = node.text()?;
        let Some(component) = self.components.get(name) else {
            return Err(node.unknown("component", self.components.keys().map(String::as_str)));
        };
        self.used.insert(format!("components.{name}"));
        Ok(component.clone())
    }

    pub(super) fn affine(&mut self, node: &Node<'_>) -> Result<Affine> {
        let name = node.text()?;
        let Some(block) = self.affine.get(name) else {
            return Err(node.unknown("affine block", self.affine.keys().map(String::as_str)));
        };
        self.used.insert(format!("affine.{name}"));
        Ok(block.clone())
    }

    fn components(&mut self, node: &Node<'_>) -> Result<Vec<Shared>> {
        let components: Vec<Shared> =
            node.texts()?.iter().map(|item| self.component(item)).collect::<Result<_>>()?;
        if components.is_empty() {
            Err(node.error("expected at least one component"))
        } else {
            Ok(components)
        }
    }

    /// The component that `node` names, or the sum of those, with `weights` if there are any.
    pub(super) fn combination(&mut self, node: &Node<'_>, weights: Option<Node<'_>>) -> Result<Shared> {
        let components = self.components(node)?;
        let weights = weights.map(|w| self.weights(&w, components.len())).transpose()?;
        weighted_sum(components, weights).map_err(|error| node.error(error.to_string()))
    }

    fn weights(&self, node: &Node<'_>, count: usize) -> Result<Vec<f64>> {
        let weights = self.files.vector(node, Some(count))?;
        if weights.len() == count {
            return Ok(weights);
        }
        Err(node.error(format!("there are {} weights for {count} rows", weights.len())))
    }

    /// Reads one of `[[terms]]`.
    pub(super) fn term(&mut self, section: &Section<'_>) -> Result<Term> {
        let kind = kind(section, &KINDS)?;
        let rows = match (section.get("of"), section.get("affine")) {
            (Some(of), None) => Rows::Components(self.components(&of)?),
            (None, Some(affine)) => Rows::Affine(self.affine(&affine)?),
            _ => {
                let help = "give `of` (components) or `affine` (a block), not both";
                return Err(section.error_with("of what?", Some(help.into())));
            }
        };
        let weight = number(section, "weight", 1.0)?;
        let blamed = |error: DataError| section.blame(&error);
        let count = rows.count();
        match kind {
            Kind::Sum | Kind::Norm1 | Kind::Squares => self.weighted(section, kind, rows, weight),
            Kind::Max => {
                section.finish()?;
                scaled(section, rows, weight, Max::new(count))
            }
            Kind::SmoothMax => {
                let eta = section.require("eta")?.number()?;
                section.finish()?;
                scaled(section, rows, weight, LogSumExp::new(count, eta))
            }
            Kind::SquaredHinge | Kind::Penalty => self.hinges(section, kind, rows, weight),
            Kind::Norm2 => {
                section.finish()?;
                Ok(rows.under(L2Norm::new(count, weight).map_err(blamed)?))
            }
            Kind::NormInf => {
                section.finish()?;
                Ok(rows.under(LinfNorm::new(count, weight).map_err(blamed)?))
            }
            Kind::SumPower => {
                let p = section.require("p")?.number()?;
                section.finish()?;
                Ok(rows.under(PowerSum::new(count, p, weight).map_err(blamed)?))
            }
            Kind::Quantile => {
                let q = section.require("q")?.number()?;
                section.finish()?;
                Ok(rows.under(Quantile::new(count, q, weight).map_err(blamed)?))
            }
            Kind::Huber => {
                let delta = section.require("delta")?.number()?;
                section.finish()?;
                Ok(rows.under(Huber::new(count, delta, weight).map_err(blamed)?))
            }
        }
    }

    /// Composers with a weight for each row.
    fn weighted(&self, section: &Section<'_>, kind: Kind, rows: Rows, weight: f64) -> Result<Term> {
        let given = section.get("weights");
        section.finish()?;
        let each = given.map_or(Ok(vec![1.0; rows.count()]), |node| self.weights(&node, rows.count()))?;
        let weights: Vec<f64> = each.iter().map(|w| weight * w).collect();
        let blamed = |error: DataError| section.blame(&error);
        Ok(match kind {
            Kind::Sum => rows.under(WeightedSum::new(weights).map_err(blamed)?),
            Kind::Norm1 => rows.under(L1Norm::new(weights).map_err(blamed)?),
            _ => rows.under(Quadratic::new(weights).map_err(blamed)?),
        })
    }

    /// Penalties on g_j <= at_most: sum of max((g_j - at_most)/eta, 0)^2, or of max(g_j - at_most, 0).
    fn hinges(&self, section: &Section<'_>, kind: Kind, rows: Rows, weight: f64) -> Result<Term> {
        let at_most = section.get("at_most");
        let eta = if kind == Kind::SquaredHinge { section.require("eta")?.number()? } else { 1.0 };
        section.finish()?;
        let blamed = |error: DataError| section.blame(&error);
        let bounds = at_most.map(|node| self.weights(&node, rows.count())).transpose()?;
        let rows = match bounds {
            Some(bounds) => shifted(rows, &bounds).map_err(blamed)?,
            None => rows,
        };
        if kind == Kind::SquaredHinge {
            let count = rows.count();
            return scaled(section, rows, weight, SquaredHinge::new(count, eta));
        }
        let Rows::Components(components) = rows else {
            let help = "a penalty takes components: state the rows as linear ones";
            return Err(section.error_with("a penalty of an affine block is not known", Some(help.into())));
        };
        // max(g, 0) is the max of g and the constant 0.
        let hinges: std::result::Result<Vec<Box<dyn Composer>>, _> =
            components.iter().map(|_| Max::new(2).map(|max| Box::new(max) as Box<dyn Composer>)).collect();
        let mut pairs = Vec::new();
        for component in components {
            let zero = Linear::constant(component.dimension(), 0.0).map_err(blamed)?;
            pairs.extend([component, Arc::new(zero) as Shared]);
        }
        scaled(section, Rows::Components(pairs), weight, hinges.map(Stacked::new))
    }
}

fn scaled<H: Composer + 'static>(
    section: &Section<'_>,
    rows: Rows,
    weight: f64,
    composer: std::result::Result<H, DataError>,
) -> Result<Term> {
    let blamed = |error: DataError| section.blame(&error);
    let composer = composer.map_err(blamed)?;
    if weight == 1.0 {
        return Ok(rows.under(composer));
    }
    Ok(rows.under(Scaled::new(weight, Box::new(composer)).map_err(blamed)?))
}

/// Each row minus its bound.
fn shifted(rows: Rows, bounds: &[f64]) -> std::result::Result<Rows, DataError> {
    match rows {
        Rows::Affine(affine) => shift(&affine, bounds).map(Rows::Affine),
        Rows::Components(components) => {
            let shifted = |(g, bound): (Shared, &f64)| g.shifted(-bound).map(|g| Arc::new(g) as Shared);
            components
                .into_iter()
                .zip(bounds)
                .map(shifted)
                .collect::<std::result::Result<_, _>>()
                .map(Rows::Components)
        }
    }
}

/// A x - b - by.
pub(super) fn shift(block: &Affine, by: &[f64]) -> std::result::Result<Affine, DataError> {
    if by.iter().all(|by| *by == 0.0) {
        return Ok(block.clone());
    }
    let offset = block.offset().iter().zip(by).map(|(offset, by)| offset + by).collect();
    block.with_offset(offset)
}
