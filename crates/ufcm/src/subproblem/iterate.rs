//! Multipliers with everything that follows from them.

use super::model::Model;
use super::sigma::Sigma;
use crate::oracle::OracleError;

#[derive(Clone)]
pub(super) struct Iterate {
    /// l
    pub multipliers: Vec<f64>,
    /// l_fb = prox_{h*,Sigma}(l + Sigma^-1 ∇phi(l))
    pub forward_backward: Vec<f64>,
    /// l + Sigma^-1 ∇phi(l), the argument of the dual prox.
    pub dual_argument: Vec<f64>,
    /// z - W^-1 J'l, the argument of the primal prox.
    pub primal_argument: Vec<f64>,
    /// w(l)
    pub w: Vec<f64>,
    /// J w + b = ∇phi(l)
    pub rows: Vec<f64>,
}

impl Iterate {
    pub fn new(m: usize, n: usize) -> Self {
        let (rows, variables) = (|| vec![0.0; m], || vec![0.0; n]);
        Self {
            multipliers: rows(),
            forward_backward: rows(),
            dual_argument: rows(),
            primal_argument: variables(),
            w: variables(),
            rows: rows(),
        }
    }

    /// Takes another number of rows.
    pub fn resize(&mut self, m: usize) {
        for rows in
            [&mut self.multipliers, &mut self.forward_backward, &mut self.dual_argument, &mut self.rows]
        {
            rows.resize(m, 0.0);
        }
    }

    /// Fills in what follows from the multipliers.
    pub fn evaluate(&mut self, model: &dyn Model, sigma: &Sigma) -> Result<(), OracleError> {
        model.apply_transpose(&self.multipliers, &mut self.primal_argument);
        let weight = model.weight();
        for (i, (v, z)) in self.primal_argument.iter_mut().zip(model.centre()).enumerate() {
            *v = z - *v / weight.at(i);
        }
        self.w.copy_from_slice(&self.primal_argument);
        model.regulariser().prox(weight, &mut self.w)?;
        self.evaluate_rows(model, sigma)
    }

    /// Fills in what follows from the multipliers and w.
    pub fn evaluate_rows(&mut self, model: &dyn Model, sigma: &Sigma) -> Result<(), OracleError> {
        model.apply(&self.w, &mut self.rows);
        self.rows.iter_mut().zip(model.offset()).for_each(|(row, b)| *row += b);
        for (j, argument) in self.dual_argument.iter_mut().enumerate() {
            *argument = self.multipliers[j] + self.rows[j] / sigma.at(j);
        }
        self.forward_backward.copy_from_slice(&self.dual_argument);
        model.prox_conjugate(sigma.weight(), &mut self.forward_backward)
    }

    /// The forward-backward envelope of h* - phi:
    /// -phi(l) - <∇phi(l), l_fb - l> + 1/2 |l_fb - l|_Sigma^2 + h*(l_fb).
    /// With it comes the size of the terms that it is the sum of, by which its rounding is measured.
    pub fn envelope(&self, model: &dyn Model, sigma: &Sigma) -> (f64, f64) {
        let weight = model.weight();
        let moved: f64 = self
            .w
            .iter()
            .zip(model.centre())
            .enumerate()
            .map(|(i, (w, z))| weight.at(i) * (w - z).powi(2))
            .sum();
        // phi(l) + <∇phi(l), l_fb - l> = <l_fb, rows> + u(w) + moved / 2
        let products = self.forward_backward.iter().zip(&self.rows).map(|(l, row)| l * row);
        let (linear, linear_size) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()));
        let (u, conjugate) = (model.regulariser().value(&self.w), model.conjugate(&self.forward_backward));
        let distance = self.square_distance(sigma);
        let value = 0.5 * distance + conjugate - (linear + u + 0.5 * moved);
        (value, linear_size + u.abs() + conjugate.abs() + 0.5 * (moved + distance))
    }

    /// Sigma_j |l_j - l_fb_j|, in the units of row j: how far the row is from its optimality condition.
    pub fn row_residual(&self, row: usize, sigma: &Sigma) -> f64 {
        sigma.at(row) * (self.multipliers[row] - self.forward_backward[row]).abs()
    }

    /// The largest of the rows' residuals; a NaN counts as infinite.
    pub fn residual(&self, sigma: &Sigma) -> f64 {
        let gap = |j: usize| self.row_residual(j, sigma);
        (0..self.rows.len()).map(|j| if gap(j).is_nan() { f64::INFINITY } else { gap(j) }).fold(0.0, f64::max)
    }

    /// |l - l_fb|_Sigma^2
    pub fn square_distance(&self, sigma: &Sigma) -> f64 {
        let gap = |j: usize| sigma.at(j) * (self.multipliers[j] - self.forward_backward[j]).powi(2);
        (0..self.rows.len()).map(gap).sum()
    }
}
