"""CVXPY's atoms, each as a component, a term, or rows with auxiliary variables.

Each function adds ``weights . vec(e)`` to a row; weights are nonnegative, or e is concave and they are those of -e.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from ufcm import _kinds as ours
from ufcm._constraint import affine
from ufcm._cvxpy_tree import Row, Unsupported, Walk, vec
from ufcm._data import Vector
from ufcm._kinds import maximum, norm1, norm_inf, penalty

Atom = Callable[[Walk, Row, Any, Vector, bool], None]


def _squares(row: Row, a: Any, b: Vector, weights: Vector) -> None:
    """sum of weights (a x + b)^2"""
    row.add_component(lambda: 2.0 * ours.least_squares(row.data(a), -b, weights=weights, reduction="sum"))


def _positive_part(e: Any) -> Any:
    """z where e is max(z, 0), by entry, of an affine z; else nothing."""
    if type(e).__name__ == "maximum" and len(e.args) == 2:
        for z, other in (e.args, e.args[::-1]):
            if z.is_affine() and z.shape == e.shape and other.is_constant() and not np.any(vec(other.value)):
                return cp.vec(z, order="F")
    return None


def _squared_hinges(walk: Walk, row: Row, z: Any, weights: Vector) -> None:
    """sum of weights max(z, 0)^2: smooth, and no auxiliary variables"""
    a, b, w = walk.chosen(z, weights)
    a = walk.with_offset(a, b - 1.0)
    row.add_component(lambda: ours.squared_hinge_loss(row.data(a), -np.ones(len(w)), weights=w, reduction="sum"))


def quad_over_lin(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """|z|^2 / y; where y varies, t with |(2 z, y - t)| <= y + t, which says the same"""
    z = _positive_part(e.args[0])
    if z is not None and e.args[1].is_constant() and getattr(e, "axis", None) is None:
        weight = float(weights[0]) / float(vec(e.args[1].value)[0])
        _squared_hinges(walk, row, z, np.full(z.size, weight))
        return
    for z, a, b, weight in walk.slices(e, weights):
        if e.args[1].is_constant():
            _squares(row, a, b, np.full(len(b), weight / float(vec(e.args[1].value)[0])))
            continue
        row.add_linear(np.array([weight]), *walk.map(_over(walk, z, walk.argument(e, 1))))


def _over(walk: Walk, z: Any, y: Any) -> Any:
    """An auxiliary variable above |z|^2 / y, y >= 0"""
    t = walk.auxiliary((1,))
    walk.require(-y)
    walk.require(cp.norm2(cp.hstack([2.0 * z, y - t])) - cp.sum(y + t))
    return t


def quad_form(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """z'Pz, P constant"""
    if not e.args[1].is_constant():
        raise Unsupported("UFCM does not support quad_form with a matrix that varies")
    a, b = walk.map(walk.argument(e, 0))
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
    a, b, w = walk.chosen(walk.argument(e, 0), weights)
    a = walk.with_offset(a, b)
    row.add_component(lambda: ours.logistic(row.data(a), -np.ones(len(w)), weights=w, reduction="sum"))


def exp(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """exp(z)"""
    a, b, w = walk.chosen(walk.argument(e, 0), weights)
    row.add_component(lambda: ours.exponential_sum(row.data(a), b, weights=w))


def log(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """-log(z): t with exp(t) <= z"""
    z = walk.argument(e, 0)
    t = walk.auxiliary((z.size,))
    walk.require(cp.exp(t) - z)
    row.add_linear(-weights, *walk.map(t))


def log_sum_exp(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """log sum exp(z)"""
    for _, a, b, weight in walk.slices(e, weights):
        row.add_component(partial(_log_sum_exp, row, weight, a, b))


def _log_sum_exp(row: Row, weight: float, a: Any, b: Vector) -> Any:
    return weight * ours.log_sum_exp(row.data(a), b)


def huber(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """z^2 up to M, 2 M |z| - M^2 beyond: twice ours"""
    a, b, w = walk.chosen(walk.argument(e, 0), weights)
    threshold = float(vec(e.M.value)[0])
    row.add_component(lambda: 2.0 * ours.huber(row.data(a), -b, threshold, weights=w, reduction="sum"))


def power(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """z^p for p = 2, 4, ...; for other p > 1, for -1 and 1/2 over z >= 0"""
    p = float(vec(e.p.value)[0] if hasattr(e.p, "value") else e.p)
    above = _positive_part(e.args[0]) if p == 2.0 else None
    if above is not None:
        _squared_hinges(walk, row, above, weights)
        return
    z = walk.argument(e, 0)
    if p == 0.5:
        root = walk.auxiliary((z.size,))
        walk.require(cp.square(root) - z)
        row.add_linear(-weights, *walk.map(root))
        return
    if p == -1.0:
        for k in np.flatnonzero(weights):
            row.add_linear(weights[k : k + 1], *walk.map(_over(walk, np.ones(1), z[k : k + 1])))
        return
    if not p > 1.0:
        raise Unsupported(f"UFCM does not support power with the exponent {p:g}; it knows -1, 1/2 and p >= 1")
    if p % 2.0 != 0.0 and not e.args[0].is_nonneg():
        walk.require(-z)
    a, b, w = walk.chosen(z, weights)
    if p == 2.0:
        _squares(row, a, b, w)
    else:
        row.add_component(lambda: ours.power(row.data(a), -b, p, weights=w, reduction="sum"))


def absolute(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """|z|, by entry"""
    z = walk.argument(e, 0)
    _sizes(walk, row, z, *walk.map(z), weights, in_objective)


def one_norm(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """sum |z|"""
    for z, a, b, weight in walk.slices(e, weights):
        _sizes(walk, row, z, a, b, np.full(len(b), weight), in_objective)


def _sizes(walk: Walk, row: Row, z: Any, a: Any, b: Vector, weights: Vector, in_objective: bool) -> None:
    """sum of weights |z|, z = a x + b"""
    chosen = np.flatnonzero(weights)
    if in_objective:
        row.add_term(lambda: norm1(affine(row.data(a[chosen]), -b[chosen]), weights[chosen]))
    else:
        walk.bounded(z[chosen], weights[chosen], row, both_sides=True)


def largest_size(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """max |z|"""
    for z, a, b, weight in walk.slices(e, weights):
        _top(walk, row, z, a, b, weight, in_objective, norm_inf, both_sides=True)


def euclidean(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """|z|_p for p = 2 (and 1)"""
    p = float(e.p)
    if p == 1.0:
        one_norm(walk, row, e, weights, in_objective)
        return
    if p != 2.0:
        raise Unsupported(f"UFCM does not support the {p:g}-norm; it knows 1, 2 and infinity")
    for z, a, b, weight in walk.slices(e, weights):
        walk.norm(row, z, a, b, weight, in_objective)


def largest(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """max z"""
    for z, a, b, weight in walk.slices(e, weights):
        _top(walk, row, z, a, b, weight, in_objective, maximum, both_sides=False)


def smallest(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """-min z = max -z"""
    for z, a, b, weight in walk.slices(e, weights):
        _top(walk, row, -z, -a, -b, weight, in_objective, maximum, both_sides=False)


def _top(
    walk: Walk,
    row: Row,
    z: Any,
    a: Any,
    b: Vector,
    weight: float,
    in_objective: bool,
    term: Callable[[Any], Any],
    *,
    both_sides: bool,
) -> None:
    """weight times the largest entry of z = a x + b, or of |z|: a term of the objective, or rows with an auxiliary variable"""
    if in_objective:
        row.add_term(lambda: weight * term(affine(row.data(a), -b)))
    else:
        walk.bounded(z, np.array([weight]), row, both_sides=both_sides)


def sum_largest(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """The sum of the k largest entries: the least of k t + sum (z - t)_+ over t"""
    z = walk.argument(e, 0)
    top, excess = walk.auxiliary((1,)), walk.nonnegative((z.size,))
    walk.require(z - top[0] - excess)
    row.add_linear(weights * float(e.k), *walk.map(top))
    row.add_linear(np.full(z.size, float(weights[0])), *walk.map(excess))


def larger(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """The largest of several arguments, by entry; the arguments may be convex themselves."""
    z = _positive_part(e)
    if z is None:
        _tops(walk, row, e, weights, 1.0)
    else:
        _hinges(walk, row, z, weights, in_objective)


def _hinges(walk: Walk, row: Row, z: Any, weights: Vector, in_objective: bool) -> None:
    """sum of weights max(z, 0): a term of the objective, or auxiliary variables that have a sign"""
    if in_objective:
        a, b, w = walk.chosen(z, weights)
        a, b = sp.csr_array(sp.diags_array(w) @ a), w * b
        row.add_term(lambda: penalty(affine(row.data(a), -b)))
        return
    chosen = np.flatnonzero(weights)
    t = walk.nonnegative((len(chosen),))
    walk.require(z[chosen] - t)
    row.add_linear(weights[chosen], *walk.map(t))


def smaller(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
    """-min = max of the negatives, by entry."""
    _tops(walk, row, e, weights, -1.0)


def _tops(walk: Walk, row: Row, e: Any, weights: Vector, sign: float) -> None:
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
    "log": log,
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
    "sum_largest": sum_largest,
}
