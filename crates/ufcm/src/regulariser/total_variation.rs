//! u(x) = w sum of |x_{i+1} - x_i|.

use super::fields::WEIGHT;
use super::{SLOPE_ROUNDING, check_fit, min_linear_at_zero};
use crate::catalogue::{Kind, RegulariserEntry, Section};
use crate::conic::{Expression, Form};
use crate::error::{DataError, check_nonnegative};
use crate::jacobian::JacobianBlock;
use crate::oracle::{Grounds, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::pool::Pool;

const KIND: &str = "total variation";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Regulariser,
        name: "total_variation",
        aliases: &[],
        formula: "w sum of |x_(i+1) - x_i|",
        about: "The total variation of a sequence.",
        fields: &[WEIGHT],
        example: "",
    },
    needs_dimension: false,
    build: |values, _| Ok(Box::new(TotalVariation::new(values.number("weight")?)?)),
};

/// The total variation of a sequence: it makes x piecewise constant.
///
/// The prox takes O(n) operations, by the dynamic program of Johnson (2013). Slopes that sum to 0 up to rounding
/// (1e-12 of their absolute sum) count as doing so in [`Regulariser::min_linear`].
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::TotalVariation;
///
/// let u = TotalVariation::new(1.0)?;
/// let mut x = [0.0, 1.0, 9.0, 8.0];
/// u.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [1.0, 1.0, 8.0, 8.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TotalVariation {
    weight: f64,
    pool: Pool,
}

impl TotalVariation {
    /// weight times the sum of |x_{i+1} - x_i|.
    ///
    /// # Errors
    /// A weight that is negative, NaN or infinite.
    pub fn new(weight: f64) -> Result<Self, DataError> {
        check_nonnegative(KIND, "weight", weight)?;
        Ok(Self { weight, pool: Pool::default() })
    }

    fn solve(&self, weight: Weight<'_>, x: &mut [f64]) {
        if self.weight == 0.0 || x.len() < 2 {
            return;
        }
        // Eight numbers for each coordinate: too many to ask of the caller.
        self.pool.with(9 * x.len(), |scratch| {
            let (v, program) = scratch.split_at_mut(x.len());
            v.copy_from_slice(x);
            Program::new(self.weight, program).run(weight, x);
            polish(self.weight, weight, v, x);
        });
    }
}

/// The dynamic program: the least cost f_k(b) of x_0, ..., x_{k-1} given x_k = b has a derivative that is piecewise
/// linear and increasing, clipped to [-w, w]; forward it is built up knot by knot, backward the x_k are read off.
struct Program<'a> {
    /// w.
    limit: f64,
    /// The knots of the derivative, in order, are `knots[first..end]`; they grow from the middle to both sides.
    knots: &'a mut [[f64; 3]],
    first: usize,
    end: usize,
    /// Between which values x_k may lie as a copy of x_{k+1}.
    ranges: &'a mut [[f64; 2]],
}

impl<'a> Program<'a> {
    /// In `storage` for 8 numbers for each coordinate.
    fn new(limit: f64, storage: &'a mut [f64]) -> Self {
        let n = storage.len() / 8;
        let (knots, ranges) = storage.split_at_mut(6 * n);
        let (knots, ranges) = (knots.as_chunks_mut().0, ranges.as_chunks_mut().0);
        Self { limit, knots, first: n, end: n, ranges }
    }

    fn run(&mut self, weight: Weight<'_>, x: &mut [f64]) {
        let last = x.len() - 1;
        for (k, v) in x[..last].iter().enumerate() {
            self.extend(k, weight.at(k), *v);
        }
        // Without a right neighbour the derivative must be 0.
        x[last] = self.leave_left(weight.at(last), x[last], last, 0.0).position;
        for k in (0..last).rev() {
            let [lower, upper] = self.ranges[k];
            x[k] = x[k + 1].max(lower).min(upper);
        }
    }

    /// Adds d (b - v) to the derivative and clips it to [-w, w]: what lies outside is cut off on both sides.
    fn extend(&mut self, k: usize, d: f64, v: f64) {
        let left = self.leave_left(d, v, k, -self.limit);
        let right = self.leave_right(d, v, k, self.limit);
        self.first -= 1;
        self.knots[self.first] = [left.position, left.slope, left.intercept + self.limit];
        self.knots[self.end] = [right.position, -right.slope, self.limit - right.intercept];
        self.end += 1;
        self.ranges[k] = [left.position, right.position];
    }

    /// Drops the knots below the point where the derivative reaches `level`.
    fn leave_left(&mut self, d: f64, v: f64, k: usize, level: f64) -> Crossing {
        let incoming = if k == 0 { 0.0 } else { -self.limit };
        let mut piece = [d, incoming - d * v];
        while self.first < self.end {
            let [position, slope, intercept] = self.knots[self.first];
            if piece[0] * position + piece[1] > level {
                break;
            }
            piece = [piece[0] + slope, piece[1] + intercept];
            self.first += 1;
        }
        Crossing::new(piece, d, level)
    }

    /// Drops the knots above the point where the derivative reaches `level`.
    fn leave_right(&mut self, d: f64, v: f64, k: usize, level: f64) -> Crossing {
        let incoming = if k == 0 { 0.0 } else { self.limit };
        let mut piece = [d, incoming - d * v];
        while self.first < self.end {
            let [position, slope, intercept] = self.knots[self.end - 1];
            if piece[0] * position + piece[1] < level {
                break;
            }
            piece = [piece[0] - slope, piece[1] - intercept];
            self.end -= 1;
        }
        Crossing::new(piece, d, level)
    }
}

/// A piece slope * b + intercept of the derivative, and where it reaches a level.
struct Crossing {
    position: f64,
    slope: f64,
    intercept: f64,
}

impl Crossing {
    fn new([slope, intercept]: [f64; 2], d: f64, level: f64) -> Self {
        // The slope is d plus that of an increasing function, whatever its sums were rounded to.
        let slope = slope.max(d);
        Self { position: (level - intercept) / slope, slope, intercept }
    }
}

/// Recomputes the value of each constant run of x from v, free of the rounding piled up along the program: on a run,
/// sum of d_i (x - v_i) = w (sign of the step behind it - sign of the step before it).
fn polish(limit: f64, weight: Weight<'_>, v: &[f64], x: &mut [f64]) {
    let (mut start, mut step_before) = (0, 0.0);
    while start < x.len() {
        let end = start + 1 + x[start + 1..].iter().take_while(|other| **other == x[start]).count();
        let step_behind = x.get(end).map_or(0.0, |next| 1f64.copysign(next - x[start]));
        let (mut total, mut pull) = (0.0, limit * (step_behind - step_before));
        for i in start..end {
            total += weight.at(i);
            pull += weight.at(i) * (v[i] - v[start]);
        }
        x[start..end].fill(v[start] + pull / total);
        (start, step_before) = (end, step_behind);
    }
}

impl Regulariser for TotalVariation {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn is_homogeneous(&self) -> bool {
        true
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.weight * x.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum::<f64>()
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        self.solve(weight, x);
        Ok(())
    }

    fn has_diagonal_prox(&self) -> bool {
        true
    }

    /// 0 where the slope is D'p, |p_i| <= w, with D the differences: where it sums to 0 and its partial sums, which
    /// are the -p_i, are within w.
    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        let rounding = SLOPE_ROUNDING * slope.iter().map(|s| s.abs()).sum::<f64>();
        let mut sum = 0.0;
        let mut within = true;
        for s in slope {
            sum += s;
            within &= sum.abs() <= self.weight + rounding;
        }
        min_linear_at_zero(within && sum.abs() <= rounding, minimiser)
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        let mut sum = Expression::default();
        for pair in x.windows(2) {
            sum.add(self.weight, &form.absolute(&pair[1].clone().plus(-1.0, &pair[0])));
        }
        Some(sum)
    }
}

impl NewtonRegulariser for TotalVariation {
    /// Each constant run moves as one: 1 1' / (sum of its w_i).
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        out.with_vector(point.iter().copied(), |x, out| {
            self.solve(weight, x);
            let mut start = 0;
            for run in x.chunk_by(|a, b| self.weight > 0.0 && a == b) {
                let total: f64 = (start..start + run.len()).map(|i| weight.at(i)).sum();
                if run.len() == 1 {
                    out.diagonal()[start] = 1.0 / total;
                } else {
                    out.rank_one(1.0 / total, start, run.iter().map(|_| 1.0));
                }
                start += run.len();
            }
            Ok(())
        })
    }
}
