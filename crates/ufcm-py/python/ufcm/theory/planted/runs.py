"""Runs of the published method on planted instances, next to what the theory promises."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import ArrayLike

from ufcm._data import point
from ufcm.theory.promise import Promise

if TYPE_CHECKING:
    from ufcm.theory.planted._instance import Instance


class Run(NamedTuple):
    """What a run did, and what was promised."""

    eps: float
    promised: Promise
    reached: float
    """eps-optimality after all promised steps"""
    hit: int | None
    """The gradients after which the output was eps-optimal"""
    gradients: int
    """All gradients taken"""
    inner_steps: int
    """All proximal steps taken"""
    excursion: float
    """The largest |x^t - x*| as a share of its bound; 0 for restarts"""


def _run(fields: Any) -> Run:
    eps, promised, *rest = fields
    return Run(eps, Promise(*promised), *rest)


def ufcm(instance: Instance, eps: float, early: bool = False) -> Run:
    """Algorithm 1 for the promised number of steps or, if `early`, until the output is eps-optimal."""
    return _run(instance._core.ufcm(eps, early))


def restarted(instance: Instance, eps: float, own_constants: bool = False, early: bool = False) -> Run:
    """Algorithm 2, with one set of constants or with those of each execution."""
    return _run(instance._core.restarted(eps, own_constants, early))


def measured(instance: Instance, x: ArrayLike, eps: float) -> float:
    """eps-optimality of `x` for the dual radius of this accuracy."""
    return instance._core.measured(point(x), eps)


def initial(instance: Instance) -> float:
    """eps-optimality of the start."""
    return instance._core.initial()


def initial_gap(instance: Instance) -> float:
    """Q at the start, both its halves (before thm:fully-heteogeneous-component-guarantees)."""
    return instance._core.initial_gap()


def accuracies(instance: Instance, first: float, last: float, count: int) -> list[float]:
    """Accuracies from `first` to `last` of the start's, evenly on a log scale."""
    return instance._core.accuracies(first, last, count)


def fitted_slope(runs: Sequence[Run]) -> float:
    """The slope of a line through (log 1/eps, log gradients), by least squares; of runs that reached their accuracy."""
    points = [(log(1 / run.eps), log(run.hit)) for run in runs if run.hit is not None]
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points))
    products: float = sum((x - mean_x) * (y - mean_y) for x, y in points)
    squares: float = sum((x - mean_x) * (x - mean_x) for x, _ in points)
    return products / squares


__all__ = ["Run", "accuracies", "fitted_slope", "initial", "initial_gap", "measured", "restarted", "ufcm"]
