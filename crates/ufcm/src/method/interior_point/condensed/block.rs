//! The elimination of one block: columns y_B, inequalities (inner ones and links) with weights, own equations.
//!
//! ```text
//! H = P_BB + C_inner'W C_inner + C_links'W C_links,     S = C_own H^-1 C_own'
//! U = [-C_own H^-1 C_links'W,  I],      M = [W - W C_links H^-1 C_links'W, 0; 0, 0] + U'S^-1 U   over (links, own)
//! ```
//!
//! M is what the block leaves in the core: A'MA, A being what its rows say of the core. H is never formed: near a solution one weight is
//! 1e18 times another, and their sum forgets the smaller. Orthogonal columns keep both.

use super::rows::SparseRows;
use super::structure::Block;

/// A block with its numbers.
pub(super) struct Eliminated {
    pub(super) block: Block,
    /// The entries of (inner, links, own) rows in the block's columns, row by row.
    coefficients: Vec<f64>,
    /// Curvature of the columns, with what makes it definite.
    curvature: Vec<f64>,
    /// Weighted rows, whose columns become orthogonal: by columns.
    q: Vec<f64>,
    /// H = R'R, by columns.
    r: Vec<f64>,
    /// S^-1
    s: Vec<f64>,
    /// U without its identity, row by row: one row for each own equation.
    u: Vec<f64>,
    /// R^-T C_own', by rows.
    half: Vec<f64>,
    /// What was left of the own equations when the columns were eliminated.
    left: Vec<f64>,
    /// Where M stands among those of all blocks.
    pub(super) at: usize,
}

impl Eliminated {
    /// `near` has the rows' entries outside the core.
    pub(super) fn new(block: Block, near: &SparseRows, p: &SparseRows, definite: f64, at: usize) -> Self {
        let Block { columns, inner, links, own } = &block;
        let k = columns.len();
        let mut coefficients = Vec::new();
        for row in inner.iter().chain(links).chain(own) {
            let start = coefficients.len();
            coefficients.resize(start + k, 0.0);
            for (column, v) in near.pairs(*row) {
                let place = columns.iter().position(|c| *c == column);
                place.into_iter().for_each(|place| coefficients[start + place] += v);
            }
        }
        let diagonal = |c: &usize| p.pairs(*c).filter(|(j, _)| j == c).map(|(_, v)| v).sum::<f64>();
        let curvature = columns.iter().map(|c| diagonal(c) + definite).collect();
        let (soft, e, l) = (inner.len() + links.len(), own.len(), links.len());
        Self {
            coefficients,
            curvature,
            q: vec![0.0; (soft + k) * k],
            r: vec![0.0; k * k],
            s: vec![0.0; e * e],
            u: vec![0.0; e * l],
            half: vec![0.0; e * k],
            left: vec![0.0; e],
            at,
            block,
        }
    }

    /// The order of M.
    pub(super) fn order(&self) -> usize {
        self.block.links.len() + self.block.own.len()
    }

    /// Whether the numbers stay the same in all iterations.
    pub(super) fn is_constant(&self) -> bool {
        self.block.inner.is_empty() && self.block.links.is_empty()
    }

    fn coefficients(&self, row: usize) -> &[f64] {
        let k = self.block.columns.len();
        &self.coefficients[row * k..][..k]
    }

    /// The index among all rows of the first link, and of the first own equation.
    fn firsts(&self) -> [usize; 2] {
        let inner = self.block.inner.len();
        [inner, inner + self.block.links.len()]
    }

    /// Factors the block; M is written where it belongs. `definite` is added to S.
    pub(super) fn factor(&mut self, weights: &[f64], definite: f64, all: &mut [f64]) {
        let order = self.order();
        let m = &mut all[self.at..][..order * order];
        m.fill(0.0);
        if self.block.columns.is_empty() {
            m[0] = weights[self.block.links[0]];
            return;
        }
        self.orthogonalise(weights);
        self.links(weights, m);
        self.own(weights, definite, m);
    }

    /// R by the modified Gram-Schmidt process.
    fn orthogonalise(&mut self, weights: &[f64]) {
        let (k, [_, soft]) = (self.block.columns.len(), self.firsts());
        let height = soft + k;
        for (row, index) in self.block.inner.iter().chain(&self.block.links).enumerate() {
            let root = weights[*index].sqrt();
            for c in 0..k {
                self.q[c * height + row] = root * self.coefficients[row * k + c];
            }
        }
        for (c, column) in self.q.chunks_exact_mut(height).enumerate() {
            column[soft..].fill(0.0);
            column[soft + c] = self.curvature[c].sqrt();
        }
        for c in 0..k {
            let (before, rest) = self.q.split_at_mut(c * height);
            let (column, _) = rest.split_at_mut(height);
            for (d, other) in before.chunks_exact(height).enumerate() {
                let product: f64 = column.iter().zip(other).map(|(a, b)| a * b).sum();
                self.r[c * k + d] = product;
                column.iter_mut().zip(other).for_each(|(a, b)| *a -= product * b);
            }
            let length = column.iter().map(|a| a * a).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            self.r[c * k + c] = length;
            column.iter_mut().for_each(|a| *a /= length);
        }
    }

    /// W - W C H^-1 C'W of the links.
    fn links(&self, weights: &[f64], m: &mut [f64]) {
        let (k, [first, soft]) = (self.block.columns.len(), self.firsts());
        let (height, order) = (soft + k, self.order());
        for i in first..soft {
            for j in first..soft {
                let roots =
                    (weights[self.block.links[i - first]] * weights[self.block.links[j - first]]).sqrt();
                let mut kept: f64 = (0..k).map(|c| self.q[c * height + i] * self.q[c * height + j]).sum();
                kept = if i != j {
                    -kept
                } else if k == 1 {
                    // 1 - q_i^2 is the sum of the others' squares, and that cancels nothing.
                    (0..height).filter(|row| *row != i).map(|row| self.q[row] * self.q[row]).sum()
                } else {
                    (1.0 - kept).max(0.0)
                };
                m[(i - first) * order + j - first] = roots * kept;
            }
        }
    }

    /// S^-1, U, and U'S^-1 U.
    fn own(&mut self, weights: &[f64], definite: f64, m: &mut [f64]) {
        let (e, l, order) = (self.block.own.len(), self.block.links.len(), self.order());
        let (k, [first, soft]) = (self.block.columns.len(), self.firsts());
        let height = soft + k;
        for i in 0..e {
            let mut half = [0.0; MOST];
            half[..k].copy_from_slice(self.coefficients(soft + i));
            self.forward(&mut half[..k]);
            self.half[i * k..][..k].copy_from_slice(&half[..k]);
            for j in 0..l {
                let root = weights[self.block.links[j]].sqrt();
                let product: f64 = (0..k).map(|c| half[c] * self.q[c * height + first + j]).sum();
                self.u[i * l + j] = -root * product;
            }
        }
        for i in 0..e {
            for j in 0..e {
                let product: f64 = (0..k).map(|c| self.half[i * k + c] * self.half[j * k + c]).sum();
                self.s[i * e + j] = product + if i == j { definite } else { 0.0 };
            }
        }
        invert(&mut self.s, e);
        let u = |i: usize, at: usize| if at < l { self.u[i * l + at] } else { f64::from(at - l == i) };
        for a in 0..order {
            for b in 0..order {
                for i in 0..e {
                    let inner: f64 = (0..e).map(|j| self.s[i * e + j] * u(j, b)).sum();
                    m[a * order + b] += u(i, a) * inner;
                }
            }
        }
    }

    /// R^-T v in place.
    fn forward(&self, v: &mut [f64]) {
        let k = v.len();
        for c in 0..k {
            let known: f64 = (0..c).map(|d| self.r[c * k + d] * v[d]).sum();
            v[c] = (v[c] - known) / self.r[c * k + c];
        }
    }

    /// H^-1 v in place.
    fn solve(&self, v: &mut [f64]) {
        self.forward(v);
        let k = v.len();
        for c in (0..k).rev() {
            let known: f64 = (c + 1..k).map(|d| self.r[d * k + c] * v[d]).sum();
            v[c] = (v[c] - known) / self.r[c * k + c];
        }
    }

    /// Eliminates the columns from the right-hand sides: v = H^-1 f in `y`, and in `l` what links and own rows leave in the core. `l`
    /// comes with w g in inequalities and g in equations.
    pub(super) fn eliminate(&mut self, weights: &[f64], y: &mut [f64], l: &mut [f64]) {
        let (k, [first, soft]) = (self.block.columns.len(), self.firsts());
        if k == 0 {
            return;
        }
        let mut v = [0.0; MOST];
        let v = &mut v[..k];
        self.block.columns.iter().zip(v.iter_mut()).for_each(|(c, v)| *v = y[*c]);
        self.solve(v);
        self.block.columns.iter().zip(v.iter()).for_each(|(c, v)| y[*c] = *v);
        let product =
            |row: usize| self.coefficients(row).iter().zip(v.iter()).map(|(c, v)| c * v).sum::<f64>();
        for (i, row) in self.block.links.iter().enumerate() {
            l[*row] -= weights[*row] * product(first + i);
        }
        let (e, links) = (self.block.own.len(), self.block.links.len());
        let mut left = [0.0; MOST];
        for (i, row) in self.block.own.iter().enumerate() {
            left[i] = l[*row] - product(soft + i);
        }
        self.left.copy_from_slice(&left[..e]);
        for (i, row) in self.block.own.iter().enumerate() {
            let h: f64 = (0..e).map(|j| self.s[i * e + j] * left[j]).sum();
            l[*row] = h;
            for (j, link) in self.block.links.iter().enumerate() {
                l[*link] += self.u[i * links + j] * h;
            }
        }
    }

    /// The block's columns, and the multipliers of its own equations, once the core is known: `l` comes with what the rows say of it.
    pub(super) fn restore(&self, weights: &[f64], y: &mut [f64], l: &mut [f64]) {
        let (k, [first, soft]) = (self.block.columns.len(), self.firsts());
        if k == 0 {
            return;
        }
        let (e, links) = (self.block.own.len(), self.block.links.len());
        let (mut known, mut change) = ([0.0; MOST], [0.0; MOST]);
        for (i, row) in self.block.own.iter().enumerate() {
            let tied: f64 =
                self.block.links.iter().enumerate().map(|(j, link)| self.u[i * links + j] * l[*link]).sum();
            known[i] = l[*row] + tied - self.left[i];
        }
        for (i, row) in self.block.own.iter().enumerate() {
            l[*row] = (0..e).map(|j| self.s[i * e + j] * known[j]).sum();
        }
        let mut add = |row: usize, factor: f64| {
            change.iter_mut().zip(self.coefficients(row)).for_each(|(out, c)| *out += factor * c);
        };
        self.block.links.iter().enumerate().for_each(|(i, row)| add(first + i, weights[*row] * l[*row]));
        self.block.own.iter().enumerate().for_each(|(i, row)| add(soft + i, l[*row]));
        self.solve(&mut change[..k]);
        self.block.columns.iter().zip(change).for_each(|(c, change)| y[*c] -= change);
    }
}

/// Columns of the largest block.
const MOST: usize = crate::method::tuning::condensed::LARGEST_BLOCK;

/// The inverse of a small positive definite matrix in place.
fn invert(a: &mut [f64], order: usize) {
    for k in 0..order {
        let pivot = 1.0 / a[k * order + k].max(f64::MIN_POSITIVE);
        a[k * order + k] = 1.0;
        (0..order).for_each(|j| a[k * order + j] *= pivot);
        for i in (0..order).filter(|i| *i != k) {
            let factor = std::mem::take(&mut a[i * order + k]);
            (0..order).for_each(|j| a[i * order + j] -= factor * a[k * order + j]);
        }
    }
}
