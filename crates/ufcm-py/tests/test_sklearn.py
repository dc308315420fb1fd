"""The estimators: scikit-learn's own checks, and constraints that are held."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

sklearn = pytest.importorskip("sklearn")

import sklearn.linear_model  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import ufcm  # noqa: E402
from ufcm.sklearn import (  # noqa: E402
    ConstrainedQuantileRegressor,
    FairLogisticRegression,
    GroupRobustClassifier,
    NeymanPearsonClassifier,
)


@parametrize_with_checks(
    [
        NeymanPearsonClassifier(),
        FairLogisticRegression(),
        GroupRobustClassifier(),
        ConstrainedQuantileRegressor(),
    ]
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture
def classes():
    rng = np.random.default_rng(5)
    X = np.vstack([rng.normal(0.0, 1.0, (150, 3)), rng.normal(0.8, 1.0, (80, 3))])
    return X, np.repeat(["healthy", "ill"], [150, 80])


@pytest.mark.parametrize("bounded", [None, "ill", "healthy"])
def test_neyman_pearson(classes, bounded):
    X, y = classes
    model = NeymanPearsonClassifier(0.25, bounded=bounded).fit(X, y)
    assert model.loss_ <= 0.25  # held, not nearly held
    assert model.loss_ == pytest.approx(0.25, abs=1e-4)  # and used up
    assert model.certificate_.verify(model.problem_).gap < 1e-4
    worse = np.mean(model.predict(X)[y == (bounded or "ill")] != (bounded or "ill"))
    other = np.mean(model.predict(X)[y != (bounded or "ill")] == (bounded or "ill"))
    assert worse < other
    # a wider bound costs the other class less
    assert NeymanPearsonClassifier(0.5, bounded=bounded).fit(X, y).result_.objective < model.result_.objective
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.log(probabilities), model.predict_log_proba(X), rtol=1e-9, atol=1e-9)


def test_neyman_pearson_where_nothing_helps(classes):
    X, y = classes
    with pytest.raises(ValueError, match="bounded is 'unknown'"):
        NeymanPearsonClassifier(bounded="unknown").fit(X, y)
    with pytest.raises(ufcm.Error, match="no linear score satisfies the constraints"):
        NeymanPearsonClassifier(1e-3, fit_intercept=False, radius=0.1).fit(X, y)


def test_fairness(classes):
    X, y = classes
    group = np.where(X[:, 0] + np.random.default_rng(0).normal(size=len(y)) > 0.4, "a", "b")
    free = FairLogisticRegression(None).fit(X, y, sensitive_features=group)
    fair = FairLogisticRegression(0.05).fit(X, y, sensitive_features=group)

    def covariance(model):
        s = (group == "b").astype(float)
        return abs(np.mean((s - s.mean()) / s.std() * model.decision_function(X)))

    assert covariance(free) > 0.1 and covariance(fair) <= 0.05 + 1e-12
    losses = {}
    limited = FairLogisticRegression(None, 0.58).fit(X, y, sensitive_features=group)
    signs = np.where(y == "ill", 1.0, -1.0)
    for name in "ab":
        own = group == name
        losses[name] = np.mean(np.logaddexp(0.0, -signs[own] * limited.decision_function(X[own])))
    assert max(losses.values()) <= 0.58 + 1e-12
    assert limited.certificate_.verify(limited.problem_).gap < 1e-4
    with pytest.raises(ValueError, match="sensitive_features has length 2; there are 230 rows"):
        fair.fit(X, y, sensitive_features=[0, 1])
    ages = np.random.default_rng(1).uniform(20, 80, len(y)) + 10 * X[:, 1]
    aged = FairLogisticRegression(0.01).fit(X, y, sensitive_features=ages)
    assert abs(np.mean((ages - ages.mean()) / ages.std() * aged.decision_function(X))) <= 0.01 + 1e-12


def test_groups(classes):
    X, y = classes
    groups = np.arange(len(y)) % 3
    model = GroupRobustClassifier().fit(X, y, groups=groups)
    assert model.group_losses_.shape == (3,) and model.group_weights_.sum() == pytest.approx(1.0)
    ridge = model.problem_.regularizer(model.result_.x)
    assert model.group_losses_.max() + ridge == pytest.approx(model.result_.objective, abs=1e-6)
    signs = np.where(y == "ill", 1.0, -1.0)
    losses = np.logaddexp(0.0, -signs * model.decision_function(X))
    np.testing.assert_allclose(model.group_losses_, [losses[groups == g].mean() for g in range(3)], rtol=1e-9)
    plain = FairLogisticRegression(None).fit(X, y)
    scores = plain.decision_function(X)
    others = [np.mean(np.logaddexp(0.0, -(signs * scores)[groups == g])) for g in range(3)]
    assert model.group_losses_.max() <= max(others) + 1e-4


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_quantiles(level):
    rng = np.random.default_rng(8)
    X = rng.uniform(0, 2, (400, 2))
    y = X @ [1.0, -0.5] + 3.0 + rng.normal(size=400) * (0.5 + X[:, 0])
    model = ConstrainedQuantileRegressor(level, alpha=0.0).fit(X, y)
    assert np.mean(y <= model.predict(X)) == pytest.approx(level, abs=0.02)
    assert model.certificate_.verify(model.problem_).gap < 1e-4
    held = ConstrainedQuantileRegressor(
        level, max_bias=0.1, coef_lower=0.0, A_ub=[[1.0, 1.0]], b_ub=[0.8], alpha=0.0
    ).fit(X, y)
    assert np.all(held.coef_ >= 0.0) and held.coef_.sum() <= 0.8 + 1e-12
    assert abs(np.mean(held.predict(X) - y)) <= 0.1 + 1e-12
    reference = sklearn.linear_model.QuantileRegressor(quantile=level, alpha=0.0).fit(X, y)

    def pinball(m):
        r = y - m.predict(X)
        return np.mean(np.maximum(level * r, (level - 1) * r))

    assert pinball(model) <= pinball(reference) + 1e-5


def test_sparse_data_have_the_answer_of_dense_ones(classes):
    X, y = classes
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    X[:, 2] = np.where(X[:, 2] != 0.0, 3.0 + X[:, 2], 0.0)
    X = np.column_stack([X, np.full(len(y), 2.5), np.zeros(len(y))])
    group = np.where(X[:, 0] > 0.4, "a", "b")
    for model, more, target in [
        (NeymanPearsonClassifier(0.3), {}, y),
        (FairLogisticRegression(0.05), {"sensitive_features": group}, y),
        (FairLogisticRegression(None, 0.62, fit_intercept=False), {"sensitive_features": group}, y),
        (GroupRobustClassifier(), {"groups": group}, y),
        (ConstrainedQuantileRegressor(0.4, max_bias=0.3), {}, X @ [1.0, 2.0, 0.5, 0.0, 0.0] + np.sin(np.arange(len(y)))),
    ]:
        dense = clone(model).fit(X, target, **more)
        for layout in (sp.csr_array, sp.csc_matrix, sp.coo_array):
            S = layout(X)
            sparse = clone(model).fit(S, target, **more)
            scores = [m.predict(A) if target is not y else m.decision_function(A) for m, A in ((dense, X), (sparse, S))]
            assert sparse.result_.objective == pytest.approx(dense.result_.objective, abs=2e-6), model
            np.testing.assert_allclose(scores[1], scores[0], atol=0.02, err_msg=str(model))
            assert sparse.certificate_.verify(sparse.problem_).gap < 1e-4
            np.testing.assert_array_equal(S.toarray(), X)


def test_models_are_cloned_pickled_and_searched(classes):
    X, y = classes
    model = NeymanPearsonClassifier(0.4).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.certificate_.verify(again.problem_).gap < 1e-4
    assert clone(model).max_loss == 0.4
    search = GridSearchCV(NeymanPearsonClassifier(), {"max_loss": [0.2, 0.4]}, cv=2).fit(X, y)
    assert search.best_params_["max_loss"] in (0.2, 0.4)
