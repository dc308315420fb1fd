"""The functions that make components."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ufcm import _ufcm
from ufcm._component import Component, is_number
from ufcm._data import Vector, matrix, vector

# Losses over data


def _loss(
    kind: str, a: Any, targets: Any, names: tuple[str, str], parameter: float, weights: Any, reduction: str
) -> Component:
    data = matrix(a, names[0])
    targets = vector(targets, names[1])
    weights = None if weights is None else vector(weights, "weights")
    return Component._made("loss", kind, data, targets, float(parameter), weights, reduction)


def logistic(A: Any, y: ArrayLike, *, weights: ArrayLike | None = None, reduction: str = "mean") -> Component:
    """The logistic loss, mean (or sum) of ``log(1 + exp(-y_i a_i.x))`` over the rows a_i of `A`.

    `A` is an array, a scipy.sparse matrix, a pandas DataFrame or a :func:`matrix`; the labels `y` are -1 and 1, or 0 and 1.

    >>> import ufcm
    >>> f = ufcm.logistic([[1.0, 0.5], [1.0, -2.0]], [1, -1])
    >>> round(f([0.0, 0.0]), 12)          # log 2
    0.69314718056
    >>> ufcm.logistic([[1.0], [2.0]], [1, 2])
    Traceback (most recent call last):
        ...
    ValueError: logistic loss: labels[1] is 2; it must be -1 or 1 (or all 0 or 1)
    """
    return _loss("logistic", A, y, ("A", "y"), 0.0, weights, reduction)


def least_squares(
    A: Any, b: ArrayLike, *, weights: ArrayLike | None = None, reduction: str = "mean"
) -> Component:
    """Half squares of residuals: mean (or sum) of ``(a_i.x - b_i)^2 / 2``.

    >>> import ufcm
    >>> ufcm.least_squares([[1.0], [1.0]], [0.0, 2.0])([0.0])
    1.0
    """
    return _loss("least_squares", A, b, ("A", "b"), 0.0, weights, reduction)


def huber(
    A: Any, b: ArrayLike, delta: float, *, weights: ArrayLike | None = None, reduction: str = "mean"
) -> Component:
    """The Huber loss of residuals r = a_i.x - b_i: ``r^2/2`` where ``|r| <= delta``, ``delta (|r| - delta/2)`` beyond.

    >>> import ufcm
    >>> ufcm.huber([[1.0], [1.0]], [0.0, 3.0], 1.0, reduction="sum")([0.5])
    2.125
    """
    return _loss("huber", A, b, ("A", "b"), delta, weights, reduction)


def poisson(A: Any, y: ArrayLike, *, weights: ArrayLike | None = None, reduction: str = "mean") -> Component:
    """The Poisson loss with log link: mean (or sum) of ``exp(a_i.x) - y_i a_i.x``, counts ``y_i >= 0``.

    >>> import ufcm
    >>> ufcm.poisson([[1.0]], [2.0])([0.0])
    1.0
    """
    return _loss("poisson", A, y, ("A", "y"), 0.0, weights, reduction)


def power(
    A: Any, b: ArrayLike, p: float, *, weights: ArrayLike | None = None, reduction: str = "mean"
) -> Component:
    """Powers of residuals, mean (or sum) of ``|a_i.x - b_i|^p`` with ``p >= 1``.

    As a term of the objective ``sum_power(affine(A, b), p)``, for ``p <= 2``, is solved faster.

    >>> import ufcm
    >>> ufcm.power([[1.0], [1.0]], [0.0, 3.0], 1.0, reduction="sum")([1.0])
    3.0
    """
    return _loss("power", A, b, ("A", "b"), p, weights, reduction)


def squared_hinge_loss(
    A: Any, y: ArrayLike, *, weights: ArrayLike | None = None, reduction: str = "mean"
) -> Component:
    """The squared hinge loss, mean (or sum) of ``max(0, 1 - y_i a_i.x)^2``, labels -1 and 1, or 0 and 1.

    >>> import ufcm
    >>> ufcm.squared_hinge_loss([[1.0]], [1])([0.5])
    0.25
    """
    return _loss("squared_hinge_loss", A, y, ("A", "y"), 0.0, weights, reduction)


def smoothed_hinge(
    A: Any, y: ArrayLike, gamma: float, *, weights: ArrayLike | None = None, reduction: str = "mean"
) -> Component:
    """The hinge loss ``max(0, 1 - y_i a_i.x)``, rounded off with a parabola over a width of `gamma`.

    >>> import ufcm
    >>> ufcm.smoothed_hinge([[1.0]], [1], 0.5)([-1.0])
    1.75
    """
    return _loss("smoothed_hinge", A, y, ("A", "y"), gamma, weights, reduction)


def exponential_sum(
    A: Any, b: ArrayLike | None = None, *, weights: ArrayLike | None = None, reduction: str = "sum"
) -> Component:
    """Sum (or mean) of ``exp(a_i.x + b_i)``: a posynomial in log variables.

    >>> import ufcm
    >>> ufcm.exponential_sum([[1.0], [-1.0]])([0.0])
    2.0
    """
    data = matrix(A)
    b = np.zeros(data.shape[0]) if b is None else b
    return _loss("exponential_sum", data, b, ("A", "b"), 0.0, weights, reduction)


def log_sum_exp(A: Any, b: ArrayLike | None = None) -> Component:
    """``log sum exp(a_i.x + b_i)`` over the rows a_i of `A`.

    >>> import ufcm
    >>> ufcm.log_sum_exp([[1.0], [-1.0]])([1e4])    # nothing overflows
    10000.0
    """
    data = matrix(A)
    offsets = vector(0.0 if b is None else b, "b", data.shape[0])
    return Component._made("log_sum_exp", data, offsets)


# Others


def quadratic(
    Q: Any = None,
    c: ArrayLike | None = None,
    constant: float = 0.0,
    *,
    factor: Any = None,
    diagonal: ArrayLike | None = None,
    trusted: bool = False,
) -> Component:
    """``x'Qx/2 + c.x + constant``.

    `Q` is symmetric positive semidefinite: dense, sparse, or a vector for a diagonal one. With `factor` F it is ``F'F``
    (plus a `diagonal`, if given), the form of choice for low rank. Whether Q is semidefinite is checked cheaply, which
    catches most mistakes; `trusted` takes your word.

    >>> import ufcm
    >>> ufcm.quadratic([[2.0, 1.0], [1.0, 2.0]], c=[-1.0, 0.0])([1.0, 1.0])
    2.0
    >>> ufcm.quadratic([1.0, 3.0])([1.0, 1.0])
    2.0
    >>> ufcm.quadratic(factor=[[1.0, 1.0]])([1.0, 2.0])
    4.5
    >>> ufcm.quadratic([[1.0, 2.0], [2.0, 1.0]])
    Traceback (most recent call last):
        ...
    ValueError: quadratic: Q is not positive semidefinite, so the quadratic is not convex: ...
    """
    dense, own = None, None if diagonal is None else vector(diagonal, "diagonal")
    if Q is not None:
        if own is not None:
            raise ValueError("quadratic: a diagonal goes with factor; give Q itself otherwise")
        if not isinstance(Q, _ufcm.Matrix) and np.ndim(Q) == 1:
            own = vector(Q, "Q")
        else:
            dense = matrix(Q, "Q")
    shaped = None if factor is None else matrix(factor, "factor")
    linear = None if c is None else vector(c, "c")
    return Component._made("quadratic", dense, own, shaped, linear, float(constant), bool(trusted))


def linear(c: ArrayLike, constant: float = 0.0) -> Component:
    """``c.x + constant``.

    >>> import ufcm
    >>> budget = ufcm.linear([1.0, 2.0], -3.0)
    >>> budget([1.0, 1.0])
    0.0
    >>> budget >= -1
    <Constraint: linear component <= 1.0>
    """
    return Component._made("linear", vector(c, "c"), float(constant))


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
