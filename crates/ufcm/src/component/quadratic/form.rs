//! The four ways to hold Q.

use super::KIND;
use crate::budget::{Budget, Stop};
use crate::error::{DataError, DataProblem, check_all_nonnegative, check_length};
use crate::kernel::{self, RowFold, Symmetric, simd, sums};
use crate::matrix::Matrix;
use crate::pool::Pool;

/// How far q_ij and q_ji may be apart, relative to the largest entry.
const UNEQUAL: f64 = 1e-10;

/// A symmetric matrix Q of order n.
#[derive(Debug, Clone)]
pub(super) enum Form {
    Dense(Symmetric),
    /// Both triangles are stored.
    Sparse(Matrix),
    Diagonal(Vec<f64>),
    /// F'F + diag(d); `squares` is its diagonal.
    Factored {
        factor: Matrix,
        diagonal: Option<Vec<f64>>,
        squares: Vec<f64>,
    },
}

/// r_i = t_i: the gradient of |F x|^2 / 2 is F'(F x), in one pass over F.
struct Identity;

impl RowFold for Identity {
    type State = ();

    fn start(&self) {}

    fn tile(&self, (): &mut (), _first: usize, _t: &mut [f64]) -> f64 {
        1.0
    }

    fn merge(&self, (): &mut (), (): &()) {}

    fn share(&self, (): &(), (): &()) -> f64 {
        1.0
    }
}

fn nonempty(field: &'static str, size: usize) -> Result<(), DataError> {
    if size > 0 { Ok(()) } else { Err(DataError::new(KIND, DataProblem::Empty { field })) }
}

impl Form {
    pub(super) fn symmetric(q: &Matrix) -> Result<Self, DataError> {
        let n = q.columns();
        nonempty("Q", n)?;
        check_length(KIND, "a column of Q", n, q.rows())?;
        match q {
            Matrix::Dense(dense) => {
                let rows = dense.entries().doubles();
                let apart = kernel::asymmetry(n, &rows);
                if let Some(shared) = dense.shared_doubles().filter(|_| apart == 0.0) {
                    return Ok(Self::Dense(Symmetric::shared(n, shared)));
                }
                let scale = sums::largest(&rows);
                if apart > UNEQUAL * scale {
                    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
                    pairs.into_iter().try_for_each(|(i, j)| {
                        check_symmetric(i, j, rows[i * n + j], rows[j * n + i], scale)
                    })?;
                }
                // The mean is symmetric to the last bit, whichever triangle was rounded how.
                Ok(Self::Dense(Symmetric::mean_of(n, &rows)))
            }
            Matrix::Sparse(sparse) => {
                let rows = sparse.by_rows();
                let mut scale: f64 = 0.0;
                rows.for_each(|_, _, v| scale = scale.max(v.abs()));
                for i in 0..n {
                    let (columns, values) = rows.line(i);
                    for (&j, &value) in columns.iter().zip(values) {
                        let (mirror, entries) = rows.line(j as usize);
                        let other = mirror.binary_search(&(i as u32)).map_or(0.0, |k| entries[k]);
                        check_symmetric(i, j as usize, value, other, scale)?;
                    }
                }
                Ok(Self::Sparse(q.clone()))
            }
        }
    }

    pub(super) fn diagonal(diagonal: Vec<f64>) -> Result<Self, DataError> {
        nonempty("the diagonal", diagonal.len())?;
        check_all_nonnegative(KIND, "the diagonal", &diagonal)?;
        Ok(Self::Diagonal(diagonal))
    }

    pub(super) fn factored(factor: Matrix, diagonal: Option<Vec<f64>>) -> Result<Self, DataError> {
        nonempty("the factor", factor.columns())?;
        if let Some(diagonal) = &diagonal {
            check_length(KIND, "the diagonal", factor.columns(), diagonal.len())?;
            check_all_nonnegative(KIND, "the diagonal", diagonal)?;
        }
        let mut squares = diagonal.clone().unwrap_or_else(|| vec![0.0; factor.columns()]);
        factor.for_each(|_, j, a| squares[j] += a * a);
        Ok(Self::Factored { factor, diagonal, squares })
    }

    pub(super) fn order(&self) -> usize {
        match self {
            Self::Dense(q) => q.order(),
            Self::Sparse(q) => q.columns(),
            Self::Diagonal(d) => d.len(),
            Self::Factored { factor, .. } => factor.columns(),
        }
    }

    pub(super) fn operations(&self) -> u64 {
        match self {
            Self::Dense(q) => 2 * (q.order() as u64).pow(2),
            Self::Sparse(q) => 2 * q.stored() as u64,
            Self::Diagonal(d) => d.len() as u64,
            Self::Factored { factor, .. } => 4 * factor.stored() as u64,
        }
    }

    /// The rows and columns of these indices, in increasing order.
    pub(super) fn restricted(&self, indices: &[usize]) -> Option<Self> {
        let of = |entries: &[f64]| indices.iter().map(|&i| entries[i]).collect::<Vec<_>>();
        Some(match self {
            Self::Dense(q) => {
                let entry = |i: usize, j: usize| Ok::<_, DataError>(q.row(indices[i])[indices[j]]);
                Self::Dense(Symmetric::try_from_fn(indices.len(), entry).ok()?)
            }
            Self::Sparse(q) => Self::Sparse(q.selected(indices).ok()?.with_columns(indices).ok()?),
            Self::Diagonal(d) => Self::Diagonal(of(d)),
            Self::Factored { factor, diagonal, squares } => Self::Factored {
                factor: factor.with_columns(indices).ok()?,
                diagonal: diagonal.as_deref().map(of),
                squares: of(squares),
            },
        })
    }

    /// `out = Q x`.
    pub(super) fn apply(&self, x: &[f64], out: &mut [f64], pool: &Pool) {
        match self {
            Self::Dense(q) => q.apply(x, out, pool),
            Self::Sparse(q) => q.apply(x, out),
            Self::Diagonal(d) => {
                out.iter_mut().zip(d).zip(x).for_each(|((out, d), x)| *out = d * x);
            }
            Self::Factored { factor, diagonal, .. } => {
                kernel::evaluate(factor, Some(x), Some(out), &Identity, pool);
                if let Some(d) = diagonal {
                    out.iter_mut().zip(d).zip(x).for_each(|((out, d), x)| *out += d * x);
                }
            }
        }
    }

    /// Adds `weight` times the diagonal of Q.
    pub(super) fn add_diagonal(&self, weight: f64, out: &mut [f64]) {
        match self {
            Self::Dense(q) => (0..q.order()).for_each(|i| out[i] += weight * q.row(i)[i]),
            Self::Sparse(q) => q.for_each(|i, j, value| {
                if i == j {
                    out[i] += weight * value;
                }
            }),
            Self::Diagonal(d) | Self::Factored { squares: d, .. } => {
                out.iter_mut().zip(d).for_each(|(out, d)| *out += weight * d);
            }
        }
    }

    /// Adds `weight` times the lower triangle of Q to a matrix stored by columns.
    pub(super) fn add_lower_triangle(
        &self,
        weight: f64,
        out: &mut [f64],
        pool: &Pool,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let n = self.order();
        match self {
            Self::Dense(q) => q.add_to_columns(weight, out),
            Self::Sparse(q) => q.for_each(|i, j, value| {
                if i >= j {
                    out[j * n + i] += weight * value;
                }
            }),
            Self::Diagonal(d) => {
                d.iter().enumerate().for_each(|(i, d)| out[i * n + i] += weight * d);
            }
            Self::Factored { factor, diagonal, .. } => {
                pool.with(factor.rows(), |weights| {
                    weights.fill(weight);
                    kernel::add_gram(factor, weights, out, pool, budget)
                })?;
                if let Some(d) = diagonal {
                    d.iter().enumerate().for_each(|(i, d)| out[i * n + i] += weight * d);
                }
            }
        }
        Ok(())
    }

    /// `weight` times the entries of the lower triangle of Q, where it is stored by entries.
    pub(super) fn lower_entries(&self, weight: f64) -> Option<Vec<(usize, usize, f64)>> {
        match self {
            Self::Sparse(q) => {
                let mut entries = Vec::with_capacity(q.stored() / 2 + self.order());
                q.for_each(|i, j, value| {
                    if i >= j {
                        entries.push((i, j, weight * value));
                    }
                });
                Some(entries)
            }
            Self::Diagonal(d) => Some(d.iter().enumerate().map(|(i, d)| (i, i, weight * d)).collect()),
            Self::Dense(_) | Self::Factored { .. } => None,
        }
    }

    /// (mu, L) with mu |x|^2 <= x'Qx <= L |x|^2, given that Q is positive semidefinite: from discs, the Frobenius
    /// norm and the form, never from a decomposition.
    pub(super) fn spectrum_bounds(&self) -> (f64, f64) {
        match self {
            Self::Diagonal(d) => extremes(d),
            Self::Factored { factor, diagonal, .. } => {
                let (mut rows, mut columns) = (vec![0.0; factor.rows()], vec![0.0; factor.columns()]);
                let mut square = 0.0;
                factor.for_each(|i, j, a| {
                    rows[i] += a.abs();
                    columns[j] += a.abs();
                    square += a * a;
                });
                let gram = (extremes(&rows).1 * extremes(&columns).1).min(square);
                let (low, high) = diagonal.as_deref().map_or((0.0, 0.0), extremes);
                (low, high + gram)
            }
            Self::Dense(_) | Self::Sparse(_) => {
                let n = self.order();
                let (mut diagonal, mut radius, mut square) = (vec![0.0; n], vec![0.0; n], 0.0);
                if let Self::Dense(q) = self {
                    for i in 0..n {
                        let (own, row) = (q.row(i)[i], &q.row(i)[..i]);
                        diagonal[i] = own;
                        square += 2.0 * simd::dot(row, row) + own * own;
                        radius[i] += sums::absolute_sum(row);
                        simd::vectorised(|| radius.iter_mut().zip(row).for_each(|(sum, q)| *sum += q.abs()));
                    }
                } else {
                    self.for_each_pair(|i, j, value| {
                        if i == j {
                            diagonal[i] = value;
                            square += value * value;
                        } else {
                            radius[i] += value.abs();
                            radius[j] += value.abs();
                            square += 2.0 * value * value;
                        }
                    });
                }
                let discs = diagonal.iter().zip(&radius);
                let (mut low, mut high) = (f64::INFINITY, 0.0f64);
                for (d, r) in discs {
                    low = low.min(d - r);
                    // Of |d|, so that the bound is zero for Q = 0 alone, also while Q is still under suspicion.
                    high = high.max(d.abs() + r);
                }
                (low.max(0.0), high.min(square.sqrt()))
            }
        }
    }

    /// The first of the entries with i > j of a dense or sparse Q that `is_wanted`.
    pub(super) fn find_pair(
        &self,
        is_wanted: impl Fn(usize, usize, f64) -> bool,
    ) -> Option<(usize, usize, f64)> {
        if let Self::Dense(q) = self {
            let place = |i: usize| {
                let row = &q.row(i)[..i];
                // All of a row without a branch first: it vectorises.
                let any = row.iter().enumerate().fold(false, |any, (j, value)| any | is_wanted(i, j, *value));
                any.then(|| row.iter().enumerate().find(|(j, value)| is_wanted(i, *j, **value))).flatten()
            };
            return (0..q.order()).find_map(|i| place(i).map(|(j, value)| (i, j, *value)));
        }
        let mut found = None;
        self.for_each_pair(|i, j, value| {
            if found.is_none() && i != j && is_wanted(i, j, value) {
                found = Some((i, j, value));
            }
        });
        found
    }

    /// Calls `visit(i, j, q_ij)` for the stored entries with i >= j of a dense or sparse Q.
    pub(super) fn for_each_pair(&self, mut visit: impl FnMut(usize, usize, f64)) {
        match self {
            Self::Dense(q) => {
                for i in 0..q.order() {
                    q.row(i).iter().enumerate().for_each(|(j, &value)| visit(i, j, value));
                }
            }
            Self::Sparse(q) => q.for_each(|i, j, value| {
                if i >= j {
                    visit(i, j, value);
                }
            }),
            Self::Diagonal(_) | Self::Factored { .. } => {}
        }
    }
}

fn check_symmetric(i: usize, j: usize, a: f64, b: f64, scale: f64) -> Result<(), DataError> {
    if (a - b).abs() <= UNEQUAL * scale {
        return Ok(());
    }
    let message = format!("Q is not symmetric: Q[{i}, {j}] is {a} and Q[{j}, {i}] is {b}");
    Err(DataError::structure(KIND, message))
}

fn extremes(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, 0.0), |(low, high), &v| (low.min(v), f64::max(high, v)))
}
