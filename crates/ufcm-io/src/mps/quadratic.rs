//! QUADOBJ and QMATRIX: the quadratic part of the objective.

use crate::error::{Fault, ReadError, quoted};
use crate::source::{Line, Source};
use crate::sparse;
use std::collections::HashMap;
use ufcm::matrix::Matrix;

#[derive(Default)]
pub(super) struct Quadratic {
    /// None without a section; whether it gives all of Q rather than each pair of variables once.
    whole: Option<bool>,
    /// Value and line of each entry; pairs given once are kept under (larger, smaller).
    entries: HashMap<(usize, usize), (f64, usize)>,
}

impl Quadratic {
    pub(super) fn open(&mut self, line: &Line<'_>, whole: bool) -> Result<(), ReadError> {
        if self.whole.replace(whole).is_some() {
            return Err(line.error(Fault::Repeated { what: "the quadratic part of the objective".into() }));
        }
        Ok(())
    }

    pub(super) fn add(
        &mut self,
        line: &Line<'_>,
        (i, j): (usize, usize),
        value: f64,
        names: &[String],
    ) -> Result<(), ReadError> {
        let whole = self.whole == Some(true);
        let pair = if whole { (i, j) } else { (i.max(j), i.min(j)) };
        if self.entries.insert(pair, (value, line.number)).is_none() {
            return Ok(());
        }
        let hint = if whole { "" } else { " (QUADOBJ takes one triangle of Q, QMATRIX both)" };
        let what = format!("the entry of {} and {}{hint}", quoted(&names[i]), quoted(&names[j]));
        Err(line.error(Fault::Repeated { what }))
    }

    /// Q with both triangles, if the file had one.
    pub(super) fn finish(self, source: &Source, names: &[String]) -> Result<Option<Matrix>, ReadError> {
        let Some(whole) = self.whole else { return Ok(None) };
        let mut entries = Vec::with_capacity(2 * self.entries.len());
        let mut lopsided: Option<(usize, usize, usize)> = None;
        for (&(i, j), &(value, line)) in self.entries.iter().filter(|(_, entry)| entry.0 != 0.0) {
            entries.push((i, j, value));
            if !whole && i != j {
                entries.push((j, i, value));
            }
            if whole && self.entries.get(&(j, i)).map_or(0.0, |entry| entry.0) != value {
                // The first in the file, whatever the order of the map.
                lopsided = Some(lopsided.map_or((line, i, j), |first| first.min((line, i, j))));
            }
        }
        if let Some((line, i, j)) = lopsided {
            let message =
                format!("QMATRIX is not symmetric in {} and {}", quoted(&names[i]), quoted(&names[j]));
            return Err(source.error_at(Some(line), None, Fault::Inconsistent(message)));
        }
        let matrix = sparse::from_entries(names.len(), names.len(), &entries);
        matrix.map(Some).map_err(|error| source.error(Some("quadratic part"), Fault::Data(error)))
    }
}
