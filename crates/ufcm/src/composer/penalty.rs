//! h(z) = sum of max(z_j, 0): the largest of each row and 0. It has no type of its own.

use super::fields::{AT_MOST, WEIGHT, minus_bounds, scaled};
use super::{Max, Stacked};
use crate::catalogue::{Bound, Built, ComposerEntry, Kind, Rows, RowsTaken, Section, Values};
use crate::component::Linear;
use crate::oracle::{Component, Composer};
use std::sync::Arc;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComposerEntry = ComposerEntry {
    kind: Kind {
        section: Section::Composer,
        name: "penalty",
        aliases: &[],
        formula: "sum of max(z_j - at_most_j, 0)",
        about: "An exact penalty on components above their bounds: with a weight above the multipliers of the constraints it has \
                the same solutions as the constraints.",
        fields: &[AT_MOST, WEIGHT],
        example: "",
    },
    rows: RowsTaken::Components,
    bound: |_| Bound::Kinks,
    prepare: Some(paired),
    build: hinges,
};

/// Each component minus its bound, with a row 0 beside it.
fn paired(values: &mut Values, rows: Rows) -> Built<Rows> {
    let Rows::Components(components) = minus_bounds(values, rows)? else {
        return Err(values.wrong("it takes components, not an affine block: state the rows as linear ones"));
    };
    let mut pairs = Vec::with_capacity(2 * components.len());
    for component in components {
        let zero = Linear::constant(component.dimension(), 0.0)?;
        pairs.extend([component, Arc::new(zero) as Arc<dyn Component>]);
    }
    Ok(Rows::Components(pairs))
}

/// The sum of the larger of each pair of rows.
fn hinges(values: &mut Values, rows: usize) -> Built<Box<dyn Composer>> {
    let hinge = |_| Max::new(2).map(|max| Box::new(max) as Box<dyn Composer>);
    let hinges: Built<Vec<_>> = (0..rows / 2).map(hinge).collect();
    scaled(values, Stacked::new(hinges?))
}
