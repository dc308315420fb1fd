"""IPOPT through cyipopt, with hand-written Hessians or with L-BFGS."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.instance import Instance
from suite.peers.answer import Answer, Wish, follow
from suite.program import Program
from suite.rows import Vector
from suite.trace import Trace

INFINITE = 2e19


def takes(instance: Instance) -> bool:
    """Programs whose Jacobian fits."""
    program = instance.program
    return program is not None and program.size <= 200_000


def takes_exact(instance: Instance) -> bool:
    """Programs with a Hessian that can be formed and factored."""
    program = instance.program
    return program is not None and program.exact and (program.x_size <= 3000 or program.rows.diagonal)


class Callbacks:
    """A program in IPOPT's words."""

    def __init__(self, program: Program, trace: Trace, exact: bool) -> None:
        self.program, self.trace, self.exact = program, trace, exact
        m = program.smooth_rows
        self.dense = np.divmod(np.arange(m * program.size), program.size)
        if exact:
            self.lower = (np.arange(program.n),) * 2 if program.rows.diagonal else np.tril_indices(program.x_size)

    def objective(self, v: Vector) -> float:
        return self.program.objective(v)

    def gradient(self, v: Vector) -> Vector:
        return self.program.gradient(v)

    def constraints(self, v: Vector) -> Vector:
        smooth, linear = self.program.constraints(v), self.program.v_linear
        return smooth if linear is None else np.concatenate([smooth, linear[0] @ v])

    def jacobianstructure(self) -> tuple[Vector, Vector]:
        linear = self.program.v_linear
        if linear is None:
            return self.dense
        entries = linear[0].tocoo()
        rows, columns = entries.coords
        return np.concatenate([self.dense[0], rows + self.program.smooth_rows]), np.concatenate([self.dense[1], columns])

    def jacobian(self, v: Vector) -> Vector:
        smooth, linear = self.program.jacobian(v).ravel(), self.program.v_linear
        return smooth if linear is None else np.concatenate([smooth, linear[0].tocoo().data])

    def intermediate(self, *_: Any) -> bool:
        return not self.trace.over()


class WithHessian(Callbacks):
    """The same with second derivatives."""

    def hessianstructure(self) -> Any:
        return self.lower

    def hessian(self, v: Vector, multipliers: Vector, weight: float) -> Vector:
        h = self.program.hessian(v, weight, multipliers[: self.program.smooth_rows])
        if self.program.rows.diagonal:
            return h
        return (np.block([[h, -h], [-h, h]]) if self.program.split else h)[self.lower]


def _run(program: Program, trace: Trace, exact: bool, options: dict[str, Any]) -> tuple[str, Vector]:
    import cyipopt

    callbacks = (WithHessian if exact else Callbacks)(program, trace, exact)
    linear = program.v_linear
    upper = np.zeros(program.smooth_rows) if linear is None else np.concatenate([np.zeros(program.smooth_rows), linear[1]])
    problem = cyipopt.Problem(
        n=program.size,
        m=len(upper),
        problem_obj=callbacks,
        lb=np.maximum(program.v_lower, -INFINITE),
        ub=np.minimum(program.v_upper, INFINITE),
        cl=np.full(len(upper), -INFINITE),
        cu=upper,
    )
    common = {"print_level": 0, "sb": "yes", "tol": 1e-9, "max_iter": 100_000, "max_cpu_time": 2 * trace.limit}
    for name, value in {**common, **options}.items():
        problem.add_option(name, value)
    v, told = problem.solve(program.begin())
    return told["status_msg"].decode().split(":")[0][:60], v


def exact(instance: Instance, wish: Wish) -> Answer:
    """With exact Hessians."""
    return follow(instance, wish, lambda program, trace: _run(program, trace, True, {}))


def lbfgs(history: int) -> Any:
    """With L-BFGS of that many pairs."""
    options = {"hessian_approximation": "limited-memory", "limited_memory_max_history": history}

    def solve(instance: Instance, wish: Wish) -> Answer:
        return follow(instance, wish, lambda program, trace: _run(program, trace, False, options), kinked=True)

    return solve
