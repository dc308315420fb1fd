"""Quantile regression and portfolios under expected shortfall: linear programs, if one wants."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from suite.families.programs import INF, Data
from suite.instance import Family, Instance
from suite.rows import Vector

SIDE = 100.0


def quantile(seed: int, rows: int, n: int, level: float = 0.8) -> Instance:
    """The pinball loss of the 0.8-quantile, mean over the rows."""
    draw = np.random.default_rng(seed)
    a = np.c_[draw.standard_normal((rows, n - 1)), np.ones(rows)]
    b = a @ draw.standard_normal(n) + (1.0 + 0.5 * np.abs(a[:, 0])) * draw.standard_t(4, rows)

    def told(x: Vector) -> tuple[float, float]:
        r = b - a @ x
        return float(np.maximum(level * r, (level - 1.0) * r).mean()), max(0.0, float(np.abs(x).max()) - SIDE)

    def model() -> Any:
        import ufcm

        loss = (1.0 / rows) * ufcm.quantile(ufcm.affine(a, b), level)
        return ufcm.Problem(minimize=loss, domain=ufcm.box(-SIDE, SIDE))

    def conic() -> tuple[Any, Any]:
        import cvxpy as cp

        x = cp.Variable(n, bounds=[-SIDE, SIDE])
        r = b - a @ x
        return cp.Problem(cp.Minimize(cp.sum(cp.maximum(level * r, (level - 1.0) * r)) / rows)), x

    def scikit() -> Any:
        from sklearn.linear_model import QuantileRegressor

        def fit(tolerance: float) -> Vector:
            options = {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance}
            solver = QuantileRegressor(quantile=level, alpha=0.0, fit_intercept=False, solver="highs-ds", solver_options=options)
            return np.asarray(solver.fit(a, b).coef_)

        return fit

    # x, then what lies above and what lies below: a x + above - below = b.
    eye = sp.eye_array(rows)
    program = Data(
        p=None,
        q=np.concatenate([np.zeros(n), np.full(rows, level / rows), np.full(rows, (1 - level) / rows)]),
        constant=0.0,
        a=sp.csc_array(sp.hstack([sp.csc_array(a), eye, -eye])),
        row_lower=b,
        row_upper=b,
        lower=np.concatenate([np.full(n, -SIDE), np.zeros(2 * rows)]),
        upper=np.concatenate([np.full(n, SIDE), np.full(2 * rows, INF)]),
        wanted=n,
    )

    def one_pass(x: Vector) -> None:
        a.T @ np.where(a @ x > b, 1.0 - level, -level)

    return Instance(
        model, n, told=told, conic=conic, linear_program=program, plain={"scikit-learn highs-ds": scikit}, one_pass=one_pass
    )


def shortfall(seed: int, rows: int, n: int, share: float = 0.05) -> Instance:
    """Shares of a portfolio with the least expected shortfall less half the mean return."""
    draw = np.random.default_rng(seed)
    factors = draw.standard_t(5, (rows, 5)) @ draw.standard_normal((5, n)) * 0.5
    returns = 0.05 * draw.random(n) + factors + draw.standard_t(4, (rows, n))
    worst, reward = int(share * rows), -0.5 * returns.mean(axis=0)

    def told(x: Vector) -> tuple[float, float]:
        losses = np.sort(-returns @ x)[-worst:]
        return float(losses.mean() + reward @ x), max(abs(float(x.sum()) - 1.0), -float(x.min()))

    def model() -> Any:
        import ufcm

        risk = ufcm.conditional_value_at_risk(ufcm.affine(-returns), share)
        return ufcm.Problem(minimize=ufcm.linear(reward) + risk, domain=ufcm.simplex())

    def conic() -> tuple[Any, Any]:
        import cvxpy as cp

        x = cp.Variable(n, nonneg=True)
        return cp.Problem(cp.Minimize(cp.sum_largest(-returns @ x, worst) / worst + reward @ x), [cp.sum(x) == 1]), x

    # x, the value at risk, and what each scenario loses beyond it.
    beyond = sp.hstack([sp.csc_array(returns), sp.csc_array(np.ones((rows, 1))), sp.eye_array(rows)])
    total = sp.hstack([sp.csc_array(np.ones((1, n))), sp.csc_array((1, rows + 1))])
    program = Data(
        p=None,
        q=np.concatenate([reward, [1.0], np.full(rows, 1.0 / worst)]),
        constant=0.0,
        a=sp.csc_array(sp.vstack([beyond, total])),
        row_lower=np.append(np.zeros(rows), 1.0),
        row_upper=np.append(np.full(rows, INF), 1.0),
        lower=np.concatenate([np.zeros(n), [-INF], np.zeros(rows)]),
        upper=np.full(n + 1 + rows, INF),
        wanted=n,
    )

    def one_pass(x: Vector) -> None:
        returns.T @ (returns @ x > 0.0).astype(float)

    return Instance(model, n, told=told, conic=conic, linear_program=program, one_pass=one_pass)


INSTANCES: Family = {
    "quantile 10k x 50": lambda seed: quantile(seed, 10_000, 50),
    "quantile 10k x 200": lambda seed: quantile(seed, 10_000, 200),
    "CVaR 10k x 50": lambda seed: shortfall(seed, 10_000, 50),
    "CVaR 10k x 200": lambda seed: shortfall(seed, 10_000, 200),
}
