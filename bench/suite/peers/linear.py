"""Solvers of linear and quadratic programs, given their matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from suite.families.programs import Data
from suite.instance import Instance
from suite.peers.answer import WALL, Answer, Wish, climb
from suite.rows import Vector


def takes(instance: Instance) -> bool:
    """Instances that are, or are also, linear or quadratic programs."""
    return instance.linear_program is not None


def _by(make: Any) -> Any:
    def solve(instance: Instance, wish: Wish) -> Answer:
        program: Data = instance.linear_program

        def build() -> Any:
            fit = make(program, wish)

            def cut(tolerance: float) -> tuple[str, Vector | None]:
                status, x = fit(tolerance)
                return status, None if x is None else np.asarray(x)[: program.wanted]

            return cut

        return climb(instance, wish, build)

    return solve


def _highs(program: Data, wish: Wish) -> Any:
    import highspy

    n, m = len(program.q), program.a.shape[0]
    model = highspy.HighsModel()
    lp = model.lp_
    lp.num_col_, lp.num_row_, lp.offset_ = n, m, program.constant
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = program.q, program.lower, program.upper
    lp.row_lower_, lp.row_upper_ = program.row_lower, program.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = program.a.indptr, program.a.indices, program.a.data
    if program.p is not None:
        triangle = sp.csc_array(sp.tril(program.p))
        model.hessian_.dim_, model.hessian_.format_ = n, highspy.HessianFormat.kTriangular
        model.hessian_.start_, model.hessian_.index_, model.hessian_.value_ = triangle.indptr, triangle.indices, triangle.data

    def fit(tolerance: float) -> tuple[str, Vector | None]:
        solver = highspy.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("time_limit", WALL * wish.limit)):
            solver.setOptionValue(name, value)
        for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            solver.setOptionValue(name, max(tolerance, 1e-10))
        solver.passModel(model)
        solver.run()
        return solver.modelStatusToString(solver.getModelStatus()), np.array(solver.getSolution().col_value)

    return fit


def _piqp(program: Data, wish: Wish) -> Any:
    import piqp

    n = len(program.q)
    p = sp.csc_matrix((n, n)) if program.p is None else sp.csc_matrix(program.p)
    equal = program.row_lower == program.row_upper
    rows = sp.csr_matrix(program.a)
    a, g = sp.csc_matrix(rows[equal]), sp.csc_matrix(rows[~equal])

    def fit(tolerance: float) -> tuple[str, Vector | None]:
        solver = piqp.SparseSolver()
        for name in ("eps_abs", "eps_rel", "eps_duality_gap_abs", "eps_duality_gap_rel"):
            setattr(solver.settings, name, tolerance)
        sides = program.row_lower[~equal], program.row_upper[~equal]
        solver.setup(p, program.q, a, program.row_lower[equal], g, *sides, program.lower, program.upper)
        status = solver.solve()
        return str(status).split(".")[-1], np.array(solver.result.x)

    return fit


def _clarabel(program: Data, wish: Wish) -> Any:
    import clarabel as engine

    n = len(program.q)
    p = sp.csc_matrix((n, n)) if program.p is None else sp.csc_matrix(sp.triu(program.p))
    rows, eye = sp.csr_matrix(program.a), sp.eye(n, format="csr")
    equal = program.row_lower == program.row_upper
    blocks, bounds = [rows[equal]], [program.row_lower[equal]]
    for matrix, low, high in ((rows[~equal], program.row_lower[~equal], program.row_upper[~equal]), (eye, program.lower, program.upper)):
        blocks += [matrix[np.isfinite(high)], -matrix[np.isfinite(low)]]
        bounds += [high[np.isfinite(high)], -low[np.isfinite(low)]]
    a, b = sp.csc_matrix(sp.vstack(blocks)), np.concatenate(bounds)
    cones = [engine.ZeroConeT(int(equal.sum())), engine.NonnegativeConeT(len(b) - int(equal.sum()))]

    def fit(tolerance: float) -> tuple[str, Vector | None]:
        settings = engine.DefaultSettings()
        settings.verbose, settings.max_threads, settings.time_limit = False, 1, WALL * wish.limit
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        solution = engine.DefaultSolver(p, program.q, a, b, cones, settings).solve()
        return str(solution.status), np.array(solution.x)

    return fit


highs, piqp, clarabel = _by(_highs), _by(_piqp), _by(_clarabel)
