"""Trade-off curves and other bounds."""

import numpy as np
import pytest

import ufcm


def neyman_pearson(bound=0.4):
    random = np.random.default_rng(3)
    benign, malignant = random.normal(-0.4, 1.0, (60, 4)), random.normal(0.4, 1.0, (60, 4))
    # An intercept, with which each class alone could be told at no loss.
    benign[:, 0] = malignant[:, 0] = 1.0
    return ufcm.Problem(
        minimize=ufcm.logistic(benign, -np.ones(60)),
        subject_to=[(ufcm.logistic(malignant, np.ones(60)) <= bound).named("missed")],
        domain=ufcm.ball(8.0),
    )


def test_the_band_holds_later_solves():
    p = neyman_pearson()
    curve = p.tradeoff("missed", 0.3, 0.6, tol=1e-3)
    assert curve.success and curve.width <= 1e-3 and curve.violation == 0.0
    assert (curve.low, curve.high) == (0.3, 0.6)
    for bound in np.random.default_rng(0).uniform(0.3, 0.6, 5):
        lower, upper = curve.band(bound)
        r = p.with_bound("missed", bound).solve()
        assert r.status == "Certified"
        assert r.lower_bound <= upper and lower <= r.upper_bound
    corners = curve.corners()
    assert [corner[0] for corner in corners] == sorted(corner[0] for corner in corners)
    assert [point.bound for point in curve.points] == sorted(point.bound for point in curve.points)
    assert "Certified" in repr(curve)


def test_a_curve_is_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    figure = neyman_pearson().tradeoff("missed", 0.3, 0.5, tol=1e-2).plot()
    assert figure.axes[0].get_xlabel() == "bound of missed"


def test_bounds_from_below_keep_their_sign():
    p = ufcm.Problem(
        minimize=ufcm.quadratic([1.0, 4.0]),
        subject_to=[(ufcm.linear([1.0, 2.0]) >= 1.0).named("return")],
        domain=ufcm.simplex(),
    )
    curve = p.tradeoff("return", 1.1, 1.9, tol=1e-3)
    # x = (2 - r, r - 1)
    for r in (1.1, 1.5, 1.9):
        lower, upper = curve.band(r)
        value = p.with_bound("return", r).solve().objective
        assert lower - 1e-6 <= value <= upper + 1e-6
    assert curve.band(1.9)[0] > curve.band(1.5)[1]


def test_with_bound_shares_data_and_refuses_what_has_none():
    p = neyman_pearson()
    q = p.with_bound("missed", 0.5)
    assert q.subject_to[0].name == "missed" and p.solve().objective > q.solve(warm_start=p.solve()).objective
    with pytest.raises(ValueError, match="there is no constraint 'mised'"):
        p.with_bound("mised", 0.5)
    with pytest.raises(ValueError, match="finite number"):
        p.with_bound("missed", float("nan"))
    rows = ufcm.Problem(minimize=ufcm.quadratic([1.0, 1.0]), subject_to=[(ufcm.affine([[1.0, 1.0]], [1.0]) <= 0).named("sum")])
    with pytest.raises(ValueError, match="no single bound"):
        rows.with_bound("sum", 2.0)
    with pytest.raises(ValueError, match="no single bound"):
        rows.tradeoff("sum", 1.0, 2.0)


def test_mistakes_and_hopeless_ranges():
    p = neyman_pearson()
    with pytest.raises(ValueError, match="two different finite numbers"):
        p.tradeoff("missed", 0.3, 0.3)
    with pytest.raises(ValueError, match="no point satisfies the constraints"):
        p.tradeoff("missed", -2.0, -1.0)
    with pytest.raises(ValueError, match="tol"):
        p.tradeoff("missed", 0.3, 0.4, tol=0.0)
