//! Both sides of a surface, and where they are farthest from each other.
//!
//! On a box of bounds, upper side minus a plane is convex, so that it is largest at a corner: the corners bound the width in the whole box. Boxes whose bound is
//! too large are split, those with the largest bound first. What is left proves the width everywhere.

use super::super::solves::Above;
use super::super::tuning::{DEEPEST, EDGE, NEARLY};
use super::upper::{Mix, least_mix};
use crate::certificate::{Hopeless, Plane};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// What is known of the optimal value as a function of two bounds.
#[derive(Debug, Clone, Default)]
pub(super) struct Sides {
    pub(super) above: Vec<Above<2>>,
    pub(super) planes: Vec<Plane<2>>,
    /// Where nothing is feasible.
    pub(super) hopeless: Vec<Hopeless<2>>,
    /// What the width is relative to at least.
    pub(super) unit: f64,
    pub(super) tight: [f64; 2],
    pub(super) loose: [f64; 2],
}

/// Where a surface stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Standing {
    /// No place is wider than this, among those that have an upper side.
    pub(super) width: f64,
    /// Where it is about that wide.
    pub(super) place: [f64; 2],
    /// The tight corner of a cell in the middle of those that are neither known to be feasible nor known not to be, where there are many.
    pub(super) unknown: Option<[f64; 2]>,
    /// Their part of the whole.
    pub(super) undecided: f64,
}

/// A box of bounds, with what it is known to be at most as wide as.
struct Cell {
    bound: f64,
    low: [f64; 2],
    high: [f64; 2],
    depth: usize,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The wider first; among equals the one with the tighter bounds, whatever their order.
impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        let places = other.low[0].total_cmp(&self.low[0]).then(other.low[1].total_cmp(&self.low[1]));
        self.bound.total_cmp(&other.bound).then(places)
    }
}

type Corners = HashMap<[u64; 2], f64>;
/// The tight and the loose corner of a box.
type Ends = ([f64; 2], [f64; 2]);

impl Sides {
    /// Whether it is proven that nothing is feasible with `s`.
    pub(super) fn is_hopeless(&self, s: [f64; 2]) -> bool {
        self.hopeless.iter().any(|hopeless| hopeless.holds(s))
    }

    /// The least mix of points at `s`.
    pub(super) fn mix(&self, s: [f64; 2]) -> Mix {
        let scale = std::array::from_fn(|k| self.loose[k] - self.tight[k]);
        least_mix(&self.above, s, scale)
    }

    pub(super) fn upper(&self, s: [f64; 2]) -> f64 {
        self.mix(s).value
    }

    pub(super) fn lower(&self, s: [f64; 2]) -> f64 {
        let best = self.planes.iter().map(|plane| plane.height(s)).fold(f64::NEG_INFINITY, f64::max);
        best - 8.0 * f64::EPSILON * best.abs()
    }

    /// The width at `s`, relative to max(unit, |lower|).
    pub(super) fn width(&self, s: [f64; 2]) -> f64 {
        self.relative(self.upper(s), self.lower(s))
    }

    fn relative(&self, upper: f64, lower: f64) -> f64 {
        match lower.is_finite() && upper.is_finite() {
            true => (upper - lower) / self.unit.max(lower.abs()),
            false => f64::INFINITY,
        }
    }

    /// Where the surface is widest, and what is not decided; widths up to `enough` need not be told apart.
    pub(super) fn standing(&self, enough: f64) -> Standing {
        let mut corners = Corners::new();
        let (cells, unknown, undecided) = self.cells(&mut corners);
        let mut heap: BinaryHeap<Cell> =
            cells.into_iter().map(|(low, high)| self.cell(low, high, 0, &mut corners)).collect();
        let mut widest = (f64::NEG_INFINITY, self.tight);
        while let Some(cell) = heap.pop() {
            let middle = [0, 1].map(|k| 0.5 * (cell.low[k] + cell.high[k]));
            for s in [cell.low, [cell.low[0], cell.high[1]], [cell.high[0], cell.low[1]], cell.high, middle] {
                let width = self.relative(self.corner(s, &mut corners), self.lower(s));
                if width > widest.0 {
                    widest = (width, s);
                }
            }
            let small = cell.depth >= DEEPEST;
            // All others are less wide.
            let found = widest.0 > enough && cell.bound <= NEARLY * widest.0;
            if cell.bound <= enough || found || small {
                let place = if widest.0 > enough { widest.1 } else { middle };
                return Standing { width: cell.bound, place, unknown, undecided };
            }
            let depth = cell.depth + 1;
            for [i, j] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                let ends = |k: usize, half: usize| match half {
                    0 => (cell.low[k], middle[k]),
                    _ => (middle[k], cell.high[k]),
                };
                let ((a, b), (c, d)) = (ends(0, i), ends(1, j));
                heap.push(self.cell([a, c], [b, d], depth, &mut corners));
            }
        }
        Standing { width: f64::INFINITY, place: widest.1, unknown, undecided }
    }

    fn corner(&self, s: [f64; 2], corners: &mut Corners) -> f64 {
        *corners.entry(s.map(f64::to_bits)).or_insert_with(|| self.upper(s))
    }

    /// A box with the least bound of its width that one plane gives.
    fn cell(&self, low: [f64; 2], high: [f64; 2], depth: usize, corners: &mut Corners) -> Cell {
        let places = [low, [low[0], high[1]], [high[0], low[1]], high];
        let upper = places.map(|s| self.corner(s, corners));
        let mut bound = f64::INFINITY;
        for plane in &self.planes {
            let lower = places.map(|s| plane.height(s));
            let widest = upper.iter().zip(lower).map(|(u, l)| u - l).fold(f64::NEG_INFINITY, f64::max);
            let one_sign = lower.iter().all(|l| *l > 0.0) || lower.iter().all(|l| *l < 0.0);
            let least = lower.iter().fold(f64::INFINITY, |least, l| least.min(l.abs()));
            let size = self.unit.max(if one_sign { least } else { 0.0 });
            bound = bound.min(widest / size);
        }
        let bound = if bound.is_nan() { f64::INFINITY } else { bound };
        Cell { bound, low, high, depth }
    }

    /// The boxes to begin with: all that is feasible. Where that is not everything, what is not decided.
    fn cells(&self, corners: &mut Corners) -> (Vec<Ends>, Option<[f64; 2]>, f64) {
        if self.corner(self.tight, corners).is_finite() {
            return (vec![(self.tight, self.loose)], None, 0.0);
        }
        let at =
            |k: usize, i: usize| self.tight[k] + (self.loose[k] - self.tight[k]) * i as f64 / EDGE as f64;
        // Cells of whose tight corner nothing is known, and all that are not known as a whole.
        let (mut feasible, mut open, mut edge) = (Vec::new(), vec![false; EDGE * EDGE], 0);
        for i in 0..EDGE {
            for j in 0..EDGE {
                let (low, high) = ([at(0, i), at(1, j)], [at(0, i + 1), at(1, j + 1)]);
                if self.corner(low, corners).is_finite() {
                    feasible.push((low, high));
                } else {
                    open[i * EDGE + j] = !self.is_hopeless(low);
                    edge += usize::from(!self.is_hopeless(high));
                }
            }
        }
        let undecided = edge as f64 / open.len() as f64;
        let unknown = deepest(&open).map(|(i, j)| [at(0, i), at(1, j)]);
        (feasible, unknown, undecided)
    }
}

/// The cell of the grid that is farthest from all that is not open, and from the loosest bounds; `None` where all that is open is at the edge of something else.
fn deepest(open: &[bool]) -> Option<(usize, usize)> {
    let mut left: Vec<bool> = open.to_vec();
    let mut last = None;
    loop {
        let inside = |i: usize, j: usize| {
            let near = |k: usize| k.saturating_sub(1)..k + 2;
            i + 1 < EDGE && j + 1 < EDGE && near(i).all(|i| near(j).all(|j| left[i * EDGE + j]))
        };
        let places = (0..EDGE).flat_map(|i| (0..EDGE).map(move |j| (i, j)));
        let kept: Vec<(usize, usize)> = places.filter(|(i, j)| inside(*i, *j)).collect();
        if kept.is_empty() {
            return last;
        }
        last = Some(kept[kept.len() / 2]);
        left.fill(false);
        kept.iter().for_each(|(i, j)| left[i * EDGE + j] = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_what_is_open_is_found() {
        assert_eq!(deepest(&[false; EDGE * EDGE]), None);
        // All but a corner: as far from it as from the loosest bounds.
        let at = |i: usize, j: usize| i * EDGE + j;
        let mut open = vec![true; EDGE * EDGE];
        (0..8).for_each(|i| (0..8).for_each(|j| open[at(i, j)] = false));
        let (i, j) = deepest(&open).unwrap();
        assert!(open[at(i, j)] && i < EDGE - 4 && j < EDGE - 4, "{i} {j}");
        // A strip of two cells is an edge.
        let mut strip = vec![false; EDGE * EDGE];
        (0..EDGE - 1)
            .for_each(|i| [at(i, EDGE - 2 - i), at(i, EDGE - 1 - i)].iter().for_each(|k| strip[*k] = true));
        assert_eq!(deepest(&strip), None);
    }

    #[test]
    fn the_widest_place_is_found_and_bounded() {
        // f = (2 - a)^2 + (3 - b)^2 on [0, 1]^2 from tangents at corners, and its values there.
        let f = |s: [f64; 2]| (2.0 - s[0]).powi(2) + (3.0 - s[1]).powi(2);
        let (tight, loose) = ([0.0; 2], [1.0; 2]);
        let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
        let above =
            corners.map(|s| Above { s, value: f(s), x: Vec::new(), multipliers: Vec::new() }).to_vec();
        let plane = |at: [f64; 2]| {
            let slope = [2.0 * (at[0] - 2.0), 2.0 * (at[1] - 3.0)];
            Plane { at, value: f(at), slope, from: tight, to: loose }
        };
        let planes = corners.map(plane).to_vec();
        let sides = Sides { above, planes, hopeless: Vec::new(), unit: 1.0, tight, loose };
        let standing = sides.standing(1e-6);
        let widest = (0..=100)
            .flat_map(|i| (0..=100).map(move |j| [f64::from(i) / 100.0, f64::from(j) / 100.0]))
            .map(|s| sides.width(s))
            .fold(0.0, f64::max);
        assert!(standing.width >= widest && standing.width <= 1.06 * widest, "{} {widest}", standing.width);
        assert!(sides.width(standing.place) >= 0.9 * widest && standing.undecided == 0.0);
    }
}
