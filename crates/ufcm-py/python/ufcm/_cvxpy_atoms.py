"""CVXPY's atoms, each as a component, a term, or rows with auxiliary variables.

Each function adds ``weights . vec(e)`` to a row; weights are nonnegative, or e is concave and they are those of -e.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ufcm import _functions as ours
from ufcm._constraint import affine
from ufcm._cvxpy_tree import Row, Unsupported, Walk, vec
from ufcm._data import Vector
from ufcm._term import maximum, norm1, norm_inf

Atom = Callable[[Walk, Row, Any, Vector, bool], None]


def _squares(row: Row, a: Any, b: Vector, weights: Vector) -> None:
    """sum of weights (a x + b)^2"""
    row.add_component(lambda: 2.0 * ours.least_squares(row.data(a), -b, weights=weights, reduction="sum"))


def quad_over_lin(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """|z|^2 / y, y constant"""
    if not e.args[1].is_constant():
        raise Unsupported("UFCM does not support quad_over_lin with a denominator that varies")
    a, b = walk.whole(e)
    scale = float(weights[0]) / float(vec(e.args[1].value)[0])
    _squares(row, a, b, np.full(len(b), scale))


def quad_form(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """z'Pz, P constant"""
    if not e.args[1].is_constant():
        raise Unsupported("UFCM does not support quad_form with a matrix that varies")
    a, b = walk.whole(e)
    p = e.args[1].value
    p = sp.csr_array(p) if sp.issparse(p) else np.asarray(p, dtype=float)
    scale = 2.0 * float(weights[0])
    if e.is_concave() and not e.is_convex():
        scale = -scale  # weights are those of -e
    p = 0.5 * (p + p.T)
    matrix, linear = a.T @ (p @ a), a.T @ (p @ b)
    constant = 0.5 * scale * float(b @ (p @ b))

    def make() -> Any:
        n = row.layout.n
        entries = sp.coo_array(matrix)
        q = sp.csr_array((scale * entries.data, (entries.row, entries.col)), shape=(n, n))
        q = 0.5 * (q + q.T)
        c = np.zeros(n)
        c[: len(linear)] = scale * linear
        return ours.quadratic(q if q.nnz < 0.3 * n * n else q.toarray(), c, constant)

    row.add_component(make)


def logistic(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """log(1 + exp(z))"""
    a, b, w = walk.entries(e, 0, weights)
    a = walk.with_offset(a, b)
    row.add_component(lambda: ours.logistic(row.data(a), -np.ones(len(w)), weights=w, reduction="sum"))


def exp(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """exp(z)"""
    a, b, w = walk.entries(e, 0, weights)
    row.add_component(lambda: ours.exponential_sum(row.data(a), b, weights=w))


def log_sum_exp(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """log sum exp(z)"""
    a, b = walk.whole(e)
    row.add_component(lambda: float(weights[0]) * ours.log_sum_exp(row.data(a), b))


def huber(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """z^2 up to M, 2 M |z| - M^2 beyond: twice ours"""
    a, b, w = walk.entries(e, 0, weights)
    threshold = float(vec(e.M.value)[0])
    row.add_component(lambda: 2.0 * ours.huber(row.data(a), -b, threshold, weights=w, reduction="sum"))


def power(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """z^p for p = 2; for 1 < p < 2 over z >= 0"""
    p = float(vec(e.p.value)[0] if hasattr(e.p, "value") else e.p)
    a, b, w = walk.entries(e, 0, weights)
    if p == 2.0:
        _squares(row, a, b, w)
        return
    if not 1.0 < p < 2.0:
        raise Unsupported(f"UFCM does not support power with the exponent {p:g}; it knows 1 <= p <= 2")
    if not e.args[0].is_nonneg():
        walk.require(-e.args[0])
    row.add_component(lambda: ours.power(row.data(a), -b, p, weights=w, reduction="sum"))


def absolute(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """|z|, by entry"""
    if in_objective:
        a, b, w = walk.entries(e, 0, weights)
        row.add_term(lambda: norm1(affine(row.data(a), -b), w))
        return
    chosen = np.flatnonzero(weights)
    walk.bounded(walk.flat(e, 0)[chosen], weights[chosen], row, both_sides=True)


def one_norm(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """sum |z|"""
    a, b = walk.whole(e)
    w = np.full(len(b), float(weights[0]))
    if in_objective:
        row.add_term(lambda: norm1(affine(row.data(a), -b), w))
    else:
        walk.bounded(walk.flat(e, 0), w, row, both_sides=True)


def largest_size(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """max |z|"""
    a, b = walk.whole(e)
    if in_objective:
        row.add_term(lambda: float(weights[0]) * norm_inf(affine(row.data(a), -b)))
    else:
        walk.bounded(walk.flat(e, 0), weights, row, both_sides=True)


def euclidean(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """|z|_p for p = 2 (and 1)"""
    p = float(e.p)
    if p == 1.0:
        one_norm(walk, row, e, weights, in_objective)
        return
    if p != 2.0:
        raise Unsupported(f"UFCM does not support the {p:g}-norm; it knows 1, 2 and infinity")
    a, b = walk.whole(e)
    row.add_norm(a, b, float(weights[0]))


def largest(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """max z"""
    a, b = walk.whole(e)
    if in_objective:
        row.add_term(lambda: float(weights[0]) * maximum(affine(row.data(a), -b)))
    else:
        walk.bounded(walk.flat(e, 0), weights, row, both_sides=False)


def smallest(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """-min z = max -z"""
    a, b = walk.whole(e)
    if in_objective:
        row.add_term(lambda: float(weights[0]) * maximum(affine(row.data(-a), b)))
    else:
        walk.bounded(-walk.flat(e, 0), weights, row, both_sides=False)


def larger(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """The largest of several arguments, by entry; the arguments may be convex themselves."""
    _tops(walk, row, e, weights, 1.0)


def smaller(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """-min = max of the negatives, by entry."""
    _tops(walk, row, e, weights, -1.0)


def _tops(walk: Walk, row: Row, e: Any, weights: Vector, sign: float) -> None:
    import cvxpy as cp

    chosen = np.flatnonzero(weights)
    t = walk.auxiliary((len(chosen),))
    for argument in e.args:
        flat = cp.vec(argument, order="F")
        walk.require(sign * (flat if argument.size == 1 else flat[chosen]) - t)
    row.add_linear(weights[chosen], *walk.map(t))


ATOMS: dict[str, Atom] = {
    "Pnorm": euclidean,
    "Power": power,
    "power": power,
    "QuadForm": quad_form,
    "abs": absolute,
    "exp": exp,
    "huber": huber,
    "log_sum_exp": log_sum_exp,
    "logistic": logistic,
    "max": largest,
    "maximum": larger,
    "min": smallest,
    "minimum": smaller,
    "norm1": one_norm,
    "norm_inf": largest_size,
    "pnorm": euclidean,
    "quad_over_lin": quad_over_lin,
}
