//! u(x) = sum of u_k(x_{I_k}) over ranges I_k of the variables.

use crate::conic::{Expression, Form};
use std::ops::Range;

use super::{check_fit, fits};
use crate::catalogue::{Built, Field, FieldType, Kind, RegulariserEntry, Section, Values};
use crate::error::DataError;
use crate::jacobian::JacobianBlock;
use crate::oracle::{Grounds, NewtonRegulariser, OracleError, Regulariser, Weight};

const KIND: &str = "separable sum";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Domain,
        name: "parts",
        aliases: &[],
        formula: "u_1(x_1) + u_2(x_2) + ...",
        about: "Others of this list, each on its own variables, one after the other.",
        fields: &[Field::new(
            "parts",
            FieldType::Parts,
            "a list of kinds, each with the number of its variables",
        )
        .symbol("pieces")
        .sample(SAMPLE)],
        example: r#">>> ufcm.parts([(2, ufcm.simplex()), (1, ufcm.l1(3.0))])([0.5, 0.5, -1.0])
3.0"#,
    },
    needs_dimension: false,
    build,
};

/// As a problem file has it; Python's tests know that a part is a pair of a number and a kind.
const SAMPLE: &str = r#"[{ variables = 2, kind = "simplex" }, { variables = 1, kind = "l1", weight = 3 }]"#;

fn build(values: &mut Values, _n: Option<usize>) -> Built<Box<dyn Regulariser>> {
    let (mut parts, mut start) = (Vec::new(), 0usize);
    for part in values.parts("parts")? {
        let end = start.saturating_add(part.variables);
        parts.push((start..end, part.recipe.build(Some(part.variables))?));
        start = end;
    }
    Ok(Box::new(SeparableSum::new(parts)?))
}

/// Different regularisers for different ranges of the variables.
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::{Ball, L1, SeparableSum};
///
/// let u = SeparableSum::new(vec![(0..1, L1::new(1.0)?.into()), (1..3, Ball::new(5.0).into())])?;
/// let mut x = [3.0, 6.0, 8.0];
/// u.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [2.0, 3.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SeparableSum {
    parts: Vec<(Range<usize>, Box<dyn Regulariser>)>,
}

impl SeparableSum {
    /// Each part on its range; the ranges follow each other from 0 on.
    ///
    /// # Errors
    /// A range that does not begin where the one before ended, or is empty; a part that does not fit its range; what
    /// is wrong with a part's own data.
    pub fn new(parts: Vec<(Range<usize>, Box<dyn Regulariser>)>) -> Result<Self, DataError> {
        let mut end = 0;
        for (k, (range, part)) in parts.iter().enumerate() {
            part.check()?;
            let problem = if range.start != end {
                format!("begins at {}; it must begin at {end}, where the parts before it end", range.start)
            } else if range.is_empty() {
                format!("has the empty range {range:?}")
            } else if !fits(part.as_ref(), range.len()) {
                let expected = part.dimension().unwrap_or_default();
                format!("is a {} of {expected} variables on a range of {}", part.kind(), range.len())
            } else {
                end = range.end;
                continue;
            };
            return Err(DataError::structure(KIND, format!("parts[{k}] {problem}")));
        }
        Ok(Self { parts })
    }
}

impl Regulariser for SeparableSum {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::weakest(self.parts.iter().map(|(_, part)| part.grounds()))
    }

    fn dimension(&self) -> Option<usize> {
        Some(self.parts.last().map_or(0, |(range, _)| range.end))
    }

    fn value(&self, x: &[f64]) -> f64 {
        if !fits(self, x.len()) {
            return f64::INFINITY;
        }
        self.parts.iter().map(|(range, part)| part.value(&x[range.clone()])).sum()
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        self.parts
            .iter()
            .try_for_each(|(range, part)| part.prox(weight.slice(range.clone()), &mut x[range.clone()]))
    }

    fn has_diagonal_prox(&self) -> bool {
        self.parts.iter().all(|(_, part)| part.has_diagonal_prox())
    }

    fn min_linear(&self, slope: &[f64], mut minimiser: Option<&mut [f64]>) -> f64 {
        if !fits(self, slope.len()) {
            return f64::NEG_INFINITY;
        }
        self.parts
            .iter()
            .map(|(range, part)| {
                let minimiser = minimiser.as_deref_mut().map(|x| &mut x[range.clone()]);
                part.min_linear(&slope[range.clone()], minimiser)
            })
            .sum()
    }

    fn strong_convexity(&self) -> f64 {
        self.parts.iter().map(|(_, part)| part.strong_convexity()).reduce(f64::min).unwrap_or(0.0)
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        self.parts.iter().all(|(_, part)| part.newton().is_some()).then_some(self as _)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let mut sum = Expression::default();
        for (range, part) in &self.parts {
            sum.add(1.0, &part.conic(form, &x[range.clone()])?);
        }
        Some(sum)
    }
}

impl NewtonRegulariser for SeparableSum {
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        self.parts.iter().try_for_each(|(range, part)| {
            let mut block = out.block(range.clone());
            part.prox_jacobian(weight.slice(range.clone()), &point[range.clone()], &mut block)
        })
    }
}
