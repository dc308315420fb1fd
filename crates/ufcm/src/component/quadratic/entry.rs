//! The entry of the catalogue.

use super::Quadratic;
use crate::catalogue::{Built, ComponentEntry, Field, FieldType, Kind, Preset, Section, Values};
use crate::oracle::Component;
use std::sync::Arc;

/// The entry of the catalogue.
pub(crate) const ENTRY: ComponentEntry = ComponentEntry {
    kind: Kind {
        section: Section::Component,
        name: "quadratic",
        aliases: &[],
        formula: "x'Qx/2 + c.x + constant",
        about: "A convex quadratic. Q is symmetric and positive semidefinite: dense, sparse, diagonal, or F'F plus a diagonal, \
                the form of choice for low rank. Whether it is semidefinite is checked cheaply, which catches most mistakes.",
        fields: &[
            Field::new("matrix", FieldType::MatrixOrDiagonal, "Q; or give `diagonal` or `factor`")
                .symbol("Q")
                .sample("[[2, 1], [1, 2]]")
                .absent("none"),
            Field::new("linear", FieldType::Spread, "c").symbol("c").sample("[1, -1]").absent("0"),
            Field::new("constant", FieldType::Number, "the value at 0")
                .preset(Preset::Number(0.0))
                .sample("0.5"),
            Field::new("factor", FieldType::Matrix, "F with Q = F'F, plus the diagonal if there is one")
                .absent("none")
                .keyword(),
            Field::new("diagonal", FieldType::Vector, "the diagonal of Q, or what is added to F'F")
                .bounds("nonnegative")
                .blamed_as(&["Q"])
                .absent("0")
                .keyword(),
            Field::new("trusted", FieldType::Flag, "skips the test of convexity")
                .preset(Preset::Flag(false))
                .caution("is convex on your word: bounds rest on it")
                .keyword(),
        ],
        example: r#">>> ufcm.quadratic([[2.0, 1.0], [1.0, 2.0]], c=[-1.0, 0.0])([1.0, 1.0])
2.0
>>> ufcm.quadratic([1.0, 3.0])([1.0, 1.0])
2.0
>>> ufcm.quadratic(factor=[[1.0, 1.0]])([1.0, 2.0])
4.5
>>> ufcm.quadratic([[1.0, 2.0], [2.0, 1.0]])
Traceback (most recent call last):
    ...
ValueError: quadratic: Q is not positive semidefinite, so the quadratic is not convex: ..."#,
    },
    build,
};

fn build(values: &mut Values) -> Built<Arc<dyn Component>> {
    let trusted = values.flag("trusted")?;
    let (matrix, factor) = (values.optional_matrix("matrix"), values.optional_matrix("factor"));
    // A vector for Q is its diagonal.
    let (whole, diagonal) = (values.optional_vector("matrix"), values.optional_vector("diagonal"));
    let form = match (matrix, whole, factor, diagonal) {
        (Some(q), None, None, None) if trusted => Quadratic::trusted(&q),
        (Some(q), None, None, None) => Quadratic::new(&q),
        (None, None, Some(factor), diagonal) => Quadratic::factored(Arc::unwrap_or_clone(factor), diagonal),
        (None, Some(diagonal), None, None) | (None, None, None, Some(diagonal)) => {
            Quadratic::diagonal(diagonal)
        }
        _ => {
            let forms =
                "give Q (`matrix`, or `diagonal`), or `factor` (F, Q = F'F) with or without `diagonal`";
            return Err(values.wrong(forms));
        }
    };
    let mut form = form?.with_constant(values.number("constant")?)?;
    let n = form.dimension();
    if let Some(linear) = values.spread("linear", Some(n))? {
        form = form.with_linear(linear)?;
    }
    Ok(Arc::new(form))
}
