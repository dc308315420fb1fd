//! What the law of a variable says of a slope.

use crate::oracle::ScalarTerm;
use crate::problem::Problem;

/// The law of a variable, where there is one for each.
pub(super) fn of(problem: &Problem, i: usize) -> ScalarTerm {
    problem.regulariser().scalar_term(i).unwrap_or(ScalarTerm::ZERO)
}

/// Whether the law can hold its variable at 0: by a kink, or by an end.
pub(super) fn can_rest(law: ScalarTerm) -> bool {
    law.above + law.below > 0.0 || law.lower == 0.0 || law.upper == 0.0
}

/// By how much a slope exceeds what holds the variable at 0, negative where it is held; `None` where it is not there, or nothing could hold it.
pub(super) fn excess(law: &ScalarTerm, x: f64, slope: f64) -> Option<f64> {
    if x != 0.0 || !can_rest(*law) {
        return None;
    }
    let up = if law.upper > 0.0 { -slope - law.above } else { f64::NEG_INFINITY };
    let down = if law.lower < 0.0 { slope - law.below } else { f64::NEG_INFINITY };
    Some(up.max(down))
}

/// The distance of -slope from the subgradients of the law at x.
pub(super) fn residual(law: &ScalarTerm, x: f64, slope: f64) -> f64 {
    let s = slope + law.ridge * x;
    let (mut least, mut most) = match x {
        x if x > 0.0 => (law.above, law.above),
        x if x < 0.0 => (-law.below, -law.below),
        _ => (-law.below, law.above),
    };
    if x <= law.lower {
        least = f64::NEG_INFINITY;
    }
    if x >= law.upper {
        most = f64::INFINITY;
    }
    (-s - most).max(least + s).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const L1: ScalarTerm = ScalarTerm { above: 1.0, below: 1.0, ..ScalarTerm::ZERO };

    #[test]
    fn a_kink_holds_what_its_slopes_allow() {
        assert_eq!([0.5, -3.0, 1.5].map(|s| excess(&L1, 0.0, s)), [Some(-0.5), Some(2.0), Some(0.5)]);
        assert_eq!(excess(&L1, 0.1, 0.5), None);
        assert_eq!(excess(&ScalarTerm::ZERO, 0.0, 0.5), None);
        let sign = ScalarTerm { lower: 0.0, ..ScalarTerm::ZERO };
        assert_eq!([2.0, -2.0].map(|s| excess(&sign, 0.0, s)), [Some(-2.0), Some(2.0)]);
    }

    #[test]
    fn residuals_vanish_where_a_law_takes_a_slope() {
        assert_eq!([0.5, -1.0, 1.0].map(|s| residual(&L1, 0.0, s)), [0.0; 3]);
        assert_eq!([-1.0, 0.0].map(|s| residual(&L1, 2.0, s)), [0.0, 1.0]);
        assert_eq!(residual(&L1, -2.0, 1.25), 0.25);
        let between = ScalarTerm { lower: 0.0, upper: 1.0, ridge: 2.0, ..ScalarTerm::ZERO };
        assert_eq!(
            [(0.0, 3.0), (0.0, -3.0), (1.0, -3.0), (0.5, -1.0)].map(|(x, s)| residual(&between, x, s)),
            [0.0, 3.0, 0.0, 0.0]
        );
    }
}
