"""An augmented Lagrangian with L-BFGS inside: alpaqa's ALM with PANOC."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.instance import Instance
from suite.peers.answer import Answer, Wish, follow
from suite.program import Program
from suite.rows import Vector
from suite.trace import Trace


def takes(instance: Instance) -> bool:
    """Programs with constraints; without them it is L-BFGS."""
    program = instance.program
    return program is not None and (program.smooth_rows > 0 or program.v_linear is not None) and program.size <= 100_000


def _run(program: Program, trace: Trace) -> tuple[str, Vector]:
    import alpaqa

    linear, smooth = program.v_linear, program.smooth_rows
    m = smooth + (0 if linear is None else len(linear[1]))

    class Problem(alpaqa.BoxConstrProblem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(program.size, m)
            self.variable_bounds.lower, self.variable_bounds.upper = program.v_lower, program.v_upper
            self.general_bounds.lower = np.full(m, -np.inf)
            self.general_bounds.upper = np.zeros(m) if linear is None else np.concatenate([np.zeros(smooth), linear[1]])

        def eval_objective(self, v: Vector) -> float:
            trace.check()
            return program.objective(v)

        def eval_objective_gradient(self, v: Vector, out: Vector) -> None:
            out[:] = program.gradient(v)

        def eval_constraints(self, v: Vector, out: Vector) -> None:
            out[:smooth] = program.constraints(v)
            if linear is not None:
                out[smooth:] = linear[0] @ v

        def eval_constraints_gradient_product(self, v: Vector, y: Vector, out: Vector) -> None:
            out[:] = y[:smooth] @ program.jacobian(v)
            if linear is not None:
                out += linear[0].T @ y[smooth:]

    inner = alpaqa.PANOCSolver({"max_iter": 5000}, {"memory": 20})
    outer: dict[str, Any] = {"tolerance": 1e-9, "dual_tolerance": 1e-9, "max_iter": 200}
    solver = alpaqa.ALMSolver(outer, inner)
    v, _, told = solver(alpaqa.Problem(Problem()), program.begin(), np.zeros(m), asynchronous=False)
    return str(told["status"]).split(".")[-1], v


def solve(instance: Instance, wish: Wish) -> Answer:
    """An augmented Lagrangian."""
    return follow(instance, wish, _run)
