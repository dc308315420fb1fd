//! Lower bounds without a bounded domain, from an answer that is the only one: the points that are no worse than it lie in a small
//! box. For multipliers l and the linearisations at c,
//!
//! ```text
//! F(x) >= offset + <s, x> + u(x) + 1/2 |x - c|_M^2,       M from the data of the components,
//! ```
//!
//! and with l moved along one row j, which stays in the domain of h*,
//!
//! ```text
//! F(x) >= offset + <s, x> + u(x) + t (z_j - (h*(l + t e_j) - h*(l)) / t).
//! ```
//!
//! So where F(x) <= level, and `gap` = level - offset - min (<s, x> + u(x)), a variable whose slope s_i holds it at a bound is within
//! gap / s_i of that bound, and a row whose multiplier l_j holds it is within gap / l_j of its end. Variables that no slope holds are
//! `loose`: their slopes are rounding. (First also those
//! between bounds, which rows may hold far better; if that shows nothing, without them.) Rows that are held, and M, hold these together if their matrix over the loose variables has full
//! rank, which a Cholesky factorisation with room for rounding proves. What rounding leaves of loose slopes is charged for |x_i - c_i| <= rho:
//! {F <= level} is convex and contains c, so that a set which does not reach from c as far as rho ends before.
//!
//! Constraints that c violates by rounding are widened until they hold there, which costs their multipliers times that.
//!
//! A box is all that is needed: a point outside has F > level, and `level` is no less than the bound. Decision 0024.
//!
//! Where the witness shows no box, F(x) <= level is one more row from which bounds follow (`implied`): an auxiliary variable that a cone bounds
//! from one side alone, the objective bounds from the other.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | the premise: how it is found, how it is checked |
//! | `held` | how far a variable can go against its slope |
//! | `span` | how far loose variables can go |

mod held;
mod span;

use super::evidence::{self, Evidence, Witness};
use super::implied::{bounds_below, implied_bounds};
use super::minorant;
use super::premise::Premise;
use super::rounding::{absolute_dot, unit};
use super::tuning::enclosed::{LOOSE, REACHES};
use super::upper::Upper;
use super::{Certificate, CertificateError};
use crate::oracle::{OracleError, ScalarTerm};
use crate::problem::Problem;
use held::{Bounds, Side, way};

/// A certificate of `x` whose lower bound rests on `x` being the only answer, if that can be shown.
///
/// # Errors
/// An oracle that failed, or the budget.
pub(crate) fn certify_by_enclosure(
    problem: &Problem,
    x: &[f64],
    multipliers: &[f64],
) -> Result<Option<Certificate>, CertificateError> {
    certify(problem, x, multipliers, shown_enclosure)
}

/// The same where bounds of all points that are no worse follow from constraints and the level: the box is wider and found at once.
///
/// # Errors
/// An oracle that failed, or the budget.
pub(crate) fn certify_by_level(
    problem: &Problem,
    x: &[f64],
    multipliers: &[f64],
) -> Result<Option<Certificate>, CertificateError> {
    certify(problem, x, multipliers, |problem, _, level| Ok(bounds_below(problem, level)?))
}

/// The box of all x of X with F(x) <= level, from its lower and upper ends.
type Ends = Option<[Vec<f64>; 2]>;

fn certify(
    problem: &Problem,
    x: &[f64],
    multipliers: &[f64],
    enclosure: impl Fn(&Problem, &Witness, f64) -> Result<Ends, CertificateError>,
) -> Result<Option<Certificate>, CertificateError> {
    let at_x = Upper::at(problem, x)?;
    let upper = at_x.objective + at_x.rounding;
    let witness = Witness::at(x.to_vec(), multipliers.to_vec());
    let Some([lower, upper_ends]) = enclosure(problem, &witness, upper)? else { return Ok(None) };
    let mut certificate = Certificate {
        x: x.to_vec(),
        lower: f64::NEG_INFINITY,
        upper,
        violation: at_x.violation,
        premise: Premise::Enclosure { level: upper, lower, upper: upper_ends },
        curvature: 0.0,
        witnesses: vec![witness],
        grounds: problem.grounds(),
        constants: None,
    };
    certificate.lower = certificate.bound(problem)?.0.min(upper);
    Ok(Some(certificate))
}

/// Checks that the witness proves the box that a certificate states.
pub(super) fn check(
    problem: &Problem,
    witnesses: &[Witness],
    claimed: f64,
    level: f64,
    ends: [&[f64]; 2],
) -> Result<(), CertificateError> {
    const REFUSED: CertificateError = CertificateError::Premise("no such box follows from the witness");
    let [witness] = witnesses else {
        return Err(CertificateError::Premise("a box is that around one witness"));
    };
    if witness.own || witness.y.len() != problem.dimension() || witness.multipliers.len() != problem.rows() {
        return Err(CertificateError::Premise("the witness is no linearisation, or has another dimension"));
    }
    // Written so that a NaN is refused.
    if !(claimed <= level && level.is_finite()) {
        return Err(CertificateError::Premise("the box speaks of points below the bound alone"));
    }
    if ends.iter().any(|ends| ends.len() != problem.dimension()) {
        return Err(CertificateError::Premise("the box has another dimension"));
    }
    let holds = |proven: Ends| {
        proven.is_some_and(|[lower, upper]| {
            let below = ends[0].iter().zip(&lower).all(|(stated, proven)| stated <= proven);
            below && ends[1].iter().zip(&upper).all(|(stated, proven)| stated >= proven)
        })
    };
    let follows = holds(bounds_below(problem, level)?) || holds(shown_enclosure(problem, witness, level)?);
    if follows { Ok(()) } else { Err(REFUSED) }
}

/// The box in which all x of X with F(x) <= `level` lie, as far as the witness shows one, or constraints and the level do.
pub(super) fn enclosure(problem: &Problem, witness: &Witness, level: f64) -> Result<Ends, CertificateError> {
    let shown = shown_enclosure(problem, witness, level)?;
    if shown.is_some() { Ok(shown) } else { Ok(bounds_below(problem, level)?) }
}

fn shown_enclosure(problem: &Problem, witness: &Witness, level: f64) -> Result<Ends, CertificateError> {
    let Some(view) = View::of(problem, witness, level, Bounds::DoNotCount)? else { return Ok(None) };
    if let Some(ends) = view.enclosure()? {
        return Ok(Some(ends));
    }
    let Some(other) = View::of(problem, witness, level, Bounds::Hold)? else { return Ok(None) };
    if other.loose == view.loose { Ok(None) } else { other.enclosure() }
}

fn is_finite(ends: &[Vec<f64>; 2]) -> bool {
    ends.iter().flatten().all(|end| end.is_finite())
}

/// The problem as a witness sees it.
struct View<'a> {
    problem: &'a Problem,
    /// c, and the witness with multipliers in the domain of h*.
    centre: &'a [f64],
    witness: Witness,
    /// g(c)
    values: Vec<f64>,
    /// u by variables, with the bounds that constraints imply.
    laws: Vec<ScalarTerm>,
    slope: Vec<f64>,
    /// What rounding may have done to each entry of the slope.
    blur: Vec<f64>,
    /// The variables that no slope holds, in order.
    loose: Vec<usize>,
    /// level - offset - the minima of <s, x> + u(x), with all that rounding and widened constraints may cost.
    base: f64,
    /// The charge for each unit of absolute value.
    unit: f64,
}

impl<'a> View<'a> {
    /// `None` where u is no sum of laws of variables, rows are known by products alone, or c is not in the set.
    fn of(
        problem: &'a Problem,
        witness: &'a Witness,
        level: f64,
        bounds: Bounds,
    ) -> Result<Option<Self>, CertificateError> {
        let (mapping, centre) = (problem.mapping(), &witness.y[..]);
        let at_centre = Upper::at(problem, centre)?;
        // Written so that a NaN is refused.
        let inside = at_centre.objective + at_centre.rounding <= level;
        let (Some(laws), true) = (laws(problem, centre)?, inside && mapping.has_rows()) else {
            return Ok(None);
        };
        let mut multipliers = witness.multipliers.clone();
        if !minorant::project(&*mapping, problem.composer(), &witness.multipliers, &mut multipliers)? {
            return Ok(None);
        }
        let witness = Witness::at(centre.to_vec(), multipliers);
        let values = super::upper::row_values(problem, centre)?;
        let Some(widened) = widening(problem, &values, &witness.multipliers) else { return Ok(None) };
        let evidence = Evidence::of(problem, std::slice::from_ref(&witness), evidence::conjugate)?;
        let unit = unit(problem.dimension(), problem.rows() + 1);
        let blur: Vec<f64> = evidence.magnitudes.iter().map(|size| unit * size).collect();
        let slope = evidence.slope;
        let growth = |i: usize| LOOSE * evidence.magnitudes[i] + blur[i];
        let is_loose = |i: &usize| laws[*i].is_let_go(slope[*i], growth(*i), bounds);
        let loose: Vec<usize> = (0..centre.len()).filter(is_loose).collect();
        let mut at = centre.to_vec();
        let mut next = loose.iter().peekable();
        for (i, x) in at.iter_mut().enumerate() {
            if next.next_if_eq(&&i).is_none() {
                *x = laws[i].minimiser_of_linear(slope[i]);
            }
        }
        let least: f64 = at.iter().zip(&slope).map(|(x, s)| s * x).sum();
        let own: Vec<f64> = at.iter().zip(&laws).map(|(x, law)| law.unbounded_value(*x)).collect();
        let sizes = evidence.magnitude
            + level.abs()
            + absolute_dot(&slope, &at)
            + absolute_dot(&evidence.magnitudes, &at)
            + own.iter().map(|v| v.abs()).sum::<f64>();
        let base = level - evidence.offset - least - own.iter().sum::<f64>() + widened + 2.0 * unit * sizes;
        Ok(base.is_finite().then_some(Self {
            problem,
            centre,
            witness,
            values,
            laws,
            slope,
            blur,
            loose,
            base: base.max(0.0),
            unit,
        }))
    }

    /// The box, if there is one.
    fn enclosure(&self) -> Result<Option<[Vec<f64>; 2]>, CertificateError> {
        if self.loose.is_empty() {
            return Ok(self.held(self.gap(0.0)).filter(is_finite));
        }
        let largest = self.centre.iter().fold(1.0f64, |largest, c| largest.max(c.abs()));
        for reach in REACHES {
            self.problem.budget().component().map_err(OracleError::from)?;
            let rho = reach * largest;
            let gap = self.gap(rho);
            let Some(mut ends) = self.held(gap) else { return Ok(None) };
            let Some(ways) = self.ways_of_loose(gap, rho, &ends)? else { continue };
            if ways.iter().all(|way| *way < 0.5 * rho) {
                for (i, way) in self.loose.iter().zip(&ways) {
                    ends[0][*i] = (self.centre[*i] - way).max(self.laws[*i].lower);
                    ends[1][*i] = (self.centre[*i] + way).min(self.laws[*i].upper);
                }
                return Ok(Some(ends).filter(is_finite));
            }
        }
        Ok(None)
    }

    /// The gap where loose variables are within `rho` of the centre.
    fn gap(&self, rho: f64) -> f64 {
        let left = |i: &usize| self.laws[*i].slope_at(self.centre[*i], self.slope[*i]).abs() + self.blur[*i];
        self.base + rho * self.loose.iter().map(left).sum::<f64>()
    }

    /// The ends of the variables that are held; those of the others are those of their laws.
    fn held(&self, gap: f64) -> Option<[Vec<f64>; 2]> {
        let mut ends = [Vec::new(), Vec::new()];
        let mut next = self.loose.iter().peekable();
        for (i, law) in self.laws.iter().enumerate() {
            let (mut low, mut high) = (law.lower, law.upper);
            if next.next_if_eq(&&i).is_none() {
                let from = law.minimiser_of_linear(self.slope[i]);
                let slopes = [self.slope[i], self.blur[i]];
                low = low.max(from - way(law, slopes, from, gap, Side::Below)?);
                high = high.min(from + way(law, slopes, from, gap, Side::Above)?);
            }
            ends[0].push(low);
            ends[1].push(high);
        }
        Some(ends)
    }
}

/// u by variables, with the bounds that constraints imply: widened, as the constraints are, until the centre is inside.
fn laws(problem: &Problem, centre: &[f64]) -> Result<Option<Vec<ScalarTerm>>, CertificateError> {
    let own: Option<Vec<ScalarTerm>> =
        (0..problem.dimension()).map(|i| problem.regulariser().scalar_term(i)).collect();
    let Some(mut laws) = own else { return Ok(None) };
    if let Some(bounds) = implied_bounds(problem)? {
        for (i, law) in laws.iter_mut().enumerate() {
            law.lower = law.lower.max(bounds.lower[i].min(centre[i]));
            law.upper = law.upper.min(bounds.upper[i].max(centre[i])).max(law.lower);
        }
    }
    Ok(Some(laws))
}

/// What it costs to widen the constraints until they hold; `None` where one does not say by how much each row violates it.
fn widening(problem: &Problem, values: &[f64], multipliers: &[f64]) -> Option<f64> {
    let mut cost = 0.0;
    for (range, composer) in problem.parts().filter(|(_, composer)| composer.is_constraint()) {
        if composer.domain_distance(&values[range.clone()]) == 0.0 {
            continue;
        }
        for (k, row) in range.enumerate() {
            let [low, high] = composer.row_domain(k)?;
            cost += multipliers[row].abs() * (values[row] - high).max(low - values[row]).max(0.0);
        }
    }
    Some(2.0 * cost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::Linear;
    use crate::mapping::Affine;
    use crate::matrix::Matrix;
    use crate::regulariser;

    /// The proof starts from an answer that is in the set: also where it violates the row that bounds it.
    #[test]
    fn an_answer_that_violates_a_constraint_lies_in_its_box() {
        // min -x_0 - x_1 / 2 with x_0 + x_1 <= 1, x >= 0
        let row = Affine::new(Matrix::row_major(1, 2, vec![1.0, 1.0]).unwrap(), vec![1.0]).unwrap();
        let problem = Problem::minimise(Linear::new(vec![-1.0, -0.5], 0.0).unwrap())
            .subject_to(row.at_most_zero())
            .within(regulariser::Bounds::new(0.0, f64::INFINITY).unwrap())
            .build()
            .unwrap();
        let x = [1.0 + 1e-7, 0.0];
        let certificate = certify_by_enclosure(&problem, &x, &[1.0, 1.0]).unwrap().expect("a box");
        let Premise::Enclosure { lower, upper, .. } = &certificate.premise else { panic!() };
        assert!((0..2).all(|i| lower[i] <= x[i] && x[i] <= upper[i]), "{x:?} in {lower:?} to {upper:?}");
        assert!(certificate.lower <= -1.0 && certificate.lower >= -1.0 - 1e-6, "{}", certificate.lower);
    }
}
