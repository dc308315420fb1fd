"""ufcm as a solver of qpsolvers and of qpbenchmark, run on quadratic programs drawn from a seed.

    target/bench-venv/bin/python bench/others/qp_entry.py [--problems 20] [--seed 0]      (PYTHONPATH=crates/ufcm-py/python)
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import qpbenchmark
import qpsolvers
from qpbenchmark.solver_settings import SolverSettings

import ufcm


def ufcm_solve_problem(problem: qpsolvers.Problem, initvals: Any = None, verbose: bool = False, **settings: Any) -> Any:
    """Solves a problem of qpsolvers by ufcm: answer and multipliers in the signs of qpsolvers."""
    p, q, g, h, a, b, low, high = problem.unpack()
    rows = []
    if g is not None:
        rows.append(ufcm.affine(g, h) <= 0.0)
    if a is not None:
        rows.append(ufcm.affine(a, b) == 0.0)
    boxed = low is not None or high is not None
    box = ufcm.box(-np.inf if low is None else low, np.inf if high is None else high) if boxed else None
    result = ufcm.Problem(minimize=ufcm.quadratic(p, q), subject_to=rows, domain=box).solve(verbose=verbose, **settings)
    solution = qpsolvers.Solution(problem, x=result.x, obj=result.objective, found=bool(result.success))
    multipliers = iter(result.multipliers)
    solution.z = np.zeros(0) if g is None else np.atleast_1d(next(multipliers))
    solution.y = np.zeros(0) if a is None else np.atleast_1d(next(multipliers))
    slope = p @ result.x + q
    slope = slope + (0.0 if g is None else g.T @ solution.z) + (0.0 if a is None else a.T @ solution.y)
    solution.z_box = -slope if boxed else np.zeros(0)
    solution.extras = {"status": result.status, "lower_bound": result.lower_bound}
    return solution


def register() -> None:
    """Makes ufcm known to both packages by its name."""
    qpsolvers.solvers.solve_function["ufcm"] = ufcm_solve_problem
    for solvers in (qpsolvers.available_solvers, qpsolvers.sparse_solvers, qpsolvers.dense_solvers):
        if "ufcm" not in solvers:
            solvers.append("ufcm")
    SolverSettings.IMPLEMENTED_SOLVERS.add("ufcm")


class Drawn(qpbenchmark.TestSet):  # type: ignore[misc]
    """Random quadratic programs: half with equations, all in a box."""

    description, sparse_only, title = "Quadratic programs drawn from a seed", False, "Drawn"

    def __init__(self, problems: int, seed: int) -> None:
        self.problems, self.seed = problems, seed
        super().__init__()

    def count_problems(self) -> int:
        return self.problems

    def __iter__(self) -> Iterator[qpbenchmark.Problem]:
        for k in range(self.problems):
            draw = np.random.default_rng([self.seed, k])
            n = int(draw.integers(5, 60))
            factor = draw.standard_normal((n, n))
            inside, g = draw.uniform(-1, 1, n), draw.standard_normal((2 * n, n))
            a = draw.standard_normal((n // 5, n)) if k % 2 else None
            bounds = np.full(n, -2.0), np.full(n, 2.0)
            h, b = g @ inside + draw.random(2 * n), None if a is None else a @ inside
            yield qpbenchmark.Problem(factor.T @ factor / n, draw.standard_normal(n), g, h, a, b, *bounds, name=f"drawn {k}")


def main() -> None:
    """The command: seconds and largest residuals of each solver."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    register()
    test_set = Drawn(arguments.problems, arguments.seed)
    test_set.solvers = [name for name in ("ufcm", "clarabel", "piqp", "highs") if name in qpsolvers.available_solvers]
    with tempfile.TemporaryDirectory() as folder:
        results = qpbenchmark.Results(os.path.join(folder, "results.csv"), test_set)
        qpbenchmark.run(test_set, results, only_settings="default")
        table = results.df.groupby("solver")[["found", "runtime", "primal_residual", "dual_residual", "duality_gap"]]
        print(table.agg({"found": "sum", "runtime": "sum", "primal_residual": "max", "dual_residual": "max", "duality_gap": "max"}))


if __name__ == "__main__":
    main()
