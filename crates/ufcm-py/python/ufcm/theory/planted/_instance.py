"""The instances."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ufcm import _ufcm
from ufcm._data import Vector
from ufcm._problem import Problem
from ufcm._result import RowLayout
from ufcm._rows import Aggregate, RowConstants
from ufcm.theory.measure import SaddlePoint
from ufcm.theory.promise import Distances


class Composition(NamedTuple):
    """How the rows combine."""

    name: str
    """``"sum"``, ``"constraints"`` (row 0 is the objective), ``"max"``, ``"log-sum-exp"`` or ``"squared hinge"``"""
    eta: float | None = None
    """of ``"log-sum-exp"`` and ``"squared hinge"``"""

    def multipliers(self, m: int) -> list[float]:
        """Multipliers that go well with it, for `m` rows."""
        return _ufcm.Instance.multipliers_of(self, m)


COMPOSITIONS: tuple[Composition, ...] = tuple(Composition(*fields) for fields in _ufcm.Instance.compositions())
"""Those of docs/theory.md."""


def _composition(given: Composition | str) -> Composition:
    return Composition(given) if isinstance(given, str) else Composition(*given)


class RowKind(NamedTuple):
    """What a row should be like."""

    scale: float
    """L_j is about this."""
    p: float
    convexity: tuple[float, float] | None
    """(mu_j, q_j); rows without it have curvatures spread over six decades."""
    multiplier: float
    """lambda*_j"""


class _PlantedProblem(Problem):
    """A problem whose components exist in the compiled part alone."""

    def __init__(self, core: _ufcm.Problem) -> None:
        self._core = core
        self.minimize, self.regularizer, self.domain = None, None, None
        layout = [(RowLayout(name, row, rows, rows == 1), bound) for name, row, rows, _, _, bound in core.blocks[1:]]
        self._term_rows = [rows for rows, is_constraint in layout if not is_constraint]
        self._constraint_rows = [rows for rows, is_constraint in layout if is_constraint]
        self.subject_to = ()

    def __repr__(self) -> str:
        rows = len(self._core.row_names)
        return f"<planted Problem: {self.n} variables, {rows} rows, {self._core.regularizer_kind}>"

    def __reduce__(self) -> Any:
        raise TypeError("a planted problem cannot be pickled; plant it again from its seed")


class Instance:
    """A problem with its saddle point, a start, and the constants of its rows.

    :param composition: how the rows combine
    :param kinds: what each row is like; row 0 is the objective of ``"constraints"``
    :param n: variables
    :param seed: of the random centres and slopes

    >>> from ufcm.theory import measure, planted
    >>> kinds = [planted.RowKind(1.0, 1.0, None, 1.0), planted.RowKind(2.0, 1.0, (0.5, 1.0), 0.7)]
    >>> instance = planted.Instance("constraints", kinds, n=10, seed=7)
    >>> measure.optimality(instance.problem, instance.saddle.x, instance.saddle, r=0.1).eps < 1e-9
    True
    >>> instance.problem.solve(eps_rel=1e-9).objective - instance.saddle.value < 1e-6
    True
    """

    __slots__ = ("_core", "_problem")

    def __init__(self, composition: Composition | str, kinds: Iterable[RowKind], n: int, seed: int) -> None:
        rows = [tuple(RowKind(*kind)) for kind in kinds]
        self._set(_ufcm.Instance(_composition(composition), rows, n, seed))

    def _set(self, core: _ufcm.Instance) -> None:
        self._core = core
        self._problem: Problem = _PlantedProblem(core.problem)

    @classmethod
    def _of(cls, core: _ufcm.Instance) -> Instance:
        made = cls.__new__(cls)
        made._set(core)
        return made

    @property
    def problem(self) -> Problem:
        """The problem, over a ball of radius 4."""
        return self._problem

    @property
    def saddle(self) -> SaddlePoint:
        """x*, lambda* and p*."""
        return SaddlePoint(*self._core.saddle)

    @property
    def x0(self) -> Vector:
        """x^0 = 0."""
        return self._core.x0

    @property
    def multipliers0(self) -> Vector:
        """lambda^0, of all rows."""
        return self._core.multipliers0

    @property
    def constants(self) -> list[RowConstants]:
        """Of the planted rows; a g_0 that is not there does not count."""
        return [RowConstants(*fields) for fields in self._core.constants]

    @property
    def d_x(self) -> float:
        """|x^0 - x*| = 1"""
        return self._core.d_x

    @property
    def d_lambda(self) -> float:
        """|lambda^0 - lambda*|, or a little more where that is 0"""
        return self._core.d_lambda

    @property
    def l_h(self) -> float:
        """L_h of the composer: infinite where it is not smooth, 0 where it is linear"""
        return self._core.l_h

    def r(self, eps: float) -> float:
        """The paper's r for this accuracy, as far as its proof goes (docs/errata.md)."""
        return self._core.r(eps)

    def theory(self, eps: float) -> Aggregate:
        """The theory's view for accuracy `eps`."""
        return Aggregate(self.constants, eps, self.r(eps))

    def distances(self, radius: float) -> Distances:
        """D_x, D_lambda, and M within `radius` of x*."""
        return Distances(*self._core.distances(radius))


def uniform_instance(
    composition: Composition | str, p: float, convexity: tuple[float, float] | None, seed: int
) -> Instance:
    """Three rows of one smoothness exponent and one (mu, q), in 30 variables."""
    return Instance._of(_ufcm.Instance.uniform(_composition(composition), p, convexity, seed))


def mixed_instance(composition: Composition | str, rough: bool, convex: bool, seed: int) -> Instance:
    """Rows whose exponents differ: p over {0, 1/4, 1/2, 1} or {1/2, 3/4, 1}, and q over {1, 2, 3} where `convex`."""
    return Instance._of(_ufcm.Instance.mixed(_composition(composition), rough, convex, seed))


def smooth_and_lipschitz(lipschitz: float, eps: float, power: float) -> Instance:
    """Section 1.2 of the paper: the max of one smooth and one Lipschitz piece, the latter with multiplier `lipschitz`.

    The start is lambda^0 = (1/2, 1/2) whatever lambda* is, and r = eps^power.
    """
    return Instance._of(_ufcm.Instance.smooth_and_lipschitz(lipschitz, eps, power))
