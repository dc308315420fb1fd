"""fairlearn's reductions: an exponentiated gradient over weights of the groups, logistic regressions inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.rows import Vector


class _Score:
    """A logistic regression whose prediction is its score, as a regressor would have it."""

    def __init__(self) -> None:
        self.coef = np.zeros(0)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def set_params(self, **_: Any) -> _Score:
        return self

    def fit(self, x: Any, y: Any, sample_weight: Any = None) -> _Score:
        from sklearn.linear_model import LogisticRegression

        inner = LogisticRegression(C=1e6, fit_intercept=False, solver="newton-cholesky", tol=1e-8)
        self.coef = np.asarray(inner.fit(x, np.asarray(y) > 0, sample_weight).coef_).ravel()
        return self

    def predict(self, x: Any) -> Vector:
        return np.asarray(np.asarray(x) @ self.coef)


class _LogisticLoss:
    """log(1 + exp(-y score)), labels -1 and 1."""

    min, max = 0.0, 50.0

    def eval(self, y: Any, score: Any) -> Vector:
        return np.logaddexp(0.0, -np.asarray(y) * np.asarray(score))


def bounded_group_loss(a: Vector, y: Any, group: Any, bound: float) -> Any:
    """The weights of the mixture's mean model, which by convexity is at least as good as the mixture."""
    from fairlearn.reductions import BoundedGroupLoss, ExponentiatedGradient

    labels = np.where(y, 1.0, -1.0)

    def fit(tolerance: float) -> Vector:
        moment = BoundedGroupLoss(_LogisticLoss(), upper_bound=bound)
        solver = ExponentiatedGradient(_Score(), moment, eps=max(tolerance, 1e-4), max_iter=30)
        solver.fit(a, labels, sensitive_features=group)
        parts = [(w, p.coef) for w, p in zip(solver.weights_, solver.predictors_) if w > 0]
        return np.asarray(sum(w * coef for w, coef in parts))

    return fit
