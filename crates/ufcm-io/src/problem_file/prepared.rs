//! How the columns of a data file became variables, for models that score other files.

use super::transform::Scales;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use ufcm::oracle::{Component, ErrorRates};

/// A column of a data set, as a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// The column of the file.
    pub column: String,
    /// The category for which it is 1, and else 0; `None` for a column of numbers.
    pub category: Option<String>,
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
    /// Whether their means were taken from them: those of sparse data are only divided.
    pub centred: bool,
    /// The classes, each of which has all these variables, one class after the other; none where every variable is there once.
    pub classes: Vec<String>,
    /// What losses add to a_i.x.
    pub offset: Offset,
}

/// What the losses over a data set add to a_i.x.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Offset {
    /// Nothing.
    #[default]
    None,
    /// This column of the file.
    Column(String),
    /// Numbers that are no column of the file, or not the same in all losses.
    Other,
}

impl Prepared {
    pub(super) fn of(sources: Vec<(String, Option<String>)>, intercept: bool) -> Self {
        let feature = |(column, category)| Feature { column, category, mean: 0.0, scale: 1.0 };
        Self { features: sources.into_iter().map(feature).collect(), intercept, ..Self::default() }
    }

    pub(super) fn standardise(&mut self, made: &Scales, centred: bool) {
        (self.standardised, self.centred) = (true, centred);
        for (k, feature) in self.features.iter_mut().enumerate() {
            (feature.mean, feature.scale) = (made.means[k], made.scales[k]);
        }
    }

    /// The number of variables, of each class.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.features.len() + usize::from(self.intercept)
    }

    /// What was done, in half a sentence; `None` where nothing was.
    #[must_use]
    pub fn told(&self) -> Option<String> {
        let numbers = self.features.iter().filter(|feature| feature.category.is_none()).count();
        let categories = self.features.len() - numbers;
        let columns =
            |count: usize| if count == 1 { "1 column".to_owned() } else { format!("{count} columns") };
        let mut parts = Vec::new();
        if self.standardised && numbers > 0 {
            let (columns, verb) = (columns(numbers), if numbers == 1 { "was" } else { "were" });
            parts.push(match self.centred {
                true => format!("{columns} of numbers {verb} standardised (mean 0, deviation 1)"),
                false => format!(
                    "{columns} of numbers {verb} divided by the root of the mean square (not centred: the data are sparse)"
                ),
            });
        }
        if categories > 0 {
            parts.push(format!("categories became {} of 0 and 1", columns(categories)));
        }
        if self.intercept {
            parts.push("an intercept was added".to_owned());
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// A loss over samples by its name in the file, where no row of the problem stands for it alone: one of a sum, or of some of the variables.
#[derive(Clone)]
pub struct NamedLoss {
    /// Its name in the file.
    pub name: String,
    /// The loss, as a function of its own variables.
    pub component: Arc<dyn Component>,
    /// Which variables of the problem they are; all of them in their order without.
    pub variables: Option<Vec<usize>>,
}

impl std::fmt::Debug for NamedLoss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = self.component.kind();
        f.debug_struct("NamedLoss").field("name", &self.name).field("kind", &kind).finish_non_exhaustive()
    }
}

impl NamedLoss {
    /// Its value at a point of the problem, and how many signs are wrong; `None` where labels are no signs.
    #[must_use]
    pub fn judged(&self, x: &[f64]) -> Option<(f64, ErrorRates)> {
        match &self.variables {
            None => self.component.judged(x),
            Some(variables) => {
                let own: Option<Vec<f64>> = variables.iter().map(|i| x.get(*i).copied()).collect();
                self.component.judged(&own?)
            }
        }
    }
}

/// What components take of data sets, noted while they are read.
#[derive(Default)]
pub(super) struct Uses {
    /// The data sets that are used, by name, and how.
    sets: BTreeMap<String, Use>,
    /// Losses by name, as functions of their own variables.
    pub(super) losses: Vec<NamedLoss>,
}

/// How a data set is used.
#[derive(Default)]
struct Use {
    /// Whether its columns are some of the variables, or stand in another order.
    rearranged: bool,
    /// The classes of a multinomial loss over it.
    classes: BTreeSet<usize>,
    offset: Option<Offset>,
}

impl Uses {
    /// Something takes this data set.
    pub(super) fn take(&mut self, data: &str) {
        self.sets.entry(data.to_owned()).or_default();
    }

    /// Its columns are these of the variables.
    pub(super) fn rearrange(&mut self, data: &str, listed: &[usize], n: usize) {
        let as_they_are = listed.len() == n && listed.iter().copied().eq(0..n);
        self.sets.entry(data.to_owned()).or_default().rearranged |= !as_they_are;
    }

    /// A loss of so many classes is over it.
    pub(super) fn has_classes(&mut self, data: &str, classes: usize) {
        self.sets.entry(data.to_owned()).or_default().classes.insert(classes);
    }

    /// A loss over it has this offset.
    pub(super) fn has_offset(&mut self, data: &str, offset: Offset) {
        let own = &mut self.sets.entry(data.to_owned()).or_default().offset;
        *own = Some(match own.take() {
            Some(other) if other != offset => Offset::Other,
            _ => offset,
        });
    }

    /// Whether a data set is used.
    pub(super) fn has(&self, data: &str) -> bool {
        self.sets.contains_key(data)
    }

    /// How the `n` variables came from a data set; `None` where they are not all of its columns in their order.
    pub(super) fn prepared(
        &self,
        data: &str,
        own: &Prepared,
        names: Option<&[String]>,
        n: usize,
    ) -> Option<Prepared> {
        let used = self.sets.get(data)?;
        if own.features.is_empty() || used.rearranged {
            return None;
        }
        let offset = used.offset.clone().unwrap_or_default();
        if own.variables() == n && used.classes.is_empty() {
            return Some(Prepared { offset, ..own.clone() });
        }
        let classes = *used.classes.first().filter(|_| used.classes.len() == 1)?;
        if own.variables() * classes != n {
            return None;
        }
        let numbered = || (0..classes).map(|class| class.to_string()).collect();
        let classes = names.filter(|names| names.len() == classes).map_or_else(numbered, <[String]>::to_vec);
        Some(Prepared { offset, classes, ..own.clone() })
    }
}
