//! The positive root that defines the aggregate constants.

/// The t > 0 with t = sum over k of c_k t^(a_k), for terms (c_k, a_k) with c_k >= 0 and a_k < 1; 0 where all c_k are 0.
///
/// With t = e^s this is s - log sum exp(ln c_k + a_k s) = 0. The left-hand side is concave, and increasing because
/// a_k < 1, so Newton's method is safe from any start: its first step ends left of the root, and from there it climbs
/// to the root without passing it. Working with logarithms keeps constants from 1e-300 to 1e300 in range.
pub(super) fn self_consistent(terms: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let terms = terms.filter(|(c, _)| *c > 0.0).map(|(c, a)| (c.ln(), a));
    if terms.clone().next().is_none() {
        return 0.0;
    }
    let mut s = 0.0f64;
    for _ in 0..500 {
        let top = terms.clone().map(|(c, a)| c + a * s).fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut slope) = (0.0, 0.0);
        for (c, a) in terms.clone() {
            let share = (c + a * s - top).exp();
            sum += share;
            slope += a * share;
        }
        let step = (top + sum.ln() - s) / (1.0 - slope / sum);
        s += step;
        if step.abs() <= 2.0 * f64::EPSILON * s.abs().max(1.0) {
            break;
        }
    }
    s.exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_root_solves_its_equation(
            terms in prop::collection::vec((-30.0..30.0f64, -50.0..0.5f64), 1..8),
        ) {
            let terms: Vec<(f64, f64)> = terms.into_iter().map(|(c, a)| (10f64.powf(c), a)).collect();
            let t = self_consistent(terms.iter().copied());
            prop_assert!(t > 0.0 && t.is_finite());
            let right: f64 = terms.iter().map(|(c, a)| c * t.powf(*a)).sum();
            // A power of 50 multiplies the rounding of t by 50.
            prop_assert!((right / t - 1.0).abs() < 1e-11, "{right} against {t}");
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(self_consistent([].into_iter()), 0.0);
        assert_eq!(self_consistent([(0.0, 0.5)].into_iter()), 0.0);
    }
}
