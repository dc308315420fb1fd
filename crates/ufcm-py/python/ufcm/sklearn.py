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

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from ufcm._component import Component
from ufcm._constraint import Constraint, affine
from ufcm._data import Vector
from ufcm._estimator import Classifier, Linear
from ufcm._kinds import linear, logistic, maximum, quantile

__all__ = [
    "ConstrainedQuantileRegressor",
    "FairLogisticRegression",
    "GroupRobustClassifier",
    "NeymanPearsonClassifier",
]


class NeymanPearsonClassifier(Classifier):
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


class FairLogisticRegression(Classifier):
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


class GroupRobustClassifier(Classifier):
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


class ConstrainedQuantileRegressor(RegressorMixin, Linear):  # type: ignore[misc]
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

        loss = (1.0 / len(y)) * quantile(affine(data, target), float(self.quantile))
        bounds = scaled(self.coef_lower), scaled(self.coef_upper)
        # Collinear columns under a loss with kinks are slow going for the adaptive method.
        self._unscale(self._solve(loss, constraints, bounds, fallback="primal-dual"), unit, shift)
        return self

    def predict(self, X: Any) -> Vector:
        """The quantile of each row."""
        return self._score(X)
