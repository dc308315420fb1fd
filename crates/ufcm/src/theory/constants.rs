//! L_ADA and mu_ADA: all the structure of the components in two numbers.

use super::root::self_consistent;
use crate::error::{DataError, Position, check_finite_scalar, check_nonnegative, check_positive};
use crate::oracle::{Convexity, Smoothness};

const KIND: &str = "theory";

/// What the theory needs to know of row j.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowConstants {
    /// lambda*_j >= 0.
    pub multiplier: f64,
    /// Whether the multiplier can have no other value (g_0, rows of a sum): it is then not enlarged by r.
    pub pinned: bool,
    /// (L_j, p_j); constant 0 for an affine row.
    pub smoothness: Smoothness,
    /// (mu_j, q_j), where the row is more than convex.
    pub convexity: Option<Convexity>,
}

impl RowConstants {
    /// A smooth (p = 1) row.
    #[must_use]
    pub fn smooth(multiplier: f64, constant: f64) -> Self {
        let smoothness = Smoothness { constant, exponent: 1.0 };
        Self { multiplier, pinned: false, smoothness, convexity: None }
    }

    /// The same row with its multiplier pinned.
    #[must_use]
    pub fn pinned(self) -> Self {
        Self { pinned: true, ..self }
    }

    /// (lambda*_j + r) L_j: the smoothness of the dualised row over Lambda_r (eq:reference-set).
    fn dualised(&self, r: f64) -> f64 {
        let multiplier = if self.pinned { self.multiplier } else { self.multiplier + r };
        if multiplier == 0.0 { 0.0 } else { multiplier * self.smoothness.constant }
    }

    fn check(&self) -> Result<(), DataError> {
        check_nonnegative(KIND, "lambda*", self.multiplier)?;
        check_nonnegative(KIND, "L", self.smoothness.constant)?;
        let p = self.smoothness.exponent;
        if !(0.0..=1.0).contains(&p) {
            return Err(DataError::out_of_range(KIND, "p", Position::Scalar, p, "between 0 and 1"));
        }
        if let Some(Convexity { constant, exponent }) = self.convexity {
            check_nonnegative(KIND, "mu", constant)?;
            check_finite_scalar(KIND, "q", exponent)?;
            if exponent < 1.0 {
                return Err(DataError::out_of_range(KIND, "q", Position::Scalar, exponent, "at least 1"));
            }
        }
        Ok(())
    }
}

/// The rows of a problem as the theory sees them, for a target accuracy eps and a dual radius r.
///
/// ```
/// use ufcm::theory::{Aggregate, RowConstants};
///
/// // An objective with L = 2 and one constraint with L = 10 and multiplier 0.5.
/// let rows = vec![RowConstants::smooth(1.0, 2.0).pinned(), RowConstants::smooth(0.5, 10.0)];
/// let theory = Aggregate::new(rows, 1e-4, 0.01)?;
/// assert!((theory.l_ada_smooth() - (2.0 + 0.51 * 10.0)).abs() < 1e-12);
/// assert_eq!(theory.mu_ada(), 0.0);
/// # Ok::<(), ufcm::error::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    rows: Vec<RowConstants>,
    eps: f64,
    r: f64,
}

impl Aggregate {
    /// The constants of these rows.
    ///
    /// # Errors
    /// An accuracy or radius that is not positive, or a constant out of its range.
    pub fn new(rows: Vec<RowConstants>, eps: f64, r: f64) -> Result<Self, DataError> {
        check_positive(KIND, "eps", eps)?;
        check_positive(KIND, "r", r)?;
        rows.iter().try_for_each(RowConstants::check)?;
        Ok(Self { rows, eps, r })
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[RowConstants] {
        &self.rows
    }

    /// The target accuracy.
    #[must_use]
    pub fn eps(&self) -> f64 {
        self.eps
    }

    /// The dual radius.
    #[must_use]
    pub fn r(&self) -> f64 {
        self.r
    }

    /// m, the number of rows.
    fn m(&self) -> f64 {
        self.rows.len() as f64
    }

    /// sum over j of (lambda*_j + r) L_j, for rows that are all smooth (eq:Lada-definition).
    #[must_use]
    pub fn l_ada_smooth(&self) -> f64 {
        self.rows.iter().map(|row| row.dualised(self.r)).sum()
    }

    /// L_{delta,r} (eq:general-heterogeneous-smoothness-constant): the smoothness of the dualised sum up to an error
    /// delta.
    #[must_use]
    pub fn l_delta(&self, delta: f64) -> f64 {
        let m = self.m();
        self.rows.iter().map(|row| holder_term(row, self.r, m / delta)).sum()
    }

    /// L_ADA for Hölder rows, given D_x >= |x0 - x*| (eq:Lada-definition-general).
    #[must_use]
    pub fn l_ada(&self, d_x: f64) -> f64 {
        self.l_ada_with(2.0 * 6f64.sqrt() * d_x / self.eps.sqrt())
    }

    /// L_ADA in full generality: mu_ADA counts where it helps (eq:Lada-definition-fully-general).
    #[must_use]
    pub fn l_ada_convex(&self, d_x: f64) -> f64 {
        let (mu, root6) = (self.mu_ada(), 6f64.sqrt());
        self.l_ada_with((2.0 * root6 * d_x / self.eps.sqrt()).min(4.0 * root6 / mu.sqrt()))
    }

    /// The root of L = sum over j of [a_j m sqrt(L)/eps * steps]^e_j [(lambda*_j + r) L_j]^(2/(1+p_j)).
    fn l_ada_with(&self, steps: f64) -> f64 {
        let m = self.m();
        self_consistent(
            self.rows
                .iter()
                .map(|row| (holder_term(row, self.r, m * steps / self.eps), 0.5 * error_exponent(row))),
        )
    }

    /// mu_ADA (eq:muada-def-general): the root of mu/2 = sum over j of lambda*_j mu_j/(q_j+1) (eps/mu)^((q_j-1)/2);
    /// 0 where no row with a multiplier is uniformly convex.
    #[must_use]
    pub fn mu_ada(&self) -> f64 {
        self_consistent(self.rows.iter().filter_map(|row| {
            let Convexity { constant, exponent } = row.convexity?;
            let power = 0.5 * (exponent - 1.0);
            Some((2.0 * row.multiplier * constant / (exponent + 1.0) * self.eps.powf(power), -power))
        }))
    }
}

/// e_j = (1 - p_j)/(1 + p_j): how strongly the allowed error enters.
fn error_exponent(row: &RowConstants) -> f64 {
    (1.0 - row.smoothness.exponent) / (1.0 + row.smoothness.exponent)
}

/// [e_j / tolerance]^e_j [(lambda*_j + r) L_j]^(2/(1+p_j)), with 0^0 = 1 for smooth rows.
fn holder_term(row: &RowConstants, r: f64, per_tolerance: f64) -> f64 {
    let (e, dualised) = (error_exponent(row), row.dualised(r));
    (e * per_tolerance).powf(e) * dualised.powf(2.0 / (1.0 + row.smoothness.exponent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_row() -> impl Strategy<Value = RowConstants> {
        let convexity = prop::option::of((1e-3..1e3f64, 1.0..6.0f64));
        (prop_oneof![Just(0.0), 1e-6..1e6f64], any::<bool>(), 1e-6..1e6f64, 0.0..=1.0f64, convexity).prop_map(
            |(multiplier, pinned, constant, exponent, convexity)| RowConstants {
                multiplier,
                pinned,
                smoothness: Smoothness { constant, exponent },
                convexity: convexity.map(|(constant, exponent)| Convexity { constant, exponent }),
            },
        )
    }

    fn aggregate() -> impl Strategy<Value = Aggregate> {
        (prop::collection::vec(any_row(), 1..6), 1e-8..1.0f64, 1e-6..1.0f64)
            .prop_map(|(rows, eps, r)| Aggregate::new(rows, eps, r).unwrap())
    }

    proptest! {
        #[test]
        fn l_ada_is_the_smoothness_for_its_own_tolerance(theory in aggregate(), d_x in 1e-3..1e3f64) {
            // delta = eps / sqrt(24 L D_x^2 / eps), below eq:Lada-definition-general
            let l = theory.l_ada(d_x);
            prop_assume!(l > 0.0);
            let delta = theory.eps / (24.0 * l * d_x * d_x / theory.eps).sqrt();
            prop_assert!((theory.l_delta(delta) / l - 1.0).abs() < 1e-9);
        }

        #[test]
        fn l_ada_does_not_increase_with_eps(theory in aggregate(), d_x in 1e-3..1e3f64, factor in 1.0..100.0f64) {
            // lemma:Lada-nonincreasing, and its extension below eq:Lada-definition-fully-general
            let coarser = Aggregate { eps: factor * theory.eps, ..theory.clone() };
            prop_assert!(coarser.l_ada(d_x) <= theory.l_ada(d_x) * (1.0 + 1e-12));
            prop_assert!(coarser.l_ada_convex(d_x) <= theory.l_ada_convex(d_x) * (1.0 + 1e-12));
        }

        #[test]
        fn mu_ada_does_not_decrease_with_eps(theory in aggregate(), factor in 1.0..100.0f64) {
            // lemma:muada-nondecreasing
            let coarser = Aggregate { eps: factor * theory.eps, ..theory.clone() };
            prop_assert!(coarser.mu_ada() >= theory.mu_ada() * (1.0 - 1e-12));
        }

        #[test]
        fn convexity_only_helps(theory in aggregate(), d_x in 1e-3..1e3f64) {
            prop_assert!(theory.l_ada_convex(d_x) <= theory.l_ada(d_x) * (1.0 + 1e-12));
        }

        #[test]
        fn smooth_rows_give_the_plain_sum(
            rows in prop::collection::vec((0.0..10.0f64, 1e-3..1e3f64), 1..6),
            d_x in 1e-3..1e3f64,
        ) {
            let rows = rows.into_iter().map(|(l, c)| RowConstants::smooth(l, c)).collect();
            let theory = Aggregate::new(rows, 1e-3, 1e-2).unwrap();
            prop_assert!((theory.l_ada(d_x) / theory.l_ada_smooth() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn strong_convexity_adds_up() {
        // Below eq:muada-def-general: all q_j = 1 total the weighted constants.
        let row = |multiplier: f64, constant: f64| RowConstants {
            convexity: Some(Convexity { constant, exponent: 1.0 }),
            ..RowConstants::smooth(multiplier, 1.0)
        };
        let theory = Aggregate::new(vec![row(1.0, 2.0), row(3.0, 0.5), row(0.0, 9.0)], 1e-5, 1e-2).unwrap();
        assert!((theory.mu_ada() - 3.5).abs() < 1e-12);
    }

    #[test]
    fn one_row_has_a_closed_form() {
        // cor:Lada-recovers-HS, without r: the row is pinned.
        for p in [0.0, 0.25, 0.5, 0.99] {
            let (l, eps, d_x) = (3.0, 1e-3, 2.0);
            let smoothness = Smoothness { constant: l, exponent: p };
            let row = RowConstants { multiplier: 1.0, pinned: true, smoothness, convexity: None };
            let root = Aggregate::new(vec![row], eps, 0.1).unwrap().l_ada(d_x);
            let base = (1.0 - p) / (1.0 + p) * 2.0 * 6f64.sqrt() * d_x / (eps * eps.sqrt());
            let closed = base.powf((2.0 - 2.0 * p) / (1.0 + 3.0 * p)) * l.powf(4.0 / (1.0 + 3.0 * p));
            assert!((root / closed - 1.0).abs() < 1e-10, "p = {p}: {root} against {closed}");
        }
    }

    #[test]
    fn wrong_constants_are_refused_by_name() {
        let refused = |rows, eps, r| Aggregate::new(rows, eps, r).unwrap_err().to_string();
        let good = RowConstants::smooth(1.0, 1.0);
        assert!(refused(vec![good], 0.0, 1.0).contains("eps is 0; it must be positive"));
        assert!(refused(vec![good], f64::NAN, 1.0).contains("eps is NaN"));
        assert!(refused(vec![good], 1.0, -1.0).contains("r is -1"));
        assert!(refused(vec![RowConstants::smooth(-1.0, 1.0)], 1.0, 1.0).contains("lambda* is -1"));
        assert!(refused(vec![RowConstants::smooth(1.0, f64::NAN)], 1.0, 1.0).contains("L is NaN"));
        let smoothness = Smoothness { constant: 1.0, exponent: 1.5 };
        assert!(refused(vec![RowConstants { smoothness, ..good }], 1.0, 1.0).contains("p is 1.5"));
        let convexity = Some(Convexity { constant: 1.0, exponent: 0.5 });
        assert!(refused(vec![RowConstants { convexity, ..good }], 1.0, 1.0).contains("q is 0.5"));
    }
}
