"""Regularisers and domains: values, and the prox as the answer of a small problem."""

import numpy as np
import pytest

import ufcm

V = np.array([1.5, -0.2, 0.7, -2.0])

# (regulariser, its value at V, the minimiser of |x - V|^2/2 + u(x))
CASES = {
    "zero": (ufcm.zero(), 0.0, V),
    "l1": (ufcm.l1(0.5), 2.2, np.sign(V) * np.maximum(np.abs(V) - 0.5, 0)),
    "l1, each": (ufcm.l1([0.0, 1.0, 0.0, 1.0]), 2.2, [1.5, 0.0, 0.7, -1.0]),
    "positive part": (ufcm.positive_part(1.0), 2.2, [0.5, -0.2, 0.0, -2.0]),
    "ridge": (ufcm.ridge(1.0), 0.5 * V @ V, V / 2),
    "elastic net": (ufcm.elastic_net(0.5, 1.0), 2.2 + 0.5 * V @ V, np.sign(V) * np.maximum(np.abs(V) - 0.5, 0) / 2),
    "l1 box": (ufcm.l1_box(0.5, -1.0, 2.0), np.inf, [1.0, 0.0, 0.2, -1.0]),
    "l2": (ufcm.l2(1.0), np.linalg.norm(V), V * (1 - 1 / np.linalg.norm(V))),
    "linf": (ufcm.linf(1.0), 2.0, [1.25, -0.2, 0.7, -1.25]),
    "group l2": (ufcm.group_l2([[0, 3], [1]], 1.0), 2.5 + 0.2, [0.9, 0.0, 0.7, -1.2]),
    "total variation": (ufcm.total_variation(10.0), 10.0 * (1.7 + 0.9 + 2.7), np.zeros(4)),
    "sum of largest": (ufcm.sum_of_largest(2, 0.5), 1.1, [1.0, -0.2, 0.2, -2.0]),
    "box": (ufcm.box(-1.0, 1.0), np.inf, np.clip(V, -1, 1)),
    "box, each": (ufcm.box([0, 0, 0, -9], np.inf), np.inf, [1.5, 0.0, 0.7, -2.0]),
    "nonnegative": (ufcm.nonnegative(), np.inf, np.maximum(V, 0)),
    "linf ball": (ufcm.linf_ball(1.0, np.ones(4)), np.inf, [1.5, 0.0, 0.7, 0.0]),
    "ball": (ufcm.ball(1.0), np.inf, V / np.linalg.norm(V)),
    "ball, centre": (ufcm.ball(1.0, V + [3.0, 0, 0, 4.0]), np.inf, V + np.array([3.0, 0, 0, 4.0]) * 0.8),
    "l1 ball": (ufcm.l1_ball(1.0), np.inf, [0.25, 0.0, 0.0, -0.75]),
    "simplex": (ufcm.simplex(2.0), np.inf, [1.4, 0.0, 0.6, 0.0]),
    "halfspace": (ufcm.halfspace([1.0, 0, 0, 0], 1.0), np.inf, [1.0, -0.2, 0.7, -2.0]),
    "hyperplane": (ufcm.hyperplane([0, 1.0, 1.0, 0], 1.5), np.inf, [1.5, 0.3, 1.2, -2.0]),
    "affine set": (ufcm.affine_set([[0, 1.0, 1.0, 0], [1.0, 0, 0, 0]], [1.5, 0.0]), np.inf, [0.0, 0.3, 1.2, -2.0]),
    "cone": (ufcm.second_order_cone(), np.inf, None),
    "parts": (ufcm.parts([(1, ufcm.zero()), (3, ufcm.nonnegative())]), np.inf, [1.5, 0.0, 0.7, 0.0]),
    "shifted": (ufcm.nonnegative().shifted(np.ones(4)), np.inf, [1.5, 1.0, 1.0, 1.0]),
    "scaled": (ufcm.nonnegative().scaled(argument=-1.0), np.inf, np.minimum(V, 0)),
}


@pytest.mark.parametrize("name", CASES)
def test_value_and_prox(name):
    u, value, prox = CASES[name]
    assert u(V) == pytest.approx(value)
    assert value == np.inf or u(V) == pytest.approx(value)
    p = ufcm.Problem(minimize=ufcm.quadratic(np.ones(4), -V), regularizer=u)
    r = p.solve(eps_rel=1e-9)
    assert r.success
    if prox is not None:
        np.testing.assert_allclose(r.x, prox, atol=2e-5)
    else:
        np.testing.assert_allclose(r.x[0], np.linalg.norm(r.x[1:]), atol=1e-5)
    assert p.check(quick=True).ok


def test_a_regularizer_and_a_domain_together():
    p = ufcm.Problem(minimize=ufcm.quadratic(np.ones(4), -V), regularizer=ufcm.l1(0.5), domain=ufcm.box(-1, 0.5))
    np.testing.assert_allclose(p.solve(eps_rel=1e-9).x, [0.5, 0.0, 0.2, -1.0], atol=1e-5)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ufcm.l1(-1.0), ValueError, "is -1; it must be nonnegative"),
        (lambda: ufcm.l1(np.nan), ValueError, "is NaN"),
        (lambda: ufcm.box(1.0, 0.0), ValueError, "bounds"),
        (lambda: ufcm.ball(-1.0), ValueError, "radius is -1"),
        (lambda: ufcm.simplex(0.0), ValueError, "total is 0"),
        (lambda: ufcm.group_l2([[0, 1], [1]], 1.0), ValueError, "group"),
        (lambda: ufcm.group_l2([[-1]], 1.0), ValueError, "indices count from 0"),
        (lambda: ufcm.halfspace([0.0, 0.0], 1.0), ValueError, "halfspace"),
        (lambda: ufcm.parts([(1, ufcm.linear([1.0]))]), TypeError, "piece 0 is Component"),
        (lambda: ufcm.l1("a"), TypeError, "w has entries of type"),
    ],
)
def test_bad_parameters_are_refused_by_name(make, error, message):
    with pytest.raises(error, match=message):
        make()
