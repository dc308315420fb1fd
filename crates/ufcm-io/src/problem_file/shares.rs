//! Data that ranks share: which rows are this rank's, and what all ranks have to know of those of the others.

use super::error::ProblemFileError;
use super::files::Files;
use super::node::{Node, Section};
use crate::part::shares;
use std::collections::BTreeSet;
use std::ops::Range;
use ufcm::error::DataError;
use ufcm::matrix::Matrix;
use ufcm::oracle::OracleError;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// Which of all rows these are: those from `first` on, of `total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) first: usize,
    pub(super) total: usize,
}

/// The rows of this rank with their labels, and which they are.
pub(super) type OwnRows = (Matrix, Option<Vec<f64>>, Option<Part>);

impl Files<'_> {
    /// This rank's part of files with so many bytes or rows, one after the other; all of them where there are no ranks.
    pub(super) fn shares(&self, lengths: &[u64]) -> Vec<Range<u64>> {
        self.link.map_or_else(
            || lengths.iter().map(|length| 0..*length).collect(),
            |link| shares(lengths, link.rank(), link.size()),
        )
    }

    /// This rank's rows of so many; all of them where there are no ranks.
    pub(super) fn share_of(&self, rows: usize) -> Range<usize> {
        let own = &self.shares(&[rows as u64])[0];
        own.start as usize..own.end as usize
    }

    /// The numbers that each rank brings; those of this one where there are no others.
    pub(super) fn gathered(&self, node: &Node<'_>, own: &[f64]) -> Result<Vec<Vec<f64>>> {
        self.link.map_or_else(|| Ok(vec![own.to_vec()]), |link| self.told(node, link.gather(Ok(own))))
    }

    /// The texts of all ranks, in order, each once.
    pub(super) fn joined_texts(&self, node: &Node<'_>, own: Vec<String>) -> Result<Vec<String>> {
        let Some(link) = self.link else { return Ok(own) };
        let all = self.told(node, link.gather_texts(Ok(&own)))?;
        Ok(all.into_iter().flatten().collect::<BTreeSet<String>>().into_iter().collect())
    }

    /// Which rows those of this rank are, where each rank has found its own; nothing where there are no ranks.
    pub(super) fn part(&self, node: &Node<'_>, rows: usize) -> Result<Option<Part>> {
        let Some(link) = self.link else { return Ok(None) };
        let counts: Vec<usize> =
            self.gathered(node, &[rows as f64])?.iter().map(|count| count[0] as usize).collect();
        Ok(Some(Part { first: counts[..link.rank()].iter().sum(), total: counts.iter().sum() }))
    }

    /// Waits for all ranks, and hears of what failed on one of them.
    pub(super) fn agree(&self, section: &Section<'_>) -> Result<()> {
        let Some(link) = self.link else { return Ok(()) };
        link.gather(Ok(&[])).map(|_| ()).map_err(|error| {
            self.failed.set(true);
            section.error(error.to_string())
        })
    }

    /// What the ranks have told each other. A failure that all of them know need not be told again.
    fn told<T>(&self, node: &Node<'_>, told: std::result::Result<T, OracleError>) -> Result<T> {
        told.map_err(|error| {
            self.failed.set(true);
            node.error(error.to_string())
        })
    }

    /// The rows of this rank, of a matrix of which every rank can see all. They are copied, unless the matrix is mapped, so that the others can go.
    pub(super) fn own_rows(
        &self,
        matrix: Matrix,
        label: Option<Vec<f64>>,
        mapped: bool,
    ) -> std::result::Result<OwnRows, DataError> {
        if self.link.is_none() {
            return Ok((matrix, label, None));
        }
        let total = matrix.rows();
        let own = self.share_of(total);
        let label = label.map(|label| label[own.clone()].to_vec());
        let part = Some(Part { first: own.start, total });
        let matrix = match mapped {
            true => matrix.row_range(own),
            false => matrix.selected(&own.collect::<Vec<usize>>())?,
        };
        Ok((matrix, label, part))
    }
}
