"""L_ADA and mu_ADA: all the structure of the components in two numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ufcm import _ufcm
from ufcm._constants import Constants


class RowConstants(NamedTuple):
    """What the theory needs to know of row j. :attr:`ufcm.Plan.rows` has those of a problem."""

    multiplier: float
    """lambda*_j >= 0"""
    smoothness: tuple[float, float]
    """(L_j, p_j); L_j = 0 for an affine row"""
    convexity: tuple[float, float] | None = None
    """(mu_j, q_j), where the row is more than convex"""
    pinned: bool = False
    """Whether the multiplier can have no other value (g_0, rows of a sum): it is then not enlarged by r."""

    @classmethod
    def smooth(cls, multiplier: float, constant: float, *, pinned: bool = False) -> RowConstants:
        """A smooth (p = 1) row."""
        return cls(multiplier, (constant, 1.0), None, pinned)


class Aggregate:
    """The rows of a problem as the theory sees them, for a target accuracy `eps` and a dual radius `r`.

    >>> from ufcm import theory
    >>> rows = [theory.RowConstants.smooth(1.0, 2.0, pinned=True), theory.RowConstants(0.5, (10.0, 0.0))]
    >>> coarse, fine = (theory.Aggregate(rows, eps=eps, r=0.01) for eps in (1e-2, 1e-4))
    >>> coarse.l_ada(1.0) < fine.l_ada(1.0)
    True
    >>> theory.Aggregate(rows, eps=-1.0, r=0.01)
    Traceback (most recent call last):
        ...
    ValueError: theory: eps is -1; it must be positive
    """

    __slots__ = ("_core", "eps", "r", "rows")

    def __init__(self, rows: Iterable[RowConstants], eps: float, r: float) -> None:
        self.rows: tuple[RowConstants, ...] = tuple(RowConstants(*row) for row in rows)
        self.eps, self.r = float(eps), float(r)
        self._core = _ufcm.Aggregate([tuple(row) for row in self.rows], self.eps, self.r)

    def __repr__(self) -> str:
        return f"Aggregate({list(self.rows)!r}, eps={self.eps!r}, r={self.r!r})"

    def l_ada_smooth(self) -> float:
        """sum over j of (lambda*_j + r) L_j, for rows that are all smooth (eq:Lada-definition)."""
        return self._core.l_ada_smooth()

    def l_delta(self, delta: float) -> float:
        """The smoothness of the dualised sum up to an error `delta` (eq:general-heterogeneous-smoothness-constant)."""
        return self._core.l_delta(delta)

    def l_ada(self, d_x: float) -> float:
        """L_ADA for Hölder rows, given D_x >= |x0 - x*| (eq:Lada-definition-general)."""
        return self._core.l_ada(d_x)

    def l_ada_convex(self, d_x: float) -> float:
        """L_ADA where mu_ADA counts as well (eq:Lada-definition-fully-general)."""
        return self._core.l_ada_convex(d_x)

    def mu_ada(self) -> float:
        """mu_ADA (eq:muada-def-general); 0 where no row with a multiplier is uniformly convex."""
        return self._core.mu_ada()

    def own_constants(self, d_x: float, executions: int) -> Constants:
        """L_ADA and mu_ADA for the accuracy of each execution of R-UFCM (rmk:smooth-sc-analog), as a solve takes them.

        >>> from ufcm import theory
        >>> row = theory.RowConstants(1.0, (2.0, 0.5), (0.3, 2.0), pinned=True)
        >>> own = theory.Aggregate([row], eps=1e-3, r=0.1).own_constants(d_x=1.0, executions=3)
        >>> own.executions, own.l_ada[0] < own.l_ada[2], own.mu_ada[0] > own.mu_ada[2]
        (3, True, True)
        """
        l_ada, mu_ada = self._core.own_constants(d_x, executions)
        return Constants(l_ada=l_ada, mu_ada=mu_ada, eps=self.eps, r=self.r, d_x=d_x, executions=executions)
