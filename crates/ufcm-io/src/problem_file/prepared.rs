//! How the columns of a data file became variables, for models that score other files.

use super::transform::Scales;

/// A column of a data set, as a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// `age`, or `sex=Female` for a category.
    pub name: String,
    /// Whether it is 1 for one category of a column, and else 0.
    pub is_category: bool,
    /// What was taken from it ...
    pub mean: f64,
    /// ... and what it was divided by then.
    pub scale: f64,
}

/// What was done to a data set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prepared {
    /// The variables, in their order; none for files whose columns have no names.
    pub features: Vec<Feature>,
    /// Whether a variable for the intercept follows.
    pub intercept: bool,
    /// Whether columns of numbers were standardised.
    pub standardised: bool,
}

impl Prepared {
    pub(super) fn of(names: &[String], category: &[bool], intercept: bool) -> Self {
        let feature = |(name, is_category): (&String, &bool)| Feature {
            name: name.clone(),
            is_category: *is_category,
            mean: 0.0,
            scale: 1.0,
        };
        Self { features: names.iter().zip(category).map(feature).collect(), intercept, standardised: false }
    }

    pub(super) fn standardise(&mut self, made: &Scales) {
        self.standardised = true;
        for (k, feature) in self.features.iter_mut().enumerate() {
            (feature.mean, feature.scale) = (made.means[k], made.scales[k]);
        }
    }

    /// The number of variables.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.features.len() + usize::from(self.intercept)
    }

    /// What was done, in half a sentence; `None` where nothing was.
    #[must_use]
    pub fn told(&self) -> Option<String> {
        let numbers = self.features.iter().filter(|feature| !feature.is_category).count();
        let categories = self.features.len() - numbers;
        let mut parts = Vec::new();
        if self.standardised && numbers > 0 {
            parts.push(format!("{numbers} columns of numbers were standardised (mean 0, deviation 1)"));
        }
        if categories > 0 {
            parts.push(format!("categories became {categories} columns of 0 and 1"));
        }
        if self.intercept {
            parts.push("an intercept was added".to_owned());
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
