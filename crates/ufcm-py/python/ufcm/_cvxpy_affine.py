"""The affine expressions of a CVXPY model: one matrix for all of them.

The walk asks for expressions and gets places; once it is over, CVXPY's own canonicalisation of affine trees makes one matrix of all
that were asked for. Parameters stay in it: for other values of theirs the matrix is made again by one product, without a walk.
Vectors are column after column, as in CVXPY.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cvxpy as cp
import cvxpy.lin_ops.lin_op as lo
import numpy as np
import scipy.sparse as sp
from cvxpy.cvxcore.python import canonInterface
from cvxpy.reductions.eval_params import replace_params_with_consts

from ufcm._data import Vector
from ufcm._kinds import box
from ufcm._regularizer import Regularizer

# Beyond this share of entries that are not 0, a matrix is better dense.
DENSE = 0.3


class Unsupported(cp.error.SolverError):  # type: ignore[misc]
    """A model that has something which is not known here."""


def vec(value: Any) -> Vector:
    """Numbers column after column."""
    if sp.issparse(value):
        value = value.toarray()
    return np.ravel(np.asarray(value, dtype=float), order="F")


class Layout:
    """Where each variable stands in x, auxiliary ones included."""

    def __init__(self, variables: list[Any]) -> None:
        self.n = 0
        self.offsets: dict[int, int] = {}
        self._own = list(variables)
        self._variables: list[Any] = []
        for variable in variables:
            self.append(variable)

    def append(self, variable: Any) -> None:
        """A place for another variable."""
        _check_attributes(variable)
        self.offsets[variable.id] = self.n
        self._variables.append(variable)
        self.n += variable.size

    def bounds(self) -> tuple[Vector, Vector]:
        """What the variables' own attributes say."""
        lower, upper = np.full(self.n, -np.inf), np.full(self.n, np.inf)
        for variable in self._variables:
            own = slice(self.offsets[variable.id], self.offsets[variable.id] + variable.size)
            attributes = variable.attributes
            if attributes["nonneg"] or attributes["pos"]:
                lower[own] = 0.0
            if attributes["nonpos"] or attributes["neg"]:
                upper[own] = 0.0
            if attributes["bounds"] is not None:
                for side, bound, choose in zip((lower, upper), attributes["bounds"], (np.maximum, np.minimum)):
                    value = bound.value if hasattr(bound, "value") else bound
                    whole = np.broadcast_to(np.asarray(value, dtype=float), variable.shape)
                    side[own] = choose(side[own], whole.ravel(order="F"))
        return lower, upper

    def domain(self, fixed: bool) -> Regularizer | None:
        """The bounds, if there are any; with one more variable that is 1."""
        lower, upper = self.bounds()
        if fixed:
            lower, upper = np.append(lower, 1.0), np.append(upper, 1.0)
        return box(lower, upper) if np.any(np.isfinite(lower)) or np.any(np.isfinite(upper)) else None

    def values(self, x: Vector) -> dict[int, Any]:
        """The values of the model's variables, by id."""
        places = ((variable, self.offsets[variable.id]) for variable in self._own)
        return {v.id: x[at : at + v.size].reshape(v.shape, order="F") for v, at in places}


def _check_attributes(variable: Any) -> None:
    known = {"nonneg", "nonpos", "pos", "neg", "bounds"}
    for attribute, value in variable.attributes.items():
        if attribute not in known and value is not None and value is not False:
            raise Unsupported(f"UFCM does not support variables that are {attribute} ({variable.name()})")


class Place(NamedTuple):
    """Rows that were asked for: from `start` on, so many."""

    start: int
    size: int


class Gathered:
    """The affine expressions that were asked for."""

    def __init__(self, layout: Layout, parameters: list[Any]) -> None:
        self.layout = layout
        self._parameters = parameters
        self._expressions: list[Any] = []
        self.rows = 0
        # Whether all that parameters do is in the matrix.
        self.is_reusable = True
        self._tensor: Any = None

    def ask(self, e: Any) -> Place:
        """The rows of an affine expression."""
        e = self.fixed(e)
        e.canonical_form  # noqa: B018 - NotImplementedError where CVXPY has no matrix of it
        for variable in e.variables():
            if variable.id not in self.layout.offsets:
                self.layout.append(variable)
        place = Place(self.rows, e.size)
        self._expressions.append(e)
        self.rows += e.size
        return place

    def fixed(self, e: Any) -> Any:
        """e, with numbers in the place of parameters where it does not follow the rules of DPP."""
        if self._parameters and e.parameters() and not e.is_dpp():
            self.is_reusable = False
            return replace_params_with_consts(e)
        return e

    def value(self, e: Any) -> Vector:
        """The numbers of a constant expression, which may depend on parameters."""
        if self._parameters and e.parameters():
            self.is_reusable = False
        return vec(e.value)

    def data(self) -> Data:
        """The matrix for the values that parameters have."""
        n = self.layout.n
        sizes = {lo.CONSTANT_ID: 1, **{p.id: p.size for p in self._parameters}}
        columns, total = {}, 0
        for parameter in self._parameters:
            columns[parameter.id] = total
            total += parameter.size
        columns[lo.CONSTANT_ID] = total
        if self._tensor is None:
            trees = [e.canonical_form[0] for e in self._expressions]
            backend = None if all(e.ndim <= 2 for e in self._expressions) else "SCIPY"
            self._tensor = canonInterface.get_problem_matrix(
                trees, n, self.layout.offsets, sizes, columns, self.rows, backend
            ).tocsc()
            for e in self._expressions:
                _forget(e)
        tensor = self._tensor
        if self._parameters:
            vector = np.ones(total + 1)
            for parameter in self._parameters:
                at = columns[parameter.id]
                vector[at : at + parameter.size] = vec(parameter.value)
            entries = tensor @ vector
            flat = np.flatnonzero(entries)
            numbers = entries[flat]
        else:
            flat, numbers = tensor.indices, tensor.data
        # The tensor's rows are the entries of (A, b), column after column.
        column, row = np.divmod(flat, max(self.rows, 1))
        offsets = np.zeros(self.rows)
        is_offset = column == n
        offsets[row[is_offset]] = numbers[is_offset]
        inside = ~is_offset
        matrix = sp.csr_array((numbers[inside], (row[inside], column[inside])), shape=(self.rows, n))
        matrix.sort_indices()
        return Data(matrix, offsets)


def _forget(e: Any) -> None:
    """Drops the canonical forms that CVXPY keeps in expressions: in a deep copy they would speak of the variables of the original,
    and CVXPY's backend ends the process at ids that it does not know."""
    if e.__dict__.pop("_lazy_canonical_form", None) is not None:
        for argument in e.args:
            _forget(argument)


class Data:
    """All rows A x + b as numbers."""

    def __init__(self, matrix: Any, offsets: Vector) -> None:
        self.matrix, self.offsets = matrix, offsets
        # Whether there is one more variable, which is 1: through it, offsets are coefficients.
        self.has_one = False

    @property
    def n(self) -> int:
        """The number of variables."""
        return int(self.matrix.shape[1]) + self.has_one

    def of(self, place: Place, chosen: Any = None) -> tuple[Any, Vector]:
        """(A, b) of the rows that were asked for, or of some of them."""
        if chosen is not None:
            rows = place.start + np.asarray(chosen)
            return self._wide(self.matrix[rows]), self.offsets[rows]
        first, last = place.start, place.start + place.size
        pointers = self.matrix.indptr[first : last + 1]
        span = slice(pointers[0], pointers[-1])
        rows = sp.csr_array(
            (self.matrix.data[span], self.matrix.indices[span], pointers - pointers[0]), shape=(place.size, self.n)
        )
        return rows, self.offsets[first:last]

    def rows(self, index: Any, signs: Vector) -> tuple[Any, Vector]:
        """(A, b) of rows anywhere, times their signs."""
        matrix = self._wide(self.matrix[index])
        if np.any(signs != 1.0):
            matrix.data = matrix.data * np.repeat(signs, np.diff(matrix.indptr))
        return matrix, signs * self.offsets[index]

    def _wide(self, matrix: Any) -> Any:
        if matrix.shape[1] == self.n:
            return matrix
        return sp.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], self.n))

    def with_offset(self, a: Any, b: Vector) -> Any:
        """A with b as the coefficients of the variable that is 1."""
        if not np.any(b):
            return a
        entries = sp.coo_array(a)
        rows = np.concatenate([entries.row, np.arange(len(b))])
        columns = np.concatenate([entries.col, np.full(len(b), self.n - 1)])
        return sp.csr_array((np.concatenate([entries.data, b]), (rows, columns)), shape=(len(b), self.n))


def without_infinite(a: Any, bounds: Vector) -> tuple[Any, Vector]:
    """The rows of a x <= bounds, with 0 <= 1 in the place of those whose bound is infinite, as CVXPY's users write what is not bounded."""
    endless = np.isposinf(bounds)
    if not np.any(endless):
        return a, bounds
    kept = sp.csr_array(sp.diags_array((~endless).astype(float)) @ a)
    kept.eliminate_zeros()
    return kept, np.where(endless, 1.0, bounds)


def as_data(a: Any) -> Any:
    """A matrix, dense where that is better."""
    return a.toarray() if a.nnz > DENSE * max(1, a.shape[0] * a.shape[1]) else a
