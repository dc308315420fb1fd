"""Arrays as users have them: NumPy of any order and dtype, scipy.sparse, pandas, polars, pyarrow, lists."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ufcm._ufcm import Matrix

Vector = NDArray[np.float64]
# Bytes from which NumPy asks the system for large pages, so that a copy by it takes a third of the time.
LARGE_PAGES = 1 << 22


def real(array: Any, name: str) -> NDArray[np.float64]:
    """`array` as float64, converted once where it is not; what is no array of real numbers is refused by name."""
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise ValueError(f"{name} has masked entries; every entry must be a number")
    if _is_arrow(array):
        array = _of_arrow(array, name)
    elif _is_frame(array):
        _check_columns(array, name)
        array = _numbers(array)
    elif hasattr(array, "tocsr"):
        raise TypeError(f"{name} is sparse; it must be dense here")
    try:
        plain: NDArray[Any] = np.asarray(array)
    except ValueError as error:  # a ragged list
        raise ValueError(f"{name} is no array: {error}") from None
    if plain.dtype == np.float64:
        return plain
    if plain.dtype.kind == "c":
        raise TypeError(f"{name} has complex entries; ufcm works with real numbers")
    if plain.dtype.kind not in "fiubO":
        raise TypeError(f"{name} has entries of type {plain.dtype}; they must be numbers")
    try:
        return plain.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} has entries that are no numbers: {error}") from None


def vector(values: Any, name: str, length: int | None = None) -> Vector:
    """A vector of our own, which no later change of the user's array reaches; one number stands for `length` of them."""
    array = real(values, name)
    if array.ndim == 0 and length is not None:
        array = np.full(length, array)
    if array.ndim == 2 and array.shape[1] == 1:  # a column, as data frames have it
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; expected a vector")
    if length is not None and array.shape[0] != length:
        raise ValueError(f"{name} has length {array.shape[0]}; expected {length}")
    own = np.array(array, dtype=np.float64)
    own.flags.writeable = False
    return own


def point(x: Any, length: int | None = None, name: str = "x") -> Vector:
    """A vector to be looked at once: not copied where it need not be."""
    array = real(x, name)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; expected a vector")
    if length is not None and array.shape[0] != length:
        raise ValueError(f"{name} has length {array.shape[0]}; expected {length}")
    return array


def number_or_vector(value: Any, name: str) -> float | Vector:
    """One number for all coordinates, or one for each."""
    array = real(value, name)
    return float(array) if array.ndim == 0 else vector(array, name)


def matrix(a: Any, name: str = "A", *, copy: bool = False, lend: bool = False) -> Matrix:
    """The data matrix behind `a`: a :class:`Matrix` as it is, anything else checked once, and copied unless it is in CSR.

    Components made from one ``Matrix`` share it, so data that serve several components are best turned into one first.

    A CSR matrix of float64 with sorted indices (of 32 bits, as SciPy makes them) is read where it is. For as long as anything
    made from it lives, its arrays are read-only: NumPy raises a ``ValueError`` where something is written to them. With
    ``copy=True`` it is copied instead, and stays writeable. The same holds for dense arrays in C order of float32, whose numbers are
    held in single precision and summed in double, and for files that are mapped (``numpy.memmap``, ``numpy.load`` with
    ``mmap_mode``), which may be larger than memory: nobody may change the file meanwhile. With ``lend=True`` it holds for dense arrays of
    float64 in C order, too; so it does for the matrix of :func:`ufcm.quadratic`.

    >>> import numpy as np, ufcm
    >>> A = ufcm.matrix(np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]))
    >>> A.shape
    (2, 2)
    >>> ufcm.matrix([[1.0, float("nan")]])
    Traceback (most recent call last):
        ...
    ValueError: dense matrix: values[0, 1] is NaN; it must be a finite number
    """
    if isinstance(a, Matrix):
        return a
    if _is_sparse(a):
        return _sparse(a, name, copy)
    lent = _is_lent(a, lend)
    array = a if lent else real(a, name)
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; expected 2 (one row for each sample)")
    if lent:
        return Matrix.lent(np.array(array) if copy else np.asarray(array))
    if not array.dtype.isnative or not array.flags.aligned:
        array = array.astype(np.float64)
    if array.flags.c_contiguous and array.nbytes >= LARGE_PAGES:
        return Matrix.lent(np.array(array))
    return Matrix.dense(array)


def _is_lent(a: Any, lend: bool) -> bool:
    """Whether a dense array is read where it is: in single precision, in a file that is mapped, or where it is asked for."""
    if not isinstance(a, np.ndarray) or isinstance(a, np.ma.MaskedArray):
        return False
    plain = a.flags.c_contiguous and a.flags.aligned and a.dtype.isnative
    return plain and (a.dtype == np.float32 or (a.dtype == np.float64 and (lend or _is_mapped(a))))


def _is_mapped(a: Any) -> bool:
    while isinstance(a, np.ndarray):
        a = a.base
    return isinstance(a, mmap.mmap)


def _is_sparse(a: Any) -> bool:
    return hasattr(a, "tocsr") and hasattr(a, "format") and hasattr(a, "nnz")


def _sparse(a: Any, name: str, copy: bool) -> Matrix:
    if a.ndim != 2:
        raise ValueError(f"{name} has {a.ndim} dimensions; expected 2 (one row for each sample)")
    if a.format not in ("csr", "csc"):
        a = a.tocsr()
    indptr, indices = (_whole(index) for index in (a.indptr, a.indices))
    return Matrix.sparse(a.shape, indptr, indices, real(a.data, name), a.format == "csc", copy)


def _whole(index: Any) -> Any:
    return index if index.dtype in (np.int32, np.int64) else index.astype(np.int64)


def _is_frame(a: Any) -> bool:
    return hasattr(a, "to_numpy") and hasattr(a, "columns") and hasattr(a, "dtypes")


def _is_arrow(a: Any) -> bool:
    """Whether `a` is a table, a record batch or a column of pyarrow."""
    return type(a).__module__.split(".")[0] == "pyarrow"


def _of_arrow(a: Any, name: str) -> Any:
    """Columns of pyarrow as NumPy has them: one column where it is, several beside each other in one copy."""
    if not hasattr(a, "column_names"):
        if a.null_count:
            raise ValueError(f"{name} has {a.null_count} null entries; every entry must be a number")
        return a.to_numpy() if hasattr(a, "chunks") else a.to_numpy(zero_copy_only=False)
    table = np.empty((a.num_rows, a.num_columns))
    for k, column in enumerate(a.column_names):
        values = _of_arrow(a.column(k), f"column {column!r} of {name}")
        if values.dtype.kind not in "fiub":
            raise TypeError(f"{name} has a column {column!r} of type {a.column(k).type}; its entries must be numbers")
        table[:, k] = values
    return table


def omit_nan(*arrays: Any) -> tuple[NDArray[np.float64], ...]:
    """The rows in which no array has a NaN: ``A, y = ufcm.omit_nan(A, y)``.

    Data with NaN are refused everywhere, with the place of the first one; this leaves such rows out on your word. Arrays are dense, with
    the same number of rows; infinite numbers are kept, and refused later.

    >>> import numpy as np, ufcm
    >>> A, y = ufcm.omit_nan([[1.0, 2.0], [np.nan, 1.0], [0.0, 1.0]], [1.0, 1.0, np.nan])
    >>> A, y
    (array([[1., 2.]]), array([1.]))
    """
    plain = [real(array, f"array {k}") for k, array in enumerate(arrays)]
    for k, array in enumerate(plain):
        if array.ndim == 0 or len(array) != len(plain[0]):
            raise ValueError(f"array {k} has shape {array.shape}; array 0 has {len(plain[0])} rows")
    kept = np.ones(len(plain[0]) if plain else 0, bool)
    for array in plain:
        kept &= ~np.isnan(array).reshape(len(array), -1).any(axis=1)
    return tuple(array[kept] for array in plain)


def _numbers(frame: Any) -> Any:
    """The entries of a data frame; those that pandas has as missing (pd.NA) are NaN."""
    plain = frame.to_numpy()
    if plain.dtype.kind != "O":
        return plain
    try:
        return frame.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        return plain  # what is no number is named later


def _check_columns(frame: Any, name: str) -> None:
    for column, dtype in zip(frame.columns, frame.dtypes):
        if getattr(dtype, "kind", "O") not in "fiubO":
            raise TypeError(f"{name} has a column {column!r} of type {dtype}; its entries must be numbers")
