//! What all components of a problem that is split over ranks share: one communicator, and what was agreed through it.

use super::{CommunicationError, Communicator};
use crate::budget::{Agreed, Budget, Stop};
use crate::oracle::OracleError;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What an exchange is for: ranks must agree on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Call {
    Start = 1,
    Values,
    Gradients,
    Hessian,
    Curvature,
    Floor,
}

/// What every exchange carries besides: checks and their squares, wishes to stop, and whether something failed.
const HEAD: usize = 5;
/// Bytes of a message that ranks tell each other.
const MESSAGE: usize = 1000;
/// Checks are below this, so that their squares add up exactly.
const CHECKS: u64 = 1 << 20;

/// What was exchanged so far by this rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Traffic {
    /// Sums over all ranks.
    pub reductions: u64,
    /// Bytes of their numbers.
    pub bytes: u64,
    /// Seconds in them, waiting for others included.
    pub seconds: f64,
}

/// A communicator, and what the ranks have agreed on. The components of a problem share one.
pub struct Link {
    communicator: Box<dyn Communicator>,
    /// Whether components answer with this rank's part alone, since whoever asked adds up.
    deferred: AtomicUsize,
    /// The budget of the run: whose clock and flag are looked at, and what was agreed of them.
    run: Mutex<Option<(Budget, Arc<Agreed>)>>,
    traffic: Mutex<Traffic>,
    exchanges: AtomicU64,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("rank", &self.rank()).field("size", &self.size()).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While this lives, components that are split answer with this rank's part.
pub(crate) struct Deferred<'l>(&'l Link);

impl Drop for Deferred<'_> {
    fn drop(&mut self) {
        self.0.deferred.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Link {
    /// The link of a communicator.
    pub fn new(communicator: impl Communicator + 'static) -> Arc<Self> {
        Arc::new(Self {
            communicator: Box::new(communicator),
            deferred: AtomicUsize::new(0),
            run: Mutex::new(None),
            traffic: Mutex::default(),
            exchanges: AtomicU64::new(0),
        })
    }

    /// Which rank this is.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.communicator.rank()
    }

    /// How many ranks there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.communicator.size()
    }

    /// What was exchanged so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        *lock(&self.traffic)
    }

    /// From now on components answer with this rank's part, until the answer goes.
    pub(crate) fn defer(&self) -> Deferred<'_> {
        self.deferred.fetch_add(1, Ordering::SeqCst);
        Deferred(self)
    }

    pub(crate) fn is_deferred(&self) -> bool {
        self.deferred.load(Ordering::SeqCst) > 0
    }

    /// Whether what every rank has is to be left to rank 0, since all answers will be added.
    pub(crate) fn leaves_to_first(&self) -> bool {
        self.is_deferred() && self.rank() != 0
    }

    /// A budget that ends on all ranks at the same question: at `budget`'s limits on rank 0, or when anyone's flag is raised.
    pub(crate) fn agreeing(&self, budget: &Budget) -> Budget {
        let agreed = Arc::new(Agreed::default());
        *lock(&self.run) = Some((budget.clone(), agreed.clone()));
        budget.clone().agreeing(agreed)
    }

    /// Sums over all ranks, and what was spent on it.
    pub(super) fn sum(&self, numbers: &mut [f64]) -> Result<(), CommunicationError> {
        let start = Instant::now();
        let summed = self.communicator.sum(numbers);
        let mut traffic = lock(&self.traffic);
        traffic.reductions += 1;
        traffic.bytes += 8 * numbers.len() as u64;
        traffic.seconds += start.elapsed().as_secs_f64();
        summed
    }

    /// Replaces the numbers by their sums over all ranks, unless something failed on one of them: the first of these failures is then everyone's.
    /// `x` is what the ranks must agree on: where they speak of.
    pub(crate) fn exchange(
        &self,
        call: Call,
        x: &[f64],
        numbers: &mut [f64],
        own: Result<(), OracleError>,
    ) -> Result<(), OracleError> {
        let check = self.check(call, x, numbers.len());
        let [deadline, request] = self.wishes();
        let failed = f64::from(u8::from(own.is_err()));
        let mut all = Vec::with_capacity(numbers.len() + HEAD);
        match &own {
            Ok(()) => all.extend_from_slice(numbers),
            Err(_) => all.resize(numbers.len(), 0.0),
        }
        all.extend([check, check * check, deadline, request, failed]);
        self.sum(&mut all).map_err(OracleError::failed)?;
        let (sums, head) = all.split_at(numbers.len());
        let &[check, square, deadline, request, failed] = head else {
            unreachable!("the head was put there")
        };
        if self.size() as f64 * square != check * check {
            let message =
                "the ranks went different ways; do they have the same data types, processors and libraries?";
            return Err(OracleError::failed(CommunicationError(message.into())));
        }
        if let Some((_, agreed)) = &*lock(&self.run) {
            if deadline > 0.0 {
                agreed.stop(Stop::Deadline);
            } else if request > 0.0 {
                agreed.stop(Stop::Request);
            }
        }
        if failed > 0.0 {
            return Err(self.first_failure(own));
        }
        numbers.copy_from_slice(sums);
        Ok(())
    }

    /// A number that is the same on all ranks if they ask the same at the same point, and hardly else.
    fn check(&self, call: Call, x: &[f64], length: usize) -> f64 {
        let exchange = self.exchanges.fetch_add(1, Ordering::Relaxed);
        let start = [call as u64, length as u64, exchange];
        let words = start.into_iter().chain(x.iter().map(|x| x.to_bits()));
        (hash(words) % CHECKS) as f64
    }

    /// Whether this rank wants the run to end: for its time, which only rank 0 may say, or because it was asked to.
    fn wishes(&self) -> [f64; 2] {
        let wish = lock(&self.run).as_ref().and_then(|(budget, _)| budget.ask().err());
        match wish {
            Some(Stop::Deadline) if self.rank() == 0 => [1.0, 0.0],
            Some(Stop::Request) => [0.0, 1.0],
            _ => [0.0, 0.0],
        }
    }

    /// The failure of the lowest rank that has one, as all ranks are told.
    fn first_failure(&self, own: Result<(), OracleError>) -> OracleError {
        let mut failed = vec![0.0; self.size()];
        failed[self.rank()] = f64::from(u8::from(own.is_err()));
        let told = self.sum(&mut failed).and_then(|()| {
            let rank = failed.iter().position(|f| *f > 0.0).unwrap_or(0);
            let mut message = own
                .as_ref()
                .err()
                .filter(|_| self.rank() == rank)
                .map_or_else(|| vec![0.0; MESSAGE + 2], encoded);
            self.communicator.broadcast(&mut message, rank)?;
            Ok((rank, message))
        });
        match (told, own) {
            (Err(error), _) => OracleError::failed(error),
            (Ok((rank, _)), Err(error)) if rank == self.rank() => error.on_rank(rank),
            (Ok((rank, message)), _) => decoded(&message).on_rank(rank),
        }
    }
}

/// Mixes words into one (Fowler, Noll and Vo, word by word).
pub(super) fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// An error as numbers: whether a term overflowed, the row plus 1, and the letters.
fn encoded(error: &OracleError) -> Vec<f64> {
    let mut numbers =
        vec![f64::from(u8::from(error.is_overflow())), error.row().map_or(0.0, |row| row as f64 + 1.0)];
    let text = error.without_row().to_string();
    let mut end = text.len().min(MESSAGE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    numbers.extend(text[..end].bytes().map(f64::from));
    numbers.resize(MESSAGE + 2, 0.0);
    numbers
}

fn decoded(numbers: &[f64]) -> OracleError {
    let bytes: Vec<u8> = numbers[2..].iter().take_while(|b| **b > 0.0).map(|b| *b as u8).collect();
    let told = OracleError::Told {
        overflows: numbers[0] > 0.0,
        message: String::from_utf8_lossy(&bytes).into_owned(),
    };
    if numbers[1] > 0.0 { told.in_row(numbers[1] as usize - 1) } else { told }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_as_it_is() {
        let error = OracleError::Overflow { term: 7, argument: 1e9 }.in_row(3);
        let told = decoded(&encoded(&error));
        assert_eq!((told.to_string(), told.is_overflow(), told.row()), (error.to_string(), true, Some(3)));
        let long = OracleError::failed("ü".repeat(MESSAGE));
        assert!(decoded(&encoded(&long)).to_string().starts_with("the oracle failed: üüü"));
    }
}
