"""Regularisers u and domains X."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ufcm import _ufcm
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
    """

    __slots__ = ("_changes", "_core", "_values", "kind")

    def __init__(self, kind: str, values: dict[str, Any], changes: tuple[Change, ...] = ()) -> None:
        self.kind, self._values, self._changes = kind, values, changes
        core = _ufcm.Regulariser(kind, {name: _core(value) for name, value in values.items()})
        for change in changes:
            core = core.scaled(*change) if isinstance(change, tuple) else core.translated(change)
        self._core = core

    def __reduce__(self) -> Any:
        return (Regularizer, (self.kind, self._values, self._changes))

    def __repr__(self) -> str:
        words = ["scaled" if isinstance(change, tuple) else "shifted" for change in self._changes]
        return f"<Regularizer: {', '.join([self.kind, *words])}>"

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


def _core(value: Any) -> Any:
    """A value as Rust takes it: parts are pairs of a number of variables and a regulariser."""
    if isinstance(value, list):
        return [(part[0], part[1]._core) if isinstance(part, tuple) else part for part in value]
    return value
