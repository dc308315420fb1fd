//! The iterate: y, multipliers l, slacks s of the inequalities; what is left of the optimality conditions, and steps.

use super::newton::Newton;
use super::scaling::Scaled;
use crate::method::tuning::condensed::{CORRECTORS, LONG_ENOUGH, LONGER, SPREAD, TO_THE_BOUNDARY};

#[derive(Clone)]
pub(super) struct Point {
    y: Vec<f64>,
    /// Multipliers of all rows; those of inequalities are positive.
    l: Vec<f64>,
    /// Slacks; 0 in equations.
    s: Vec<f64>,
    /// P y + q + A'l and A y + s - b.
    dual: Vec<f64>,
    primal: Vec<f64>,
    /// P y, and room for A'l.
    curved: Vec<f64>,
    slope: Vec<f64>,
    equations: usize,
}

/// Room for two directions and their right-hand sides.
pub(super) struct Directions {
    y: Vec<f64>,
    l: Vec<f64>,
    s: Vec<f64>,
    f: Vec<f64>,
    g: Vec<f64>,
    /// What the products s z are to become less what they are, with a minus sign.
    complementarity: Vec<f64>,
    /// The direction before a correction: y, l, s.
    kept: [Vec<f64>; 3],
}

impl Directions {
    pub(super) fn new(program: &Scaled) -> Self {
        let (n, m) = (program.q.len(), program.b.len());
        let [y, f] = [vec![0.0; n], vec![0.0; n]];
        let [l, s, g, complementarity] = std::array::from_fn(|_| vec![0.0; m]);
        let kept = [y.clone(), l.clone(), s.clone()];
        Self { y, l, s, f, g, complementarity, kept }
    }

    fn keep(&mut self) {
        let [y, l, s] = &mut self.kept;
        y.copy_from_slice(&self.y);
        l.copy_from_slice(&self.l);
        s.copy_from_slice(&self.s);
    }

    fn restore(&mut self) {
        let [y, l, s] = &mut self.kept;
        std::mem::swap(&mut self.y, y);
        std::mem::swap(&mut self.l, l);
        std::mem::swap(&mut self.s, s);
    }
}

/// The product of two vectors.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    crate::kernel::simd::dot(a, b)
}

/// The largest step, at most 1, that keeps v + step d nonnegative.
fn step_to_boundary(v: &[f64], d: &[f64]) -> f64 {
    v.iter().zip(d).fold(1.0, |step: f64, (v, d)| if *d < 0.0 { step.min(-v / d) } else { step })
}

impl Point {
    /// Mehrotra's first point: the least slacks and multipliers, moved into the inside of where they may be.
    pub(super) fn first(program: &Scaled, newton: &mut Newton) -> Option<Self> {
        let (n, m, equations) = (program.q.len(), program.b.len(), program.equations);
        if !newton.factor((0..m).map(|_| 1.0)) {
            return None;
        }
        let mut point = Self {
            y: vec![0.0; n],
            l: vec![0.0; m],
            s: vec![0.0; m],
            dual: vec![0.0; n],
            primal: vec![0.0; m],
            curved: vec![0.0; n],
            slope: vec![0.0; n],
            equations,
        };
        let falling: Vec<f64> = program.q.iter().map(|q| -q).collect();
        let is_linear = program.p.entries() == 0;
        let flat = vec![0.0; n];
        let f = if is_linear { &flat } else { &falling };
        newton.solve(program, [f, &program.b], &mut point.y, &mut point.l);
        for row in equations..m {
            point.s[row] = -point.l[row];
        }
        if is_linear {
            newton.solve(program, [&falling, &vec![0.0; m]], &mut flat.clone(), &mut point.l);
        }
        let (s, z) = (&mut point.s[equations..], &mut point.l[equations..]);
        let moved = |v: &mut [f64]| {
            let least = v.iter().fold(f64::INFINITY, |least, v| least.min(*v));
            let by = (-1.5 * least).max(0.0);
            v.iter_mut().for_each(|v| *v += by);
        };
        moved(s);
        moved(z);
        let product = dot(s, z);
        let [of_s, of_z] = [&*s, &*z].map(|v| v.iter().sum::<f64>());
        let shift = |sum: f64| if sum > 0.0 { 0.5 * product / sum } else { 0.0 };
        let least = 1e-2;
        s.iter_mut().for_each(|s| *s = (*s + shift(of_z)).max(least));
        z.iter_mut().for_each(|z| *z = (*z + shift(of_s)).max(least));
        point.evaluate(program);
        Some(point)
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.y.copy_from_slice(&other.y);
        self.l.copy_from_slice(&other.l);
        self.s.copy_from_slice(&other.s);
    }

    /// s / z; nothing to be used in equations.
    pub(super) fn inverse_weights(&self) -> impl Iterator<Item = f64> + '_ {
        let equations = self.equations;
        let ratio = move |(row, (s, z)): (usize, (&f64, &f64))| if row < equations { 1.0 } else { s / z };
        self.s.iter().zip(&self.l).enumerate().map(ratio)
    }

    /// What is left of the optimality conditions.
    fn evaluate(&mut self, program: &Scaled) {
        program.p.multiply(&self.y, &mut self.curved);
        self.slope.fill(0.0);
        program.a.add_transposed(&self.l, &mut self.slope);
        for (k, dual) in self.dual.iter_mut().enumerate() {
            *dual = self.curved[k] + program.q[k] + self.slope[k];
        }
        program.a.multiply(&self.y, &mut self.primal);
        for (row, primal) in self.primal.iter_mut().enumerate() {
            *primal += self.s[row] - program.b[row];
        }
    }

    /// The largest relative error of primal and dual feasibility and of the gap, in the program's own units.
    pub(super) fn error(&self, program: &Scaled) -> f64 {
        let Scaled { rows, columns, cost, .. } = program;
        let of_rows =
            |v: &[f64]| v.iter().zip(rows).fold(0.0f64, |all, (v, scale)| all.max((v / scale).abs()));
        let of_columns = |v: &[f64]| {
            v.iter().zip(columns).fold(0.0f64, |all, (v, scale)| all.max((v / scale).abs())) / cost
        };
        // A y is within what is left of it of b - s.
        let row_sizes = 1.0 + of_rows(&program.b).max(of_rows(&self.s));
        let column_sizes =
            1.0 + of_columns(&program.q).max(of_columns(&self.curved)).max(of_columns(&self.slope));
        let square = dot(&self.y, &self.curved);
        let value = (0.5 * square + dot(&program.q, &self.y)) / cost;
        let bound = (-0.5 * square - dot(&program.b, &self.l)) / cost;
        let gap = (value - bound).abs() / value.abs().min(bound.abs()).max(1.0);
        let feasible = (of_rows(&self.primal) / row_sizes).max(of_columns(&self.dual) / column_sizes);
        if gap.is_nan() { f64::NAN } else { feasible.max(gap) }
    }

    /// A predictor and a corrector step, with the factors of this point; false where the step is no longer worth anything.
    pub(super) fn advance(&mut self, program: &Scaled, newton: &mut Newton, d: &mut Directions) -> bool {
        let first = self.equations;
        let count = (self.s.len() - first).max(1) as f64;
        let mu = dot(&self.s[first..], &self.l[first..]) / count;
        for row in first..self.s.len() {
            d.complementarity[row] = self.s[row] * self.l[row];
        }
        // The predictor says how far to aim, for which a rough one is good enough.
        self.aim(d);
        newton.solve_roughly([&d.f, &d.g], &mut d.y, &mut d.l);
        self.follow(d);
        let [of_s, of_z] = self.steps(program, d, 1.0);
        let aimed: f64 = (first..self.s.len())
            .map(|row| (self.s[row] + of_s * d.s[row]) * (self.l[row] + of_z * d.l[row]))
            .sum();
        let centre = (aimed / count / mu).clamp(0.0, 1.0).powi(3) * mu;
        for row in first..self.s.len() {
            d.complementarity[row] = self.s[row] * self.l[row] + d.s[row] * d.l[row] - centre;
        }
        self.aim(d);
        newton.solve(program, [&d.f, &d.g], &mut d.y, &mut d.l);
        self.follow(d);
        let [of_s, of_z] = self.lengthened(program, newton, d, centre);
        self.y.iter_mut().zip(&d.y).for_each(|(y, d)| *y += of_s * d);
        self.s[first..].iter_mut().zip(&d.s[first..]).for_each(|(s, d)| *s += of_s * d);
        self.l.iter_mut().zip(&d.l).for_each(|(l, d)| *l += of_z * d);
        self.evaluate(program);
        of_s.max(of_z) > 1e-10
    }

    /// Steps along the direction, which is corrected while that makes them longer (Gondzio): products s z that would be far from the others
    /// keep steps short, and another solution costs less than another factorisation.
    fn lengthened(&self, program: &Scaled, newton: &mut Newton, d: &mut Directions, centre: f64) -> [f64; 2] {
        let mut steps = self.steps(program, d, TO_THE_BOUNDARY);
        for _ in 0..CORRECTORS {
            let [of_s, of_z] = steps.map(|step| (step + LONGER).min(1.0));
            if steps[0].min(steps[1]) >= LONG_ENOUGH {
                break;
            }
            for row in self.equations..self.s.len() {
                let product = (self.s[row] + of_s * d.s[row]) * (self.l[row] + of_z * d.l[row]);
                let wanted = product.clamp(centre / SPREAD, centre * SPREAD);
                d.complementarity[row] -= (wanted - product).max(-SPREAD * centre);
            }
            d.keep();
            self.aim(d);
            newton.solve(program, [&d.f, &d.g], &mut d.y, &mut d.l);
            self.follow(d);
            let corrected = self.steps(program, d, TO_THE_BOUNDARY);
            if corrected[0].min(corrected[1]) < steps[0].min(steps[1]) + 0.1 * LONGER {
                d.restore();
                break;
            }
            steps = corrected;
        }
        steps
    }

    /// The right-hand sides that take s z to what they are to become, and feasibility to 0.
    fn aim(&self, d: &mut Directions) {
        d.f.iter_mut().zip(&self.dual).for_each(|(f, dual)| *f = -dual);
        d.g.iter_mut().zip(&self.primal).for_each(|(g, primal)| *g = -primal);
        for row in self.equations..self.s.len() {
            d.g[row] += d.complementarity[row] / self.l[row];
        }
    }

    /// The direction of the slacks, from that of the multipliers.
    fn follow(&self, d: &mut Directions) {
        for row in self.equations..self.s.len() {
            d.s[row] = -(d.complementarity[row] + self.s[row] * d.l[row]) / self.l[row];
        }
    }

    /// Steps of (y, s) and of the multipliers, this part of the way to the boundary at most; the same for both where P is not 0.
    fn steps(&self, program: &Scaled, d: &Directions, part: f64) -> [f64; 2] {
        let first = self.equations;
        let of_s = (part * step_to_boundary(&self.s[first..], &d.s[first..])).min(1.0);
        let of_z = (part * step_to_boundary(&self.l[first..], &d.l[first..])).min(1.0);
        if program.p.entries() == 0 { [of_s, of_z] } else { [of_s.min(of_z); 2] }
    }

    /// y and the multipliers of the program before it was scaled.
    pub(super) fn in_units_of_the_program(&self, program: &Scaled) -> (Vec<f64>, Vec<f64>) {
        let y = self.y.iter().zip(&program.columns).map(|(y, scale)| y * scale).collect();
        let dual = self.l.iter().zip(&program.rows).map(|(l, scale)| l * scale / program.cost).collect();
        (y, dual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_at_the_boundary() {
        assert_eq!(step_to_boundary(&[1.0, 2.0], &[-2.0, -2.0]), 0.5);
        assert_eq!(step_to_boundary(&[1.0, 2.0], &[1.0, -1.0]), 1.0);
    }
}
