"""Estimators in the style of scikit-learn whose constraints are held on the training data.

Each has the result of its solve as ``result_``, with the certificate as ``certificate_``; ``problem_`` is what was solved,
so that ``certificate_.verify(problem_)`` checks the proof. Points are moved until all constraints hold where the solver
stopped a hair outside. Data may be dense or sparse, with the same answer. Rows that are equal are one row with the sum of their
weights, so ``sample_weight`` of 2 and a row given twice are the same model, bit for bit.

All estimators have these parameters:

:param alpha: the ridge on the coefficients of the standardised columns
:param radius: no coefficient of a standardised column goes beyond it, nor the intercept; bounds rest on it
:param fit_intercept: whether scores have an intercept
:param eps_rel: the gap that is small enough, as :meth:`ufcm.Problem.solve` has it
:param threads: the number of threads; all cores by default
:param time_limit: seconds after which to stop; with a point that holds the constraints then, a ``ConvergenceWarning`` says what is
    proven of it, and without one :class:`ufcm.Error` is raised
:param verbose: prints a table of steps
:param warm_start: begins where the fit before ended, with data of as many columns

Classifiers also have

:param class_weight: a dictionary of weights of classes (1 for those that are not in it), ``"balanced"`` for the same total weight of each, or
    None; it multiplies ``sample_weight``

A pickled model is without ``problem_``, which holds the training data. It keeps the certificate, and a digest of data and parameters:
``verify(X, y, ...)`` builds the problem again, compares the digest, and checks the certificate.

``fit(..., communicator=c)`` of :class:`NeymanPearsonClassifier` and :class:`GroupRobustClassifier` fits one model to the rows of all ranks, each of
which passes its own, with rows of every class and group among them (:mod:`ufcm.ranks`).

>>> import numpy as np
>>> import ufcm
>>> rng = np.random.default_rng(0)
>>> X = np.vstack([rng.normal(0.0, 1.0, (50, 2)), rng.normal(1.0, 1.0, (30, 2))])
>>> y = np.repeat(["healthy", "ill"], [50, 30])
>>> model = ufcm.sklearn.NeymanPearsonClassifier(max_loss=0.2, bounded="ill").fit(X, y)
>>> model.loss_ <= 0.2
True
>>> model.verify(X, y).gap < 1e-4
True
"""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, validate_data

from ufcm._classifier import Classifier
from ufcm._constraint import Constraint, affine
from ufcm._data import Vector
from ufcm._estimator import Linear, Stated, tidy
from ufcm._fairness import covariance_rows, differences, for_class, gap_rows, kind_of, selection_rates
from ufcm._kinds import linear, maximum, quantile
from ufcm._samples import merged
from ufcm._tradeoff_cv import TradeoffCV

__all__ = [
    "ConstrainedQuantileRegressor",
    "FairLogisticRegression",
    "GroupRobustClassifier",
    "NeymanPearsonClassifier",
    "TradeoffCV",
]

_BOUND = [Interval(Real, 0, None, closed="left"), None]


class NeymanPearsonClassifier(Classifier):
    """Logistic regression that bounds the loss on some classes and minimises that on the others.

    :param max_loss: the mean logistic loss allowed on the class `bounded`; or a dictionary of classes and their bounds
    :param bounded: the class whose errors are the worse ones; the last of ``classes_`` by default

    ``losses_`` has the mean loss of each class, ``loss_`` that of the bounded one (the largest, of several), ``other_loss_`` that of all
    others. A bound speaks of one class, and is the same whatever the class weights: these say how much each of the *other* classes counts in
    what is minimised.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Classifier._parameter_constraints,
        "max_loss": [Interval(Real, 0, None, closed="left"), dict],
        "bounded": "no_validation",  # type: ignore[dict-item]
    }
    _constraint_names = {"max_loss": "bounded class"}

    def __sklearn_tags__(self) -> Any:
        """How often each class is predicted follows from the bound, not from the classes' weights: scikit-learn's check of
        ``class_weight``, which asks for the contrary, is left out by this tag."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def __init__(
        self,
        max_loss: float | dict[Any, float] = 0.3,
        *,
        bounded: Any = None,
        class_weight: Any = None,
        alpha: float = 1e-4,
        radius: float = 1e3,
        fit_intercept: bool = True,
        eps_rel: float = 1e-6,
        threads: int | None = None,
        time_limit: float | None = None,
        verbose: bool = False,
        warm_start: bool = False,
    ) -> None:
        self.max_loss = max_loss
        self.bounded = bounded
        self.class_weight = class_weight
        self.alpha = alpha
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.eps_rel = eps_rel
        self.threads = threads
        self.time_limit = time_limit
        self.verbose = verbose
        self.warm_start = warm_start

    def _bounds(self) -> dict[int, float]:
        """The bound of each class that has one."""
        bounds = self.max_loss
        if not isinstance(bounds, dict):
            bounds = {self.classes_[-1] if self.bounded is None else self.bounded: bounds}
        elif self.bounded is not None:
            raise ValueError("max_loss is a dictionary, which names its classes; leave bounded out")
        for name in bounds:
            if name not in self.classes_:
                raise ValueError(f"bounded is {name!r}; the classes are {list(self.classes_)}")
        return {int(np.flatnonzero(self.classes_ == name)[0]): float(bound) for name, bound in bounds.items()}

    def _stated(self, X: Any, y: Any, sample_weight: Any = None, communicator: Any = None) -> Stated:
        samples = self._read(X, y, sample_weight, communicator)
        codes = samples.keys["class"]
        bounds = self._bounds()
        others = ~np.isin(codes, list(bounds))
        # Where all classes are bounded, the loss of all is minimised.
        self._others = others if len(bounds) < len(self.classes_) else np.ones(len(codes), bool)
        losses = {k: self._loss(samples, codes == k) for k in bounds}

        def constraints(margin: float) -> list[Constraint]:
            names = {k: "bounded class" if len(bounds) == 1 else f"class {self.classes_[k]}" for k in bounds}
            return [(losses[k] <= bound - margin).named(names[k]) for k, bound in bounds.items()]

        return Stated(self._loss(samples, self._others), constraints, samples)

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, communicator: Any = None) -> NeymanPearsonClassifier:
        """Fits the model; :class:`ufcm.Error` where no score meets the bound."""
        stated = self._stated(X, y, sample_weight, communicator)
        point = self._fit(stated)
        samples, bounds = stated.samples, self._bounds()
        masks = [samples.keys["class"] == k for k in range(len(self.classes_))]
        losses = [self._loss(samples, mask) for mask in masks] + [stated.objective]
        counts = [samples.counts(mask) for mask in (*masks, self._others)]
        *means, self.other_loss_ = self._means(losses, counts, point)
        self.losses_ = dict(zip(self.classes_.tolist(), means))
        self.loss_ = max(means[k] for k in bounds)
        del self._others
        self._communicator = None
        return self


class FairLogisticRegression(Classifier):
    """Logistic regression under fairness constraints on a sensitive attribute, which is given to ``fit``.

    The constraints are linear in the coefficients, so that they are held, on the training data, and the model is the best that holds them:

    :param max_covariance: bounds the absolute covariance of the score with each sensitive column, in units of that column's spread; None for
        no bound. ``"auto"`` is 0.1 where no other bound is given
    :param max_group_loss: bounds the mean loss of each group; None for no bound
    :param max_parity_gap: demographic parity: bounds the difference between the mean scores of any two groups
    :param max_opportunity_gap: equal opportunity: bounds that difference among the rows of the positive class ``classes_[1]``
    :param sensitive_type: ``"categories"`` or ``"numbers"``; ``"auto"`` takes floats for numbers and all else for categories, and
        warns where there are few floats or many whole numbers
    Of more than two classes, the score of a class is that minus the mean of all scores, and each class has its constraints (for equal
    opportunity among its own rows).

    **Scores and rates.** A bound c on the difference of mean scores is no bound on the difference of the rates at which the class is
    predicted: that would not be convex. The relation is this. Two groups whose scores have the same distribution but for a shift have rates that differ by
    at most c times the largest density of the scores, and by 0 at c = 0; whatever the distributions, the rates can differ where these
    differ in shape. So the measured differences are told, by the names and with the meaning they have in Fairlearn:
    ``demographic_parity_difference_``, ``equal_opportunity_difference_`` and ``selection_rates_``; :class:`TradeoffCV` finds the bound at
    which the measured difference is as small as wanted. For two groups of which one has the share p, the covariance is
    ``sqrt(p (1 - p))`` times the difference of mean scores: `max_covariance` is the same constraint in other units.

    ``score_gap_`` and ``opportunity_gap_`` have the largest differences of mean scores, ``covariances_`` and ``group_losses_`` what
    their names say, all at the fitted model.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Classifier._parameter_constraints,
        "max_covariance": [*_BOUND, StrOptions({"auto"})],
        "max_group_loss": _BOUND,
        "max_parity_gap": _BOUND,
        "max_opportunity_gap": _BOUND,
        "sensitive_type": [StrOptions({"auto", "categories", "numbers"})],
    }
    _constraint_names = {
        "max_covariance": "score covariance",
        "max_group_loss": "loss of group",
        "max_parity_gap": "parity",
        "max_opportunity_gap": "opportunity",
    }

    def __init__(
        self,
        max_covariance: float | str | None = "auto",
        max_group_loss: float | None = None,
        *,
        max_parity_gap: float | None = None,
        max_opportunity_gap: float | None = None,
        sensitive_type: str = "auto",
        class_weight: Any = None,
        alpha: float = 1e-4,
        radius: float = 1e3,
        fit_intercept: bool = True,
        eps_rel: float = 1e-6,
        threads: int | None = None,
        time_limit: float | None = None,
        verbose: bool = False,
        warm_start: bool = False,
    ) -> None:
        self.max_covariance = max_covariance
        self.max_group_loss = max_group_loss
        self.max_parity_gap = max_parity_gap
        self.max_opportunity_gap = max_opportunity_gap
        self.sensitive_type = sensitive_type
        self.class_weight = class_weight
        self.alpha = alpha
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.eps_rel = eps_rel
        self.threads = threads
        self.time_limit = time_limit
        self.verbose = verbose
        self.warm_start = warm_start

    def _covariance_bound(self) -> float | None:
        others = (self.max_group_loss, self.max_parity_gap, self.max_opportunity_gap)
        if self.max_covariance == "auto":
            return 0.1 if all(bound is None for bound in others) else None
        return None if self.max_covariance is None else float(self.max_covariance)

    def _of_all_classes(self, rows: Vector, k: int | None) -> Vector:
        """Rows of one score as rows of all variables: of the score of class `k`, or of each class."""
        count = len(self.classes_)
        if self._scores == 1:
            return rows
        return np.vstack([for_class(rows, c, count) for c in (range(count) if k is None else (k,))])

    def _stated(self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None) -> Stated:
        keys: dict[str, Any] = {}
        self._kind = None
        if sensitive_features is not None:
            self._kind = kind_of(sensitive_features, self.sensitive_type)
            keys["groups" if self._kind == "categories" else "numbers"] = {"sensitive_features": sensitive_features}
        samples = self._read(X, y, sample_weight, **keys)
        if self._kind == "numbers":
            for name in ("max_group_loss", "max_parity_gap", "max_opportunity_gap"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} compares groups, and sensitive_features are numbers; say sensitive_type='categories'")
        self._rows, self._group_losses = self._fair_rows(samples), self._losses_of_groups(samples)
        bounds = {"score covariance": self._covariance_bound(), "parity": self.max_parity_gap}
        bounds["opportunity"] = self.max_opportunity_gap

        def constraints(margin: float) -> list[Constraint]:
            made = []
            for name, bound in bounds.items():
                rows = self._rows[name]
                if bound is not None and len(rows):
                    # Both sides as rows of their own: such constraints can be held to the last bit.
                    made.append((affine(np.vstack([rows, -rows])) <= float(bound) - margin).named(name))
            if self.max_group_loss is not None:
                for name, loss in self._group_losses.items():
                    made.append((loss <= float(self.max_group_loss) - margin).named(f"loss of group {name}"))
            return made

        return Stated(self._loss(samples, np.ones(len(samples), bool)), constraints, samples)

    def _fair_rows(self, samples: Any) -> dict[str, Vector]:
        """The rows of each kind of constraint, whether it is bounded or not: they are told at the fitted model."""
        n = samples.data.shape[1] * self._scores
        rows = {name: np.empty((0, n)) for name in ("score covariance", "parity", "opportunity")}
        if self._kind is None:
            return rows
        values = samples.keys["sensitive_features"]
        if self._kind == "numbers":
            rows["score covariance"] = self._of_all_classes(covariance_rows(samples, [values.astype(np.float64)]), None)
            return rows
        groups = len(self._levels["sensitive_features"])
        # Two groups: one of them says it all.
        columns = [(values == g).astype(float) for g in range(1 if groups == 2 else 0, groups)]
        rows["score covariance"] = self._of_all_classes(covariance_rows(samples, columns), None)
        everyone = np.ones(len(samples), bool)
        rows["parity"] = self._of_all_classes(gap_rows(samples, values, groups, everyone)[0], None)
        classes = [1] if self._scores == 1 else range(len(self.classes_))
        own = [self._of_all_classes(gap_rows(samples, values, groups, samples.keys["class"] == k)[0], k) for k in classes]
        rows["opportunity"] = np.vstack(own)
        return rows

    def _losses_of_groups(self, samples: Any) -> dict[Any, Any]:
        if self._kind != "categories":
            return {}
        codes = samples.keys["sensitive_features"]
        return {
            name: self._loss(samples, codes == g) for g, name in enumerate(self._levels["sensitive_features"].tolist())
        }

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None) -> FairLogisticRegression:
        """Fits the model. Without `sensitive_features` there is nothing to be fair about: no constraint, and a warning."""
        if sensitive_features is None:
            warnings.warn(
                "fit got no sensitive_features: no fairness constraint is held; it is fit(X, y, sensitive_features=...)",
                UserWarning,
                stacklevel=3,
            )
        point = self._fit(self._stated(X, y, sensitive_features, sample_weight))
        rows = self._rows
        self.group_losses_ = {name: loss(point) for name, loss in self._group_losses.items()}
        self.covariances_ = rows["score covariance"] @ point
        self.score_gap_ = float(np.max(np.abs(rows["parity"] @ point), initial=0.0))
        self.opportunity_gap_ = float(np.max(np.abs(rows["opportunity"] @ point), initial=0.0))
        self.sensitive_type_ = self._kind
        del self._rows, self._group_losses
        self._measure(X, y, sensitive_features, sample_weight)
        return self

    def _measure(self, X: Any, y: Any, groups: Any, weights: Any) -> None:
        """The differences between groups that are measured on the training data; class weights do not count there."""
        self.selection_rates_: dict[Any, Any] = {}
        self.demographic_parity_difference_, self.equal_opportunity_difference_ = None, None
        if self._kind != "categories":
            return
        predicted, groups = self.predict(X), np.asarray(groups).ravel()
        measured = differences(predicted, np.asarray(y).ravel(), groups, self.classes_, weights)
        self.demographic_parity_difference_, self.equal_opportunity_difference_ = measured
        if len(self.classes_) == 2:
            self.selection_rates_ = selection_rates(predicted == self.classes_[1], groups, weights)
        else:
            each = {name: selection_rates(predicted == name, groups, weights) for name in self.classes_.tolist()}
            self.selection_rates_ = each


class GroupRobustClassifier(Classifier):
    """Logistic regression that minimises the largest mean loss of all groups.

    ``group_losses_`` has the losses, ``group_weights_`` the groups' multipliers: which of them decide. Class weights multiply
    the losses of their samples: a class of weight 2 counts twice in the mean loss of its group, which is larger by that.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**Classifier._parameter_constraints}

    def __init__(
        self,
        *,
        class_weight: Any = None,
        alpha: float = 1e-4,
        radius: float = 1e3,
        fit_intercept: bool = True,
        eps_rel: float = 1e-6,
        threads: int | None = None,
        time_limit: float | None = None,
        verbose: bool = False,
        warm_start: bool = False,
    ) -> None:
        self.class_weight = class_weight
        self.alpha = alpha
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.eps_rel = eps_rel
        self.threads = threads
        self.time_limit = time_limit
        self.verbose = verbose
        self.warm_start = warm_start

    def _stated(
        self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None, communicator: Any = None
    ) -> Stated:
        given = {} if groups is None else {"groups": groups}
        samples = self._read(X, y, sample_weight, communicator, groups=given)
        self.groups_ = self.classes_ if groups is None else self._levels["groups"]
        codes = samples.keys["class" if groups is None else "groups"]
        self._masks = [codes == g for g in range(len(self.groups_))]
        self._losses = [self._loss(samples, mask) for mask in self._masks]
        if self.class_weight is not None:
            self._losses = [self._factor_of(samples, mask) * loss for mask, loss in zip(self._masks, self._losses)]
        return Stated(maximum(self._losses), lambda margin: [], samples)

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None, *, communicator: Any = None
    ) -> GroupRobustClassifier:
        """Fits the model; without `groups`, the classes are the groups."""
        stated = self._stated(X, y, groups, sample_weight, communicator)
        point = self._fit(stated)
        counts = [stated.samples.counts(mask) for mask in self._masks]
        self.group_losses_ = np.array(self._means(self._losses, counts, point))
        del self._masks, self._losses
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Linear._parameter_constraints,
        "quantile": [Interval(Real, 0, 1, closed="neither")],
        "max_bias": _BOUND,
        "coef_lower": ["array-like", Interval(Real, None, None, closed="both"), None],
        "coef_upper": ["array-like", Interval(Real, None, None, closed="both"), None],
        "A_ub": ["array-like", None],
        "b_ub": ["array-like", Interval(Real, None, None, closed="both"), None],
    }
    _constraint_names = {"max_bias": "bias"}

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
        threads: int | None = None,
        time_limit: float | None = None,
        verbose: bool = False,
        warm_start: bool = False,
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
        self.threads = threads
        self.time_limit = time_limit
        self.verbose = verbose
        self.warm_start = warm_start

    def _stated(self, X: Any, y: Any, sample_weight: Any = None) -> Stated:
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr", y_numeric=True)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            if not np.any(sample_weight > 0.0):
                raise ValueError("all entries of sample_weight are 0")
        samples = merged(tidy(X), {"y": np.asarray(y, np.float64)}, sample_weight)
        self._standardised(samples)
        y, shares = samples.keys["y"], samples.shares(np.ones(len(samples), bool))
        # y in units of its spread, for the same reason.
        shift = _median(y, shares) if self.fit_intercept else 0.0
        unit = float(shares @ np.abs(y - shift)) or 1.0
        target = (y - shift) / unit
        rows = None if self.A_ub is None else np.atleast_2d(np.asarray(self.A_ub, dtype=np.float64)) * unit / self._spread
        if rows is not None and self.fit_intercept:
            rows = np.column_stack([rows, np.zeros(rows.shape[0])])

        def constraints(margin: float) -> list[Constraint]:
            made = []
            if self.max_bias is not None:
                bias = linear(np.ravel(shares @ samples.data), -float(shares @ target))
                limit = float(self.max_bias) / unit - margin
                made += [(bias <= limit).named("bias above"), (bias >= -limit).named("bias below")]
            if rows is not None:
                offset = np.asarray(0.0 if self.b_ub is None else self.b_ub, dtype=np.float64)
                made.append((affine(rows, np.broadcast_to(offset - margin, len(rows))) <= 0).named("A_ub"))
            return made

        def scaled(bound: Any) -> Any:
            return None if bound is None else np.broadcast_to(np.asarray(bound, float), X.shape[1]) * self._spread / unit

        # A row of weight w is w times as long.
        data, weights = samples.data, samples.weights
        if weights is None:
            block, scale = affine(data, target), 1.0 / len(y)
        else:
            weights = weights / weights.sum() * len(weights)
            block, scale = affine(_scaled_rows(data, weights), weights * target), 1.0 / len(y)
        loss = scale * quantile(block, float(self.quantile))
        bounds = scaled(self.coef_lower), scaled(self.coef_upper)
        # Collinear columns under a loss with kinks are slow going for the adaptive method.
        return Stated(loss, constraints, samples, bounds, unit, shift, fallback="primal-dual")

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConstrainedQuantileRegressor:
        """Fits the model; :class:`ufcm.Error` where no coefficients meet the constraints."""
        self._fit(self._stated(X, y, sample_weight))
        self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        return self

    def predict(self, X: Any) -> Vector:
        """The quantile of each row."""
        return self._score(X)


def _median(values: Vector, shares: Vector) -> float:
    """The weighted median."""
    order = np.argsort(values, kind="stable")
    return float(values[order][np.searchsorted(np.cumsum(shares[order]), 0.5).clip(max=len(values) - 1)])


def _scaled_rows(data: Any, weights: Vector) -> Any:
    """Each row times its weight."""
    if isinstance(data, np.ndarray):
        return data * weights[:, None]
    scaled = data.copy()
    scaled.data = scaled.data * np.repeat(weights, np.diff(scaled.indptr))
    return scaled
