//! What a CBF file has said so far, and the program it makes.

use crate::error::{Fault, ReadError};
use crate::program::{Cone, ConeRows, Program, Sense};
use crate::source::Source;
use crate::sparse::from_entries;
use std::collections::BTreeMap;
use ufcm::error::DataError;

/// A cone that rows or variables lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    Free,
    AtLeast,
    AtMost,
    Zero,
    SecondOrder,
    Rotated,
    Exponential,
}

impl Domain {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "F" => Self::Free,
            "L+" => Self::AtLeast,
            "L-" => Self::AtMost,
            "L=" => Self::Zero,
            "Q" => Self::SecondOrder,
            "QR" => Self::Rotated,
            "EXP" => Self::Exponential,
            _ => return None,
        })
    }

    pub(super) fn least_rows(self) -> usize {
        match self {
            Self::SecondOrder => 1,
            Self::Rotated => 2,
            Self::Exponential => 3,
            _ => 0,
        }
    }

    /// The sides of a number in it, where it is an interval.
    fn sides(self) -> Option<[f64; 2]> {
        match self {
            Self::Free => Some([f64::NEG_INFINITY, f64::INFINITY]),
            Self::AtLeast => Some([0.0, f64::INFINITY]),
            Self::AtMost => Some([f64::NEG_INFINITY, 0.0]),
            Self::Zero => Some([0.0, 0.0]),
            _ => None,
        }
    }
}

/// Rows as sums: entries by variable, and what is added.
type Sums = Vec<(BTreeMap<usize, f64>, f64)>;

/// What the file has said.
#[derive(Default)]
pub(super) struct State {
    pub(super) sense: Sense,
    pub(super) variables: usize,
    pub(super) has_variables: bool,
    pub(super) variable_domains: Vec<(Domain, usize)>,
    pub(super) rows: usize,
    pub(super) row_domains: Vec<(Domain, usize)>,
    pub(super) objective: Vec<(usize, f64)>,
    pub(super) constant: f64,
    pub(super) entries: Vec<(usize, usize, f64)>,
    pub(super) offsets: Vec<(usize, f64)>,
    pub(super) relaxed: usize,
}

impl State {
    pub(super) fn finish(self, source: &Source) -> Result<Program, ReadError> {
        let note = |count: usize| format!("{count} integer variables are taken as real ones");
        let notes: Vec<String> = (self.relaxed > 0).then(|| note(self.relaxed)).into_iter().collect();
        let mut program = self.program().map_err(|error| source.error(None, Fault::Data(error)))?;
        program.notes = notes;
        Ok(program)
    }

    fn program(self) -> Result<Program, DataError> {
        let n = self.variables;
        let mut linear = vec![0.0; n];
        self.objective.iter().for_each(|&(j, value)| linear[j] += value);
        let mut sums: Sums = vec![(BTreeMap::new(), 0.0); self.rows];
        self.entries.iter().for_each(|&(i, j, value)| *sums[i].0.entry(j).or_insert(0.0) += value);
        self.offsets.iter().for_each(|&(i, value)| sums[i].1 += value);
        let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
        let (mut cones, mut first) = (Vec::new(), 0);
        for &(domain, count) in &self.variable_domains {
            let own = first..first + count;
            first += count;
            match domain.sides() {
                Some([low, high]) => own.for_each(|j| (lower[j], upper[j]) = (low, high)),
                None => {
                    let own: Sums = own.map(|j| (BTreeMap::from([(j, 1.0)]), 0.0)).collect();
                    cones.push(cone(format!("cone{}", cones.len()), domain, own, n)?);
                }
            }
        }
        let (mut rows, mut entries, mut row_lower, mut row_upper) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        first = 0;
        for &(domain, count) in &self.row_domains {
            let own = first..first + count;
            first += count;
            let Some([low, high]) = domain.sides() else {
                let own: Sums = own.map(|i| std::mem::take(&mut sums[i])).collect();
                cones.push(cone(format!("cone{}", cones.len()), domain, own, n)?);
                continue;
            };
            for i in own {
                let (sum, offset) = std::mem::take(&mut sums[i]);
                entries.extend(sum.into_iter().map(|(j, value)| (rows.len(), j, value)));
                rows.push(format!("row{i}"));
                row_lower.push(low - offset + 0.0);
                row_upper.push(high - offset + 0.0);
            }
        }
        Ok(Program {
            name: String::new(),
            sense: self.sense,
            variables: (0..n).map(|j| format!("x{j}")).collect(),
            linear,
            constant: self.constant,
            quadratic: None,
            matrix: from_entries(rows.len(), n, &entries)?,
            rows,
            row_lower,
            row_upper,
            quadratic_rows: Vec::new(),
            cones,
            lower,
            upper,
            notes: Vec::new(),
        })
    }
}

/// The rows of a cone. A rotated one, 2 a b >= |y|^2, is |(2 y, 2 a - b)| <= 2 a + b.
fn cone(name: String, domain: Domain, mut sums: Sums, n: usize) -> Result<ConeRows, DataError> {
    if domain == Domain::Rotated {
        let (a, b) = (sums.remove(0), sums.remove(0));
        let combined = |sign: f64| {
            let mut sum: BTreeMap<usize, f64> = a.0.iter().map(|(j, value)| (*j, 2.0 * value)).collect();
            b.0.iter().for_each(|(j, value)| *sum.entry(*j).or_insert(0.0) += sign * value);
            (sum, 2.0 * a.1 + sign * b.1)
        };
        let (head, difference) = (combined(1.0), combined(-1.0));
        let twice = |(sum, offset): (BTreeMap<usize, f64>, f64)| {
            (sum.into_iter().map(|(j, value)| (j, 2.0 * value)).collect(), 2.0 * offset)
        };
        sums = std::iter::once(head).chain(sums.into_iter().map(twice)).chain([difference]).collect();
    }
    let kind = if domain == Domain::Exponential { Cone::Exponential } else { Cone::SecondOrder };
    let mut entries = Vec::new();
    for (i, (sum, _)) in sums.iter().enumerate() {
        entries.extend(sum.iter().map(|(j, value)| (i, *j, *value)));
    }
    let matrix = from_entries(sums.len(), n, &entries)?;
    Ok(ConeRows { name, kind, matrix, offset: sums.iter().map(|(_, offset)| *offset).collect() })
}
