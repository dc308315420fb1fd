"""SciPy's SLSQP and L-BFGS-B, with hand-written gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.instance import Instance
from suite.peers.answer import Answer, Wish, follow
from suite.program import Program
from suite.rows import Vector
from suite.trace import Trace


def takes_slsqp(instance: Instance) -> bool:
    """Dense programs of a size at which its least-squares problems end."""
    program = instance.kinked or instance.program
    linear = 0 if program is None or program.v_linear is None else program.v_linear[0].shape[0]
    return program is not None and program.size <= 2500 and linear <= 1500


def takes_split(instance: Instance) -> bool:
    """Programs with kinks, which may also be stated with variables for absolute values."""
    program = instance.program
    return instance.kinked is not None and program is not None and program.size <= 1000


def split(instance: Instance, wish: Wish) -> Answer:
    """Sequential least squares, with variables for absolute values."""
    return follow(instance, wish, _slsqp)


def takes_lbfgsb(instance: Instance) -> bool:
    """Programs with bounds alone."""
    program = instance.program
    return program is not None and program.smooth_rows == 0 and program.v_linear is None


def _bounds(program: Program) -> Any:
    from scipy.optimize import Bounds

    return Bounds(program.v_lower, program.v_upper)


def _slsqp(program: Program, trace: Trace) -> tuple[str, Vector]:
    from scipy.optimize import minimize

    linear = program.v_linear
    dense: Any = None if linear is None else linear[0].toarray()

    def values(v: Vector) -> Vector:
        trace.check()
        smooth = -program.constraints(v)
        return smooth if linear is None else np.concatenate([smooth, linear[1] - dense @ v])

    def slopes(v: Vector) -> Vector:
        smooth = -program.jacobian(v)
        return smooth if dense is None else np.vstack([smooth, -dense])

    rows = program.smooth_rows + (0 if linear is None else len(linear[1]))
    constraints = [{"type": "ineq", "fun": values, "jac": slopes}] if rows else []
    result = minimize(
        program.objective,
        program.begin(),
        jac=program.gradient,
        bounds=_bounds(program),
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 100_000, "ftol": 1e-13},
    )
    return str(result.message)[:60], result.x


def slsqp(instance: Instance, wish: Wish) -> Answer:
    """Sequential least squares."""
    return follow(instance, wish, _slsqp, kinked=True)


def _lbfgsb(program: Program, trace: Trace) -> tuple[str, Vector]:
    from scipy.optimize import minimize

    def both(v: Vector) -> tuple[float, Vector]:
        trace.check()
        return program.objective(v), program.gradient(v)

    options = {"maxiter": 100_000, "maxfun": 1_000_000, "ftol": 0.0, "gtol": 1e-12, "maxcor": 20}
    result = minimize(both, program.begin(), jac=True, bounds=_bounds(program), method="L-BFGS-B", options=options)
    return str(result.message)[:60], result.x


def lbfgsb(instance: Instance, wish: Wish) -> Answer:
    """L-BFGS with bounds."""
    return follow(instance, wish, _lbfgsb)
