//! What the witnesses of a certificate add up to, from the oracles alone.

use super::error::{CertificateError, check_numbers, check_vector};
use super::minorant;
use super::rounding::{absolute_dot, largest, unit};
use crate::linalg::dot;
use crate::oracle::{Mapping, MinorantSums};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// One linearisation with multipliers, and its weight in the combination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// theta, >= 0; the weights of all witnesses sum to 1.
    pub weight: f64,
    /// y, where the rows are linearised.
    pub y: Vec<f64>,
    /// l, one for each row.
    pub multipliers: Vec<f64>,
    /// Whether curved rows enter by what they say of themselves, such as that a loss is not negative, and not by their linearisation at
    /// y.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
}

impl Witness {
    /// The linearisation at `y` with these multipliers, alone.
    #[must_use]
    pub fn at(y: Vec<f64>, multipliers: Vec<f64>) -> Self {
        Self { weight: 1.0, y, multipliers, own: false }
    }
}

/// The multipliers of witnesses, each with its weight; `None` where there are none, or they are not of one length.
pub(crate) fn combined_multipliers(witnesses: &[Witness]) -> Option<Vec<f64>> {
    let mut sum = vec![0.0; witnesses.first()?.multipliers.len()];
    for witness in witnesses {
        if witness.multipliers.len() != sum.len() {
            return None;
        }
        sum.iter_mut().zip(&witness.multipliers).for_each(|(sum, l)| *sum += witness.weight * l);
    }
    Some(sum)
}

/// How far the weights may be from summing to 1; what is left is divided out.
const WEIGHT_ROUNDING: f64 = 1e-9;

/// What takes the place of h* in a bound, and the size of its rounding error in units of the machine precision.
#[derive(Clone, Copy)]
pub(super) struct Conjugate {
    pub(super) value: f64,
    pub(super) magnitude: f64,
}

/// The combined minorant: offset + <slope, x>, and with what strong convexity adds, curved_offset + <curved_slope, x> +
/// curvature/2 |x|^2.
pub(super) struct Evidence {
    pub(super) offset: f64,
    pub(super) slope: Vec<f64>,
    /// sum of theta S_i, S_i = sum_j |l_j J_ji|.
    pub(super) magnitudes: Vec<f64>,
    /// The sum of the absolute values of everything summed in the offset, and of what the slope's rounding does at the y.
    pub(super) magnitude: f64,
    /// mu = sum of theta l_j mu_j, with the mu_j that components claim.
    pub(super) curvature: f64,
    pub(super) curved_offset: f64,
    pub(super) curved_slope: Vec<f64>,
    /// The sum of the absolute values in what curvature adds to offset and slope; the latter by entry.
    pub(super) curved_magnitude: f64,
    pub(super) curved_magnitudes: Vec<f64>,
    /// sum of theta |y_i|
    pub(super) reach: Vec<f64>,
    /// The largest entry of sum of theta |l_j J_ji| over the rows that are no constraints.
    pub(super) objective: f64,
    witnesses: usize,
}

impl Evidence {
    /// Adds up the witnesses; `conjugate` checks the multipliers of a witness (and may move them by rounding) and answers with
    /// what takes the place of h*.
    pub(super) fn of(
        problem: &Problem,
        witnesses: &[Witness],
        conjugate: impl Fn(&Problem, usize, &mut [f64]) -> Result<Conjugate, CertificateError>,
    ) -> Result<Self, CertificateError> {
        let n = problem.dimension();
        let total = check_weights(witnesses)?;
        let zeros = || vec![0.0; n];
        let mut sum = Self {
            offset: 0.0,
            slope: zeros(),
            magnitudes: zeros(),
            magnitude: 0.0,
            curvature: 0.0,
            curved_offset: 0.0,
            curved_slope: zeros(),
            curved_magnitude: 0.0,
            curved_magnitudes: zeros(),
            reach: zeros(),
            objective: 0.0,
            witnesses: witnesses.len(),
        };
        for (k, witness) in witnesses.iter().enumerate() {
            check_vector("y", n, &witness.y)?;
            check_vector("multipliers", problem.rows(), &witness.multipliers)?;
            let mut multipliers = witness.multipliers.clone();
            let conjugate = conjugate(problem, k, &mut multipliers)?;
            check_signs(problem, k, &multipliers)?;
            sum.add(problem, witness.weight / total, witness, &multipliers, conjugate)?;
        }
        sum.curved_offset += sum.offset;
        sum.curved_slope.iter_mut().zip(&sum.slope).for_each(|(curved, s)| *curved += s);
        check_numbers("the sum of the witnesses", &[sum.offset, sum.magnitude, sum.curved_offset])?;
        check_numbers("the slope", &sum.slope)?;
        Ok(sum)
    }

    fn add(
        &mut self,
        problem: &Problem,
        weight: f64,
        witness: &Witness,
        multipliers: &[f64],
        conjugate: Conjugate,
    ) -> Result<(), CertificateError> {
        let y = &witness.y[..];
        let mut mapping = problem.mapping();
        let mut values = vec![0.0; problem.rows()];
        match problem.linearised_values(y) {
            Some(known) => values.copy_from_slice(known),
            // Rows without a multiplier have no part in the proof.
            None => {
                let wanted: Vec<bool> = multipliers.iter().map(|l| *l != 0.0).collect();
                mapping.linearise_some(y, &wanted, &mut values)?;
            }
        }
        self.offset -= weight * conjugate.value;
        self.magnitude += weight * conjugate.magnitude;
        let (mut slope, mut slope_sizes) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        let mut sums =
            MinorantSums { offset: 0.0, offset_size: 0.0, slope: &mut slope, slope_sizes: &mut slope_sizes };
        add_rows(&*mapping, witness, &values, multipliers, &mut sums)?;
        self.offset += weight * sums.offset;
        // The products in <J_j, y> are off as a sum, and once more through the slope.
        self.magnitude += weight * (sums.offset_size + 2.0 * absolute_dot(&slope_sizes, y));
        for (i, (s, size)) in slope.iter().zip(&slope_sizes).enumerate() {
            self.slope[i] += weight * s;
            self.magnitudes[i] += weight * size;
        }
        let mut own = multipliers.to_vec();
        for (rows, _) in problem.parts().filter(|(_, composer)| composer.is_constraint()) {
            own[rows].fill(0.0);
        }
        slope_sizes.fill(0.0);
        let mut sums =
            MinorantSums { offset: 0.0, offset_size: 0.0, slope: &mut slope, slope_sizes: &mut slope_sizes };
        add_rows(&*mapping, witness, &values, &own, &mut sums)?;
        self.objective += weight * largest(&slope_sizes);
        let curvature = |(j, l): (usize, &f64)| l.max(0.0) * minorant::strong_convexity(&*mapping, j);
        let claimed =
            if witness.own { 0.0 } else { multipliers.iter().enumerate().map(curvature).sum::<f64>() };
        let mu = weight * claimed;
        let square = mu * dot(y, y);
        self.curvature += mu;
        self.curved_offset += 0.5 * square;
        self.curved_magnitude += 2.0 * square;
        for (i, y) in y.iter().enumerate() {
            self.curved_slope[i] -= mu * y;
            self.curved_magnitudes[i] += mu * y.abs();
        }
        self.reach.iter_mut().zip(y).for_each(|(reach, y)| *reach += weight * y.abs());
        Ok(())
    }

    /// The charge for each unit of absolute value.
    pub(super) fn unit(&self, problem: &Problem) -> f64 {
        unit(problem.dimension(), problem.rows() + self.witnesses)
    }
}

/// Adds what lies below the rows with their multipliers: the linearisation at y; of curved rows of an `own` witness what they say of
/// themselves.
fn add_rows(
    mapping: &dyn Mapping,
    witness: &Witness,
    values: &[f64],
    multipliers: &[f64],
    sums: &mut MinorantSums<'_>,
) -> Result<(), CertificateError> {
    let mut linearised = multipliers.to_vec();
    for (j, l) in linearised.iter_mut().enumerate().filter(|(_, l)| witness.own && **l != 0.0) {
        if mapping.is_affine(j) {
            continue;
        }
        if !mapping.component(j).is_some_and(|component| component.add_own_minorant(*l, sums)) {
            return Err(CertificateError::Premise("a row of a witness says nothing of itself"));
        }
        *l = 0.0;
    }
    mapping.add_minorant(&witness.y, values, &linearised, sums, &mut Vec::new());
    Ok(())
}

/// Checks the multipliers of a lower bound against the domain of h*, puts them there to the last digits, and gives h*.
pub(super) fn conjugate(
    problem: &Problem,
    witness: usize,
    multipliers: &mut [f64],
) -> Result<Conjugate, CertificateError> {
    let given = multipliers.to_vec();
    let mapping = problem.mapping();
    if !minorant::project(&*mapping, problem.composer(), &given, multipliers)? {
        check_signs(problem, witness, &given)?;
        let refuses = |(range, composer): &(std::ops::Range<usize>, &dyn crate::oracle::Composer)| {
            !composer.conjugate(&given[range.clone()]).is_finite()
        };
        let part = problem.parts().find(refuses).map_or(0, |(range, _)| range.start);
        return Err(CertificateError::OutsideDomain { witness, part: problem.row_names()[part].clone() });
    }
    let composer = problem.composer();
    let (value, magnitude) = (composer.conjugate(multipliers), composer.conjugate_magnitude(multipliers));
    Ok(Conjugate { value, magnitude })
}

/// The sum of the weights, which is 1 up to rounding.
fn check_weights(witnesses: &[Witness]) -> Result<f64, CertificateError> {
    if witnesses.is_empty() {
        return Err(CertificateError::Empty);
    }
    for (witness, Witness { weight, .. }) in witnesses.iter().enumerate() {
        check_numbers("a weight", &[*weight])?;
        if *weight < 0.0 {
            return Err(CertificateError::Weight { witness, weight: *weight });
        }
    }
    let sum: f64 = witnesses.iter().map(|witness| witness.weight).sum();
    if (sum - 1.0).abs() <= WEIGHT_ROUNDING { Ok(sum) } else { Err(CertificateError::WeightSum { sum }) }
}

fn check_signs(problem: &Problem, witness: usize, multipliers: &[f64]) -> Result<(), CertificateError> {
    match (0..multipliers.len()).find(|&j| multipliers[j] < 0.0 && !problem.is_affine(j)) {
        None => Ok(()),
        Some(j) => Err(CertificateError::Negative {
            witness,
            row: problem.row_names()[j].clone(),
            value: multipliers[j],
        }),
    }
}
