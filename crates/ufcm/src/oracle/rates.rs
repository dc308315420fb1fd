//! How often the signs of a linear classifier are wrong.

/// Counts over labelled samples: which of them x.a puts on the wrong side of 0. A product of 0 counts as negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ErrorRates {
    /// Samples with the label 1 ...
    pub positives: usize,
    /// ... and how many of them are taken for negative ones.
    pub missed: usize,
    /// Samples with the label -1 ...
    pub negatives: usize,
    /// ... and how many of them are taken for positive ones.
    pub false_alarms: usize,
}

impl ErrorRates {
    /// Counts one sample.
    pub fn count(&mut self, label: f64, product: f64) {
        let (all, wrong) = match label > 0.0 {
            true => (&mut self.positives, &mut self.missed),
            false => (&mut self.negatives, &mut self.false_alarms),
        };
        *all += 1;
        *wrong += usize::from((product > 0.0) != (label > 0.0));
    }

    /// Adds the counts of other samples.
    pub fn add(&mut self, other: &Self) {
        self.positives += other.positives;
        self.missed += other.missed;
        self.negatives += other.negatives;
        self.false_alarms += other.false_alarms;
    }

    /// The share of wrong signs; `None` without samples.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        share(self.missed + self.false_alarms, self.positives + self.negatives)
    }

    /// The share of positive samples that are found: one coordinate of the ROC point.
    #[must_use]
    pub fn true_positive_rate(&self) -> Option<f64> {
        share(self.positives - self.missed, self.positives)
    }

    /// The share of negative samples that are taken for positive ones: the other coordinate.
    #[must_use]
    pub fn false_positive_rate(&self) -> Option<f64> {
        share(self.false_alarms, self.negatives)
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
