//! The fields of a kind.

use serde::Serialize;

/// One field: a key in a problem file, a parameter in Python.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Field {
    /// Its name, a word.
    pub name: &'static str,
    /// Its letter in the formula, which is the parameter's name in Python; the name where it has no letter.
    pub symbol: &'static str,
    /// Other spellings that are understood.
    pub aliases: &'static [&'static str],
    /// What it takes.
    #[serde(rename = "type")]
    pub of: FieldType,
    /// What it is where nobody gives it.
    pub preset: Preset,
    /// What its values must be, in words; empty where anything finite will do.
    pub bounds: &'static str,
    /// What it is, in half a sentence.
    pub about: &'static str,
    /// A value for it, as TOML, JSON and Python write it; empty where the example does without. Samples of a kind's fields
    /// fit together: tests build every kind from them.
    pub sample: &'static str,
    /// How Python takes it.
    pub call: Call,
    /// What the messages of the kind's constructor call it, where that is not its name.
    pub blamed_as: &'static [&'static str],
    /// What the user should be told where it is `true`; empty for most.
    pub caution: &'static str,
}

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "is", content = "choices", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FieldType {
    /// A matrix, dense or sparse.
    Matrix,
    /// A matrix, or a vector that stands for a diagonal one.
    MatrixOrDiagonal,
    /// A number for each row of the kind's matrix; in a problem file, a data set brings both.
    Labels,
    /// A vector.
    Vector,
    /// A vector of known length; one number stands for all.
    Spread,
    /// One number for all coordinates, or one for each; they may be infinite where the bounds say so.
    PerCoordinate,
    /// A number.
    Number,
    /// A whole number, not negative.
    Count,
    /// True or false.
    Flag,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// Lists of indices, counted from 0.
    Groups,
    /// Regularisers and domains, each with the number of its variables.
    Parts,
}

impl FieldType {
    /// What it takes, in words for messages and tables.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Matrix => "a matrix",
            Self::MatrixOrDiagonal => "a matrix, or a vector for a diagonal one",
            Self::Labels => "one number for each row",
            Self::Vector => "a vector",
            Self::Spread => "a vector, or one number for all",
            Self::PerCoordinate => "a number, or one for each",
            Self::Number => "a number",
            Self::Count => "a whole number",
            Self::Flag => "true or false",
            Self::Choice(_) => "a word",
            Self::Groups => "lists of indices",
            Self::Parts => "a list of kinds",
        }
    }
}

/// What a field is where nobody gives it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// It must be given.
    Required,
    /// It may be left out; what that means, in words.
    Absent(&'static str),
    /// This number.
    #[serde(with = "crate::serde_infinity")]
    Number(f64),
    /// This truth value.
    Flag(bool),
    /// This word.
    Word(&'static str),
}

/// How Python takes a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// By place or by keyword.
    Positional,
    /// By keyword alone.
    Keyword,
    /// Through an operator (`2 * term`): it is no parameter.
    Operator,
}

impl Field {
    /// A field that must be given.
    #[must_use]
    pub const fn new(name: &'static str, of: FieldType, about: &'static str) -> Self {
        Self {
            name,
            symbol: name,
            aliases: &[],
            of,
            preset: Preset::Required,
            bounds: "",
            about,
            sample: "",
            call: Call::Positional,
            blamed_as: &[],
            caution: "",
        }
    }

    /// With a letter.
    #[must_use]
    pub const fn symbol(self, symbol: &'static str) -> Self {
        Self { symbol, ..self }
    }

    /// With other spellings.
    #[must_use]
    pub const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// With what it is where nobody gives it.
    #[must_use]
    pub const fn preset(self, preset: Preset) -> Self {
        Self { preset, ..self }
    }

    /// It may be left out, and `means` says what that means.
    #[must_use]
    pub const fn absent(self, means: &'static str) -> Self {
        self.preset(Preset::Absent(means))
    }

    /// With what its values must be.
    #[must_use]
    pub const fn bounds(self, bounds: &'static str) -> Self {
        Self { bounds, ..self }
    }

    /// With other words for what it is.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// With a value for examples and tests.
    #[must_use]
    pub const fn sample(self, sample: &'static str) -> Self {
        Self { sample, ..self }
    }

    /// Python takes it by keyword alone.
    #[must_use]
    pub const fn keyword(self) -> Self {
        Self { call: Call::Keyword, ..self }
    }

    /// Python has an operator for it.
    #[must_use]
    pub const fn operator(self) -> Self {
        Self { call: Call::Operator, ..self }
    }

    /// With what the constructor's messages call it.
    #[must_use]
    pub const fn blamed_as(self, blamed_as: &'static [&'static str]) -> Self {
        Self { blamed_as, ..self }
    }

    /// With what the user should be told where it is `true`.
    #[must_use]
    pub const fn caution(self, caution: &'static str) -> Self {
        Self { caution, ..self }
    }

    /// Whether it must be given.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.preset == Preset::Required
    }

    /// All spellings that are understood, the name first.
    pub fn spellings(&self) -> impl Iterator<Item = &'static str> + use<> {
        let symbol = (self.symbol != self.name).then_some(self.symbol);
        std::iter::once(self.name).chain(symbol).chain(self.aliases.iter().copied())
    }
}
