"""Components from PyTorch functions: gradients and Hessians by automatic differentiation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ufcm._component import Component
from ufcm._data import Vector
from ufcm._functions import Pair
from ufcm._functions import component as _component

# Up to so many variables the Hessian is offered: it costs about n gradients.
HESSIAN_LIMIT = 100


def component(
    f: Callable[..., Any],
    n: int,
    *,
    hess: bool | None = None,
    smoothness: float | Pair | None = None,
    convexity: float | Pair | None = None,
    lower_bound: float | None = None,
    name: str | None = None,
) -> Component:
    """A component from a function that takes a float64 tensor of n entries and returns a tensor with one number.

    Tensors that `f` closes over should be float64 as well. With up to 100 variables the Hessian is used too; `hess` says
    otherwise.
    """
    if not callable(f):
        raise TypeError(f"f is {type(f).__name__}; it must be a function")
    import torch  # noqa: F401  (says at once where PyTorch is missing)

    wanted = n <= HESSIAN_LIMIT if hess is None else bool(hess)
    return _component(
        partial(_value_and_gradient, f),
        n,
        hess=partial(_hessian, f) if wanted else None,
        smoothness=smoothness,
        convexity=convexity,
        lower_bound=lower_bound,
        name=name or getattr(f, "__name__", None),
    )


def _value_and_gradient(f: Callable[..., Any], x: Vector) -> tuple[float, Any]:
    import torch

    with torch.enable_grad():
        point = torch.from_numpy(x).requires_grad_(True)
        value = f(point)
        (gradient,) = torch.autograd.grad(value, point)
    return float(value.detach()), gradient.numpy()


def _hessian(f: Callable[..., Any], x: Vector) -> Any:
    import torch

    with torch.enable_grad():
        return torch.autograd.functional.hessian(f, torch.from_numpy(x)).numpy()
