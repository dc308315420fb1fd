//! Sums of two rows in which entries cancel: a.x <= t and -a.x <= t say t >= 0, and of a second-order cone |(y, x - t)| <= x + t the
//! rows x + t and x - t say x >= 0 and t >= 0. Models that were written in cones have many of them.

use super::Rows;
use crate::oracle::Composer;
use std::collections::HashMap;
use std::ops::Range;

/// The largest number of entries that a sum keeps: others bound nothing that their rows do not.
const MOST_ENTRIES: usize = 2;

/// Rows with the same entries that are looked at: more of them say little more.
const MOST_ALIKE: usize = 4;

/// The sum of two rows, without its value at 0.
pub(super) struct Pair {
    pub(super) entries: Vec<(usize, f64)>,
    /// What the sum is in.
    pub(super) interval: [f64; 2],
    /// The size of the numbers that `interval` was made of.
    pub(super) size: f64,
    pub(super) rows: [usize; 2],
}

/// The sums that are worth looking at.
pub(super) fn of(
    rows: &Rows<'_>,
    apart: &[(usize, [f64; 2])],
    together: &[(Range<usize>, &dyn Composer)],
) -> Vec<Pair> {
    let mut reader = Reader { rows, scratch: Vec::new() };
    let mut pairs = Vec::new();
    for (range, composer) in together {
        let (mut head, mut entries) = (None, Vec::new());
        for (j, k, sign) in composer.nonnegative_pairs() {
            let (j, k) = (range.start + j, range.start + k);
            if head != Some(j) {
                entries = reader.affine(j).unwrap_or_default();
                head = Some(j);
            }
            let Some(other) = reader.affine(k) else { continue };
            let at_zero = [rows.values[j], sign * rows.values[k]];
            let low = -(at_zero[0] + at_zero[1]);
            pairs.extend(summed(&entries, &other, sign).map(|entries| Pair {
                entries,
                interval: [low, f64::INFINITY],
                size: at_zero[0].abs() + at_zero[1].abs(),
                rows: [j, k],
            }));
        }
    }
    pairs.extend(opposite(&mut reader, apart));
    pairs
}

/// Rows that are at most something, and are each other's opposite but for the last variable in them.
fn opposite(reader: &mut Reader<'_>, apart: &[(usize, [f64; 2])]) -> Vec<Pair> {
    // Fingerprints of rows: sums are formed of those that agree, and are kept for what they are.
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    let values = reader.rows.values;
    for (place, (row, [_, high])) in apart.iter().enumerate() {
        if !high.is_finite() {
            continue;
        }
        let Some(entries) = reader.affine(*row).filter(|entries| entries.len() > 1) else { continue };
        let key = |sign: f64| {
            let (last, others) = entries.split_last().expect("more than one");
            others.iter().fold(mixed(last.0 as u64, 0), |key, (i, a)| {
                mixed(mixed(key, *i as u64), (sign * a).to_bits())
            })
        };
        for other in seen.get(&key(-1.0)).into_iter().flatten() {
            let (second, [_, high_of_second]) = apart[*other];
            let Some(sum) = reader.affine(second).and_then(|other| summed(&entries, &other, 1.0)) else {
                continue;
            };
            let ends = [high - values[*row], high_of_second - values[second]];
            pairs.push(Pair {
                entries: sum,
                interval: [f64::NEG_INFINITY, ends[0] + ends[1]],
                size: ends[0].abs() + ends[1].abs() + values[*row].abs() + values[second].abs(),
                rows: [*row, second],
            });
        }
        let same = seen.entry(key(1.0)).or_default();
        if same.len() < MOST_ALIKE {
            same.push(place);
        }
    }
    pairs
}

/// Another fingerprint with one more number in it.
fn mixed(key: u64, number: u64) -> u64 {
    (key.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

struct Reader<'a> {
    rows: &'a Rows<'a>,
    scratch: Vec<f64>,
}

impl Reader<'_> {
    /// The entries of an affine row, by their columns.
    fn affine(&mut self, row: usize) -> Option<Vec<(usize, f64)>> {
        let mut entries = Vec::new();
        if !self.rows.problem.is_affine(row) {
            return None;
        }
        self.rows.read(row, &mut self.scratch, &mut entries);
        entries.sort_unstable_by_key(|(i, _)| *i);
        Some(entries)
    }
}

/// first + sign second, where that has few entries and not more than either.
fn summed(first: &[(usize, f64)], second: &[(usize, f64)], sign: f64) -> Option<Vec<(usize, f64)>> {
    let (mut sum, mut k) = (Vec::new(), 0);
    for (i, a) in first {
        while k < second.len() && second[k].0 < *i {
            sum.push((second[k].0, sign * second[k].1));
            k += 1;
        }
        let mut total = *a;
        if k < second.len() && second[k].0 == *i {
            total += sign * second[k].1;
            k += 1;
        }
        if total != 0.0 {
            sum.push((*i, total));
        }
        if sum.len() > MOST_ENTRIES {
            return None;
        }
    }
    sum.extend(second[k..].iter().map(|(i, a)| (*i, sign * a)));
    (!sum.is_empty() && sum.len() <= MOST_ENTRIES).then_some(sum)
}
