//! The same problem in other units. Every factor is a power of 4 (unless decimal ones are asked for), so that no entry is
//! rounded, and the optimum of the problem in new units is exactly the old one times the factor of the objective.

mod columns;
mod objective;
mod rows;

pub use columns::shifted;
pub use objective::scale as multiply_objective;
pub use rows::{constraint_rows, scale_row};

use crate::describe::Instance;
use crate::random::Random;
use std::fmt;

/// The power of 4 nearest to 10^exponent.
pub fn ten(exponent: f64) -> f64 {
    2f64.powi(2 * (exponent * 10f64.log2() / 2.0).round() as i32)
}

/// How one list of factors is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spread {
    None,
    /// 10^e for all.
    Uniform(f64),
    /// 10^e for each, e uniform within this size.
    Each(f64),
}

/// Which units a problem is given in.
#[derive(Debug, Clone, Copy)]
pub struct Units {
    /// The exponent of 10 of the objective.
    pub objective: f64,
    pub rows: Spread,
    pub columns: Spread,
    /// Powers of 10, which round the data, instead of powers of 4.
    pub decimal: bool,
}

impl Units {
    pub const PLAIN: Self =
        Self { objective: 0.0, rows: Spread::None, columns: Spread::None, decimal: false };

    /// Mostly one kind of change at a time, so that a failure tells its cause.
    pub fn draw(random: &mut Random) -> Self {
        let mut units = Self::PLAIN;
        let which = random.below(10);
        if matches!(which, 0..=2 | 8 | 9) {
            units.objective = random.pick(&[-9.0, -6.0, -3.0, 3.0, 6.0, 9.0]);
        }
        if matches!(which, 3..=4 | 7 | 9) {
            units.rows = Spread::draw(random);
        }
        if matches!(which, 5..=9) {
            units.columns = Spread::draw(random);
        }
        units
    }

    /// Rewrites the problem; answers with the factor of the objective.
    pub fn apply(&self, instance: &mut Instance, random: &mut Random) -> f64 {
        if self.columns != Spread::None {
            let factors = (0..instance.dimension()).map(|_| self.factor(self.columns, random)).collect();
            columns::scale(instance, columns::admissible(instance, factors));
        }
        if self.rows != Spread::None {
            rows::scale(instance, &mut || self.factor(self.rows, random));
        }
        let factor = self.power(self.objective);
        objective::scale(instance, factor);
        factor
    }

    fn power(&self, exponent: f64) -> f64 {
        if self.decimal { 10f64.powi(exponent.round() as i32) } else { ten(exponent) }
    }

    fn factor(&self, spread: Spread, random: &mut Random) -> f64 {
        match spread {
            Spread::None => 1.0,
            Spread::Uniform(exponent) => self.power(exponent),
            Spread::Each(size) => self.power(random.within(-size, size)),
        }
    }
}

impl Spread {
    fn draw(random: &mut Random) -> Self {
        match random.chance(0.4) {
            true => Self::Uniform(random.pick(&[-6.0, -3.0, 3.0, 6.0])),
            false => Self::Each(random.pick(&[3.0, 6.0])),
        }
    }
}

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spread = |spread: Spread| match spread {
            Spread::None => String::new(),
            Spread::Uniform(e) => format!("1e{e}"),
            Spread::Each(e) => format!("1e-{e}..1e{e}"),
        };
        let parts = [
            (
                "objective",
                if self.objective == 0.0 { String::new() } else { format!("1e{}", self.objective) },
            ),
            ("rows", spread(self.rows)),
            ("columns", spread(self.columns)),
        ];
        let told: Vec<String> =
            parts.iter().filter(|p| !p.1.is_empty()).map(|(name, by)| format!("{name} {by}")).collect();
        f.write_str(if told.is_empty() { "unscaled" } else { "" })?;
        f.write_str(&told.join(", "))
    }
}
