//! Is Q positive semidefinite? Cheap refutation, and proof on demand.

use super::KIND;
use super::form::Form;
use crate::budget::Budget;
use crate::error::DataError;
use crate::kernel::simd;
use crate::matrix::Matrix;
use crate::pool::Pool;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::linalg::solvers::{Ldlt, Llt};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{MatRef, Par, Side, Spec};

/// What counts as negative, relative to the size of Q.
const NEGATIVE: f64 = 1e-9;
/// Lanczos steps of the refutation: each is one product with Q. Of a large Q fewer, which is proven or audited later.
const STEPS: usize = 24;
const FEW_STEPS: usize = 3;
/// Order up to which a dense Q is factored at once: that costs no more than the search for a refutation.
const QUICK: usize = 300;
/// Entries of the largest factor of a sparse Q that is computed where a proof is asked for: 128 MB.
pub(super) const LARGEST_FACTOR: usize = 1 << 24;
/// Entries of the largest factor that is computed unasked, to tell on what convexity rests: that of a dense Q of order 1000,
/// which takes about 0.1 s.
pub(super) const SMALL_FACTOR: usize = 500_500;
/// The shift under which a Q counts as proven by its data, in units of n EPSILON times its size: what rounding in forming Q
/// and in factoring it explains.
const ROUNDING: f64 = 16.0;

fn refusal(witness: impl std::fmt::Display) -> DataError {
    DataError::structure(
        KIND,
        format!("Q is not positive semidefinite, so the quadratic is not convex: {witness}"),
    )
}

/// Whether a proof takes no longer than reading Q a few times.
pub(super) fn is_quickly_proven(form: &Form) -> bool {
    !matches!(form, Form::Dense(q) if q.order() > QUICK)
}

/// Looks for a direction of negative curvature in O(1) products with Q. Finding none proves nothing.
pub(super) fn refute(form: &Form, size: f64, pool: &Pool) -> Result<(), DataError> {
    if matches!(form, Form::Diagonal(_) | Form::Factored { .. }) {
        return Ok(());
    }
    let mut diagonal = vec![0.0; form.order()];
    form.add_diagonal(1.0, &mut diagonal);
    if let Some(i) = diagonal.iter().position(|&d| d < -NEGATIVE * size) {
        return Err(refusal(format_args!("Q[{i}, {i}] is {}", diagonal[i])));
    }
    let roots: Vec<f64> = diagonal.iter().map(|d| d.max(0.0).sqrt()).collect();
    if let Some((i, j, value)) =
        form.find_pair(|i, j, value| value.abs() > roots[i] * roots[j] + NEGATIVE * size)
    {
        let bound = (diagonal[i].max(0.0) * diagonal[j].max(0.0)).sqrt();
        let message =
            format!("|Q[{i}, {j}]| = {} exceeds the root of its diagonal entries, {bound}", value.abs());
        return Err(refusal(message));
    }
    let smallest = smallest_ritz_value(form, pool);
    if smallest < -NEGATIVE * size {
        return Err(refusal(format_args!("a direction with x'Qx = {smallest:e} |x|^2 was found")));
    }
    Ok(())
}

/// The smallest Ritz value of a few Lanczos steps: an upper bound of the smallest eigenvalue.
fn smallest_ritz_value(form: &Form, pool: &Pool) -> f64 {
    let n = form.order();
    // Any fixed vector without structure will do.
    let mut v: Vec<f64> = (0..n).map(|i| 1.0 + ((i as f64 + 1.0) * 12.9898).sin()).collect();
    normalise(&mut v);
    let (mut previous, mut w) = (vec![0.0; n], vec![0.0; n]);
    let (mut alphas, mut betas): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let steps = if is_quickly_proven(form) { STEPS } else { FEW_STEPS };
    for _ in 0..steps.min(n) {
        form.apply(&v, &mut w, pool);
        let alpha = simd::dot(&v, &w);
        simd::add_scaled(-alpha, &v, &mut w);
        simd::add_scaled(-betas.last().copied().unwrap_or(0.0), &previous, &mut w);
        alphas.push(alpha);
        let beta = normalise(&mut w);
        if beta <= f64::EPSILON * alpha.abs() {
            break;
        }
        betas.push(beta);
        std::mem::swap(&mut previous, &mut v);
        std::mem::swap(&mut v, &mut w);
    }
    smallest_of_tridiagonal(&alphas, &betas)
}

fn normalise(v: &mut [f64]) -> f64 {
    let norm = simd::dot(v, v).sqrt();
    if norm > 0.0 {
        v.iter_mut().for_each(|v| *v /= norm);
    }
    norm
}

/// The smallest eigenvalue of a symmetric tridiagonal matrix, by bisection on the count of negative pivots.
fn smallest_of_tridiagonal(alphas: &[f64], betas: &[f64]) -> f64 {
    let radius = |k: usize| {
        let before = if k > 0 { betas[k - 1].abs() } else { 0.0 };
        before + if k + 1 < alphas.len() { betas[k].abs() } else { 0.0 }
    };
    let discs = (0..alphas.len()).map(|k| alphas[k] - radius(k));
    let mut low = discs.fold(f64::INFINITY, f64::min);
    let mut high = alphas.iter().copied().fold(f64::INFINITY, f64::min);
    let below = |shift: f64| {
        let mut pivot = 1.0;
        (0..alphas.len()).any(|k| {
            let coupling = if k > 0 { betas[k - 1] * betas[k - 1] / pivot } else { 0.0 };
            pivot = alphas[k] - shift - coupling;
            pivot < 0.0
        })
    };
    for _ in 0..100 {
        let middle = low.midpoint(high);
        if below(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// Factors Q + shift I, the shift at the edge of what counts as negative, so that singular matrices are welcome. Answers
/// whether that was done: a sparse Q whose factor would be too large is left alone.
pub(super) fn prove(form: &Form) -> Result<bool, DataError> {
    factor(form, NEGATIVE * form.spectrum_bounds().1, LARGEST_FACTOR)
}

/// Whether the data themselves prove that Q is positive semidefinite, up to the rounding of its entries, in a factor of at most
/// so many entries: by the form, by discs, or by factoring Q with no more than that rounding added.
pub(super) fn is_proven(form: &Form, largest: usize) -> bool {
    let (least, size) = form.spectrum_bounds();
    let n = form.order();
    if least > 0.0 || matches!(form, Form::Diagonal(_) | Form::Factored { .. }) {
        return true;
    }
    if matches!(form, Form::Dense(_)) && largest < n * (n + 1) / 2 {
        return false;
    }
    let shift = ROUNDING * n as f64 * f64::EPSILON * size;
    match form {
        Form::Dense(_) => shift == 0.0 || has_cholesky_factor(form, shift),
        _ => factor(form, shift, largest) == Ok(true),
    }
}

/// Whether Q + shift I is positive definite, by the fastest factorisation there is.
fn has_cholesky_factor(form: &Form, shift: f64) -> bool {
    let n = form.order();
    let q = shifted(form, shift);
    Llt::new(MatRef::from_column_major_slice(&q, n, n), Side::Lower).is_ok()
}

/// The lower triangle of Q + shift I, by columns.
fn shifted(form: &Form, shift: f64) -> Vec<f64> {
    let n = form.order();
    let mut q = vec![0.0; n * n];
    // Without a limit nothing stops it.
    let _ = form.add_lower_triangle(1.0, &mut q, &Pool::default(), &Budget::unlimited());
    (0..n).for_each(|i| q[i * n + i] += shift);
    q
}

fn factor(form: &Form, shift: f64, largest: usize) -> Result<bool, DataError> {
    if shift == 0.0 {
        return Ok(true); // Q = 0
    }
    match form {
        Form::Diagonal(_) | Form::Factored { .. } => Ok(true),
        Form::Dense(_) => factor_dense(form, shift).map(|()| true),
        Form::Sparse(q) => factor_sparse(q, shift, largest),
    }
}

/// Q + shift I = L D L', by the signs of D.
fn factor_dense(form: &Form, shift: f64) -> Result<(), DataError> {
    let n = form.order();
    let q = shifted(form, shift);
    let factors = Ldlt::new(MatRef::from_column_major_slice(&q, n, n), Side::Lower);
    let pivots = factors.as_ref().ok().map(|factors| factors.D().column_vector());
    match pivots.map(|d| (0..n).find(|&i| d[i] < 0.0 || !d[i].is_finite())) {
        Some(None) => Ok(()),
        Some(Some(i)) => Err(refusal(format_args!("pivot {i} of its factorisation is negative"))),
        None => Err(refusal("it has no LDL' factorisation")),
    }
}

/// Q + shift I = L L' in an order that keeps L sparse; `false` where L would be too large all the same.
fn factor_sparse(q: &Matrix, shift: f64, largest: usize) -> Result<bool, DataError> {
    let n = q.columns();
    let mut entries: Vec<_> = (0..n).map(|i| Triplet::new(i, i, shift)).collect();
    q.for_each(|i, j, value| {
        if i >= j {
            entries.push(Triplet::new(i, j, value));
        }
    });
    let unfit = |error: &dyn std::fmt::Debug| DataError::structure(KIND, format!("Q: {error:?}"));
    let lower =
        SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &entries).map_err(|error| unfit(&error))?;
    let (order, parameters) = (SymmetricOrdering::Amd, CholeskySymbolicParams::default());
    let symbolic = factorize_symbolic_cholesky(lower.symbolic(), Side::Lower, order, parameters);
    let symbolic = symbolic.map_err(|error| unfit(&error))?;
    if symbolic.len_val() > largest {
        return Ok(false);
    }
    let mut factor = vec![0.0; symbolic.len_val()];
    let mut scratch =
        MemBuffer::new(symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default()));
    let factored = symbolic.factorize_numeric_llt(
        &mut factor,
        lower.as_ref(),
        Side::Lower,
        LltRegularization::default(),
        Par::Seq,
        MemStack::new(&mut scratch),
        Spec::default(),
    );
    // Any error is a pivot that is not positive.
    factored.map(|_| true).map_err(|_| refusal("its sparse factorisation meets a negative pivot"))
}
