//! BOUNDS: between which bounds the variables lie.

use super::columns::integer;
use super::layout::takes_value;
use crate::error::{Fault, ReadError, quoted};
use crate::source::{Line, Source};

/// From here on a bound is infinite.
const INFINITE: f64 = 1e20;

/// The bounds of one variable, as far as the file sets them.
#[derive(Clone, Copy, Default)]
struct Bound {
    lower: Option<f64>,
    upper: Option<f64>,
    line: usize,
}

#[derive(Default)]
pub(super) struct Bounds {
    bounds: Vec<Bound>,
    relaxed: usize,
}

/// What the bounds come to.
pub(super) struct Sides {
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// How many variables have a negative upper bound that opened their lower one.
    pub(super) opened: usize,
    /// How many integer variables were taken as real ones.
    pub(super) relaxed: usize,
}

impl Bounds {
    pub(super) fn set(
        &mut self,
        line: &Line<'_>,
        kind: &str,
        (column, name): (usize, &str),
        value: &str,
        relax: bool,
    ) -> Result<(), ReadError> {
        const KINDS: [&str; 10] = ["UP", "LO", "FX", "FR", "MI", "PL", "BV", "LI", "UI", "SC"];
        if !KINDS.contains(&kind) {
            return Err(line.expected("type of bound", "UP, LO, FX, FR, MI or PL", kind));
        }
        match kind {
            "SC" => {
                let what = format!("the semicontinuous variable {}", quoted(name));
                return Err(line.error(Fault::unsupported(what, "the problem would not be convex")));
            }
            "BV" | "LI" | "UI" if !relax => return Err(line.error(integer(name))),
            "BV" | "LI" | "UI" => self.relaxed += 1,
            _ => {}
        }
        let value = if takes_value(kind) { line.number_or_infinity("bound", value)? } else { 0.0 };
        let value = if value.abs() >= INFINITE { f64::INFINITY.copysign(value) } else { value };
        if self.bounds.len() <= column {
            self.bounds.resize(column + 1, Bound::default());
        }
        let bound = &mut self.bounds[column];
        bound.line = line.number;
        match kind {
            "UP" | "UI" => bound.upper = Some(value),
            "LO" | "LI" => bound.lower = Some(value),
            "FX" => (bound.lower, bound.upper) = (Some(value), Some(value)),
            "FR" => (bound.lower, bound.upper) = (Some(f64::NEG_INFINITY), Some(f64::INFINITY)),
            "MI" => bound.lower = Some(f64::NEG_INFINITY),
            "PL" => bound.upper = Some(f64::INFINITY),
            _ => (bound.lower, bound.upper) = (Some(0.0), Some(1.0)),
        }
        Ok(())
    }

    /// The bounds of all variables, `names`.
    pub(super) fn finish(mut self, source: &Source, names: &[String]) -> Result<Sides, ReadError> {
        self.bounds.resize(names.len(), Bound::default());
        let mut sides = Sides { lower: Vec::new(), upper: Vec::new(), opened: 0, relaxed: self.relaxed };
        for (bound, name) in self.bounds.iter().zip(names) {
            let upper = bound.upper.unwrap_or(f64::INFINITY);
            let opened = bound.lower.is_none() && upper < 0.0;
            let lower = bound.lower.unwrap_or(if opened { f64::NEG_INFINITY } else { 0.0 });
            if lower > upper || lower == f64::INFINITY || upper == f64::NEG_INFINITY {
                let message = format!("the bounds of {} leave no number: {lower} and {upper}", quoted(name));
                return Err(source.error_at(Some(bound.line), None, Fault::Inconsistent(message)));
            }
            sides.opened += usize::from(opened);
            sides.lower.push(lower);
            sides.upper.push(upper);
        }
        Ok(sides)
    }
}
