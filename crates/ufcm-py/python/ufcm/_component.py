"""Components: the convex functions that problems are made of."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ufcm import _ufcm
from ufcm._data import Vector, point

if TYPE_CHECKING:
    from ufcm._constraint import Constraint


def is_number(value: Any) -> bool:
    """Whether `value` is one real number, of Python or NumPy."""
    if isinstance(value, (int, float, np.integer, np.floating)):
        return True
    return isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiub"


def strict(self: Any, bound: Any) -> Any:
    """What ``<`` and ``>`` say."""
    raise TypeError("strict inequalities are no constraints here: solutions would not exist; write <= or >=")


class Component:
    """A convex function of n variables: a loss over data, a quadratic, a function of your own.

    Components add up with nonnegative weights, and are bounded by ``<=``:

    >>> import ufcm
    >>> f = ufcm.quadratic([1.0, 1.0])          # |x|^2 / 2
    >>> g = ufcm.linear([1.0, 0.0])
    >>> h = 2.0 * f + g - 0.3
    >>> h([1.0, 2.0])
    5.7
    >>> h.gradient([1.0, 2.0])
    array([3., 4.])
    >>> f <= 0.5
    <Constraint: quadratic <= 0.5>
    """

    __slots__ = ("__weakref__", "_core", "_recipe", "name")
    # NumPy's numbers and arrays leave the operators to us.
    __array_ufunc__ = None

    _core: _ufcm.Component
    _recipe: tuple[str, tuple[Any, ...]]
    name: str | None

    def __init__(self) -> None:
        raise TypeError("components are made by ufcm.logistic, ufcm.quadratic, ufcm.component, ...")

    @classmethod
    def _made(cls, make: str, *arguments: Any, name: str | None = None) -> Component:
        """The answer of a constructor, which is remembered with its arguments: that is how components are pickled."""
        self = object.__new__(cls)
        self._core = getattr(_ufcm.Component, make)(*(_core(argument) for argument in arguments))
        self._recipe = (make, arguments)
        self.name = name
        return self

    @classmethod
    def _of_kind(cls, kind: str, values: dict[str, Any]) -> Component:
        """A kind of the catalogue, from values for its fields."""
        return cls._made("of_kind", kind, values)

    def __reduce__(self) -> Any:
        make, arguments = self._recipe
        return (_remade, (make, arguments, self.name))

    # What it is

    @property
    def n(self) -> int:
        """The number of variables."""
        return self._core.dimension

    @property
    def kind(self) -> str:
        """What it is, in words."""
        return self._core.kind

    @property
    def is_affine(self) -> bool:
        """Whether it is affine: it may then be negated, and stand under any composer."""
        return self._core.is_affine

    @property
    def smoothness(self) -> tuple[float, float] | None:
        """(L, p) with ``|f'(x) - f'(y)| <= L |x - y|^p`` everywhere, if known."""
        return self._core.smoothness

    @property
    def convexity(self) -> tuple[float, float] | None:
        """(mu, q) of uniform convexity, if known to be more than plain convexity."""
        return self._core.convexity

    @property
    def lower_bound(self) -> float | None:
        """A number it never goes below, if known."""
        return self._core.lower_bound

    def named(self, name: str) -> Component:
        """The same component under a name, which constraints and messages use."""
        renamed = object.__new__(Component)
        renamed._core, renamed._recipe, renamed.name = self._core, self._recipe, name
        return renamed

    def __repr__(self) -> str:
        label = f"{self.name!r}, " if self.name else ""
        return f"<Component: {label}{self.kind}, n = {self.n}>"

    # Its values

    def __call__(self, x: ArrayLike) -> float:
        """The value at `x`."""
        return self._core.value(point(x, self.n))

    def value(self, x: ArrayLike) -> float:
        """The value at `x`."""
        return self._core.value(point(x, self.n))

    def gradient(self, x: ArrayLike) -> Vector:
        """The gradient (or a subgradient) at `x`."""
        return self._core.value_and_gradient(point(x, self.n))[1]

    def value_and_gradient(self, x: ArrayLike) -> tuple[float, Vector]:
        """Both, in one pass over the data."""
        return self._core.value_and_gradient(point(x, self.n))

    def hessian(self, x: ArrayLike) -> NDArray[np.float64] | None:
        """The Hessian at `x`; None where the component does not know it."""
        return self._core.hessian(point(x, self.n))

    # Arithmetic

    def _rescaled(self, weight: float, constant: float) -> Component:
        if weight == 1.0 and constant == 0.0:
            return self
        make, arguments = self._recipe
        if make == "rescaled":
            inner, inner_weight, inner_constant = arguments
            weight, constant = weight * inner_weight, weight * inner_constant + constant
        else:
            inner = self
        return Component._made("rescaled", inner, weight, constant, name=self.name)

    def on_variables(self, variables: Iterable[int], n: int) -> Component:
        """This function of some of `n` variables, in the order in which `variables` lists them, counted from 0.

        >>> import ufcm
        >>> g = ufcm.quadratic([2.0, 1.0]).on_variables([2, 0], n=4)
        >>> g.n, g([3.0, 9.0, 1.0, 9.0])
        (4, 5.5)
        """
        return Component._made("on_variables", self, [operator.index(i) for i in variables], int(n), name=self.name)

    def __mul__(self, weight: Any) -> Component:
        return self._rescaled(float(weight), 0.0) if is_number(weight) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Component:
        return self._rescaled(1.0 / float(divisor), 0.0) if is_number(divisor) else NotImplemented

    def __neg__(self) -> Component:
        return self._rescaled(-1.0, 0.0)

    def __pos__(self) -> Component:
        return self

    def __add__(self, other: Any) -> Component:
        if is_number(other):
            return self._rescaled(1.0, float(other))
        if not isinstance(other, Component):
            return NotImplemented
        parts = [part for term in (self, other) for part in term._summands()]
        return Component._made("sum", parts)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Component:
        if is_number(other):
            return self._rescaled(1.0, -float(other))
        return self + (-other) if isinstance(other, Component) else NotImplemented

    def __rsub__(self, other: Any) -> Component:
        return (-self) + other if is_number(other) else NotImplemented

    def _summands(self) -> list[Component]:
        make, arguments = self._recipe
        return list(arguments[0]) if make == "sum" else [self]

    # Constraints

    def __le__(self, bound: Any) -> Constraint:
        from ufcm._constraint import at_most

        if is_number(bound):
            return at_most(self, float(bound))
        if isinstance(bound, Component) and not bound.is_affine:
            raise ValueError(f"{self.kind} <= {bound.kind} is not convex; the right side must be a number or an affine component")
        return at_most(self - bound, 0.0) if isinstance(bound, Component) else NotImplemented

    __lt__ = __gt__ = strict

    def __ge__(self, bound: Any) -> Constraint:
        from ufcm._constraint import at_least

        if not is_number(bound):
            return NotImplemented
        if not self.is_affine:
            raise ValueError(f"{self.kind} >= {bound} is not convex; only an affine component is bounded from below")
        return at_least(self, float(bound))

    __hash__ = object.__hash__

    def __eq__(self, value: Any) -> Any:
        """``f == value`` is a constraint, where f is affine.

        >>> import ufcm
        >>> ufcm.linear([1.0, 2.0]) == 1
        <Constraint: linear component == 1>
        >>> ufcm.quadratic([1.0, 2.0]) == 1
        Traceback (most recent call last):
            ...
        ValueError: quadratic == 1 is not convex; only an affine component can be held at a value
        """
        from ufcm._constraint import equal

        if is_number(value):
            return equal(self, float(value), f"{self.name or self.kind} == {value}")
        if isinstance(value, Component) and value is not self and self.is_affine and value.is_affine:
            return equal(self - value, 0.0, f"{self.name or self.kind} == {value.name or value.kind}")
        return NotImplemented


def _core(argument: Any) -> Any:
    if isinstance(argument, list):
        return [_core(item) for item in argument]
    # Components and affine blocks.
    return getattr(argument, "_core", argument)


def _remade(make: str, arguments: tuple[Any, ...], name: str | None) -> Component:
    return Component._made(make, *arguments, name=name)
