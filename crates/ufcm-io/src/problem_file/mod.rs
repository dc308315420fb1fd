//! Problem files: a [`Problem`](ufcm::problem::Problem) in TOML, with its data beside it. `docs/problem-format.md` is the
//! manual.
//!
//! What is read is read strictly: a key that nobody asks for, a wrong type, missing data and sizes that do not fit are
//! errors that show the line, with the nearest valid name.

mod array;
mod blame;
mod components;
mod data;
mod error;
mod files;
mod node;
mod regularisers;
mod rows;
mod terms;

pub use error::ProblemFileError;

use crate::paths::Base;
use crate::source::{Source, check_dimensions};
use components::Context;
use data::DataSet;
use error::Text;
use files::{Files, InFile};
use node::{Node, Section};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use terms::Parts;
use toml::de::DeTable;
use ufcm::oracle::{Component, Mapping};
use ufcm::problem::{Problem, ProblemBuilder, ProblemError};

type Result<T> = std::result::Result<T, ProblemFileError>;

/// What a problem file states.
#[derive(Debug)]
pub struct ProblemFile {
    /// The problem's name, if the file gives one.
    pub name: Option<String>,
    /// The problem.
    pub problem: Problem,
    /// The names of the variables, where the file or its data tell.
    pub variables: Option<Vec<String>>,
    /// What is lawful but probably not meant, in sentences for the user.
    pub notes: Vec<String>,
}

/// Reads a problem file; the files it names are looked for under `base`.
///
/// ```
/// use ufcm_io::paths::Base;
/// use ufcm_io::{Source, problem_file};
///
/// let text = r#"
/// [components.cost]
/// kind = "linear"
/// linear = [1, 2]
///
/// [components.energy]
/// kind = "quadratic"
/// diagonal = [2, 2]
///
/// [objective]
/// minimise = "cost"
///
/// [[constraints]]
/// component = "energy"
/// at_most = 1
/// "#;
/// let file = problem_file::read(&Source::from_bytes("p.toml", text.into())?, &Base::new("."))?;
/// assert_eq!(file.problem.row_names(), ["objective", "energy"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read(source: &Source, base: &Base) -> Result<ProblemFile> {
    let name = source.name();
    let bad_text = |error: crate::ReadError| {
        Text { name, text: "" }.error(
            0..0,
            format!("{}, line {}", error.fault, error.place.line.unwrap_or(1)),
            None,
        )
    };
    let text = Text { name, text: source.text().map_err(bad_text)? };
    let table = DeTable::parse(text.text).map_err(|error| {
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        text.error(error.span().unwrap_or(0..0), message, None)
    })?;
    let root = Section::root(text, table.get_ref());
    Reader { root: &root, files: Files { base } }.read()
}

struct Reader<'r, 'a> {
    root: &'r Section<'a>,
    files: Files<'r>,
}

/// What `[variables]` says.
#[derive(Default)]
struct Variables<'a> {
    count: Option<(usize, Node<'a>)>,
    names: Option<Vec<String>>,
}

impl<'a> Reader<'_, 'a> {
    fn read(&self) -> Result<ProblemFile> {
        let name = self.root.get("name").map(|node| node.text().map(str::to_owned)).transpose()?;
        let [data, components, affine] = ["data", "components", "affine"].map(|key| self.root.get(key));
        let [variables, objective, terms, constraints, regulariser, domain] =
            ["variables", "objective", "terms", "constraints", "regulariser", "domain"]
                .map(|key| self.root.get(key));
        self.root.finish()?;

        let variables = variables.map_or(Ok(Variables::default()), |node| self.variables(&node))?;
        let data = each(data.as_ref(), |node| DataSet::read(&self.files, node))?;
        let context = Context { files: self.files, data, notes: RefCell::default() };
        let mut sizes = Sizes::new(variables.count);
        let components = each(components.as_ref(), |node| {
            let component = context.component(node)?;
            sizes.check(node, component.dimension())?;
            Ok(component)
        })?;
        let affine = each(affine.as_ref(), |node| {
            let block = context.affine(node)?;
            sizes.check(node, block.dimension())?;
            Ok(block)
        })?;
        let n = sizes.known();

        let mut blocks = Blocks {
            parts: Parts { files: &self.files, components, affine, used: BTreeSet::new() },
            places: Vec::new(),
        };
        let mut builder = match objective {
            None => Problem::over(n.unwrap_or(0)),
            Some(node) => blocks.objective(node)?,
        };
        builder = blocks.terms(builder, terms.as_ref())?;
        builder = blocks.constraints(builder, constraints.as_ref())?;
        if let Some(node) = regulariser {
            builder = builder.regularised_by(regularisers::read(&self.files, &node, n)?);
            blocks.places.push(("regulariser".into(), node));
        }
        if let Some(node) = domain {
            builder = builder.within(regularisers::read(&self.files, &node, n)?);
            blocks.places.push(("domain".into(), node));
        }
        let problem = builder.build().map_err(|error| blocks.locate(&error, self.root))?;
        let variables = variables.names.or_else(|| feature_names(&context, problem.dimension()));
        let notes = context.notes.take().into_iter().chain(blocks.parts.unused()).collect();
        Ok(ProblemFile { name, variables, notes, problem })
    }

    fn variables(&self, node: &Node<'a>) -> Result<Variables<'a>> {
        let section = node.section()?;
        let (count, names) = (section.get("count"), section.get("names"));
        section.finish()?;
        let texts =
            |node: &Node<'a>| node.texts()?.iter().map(|item| item.text().map(str::to_owned)).collect();
        let listed: Option<Vec<String>> = names.as_ref().map(texts).transpose()?;
        let from_names = listed.as_ref().map(Vec::len).zip(names);
        let from_count = count.map(|node| node.count().map(|count| (count, node))).transpose()?;
        if let (Some((names, _)), Some((count, node))) = (&from_names, &from_count)
            && names != count
        {
            return Err(node.error(format!("there are {names} names for {count} variables")));
        }
        let count = from_count.or(from_names);
        if let Some((count, node)) = &count {
            // A few bytes could ask for any number of variables.
            check_dimensions(self.root.text.text.len(), 0, *count).in_file(node)?;
        }
        Ok(Variables { count, names: listed })
    }
}

/// Reads each entry of a section whose keys are the user's names.
fn each<'a, T>(
    section: Option<&Node<'a>>,
    mut read: impl FnMut(&Node<'a>) -> Result<T>,
) -> Result<BTreeMap<String, T>> {
    let Some(section) = section else { return Ok(BTreeMap::new()) };
    section.section()?.named().into_iter().map(|(name, node)| Ok((name, read(&node)?))).collect()
}

/// The number of variables, and who said so first.
struct Sizes {
    first: Option<(usize, String)>,
}

impl Sizes {
    fn new(count: Option<(usize, Node<'_>)>) -> Self {
        Self { first: count.map(|(count, node)| (count, node.path)) }
    }

    fn check(&mut self, node: &Node<'_>, n: usize) -> Result<()> {
        match &self.first {
            Some((expected, who)) if *expected != n => {
                Err(node.error(format!("it has {n} variables; {who} has {expected}")))
            }
            Some(_) => Ok(()),
            None => {
                self.first = Some((n, node.path.clone()));
                Ok(())
            }
        }
    }

    fn known(&self) -> Option<usize> {
        self.first.as_ref().map(|(n, _)| *n)
    }
}

/// The names of the features of the data that the variables belong to.
fn feature_names(context: &Context<'_>, n: usize) -> Option<Vec<String>> {
    context.data.values().map(|data| &data.features).find(|names| names.len() == n).cloned()
}

/// What has been composed so far, and where the file says so.
struct Blocks<'b, 'a> {
    parts: Parts<'b>,
    places: Vec<(String, Node<'a>)>,
}

impl<'a> Blocks<'_, 'a> {
    fn objective(&mut self, node: Node<'a>) -> Result<ProblemBuilder> {
        let section = node.section()?;
        let minimise = section.require("minimise")?;
        let weights = section.get("weights");
        section.finish()?;
        self.places.push(("objective".into(), node));
        Ok(Problem::minimise(self.parts.combination(&minimise, weights)?))
    }

    fn terms(&mut self, mut builder: ProblemBuilder, terms: Option<&Node<'a>>) -> Result<ProblemBuilder> {
        for (k, node) in terms.map_or(Ok(Vec::new()), Node::items)?.into_iter().enumerate() {
            let section = node.section()?;
            let name = self.name(&section, format!("term {}", k + 1))?;
            builder = builder.plus(self.parts.term(&section)?.named(&name));
            self.places.push((name, node));
        }
        Ok(builder)
    }

    fn constraints(
        &mut self,
        mut builder: ProblemBuilder,
        list: Option<&Node<'a>>,
    ) -> Result<ProblemBuilder> {
        for (k, node) in list.map_or(Ok(Vec::new()), Node::items)?.into_iter().enumerate() {
            let section = node.section()?;
            let subject = section.get("component").or_else(|| section.get("affine")).filter(Node::is_text);
            let default = match subject {
                Some(subject) => subject.text()?.to_owned(),
                None => format!("constraint {}", k + 1),
            };
            let name = self.name(&section, default)?;
            builder = builder.subject_to(self.parts.constraint(&section)?.named(&name));
            self.places.push((name, node));
        }
        Ok(builder)
    }

    /// The name of a term or constraint: results are told under it, so it must be its own.
    fn name(&self, section: &Section<'a>, default: String) -> Result<String> {
        let given = section.get("name");
        let name = given.as_ref().map_or(Ok(default), |node| node.text().map(str::to_owned))?;
        if !self.places.iter().any(|(other, _)| *other == name) {
            return Ok(name);
        }
        let message = format!("there is another \"{name}\"; results are told by name");
        Err(match given {
            Some(node) => node.error(message),
            None => section.error_with(message, Some("give it a `name`".into())),
        })
    }

    /// An error of the whole problem, at the part it speaks of.
    fn locate(&self, error: &ProblemError, root: &Section<'a>) -> ProblemFileError {
        let part = match error {
            ProblemError::Dimension { part, .. }
            | ProblemError::Rows { part, .. }
            | ProblemError::NotMonotone { part, .. }
            | ProblemError::Data { part, .. } => part.as_str(),
            ProblemError::NoJointProx { .. } => "domain",
            _ => "",
        };
        let part = part.strip_prefix("the ").unwrap_or(part);
        let named = self.places.iter().filter(|(name, _)| part.starts_with(name.as_str()));
        match (named.max_by_key(|(name, _)| name.len()), error) {
            (Some((_, node)), ProblemError::Data { source, .. }) => {
                node.section().map_or_else(|error| error, |section| section.blame(source))
            }
            (Some((_, node)), _) => node.text.error(node.span.clone(), error.to_string(), None),
            (None, ProblemError::NoVariables) => {
                let help = "components, affine blocks or [variables] count tell how many there are";
                root.error_with("the problem has no variables", Some(help.into()))
            }
            (None, _) => root.error(error.to_string()),
        }
    }
}
