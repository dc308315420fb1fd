"""What components by automatic differentiation share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from ufcm._component import Component
from ufcm._data import Vector
from ufcm._functions import Pair
from ufcm._functions import component as _component


class Differentiated(Protocol):
    """A function with its derivatives."""

    def __call__(self, x: Vector) -> Any:
        """(value, gradient)"""

    def hessian(self, x: Vector) -> Any:
        """The Hessian."""


def check_function(f: Any) -> None:
    """Refuses what cannot be called, before anything heavy is imported."""
    if not callable(f):
        raise TypeError(f"f is {type(f).__name__}; it must be a function")


def component_of(
    f: Callable[..., Any],
    function: Differentiated,
    n: int,
    *,
    limit: int,
    hess: bool | None,
    smoothness: float | Pair | None,
    convexity: float | Pair | None,
    lower_bound: float | None,
    name: str | None,
) -> Component:
    """A component from f's derivatives, with the Hessian for up to `limit` variables unless `hess` says otherwise."""
    wanted = n <= limit if hess is None else bool(hess)
    return _component(
        function,
        n,
        hess=partial(_hessian, function) if wanted else None,
        smoothness=smoothness,
        convexity=convexity,
        lower_bound=lower_bound,
        name=name or getattr(f, "__name__", None),
    )


def _hessian(function: Differentiated, x: Vector) -> Any:
    return function.hessian(x)
