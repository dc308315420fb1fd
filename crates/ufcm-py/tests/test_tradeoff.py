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


def test_a_surface_holds_later_solves():
    random = np.random.default_rng(8)
    objective, first, second = (random.normal(m, 1.0, (60, 3)) for m in (-0.4, 0.5, 0.2))
    p = ufcm.Problem(
        minimize=ufcm.logistic(objective, -np.ones(60)),
        subject_to=[
            (ufcm.logistic(first, np.ones(60)) <= 0.6).named("first"),
            (ufcm.logistic(second, np.ones(60)) <= 0.7).named("second"),
        ],
        domain=ufcm.ball(8.0),
    )
    surface = p.surface(("first", 0.5, 0.65), ("second", 0.65, 0.75), tol=1e-2)
    assert surface.success and surface.width <= 1e-2 and surface.undecided == 0.0
    for a, b in zip(random.uniform(0.5, 0.65, 5), random.uniform(0.65, 0.75, 5)):
        lower, upper = surface.band(a, b)
        r = p.with_bound("first", a).with_bound("second", b).solve()
        assert r.status == "Certified" and r.lower_bound <= upper and lower <= r.upper_bound
        for at, value, slope in surface.planes():
            assert value + slope[0] * (a - at[0]) + slope[1] * (b - at[1]) <= r.upper_bound + 1e-9
    assert "'first' from 0.5 to 0.65" in repr(surface)
    pytest.importorskip("matplotlib").use("Agg")
    assert surface.plot(count=11).axes[0].get_ylabel() == "bound of second"
    with pytest.raises(ValueError, match="given twice"):
        p.surface(("first", 0.5, 0.6), ("first", 0.5, 0.6))


def test_bounds_on_terms_have_curves():
    losses = ufcm.affine([[1.0, 0.2], [-0.4, 1.0], [0.5, 0.5], [0.9, -0.8]])
    for term in (ufcm.conditional_value_at_risk(losses, 0.5), ufcm.maximum(losses), ufcm.norm_inf(losses), ufcm.norm1(losses)):
        p = ufcm.Problem(ufcm.linear([-1.0, -1.5]), [(term <= 1.0).named("risk")], domain=ufcm.ball(5.0))
        curve = p.tradeoff("risk", 0.5, 2.0, tol=1e-2)
        assert curve.success, term
        for bound in (0.7, 1.3, 2.0):
            lower, upper = curve.band(bound)
            r = p.with_bound("risk", bound).solve()
            assert r.lower_bound <= upper and lower <= r.upper_bound, (term, bound)
    p = ufcm.Problem(ufcm.linear([-1.0, -1.5]), [(ufcm.norm2(losses) <= 1.0).named("size")], domain=ufcm.ball(5.0))
    with pytest.raises(ValueError, match="one row of squares"):
        p.tradeoff("size", 0.5, 2.0)
