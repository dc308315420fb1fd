//! u(x) = sum over k of w_k |x|_(k), with |x|_(1) >= |x|_(2) >= ... the sizes of the entries in order.

use super::{SLOPE_ROUNDING, check_fit, fits, min_linear_at_zero};
use crate::catalogue::{Field, FieldType, Kind, RegulariserEntry, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, Position, check_all_nonnegative};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Grounds, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::pool::Pool;
use std::ops::Range;

const KIND: &str = "sorted l1";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "sorted_l1",
        aliases: &[],
        formula: "sum over k of w_k |x|_(k), |x|_(1) >= |x|_(2) >= ...",
        about: "The sorted l1 norm (OWL, SLOPE): the largest entry counts most.",
        fields: &[Field::new("weights", FieldType::Vector, "one for each variable")
            .symbol("w")
            .bounds("nonnegative, none larger than the one before")
            .sample("[1.5, 1, 0.5]")],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| Ok(Box::new(SortedL1::new(values.vector("weights")?)?)),
};

/// The sorted l1 norm (OWL, SLOPE): the largest entry counts most. It sets entries to 0 and makes others equal in size, so
/// that correlated features are taken together.
///
/// Equal weights make the l1 norm, one weight and zeros the linf norm. The prox sorts and pools neighbours that are in the
/// wrong order (O(n log n)); it takes scalar weights only, since a diagonal metric would have to know the order of the result.
/// Slopes outside the dual ball by rounding (1e-12 of a sum of weights) count as inside in [`Regulariser::min_linear`].
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::SortedL1;
///
/// let u = SortedL1::new(vec![3.0, 1.0, 1.0])?;
/// assert_eq!(u.value(&[1.0, -4.0, 2.0]), 12.0 + 2.0 + 1.0);
/// let mut x = [6.0, -5.0, 0.5];
/// u.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [3.5, -3.5, 0.0]); // 6 - 3 and 5 - 1 are in the wrong order
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SortedL1 {
    weights: Vec<f64>,
    pool: Pool,
}

/// An entry's size and index. The index is exact as a float, so that one buffer of floats serves for all.
type Entry = [f64; 2];

/// A run of pooled entries: their sum, and how many they are.
type Run = [f64; 2];

impl SortedL1 {
    /// The weights of the largest entry, of the next one, and so on: one for each variable, none larger than the one before.
    ///
    /// # Errors
    /// A weight that is negative, not finite, or larger than the one before.
    pub fn new(weights: Vec<f64>) -> Result<Self, DataError> {
        check_all_nonnegative(KIND, "weights", &weights)?;
        if let Some(k) = weights.windows(2).position(|pair| pair[1] > pair[0]) {
            let (position, expected) = (Position::Entry(k + 1), "at most the weight before it");
            return Err(DataError::out_of_range(KIND, "weights", position, weights[k + 1], expected));
        }
        Ok(Self { weights, pool: Pool::default() })
    }

    /// Runs `work` with storage for as many entries and runs as there are variables.
    fn with_storage<T>(&self, work: impl FnOnce(&mut [Entry], &mut [Run]) -> T) -> T {
        let n = self.weights.len();
        self.pool.with(4 * n, |buffer| {
            let (entries, runs) = buffer.split_at_mut(2 * n);
            work(entries.as_chunks_mut().0, runs.as_chunks_mut().0)
        })
    }

    /// Pools the sizes minus w_k / tau until they fall: shows each run of entries with their common size in the prox, which is
    /// at least 0. The largest come first.
    fn pooled(&self, tau: f64, entries: &[Entry], runs: &mut [Run], mut show: impl FnMut(Range<usize>, f64)) {
        let mut count = 0;
        for ([size, _], w) in entries.iter().zip(&self.weights) {
            let mut run = [size - w / tau, 1.0];
            // A run must not be larger than the one before it: otherwise they are one run.
            while count > 0 && runs[count - 1][0] * run[1] < run[0] * runs[count - 1][1] {
                count -= 1;
                run = [runs[count][0] + run[0], runs[count][1] + run[1]];
            }
            runs[count] = run;
            count += 1;
        }
        let mut start = 0;
        for [sum, length] in &runs[..count] {
            let end = start + *length as usize;
            show(start..end, (sum / length).max(0.0));
            start = end;
        }
    }
}

/// Writes the entries of `v`, the largest first. Those of the same size stay in their order: the same bits in every run.
fn sort(v: &[f64], entries: &mut [Entry]) {
    entries.iter_mut().zip(v).enumerate().for_each(|(i, (entry, v))| *entry = [v.abs(), i as f64]);
    entries.sort_unstable_by(|a, b| b[0].total_cmp(&a[0]).then(a[1].total_cmp(&b[1])));
}

impl Regulariser for SortedL1 {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn value(&self, x: &[f64]) -> f64 {
        if !fits(self, x.len()) {
            return f64::INFINITY;
        }
        self.with_storage(|entries, _| {
            sort(x, entries);
            entries.iter().zip(&self.weights).map(|([x, _], w)| w * x).sum()
        })
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        let tau = weight.require_scalar(KIND)?;
        self.with_storage(|entries, runs| {
            sort(x, entries);
            self.pooled(tau, entries, runs, |run, size| {
                entries[run].iter().for_each(|[_, i]| x[*i as usize] = size.copysign(x[*i as usize]));
            });
        });
        Ok(())
    }

    /// 0 where the slope is in the dual ball: where each sum of its k largest sizes is within the sum of the first k weights.
    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        if !fits(self, slope.len()) {
            return f64::NEG_INFINITY;
        }
        let inside = self.with_storage(|entries, _| {
            sort(slope, entries);
            let (mut sizes, mut weights) = (0.0, 0.0);
            entries.iter().zip(&self.weights).all(|([s, _], w)| {
                (sizes, weights) = (sizes + s, weights + w);
                sizes <= weights * (1.0 + SLOPE_ROUNDING)
            })
        });
        min_linear_at_zero(inside, minimiser)
    }

    fn dimension(&self) -> Option<usize> {
        Some(self.weights.len())
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn is_homogeneous(&self) -> bool {
        true
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let sizes: Vec<_> = x.iter().map(|x| form.absolute(x)).collect();
        let mut sum = Expression::default();
        // Every step down of the weights counts the sum of the largest before it.
        for (k, w) in self.weights.iter().enumerate() {
            let step = w - self.weights.get(k + 1).unwrap_or(&0.0);
            if step > 0.0 {
                sum.add(step, &form.sum_of_largest((k + 1) as f64, &sizes));
            }
        }
        Some(sum)
    }
}

impl NewtonRegulariser for SortedL1 {
    /// The entries of a run move together, x_i = sign(v_i) size, and by the mean of what they are moved by; entries at 0 do
    /// not move.
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        let tau = weight.require_scalar(KIND)?;
        self.with_storage(|entries, runs| {
            sort(point, entries);
            self.pooled(tau, entries, runs, |run, size| {
                let place = |entry: &Entry| entry[1] as usize;
                match &entries[run] {
                    _ if size == 0.0 => {}
                    [alone] => out.diagonal()[place(alone)] = 1.0 / tau,
                    several => {
                        let sign = |entry: &Entry| (place(entry), 1f64.copysign(point[place(entry)]));
                        out.rank_one_of(1.0 / (tau * several.len() as f64), several.iter().map(sign));
                    }
                }
            });
        });
        Ok(())
    }
}
