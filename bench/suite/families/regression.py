"""Regression in the p-norm, with and without a constraint, and multinomial logistic regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.instance import Family, Instance
from suite.program import Program
from suite.rows import Losses, Softmax, Vector, power

SIDE, P = 10.0, 1.5


def _sample(draw: np.random.Generator, rows: int, n: int) -> tuple[Vector, Vector]:
    """Data of an own linear model with heavy-tailed noise."""
    a = draw.standard_normal((rows, n)) * np.logspace(0, -1, n)
    return a, a @ draw.standard_normal(n) + draw.standard_t(3, rows)


def _level(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    """A bound on the second loss between what the two samples' least squares ask for: it can be met, and binds."""
    first, second = (np.linalg.solve(m.T @ m, m.T @ t) for m, t in ((a, b), (c, d)))
    return float((np.abs(c @ (0.3 * first + 0.7 * second) - d) ** P).mean())


def p_norm(seed: int, n: int, bounded: bool) -> Instance:
    """The mean of |a.x - b|^1.5 over 20 n rows; perhaps a bound on the same over a second sample."""
    draw = np.random.default_rng(seed)
    a, b = _sample(draw, 20 * n, n)
    c, d = _sample(draw, 10 * n if bounded else n, n)
    level = _level(a, b, c, d) if bounded else 0.0

    def model() -> Any:
        import ufcm

        mean = ufcm.power(a, b, P)  # as the term sum_power it goes to interior points, and takes 40 times as long
        bounds = [ufcm.power(c, d, P) <= level] if bounded else []
        return ufcm.Problem(minimize=mean, subject_to=bounds, domain=ufcm.box(-SIDE, SIDE))

    def conic() -> tuple[Any, Any]:
        import cvxpy as cp

        x = cp.Variable(n, bounds=[-SIDE, SIDE])
        bounds = [cp.sum(cp.power(cp.abs(c @ x - d), P)) / len(c) <= level] if bounded else []
        return cp.Problem(cp.Minimize(cp.sum(cp.power(cp.abs(a @ x - b), P)) / len(a)), bounds), x

    parts = [(a, b, power(P)), (c, d, power(P))][: 1 + bounded]
    program = Program(Losses(parts, np.array([0.0, level])[: 1 + bounded]), lower=-SIDE, upper=SIDE)
    return Instance(model, n, program, conic=conic if n <= 200 else None)


def multinomial(seed: int, rows: int, n: int, k: int) -> Instance:
    """Softmax over k classes with a small ridge."""
    draw = np.random.default_rng(seed)
    a = np.c_[draw.standard_normal((rows, n - 1)) @ np.diag(np.logspace(0, -1, n - 1)), np.ones(rows)]
    scores = a @ draw.standard_normal((n, k)) + draw.gumbel(size=(rows, k))
    y, ridge = np.argmax(scores, axis=1), 1e-3

    def model() -> Any:
        import ufcm

        return ufcm.Problem(minimize=ufcm.multinomial_logistic(a, y, k), regularizer=ufcm.ridge(ridge))

    def scikit(solver: str) -> Any:
        def build() -> Any:
            from sklearn.linear_model import LogisticRegression

            def fit(tolerance: float) -> Vector:
                fitted = LogisticRegression(C=1 / (ridge * rows), fit_intercept=False, solver=solver, tol=tolerance, max_iter=3000)
                return np.asarray(fitted.fit(a, y).coef_).ravel()

            return fit

        return build

    program = Program(Softmax(a, y, k), ridge=ridge)
    plain = {f"scikit-learn {solver}": scikit(solver) for solver in ("lbfgs", "newton-cholesky")}
    return Instance(model, n * k, program, plain=plain)


INSTANCES: Family = {
    "p-norm n=200": lambda seed: p_norm(seed, 200, False),
    "p-norm n=500": lambda seed: p_norm(seed, 500, False),
    "p-norm n=1000": lambda seed: p_norm(seed, 1000, False),
    "p-norm n=200 with a constraint": lambda seed: p_norm(seed, 200, True),
    "p-norm n=500 with a constraint": lambda seed: p_norm(seed, 500, True),
    "multinomial 20k x 50, 10 classes": lambda seed: multinomial(seed, 20_000, 50, 10),
}
