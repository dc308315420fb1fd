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

import numpy as np

from ufcm._automatic import check_function, component_of
from ufcm._component import Component
from ufcm._data import Vector
from ufcm._functions import Pair
from ufcm._variables import Variables

# Up to so many variables the Hessian is offered: it costs about n gradients.
HESSIAN_LIMIT = 200


class Tree:
    """How the leaves of a pytree (a dictionary of arrays, nested lists, ...) stand in one vector of variables.

    >>> import ufcm
    >>> tree = ufcm.jax.Tree({"w": [0.0, 0.0], "b": 0.0})
    >>> tree.n
    3
    >>> tree.pack({"w": [1.0, 2.0], "b": 3.0})
    array([3., 1., 2.])
    >>> tree.unpack([3.0, 1.0, 2.0])["w"]
    [array(1.), array(2.)]
    """

    def __init__(self, like: Any) -> None:
        import jax

        leaves, self._structure = jax.tree.flatten(like)
        self._shapes = [np.shape(leaf) for leaf in leaves]
        sizes = [int(np.prod(shape, dtype=np.int64)) for shape in self._shapes]
        self._ends = [int(end) for end in np.cumsum(sizes)]
        self.n = self._ends[-1] if sizes else 0
        if self.n == 0:
            raise ValueError("the tree has no numbers")

    def unpack(self, x: Any) -> Any:
        """The tree of a vector; leaves in their shapes."""
        import jax

        x = np.asarray(x, np.float64) if isinstance(x, (list, tuple)) else x
        starts = [0, *self._ends[:-1]]
        leaves = [x[a:b].reshape(shape) for a, b, shape in zip(starts, self._ends, self._shapes)]
        return jax.tree.unflatten(self._structure, leaves)

    def pack(self, tree: Any) -> Vector:
        """The vector of a tree of this structure."""
        import jax

        leaves, structure = jax.tree.flatten(tree)
        if structure != self._structure:
            raise ValueError(f"the tree is {structure}; expected {self._structure}")
        return np.concatenate([np.asarray(leaf, np.float64).ravel() for leaf in leaves])


def component(
    f: Callable[..., Any],
    n: Any,
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

    `n` is the number of variables; or a pytree of arrays such as f takes, or its :class:`Tree`, which turns points into such trees; or
    :class:`ufcm.Variables`, and f gets a dictionary of blocks:

    >>> import jax.numpy as jnp, ufcm
    >>> tree = ufcm.jax.Tree({"w": jnp.zeros((2, 2)), "b": jnp.zeros(2)})
    >>> f = ufcm.jax.component(lambda t: jnp.sum((t["w"] - 1.0) ** 2) + jnp.sum(t["b"] ** 2), tree)
    >>> r = ufcm.Problem(minimize=f, domain=ufcm.ball(9.0)).solve()
    >>> tree.unpack(r.x)["w"].round(4)
    array([[1., 1.],
           [1., 1.]])
    """
    check_function(f)
    if isinstance(n, (dict, list, tuple)):
        n = Tree(n)
    if isinstance(n, (Tree, Variables)):
        unpack = n.unpack if isinstance(n, Tree) else partial(_blocks, n)
        name, f, n = name or getattr(f, "__name__", None), partial(_of_parts, f, unpack), n.n
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


def _of_parts(f: Callable[..., Any], unpack: Callable[[Any], Any], x: Any, *args: Any) -> Any:
    return f(unpack(x), *args)


def _blocks(variables: Variables, x: Any) -> dict[str, Any]:
    return {name: x[variables[name]].reshape(shape) for name, shape in variables.shapes.items()}


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

    array = np.asarray(leaf)
    return jnp.asarray(array, dtype=jnp.float64) if array.dtype.kind == "f" else leaf
