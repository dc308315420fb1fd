"""Trade-off curves and surfaces: the optimal value for all bounds of one constraint, or of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ufcm import _ufcm
from ufcm._data import Vector


class TradeoffPoint(NamedTuple):
    """A bound that was solved at; ``pandas.DataFrame(curve.points)`` is a table of them."""

    bound: float
    lower: float
    """The optimal value is at least this ..."""
    upper: float
    """... and at most this."""
    multiplier: float
    """What the objective falls by, for each unit by which the bound is loosened."""
    gradient_evaluations: int
    x: Vector


class Tradeoff:
    """The optimal value as a function of one bound, between proven sides; made by :meth:`Problem.tradeoff`."""

    def __init__(self, constraint: str, sign: float, core: _ufcm.Tradeoff) -> None:
        told = core.told()
        self.constraint = constraint
        self._sign, self._core = sign, core
        self.low, self.high = sorted(sign * end for end in told["ends"])
        """The ends of the band: those asked for, less the bounds with which nothing is feasible."""
        self.status: str = told["status"]
        self.width: float = told["width"]
        """The largest width, relative to max(unit, |value|)."""
        self.tol: float = told["tol"]
        self.unit: float = told["unit"]
        beyond = told["infeasible_beyond"]
        self.infeasible_beyond: float | None = None if beyond is None else sign * beyond
        """With bounds tighter than this no point satisfies the constraints, which is proven."""
        self.violation: float = told["violation"]
        """How far points of the upper side violate other constraints; 0 where the upper side is proven."""
        self.premises: list[str] = told["premises"]
        self.solves: int = told["solves"]
        """How many of the points took a solve; the others were guessed, and proved themselves."""
        self.gradient_evaluations: int = told["gradient_evaluations"]
        """Of all points together."""
        self.value_evaluations: int = told["value_evaluations"]
        self.hessian_evaluations: int = told["hessian_evaluations"]
        self.first_gradient_evaluations: int = told["first_gradient_evaluations"]
        """Of the first solve, which began from nothing."""
        points = [TradeoffPoint(sign * bound, *rest) for bound, rest in ((point[0], point[1:]) for point in core.points())]
        self.points: list[TradeoffPoint] = sorted(points, key=lambda point: point.bound)

    @property
    def success(self) -> bool:
        """Whether the band is as narrow as was asked for."""
        return self.status == "Certified"

    def band(self, c: float) -> tuple[float, float]:
        """The optimal value with the bound `c` is between these two; both are infinite where nothing is feasible."""
        return self._core.band(self._sign * float(c))

    def corners(self) -> list[tuple[float, float, float]]:
        """(bound, lower, upper) where a side of the band bends; straight lines between them are the band."""
        corners = {self._sign * c: (lower, upper) for c, lower, upper in self._core.corners()}
        return [(c, *corners[c]) for c in sorted(corners)]

    def __repr__(self) -> str:
        count = len(self.points)
        span = f"{self.constraint!r} from {self.low:g} to {self.high:g}"
        return f"<Tradeoff: {self.status}, {span}, width {self.width:.1e}, {count} points, {self.solves} by a solve>"

    def plot(self, axes: Any = None) -> Any:
        """Draws the band and the bounds that were solved at with matplotlib; returns the figure."""
        if axes is None:
            import matplotlib.pyplot as plt

            _, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
        across, lower, upper = zip(*self.corners())
        axes.fill_between(across, lower, upper, alpha=0.3, label="proven")
        axes.plot(across, upper, linewidth=0.8)
        axes.plot([point.bound for point in self.points], [point.upper for point in self.points], "o", ms=3, label="solved")
        axes.set_xlabel(f"bound of {self.constraint}")
        axes.set_ylabel("optimal value")
        axes.legend()
        return axes.figure


class SurfacePoint(NamedTuple):
    """A pair of bounds that was solved at; infinite values mean that nothing is feasible there."""

    bounds: tuple[float, float]
    lower: float
    """The optimal value is at least this ..."""
    upper: float
    """... and at most this."""
    multipliers: tuple[float, float]
    """What the objective falls by, for each unit by which a bound is loosened."""
    gradient_evaluations: int
    x: Vector


class Surface:
    """The optimal value as a function of the bounds of two constraints, between proven sides; made by :meth:`Problem.surface`."""

    def __init__(self, constraints: tuple[str, str], signs: tuple[float, float], core: _ufcm.Surface) -> None:
        told = core.told()
        self.constraints = constraints
        self._signs, self._core = signs, core
        ranges = [sorted(sign * end for end in ends) for sign, ends in zip(signs, told["ranges"])]
        self.ranges: list[tuple[float, float]] = [(low, high) for low, high in ranges]
        """From where to where the bounds go."""
        self.status: str = told["status"]
        self.width: float = told["width"]
        """The largest width, relative to max(unit, |value|), of all pairs that are decided."""
        self.tol: float = told["tol"]
        self.unit: float = told["unit"]
        self.undecided: float = told["undecided"]
        """The part of all pairs that is neither known to be feasible nor known not to be, along the edge; 0 where all are feasible."""
        self.violation: float = told["violation"]
        """How far points of the upper side violate other constraints; 0 where the upper side is proven."""
        self.premises: list[str] = told["premises"]
        self.gradient_evaluations: int = told["gradient_evaluations"]
        """Of all solves together."""
        self.value_evaluations: int = told["value_evaluations"]
        self.hessian_evaluations: int = told["hessian_evaluations"]
        self.first_gradient_evaluations: int = told["first_gradient_evaluations"]
        """Of the first solve, which began from nothing."""
        self.points: list[SurfacePoint] = [
            SurfacePoint(self._signed(bounds), lower, upper, (rates[0], rates[1]), gradients, x)
            for bounds, lower, upper, rates, gradients, x in core.points()
        ]

    def _signed(self, bounds: Sequence[float]) -> tuple[float, float]:
        return self._signs[0] * float(bounds[0]), self._signs[1] * float(bounds[1])

    @property
    def success(self) -> bool:
        """Whether the surface is as narrow as was asked for."""
        return self.status == "Certified"

    def band(self, a: float, b: float) -> tuple[float, float]:
        """The optimal value with the bounds `a` and `b` is between these two; both are infinite where nothing is feasible."""
        return self._core.band(self._signed((a, b)))

    def planes(self) -> list[tuple[tuple[float, float], float, tuple[float, float]]]:
        """(at, value, slope): for all bounds c of the surface the optimal value is at least value + slope . (c - at)."""
        return [(self._signed(at), value, self._signed(slope)) for at, value, slope in self._core.planes()]

    def __repr__(self) -> str:
        spans = [f"{name!r} from {low:g} to {high:g}" for name, (low, high) in zip(self.constraints, self.ranges)]
        return f"<Surface: {self.status}, {' and '.join(spans)}, width {self.width:.1e}, {len(self.points)} solves>"

    def plot(self, axes: Any = None, count: int = 41) -> Any:
        """Draws values with lines of equal value, and the bounds that were solved at, with matplotlib; returns the figure."""
        if axes is None:
            import matplotlib.pyplot as plt

            _, axes = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
        (a, b), (c, d) = self.ranges
        across, along = np.linspace(a, b, count), np.linspace(c, d, count)
        middle = np.array([[0.5 * sum(self.band(x, y)) for x in across] for y in along])
        middle = np.ma.masked_invalid(middle)
        drawn = axes.pcolormesh(across, along, middle, shading="nearest", cmap="Blues")
        axes.contour(across, along, middle, colors="k", linewidths=0.6)
        axes.plot([point.bounds[0] for point in self.points], [point.bounds[1] for point in self.points], "o", ms=3, color="C3")
        axes.set_xlabel(f"bound of {self.constraints[0]}")
        axes.set_ylabel(f"bound of {self.constraints[1]}")
        axes.figure.colorbar(drawn, label="optimal value")
        return axes.figure


__all__ = ["Surface", "SurfacePoint", "Tradeoff", "TradeoffPoint"]
