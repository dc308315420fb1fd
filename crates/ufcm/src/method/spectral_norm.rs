//! An upper bound of the norm of a Jacobian, which the step sizes of Algorithm 1 need: M_t = |nu^t|, the spectral norm.
//!
//! Few rows: |G| <= |G^k|_F^(1/k) for the Gram matrix G = J J'. k = 2^7 squarings bring the right-hand side within a factor
//! m^(1/256) of |J|, 1.02 for 64 rows. This is proven for every Jacobian.
//!
//! More rows: the cube of their number would outweigh the step itself. k steps of Lanczos' method give theta <= |G| from a start that
//! is uniform on the sphere. Kuczynski and Wozniakowski (SIAM J. Matrix Anal. Appl. 13, 1992, theorem 4.1): theta < (1 - e) |G|
//! has a probability of at most 1.648 sqrt(d) exp(-sqrt(e) (2k - 1)), d = min(m, n). With e = 0.05 and k = 80 that is less
//! than 1e-12 up to d = 1e6, so theta/(1 - e) is an upper bound, and at most 1.026 times too large for |J|. The start has a fixed
//! seed: the same bits in every run. The Frobenius norm of J is a bound as well, and taken where it is smaller.

use crate::budget::{Budget, Stop};
use crate::jacobian::ProxJacobian;
use crate::linalg::norm;
use crate::method::tuning::spectral::{LANCZOS_MARGIN, LANCZOS_SEED, LANCZOS_STEPS, SQUARED_ROWS, SQUARINGS};
use crate::oracle::Mapping;
use crate::random::Random;

/// Storage for either way; a bound allocates nothing.
pub(super) enum SpectralNorm {
    Squared(Box<Squared>),
    Lanczos(Box<Lanczos>),
}

impl SpectralNorm {
    pub(super) fn new(m: usize, n: usize) -> Self {
        if m <= SQUARED_ROWS {
            Self::Squared(Box::new(Squared::new(m, n)))
        } else {
            Self::Lanczos(Box::new(Lanczos::new(m, n)))
        }
    }

    /// An upper bound. Jacobians whose norm is at most `enough` need not be told apart: S_t is 1 for all of them.
    pub(super) fn bound(&mut self, mapping: &dyn Mapping, budget: &Budget, enough: f64) -> Result<f64, Stop> {
        match self {
            Self::Squared(squared) => squared.bound(mapping, budget),
            Self::Lanczos(lanczos) => lanczos.bound(mapping, budget, enough),
        }
    }
}

pub(super) struct Squared {
    rows: Vec<usize>,
    identity: ProxJacobian,
    scratch: Vec<f64>,
    gram: Vec<f64>,
    square: Vec<f64>,
    /// What rounding can have taken from the bound: each entry of G is off by (n + 2) u |a_i| |a_j| at most, and each square by
    /// m u of its norm.
    margin: f64,
}

impl Squared {
    fn new(m: usize, n: usize) -> Self {
        let mut identity = ProxJacobian::new();
        identity.start(n).diagonal().fill(1.0);
        let scratch = Vec::with_capacity((m + 1) * n + m);
        let margin = 1.0 + 2.0 * f64::EPSILON * (m * (n + 2 * m + 4)) as f64;
        Self {
            rows: (0..m).collect(),
            identity,
            scratch,
            gram: vec![0.0; m * m],
            square: vec![0.0; m * m],
            margin,
        }
    }

    fn bound(&mut self, mapping: &dyn Mapping, budget: &Budget) -> Result<f64, Stop> {
        let m = self.rows.len();
        mapping.gram(&self.identity, &self.rows, &mut self.scratch, &mut self.gram, budget)?;
        for j in 0..m {
            for i in 0..j {
                self.gram[j * m + i] = self.gram[i * m + j];
            }
        }
        // log of the bound: each round scales by the Frobenius norm, then squares.
        let (mut log, mut share) = (0.0, 1.0);
        for _ in 0..SQUARINGS {
            let norm = frobenius(&self.gram);
            if norm == 0.0 {
                return Ok(0.0);
            }
            self.gram.iter_mut().for_each(|g| *g /= norm);
            log += share * norm.ln();
            share *= 0.5;
            for i in 0..m {
                for j in 0..m {
                    let (row, column) = (&self.gram[i * m..][..m], &self.gram[j * m..][..m]);
                    self.square[i * m + j] = row.iter().zip(column).map(|(a, b)| a * b).sum();
                }
            }
            std::mem::swap(&mut self.gram, &mut self.square);
        }
        log += share * frobenius(&self.gram).ln();
        Ok((0.5 * log).exp() * self.margin)
    }
}

pub(super) struct Lanczos {
    /// Whether J'J is multiplied with, not J J': it has fewer variables.
    by_columns: bool,
    start: Vec<f64>,
    before: Vec<f64>,
    now: Vec<f64>,
    next: Vec<f64>,
    /// Vectors of the other length.
    image: Vec<f64>,
    /// A row of J.
    row: Vec<f64>,
    /// The tridiagonal matrix: its diagonal, and what is beside it.
    diagonal: Vec<f64>,
    beside: Vec<f64>,
}

impl Lanczos {
    fn new(m: usize, n: usize) -> Self {
        let (by_columns, order) = (n < m, m.min(n));
        let mut start = Random::new(LANCZOS_SEED).normals(order);
        let length = norm(&start);
        start.iter_mut().for_each(|v| *v /= length);
        let zeros = || vec![0.0; order];
        Self {
            by_columns,
            before: zeros(),
            now: zeros(),
            next: zeros(),
            start,
            image: vec![0.0; m.max(n)],
            row: vec![0.0; n],
            diagonal: Vec::with_capacity(LANCZOS_STEPS),
            beside: Vec::with_capacity(LANCZOS_STEPS),
        }
    }

    fn bound(&mut self, mapping: &dyn Mapping, budget: &Budget, enough: f64) -> Result<f64, Stop> {
        // Without rows at hand each would cost a product: more than the method itself.
        let by_entries = if mapping.has_rows() { self.frobenius(mapping) } else { f64::INFINITY };
        if by_entries <= enough {
            return Ok(by_entries);
        }
        self.tridiagonal(mapping, budget)?;
        let largest = largest_of_tridiagonal(&self.diagonal, &self.beside);
        Ok(by_entries.min((largest / (1.0 - LANCZOS_MARGIN)).sqrt()))
    }

    /// The recurrence, without orthogonalisation: rounding brings copies of eigenvalues, and hides none.
    fn tridiagonal(&mut self, mapping: &dyn Mapping, budget: &Budget) -> Result<(), Stop> {
        self.diagonal.clear();
        self.beside.clear();
        self.before.fill(0.0);
        self.now.copy_from_slice(&self.start);
        let mut beta = 0.0;
        for _ in 0..LANCZOS_STEPS {
            budget.inner_step()?;
            self.multiply(mapping);
            let alpha: f64 = self.next.iter().zip(&self.now).map(|(a, b)| a * b).sum();
            for ((next, now), before) in self.next.iter_mut().zip(&self.now).zip(&self.before) {
                *next -= alpha * now + beta * before;
            }
            self.diagonal.push(alpha);
            beta = norm(&self.next);
            let scale = self.diagonal.iter().copied().fold(0.0, f64::max);
            if beta <= 1e-14 * scale {
                break;
            }
            self.beside.push(beta);
            self.next.iter_mut().for_each(|v| *v /= beta);
            std::mem::swap(&mut self.before, &mut self.now);
            std::mem::swap(&mut self.now, &mut self.next);
        }
        Ok(())
    }

    /// next = G now.
    fn multiply(&mut self, mapping: &dyn Mapping) {
        if self.by_columns {
            mapping.apply(&self.now, &mut self.image);
            mapping.apply_transpose(&self.image, &mut self.next);
        } else {
            mapping.apply_transpose(&self.now, &mut self.image);
            mapping.apply(&self.image, &mut self.next);
        }
    }

    fn frobenius(&mut self, mapping: &dyn Mapping) -> f64 {
        let mut square = 0.0;
        for row in 0..mapping.rows() {
            mapping.jacobian_row(row, &mut self.row);
            square += self.row.iter().map(|a| a * a).sum::<f64>();
        }
        square.sqrt()
    }
}

/// The largest eigenvalue of a symmetric tridiagonal matrix, from above: bisection by the signs of the pivots of T - s I.
fn largest_of_tridiagonal(diagonal: &[f64], beside: &[f64]) -> f64 {
    let beside_of = |i: usize| beside.get(i).copied().unwrap_or(0.0);
    let radius = |i: usize| if i > 0 { beside_of(i - 1) } else { 0.0 } + beside_of(i);
    // Gershgorin's discs hold all eigenvalues; beside the last row stands what leads out of the matrix.
    let order = diagonal.len();
    let mut high = (0..order).map(|i| diagonal[i] + radius(i)).fold(0.0, f64::max);
    let mut low = diagonal.iter().copied().fold(0.0, f64::max);
    while high - low > 1e-13 * high {
        let middle = low.midpoint(high);
        if is_above(diagonal, beside, middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// Whether all eigenvalues lie below s: all pivots of T - s I are negative.
fn is_above(diagonal: &[f64], beside: &[f64], s: f64) -> bool {
    let mut pivot = f64::NEG_INFINITY;
    for (i, d) in diagonal.iter().enumerate() {
        let coupling = if i > 0 { beside[i - 1].powi(2) / pivot } else { 0.0 };
        pivot = d - s - coupling;
        if pivot >= 0.0 {
            return false;
        }
    }
    true
}

fn frobenius(matrix: &[f64]) -> f64 {
    matrix.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composer::Max;
    use crate::mapping::Affine;
    use crate::matrix::Matrix;
    use crate::problem::{Problem, Term};

    /// The bound for an affine block, and the Frobenius norm; entries are scaled by the row.
    fn bounds(m: usize, n: usize, seed: u64, decay: f64) -> (f64, f64, f64) {
        let mut values = Random::new(seed).normals(m * n);
        for (k, v) in values.iter_mut().enumerate() {
            *v *= (-decay * (k / n) as f64).exp();
        }
        let dense = faer::MatRef::from_row_major_slice(&values, m, n);
        let exact = dense.singular_values().unwrap()[0];
        let entries = frobenius(&values);
        let block = Affine::new(Matrix::row_major(m, n, values.clone()).unwrap(), vec![0.0; m]).unwrap();
        let problem = Problem::over(n).plus(Term::affine(Max::new(m).unwrap(), block)).build().unwrap();
        let mut mapping = problem.mapping();
        mapping.linearise(&vec![0.0; n], &mut vec![0.0; m + 1]).unwrap();
        let mut spectral = SpectralNorm::new(m + 1, n);
        let bound = spectral.bound(&*mapping, &Budget::unlimited(), 0.0).unwrap();
        (exact, bound, entries)
    }

    #[test]
    fn it_is_an_upper_bound_with_a_small_margin_for_any_number_of_rows() {
        for (m, n) in [(1, 5), (10, 3), (63, 70), (64, 70), (65, 40), (100, 100), (150, 400), (400, 150)] {
            for (seed, decay) in [(1, 0.0), (2, 0.0), (3, 0.02), (4, 0.3)] {
                let (exact, bound, entries) = bounds(m, n, seed, decay);
                let label = format!("{m} x {n}, seed {seed}: {bound} for {exact}, Frobenius {entries}");
                assert!(bound >= exact * (1.0 - 1e-12), "{label}");
                assert!(bound <= 1.03 * exact, "{label}");
            }
        }
    }

    #[test]
    fn equal_singular_values_and_nothing_at_all() {
        let identity =
            |n: usize| (0..n * n).map(|k| f64::from(u8::from(k % (n + 1) == 0))).collect::<Vec<f64>>();
        for (values, exact) in [(identity(90), 1.0), (vec![0.0; 90 * 90], 0.0)] {
            let block = Affine::new(Matrix::row_major(90, 90, values).unwrap(), vec![0.0; 90]).unwrap();
            let problem = Problem::over(90).plus(Term::affine(Max::new(90).unwrap(), block)).build().unwrap();
            let mut mapping = problem.mapping();
            mapping.linearise(&[0.0; 90], &mut [0.0; 91]).unwrap();
            let bound = SpectralNorm::new(91, 90).bound(&*mapping, &Budget::unlimited(), 0.0).unwrap();
            assert!((exact..=1.03 * exact).contains(&bound), "{bound} for {exact}");
        }
    }
}
