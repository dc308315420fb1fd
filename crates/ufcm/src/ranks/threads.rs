//! Ranks that are threads of one process: for tests, and to see what a problem would exchange.

use super::{CommunicationError, Communicator};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A rank that is a thread.
pub struct Threads {
    rank: usize,
    size: usize,
    meeting: Arc<Meeting>,
}

struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// What each rank has brought to this round.
    brought: Vec<Option<Vec<f64>>>,
    round: u64,
    /// What came of the last round.
    outcome: Arc<Result<Vec<f64>, CommunicationError>>,
    /// The first rank that left.
    left: Option<usize>,
}

impl Threads {
    /// So many ranks, to be moved to threads of their own.
    #[must_use]
    pub fn group(size: usize) -> Vec<Self> {
        let state =
            State { brought: vec![None; size], round: 0, outcome: Arc::new(Ok(Vec::new())), left: None };
        let meeting = Arc::new(Meeting { state: Mutex::new(state), changed: Condvar::new() });
        (0..size).map(|rank| Self { rank, size, meeting: meeting.clone() }).collect()
    }
}

impl Meeting {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sum in the order of ranks.
fn added(brought: &[Option<Vec<f64>>]) -> Result<Vec<f64>, CommunicationError> {
    let mut parts = brought.iter().flatten();
    let mut total = parts.next().cloned().unwrap_or_default();
    for (rank, part) in parts.enumerate() {
        if part.len() != total.len() {
            let (first, other) = (total.len(), part.len());
            return Err(CommunicationError(format!(
                "rank 0 brings {first} numbers, rank {} {other}",
                rank + 1
            )));
        }
        total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
    }
    Ok(total)
}

impl Communicator for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sum(&self, numbers: &mut [f64]) -> Result<(), CommunicationError> {
        if self.size == 1 {
            return Ok(());
        }
        let mut state = self.meeting.lock();
        let round = state.round;
        state.brought[self.rank] = Some(numbers.to_vec());
        if state.brought.iter().all(Option::is_some) {
            state.outcome = Arc::new(added(&state.brought));
            state.brought.fill(None);
            state.round += 1;
            self.meeting.changed.notify_all();
        }
        while state.round == round {
            if let Some(rank) = state.left {
                return Err(CommunicationError(format!("rank {rank} has left")));
            }
            state = self.meeting.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let outcome = state.outcome.clone();
        drop(state);
        match &*outcome {
            Ok(total) => {
                numbers.copy_from_slice(total);
                Ok(())
            }
            Err(error) => Err(error.clone()),
        }
    }
}

/// Who waits for a rank that is gone is told.
impl Drop for Threads {
    fn drop(&mut self) {
        self.meeting.lock().left.get_or_insert(self.rank);
        self.meeting.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each<T: Send>(size: usize, work: impl Fn(Threads) -> T + Sync) -> Vec<T> {
        std::thread::scope(|scope| {
            let work = &work;
            let running: Vec<_> =
                Threads::group(size).into_iter().map(|rank| scope.spawn(move || work(rank))).collect();
            running.into_iter().map(|rank| rank.join().unwrap()).collect()
        })
    }

    #[test]
    fn sums_have_the_same_bits_everywhere() {
        let sums = each(3, |rank| {
            let mut last = 0.0;
            for round in 0..200 {
                let mut numbers = [0.1 * (rank.rank() + 1) as f64, f64::from(round)];
                rank.sum(&mut numbers).unwrap();
                assert_eq!(numbers[1], 3.0 * f64::from(round));
                last = numbers[0];
            }
            let mut told = [rank.rank() as f64 + 5.0];
            rank.broadcast(&mut told, 1).unwrap();
            rank.barrier().unwrap();
            (last, told[0])
        });
        assert_eq!(sums, [((0.1 + 0.2) + 0.1 * 3.0, 6.0); 3]);
    }

    #[test]
    fn a_rank_that_leaves_is_told_to_the_others() {
        let ends = each(3, |rank| if rank.rank() == 1 { Ok(()) } else { rank.sum(&mut [1.0]) });
        assert_eq!(ends[0], Err(CommunicationError("rank 1 has left".into())));
        let ends = each(2, |rank| rank.sum(&mut vec![0.0; 1 + rank.rank()]));
        assert!(ends[0].as_ref().unwrap_err().0.contains("rank 0 brings 1 numbers, rank 1 2"), "{ends:?}");
    }
}
