//! `[[constraints]]`: bounds on components and affine blocks.

use super::error::ProblemFileError;
use super::node::{Node, Section};
use super::terms::Parts;
use ufcm::oracle::Mapping;
use ufcm::problem::{Constraint, IntoConstraint};

type Result<T> = std::result::Result<T, ProblemFileError>;

impl Parts<'_> {
    /// Reads one of `[[constraints]]`.
    pub(super) fn constraint(&mut self, section: &Section<'_>) -> Result<Constraint> {
        match (section.get("component"), section.get("affine")) {
            (Some(node), None) => {
                let weights = section.get("weights");
                let bound = section.require("at_most")?;
                section.finish()?;
                Ok(self.combination(&node, weights)?.at_most(bound.number()?))
            }
            (None, Some(node)) => self.affine_constraint(section, &node),
            _ => {
                let help = "give `component` (one, or several to be summed) or `affine` (a block), not both";
                Err(section.error_with("a constraint on what?", Some(help.into())))
            }
        }
    }

    fn affine_constraint(&mut self, section: &Section<'_>, node: &Node<'_>) -> Result<Constraint> {
        let [equals, at_most, at_least] = ["equals", "at_most", "at_least"].map(|key| section.get(key));
        section.finish()?;
        let block = self.affine(node)?;
        let sides = |node: &Node<'_>| {
            let sides = self.files.sides(node, block.rows())?;
            if sides.len() == block.rows() {
                return Ok(sides);
            }
            Err(node.error(format!("there are {} numbers for {} rows", sides.len(), block.rows())))
        };
        let moved = |by: &[f64]| block.minus(by).map_err(|error| section.blame(&error));
        match (equals, at_most, at_least) {
            (Some(value), None, None) => Ok(moved(&sides(&value)?)?.equal_to_zero()),
            (None, Some(upper), None) => {
                let upper = sides(&upper)?;
                if upper.iter().all(|side| side.is_finite()) {
                    return Ok(moved(&upper)?.at_most_zero());
                }
                let lower = vec![f64::NEG_INFINITY; upper.len()];
                Ok(block.clone().between(lower, upper))
            }
            (None, upper, Some(lower)) => {
                let lower = sides(&lower)?;
                let upper = upper.map_or(Ok(vec![f64::INFINITY; lower.len()]), |node| sides(&node))?;
                Ok(block.clone().between(lower, upper))
            }
            _ => {
                let help = "give `equals`, or `at_most`, or `at_least`, or the last two together";
                Err(section.error_with("the constraint has no side", Some(help.into())))
            }
        }
    }
}
