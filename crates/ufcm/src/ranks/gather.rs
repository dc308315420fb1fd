//! What every rank has to tell, on every rank: for those who read data together, before there is a problem.

use super::{Call, Link};
use crate::oracle::OracleError;

impl Link {
    /// The numbers that each rank brings, in the order of ranks; ranks may bring different numbers of them.
    ///
    /// A rank that has failed says so in the place of its numbers, and all ranks get the failure of the first that has one. So whoever fails between two
    /// calls tells it in the next, and nobody waits for it.
    ///
    /// ```
    /// use ufcm::ranks::{Link, Threads};
    ///
    /// let told: Vec<_> = std::thread::scope(|scope| {
    ///     let work = |rank: Threads| Link::new(rank).gather(Ok(&[1.0, 2.0]));
    ///     let running: Vec<_> = Threads::group(2).into_iter().map(|rank| scope.spawn(move || work(rank))).collect();
    ///     running.into_iter().map(|rank| rank.join().unwrap()).collect()
    /// });
    /// assert_eq!(told[1], Ok(vec![vec![1.0, 2.0], vec![1.0, 2.0]]));
    /// ```
    ///
    /// # Errors
    /// What one of the ranks has failed in, with its rank, or that one has left.
    pub fn gather(&self, own: Result<&[f64], &str>) -> Result<Vec<Vec<f64>>, OracleError> {
        let mut counts = vec![0.0; self.size()];
        let told = own.map_err(|message| OracleError::Told { overflows: false, message: message.to_owned() });
        counts[self.rank()] = told.as_ref().map_or(0.0, |numbers| numbers.len() as f64);
        self.exchange(Call::Start, &[], &mut counts, told.as_ref().map(|_| ()).map_err(Clone::clone))?;
        let counts: Vec<usize> = counts.iter().map(|count| *count as usize).collect();
        let mut all = vec![0.0; counts.iter().sum()];
        if all.is_empty() {
            return Ok(vec![Vec::new(); self.size()]);
        }
        let first: usize = counts[..self.rank()].iter().sum();
        let own = own.unwrap_or_default();
        all[first..first + own.len()].copy_from_slice(own);
        self.exchange(Call::Start, &[], &mut all, Ok(()))?;
        let mut rest = &all[..];
        let mut next = |count: usize| {
            let (taken, after) = rest.split_at(count);
            rest = after;
            taken.to_vec()
        };
        Ok(counts.into_iter().map(&mut next).collect())
    }

    /// As [`Link::gather`], for texts.
    ///
    /// # Errors
    /// As [`Link::gather`].
    pub fn gather_texts(&self, own: Result<&[String], &str>) -> Result<Vec<Vec<String>>, OracleError> {
        // Each text is told as its length and its bytes.
        let numbers = own.map(|texts| {
            let told = |text: &String| {
                std::iter::once(text.len() as f64).chain(text.bytes().map(f64::from)).collect()
            };
            texts.iter().flat_map::<Vec<f64>, _>(told).collect::<Vec<f64>>()
        });
        let all = self.gather(numbers.as_deref().map_err(|message| *message))?;
        let texts = |numbers: Vec<f64>| {
            let (mut texts, mut rest) = (Vec::new(), &numbers[..]);
            while let Some((length, after)) = rest.split_first() {
                let (bytes, after) = after.split_at(*length as usize);
                let bytes: Vec<u8> = bytes.iter().map(|byte| *byte as u8).collect();
                texts.push(String::from_utf8_lossy(&bytes).into_owned());
                rest = after;
            }
            texts
        };
        Ok(all.into_iter().map(texts).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::Threads;

    fn on_ranks<T: Send>(size: usize, work: impl Fn(&Link) -> T + Sync) -> Vec<T> {
        std::thread::scope(|scope| {
            let work = &work;
            let ranks = Threads::group(size).into_iter();
            let running: Vec<_> = ranks.map(|rank| scope.spawn(move || work(&Link::new(rank)))).collect();
            running.into_iter().map(|rank| rank.join().unwrap()).collect()
        })
    }

    #[test]
    fn texts_of_all_ranks_are_told_to_all() {
        let own = |rank: usize| (0..rank).map(|k| format!("é{k}{rank}")).collect::<Vec<String>>();
        for told in on_ranks(4, |link| link.gather_texts(Ok(&own(link.rank()))).unwrap()) {
            assert_eq!(told, (0..4).map(own).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_failure_between_two_calls_reaches_those_who_are_in_another() {
        let told = on_ranks(3, |link| match link.rank() {
            2 => link.gather(Err("a.csv, line 7: no number")).map(|_| ()),
            rank => link.gather(Ok(&vec![1.0; rank])).and_then(|_| link.gather(Ok(&[]))).map(|_| ()),
        });
        for answer in told {
            assert_eq!(answer.unwrap_err().to_string(), "on rank 2: a.csv, line 7: no number");
        }
    }
}
