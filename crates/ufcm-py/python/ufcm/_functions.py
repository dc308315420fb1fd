"""Components from functions of the user's own."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ufcm._component import Component, is_number
from ufcm._data import Vector

Pair = tuple[float, float]


def component(
    fun: Callable[..., Any],
    n: int,
    jac: bool | Callable[[Vector], Any] | None = True,
    hess: Callable[[Vector], Any] | None = None,
    smoothness: float | Pair | None = None,
    convexity: float | Pair | None = None,
    name: str | None = None,
    *,
    lower_bound: float | None = None,
) -> Component:
    """A component from a Python function.

    ``fun(x)`` returns ``(value, gradient)``; or the value alone, with `jac` the function that returns the gradient.
    ``hess(x)`` returns an n x n array. A subgradient will do where `fun` has kinks. That `fun` is convex is on your word:
    :meth:`Problem.check` looks for mistakes. `smoothness` is L (or (L, p)) with ``|f'(x) - f'(y)| <= L |x - y|^p``,
    `convexity` is mu of strong convexity (or (mu, q)); the solver needs neither.

    An exception in `fun` ends the run and comes back as it is, with the best point so far as its ``best_point`` and the
    :class:`Result` as its ``result``.

    >>> import numpy as np, ufcm
    >>> f = ufcm.component(lambda x: (np.sum(np.cosh(x)), np.sinh(x)), n=2, name="cosh")
    >>> f
    <Component: 'cosh', Python function, n = 2>
    >>> f([0.0, 0.0])
    2.0
    """
    if not callable(fun):
        raise TypeError(f"fun is {type(fun).__name__}; it must be a function")
    if jac is None or jac is False:
        raise ValueError(
            "a function that returns its value alone needs jac, a function that returns the gradient; "
            "ufcm.jax.component and ufcm.torch.component find it by automatic differentiation"
        )
    if jac is not True and not callable(jac):
        raise TypeError(f"jac is {type(jac).__name__}; it must be True or a function")
    if hess is not None and not callable(hess):
        raise TypeError(f"hess is {type(hess).__name__}; it must be a function")
    size = operator.index(n)
    if size < 1:
        raise ValueError(f"n is {size}; a component has at least one variable")
    return Component._made(
        "function",
        size,
        fun,
        None if jac is True else jac,
        hess,
        _pair(smoothness, "smoothness"),
        _pair(convexity, "convexity"),
        None if lower_bound is None else float(lower_bound),
        name=name,
    )


def _pair(claim: float | Pair | None, name: str) -> Pair | None:
    """(constant, exponent), the exponent 1 where the constant stands alone."""
    if claim is None:
        return None
    if is_number(claim):
        return (float(claim), 1.0)  # type: ignore[arg-type]
    try:
        constant, exponent = claim  # type: ignore[misc]
    except TypeError:
        raise TypeError(f"{name} is {claim!r}; it must be a number or a pair of numbers") from None
    return (float(constant), float(exponent))
