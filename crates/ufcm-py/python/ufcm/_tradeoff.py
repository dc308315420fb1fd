"""Trade-off curves: the optimal value for all bounds of one constraint."""

from __future__ import annotations

from typing import Any, NamedTuple

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
        self.gradient_evaluations: int = told["gradient_evaluations"]
        """Of all solves together."""
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
        return f"<Tradeoff: {self.status}, {span}, width {self.width:.1e}, {count} solves>"

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


__all__ = ["Tradeoff", "TradeoffPoint"]
