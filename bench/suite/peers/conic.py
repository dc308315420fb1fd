"""Conic solvers through CVXPY; writing the model down counts as building."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.instance import Instance
from suite.peers.answer import WALL, Answer, Wish, climb
from suite.rows import Vector

SOLVERS = ("clarabel", "scs", "ecos")


def takes(instance: Instance) -> bool:
    """Instances of a size at which conic models make sense."""
    return instance.conic is not None


def _options(solver: str, tolerance: float, limit: float) -> dict[str, Any]:
    if solver == "clarabel":
        return {"tol_gap_abs": tolerance, "tol_gap_rel": tolerance, "tol_feas": tolerance, "time_limit": limit, "max_threads": 1}
    if solver == "scs":
        return {"eps_abs": tolerance, "eps_rel": tolerance, "time_limit_secs": limit, "max_iters": 10_000_000}
    return {"abstol": tolerance, "reltol": tolerance, "feastol": tolerance, "max_iters": 500}


def by(solver: str) -> Any:
    """The peer of that name."""

    def solve(instance: Instance, wish: Wish) -> Answer:
        def build() -> Any:
            import cvxpy as cp

            assert instance.conic is not None
            problem, x = instance.conic()
            problem.get_problem_data(solver.upper())

            def fit(tolerance: float) -> tuple[str, Vector | None]:
                try:
                    problem.solve(solver=solver.upper(), **_options(solver, tolerance, WALL * wish.limit))
                except (cp.error.SolverError, ArithmeticError, ValueError) as error:
                    return f"{type(error).__name__}", None
                return problem.status, None if x.value is None else np.asarray(x.value)

            return fit

        return climb(instance, wish, build)

    return solve
