//! What is known of the optimal value as a function of one bound: convex and falling, above lines and below points.

use crate::certificate::Line;

/// A point that satisfies all constraints with the bound `s`: the optimal value there is at most `value`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Above {
    pub(super) s: f64,
    pub(super) value: f64,
    pub(super) x: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
}

/// The band between lines below and points above.
#[derive(Debug, Clone, Default)]
pub(super) struct Band {
    /// In the order of s; each lies below the chord of its neighbours.
    pub(super) above: Vec<Above>,
    pub(super) lines: Vec<Line>,
    /// What the width is relative to at least.
    pub(super) unit: f64,
}

impl Band {
    /// Keeps a point, and of the others those that still say something.
    pub(super) fn add_above(&mut self, point: Above) {
        if !point.value.is_finite() || point.value >= self.upper(point.s) {
            return;
        }
        let place = self.above.partition_point(|other| other.s < point.s);
        // What is looser and no better says nothing.
        self.above.insert(place, point);
        let mut hull: Vec<Above> = Vec::with_capacity(self.above.len());
        for point in self.above.drain(..) {
            if hull.last().is_some_and(|last| last.value <= point.value) {
                continue;
            }
            while hull.last().is_some_and(|last| last.s == point.s) {
                hull.pop();
            }
            while let [.., a, b] = &hull[..] {
                if (b.value - a.value) * (point.s - a.s) < (point.value - a.value) * (b.s - a.s) {
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
        let next = self.above.partition_point(|point| point.s <= s);
        match (next.checked_sub(1).map(|last| &self.above[last]), self.above.get(next)) {
            (None, _) => f64::INFINITY,
            (Some(a), None) => a.value,
            (Some(a), Some(b)) => {
                let t = (s - a.s) / (b.s - a.s);
                // Rounded up, as a bound should be.
                let chord = a.value + t * (b.value - a.value);
                (chord + 4.0 * f64::EPSILON * (a.value.abs() + b.value.abs())).min(a.value)
            }
        }
    }

    /// The optimal value with the bound `s` is at least this.
    pub(super) fn lower(&self, s: f64) -> f64 {
        let heights = self.lines.iter().map(|line| line.height(s));
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
        places.extend(self.above.iter().map(|point| point.s));
        for (k, a) in self.lines.iter().enumerate() {
            // A line may end: what is beyond counts, too.
            places.extend([a.from, a.from.next_down(), a.to, a.to.next_up()]);
            let level = |height: f64| a.at + (height - a.value) / a.slope;
            places.extend([level(self.unit), level(-self.unit)]);
            let crossing =
                |b: &Line| ((b.value - b.slope * b.at) - (a.value - a.slope * a.at)) / (a.slope - b.slope);
            let on_top = |s: &f64| {
                let lower = self.lower(*s);
                a.height(*s) >= lower - 1e-9 * (self.unit + lower.abs())
            };
            places.extend(self.lines[k + 1..].iter().map(crossing).filter(on_top));
        }
        places.retain(|s| from <= *s && *s <= to);
        places
    }

    /// The points on both sides of `s`.
    pub(super) fn neighbours(&self, s: f64) -> Option<(&Above, &Above)> {
        let next = self.above.partition_point(|point| point.s <= s);
        let a = self.above.get(next.checked_sub(1)?)?;
        self.above.get(next).filter(|_| a.s < s).map(|b| (a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(s: f64, value: f64) -> Above {
        Above { s, value, x: Vec::new(), multipliers: Vec::new() }
    }

    fn line(at: f64, value: f64, slope: f64) -> Line {
        Line { at, value, slope, from: 0.0, to: 10.0 }
    }

    #[test]
    fn the_upper_side_is_the_hull_and_falls() {
        let mut band = Band { unit: 1.0, ..Band::default() };
        for (s, value) in [(4.0, 1.0), (0.0, 5.0), (2.0, 4.0), (6.0, 3.0), (1.0, 2.0)] {
            band.add_above(point(s, value));
        }
        let kept: Vec<(f64, f64)> = band.above.iter().map(|point| (point.s, point.value)).collect();
        assert_eq!(kept, [(0.0, 5.0), (1.0, 2.0), (4.0, 1.0)]);
        assert_eq!(band.upper(-1.0), f64::INFINITY);
        assert!((band.upper(0.5) - 3.5).abs() < 1e-12 && band.upper(9.0) == 1.0);
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
        band.lines[0].to = 1.0;
        let (s, width) = band.widest(0.0, 10.0);
        assert!(s > 1.0 && s < 1.0 + 1e-12 && (width - 0.9).abs() < 1e-12, "{s} {width}");
    }
}
