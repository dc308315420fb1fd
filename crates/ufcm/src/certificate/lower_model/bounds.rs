//! What given weights of the minorants prove, less rounding.

use super::LowerModel;
use crate::certificate::floor::Floor;
use crate::certificate::rounding::{SLOPE_SLACK, absolute_dot, is_drowned, largest, unit};
use crate::kernel::simd::dot;

impl LowerModel {
    /// Computes the bounds of the weights in `trial`, less rounding, and keeps the best.
    pub(super) fn evaluate(&mut self, floor: &mut Floor<'_>) {
        self.trial[self.count..].fill(0.0);
        self.trial.iter_mut().for_each(|theta| *theta = theta.max(0.0));
        let total: f64 = self.trial.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            return;
        }
        self.trial.iter_mut().for_each(|theta| *theta /= total);
        let offset = self.mix(0.0);
        let least = floor.at(&self.slope, &mut self.minimiser);
        let clear = !self.is_drowned(floor) && floor.is_clear_of_the_edge(&self.slope);
        if offset + least.value > self.best.lower && clear {
            let rounding = self.rounding(floor, least.magnitude, 0.0);
            self.keep(offset + least.value - rounding, 0.0);
        }
        let mu: f64 = self.trial.iter().zip(&self.curvatures).map(|(theta, mu)| theta * mu).sum();
        if mu > 0.0 {
            let offset = self.mix(1.0);
            let Some(least) = floor.curved(&self.slope, mu, &mut self.minimiser) else { return };
            if offset + least.value > self.best.lower {
                let rounding = self.rounding(floor, least.magnitude, 1.0);
                self.keep(offset + least.value - rounding, mu);
            }
        }
    }

    /// Whether rounding drowns the slope of `trial`, where nothing else holds the minimum.
    fn is_drowned(&self, floor: &Floor<'_>) -> bool {
        if !floor.is_without_premise() {
            return false;
        }
        let (mut magnitude, mut objective) = (0.0, 0.0);
        for k in (0..self.count).filter(|&k| self.trial[k] > 0.0) {
            magnitude += self.trial[k] * largest(&self.magnitudes[k * self.n..][..self.n]);
            objective += self.trial[k] * self.objectives[k];
        }
        let unit = unit(self.n, self.m + self.trial.iter().filter(|theta| **theta > 0.0).count());
        is_drowned(2.0 * unit, magnitude, largest(&self.slope), objective)
    }

    /// Writes the slope at 0 of sum theta_k (offset_k + <slope_k, x> + `share` mu_k/2 |x - y_k|^2) and returns its value there.
    fn mix(&mut self, share: f64) -> f64 {
        self.slope.fill(0.0);
        let mut offset = 0.0;
        for k in (0..self.count).filter(|&k| self.trial[k] > 0.0) {
            let (theta, mu, y) = (self.trial[k], share * self.curvatures[k], &self.y[k * self.n..][..self.n]);
            offset += theta * (self.offsets[k] + 0.5 * mu * dot(y, y));
            let parts = self.slope.iter_mut().zip(self.slopes.row(k)).zip(y);
            parts.for_each(|((sum, s), y)| *sum += theta * (s - mu * y));
        }
        offset
    }

    /// How far rounding may have moved the bound of `trial`, with `slope` and `minimiser` as `evaluate` left them.
    fn rounding(&mut self, floor: &mut Floor<'_>, least: f64, share: f64) -> f64 {
        let n = self.n;
        let (mut magnitude, mut slack) = (least, 0.0);
        let witnesses = self.trial.iter().filter(|theta| **theta > 0.0).count();
        let unit = unit(n, self.m + witnesses);
        for k in (0..self.count).filter(|&k| self.trial[k] > 0.0) {
            let (theta, magnitudes, y) =
                (self.trial[k], &self.magnitudes[k * n..][..n], &self.y[k * n..][..n]);
            let mu = share * self.curvatures[k];
            magnitude += theta
                * (self.sizes[k] + absolute_dot(magnitudes, y) + absolute_dot(magnitudes, &self.minimiser));
            magnitude += theta * mu * (2.0 * dot(y, y) + absolute_dot(y, &self.minimiser));
            slack += theta * absolute_dot(&self.slope, y);
        }
        // Curvature holds the minimiser as a strongly convex u does.
        if share == 0.0 {
            self.slope.fill(0.0);
            for k in (0..self.count).filter(|&k| self.trial[k] > 0.0) {
                let magnitudes = &self.magnitudes[k * n..][..n];
                self.slope.iter_mut().zip(magnitudes).for_each(|(sum, s)| *sum += self.trial[k] * s);
            }
            magnitude += floor.reach(&mut self.slope, &mut self.minimiser);
        }
        // Once for what was computed here, once for what whoever checks it computes.
        2.0 * unit * magnitude + SLOPE_SLACK * slack
    }
}
