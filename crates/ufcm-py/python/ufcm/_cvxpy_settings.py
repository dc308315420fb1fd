"""What CVXPY's users pass to a solver, as our settings; what a run tells, as CVXPY's statistics."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import cvxpy.settings as cs
import numpy as np

from ufcm._problem import Problem
from ufcm._result import Result

STATUS = {
    "Certified": cs.OPTIMAL,
    "Solved": cs.OPTIMAL,
    "PrecisionLimit": cs.OPTIMAL_INACCURATE,
    "Infeasible": cs.INFEASIBLE,
    "Unbounded": cs.UNBOUNDED,
    "IterationLimit": cs.USER_LIMIT,
    "TimeLimit": cs.USER_LIMIT,
    "Interrupted": cs.USER_LIMIT,
}

# The gap, which is proven, and the violation. Interior points go to 1e-9 in their first run, which mostly proves this; what others call
# 1e-8 is a tolerance on residuals.
EPS = 1e-7
# Where that is out of reach.
LOOSER = 1e-6
# Gradients after which the constraints are looked at alone.
LOOK = 2000
# The violation, and the size of variables, up to which an answer at a limit of rounding is one; not measured.
NEAR, FAR = 1e-4, 1e9
# Seconds that a run has at least: it ends at its first look at the clock.
SHORTEST = 1e-9
# Arguments of Problem.solve that say nothing to a solver.
NOT_FOR_SOLVERS = ("bibtex", "canon_backend", "enforce_dpp", "ignore_dpp", "nlp", "requires_grad", "use_quad_obj")


# When building began, for the part of the work that CVXPY does.
STARTED = "_started"


class Options:
    """Settings of :meth:`ufcm.Problem.solve`, with one limit of time for building and solving."""

    def __init__(self, given: dict[str, Any]) -> None:
        settings = {key: value for key, value in given.items() if key not in NOT_FOR_SOLVERS}
        self._start = settings.pop(STARTED, time.perf_counter())
        self.verbose = bool(settings.pop("verbose", False))
        self.verbose = bool(settings.pop("solver_verbose", self.verbose))
        self.warm_start = bool(settings.pop("warm_start", True))
        self.limit: float | None = settings.pop("time_limit", None)
        if self.limit is not None and not self.limit > 0.0:
            raise ValueError(f"settings: time_limit is {self.limit}; it must be positive")
        # What all runs took.
        self.seconds = 0.0
        eps = settings.pop("eps", None)
        self.was_asked = eps is not None or "eps_rel" in settings or "eps_feas" in settings
        for name in ("eps_rel", "eps_feas"):
            settings.setdefault(name, EPS if eps is None else eps)
        for name in ("max_iters", "max_iter"):
            if name in settings:
                settings["max_gradients"] = settings.pop(name)
        if "inner_method" in settings:
            settings["method"] = settings.pop("inner_method")
        self.has_method, self.has_limit = "method" in settings, "max_gradients" in settings
        self._settings = settings

    def for_run(self, **others: Any) -> dict[str, Any]:
        """The settings of a run that begins now."""
        settings = {**self._settings, "verbose": self.verbose, **others}
        if self.limit is not None:
            settings["time_limit"] = max(self.limit - (time.perf_counter() - self._start), SHORTEST)
        return settings

    def solve(self, problem: Problem, **others: Any) -> Result:
        """A run, whose time is counted."""
        result = problem.solve(**self.for_run(**others))
        self.seconds += result.seconds
        return result

    def looser(self) -> dict[str, float]:
        """Tolerances for a second try, where nobody asked for others."""
        return {} if self.was_asked else {"eps_rel": LOOSER, "eps_feas": LOOSER}


def is_answer(result: Result) -> bool:
    """Whether CVXPY has a name for the status, and the point is one: at a limit of rounding, that it is near the constraints, and not on its
    way to infinity, where models that are infeasible or unbounded end."""
    if result.status == "PrecisionLimit":
        return result.violation <= NEAR and float(np.max(np.abs(result.x), initial=0.0)) <= FAR
    return result.status in STATUS


def run(
    problem: Problem, options: Options, by_factors: bool, proof_of_none: Callable[[], Result | None], **others: Any
) -> Result:
    """Solves by interior points first where there are cones, and where every row is affine, which they are chosen for in any case: asked by name,
    they end with an answer that meets the optimality conditions also where no bound proves it, and nobody has a second look. By what `auto` chooses elsewhere, where a method was asked for, where
    factorisations are too large, and where interior points end with nothing: these tolerances are out of their reach then, and other
    methods would take minutes for them. Each once more with looser tolerances.

    `proof_of_none` looks for a proof that nothing satisfies the constraints, which a curved objective can hide for minutes."""
    tries: list[dict[str, Any]] = [{}, options.looser()] if options.looser() else [{}]
    if by_factors and not options.has_method:
        try:
            named = [{"method": "interior-point", **own} for own in tries]
            result = _first_answer(problem, options, others, named)
        except ValueError:
            pass  # the program is too large for factorisations
        else:
            if is_answer(result):
                return result
            empty = proof_of_none()
            if empty is not None:
                return empty
            tries = tries[-1:]
    elif not options.has_limit and not options.has_method and problem.subject_to:
        result = options.solve(problem, **others, max_gradients=LOOK)
        if is_answer(result) and result.status != "IterationLimit":
            return result
        empty = proof_of_none()
        if empty is not None:
            return empty
        others = {"warm_start": result}
    return _first_answer(problem, options, others, tries)


def _first_answer(problem: Problem, options: Options, others: dict[str, Any], tries: list[dict[str, Any]]) -> Result:
    result = options.solve(problem, **others, **tries[0])
    for own in tries[1:]:
        if is_answer(result):
            break
        result = options.solve(problem, **others, **own)
    return result


def statistics(result: Result, seconds: float, offset: float = 0.0, sign: float = 1.0) -> dict[str, Any]:
    """What ``problem.solver_stats`` and ``problem.solution.attr`` are made of; the model's objective is sign * (ours + offset)."""
    lower, upper = sorted(sign * (bound + offset) for bound in (result.lower_bound, result.upper_bound))
    extra = {
        "status": result.status,
        "lower_bound": lower,
        "upper_bound": upper,
        "gap_rel": result.gap_rel,
        "violation": result.violation,
        "methods": result.methods,
        "premise": result.premise,
    }
    return {
        cs.SOLVE_TIME: seconds,
        cs.NUM_ITERS: max(result.steps, result.inner_steps),
        cs.EXTRA_STATS: extra,
        "solver_name": "UFCM",
        "result": result,
    }
