//! One problem on several ranks: processes, mostly of several machines, that hold the samples together.
//!
//! Each rank holds some rows of the data. x, multipliers, composers and regularisers are on every rank, and every rank runs the same
//! solver and takes the same decisions. What the ranks exchange are sums: the values and gradients of all rows that are split, once for each evaluation,
//! and sums of second derivatives. A [`Communicator`] makes them, whatever it is made of; [`ProblemBuilder::over_ranks`](crate::problem::ProblemBuilder::over_ranks)
//! takes one.
//!
//! ```
//! use ufcm::component::Logistic;
//! use ufcm::matrix::Matrix;
//! use ufcm::problem::Problem;
//! use ufcm::ranks::{Link, Threads};
//! use ufcm::regulariser::Ball;
//! use ufcm::settings::Settings;
//!
//! // Two threads with a sample each, in the place of two machines.
//! let ranks = Threads::group(2).into_iter().zip([1.0, -1.0]);
//! let answers: Vec<f64> = std::thread::scope(|scope| {
//!     let solve = |(communicator, label): (Threads, f64)| {
//!         let own = Logistic::new(Matrix::row_major(1, 1, vec![0.5 + label]).unwrap(), &[label]).unwrap();
//!         let problem = Problem::minimise(own).within(Ball::new(2.0)).over_ranks(&Link::new(communicator)).build().unwrap();
//!         problem.solve(&Settings::default()).unwrap().objective
//!     };
//!     let running: Vec<_> = ranks.map(|rank| scope.spawn(move || solve(rank))).collect();
//!     running.into_iter().map(|rank| rank.join().unwrap()).collect()
//! });
//! assert_eq!(answers[0], answers[1]);
//! ```
//!
//! | what | where |
//! |---|---|
//! | the same bits on all ranks | sums have the same bits everywhere, and nothing else differs. Each exchange also carries a sum of checks: ranks that went different ways are found out |
//! | the end of a run | rank 0's clock decides, and anyone's stop flag; exchanges carry the wish, and all ranks stop at the same one |
//! | an error, a NaN or a panic in a component of one rank | is raised on all, with the rank |
//! | different problems, settings or versions | are refused before the first step, by what differs |

mod gather;
mod link;
mod signature;
mod threads;

pub(crate) use link::Call;
pub use link::{Link, Traffic};
pub(crate) use signature::{Signature, of_this_machine};
pub use threads::Threads;

/// What went wrong between ranks: who has left, or what did not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the ranks cannot exchange numbers: {0}")]
pub struct CommunicationError(pub String);

/// What ranks exchange numbers by. All ranks call the same functions in the same order.
pub trait Communicator: Send + Sync {
    /// Which rank this is, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// Replaces the numbers by their sums over all ranks. The order of the additions is fixed: all ranks get the same bits, and get them again in
    /// the next run.
    ///
    /// # Errors
    /// A rank that has left, or that brings another number of numbers.
    fn sum(&self, numbers: &mut [f64]) -> Result<(), CommunicationError>;

    /// Replaces the numbers by those of rank `root`.
    ///
    /// # Errors
    /// As [`Communicator::sum`].
    fn broadcast(&self, numbers: &mut [f64], root: usize) -> Result<(), CommunicationError> {
        if self.rank() != root {
            numbers.fill(0.0);
        }
        self.sum(numbers)
    }

    /// Waits for all ranks.
    ///
    /// # Errors
    /// As [`Communicator::sum`].
    fn barrier(&self) -> Result<(), CommunicationError> {
        self.sum(&mut [0.0])
    }
}

/// How a component is spread over ranks where each has its own samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Split {
    /// Each rank has all of it, the same everywhere.
    Whole,
    /// The sum of what the ranks have.
    Sum,
    /// The mean of what the ranks have, with this rank's weight: the number of its samples, or the sum of their weights.
    Mean(f64),
    /// It cannot be made of what the ranks have.
    Never(&'static str),
}
