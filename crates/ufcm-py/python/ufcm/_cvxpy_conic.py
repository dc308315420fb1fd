"""CVXPY's conic form, solved here: the solver "UFCM" in CVXPY's list, and the way for models that the walk does not take.

::

    minimise 1/2 x'P x + q.x   with   b - A x in a product of zero, nonnegative, second-order, exponential and power cones
"""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import cvxpy.settings as cs
import numpy as np
import scipy.sparse as sp
from cvxpy.reductions.solution import Solution, failure_solution
from cvxpy.reductions.solvers import defines, utilities
from cvxpy.reductions.solvers.conic_solvers.conic_solver import ConicSolver

from ufcm import _kinds as ours
from ufcm._constraint import affine
from ufcm._cvxpy_affine import as_data, without_infinite
from ufcm._cvxpy_settings import STATUS, Options, is_answer, run, statistics
from ufcm._cvxpy_tree import CONES
from ufcm._data import Vector
from ufcm._problem import Problem
from ufcm._result import Result

NAME = "UFCM"


class Conic:
    """A conic program as one of our problems, and the way back to its multipliers."""

    def __init__(self, data: dict[str, Any]) -> None:
        dims = data[ConicSolver.DIMS]
        a, b = sp.csr_array(data[cs.A]), np.asarray(data[cs.B], dtype=float)
        self.slices: list[tuple[int, int, float]] = []
        constraints: list[Any] = []
        at = 0

        def block(size: int, sign: float, constrain: Any) -> None:
            nonlocal at
            if size:
                own = without_infinite(sign * a[at : at + size], sign * b[at : at + size])
                constraints.append(constrain(affine(as_data(own[0]), own[1])))
                self.slices.append((at, at + size, sign))
                at += size

        block(int(dims.zero), 1.0, lambda rows: rows == 0.0)
        block(int(dims.nonneg), 1.0, lambda rows: rows <= 0.0)
        sizes, exponents = [int(size) for size in dims.soc], [float(p) for p in dims.p3d]
        block(sum(sizes), -1.0, lambda rows: rows.in_second_order_cones(sizes))
        block(3 * int(dims.exp), -1.0, lambda rows: rows.in_exponential_cones())
        block(3 * len(exponents), -1.0, lambda rows: rows.in_power_cones(exponents))
        q = np.asarray(data[cs.C], dtype=float)
        p = data.get(cs.P)
        curved = p is not None and p.nnz > 0
        objective = ours.quadratic(as_data(sp.csr_array(p)), q) if curved else ours.linear(q)
        self.rows, self.by_factors = len(b), not curved or bool(sizes or exponents or dims.exp)
        sides = (data.get(cs.LOWER_BOUNDS), data.get(cs.UPPER_BOUNDS))
        lower, upper = (end if side is None else side for side, end in zip(sides, (-np.inf, np.inf)))
        bounded = any(side is not None for side in sides)
        self.problem = Problem(objective, constraints, domain=ours.box(lower, upper) if bounded else None, n=len(q))

    def duals(self, multipliers: list[Any]) -> Vector:
        """The multipliers of A x - b, as CVXPY has them: those of cones are ours with the other sign."""
        duals = np.zeros(self.rows)
        for (start, stop, sign), own in zip(self.slices, multipliers):
            duals[start:stop] = sign * np.ravel(own)
        return duals


def proof_multipliers(problem: Problem, result: Result, norms: dict[int, tuple[Any, Vector, float]]) -> list[Any]:
    """The multipliers that prove infeasibility, for each constraint of the problem.

    `norms` has (A, b, c) for the constraints |A x + b| <= c: proofs speak of their squares, |z|^2 / 2c <= c / 2, and a multiplier
    of these at a point with z is worth |z| / c of the norm, whose slope there it has.
    """
    if result.infeasibility is None:
        return []
    layouts = problem._constraint_rows
    total = np.zeros(len(result.infeasibility.multipliers))
    scaled = np.zeros(len(total))
    for point, own in result.infeasibility._points():
        total += own
        for k, (a, b, bound) in norms.items():
            start = layouts[k].start
            scaled[start] += own[start] * float(np.linalg.norm(a @ point + b)) / bound
    for k in norms:
        total[layouts[k].start] = scaled[layouts[k].start]
    return [one.of(total) for one in layouts]


class Solver(ConicSolver):  # type: ignore[misc]
    """UFCM in CVXPY's list of solvers."""

    MIP_CAPABLE = False
    BOUNDED_VARIABLES = True
    SUPPORTED_CONSTRAINTS = CONES
    EXP_CONE_ORDER = [0, 1, 2]

    def name(self) -> str:
        """Its name."""
        return NAME

    def import_solver(self) -> None:
        """It is here."""

    def supports_quad_obj(self) -> bool:
        """It takes quadratic objectives."""
        return True

    def cite(self, data: Any) -> str:
        """What to cite."""
        return "UFCM: the Universal Fast Composite Method of Zoll and Grimmer"

    def solve_via_data(
        self, data: Any, warm_start: bool, verbose: bool, solver_opts: Any, solver_cache: Any = None
    ) -> Any:
        """The result, with the program that it is of."""
        options = Options({**solver_opts, "verbose": verbose})
        conic = Conic(data)
        return conic, run(conic.problem, options, conic.by_factors, lambda: None), options.seconds

    def invert(self, solution: Any, inverse_data: Any) -> Solution:
        """The solution for CVXPY."""
        conic, result, seconds = solution
        attributes = statistics(result, seconds, float(inverse_data[cs.OFFSET]))
        status = STATUS[result.status] if is_answer(result) else cs.SOLVER_ERROR
        infeasible = status == cs.INFEASIBLE
        found = proof_multipliers(conic.problem, result, {}) if infeasible else result.multipliers
        duals: dict[int, Any] = {}
        if found:
            flat, zero = conic.duals(found), int(inverse_data[ConicSolver.DIMS].zero)
            extract = utilities.extract_dual_value
            duals = utilities.get_dual_values(flat[:zero], extract, inverse_data[self.EQ_CONSTR])
            duals |= utilities.get_dual_values(flat[zero:], extract, inverse_data[self.NEQ_CONSTR])
        if status in cs.SOLUTION_PRESENT:
            value = result.objective + inverse_data[cs.OFFSET]
            return Solution(status, value, {inverse_data[self.VAR_ID]: result.x}, duals, attributes)
        return failure_solution(status, attributes, duals)


def register() -> None:
    """Puts the solver at the end of CVXPY's list: nothing is solved by it unless it is asked for."""
    if NAME not in defines.SOLVER_MAP_CONIC:
        defines.SOLVER_MAP_CONIC[NAME] = Solver()
        for names in (defines.CONIC_SOLVERS, defines.INSTALLED_SOLVERS, defines.INSTALLED_CONIC_SOLVERS):
            names.append(NAME)
    if not hasattr(cp, NAME):
        cp.UFCM = NAME
