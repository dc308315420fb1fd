//! Several regularisers and domains as one, where a joint prox is known.

use super::{Combined, InBall, NormInBall, Ridged, Zero};
use crate::error::{DataError, check_length};
use crate::oracle::{Regulariser, ScalarTerm};
use std::fmt;

/// Why regularisers cannot be made one.
#[derive(Debug, Clone, PartialEq)]
pub enum Apart {
    /// One of them is wrong, or what they would be together cannot be, such as two boxes that do not meet.
    Data(DataError),
    /// No joint prox is known for these two.
    NoJointProx(&'static str, &'static str),
}

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(error) => error.fmt(f),
            Self::NoJointProx(first, second) => {
                write!(f, "no joint prox is known for {first} and {second}")
            }
        }
    }
}

impl std::error::Error for Apart {}

/// The sum of regularisers and domains over `n` variables: 0 for none of them. Of more than two, coordinatewise ones are added first,
/// since they all go together.
///
/// ```
/// use ufcm::regulariser::{self, Bounds, L1, Ridge};
///
/// let sum = regulariser::joined(vec![L1::new(0.5)?.into(), Ridge::new(2.0)?.into(), Bounds::new(-1.0, 1.0)?.into()], 2)?;
/// assert_eq!(sum.value(&[1.0, -1.0]), 1.0 + 2.0);
/// assert_eq!(sum.value(&[1.0, -2.0]), f64::INFINITY);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Apart`], which says why.
pub fn joined(mut parts: Vec<Box<dyn Regulariser>>, n: usize) -> Result<Box<dyn Regulariser>, Apart> {
    for part in &parts {
        part.check().map_err(Apart::Data)?;
        if let Some(length) = part.dimension() {
            check_length(part.kind(), "coordinates", n, length).map_err(Apart::Data)?;
        }
    }
    if parts.len() > 2 {
        parts.sort_by_key(|part| part.scalar_term(0).is_none());
    }
    let mut parts = parts.into_iter();
    let Some(mut sum) = parts.next() else { return Ok(Box::new(Zero)) };
    for part in parts {
        let kinds = (sum.kind(), part.kind());
        sum = pair(sum, part, n)
            .or_else(|(sum, part)| pair(part, sum, n))
            .unwrap_or(Err(Apart::NoJointProx(kinds.0, kinds.1)))?;
    }
    Ok(sum)
}

type Both = (Box<dyn Regulariser>, Box<dyn Regulariser>);

/// u + x as one oracle, or both again where no joint prox is known.
fn pair(
    u: Box<dyn Regulariser>,
    x: Box<dyn Regulariser>,
    n: usize,
) -> Result<Result<Box<dyn Regulariser>, Apart>, Both> {
    if let Some(combined) = Combined::new(&*u, &*x, n) {
        return Ok(combined.check().map_err(Apart::Data).map(|()| combined.into()));
    }
    if let Some(combined) = InBall::new(&*u, &*x, n) {
        return Ok(combined.check().map_err(Apart::Data).map(|()| combined.into()));
    }
    if let Some(ridge) = uniform_ridge(&*u, n) {
        return Ok(Ridged::new(ridge, x).map_err(Apart::Data).map(Into::into));
    }
    NormInBall::new(u, &*x).map(|joint| Ok(joint.into())).map_err(|u| (u, x))
}

/// The ridge, where u is one and the same for all coordinates.
fn uniform_ridge(u: &dyn Regulariser, n: usize) -> Option<f64> {
    let ridge = u.scalar_term(0)?.ridge;
    let only = Some(ScalarTerm { ridge, ..ScalarTerm::ZERO });
    (0..n).all(|i| u.scalar_term(i) == only).then_some(ridge)
}
