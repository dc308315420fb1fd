//! Mappings on top of each other: the rows of the first, then those of the second, and so on.

use crate::budget::Budget;
use crate::error::{DataError, DataProblem, check_length};
use crate::kernel::simd;
use crate::linalg::RowView;
use crate::oracle::{Between, Component, Grounds, Mapping, MinorantSums, OracleError};
use crate::pool::Pool;
use crate::ranks::Link;
use std::ops::Range;
use std::sync::Arc;

/// Parts over the same variables.
pub struct Stacked {
    parts: Vec<Box<dyn Mapping>>,
    /// Where each part's rows start, and at the end the number of all rows.
    starts: Vec<usize>,
    pool: Pool,
}

impl Stacked {
    /// The stack of `parts`.
    ///
    /// # Errors
    /// No parts, or different numbers of variables.
    pub fn new(parts: Vec<Box<dyn Mapping>>) -> Result<Self, DataError> {
        const KIND: &str = "stacked mapping";
        let Some(first) = parts.first() else {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "parts" }));
        };
        let (n, mut starts) = (first.dimension(), vec![0]);
        for part in &parts {
            check_length(KIND, "x", n, part.dimension())?;
            starts.push(starts[starts.len() - 1] + part.rows());
        }
        Ok(Self { parts, starts, pool: Pool::default() })
    }

    fn range(&self, part: usize) -> Range<usize> {
        self.starts[part]..self.starts[part + 1]
    }

    /// Where the images of the parts are, one after the other.
    fn images(&self) -> impl Iterator<Item = Range<usize>> {
        let sizes = self.parts.iter().map(|part| part.image_size().unwrap_or(0));
        sizes.scan(0, |end, size| {
            *end += size;
            Some(*end - size..*end)
        })
    }

    /// The part that holds `row`, and the row's place in it.
    fn locate(&self, row: usize) -> (&dyn Mapping, usize) {
        let part = self.starts.partition_point(|&start| start <= row) - 1;
        (&*self.parts[part], row - self.starts[part])
    }
}

impl Mapping for Stacked {
    fn dimension(&self) -> usize {
        self.parts[0].dimension()
    }

    fn rows(&self) -> usize {
        self.starts[self.parts.len()]
    }

    fn fork(&self) -> Box<dyn Mapping> {
        let parts = self.parts.iter().map(|part| part.fork()).collect();
        Box::new(Self { parts, starts: self.starts.clone(), pool: Pool::default() })
    }

    fn set_budget(&mut self, budget: &Budget) {
        self.parts.iter_mut().for_each(|part| part.set_budget(budget));
    }

    fn linearise(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_length("values", self.rows(), values.len())?;
        for (k, part) in self.parts.iter_mut().enumerate() {
            let range = self.starts[k]..self.starts[k + 1];
            part.linearise(x, &mut values[range.clone()]).map_err(|e| e.in_row(range.start))?;
        }
        Ok(())
    }

    fn linearise_some(&mut self, x: &[f64], wanted: &[bool], values: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_length("values", self.rows(), values.len())?;
        for (k, part) in self.parts.iter_mut().enumerate() {
            let range = self.starts[k]..self.starts[k + 1];
            part.linearise_some(x, &wanted[range.clone()], &mut values[range.clone()])
                .map_err(|e| e.in_row(range.start))?;
        }
        Ok(())
    }

    fn values(&self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_length("values", self.rows(), values.len())?;
        for (k, part) in self.parts.iter().enumerate() {
            let range = self.range(k);
            part.values(x, &mut values[range.clone()]).map_err(|e| e.in_row(range.start))?;
        }
        Ok(())
    }

    fn image_size(&self) -> Option<usize> {
        self.parts.iter().map(|part| part.image_size()).sum()
    }

    fn image(&self, x: &[f64], image: &mut [f64]) -> Result<(), OracleError> {
        self.images().zip(&self.parts).try_for_each(|(range, part)| part.image(x, &mut image[range]))
    }

    fn linearise_between(&mut self, at: Between<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        let mut start = 0;
        for (k, part) in self.parts.iter_mut().enumerate() {
            let (rows, end) = (self.starts[k]..self.starts[k + 1], start + part.image_size().unwrap_or(0));
            part.linearise_between(at.part(start..end), &mut values[rows.clone()])
                .map_err(|e| e.in_row(rows.start))?;
            start = end;
        }
        Ok(())
    }

    fn values_between(&self, at: Between<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        for (k, (image, part)) in self.images().zip(&self.parts).enumerate() {
            let rows = self.range(k);
            part.values_between(at.part(image), &mut values[rows.clone()])
                .map_err(|e| e.in_row(rows.start))?;
        }
        Ok(())
    }

    fn apply(&self, w: &[f64], out: &mut [f64]) {
        for (k, part) in self.parts.iter().enumerate() {
            part.apply(w, &mut out[self.range(k)]);
        }
    }

    fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]) {
        self.parts[0].apply_transpose(&multipliers[self.range(0)], out);
        self.pool.with(out.len(), |buffer| {
            for (k, part) in self.parts.iter().enumerate().skip(1) {
                part.apply_transpose(&multipliers[self.range(k)], buffer);
                simd::add_scaled(1.0, buffer, out);
            }
        });
    }

    fn jacobian_row(&self, row: usize, out: &mut [f64]) {
        let (part, row) = self.locate(row);
        part.jacobian_row(row, out);
    }

    fn with_row(&self, row: usize, scratch: &mut Vec<f64>, look: &mut dyn FnMut(RowView<'_>)) {
        let (part, row) = self.locate(row);
        part.with_row(row, scratch, look);
    }

    fn has_rows(&self) -> bool {
        self.parts.iter().all(|part| part.has_rows())
    }

    fn add_minorant(
        &self,
        y: &[f64],
        values: &[f64],
        multipliers: &[f64],
        sums: &mut MinorantSums<'_>,
        scratch: &mut Vec<f64>,
    ) {
        for (k, part) in self.parts.iter().enumerate() {
            let range = self.range(k);
            part.add_minorant(y, &values[range.clone()], &multipliers[range], sums, scratch);
        }
    }

    fn in_units(&self, rows: &[f64], columns: &Arc<[f64]>) -> Option<Box<dyn Mapping>> {
        let scaled = |k: usize| self.parts[k].in_units(&rows[self.range(k)], columns);
        let parts = (0..self.parts.len()).map(scaled).collect::<Option<Vec<_>>>()?;
        Some(Box::new(Self { parts, starts: self.starts.clone(), pool: Pool::default() }))
    }

    fn lowered(&self, row: usize, by: f64) -> Option<Box<dyn Mapping>> {
        let holder = self.starts.partition_point(|&start| start <= row) - 1;
        let part = |k: usize| match k == holder {
            true => self.parts[k].lowered(row - self.starts[k], by),
            false => Some(self.parts[k].fork()),
        };
        let parts = (0..self.parts.len()).map(part).collect::<Option<Vec<_>>>()?;
        Some(Box::new(Self { parts, starts: self.starts.clone(), pool: Pool::default() }))
    }

    fn restricted(&self, variables: &[usize]) -> Option<Box<dyn Mapping>> {
        let parts = self.parts.iter().map(|part| part.restricted(variables)).collect::<Option<Vec<_>>>()?;
        Some(Box::new(Self { parts, starts: self.starts.clone(), pool: Pool::default() }))
    }

    fn is_restrictable(&self) -> bool {
        self.parts.iter().all(|part| part.is_restrictable())
    }

    fn link(&self) -> Option<&Arc<Link>> {
        self.parts.iter().find_map(|part| part.link())
    }

    fn is_affine(&self, row: usize) -> bool {
        let (part, row) = self.locate(row);
        part.is_affine(row)
    }

    fn grounds(&self, row: usize) -> Grounds {
        let (part, row) = self.locate(row);
        part.grounds(row)
    }

    fn component(&self, row: usize) -> Option<&dyn Component> {
        let (part, row) = self.locate(row);
        part.component(row)
    }

    fn operations(&self) -> Option<u64> {
        self.parts.iter().map(|part| part.operations()).sum()
    }

    fn product_operations(&self) -> u64 {
        self.parts.iter().map(|part| part.product_operations()).fold(0, u64::saturating_add)
    }
}
