"""Trade-off curves: a model for each of many bounds, each fit from the one before, and the bound that cross-validation chooses."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted

from ufcm._data import Vector
from ufcm._fairness import differences
from ufcm._ufcm import Error

# A measure of a fitted model on rows that it may not have seen, with what fit gets beside X and y.
Measure = Callable[..., float]


class CurvePoint(NamedTuple):
    """A model of the trade-off; ``pandas.DataFrame(curve_)`` is a table of them."""

    bound: float
    objective: float
    """The least objective on all rows with this bound; infinite where no model meets it."""
    lower_bound: float
    """What is proven: no model that meets the bound has a smaller objective."""
    price: float
    """The multiplier of the bound: by how much the objective falls for each unit that the bound is relaxed."""
    score: float
    """The mean score on the rows that were left out."""
    score_std: float
    measured: float
    """The mean measure on the rows that were left out; NaN without a measure."""
    gradients: int
    """What the fit on all rows took, from that of the bound before."""


def _parity(model: Any, X: Any, y: Any, sensitive_features: Any, **_: Any) -> float:
    return differences(model.predict(X), y, sensitive_features, model.classes_)[0]


def _opportunity(model: Any, X: Any, y: Any, sensitive_features: Any, **_: Any) -> float:
    return differences(model.predict(X), y, sensitive_features, model.classes_)[1]


MEASURES: dict[str, Measure] = {"parity": _parity, "opportunity": _opportunity}


def _delegates(name: str) -> Any:
    def check(self: Any) -> bool:
        getattr(self.best_estimator_ if hasattr(self, "best_estimator_") else self.estimator, name)
        return True

    return check


class TradeoffCV(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Fits an estimator for each of many bounds, each from the one before, and keeps the bound that cross-validation chooses.

    :param estimator: one of :mod:`ufcm.sklearn`
    :param parameter: the name of its parameter that is a bound, such as ``"max_parity_gap"``
    :param bounds: its values; they are taken from the loosest to the tightest
    :param measure: what is measured on rows that were left out, beside the score: ``"parity"`` or ``"opportunity"`` (differences of rates,
        with ``sensitive_features`` as Fairlearn has them), a function ``measure(model, X, y, **fit_parameters)``, or None
    :param max_measure: chooses among the bounds whose measure is at most this; among all without it
    :param scoring, cv: as scikit-learn has them

    ``curve_`` has a :class:`CurvePoint` for each bound, ``best_bound_`` the one with the best mean score (the tightest of equals), and
    ``best_estimator_`` its model, fitted to all rows. Bounds that no model meets are points of the curve with an infinite objective.

    >>> import numpy as np, ufcm
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(0, 2, 300)
    >>> X = np.column_stack([rng.normal(size=300) + group, rng.normal(size=300)])
    >>> y = X @ [1.0, 1.0] + rng.normal(size=300) > 0.5
    >>> path = ufcm.sklearn.TradeoffCV(
    ...     ufcm.sklearn.FairLogisticRegression(), "max_parity_gap", [1.5, 1.0, 0.5, 0.0], measure="parity", max_measure=0.2
    ... ).fit(X, y, sensitive_features=group)
    >>> [point.objective for point in path.curve_] == sorted(point.objective for point in path.curve_)
    True
    >>> path.best_measured_ <= 0.2
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "parameter": [str],
        "bounds": ["array-like"],
        "measure": [StrOptions(set(MEASURES)), callable, None],
        "max_measure": [Interval(Real, None, None, closed="neither"), None],
        "scoring": [str, callable, None],
        "cv": ["cv_object"],
    }

    def __init__(
        self,
        estimator: Any,
        parameter: str,
        bounds: Any,
        *,
        measure: str | Measure | None = None,
        max_measure: float | None = None,
        scoring: Any = None,
        cv: Any = None,
    ) -> None:
        self.estimator = estimator
        self.parameter = parameter
        self.bounds = bounds
        self.measure = measure
        self.max_measure = max_measure
        self.scoring = scoring
        self.cv = cv

    def fit(self, X: Any, y: Any, **fit_parameters: Any) -> TradeoffCV:
        """Fits the path to all rows, and to those of each fold; `fit_parameters` with an entry for each row are split as the rows."""
        self._validate_params()
        names = getattr(self.estimator, "_constraint_names", None)
        if names is None:
            raise TypeError(f"estimator is {type(self.estimator).__name__}; it must be one of ufcm.sklearn with a bound")
        if self.parameter not in names:
            raise ValueError(f"parameter is {self.parameter!r}; the bounds of {type(self.estimator).__name__} are {list(names)}")
        bounds = np.unique(np.asarray(self.bounds, np.float64))[::-1]
        if not len(bounds):
            raise ValueError("bounds are empty")
        measure = MEASURES[self.measure] if isinstance(self.measure, str) else self.measure
        if measure is None and self.max_measure is not None:
            raise ValueError("max_measure is given without a measure")
        scorer = check_scoring(self.estimator, scoring=self.scoring)
        models = self._path(bounds, X, y, fit_parameters)
        scores, measured = self._on_folds(bounds, X, y, fit_parameters, scorer, measure)
        self.bounds_, self.scores_, self.measured_ = bounds, scores, measured
        told = zip(bounds, models, scores.mean(axis=1), scores.std(axis=1), measured.mean(axis=1))
        self.curve_ = [_point(self.parameter, *row) for row in told]
        self._choose(models)
        return self

    def _path(self, bounds: Vector, X: Any, y: Any, fit_parameters: dict[str, Any]) -> list[Any]:
        """A model for each bound; None where no model meets it."""
        model = clone(self.estimator).set_params(warm_start=True)
        models: list[Any] = []
        for bound in bounds:
            following = clone(model).set_params(**{self.parameter: float(bound)})
            if models and models[-1] is not None:
                following.result_ = models[-1].result_  # where the fit begins
            try:
                models.append(following.fit(X, y, **fit_parameters))
            except Error:
                if following.result_.status != "Infeasible":
                    raise
                models.append(None)
        return models

    def _on_folds(
        self, bounds: Vector, X: Any, y: Any, fit_parameters: dict[str, Any], scorer: Any, measure: Measure | None
    ) -> tuple[Vector, Vector]:
        """Scores and measures on the rows that each fold leaves out, bounds by folds; NaN where no model meets the bound."""
        folds = list(check_cv(self.cv, y, classifier=is_classifier(self.estimator)).split(X, y))
        scores, measured = np.full((2, len(bounds), len(folds)), np.nan)
        for fold, (kept, left) in enumerate(folds):
            mine, others = (_of_rows(fit_parameters, rows, _num_samples(X)) for rows in (kept, left))
            rows_left = _safe_indexing(X, left), _safe_indexing(y, left)
            models = self._path(bounds, _safe_indexing(X, kept), _safe_indexing(y, kept), mine)
            for k, model in enumerate(models):
                if model is not None:
                    scores[k, fold] = scorer(model, *rows_left)
                    measured[k, fold] = np.nan if measure is None else measure(model, *rows_left, **others)
        return scores, measured

    def _choose(self, models: list[Any]) -> None:
        means = np.array([point.score for point in self.curve_])
        allowed = np.array([model is not None for model in models]) & np.isfinite(means)
        if not np.any(allowed):
            raise Error("no model meets any of the bounds on all rows and on all folds")
        if self.max_measure is not None:
            fair = allowed & (np.array([point.measured for point in self.curve_]) <= self.max_measure)
            if not np.any(fair):
                least = min(self.curve_[k].measured for k in np.flatnonzero(allowed))
                raise Error(f"no bound has a measure of at most {self.max_measure:g}; the least is {least:.4g} (see curve_)")
            allowed = fair
        best = max(np.flatnonzero(allowed), key=lambda k: (means[k], k))
        self.best_index_, self.best_bound_ = int(best), float(self.bounds_[best])
        self.best_score_, self.best_measured_ = float(means[best]), self.curve_[best].measured
        self.best_estimator_ = models[best]
        if is_classifier(self.estimator):
            self.classes_ = self.best_estimator_.classes_
        self.n_features_in_ = self.best_estimator_.n_features_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = inner.estimator_type, inner.classifier_tags
        tags.regressor_tags, tags.input_tags.sparse = inner.regressor_tags, inner.input_tags.sparse
        return tags

    def predict(self, X: Any) -> Any:
        """What the chosen model predicts."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X)

    @available_if(_delegates("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Vector:
        """The scores of the chosen model."""
        check_is_fitted(self, "best_estimator_")
        return np.asarray(self.best_estimator_.decision_function(X))

    @available_if(_delegates("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the chosen model."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict_proba(X)

    def score(self, X: Any, y: Any) -> float:
        """The score of the chosen model, by ``scoring``."""
        check_is_fitted(self, "best_estimator_")
        return float(check_scoring(self.best_estimator_, scoring=self.scoring)(self.best_estimator_, X, y))


def _of_rows(fit_parameters: dict[str, Any], rows: Any, count: int) -> dict[str, Any]:
    """Parameters with an entry for each row, for some of the rows."""

    def of(value: Any) -> Any:
        per_row = hasattr(value, "__len__") and not isinstance(value, str) and _num_samples(value) == count
        return _safe_indexing(value, rows) if per_row else value

    return {name: of(value) for name, value in fit_parameters.items()}


def _point(parameter: str, bound: float, model: Any, score: float, spread: float, measured: float) -> CurvePoint:
    if model is None:
        return CurvePoint(float(bound), np.inf, np.inf, np.nan, np.nan, np.nan, np.nan, 0)
    result = model.result_
    own = model._constraint_names.get(parameter, "")
    prices = [
        float(np.sum(np.abs(multiplier)))
        for name, multiplier in zip(result.constraint_names, result.multipliers)
        if name.startswith(own)
    ]
    return CurvePoint(
        bound=float(bound),
        objective=result.objective,
        lower_bound=result.lower_bound,
        price=sum(prices) / model._unit,
        score=float(score),
        score_std=float(spread),
        measured=float(measured),
        gradients=result.gradient_evaluations,
    )


__all__ = ["CurvePoint", "TradeoffCV"]
