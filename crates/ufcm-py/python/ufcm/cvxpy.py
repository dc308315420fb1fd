"""Solving CVXPY models: after ``import ufcm.cvxpy``, ``problem.solve(method="UFCM")`` does.

The model's expression tree is walked and keeps its structure: losses stay losses, norms stay norms. What is not supported
is named in the error. Values and duals are written back with CVXPY's signs, and ``problem.solution.attr["result"]`` is the
:class:`ufcm.Result`.

>>> import cvxpy as cp
>>> import ufcm.cvxpy
>>> x = cp.Variable(3)
>>> p = cp.Problem(cp.Minimize(cp.sum_squares(x - 1)), [cp.norm1(x) <= 1.5])
>>> round(float(p.solve(method="UFCM")), 4)
0.75
>>> round(float(p.constraints[0].dual_value), 3)
1.0
"""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import cvxpy.settings as cs
import numpy as np
from cvxpy.reductions.solution import Solution

from ufcm._constraint import Constraint
from ufcm._cvxpy_tree import Layout, Row, Unsupported, Walk, vec
from ufcm._data import Vector
from ufcm._problem import Problem
from ufcm._result import Result

__all__ = ["Unsupported", "solve"]

STATUS = {
    "Certified": cs.OPTIMAL,
    "Solved": cs.OPTIMAL,
    "Infeasible": cs.INFEASIBLE,
    "Unbounded": cs.UNBOUNDED,
    "IterationLimit": cs.USER_LIMIT,
    "TimeLimit": cs.USER_LIMIT,
    "Interrupted": cs.USER_LIMIT,
}


def solve(problem: Any, verbose: bool = False, **settings: Any) -> Any:
    """Solves a CVXPY problem and writes values, duals and status into it; `settings` are those of :meth:`Problem.solve`.

    :class:`Unsupported` where the model has an atom, a constraint or an attribute that is not known here.
    """
    if not problem.is_dcp():
        raise cp.error.DCPError("the problem does not follow the rules of disciplined convex programming")
    model = _Model(problem)
    result = model.problem.solve(verbose=verbose, **settings)
    if result.status not in STATUS and model.met_norms:
        # The tip of a cone may be the answer, which curved rows only creep up to.
        model = _Model(problem, cones=True)
        result = model.problem.solve(verbose=verbose, **settings)
    if result.status not in STATUS:
        raise cp.error.SolverError(f"UFCM: {result.status}: {result.meaning}")
    problem.unpack(model.solution(result, _sharpened(model.problem, result, settings)))
    return problem.value


def _sharpened(problem: Problem, result: Result, settings: dict[str, Any]) -> list[Any]:
    """The multipliers. Without a bounded domain those of a run are rough, however exact x is; a second run from its answer
    that looks only nearby makes them exact. Its proof would rest on that, so nothing else is taken from it."""
    curved = result.certificate is not None and result.certificate.premise_kind == "curvature"
    if (result.status != "Solved" and not curved) or not result.multipliers:
        return result.multipliers
    radius = 1.0 + float(np.linalg.norm(result.x))
    nearby = problem.solve(**{**settings, "x0": result.x, "radius": radius, "callback": None})
    return nearby.multipliers if nearby.status == "Certified" else result.multipliers


class _Model:
    """A CVXPY problem as one of ours, and the way back."""

    def __init__(self, problem: Any, *, cones: bool = False) -> None:
        self.cvxpy = problem
        self.layout = Layout(problem)
        walk = Walk(self.layout, cones)
        self.sign = -1.0 if isinstance(problem.objective, cp.Maximize) else 1.0
        objective = walk.scalar(problem.objective.expr, self.sign)
        # (constraint of the model, its kind, our constraints)
        self.parts: list[tuple[Any, str, list[Constraint]]] = []
        rows: list[tuple[Any, str, list[Row]]] = []
        # Which of the equations says what is in the cone of a constraint, by its id.
        self.directions: dict[int, int] = {}
        for constraint in problem.constraints:
            if cones:
                self.directions[constraint.id] = walk.equations()
            kind, made = _rows(constraint, walk)
            rows.append((constraint, kind, made))
        # Only now is it known how many auxiliary variables there are.
        epigraph = walk.epigraph_constraints()
        for constraint, kind, made in rows:
            self.parts.append((constraint, kind, [row.constraint() for row in made]))
        constraints = [one for _, _, ours in self.parts for one in ours] + epigraph
        self.met_norms, self.equations = walk.met_norms, walk.equations()
        self.problem = Problem(objective.objective(), constraints, domain=self.layout.domain(), n=self.layout.n)

    def solution(self, result: Result, found: list[Any]) -> Solution:
        """The values and duals for CVXPY."""
        status = STATUS[result.status]
        attributes = {
            cs.SOLVE_TIME: result.seconds,
            cs.NUM_ITERS: result.gradient_evaluations,
            "solver_name": "UFCM",
            "result": result,
        }
        if status in (cs.INFEASIBLE, cs.UNBOUNDED):
            value = self.sign * (np.inf if status == cs.INFEASIBLE else -np.inf)
            return Solution(status, value, {}, {}, attributes)
        primal = self.layout.values(result.x)
        duals: dict[int, Any] = {}
        place = 0
        for constraint, kind, ours in self.parts:
            multipliers = found[place : place + len(ours)]
            place += len(ours)
            if kind == "cone":
                duals[constraint.id] = self._cone_duals(constraint, multipliers, found, primal)
                continue
            flat = np.concatenate([np.ravel(multiplier) for multiplier in multipliers])
            duals[constraint.id] = flat.reshape(constraint.shape, order="F")
        return Solution(status, self.sign * result.objective, primal, duals, attributes)


    def _cone_duals(self, constraint: Any, multipliers: list[Any], found: list[Any], primal: dict[int, Any]) -> Vector:
        """(lambda, -lambda x/|x|) of each |x| <= t, one after the other."""
        for variable in constraint.variables():
            variable.save_value(primal[variable.id])
        duals = []
        for k, (multiplier, (_, x)) in enumerate(zip(multipliers, _cones(constraint))):
            size = float(np.ravel(multiplier)[0])
            if constraint.id in self.directions:
                # Those of the equations, which come last: at the tip x/|x| is none.
                direction = np.ravel(found[self.directions[constraint.id] + k - self.equations])
            else:
                z = vec(x.value)
                direction = -size * z / (np.linalg.norm(z) or 1.0)
            duals.append(np.concatenate([[size], direction]))
        return np.concatenate(duals)


def _cones(constraint: Any) -> list[tuple[Any, Any]]:
    """(t, x) of each |x| <= t."""
    t, x = constraint.args
    if x.ndim < 2:
        return [(t, x)]
    return [(t[k], x[:, k] if constraint.axis == 0 else x[k, :]) for k in range(t.size)]


def _rows(constraint: Any, walk: Walk) -> tuple[str, list[Row]]:
    """The rows of a constraint, in CVXPY's order (column after column)."""
    if isinstance(constraint, (cp.constraints.Zero, cp.constraints.Equality)):
        return "rows", [walk.block(constraint.expr, equality=True)]
    if isinstance(constraint, (cp.constraints.NonPos, cp.constraints.Inequality)):
        return "rows", walk.rows(constraint.expr)
    if isinstance(constraint, cp.constraints.NonNeg):
        return "rows", walk.rows(-constraint.args[0])
    if isinstance(constraint, cp.SOC):
        cones = _cones(constraint)
        return "cone", [row for t, x in cones for row in walk.rows(cp.norm2(cp.vec(x, order="F")) - cp.sum(t))]
    raise Unsupported(f"UFCM does not support constraints of type {type(constraint).__name__}")


cp.Problem.register_solve("UFCM", solve)
