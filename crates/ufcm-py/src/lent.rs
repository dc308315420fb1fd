//! NumPy's memory, read where it is: the arrays of a sparse matrix are lent, not copied.
//!
//! While an array is lent, it is read-only: a write through NumPy or SciPy raises a `ValueError` there and then,
//! instead of changing data that were checked to be finite under threads that read them. When the last borrower goes, it is
//! as it was.
//!
//! This is the only unsafe code of the package. The reason for it: safe references into NumPy's memory live no longer than
//! a thread holds the GIL, and the solver works without it. What NumPy cannot refuse are writes by a view that was taken
//! before, by someone who sets `flags.writeable` back, by C code that ignores the flag, and to a file that is mapped; `ufcm.matrix(A, copy=True)` is for
//! those. The kernels check indices of sparse rows where they use them, so even then no other memory is read.
#![allow(unsafe_code)]

use numpy::{Element, PyArray1, PyArrayMethods, PyUntypedArray};
use pyo3::intern;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The arrays that we made read-only, by address, and how often each is lent. A borrower keeps its arrays alive, so no other
/// can come to the same address. Only looked at with the GIL held.
static LENT: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

fn lent() -> MutexGuard<'static, BTreeMap<usize, usize>> {
    LENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The numbers of a one-dimensional array that owns them.
pub(crate) struct Lent<T> {
    first: *const T,
    length: usize,
    /// Keeps the memory.
    _array: Py<PyArray1<T>>,
    /// What is to be made writeable again: the array, and the one it is a view of.
    locked: Vec<Py<PyAny>>,
}

// SAFETY: the numbers are not written to while they are lent (see above), and what is counted is behind the GIL.
unsafe impl<T: Sync> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Lent<T> {}

impl<T: Element> Lent<T> {
    /// Borrows an array, if it is contiguous and its memory is NumPy's own or a file that NumPy has mapped: what another
    /// library keeps NumPy cannot protect.
    pub(crate) fn new(array: &Bound<'_, PyArray1<T>>) -> PyResult<Option<Self>> {
        let Some(chain) = owners(array.as_any())? else { return Ok(None) };
        let reading = array.readonly();
        let Ok(slice) = reading.as_slice() else { return Ok(None) };
        let (first, length) = (slice.as_ptr(), slice.len());
        let mut lent = Self { first, length, _array: array.clone().unbind(), locked: Vec::new() };
        for owner in chain {
            if lock(&owner)? {
                lent.locked.push(owner.unbind());
            }
        }
        Ok(Some(lent))
    }
}

impl<T> AsRef<[T]> for Lent<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: this was a slice of `_array`, which is still there; NumPy does not move the numbers of an array that others
        // refer to, and nobody writes to them (see above).
        unsafe { std::slice::from_raw_parts(self.first, self.length) }
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        let locked = std::mem::take(&mut self.locked);
        // Where Python is shutting down, nobody will write any more.
        Python::try_attach(|py| {
            // An exception may be on its way through the frames that let go of us; it must not be lost.
            let raised = PyErr::take(py);
            // The owner first: a view is writeable only if that is.
            locked.into_iter().rev().for_each(|array| unlock(array.bind(py)));
            if let Some(raised) = raised {
                raised.restore(py);
            }
        });
    }
}

/// The array, what it is a view of, and so on to the one that owns the memory; nothing, if no array does.
fn owners<'py>(array: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let py = array.py();
    let mut chain = vec![array.clone()];
    loop {
        let last = &chain[chain.len() - 1];
        let base = last.getattr(intern!(py, "base"))?;
        if base.is_none() {
            let owns = flag(last, "owndata")? && flag(array, "aligned")?;
            return Ok(owns.then_some(chain));
        }
        if base.cast::<PyUntypedArray>().is_err() {
            // A file that NumPy has mapped: whoever writes to the file writes to the data.
            let is_map = base.get_type().name()? == "mmap" && flag(array, "aligned")?;
            return Ok(is_map.then_some(chain));
        }
        chain.push(base);
    }
}

fn flag(array: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    array.getattr(intern!(array.py(), "flags"))?.getattr(name)?.extract()
}

fn set_writeable(array: &Bound<'_, PyAny>, writeable: bool) -> PyResult<()> {
    array.getattr(intern!(array.py(), "flags"))?.setattr(intern!(array.py(), "writeable"), writeable)
}

/// Makes an array read-only; false where it is so without us.
fn lock(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Some(borrowers) = lent().get_mut(&address(array)) {
        *borrowers += 1;
        return Ok(true);
    }
    if !flag(array, "writeable")? {
        return Ok(false);
    }
    set_writeable(array, false)?;
    lent().insert(address(array), 1);
    Ok(true)
}

fn unlock(array: &Bound<'_, PyAny>) {
    let mut lent = lent();
    let Some(borrowers) = lent.get_mut(&address(array)) else { return };
    *borrowers -= 1;
    if *borrowers > 0 {
        return;
    }
    lent.remove(&address(array));
    drop(lent);
    // It fails where the user has made the owner read-only meanwhile; then it stays as the user wants it.
    drop(set_writeable(array, true));
}

fn address(array: &Bound<'_, PyAny>) -> usize {
    array.as_ptr() as usize
}
