//! X = {x : A x = b}.

use crate::conic::{Expression, Form};
use faer::Mat;

use super::hyperplane::Hyperplane;
use super::{SLOPE_ROUNDING, check_fit, fits, indicator};
use crate::catalogue::{Built, Field, FieldType, Kind, RegulariserEntry, Section, Values};
use crate::error::{DataError, DataProblem, Position, check_finite, check_length};
use crate::jacobian::JacobianBlock;
use crate::linalg::{dot, norm};
use crate::oracle::{Grounds, MEMBERSHIP, NewtonRegulariser, OracleError, Regulariser, Weight};
use crate::pool::Pool;

const KIND: &str = "affine set";

/// The entry of the catalogue.
pub(crate) const ENTRY: RegulariserEntry = RegulariserEntry {
    kind: Kind {
        section: Section::Domain,
        name: "affine_set",
        aliases: &[],
        formula: "A x = b",
        about: "An affine set of few, independent rows; many rows are better as a constraint on an affine block.",
        fields: &[
            Field::new("matrix", FieldType::Matrix, "the rows")
                .symbol("A")
                .sample("[[1, 1, 1]]")
                .blamed_as(&["rows"]),
            Field::new("offset", FieldType::Spread, "one number for each row")
                .symbol("b")
                .sample("[1]")
                .blamed_as(&["rhs"]),
        ],
        example: "",
    },
    needs_dimension: false,
    build,
};

/// Entries that an affine set keeps of a sparse matrix at most, zeros included: 64 MiB of them, so that a few bytes in a
/// file cannot ask for any amount of memory.
const MOST_ENTRIES: usize = 1 << 23;

fn build(values: &mut Values, _n: Option<usize>) -> Built<Box<dyn Regulariser>> {
    let matrix = values.matrix("matrix")?;
    let (rows, columns) = (matrix.rows(), matrix.columns());
    if rows.saturating_mul(columns) > MOST_ENTRIES.max(matrix.stored()) {
        let advice = "state it as a constraint on an affine block, A x - b = 0";
        return Err(values.wrong(format!("{rows} x {columns} is too large for an affine set; {advice}")));
    }
    let row = |i: usize| {
        let mut row = vec![0.0; columns];
        matrix.copy_row(i, &mut row);
        row
    };
    let offset = values.spread("offset", Some(rows))?.unwrap_or_default();
    Ok(Box::new(AffineSet::new((0..rows).map(row).collect(), offset)?))
}

/// A row counts as a combination of others if less than this part of it points elsewhere.
const DEPENDENT: f64 = 1e-12;

/// How far the right-hand side of a dependent row may be from what the others say, relative to its terms.
const CONSISTENT: f64 = 1e-9;

/// The solutions of a system of linear equations, of dense rows and any rank.
///
/// The rows are made orthonormal once, at construction. The prox takes scalar weights only: a diagonal metric would
/// need a factorisation of its own for each weight. [`Regulariser::min_linear`] is finite only for slopes in the
/// row space, up to rounding (1e-12 of the slope).
///
/// ```
/// use ufcm::oracle::{Regulariser, Weight};
/// use ufcm::regulariser::AffineSet;
///
/// let set = AffineSet::new(vec![vec![1.0, 0.0, 0.0], vec![0.0, 0.0, 2.0]], vec![5.0, 6.0])?;
/// let mut x = [0.0, 7.0, 0.0];
/// set.prox(Weight::scalar(1.0), &mut x)?;
/// assert_eq!(x, [5.0, 7.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AffineSet {
    dimension: usize,
    /// The equations q_k . x = c_k: orthonormal rows, one after another, ...
    basis: Vec<f64>,
    /// ... and the c_k.
    offsets: Vec<f64>,
    /// The point of the set next to 0.
    nearest: Vec<f64>,
    pool: Pool,
}

impl AffineSet {
    /// The x with A x = b, A given by its rows.
    ///
    /// # Errors
    /// No rows; rows of different lengths; a number that is not finite; an equation that contradicts the others.
    pub fn new(rows: Vec<Vec<f64>>, rhs: Vec<f64>) -> Result<Self, DataError> {
        let Some(dimension) = rows.first().map(Vec::len) else {
            return Err(DataError::new(KIND, DataProblem::Empty { field: "rows" }));
        };
        check_rows(&rows, dimension)?;
        check_length(KIND, "rhs", rows.len(), rhs.len())?;
        check_finite(KIND, "rhs", &rhs)?;
        let (basis, offsets) = orthonormalise(dimension, rows, &rhs)?;
        let mut nearest = vec![0.0; dimension];
        for (q, c) in basis.chunks_exact(dimension.max(1)).zip(&offsets) {
            nearest.iter_mut().zip(q).for_each(|(x, q)| *x += c * q);
        }
        Ok(Self { dimension, basis, offsets, nearest, pool: Pool::default() })
    }

    /// The equations q_k . x = c_k.
    fn equations(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.basis.chunks_exact(self.dimension.max(1)).zip(self.offsets.iter().copied())
    }

    /// The largest |q_k . x - c_k|, and the size of the numbers behind it.
    fn residual(&self, x: &[f64]) -> (f64, f64) {
        let largest = self.equations().fold(0.0f64, |largest, (q, c)| largest.max((dot(q, x) - c).abs()));
        (largest, norm(x) + norm(&self.offsets))
    }

    /// x -= sum of (q_k . x - c_k) q_k. One after another is the same, as the q_k are orthogonal.
    fn project(&self, x: &mut [f64]) {
        // As for a hyperplane: far from the set the subtractions cancel, and passes repair that.
        for _ in 0..PASSES {
            let (residual, size) = self.residual(x);
            for (q, c) in self.equations() {
                let excess = dot(q, x) - c;
                x.iter_mut().zip(q).for_each(|(x, q)| *x -= excess * q);
            }
            if residual <= 1e-2 * size {
                break;
            }
        }
    }
}

/// From 1e308 down to 1e-308 in steps of at least 1e-14.
const PASSES: usize = 50;

fn check_rows(rows: &[Vec<f64>], dimension: usize) -> Result<(), DataError> {
    for (i, row) in rows.iter().enumerate() {
        if row.len() != dimension {
            let message = format!("rows[{i}] has length {}; expected {dimension}", row.len());
            return Err(DataError::structure(KIND, message));
        }
        if let Some(j) = row.iter().position(|a| !a.is_finite()) {
            let problem =
                DataProblem::NotFinite { field: "rows", position: Position::Cell(i, j), value: row[j] };
            return Err(DataError::new(KIND, problem));
        }
    }
    Ok(())
}

/// Orthonormal equations with the same solutions, by a QR factorisation of A' with pivots: A' P = Q R.
fn orthonormalise(
    dimension: usize,
    rows: Vec<Vec<f64>>,
    rhs: &[f64],
) -> Result<(Vec<f64>, Vec<f64>), DataError> {
    let mut planes = Vec::new();
    for (i, (row, &b)) in rows.into_iter().zip(rhs).enumerate() {
        if row.iter().any(|&a| a != 0.0) {
            planes.push((i, Hyperplane::of(KIND, row, b)?));
        } else if b != 0.0 {
            return Err(DataError::structure(KIND, format!("rows[{i}] is 0 and rhs[{i}] is {b}")));
        }
    }
    let transposed = Mat::from_fn(dimension, planes.len(), |i, j| planes[j].1.unit().0[i]);
    let factors = transposed.col_piv_qr();
    let (q, r, pivots) = (factors.compute_thin_Q(), factors.thin_R(), factors.P().arrays().0);
    let size = dimension.min(planes.len());
    let rank = (0..size).take_while(|&k| r[(k, k)].abs() > DEPENDENT).count();

    // Column j says: sum over i <= j of R_ij c_i = b_j. The first ones give c, the others must agree.
    let mut offsets: Vec<f64> = Vec::with_capacity(rank);
    for (j, &pivot) in pivots.iter().enumerate() {
        let (row, b) = (planes[pivot].0, planes[pivot].1.unit().1);
        let (mut rest, mut terms) = (b, b.abs());
        for (i, c) in offsets.iter().enumerate() {
            rest -= r[(i, j)] * c;
            terms += (r[(i, j)] * c).abs();
        }
        if j < rank {
            offsets.push(rest / r[(j, j)]);
        } else if rest.abs() > CONSISTENT * terms {
            let message = format!("rows[{row}] contradicts the other rows: no x satisfies them all");
            return Err(DataError::structure(KIND, message));
        }
    }
    let basis = (0..rank).flat_map(|k| (0..dimension).map(move |i| (i, k))).map(|at| q[at]).collect();
    Ok((basis, offsets))
}

impl Regulariser for AffineSet {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn grounds(&self) -> Grounds {
        Grounds::Construction
    }

    fn dimension(&self) -> Option<usize> {
        Some(self.dimension)
    }

    fn value(&self, x: &[f64]) -> f64 {
        if !fits(self, x.len()) {
            return f64::INFINITY;
        }
        let (residual, size) = self.residual(x);
        indicator(residual <= MEMBERSHIP * size)
    }

    fn prox(&self, weight: Weight<'_>, x: &mut [f64]) -> Result<(), OracleError> {
        check_fit(self, weight, x.len())?;
        weight.require_scalar(KIND)?;
        self.project(x);
        Ok(())
    }

    fn min_linear(&self, slope: &[f64], minimiser: Option<&mut [f64]>) -> f64 {
        if !fits(self, slope.len()) {
            return f64::NEG_INFINITY;
        }
        // What is left of the slope outside the row space; it needs a vector.
        let rest = self.pool.with(slope.len(), |rest| {
            rest.copy_from_slice(slope);
            for (q, _) in self.equations() {
                let along = dot(q, rest);
                rest.iter_mut().zip(q).for_each(|(rest, q)| *rest -= along * q);
            }
            norm(rest)
        });
        if rest > SLOPE_ROUNDING * norm(slope) {
            return f64::NEG_INFINITY;
        }
        if let Some(minimiser) = minimiser {
            minimiser.copy_from_slice(&self.nearest);
        }
        dot(slope, &self.nearest)
    }

    fn newton(&self) -> Option<&dyn NewtonRegulariser> {
        Some(self)
    }

    fn conic(&self, form: &mut Form, x: &[Expression]) -> Option<Expression> {
        for (q, c) in self.equations() {
            form.zero(Expression::combination(q.iter().copied().enumerate(), x).shifted(-c));
        }
        Some(Expression::default())
    }
}

impl NewtonRegulariser for AffineSet {
    /// (I - Q Q') / tau.
    fn prox_jacobian(
        &self,
        weight: Weight<'_>,
        point: &[f64],
        out: &mut JacobianBlock<'_>,
    ) -> Result<(), OracleError> {
        check_fit(self, weight, point.len())?;
        let tau = weight.require_scalar(KIND)?;
        out.diagonal().fill(1.0 / tau);
        for (q, _) in self.equations() {
            out.rank_one(-1.0 / tau, 0, q.iter().copied());
        }
        Ok(())
    }
}
