"""What the estimators share: columns in units of their spread, a solve that holds its constraints, scores and classes.

With a communicator the rows are those of all ranks: sums over samples are sums over ranks as well.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from ufcm import ranks
from ufcm._constraint import Constraint
from ufcm._data import Vector
from ufcm._kinds import box, ridge
from ufcm._problem import Problem
from ufcm._proof import Certificate
from ufcm._result import Result
from ufcm._ufcm import Error


class Linear(BaseEstimator):  # type: ignore[misc]
    """What the estimators share: a linear score of standardised columns, a ridge, a box around it all, a solve."""

    alpha: float
    radius: float
    fit_intercept: bool
    eps_rel: float

    problem_: Problem
    result_: Result
    certificate_: Certificate | None

    # What the ranks exchange numbers by, while a model is fitted.
    _communicator: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        state.pop("_communicator", None)
        if "problem_" in state and state["problem_"].traffic is not None:
            del state["problem_"]
        return state

    def _summed(self, *numbers: Any) -> list[Any]:
        """The sums of numbers or vectors over all ranks."""
        if self._communicator is None:
            return list(numbers)
        parts = [np.atleast_1d(np.asarray(part, np.float64)) for part in numbers]
        flat = np.concatenate(parts)
        self._communicator.sum(flat)
        ends = np.cumsum([len(part) for part in parts])[:-1]
        return [whole if np.ndim(part) else float(whole[0]) for whole, part in zip(np.split(flat, ends), numbers)]

    def _agree(self, error: Exception | None) -> None:
        """Raises the error; and on all other ranks that one of them has one, or they would wait for it."""
        failed = self._summed(float(error is not None))[0]
        if error is not None:
            raise error
        if failed:
            raise ValueError(f"the rows of {int(failed)} other rank(s) cannot be read; there the error says why")

    def _check_same(self, what: str, names: Any) -> None:
        """Refuses ranks that have not the same names, on all of them."""
        if self._communicator is not None:
            check = float(zlib.crc32(repr(list(names)).encode()) % (1 << 20))
            total, squares = self._summed(check, check * check)
            if self._communicator.size * squares != total * total:
                raise ValueError(f"the ranks do not have the same {what}; this one has {list(names)}")

    def _standardised(self, X: Any) -> Any:
        """The columns in units of their spread, about their mean where an intercept takes it up; then one of ones.

        The models are the same, and the problem is well scaled whatever the units of the data. Sparse columns stay where
        they are, or they would be dense; the intercept takes that up.
        """
        if sp.issparse(X) and self._communicator is not None:
            raise ValueError("a model over ranks is fitted to dense data; these are sparse")
        if sp.issparse(X):
            X, self._mean, spread, largest = _sparse_columns(X, self.fit_intercept)
        elif self._communicator is not None:
            total, rows, largest = self._summed(X.sum(axis=0), X.shape[0], np.abs(X).max(axis=0))
            self._mean = total / rows if self.fit_intercept else np.zeros(X.shape[1])
            spread = np.sqrt(self._summed(((X - self._mean) ** 2).sum(axis=0))[0] / rows)
        else:
            self._mean = X.mean(axis=0) if self.fit_intercept else np.zeros(X.shape[1])
            spread, largest = np.sqrt(np.mean((X - self._mean) ** 2, axis=0)), np.abs(X).max(axis=0)
        # A column that is constant, but for rounding, tells nothing.
        self._spread = np.where(spread > 1e-12 * largest, spread, 1.0)
        if sp.issparse(X):
            X.data /= self._spread[X.indices]
            return sp.hstack([X, np.ones((X.shape[0], 1))], format="csr") if self.fit_intercept else X
        columns = (X - self._mean) / self._spread
        return np.column_stack([columns, np.ones(X.shape[0])]) if self.fit_intercept else columns

    def _solve(
        self,
        objective: Any,
        constraints: Callable[[float], list[Constraint]],
        bounds: tuple[Any, Any] = (None, None),
        *,
        fallback: str | None = None,
    ) -> Vector:
        """Solves, and moves the answer until the constraints hold; ``constraints(margin)`` are those tightened by a margin."""
        n, method = objective.n, "auto"
        weights = np.full(n, float(self.alpha))
        lower, upper = np.full(n, -float(self.radius)), np.full(n, float(self.radius))
        for side, bound, choose in ((lower, bounds[0], np.maximum), (upper, bounds[1], np.minimum)):
            if bound is not None:
                side[: len(bound)] = choose(side[: len(bound)], bound)
        if self.fit_intercept:
            weights[-1] = 0.0
        domain = box(lower, upper)
        regularizer = ridge(weights) if self.alpha > 0 else None
        over = {"communicator": self._communicator}
        self.problem_ = Problem(objective, constraints(0.0), regularizer=regularizer, domain=domain, **over)
        result = self.problem_.solve(eps_rel=self.eps_rel, method=method)
        if not result.success and result.status == "NumericalError" and fallback is not None:
            method = fallback
            result = self.problem_.solve(eps_rel=self.eps_rel, method=method)
        if result.success and result.violation > 0.0 and result.feasible is None:
            # From a point inside the constraints the answer is moved until they hold, not nearly hold.
            for margin in (1e-2, 1e-4):
                inside = Problem(None, constraints(margin), domain=domain, **over).solve()
                if inside.success:
                    result = self.problem_.solve(eps_rel=self.eps_rel, method=method, interior=inside.x)
                    break
        self.result_, self.certificate_ = result, result.certificate
        if result.status == "Infeasible":
            raise Error("no linear score satisfies the constraints on these data, and that is proven (see result_)")
        if not result.success:
            raise Error(f"the solver ended with {result.status}: {result.meaning} (see result_)")
        point = result.x if result.feasible is None else result.feasible.x
        self.n_iter_ = max(1, result.steps)
        return point

    def _means(self, losses: Any, counts: Any, point: Vector) -> list[float]:
        """The mean losses at a point, over the samples of all ranks."""
        values = np.array([loss(point) for loss in losses])
        if self._communicator is None:
            return [float(value) for value in values]
        total, rows = self._summed(values * counts, np.asarray(counts, np.float64))
        return [float(mean) for mean in total / rows]

    def _unscale(self, point: Vector, unit: float = 1.0, shift: float = 0.0) -> None:
        """Coefficients in the units of the data; those of the score are `unit`, and it stands `shift` higher."""
        slope = point[:-1] if self.fit_intercept else point
        self.coef_ = unit * slope / self._spread
        self.intercept_ = float(unit * point[-1] + shift - self.coef_ @ self._mean) if self.fit_intercept else 0.0

    def _score(self, X: Any) -> Vector:
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        return np.asarray(X @ np.ravel(self.coef_) + self.intercept_)


def _sparse_columns(X: Any, about_mean: bool) -> tuple[Any, Vector, Vector, Vector]:
    """A sparse matrix of our own, what is taken off its columns (nothing), their spread and their largest entries."""
    X = sp.csr_array(X, copy=True)
    X.sum_duplicates()
    rows, columns = X.shape
    stored = np.bincount(X.indices, minlength=columns)
    mean = np.bincount(X.indices, weights=X.data, minlength=columns) / rows if about_mean else np.zeros(columns)
    squares = np.bincount(X.indices, weights=(X.data - mean[X.indices]) ** 2, minlength=columns)
    spread = np.sqrt((squares + (rows - stored) * mean**2) / rows)
    largest = abs(X).max(axis=0).toarray().ravel()
    return X, np.zeros(columns), spread, largest


class Classifier(ClassifierMixin, Linear):  # type: ignore[misc]
    """A linear classifier of two classes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _read(self, X: Any, y: Any, communicator: Any = None) -> tuple[Any, Vector]:
        """The data with their columns, and labels of -1 and 1."""
        self._communicator = None if communicator is None else ranks.communicator(communicator)
        try:
            X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
            check_classification_targets(y)
        except ValueError as error:
            self._agree(error)
        self._agree(None)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._check_same("classes", self.classes_)
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}."
            )
        if len(self.classes_) < 2:
            raise ValueError(f"Classifier can't train when only one class is present: {self.classes_[0]!r}")
        return self._standardised(X), np.where(codes == 1, 1.0, -1.0)

    def decision_function(self, X: Any) -> Vector:
        """The score, positive for ``classes_[1]``."""
        return self._score(X)

    def predict(self, X: Any) -> Any:
        """The class of each row."""
        upper = self.decision_function(X) > 0.0
        return self.classes_[upper.astype(int)]

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class under the logistic model."""
        score = self.decision_function(X)
        upper = np.exp(-np.logaddexp(0.0, -score))
        return np.column_stack([1.0 - upper, upper])

    def predict_log_proba(self, X: Any) -> Any:
        """Its logarithm."""
        score = self.decision_function(X)
        return np.column_stack([-np.logaddexp(0.0, score), -np.logaddexp(0.0, -score)])
