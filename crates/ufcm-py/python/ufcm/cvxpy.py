"""Solving CVXPY models: after ``import ufcm.cvxpy``, ``problem.solve(solver="UFCM")`` does; so does ``method="UFCM"``.

The model's expression tree is walked and keeps its structure: losses stay losses, norms stay norms, before CVXPY's own
canonicalisation, which takes what is left; models that the walk does not take go through CVXPY's conic form as a whole. What is
not supported (semidefinite cones, integers) is named in the error. Values and duals are written back with CVXPY's signs,
``problem.solver_stats`` has what it took and the proven lower bound, and ``problem.solution.attr["result"]`` is the
:class:`ufcm.Result`.

>>> import cvxpy as cp
>>> import ufcm.cvxpy
>>> "UFCM" in cp.installed_solvers()
True
>>> x = cp.Variable(3)
>>> p = cp.Problem(cp.Minimize(cp.sum_squares(x - 1)), [cp.norm1(x) <= 1.5])
>>> round(float(p.solve(solver="UFCM")), 4)
0.75
>>> round(float(p.constraints[0].dual_value), 3)
1.0

Settings are those of :meth:`ufcm.Problem.solve`; ``eps`` stands for ``eps_rel`` and ``eps_feas`` (1e-7 by default), ``max_iters``
for ``max_gradients``, ``inner_method`` for ``method``, and ``time_limit`` counts from the start of building. A model with
parameters that follows the rules of DPP is not walked again when their values change, and is solved from where the last solve
ended unless ``warm_start=False``.
"""

from __future__ import annotations

import time
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import cvxpy as cp
import cvxpy.settings as cs
import numpy as np
from cvxpy.problems.problem import SolverStats
from cvxpy.problems.problem_form import ProblemForm
from cvxpy.reductions.solution import Solution

from ufcm import _cvxpy_conic as conic
from ufcm._constraint import Affine, Constraint
from ufcm._cvxpy_affine import Layout, Place, Unsupported
from ufcm._cvxpy_settings import STARTED, STATUS, Options, is_answer, run, statistics
from ufcm._cvxpy_tree import Block, Walk, domain_of
from ufcm._problem import Problem
from ufcm._result import Result

__all__ = ["Unsupported", "solve"]

_solve_by_others = cp.Problem._solve

# The models of problems with parameters, as long as these live; not in the problems, which are copied and pickled without them.
_models: weakref.WeakKeyDictionary[Any, _Model] = weakref.WeakKeyDictionary()


def solve(problem: Any, **settings: Any) -> Any:
    """Solves a CVXPY problem and writes values, duals and status into it; `settings` are those of :meth:`ufcm.Problem.solve`.

    :class:`Unsupported` where the model has something that neither the walk nor CVXPY's conic form can say here.
    """
    settings.pop("gp", None)
    settings.pop("qcp", None)
    start = settings.setdefault(STARTED, time.perf_counter())
    options = Options(settings)
    if not problem.is_dcp():
        return _solve_by_others(problem, solver=conic.NAME)  # CVXPY tells what breaks the rules, and other ways to solve it
    if settings.get("enforce_dpp") and not problem.is_dpp():
        raise cp.error.DPPError("the problem does not follow the rules of disciplined parametrised programming (DPP)")
    for parameter in problem.parameters():
        if parameter.value is None:
            raise cp.error.ParameterError(f"the parameter {parameter.name()} has no value")
    try:
        model = _model(problem)
        problem._compilation_time = time.perf_counter() - start
        result = model.solve(options)
    except Unsupported as why:
        return _solve_as_cones(problem, settings, why)
    if not is_answer(result):
        told = cp.error.SolverError(f"UFCM: {result.status}: {result.meaning}")
        return _solve_as_cones(problem, settings, told)
    found = _sharpened(model.problem, result, options)
    _unpack(problem, model.solution(result, found, options.seconds))
    return problem.value


def _unpack(problem: Any, solution: Solution) -> None:
    if solution.status == cs.OPTIMAL_INACCURATE:
        warnings.warn("UFCM: the tolerances are less than rounding leaves; the solution may be inaccurate", stacklevel=4)
    problem.unpack(solution)
    if solution.status in cs.SOLUTION_PRESENT and np.isnan(problem.value):
        problem._value = solution.opt_val  # 0 log(x) where rounding leaves x = -1e-12
    problem._solver_stats = SolverStats.from_dict(solution.attr, conic.NAME)


def _solve_as_cones(problem: Any, settings: dict[str, Any], why: Exception) -> Any:
    """Through CVXPY's conic form, unless it has cones that are not known here: then it is said why the walk ended."""
    if problem.is_mixed_integer() or not problem.variables():
        raise why
    if any(isinstance(constraint, cp.constraints.FiniteSet) for constraint in problem.constraints):
        raise why  # CVXPY gives conic solvers the relaxation
    unknown = ProblemForm(problem).cones() & {cp.constraints.PSD, cp.constraints.SvecPSD}
    if unknown:
        raise Unsupported(f"{why}; CVXPY's conic form has semidefinite cones (PSD), which UFCM does not support")
    kept = {key: value for key, value in settings.items() if value is not None}
    try:
        return _in_its_sense(problem, _solve_by_others(problem, solver=conic.NAME, **kept))
    except cp.error.SolverError as error:
        raise why from error


def _solve_by_name(problem: Any, solver: Any = None, **settings: Any) -> Any:
    """In the place of ``Problem._solve``: who asks for UFCM gets the walk; everything else is CVXPY's."""
    asked = isinstance(solver, str) and solver.upper() == conic.NAME
    special = any(settings.get(name) for name in ("gp", "qcp", "nlp", "requires_grad"))
    if asked and not special and problem.variables():
        return solve(problem, **settings)
    if not asked or not problem.variables():
        return _solve_by_others(problem, solver=solver, **settings)
    if settings.get("gp"):
        settings.setdefault(STARTED, time.perf_counter())
    value = _solve_by_others(problem, solver=solver, **settings)
    return _in_its_sense(problem, value, settings.get("gp", False), settings.get("qcp", False))


def _in_its_sense(problem: Any, value: Any, gp: bool = False, qcp: bool = False) -> Any:
    """`value`, once the bounds told of a conic form are those of the model: maximisation turns them, geometric programs are
    logarithms, and the programs of a bisection say nothing of its optimum."""
    extra = None if problem.solver_stats is None else problem.solver_stats.extra_stats
    if isinstance(extra, dict):
        lower, upper = extra["lower_bound"], extra["upper_bound"]
        if isinstance(problem.objective, cp.Maximize):
            lower, upper = -upper, -lower
        if gp:
            lower, upper = float(np.exp(lower)), float(np.exp(upper))
        extra["lower_bound"], extra["upper_bound"] = (-np.inf, np.inf) if qcp else (lower, upper)
    return value


def _sharpened(problem: Problem, result: Result, options: Options) -> list[Any]:
    """The multipliers. Without a bounded domain those of a run are rough, however exact x is; a second run from its answer
    that looks only nearby makes them exact. Its proof would rest on that, so nothing else is taken from it."""
    curved = result.certificate is not None and result.certificate.premise_kind == "curvature"
    exact = "interior-point" in result.methods
    if (result.status != "Solved" and not curved) or not result.multipliers or exact:
        return result.multipliers
    radius = 1.0 + float(np.linalg.norm(result.x))
    others = {"x0": result.x, "radius": radius, "callback": None, "warm_start": None, "verbose": False}
    nearby = options.solve(problem, **others)
    return nearby.multipliers if nearby.status == "Certified" else result.multipliers


def _model(problem: Any) -> _Model:
    """The model of a problem: the one of the last solve, where all that can have changed are the values of parameters."""
    last = _models.get(problem)
    if last is not None and last.walk.gathered.is_reusable:
        last.build()
        return last
    model = _Model(problem)
    if problem.parameters():
        _models[problem] = model
        # Parameters that weigh entries are walked again; the solve begins at the last answer all the same.
        if last is not None:
            model.begin_at(last)
    return model


class _Model:
    """A CVXPY problem as one of ours, and the way back."""

    problem: Problem
    # The duals of a proof that is of the constraints alone.
    _duals_of_none: dict[int, Any] | None = None

    def __init__(self, problem: Any) -> None:
        # Not the problem: it would live as long as its model does.
        self._constraints, self._expression = problem.constraints, problem.objective.expr
        self.layout = Layout(problem.variables())
        self.walk = walk = Walk(self.layout, problem.parameters())
        self.sign = -1.0 if isinstance(problem.objective, cp.Maximize) else 1.0
        self._objective = walk.scalar(problem.objective.expr, self.sign)
        # (constraint of the model, the block of its rows, where they stand in it)
        self._parts: list[tuple[Any, str, Place]] = [(one, *walk.take(one)) for one in problem.constraints]
        self._last: Result | None = None
        self.build()

    def build(self) -> None:
        """Our problem, for the values that parameters have."""
        walk = self.walk
        data = walk.data()
        blocks: list[tuple[str, Block, Callable[[Affine], Constraint]]] = [
            ("below", walk.below, lambda rows: rows <= 0.0),
            ("zero", walk.zero, lambda rows: rows == 0.0),
            ("second order", walk.second_order, lambda rows: rows.in_second_order_cones(walk.sizes)),
            ("exponential", walk.exponential, lambda rows: rows.in_exponential_cones()),
            ("power", walk.power, lambda rows: rows.in_power_cones(walk.exponents)),
        ]
        self._names = [name for name, block, _ in blocks if block.size]
        constraints = [constrain(block.rows(data)) for _, block, constrain in blocks if block.size]
        constraints += [row.constraint(data) for row in walk.curved]
        domain = self.layout.domain(data.has_one)
        self.problem = Problem(self._objective.objective(data), constraints, domain=domain, n=data.n)

    def solve(self, options: Options) -> Result:
        """From the last answer, if there is one."""
        others = {"warm_start": self._last} if options.warm_start and self._last is not None else {}
        affine = self._objective.is_linear and not self.walk.curved
        self._duals_of_none = None
        result = run(self.problem, options, affine or self.walk.is_conic, lambda: self._proof_of_none(options), **others)
        self._last = result if result.success else None
        return result

    def _proof_of_none(self, options: Options) -> Result | None:
        """The proof that nothing satisfies the constraints, and that the objective is defined there, if interior points find one:
        of a model without what the objective is made of, and of its conic form."""
        with np.errstate(all="ignore"):  # CVXPY's intervals of domains
            constraints = [*self._constraints, *domain_of(self._expression)]
            if not constraints:
                return None
            bare = cp.Problem(cp.Minimize(0.0), constraints)
            try:
                empty = _Model(bare)
                result = options.solve(empty.problem, method="interior-point")
            except (Unsupported, ValueError):
                return None  # it is too large for factorisations
            if result.status == "Infeasible":
                self._duals_of_none = empty._proof(result)
                return result
            if result.success:
                return None
            values = [(variable, variable.value) for variable in bare.variables()]
            how = options.for_run(method="interior-point")
            try:
                _solve_by_others(bare, solver=conic.NAME, **how)
            except cp.error.SolverError:
                return None
            finally:
                for variable, value in values:
                    variable.save_value(value)
        if bare.status != cs.INFEASIBLE:
            return None
        self._duals_of_none = {one.id: one.dual_value for one in bare.constraints}
        found: Result = bare.solution.attr["result"]
        options.seconds += found.seconds
        return found

    def begin_at(self, other: _Model) -> None:
        """From the last answer of a model of the same problem, if that has the same variables."""
        if other._last is not None and len(other._last.x) == self.problem.n:
            self._last = other._last

    def solution(self, result: Result, found: list[Any], seconds: float) -> Solution:
        """The values and duals for CVXPY."""
        status = STATUS[result.status]
        attributes = statistics(result, seconds, sign=self.sign)
        if status == cs.UNBOUNDED:
            return Solution(status, -self.sign * np.inf, {}, {}, attributes)
        if status == cs.INFEASIBLE:
            duals = self._proof(result) if self._duals_of_none is None else self._duals_of_none
            return Solution(status, self.sign * np.inf, {}, duals, attributes)
        return Solution(
            status, self.sign * result.objective, self.layout.values(result.x), self._duals(found), attributes
        )

    def _proof(self, result: Result) -> dict[int, Any]:
        """The duals that prove infeasibility."""
        curved = enumerate(self.walk.curved, len(self._names))
        norms = {k: row.bounded_norm for k, row in curved if row.bounded_norm is not None}
        return self._duals(conic.proof_multipliers(self.problem, result, norms))

    def _duals(self, found: list[Any]) -> dict[int, Any]:
        """The multipliers of each constraint, in CVXPY's shape and with its signs."""
        if not found:
            return {}
        blocks = {name: np.ravel(own) for name, own in zip(self._names, found)}
        curved = [np.ravel(own) for own in found[len(self._names) :]]
        duals: dict[int, Any] = {}
        for constraint, name, (start, size) in self._parts:
            if name == "curved":
                duals[constraint.id] = _shaped(curved[start], constraint)
            elif name in ("below", "zero"):
                duals[constraint.id] = _shaped(blocks[name][start : start + size], constraint)
            elif name == "power":
                duals[constraint.id] = -blocks[name][start : start + size].reshape(-1, 3).T
            else:
                duals[constraint.id] = -blocks[name][start : start + size]
        return duals


def _shaped(dual: Any, constraint: Any) -> Any:
    """In the shape of the constraint, column after column; a number for a number, as with other solvers."""
    return dual.reshape(constraint.shape, order="F") if constraint.shape else float(dual[0])


conic.register()
cp.Problem.register_solve("UFCM", solve)
if cp.Problem._solve is not _solve_by_name:
    cp.Problem._solve = _solve_by_name
