"""The estimators: scikit-learn's own checks, and constraints that are held."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

sklearn = pytest.importorskip("sklearn")

import sklearn.linear_model  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.utils.estimator_checks import check_param_validation, parametrize_with_checks  # noqa: E402

import ufcm  # noqa: E402
from ufcm.sklearn import (  # noqa: E402
    ConstrainedQuantileRegressor,
    FairLogisticRegression,
    GroupRobustClassifier,
    NeymanPearsonClassifier,
    TradeoffCV,
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


@pytest.mark.parametrize(
    "model",
    [NeymanPearsonClassifier(), FairLogisticRegression(), GroupRobustClassifier(), ConstrainedQuantileRegressor()],
    ids=lambda model: type(model).__name__,
)
def test_parameters_are_checked_by_scikit_learns_machinery(model):
    check_param_validation(type(model).__name__, model)
    with pytest.raises(ValueError, match="'alpha' parameter of .* must be"):
        clone(model).set_params(alpha=-1).fit([[0.0], [1.0]], [0, 1])


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
    assert model.coef_.shape == (1, 3) and model.intercept_.shape == (1,)


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
    plain = FairLogisticRegression(None).fit(X, y, sensitive_features=groups)
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
    assert held.coef_.shape == (2,) and isinstance(held.intercept_, float)
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
    with pytest.raises(AttributeError, match="not pickled; verify"):
        again.problem_
    assert again.verify(X, y) == model.certificate_.verify(model.problem_)
    with pytest.raises(ValueError, match="the digest is another"):
        again.verify(X + 1e-9, y)
    assert clone(model).max_loss == 0.4
    search = GridSearchCV(NeymanPearsonClassifier(), {"max_loss": [0.2, 0.4]}, cv=2).fit(X, y)
    assert search.best_params_["max_loss"] in (0.2, 0.4)


def test_a_pickle_has_no_training_data():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20_000, 20))
    y = X[:, 0] + rng.normal(size=20_000) > 0.0
    model = NeymanPearsonClassifier(0.4).fit(X, y)
    assert len(pickle.dumps(model)) < 20_000 < X.nbytes / 100
    assert pickle.loads(pickle.dumps(model)).verify(X, y).gap < 1e-4


@pytest.fixture
def three():
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(centre, 1.0, (60, 2)) for centre in ([0, 0], [1.5, 0], [0, 1.5])])
    return X, np.repeat(["a", "b", "c"], 60), rng.integers(0, 2, 180)


def test_many_classes_are_multinomial(three):
    X, y, _ = three
    model = FairLogisticRegression(None, alpha=1e-2, eps_rel=1e-9).fit(X, y, sensitive_features=y)
    assert model.coef_.shape == (3, 2) and model.intercept_.shape == (3,)
    # scikit-learn's objective is C times the sum of losses plus half the squares, of unstandardised columns
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    reference = sklearn.linear_model.LogisticRegression(C=1 / (1e-2 * len(y)), tol=1e-10).fit(Z, y)
    np.testing.assert_allclose(model.predict_proba(X), reference.predict_proba(Z), atol=1e-5)
    np.testing.assert_allclose(model.decision_function(X).sum(axis=1), 0.0, atol=1e-12)
    held = NeymanPearsonClassifier({"a": 0.55, "c": 0.6}).fit(X, y)
    losses = -held.predict_log_proba(X)[np.arange(len(y)), np.searchsorted(held.classes_, y)]
    for name, bound in (("a", 0.55), ("c", 0.6)):
        assert losses[y == name].mean() <= bound + 1e-12
        assert held.losses_[name] == pytest.approx(losses[y == name].mean(), abs=1e-9)
    assert held.verify(X, y).gap < 1e-4
    robust = GroupRobustClassifier().fit(X, y)
    assert robust.group_losses_.max() - robust.group_losses_.min() < 1e-3
    with pytest.raises(ValueError, match="leave bounded out"):
        NeymanPearsonClassifier({"a": 0.3}, bounded="a").fit(X, y)
    with pytest.raises(ValueError, match="bounded is 'd'; the classes are"):
        NeymanPearsonClassifier({"d": 0.3}).fit(X, y)


def test_parity_and_opportunity_are_held(classes, three):
    X, y = classes
    group = np.where(X[:, 0] + np.random.default_rng(0).normal(size=len(y)) > 0.4, "a", "b")
    free = FairLogisticRegression(None).fit(X, y, sensitive_features=group)
    for name, rows in (("parity", np.ones(len(y), bool)), ("opportunity", y == "ill")):
        fair = FairLogisticRegression(**{f"max_{name}_gap": 0.05}).fit(X, y, sensitive_features=group)

        def gap(model):
            scores = model.decision_function(X)
            return abs(scores[rows & (group == "a")].mean() - scores[rows & (group == "b")].mean())

        assert gap(free) > 0.1 and gap(fair) <= 0.05 + 1e-12
        told = fair.score_gap_ if name == "parity" else fair.opportunity_gap_
        assert told == pytest.approx(gap(fair), abs=1e-12) and told == pytest.approx(0.05, abs=1e-4)
        predicted = fair.predict(X) == "ill"
        rates = [predicted[rows & (group == g)].mean() for g in "ab"]
        kind = "demographic_parity" if name == "parity" else "equal_opportunity"
        assert getattr(fair, f"{kind}_difference_") == pytest.approx(abs(rates[0] - rates[1]))
        assert getattr(fair, f"{kind}_difference_") < getattr(free, f"{kind}_difference_")
        assert fair.verify(X, y, sensitive_features=group).gap < 1e-4
    X, y, group = three
    fair = FairLogisticRegression(max_parity_gap=0.01, max_opportunity_gap=0.02).fit(X, y, sensitive_features=group)
    scores = fair.decision_function(X)
    for k, name in enumerate("abc"):
        everyone, own = (scores[mask & (group == 0), k].mean() - scores[mask & (group == 1), k].mean() for mask in (y == y, y == name))
        assert abs(everyone) <= 0.01 + 1e-12 and abs(own) <= 0.02 + 1e-12
    assert set(fair.selection_rates_) == set("abc")


def test_what_a_sensitive_attribute_is(classes):
    X, y = classes
    with pytest.warns(UserWarning, match="no sensitive_features"):
        FairLogisticRegression().fit(X, y)
    with pytest.warns(UserWarning, match="few different floats and are taken for numbers"):
        FairLogisticRegression().fit(X, y, sensitive_features=np.arange(len(y)) % 2.0)
    with pytest.warns(UserWarning, match="many different whole numbers and are taken for categories"):
        FairLogisticRegression().fit(X, y, sensitive_features=np.arange(len(y)) % 40)
    said = FairLogisticRegression(sensitive_type="numbers").fit(X, y, sensitive_features=np.arange(len(y)) % 40)
    assert said.sensitive_type_ == "numbers" and len(said.covariances_) == 1
    with pytest.raises(ValueError, match="max_parity_gap compares groups"):
        FairLogisticRegression(max_parity_gap=0.1, sensitive_type="numbers").fit(X, y, sensitive_features=np.arange(len(y)))
    with pytest.raises(ValueError, match="sensitive_type is 'numbers', and"):
        FairLogisticRegression(sensitive_type="numbers").fit(X, y, sensitive_features=y)


def test_weights(classes):
    X, y = classes
    group = np.where(X[:, 0] > 0.4, "a", "b")
    weights = np.random.default_rng(4).integers(0, 4, len(y))
    shuffled = np.random.default_rng(5).permutation(len(y))
    for model, more in [
        (NeymanPearsonClassifier(0.3), {}),
        (FairLogisticRegression(0.05), {"sensitive_features": group}),
        (GroupRobustClassifier(), {"groups": group}),
        (ConstrainedQuantileRegressor(0.4, max_bias=0.3), {}),
    ]:
        target = X @ [1.0, 2.0, 0.5] if isinstance(model, ConstrainedQuantileRegressor) else y
        weighted = clone(model).fit(
            X[shuffled],
            target[shuffled],
            sample_weight=weights[shuffled],
            **{name: values[shuffled] for name, values in more.items()},
        )
        repeated = clone(model).fit(
            *(np.repeat(part, weights, axis=0) for part in (X, target)),
            **{name: np.repeat(values, weights) for name, values in more.items()},
        )
        np.testing.assert_array_equal(weighted.coef_, repeated.coef_)  # bit for bit
    balanced = FairLogisticRegression(None, class_weight="balanced").fit(X, y, sensitive_features=group)
    plain = FairLogisticRegression(None).fit(X, y, sensitive_features=group)
    assert np.mean(balanced.predict(X) == "ill") > np.mean(plain.predict(X) == "ill")
    named = FairLogisticRegression(None, class_weight={"ill": 150 / 80}).fit(X, y, sensitive_features=group)
    np.testing.assert_allclose(named.coef_, balanced.coef_, rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError, match="class_weight has 'unknown'"):
        FairLogisticRegression(class_weight={"unknown": 1.0}).fit(X, y, sensitive_features=group)
    with pytest.raises(ValueError, match="class_weight of 'ill' is -1.0; it must be positive"):
        NeymanPearsonClassifier(class_weight={"ill": -1.0}).fit(X, y)


def test_class_weights_of_every_classifier(classes):
    X, y = classes
    # Of two classes one is bounded, and the other is all that is minimised: nothing is left to weigh.
    plain = NeymanPearsonClassifier(0.3).fit(X, y)
    weighted = NeymanPearsonClassifier(0.3, class_weight={"ill": 100.0}).fit(X, y)
    np.testing.assert_allclose(weighted.predict_proba(X), plain.predict_proba(X), atol=1e-3)
    assert weighted.loss_ <= 0.3
    # Of three, the weights say which of the two others matters more.
    rng = np.random.default_rng(3)
    three = np.repeat([0, 1, 2], [60, 60, 60])
    Z = rng.normal(size=(180, 2)) + three[:, None]
    losses = [
        NeymanPearsonClassifier({1: 0.9}, class_weight={heavy: 20.0}).fit(Z, three).losses_ for heavy in (0, 2)
    ]
    assert losses[0][0] < losses[1][0] and losses[0][2] > losses[1][2]
    assert all(own[1] <= 0.9 for own in losses)
    # The largest of weighted losses: at the answer both count the same.
    robust = GroupRobustClassifier(class_weight={"ill": 2.0}).fit(X, y)
    assert robust.group_losses_[0] == pytest.approx(robust.group_losses_[1], rel=1e-3)
    assert robust.verify(X, y).gap < 1e-4
    means = [-robust.predict_log_proba(X)[y == name, k].mean() for k, name in enumerate(robust.classes_)]
    assert 2.0 * means[1] == pytest.approx(means[0], rel=1e-3)
    groups = rng.integers(0, 2, len(y))
    balanced = GroupRobustClassifier(class_weight="balanced").fit(X, y, groups=groups)
    assert np.mean(balanced.predict(X) == "ill") > np.mean(GroupRobustClassifier().fit(X, y, groups=groups).predict(X) == "ill")


def test_how_a_model_is_solved(classes, capsys):
    X, y = classes
    model = NeymanPearsonClassifier(0.25, verbose=True, threads=1, warm_start=True).fit(X, y)
    assert "Certified" in capsys.readouterr().out
    cold = model.result_.gradient_evaluations
    assert model.set_params(max_loss=0.26, verbose=False).fit(X, y).result_.gradient_evaluations < cold
    same = NeymanPearsonClassifier(0.26).fit(X, y)
    np.testing.assert_allclose(same.coef_, model.coef_, rtol=1e-2)
    with pytest.raises((ufcm.Error, ConvergenceWarning), match="TimeLimit|time_limit"):
        NeymanPearsonClassifier(0.25, time_limit=1e-9).fit(X, y)


def test_tradeoff_curves(classes):
    X, y = classes
    group = np.where(X[:, 0] + np.random.default_rng(0).normal(size=len(y)) > 0.4, "a", "b")
    bounds = [0.8, 0.4, 0.2, 0.1, 0.05, 0.0]
    path = TradeoffCV(FairLogisticRegression(), "max_parity_gap", bounds, measure="parity", cv=3)
    path.fit(X, y, sensitive_features=group, sample_weight=np.ones(len(y)))
    curve = path.curve_
    assert [point.bound for point in curve] == bounds
    assert all(a.objective <= b.objective + 1e-6 for a, b in zip(curve, curve[1:]))
    # the price is the slope of the curve: tangents lie below it
    for k, point in enumerate(curve):
        for other in curve[k:]:
            assert other.objective >= point.objective - point.price * (other.bound - point.bound) - 1e-5
    cold = [FairLogisticRegression(max_parity_gap=bound).fit(X, y, sensitive_features=group).result_ for bound in bounds]
    for point, alone in zip(curve, cold):
        assert point.objective == pytest.approx(alone.objective, abs=2e-6)
    assert sum(point.gradients for point in curve) < sum(alone.gradient_evaluations for alone in cold)
    assert path.best_score_ == max(point.score for point in curve)
    np.testing.assert_array_equal(path.predict(X), path.best_estimator_.predict(X))
    assert path.predict_proba(X).shape == (len(y), 2) and path.score(X, y) > 0.5
    wanted = min(point.measured for point in curve)
    fair = clone(path).set_params(max_measure=wanted).fit(X, y, sensitive_features=group)
    assert fair.best_measured_ == wanted
    with pytest.raises(ufcm.Error, match="no bound has a measure of at most -1"):
        clone(path).set_params(max_measure=-1.0).fit(X, y, sensitive_features=group)
    with pytest.raises(ValueError, match="parameter is 'alpha'; the bounds of FairLogisticRegression are"):
        TradeoffCV(FairLogisticRegression(), "alpha", [1.0]).fit(X, y)
    with pytest.raises(TypeError, match="must be one of ufcm.sklearn with a bound"):
        TradeoffCV(sklearn.linear_model.LogisticRegression(), "C", [1.0]).fit(X, y)
    # a bound that no model meets is a point of the curve
    tight = TradeoffCV(NeymanPearsonClassifier(fit_intercept=False, radius=0.1), "max_loss", [0.8, 1e-3], cv=2).fit(X, y)
    assert tight.best_bound_ == 0.8 and np.isinf(tight.curve_[1].objective)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (["f", None], "sensitive_features has 100 missing values, the first in row 1"),
        (["f", np.nan], "sensitive_features has 100 missing values, the first in row 1"),
        ([np.nan, 1.5], "sensitive_features has 100 missing values, the first in row 0"),
        (["f", 1], "sensitive_features has both text and numbers"),
        ([["f", "old"], ["m", "old"]], "sensitive_features has 2 columns"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_sensitive_features_that_are_no_groups_are_named(entries, message):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    groups = np.array(entries * 100, dtype=object if isinstance(entries[0], (str, list)) else float)
    with pytest.raises(ValueError, match=message):
        FairLogisticRegression(max_parity_gap=0.1).fit(X, y, sensitive_features=groups)
