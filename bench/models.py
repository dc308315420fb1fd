"""The problems of `bench/choice`, each from a seed and with sizes of its own: no data but what is drawn here.

A model is a CVXPY problem. What users would write without CVXPY has a twin made of ufcm's own parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

import ufcm
from suite.families import dose as dose_planning


class Model(NamedTuple):
    """A problem as CVXPY takes it, and as ufcm does where that is not through CVXPY."""

    cvxpy: cp.Problem
    own: ufcm.Problem | None = None


def hinge(seed: int, rows: int, n: int = 50) -> Model:
    """A support vector machine: hinge losses as |z|/2 + z/2, a ridge, a box."""
    draw = np.random.default_rng(seed)
    a = draw.standard_normal((rows, n)) * draw.choice([-1.0, 1.0], rows)[:, None]
    a += 0.3 * draw.standard_normal(n)
    slope, ridge = -a.sum(axis=0) / (2 * rows), 1e-3
    x = cp.Variable(n, bounds=[-10.0, 10.0])
    objective = cp.norm1(1.0 - a @ x) / (2 * rows) + slope @ x + ridge / 2 * cp.sum_squares(x)
    own = ufcm.Problem(
        minimize=ufcm.linear(slope)
        + ufcm.quadratic(np.full(n, ridge))
        + (1.0 / (2 * rows)) * ufcm.norm1(ufcm.affine(a, np.ones(rows))),
        domain=ufcm.box(-10.0, 10.0),
    )
    return Model(cp.Problem(cp.Minimize(objective)), own)


def sparse_lp(seed: int, rows: int, n: int) -> Model:
    """A linear program with an optimum by construction: as it comes from an MPS file, without bounds above."""
    draw = np.random.default_rng(seed)
    a = sp.random_array((rows, n), density=0.02, rng=draw, data_sampler=draw.standard_normal).tocsr()
    a = sp.csr_array(a + sp.csr_array((np.ones(rows), (np.arange(rows), draw.integers(0, n, rows))), shape=(rows, n)))
    at, multipliers = np.maximum(draw.standard_normal(n), 0.0), draw.standard_normal(rows)
    equal = draw.random(rows) < 0.5
    multipliers[~equal] = np.maximum(multipliers[~equal], 0.0)
    slack = np.where(equal | (multipliers > 0.0), 0.0, draw.random(rows))
    b = a @ at - slack  # a x >= b, or = b
    cost = a.T @ multipliers + np.where(at > 0.0, 0.0, draw.random(n))
    x = cp.Variable(n, nonneg=True)
    model = cp.Problem(cp.Minimize(cost @ x), [a[equal] @ x == b[equal], a[~equal] @ x >= b[~equal]])
    own = ufcm.Problem(
        minimize=ufcm.linear(cost),
        subject_to=[
            ufcm.affine(a[equal], b[equal]) == 0.0,
            ufcm.affine(-a[~equal], -b[~equal]) <= 0.0,
        ],
        domain=ufcm.box(0.0, np.inf),
        n=n,
    )
    return Model(model, own)


def dense_lp(seed: int, rows: int, n: int) -> Model:
    """A dense linear program in standard form."""
    draw = np.random.default_rng(seed)
    a = draw.standard_normal((rows, n))
    at = np.maximum(draw.standard_normal(n), 0.0)
    cost = a.T @ draw.standard_normal(rows) + np.where(at > 0.0, 0.0, draw.random(n))
    x = cp.Variable(n, nonneg=True)
    return Model(cp.Problem(cp.Minimize(cost @ x), [a @ x == a @ at]))


def control(seed: int, horizon: int, states: int = 12, inputs: int = 4) -> Model:
    """Optimal control of a linear system, with bounds on inputs and states."""
    draw = np.random.default_rng(seed)
    a = np.eye(states) + 0.1 * draw.standard_normal((states, states))
    a /= max(1.0, float(np.abs(np.linalg.eigvals(a)).max()))
    b = draw.standard_normal((states, inputs))
    x, u = cp.Variable((states, horizon + 1)), cp.Variable((inputs, horizon))
    begin = 2.0 * draw.standard_normal(states)
    constraints = [x[:, 0] == begin, x[:, 1:] == a @ x[:, :-1] + b @ u, cp.abs(u) <= 0.5, cp.abs(x[:, 1:]) <= 8.0]
    return Model(cp.Problem(cp.Minimize(cp.sum_squares(x) + 0.1 * cp.sum_squares(u)), constraints))


def total_variation(seed: int, side: int) -> Model:
    """An image without its noise: differences along rows and columns cost their size."""
    draw = np.random.default_rng(seed)
    i, j = np.meshgrid(np.arange(side), np.arange(side))
    image = ((i // (side // 4) + j // (side // 3)) % 2) + 0.3 * draw.standard_normal((side, side))
    x = cp.Variable((side, side))
    variation = cp.sum(cp.abs(x[1:, :] - x[:-1, :])) + cp.sum(cp.abs(x[:, 1:] - x[:, :-1]))
    return Model(cp.Problem(cp.Minimize(cp.sum_squares(x - image) / 2 + 0.3 * variation)))


def shortfall(seed: int, scenarios: int, assets: int) -> Model:
    """A portfolio whose expected shortfall is bounded."""
    draw = np.random.default_rng(seed)
    factors = draw.standard_t(5, (scenarios, 5)) @ draw.standard_normal((5, assets)) * 0.005
    returns = 0.0005 * draw.random(assets) + factors + 0.01 * draw.standard_t(4, (scenarios, assets))
    x = cp.Variable(assets, nonneg=True)
    worst = cp.sum_largest(-returns @ x, scenarios // 20) / (scenarios // 20)
    equal = np.full(assets, 1.0 / assets)
    bound = 1.1 * float(np.sort(-returns @ equal)[-(scenarios // 20) :].mean())
    return Model(cp.Problem(cp.Maximize(returns.mean(axis=0) @ x), [cp.sum(x) == 1, worst <= bound]))


def dose(seed: int, n: int, voxels: int, limited: int) -> Model:
    """Dose planning, as the suite of bench/run has it."""
    return Model(dose_planning.conic(dose_planning.anatomy(seed, n, voxels, limited))[0])


def ill_posed(seed: int, n: int) -> Model:
    """lp_7 of CVXPY's solver tests, of any length: nothing is drawn, many points are optimal."""
    a, delta, b = cp.Variable(n + 1), cp.Variable(n), cp.Variable(n + 1)
    return Model(cp.Problem(cp.Minimize(cp.sum(cp.pos(delta))), [a[1:] - a[:-1] == delta, a >= cp.pos(b)]))


def own_logistic(seed: int, rows: int, n: int) -> Model:
    """A logistic loss that is a user's own function in Python, with its gradient and Hessian."""
    draw = np.random.default_rng(seed)
    a = draw.standard_normal((rows, n)) * np.logspace(0.0, -2.0, n)
    y = np.sign(a @ draw.standard_normal(n) + 0.5 * draw.standard_normal(rows))
    b = -y[:, None] * a

    def value(x: np.ndarray) -> float:
        return float(np.logaddexp(0.0, b @ x).mean())

    def gradient(x: np.ndarray) -> np.ndarray:
        return b.T @ (1.0 / (1.0 + np.exp(-(b @ x)))) / rows

    def hessian(x: np.ndarray) -> np.ndarray:
        p = 1.0 / (1.0 + np.exp(-(b @ x)))
        return (b.T * (p * (1.0 - p) / rows)) @ b

    x = cp.Variable(n, bounds=[-20.0, 20.0])
    own = ufcm.Problem(minimize=ufcm.component(value, n, jac=gradient, hess=hessian), domain=ufcm.box(-20.0, 20.0))
    return Model(cp.Problem(cp.Minimize(cp.sum(cp.logistic(b @ x)) / rows)), own)


MODELS: dict[str, Callable[[int], Model]] = {
    "hinge, 1 000 rows": lambda seed: hinge(seed, 1000),
    "hinge, 5 000 rows": lambda seed: hinge(seed, 5000),
    "LP 600 x 900, sparse": lambda seed: sparse_lp(seed, 600, 900),
    "LP 500 x 1 000, dense": lambda seed: dense_lp(seed, 500, 1000),
    "optimal control, T = 30": lambda seed: control(seed, 30),
    "total variation 60 x 60": lambda seed: total_variation(seed, 60),
    "CVaR 10 000 x 50": lambda seed: shortfall(seed, 10_000, 50),
    "dose planning, n = 2 000": lambda seed: dose(seed, 2000, 20_000, 744),
    "own logistic loss, Hessian": lambda seed: own_logistic(seed, 2000, 31),
    "lp_7 of CVXPY": lambda seed: ill_posed(seed, 50),
}


def solve_by_ufcm(model: Model, method: str, limit: float) -> tuple[Any, float]:
    """The result, and the objective with the model's own sign."""
    if model.own is not None:
        result = model.own.solve(method=method, time_limit=limit, threads=1)
        return result, float(result.objective)
    import ufcm.cvxpy

    own = ufcm.cvxpy._Model(model.cvxpy)
    result = own.problem.solve(method=method, time_limit=limit, threads=1)
    return result, own.sign * float(result.objective)
