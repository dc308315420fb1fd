//! What is asked: a mapping g, a composer h, a regulariser u, checked once and for all.

mod block;
mod bound;
mod bounded_term;
mod builder;
mod curvature;
mod error;
mod restricted;

pub use block::{Constraint, IntoConstraint, Term};
pub use bound::{BoundError, Sides};
pub use bounded_term::BoundedTerm;
pub use builder::ProblemBuilder;
pub use error::ProblemError;

use crate::budget::Budget;
use crate::certificate::ImpliedBounds;
use crate::composer;
use crate::oracle::{Component, Composer, Grounds, Mapping, OracleError, Regulariser};
use crate::ranks::Link;
use crate::scaling::{Factors, Units};
use std::ops::Range;
use std::sync::Arc;

/// minimise g_0(x) + h(g_1(x), ..., g_m(x)) + u(x) over x in X.
///
/// Row 0 is g_0, with its multiplier pinned to 1: the composer is h_hat(z_0, z) = z_0 + h(z). The other rows come in
/// the order in which terms and constraints were given.
///
/// ```
/// use ufcm::component::{ComponentExt, Linear, Logistic};
/// use ufcm::matrix::Matrix;
/// use ufcm::problem::{IntoConstraint, Problem};
/// use ufcm::regulariser::Ball;
///
/// // Neyman-Pearson: the loss on one class, subject to a bound on the loss on the other.
/// let class1 = Matrix::row_major(2, 2, vec![1.0, 0.2, 1.0, 0.9])?;
/// let class0 = Matrix::row_major(2, 2, vec![1.0, -0.3, 1.0, -0.7])?;
/// let problem = Problem::minimise(Logistic::new(class1, &[1.0, 1.0])?)
///     .subject_to(Logistic::new(class0, &[-1.0, -1.0])?.at_most(0.3).named("false alarms"))
///     .within(Ball::new(10.0))
///     .build()?;
/// assert_eq!(problem.dimension(), 2);
/// assert_eq!(problem.row_names(), ["objective", "false alarms"]);
/// assert!(problem.violation(&[0.0, 0.0])? > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Problem {
    mapping: Box<dyn Mapping>,
    composer: Arc<composer::Stacked>,
    regulariser: Arc<dyn Regulariser>,
    names: Arc<[String]>,
    blocks: Arc<[Range<usize>]>,
    /// What was taken from each row as its bound, 0 where nothing was.
    bounds: Arc<[f64]>,
    /// The blocks that are bounds on terms as a whole, by their first row.
    terms: Arc<[(usize, BoundedTerm)]>,
    budget: Budget,
    /// What the user's units are, where these are others.
    units: Option<Arc<Units>>,
    /// Where mappings come linearised, if anywhere, and the values of the rows there.
    linearised: Option<Arc<[Vec<f64>; 2]>>,
}

impl std::fmt::Debug for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Problem")
            .field("dimension", &self.dimension())
            .field("rows", &self.names)
            .field("regulariser", &self.regulariser.kind())
            .finish_non_exhaustive()
    }
}

impl Problem {
    /// Starts a problem with the objective g_0.
    pub fn minimise(objective: impl Component + 'static) -> ProblemBuilder {
        ProblemBuilder::new(Some(Arc::new(objective)), None)
    }

    /// Starts a problem of `n` variables with g_0 = 0: everything is in the terms, constraints and the regulariser.
    pub fn over(n: usize) -> ProblemBuilder {
        ProblemBuilder::new(None, Some(n))
    }

    /// The same problem under a budget, which all that is made from it asks: evaluations before every component, model steps
    /// and proofs in their loops.
    #[must_use]
    pub fn within_budget(&self, budget: &Budget) -> Self {
        let mut mapping = self.mapping.fork();
        mapping.set_budget(budget);
        Self {
            mapping,
            composer: self.composer.clone(),
            regulariser: self.regulariser.clone(),
            names: self.names.clone(),
            blocks: self.blocks.clone(),
            bounds: self.bounds.clone(),
            terms: self.terms.clone(),
            budget: budget.clone(),
            units: self.units.clone(),
            linearised: self.linearised.clone(),
        }
    }

    /// The same problem in other units.
    pub(crate) fn replaced(
        &self,
        mapping: Box<dyn Mapping>,
        composer: composer::Stacked,
        regulariser: Arc<dyn Regulariser>,
        factors: Factors,
        bounds: Option<ImpliedBounds>,
    ) -> Self {
        Self {
            mapping,
            composer: Arc::new(composer),
            regulariser,
            names: self.names.clone(),
            blocks: self.blocks.clone(),
            bounds: self.bounds.clone(),
            terms: self.terms.clone(),
            budget: self.budget.clone(),
            units: Some(Arc::new(Units::new(factors, self.composer.clone(), bounds))),
            linearised: None,
        }
    }

    /// What the user's units are, where those of the problem are others.
    pub(crate) fn units(&self) -> Option<&Units> {
        self.units.as_deref()
    }

    /// The composers of the blocks, to keep.
    pub(crate) fn shared_parts(&self) -> impl Iterator<Item = (Range<usize>, Arc<dyn Composer>)> {
        self.composer.shared_parts()
    }

    /// u, to keep.
    pub(crate) fn shared_regulariser(&self) -> Arc<dyn Regulariser> {
        self.regulariser.clone()
    }

    /// The same problem with mappings that come linearised at `x`, and the values of the rows there.
    pub(crate) fn linearised_at(&self, x: &[f64]) -> Result<(Self, Vec<f64>), OracleError> {
        let mut problem = self.within_budget(&self.budget);
        if let Some(known) = self.linearised_values(x) {
            return Ok((problem, known.to_vec()));
        }
        let mut values = vec![0.0; self.rows()];
        problem.mapping.linearise(x, &mut values)?;
        problem.linearised = Some(Arc::new([x.to_vec(), values.clone()]));
        Ok((problem, values))
    }

    /// The values of the rows at `x`, if mappings come linearised there.
    pub(crate) fn linearised_values(&self, x: &[f64]) -> Option<&[f64]> {
        self.linearised.as_deref().filter(|[at, _]| at == x).map(|[_, values]| &values[..])
    }

    /// What evaluations and proofs may spend: without limits unless [`Problem::within_budget`] set them.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// n, the number of variables.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.mapping.dimension()
    }

    /// The number of rows, g_0 included.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.names.len()
    }

    /// A mapping of the rows with a linearisation of its own.
    #[must_use]
    pub fn mapping(&self) -> Box<dyn Mapping> {
        self.mapping.fork()
    }

    /// h_hat, over all rows.
    #[must_use]
    pub fn composer(&self) -> &dyn Composer {
        &*self.composer
    }

    /// The composer of each of [`Problem::blocks`], with its rows.
    pub fn parts(&self) -> impl Iterator<Item = (Range<usize>, &dyn Composer)> {
        self.composer.parts()
    }

    /// u with X.
    #[must_use]
    pub fn regulariser(&self) -> &dyn Regulariser {
        &*self.regulariser
    }

    /// The name of each row.
    #[must_use]
    pub fn row_names(&self) -> &[String] {
        &self.names
    }

    /// The rows of each term and constraint, in the order in which they were given; the first is g_0.
    #[must_use]
    pub fn blocks(&self) -> &[Range<usize>] {
        &self.blocks
    }

    /// What the constraint with these rows bounds, where that is a term of several rows, or is stated as another function of them.
    #[must_use]
    pub fn bounded_term(&self, rows: &Range<usize>) -> Option<&BoundedTerm> {
        self.terms.iter().find(|(first, _)| *first == rows.start).map(|(_, term)| term)
    }

    /// What the samples are spread over, where several ranks have them.
    #[must_use]
    pub fn link(&self) -> Option<&Arc<Link>> {
        self.mapping.link()
    }

    /// Whether `row` is affine, so that its multiplier may have any sign.
    #[must_use]
    pub fn is_affine(&self, row: usize) -> bool {
        self.mapping.is_affine(row)
    }

    /// On what `row` rests.
    pub(crate) fn grounds_of(&self, row: usize) -> Grounds {
        self.mapping.grounds(row)
    }

    /// The scalar component behind `row`, where there is one.
    #[must_use]
    pub fn component(&self, row: usize) -> Option<&dyn Component> {
        self.mapping.component(row)
    }

    /// F(x) = g_0(x) + h(g(x)) + u(x); infinite outside the domain, so wherever a constraint is violated at all.
    ///
    /// # Errors
    /// A row that cannot be evaluated at `x`.
    pub fn value(&self, x: &[f64]) -> Result<f64, OracleError> {
        Ok(self.composer.value(&self.row_values(x)?) + self.regulariser.value(x))
    }

    /// The Euclidean distance from g(x) to the domain of h: 0 where all constraints hold.
    ///
    /// # Errors
    /// As [`Problem::value`].
    pub fn violation(&self, x: &[f64]) -> Result<f64, OracleError> {
        Ok(self.composer.domain_distance(&self.row_values(x)?))
    }

    fn row_values(&self, x: &[f64]) -> Result<Vec<f64>, OracleError> {
        OracleError::check_length("x", self.dimension(), x.len())?;
        let mut values = vec![0.0; self.rows()];
        self.mapping.values(x, &mut values)?;
        Ok(values)
    }
}
