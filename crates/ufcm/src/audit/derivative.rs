//! Claimed derivatives of vector functions against difference quotients.

use super::largest;

/// The entry in which a claimed derivative is furthest from the quotients.
pub(super) struct Worst {
    pub(super) index: usize,
    pub(super) claimed: f64,
    pub(super) measured: f64,
    pub(super) excess: f64,
    pub(super) tolerance: f64,
}

/// Compares a claimed derivative J t of F at v with (F(v + h t) - F(v - h t)) / 2h, for each step h.
///
/// F may be only piecewise smooth: where a kink lies between, the forward and the backward quotient differ, and
/// their difference is part of the tolerance. So an element of the generalised Jacobian passes, and a wrong one
/// fails wherever F is smooth. Only what fails at every step counts: two kinks that hide each other at one step do
/// not at another. `function(h)` is F(v + h t); `noise` is its rounding.
pub(super) fn worst_mismatch(
    mut function: impl FnMut(f64) -> Option<Vec<f64>>,
    at: &[f64],
    claimed: &[f64],
    steps: [f64; 2],
    noise: f64,
    relative: f64,
) -> Option<Worst> {
    let mut worst = None;
    for h in steps {
        let (plus, minus) = (function(h)?, function(-h)?);
        let forward = plus.iter().zip(at).map(|(p, c)| (p - c) / h);
        let backward = at.iter().zip(&minus).map(|(c, m)| (c - m) / h);
        let quotients: Vec<(f64, f64)> = forward.zip(backward).collect();
        let bend = largest(quotients.iter().map(|(f, b)| f - b));
        let size =
            largest(claimed.iter().copied()).max(largest(quotients.iter().map(|(f, b)| 0.5 * (f + b))));
        let tolerance = bend + 2.0 * noise / h + relative * size;
        let (index, excess) = quotients
            .iter()
            .zip(claimed)
            .map(|((f, b), c)| (c - 0.5 * (f + b)).abs())
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1))?;
        if excess <= tolerance {
            return None;
        }
        let measured = 0.5 * (quotients[index].0 + quotients[index].1);
        worst = Some(Worst { index, claimed: claimed[index], measured, excess, tolerance });
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mismatch(claimed: f64, at: f64) -> Option<Worst> {
        // F(v) = max(v, 0)^2 + |v|, at v, along t = 1.
        let f = |v: f64| v.max(0.0).powi(2) + v.abs();
        worst_mismatch(|h| Some(vec![f(at + h)]), &[f(at)], &[claimed], [1e-5, 1e-6], 1e-15, 1e-6)
    }

    #[test]
    fn right_ones_pass_and_wrong_ones_do_not() {
        assert!(mismatch(3.0, 1.0).is_none());
        assert!(mismatch(-1.0, -2.0).is_none());
        assert!(mismatch(3.1, 1.0).is_some_and(|worst| (worst.measured - 3.0).abs() < 1e-6));
        assert!(mismatch(1.0, -2.0).is_some());
    }

    #[test]
    fn at_a_kink_anything_between_the_two_sides_passes() {
        for claimed in [-1.0, 0.3, 1.0] {
            assert!(mismatch(claimed, 0.0).is_none());
        }
        assert!(mismatch(4.0, 0.0).is_some());
    }
}
