//! The inner loop of Algorithm 1: proximal steps on the linearised problem, which cost no gradient.

use super::Ufcm;
use crate::method::step_sizes::{Inner, InnerStep, Outer};
use crate::oracle::{OracleError, Weight};

impl Ufcm<'_> {
    /// The inner loop, and lines 11 and 12. `inner` are the step sizes of Algorithm 1; it answers with those that were used.
    pub(super) fn slide(&mut self, outer: &Outer, inner: Inner, norm: f64) -> Result<Inner, OracleError> {
        let (mut steps, mut weights, mut last) = (0, 0.0, None);
        let mut left = outer.omega;
        loop {
            let next = match &mut self.growing {
                None => inner.step(steps),
                Some(growing) => (left > 0.0).then(|| growing.inner(norm, left)),
            };
            let Some(step) = next else { break };
            self.problem.budget().inner_step()?;
            self.inner_step(steps == 0, outer, &step)?;
            steps += 1;
            weights += step.weight;
            left -= step.weight;
            last = Some(step);
        }
        self.finish(outer, weights);
        Ok(match last.filter(|_| self.growing.is_some()) {
            Some(InnerStep { beta, gamma, rho, .. }) => Inner { steps, norm, beta, gamma, rho },
            None => inner,
        })
    }

    /// Lines 7 to 9.
    fn inner_step(&mut self, first: bool, outer: &Outer, step: &InnerStep) -> Result<(), OracleError> {
        let InnerStep { weight: share, beta, gamma, rho } = *step;
        if first {
            self.mapping.apply_transpose(&self.multipliers, &mut self.slope);
            self.slope.iter_mut().zip(&self.carried).for_each(|(slope, carried)| *slope += rho * carried);
        } else {
            let pairs = self.multipliers.iter().zip(&self.multipliers_before);
            self.row_buffer
                .iter_mut()
                .zip(pairs)
                .for_each(|(out, (now, before))| *out = (1.0 + rho) * now - rho * before);
            self.mapping.apply_transpose(&self.row_buffer, &mut self.slope);
        }
        // Line 8: the proximal terms are one, around their weighted mean. x_before holds x^(t-1) by now. mu is 0 in Algorithm 1.
        let mu = self.growing.map_or(0.0, |growing| growing.mu());
        let weight = outer.eta + beta + mu;
        let points = self.x_before.iter().zip(&self.x_under).zip(&self.slope);
        for (y, ((anchor, under), slope)) in self.y.iter_mut().zip(points) {
            *y = (outer.eta * anchor + beta * *y + mu * under - slope) / weight;
        }
        self.problem.regulariser().prox(Weight::scalar(weight), &mut self.y)?;
        // Line 9.
        self.mapping.apply(&self.y, &mut self.row_buffer);
        self.multipliers_before.copy_from_slice(&self.multipliers);
        for ((l, product), offset) in self.multipliers.iter_mut().zip(&self.row_buffer).zip(&self.offset) {
            *l += (product + offset) / gamma;
        }
        self.problem.composer().prox_conjugate(Weight::scalar(gamma), &mut self.multipliers)?;
        self.x_sum.iter_mut().zip(&self.y).for_each(|(sum, y)| *sum += share * y);
        self.multiplier_sum.iter_mut().zip(&self.multipliers).for_each(|(sum, l)| *sum += share * l);
        self.inner_steps += 1;
        Ok(())
    }

    /// Lines 11 and 12, and the averages.
    fn finish(&mut self, outer: &Outer, weights: f64) {
        let pairs = self.multipliers.iter().zip(&self.multipliers_before);
        self.row_buffer.iter_mut().zip(pairs).for_each(|(out, (now, before))| *out = now - before);
        self.mapping.apply_transpose(&self.row_buffer, &mut self.carried);
        self.x.iter_mut().zip(&self.x_sum).for_each(|(x, sum)| *x = sum / weights);
        self.multiplier_sum.iter_mut().for_each(|sum| *sum /= weights);
        self.weight_sum += outer.omega;
        let share = outer.omega / self.weight_sum;
        for (average, x) in self.x_average.iter_mut().zip(&self.x) {
            *average += share * (x - *average);
        }
        for (average, l) in self.multiplier_average.iter_mut().zip(&self.multiplier_sum) {
            *average += share * (l - *average);
        }
        if let Some((point, rows, average)) = &mut self.reference {
            self.mapping.apply(point, rows);
            let linear = rows.iter().zip(&self.offset).zip(&self.multiplier_sum);
            let value: f64 = linear.map(|((product, offset), l)| l * (product + offset)).sum();
            *average += share * (value - *average);
        }
        if let Some(average) = &mut self.nu_average {
            average.add(self.t + 1, outer.omega, &self.multiplier_sum, &*self.mapping, &self.offset);
        }
    }
}
