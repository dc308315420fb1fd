"""Functions are audited before a success is claimed, and the premise says so."""

from __future__ import annotations

import numpy as np
import pytest
import ufcm


def shifted(x):
    return float((x - 0.1) @ (x - 0.1)), 2 * x


def missing(x):
    g = 2 * (x - 1)
    g[-1] = 0.0
    return float((x - 1) @ (x - 1)), g


WRONG = {
    "concave": lambda x: (-float(x @ x), -2 * x),
    "saddle": lambda x: (float(x[0] ** 2 - x[1] ** 2), np.array([2 * x[0], -2 * x[1]])),
    "wrong sign": lambda x: (float((x - 1) @ (x - 1)), -2 * (x - 1)),
    "twice": lambda x: (float((x - 1) @ (x - 1)), 4 * (x - 1)),
    "shifted": shifted,
    "missing": missing,
    "sine": lambda x: (float(np.sin(x).sum()), np.cos(x)),
    "zero": lambda x: (float((x - 1) @ (x - 1)), 0 * x),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("x0", [(0.0, 0.0), (2.0, -3.0), (-4.0, 1.0)])
def test_wrong_functions_are_no_success(name, x0):
    p = ufcm.Problem(ufcm.component(WRONG[name], 2), domain=ufcm.box(-5, 5))
    r = p.solve(x0=list(x0))
    assert not r.success, name
    assert "no premise" not in r.premise


RIGHT = {
    "bowl": lambda x: (float((x - 1) @ (x - 1)), 2 * (x - 1)),
    "kinks": lambda x: (float(abs(x - 1).sum()), np.sign(x - 1)),
    "exponentials": lambda x: (float((np.exp(x) - 2 * x).sum()), np.exp(x) - 2),
    "single precision": lambda x: (float(np.float32(x - 1) @ np.float32(x - 1)), 2 * np.float32(x - 1)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_functions_are_a_success_and_the_premise_says_what_was_checked(name):
    p = ufcm.Problem(ufcm.component(RIGHT[name], 2), domain=ufcm.box(-5, 5))
    r = p.solve()
    assert r.success, r.trouble
    assert 10 <= r.audit_gradients <= 30
    told = f"`objective` is a user's function: gradient and convexity checked at {r.audit_gradients} points, not proven"
    assert told in r.premise
    assert f"{r.audit_gradients} gradients beyond these" in str(r)


def test_an_audit_can_be_turned_off_and_the_premise_says_so():
    p = ufcm.Problem(ufcm.component(WRONG["concave"], 2), domain=ufcm.box(-5, 5))
    r = p.solve(audit=False)
    assert r.audit_gradients == 0 and r.settings["audit"] is False
    assert "neither checked (no audit ran) nor proven" in r.premise


def test_trouble_names_the_component_and_the_points():
    # The start is stationary: the run itself sees nothing.
    r = ufcm.Problem(ufcm.component(WRONG["concave"], 2), domain=ufcm.box(-5, 5)).solve()
    assert r.status == "NumericalError" and r.lower_bound == -np.inf
    assert "the audit found objective at fault" in r.trouble and "x = [" in r.trouble and "y = [" in r.trouble
    assert r.fault.row == "objective"


def test_certificates_cannot_hide_what_they_rest_on():
    p = ufcm.Problem(ufcm.component(RIGHT["bowl"], 2), domain=ufcm.box(-5, 5))
    c = p.solve().certificate
    hidden = ufcm.Certificate.from_json(c.to_json().replace("function", "construction"))
    assert "is a user's function: gradient and convexity not proven" in hidden.rests_on(p)
    assert "checked at" in c.premise and "the certificate says" in c.rests_on(p)


def test_trusted_data_are_checked():
    with pytest.raises(ValueError, match="semidefinite"):
        ufcm.quadratic([[1.0, 0.0], [0.0, -1.0]])
    saddle = ufcm.quadratic([[1.0, 0.0], [0.0, -1.0]], trusted=True)
    assert not ufcm.Problem(saddle, domain=ufcm.box(-5, 5)).solve().success
    bowl = ufcm.quadratic([[2.0, 1.0], [1.0, 2.0]], trusted=True)
    r = ufcm.Problem(bowl, domain=ufcm.box(-5, 5)).solve()
    assert r.success and "`objective` is convex on the user's word" in r.premise
    r = ufcm.Problem(ufcm.quadratic([[2.0, 1.0], [1.0, 2.0]]), domain=ufcm.box(-5, 5)).solve()
    assert r.premise.startswith("no premise"), "proven from its data"
