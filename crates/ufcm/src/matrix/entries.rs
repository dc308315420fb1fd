//! Numbers of a dense matrix in either precision, and whoever keeps them.

use super::Shared;
use std::borrow::Cow;
use std::ops::Range;

/// A number that a matrix may hold; sums are in double precision whatever it is.
pub trait Number: Copy + Send + Sync + 'static + private::Stores {
    /// The same number in double precision.
    fn double(self) -> f64;
}

impl Number for f64 {
    #[inline(always)]
    fn double(self) -> f64 {
        self
    }
}

impl Number for f32 {
    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(self)
    }
}

/// What others cannot implement: the kernels know two types.
pub(super) mod private {
    use super::{Shared, Stored};

    pub trait Stores: Sized {
        fn stored(values: Shared<Self>) -> Stored;
    }

    impl Stores for f64 {
        fn stored(values: Shared<Self>) -> Stored {
            Stored::Double(values)
        }
    }

    impl Stores for f32 {
        fn stored(values: Shared<Self>) -> Stored {
            Stored::Single(values)
        }
    }
}

/// Shared numbers of either type.
#[derive(Clone)]
pub enum Stored {
    /// In double precision.
    Double(Shared<f64>),
    /// In single precision.
    Single(Shared<f32>),
}

impl Stored {
    pub(super) fn entries(&self) -> Entries<'_> {
        match self {
            Self::Double(values) => Entries::Double((**values).as_ref()),
            Self::Single(values) => Entries::Single((**values).as_ref()),
        }
    }

    /// A part of the numbers, without a copy.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        match self {
            Self::Double(values) => Self::Double(part(values, range)),
            Self::Single(values) => Self::Single(part(values, range)),
        }
    }
}

/// The entries of a dense matrix, row after row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Entries<'a> {
    /// In double precision.
    Double(&'a [f64]),
    /// In single precision.
    Single(&'a [f32]),
}

/// Does the same with numbers of either type.
macro_rules! whichever {
    ($entries:expr, $values:ident => $work:expr) => {
        match $entries {
            $crate::matrix::Entries::Double($values) => $work,
            $crate::matrix::Entries::Single($values) => $work,
        }
    };
}
pub(crate) use whichever;

impl<'a> Entries<'a> {
    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        whichever!(self, values => values.len())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Those of a range.
    #[must_use]
    pub fn part(self, range: Range<usize>) -> Self {
        match self {
            Self::Double(values) => Entries::Double(&values[range]),
            Self::Single(values) => Entries::Single(&values[range]),
        }
    }

    /// The entry at `k`, in double precision.
    #[must_use]
    pub fn at(self, k: usize) -> f64 {
        whichever!(self, values => values[k].double())
    }

    /// Calls `visit(k, entry)` for all of them.
    pub fn for_each(self, mut visit: impl FnMut(usize, f64)) {
        whichever!(self, values => values.iter().enumerate().for_each(|(k, v)| visit(k, v.double())));
    }

    /// All of them in double precision, copied only where they are not.
    #[must_use]
    pub fn doubles(self) -> Cow<'a, [f64]> {
        match self {
            Self::Double(values) => Cow::Borrowed(values),
            Self::Single(values) => Cow::Owned(values.iter().map(|v| f64::from(*v)).collect()),
        }
    }

    /// Writes all of them in double precision.
    ///
    /// # Panics
    /// If `out` has another length.
    pub fn copy_to(self, out: &mut [f64]) {
        assert_eq!(out.len(), self.len(), "one place for each entry");
        whichever!(self, values => out.iter_mut().zip(values).for_each(|(out, v)| *out = v.double()));
    }
}

/// A part of what someone keeps.
struct Part<T> {
    whole: Shared<T>,
    range: Range<usize>,
}

impl<T> AsRef<[T]> for Part<T> {
    fn as_ref(&self) -> &[T] {
        &(*self.whole).as_ref()[self.range.clone()]
    }
}

/// The numbers of a range, without a copy.
pub(super) fn part<T: Send + Sync + 'static>(whole: &Shared<T>, range: Range<usize>) -> Shared<T> {
    std::sync::Arc::new(Part { whole: whole.clone(), range })
}
