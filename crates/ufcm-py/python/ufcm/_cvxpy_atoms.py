"""CVXPY's atoms that have a form of their own: a component or a term.

Each function adds ``weights . vec(e)`` to a row and says whether it did; weights are nonnegative, or e is concave and they are those
of -e. What it did not add goes through CVXPY's canonicalisation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ufcm import _kinds as ours
from ufcm._constraint import affine
from ufcm._cvxpy_affine import Data, Place, as_data, vec
from ufcm._cvxpy_tree import Row, Walk
from ufcm._data import Vector
from ufcm._kinds import maximum, norm_inf, penalty

Atom = Callable[[Walk, Row, Any, Vector, bool], bool]

# Norms of rows along an axis that are terms of their own; of more, as a picture's total variation has, the rows lie in cones, for all at once. Those of
# variables are prices on groups, which methods other than interior points take.
MOST_NORMS = 30


def _loss(walk: Walk, row: Row, place: Place, chosen: Any, shift: float, make: Callable[[Any], Any]) -> None:
    """A component of A, whose offsets, and a shift, are the coefficients of a variable that is 1."""
    walk.with_offset(place, chosen, shift)

    def component(data: Data) -> Any:
        a, b = data.of(place, chosen)
        return make(as_data(data.with_offset(a, b + shift)))

    row.add_component(component)


def _is_of_variables(e: Any) -> bool:
    """Whether e is a variable, perhaps with its entries in another order."""
    while type(e).__name__ in ("transpose", "reshape", "index", "special_index"):
        e = e.args[0]
    return bool(e.is_affine() and type(e).__name__ == "Variable")


def _positive_part(e: Any) -> Any:
    """z where e is max(z, 0), by entry, of an affine z; else nothing."""
    if type(e).__name__ == "maximum" and len(e.args) == 2:
        for z, other in (e.args, e.args[::-1]):
            known = other.is_constant() and not other.parameters()
            if known and z.is_affine() and z.shape == e.shape and not np.any(vec(other.value)):
                return z
    return None


def _squared_hinges(walk: Walk, row: Row, z: Any, weights: Vector) -> None:
    """sum of weights max(z, 0)^2: smooth, and no auxiliary variables"""
    place, chosen, w = walk.chosen(z, weights)
    signs = -np.ones(len(w))
    _loss(
        walk, row, place, chosen, -1.0, lambda a: ours.squared_hinge_loss(a, signs, weights=w, reduction="sum")
    )


def quad_over_lin(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """|z|^2 / y, y constant"""
    if not e.args[1].is_constant():
        return False
    divisor = float(walk.number(e.args[1])[0])
    if not divisor > 0.0:
        return False
    scale = 1.0 / divisor
    z = _positive_part(e.args[0])
    if z is not None and getattr(e, "axis", None) is None:
        _squared_hinges(walk, row, z, np.full(z.size, scale * float(weights[0])))
        return True
    for place, chosen, weight in walk.slices(e, weights):
        size = place.size if chosen is None else len(chosen)
        row.add_squares(place, chosen, np.full(size, scale * weight))
    return True


def quad_form(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """z'Pz, P constant"""
    if not e.args[1].is_constant() or not e.args[0].is_affine():
        return False
    place = walk.ask(e.args[0])
    walk.number(e.args[1])
    p = e.args[1].value
    p = sp.csr_array(p) if sp.issparse(p) else np.asarray(p, dtype=float)
    p = 0.5 * (p + p.T)
    scale = 2.0 * float(weights[0])
    if e.is_concave() and not e.is_convex():
        scale = -scale  # weights are those of -e

    def make(data: Data) -> Any:
        a, b = data.of(place)
        q = a.T @ (p @ a)
        q = scale * (q.toarray() if sp.issparse(q) else np.asarray(q))
        q = 0.5 * (q + q.T)
        sparse = sp.csr_array(q)
        matrix = sparse if sparse.nnz < 0.3 * q.size else q
        return ours.quadratic(matrix, scale * (a.T @ (p @ b)), 0.5 * scale * float(b @ (p @ b)))

    row.add_component(make)
    return True


def logistic(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """log(1 + exp(z))"""
    place, chosen, w = walk.chosen(walk.argument(e, 0), weights)
    signs = -np.ones(len(w))
    _loss(walk, row, place, chosen, 0.0, lambda a: ours.logistic(a, signs, weights=w, reduction="sum"))
    return True


def exp(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """exp(z)"""
    place, chosen, w = walk.chosen(walk.argument(e, 0), weights)

    def make(data: Data) -> Any:
        a, b = data.of(place, chosen)
        return ours.exponential_sum(as_data(a), b, weights=w)

    row.add_component(make)
    return True


def log(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """-log(z), a term of the objective"""
    return in_objective and _logs(walk, row, e, weights, 0.0)


def log1p(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """-log(1 + z), a term of the objective"""
    return in_objective and _logs(walk, row, e, weights, 1.0)


def _logs(walk: Walk, row: Row, e: Any, weights: Vector, shift: float) -> bool:
    walk.has_logs = True
    place, chosen, w = walk.chosen(walk.argument(e, 0), weights)

    def make(data: Data) -> Any:
        a, b = data.of(place, chosen)
        return ours.negative_log(affine(as_data(a), -(b + shift)), w)

    row.add_term(make)
    return True


def entropy(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """z log(z), a term of the objective"""
    if not in_objective or not e.args[0].is_affine():
        return False
    _entropies(walk, row, e.args[0], weights)
    return True


def _entropies(walk: Walk, row: Row, z: Any, weights: Vector) -> None:
    walk.has_logs = True
    place, chosen, w = walk.chosen(z, weights)

    def make(data: Data) -> Any:
        a, b = data.of(place, chosen)
        return ours.negative_entropy(affine(as_data(a), -b), w)

    row.add_term(make)


def relative_entropy(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """z log(z/y) with y constant and positive, and z log(z/y) - z + y: an entropy and a linear function"""
    z, y = e.args
    if not in_objective or not z.is_affine() or not y.is_constant() or z.size != e.size:
        return False
    numbers = np.broadcast_to(walk.number(y), e.size)
    if not np.all(numbers > 0.0):
        return False
    _entropies(walk, row, z, weights)
    divergence = type(e).__name__ == "kl_div"
    row.add_linear(-weights * (np.log(numbers) + (1.0 if divergence else 0.0)), walk.ask(z))
    if divergence:
        row.constant += float(weights @ numbers)
    return True


def log_sum_exp(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """log sum exp(z)"""
    for place, chosen, weight in walk.slices(e, weights):
        row.add_component(_log_sum_exp(place, chosen, weight))
    return True


def _log_sum_exp(place: Place, chosen: Any, weight: float) -> Callable[[Data], Any]:
    def make(data: Data) -> Any:
        a, b = data.of(place, chosen)
        return weight * ours.log_sum_exp(as_data(a), b)

    return make


def huber(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """z^2 up to M, 2 M |z| - M^2 beyond: twice ours"""
    if not e.args[0].is_affine():
        return False
    place, chosen, w = walk.chosen(e.args[0], weights)
    threshold = float(walk.number(e.M)[0])

    def make(data: Data) -> Any:
        a, b = data.of(place, chosen)
        return 2.0 * ours.huber(as_data(a), -b, threshold, weights=w, reduction="sum")

    row.add_component(make)
    return True


def power(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """z^p for p = 2, 4, ...; other p > 1 where z has no sign that matters: |z|^p; 1/z, a term of the objective"""
    p = float(walk.number(e.p)[0] if hasattr(e.p, "value") else e.p)
    if p == -1.0 and in_objective:
        return _reciprocals(walk, row, walk.argument(e, 0), weights)
    above = _positive_part(e.args[0]) if p == 2.0 else None
    if above is not None:
        _squared_hinges(walk, row, above, weights)
        return True
    z, inside = e.args[0], e.args[0]
    if type(z).__name__ == "abs":
        inside = z.args[0]
    if not p > 1.0 or not inside.is_affine() or (p % 2.0 != 0.0 and not z.is_nonneg()):
        return False
    place, chosen, w = walk.chosen(inside, weights)
    if p == 2.0:
        row.add_squares(place, chosen, w)
        return True

    def make(data: Data) -> Any:
        a, b = data.of(place, chosen)
        return ours.power(as_data(a), -b, p, weights=w, reduction="sum")

    row.add_component(make)
    return True


def _reciprocals(walk: Walk, row: Row, z: Any, weights: Vector) -> bool:
    """1/z: without it each entry would have an auxiliary variable, in a cone with z, and the digits of the smaller of the two were lost"""
    walk.has_logs = True
    place, chosen, w = walk.chosen(z, weights)

    def make(data: Data) -> Any:
        a, b = data.of(place, chosen)
        return ours.reciprocal(affine(as_data(a), -b), w)

    row.add_term(make)
    return True


def absolute(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """|z|, by entry"""
    if not in_objective:
        return False
    place, chosen, w = walk.chosen(walk.argument(e, 0), weights)
    row.add_sizes(place, chosen, w)
    return True


def one_norm(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """sum |z|"""
    if not in_objective:
        return False
    for place, chosen, weight in walk.slices(e, weights):
        row.add_sizes(place, chosen, np.full(place.size if chosen is None else len(chosen), weight))
    return True


def euclidean(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """|z|_p for p = 1 and 2; 2 also where it bounds, if there it stands alone"""
    p = float(e.p)
    if p == 1.0:
        return one_norm(walk, row, e, weights, in_objective)
    if p != 2.0 or not (in_objective or getattr(e, "axis", None) is None):
        return False
    if not in_objective and not walk.alone:
        return False
    if np.count_nonzero(weights) > MOST_NORMS and not _is_of_variables(e.args[0]):
        return False
    for place, chosen, weight in walk.slices(e, weights):
        row.add_norm(place, chosen, weight)
    return True


def _top(term: Callable[[Any], Any], sign: float) -> Atom:
    """The largest entry of z, of -z, or of |z|: a term of the objective"""

    def atom(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
        if not in_objective:
            return False
        for place, chosen, weight in walk.slices(e, weights):
            row.add_term(_of_top(term, sign, place, chosen, weight))
        return True

    return atom


def _of_top(
    term: Callable[[Any], Any], sign: float, place: Place, chosen: Any, weight: float
) -> Callable[[Data], Any]:
    def make(data: Data) -> Any:
        a, b = data.of(place, chosen)
        return weight * term(affine(as_data(sign * a), -sign * b))

    return make


def sum_largest(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """The sum of the k largest entries of z, k times the mean of the worst share; a term, also where it is bounded by a number"""
    if not (in_objective or walk.alone):
        return False
    for place, chosen, weight in walk.slices(e, weights):
        row.add_term(_of_largest(place, chosen, weight, float(e.k)))
    return True


def _of_largest(place: Place, chosen: Any, weight: float, k: float) -> Callable[[Data], Any]:
    def make(data: Data) -> Any:
        a, b = data.of(place, chosen)
        k_of_all = min(k, len(b))
        return weight * k_of_all * ours.conditional_value_at_risk(affine(as_data(a), -b), k_of_all / len(b))

    return make


def larger(walk: Walk, row: Row, e: Any, weights: Vector, in_objective: bool) -> bool:
    """max(z, 0), by entry: a term of the objective"""
    z = _positive_part(e)
    if z is None or not in_objective:
        return False
    place, chosen, w = walk.chosen(z, weights)

    def make(data: Data) -> Any:
        a, b = data.of(place, chosen)
        return penalty(affine(as_data(sp.csr_array(sp.diags_array(w) @ a)), -w * b))

    row.add_term(make)
    return True


ATOMS: dict[str, Atom] = {
    "Pnorm": euclidean,
    "Power": power,
    "power": power,
    "QuadForm": quad_form,
    "abs": absolute,
    "entr": entropy,
    "exp": exp,
    "huber": huber,
    "kl_div": relative_entropy,
    "log": log,
    "log1p": log1p,
    "log_sum_exp": log_sum_exp,
    "logistic": logistic,
    "max": _top(maximum, 1.0),
    "maximum": larger,
    "min": _top(maximum, -1.0),
    "norm1": one_norm,
    "norm_inf": _top(norm_inf, 1.0),
    "pnorm": euclidean,
    "quad_over_lin": quad_over_lin,
    "rel_entr": relative_entropy,
    "sum_largest": sum_largest,
}
