//! Proofs that the objective falls without bound: a point that satisfies the constraints, and a ray from there.

use super::error::{CertificateError, check_numbers, check_vector};
use super::rounding::unit;
use super::upper::{Upper, violation_rounding};
use crate::oracle::Composer;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// A point and a ray along which the objective falls for ever.
///
/// Affine rows with bounds of their own are proven to allow the ray: what they change by is 0 up to rounding, or leads inwards. So are
/// affine rows that lie in a cone or under a norm together, 1e40 rays away. Curved rows, the objective and the domain are evaluated along it, as far
/// as 1e8 times the size of the point: convexity speaks for all that is nearer.
///
/// ```
/// use ufcm::certificate::Unboundedness;
/// use ufcm::component::Linear;
/// use ufcm::problem::Problem;
/// use ufcm::regulariser::Nonnegative;
///
/// let problem = Problem::minimise(Linear::new(vec![-1.0, 1.0], 0.0)?).within(Nonnegative).build()?;
/// let proof = Unboundedness { x: vec![0.0, 0.0], ray: vec![2.0, 0.0], violation: 0.0 };
/// assert!((proof.verify(&problem)? - 2.0).abs() < 1e-9);
/// let outside = Unboundedness { ray: vec![0.0, -1.0], ..proof };
/// assert!(outside.verify(&problem).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unboundedness {
    /// A point of X.
    pub x: Vec<f64>,
    /// The direction.
    pub ray: Vec<f64>,
    /// How far x is from satisfying the constraints.
    pub violation: f64,
}

/// How far along the ray functions are evaluated, in units of the larger of x and the ray.
const FAR: f64 = 1e8;
/// ... and the domain.
const FARTHEST: f64 = 1e12;
/// ... and rows that are held together.
const BEYOND_BOUNDS: f64 = 1e40;
/// A fall counts where it is so many times what rounding can do.
const CLEAR: f64 = 16.0;
/// The part of its first rate at which the objective must still fall far out: where it does not, it may have an end.
const STEADY: f64 = 0.5;

fn refused(reason: String) -> CertificateError {
    CertificateError::NoRay { reason }
}

/// Whether affine rows that are held together, in cones or under a norm, stay where they may be when they change so: the set is convex, so that
/// a point of it here and one out there speak for all between. Out there is farther than any bound that a set may have, and rows are as large
/// as what they change by: a cone is asked for the change itself.
fn stays_in_set(composer: &dyn Composer, values: &[f64], changes: &[f64], rounding: f64) -> bool {
    let there: Vec<f64> = values.iter().zip(changes).map(|(z, change)| z + BEYOND_BOUNDS * change).collect();
    // So that a NaN is no answer.
    composer.domain_distance(&there) <= BEYOND_BOUNDS * rounding + composer.domain_distance(values)
}

impl Unboundedness {
    /// What the proof takes for granted, in words.
    #[must_use]
    pub fn rests_on(&self) -> String {
        format!(
            "affine rows allow the ray; curved rows, objective and domain were evaluated along it, {FAR:e} times as far as the point is"
        )
    }

    /// Checks the proof and returns the rate at which the objective falls, for each length of the ray.
    ///
    /// # Errors
    /// What is wrong with the proof, by name.
    pub fn verify(&self, problem: &Problem) -> Result<f64, CertificateError> {
        check_vector("x", problem.dimension(), &self.x)?;
        check_vector("the ray", problem.dimension(), &self.ray)?;
        check_numbers("the violation", &[self.violation])?;
        let size = |v: &[f64]| v.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
        if size(&self.ray) == 0.0 {
            return Err(refused("it has no length".into()));
        }
        let here = Upper::at(problem, &self.x)?;
        if !here.objective.is_finite() {
            return Err(refused("the point is outside the domain".into()));
        }
        let short = here.violation * (1.0 - 1e-9) - self.violation;
        if !(short <= 0.0 || short <= violation_rounding(problem, &self.x)?) {
            let (claimed, proven) = (self.violation, here.violation);
            return Err(CertificateError::Claim { what: "the violation", claimed, proven });
        }
        let ends = |(i, d): (usize, &f64)| {
            problem.regulariser().scalar_term(i).is_some_and(|law| law.ends_towards(*d))
        };
        if self.ray.iter().enumerate().any(ends) {
            return Err(refused("a bound ends it".into()));
        }
        let base = size(&self.x).max(1.0) / size(&self.ray);
        for t in [1.0, FAR.sqrt(), FAR, FARTHEST] {
            if !problem.regulariser().value(&self.at(t * base)).is_finite() {
                return Err(refused("it leaves the domain".into()));
            }
        }
        let rounding = self.check_rows(problem, base)?;
        self.rate(problem, &here, base, rounding)
    }

    /// x + t ray
    fn at(&self, t: f64) -> Vec<f64> {
        self.x.iter().zip(&self.ray).map(|(x, d)| x + t * d).collect()
    }

    /// Checks that constraints allow the ray; returns what rounding can do to the rate of the objective.
    fn check_rows(&self, problem: &Problem, base: f64) -> Result<f64, CertificateError> {
        let (mut mapping, mut scratch) = (problem.mapping(), Vec::new());
        let (mut values, mut far) = (vec![0.0; problem.rows()], vec![0.0; problem.rows()]);
        mapping.values(&self.at(FAR * base), &mut far)?;
        mapping.linearise(&self.x, &mut values)?;
        let charge = unit(problem.dimension(), problem.rows());
        let (mut multipliers, mut objective) = (vec![0.0; problem.rows()], 0.0);
        for (rows, composer) in problem.parts() {
            composer.multipliers_at(&values[rows.clone()], &mut multipliers[rows.clone()]);
            // Of rows that say by themselves where they hold each is looked at; the others are held together.
            let (mut is_joint, mut changes, mut all_terms) = (false, Vec::new(), 0.0);
            for (k, row) in rows.clone().enumerate() {
                let (mut change, mut terms) = (0.0, 0.0);
                mapping.with_row(row, &mut scratch, &mut |view| {
                    view.for_each(|i, a| {
                        change += a * self.ray[i];
                        terms += (a * self.ray[i]).abs();
                    });
                });
                changes.push(change);
                all_terms += terms;
                if !composer.is_constraint() {
                    objective += multipliers[row].abs() * terms;
                    continue;
                }
                let name = &problem.row_names()[row];
                let Some([low, high]) = composer.row_domain(k) else {
                    is_joint = true;
                    if rows.clone().all(|row| problem.is_affine(row)) {
                        continue;
                    }
                    return Err(refused(format!("{name} does not say where it holds")));
                };
                let slack = charge * terms;
                let (up, down) = (high < f64::INFINITY, low > f64::NEG_INFINITY);
                let leaves = if problem.is_affine(row) {
                    (up && change > slack) || (down && change < -slack)
                } else {
                    // Convex, and no higher far out than it may be here: so all the way.
                    let room = self.violation + charge * (far[row].abs() + values[row].abs());
                    (up && far[row] > high + room) || down
                };
                if leaves || !change.is_finite() {
                    return Err(refused(format!("{name} does not allow it: it changes by {change:e}")));
                }
            }
            if is_joint && !stays_in_set(composer, &values[rows.clone()], &changes, charge * all_terms) {
                let name = &problem.row_names()[rows.start];
                return Err(refused(format!("the set of {name} and the rows beside it does not allow it")));
            }
        }
        Ok(charge * objective)
    }

    /// How fast the objective falls far out.
    fn rate(
        &self,
        problem: &Problem,
        here: &Upper,
        base: f64,
        rounding: f64,
    ) -> Result<f64, CertificateError> {
        let rate_at = |t: f64| -> Result<f64, CertificateError> {
            let there = Upper::at(problem, &self.at(t))?;
            Ok((here.objective - there.objective - here.rounding - there.rounding) / t)
        };
        let (near, far) = (rate_at(FAR.sqrt() * base)?, rate_at(FAR * base)?);
        // Written so that a NaN is refused.
        if far > CLEAR * rounding && far >= STEADY * near && far.is_finite() {
            Ok(far)
        } else {
            Err(refused(format!("the objective falls by {near:e} first and by {far:e} far out")))
        }
    }
}
