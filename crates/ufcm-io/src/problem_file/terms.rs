//! `[[terms]]`: how components and affine blocks compose in the objective.

use super::components::weighted_sum;
use super::error::ProblemFileError;
use super::files::Files;
use super::given::{Given, entry};
use super::node::{Node, Section};
use super::prepared::NamedLoss;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use ufcm::catalogue::{self, Rows};
use ufcm::mapping::Affine;
use ufcm::oracle::Component;
use ufcm::problem::Term;

type Result<T> = std::result::Result<T, ProblemFileError>;
type Shared = Arc<dyn Component>;

/// The parts that can be composed, by name, and which of them were.
pub(super) struct Parts<'b> {
    pub(super) files: &'b Files<'b>,
    /// Those that are wrong are there without what they would be.
    pub(super) components: BTreeMap<String, Option<Shared>>,
    pub(super) affine: BTreeMap<String, Option<Affine>>,
    pub(super) used: BTreeSet<String>,
    /// Components that are summed with others in one row.
    pub(super) summed: BTreeSet<String>,
}

impl<'b> Parts<'b> {
    pub(super) fn new(
        files: &'b Files<'b>,
        components: BTreeMap<String, Option<Shared>>,
        affine: BTreeMap<String, Option<Affine>>,
    ) -> Self {
        Self { files, components, affine, used: BTreeSet::new(), summed: BTreeSet::new() }
    }

    /// Of these losses those that are used and are no row by themselves: in a sum, or of some variables.
    pub(super) fn told_by_themselves(&self, mut losses: Vec<NamedLoss>) -> Vec<NamedLoss> {
        losses.retain(|loss| {
            let is_used = self.used.contains(&format!("components.{}", loss.name));
            is_used && (loss.variables.is_some() || self.summed.contains(&loss.name))
        });
        losses
    }

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
        component.clone().ok_or_else(|| node.error("this component is wrong").implied())
    }

    pub(super) fn affine(&mut self, node: &Node<'_>) -> Result<Affine> {
        let name = node.text()?;
        let Some(block) = self.affine.get(name) else {
            return Err(node.unknown("affine block", self.affine.keys().map(String::as_str)));
        };
        self.used.insert(format!("affine.{name}"));
        block.clone().ok_or_else(|| node.error("this block is wrong").implied())
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
        if components.len() > 1 {
            for name in node.texts()? {
                self.summed.insert(name.text()?.to_owned());
            }
        }
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

    /// The rows that a composer takes.
    pub(super) fn rows(&mut self, section: &Section<'_>) -> Result<Rows> {
        match (section.get("of"), section.get("affine")) {
            (Some(of), None) => Ok(Rows::Components(self.components(&of)?)),
            (None, Some(affine)) => Ok(Rows::Affine(self.affine(&affine)?)),
            _ => {
                let help = "give `of` (components) or `affine` (a block), not both";
                Err(section.error_with("of what?", Some(help.into())))
            }
        }
    }

    /// Reads one of `[[terms]]`.
    pub(super) fn term(&mut self, section: &Section<'_>) -> Result<Term> {
        let kinds = catalogue::composers().map(|entry| &entry.kind);
        let entry = entry(section, catalogue::composer, kinds)?;
        let rows = self.rows(section)?;
        let given = Given::ask(section, &entry.kind, &[])?;
        let mut values = given.values(self.files, None)?;
        entry.term(&mut values, rows).map_err(|error| given.blame(&error))
    }
}
