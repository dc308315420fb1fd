"""Estimators in the style of scikit-learn whose constraints are held on the training data.

Each has the result of its solve as ``result_``, with the certificate as ``certificate_``; ``problem_`` is what was solved,
so that ``certificate_.verify(problem_)`` checks the proof. Points are moved until all constraints hold where the solver
stopped a hair outside. Data may be dense or sparse, with the same answer.

``fit(..., communicator=c)`` of :class:`NeymanPearsonClassifier` and :class:`GroupRobustClassifier` fits one model to the rows of all ranks, each of
which passes its own, with rows of every class and group among them (:mod:`ufcm.ranks`). Such a model is pickled without ``problem_``.

>>> import numpy as np
>>> import ufcm
>>> rng = np.random.default_rng(0)
>>> X = np.vstack([rng.normal(0.0, 1.0, (50, 2)), rng.normal(1.0, 1.0, (30, 2))])
>>> y = np.repeat(["healthy", "ill"], [50, 30])
>>> model = ufcm.sklearn.NeymanPearsonClassifier(max_loss=0.2, bounded="ill").fit(X, y)
>>> model.loss_ <= 0.2
True
>>> model.certificate_.verify(model.problem_).gap < 1e-4
True
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from ufcm import ranks
from ufcm._component import Component
from ufcm._constraint import Constraint, affine
from ufcm._data import Vector
from ufcm._kinds import box, linear, logistic, maximum, quantile, ridge
from ufcm._problem import Problem
from ufcm._proof import Certificate
from ufcm._result import Result
from ufcm._ufcm import Error

__all__ = [
    "ConstrainedQuantileRegressor",
    "FairLogisticRegression",
    "GroupRobustClassifier",
    "NeymanPearsonClassifier",
]


class _Linear(BaseEstimator):  # type: ignore[misc]
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


class _Classifier(ClassifierMixin, _Linear):  # type: ignore[misc]
    """A linear classifier of two classes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _read(self, X: Any, y: Any, communicator: Any = None) -> tuple[Any, Vector]:
        """The data with their columns, and labels of -1 and 1."""
        self._communicator = None if communicator is None else ranks.communicator(communicator)
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
        check_classification_targets(y)
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


class NeymanPearsonClassifier(_Classifier):
    """Logistic regression that bounds the loss on one class and minimises that on the other.

    :param max_loss: the mean logistic loss allowed on the class `bounded`
    :param bounded: the class whose errors are the worse ones; ``classes_[1]`` by default
    :param alpha: the ridge on the coefficients of the standardised columns
    :param radius: no coefficient of a standardised column goes beyond it, nor the intercept; bounds rest on it
    """

    def __init__(
        self,
        max_loss: float = 0.3,
        *,
        bounded: Any = None,
        alpha: float = 1e-4,
        radius: float = 1e3,
        fit_intercept: bool = True,
        eps_rel: float = 1e-6,
    ) -> None:
        self.max_loss = max_loss
        self.bounded = bounded
        self.alpha = alpha
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.eps_rel = eps_rel

    def fit(self, X: Any, y: Any, *, communicator: Any = None) -> NeymanPearsonClassifier:
        """Fits the model; :class:`ufcm.Error` where no score meets the bound."""
        data, labels = self._read(X, y, communicator)
        if self.bounded is None:
            sign = 1.0
        elif self.bounded in self.classes_:
            sign = 1.0 if self.bounded == self.classes_[1] else -1.0
        else:
            raise ValueError(f"bounded is {self.bounded!r}; the classes are {list(self.classes_)}")
        losses = [logistic(data[labels == side], labels[labels == side]) for side in (sign, -sign)]

        def constraints(margin: float) -> list[Constraint]:
            return [(losses[0] <= float(self.max_loss) - margin).named("bounded class")]

        point = self._solve(losses[1], constraints)
        self._unscale(point)
        counts = [np.sum(labels == side) for side in (sign, -sign)]
        self.loss_, self.other_loss_ = self._means(losses, counts, point)
        self._communicator = None
        return self


def _labels(values: Any, name: str, rows: int) -> Any:
    """One entry for each row."""
    values = column_or_1d(values)
    if values.shape[0] != rows:
        raise ValueError(f"{name} has length {values.shape[0]}; there are {rows} rows")
    return values


class FairLogisticRegression(_Classifier):
    """Logistic regression under fairness constraints on a sensitive attribute, which is given to ``fit``.

    :param max_covariance: bounds the absolute covariance of the score with each (standardised) sensitive column; None for no bound
    :param max_group_loss: bounds the mean loss of each group of the sensitive attribute; None for no bound
    """

    def __init__(
        self,
        max_covariance: float | None = 0.1,
        max_group_loss: float | None = None,
        *,
        alpha: float = 1e-4,
        radius: float = 1e3,
        fit_intercept: bool = True,
        eps_rel: float = 1e-6,
    ) -> None:
        self.max_covariance = max_covariance
        self.max_group_loss = max_group_loss
        self.alpha = alpha
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.eps_rel = eps_rel

    def fit(self, X: Any, y: Any, sensitive_features: Any = None) -> FairLogisticRegression:
        """Fits the model. Without `sensitive_features` there is nothing to be fair about, and no constraint."""
        data, labels = self._read(X, y)
        rows, losses = np.empty((0, data.shape[1])), {}
        if sensitive_features is not None:
            groups = _labels(sensitive_features, "sensitive_features", len(labels))
            if self.max_covariance is not None:
                rows = _covariances(data, groups)
            if self.max_group_loss is not None:
                losses = {name: logistic(data[groups == name], labels[groups == name]) for name in np.unique(groups)}

        def constraints(margin: float) -> list[Constraint]:
            made = []
            if len(rows):
                # Both sides as rows of their own: such constraints can be held to the last bit.
                limit = float(self.max_covariance or 0.0) - margin
                made.append((affine(np.vstack([rows, -rows])) <= limit).named("score covariance"))
            for name, loss in losses.items():
                made.append((loss <= float(self.max_group_loss or 0.0) - margin).named(f"loss of group {name}"))
            return made

        point = self._solve(logistic(data, labels), constraints)
        self._unscale(point)
        self.group_losses_ = {name: loss(point) for name, loss in losses.items()}
        self.covariances_ = rows @ point
        return self


def _covariances(data: Any, groups: Any) -> Vector:
    """Rows r with r.x the covariance of the score with a standardised sensitive attribute."""
    if groups.dtype.kind == "f":
        columns = [groups]
    else:
        names = np.unique(groups)
        # Two groups: one of them says it all.
        columns = [(groups == name).astype(float) for name in (names[1:] if len(names) == 2 else names)]
    rows = []
    for column in columns:
        centred = column - column.mean()
        spread = centred.std()
        rows.append(centred @ data / (len(column) * (spread if spread > 0 else 1.0)))
    return np.asarray(rows)


class GroupRobustClassifier(_Classifier):
    """Logistic regression that minimises the largest mean loss of all groups.

    ``group_losses_`` has the losses, ``group_weights_`` the groups' multipliers: which of them decide.
    """

    def __init__(
        self,
        *,
        alpha: float = 1e-4,
        radius: float = 1e3,
        fit_intercept: bool = True,
        eps_rel: float = 1e-6,
    ) -> None:
        self.alpha = alpha
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.eps_rel = eps_rel

    def fit(self, X: Any, y: Any, groups: Any = None, *, communicator: Any = None) -> GroupRobustClassifier:
        """Fits the model; without `groups`, the classes are the groups."""
        data, labels = self._read(X, y, communicator)
        groups = labels if groups is None else _labels(groups, "groups", len(labels))
        self.groups_ = np.unique(groups)
        self._check_same("groups", self.groups_)
        losses: list[Component] = [logistic(data[groups == name], labels[groups == name]) for name in self.groups_]
        point = self._solve(maximum(losses), lambda margin: [])
        self._unscale(point)
        counts = [np.sum(groups == name) for name in self.groups_]
        self.group_losses_ = np.array(self._means(losses, counts, point))
        self._communicator = None
        self.group_weights_ = np.asarray(self.result_.term_multipliers[0])
        return self


class ConstrainedQuantileRegressor(RegressorMixin, _Linear):  # type: ignore[misc]
    """Linear quantile regression under constraints.

    :param quantile: the quantile of y to be predicted, between 0 and 1
    :param max_bias: bounds the absolute mean residual on the training data; None for no bound
    :param coef_lower, coef_upper: bounds on the coefficients, one for all or one for each (0 for monotone effects)
    :param A_ub, b_ub: linear constraints ``A_ub @ coef_ <= b_ub``
    """

    def __init__(
        self,
        quantile: float = 0.5,
        *,
        max_bias: float | None = None,
        coef_lower: Any = None,
        coef_upper: Any = None,
        A_ub: Any = None,
        b_ub: Any = None,
        alpha: float = 1e-4,
        radius: float = 1e3,
        fit_intercept: bool = True,
        eps_rel: float = 1e-6,
    ) -> None:
        self.quantile = quantile
        self.max_bias = max_bias
        self.coef_lower = coef_lower
        self.coef_upper = coef_upper
        self.A_ub = A_ub
        self.b_ub = b_ub
        self.alpha = alpha
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.eps_rel = eps_rel

    def fit(self, X: Any, y: Any) -> ConstrainedQuantileRegressor:
        """Fits the model; :class:`ufcm.Error` where no coefficients meet the constraints."""
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr", y_numeric=True)
        check_consistent_length(X, y)
        if not 0.0 < self.quantile < 1.0:
            raise ValueError(f"quantile is {self.quantile}; it must be strictly between 0 and 1")
        data = self._standardised(X)
        # y in units of its spread, for the same reason.
        shift = float(np.median(y)) if self.fit_intercept else 0.0
        unit = float(np.mean(np.abs(y - shift))) or 1.0
        target = (y - shift) / unit
        rows = None if self.A_ub is None else np.atleast_2d(np.asarray(self.A_ub, dtype=np.float64)) * unit / self._spread
        if rows is not None and self.fit_intercept:
            rows = np.column_stack([rows, np.zeros(rows.shape[0])])

        def constraints(margin: float) -> list[Constraint]:
            made = []
            if self.max_bias is not None:
                bias = linear(np.ravel(data.mean(axis=0)), -float(np.mean(target)))
                limit = float(self.max_bias) / unit - margin
                made += [(bias <= limit).named("bias above"), (bias >= -limit).named("bias below")]
            if rows is not None:
                offset = np.asarray(0.0 if self.b_ub is None else self.b_ub, dtype=np.float64)
                made.append((affine(rows, np.broadcast_to(offset - margin, len(rows))) <= 0).named("A_ub"))
            return made

        def scaled(bound: Any) -> Any:
            return None if bound is None else np.broadcast_to(np.asarray(bound, float), X.shape[1]) * self._spread / unit

        # A row above 0 is a prediction above y, which costs 1 - quantile.
        loss = (1.0 / len(y)) * quantile(affine(data, target), 1.0 - float(self.quantile))
        bounds = scaled(self.coef_lower), scaled(self.coef_upper)
        # Collinear columns under a loss with kinks are slow going for the adaptive method.
        self._unscale(self._solve(loss, constraints, bounds, fallback="primal-dual"), unit, shift)
        return self

    def predict(self, X: Any) -> Vector:
        """The quantile of each row."""
        return self._score(X)
