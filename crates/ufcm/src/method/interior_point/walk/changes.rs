//! The changes of the active rows on the way.

use super::system::{Pair, System};
use super::tuning::{AMISS, HOLDS, MOST_CHANGES, ROUNDING};
use super::{Piece, Walk};
use crate::budget::Budget;

/// What ends a piece of the path.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// A row becomes active.
    Meets(usize),
    /// The multiplier of a row reaches 0.
    Leaves(usize),
}

impl Walk {
    /// The pieces of the path from the loosest bound to `end`, or as far as it gets.
    pub(super) fn pieces(&mut self, active: Vec<bool>, end: f64, budget: &Budget) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let Some(mut system) = System::new(&self.data, active) else { return pieces };
        let q = self.priced();
        let (mut s, mut changes, mut ray) = (self.loosest, 0, None);
        while changes < MOST_CHANGES && budget.component().is_ok() {
            let Some((now, rate)) = self.now(&system, &q, s) else { break };
            if changes == 0 && !self.is_optimal(&system, &now, s) {
                break;
            }
            let (way, event) = self.next_event(&system, &now, &rate, s);
            let ends = way >= s - end;
            let way = way.min(s - end);
            if way > 0.0 {
                let Some(more) = self.pieces_of(&system, &now, &rate, s, way) else { break };
                pieces.extend(more);
            }
            s -= way;
            let changed = !ends && self.change(&mut system, event, &now, &rate, s, way);
            if !changed {
                ray = (!ends).then(|| self.ray(&system, event)).flatten();
                break;
            }
            changes += 1;
        }
        let factorisations = system.factorisations;
        (self.changes, self.factorisations, self.ray) = (changes, factorisations, ray);
        pieces
    }

    /// Answer and multipliers of the perturbed program, and how they change with a looser bound.
    fn now(&self, system: &System<'_>, q: &[f64], s: f64) -> Option<(Pair, Pair)> {
        let negative: Vec<f64> = q.iter().map(|q| -q).collect();
        let now = system.solve(&negative, &self.loosened_sides(s))?;
        let rate = system.solve(&vec![0.0; q.len()], &self.rates)?;
        Some((now, rate))
    }

    fn loosened_sides(&self, s: f64) -> Vec<f64> {
        let mut sides = self.sides(s);
        sides.iter_mut().zip(&self.loosened).for_each(|(b, by)| *b += by);
        sides
    }

    fn inequalities(&self, system: &System<'_>, active: bool) -> impl Iterator<Item = usize> {
        let wanted: Vec<usize> = (0..self.rates.len())
            .filter(|row| system.active[*row] == active && !self.is_equation[*row])
            .collect();
        wanted.into_iter()
    }

    /// Whether rows hold and multipliers are not negative.
    fn is_optimal(&self, system: &System<'_>, (x, z): &Pair, s: f64) -> bool {
        let sides = self.loosened_sides(s);
        let highest = z.iter().fold(0.0f64, |most, z| most.max(z.abs()));
        let holds = |row: usize| {
            let size = sides[row].abs() + self.data.size(row, x);
            sides[row] - self.data.product(row, x) >= -AMISS * size
        };
        self.inequalities(system, false).all(holds)
            && self.inequalities(system, true).all(|row| z[row] >= -AMISS * highest)
    }

    /// How far the bound can be tightened before the active rows change, and what happens then.
    fn next_event(&self, system: &System<'_>, now: &Pair, rate: &Pair, s: f64) -> (f64, Event) {
        let ((x, z), (dx, dz)) = (now, rate);
        let sides = self.loosened_sides(s);
        let mut first = (f64::INFINITY, Event::Leaves(usize::MAX));
        for row in self.inequalities(system, false) {
            let closes = self.rates[row] - self.data.product(row, dx);
            let size = self.rates[row].abs() + self.data.size(row, dx);
            if closes > ROUNDING * size {
                let way = (sides[row] - self.data.product(row, x)).max(0.0) / closes;
                if way < first.0 {
                    first = (way, Event::Meets(row));
                }
            }
        }
        let fastest = dz.iter().fold(0.0f64, |most, d| most.max(d.abs()));
        for row in self.inequalities(system, true) {
            if dz[row] > ROUNDING * fastest && z[row].max(0.0) / dz[row] < first.0 {
                first = (z[row].max(0.0) / dz[row], Event::Leaves(row));
            }
        }
        first
    }

    /// The pieces from `s` to a bound that is tighter by `way`, of the program that is not perturbed. Where its points violate a row that is not active, as
    /// near changes and where many rows meet in a point, those of the perturbed program take their place.
    fn pieces_of(
        &self,
        system: &System<'_>,
        now: &Pair,
        rate: &Pair,
        s: f64,
        way: f64,
    ) -> Option<Vec<Piece>> {
        let negative: Vec<f64> = self.program.q.iter().map(|q| -q).collect();
        let (x, z) = system.solve(&negative, &self.sides(s))?;
        let [from, to] = self.holds_between(system, (&x, &rate.0), s, way);
        let piece = |x: &[f64], [from, to]: [f64; 2]| {
            let at = |v: &[f64], d: &[f64], t: f64| -> Vec<f64> {
                v.iter().zip(d).map(|(v, d)| v - t * d).collect()
            };
            let [points, duals] =
                [(x, &rate.0), (&z[..], &rate.1)].map(|(v, d)| [from, to].map(|t| at(v, d, t)));
            let multipliers = [0, 1].map(|k| self.program.multipliers(&points[k], &duals[k]));
            let x = points.map(|y| self.program.point(&y).to_vec());
            Piece { s: [s - from, s - to], x, multipliers }
        };
        let parts = [(&now.0, [0.0, from]), (&x, [from, to]), (&now.0, [to, way])];
        let parts = parts.into_iter().filter(|(_, [from, to])| from < to);
        Some(parts.map(|(x, part)| piece(x, part)).collect())
    }

    /// Between which bounds, tighter than `s` by these, the rows that are not active hold at x, but for rounding; an empty range, at `way`, where they
    /// nowhere do.
    fn holds_between(&self, system: &System<'_>, (x, dx): (&[f64], &[f64]), s: f64, way: f64) -> [f64; 2] {
        let (sides, mut from, mut to) = (self.sides(s), 0.0f64, way);
        for row in self.inequalities(system, false) {
            let size = sides[row].abs() + self.data.size(row, x);
            let slack = sides[row] - self.data.product(row, x) + HOLDS * size;
            let closes = self.rates[row] - self.data.product(row, dx);
            let place = slack / closes;
            match closes > 0.0 {
                true => to = to.min(place),
                false if slack < 0.0 => from = from.max(if closes < 0.0 { place } else { way }),
                false => {}
            }
        }
        // Written so that a NaN leaves nothing.
        if 0.0 <= from && from < to && to <= way { [from, to] } else { [way, way] }
    }

    /// Changes the active rows; false where the path ends. `now` is what was `way` before `s`.
    fn change(
        &self,
        system: &mut System<'_>,
        event: Event,
        now: &Pair,
        rate: &Pair,
        s: f64,
        way: f64,
    ) -> bool {
        let here = |v: &[f64], d: &[f64]| -> Vec<f64> { v.iter().zip(d).map(|(v, d)| v - way * d).collect() };
        let (x, z) = (here(&now.0, &rate.0), here(&now.1, &rate.1));
        match event {
            Event::Meets(row) => self.meet(system, row, &z),
            Event::Leaves(row) => self.leave(system, row, &x, s),
        }
    }

    /// A row becomes active. Where it is a combination of those that are, the one of them leaves whose multiplier is the first to reach 0.
    fn meet(&self, system: &mut System<'_>, row: usize, z: &[f64]) -> bool {
        let (mut normal, none) = (vec![0.0; self.data.columns], vec![0.0; z.len()]);
        self.data.rows[row].iter().for_each(|(column, a)| normal[*column] += a);
        let Some((u, shares)) = system.solve(&normal, &none) else { return false };
        // P u is what is left of the row beside the combination.
        let [left, _] = self.data.curved(&u);
        if largest(&left) > ROUNDING * largest(&normal) {
            return system.change(None, Some(row));
        }
        let least = ROUNDING * largest(&shares);
        let mut first: Option<(f64, usize)> = None;
        for other in self.inequalities(system, true).filter(|other| shares[*other] > least) {
            let ratio = z[other].max(0.0) / shares[other];
            if first.is_none_or(|(ratio_before, _)| ratio < ratio_before) {
                first = Some((ratio, other));
            }
        }
        // Where none can leave, no point satisfies tighter bounds.
        first.is_some_and(|(_, other)| system.change(Some(other), Some(row)))
    }

    /// Multipliers of rows that no point satisfies with tighter bounds: of the row that is met, and of the active ones that it is a combination of, where
    /// none of these can leave.
    fn ray(&self, system: &System<'_>, event: Event) -> Option<Vec<f64>> {
        let Event::Meets(row) = event else { return None };
        let mut normal = vec![0.0; self.data.columns];
        self.data.rows[row].iter().for_each(|(column, a)| normal[*column] += a);
        let (_, shares) = system.solve(&normal, &vec![0.0; self.rates.len()])?;
        let mut ray: Vec<f64> = shares.iter().map(|share| -share).collect();
        ray[row] = 1.0;
        // Rounding on a row that has no part in it would make the whole worthless.
        let least = ROUNDING * largest(&ray);
        ray.iter_mut().filter(|l| l.abs() <= least).for_each(|l| *l = 0.0);
        let inequalities = ray.iter_mut().zip(&self.is_equation).filter(|(_, is_equation)| !**is_equation);
        inequalities.for_each(|(l, _)| *l = l.max(0.0));
        Some(ray)
    }

    /// The multiplier of a row reaches 0. Where nothing curved holds the answer without the row, it moves at no cost to the next row.
    fn leave(&self, system: &mut System<'_>, row: usize, x: &[f64], s: f64) -> bool {
        let mut one = vec![0.0; self.rates.len()];
        if row >= one.len() {
            return false;
        }
        one[row] = 1.0;
        let Some((v, _)) = system.solve(&vec![0.0; x.len()], &one) else { return false };
        let [curved, sizes] = self.data.curved(&v);
        if largest(&curved) > ROUNDING * largest(&sizes) {
            return system.change(Some(row), None);
        }
        let sides = self.loosened_sides(s);
        let mut first: Option<(f64, usize)> = None;
        for other in self.inequalities(system, false) {
            let closes = -self.data.product(other, &v);
            if closes > ROUNDING * self.data.size(other, &v) {
                let way = (sides[other] - self.data.product(other, x)).max(0.0) / closes;
                if first.is_none_or(|(before, _)| way < before) {
                    first = Some((way, other));
                }
            }
        }
        first.is_some_and(|(_, other)| system.change(Some(row), Some(other)))
    }
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0f64, |most, v| most.max(v.abs()))
}
