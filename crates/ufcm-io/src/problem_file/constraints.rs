//! `[[constraints]]`: bounds on components, affine blocks and terms.

use super::error::ProblemFileError;
use super::given::{Given, entry};
use super::node::{Node, Section};
use super::terms::Parts;
use ufcm::catalogue::{self, Value};
use ufcm::oracle::Mapping;
use ufcm::problem::{Constraint, IntoConstraint};

type Result<T> = std::result::Result<T, ProblemFileError>;

impl Parts<'_> {
    /// Reads one of `[[constraints]]`.
    pub(super) fn constraint(&mut self, section: &Section<'_>) -> Result<Constraint> {
        if section.has("kind") {
            return self.bounded_term(section);
        }
        match (section.get("component"), section.get("affine")) {
            (Some(node), None) => {
                let weights = section.get("weights");
                refuse_lower_sides(section)?;
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

    /// A term of the catalogue that may be `at_most` so much.
    fn bounded_term(&mut self, section: &Section<'_>) -> Result<Constraint> {
        let kinds = catalogue::composers().map(|entry| &entry.kind);
        let entry = entry(section, catalogue::composer, kinds)?;
        let rows = self.rows(section)?;
        refuse_lower_sides(section)?;
        let bound = section.require("at_most")?;
        // `at_most` is the bound of the whole; kinds with bounds of rows take those under another name.
        let of_rows = entry.kind.field("at_most").and_then(|_| section.get("rows_at_most"));
        let given = Given::ask(section, &entry.kind, &["at_most"])?;
        let mut values = given.values(self.files, None)?;
        if let Some(node) = of_rows {
            let bounds = self.files.vector(&node, Some(rows.count()))?;
            values.set("at_most", Value::Vector(bounds)).map_err(|error| node.error(error.to_string()))?;
        }
        let level = bound.number()?;
        entry.constraint(&mut values, rows, level).map_err(|error| match error.field() {
            Some("level" | "at_most" | "upper") => bound.error(error.to_string()),
            _ => given.blame(&error),
        })
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

/// A convex function below a bound is a convex set; above one, or at a value, it is not.
fn refuse_lower_sides(section: &Section<'_>) -> Result<()> {
    for key in ["at_least", "equals"] {
        let Some(node) = section.unlisted(key) else { continue };
        let message = format!("`{key}` on a convex function asks for a set that is not convex");
        let help = "only affine rows take it: make a block [affine.NAME] of a linear function, and write `affine = \"NAME\"`";
        return Err(node.error_with(message, Some(help.into())));
    }
    Ok(())
}
