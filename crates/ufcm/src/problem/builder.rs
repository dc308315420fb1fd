//! Building a problem: everything is checked here, once, and nothing is checked again in the loop.

use super::block::{Block, BlockRows, Constraint, Term};
use super::{BoundedTerm, Problem, ProblemError};
use crate::budget::Budget;
use crate::component::{Distributed, Linear};
use crate::composer::{self, WeightedSum};
use crate::error::DataError;
use crate::mapping::{self, Rows};
use crate::oracle::{Component, Composer, Mapping, Regulariser};
use crate::ranks::Link;
use crate::regulariser::{self, Apart, Zero};
use std::sync::Arc;

/// A problem in the making; see [`Problem::minimise`].
#[must_use]
pub struct ProblemBuilder {
    objective: Option<Arc<dyn Component>>,
    dimension: Option<usize>,
    blocks: Vec<(Block, bool)>,
    regulariser: Option<Box<dyn Regulariser>>,
    domain: Option<Box<dyn Regulariser>>,
    link: Option<Arc<Link>>,
}

impl ProblemBuilder {
    pub(super) fn new(objective: Option<Arc<dyn Component>>, dimension: Option<usize>) -> Self {
        Self { objective, dimension, blocks: Vec::new(), regulariser: None, domain: None, link: None }
    }

    /// Adds a constraint.
    pub fn subject_to(mut self, constraint: Constraint) -> Self {
        self.blocks.push((constraint.0, true));
        self
    }

    /// Adds a term to the objective.
    pub fn plus(mut self, term: Term) -> Self {
        self.blocks.push((term.into_block(), false));
        self
    }

    /// Sets the regulariser u. One that was set before is replaced.
    pub fn regularised_by(mut self, regulariser: impl Into<Box<dyn Regulariser>>) -> Self {
        self.regulariser = Some(regulariser.into());
        self
    }

    /// Sets the domain X. One that was set before is replaced.
    pub fn within(mut self, domain: impl Into<Box<dyn Regulariser>>) -> Self {
        self.domain = Some(domain.into());
        self
    }

    /// Each rank brings its own samples: losses over data are those over the samples of all ranks. All else must be the same on every rank, and the
    /// ranks build the problem together. See [`ranks`](crate::ranks).
    pub fn over_ranks(mut self, link: &Arc<Link>) -> Self {
        self.link = Some(link.clone());
        self
    }

    /// Makes one component of the parts that ranks have, for all components at once.
    fn joined(&mut self) -> Result<(), ProblemError> {
        let Some(link) = self.link.take() else { return Ok(()) };
        let blocks = self.blocks.iter_mut().filter_map(|(block, _)| match &mut block.rows {
            Ok(BlockRows::Components(components)) => Some(components),
            _ => None,
        });
        let mut places: Vec<&mut Arc<dyn Component>> =
            self.objective.iter_mut().chain(blocks.flatten()).collect();
        let parts = places.iter().map(|part| (**part).clone()).collect();
        let whole = Distributed::all(parts, &link).map_err(|source| data("components", source))?;
        places.iter_mut().zip(whole).for_each(|(place, whole)| **place = whole);
        Ok(())
    }

    /// Checks everything and builds the problem.
    ///
    /// # Errors
    /// The first thing that is wrong, by name.
    pub fn build(mut self) -> Result<Problem, ProblemError> {
        self.joined()?;
        let n = self.find_dimension()?;
        let regulariser = joint_regulariser(self.regulariser, self.domain, n)?;
        let objective = match self.objective {
            Some(objective) => objective,
            None => Arc::new(Linear::constant(n, 0.0).map_err(|source| data("objective", source))?),
        };
        let mut assembly = Assembly::new(n);
        assembly.add(
            "objective".into(),
            BlockRows::Components(vec![objective]),
            Box::new(WeightedSum::ones(1)),
        )?;
        let (mut constraints, mut terms) = (0, 0);
        for (block, is_constraint) in self.blocks {
            let (count, word) =
                if is_constraint { (&mut constraints, "constraint") } else { (&mut terms, "term") };
            *count += 1;
            let name = block.name.unwrap_or_else(|| format!("{word} {count}"));
            let rows = block.rows.map_err(|source| data(&name, source))?;
            let composer = block.composer.map_err(|source| data(&name, source))?;
            let (bounds, first) = (block.bounds, assembly.names.len());
            let whole = block
                .whole
                .or_else(|| composer.level_of().map(|(inner, level)| BoundedTerm::set(inner, level)));
            assembly.terms.extend(whole.map(|whole| (first, whole)));
            assembly.add(name, rows, composer)?;
            assembly.bounds.extend(bounds);
            assembly.bounds.resize(assembly.names.len(), 0.0);
        }
        assembly.finish(regulariser)
    }

    /// The number of variables, from whatever part knows it.
    fn find_dimension(&self) -> Result<usize, ProblemError> {
        let of_rows = |(block, _): &(Block, bool)| match &block.rows {
            Ok(BlockRows::Components(components)) => components.first().map(|g| g.dimension()),
            Ok(BlockRows::Affine(affine)) => Some(affine.dimension()),
            Err(_) => None,
        };
        let of_regulariser = |u: &Option<Box<dyn Regulariser>>| u.as_ref().and_then(|u| u.dimension());
        let known = self.objective.as_ref().map(|g| g.dimension());
        let known = known.or(self.dimension).or_else(|| self.blocks.iter().find_map(of_rows));
        let known = known.or(of_regulariser(&self.regulariser)).or(of_regulariser(&self.domain));
        let nothing = self.objective.is_none() && self.blocks.is_empty();
        if nothing && self.regulariser.is_none() && self.domain.is_none() {
            return Err(ProblemError::Empty);
        }
        known.filter(|&n| n > 0).ok_or(ProblemError::NoVariables)
    }
}

fn data(part: &str, source: DataError) -> ProblemError {
    ProblemError::Data { part: part.to_owned(), source }
}

/// u and X as one oracle.
fn joint_regulariser(
    regulariser: Option<Box<dyn Regulariser>>,
    domain: Option<Box<dyn Regulariser>>,
    n: usize,
) -> Result<Box<dyn Regulariser>, ProblemError> {
    for (part, u) in [("regulariser", &regulariser), ("domain", &domain)] {
        let Some(u) = u else { continue };
        u.check().map_err(|source| data(part, source))?;
        if let Some(got) = u.dimension()
            && got != n
        {
            let part = format!("the {part} ({})", u.kind());
            return Err(ProblemError::Dimension { part, expected: n, got });
        }
    }
    match (regulariser, domain) {
        (None, None) => Ok(Box::new(Zero)),
        (Some(u), None) | (None, Some(u)) => Ok(u),
        (Some(u), Some(x)) => regulariser::joined(vec![u, x], n).map_err(|apart| match apart {
            Apart::Data(source) => data("regulariser and domain", source),
            Apart::NoJointProx(regulariser, domain) => ProblemError::NoJointProx { regulariser, domain },
        }),
    }
}

impl BlockRows {
    fn count(&self) -> usize {
        match self {
            Self::Components(components) => components.len(),
            Self::Affine(affine) => affine.rows(),
        }
    }
}

/// The rows gathered so far.
struct Assembly {
    n: usize,
    /// Scalar components not yet put into a mapping: neighbours share one.
    waiting: Vec<Arc<dyn Component>>,
    parts: Vec<Box<dyn Mapping>>,
    composers: Vec<Box<dyn Composer>>,
    names: Vec<String>,
    blocks: Vec<std::ops::Range<usize>>,
    /// What was taken from each row as its bound, 0 where nothing was.
    bounds: Vec<f64>,
    /// Bounds on terms as a whole, by their first row.
    terms: Vec<(usize, BoundedTerm)>,
}

impl Assembly {
    fn new(n: usize) -> Self {
        let (waiting, parts, composers) = (Vec::new(), Vec::new(), Vec::new());
        let (names, blocks, terms) = (Vec::new(), Vec::new(), Vec::new());
        Self { n, waiting, parts, composers, names, blocks, bounds: vec![0.0], terms }
    }

    fn add(
        &mut self,
        name: String,
        rows: BlockRows,
        composer: Box<dyn Composer>,
    ) -> Result<(), ProblemError> {
        let count = rows.count();
        if composer.rows() != count {
            let (composer, expected) = (composer.kind(), composer.rows());
            return Err(ProblemError::Rows { part: name, composer, expected, got: count });
        }
        let first = self.names.len();
        let row_name = |k: usize| if count == 1 { name.clone() } else { format!("{name}[{k}]") };
        self.names.extend((0..count).map(row_name));
        match rows {
            BlockRows::Components(components) => {
                for (k, component) in components.iter().enumerate() {
                    let part = format!("{} ({})", self.names[first + k], component.kind());
                    self.check_dimension(&part, component.dimension())?;
                    if !component.is_affine() && !composer.is_nondecreasing(k) {
                        let part = self.names[first + k].clone();
                        let (composer, component) = (composer.kind(), component.kind());
                        return Err(ProblemError::NotMonotone { part, composer, component });
                    }
                }
                self.waiting.extend(components);
            }
            BlockRows::Affine(affine) => {
                self.check_dimension(&format!("{name} (affine block)"), affine.dimension())?;
                self.gather()?;
                self.parts.push(Box::new(affine));
            }
        }
        self.blocks.push(first..first + count);
        self.composers.push(composer);
        Ok(())
    }

    fn check_dimension(&self, part: &str, got: usize) -> Result<(), ProblemError> {
        if got == self.n {
            return Ok(());
        }
        Err(ProblemError::Dimension { part: part.to_owned(), expected: self.n, got })
    }

    /// Puts the waiting components into one mapping.
    fn gather(&mut self) -> Result<(), ProblemError> {
        if !self.waiting.is_empty() {
            let rows = Rows::new(std::mem::take(&mut self.waiting));
            self.parts.push(Box::new(rows.map_err(|source| data("components", source))?));
        }
        Ok(())
    }

    fn finish(mut self, regulariser: Box<dyn Regulariser>) -> Result<Problem, ProblemError> {
        self.gather()?;
        let mapping: Box<dyn Mapping> = match self.parts.len() {
            1 => self.parts.remove(0),
            _ => Box::new(mapping::Stacked::new(self.parts).map_err(|source| data("rows", source))?),
        };
        let composer = composer::Stacked::new(self.composers);
        Ok(Problem {
            mapping,
            composer: Arc::new(composer),
            regulariser: regulariser.into(),
            names: self.names.into(),
            blocks: self.blocks.into(),
            bounds: self.bounds.into(),
            terms: self.terms.into(),
            budget: Budget::unlimited(),
            units: None,
            linearised: None,
        })
    }
}
