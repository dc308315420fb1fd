"""Regularisers u and domains X."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ufcm import _ufcm
from ufcm._data import matrix, number_or_vector, point, vector


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

    __slots__ = ("_core", "_parameters", "kind")

    def __init__(self, kind: str, parameters: dict[str, Any]) -> None:
        self.kind, self._parameters = kind, parameters
        self._core = _ufcm.Regulariser(kind, {key: _core(value) for key, value in parameters.items()})

    def __reduce__(self) -> Any:
        return (Regularizer, (self.kind, self._parameters))

    def __repr__(self) -> str:
        return f"<Regularizer: {self.kind}>"

    def __call__(self, x: ArrayLike) -> float:
        """The value at `x`; infinite outside a domain."""
        return self._core.value(point(x))

    def shifted(self, center: ArrayLike) -> Regularizer:
        """``u(x - center)``.

        >>> import ufcm
        >>> ufcm.nonnegative().shifted([1.0, 2.0])([1.0, 2.0])
        0.0
        """
        return Regularizer("shifted", {"inner": self, "center": vector(center, "center")})

    def scaled(self, factor: float = 1.0, argument: float = 1.0) -> Regularizer:
        """``factor u(argument x)``.

        >>> import ufcm
        >>> nonpositive = ufcm.nonnegative().scaled(argument=-1.0)
        >>> nonpositive([-1.0])
        0.0
        """
        return Regularizer("scaled", {"inner": self, "factor": float(factor), "argument": float(argument)})


def _core(value: Any) -> Any:
    if isinstance(value, Regularizer):
        return value._core
    if isinstance(value, list):
        return [_core(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_core(item) for item in value)
    return value


def l1(w: ArrayLike) -> Regularizer:
    """``sum of w_i |x_i|``; one weight for all, or one for each."""
    return Regularizer("l1", {"weight": number_or_vector(w, "w")})


def positive_part(w: ArrayLike) -> Regularizer:
    """``sum of w_i max(x_i, 0)``."""
    return Regularizer("positive_part", {"weight": number_or_vector(w, "w")})


def ridge(w: ArrayLike) -> Regularizer:
    """``sum of w_i x_i^2 / 2``."""
    return Regularizer("ridge", {"weight": number_or_vector(w, "w")})


def elastic_net(w1: ArrayLike, w2: ArrayLike) -> Regularizer:
    """``sum of w1_i |x_i| + w2_i x_i^2 / 2``."""
    return Regularizer(
        "elastic_net", {"l1": number_or_vector(w1, "w1"), "ridge": number_or_vector(w2, "w2")}
    )


def l1_box(w: ArrayLike, lo: ArrayLike = -np.inf, hi: ArrayLike = np.inf) -> Regularizer:
    """``sum of w_i |x_i|`` over ``lo <= x <= hi``."""
    sides = {"lower": number_or_vector(lo, "lo"), "upper": number_or_vector(hi, "hi")}
    return Regularizer("l1_box", {"weight": number_or_vector(w, "w"), **sides})


def l2(w: float) -> Regularizer:
    """``w |x|``, the norm itself, not its square."""
    return Regularizer("l2", {"weight": float(w)})


def linf(w: float) -> Regularizer:
    """``w max |x_i|``."""
    return Regularizer("linf", {"weight": float(w)})


def group_l2(groups: Sequence[Iterable[int]], w: ArrayLike) -> Regularizer:
    """``sum over groups of w_g |x_g|``; variables in no group are free. One weight for all groups, or one for each.

    >>> import ufcm
    >>> ufcm.group_l2([[0, 2], [3]], 2.0)([3.0, 9.0, 4.0, 1.0])
    12.0
    """
    members = [[operator.index(index) for index in group] for group in groups]
    for g, group in enumerate(members):
        for index in group:
            if index < 0:
                raise ValueError(f"groups[{g}] has the index {index}; indices count from 0")
    return Regularizer("group_l2", {"groups": members, "weight": number_or_vector(w, "w")})


def total_variation(w: float) -> Regularizer:
    """``w sum |x_(i+1) - x_i|``."""
    return Regularizer("total_variation", {"weight": float(w)})


def sum_of_largest(count: int, w: float = 1.0) -> Regularizer:
    """`w` times the sum of the `count` largest entries (with their signs)."""
    return Regularizer("sum_of_largest", {"count": operator.index(count), "weight": float(w)})


def box(lo: ArrayLike = -np.inf, hi: ArrayLike = np.inf) -> Regularizer:
    """``lo <= x <= hi``, by coordinate; sides may be infinite."""
    return Regularizer("box", {"lower": number_or_vector(lo, "lo"), "upper": number_or_vector(hi, "hi")})


def nonnegative() -> Regularizer:
    """``x >= 0``."""
    return Regularizer("nonnegative", {})


def ball(R: float, center: ArrayLike | None = None) -> Regularizer:
    """``|x - center| <= R``."""
    return Regularizer("ball", {"radius": float(R), "center": _center(center)})


def linf_ball(R: float, center: ArrayLike | None = None) -> Regularizer:
    """``max |x_i - center_i| <= R``."""
    return Regularizer("linf_ball", {"radius": float(R), "center": _center(center)})


def l1_ball(R: float) -> Regularizer:
    """``sum |x_i| <= R``."""
    return Regularizer("l1_ball", {"radius": float(R)})


def simplex(total: float = 1.0) -> Regularizer:
    """``x >= 0`` with entries that sum to `total`."""
    return Regularizer("simplex", {"total": float(total)})


def halfspace(normal: ArrayLike, offset: float) -> Regularizer:
    """``normal.x <= offset``."""
    return Regularizer("halfspace", {"normal": vector(normal, "normal"), "offset": float(offset)})


def hyperplane(normal: ArrayLike, offset: float) -> Regularizer:
    """``normal.x = offset``."""
    return Regularizer("hyperplane", {"normal": vector(normal, "normal"), "offset": float(offset)})


def affine_set(A: Any, b: ArrayLike) -> Regularizer:
    """``A x = b`` with few, independent rows; many rows are better as the constraint ``affine(A, b) == 0``."""
    data = matrix(A)
    return Regularizer("affine_set", {"matrix": data, "offset": vector(b, "b", data.shape[0])})


def second_order_cone() -> Regularizer:
    """``x_0 >= |(x_1, ..., x_(n-1))|``."""
    return Regularizer("second_order_cone", {})


def parts(pieces: Sequence[tuple[int, Regularizer]]) -> Regularizer:
    """Each piece on its own variables, so many of them, one after the other.

    >>> import ufcm
    >>> ufcm.parts([(2, ufcm.simplex()), (1, ufcm.l1(3.0))])([0.5, 0.5, -1.0])
    3.0
    """
    for k, (_, piece) in enumerate(pieces):
        if not isinstance(piece, Regularizer):
            raise TypeError(f"parts: piece {k} is {type(piece).__name__}; it must be a regularizer")
    return Regularizer("parts", {"parts": [(operator.index(count), piece) for count, piece in pieces]})


def zero() -> Regularizer:
    """Nothing: all of R^n."""
    return Regularizer("zero", {})


def _center(center: ArrayLike | None) -> Any:
    return None if center is None else vector(center, "center")
