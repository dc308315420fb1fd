//! Ranks of MPI, started by `mpirun`, as a [`Communicator`].
//!
//! ```no_run
//! use ufcm::ranks::Link;
//!
//! let ranks = ufcm_mpi::Ranks::start()?;
//! let link = Link::new(ranks.communicator());
//! // Problems are built with .over_ranks(&link) from this rank's samples.
//! # Ok::<(), ufcm::ranks::CommunicationError>(())
//! ```
//!
//! Sums go up and down a tree of ranks: each pair of ranks adds in the same order every time, so all ranks have the same bits, and
//! have them again in the next run. A sum takes 2 log2 R messages one after the other.

use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, Destination as _, Equivalence as _, Root as _, Source as _};
use std::sync::{Mutex, PoisonError};
use ufcm::ranks::{CommunicationError, Communicator};

/// MPI, from its start to its end: it ends when this goes.
pub struct Ranks {
    rank: usize,
    size: usize,
    /// Ends MPI.
    _universe: Universe,
}

impl Ranks {
    /// Starts MPI, once in a process.
    ///
    /// # Errors
    /// It was started before, or lets one thread alone call it.
    pub fn start() -> Result<Self, CommunicationError> {
        let started = mpi::initialize_with_threading(Threading::Serialized);
        let (universe, threading) =
            started.ok_or_else(|| CommunicationError("MPI was started before in this process".into()))?;
        if threading < Threading::Serialized {
            let message = format!("this MPI supports {threading:?} threads; ufcm needs Serialized");
            return Err(CommunicationError(message));
        }
        let world = universe.world();
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        Ok(Self { rank, size, _universe: universe })
    }

    /// Which rank this is.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// What these ranks exchange numbers by.
    #[must_use]
    pub fn communicator(&self) -> World {
        World { rank: self.rank, size: self.size, received: Mutex::default() }
    }
}

/// Ends all ranks at once, with this exit code. For a rank that cannot go on: the others would wait for it for ever.
pub fn abort(code: i32) -> ! {
    SimpleCommunicator::world().abort(code)
}

/// All ranks that `mpirun` has started.
pub struct World {
    rank: usize,
    size: usize,
    /// Where numbers of others arrive.
    received: Mutex<Vec<f64>>,
}

impl Communicator for World {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sum(&self, numbers: &mut [f64]) -> Result<(), CommunicationError> {
        let world = SimpleCommunicator::world();
        let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        received.resize(numbers.len(), 0.0);
        let mut step = 1;
        while step < self.size {
            if self.rank % (2 * step) == step {
                world.process_at_rank((self.rank - step) as i32).send(numbers);
                break;
            }
            if self.rank + step < self.size {
                let from = world.process_at_rank((self.rank + step) as i32);
                let status = from.receive_into(&mut received[..]);
                let got = status.count(f64::equivalent_datatype()) as usize;
                check(self.rank, numbers.len(), self.rank + step, got)?;
                numbers.iter_mut().zip(&*received).for_each(|(sum, other)| *sum += other);
            }
            step *= 2;
        }
        world.process_at_rank(0).broadcast_into(numbers);
        Ok(())
    }
}

fn check(rank: usize, expected: usize, other: usize, got: usize) -> Result<(), CommunicationError> {
    if expected == got {
        return Ok(());
    }
    Err(CommunicationError(format!("rank {rank} brings {expected} numbers, rank {other} {got}")))
}
