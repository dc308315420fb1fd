//! `[regulariser]` and `[domain]`: u and X.

use super::components::number;
use super::error::ProblemFileError;
use super::files::Files;
use super::given::{Given, entry};
use super::node::{Node, Section};
use super::variables::Variables;
use ufcm::catalogue::{self, Part, Recipe};
use ufcm::error::DataError;
use ufcm::oracle::Regulariser;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// The number of variables.
#[derive(Clone, Copy)]
pub(super) struct Count {
    pub(super) n: Option<usize>,
    /// Whether it would be known, were it not for faults that are told.
    pub(super) is_lost: bool,
}

impl Count {
    fn known(self, section: &Section<'_>) -> Result<usize> {
        self.n.ok_or_else(|| {
            let error = section.error("the number of variables is not known: give [variables] count");
            if self.is_lost { error.implied() } else { error }
        })
    }
}

/// Reads a regulariser or a domain of so many variables.
pub(super) fn read(
    files: &Files<'_>,
    node: &Node<'_>,
    count: Count,
    variables: &Variables<'_>,
) -> Result<Box<dyn Regulariser>> {
    let section = node.section()?;
    let kept = kept(&section, count, variables)?;
    of_section(files, &section, count, kept.as_deref()).map(|(_, made)| made)
}

/// The variables that a section speaks of: all, those that `variables` lists, or all but those that `except` lists.
fn kept(section: &Section<'_>, count: Count, variables: &Variables<'_>) -> Result<Option<Vec<bool>>> {
    let (only, except) = (section.get("variables"), section.get("except"));
    let (node, taken) = match (only, except) {
        (None, None) => return Ok(None),
        (Some(node), None) => (node, true),
        (None, Some(node)) => (node, false),
        (Some(_), Some(node)) => return Err(node.error("give `variables` or `except`, not both")),
    };
    let n = count.known(section)?;
    let mut kept = vec![!taken; n];
    variables.listed(&node, n)?.into_iter().for_each(|i| kept[i] = taken);
    Ok(Some(kept))
}

/// What a section states, and what it makes.
fn of_section(
    files: &Files<'_>,
    section: &Section<'_>,
    count: Count,
    kept: Option<&[bool]>,
) -> Result<(Recipe, Box<dyn Regulariser>)> {
    let kinds = catalogue::regularisers().map(|entry| &entry.kind);
    let entry = entry(section, catalogue::regulariser, kinds)?;
    // A kind with a centre of its own takes it itself.
    let has_centre = entry.kind.field("centre").is_some();
    let centre = if has_centre { None } else { section.get("centre").or_else(|| section.alias("center")) };
    let (factor, argument) = (number(section, "factor", 1.0)?, number(section, "argument", 1.0)?);
    let given = Given::ask(section, &entry.kind, &[])?;
    if entry.needs_dimension {
        count.known(section)?;
    }
    let n = count.n;
    let mut values = given.values(files, None)?;
    if let Some(kept) = kept {
        values.keep_coordinates(kept).map_err(|error| given.blame(&error))?;
    }
    let mut recipe = Recipe::new(entry, values);
    if let Some(centre) = centre {
        recipe = recipe.translated(files.vector(&centre, n)?);
    }
    if factor != 1.0 || argument != 1.0 {
        recipe = recipe.scaled(factor, argument);
    }
    let blamed = |error: DataError| given.blame(&error);
    let made = recipe.build(n).map_err(blamed)?;
    Ok((recipe, made))
}

/// A list of regularisers and domains, each with the number of its `variables`.
pub(super) fn parts(files: &Files<'_>, list: &Node<'_>) -> Result<Vec<Part>> {
    let part = |item: &Node<'_>| {
        let section = item.section()?;
        let variables = section.require("variables")?.count()?;
        let (recipe, _) = of_section(files, &section, Count { n: Some(variables), is_lost: false }, None)?;
        Ok(Part { variables, recipe })
    };
    list.items()?.iter().map(part).collect()
}
