"""Losses that are made of other kinds, under the names by which people look for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ufcm import _kinds
from ufcm._component import Component
from ufcm._constraint import Affine
from ufcm._data import real, vector
from ufcm._term import Term
from ufcm._ufcm import Matrix


def hinge(A: Any, y: ArrayLike, *, weights: ArrayLike | None = None, reduction: str = "mean") -> Term:
    """The hinge loss of linear classifiers, a :func:`penalty` of affine rows.

    ``mean of max(1 - y_i a_i.x, 0)``

    :param A: the data, one row for each sample
    :param y: the labels, -1 or 1 (or all 0 or 1)
    :param weights: of the samples
    :param reduction: "mean" or "sum"

    >>> import ufcm
    >>> ufcm.hinge([[1.0, 0.0], [0.0, 1.0]], [1, -1])([0.5, 0.5])
    1.0
    """
    if isinstance(A, Matrix):
        raise TypeError("hinge takes the data themselves, not a ufcm.matrix: its rows are scaled by the labels")
    rows: Any = A.tocsr() if hasattr(A, "tocsr") else real(A, "A")
    if rows.ndim != 2:
        raise ValueError(f"A has {rows.ndim} dimensions; expected 2 (one row for each sample)")
    signs = _signs(vector(y, "y", rows.shape[0]))
    own = np.ones(len(signs)) if weights is None else vector(weights, "weights", len(signs))
    wrong = np.flatnonzero(~(np.isfinite(own) & (own >= 0.0)))
    if len(wrong):
        raise ValueError(f"weights[{wrong[0]}] is {own[wrong[0]]}; it must be a nonnegative number")
    if reduction not in ("mean", "sum"):
        raise ValueError(f"reduction is {reduction!r}; it must be 'mean' or 'sum'")
    if reduction == "mean" and own.sum() <= 0.0:
        raise ValueError("the sum of weights is 0; it must be positive")
    factors = -signs * own
    scaled: Any
    if hasattr(rows, "tocsr"):
        scaled = rows.copy()
        scaled.data = scaled.data * np.repeat(factors, np.diff(scaled.indptr))
    else:
        scaled = rows * factors[:, np.newaxis]
    # A row of weight w is w times as long: max(w z, 0) = w max(z, 0).
    term: Term = _kinds.penalty(Affine(scaled, -own))
    return term * (1.0 / float(own.sum())) if reduction == "mean" else term


def _signs(labels: Any) -> Any:
    if np.all((labels == 0.0) | (labels == 1.0)) and not np.all(labels == 1.0):
        return 2.0 * labels - 1.0
    wrong = np.flatnonzero(np.abs(labels) != 1.0)
    if len(wrong):
        raise ValueError(f"y[{wrong[0]}] is {labels[wrong[0]]}; it must be -1 or 1 (or all 0 or 1)")
    return labels


def multinomial(
    A: Any, y: ArrayLike, classes: int | None = None, *, weights: ArrayLike | None = None, reduction: str = "mean"
) -> Component:
    """:func:`multinomial_logistic`, with the number of classes from the labels: the largest plus 1.

    >>> import ufcm
    >>> ufcm.multinomial([[1.0], [1.0], [1.0]], [0, 1, 2]).n
    3
    """
    if classes is None:
        labels = real(y, "y")
        if labels.size == 0 or not np.all(np.isfinite(labels)):
            raise ValueError("the number of classes does not follow from y; give classes=")
        classes = max(2, int(labels.max()) + 1)
    made: Component = _kinds.multinomial_logistic(A, y, classes, weights=weights, reduction=reduction)
    return made
