"""Regularisers u and domains X."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ufcm import _ufcm
from ufcm._component import Component, is_number
from ufcm._data import Vector, point, vector

# What was done to a regulariser after it was made: a centre, or (factor, argument).
Change = Vector | tuple[float, float]


class Regularizer:
    """A regulariser or a domain: a function or a set with a cheap prox.

    >>> import ufcm
    >>> ufcm.l1(0.5)
    <Regularizer: l1>
    >>> ufcm.l1(0.5)([1.0, -2.0])
    1.5
    >>> ufcm.ball(1.0)([2.0, 0.0])
    inf
    >>> ufcm.l1(0.5) + 2 * ufcm.ridge(0.1)
    <Regularizer: l1 + ridge>

    Sums of regularisers and domains are regularisers where a joint prox is known, which a problem says: coordinatewise ones (``l1``,
    ``ridge``, ``box``, ...) all go together, and most others with a ball or a ridge. ``loss + ufcm.l1(0.1)`` is what a problem minimises.
    """

    __slots__ = ("_changes", "_core", "_values", "kind")
    # NumPy's numbers leave the operators to us.
    __array_ufunc__ = None

    def __init__(self, kind: str, values: dict[str, Any], changes: tuple[Change, ...] = ()) -> None:
        self.kind, self._values, self._changes = kind, values, changes
        core = _ufcm.Regulariser(kind, {name: _core(value) for name, value in values.items()})
        for change in changes:
            core = core.scaled(*change) if isinstance(change, tuple) else core.translated(change)
        self._core = core

    def __reduce__(self) -> Any:
        return (Regularizer, (self.kind, self._values, self._changes))

    @property
    def _cores(self) -> list[_ufcm.Regulariser]:
        """What is added up."""
        return [self._core]

    @property
    def _summands(self) -> tuple[Regularizer, ...]:
        return (self,)

    def _text(self) -> str:
        words = ["scaled" if isinstance(change, tuple) else "shifted" for change in self._changes]
        return ", ".join([self.kind, *words])

    def __repr__(self) -> str:
        return f"<Regularizer: {self._text()}>"

    def __call__(self, x: ArrayLike) -> float:
        """The value at `x`; infinite outside a domain."""
        return self._core.value(point(x))

    def shifted(self, center: ArrayLike) -> Regularizer:
        """``u(x - center)``.

        >>> import ufcm
        >>> ufcm.nonnegative().shifted([1.0, 2.0])([1.0, 2.0])
        0.0
        """
        return Regularizer(self.kind, self._values, (*self._changes, vector(center, "center")))

    def scaled(self, factor: float = 1.0, argument: float = 1.0) -> Regularizer:
        """``factor u(argument x)``.

        >>> import ufcm
        >>> nonpositive = ufcm.nonnegative().scaled(argument=-1.0)
        >>> nonpositive([-1.0])
        0.0
        """
        return Regularizer(self.kind, self._values, (*self._changes, (float(factor), float(argument))))

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Regularizer):
            return RegularizerSum(self._summands + other._summands)
        return self if is_number(other) and float(other) == 0.0 else self._with(other)

    __radd__ = __add__

    def _with(self, other: Any) -> Any:
        """This and what is minimised besides."""
        from ufcm._term import Objective, Term

        if isinstance(other, (Component, Term, Objective)):
            return Objective.of(other).__add__(self)
        return NotImplemented

    def __mul__(self, factor: Any) -> Regularizer:
        if not is_number(factor):
            return NotImplemented
        times = float(factor)
        if not 0.0 <= times < float("inf"):
            raise ValueError(f"{self.kind} times {times}: the factor must be nonnegative and finite")
        return self._times(times)

    def _times(self, factor: float) -> Regularizer:
        """The same kind with other weights, so that sums of scaled regularisers keep their joint prox; a domain is its own multiple."""
        from ufcm._catalogue import KINDS, default

        values = dict(self._values)
        [kind] = [kind for kind in KINDS if kind["name"] == self.kind]
        for field in kind["fields"]:
            if field["symbol"] in ("w", "w1", "w2"):
                values[field["name"]] = factor * values.get(field["name"], default(field))
        if self.kind == "parts":
            values = {name: [(count, piece * factor) for count, piece in pieces] for name, pieces in values.items()}
        return Regularizer(self.kind, values, self._changes)

    __rmul__ = __mul__

    def __le__(self, bound: Any) -> Any:
        raise TypeError(
            f"a regularizer ({self.kind}) is not bounded with <=; a term is, ufcm.norm1(ufcm.affine(np.eye(n))) <= c, "
            "and domains such as ufcm.l1_ball(c) and ufcm.ball(c) are passed as domain="
        )

    __lt__ = __ge__ = __gt__ = __le__

    def __truediv__(self, divisor: Any) -> Regularizer:
        return self * (1.0 / float(divisor)) if is_number(divisor) else NotImplemented


class RegularizerSum(Regularizer):
    """A sum of regularisers and domains."""

    __slots__ = ("_parts",)

    def __init__(self, parts: tuple[Regularizer, ...]) -> None:
        self._parts, self.kind = parts, " + ".join(part.kind for part in parts)

    def __reduce__(self) -> Any:
        return (RegularizerSum, (self._parts,))

    @property
    def _cores(self) -> list[_ufcm.Regulariser]:
        return [part._core for part in self._parts]

    @property
    def _summands(self) -> tuple[Regularizer, ...]:
        return self._parts

    def _text(self) -> str:
        return " + ".join(part._text() for part in self._parts)

    def __call__(self, x: ArrayLike) -> float:
        return sum(part(x) for part in self._parts)

    def _times(self, factor: float) -> Regularizer:
        return RegularizerSum(tuple(part * factor for part in self._parts))

    def shifted(self, center: ArrayLike) -> Regularizer:
        """Each part shifted."""
        return RegularizerSum(tuple(part.shifted(center) for part in self._parts))

    def scaled(self, factor: float = 1.0, argument: float = 1.0) -> Regularizer:
        """Each part scaled."""
        return RegularizerSum(tuple(part.scaled(factor, argument) for part in self._parts))


def _core(value: Any) -> Any:
    """A value as Rust takes it: parts are pairs of a number of variables and a regulariser."""
    if isinstance(value, list):
        return [(part[0], part[1]._core) if isinstance(part, tuple) else part for part in value]
    return value
