"""Losses and terms that are made of other kinds, under the names by which people look for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ufcm import _kinds
from ufcm._component import Component, is_number
from ufcm._constraint import Affine
from ufcm._data import real, vector
from ufcm._term import Objective, Rows, Term
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


def cvar(rows: Rows, alpha: float) -> Term:
    """:func:`conditional_value_at_risk`: the mean of the worst share `alpha` of the rows.

    >>> import ufcm
    >>> ufcm.cvar(ufcm.affine([[1.0], [2.0], [3.0], [4.0]]), 0.5)([1.0])
    3.5
    """
    made: Term = _kinds.conditional_value_at_risk(rows, alpha)
    return made


def kl(rows: Affine, q: ArrayLike) -> Objective:
    """The divergence of affine rows z, which must not be negative, from a positive q: :func:`negative_entropy` and a linear function.

    ``sum of z_j log(z_j / q_j) - z_j + q_j``

    >>> import numpy as np, ufcm
    >>> f = ufcm.kl(ufcm.affine(np.eye(2)), [0.25, 0.75])
    >>> f([0.25, 0.75])
    0.0
    >>> r = ufcm.Problem(minimize=f, subject_to=[ufcm.linear([1.0, 1.0]) == 2.0]).solve()
    >>> r.status, r.x.round(4)
    ('Certified', array([0.5, 1.5]))
    """
    if not isinstance(rows, Affine):
        raise TypeError(f"kl takes an affine block, not {type(rows).__name__}; of the variables themselves it is ufcm.affine(np.eye(n))")
    given = vector(q, "q", rows.rows)
    wrong = np.flatnonzero(~(np.isfinite(given) & (given > 0.0)))
    if len(wrong):
        raise ValueError(f"q[{wrong[0]}] is {given[wrong[0]]}; it must be a positive number")
    slopes = Component._made("composed", "weighted_sum", rows, {"weights": -(np.log(given) + 1.0)})
    constant, slope = slopes.value_and_gradient(np.zeros(rows.n))
    linear = Component._of_kind("linear", {"linear": slope, "constant": constant + float(given.sum())})
    return Objective(linear, (_kinds.negative_entropy(rows),))


class Entropy:
    """What :func:`entropy` makes: a concave function, of which the negative can be minimised."""

    __slots__ = ("_negative",)
    __array_ufunc__ = None

    def __init__(self, negative: Term) -> None:
        self._negative = negative

    @property
    def n(self) -> int:
        """The number of variables."""
        return self._negative.n

    def __repr__(self) -> str:
        return f"<Entropy: of {self._negative.rows} rows, concave>"

    def __call__(self, x: ArrayLike) -> float:
        """The value at `x`; -inf where a row is negative."""
        return -self._negative(x)

    def __neg__(self) -> Term:
        return self._negative

    def __mul__(self, weight: Any) -> Any:
        if not is_number(weight):
            return NotImplemented
        return Entropy(self._negative * weight) if float(weight) >= 0.0 else self._negative * -float(weight)

    __rmul__ = __mul__

    def __rsub__(self, other: Any) -> Any:
        return self._negative + other

    def _refused(self, other: Any) -> Any:
        raise TypeError("the entropy is concave: it can be subtracted from what is minimised (loss - 0.1 * ufcm.entropy(rows)), not added or bounded from above")

    __add__ = __radd__ = __sub__ = __le__ = _refused

    def __ge__(self, bound: Any) -> Any:
        raise TypeError(
            "a bound on the entropy from below is convex, but has no form of its own here: write rows t with "
            "ufcm.affine(...).in_exponential_cones(), (t_i, z_i, 1) in the cone and sum(t) >= bound, or use ufcm.cvxpy"
        )


def entropy(rows: Rows, weights: ArrayLike | None = None) -> Entropy:
    """The entropy of affine rows z, which must not be negative. It is concave: ``-entropy(...)`` is minimised, and is :func:`negative_entropy`.

    ``-(sum of w_j z_j log(z_j))``

    >>> import numpy as np, ufcm
    >>> rows = ufcm.affine(np.eye(2))
    >>> p = ufcm.Problem(minimize=ufcm.linear([1.0, 0.0]) - 0.5 * ufcm.entropy(rows), subject_to=[ufcm.linear([1.0, 1.0]) == 1.0])
    >>> r = p.solve()
    >>> r.status, bool(abs(r.x[1] / r.x[0] - np.exp(2.0)) < 1e-3)
    ('Certified', True)
    """
    return Entropy(_kinds.negative_entropy(rows, weights))
