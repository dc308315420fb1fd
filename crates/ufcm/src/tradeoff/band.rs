//! What is known of the optimal value as a function of one bound: convex and falling, above lines and below points.

use super::solves::Above;
use super::tuning::SPARE;
use crate::certificate::Plane;

/// The band between lines below and points above.
#[derive(Debug, Clone, Default)]
pub(super) struct Band {
    /// In the order of s; each lies below the chord of its neighbours.
    pub(super) above: Vec<Above<1>>,
    pub(super) lines: Vec<Plane<1>>,
    /// What the width is relative to at least.
    pub(super) unit: f64,
}

impl Band {
    /// Keeps a point, and of the others those that still say something.
    pub(super) fn add_above(&mut self, point: Above<1>) {
        if !point.value.is_finite() || point.value >= self.upper(point.s[0]) {
            return;
        }
        let place = self.above.partition_point(|other| other.s[0] < point.s[0]);
        // What is looser and no better says nothing.
        self.above.insert(place, point);
        let mut hull: Vec<Above<1>> = Vec::with_capacity(self.above.len());
        for point in self.above.drain(..) {
            if hull.last().is_some_and(|last| last.value <= point.value) {
                continue;
            }
            while hull.last().is_some_and(|last| last.s == point.s) {
                hull.pop();
            }
            while let [.., a, b] = &hull[..] {
                if (b.value - a.value) * (point.s[0] - a.s[0]) < (point.value - a.value) * (b.s[0] - a.s[0]) {
                    break;
                }
                hull.pop();
            }
            hull.push(point);
        }
        self.above = hull;
    }

    /// The optimal value with the bound `s` is at most this.
    pub(super) fn upper(&self, s: f64) -> f64 {
        let next = self.above.partition_point(|point| point.s[0] <= s);
        match (next.checked_sub(1).map(|last| &self.above[last]), self.above.get(next)) {
            (None, _) => f64::INFINITY,
            (Some(a), None) => a.value,
            (Some(a), Some(b)) => {
                let t = (s - a.s[0]) / (b.s[0] - a.s[0]);
                // Rounded up, as a bound should be.
                let chord = a.value + t * (b.value - a.value);
                (chord + 4.0 * f64::EPSILON * (a.value.abs() + b.value.abs())).min(a.value)
            }
        }
    }

    /// The optimal value with the bound `s` is at least this.
    pub(super) fn lower(&self, s: f64) -> f64 {
        let heights = self.lines.iter().map(|line| line.height([s]));
        let best = heights.fold(f64::NEG_INFINITY, f64::max);
        best - 4.0 * f64::EPSILON * best.abs()
    }

    /// The width at `s`, relative to max(unit, |lower|).
    pub(super) fn width(&self, s: f64) -> f64 {
        let (lower, upper) = (self.lower(s), self.upper(s));
        if !(lower.is_finite() && upper.is_finite()) {
            return f64::INFINITY;
        }
        (upper - lower) / self.unit.max(lower.abs())
    }

    /// Where the band is widest between `from` and `to`, and how wide. Both sides are straight between the places that are looked at, and
    /// so is what the width is relative to: no other place is wider.
    pub(super) fn widest(&self, from: f64, to: f64) -> (f64, f64) {
        let widths = self.places(from, to).into_iter().map(|s| (s, self.width(s)));
        // Of several that are as wide the tightest, whatever their order.
        widths.fold((from, f64::NEG_INFINITY), |best, next| {
            let wider = next.1 > best.1 || (next.1 == best.1 && next.0 < best.0);
            if wider { next } else { best }
        })
    }

    /// The places between `from` and `to` where a side of the band may bend, or what its width is relative to.
    pub(super) fn places(&self, from: f64, to: f64) -> Vec<f64> {
        let mut places = vec![from, to];
        places.extend(self.above.iter().map(|point| point.s[0]));
        for (k, a) in self.lines.iter().enumerate() {
            // A line may end: what is beyond counts, too.
            places.extend([a.from[0], a.from[0].next_down(), a.to[0], a.to[0].next_up()]);
            let level = |height: f64| a.at[0] + (height - a.value) / a.slope[0];
            places.extend([level(self.unit), level(-self.unit)]);
            let crossing = |b: &Plane<1>| (at_zero(b) - at_zero(a)) / (a.slope[0] - b.slope[0]);
            let on_top = |s: &f64| {
                let lower = self.lower(*s);
                a.height([*s]) >= lower - 1e-9 * (self.unit + lower.abs())
            };
            places.extend(self.lines[k + 1..].iter().map(crossing).filter(on_top));
        }
        places.retain(|s| from <= *s && *s <= to);
        places
    }

    /// Where to solve in the range around `s`, whose width there is `excess` times what it may be, so that equal parts of it become narrow with the
    /// fewest solves. Widths fall with the squares of distances: k parts need a solve at each of the k - 1 places between them, and halving
    /// ends with a power of 2 of them. `None` where no lines end the range.
    pub(super) fn even_split(&self, s: f64, excess: f64) -> Option<f64> {
        let ends = |end: fn(f64, f64) -> f64, start: f64, keep: &dyn Fn(f64) -> bool| {
            let places = self.lines.iter().map(|line| line.at[0]).filter(|at| keep(*at));
            Some(places.fold(start, end)).filter(|end| end.is_finite())
        };
        let a = ends(f64::max, f64::NEG_INFINITY, &|at| at < s)?;
        let b = ends(f64::min, f64::INFINITY, &|at| at > s)?;
        let parts = (SPARE * excess).sqrt().ceil().max(2.0);
        let share = (0.5 * parts).floor() / parts;
        Some(a + 2.0 * share * (s - a)).filter(|split| a < *split && *split < b)
    }

    /// The points on both sides of `s`.
    pub(super) fn neighbours(&self, s: f64) -> Option<(&Above<1>, &Above<1>)> {
        let next = self.above.partition_point(|point| point.s[0] <= s);
        let a = self.above.get(next.checked_sub(1)?)?;
        self.above.get(next).filter(|_| a.s[0] < s).map(|b| (a, b))
    }
}

/// The height of a line at s = 0.
fn at_zero(line: &Plane<1>) -> f64 {
    line.value - line.slope[0] * line.at[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(s: f64, value: f64) -> Above<1> {
        Above { s: [s], value, x: Vec::new(), multipliers: Vec::new() }
    }

    fn line(at: f64, value: f64, slope: f64) -> Plane<1> {
        Plane { at: [at], value, slope: [slope], from: [0.0], to: [10.0] }
    }

    #[test]
    fn the_upper_side_is_the_hull_and_falls() {
        let mut band = Band { unit: 1.0, ..Band::default() };
        for (s, value) in [(4.0, 1.0), (0.0, 5.0), (2.0, 4.0), (6.0, 3.0), (1.0, 2.0)] {
            band.add_above(point(s, value));
        }
        let kept: Vec<(f64, f64)> = band.above.iter().map(|point| (point.s[0], point.value)).collect();
        assert_eq!(kept, [(0.0, 5.0), (1.0, 2.0), (4.0, 1.0)]);
        assert_eq!(band.upper(-1.0), f64::INFINITY);
        assert!((band.upper(0.5) - 3.5).abs() < 1e-12 && band.upper(9.0) == 1.0);
    }

    #[test]
    fn a_range_is_split_into_as_many_parts_as_it_needs() {
        let lines = vec![line(0.0, 1.0, -0.4), line(6.0, 0.0, 0.0)];
        let band = Band { unit: 1.0, lines, ..Band::default() };
        // 4 / 1.05 and less take two parts, up to 9 / 1.05 three, up to 16 / 1.05 four.
        for (excess, split) in [(1.1, 2.5), (3.8, 2.5), (4.0, 5.0 / 3.0), (8.5, 5.0 / 3.0), (9.0, 2.5)] {
            let found = band.even_split(2.5, excess).unwrap();
            assert!((found - split).abs() < 1e-12, "{excess}: {found}");
        }
        assert_eq!(band.even_split(-1.0, 2.0), None);
    }

    #[test]
    fn the_widest_place_is_found_where_lines_cross() {
        let mut band = Band { unit: 1.0, ..Band::default() };
        band.add_above(point(0.0, 1.0));
        band.add_above(point(10.0, 0.0));
        band.lines = vec![line(0.0, 1.0, -0.4), line(10.0, 0.0, 0.0)];
        let (s, width) = band.widest(0.0, 10.0);
        assert!((s - 2.5).abs() < 1e-12 && (width - 0.75).abs() < 1e-12, "{s} {width}");
        // The line that ends early leaves the rest to the other one.
        band.lines[0].to = [1.0];
        let (s, width) = band.widest(0.0, 10.0);
        assert!(s > 1.0 && s < 1.0 + 1e-12 && (width - 0.9).abs() < 1e-12, "{s} {width}");
    }
}
