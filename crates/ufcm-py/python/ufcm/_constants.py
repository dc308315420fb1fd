"""The constants of the published methods."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Constants:
    """What a published method asks for; what is not given is found, by a theorem or by a default solve before.

    The result's ``constants`` has all that a run was made with, and repeats the run bit for bit.

    >>> import ufcm
    >>> p = ufcm.Problem(
    ...     minimize=ufcm.quadratic([1.0, 1.0], [-2.0, 0.0]),
    ...     subject_to=[ufcm.quadratic([1.0, 1.0]) <= 0.5],
    ...     domain=ufcm.box(-5.0, 5.0),
    ... )
    >>> own = ufcm.Constants(l_ada=2.1, d_x=1.0, d_lambda=1.0, iterations=50)
    >>> r = p.solve(method="ufcm", constants=own, eps_rel=1e-9)
    >>> r.constants_gradients, r.gradient_evaluations, r.constants.c
    (0, 50, 1.0)
    >>> again = p.solve(method="ufcm", constants=r.constants, eps_rel=1e-9)
    >>> bool((again.x == r.x).all())
    True
    """

    l_ada: float | None = None
    """L_ADA, or an upper bound; for ``"acgd-s"`` L(Lambda_r)."""
    mu_ada: float | None = None
    """mu_ADA, or a lower bound."""
    d_x: float | None = None
    """A bound of the distance from the start to the solution."""
    d_lambda: float | None = None
    """A bound of the distance from the first multipliers to those of the solution."""
    c: float | None = None
    """C of ``"ufcm"``; ``d_lambda / d_x`` by default, and sqrt(2)/2 without these."""
    delta: float | None = None
    """Delta of ``"ufcm"``; ``c / (2 l_ada)`` by default, and sqrt(2)/(4 l_ada) without distances."""
    r: float | None = None
    """r, which speaks of what is promised alone."""
    eps: float | None = None
    """The accuracy; what the tolerances ask for by default."""
    iterations: int | None = None
    """Outer iterations; what a theorem promises to suffice by default."""
    executions: int | None = None
    """The executions of ``"restarted"``."""

    def given(self) -> dict[str, Any]:
        """Those that are given, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}


__all__ = ["Constants"]
