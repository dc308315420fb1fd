//! Dense symmetric matrices and their Cholesky factors.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{MatMut, MatRef, Par, Spec};

/// Room for the factorisation of matrices up to this order.
pub(super) fn room(order: usize) -> MemBuffer {
    MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(order, Par::Seq, Spec::default()))
}

/// A dense symmetric matrix, of which the lower triangle is stored by columns, or its Cholesky factor.
#[derive(Default)]
pub(super) struct Dense {
    order: usize,
    pub(super) entries: Vec<f64>,
}

impl Dense {
    pub(super) fn new(order: usize) -> Self {
        Self { order, entries: vec![0.0; order * order] }
    }

    pub(super) fn matrix(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.entries, self.order, self.order)
    }

    /// Factors in place, with a diagonal added that is small beside each entry; false where the matrix is not definite.
    pub(super) fn factor(&mut self, absolute: f64, relative: f64, buffer: &mut MemBuffer) -> bool {
        let order = self.order;
        for k in 0..order {
            let entry = &mut self.entries[k * order + k];
            *entry += absolute + relative * entry.abs();
        }
        let matrix = MatMut::from_column_major_slice_mut(&mut self.entries, order, order);
        let (options, spec) = (Default::default(), Spec::default());
        let done = llt::factor::cholesky_in_place(matrix, options, Par::Seq, MemStack::new(buffer), spec);
        done.is_ok()
    }

    /// L^-1 v in place.
    pub(super) fn forward(&self, v: &mut [f64]) {
        let v = MatMut::from_column_major_slice_mut(v, self.order, 1);
        solve_lower_triangular_in_place(self.matrix(), v, Par::Seq);
    }

    /// L^-T v in place.
    pub(super) fn backward(&self, v: &mut [f64]) {
        let v = MatMut::from_column_major_slice_mut(v, self.order, 1);
        solve_upper_triangular_in_place(self.matrix().transpose(), v, Par::Seq);
    }
}
