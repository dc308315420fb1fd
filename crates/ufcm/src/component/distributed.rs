//! A component whose samples are spread over ranks: each has a part, and the component is the sum of the parts.

use super::dealt::deal;
use crate::budget::Budget;
use crate::conic::{Expression, Form};
use crate::error::DataError;
use crate::oracle::guard::{caught, guarded};
use crate::oracle::{Component, Convexity, Curvature, ErrorRates, Grounds, OracleError, Smoothness};
use crate::ranks::{Call, Link, Split};
use std::sync::Arc;

const KIND: &str = "component over ranks";

/// The sum over ranks of `share` times each rank's part.
pub(crate) struct Distributed {
    part: Arc<dyn Component>,
    share: f64,
    link: Arc<Link>,
    facts: Facts,
}

/// What is known of the whole, agreed on when it was made.
struct Facts {
    grounds: Grounds,
    is_affine: bool,
    smoothness: Option<Smoothness>,
    convexity: Option<Convexity>,
    lower_bound: Option<f64>,
    operations: Option<u64>,
    /// Whether all parts know their curvature, and what of it.
    is_curved: bool,
    has_products: bool,
    terms: usize,
    hessian_operations: Option<u64>,
    diagonal_bound: Option<Vec<f64>>,
}

impl Distributed {
    /// The components of a problem, those with samples split over the ranks of `link`: all ranks bring their parts of the same components. Two exchanges
    /// for all of them.
    pub(crate) fn all(
        parts: Vec<Arc<dyn Component>>,
        link: &Arc<Link>,
    ) -> Result<Vec<Arc<dyn Component>>, DataError> {
        let mut weights: Vec<f64> = Vec::with_capacity(parts.len());
        let mut own = Ok(());
        for part in &parts {
            weights.push(match part.split() {
                Split::Mean(weight) => weight,
                Split::Never(why) => {
                    let message = format!("{} cannot be split over ranks: {why}", part.kind());
                    own = own.and(Err(OracleError::failed(message)));
                    0.0
                }
                Split::Sum | Split::Whole => 0.0,
            });
        }
        let local = weights.clone();
        exchanged(link, &mut weights, own)?;
        let share = |k: usize| match parts[k].split() {
            Split::Mean(_) if weights[k] > 0.0 => Some(local[k] / weights[k]),
            Split::Mean(_) => Some(0.0),
            Split::Sum => Some(1.0),
            Split::Whole | Split::Never(_) => None,
        };
        let shares: Vec<Option<f64>> = (0..parts.len()).map(share).collect();
        let empty =
            (0..parts.len()).find(|&k| matches!(parts[k].split(), Split::Mean(_)) && weights[k] <= 0.0);
        if let Some(k) = empty {
            return Err(DataError::structure(parts[k].kind(), "no rank has samples of positive weight"));
        }
        let told = parts.iter().zip(&shares).filter_map(|(part, share)| Some(numbers(&**part, (*share)?)));
        let mut told: Vec<f64> = told.flatten().collect();
        exchanged(link, &mut told, Ok(()))?;
        let mut rest = &told[..];
        let whole = |(part, share): (Arc<dyn Component>, Option<f64>)| -> Arc<dyn Component> {
            let Some(share) = share else { return part };
            let (own, after) = rest.split_at(COUNT + part.dimension());
            rest = after;
            let facts = Facts::of(own, link.size() as f64);
            Arc::new(Self { part, share, link: link.clone(), facts })
        };
        let mut all: Vec<Arc<dyn Component>> = parts.into_iter().zip(shares).map(whole).collect();
        deal(&mut all, link);
        Ok(all)
    }

    /// This rank's term.
    fn own(&self, x: &[f64], mut gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        let value = guarded(&*self.part, x, gradient.as_deref_mut())?;
        if let Some(gradient) = gradient {
            gradient.iter_mut().for_each(|g| *g *= self.share);
        }
        OracleError::check_value(self.share * value)
    }

    /// Adds what `add` adds for this rank's part, given its weight: here, or on all ranks and from all.
    fn add_all(
        &self,
        call: Call,
        x: &[f64],
        weight: f64,
        out: &mut [f64],
        add: impl FnOnce(&dyn Curvature, f64, &mut [f64]) -> Result<(), OracleError>,
    ) -> Result<(), OracleError> {
        let own = |out: &mut [f64]| match self.part.curvature() {
            Some(curvature) => caught(|| add(curvature, weight * self.share, out))
                .unwrap_or_else(|message| Err(OracleError::Panicked { message })),
            None => Err(OracleError::Unsupported { oracle: self.part.kind(), what: "curvature" }),
        };
        if self.link.is_deferred() {
            return own(out);
        }
        let mut sums = vec![0.0; out.len()];
        let added = own(&mut sums);
        self.link.exchange(call, x, &mut sums, added)?;
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
        Ok(())
    }
}

fn exchanged(link: &Link, numbers: &mut [f64], own: Result<(), OracleError>) -> Result<(), DataError> {
    let failed = |error: OracleError| DataError::structure(KIND, error.to_string());
    link.exchange(Call::Start, &[], numbers, own).map_err(failed)
}

/// More than there are ranks: two counts share a number.
const MANY: f64 = (1u64 << 20) as f64;
/// Numbers of [`Facts`] before the diagonal.
const COUNT: usize = 17;

/// What a part knows, as numbers whose sums tell what is known of the whole.
fn numbers(part: &dyn Component, share: f64) -> Vec<f64> {
    let flag = |known: bool| f64::from(u8::from(known));
    let (smoothness, convexity, bound) = (part.smoothness(), part.convexity(), part.lower_bound());
    let curvature = part.curvature();
    // A rank without samples knows no exponent.
    let present = curvature.is_none_or(|curvature| curvature.terms() > 0);
    let none = Smoothness { constant: 0.0, exponent: 0.0 };
    let smooth = smoothness.filter(|_| present).unwrap_or(none);
    let hessian = curvature.and_then(Curvature::hessian_operations);
    let mut diagonal = vec![0.0; part.dimension()];
    let bounded = curvature.is_some_and(|curvature| curvature.add_diagonal_bound(share, &mut diagonal));
    let mut numbers = vec![
        flag(part.grounds() > Grounds::Construction) + MANY * flag(part.grounds() == Grounds::Function),
        flag(part.is_affine()),
        flag(smoothness.is_some()),
        share * smooth.constant,
        smooth.exponent,
        smooth.exponent * smooth.exponent,
        convexity.filter(|c| c.exponent == 1.0).map_or(0.0, |c| share * c.constant),
        flag(bound.is_some()),
        bound.map_or(0.0, |bound| share * bound),
        flag(part.operations().is_some()),
        part.operations().map_or(0.0, |operations| operations as f64),
        flag(curvature.is_some()),
        flag(curvature.is_some_and(Curvature::has_products)),
        curvature.map_or(0.0, |curvature| curvature.terms() as f64),
        hessian.map_or(0.0, |operations| operations as f64),
        flag(hessian.is_some()) + MANY * flag(bounded),
        flag(present),
    ];
    debug_assert_eq!(numbers.len(), COUNT, "as many as are read");
    numbers.extend(diagonal);
    numbers
}

impl Facts {
    /// From the sums over so many ranks.
    fn of(sums: &[f64], size: f64) -> Self {
        let (s, diagonal) = sums.split_at(COUNT);
        let all = |count: f64| count == size;
        let grounds = match s[0] {
            0.0 => Grounds::Construction,
            words if words < MANY => Grounds::Trusted,
            _ => Grounds::Function,
        };
        let present = s[16];
        let exponent = s[4] / present;
        let smooth = all(s[2]) && present > 0.0 && (present * s[5] - s[4] * s[4]).abs() <= 1e-9;
        let bounded = (s[15] / MANY).floor();
        let hessian = s[15] - bounded * MANY;
        Self {
            grounds,
            is_affine: all(s[1]),
            smoothness: smooth.then_some(Smoothness { constant: s[3], exponent }),
            convexity: (s[6] > 0.0).then_some(Convexity { constant: s[6], exponent: 1.0 }),
            lower_bound: all(s[7]).then_some(s[8]),
            operations: all(s[9]).then_some(s[10] as u64),
            is_curved: all(s[11]),
            has_products: all(s[12]),
            // Where no part is a sum of terms, the whole is none.
            terms: if s[13] == present { 1 } else { (s[13] as usize).max(1) },
            hessian_operations: all(hessian).then_some(s[14] as u64),
            diagonal_bound: all(bounded).then(|| diagonal.to_vec()),
        }
    }
}

impl Component for Distributed {
    fn kind(&self) -> &'static str {
        self.part.kind()
    }

    fn grounds(&self) -> Grounds {
        self.facts.grounds
    }

    fn dimension(&self) -> usize {
        self.part.dimension()
    }

    fn evaluate(&self, x: &[f64], mut gradient: Option<&mut [f64]>) -> Result<f64, OracleError> {
        let own = self.own(x, gradient.as_deref_mut());
        if self.link.is_deferred() {
            return own;
        }
        let call = if gradient.is_some() { Call::Gradients } else { Call::Values };
        let mut sums = vec![*own.as_ref().unwrap_or(&0.0)];
        sums.extend(gradient.as_deref().unwrap_or_default());
        self.link.exchange(call, x, &mut sums, own.map(|_| ()))?;
        if let Some(gradient) = gradient {
            gradient.copy_from_slice(&sums[1..]);
        }
        OracleError::check_value(sums[0])
    }

    /// What all ranks have counted; a rank without samples counts nothing.
    fn judged(&self, x: &[f64]) -> Option<(f64, ErrorRates)> {
        let own = caught(|| self.part.judged(x)).unwrap_or(None);
        let (value, rates) = own.unwrap_or_default();
        let counts = [rates.positives, rates.missed, rates.negatives, rates.false_alarms];
        let mut sums = vec![self.share * value, f64::from(u8::from(own.is_some()))];
        sums.extend(counts.map(|count| count as f64));
        self.link.exchange(Call::Values, x, &mut sums, Ok(())).ok()?;
        let [positives, missed, negatives, false_alarms] = [2, 3, 4, 5].map(|k| sums[k] as usize);
        (sums[1] > 0.0).then_some((sums[0], ErrorRates { positives, missed, negatives, false_alarms }))
    }

    fn smoothness(&self) -> Option<Smoothness> {
        self.facts.smoothness
    }

    fn convexity(&self) -> Option<Convexity> {
        self.facts.convexity
    }

    fn is_affine(&self) -> bool {
        self.facts.is_affine
    }

    fn lower_bound(&self) -> Option<f64> {
        self.facts.lower_bound
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        self.facts.is_curved.then_some(self as &dyn Curvature)
    }

    fn operations(&self) -> Option<u64> {
        self.facts.operations
    }

    fn add_parameters(&self, out: &mut Vec<f64>) {
        self.part.add_parameters(out);
    }

    fn link(&self) -> Option<&Arc<Link>> {
        Some(&self.link)
    }

    fn restricted(&self, variables: &[usize]) -> Option<Arc<dyn Component>> {
        let part = self.part.restricted(variables);
        let own = part.as_ref().map(|_| ()).ok_or_else(|| OracleError::failed("no such part"));
        exchanged(&self.link, &mut [], own).ok()?;
        Self::all(vec![part?], &self.link).ok()?.pop()
    }

    /// It would take the samples of all ranks.
    fn conic(&self, _form: &mut Form, _x: &[Expression]) -> Option<Expression> {
        None
    }
}

impl Curvature for Distributed {
    fn add_diagonal(&self, x: &[f64], weight: f64, diagonal: &mut [f64]) -> Result<(), OracleError> {
        self.add_all(Call::Curvature, x, weight, diagonal, |part, weight, out| {
            part.add_diagonal(x, weight, out)
        })
    }

    fn add_hessian(&self, x: &[f64], weight: f64, hessian: &mut [f64]) -> Result<(), OracleError> {
        self.add_hessian_within(x, weight, hessian, &Budget::unlimited())
    }

    fn add_hessian_within(
        &self,
        x: &[f64],
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.add_all(Call::Hessian, x, weight, hessian, |part, weight, out| {
            part.add_hessian_within(x, weight, out, budget)
        })
    }

    fn terms(&self) -> usize {
        self.facts.terms
    }

    fn add_sampled_hessian(
        &self,
        x: &[f64],
        weight: f64,
        share: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.add_all(Call::Hessian, x, weight, hessian, |part, weight, out| {
            part.add_sampled_hessian(x, weight, share, out, budget)
        })
    }

    fn hessian_operations(&self) -> Option<u64> {
        self.facts.hessian_operations
    }

    fn has_products(&self) -> bool {
        self.facts.has_products
    }

    fn add_products(
        &self,
        x: &[f64],
        weight: f64,
        vectors: &[f64],
        out: &mut [f64],
    ) -> Result<(), OracleError> {
        self.add_all(Call::Curvature, x, weight, out, |part, weight, out| {
            part.add_products(x, weight, vectors, out)
        })
    }

    fn add_diagonal_bound(&self, weight: f64, diagonal: &mut [f64]) -> bool {
        let Some(bound) = &self.facts.diagonal_bound else { return false };
        diagonal.iter_mut().zip(bound).for_each(|(d, bound)| *d += weight * bound);
        true
    }

    fn add_floor(
        &self,
        x: &[f64],
        radius: f64,
        weight: f64,
        hessian: &mut [f64],
        budget: &Budget,
    ) -> Result<(), OracleError> {
        self.add_all(Call::Floor, x, weight, hessian, |part, weight, out| {
            part.add_floor(x, radius, weight, out, budget)
        })
    }
}
