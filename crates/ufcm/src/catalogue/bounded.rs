//! h(g(x)) <= bound, for every composer of the catalogue.

use super::entry::{Bound, ComposerEntry};
use super::{Built, Rows, Values};
use crate::component::{ComponentExt, LeastSquares, Linear, Reduction};
use crate::composer::{Nonpositive, Sublevel};
use crate::error::check_finite_scalar;
use crate::mapping::Affine;
use crate::oracle::{Composer, Mapping};
use crate::problem::{BoundedTerm, Constraint, IntoConstraint};

impl ComposerEntry {
    /// The constraint that what the composer makes of its rows is at most `bound` (decision 0046).
    ///
    /// # Errors
    /// A value that cannot be, by its field; a bound that no point, or none but the least, satisfies.
    pub fn constraint(&self, values: &mut Values, rows: Rows, bound: f64) -> Built<Constraint> {
        check_finite_scalar(self.kind.name, "at_most", bound)?;
        let weight = values.number("weight").unwrap_or(1.0);
        let is_sound = weight > 0.0 && weight.is_finite() && rows.count() > 0;
        let least = bound / weight;
        match (self.bound, rows) {
            (Bound::EachRow, rows) if is_sound => {
                let count = rows.count();
                let composer = self.compose(&mut values.clone(), rows.clone())?.0;
                let whole = BoundedTerm::rows(composer.into(), weight, bound);
                let constraint =
                    rows.minus(&vec![least; count])?.constrained_by(Box::new(Nonpositive::new(count)));
                Ok(constraint.lowered_by(vec![least; count]).of_term(whole))
            }
            (Bound::BothSides, Rows::Affine(affine)) if is_sound && least > 0.0 => {
                let sides = vec![least; affine.offset().len()];
                let composer = self.compose(&mut values.clone(), Rows::Affine(affine.clone()))?.0;
                let whole = BoundedTerm::sides(composer.into(), weight, bound);
                Ok(affine.between(sides.iter().map(|side| -side).collect(), sides).of_term(whole))
            }
            (Bound::Norm | Bound::BothSides, Rows::Affine(affine)) if is_sound && least <= 0.0 => {
                // Rows that are 0; or no point at all, since norms are not below 0.
                let nothing = Linear::constant(affine.dimension(), 0.0)?;
                Ok(if least == 0.0 { affine.equal_to_zero() } else { nothing.at_most(least) })
            }
            (Bound::Norm, Rows::Affine(affine)) if is_sound && least > 0.0 && affine.matrix().is_some() => {
                // (|z|^2 - c^2) / (2 c) <= 0 is the same set, smooth, and has the same multiplier.
                let squares = squares(&affine, None)?;
                let whole = BoundedTerm::root(2.0 * bound, bound);
                Ok(squares.scaled(weight / least)?.at_most(0.5 * weight * least).of_term(whole))
            }
            (Bound::Squares | Bound::WholeSquares, Rows::Affine(affine))
                if affine.matrix().is_some() && bound > 0.0 =>
            {
                // As the composer checks its weights.
                self.compose(&mut values.clone(), Rows::Affine(affine.clone()))?;
                let weights = crate::composer::row_weights(values, affine.offset().len())?;
                let squares = squares(&affine, Some(weights))?;
                let factor = if self.bound == Bound::WholeSquares { 2.0 } else { 1.0 };
                Ok(squares.scaled(factor)?.at_most(bound))
            }
            (_, rows) => {
                let (composer, rows) = self.compose(values, rows)?;
                let whole = Sublevel::new(composer, bound)?;
                Ok(rows.constrained_by(Box::new(whole) as Box<dyn Composer>))
            }
        }
    }
}

impl ComposerEntry {
    /// The multiplier of [`ComposerEntry::constraint`] as a whole, from those of its rows; `None` where each row is a constraint of its own.
    ///
    /// # Errors
    /// As there.
    pub fn bound_multiplier(
        &self,
        values: &mut Values,
        rows: Rows,
        bound: f64,
        multipliers: &[f64],
    ) -> Built<Option<f64>> {
        let (composer, rows) = self.compose(values, rows)?;
        Ok(match (self.bound, multipliers) {
            (Bound::EachRow | Bound::BothSides, _) => None,
            // One smooth row, whose multiplier is that of the bound.
            (Bound::Norm | Bound::Squares | Bound::WholeSquares, [only]) if *only >= 0.0 => Some(*only),
            _ if multipliers.len() == rows.count() => composer.sublevel_multiplier(bound, multipliers),
            _ => None,
        })
    }
}

/// The sum of w_j z_j^2 / 2 as one component.
fn squares(affine: &Affine, weights: Option<Vec<f64>>) -> Built<LeastSquares> {
    // Callers have asked whether there is one.
    let matrix = affine.shared_matrix().ok_or_else(|| {
        crate::error::DataError::structure("least squares", "the matrix is known by its products alone")
    })?;
    let squares = LeastSquares::new(matrix, affine.offset().to_vec())?.reduced_by(Reduction::Sum);
    weights.map_or(Ok(squares.clone()), |weights| squares.clone().weighted(weights))
}
