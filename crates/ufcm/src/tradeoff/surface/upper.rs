//! The upper side of a surface: the least mix of points that needs no looser bounds.
//!
//! p is convex and falls as bounds are loosened. So points (s_i, v_i) above it show p(s) <= sum t_i v_i for all weights t with sum t_i s_i <= s,
//! and the least of these is a linear program in three rows. A simplex method on its dual is small enough to be asked thousands of times.

use super::super::solves::Above;

/// Pivots after which the best mix so far is told: it is a bound, too.
const MOST_PIVOTS: usize = 200;

/// A mix of points, and its value.
#[derive(Debug, Clone, Default)]
pub(super) struct Mix {
    pub(super) value: f64,
    /// Points with weights that are positive and add up to 1.
    pub(super) parts: Vec<(usize, f64)>,
}

/// A column of the program: what it adds to the bounds, to the sum of the weights, and to the value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Column {
    /// A point with its weight.
    Point(usize),
    /// What is left of a bound.
    Slack(usize),
    /// A point at s whose value is beyond all others.
    Beyond,
}

/// The least mix of `points` at `s`; infinite where there is none.
pub(super) fn least_mix(points: &[Above<2>], s: [f64; 2], scale: [f64; 2]) -> Mix {
    let none = Mix { value: f64::INFINITY, parts: Vec::new() };
    let Some(first) = points.first() else { return none };
    let (low, high) = points
        .iter()
        .fold((first.value, first.value), |(low, high), point| (low.min(point.value), high.max(point.value)));
    let program = Program { points, s, scale, low, beyond: 1e7 * (high - low).max(f64::MIN_POSITIVE) };
    let (basis, weights) = program.solve();
    let mut parts: Vec<(usize, f64)> = Vec::with_capacity(3);
    for (column, weight) in basis.iter().zip(weights) {
        match column {
            Column::Beyond if weight > 1e-12 => return none,
            Column::Point(i) if weight > 0.0 => parts.push((*i, weight)),
            _ => {}
        }
    }
    let total: f64 = parts.iter().map(|(_, weight)| weight).sum();
    if total.is_nan() || total <= 0.5 {
        return none;
    }
    parts.iter_mut().for_each(|(_, weight)| *weight /= total);
    let value: f64 = parts.iter().map(|(i, weight)| weight * points[*i].value).sum();
    let size: f64 = parts.iter().map(|(i, weight)| weight * points[*i].value.abs()).sum();
    // Rounded up, as a bound should be; and the bounds of a mix are as exact as its weights.
    let steep = (high - low).abs();
    Mix { value: value + 8.0 * f64::EPSILON * (size + steep), parts }
}

struct Program<'a> {
    points: &'a [Above<2>],
    s: [f64; 2],
    scale: [f64; 2],
    low: f64,
    beyond: f64,
}

impl Program<'_> {
    fn column(&self, column: Column) -> ([f64; 3], f64) {
        match column {
            Column::Point(i) => {
                let point = &self.points[i];
                let over = |k: usize| (point.s[k] - self.s[k]) / self.scale[k];
                ([over(0), over(1), 1.0], point.value - self.low)
            }
            Column::Slack(0) => ([1.0, 0.0, 0.0], 0.0),
            Column::Slack(_) => ([0.0, 1.0, 0.0], 0.0),
            Column::Beyond => ([0.0, 0.0, 1.0], self.beyond),
        }
    }

    /// The basis of the least mix, and its weights.
    fn solve(&self) -> ([Column; 3], [f64; 3]) {
        let mut basis = [Column::Slack(0), Column::Slack(1), Column::Beyond];
        let mut weights: [f64; 3] = [0.0, 0.0, 1.0];
        for pivot in 0..MOST_PIVOTS {
            let columns = basis.map(|column| self.column(column));
            let Some(inverse) = inverse(columns.map(|(column, _)| column)) else { break };
            let prices: [f64; 3] =
                std::array::from_fn(|r| (0..3).map(|b| columns[b].1 * inverse[b][r]).sum());
            let Some(entering) = self.entering(&prices, &basis, pivot > MOST_PIVOTS / 2) else { break };
            let (column, _) = self.column(entering);
            let along: [f64; 3] =
                std::array::from_fn(|b| (0..3).map(|r| inverse[b][r] * column[r]).sum::<f64>());
            let mut leaving: Option<(usize, f64)> = None;
            for (b, along) in along.iter().enumerate().filter(|(_, along)| **along > 1e-12) {
                let ratio = weights[b].max(0.0) / along;
                if leaving.is_none_or(|(_, least)| ratio < least) {
                    leaving = Some((b, ratio));
                }
            }
            let Some((out, step)) = leaving else { break };
            for (b, along) in along.iter().enumerate() {
                weights[b] = (weights[b] - step * along).max(0.0);
            }
            (basis[out], weights[out]) = (entering, step);
        }
        (basis, weights)
    }

    /// The column that lowers the value most; the first that lowers it, where there have been many.
    fn entering(&self, prices: &[f64; 3], basis: &[Column; 3], first: bool) -> Option<Column> {
        let all = (0..self.points.len()).map(Column::Point).chain([Column::Slack(0), Column::Slack(1)]);
        let mut best: Option<(Column, f64)> = None;
        for column in all.filter(|column| !basis.contains(column)) {
            let (entries, cost) = self.column(column);
            let reduced = cost - (0..3).map(|r| prices[r] * entries[r]).sum::<f64>();
            let size = cost.abs() + (0..3).map(|r| (prices[r] * entries[r]).abs()).sum::<f64>();
            if reduced < -1e-13 * size && best.is_none_or(|(_, least)| reduced < least) {
                best = Some((column, reduced));
                if first {
                    break;
                }
            }
        }
        best.map(|(column, _)| column)
    }
}

/// The inverse of the matrix with these columns; `None` where it has none.
fn inverse(columns: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let [a, b, c] = columns;
    let cross = |u: [f64; 3], v: [f64; 3]| {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    };
    let rows = [cross(b, c), cross(c, a), cross(a, b)];
    let determinant: f64 = (0..3).map(|r| a[r] * rows[0][r]).sum();
    (determinant.abs() > 1e-300).then(|| rows.map(|row| row.map(|entry| entry / determinant)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(s: [f64; 2], value: f64) -> Above<2> {
        Above { s, value, x: Vec::new(), multipliers: Vec::new() }
    }

    #[test]
    fn mixes_of_a_convex_function_are_above_it_and_tight_at_its_points() {
        let f = |s: [f64; 2]| (s[0] - 2.0).powi(2) + (s[1] - 3.0).powi(2) + 0.5 * s[0] * s[1] - 20.0;
        let grid = (0..=8).flat_map(|i| (0..=8).map(move |j| [0.125 * f64::from(i), 0.125 * f64::from(j)]));
        let points: Vec<Above<2>> = grid.map(|s| point(s, f(s))).collect();
        for (i, s) in [[0.0, 0.0], [0.3, 0.71], [1.0, 1.0], [0.99, 0.01]].into_iter().enumerate() {
            let mix = least_mix(&points, s, [1.0, 1.0]);
            assert!(mix.value >= f(s) - 1e-12 && mix.value <= f(s) + 0.02, "{i}: {} {}", mix.value, f(s));
            let mean: [f64; 2] =
                std::array::from_fn(|k| mix.parts.iter().map(|(i, t)| t * points[*i].s[k]).sum());
            assert!(mean[0] <= s[0] + 1e-12 && mean[1] <= s[1] + 1e-12);
        }
        assert!((least_mix(&points, [0.5, 0.25], [1.0, 1.0]).value - f([0.5, 0.25])).abs() < 1e-12);
    }

    #[test]
    fn looser_bounds_need_no_point_and_tighter_ones_have_none() {
        let points = [point([0.0, 1.0], 2.0), point([1.0, 0.0], 4.0)];
        let at = |s| least_mix(&points, s, [1.0, 1.0]).value;
        assert!((at([5.0, 5.0]) - 2.0).abs() < 1e-12 && (at([5.0, 0.0]) - 4.0).abs() < 1e-12);
        assert!((at([0.5, 0.5]) - 3.0).abs() < 1e-12);
        assert_eq!(at([0.4, 0.5]), f64::INFINITY);
        assert_eq!(at([-1.0, 2.0]), f64::INFINITY);
    }
}
