"""CVXPY's expression trees, taken apart into components, terms and affine rows.

Every expression is met as a weighted sum of its entries. Affine atoms pass their weights on to their arguments; convex atoms
of affine arguments become components or terms; an argument that is not affine is replaced by an auxiliary variable, which
bounds it from the right side. Vectors are column after column, as in CVXPY.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from cvxpy.atoms.affine.affine_atom import AffAtom

from ufcm import _kinds as ours
from ufcm._component import Component
from ufcm._constraint import Constraint, affine
from ufcm._data import Vector
from ufcm._kinds import box, norm2, parts, second_order_cone
from ufcm._regularizer import Regularizer
from ufcm._term import Objective, Term

# Beyond this share of entries that are not 0, a matrix is better dense.
DENSE = 0.3


class Unsupported(cp.error.SolverError):  # type: ignore[misc]
    """A model that has something which is not known here."""


class Layout:
    """Where each variable stands in x, auxiliary ones included."""

    def __init__(self, problem: Any) -> None:
        self.n = 0
        self._offsets: dict[int, int] = {}
        self._own: list[Any] = []
        self._variables: list[Any] = []
        # Those of them that are second-order cones, (s, w) with |w| <= s.
        self._cones: set[int] = set()
        self._one: Any = None
        for variable in problem.variables():
            _check_attributes(variable)
            self.append(variable)
            self._own.append(variable)

    def append(self, variable: Any) -> Any:
        """A place for another variable."""
        self._offsets[variable.id] = self.n
        self._variables.append(variable)
        self.n += variable.size
        return variable

    def cone(self, size: int) -> Any:
        """A variable of our own that is a second-order cone."""
        variable = self.append(cp.Variable(size))
        self._cones.add(variable.id)
        return variable

    def domain(self) -> Regularizer | None:
        """The bounds and the cones, if there are any."""
        lower, upper = self.bounds()
        if not self._cones:
            return box(lower, upper) if np.any(np.isfinite([lower, upper])) else None
        pieces = []
        for variable in self._variables:
            own = slice(self.place(variable), self.place(variable) + variable.size)
            cone = variable.id in self._cones
            pieces.append((variable.size, second_order_cone() if cone else box(lower[own], upper[own])))
        return parts(pieces)

    def one(self) -> int:
        """The place of a variable that is fixed to 1: through it, offsets are coefficients."""
        if self._one is None:
            self._one = self.append(cp.Variable(bounds=[1.0, 1.0]))
        return self._offsets[self._one.id]

    def place(self, variable: Any) -> int:
        """Where a variable begins."""
        return self._offsets[variable.id]

    def bounds(self) -> tuple[Vector, Vector]:
        """What the variables' own attributes say."""
        lower, upper = np.full(self.n, -np.inf), np.full(self.n, np.inf)
        for variable in self._variables:
            own = slice(self.place(variable), self.place(variable) + variable.size)
            attributes = variable.attributes
            if attributes["nonneg"] or attributes["pos"]:
                lower[own] = 0.0
            if attributes["nonpos"] or attributes["neg"]:
                upper[own] = 0.0
            if attributes["bounds"] is not None:
                for side, bound, choose in zip((lower, upper), attributes["bounds"], (np.maximum, np.minimum)):
                    whole = np.broadcast_to(np.asarray(bound, dtype=float), variable.shape)
                    side[own] = choose(side[own], whole.ravel(order="F"))
        return lower, upper

    def values(self, x: Vector) -> dict[int, Any]:
        """The values of the model's variables, by id."""
        return {
            variable.id: x[self.place(variable) : self.place(variable) + variable.size].reshape(
                variable.shape, order="F"
            )
            for variable in self._own
        }


def _check_attributes(variable: Any) -> None:
    known = {"nonneg", "nonpos", "pos", "neg", "bounds"}
    for attribute, value in variable.attributes.items():
        if attribute not in known and value is not None and value is not False:
            raise Unsupported(f"UFCM does not support variables that are {attribute} ({variable.name()})")


def _is_made_of_tops(e: Any) -> bool:
    """Whether an expression is a sum of affine ones and of entrywise sizes and maxima, with factors that are not negative."""
    kind = type(e).__name__
    if e.is_affine():
        return True
    if kind in ("AddExpression", "maximum"):
        return all(_is_made_of_tops(argument) for argument in e.args)
    if kind == "multiply":
        return bool(e.args[0].is_constant() and e.args[0].is_nonneg() and _is_made_of_tops(e.args[1]))
    return kind == "abs" and bool(e.args[0].is_affine())


def vec(value: Any) -> Vector:
    """Numbers column after column."""
    if sp.issparse(value):
        value = value.toarray()
    return np.ravel(np.asarray(value, dtype=float), order="F")


def affine_map(e: Any, layout: Layout) -> tuple[Any, Vector]:
    """(A, b) with vec(e) = A x + b."""
    if e.is_constant():
        return sp.csr_array((e.size, layout.n)), vec(e.value)
    if isinstance(e, cp.Variable):
        columns = layout.place(e) + np.arange(e.size)
        ones = (np.ones(e.size), (np.arange(e.size), columns))
        return sp.csr_array(ones, shape=(e.size, layout.n)), np.zeros(e.size)
    kind = type(e).__name__
    if kind == "AddExpression" and all(arg.shape == e.shape for arg in e.args):
        maps = [affine_map(arg, layout) for arg in e.args]
        return sum((a for a, _ in maps[1:]), maps[0][0]), sum((b for _, b in maps), np.zeros(e.size))
    if kind == "NegExpression":
        a, b = affine_map(e.args[0], layout)
        return -a, -b
    if kind == "reshape" and e.order == "F":
        return affine_map(e.args[0], layout)
    if kind == "multiply" and e.args[0].is_constant() and e.args[0].size == e.args[1].size == e.size:
        factors = vec(e.args[0].value)
        a, b = affine_map(e.args[1], layout)
        return sp.csr_array(sp.diags_array(factors) @ a), factors * b
    if kind == "MulExpression" and e.args[0].is_constant() and e.args[0].ndim == 2 and e.args[1].ndim == 1:
        factor = e.args[0].value
        factor = sp.csr_array(factor) if sp.issparse(factor) else np.asarray(factor, dtype=float)
        a, b = affine_map(e.args[1], layout)
        return sp.csr_array(factor @ a), factor @ b
    variables = e.variables()
    derivatives, constant = derivative(e, variables)
    blocks = []
    for variable in variables:
        place = layout.place(variable)
        entries = sp.coo_array(derivatives[variable.id].T)
        blocks.append(sp.csr_array((entries.data, (entries.row, entries.col + place)), shape=(e.size, layout.n)))
    return sum(blocks[1:], blocks[0]), constant


def derivative(e: Any, variables: list[Any]) -> tuple[dict[int, Any], Vector]:
    """The derivative (variable by expression) of an affine expression in each variable, and its value at 0."""
    before = [variable.value for variable in variables]
    try:
        for variable in variables:
            variable.save_value(np.zeros(variable.shape))
        found = {
            variable.id: sp.csr_array(gradient if sp.issparse(gradient) else np.atleast_2d(gradient))
            for variable, gradient in e.grad.items()
        }
        constant = vec(e.value)
    finally:
        for variable, value in zip(variables, before):
            variable.save_value(value)
    for variable in variables:
        if variable.id not in found:
            found[variable.id] = sp.csr_array((variable.size, e.size))
    return found, constant


class Row:
    """A scalar function in the making: linear part, components, terms; or a whole block of affine rows."""

    def __init__(self, layout: Layout, block: tuple[Any, Vector, bool] | None = None) -> None:
        self.layout = layout
        self.block = block
        self.constant = 0.0
        self._linear: list[Any] = []
        self._components: list[Callable[[], Component]] = []
        self._terms: list[Callable[[], Term]] = []
        # (A, b, weight) of Euclidean norms
        self._norms: list[tuple[Any, Vector, float]] = []

    def data(self, a: Any) -> Any:
        """A matrix over all variables there are by now, dense where that is better."""
        entries = sp.coo_array(a)
        wide = sp.csr_array((entries.data, (entries.row, entries.col)), shape=(a.shape[0], self.layout.n))
        return wide.toarray() if wide.nnz > DENSE * max(1, wide.shape[0] * wide.shape[1]) else wide

    def add_linear(self, weights: Vector, a: Any, b: Vector) -> None:
        """weights . (a x + b)"""
        self._linear.append(sp.csr_array(np.atleast_2d(weights)) @ a)
        self.constant += float(weights @ b)

    def add_component(self, make: Callable[[], Component]) -> None:
        """A component, made once all variables are known."""
        self._components.append(make)

    def add_term(self, make: Callable[[], Term]) -> None:
        """A term of the objective."""
        self._terms.append(make)

    def add_norm(self, a: Any, b: Vector, weight: float) -> None:
        """weight |a x + b|"""
        self._norms.append((a, b, weight))

    def _slope(self) -> Vector:
        slope = np.zeros(self.layout.n)
        for row in self._linear:
            entries = sp.coo_array(row)
            np.add.at(slope, entries.col, entries.data)
        return slope

    def _sum(self, with_norms: bool) -> Component | None:
        parts = [make() for make in self._components]
        if with_norms:
            for a, b, weight in self._norms:
                parts.append(Component._made("composed", "norm2", affine(self.data(a), -b), {"weight": weight}))
        slope = self._slope()
        if np.any(slope) or not parts:
            parts.append(ours.linear(slope))
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    def constraint(self) -> Constraint:
        """row <= 0, or the block's rows."""
        if self.block is not None:
            a, b, equality = self.block
            rows = affine(self.data(a), -b)
            return rows == 0.0 if equality else rows <= 0.0
        alone = len(self._norms) == 1 and not self._components and not np.any(self._slope())
        if alone and self.constant < 0.0:
            a, b, weight = self._norms[0]
            return weight * norm2(affine(self.data(a), -b)) <= -self.constant
        total = self._sum(True)
        assert total is not None
        return total <= -self.constant

    def objective(self) -> Objective:
        """The row as what is minimised."""
        total = self._sum(False)
        assert total is not None
        whole = Objective.of(total + self.constant)
        for a, b, weight in self._norms:
            whole = whole + weight * norm2(affine(self.data(a), -b))
        for make in self._terms:
            whole = whole + make()
        return whole


class Walk:
    """The way through a model."""

    def __init__(self, layout: Layout, cones: bool = False) -> None:
        self.layout = layout
        # Whether norms that bound something are variables in second-order cones; by themselves they are curved rows, which is
        # faster, but not where the tip of the cone is the answer.
        self.cones = cones
        self.met_norms = False
        self._pending: list[Any] = []
        self._equations: list[Any] = []

    def scalar(self, e: Any, weight: float) -> Row:
        """The objective."""
        row = Row(self.layout)
        self._add(row, e, np.array([weight]), True)
        return row

    def block(self, e: Any, *, equality: bool = False) -> Row:
        """Affine rows."""
        a, b = affine_map(e, self.layout)
        return Row(self.layout, (a, b, equality))

    def rows(self, e: Any) -> list[Row]:
        """The rows of e <= 0."""
        if e.is_affine():
            return [self.block(e)]
        if e.size > 1 and _is_made_of_tops(e):
            return [self.block(self._topped(e))]
        rows = []
        for k in range(e.size):
            weights = np.zeros(e.size)
            weights[k] = 1.0
            row = Row(self.layout)
            self._add(row, e, weights, False)
            rows.append(row)
        return rows

    def _topped(self, e: Any) -> Any:
        """An affine expression above e, with auxiliary variables for all entries of an atom at once: rows of their own for hundreds of
        entries take minutes to write down."""
        if e.is_affine():
            return e
        kind = type(e).__name__
        if kind == "AddExpression":
            return sum((self._topped(argument) for argument in e.args[1:]), self._topped(e.args[0]))
        if kind == "multiply":
            return cp.multiply(e.args[0], self._topped(e.args[1]))
        top = self.auxiliary(e.shape)
        for argument in e.args:
            below = self._topped(argument)
            self._pending += [below - top, -below - top] if kind == "abs" else [below - top]
        return top

    def epigraph_constraints(self) -> list[Constraint]:
        """What the auxiliary variables have to satisfy. Walking it may ask for more of them."""
        rows: list[Row] = []
        while self._pending:
            rows += self.rows(self._pending.pop(0))
        rows += [self.block(e, equality=True) for e in self._equations]
        return [row.constraint() for row in rows]

    def equations(self) -> int:
        """How many equations there are by now; they come last among the constraints."""
        return len(self._equations)

    def auxiliary(self, shape: tuple[int, ...]) -> Any:
        """A variable of our own."""
        return self.layout.append(cp.Variable(shape))

    def nonnegative(self, shape: tuple[int, ...]) -> Any:
        """A variable of our own that is not negative."""
        return self.layout.append(cp.Variable(shape, nonneg=True))

    def _settled(self, e: Any, k: int) -> Any:
        """Argument k of an atom, or an auxiliary variable in its place that bounds it."""
        argument = e.args[k]
        if argument.is_affine():
            return argument
        bound = self.auxiliary(argument.shape)
        if e.is_incr(k):
            self._pending.append(argument - bound)
        elif e.is_decr(k):
            self._pending.append(bound - argument)
        else:
            raise Unsupported(f"UFCM does not support {type(e).__name__} of {type(argument).__name__}")
        return bound

    def _add(self, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
        """Adds weights . vec(e) to a row."""
        if not np.any(weights):
            return
        if e.is_affine():
            row.add_linear(weights, *affine_map(e, self.layout))
            return
        if isinstance(e, AffAtom):
            self._pass_on(row, e, weights, in_objective)
            return
        name = type(e).__name__.removesuffix("Approx")
        from ufcm._cvxpy_atoms import ATOMS

        atom = ATOMS.get(name)
        if atom is None:
            raise Unsupported(f"UFCM does not support the atom {name}")
        if e.is_concave() and not e.is_convex():
            weights = -weights
        if np.any(weights < 0.0):
            raise Unsupported(f"UFCM met {name} where it is not convex")
        atom(self, row, e, weights, in_objective)

    def _pass_on(self, row: Row, e: Any, weights: Vector, in_objective: bool) -> None:
        """An affine atom of arguments that are not affine: its weights, seen by its arguments."""
        stand_ins = [arg if arg.is_constant() else cp.Variable(arg.shape) for arg in e.args]
        copy = e.copy(stand_ins)
        variables = [stand_in for stand_in, arg in zip(stand_ins, e.args) if not arg.is_constant()]
        derivatives, constant = derivative(copy, variables)
        row.constant += float(weights @ constant)
        for stand_in, arg in zip(stand_ins, e.args):
            if not arg.is_constant():
                self._add(row, arg, derivatives[stand_in.id] @ weights, in_objective)

    # Helpers of atoms

    def chosen(self, z: Any, weights: Vector) -> tuple[Any, Vector, Vector]:
        """(A, b, weights) of the entries whose weights are not 0."""
        a, b = affine_map(z, self.layout)
        # One number stands for all entries.
        if len(b) == 1 and len(weights) > 1:
            return a, b, np.array([weights.sum()])
        chosen = np.flatnonzero(weights)
        return a[chosen], b[chosen], weights[chosen]

    def argument(self, e: Any, k: int) -> Any:
        """Argument k, column after column; an auxiliary variable in its place where it is not affine."""
        return cp.vec(self._settled(e, k), order="F")

    def slices(self, e: Any, weights: Vector) -> list[tuple[Any, Any, Vector, float]]:
        """What each entry of an atom along an axis is made of: z, its (A, b), and the weight of the entry. Where there is no axis,
        that is all of the argument."""
        z, axis = self.argument(e, 0), getattr(e, "axis", None)
        a, b = affine_map(z, self.layout)
        if axis is None:
            return [(z, a, b, float(weights[0]))]
        shape = e.args[0].shape
        if not isinstance(axis, int):
            raise Unsupported(f"UFCM does not support {type(e).__name__} along several axes")
        places = np.moveaxis(np.arange(z.size).reshape(shape, order="F"), axis, -1)
        groups = places.reshape(-1, shape[axis], order="F")
        chosen = [(group, float(weight)) for group, weight in zip(groups, weights) if weight != 0.0]
        return [(z[group], a[group], b[group], weight) for group, weight in chosen]

    def with_offset(self, a: Any, b: Vector) -> Any:
        """A with b as the coefficients of a variable that is 1."""
        if not np.any(b):
            return a
        place = self.layout.one()
        entries = sp.coo_array(a)
        rows = np.concatenate([entries.row, np.arange(len(b))])
        columns = np.concatenate([entries.col, np.full(len(b), place)])
        values = np.concatenate([entries.data, b])
        return sp.csr_array((values, (rows, columns)), shape=(len(b), self.layout.n))

    def bounded(self, z: Any, weights: Vector, row: Row, *, both_sides: bool) -> None:
        """Adds weights . t to a row, with auxiliary variables t >= z, or t >= |z|; one t for all of z if there is one weight."""
        t = self.auxiliary((len(weights),))
        top = t[0] if len(weights) == 1 else t
        self._pending.append(z - top)
        if both_sides:
            self._pending.append(-z - top)
        row.add_linear(weights, *affine_map(t, self.layout))

    def map(self, e: Any) -> tuple[Any, Vector]:
        """(A, b) of an affine expression."""
        return affine_map(e, self.layout)

    def norm(self, row: Row, z: Any, a: Any, b: Vector, weight: float, in_objective: bool) -> None:
        """Adds weight |z|, z = A x + b, to a row."""
        if in_objective or not self.cones:
            self.met_norms = self.met_norms or not in_objective
            row.add_norm(a, b, weight)
            return
        cone = self.layout.cone(1 + z.size)
        self._equations.append(cone[1:] - z)
        row.add_linear(np.array([weight]), *affine_map(cone[0], self.layout))

    def require(self, constraint: Any) -> None:
        """Another expression that must be <= 0."""
        self._pending.append(constraint)
