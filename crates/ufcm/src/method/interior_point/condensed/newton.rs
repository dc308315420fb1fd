//! Newton directions, refined until they satisfy the system itself and not only what was factored.

use super::scaling::Scaled;
use super::system::System;
use crate::method::tuning::condensed::{NOTHING, REFINED, REFINEMENTS};

/// The system with room for directions and what they leave.
pub(super) struct Newton {
    system: System,
    inverse_weights: Vec<f64>,
    /// What a direction leaves of both equations, and the change that mends it.
    left: [Vec<f64>; 2],
    change: [Vec<f64>; 2],
    best: [Vec<f64>; 2],
}

/// The largest size of an entry.
pub(super) fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |largest, v| v.abs().max(largest))
}

impl Newton {
    pub(super) fn new(program: &Scaled, system: System) -> Self {
        let (n, m) = (program.q.len(), program.b.len());
        let pair = || [vec![0.0; n], vec![0.0; m]];
        Self { system, inverse_weights: vec![0.0; m], left: pair(), change: pair(), best: pair() }
    }

    /// Factors for s / z of the inequalities; false where that fails.
    pub(super) fn factor(&mut self, inverse_weights: impl Iterator<Item = f64>) -> bool {
        self.inverse_weights.iter_mut().zip(inverse_weights).for_each(|(to, w)| *to = w);
        self.system.factor(&self.inverse_weights)
    }

    /// P y + A'l = f, A y - W^-1 l = g, as the factors have it.
    pub(super) fn solve_roughly(&mut self, [f, g]: [&[f64]; 2], y: &mut [f64], l: &mut [f64]) {
        self.system.solve(f, g, y, l);
    }

    /// The same, refined.
    pub(super) fn solve(&mut self, program: &Scaled, [f, g]: [&[f64]; 2], y: &mut [f64], l: &mut [f64]) {
        self.system.solve(f, g, y, l);
        let sizes = [largest(f), largest(g)];
        let mut before = f64::INFINITY;
        for round in 0..=REFINEMENTS {
            let left = self.leftover(program, [f, g], sizes, y, l);
            if left >= before || !left.is_finite() {
                y.copy_from_slice(&self.best[0]);
                l.copy_from_slice(&self.best[1]);
                return;
            }
            if left <= REFINED || round == REFINEMENTS {
                return;
            }
            self.best[0].copy_from_slice(y);
            self.best[1].copy_from_slice(l);
            before = left;
            let ([f, g], [dy, dl]) = (&self.left, &mut self.change);
            self.system.solve(f, g, dy, dl);
            y.iter_mut().zip(dy).for_each(|(y, d)| *y += *d);
            l.iter_mut().zip(dl).for_each(|(l, d)| *l += *d);
        }
    }

    /// What a direction leaves, and its size relative to the right-hand sides.
    fn leftover(
        &mut self,
        program: &Scaled,
        [f, g]: [&[f64]; 2],
        sizes: [f64; 2],
        y: &[f64],
        l: &[f64],
    ) -> f64 {
        let [rest_f, rest_g] = &mut self.left;
        program.p.multiply(y, rest_f);
        program.a.add_transposed(l, rest_f);
        rest_f.iter_mut().zip(f).for_each(|(rest, f)| *rest = f - *rest);
        program.a.multiply(y, rest_g);
        for (row, rest) in rest_g.iter_mut().enumerate() {
            let own = if row < program.equations { 0.0 } else { self.inverse_weights[row] * l[row] };
            *rest = g[row] - *rest + own;
        }
        // What is smaller than rounding leaves anyway counts as this large.
        let [of_f, of_g] = sizes.map(|size| size.max(NOTHING));
        (largest(rest_f) / of_f).max(largest(rest_g) / of_g)
    }
}
