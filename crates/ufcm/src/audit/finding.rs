//! What an audit hands back: the law that is broken, and a witness with which to see it broken.

use crate::oracle::OracleError;
use crate::oracle::guard::caught;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which of the oracles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A component g_j.
    Component,
    /// The composer h.
    Composer,
    /// The regulariser u.
    Regulariser,
    /// A matrix known by its products.
    Operator,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Component => "component",
            Self::Composer => "composer",
            Self::Regulariser => "regulariser",
            Self::Operator => "operator",
        })
    }
}

/// Declares the checks once: the variant, its documentation, and the law in words.
macro_rules! checks {
    ($($name:ident => $law:literal,)*) => {
        /// The law that was checked. `Display` states it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Check {
            $(#[doc = $law] $name,)*
        }

        impl fmt::Display for Check {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$name => $law,)* })
            }
        }
    };
}

checks! {
    Panic => "an oracle must not panic",
    Failure => "an oracle must answer at an ordinary point",
    Finite => "values and gradients must be finite numbers",
    Written => "every entry of an output must be written",
    Repeatable => "the same call must give the same answer, bit for bit",
    ValueAlone => "the value must be the same with and without a gradient",
    Noise => "values nearby must not differ by more than their slopes and the asked accuracy explain",
    Gradient => "the gradient must agree with differences of the values",
    GradientEntry => "each gradient entry must agree with differences of the values",
    Subgradient => "f(y) >= f(x) + <g(x), y - x> must hold for a convex f",
    Monotone => "<g(x) - g(y), x - y> >= 0 must hold for a convex f",
    Convex => "f((1 - theta) x + theta y) <= (1 - theta) f(x) + theta f(y) must hold for a convex f",
    Smoothness => "|g(x) - g(y)| <= L |x - y|^p must hold for the declared smoothness (L, p)",
    UniformConvexity => "f(y) >= f(x) + <g(x), y - x> + mu/(q+1) |y - x|^(q+1) must hold for the declared convexity (mu, q)",
    LowerBound => "f must stay above its declared lower bound",
    Affine => "the gradient of a component declared affine must be constant",
    Diagonal => "the diagonal of the Hessian must agree with differences of gradients",
    Hessian => "the Hessian must agree with differences of gradients",
    HessianDiagonal => "add_diagonal and add_hessian must agree on the diagonal",
    Semidefinite => "<t, H t> >= 0 must hold for the Hessian of a convex f",
    Accumulates => "add_diagonal and add_hessian must add weight times the same thing to what is there, above the diagonal nothing",
    DiagonalBound => "the diagonal of the Hessian must stay below its declared bound",
    Nondecreasing => "h must not decrease where a row grows in which it is declared nondecreasing",
    FenchelYoung => "h(z) + h*(l) >= <l, z> must hold for a function and its conjugate",
    Multipliers => "multipliers_at must give a subgradient: h(z) + h*(l) = <l, z>",
    DomainDistance => "the distance to the domain must be 0 where h is finite and positive where h is infinite",
    ProxDomain => "the result of a prox must lie in the domain",
    ProxOptimal => "w = prox(v) must satisfy u(c) >= u(w) + <W (v - w), c - w> for every c",
    ProxConjugate => "l = prox_conjugate(v) must satisfy h(z) + h*(l) = <l, z> at z = W (v - l)",
    ProxMinLinear => "w = prox(v) must attain min_linear at the slope W (w - v), and min_linear be concave in the slope",
    FirmlyNonexpansive => "<w - w', W (v - v')> >= |w - w'|_W^2 must hold for w = prox(v), w' = prox(v')",
    ProxJacobian => "the prox Jacobian S must agree with differences of the prox: S W t",
    ProxJacobianRange => "0 <= <t, S t> <= <t, W^-1 t> must hold for the prox Jacobian S",
    MinLinear => "min_linear must not exceed <slope, x> + u(x) at any x",
    Minimiser => "the minimiser of min_linear must attain the minimum",
    StrongConvexity => "u must be as strongly convex as declared",
    Linear => "A (x + c y) = A x + c A y must hold for a linear operator",
    Adjoint => "<l, A x> = <A'l, x> must hold for the two products of an operator",
}

/// One broken law, with the worst witness met.
///
/// The fields are plain data: `points` and `numbers` come with the names under which the law (`check`) speaks of
/// them, so that a user can evaluate the oracle at the same points and see the same numbers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// Component, composer or regulariser.
    pub role: Role,
    /// The oracle's own name for itself.
    pub kind: String,
    /// The law that is broken.
    pub check: Check,
    /// The points of the witness, by name: `x`, `y`, `d`, ...
    pub points: Vec<(&'static str, Vec<f64>)>,
    /// The numbers compared, by name.
    pub numbers: Vec<(&'static str, f64)>,
    /// The entry that is wrong, where one can be named.
    pub index: Option<usize>,
    /// What the oracle said, where it failed or panicked.
    pub message: Option<String>,
    /// The error behind the message, where it failed: [`OracleError::cause`] gives the oracle's own error back.
    pub error: Option<OracleError>,
    /// By how much the law is missed.
    pub excess: f64,
    /// By how much rounding could miss it.
    pub tolerance: f64,
    /// How often the law was seen broken; this is the worst of them.
    pub occurrences: usize,
}

impl Finding {
    /// How many tolerances the law is missed by; infinite where there is nothing to measure.
    #[must_use]
    pub fn severity(&self) -> f64 {
        let ratio = self.excess / self.tolerance;
        if ratio.is_nan() { f64::INFINITY } else { ratio }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} '{}': {}", self.role, self.kind, self.check)?;
        if let Some(message) = &self.message {
            write!(f, "; it said: {message}")?;
        }
        for (i, (name, number)) in self.numbers.iter().enumerate() {
            write!(f, "{}{name} = {}", if i == 0 { "; but " } else { ", " }, Number(*number))?;
        }
        if let Some(index) = self.index {
            write!(f, ", at entry {index}")?;
        }
        if self.excess.is_finite() && self.excess > 0.0 {
            write!(f, " (off by {:.3e}; rounding explains {:.1e})", self.excess, self.tolerance)?;
        }
        for (name, point) in &self.points {
            write!(f, "\n    {name} = {}", Vector(point))?;
        }
        if self.occurrences > 1 {
            write!(f, "\n    the worst of {} such cases", self.occurrences)?;
        }
        Ok(())
    }
}

/// Enough digits to see a difference, an exponent only where it helps.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if self.0 == 0.0 || !size.is_finite() {
            write!(f, "{}", self.0)
        } else if (1e-3..1e6).contains(&size) {
            write!(f, "{:.9}", self.0)
        } else {
            write!(f, "{:.9e}", self.0)
        }
    }
}

/// A vector; a long one by its nonzero entries where they are few, else by its beginning.
struct Vector<'a>(&'a [f64]);

impl fmt::Display for Vector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        let entries = self.0;
        let nonzero = entries.iter().filter(|v| **v != 0.0).count();
        if entries.len() > SHOWN && nonzero <= 2 {
            write!(f, "{} entries, all 0", entries.len())?;
            for (i, v) in entries.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                write!(f, " but [{i}] = {v:?}")?;
            }
            return Ok(());
        }
        f.write_str("[")?;
        for (i, v) in entries.iter().take(SHOWN).enumerate() {
            write!(f, "{}{v:?}", if i == 0 { "" } else { ", " })?;
        }
        if entries.len() > SHOWN {
            write!(f, ", ... {} entries", entries.len())?;
        }
        f.write_str("]")
    }
}

/// What a check saw; the law is broken where `excess` > `tolerance`.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) excess: f64,
    pub(super) tolerance: f64,
    pub(super) points: Vec<(&'static str, Vec<f64>)>,
    pub(super) numbers: Vec<(&'static str, f64)>,
    pub(super) index: Option<usize>,
    pub(super) message: Option<String>,
    pub(super) error: Option<OracleError>,
}

impl Seen {
    /// What an oracle answered that failed.
    pub(super) fn failure(error: OracleError, points: Vec<(&'static str, Vec<f64>)>) -> Self {
        let (message, excess) = (Some(error.to_string()), f64::INFINITY);
        Self { points, message, error: Some(error), excess, ..Self::default() }
    }
}

/// The findings of one audit: one for each broken law, its worst case.
#[derive(Debug)]
pub(super) struct Findings {
    role: Role,
    kind: String,
    list: Vec<Finding>,
}

impl Findings {
    pub(super) fn new(role: Role, kind: &str) -> Self {
        Self { role, kind: kind.to_owned(), list: Vec::new() }
    }

    /// Holds `excess` <= `tolerance` as the law; takes note of the witness where it is broken. A NaN breaks it.
    ///
    /// Answers whether the law held.
    pub(super) fn law(
        &mut self,
        check: Check,
        excess: f64,
        tolerance: f64,
        witness: impl FnOnce() -> Seen,
    ) -> bool {
        if excess <= tolerance {
            return true;
        }
        self.note(check, Seen { excess, tolerance, ..witness() });
        false
    }

    pub(super) fn note(&mut self, check: Check, seen: Seen) {
        let earlier = self.list.iter().position(|finding| finding.check == check);
        let occurrences = 1 + earlier.map_or(0, |i| self.list[i].occurrences);
        let Seen { excess, tolerance, points, numbers, index, message, error } = seen;
        let (role, kind) = (self.role, self.kind.clone());
        let finding = Finding {
            role,
            kind,
            check,
            points,
            numbers,
            index,
            message,
            error,
            excess,
            tolerance,
            occurrences,
        };
        match earlier {
            None => self.list.push(finding),
            Some(i) if finding.severity() > self.list[i].severity() => self.list[i] = finding,
            Some(i) => self.list[i].occurrences = occurrences,
        }
    }

    /// What `call` answers about `x`; a panic becomes a finding.
    pub(super) fn call<T>(&mut self, x: &[f64], call: impl FnOnce() -> T) -> Option<T> {
        caught(call)
            .map_err(|message| {
                let (points, excess) = (vec![("x", x.to_vec())], f64::INFINITY);
                self.note(Check::Panic, Seen { points, excess, message: Some(message), ..Seen::default() });
            })
            .ok()
    }

    /// The value of an extended-valued convex function at `x`: a number or +inf; anything else becomes a finding.
    pub(super) fn extended(&mut self, x: &[f64], value: impl FnOnce() -> f64) -> Option<f64> {
        let value = self.call(x, value)?;
        if value > f64::NEG_INFINITY {
            return Some(value);
        }
        let (points, numbers) = (vec![("x", x.to_vec())], vec![("value", value)]);
        self.note(Check::Finite, Seen { points, numbers, excess: f64::INFINITY, ..Seen::default() });
        None
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn holds(&self, checks: &[Check]) -> bool {
        self.list.iter().all(|finding| !checks.contains(&finding.check))
    }

    pub(super) fn into_list(self) -> Vec<Finding> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_case_is_kept_and_cases_are_counted() {
        let mut findings = Findings::new(Role::Component, "quartic");
        let seen = |v: f64| Seen { numbers: vec![("f", v)], ..Seen::default() };
        assert!(findings.law(Check::Convex, 1.0, 2.0, || seen(0.0)));
        assert!(findings.is_empty());
        for v in [3.0, 9.0, 5.0] {
            assert!(!findings.law(Check::Convex, v, 2.0, || seen(v)));
        }
        let list = findings.into_list();
        assert_eq!(list.len(), 1);
        assert_eq!((list[0].occurrences, list[0].excess, list[0].severity()), (3, 9.0, 4.5));
        assert_eq!(list[0].numbers, [("f", 9.0)]);
    }

    #[test]
    fn a_nan_breaks_every_law() {
        let mut findings = Findings::new(Role::Composer, "max");
        assert!(!findings.law(Check::FenchelYoung, f64::NAN, 1.0, Seen::default));
    }

    #[test]
    fn long_vectors_are_shortened() {
        assert_eq!(Vector(&[1.0, -0.5]).to_string(), "[1.0, -0.5]");
        let mut unit = vec![0.0; 100];
        unit[7] = 2.0;
        assert_eq!(Vector(&unit).to_string(), "100 entries, all 0 but [7] = 2.0");
        assert_eq!(Vector(&[1.0; 10]).to_string(), format!("[{}... 10 entries]", "1.0, ".repeat(8)));
    }
}
