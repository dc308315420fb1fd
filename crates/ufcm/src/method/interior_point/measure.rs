//! What is left of the optimality conditions at a point with multipliers.
//!
//! ```text
//! violation of the constraints,    h(g(x)) + h*(l) - <l, g(x)>  (0 where l is in ∂h(g(x))),    distance from -J'l to ∂u(x)
//! ```

use super::InteriorPoint;
use crate::linalg::norm_of;
use crate::method::Kkt;
use crate::oracle::{MinorantSums, OracleError, Regulariser, Weight};

impl InteriorPoint<'_> {
    pub(super) fn measure(&self) -> Result<Kkt, OracleError> {
        let Self { problem, x, slope, row_values, multipliers, .. } = self;
        let primal = problem.violation_of(row_values);
        let (mut objective, mut worth) = (problem.regulariser().value(x), 0.0);
        for (rows, composer) in problem.parts() {
            let (z, l) = (&row_values[rows.clone()], &multipliers[rows]);
            let value = if composer.is_constraint() { 0.0 } else { composer.value(z) };
            let product: f64 = z.iter().zip(l).map(|(z, l)| z * l).sum();
            // Signs must not cancel: what is violated is priced once more.
            let violated = composer.domain_distance(z) * norm_of(l.iter().copied());
            objective += value;
            worth += (value + composer.conjugate(l) - product).abs() + 2.0 * violated;
        }
        let left = leftovers(problem.regulariser(), x, slope)?;
        worth += left.iter().map(|left| left.worth).sum::<f64>();
        let sizes = self.slope_sizes();
        let size =
            SMALL + objective.abs() + sizes.iter().zip(x).map(|([own, _], x)| (own * x).abs()).sum::<f64>();
        // Relative to the slopes of the objective, and in each variable to what cancels there: units must not matter.
        let together =
            norm_of(left.iter().map(|left| left.slope)) / (1.0 + norm_of(sizes.iter().map(|s| s[0])));
        // Those of norms and the like count where there are no others: a variable that none of them holds has next to no terms to compare with.
        let largest = sizes.iter().fold(0.0f64, |largest, [own, _]| largest.max(*own));
        let largest = if largest == 0.0 { self.largest_of_terms() } else { largest };
        let floor = BESIDE_OTHERS * largest.max(f64::MIN_POSITIVE);
        let apart = left.iter().zip(&sizes).map(|(left, [_, terms])| left.slope / terms.max(floor));
        let mean = x.iter().map(|x| x.abs()).sum::<f64>() / x.len() as f64;
        let reached: f64 = left.iter().zip(x).map(|(left, x)| left.slope * FARTHER * (x.abs() + mean)).sum();
        let apart = in_single_variables(apart.fold(0.0, f64::max), reached / size);
        Ok(Kkt {
            primal,
            dual: apart.max(CAUTION * together),
            gap: CAUTION * worth / size,
            worth: CAUTION * worth / size,
            objective,
            dual_objective: objective - worth,
        })
    }

    /// For each variable the size of the slopes of the rows of a sum, and of all rows.
    fn slope_sizes(&self) -> Vec<[f64; 2]> {
        let own = self.sizes_of(&|row| self.problem.composer().is_pinned(row));
        own.into_iter().zip(self.sizes_of(&|_| true)).map(|(own, all)| [own, all]).collect()
    }

    /// The largest slope of the objective's terms that are no sum: norms, largest entries, absolute values.
    fn largest_of_terms(&self) -> f64 {
        let mut is_term = vec![false; self.multipliers.len()];
        for (rows, _) in self.problem.parts().filter(|(_, composer)| !composer.is_constraint()) {
            is_term[rows].fill(true);
        }
        self.sizes_of(&|row| is_term[row]).into_iter().fold(0.0, f64::max)
    }

    /// For each variable the size of the slopes of some rows.
    fn sizes_of(&self, is_one: &dyn Fn(usize) -> bool) -> Vec<f64> {
        let Self { multipliers, row_values, x, .. } = self;
        let some = |(row, l): (usize, &f64)| if is_one(row) { *l } else { 0.0 };
        let l: Vec<f64> = multipliers.iter().enumerate().map(some).collect();
        let (mut slope, mut slope_sizes) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let mut sums =
            MinorantSums { offset: 0.0, offset_size: 0.0, slope: &mut slope, slope_sizes: &mut slope_sizes };
        self.mapping.add_minorant(x, row_values, &l, &mut sums, &mut Vec::new());
        slope_sizes
    }
}

/// What objectives are measured against at least.
const SMALL: f64 = 1e-3;
/// Slopes below this part of the objective's largest count as that large.
const BESIDE_OTHERS: f64 = 1e-3;
/// What is left of the conditions counts so many times. Prices with x stand for prices with x - x*, which nobody knows; interior points can
/// afford to be stricter than the tolerance asks, for they mostly come far closer.
const CAUTION: f64 = 10.0;

/// How many times as far out as the point the way is with which slopes are priced instead. Decision 0032.
const FARTHER: f64 = 10.0;

/// What slopes count that are at most `apart` of what cancels in their variable. That ratio knows nothing of what they are worth. So caution is
/// enough where all of them together, priced far out, are worth as little: pilot of Netlib has slopes of 4e-9 that no engine removes.
fn in_single_variables(apart: f64, reached: f64) -> f64 {
    (CAUTION * apart).min(apart.max(reached))
}

/// What is left of stationarity in a variable.
struct Leftover {
    /// The slope that nothing near x holds.
    slope: f64,
    /// What it is worth, with the way to the bound that holds it, or with x where there is none near.
    worth: f64,
}

fn leftovers(u: &dyn Regulariser, x: &[f64], slope: &[f64]) -> Result<Vec<Leftover>, OracleError> {
    let by_coordinate = |(i, (x, slope)): (usize, (&f64, &f64))| {
        let term = u.scalar_term(i)?;
        let [below, above] = [x - term.lower, term.upper - x];
        // The derivatives of u to both sides, and what is left beside them.
        let right = slope + term.ridge * x + if *x >= 0.0 { term.above } else { -term.below };
        let left = slope + term.ridge * x + if *x > 0.0 { term.above } else { -term.below };
        let (rest, way) = if right < 0.0 {
            (-right, above)
        } else if left > 0.0 {
            (left, below)
        } else {
            (0.0, 0.0)
        };
        // A kink at 0 holds slopes as a bound does: the engine ends beside it, not on it.
        let held = -term.above <= *slope && *slope <= term.below;
        let leads_to_kink = if *x > 0.0 { rest == left } else { rest == -right };
        let way = if held && leads_to_kink && *x != 0.0 { way.min(x.abs()) } else { way };
        let near = way <= 1.0 + x.abs();
        Some(if near {
            Leftover { slope: 0.0, worth: rest * way.max(0.0) }
        } else {
            Leftover { slope: rest, worth: rest * x.abs() }
        })
    };
    if let Some(all) = x.iter().zip(slope).enumerate().map(by_coordinate).collect() {
        return Ok(all);
    }
    // What a prox in the plain norm moves.
    let mut moved: Vec<f64> = x.iter().zip(slope).map(|(x, s)| x - s).collect();
    u.prox(Weight::scalar(1.0), &mut moved)?;
    let left = |(i, moved): (usize, &f64)| {
        let rest = (x[i] - moved).abs() + f64::EPSILON * x[i].abs();
        Leftover { slope: rest, worth: rest * x[i].abs().max(slope[i].abs()) }
    };
    Ok(moved.iter().enumerate().map(left).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regulariser::L1;

    #[test]
    fn a_kink_holds_what_is_beside_it() {
        let u = L1::new(1.0).unwrap();
        let left = |x: f64, slope: f64| {
            let left = leftovers(&u, &[x], &[slope]).unwrap();
            (left[0].slope, left[0].worth)
        };
        assert_eq!(left(0.0, 0.5), (0.0, 0.0));
        assert_eq!(left(1e-12, 0.5), (0.0, 1.5e-12));
        assert_eq!(left(-1e-12, -0.5), (0.0, 1.5e-12));
        assert_eq!(left(1e-12, 1.5).0, 2.5, "steeper than the kink holds");
        assert_eq!(left(1e-12, -1.5).0, 0.5, "away from it");
    }

    #[test]
    fn slopes_count_with_caution_unless_they_are_worth_little_far_out() {
        assert_eq!(in_single_variables(6e-7, 2e-7), 6e-7);
        assert_eq!(in_single_variables(6e-7, 2e-6), 2e-6);
        assert_eq!(in_single_variables(6e-7, 1.0), CAUTION * 6e-7);
        assert_eq!(in_single_variables(0.0, 1.0), 0.0);
    }
}
