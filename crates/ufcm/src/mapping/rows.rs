//! Scalar components, one for each row, with a dense Jacobian.

use crate::budget::Budget;
use crate::component::ComponentExt;
use crate::error::{DataError, DataProblem, check_length};
use crate::kernel::simd;
use crate::linalg::RowView;
use crate::oracle::guard::guarded;
use crate::oracle::{Between, Component, Mapping, OracleError, QuadraticForm};
use crate::pool::Pool;
use crate::ranks::{Call, Link};
use crate::scaling::InUnits;
use rayon::prelude::*;
use std::sync::Arc;

/// Operations from which on the rows are evaluated side by side.
const PARALLEL_OPERATIONS: u64 = 1 << 17;

/// g = (g_1, ..., g_m), each a scalar component.
///
/// ```
/// use std::sync::Arc;
/// use ufcm::component::{Linear, Quadratic};
/// use ufcm::mapping::Rows;
/// use ufcm::oracle::Mapping;
///
/// let g0 = Arc::new(Quadratic::diagonal(vec![2.0, 2.0])?);
/// let g1 = Arc::new(Linear::new(vec![1.0, 1.0], -1.0)?);
/// let mut rows = Rows::new(vec![g0, g1])?;
/// let (mut values, mut slope) = ([0.0; 2], [0.0; 2]);
/// rows.linearise(&[1.0, 2.0], &mut values)?;
/// assert_eq!(values, [5.0, 2.0]);
/// rows.apply_transpose(&[1.0, 10.0], &mut slope);
/// assert_eq!(slope, [12.0, 14.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Rows {
    components: Arc<[Arc<dyn Component>]>,
    n: usize,
    parallel: bool,
    /// What some components are spread over; their rows are added up together.
    link: Option<Arc<Link>>,
    /// Gradient after gradient; zeros before the first linearisation.
    jacobian: Vec<f64>,
    budget: Budget,
    pool: Pool,
}

impl Rows {
    /// The mapping of these components.
    ///
    /// # Errors
    /// No components, or different numbers of variables.
    pub fn new(components: Vec<Arc<dyn Component>>) -> Result<Self, DataError> {
        const KIND: &str = "rows";
        let Some(first) = components.first() else {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "components" }));
        };
        let n = first.dimension();
        for component in &components {
            check_length(KIND, "x", n, component.dimension())?;
        }
        // What a user's closure costs is unknown, and it may hold a lock of its own: one after the other then.
        let operations: Option<u64> = components.iter().map(|g| g.operations()).sum();
        let parallel = components.len() > 1 && operations.is_some_and(|total| total >= PARALLEL_OPERATIONS);
        let jacobian = vec![0.0; components.len() * n];
        let link = components.iter().find_map(|g| g.link()).cloned();
        let budget = Budget::unlimited();
        Ok(Self { components: components.into(), n, parallel, link, jacobian, budget, pool: Pool::default() })
    }

    /// What follows from an evaluation of all rows on this rank: where components are spread over ranks, one exchange adds up all their values, and
    /// gradients where there are any, and tells what failed anywhere.
    fn shared(
        &self,
        x: &[f64],
        values: &mut [f64],
        mut gradients: Option<&mut [f64]>,
        own: Result<(), OracleError>,
    ) -> Result<(), OracleError> {
        let Some(link) = &self.link else { return own };
        if let Err(stopped @ OracleError::Stopped(_)) = &own
            && self.budget.is_agreed()
        {
            return Err(stopped.clone());
        }
        let n = if gradients.is_some() { self.n } else { 0 };
        let spread: Vec<usize> = (0..values.len()).filter(|&j| self.components[j].link().is_some()).collect();
        let mut numbers: Vec<f64> = spread.iter().map(|&j| values[j]).collect();
        for &j in &spread {
            numbers.extend(gradients.as_deref().into_iter().flat_map(|all| &all[j * n..(j + 1) * n]));
        }
        let call = if gradients.is_some() { Call::Gradients } else { Call::Values };
        link.exchange(call, x, &mut numbers, own)?;
        let (sums, slopes) = numbers.split_at(spread.len());
        for (k, &j) in spread.iter().enumerate() {
            values[j] = OracleError::check_value(sums[k]).map_err(|error| error.in_row(j))?;
            if let Some(all) = gradients.as_deref_mut() {
                all[j * n..(j + 1) * n].copy_from_slice(&slopes[k * n..(k + 1) * n]);
                OracleError::check_finite("gradient", &all[j * n..(j + 1) * n])
                    .map_err(|error| error.in_row(j))?;
            }
        }
        Ok(())
    }

    /// The `wanted` rows on this rank, with their gradients.
    fn linearise_here(
        &self,
        x: &[f64],
        wanted: impl Fn(usize) -> bool + Sync,
        values: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), OracleError> {
        let budget = &self.budget;
        let one = |j: usize, g: &Arc<dyn Component>, gradient: &mut [f64], value: &mut f64| {
            if wanted(j) { row(budget, j, g, x, Some(gradient), value) } else { Ok(()) }
        };
        let _parts = self.link.as_deref().map(Link::defer);
        if self.parallel && rayon::current_num_threads() > 1 {
            let gradients = jacobian.par_chunks_exact_mut(self.n);
            let each = self.components.par_iter().zip(gradients).zip(values).enumerate();
            return each
                .map(|(j, ((g, gradient), value))| one(j, g, gradient, value))
                .reduce(done, Result::and);
        }
        let gradients = jacobian.chunks_exact_mut(self.n);
        let mut each = self.components.iter().zip(gradients).zip(values).enumerate();
        each.try_for_each(|(j, ((g, gradient), value))| one(j, g, gradient, value))
    }

    /// The values of all rows on this rank.
    fn values_here(&self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError> {
        let budget = &self.budget;
        let _parts = self.link.as_deref().map(Link::defer);
        if self.parallel && rayon::current_num_threads() > 1 {
            let each = self.components.par_iter().zip(values).enumerate();
            return each.map(|(j, (g, value))| row(budget, j, g, x, None, value)).reduce(done, Result::and);
        }
        let mut each = self.components.iter().zip(values).enumerate();
        each.try_for_each(|(j, (g, value))| row(budget, j, g, x, None, value))
    }

    fn row(&self, j: usize) -> &[f64] {
        &self.jacobian[j * self.n..][..self.n]
    }
}

/// What an evaluation of a component counts as a read of its data: its operations, or those of as many samples as variables where it does
/// not tell.
pub(crate) fn read_operations(component: &dyn Component) -> u64 {
    component.operations().unwrap_or_else(|| 4 * (component.dimension() as u64).pow(2))
}

/// Evaluates row `j`, if the budget allows it.
fn row(
    budget: &Budget,
    j: usize,
    component: &Arc<dyn Component>,
    x: &[f64],
    gradient: Option<&mut [f64]>,
    value: &mut f64,
) -> Result<(), OracleError> {
    budget.component()?;
    budget.note_read(read_operations(&**component));
    *value = guarded(&**component, x, gradient).map_err(|e| e.in_row(j))?;
    Ok(())
}

fn quadratic_of(component: &Arc<dyn Component>) -> Result<&dyn QuadraticForm, OracleError> {
    let unsupported = OracleError::Unsupported { oracle: component.kind(), what: "products" };
    component.quadratic().ok_or(unsupported)
}

/// The value of a quadratic between two points, and its gradient in `product`.
fn finish(component: &Arc<dyn Component>, at: Between<'_>, product: &mut [f64]) -> Result<f64, OracleError> {
    at.combine(product);
    let value = OracleError::check_value(quadratic_of(component)?.finish(at.x, product))?;
    OracleError::check_finite("gradient", product)?;
    Ok(value)
}

/// The start of a reduction with `Result::and`, which reports the lowest row that failed, not the first in time.
fn done() -> Result<(), OracleError> {
    Ok(())
}

impl Mapping for Rows {
    fn dimension(&self) -> usize {
        self.n
    }

    fn rows(&self) -> usize {
        self.components.len()
    }

    fn fork(&self) -> Box<dyn Mapping> {
        Box::new(self.clone())
    }

    fn set_budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    fn linearise(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_length("values", self.components.len(), values.len())?;
        let mut jacobian = std::mem::take(&mut self.jacobian);
        let own = self.linearise_here(x, |_| true, values, &mut jacobian);
        let all = self.shared(x, values, Some(&mut jacobian), own);
        self.jacobian = jacobian;
        all
    }

    fn linearise_some(&mut self, x: &[f64], wanted: &[bool], values: &mut [f64]) -> Result<(), OracleError> {
        // Ranks exchange all rows at once.
        if self.link.is_some() {
            return self.linearise(x, values);
        }
        OracleError::check_length("values", self.components.len(), values.len())?;
        let mut jacobian = std::mem::take(&mut self.jacobian);
        let done = self.linearise_here(x, |row| wanted[row], values, &mut jacobian);
        self.jacobian = jacobian;
        done
    }

    fn values(&self, x: &[f64], values: &mut [f64]) -> Result<(), OracleError> {
        OracleError::check_length("values", self.components.len(), values.len())?;
        let own = self.values_here(x, values);
        self.shared(x, values, None, own)
    }

    fn link(&self) -> Option<&Arc<Link>> {
        self.link.as_ref()
    }

    fn image_size(&self) -> Option<usize> {
        // Ranks do not add up products.
        let all = self.link.is_none() && self.components.iter().all(|g| g.quadratic().is_some());
        all.then_some(self.components.len() * self.n)
    }

    fn image(&self, x: &[f64], image: &mut [f64]) -> Result<(), OracleError> {
        let product = |(component, out): (&Arc<dyn Component>, &mut [f64])| {
            self.budget.component()?;
            self.budget.note_read(read_operations(&**component));
            quadratic_of(component)?.product(x, out);
            Ok(())
        };
        if self.parallel && rayon::current_num_threads() > 1 {
            let each = self.components.par_iter().zip(image.par_chunks_exact_mut(self.n));
            return each.map(product).reduce(done, Result::and);
        }
        self.components.iter().zip(image.chunks_exact_mut(self.n)).try_for_each(product)
    }

    fn linearise_between(&mut self, at: Between<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        let gradients = self.jacobian.chunks_exact_mut(self.n);
        for (j, (gradient, value)) in gradients.zip(values).enumerate() {
            *value = finish(&self.components[j], at.part(j * self.n..(j + 1) * self.n), gradient)
                .map_err(|e| e.in_row(j))?;
        }
        Ok(())
    }

    fn values_between(&self, at: Between<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        self.pool.with(self.n, |product| {
            for (j, value) in values.iter_mut().enumerate() {
                *value = finish(&self.components[j], at.part(j * self.n..(j + 1) * self.n), product)
                    .map_err(|e| e.in_row(j))?;
            }
            Ok(())
        })
    }

    fn apply(&self, w: &[f64], out: &mut [f64]) {
        simd::row_dots(&self.jacobian, w, out);
    }

    fn apply_transpose(&self, multipliers: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        simd::add_rows(&self.jacobian, multipliers, out);
    }

    fn jacobian_row(&self, row: usize, out: &mut [f64]) {
        out.copy_from_slice(self.row(row));
    }

    fn with_row(&self, row: usize, _scratch: &mut Vec<f64>, look: &mut dyn FnMut(RowView<'_>)) {
        look(RowView::Dense(self.row(row)));
    }

    fn in_units(&self, rows: &[f64], columns: &Arc<[f64]>) -> Option<Box<dyn Mapping>> {
        let scaled = |(g, r): (&Arc<dyn Component>, &f64)| -> Arc<dyn Component> {
            Arc::new(InUnits::new(g.clone(), *r, columns))
        };
        let components = self.components.iter().zip(rows).map(scaled).collect();
        Some(Box::new(Self { components, budget: self.budget.clone(), ..self.clone() }))
    }

    fn lowered(&self, row: usize, by: f64) -> Option<Box<dyn Mapping>> {
        let mut components = self.components.to_vec();
        components[row] = Arc::new(components[row].clone().shifted(-by).ok()?);
        Some(Box::new(Self { components: components.into(), ..self.clone() }))
    }

    fn restricted(&self, variables: &[usize]) -> Option<Box<dyn Mapping>> {
        let components = self.components.iter().map(|g| g.restricted(variables)).collect::<Option<_>>()?;
        let mut rows = Self::new(components).ok()?;
        rows.set_budget(&self.budget);
        Some(Box::new(rows))
    }

    fn is_restrictable(&self) -> bool {
        self.components.iter().all(|component| component.is_restrictable())
    }

    fn is_affine(&self, row: usize) -> bool {
        self.components[row].is_affine()
    }

    fn component(&self, row: usize) -> Option<&dyn Component> {
        self.components.get(row).map(|component| &**component)
    }

    fn operations(&self) -> Option<u64> {
        self.components.iter().map(|component| component.operations()).sum()
    }
}
