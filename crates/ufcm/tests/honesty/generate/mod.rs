//! Random instances. A point of X is planted, and unless the family says otherwise every constraint holds there.

mod bounded;
mod components;
mod domains;
mod hopeless;
pub mod mixed;
mod quadratics;
mod ranked;
pub mod unlike;

use crate::describe::{Component, Curve, Instance, Rows, dot};
use crate::random::Random;
use std::fmt;
use std::str::FromStr;

/// A generator with its families: which one a seed belongs to is told by seed modulo their number.
struct Suite {
    name: &'static str,
    families: &'static [&'static str],
    instance: fn(&'static str, Random) -> Instance,
}

const SUITES: [Suite; 6] = [
    Suite { name: "quadratic", families: &quadratics::FAMILIES, instance: quadratics::instance },
    Suite { name: "unlike", families: &unlike::FAMILIES, instance: unlike::instance },
    Suite { name: "hopeless", families: &hopeless::FAMILIES, instance: hopeless::instance },
    Suite { name: "mixed", families: &mixed::FAMILIES, instance: mixed::instance },
    Suite { name: "ranked", families: &ranked::FAMILIES, instance: ranked::instance },
    Suite { name: "bounded", families: &bounded::FAMILIES, instance: bounded::instance },
];

/// Which instance: `unlike/17`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    suite: usize,
    seed: u64,
}

impl Key {
    /// One instance of a suite.
    pub fn of_suite(name: &str, seed: u64) -> Option<Self> {
        let suite = SUITES.iter().position(|suite| suite.name == name)?;
        Some(Self { suite, seed })
    }

    pub fn family(self) -> &'static str {
        let families = SUITES[self.suite].families;
        families[(self.seed % families.len() as u64) as usize]
    }

    pub fn instance(self) -> Instance {
        let generator = SUITES[self.suite].instance;
        generator(self.family(), Random::new(self.seed.wrapping_mul(0x2545_F491_4F6C_DD1D)))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", SUITES[self.suite].name, self.seed)
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || {
            let (name, seed) = text.split_once('/')?;
            Self::of_suite(name, seed.parse().ok()?)
        };
        known().ok_or_else(|| format!("`{text}` is not a suite and a seed, as unlike/17"))
    }
}

/// All families, suite by suite.
pub fn families() -> impl Iterator<Item = &'static str> {
    SUITES.iter().flat_map(|suite| suite.families.iter().copied())
}

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.within(0.0, n as f64) as usize
    }

    pub fn chance(&mut self, share: f64) -> bool {
        self.within(0.0, 1.0) < share
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// An instance in the making.
pub struct Plan {
    pub random: Random,
    pub n: usize,
    /// The planted point.
    pub inside: Vec<f64>,
}

impl Plan {
    fn linear(&mut self, scale: f64) -> Component {
        let slope = self.random.vector(self.n, scale);
        Component { curve: Curve::Flat, slope, constant: scale * self.random.within(-1.0, 1.0) }
    }

    /// Of any rank between 1 and n.
    fn quadratic(&mut self, scale: f64) -> Component {
        let rank = 1 + self.random.below(self.n);
        let size = (2.0 * scale / rank as f64).sqrt();
        let factor = (0..rank).map(|_| self.random.vector(self.n, size)).collect();
        Component { curve: Curve::Quadratic(factor), ..self.linear(scale) }
    }

    /// |F (x - inside)|^2 / 2 plus a constant.
    fn quadratic_minimal_inside(&mut self) -> Component {
        let mut g = self.quadratic(1.0);
        let Curve::Quadratic(factor) = &g.curve else { unreachable!() };
        let images: Vec<f64> = factor.iter().map(|row| dot(row, &self.inside)).collect();
        for (i, c) in g.slope.iter_mut().enumerate() {
            *c = -factor.iter().zip(&images).map(|(row, image)| row[i] * image).sum::<f64>();
        }
        g
    }

    fn rows(&mut self, count: usize) -> Rows {
        let matrix = (0..count).map(|_| self.random.vector(self.n, 1.0)).collect();
        Rows { matrix, offset: vec![0.0; count] }
    }

    /// Rows whose values at the planted point are 0.
    pub fn rows_through(&mut self, count: usize) -> Rows {
        let rows = self.rows(count);
        Rows { offset: rows.values(&self.inside), ..rows }
    }
}
