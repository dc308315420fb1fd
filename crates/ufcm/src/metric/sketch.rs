//! A low-rank-plus-diagonal stand-in for a Hessian that is too large to be formed, from products with it.
//!
//! In the scales B of its own diagonal, damped, B^-1/2 H B^-1/2 is multiplied by the vectors of a Krylov space with a random
//! start (of a fixed seed), which approximates its largest eigenvalues better than other spaces of k products do.
//! [Nyström's approximation](super::nystrom) stands for these; what is left of the diagonal of H stays as a diagonal.

use super::low_rank::LowRank;
use super::{damp, nystrom};
use crate::kernel::simd;
use crate::metric::tuning::sketch::EXHAUSTED;
use crate::oracle::{Curvature, OracleError};
use crate::problem::Problem;
use crate::random::Random;
use crate::ranks::Call;

const SEED: u64 = 20_261_116;

/// Stands for sum_j l_j ∇²g_j(x); `None` where that has no positive diagonal.
pub(super) fn low_rank(
    problem: &Problem,
    x: &[f64],
    multipliers: &[f64],
    rank: usize,
) -> Result<Option<LowRank>, OracleError> {
    let hessian = Hessian { problem, x, multipliers };
    let mut diagonal = vec![0.0; x.len()];
    hessian.add_all(&mut diagonal, |curvature, l, out| curvature.add_diagonal(x, l, out))?;
    let mut scales = diagonal.clone();
    if !damp(&mut scales) {
        return Ok(None);
    }
    let roots: Vec<f64> = scales.iter().map(|b| b.sqrt()).collect();
    let (basis, images) = krylov(&hessian, &roots, rank)?;
    let mut vectors = nystrom::terms(basis.iter().zip(&images).map(|(s, y)| (&s[..], &y[..])));
    for v in vectors.chunks_exact_mut(x.len()) {
        for ((v, root), d) in v.iter_mut().zip(&roots).zip(&mut diagonal) {
            *v *= root;
            *d -= *v * *v;
        }
    }
    diagonal.iter_mut().for_each(|d| *d = d.max(0.0));
    damp(&mut diagonal);
    Ok(Some(LowRank::new(diagonal, vectors)))
}

/// H at a point.
struct Hessian<'a> {
    problem: &'a Problem,
    x: &'a [f64],
    multipliers: &'a [f64],
}

impl Hessian<'_> {
    /// Calls `add` for every curved row that has a multiplier.
    fn add_all(
        &self,
        out: &mut [f64],
        mut add: impl FnMut(&dyn Curvature, f64, &mut [f64]) -> Result<(), OracleError>,
    ) -> Result<(), OracleError> {
        let rows = (0..self.multipliers.len()).filter(|&row| self.multipliers[row] > 0.0);
        self.problem.add_curvature(Call::Curvature, self.x, rows, out, |row, curvature, out| {
            self.problem.budget().component()?;
            add(curvature, self.multipliers[row], out)
        })
    }
}

type Vectors = Vec<Vec<f64>>;

/// An orthonormal basis of the Krylov space of R^-1 H R^-1, and its images, of at most `rank` vectors.
fn krylov(hessian: &Hessian<'_>, roots: &[f64], rank: usize) -> Result<(Vectors, Vectors), OracleError> {
    let (mut basis, mut images): (Vectors, Vectors) = (Vec::new(), Vec::new());
    let n = roots.len();
    let mut next = Random::new(SEED).normals(n);
    let mut scaled = vec![0.0; n];
    let mut size = 0.0;
    while basis.len() < rank.min(n) {
        let length = simd::dot(&next, &next).sqrt();
        if !(length > EXHAUSTED * size && length.is_finite()) {
            break;
        }
        next.iter_mut().for_each(|v| *v /= length);
        scaled.iter_mut().zip(&next).zip(roots).for_each(|((s, v), root)| *s = v / root);
        let mut image = vec![0.0; n];
        hessian
            .add_all(&mut image, |curvature, l, out| curvature.add_products(hessian.x, l, &scaled, out))?;
        image.iter_mut().zip(roots).for_each(|(image, root)| *image /= root);
        basis.push(next);
        next = image.clone();
        size = simd::dot(&image, &image).sqrt();
        images.push(image);
        // Twice is enough to stay orthogonal to the whole basis.
        for v in basis.iter().chain(&basis) {
            simd::add_scaled(-simd::dot(v, &next), v, &mut next);
        }
    }
    Ok((basis, images))
}
