"""CVXPY's expression trees, taken apart into components, terms, affine rows and cones.

The objective, and constraints of one number, are met as weighted sums: affine atoms pass their weights on to their arguments, convex
atoms of affine arguments become components or terms. What has no form of its own, and every constraint of many numbers, goes
through CVXPY's own canonicalisation of that part: affine rows in cones, for all entries at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from cvxpy.atoms.affine.affine_atom import AffAtom
from cvxpy.reductions.dcp2cone.dcp2cone import Dcp2Cone
from cvxpy.reductions.subexpr_cache import StructuralKeyCache
from cvxpy.utilities.solver_context import SolverInfo

from ufcm import _kinds as ours
from ufcm._component import Component
from ufcm._constraint import Constraint, affine
from ufcm._cvxpy_affine import Data, Gathered, Layout, Place, Unsupported, as_data, vec, without_infinite
from ufcm._data import Vector
from ufcm._kinds import norm1, norm2
from ufcm._term import Objective, Term

CONES = [cp.constraints.Zero, cp.constraints.NonNeg, cp.SOC, cp.ExpCone, cp.PowCone3D]


class Row:
    """A scalar function in the making: linear part, squares, other components, norms, terms."""

    def __init__(self) -> None:
        self.constant = 0.0
        # (weights, rows, or which of them)
        self._linear: list[tuple[Vector, Place]] = []
        self._squares: list[tuple[Place, Any, Vector]] = []
        self._components: list[Callable[[Data], Component]] = []
        self._terms: list[Callable[[Data], Term]] = []
        self._norms: list[tuple[Place, Any, float]] = []
        self._sizes: list[tuple[Place, Any, Vector]] = []
        # (a factor that depends on parameters, what it weighs)
        self._scaled: list[tuple[Callable[[], float], Row]] = []
        # (A, b, c) where the constraint is |A x + b| <= c
        self.bounded_norm: tuple[Any, Vector, float] | None = None

    def add_linear(self, weights: Vector, place: Place) -> None:
        """weights . (a x + b)"""
        self._linear.append((weights, place))

    def add_squares(self, place: Place, chosen: Any, weights: Vector) -> None:
        """sum of weights (a x + b)^2"""
        self._squares.append((place, chosen, weights))

    def add_component(self, make: Callable[[Data], Component]) -> None:
        """A component, made once the numbers are known."""
        self._components.append(make)

    def add_term(self, make: Callable[[Data], Term]) -> None:
        """A term of the objective, or the one that a constraint bounds."""
        self._terms.append(make)

    def add_norm(self, place: Place, chosen: Any, weight: float) -> None:
        """weight |a x + b|"""
        self._norms.append((place, chosen, weight))

    def add_sizes(self, place: Place, chosen: Any, weights: Vector) -> None:
        """sum of weights |a x + b|, in an objective"""
        self._sizes.append((place, chosen, weights))

    def add_scaled(self, factor: Callable[[], float], part: Row) -> None:
        """A part of an objective, times a number that is asked for whenever the problem is built."""
        self._scaled.append((factor, part))

    @property
    def is_linear(self) -> bool:
        """Whether it is made of affine rows: those of a linear program, and under norms."""
        parts = [part for _, part in self._scaled]
        return not self._squares and not self._components and all(part.is_linear for part in parts)

    def _linear_part(self, data: Data) -> tuple[Vector, float]:
        """The slope and the constant."""
        slope, constant = np.zeros(data.n), self.constant
        for weights, place in self._linear:
            a, b = data.of(place)
            np.add.at(slope, a.indices, a.data * np.repeat(weights, np.diff(a.indptr)))
            constant += float(weights @ b)
        return slope, constant

    def _smooth(self, data: Data, slope: Vector) -> Component:
        """Everything but norms and terms."""
        parts = [make(data) for make in self._components]
        if self._squares:
            pairs = [data.of(place, chosen) for place, chosen, _ in self._squares]
            weights = np.concatenate([weights for _, _, weights in self._squares])
            whole = pairs[0][0] if len(pairs) == 1 else sp.vstack([a for a, _ in pairs], format="csr")
            target = -np.concatenate([b for _, b in pairs])
            parts.append(2.0 * ours.least_squares(as_data(whole), target, weights=weights, reduction="sum"))
        if np.any(slope) or not parts:
            parts.append(ours.linear(slope))
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    def constraint(self, data: Data) -> Constraint:
        """row <= 0"""
        slope, constant = self._linear_part(data)
        if np.isneginf(constant):
            return ours.linear(np.zeros(data.n)) <= 1.0
        if self._terms:
            (make,) = self._terms
            return make(data) <= -constant
        norms = [(data.of(place, chosen), weight) for place, chosen, weight in self._norms]
        self.bounded_norm = None
        alone = len(norms) == 1 and not self._components and not self._squares and not np.any(slope)
        if alone and constant < 0.0:
            (a, b), weight = norms[0]
            self.bounded_norm = (a, b, -constant / weight)
            return weight * norm2(affine(as_data(a), -b)) <= -constant
        total = self._smooth(data, slope)
        for (a, b), weight in norms:
            total = total + Component._made("composed", "norm2", affine(as_data(a), -b), {"weight": weight})
        return total <= -constant

    def objective(self, data: Data) -> Objective:
        """The row as what is minimised."""
        slope, constant = self._linear_part(data)
        whole = Objective.of(self._smooth(data, slope) + constant)
        for place, chosen, weight in self._norms:
            a, b = data.of(place, chosen)
            whole = whole + weight * norm2(affine(as_data(a), -b))
        for make in self._terms:
            whole = whole + make(data)
        for factor, part in self._scaled:
            price = factor()
            if price != 0.0:
                whole = whole + price * part.objective(data)
        return self._with_sizes(whole, data)

    def _with_sizes(self, whole: Objective, data: Data) -> Objective:
        """With the sums of absolute values: those of variables are a regulariser, which methods know more of than of rows."""
        prices = np.zeros(data.n)
        for place, chosen, weights in self._sizes:
            a, b = data.of(place, chosen)
            if np.any(b) or not np.all(np.diff(a.indptr) == 1):
                whole = whole + norm1(affine(as_data(a), -b), weights)
            else:
                np.add.at(prices, a.indices, weights * np.abs(a.data))
        return whole + ours.l1(prices) if np.any(prices) else whole


class Block:
    """Affine rows that are constrained alike, gathered from all over the model."""

    def __init__(self) -> None:
        self._index: list[Any] = []
        self._signs: list[Vector] = []
        self.size = 0

    def add(self, index: Any, sign: float = 1.0) -> Place:
        """Where rows of the matrix stand in the block."""
        place = Place(self.size, len(index))
        self._index.append(np.asarray(index))
        self._signs.append(np.full(len(index), sign))
        self.size += len(index)
        return place

    def rows(self, data: Data) -> Any:
        """The block of A x - b."""
        a, b = data.rows(np.concatenate(self._index), np.concatenate(self._signs))
        a, bounds = without_infinite(a, -b)
        return affine(as_data(a), bounds)


class Walk:
    """The way through a model."""

    def __init__(self, layout: Layout, parameters: list[Any]) -> None:
        self.gathered = Gathered(layout, parameters)
        self.below, self.zero, self.second_order = Block(), Block(), Block()
        self.exponential, self.power = Block(), Block()
        self.sizes: list[int] = []
        self.exponents: list[float] = []
        self.curved: list[Row] = []
        self.has_logs = False
        # Whether the constraint at hand is nothing but a number that bounds one atom.
        self.alone = False
        self._offsets: list[tuple[Place, Any, float]] = []
        context = SolverInfo(solver="UFCM", supported_constraints=frozenset(CONES))
        self._canonical = Dcp2Cone(quad_obj=False, solver_context=context)
        self._caches: tuple[Any, ...] = ({}, StructuralKeyCache(), {})

    # Constraints

    def take(self, constraint: Any) -> tuple[str, Place]:
        """Writes a constraint down; which block its multipliers are in, and where."""
        kind = cp.constraints
        if isinstance(constraint, (kind.Zero, kind.Equality)):
            return "zero", self.zero.add(_index(self.ask(constraint.expr)))
        if isinstance(constraint, (kind.NonPos, kind.Inequality)):
            return self._below(constraint.expr)
        if isinstance(constraint, kind.NonNeg):
            return "below", self.below.add(_index(self.ask(constraint.args[0])), -1.0)
        if isinstance(constraint, cp.SOC):
            return "second order", self._second_order(constraint)
        if isinstance(constraint, cp.ExpCone):
            places = [self.ask(argument) for argument in constraint.args]
            return "exponential", self.exponential.add(_interleaved([_index(place) for place in places]))
        if isinstance(constraint, cp.PowCone3D):
            places = [self.ask(argument) for argument in constraint.args]
            own = np.broadcast_to(vec(constraint.alpha.value), places[0].size)
            self.exponents += [float(p) for p in own]
            return "power", self.power.add(_interleaved([_index(place) for place in places]))
        raise Unsupported(f"UFCM does not support constraints of type {type(constraint).__name__}")

    def _below(self, e: Any) -> tuple[str, Place]:
        """e <= 0"""
        if not e.is_affine() and e.size == 1:
            row = Row()
            self.alone = _is_bounded_atom(e)
            self._add(row, e, np.ones(1), False)
            self.curved.append(row)
            return "curved", Place(len(self.curved) - 1, 1)
        return "below", self.below.add(_index(self.ask(self.settled(e))))

    def _second_order(self, constraint: Any) -> Place:
        t, x = constraint.args
        heads, tails = _index(self.ask(t)), _index(self.ask(x))
        if x.ndim < 2:
            groups = tails.reshape(1, -1)
        else:
            whole = tails.reshape(x.shape, order="F")
            groups = whole.T if constraint.axis == 0 else whole
        self.sizes += [1 + groups.shape[1]] * len(heads)
        return self.second_order.add(np.concatenate([heads[:, None], groups], axis=1).ravel())

    def settled(self, e: Any) -> Any:
        """An affine expression in the place of e, which bounds it from the side that matters."""
        return e if e.is_affine() else self._canonicalised(e)

    def _canonicalised(self, e: Any) -> Any:
        """What CVXPY makes of e: an affine expression, with constraints, which are written down."""
        e = self.gathered.fixed(e)
        # CVXPY guesses values of its auxiliary variables, and fails at that where `sum_largest` has a matrix with values.
        values = [(variable, variable.value) for variable in e.variables()]
        for variable, _ in values:
            variable.save_value(None)
        try:
            affine_one, constraints = self._canonical.canonicalize_tree(e, False, *self._caches)
        finally:
            for variable, value in values:
                variable.save_value(value)
        for constraint in constraints:
            self.take(constraint)
        return affine_one

    # Weighted sums

    def scalar(self, e: Any, weight: float) -> Row:
        """The objective."""
        row = Row()
        self._add(row, e, np.array([weight]), True)
        return row

    def ask(self, e: Any) -> Place:
        """The rows of an affine expression."""
        try:
            return self.gathered.ask(e)
        except NotImplementedError:
            # `cumsum`, and 0 times something curved, which keeps its domain
            return self.gathered.ask(self._canonicalised(e))

    def _keep_domain(self, e: Any) -> None:
        """Writes down where e is defined, for what a weight of 0 leaves out: 0 log(x) says that x >= 0, as it does in CVXPY."""
        for constraint in domain_of(e):
            self.take(constraint)

    def number(self, e: Any) -> Vector:
        """A constant expression, column after column."""
        return self.gathered.value(e)

    def _add(self, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
        """Adds weights . vec(e) to a row."""
        if not np.any(weights):
            self._keep_domain(e)
            return
        if e.is_affine():
            row.add_linear(weights, self.ask(e))
            return
        if isinstance(e, AffAtom):
            self._pass_on(row, e, weights, in_objective)
            return
        name = type(e).__name__.removesuffix("Approx")
        from ufcm._cvxpy_atoms import ATOMS

        atom = ATOMS.get(name)
        concave = e.is_concave() and not e.is_convex()
        if np.any(weights > 0.0 if concave else weights < 0.0):
            raise Unsupported(f"UFCM met {name} where it is not convex")
        if atom is not None and atom(self, row, e, -weights if concave else weights, in_objective):
            if not np.all(weights):
                self._keep_domain(e)
            return
        try:
            row.add_linear(weights, self.ask(self.settled(e)))
        except Unsupported as why:
            raise Unsupported(f"UFCM does not support the atom {name}: {why}") from None

    def _pass_on(self, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
        """An affine atom of arguments that are not affine: its weights, seen by its arguments."""
        if in_objective and self._is_priced(row, e, weights):
            return
        known = self._passed(e, weights)
        if known is not None:
            for argument, seen in known:
                self._add(row, argument, seen, in_objective)
            return
        if e.parameters():
            self.gathered.is_reusable = False
        stand_ins = [arg if arg.is_constant() else cp.Variable(arg.shape) for arg in e.args]
        copy = e.copy(stand_ins)
        variables = [stand_in for stand_in, arg in zip(stand_ins, e.args) if not arg.is_constant()]
        derivatives, constant = _derivative(copy, variables)
        row.constant += float(weights @ constant)
        for stand_in, arg in zip(stand_ins, e.args):
            if not arg.is_constant():
                self._add(row, arg, derivatives[stand_in.id] @ weights, in_objective)

    def _passed(self, e: Any, weights: Vector) -> list[tuple[Any, Vector]] | None:
        """What the arguments of the most common atoms see; nothing for others."""
        kind = type(e).__name__
        if kind == "AddExpression":
            return [(arg, weights if arg.size == e.size else np.full(1, weights.sum())) for arg in e.args] if all(
                arg.shape == e.shape or arg.size == 1 for arg in e.args
            ) else None
        if kind == "NegExpression":
            return [(e.args[0], -weights)]
        if kind == "Sum" and e.axis is None:
            return [(e.args[0], np.full(e.args[0].size, weights[0]))]
        if kind in ("multiply", "DivExpression"):
            return self._multiplied(e, weights)
        if kind == "reshape" and e.order == "F":
            return [(e.args[0], weights)]
        return None

    def _is_priced(self, row: Row, e: Any, weights: Vector) -> bool:
        """Takes a number that depends on parameters times a function, lambda |x|_1: another value needs no other walk."""
        if type(e).__name__ not in ("multiply", "DivExpression") or e.size != 1 or not e.parameters():
            return False
        divides = type(e).__name__ == "DivExpression"
        price, other = (e.args[1], e.args[0]) if divides or not e.args[0].is_constant() else e.args
        if not price.is_constant() or not price.parameters() or not (price.is_nonneg() or price.is_nonpos()):
            return False
        part = Row()
        self._add(part, other, weights if price.is_nonneg() else -weights, True)
        self._keep_domain(other)  # for a price of 0

        def factor() -> float:
            value = abs(float(np.sum(price.value)))
            return 1.0 / value if divides else value

        row.add_scaled(factor, part)
        return True

    def _multiplied(self, e: Any, weights: Vector) -> list[tuple[Any, Vector]] | None:
        first, second = e.args
        divides = type(e).__name__ == "DivExpression"
        constant, other = (second, first) if divides or not first.is_constant() else (first, second)
        if not constant.is_constant() or other.size != e.size:
            return None
        factors = self.number(constant)
        if len(factors) not in (1, e.size):
            return None
        return [(other, weights / factors if divides else weights * factors)]

    # Helpers of atoms

    @property
    def is_conic(self) -> bool:
        """Whether there are cones or logarithms."""
        return self.has_logs or bool(self.second_order.size or self.exponential.size or self.power.size)

    def chosen(self, z: Any, weights: Vector) -> tuple[Place, Any, Vector]:
        """(rows, which of them, weights) of the entries whose weights are not 0."""
        place = self.ask(z)
        # One number stands for all entries.
        if place.size == 1 and len(weights) > 1:
            return place, None, np.array([weights.sum()])
        chosen = np.flatnonzero(weights)
        return (place, None, weights) if len(chosen) == len(weights) else (place, chosen, weights[chosen])

    def with_offset(self, place: Place, chosen: Any, shift: float = 0.0) -> None:
        """Says that these rows are to have their offsets, and a shift, as the coefficients of a variable that is 1."""
        self._offsets.append((place, chosen, shift))

    def argument(self, e: Any, k: int) -> Any:
        """Argument k, or an affine expression that bounds it."""
        return self.settled(e.args[k])

    def slices(self, e: Any, weights: Vector) -> list[tuple[Place, Any, float]]:
        """What each entry of an atom along an axis is made of: rows, which of them, and the weight of the entry. Where there is no axis,
        that is all of the argument."""
        z, axis = self.argument(e, 0), getattr(e, "axis", None)
        place = self.ask(z)
        if axis is None:
            return [(place, None, float(weights[0]))]
        if not isinstance(axis, int):
            raise Unsupported(f"UFCM does not support {type(e).__name__} along several axes")
        shape = e.args[0].shape
        places = np.moveaxis(np.arange(z.size).reshape(shape, order="F"), axis, -1)
        groups = places.reshape(-1, shape[axis], order="F")
        return [(place, group, float(weight)) for group, weight in zip(groups, weights) if weight != 0.0]

    def data(self) -> Data:
        """The numbers."""
        data = self.gathered.data()

        def has_offset(place: Place, chosen: Any, shift: float) -> bool:
            return bool(np.any(data.of(place, chosen)[1] + shift))

        data.has_one = any(has_offset(*offset) for offset in self._offsets)
        return data


def domain_of(e: Any) -> list[Any]:
    """The constraints that say where e is defined. Those that are not convex hold everywhere: |z| >= 0 for |z|^1.5."""
    with np.errstate(all="ignore"):  # CVXPY's intervals
        return [constraint for constraint in e.domain if constraint.variables() and constraint.is_dcp()]


def _is_bounded_atom(e: Any) -> bool:
    """Whether e is a multiple of a norm, or of a sum of largest entries, less a number; a positive one where it bounds a norm."""
    if type(e).__name__ != "AddExpression":
        return False
    others = [arg for arg in e.args if not arg.is_constant()]
    bound = sum(float(np.sum(arg.value)) for arg in e.args if arg.is_constant())
    if len(others) != 1:
        return False
    atom = others[0]
    while type(atom).__name__ in ("multiply", "DivExpression"):
        varying = [arg for arg in atom.args if not arg.is_constant()]
        if len(varying) != 1 or varying[0].size != 1:
            return False
        atom = varying[0]
    name = type(atom).__name__.lower()
    return name == "sum_largest" or (name.startswith("pnorm") and bound < 0.0)


def _index(place: Place) -> Any:
    return np.arange(place.start, place.start + place.size)


def _interleaved(columns: list[Any]) -> Any:
    """a_0, b_0, c_0, a_1, ...; one number stands for all."""
    most = max(len(column) for column in columns)
    return np.stack([np.broadcast_to(column, most) for column in columns], axis=1).ravel()


def _derivative(e: Any, variables: list[Any]) -> tuple[dict[int, Any], Vector]:
    """The derivative (variable by expression) of an affine expression in each variable, and its value at 0."""
    for variable in variables:
        variable.save_value(np.zeros(variable.shape))
    found = {
        variable.id: sp.csr_array(gradient if sp.issparse(gradient) else np.atleast_2d(gradient))
        for variable, gradient in e.grad.items()
    }
    for variable in variables:
        if variable.id not in found:
            found[variable.id] = sp.csr_array((variable.size, e.size))
    return found, vec(e.value)
