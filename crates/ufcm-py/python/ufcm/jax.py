"""Components from JAX functions: gradients and Hessians by automatic differentiation, compiled once.

>>> import jax.numpy as jnp
>>> import ufcm
>>> f = ufcm.jax.component(lambda x: jnp.sum(jnp.cosh(x)), n=3, name="cosh")
>>> f([0.0, 0.0, 0.0])
3.0
>>> ufcm.Problem(minimize=f, domain=ufcm.ball(1.0)).solve().status
'Certified'
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ufcm._automatic import check_function, component_of
from ufcm._component import Component
from ufcm._data import Vector
from ufcm._functions import Pair

# Up to so many variables the Hessian is offered: it costs about n gradients.
HESSIAN_LIMIT = 200


def component(
    f: Callable[..., Any],
    n: int,
    *,
    args: tuple[Any, ...] = (),
    hess: bool | None = None,
    smoothness: float | Pair | None = None,
    convexity: float | Pair | None = None,
    lower_bound: float | None = None,
    name: str | None = None,
) -> Component:
    """A component from a function of JAX arrays that returns a number: ``f(x, *args)``, convex in x.

    Value and gradient are compiled together. They are computed in float64 whatever JAX's default is, data in `args`
    included; arrays that `f` closes over keep their dtype, so hand them over as `args` (or create them with
    ``jax.enable_x64`` on). With up to 200 variables the Hessian is used too; `hess` says otherwise.
    """
    check_function(f)
    return component_of(
        f,
        _Function(f, args),
        n,
        limit=HESSIAN_LIMIT,
        hess=hess,
        smoothness=smoothness,
        convexity=convexity,
        lower_bound=lower_bound,
        name=name,
    )


class _Function:
    """f with what JAX has compiled of it, which is not pickled."""

    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.f, self.args = f, args
        self._prepare()

    def _prepare(self) -> None:
        import jax

        self._x64 = _x64(jax)
        with self._x64():
            self._args = jax.tree.map(_wide, self.args)
            self._value_and_gradient = jax.jit(jax.value_and_grad(self.f))
            self._hessian = jax.jit(jax.hessian(self.f))

    def __getstate__(self) -> Any:
        return (self.f, self.args)

    def __setstate__(self, state: Any) -> None:
        self.f, self.args = state
        self._prepare()

    def __call__(self, x: Vector) -> Any:
        with self._x64():
            return self._value_and_gradient(x, *self._args)

    def hessian(self, x: Vector) -> Any:
        with self._x64():
            return self._hessian(x, *self._args)


def _x64(jax: Any) -> Any:
    """A context in which JAX computes in float64; the user's own setting is left alone."""
    if callable(getattr(jax, "enable_x64", None)):
        return partial(jax.enable_x64, True)
    from jax.experimental import enable_x64  # before JAX 0.8

    return partial(enable_x64, True)


def _wide(leaf: Any) -> Any:
    """Numbers as float64; whole numbers, labels and what is no array as they are."""
    import jax.numpy as jnp
    import numpy as np

    array = np.asarray(leaf)
    return jnp.asarray(array, dtype=jnp.float64) if array.dtype.kind == "f" else leaf
