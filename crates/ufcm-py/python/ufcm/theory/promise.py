"""How many gradients and proximal steps each theorem promises to suffice, where its conditions hold.

The paper's slips are corrected, as docs/errata.md says. A condition that does not hold raises :class:`ufcm.theory.Unproven`.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ufcm._ufcm import Promises as _Promises

if TYPE_CHECKING:
    from ufcm._rows import Aggregate


class Promise(NamedTuple):
    """Numbers of oracle calls that suffice."""

    gradients: float
    """N_eps: evaluations of all values and gradients (outer iterations)"""
    proximal: float
    """P_eps: proximal steps on u and h (inner iterations)"""


class Distances(NamedTuple):
    """What is known of the way to a saddle point, besides the constants of the rows."""

    d_x: float
    """D_x >= |x0 - x*|"""
    d_lambda: float
    """D_lambda >= |lambda0 - lambda*|; 0 where h is linear"""
    m: float
    """M >= the norm of the Jacobian in the ball where the iterates stay"""


class Balance(NamedTuple):
    """The balancing parameters of the step sizes (prop lemma:h-smooth-lambda-iterate-bound)."""

    c: float
    delta: float

    @classmethod
    def without_distances(cls, l_ada: float) -> Balance:
        """C = sqrt(2)/2, Delta = sqrt(2)/(4 L_ADA) (cor:smooth-composite-rates)."""
        return cls(*_Promises.balance_without_distances(l_ada))

    @classmethod
    def with_distances(cls, l_ada: float, d_x: float, d_lambda: float) -> Balance:
        """C = D_lambda/D_x, Delta = C/(2 L_ADA) (cor:smooth-composite-rates-primal-dist).

        >>> from ufcm.theory import Balance
        >>> Balance.with_distances(2.0, 1.0, 3.0)
        Balance(c=3.0, delta=0.75)
        """
        return cls(*_Promises.balance_with_distances(l_ada, d_x, d_lambda))


class Case(Enum):
    """The four cases of R-UFCM (table tab:composite-heterogeneous-rates): which iterates restart."""

    NEITHER = "1a"
    DUAL = "1b"
    PRIMAL = "2a"
    BOTH = "2b"

    @classmethod
    def of(cls, mu_ada: float, l_h: float, eps: float, at: Distances) -> Case:
        """Primal restarts if mu_ADA >= 4 eps/D_x^2, dual ones if L_h <= D_lambda^2/eps."""
        return cls(_Promises.case(mu_ada, l_h, eps, at))


def smooth(l_ada: float, eps: float, r: float, balance: Balance, at: Distances) -> Promise:
    """Smooth rows, any C and Delta (thm:smooth-composite-convergence). It has no conditions."""
    return Promise(*_Promises.smooth(l_ada, eps, r, balance, at))


def gap_bound(l_ada: float, eps: float, r: float, balance: Balance, at: Distances, steps: float) -> float:
    """The proven bound of Q after `steps` iterations, for Hölder rows (eq:Q-bound-Holder). r = 0 is lambda = lambda*."""
    return _Promises.gap_bound(l_ada, eps, r, balance, at, steps)


def heterogeneous(l_ada: float, eps: float, r: float, balance: Balance, at: Distances) -> Promise:
    """Hölder rows, any C and Delta for which errors do not add up (thm:heterogeneous-composite-convergence)."""
    return Promise(*_Promises.heterogeneous(l_ada, eps, r, balance, at))


def heterogeneous_balanced(l_ada: float, eps: float, at: Distances) -> Promise:
    """Hölder rows with C = D_lambda/D_x, Delta = C/(2 L_ADA), and any r <= D_lambda (eq:Heterogeneous-complexity-bounds-simpler)."""
    return Promise(*_Promises.heterogeneous_balanced(l_ada, eps, at))


def restarted(
    l_ada: float, mu_ada: float, l_h: float, eps: float, r: float, executions: int, at: Distances
) -> Promise:
    """R-UFCM with at least :func:`executions` executions, all four cases (section section:proof-of-RUFCM).

    >>> from ufcm.theory import Distances, Unproven, promise
    >>> at = Distances(d_x=2.0, d_lambda=3.0, m=5.0)
    >>> promise.restarted(10.0, 1.0, float("inf"), 1e-4, 0.03, promise.executions(1.0, 1e-4), at).gradients
    447.7741...
    >>> try:
    ...     promise.restarted(10.0, 1.0, 1e-6, 1e-4, 0.03, 14, at)
    ... except Unproven as unproven:
    ...     print(unproven.name, sorted(unproven.numbers))
    RadiusAboveDistance ['d_lambda', 'r']
    """
    return Promise(*_Promises.restarted((l_ada, mu_ada, l_h), (eps, r), executions, at))


def executions(initial_gap: float, eps: float) -> int:
    """K = ceil(log2((Q + eps)/eps)), at least 1, with Q at the start (thm:fully-heteogeneous-component-guarantees)."""
    return _Promises.executions(initial_gap, eps)


def first_radius(mu_ada: float, eps: float, executions: int, d_x: float) -> float:
    """D_x^(0) (eq:R-UFCM-initializations)."""
    return _Promises.first_radius(mu_ada, eps, executions, d_x)


def last_dual_radius(l_h: float, eps: float, d_lambda: float) -> float:
    """D_lambda^(K-1), the least D_lambda of an execution; r must not be larger."""
    return _Promises.last_dual_radius(l_h, eps, d_lambda)


def iterate_radius(l_ada: float, balance: Balance, d_x: float, d_lambda: float, steps: float | None = None) -> float:
    """How far from x* the iterates can get: for smooth rows, or for Hölder rows within N = `steps` (eq:primal-iterate-bound-general)."""
    return _Promises.iterate_radius(l_ada, balance, d_x, d_lambda, steps)


def dual_iterate_radius(l_ada: float, l_h: float, balance: Balance, at: Distances, steps: float | None = None) -> float:
    """How far from lambda* the multipliers can get, for an L_h-smooth h (eq:dual-iterate-bound-general)."""
    return _Promises.dual_iterate_radius(l_ada, l_h, balance, at, steps)


def implicit_gradients(rows: Aggregate, d_x: float) -> float:
    """The T of cor:Lada-general-implicit-formula, straight from the rows.

    >>> from ufcm import theory
    >>> rows = theory.Aggregate([theory.RowConstants(1.0, (2.0, 0.5)), theory.RowConstants(0.3, (5.0, 0.0))], 1e-3, 1e-2)
    >>> direct = theory.promise.heterogeneous_balanced(rows.l_ada(2.0), 1e-3, theory.Distances(2.0, 1.0, 1.0))
    >>> bool(abs(theory.promise.implicit_gradients(rows, 2.0) / direct.gradients - 1) < 1e-9)
    True
    """
    return _Promises.implicit_gradients(rows._core, d_x)


def k_sm(eps: float, l: float, p: float, distance: float) -> float:  # noqa: E741
    """K_SM, the optimal order for one (L, p)-Hölder smooth function (eq:optimal-holderSmooth-rate), with constant 1."""
    return _Promises.k_sm(eps, l, p, distance)


def k_uc(eps: float, l: float, p: float, mu: float, q: float, gap: float) -> float:  # noqa: E741
    """K_UC, the optimal order under uniform convexity (eq:optimal-holderSmoothUniformlyConvex-rate), with constant 1."""
    return _Promises.k_uc(eps, l, p, mu, q, gap)


def table(l_ada: float, mu_ada: float, l_h: float, eps: float, at: Distances) -> Promise:
    """The cell of table 1 (tab:composite-heterogeneous-rates) that :meth:`Case.of` names: the orders, with constant 1."""
    return Promise(*_Promises.table(l_ada, mu_ada, l_h, eps, at))


def acgd_s(l: float, mu_0: float, eps: float, at: Distances) -> Promise:  # noqa: E741
    """The orders of ACGD-S for a mu_0-strongly convex g_0, as the paper reports them, with constant 1."""
    return Promise(*_Promises.acgd_s(l, mu_0, eps, at))


def acgd_s_strongly_convex(l: float, mu_0: float, eps: float, at: Distances) -> Promise:  # noqa: E741
    """What is proven of our ACGD-S for a mu_0-strongly convex g_0 (decision 0026); `l` is L(Lambda_r), ``at.d_lambda`` d(Lambda_r).

    >>> from ufcm.theory import Distances, promise
    >>> at = Distances(d_x=1.0, d_lambda=1.0, m=2.0)
    >>> [promise.acgd_s_strongly_convex(10.0, 1.0, eps, at).gradients for eps in (1e-2, 1e-4, 1e-6)]
    [24.0, 45.0, 66.0]
    """
    return Promise(*_Promises.acgd_s_strongly_convex(l, mu_0, eps, at))


__all__ = [
    "Balance",
    "Case",
    "Distances",
    "Promise",
    "acgd_s",
    "acgd_s_strongly_convex",
    "dual_iterate_radius",
    "executions",
    "first_radius",
    "gap_bound",
    "heterogeneous",
    "heterogeneous_balanced",
    "implicit_gradients",
    "iterate_radius",
    "k_sm",
    "k_uc",
    "last_dual_radius",
    "restarted",
    "smooth",
    "table",
]
