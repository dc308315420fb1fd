"""What the paper measures convergence by: the gap function Q, and (eps, r)-optimality for a known saddle point.

These need a saddle point, so no run can stop on them; they are for checking the theory and for experiments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ufcm import _ufcm
from ufcm._data import Vector, point

if TYPE_CHECKING:
    from ufcm._problem import Problem


class SaddlePoint(NamedTuple):
    """A saddle point that is known; ``Problem.solve(saddle=...)`` takes it.

    >>> import ufcm
    >>> from ufcm.theory.measure import SaddlePoint
    >>> p = ufcm.Problem(minimize=ufcm.quadratic([1.0], [-2.0]), subject_to=[ufcm.linear([1.0]) <= 1.0])
    >>> SaddlePoint.of(p, [1.0], [1.0, 1.0]).value
    -1.5
    """

    x: Vector
    """x*"""
    multipliers: Vector
    """lambda*, of all rows as ``Result.row_multipliers`` has them"""
    value: float
    """p*"""

    @classmethod
    def of(cls, problem: Problem, x: ArrayLike, multipliers: ArrayLike) -> SaddlePoint:
        """(x*, lambda*) with p* = <lambda*, g(x*)> - h*(lambda*) + u(x*)."""
        own = point(x, name="x"), point(multipliers, name="multipliers")
        return cls(*own, _ufcm.saddle_value(problem._core, *own))


class DualPoint(NamedTuple):
    """(lambda, nu) of the extended Lagrangian (eq:modified-lagrangian), with nu given by its linearisations nu x + offsets."""

    multipliers: Vector
    """lambda, in the domain of h*"""
    jacobian: NDArray[np.float64]
    """nu, one row for each row of the problem"""
    offsets: Vector
    """-g_j*(nu_j). A lower bound of it makes Q an upper bound."""

    @classmethod
    def at(cls, problem: Problem, x: ArrayLike, multipliers: ArrayLike) -> DualPoint:
        """`multipliers` with nu = ∇g(x), for which -g*(nu) = g(x) - nu x."""
        own = point(multipliers, name="multipliers")
        jacobian, offsets = _ufcm.dual_point(problem._core, point(x, name="x"), own)
        return cls(own, jacobian.reshape(len(offsets), -1), offsets)


def lagrangian(problem: Problem, x: ArrayLike, dual: DualPoint) -> float:
    """L(x; lambda, nu) = <lambda, nu x - g*(nu)> - h*(lambda) + u(x) (eq:modified-lagrangian)."""
    rows, n = len(problem._core.row_names), problem.n
    if dual.jacobian.shape != (rows, n):
        raise ValueError(f"jacobian has shape {dual.jacobian.shape}; expected {(rows, n)}")
    multipliers, offsets = point(dual.multipliers, rows, "multipliers"), point(dual.offsets, rows, "offsets")
    nu = np.ascontiguousarray(dual.jacobian, dtype=np.float64).reshape(-1)
    return _ufcm.lagrangian(problem._core, point(x, n), (multipliers, nu, offsets))


def gap(problem: Problem, z: tuple[ArrayLike, DualPoint], z_hat: tuple[ArrayLike, DualPoint]) -> float:
    """Q(z, z_hat) = L(x; lambda_hat, nu_hat) - L(x_hat; lambda, nu) (eq:gap-function).

    >>> import ufcm
    >>> from ufcm.theory.measure import DualPoint, gap
    >>> p = ufcm.Problem(minimize=ufcm.quadratic([1.0], [-2.0]), subject_to=[ufcm.linear([1.0]) <= 1.0])
    >>> best, start = ([1.0], [1.0, 1.0]), ([0.0], [1.0, 0.0])
    >>> z, z_hat = ((x, DualPoint.at(p, x, multipliers)) for x, multipliers in (start, best))
    >>> gap(p, z, z_hat)
    0.5
    """
    return lagrangian(problem, z[0], z_hat[1]) - lagrangian(problem, z_hat[0], z[1])


class Optimality(NamedTuple):
    """How far a point is from (eps, r)-optimality (def:optimality-conditions), with g_hat and lambda_hat of the paper's proof."""

    suboptimality: float
    """h(g_hat) + <lambda_hat, g(x) - g_hat> + u(x) - p*, g_0 included as row 0"""
    infeasibility: float
    """r |g(x) - g_hat|"""
    g_hat: Vector
    multipliers: Vector
    """lambda_hat, a subgradient of h at g_hat within r of lambda*"""

    @property
    def eps(self) -> float:
        """An eps for which the point is (eps, r)-optimal: what the theorems bound."""
        return max(self.suboptimality, self.infeasibility)


def optimality(problem: Problem, x: ArrayLike, saddle: SaddlePoint, r: float) -> Optimality:
    """Measures `x` against a saddle point.

    >>> import ufcm
    >>> from ufcm.theory.measure import SaddlePoint, optimality
    >>> p = ufcm.Problem(minimize=ufcm.quadratic([1.0], [-2.0]), subject_to=[ufcm.linear([1.0]) <= 1.0])
    >>> saddle = SaddlePoint.of(p, [1.0], [1.0, 1.0])
    >>> round(optimality(p, [0.5], saddle, r=0.1).eps, 6), optimality(p, [1.0], saddle, r=0.1).eps < 1e-9
    (0.175, True)
    """
    own = point(saddle.x, name="x*"), point(saddle.multipliers, name="lambda*"), saddle.value
    return Optimality(*_ufcm.optimality(problem._core, point(x, problem.n), own, r))


__all__ = ["DualPoint", "Optimality", "SaddlePoint", "gap", "lagrangian", "optimality"]
