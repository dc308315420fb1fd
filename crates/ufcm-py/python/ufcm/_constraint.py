"""Affine blocks and constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ufcm import _ufcm
from ufcm._component import Component, is_number, strict
from ufcm._data import Vector, matrix, real, vector


class Interval:
    """lower <= . <= upper; made by :func:`between`."""

    __slots__ = ("lower", "upper")

    def __init__(self, lower: Any, upper: Any) -> None:
        self.lower, self.upper = lower, upper


class Constraint:
    """A constraint, made by comparing a component or an affine block with its bounds."""

    __slots__ = ("_parts", "_sign", "_text", "is_scalar", "name")
    __array_ufunc__ = None

    # Each part becomes a block: (constructor, subject, further arguments).
    _parts: list[tuple[str, Any, tuple[Any, ...]]]
    # -1 where the bound is one from below, and the part is negated; 0 where the part's bound is another number.
    _sign: float
    _text: str
    is_scalar: bool
    name: str | None

    def __init__(
        self,
        parts: list[tuple[str, Any, tuple[Any, ...]]],
        text: str,
        is_scalar: bool,
        name: str | None = None,
        sign: float = 1.0,
    ) -> None:
        self._parts, self._text, self.is_scalar, self.name, self._sign = parts, text, is_scalar, name, sign

    def named(self, name: str) -> Constraint:
        """The same constraint under a name, for results and messages."""
        return Constraint(self._parts, self._text, self.is_scalar, name, self._sign)

    def with_bound(self, bound: float) -> Constraint:
        """The same constraint with another bound, on the same data: a component bounded on one side has one, and a term.

        >>> import ufcm
        >>> (ufcm.linear([1.0, 2.0]) >= 0.5).with_bound(0.75)
        <Constraint: linear component >= 0.75>
        >>> (ufcm.norm1(ufcm.affine([[1.0, 2.0]])) <= 0.5).with_bound(0.75)
        <Constraint: norm1 of 1 rows <= 0.75>
        """
        if len(self._parts) == 1 and self._parts[0][0] == "bounded":
            moved: Constraint = self._parts[0][1] <= float(bound)
            return moved.named(self.name) if self.name else moved
        self._require_one_bound()
        component = self._parts[0][1]
        changed = at_least(-component, float(bound)) if self._sign < 0.0 else at_most(component, float(bound))
        return changed.named(self.name) if self.name else changed

    def _require_one_bound(self) -> None:
        whole = len(self._parts) == 1 and self._parts[0][0] == "bounded"
        if not whole and (len(self._parts) != 1 or self._parts[0][0] != "at_most" or self._sign == 0.0):
            raise ValueError(
                f"{self!r} has no single bound: component <= bound, term <= bound and affine component >= bound have one"
            )

    @property
    def _bound_sign(self) -> float:
        """-1 where the one bound is from below."""
        return -1.0 if self._sign < 0.0 else 1.0

    @property
    def n(self) -> int:
        """The number of variables."""
        return int(self._parts[0][1].n)

    def _blocks(self, name: str) -> list[_ufcm.Block]:
        names = [name] if len(self._parts) == 1 else [f"{name}[{k}]" for k in range(len(self._parts))]
        return [
            getattr(_ufcm.Block, make)(subject._core, *arguments, name)
            for (make, subject, arguments), name in zip(self._parts, names)
        ]

    def __repr__(self) -> str:
        label = f"{self.name!r}, " if self.name else ""
        return f"<Constraint: {label}{self._text}>"

    def __bool__(self) -> bool:
        raise TypeError(
            "a constraint is neither true nor false; for two sides write affine(A, b).between(lower, upper)"
        )

    def _compared(self, other: Any) -> Any:
        raise TypeError(
            f"{self!r} is a constraint already and cannot be compared again; for two sides write two constraints, or "
            "affine(A, b).between(lower, upper)"
        )

    __le__ = __ge__ = __lt__ = __gt__ = _compared


def at_most(component: Component, bound: float) -> Constraint:
    """component <= bound"""
    if not np.isfinite(bound):
        raise ValueError(f"the bound of {component.kind} is {bound}; it must be a finite number")
    text = f"{component.name or component.kind} <= {bound}"
    return Constraint([("at_most", component, (bound,))], text, True, component.name)


def at_least(component: Component, bound: float) -> Constraint:
    """component >= bound, for an affine component"""
    at_most(component, bound)  # the bound is a number
    text = f"{component.name or component.kind} >= {bound}"
    return Constraint([("at_most", -component, (-bound,))], text, True, component.name, -1.0)


def equal(component: Component, value: float, text: str) -> Constraint:
    """component == value, of an affine component"""
    if not component.is_affine:
        told = text.rsplit(" == ", 1)
        raise ValueError(f"{component.kind} == {told[1]} is not convex; only an affine component can be held at a value")
    if not np.isfinite(value):
        raise ValueError(f"{text}: the value must be a finite number")
    constant, slope = component.value_and_gradient(np.zeros(component.n))
    block = Affine(slope[np.newaxis, :], [value - constant])
    return Constraint([("one_sided", block, (True,))], text, True, component.name)


def _unlike(block: Affine, how: str, bound: Any) -> TypeError:
    if isinstance(bound, Affine):
        return TypeError(f"{block!r} {how} {bound!r}: write their difference, affine(A - C, b - d) {how} 0")
    return TypeError(f"the right side of {block!r} {how} ... is {type(bound).__name__}; it must be a number, or one for each row")


class Affine:
    """``A x - b``: many rows, one matrix.

    >>> import ufcm
    >>> block = ufcm.affine([[1.0, 1.0], [1.0, -1.0]], [1.0, 0.0])
    >>> block <= 0
    <Constraint: affine block of 2 rows <= 0>
    >>> block == 0
    <Constraint: affine block of 2 rows == 0>
    >>> block.between(-1.0, [1.0, 2.0])
    <Constraint: affine block of 2 rows, bounded on both sides>
    >>> block([1.0, 1.0])
    array([1., 0.])
    """

    __slots__ = ("_core", "_matrix", "_offset", "name")
    __array_ufunc__ = None

    def __init__(self, A: Any, b: ArrayLike | None = None, name: str | None = None) -> None:
        self._matrix = matrix(A)
        self._offset = vector(0.0 if b is None else b, "b", self._matrix.shape[0])
        self._core = _ufcm.Affine(self._matrix, self._offset)
        self.name = name

    def __reduce__(self) -> Any:
        return (Affine, (self._matrix, self._offset, self.name))

    @property
    def n(self) -> int:
        """The number of variables."""
        return self._core.shape[1]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._core.shape[0]

    def named(self, name: str) -> Affine:
        """The same block under a name, which its constraints take."""
        return Affine(self._matrix, self._offset, name)

    def __call__(self, x: ArrayLike) -> Vector:
        """``A x - b`` at `x`."""
        return self._matrix.apply(real(x, "x")) - self._offset

    def __repr__(self) -> str:
        return f"<Affine: {self.rows} rows, n = {self.n}>"

    def _label(self) -> str:
        return self.name or f"affine block of {self.rows} rows"

    def _moved(self, by: Any) -> Affine:
        return Affine(self._matrix, self._offset + vector(by, "the bound", self.rows), self.name)

    def __sub__(self, by: Any) -> Affine:
        return self._moved(by)

    def __add__(self, by: Any) -> Affine:
        return self._moved(-real(by, "the shift"))

    __lt__ = __gt__ = strict

    __hash__ = object.__hash__

    def __le__(self, bound: Any) -> Constraint:
        upper = self._sides(bound)
        if upper is None:
            raise _unlike(self, "<=", bound)
        if not np.all(np.isfinite(upper)):
            return self.between(-np.inf, upper)
        block = self._moved(upper) if np.any(upper) else self
        text = f"{self._label()} <= {_short(bound)}"
        return Constraint([("one_sided", block, (False,))], text, False, self.name)

    def __ge__(self, bound: Any) -> Constraint:
        lower = self._sides(bound)
        if lower is None:
            raise _unlike(self, ">=", bound)
        constraint = self.between(lower, np.inf)
        constraint._text = f"{self._label()} >= {_short(bound)}"
        return constraint

    def __eq__(self, bound: Any) -> Constraint:  # type: ignore[override]
        if isinstance(bound, Interval):
            return self.between(bound.lower, bound.upper)
        value = self._sides(bound)
        if value is None:
            return NotImplemented
        block = self._moved(value) if np.any(value) else self
        text = f"{self._label()} == {_short(bound)}"
        return Constraint([("one_sided", block, (True,))], text, False, self.name)

    def between(self, lower: ArrayLike, upper: ArrayLike) -> Constraint:
        """``lower <= A x - b <= upper``, row by row; sides may be infinite."""
        sides = vector(lower, "lower", self.rows), vector(upper, "upper", self.rows)
        constraint = Constraint(
            [("between", self, sides)], f"{self._label()}, bounded on both sides", False, self.name
        )
        constraint._blocks("constraint")  # what is wrong with the sides is said here
        return constraint

    def in_second_order_cones(self, sizes: Sequence[int] | None = None) -> Constraint:
        """Each group of rows has a first that is at least the Euclidean norm of the others: ``sizes`` has their numbers of rows; one
        group of all without them.

        >>> import ufcm
        >>> ufcm.affine([[0.0, 1.0], [1.0, 0.0]]).in_second_order_cones()     # |x_0| <= x_1
        <Constraint: affine block of 2 rows in second-order cones>
        """
        return self._in_cones("second-order", [self.rows] if sizes is None else [int(size) for size in sizes], None)

    def in_exponential_cones(self) -> Constraint:
        """Each three rows (a, b, c), one after the other, satisfy ``b exp(a/b) <= c`` with ``b > 0``, or are limits of such."""
        return self._in_cones("exponential", None, None)

    def in_power_cones(self, exponents: Sequence[float]) -> Constraint:
        """Each three rows (a, b, c), one after the other, satisfy ``a**p b**(1 - p) >= |c|``, ``a, b >= 0``; `exponents` has the p."""
        return self._in_cones("power", None, [float(p) for p in exponents])

    def _in_cones(self, kind: str, sizes: Any, exponents: Any) -> Constraint:
        parts: list[tuple[str, Any, tuple[Any, ...]]] = [("in_cones", self, (sizes, exponents))]
        constraint = Constraint(parts, f"{self._label()} in {kind} cones", False, self.name)
        constraint._blocks("constraint")  # what is wrong with the cones is said here
        return constraint

    def _sides(self, bound: Any) -> Vector | None:
        if isinstance(bound, (Component, Affine)) or bound is None:
            return None
        return vector(bound, "the bound", self.rows)


def _short(bound: Any) -> str:
    return str(bound) if is_number(bound) else "..."


def affine(A: Any, b: ArrayLike | None = None, *, name: str | None = None) -> Affine:
    """The rows ``A x - b``, for constraints and under norms and quantiles; see :class:`Affine`.

    The multiplier of a row is positive where its upper side presses, negative where its lower side does.
    """
    return Affine(A, b, name)


def between(*arguments: Any) -> Any:
    """``between(block, lower, upper)`` is ``block.between(lower, upper)``; so is ``block == between(lower, upper)``.

    >>> import ufcm
    >>> block = ufcm.affine([[1.0, 1.0]])
    >>> ufcm.between(block, 0.0, 1.0)
    <Constraint: affine block of 1 rows, bounded on both sides>
    >>> block == ufcm.between(0.0, 1.0)
    <Constraint: affine block of 1 rows, bounded on both sides>
    """
    if len(arguments) == 2:
        return Interval(*arguments)
    if len(arguments) == 3 and isinstance(arguments[0], Affine):
        return arguments[0].between(arguments[1], arguments[2])
    raise TypeError("between takes (lower, upper), or (block, lower, upper) with an affine block")
