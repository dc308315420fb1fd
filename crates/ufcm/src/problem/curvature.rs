//! Second derivatives of several rows added up, with one exchange where ranks have parts of them.

use super::Problem;
use crate::oracle::{Curvature, OracleError};
use crate::ranks::Call;

impl Problem {
    /// Calls `add(row, curvature, out)` for each of these rows that has a curvature. What is added for rows that ranks have parts of is added up over all ranks, once
    /// for all rows. Of a matrix of n columns the lower triangle counts.
    ///
    /// # Errors
    /// The first that `add` tells, with its row, or that it tells on another rank.
    pub(crate) fn add_curvature(
        &self,
        call: Call,
        x: &[f64],
        rows: impl IntoIterator<Item = usize>,
        out: &mut [f64],
        mut add: impl FnMut(usize, &dyn Curvature, &mut [f64]) -> Result<(), OracleError>,
    ) -> Result<(), OracleError> {
        let (mut spread, mut own) = (Vec::new(), Ok(()));
        for row in rows {
            let Some(component) = self.component(row) else { continue };
            let Some(curvature) = component.curvature() else { continue };
            let added = match component.link() {
                None => add(row, curvature, out),
                Some(link) => {
                    spread.resize(out.len(), 0.0);
                    let _parts = link.defer();
                    add(row, curvature, &mut spread)
                }
            };
            own = added.map_err(|error| error.in_row(row));
            if own.is_err() {
                break;
            }
        }
        self.exchange_curvature(call, x, spread, out, own)
    }

    fn exchange_curvature(
        &self,
        call: Call,
        x: &[f64],
        mut spread: Vec<f64>,
        out: &mut [f64],
        own: Result<(), OracleError>,
    ) -> Result<(), OracleError> {
        let Some(link) = self.link() else { return own };
        if let Err(stopped @ OracleError::Stopped(_)) = &own
            && self.budget.is_agreed()
        {
            return Err(stopped.clone());
        }
        spread.resize(out.len(), 0.0);
        let n = self.dimension();
        let is_matrix = out.len() == n * n && n > 1;
        let counts = |k: &usize| !is_matrix || k % n >= k / n;
        let mut numbers: Vec<f64> = (0..out.len()).filter(counts).map(|k| spread[k]).collect();
        link.exchange(call, x, &mut numbers, own)?;
        (0..out.len()).filter(counts).zip(numbers).for_each(|(k, sum)| out[k] += sum);
        Ok(())
    }
}
