//! Bounds in the making, and what affine rows say of them.

use super::super::tuning::{IMPLIED_GAIN, IMPLIED_INFLATION};
use super::pairs::Pair;
use super::{ImpliedBounds, Rows, ball};
use crate::oracle::OracleError;
use std::ops::Range;

/// Bounds in the making.
pub(super) struct Propagation {
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    used: Vec<bool>,
    /// The entries of a row, and storage for reading it.
    entries: Vec<(usize, f64)>,
    scratch: Vec<f64>,
}

/// Sums of the smallest (or largest) that the terms of a row can be.
#[derive(Default)]
struct Activity {
    sum: f64,
    size: f64,
    infinite: usize,
}

impl Activity {
    fn add(&mut self, term: f64) {
        if term.is_finite() {
            self.sum += term;
            self.size += term.abs();
        } else {
            self.infinite += 1;
        }
    }

    /// The sum without `term`, if that is finite.
    fn without(&self, term: f64) -> Option<f64> {
        match (self.infinite, term.is_finite()) {
            (0, true) => Some(self.sum - term),
            (1, false) => Some(self.sum),
            _ => None,
        }
    }
}

/// What rounding may do to a sum of so many terms, in units of their sizes.
fn unit(terms: usize) -> f64 {
    (terms + 8) as f64 * f64::EPSILON
}

impl Propagation {
    pub(super) fn new([lower, upper]: [Vec<f64>; 2], rows: usize) -> Self {
        Self { lower, upper, used: vec![false; rows], entries: Vec::new(), scratch: Vec::new() }
    }

    /// Tightens by `interval`, which this row must be in; whether anything was gained.
    pub(super) fn take(
        &mut self,
        rows: &Rows<'_>,
        row: usize,
        [low, high]: [f64; 2],
    ) -> Result<bool, OracleError> {
        let at_zero = rows.values[row];
        let (interval, size) = ([low - at_zero, high - at_zero], at_zero.abs());
        let gained = if rows.problem.is_affine(row) {
            self.take_affine(rows, row, interval, size)
        } else {
            ball::take(self, rows, row, interval[1], size)?
        };
        self.used[row] |= gained;
        Ok(gained)
    }

    /// Tightens by rows that hold each other: `narrow` narrows their intervals.
    pub(super) fn take_narrowed(
        &mut self,
        rows: &Rows<'_>,
        range: Range<usize>,
        narrow: impl FnOnce(&mut [[f64; 2]]),
    ) -> Result<bool, OracleError> {
        let before: Vec<[f64; 2]> = range.clone().map(|row| self.interval(rows, row)).collect();
        let mut after = before.clone();
        narrow(&mut after);
        let mut gained = false;
        for (row, (before, after)) in range.clone().zip(before.iter().zip(&after)) {
            if after[0] > before[0] || after[1] < before[1] {
                gained |= self.take(rows, row, *after)?;
            }
        }
        // What bounds one row of a cone follows from all of them.
        self.used[range].iter_mut().for_each(|used| *used |= gained);
        Ok(gained)
    }

    /// The interval that a row is in while the variables are in theirs.
    pub(super) fn interval(&mut self, rows: &Rows<'_>, row: usize) -> [f64; 2] {
        if !rows.problem.is_affine(row) {
            let least = rows.problem.component(row).and_then(|component| component.lower_bound());
            return [least.unwrap_or(f64::NEG_INFINITY), f64::INFINITY];
        }
        let at_zero = rows.values[row];
        let [least, most, rounding] = self.activities(rows, row, at_zero.abs());
        [at_zero + least - rounding, at_zero + most + rounding]
    }

    /// The least and the most that a.x can be, and what rounding may have done to them and to numbers of size `size`.
    fn activities(&mut self, rows: &Rows<'_>, row: usize, size: f64) -> [f64; 3] {
        let mut entries = std::mem::take(&mut self.entries);
        rows.read(row, &mut self.scratch, &mut entries);
        let (least, most) = self.sums(&entries);
        let rounding = unit(entries.len()) * (size + least.size + most.size);
        self.entries = entries;
        let end = |sum: &Activity, open: f64| if sum.infinite == 0 { sum.sum } else { open };
        [end(&least, f64::NEG_INFINITY), end(&most, f64::INFINITY), rounding]
    }

    /// Tightens by a sum of two rows; whether anything was gained.
    pub(super) fn take_pair(&mut self, pair: &Pair) -> bool {
        let gained = self.take_entries(&pair.entries, pair.interval, pair.size);
        pair.rows.iter().for_each(|row| self.used[*row] |= gained);
        gained
    }

    /// Tightens by low <= a.x <= high, whose ends carry rounding of numbers of size `size`; whether anything was gained.
    fn take_affine(&mut self, rows: &Rows<'_>, row: usize, interval: [f64; 2], size: f64) -> bool {
        let mut entries = std::mem::take(&mut self.entries);
        rows.read(row, &mut self.scratch, &mut entries);
        let gained = self.take_entries(&entries, interval, size);
        self.entries = entries;
        gained
    }

    fn take_entries(&mut self, entries: &[(usize, f64)], [low, high]: [f64; 2], size: f64) -> bool {
        let (least, most) = self.sums(entries);
        let unit = unit(entries.len());
        let mut gained = false;
        for (i, a) in entries {
            let [small, large] = self.ends(*i, *a);
            // a x_i <= high - the least of the others, and a x_i >= low - the most of the others.
            let top = least
                .without(small)
                .filter(|_| high < f64::INFINITY)
                .map(|others| (high - others) + unit * (size + high.abs() + least.size));
            let bottom = most
                .without(large)
                .filter(|_| low > f64::NEG_INFINITY)
                .map(|others| (low - others) - unit * (size + low.abs() + most.size));
            let [below, above] = if *a > 0.0 { [bottom, top] } else { [top, bottom] };
            gained |= self.tighten(*i, below.map(|b| b / a), above.map(|b| b / a));
        }
        gained
    }

    /// The sums of the smallest and of the largest that the terms of a row can be.
    fn sums(&self, entries: &[(usize, f64)]) -> (Activity, Activity) {
        let (mut least, mut most) = (Activity::default(), Activity::default());
        for (i, a) in entries {
            let [small, large] = self.ends(*i, *a);
            least.add(small);
            most.add(large);
        }
        (least, most)
    }

    /// The smallest and largest that a x_i can be.
    fn ends(&self, i: usize, a: f64) -> [f64; 2] {
        let (at_lower, at_upper) = (a * self.lower[i], a * self.upper[i]);
        if a > 0.0 { [at_lower, at_upper] } else { [at_upper, at_lower] }
    }

    /// Takes bounds of x_i, moved outwards, where they cut off a good part of what was there.
    pub(super) fn tighten(&mut self, i: usize, below: Option<f64>, above: Option<f64>) -> bool {
        let (low, high) = (self.lower[i], self.upper[i]);
        let outwards = |b: &f64| IMPLIED_INFLATION * b.abs();
        // A part of the interval, or of the bound itself: -2 to 1e3 may become 0 to 1e3.
        let gains = |b: f64, old: f64| {
            let least = IMPLIED_GAIN * (high - low).min(b.abs().max(old.abs()));
            b.is_finite() && (!old.is_finite() || (b - old).abs() > least)
        };
        let mut gained = false;
        if let Some(b) = below.map(|b| b - outwards(&b)).filter(|b| *b > low && gains(*b, low)) {
            self.lower[i] = b.min(high);
            gained = true;
        }
        if let Some(b) = above.map(|b| b + outwards(&b)).filter(|b| *b < high && gains(*b, high)) {
            self.upper[i] = b.max(self.lower[i]);
            gained = true;
        }
        gained
    }

    /// What is worth telling: `None` where no variable has gained.
    pub(super) fn finish(self, [lower, upper]: &[Vec<f64>; 2]) -> Option<ImpliedBounds> {
        let gained = *lower != self.lower || *upper != self.upper;
        let rows = self.used.iter().enumerate().filter(|(_, used)| **used).map(|(row, _)| row).collect();
        gained.then_some(ImpliedBounds { lower: self.lower, upper: self.upper, rows })
    }
}
