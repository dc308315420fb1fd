"""Samples as the estimators read them: equal rows merged, columns in units of their spread, a digest of it all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ufcm._data import Vector

# Rows that are hashed at a time.
BLOCK = 4096


class Samples:
    """The rows of a fit: data, one number of each key for each row, and the rows' weights."""

    __slots__ = ("data", "keys", "weights")

    def __init__(self, data: Any, keys: dict[str, Any], weights: Vector | None) -> None:
        self.data, self.keys, self.weights = data, keys, weights

    def __len__(self) -> int:
        return int(self.data.shape[0])

    def counts(self, mask: Any) -> float:
        """The sum of the weights of some rows."""
        return float(np.count_nonzero(mask) if self.weights is None else self.weights[mask].sum())

    def shares(self, mask: Any) -> Vector:
        """What each row counts in a mean over some of them."""
        own = mask.astype(np.float64) if self.weights is None else np.where(mask, self.weights, 0.0)
        return np.asarray(own / own.sum())

    def weights_of(self, mask: Any) -> Vector | None:
        """The weights of some rows; None where all rows count the same."""
        return None if self.weights is None else self.weights[mask]


def merged(X: Any, keys: dict[str, Any], weights: Vector | None) -> Samples:
    """Rows without those of weight 0, equal ones as one with the sum of their weights, in an order that depends on the rows alone.

    So a row of weight 2 and the same row twice are the same samples, bit for bit; and so are rows in another order.
    """
    weights = np.ones(X.shape[0]) if weights is None else np.asarray(weights, np.float64)
    keys = {name: np.asarray(values) for name, values in keys.items()}
    if np.any(weights == 0.0):
        kept = weights > 0.0
        X, weights = X[kept], weights[kept]
        keys = {name: values[kept] for name, values in keys.items()}
    hashes = _hashes(X)
    for seed, values in enumerate(keys.values()):
        hashes = hashes + _mixed(values.astype(np.float64) + 0.0, _constants(1, 1000 + seed))
    order = np.argsort(hashes, kind="stable")
    X, hashes, weights = X[order], hashes[order], weights[order]
    keys = {name: values[order] for name, values in keys.items()}
    equal = np.flatnonzero(hashes[1:] == hashes[:-1])
    equal = equal[_rows_equal(X, equal)]
    for values in keys.values():
        equal = equal[values[equal] == values[equal + 1]]
    first = np.ones(len(hashes), bool)
    first[equal + 1] = False
    if len(equal):
        X, weights = X[first], np.add.reduceat(weights, np.flatnonzero(first))
        keys = {name: values[first] for name, values in keys.items()}
    same = len(weights) == 0 or bool(np.all(weights == weights[0]))
    return Samples(X, keys, None if same else weights)


def _constants(count: int, seed: int) -> Any:
    """Odd numbers of 64 bits, always the same."""
    return np.random.default_rng(seed).integers(0, 2**63, count, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def _mixed(values: Any, constants: Any) -> Any:
    """Numbers as 64 bits in which each bit of the number counts."""
    bits = np.ascontiguousarray(values, np.float64).view(np.uint64)
    bits = (bits ^ (bits >> np.uint64(32))) * constants
    return bits ^ (bits >> np.uint64(29))


def _hashes(X: Any) -> Any:
    """A hash of each row; sums of whole numbers, whose order does not matter."""
    constants = _constants(X.shape[1], 0)
    if sp.issparse(X):
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mixed(X.data + 0.0, constants[X.indices]))])
        return sums[X.indptr[1:]] - sums[X.indptr[:-1]]
    blocks = [_mixed(X[k : k + BLOCK] + 0.0, constants).sum(axis=1, dtype=np.uint64) for k in range(0, len(X), BLOCK)]
    return np.concatenate(blocks) if blocks else np.zeros(0, np.uint64)


def _rows_equal(X: Any, rows: Any) -> Any:
    """Whether each of `rows` has the entries of the next one."""
    if sp.issparse(X):
        counts = np.diff(X.indptr)
        same = counts[rows] == counts[rows + 1]
        for k in np.flatnonzero(same):
            here, there = (slice(X.indptr[row], X.indptr[row + 1]) for row in (rows[k], rows[k] + 1))
            same[k] = np.array_equal(X.indices[here], X.indices[there]) and np.array_equal(X.data[here], X.data[there])
        return same
    parts = [rows[k : k + BLOCK] for k in range(0, len(rows), BLOCK)]
    return np.concatenate([np.all(X[part] == X[part + 1], axis=1) for part in parts]) if parts else np.zeros(0, bool)


def tidy(X: Any) -> Any:
    """A CSR matrix of our own without duplicate and zero entries; a dense array as it is."""
    if not sp.issparse(X):
        return X
    X = sp.csr_array(X, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def moments(X: Any, weights: Vector | None, about_mean: bool, summed: Any) -> tuple[Vector, Vector]:
    """The mean of each column (0 without `about_mean`) and its spread about it, 1 where that is rounding; over all ranks."""
    rows, columns = X.shape
    own = np.ones(rows) if weights is None else weights
    if sp.issparse(X):
        counted = own[np.repeat(np.arange(rows), np.diff(X.indptr))]
        total, largest = np.bincount(X.indices, counted * X.data, columns), abs(X).max(axis=0).toarray().ravel()
    else:
        total, largest = own @ X, np.abs(X).max(axis=0)
    total, weight, largest = summed(total, own.sum(), largest)
    mean = total / weight if about_mean else np.zeros(columns)
    if sp.issparse(X):
        squares = np.bincount(X.indices, counted * (X.data - mean[X.indices]) ** 2, columns)
        stored = np.bincount(X.indices, counted, columns)
        squares += np.maximum(weight - stored, 0.0) * mean**2
    else:
        squares = own @ (X - mean) ** 2
    spread = np.sqrt(summed(squares)[0] / weight)
    # A column that is constant, but for rounding, tells nothing.
    return mean, np.where(spread > 1e-12 * largest, spread, 1.0)


def digest(parts: Iterable[Any]) -> str:
    """The SHA-256 of arrays and words, in their order."""
    sha = hashlib.sha256()
    for part in parts:
        arrays = (part.indptr, part.indices, part.data) if sp.issparse(part) else (part,)
        for array in arrays:
            if isinstance(array, np.ndarray):
                sha.update(f"{array.dtype.str}{array.shape}".encode())
                sha.update(np.ascontiguousarray(array).data)
            else:
                sha.update(repr(array).encode())
    return sha.hexdigest()
