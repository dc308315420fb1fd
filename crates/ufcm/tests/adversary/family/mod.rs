//! Which problems there are: a family and a seed give one, or a pair that must be answered alike.

mod blend;
mod honest;
mod infeasible;
mod planted;
mod ray;
mod twin;

use crate::describe::Instance;
use crate::lp;
use crate::random::Random;
use crate::scale::Units;
use std::fmt;
use std::str::FromStr;

/// What is true of a problem, in its own units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reference {
    Optimum { value: f64, uncertainty: f64 },
    Infeasible,
    Unbounded,
    Unknown,
}

/// A problem in plain units.
pub struct Base {
    pub instance: Instance,
    pub reference: Reference,
    /// The least violation that any point has, in plain units, where that was planted.
    pub margin: Option<f64>,
}

/// A problem as the solver gets it.
pub struct Case {
    pub instance: Instance,
    pub reference: Reference,
    /// What the objective was multiplied by.
    pub scale: f64,
    pub margin: Option<f64>,
    /// The units, in words.
    pub told: String,
}

/// One problem, or two that are one in other units or another order.
pub enum Trial {
    Single(Box<Case>),
    Twins(Box<[Case; 2]>),
}

/// The families, and how many of 1000 problems belong to each.
pub const FAMILIES: [(&str, usize); 12] = [
    ("quadratic", 100),
    ("unlike", 110),
    ("blend", 100),
    ("ranked", 40),
    ("hopeless", 60),
    ("mixed", 3),
    ("lp", 177),
    ("planted", 110),
    ("large", 10),
    ("infeasible", 100),
    ("ray", 50),
    ("twin", 140),
];

/// Which problem: `lp:17`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    pub family: &'static str,
    pub seed: u64,
}

impl Key {
    /// The first problems of every family, some `count` in all, the families mixed.
    pub fn first(count: usize) -> Vec<Self> {
        let of_family = |share: usize| (share * count).div_ceil(1000);
        let longest = FAMILIES.iter().map(|(_, share)| of_family(*share)).max().unwrap();
        let mut keys: Vec<(f64, Self)> = Vec::new();
        for (family, share) in FAMILIES {
            let number = of_family(share);
            let spread = longest as f64 / number as f64;
            let key = |seed: usize| (seed as f64 * spread, Self { family, seed: seed as u64 });
            keys.extend((0..number).map(key));
        }
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        keys.into_iter().map(|(_, key)| key).collect()
    }

    pub fn trial(self) -> Trial {
        let mut random = self.random();
        match self.family {
            "twin" => Trial::Twins(Box::new(twin::pair(self.seed, &mut random))),
            "lp" => Trial::Single(Box::new(lp::case(&mut random))),
            family => Trial::Single(Box::new(base(family, self.seed, &mut random).in_units(&mut random))),
        }
    }

    fn random(self) -> Random {
        // By name, so that a family that is added does not change the others.
        let name = self.family.bytes().fold(0u64, |h, byte| h.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Random::new(
            (self.seed + 1).wrapping_mul(0x2545_F491_4F6C_DD1D) ^ name.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        )
    }
}

/// A problem of a family in plain units.
fn base(family: &str, seed: u64, random: &mut Random) -> Base {
    match family {
        "blend" => blend::base(random),
        "lp" => lp::base(random),
        "planted" => planted::base(random, false),
        "large" => planted::base(random, true),
        "infeasible" => infeasible::base(random),
        "ray" => ray::base(random),
        suite => honest::base(suite, seed),
    }
}

impl Base {
    fn in_units(self, random: &mut Random) -> Case {
        let units = Units::draw(random);
        let Self { mut instance, reference, margin } = self;
        let scale = units.apply(&mut instance, random);
        Case { instance, reference: reference.times(scale), scale, margin, told: units.to_string() }
    }

    fn plain(&self) -> Case {
        let (instance, told) = (self.instance.clone(), "unscaled".into());
        Case { instance, reference: self.reference, scale: 1.0, margin: self.margin, told }
    }
}

impl Reference {
    pub fn times(self, scale: f64) -> Self {
        match self {
            Self::Optimum { value, uncertainty } => {
                Self::Optimum { value: scale * value, uncertainty: scale * uncertainty }
            }
            other => other,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.family, self.seed)
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || {
            let (name, seed) = text.split_once(':')?;
            let (family, _) = FAMILIES.iter().find(|(family, _)| *family == name)?;
            Some(Self { family, seed: seed.parse().ok()? })
        };
        known().ok_or_else(|| format!("`{text}` is not a family and a seed, as lp:17"))
    }
}
