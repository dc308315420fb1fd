"""Components from PyTorch functions: gradients and Hessians by automatic differentiation.

With PyTorch installed::

    data, labels = torch.from_numpy(A), torch.from_numpy(y)
    f = ufcm.torch.component(lambda x: torch.nn.functional.softplus(-labels * (data @ x)).mean(), n=A.shape[1])
    ufcm.Problem(minimize=f, domain=ufcm.ball(10.0)).solve()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ufcm._automatic import check_function, component_of
from ufcm._component import Component
from ufcm._data import Vector
from ufcm._functions import Pair

# Up to so many variables the Hessian is offered: it costs about n gradients.
HESSIAN_LIMIT = 100


def component(
    f: Callable[..., Any],
    n: int,
    *,
    args: tuple[Any, ...] = (),
    hess: bool | None = None,
    compile: bool = False,
    smoothness: float | Pair | None = None,
    convexity: float | Pair | None = None,
    lower_bound: float | None = None,
    name: str | None = None,
) -> Component:
    """A component from a function of tensors that returns a tensor with one number: ``f(x, *args)``, convex in x.

    x is a float64 tensor of n entries. Arrays and tensors in `args` are turned into float64 tensors, if their entries are no whole
    numbers; tensors that `f` closes over keep their dtype, and should be float64. With up to 100 variables the Hessian is used too;
    `hess` says otherwise. With ``compile=True`` the value goes through ``torch.compile``, which needs a C++ compiler and some seconds.
    """
    check_function(f)
    return component_of(
        f,
        _Function(f, args, bool(compile)),
        n,
        limit=HESSIAN_LIMIT,
        hess=hess,
        smoothness=smoothness,
        convexity=convexity,
        lower_bound=lower_bound,
        name=name,
    )


class _Function:
    """f with its data as tensors, and what PyTorch has compiled of it, which is not pickled."""

    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...], compiled: bool) -> None:
        self.f, self.args, self.compiled = f, args, compiled
        self._prepare()

    def _prepare(self) -> None:
        import torch

        self._args = tuple(_wide(torch, arg) for arg in self.args)
        self._value = torch.compile(self.f) if self.compiled else self.f

    def __getstate__(self) -> Any:
        return (self.f, self.args, self.compiled)

    def __setstate__(self, state: Any) -> None:
        self.f, self.args, self.compiled = state
        self._prepare()

    def __call__(self, x: Vector) -> tuple[float, Any]:
        import torch

        with torch.enable_grad():
            point = torch.from_numpy(x).requires_grad_(True)
            value = self._value(point, *self._args)
            if not value.requires_grad:  # the same for all x
                return float(value), torch.zeros_like(point).detach().numpy()
            (gradient,) = torch.autograd.grad(value, point)
        return float(value.detach()), gradient.numpy()

    def hessian(self, x: Vector) -> Any:
        import torch

        def value(point: Any) -> Any:
            return self.f(point, *self._args)

        with torch.enable_grad():
            return torch.autograd.functional.hessian(value, torch.from_numpy(x)).numpy()


def _wide(torch: Any, leaf: Any) -> Any:
    """Numbers as float64; whole numbers, labels and what is no array as they are."""
    import numpy as np

    if isinstance(leaf, np.ndarray):
        # A copy: PyTorch warns of arrays that cannot be written to.
        leaf = torch.from_numpy(np.array(leaf))
    if isinstance(leaf, torch.Tensor) and leaf.is_floating_point():
        return leaf.detach().to(torch.float64)
    return leaf
