"""The constants of the published methods."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
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

    R-UFCM takes one ``l_ada`` and one ``mu_ada`` for all executions, or a list with one for each
    (:meth:`ufcm.theory.Aggregate.own_constants` makes such lists):

    >>> own = ufcm.Constants(l_ada=[2.0, 2.1], mu_ada=[1.0, 1.0], d_x=1.0, d_lambda=1.0, eps=0.1)
    >>> r = p.solve(method="restarted", constants=own)
    >>> r.constants.executions, r.constants.l_ada
    (2, (2.0, 2.1))
    """

    l_ada: float | Iterable[float] | None = None
    """L_ADA, or an upper bound; for ``"acgd-s"`` L(Lambda_r). For ``"restarted"`` also one for each execution."""
    mu_ada: float | Iterable[float] | None = None
    """mu_ADA, or a lower bound; for ``"acgd-s"`` mu_0 of the objective. For ``"restarted"`` also one for each execution."""
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

    def __post_init__(self) -> None:
        for name in ("l_ada", "mu_ada"):
            value = getattr(self, name)
            if isinstance(value, Iterable) and not isinstance(value, str):
                object.__setattr__(self, name, tuple(float(number) for number in value))

    def given(self) -> dict[str, Any]:
        """Those that are given, by name, as the compiled part takes them: lists are ``each``."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        each = _each(values["l_ada"], values["mu_ada"])
        if each is not None:
            values = {**values, "l_ada": None, "mu_ada": None, "each": each}
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def of(cls, told: dict[str, Any]) -> Constants:
        """Those that a run tells of."""
        told = dict(told)
        each = told.pop("each", None)
        if each is not None:
            told |= {name: [own[name] for own in each] for name in ("l_ada", "mu_ada")}
        return cls(**told)


def _each(l_ada: Any, mu_ada: Any) -> list[dict[str, float]] | None:
    """The constants of each execution, where one of the two is a list; one number stands for all executions."""
    if not isinstance(l_ada, tuple) and not isinstance(mu_ada, tuple):
        return None
    count = max(len(given) for given in (l_ada, mu_ada) if isinstance(given, tuple))
    if l_ada is None:
        raise ValueError("mu_ada is given for each execution, and l_ada is not given at all")
    lists = [given if isinstance(given, tuple) else (given or 0.0,) * count for given in (l_ada, mu_ada)]
    if len(lists[0]) != len(lists[1]):
        raise ValueError(
            f"l_ada has {len(lists[0])} numbers, and mu_ada {len(lists[1])}; both speak of each execution"
        )
    return [{"l_ada": own_l, "mu_ada": own_mu} for own_l, own_mu in zip(*lists)]


__all__ = ["Constants"]
