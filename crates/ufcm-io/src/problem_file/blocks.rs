//! The builder of a problem, fed section by section, and where each part of it stands in the file.

use super::error::ProblemFileError;
use super::errors::Errors;
use super::node::{Node, Section};
use super::regularisers::{self, Count};
use super::terms::Parts;
use super::variables::Variables;
use std::collections::BTreeMap;
use ufcm::problem::{Constraint, Problem, ProblemBuilder, ProblemError, Term};

type Result<T> = std::result::Result<T, ProblemFileError>;

/// What has been composed so far, and where the file says so.
pub(super) struct Blocks<'b, 'a> {
    pub(super) parts: Parts<'b>,
    pub(super) places: Vec<(String, Node<'a>)>,
    /// The components of each term, by name; none for those of affine blocks.
    pub(super) term_components: Vec<Vec<String>>,
}

impl<'a> Blocks<'_, 'a> {
    pub(super) fn objective(&mut self, node: Node<'a>) -> Result<ProblemBuilder> {
        let section = node.section()?;
        refuse_maximising(&section)?;
        let minimise = section.require("minimise")?;
        let weights = section.get("weights");
        section.finish()?;
        self.places.push(("objective".into(), node));
        Ok(Problem::minimise(self.parts.combination(&minimise, weights)?))
    }

    /// Adds the terms; what is wrong with one does not keep the others from being read.
    pub(super) fn terms(
        &mut self,
        mut builder: ProblemBuilder,
        terms: Option<&Node<'a>>,
        errors: &Errors,
    ) -> Result<ProblemBuilder> {
        for (k, node) in terms.map_or(Ok(Vec::new()), Node::items)?.into_iter().enumerate() {
            if let Some((name, term)) = errors.take(self.term(k, &node)) {
                builder = builder.plus(term.named(&name));
            }
        }
        Ok(builder)
    }

    fn term(&mut self, k: usize, node: &Node<'a>) -> Result<(String, Term)> {
        let section = node.section()?;
        let name = self.name(&section, format!("term {}", k + 1))?;
        self.places.push((name.clone(), node.clone()));
        let term = self.parts.term(&section)?;
        let components = section.get("of").map_or(Ok(Vec::new()), |of| of.texts())?;
        let names = components.iter().map(|item| item.text().map(str::to_owned));
        self.term_components.push(names.collect::<Result<_>>()?);
        Ok((name, term))
    }

    /// Adds the constraints, as [`Blocks::terms`] does.
    pub(super) fn constraints(
        &mut self,
        mut builder: ProblemBuilder,
        list: Option<&Node<'a>>,
        errors: &Errors,
    ) -> Result<ProblemBuilder> {
        for (k, node) in list.map_or(Ok(Vec::new()), Node::items)?.into_iter().enumerate() {
            if let Some((name, constraint)) = errors.take(self.constraint(k, &node)) {
                builder = builder.subject_to(constraint.named(&name));
            }
        }
        Ok(builder)
    }

    fn constraint(&mut self, k: usize, node: &Node<'a>) -> Result<(String, Constraint)> {
        let section = node.section()?;
        let subject = section.unlisted("component").or_else(|| section.unlisted("affine"));
        let default = match subject.or_else(|| section.unlisted("of")).filter(Node::is_text) {
            Some(subject) => subject.text()?.to_owned(),
            None => format!("constraint {}", k + 1),
        };
        let name = self.name(&section, default)?;
        self.places.push((name.clone(), node.clone()));
        Ok((name, self.parts.constraint(&section)?))
    }

    /// Adds u and X. Where components are wrong, nobody knows how many variables there are: they are then not read.
    pub(super) fn regularisers(
        &mut self,
        mut builder: ProblemBuilder,
        nodes: [Option<Node<'a>>; 2],
        n: Option<usize>,
        variables: &Variables<'_>,
        errors: &Errors,
    ) -> ProblemBuilder {
        // Faults told already may be why nobody knows how many variables there are.
        let count = Count { n, is_lost: n.is_none() && !errors.is_empty() };
        for (word, node) in ["regulariser", "domain"].into_iter().zip(nodes) {
            let Some(node) = node else { continue };
            let made = errors.take(regularisers::read(self.parts.files, &node, count, variables));
            builder = match (made, word) {
                (None, _) => builder,
                (Some(made), "domain") => builder.within(made),
                (Some(made), _) => builder.regularised_by(made),
            };
            self.places.push((word.into(), node));
        }
        builder
    }

    /// The components behind the rows of terms that have several.
    pub(super) fn component_names(&self, problem: &Problem) -> BTreeMap<usize, String> {
        let mut names = BTreeMap::new();
        // The first block is the objective.
        for (rows, components) in problem.blocks().iter().skip(1).zip(&self.term_components) {
            // A hinge has a row for 0 beside that of its component.
            let stride = rows.len() / components.len().max(1);
            if components.len() > 1 && stride * components.len() == rows.len() {
                names.extend(rows.clone().step_by(stride).zip(components.iter().cloned()));
            }
        }
        names
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
    pub(super) fn locate(&self, error: &ProblemError, root: &Section<'a>) -> ProblemFileError {
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

/// Problems are minimised: what is to be maximised is to be turned around, which is more than another key.
fn refuse_maximising(section: &Section<'_>) -> Result<()> {
    let Some(node) = section.unlisted("maximise").or_else(|| section.unlisted("maximize")) else {
        return Ok(());
    };
    let help = "minimise the negative of the function: it must be convex, as that of a linear or a concave function is";
    Err(node.error_with("objectives are minimised", Some(help.into())))
}
