//! The pieces a problem is built from: constraints, and terms of the objective.

use super::BoundedTerm;
use crate::component::{ComponentExt, Rescaled};
use crate::composer;
use crate::error::DataError;
use crate::mapping::Affine;
use crate::oracle::{Component, Composer, Mapping};
use std::sync::Arc;

/// Rows that share a composer.
pub(super) enum BlockRows {
    /// Scalar components, each minus a constant.
    Components(Vec<Arc<dyn Component>>),
    /// An affine block.
    Affine(Affine),
}

/// A piece of a problem; what is wrong with it is reported by the builder, with its name.
pub(super) struct Block {
    pub(super) rows: Result<BlockRows, DataError>,
    pub(super) composer: Result<Box<dyn Composer>, DataError>,
    pub(super) name: Option<String>,
    /// What was taken from each row as its bound: nothing where this is empty.
    pub(super) bounds: Vec<f64>,
    /// What the rows together are a bound on.
    pub(super) whole: Option<BoundedTerm>,
}

/// A constraint, for [`ProblemBuilder::subject_to`](super::ProblemBuilder::subject_to).
pub struct Constraint(pub(super) Block);

impl Constraint {
    /// Any composer that constrains, over scalar components: [`Sublevel`](composer::Sublevel) bounds what another makes of them.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use ufcm::component::Linear;
    /// use ufcm::composer::{ConditionalValueAtRisk, Sublevel};
    /// use ufcm::oracle::Component;
    /// use ufcm::problem::{Constraint, Problem};
    ///
    /// // The mean of the worst two of three losses is 1 at most.
    /// let losses: Vec<Arc<dyn Component>> = vec![
    ///     Arc::new(Linear::new(vec![1.0, 0.0], 0.0)?),
    ///     Arc::new(Linear::new(vec![0.0, 1.0], 0.0)?),
    ///     Arc::new(Linear::new(vec![1.0, 1.0], 0.5)?),
    /// ];
    /// let risk = Sublevel::new(Box::new(ConditionalValueAtRisk::new(3, 0.7)?), 1.0)?;
    /// let problem = Problem::minimise(Linear::new(vec![-1.0, -2.0], 0.0)?)
    ///     .subject_to(Constraint::new(risk, losses).named("risk"))
    ///     .within(ufcm::regulariser::Ball::new(10.0))
    ///     .build()?;
    /// let report = problem.solve(&Default::default())?;
    /// assert_eq!(report.status.to_string(), "Certified");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(composer: impl Composer + 'static, components: Vec<Arc<dyn Component>>) -> Self {
        Self(Block::components(Ok(composer), components))
    }

    /// Any composer that constrains, over an affine block.
    #[must_use]
    pub fn affine(composer: impl Composer + 'static, block: Affine) -> Self {
        Self(Block::affine(Ok(composer), block))
    }

    /// A boxed composer over scalar components.
    pub(crate) fn boxed(composer: Box<dyn Composer>, components: Vec<Arc<dyn Component>>) -> Self {
        Self(Block {
            rows: Ok(BlockRows::Components(components)),
            composer: Ok(composer),
            name: None,
            bounds: Vec::new(),
            whole: None,
        })
    }

    /// A boxed composer over an affine block.
    pub(crate) fn boxed_affine(composer: Box<dyn Composer>, block: Affine) -> Self {
        Self(Block {
            rows: Ok(BlockRows::Affine(block)),
            composer: Ok(composer),
            name: None,
            bounds: Vec::new(),
            whole: None,
        })
    }

    /// The same, told as a bound on a term.
    pub(crate) fn of_term(mut self, whole: BoundedTerm) -> Self {
        self.0.whole = Some(whole);
        self
    }

    /// The same, with rows that were lowered by these.
    pub(crate) fn lowered_by(mut self, bounds: Vec<f64>) -> Self {
        self.0.bounds = bounds;
        self
    }

    /// The number of rows that it has in a problem.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.0.count()
    }

    /// Names the constraint in reports and messages.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.0.name = Some(name.into());
        self
    }
}

/// What can be turned into a constraint on a component: g(x) <= bound.
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::problem::{IntoConstraint, Problem};
///
/// let problem = Problem::minimise(Quadratic::diagonal(vec![1.0, 1.0])?)
///     .subject_to(Quadratic::diagonal(vec![2.0, 0.0])?.at_most(1.0))
///     .build()?;
/// assert_eq!(problem.row_names(), ["objective", "constraint 1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait IntoConstraint: Component + Sized + 'static {
    /// g(x) <= bound.
    fn at_most(self, bound: f64) -> Constraint {
        let shifted = self.shifted(-bound).map(|g: Rescaled<Self>| {
            let component: Arc<dyn Component> = Arc::new(g);
            BlockRows::Components(vec![component])
        });
        let composer: Box<dyn Composer> = Box::new(composer::Nonpositive::new(1));
        Constraint(Block {
            rows: shifted,
            composer: Ok(composer),
            name: None,
            bounds: vec![bound],
            whole: None,
        })
    }
}

impl<T: Component + 'static> IntoConstraint for T {}

impl Affine {
    /// A x <= b.
    #[must_use]
    pub fn at_most_zero(self) -> Constraint {
        let composer = composer::Nonpositive::new(self.rows());
        Constraint(Block::affine(Ok(composer), self))
    }

    /// A x = b.
    #[must_use]
    pub fn equal_to_zero(self) -> Constraint {
        let composer = composer::Equality::new(self.rows());
        Constraint(Block::affine(Ok(composer), self))
    }

    /// lower <= A x - b <= upper, row by row; sides may be infinite.
    #[must_use]
    pub fn between(self, lower: Vec<f64>, upper: Vec<f64>) -> Constraint {
        Constraint(Block::affine(composer::Interval::new(lower, upper), self))
    }

    /// A x - b is in a product of cones.
    #[must_use]
    pub fn in_cones(self, cones: composer::Cones) -> Constraint {
        Constraint(Block::affine(Ok(cones), self))
    }
}

impl Block {
    /// How many rows there are; none where they are wrong.
    fn count(&self) -> usize {
        match &self.rows {
            Ok(BlockRows::Components(components)) => components.len(),
            Ok(BlockRows::Affine(affine)) => affine.rows(),
            Err(_) => 0,
        }
    }

    fn components<H: Composer + 'static>(
        composer: Result<H, DataError>,
        components: Vec<Arc<dyn Component>>,
    ) -> Self {
        let composer = composer.map(|h| Box::new(h) as Box<dyn Composer>);
        Self {
            rows: Ok(BlockRows::Components(components)),
            composer,
            name: None,
            bounds: Vec::new(),
            whole: None,
        }
    }

    fn affine<H: Composer + 'static>(composer: Result<H, DataError>, affine: Affine) -> Self {
        let composer = composer.map(|h| Box::new(h) as Box<dyn Composer>);
        let bounds = (0..affine.rows()).map(|row| affine.bound(row)).collect();
        Self { rows: Ok(BlockRows::Affine(affine)), composer, name: None, bounds, whole: None }
    }
}

/// A term h(g_1(x), ..., g_k(x)) of the objective, for [`ProblemBuilder::plus`](super::ProblemBuilder::plus).
///
/// ```
/// use ufcm::component::Quadratic;
/// use ufcm::problem::{Problem, Term};
/// use ufcm::regulariser::L1;
/// use std::sync::Arc;
///
/// let pieces = [1.0, 4.0].map(|d| Quadratic::diagonal(vec![d, 1.0]));
/// let [a, b] = pieces;
/// let problem = Problem::over(2)
///     .plus(Term::max(vec![Arc::new(a?), Arc::new(b?)]).named("worst case"))
///     .regularised_by(L1::new(0.1)?)
///     .build()?;
/// assert_eq!(problem.value(&[1.0, 0.0])?, 2.0 + 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Term(Block);

impl Term {
    /// Any composer over scalar components.
    #[must_use]
    pub fn new(composer: impl Composer + 'static, components: Vec<Arc<dyn Component>>) -> Self {
        Self(Block::components(Ok(composer), components))
    }

    /// Any composer over an affine block.
    #[must_use]
    pub fn affine(composer: impl Composer + 'static, block: Affine) -> Self {
        Self(Block::affine(Ok(composer), block))
    }

    /// A boxed composer over scalar components.
    pub(crate) fn boxed(composer: Box<dyn Composer>, components: Vec<Arc<dyn Component>>) -> Self {
        let rows = Ok(BlockRows::Components(components));
        Self(Block { rows, composer: Ok(composer), name: None, bounds: Vec::new(), whole: None })
    }

    /// A boxed composer over an affine block.
    pub(crate) fn boxed_affine(composer: Box<dyn Composer>, block: Affine) -> Self {
        let rows = Ok(BlockRows::Affine(block));
        Self(Block { rows, composer: Ok(composer), name: None, bounds: Vec::new(), whole: None })
    }

    /// The sum of the components, each with a multiplier of its own.
    #[must_use]
    pub fn sum(components: Vec<Arc<dyn Component>>) -> Self {
        Self::new(composer::WeightedSum::ones(components.len()), components)
    }

    /// The largest of the components.
    #[must_use]
    pub fn max(components: Vec<Arc<dyn Component>>) -> Self {
        Self(Block::components(composer::Max::new(components.len()), components))
    }

    /// The mean of the largest components, a share alpha of them: the conditional value at risk.
    #[must_use]
    pub fn conditional_value_at_risk(components: Vec<Arc<dyn Component>>, alpha: f64) -> Self {
        Self(Block::components(composer::ConditionalValueAtRisk::new(components.len(), alpha), components))
    }

    /// eta log sum exp(g_j / eta), which lies above the max by at most eta log m.
    #[must_use]
    pub fn smooth_max(components: Vec<Arc<dyn Component>>, eta: f64) -> Self {
        Self(Block::components(composer::LogSumExp::new(components.len(), eta), components))
    }

    /// sum of max(g_j / eta, 0)^2: a smooth penalty on violation.
    #[must_use]
    pub fn squared_hinge(components: Vec<Arc<dyn Component>>, eta: f64) -> Self {
        Self(Block::components(composer::SquaredHinge::new(components.len(), eta), components))
    }

    /// The number of rows that it has in a problem.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.0.count()
    }

    /// Names the term in reports and messages.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.0.name = Some(name.into());
        self
    }

    pub(super) fn into_block(self) -> Block {
        self.0
    }
}
