"""What the classifiers share: classes, weights of samples, losses, probabilities."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._missing import is_pandas_na
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d, validate_data

from ufcm import ranks
from ufcm._component import Component
from ufcm._data import Vector
from ufcm._estimator import Linear, Stated, tidy
from ufcm._kinds import logistic, multinomial_logistic
from ufcm._samples import Samples, merged


class Classifier(ClassifierMixin, Linear):  # type: ignore[misc]
    """A linear classifier: the logistic loss of one score for two classes, the multinomial loss of one score each for more."""

    class_weight: Any
    classes_: Any
    _levels: dict[str, Any]
    # The weight of each class.
    _factors: Vector

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Linear._parameter_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def _read(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        communicator: Any = None,
        groups: dict[str, Any] | None = None,
        numbers: dict[str, Any] | None = None,
    ) -> Samples:
        """The samples with their classes as the key "class" (0, 1, ...), and further keys with one entry for each row.

        What `groups` have is told by ``self._levels``, and their keys count from 0; `numbers` are keys as they are.
        """
        self._communicator = None if communicator is None else ranks.communicator(communicator)
        keys = {**(groups or {}), **(numbers or {})}
        try:
            X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
            check_classification_targets(y)
            keys = {name: labels_of(values, name, len(y)) for name, values in keys.items()}
            if sample_weight is not None:
                sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
                kept = sample_weight > 0.0
                if not np.any(kept):
                    raise ValueError("all entries of sample_weight are 0")
                X, y, sample_weight = X[kept], y[kept], sample_weight[kept]
                keys = {name: values[kept] for name, values in keys.items()}
        except ValueError as error:
            self._agree(error)
        self._agree(None)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._check_same("classes", self.classes_)
        if len(self.classes_) < 2:
            raise ValueError(f"Classifier can't train when only one class is present: {self.classes_[0]!r}")
        self._factors = np.ones(len(self.classes_))
        if self.class_weight is not None:
            own = np.ones(len(y)) if sample_weight is None else sample_weight
            self._factors = self._class_weights(codes, own)
            sample_weight = own * self._factors[codes]
        self._levels = {}
        for name in groups or {}:
            self._levels[name], keys[name] = np.unique(keys[name], return_inverse=True)
            self._check_same(name, self._levels[name])
        self._scores = 1 if len(self.classes_) == 2 else len(self.classes_)
        samples = merged(tidy(X), {"class": codes, **keys}, sample_weight)
        self._standardised(samples)
        return samples

    def _class_weights(self, codes: Any, weights: Vector) -> Vector:
        """The weight of each class."""
        given, classes = self.class_weight, self.classes_
        if isinstance(given, str):
            totals = self._summed(np.bincount(codes, weights, len(classes)))[0]
            return np.asarray(totals.sum() / (len(classes) * totals))
        unknown = [name for name in given if name not in classes]
        if unknown:
            raise ValueError(f"class_weight has {unknown[0]!r}; the classes are {list(classes)}")
        wrong = [name for name, weight in given.items() if not (np.isfinite(weight) and weight > 0.0)]
        if wrong:
            raise ValueError(f"class_weight of {wrong[0]!r} is {given[wrong[0]]!r}; it must be positive")
        return np.array([float(given.get(name, 1.0)) for name in classes.tolist()])

    def _loss(self, samples: Samples, mask: Any) -> Component:
        """The mean loss of some of the samples."""
        codes, weights = samples.keys["class"][mask], samples.weights_of(mask)
        data = samples.data if bool(np.all(mask)) else samples.data[mask]
        if len(self.classes_) == 2:
            return logistic(data, 2.0 * codes - 1.0, weights=weights)
        return multinomial_logistic(data, codes, len(self.classes_), weights=weights)

    def _factor_of(self, samples: Samples, mask: Any) -> float:
        """The mean of the class weights of some samples, over all ranks."""
        counts = np.bincount(samples.keys["class"][mask], samples.weights_of(mask), len(self.classes_))
        weighted, plain = self._summed(counts.sum(), (counts / self._factors).sum())
        return float(weighted / plain)

    def _means(self, losses: Any, counts: Any, point: Vector) -> list[float]:
        """The mean losses at a point, over the samples of all ranks."""
        values = np.array([loss(point) for loss in losses])
        if self._communicator is None:
            return [float(value) for value in values]
        total, rows = self._summed(values * counts, np.asarray(counts, np.float64))
        return [float(mean) for mean in total / rows]

    def _centred(self) -> None:
        """Scores of many classes that sum to 0: the loss knows nothing of a number that is added to all of them."""
        if self._scores > 1:
            self.coef_ = self.coef_ - self.coef_.mean(axis=0)
            self.intercept_ = self.intercept_ - self.intercept_.mean()

    def _fit(self, stated: Stated) -> Vector:
        point = super()._fit(stated)
        self._centred()
        return point

    def decision_function(self, X: Any) -> Vector:
        """The score: positive for ``classes_[1]`` of two classes, a column for each class of more."""
        scores = self._score(X)
        return scores[:, 0] if self._scores == 1 else scores

    def predict(self, X: Any) -> Any:
        """The class of each row."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class under the logistic model."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Any:
        """Its logarithm."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([-np.logaddexp(0.0, scores), -np.logaddexp(0.0, -scores)])
        scores = scores - scores.max(axis=1, keepdims=True)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def labels_of(values: Any, name: str, rows: int) -> Any:
    """One entry for each row."""
    shape = np.shape(values)
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(f"{name} has {shape[1]} columns; it must have one, for example of their combinations")
    values = column_or_1d(values)
    if values.shape[0] != rows:
        raise ValueError(f"{name} has length {values.shape[0]}; there are {rows} rows")
    if values.dtype.kind in "fO":
        missing = [k for k, value in enumerate(values.tolist()) if _is_missing(value)]
        if missing:
            raise ValueError(f"{name} has {len(missing)} missing values, the first in row {missing[0]}; name them or leave their rows out")
        types = {str if isinstance(value, str) else float for value in values.tolist()}
        if len(types) > 1:
            raise ValueError(f"{name} has both text and numbers; make them all text")
    return values


def _is_missing(value: Any) -> bool:
    return value is None or is_pandas_na(value) or (isinstance(value, float) and value != value)
