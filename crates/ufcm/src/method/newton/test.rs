//! Whether a step is taken, and what it tells of the metric of the next one: damping by a trust rule, and when H is formed anew.

use super::Newton;
use super::shorten::Way;
use crate::linalg::dot;
use crate::method::StepError;
use crate::method::adaptive::is_plain_move;
use crate::method::tuning::adaptive::{NOISE, NONCONVEX, ROUNDING};
use crate::method::tuning::newton::{LEAST_DAMPING, LESS, MORE, MUCH, OLD, RENEWED, SLOW, STALE, TRUSTED};
use crate::metric::Metric;

/// What the test compares.
pub(super) struct Test {
    /// sum_j l+_j (g_j(w) - g_j(x) - <J_j, w - x>)
    pub(super) excess: f64,
    /// What rounding can make of that.
    pub(super) rounding: f64,
    /// |w - x|^2, and without delta.
    pub(super) square: f64,
    pub(super) undamped: f64,
}

impl Newton<'_> {
    /// Compares the rows at w with what the model step took them for.
    pub(super) fn test(&mut self) -> Result<Test, StepError> {
        for ((d, next), x) in self.direction.iter_mut().zip(&self.x_next).zip(&self.x) {
            *d = next - x;
        }
        self.mapping.apply(&self.direction, &mut self.change);
        let (mut excess, mut rounding) = (0.0, 0.0);
        let moved = is_plain_move(&self.direction, &self.x);
        for j in (0..self.values.len()).filter(|&j| !self.mapping.is_affine(j)) {
            let (next, value, change) = (self.values_next[j], self.values[j], self.change[j]);
            let size = next.abs() + value.abs() + change.abs();
            self.size[j] = self.size[j].max(size).max((value - self.offset[j]).abs());
            let deficit = value + change - next;
            if deficit > NONCONVEX * self.size[j] && moved {
                return Err(StepError::NotConvex { row: j, deficit });
            }
            let l = self.multipliers_next[j].min(self.ceiling[j]);
            excess += l * (next - value - change);
            rounding += l * ROUNDING * self.size[j];
        }
        let metric = self.metric.as_ref().unwrap_or(&Metric::Scalar);
        if !self.is_pulled {
            metric.gradient(1.0, &self.direction, &mut self.pull);
        }
        let square = dot(&self.direction, &self.pull);
        let delta = metric.as_curvature().map_or(0.0, |metric| metric.delta());
        let undamped = square - delta * dot(&self.direction, &self.direction);
        Ok(Test { excess, rounding, square, undamped })
    }

    /// Takes the step, and decides about the next one's metric.
    pub(super) fn accept(&mut self, test: &Test) {
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
        (self.stationarity, self.movement) = (largest(&self.pull), largest(&self.direction));
        std::mem::swap(&mut self.x, &mut self.x_next);
        std::mem::swap(&mut self.values, &mut self.values_next);
        std::mem::swap(&mut self.multipliers, &mut self.multipliers_next);
        std::mem::swap(&mut self.mapping, &mut self.next);
        self.way.iter_mut().for_each(Way::accept);
        self.weights.copy_from_slice(&self.multipliers);
        self.note_offset();
        self.age += 1;
        let length = test.square.max(0.0).sqrt();
        let before = std::mem::replace(&mut self.length, length);
        // The change of the slope tells the curvature along the step where values no longer do.
        let along = if self.is_pulled { self.curvature_along() } else { f64::NAN };
        let by_values = 0.5 * test.square > NOISE * test.rounding;
        let curvature = if by_values { 2.0 * test.excess } else { along };
        // In units of what H says, and of what the metric says.
        let [of_h, of_metric] = [test.undamped, test.square].map(|square| curvature / square);
        if !of_h.is_finite() {
            return;
        }
        let error = (of_h - 1.0).abs();
        // Where H is right, a pair would bring in nothing but rounding; where it costs little, a new one says more.
        if self.is_pulled && error > RENEWED && self.is_dear() {
            self.learn();
        }
        // Where H is dear, what steps teach is given the time that another H would take.
        let settled = if self.is_dear() { self.sampling.patience } else { 1 };
        let is_slow = length > SLOW * before && self.damping <= TRUSTED && self.age > settled;
        let most = if self.age >= OLD { RENEWED } else { STALE };
        if (is_slow && self.sampling.widen()) || (error > most && self.age >= self.sampling.patience) {
            self.metric = None;
        }
        if self.metric.is_some() && self.is_dear() && (error <= STALE || of_metric < LESS) {
            if self.damping > TRUSTED {
                self.set_damping(LEAST_DAMPING);
            }
        } else if error <= STALE {
            self.set_damping((self.damping / MUCH).max(LEAST_DAMPING));
        } else if of_metric < LESS {
            self.set_damping((self.damping / MORE).max(LEAST_DAMPING));
        }
    }
}
