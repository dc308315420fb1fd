"""Quadratic objectives under quadratic constraints: dense, of low rank, and many scenarios."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.instance import Family, Instance
from suite.program import Program
from suite.rows import LowRank, Quadratics

SIDE = 10.0


def dense(seed: int, n: int, m: int) -> Instance:
    """m constraints, every third of them of a tenth of full rank; the objective has condition number 100."""
    draw = np.random.default_rng(seed)
    q, c, b = np.empty((m + 1, n, n)), np.empty((m + 1, n)), np.zeros(m + 1)
    for j in range(m + 1):
        rank = max(1, n // 10) if j > 0 and j % 3 == 0 else n
        factor = draw.standard_normal((rank, n)) / np.sqrt(n)
        factor *= np.sqrt(np.logspace(0, -2 if j == 0 else -1, rank))[:, None]
        q[j] = factor.T @ factor
        c[j] = draw.standard_normal(n) / np.sqrt(n) * (5 if j == 0 else 1)
        b[j] = 0.0 if j == 0 else 1.0 + draw.random()

    def model() -> Any:
        import ufcm

        forms = [ufcm.quadratic(q[j], c[j]) for j in range(m + 1)]
        bounds = [form <= float(bound) for form, bound in zip(forms[1:], b[1:])]
        return ufcm.Problem(minimize=forms[0], subject_to=bounds, domain=ufcm.box(-SIDE, SIDE))

    def conic() -> tuple[Any, Any]:
        import cvxpy as cp

        x = cp.Variable(n, bounds=[-SIDE, SIDE])
        forms = [cp.quad_form(x, cp.psd_wrap(q[j])) / 2 + c[j] @ x for j in range(m + 1)]
        return cp.Problem(cp.Minimize(forms[0]), [f <= r for f, r in zip(forms[1:], b[1:])]), x

    program = Program(Quadratics(q, c, b), lower=-SIDE, upper=SIDE)
    return Instance(model, n, program, conic=conic if n <= 500 else None)


def low_rank(seed: int, n: int, m: int = 10, rank: int = 50) -> Instance:
    """Q_j = F_j'F_j plus a small diagonal."""
    draw = np.random.default_rng(seed)
    f = draw.standard_normal((m + 1, rank, n)) / np.sqrt(n)
    f *= np.sqrt(np.logspace(0, -1, rank))[:, None]
    d = 10 ** draw.uniform(-3, -1, (m + 1, n))
    c = draw.standard_normal((m + 1, n)) / np.sqrt(n)
    c[0] *= 5
    b = np.append(0.0, 1.0 + draw.random(m))

    def model() -> Any:
        import ufcm

        forms = [ufcm.quadratic(factor=f[j], diagonal=d[j], c=c[j]) for j in range(m + 1)]
        bounds = [form <= float(bound) for form, bound in zip(forms[1:], b[1:])]
        return ufcm.Problem(minimize=forms[0], subject_to=bounds, domain=ufcm.box(-SIDE, SIDE))

    return Instance(model, n, Program(LowRank(f, d, c, b), lower=-SIDE, upper=SIDE))


def scenarios(seed: int, count: int, n: int) -> Instance:
    """One dense quadratic objective, and a linear bound and a common curvature for each of many scenarios.

    Scenario k asks |F x|^2 / 2 + a_k.x <= b_k: the curvature is shared, so a pass costs one product with all a_k."""
    draw = np.random.default_rng(seed)
    factor = draw.standard_normal((n, n)) / np.sqrt(n)
    shared = draw.standard_normal((n // 4, n)) / np.sqrt(n)
    a = draw.standard_normal((count, n)) * np.sqrt(3.0 / n)
    inside = draw.standard_normal(n) / np.sqrt(n)
    b = a @ inside + 0.5 * float(np.sum((shared @ inside) ** 2)) + draw.random(count)
    c = 10.0 * draw.standard_normal(n) / np.sqrt(n)
    q0, q1 = factor.T @ factor, shared.T @ shared

    # The scenarios are rows of a matrix once a variable s stands for the shared curvature: a_k.x + s <= b_k, |F x|^2/2 <= s.
    wide = np.c_[a, np.ones(count)]
    forms = np.zeros((2, n + 1, n + 1))
    forms[0, :n, :n], forms[1, :n, :n] = q0, q1
    slopes = np.stack([np.append(c, 0.0), np.append(np.zeros(n), -1.0)])

    def model() -> Any:
        import ufcm

        rows = ufcm.affine(wide, b) <= 0.0
        shape = ufcm.quadratic(forms[1], slopes[1]) <= 0.0
        objective = ufcm.quadratic(forms[0], slopes[0])
        return ufcm.Problem(minimize=objective, subject_to=[shape, rows], domain=ufcm.box(-100.0, 100.0))

    def conic() -> tuple[Any, Any]:
        import cvxpy as cp

        x = cp.Variable(n + 1, bounds=[-100.0, 100.0])
        objective = cp.sum_squares(factor @ x[:n]) / 2 + c @ x[:n]
        return cp.Problem(cp.Minimize(objective), [cp.sum_squares(shared @ x[:n]) / 2 <= x[n], wide @ x <= b]), x

    rows = Quadratics(forms, slopes, np.zeros(2))
    program = Program(rows, lower=-100.0, upper=100.0, linear=(wide, b))

    def one_pass(x: np.ndarray) -> None:
        rows.jacobian(x)
        wide.T @ np.maximum(wide @ x - b, 0.0)

    return Instance(model, n + 1, program, conic=conic, one_pass=one_pass)


INSTANCES: Family = {
    "QCQP n=100 m=10": lambda seed: dense(seed, 100, 10),
    "QCQP n=500 m=20": lambda seed: dense(seed, 500, 20),
    "QCQP n=1000 m=50": lambda seed: dense(seed, 1000, 50),
    "QCQP n=2000 m=20": lambda seed: dense(seed, 2000, 20),
    "QCQP low rank n=10000": lambda seed: low_rank(seed, 10_000),
    "QCQP 10000 scenarios n=200": lambda seed: scenarios(seed, 10_000, 200),
}
