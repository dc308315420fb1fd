//! Baselines as the loop sees them.

use crate::budget::{Activity, Budget};
use crate::certificate::Linearisation;
use crate::method::tuning::RIVAL_PATIENCE;
use crate::method::{Candidate, Method, Start, Step, StepError};
use crate::oracle::{Mapping, OracleError};
use crate::problem::Problem;
use crate::report::Counts;

/// What a baseline tells of itself.
pub trait Rival {
    /// Its name, as settings and reports spell it.
    const NAME: &'static str;

    /// One iteration.
    ///
    /// # Errors
    /// A component, or a prox, that failed; or the problem's budget.
    fn advance(&mut self) -> Result<(), OracleError>;

    /// The answer and the multipliers that belong to it.
    fn answer(&self) -> (&[f64], &[f64]);

    /// The rows at the answer, where the method has evaluated them.
    fn row_values(&self) -> Option<&[f64]> {
        None
    }

    /// The rows linearised in the last iteration: their Jacobian, where, and their values there.
    fn linearised(&self) -> (&dyn Mapping, &[f64], &[f64]);

    /// Evaluations of all gradients, and of all values alone.
    fn spent(&self) -> (u64, u64);

    /// L, the inverse of the step size.
    fn l(&self) -> f64;

    /// Whether it has nothing more to do.
    fn is_done(&self) -> bool {
        false
    }
}

/// A baseline that a run follows: the rows are evaluated at its answer where it does not do so itself.
///
/// ```
/// use ufcm::budget::Budget;
/// use ufcm::component::Quadratic;
/// use ufcm::method::baseline::{Followed, UniversalFastGradient};
/// use ufcm::problem::Problem;
/// use ufcm::regulariser::Bounds;
/// use ufcm::report::{Control, Status};
/// use ufcm::settings::Settings;
///
/// let objective = Quadratic::diagonal(vec![1.0, 3.0])?.with_linear(vec![-1.0, 1.0])?;
/// let problem = Problem::minimise(objective).within(Bounds::new(-2.0, 2.0)?).build()?;
/// let report = problem.solve_by(
///     &Settings::default(),
///     &Budget::unlimited(),
///     &|problem, start| {
///         let method = UniversalFastGradient::new(problem, &start.x, 1e-7, 0.1)?;
///         Ok(Box::new(Followed::new(problem, method)))
///     },
///     &mut |_| Control::Continue,
/// )?;
/// assert_eq!(report.status, Status::Certified);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Followed<'a, R> {
    problem: &'a Problem,
    rival: R,
    mapping: Box<dyn Mapping>,
    row_values: Vec<f64>,
    at_answer: bool,
}

impl<'a, R: Rival> Followed<'a, R> {
    /// Follows `rival`, which was made for `problem`.
    #[must_use]
    pub fn new(problem: &'a Problem, rival: R) -> Self {
        let (mapping, row_values) = (problem.mapping(), vec![0.0; problem.rows()]);
        Self { problem, rival, mapping, row_values, at_answer: false }
    }
}

impl<R: Rival> Method for Followed<'_, R> {
    fn name(&self) -> &'static str {
        R::NAME
    }

    /// The baseline asks its problem's budget, of which `budget` is the same or a part.
    fn step(&mut self, budget: &Budget) -> Result<Step, StepError> {
        budget.ask()?;
        budget.doing(Activity::Evaluating);
        let before = self.rival.spent();
        self.at_answer = false;
        self.rival.advance()?;
        let after = self.rival.spent();
        let mut counts = Counts {
            gradients: (after.0 - before.0) as usize,
            values: (after.1 - before.1) as usize,
            steps: 1,
            ..Counts::default()
        };
        if let Some(values) = self.rival.row_values() {
            self.row_values.copy_from_slice(values);
        } else {
            self.at_answer = true;
            self.mapping.values(self.rival.answer().0, &mut self.row_values)?;
            counts.values += 1;
        }
        Ok(Step { counts, l: self.rival.l(), restarted: false, finished: self.rival.is_done() })
    }

    fn candidate(&self) -> Candidate<'_> {
        let (x, multipliers) = self.rival.answer();
        Candidate { x, row_values: &self.row_values, multipliers, slope: None }
    }

    fn linearisation(&self) -> Option<Linearisation<'_>> {
        let ((mapping, y, values), (_, multipliers)) = (self.rival.linearised(), self.rival.answer());
        Some(Linearisation { mapping, composer: self.problem.composer(), y, values, multipliers })
    }

    fn hand_over(&self) -> Start {
        let (x, multipliers) = self.rival.answer();
        let (x, multipliers) = (x.to_vec(), multipliers.to_vec());
        Start { x, multipliers, l: Some(self.rival.l()), metric: None }
    }

    fn last_evaluated(&self) -> &[f64] {
        if self.at_answer { self.rival.answer().0 } else { self.rival.linearised().1 }
    }

    fn patience(&self, _steps: usize) -> usize {
        RIVAL_PATIENCE
    }
}
