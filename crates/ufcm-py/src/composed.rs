//! h(A x - b) as one component, for bounds on norms and the like.

use ufcm::conic::{Expression, Form};
use ufcm::mapping::Affine;
use ufcm::oracle::{Component, Composer, Grounds, Mapping, OracleError};

/// A composer over an affine block, as a function of x. Where h has kinks, gradients are subgradients.
pub(crate) struct Composed {
    block: Affine,
    composer: Box<dyn Composer>,
}

impl Composed {
    /// `composer` takes as many rows as `block` has, and is finite everywhere.
    pub(crate) fn new(block: Affine, composer: Box<dyn Composer>) -> Self {
        Self { block, composer }
    }
}

impl Component for Composed {
    fn kind(&self) -> &'static str {
        self.composer.kind()
    }

    fn grounds(&self) -> Grounds {
        let rows = (0..self.block.rows()).map(|row| self.block.grounds(row));
        Grounds::weakest(rows).weaker(self.composer.grounds())
    }

    fn dimension(&self) -> usize {
        self.block.dimension()
    }

    fn evaluate(&self, x: &[f64], gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        let mut rows = vec![0.0; self.block.rows()];
        self.block.values(x, &mut rows)?;
        let value = self.composer.value(&rows);
        if let Some(gradient) = gradient {
            if gradient.len() != self.dimension() {
                let (expected, got) = (self.dimension(), gradient.len());
                return Err(OracleError::Length { what: "gradient", expected, got });
            }
            let mut slopes = vec![0.0; rows.len()];
            self.composer.multipliers_at(&rows, &mut slopes);
            self.block.apply_transpose(&slopes, gradient);
        }
        if value.is_finite() {
            Ok(value)
        } else {
            Err(OracleError::NotFinite { what: "value", index: None, value })
        }
    }

    /// The least value of h.
    fn lower_bound(&self) -> Option<f64> {
        Some(-self.composer.conjugate(&vec![0.0; self.block.rows()])).filter(|least| least.is_finite())
    }

    /// With it interior points take over where subgradients of a kinked h get nowhere.
    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        if !self.block.has_rows() {
            return None;
        }
        let (mut rows, mut scratch) = (Vec::with_capacity(self.block.rows()), Vec::new());
        for (row, offset) in self.block.offset().iter().enumerate() {
            let mut entries = Vec::new();
            self.block.with_row(row, &mut scratch, &mut |view| {
                view.for_each(|i, a| entries.extend((a != 0.0).then_some((i, a))));
            });
            rows.push(Expression::combination(entries, x).shifted(-offset));
        }
        self.composer.conic(form, &rows)
    }

    fn operations(&self) -> Option<u64> {
        self.block.operations().map(|once| 2 * once)
    }
}
