"""What the tests of automatic differentiation share: a logistic loss, whose twin in Rust knows the answers."""

import numpy as np
import pytest

import ufcm

RNG = np.random.default_rng(2)
A, B = RNG.normal(size=(30, 4)), np.sign(RNG.normal(size=30))


def check(f):
    twin = ufcm.logistic(A, B)
    x = RNG.normal(size=4)
    assert f(x) == pytest.approx(twin(x), rel=1e-12)
    np.testing.assert_allclose(f.gradient(x), twin.gradient(x), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(f.hessian(x), twin.hessian(x), rtol=1e-10, atol=1e-12)
    p = ufcm.Problem(minimize=f, subject_to=[ufcm.quadratic(np.ones(4)) <= 1.0], domain=ufcm.box(-5, 5))
    q = ufcm.Problem(minimize=twin, subject_to=[ufcm.quadratic(np.ones(4)) <= 1.0], domain=ufcm.box(-5, 5))
    r, s = p.solve(eps_rel=1e-8), q.solve(eps_rel=1e-8)
    assert r.status == s.status == "Certified"
    assert r.objective == pytest.approx(s.objective, abs=1e-7)
    assert p.check(quick=True).ok
