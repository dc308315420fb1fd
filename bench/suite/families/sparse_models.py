"""The lasso and l1-regularised logistic regression: problems for which there are tools of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.families import data
from suite.instance import Family, Instance, Plain
from suite.program import Program
from suite.rows import LOGISTIC, SQUARES, Losses, Vector


def lasso(seed: int, rows: int, n: int) -> Instance:
    """Least squares with a tenth of the weight at which everything is 0."""
    draw = np.random.default_rng(seed)
    a = draw.standard_normal((rows, n))
    a[:, 1:] = 0.5 * a[:, :-1] + np.sqrt(0.75) * a[:, 1:]
    w = np.zeros(n)
    w[draw.choice(n, 50, replace=False)] = draw.standard_normal(50)
    b = a @ w + 0.5 * draw.standard_normal(rows)
    weight = 0.1 * float(np.abs(a.T @ b).max()) / rows
    columns = np.asfortranarray(a)

    def model() -> Any:
        import ufcm

        return ufcm.Problem(minimize=ufcm.least_squares(a, b), regularizer=ufcm.l1(weight))

    def scikit() -> Any:
        from sklearn.linear_model import Lasso

        def fit(tolerance: float) -> Vector:
            solver = Lasso(alpha=weight, fit_intercept=False, tol=tolerance, max_iter=100_000)
            return np.asarray(solver.fit(columns, b).coef_)

        return fit

    def working_sets() -> Any:
        from skglm import Lasso

        def fit(tolerance: float) -> Vector:
            solver = Lasso(alpha=weight, fit_intercept=False, tol=tolerance, max_iter=200)
            return np.asarray(solver.fit(columns, b).coef_)

        fit(1e-1)  # compiles, which is not charged to the solve
        return fit

    program = Program(Losses([(a, b, SQUARES)]), l1=weight)
    return Instance(model, n, program, plain={"scikit-learn": scikit, "skglm": working_sets})


def l1_logistic(seed: int, rows: int, n: int) -> Instance:
    """Sparse data; a twentieth of the weight at which everything is 0."""
    a, y, _ = data.sparse(seed, rows, n)
    z = a.multiply(np.where(y, 1.0, -1.0)[:, None]).tocsr()
    weight = 0.05 * float(np.abs(z.T @ np.full(rows, 0.5)).max()) / rows

    def model() -> Any:
        import ufcm

        return ufcm.Problem(minimize=ufcm.logistic(z, np.ones(rows)), regularizer=ufcm.l1(weight))

    def liblinear() -> Any:
        from scipy.sparse import csr_matrix
        from sklearn.linear_model import LogisticRegression

        narrow = csr_matrix(a)
        narrow.indices, narrow.indptr = narrow.indices.astype(np.int32), narrow.indptr.astype(np.int32)

        def fit(tolerance: float) -> Vector:
            solver = LogisticRegression(
                l1_ratio=1.0, C=1 / (weight * rows), solver="liblinear", fit_intercept=False, tol=tolerance, max_iter=1000
            )
            return np.asarray(solver.fit(narrow, y).coef_).ravel()

        return fit

    def working_sets() -> Any:
        from scipy.sparse import csc_matrix
        from skglm import SparseLogisticRegression

        columns, signs = csc_matrix(a), np.where(y, 1.0, -1.0)
        columns.indices, columns.indptr = columns.indices.astype(np.int32), columns.indptr.astype(np.int32)

        def fit(tolerance: float) -> Vector:
            solver = SparseLogisticRegression(alpha=weight, fit_intercept=False, tol=tolerance, max_iter=200)
            return np.asarray(solver.fit(columns, signs).coef_).ravel()

        fit(1e-1)  # compiles, which is not charged to the solve
        return fit

    program = Program(Losses([(z, 0.0, LOGISTIC)]), l1=weight)
    plain: dict[str, Plain] = {"liblinear": liblinear, "skglm": working_sets}
    return Instance(model, n, program, plain=plain, tight=n <= 100_000)


INSTANCES: Family = {
    "lasso 1k x 10k": lambda seed: lasso(seed, 1_000, 10_000),
    "l1 logistic sparse 200k x 5k": lambda seed: l1_logistic(seed, 200_000, 5_000),
    "l1 logistic sparse 100k x 1M": lambda seed: l1_logistic(seed, 100_000, 1_000_000),
}
