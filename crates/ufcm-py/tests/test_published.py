"""The published methods from Python: constants of one's own, traces, and runs that are repeated bit for bit."""

import numpy as np
import pytest

import ufcm


def problem() -> ufcm.Problem:
    return ufcm.Problem(
        minimize=ufcm.linear([-2.0, -1.0, 0.5]),
        subject_to=[ufcm.quadratic([1.0, 1.0, 1.0]) <= 0.5, ufcm.quadratic([4.0, 0.5, 1.0]) <= 0.8],
        domain=ufcm.box(-5.0, 5.0),
    )


@pytest.mark.parametrize("method", ["ufcm", "restarted", "doubling", "acgd-s", "apdb"])
def test_a_run_is_repeated_from_its_own_constants(method):
    p = problem()
    first = p.solve(method=method, eps_rel=1e-3, eps_feas=1e-3, max_gradients=3000)
    assert first.constants_gradients > 0 and first.constants is not None
    again = p.solve(method=method, eps_rel=1e-3, eps_feas=1e-3, max_gradients=3000, constants=first.constants)
    assert again.constants_gradients == 0 and again.constants == first.constants
    assert np.array_equal(first.x, again.x) and first.gradient_evaluations == again.gradient_evaluations


def test_constants_of_ones_own():
    p = problem()
    own = ufcm.Constants(l_ada=5.0, d_x=1.0, d_lambda=3.0, eps=1e-2, iterations=40)
    r = p.solve(method="ufcm", eps_rel=1e-12, eps_abs=0.0, constants=own)
    assert r.gradient_evaluations == 40 and r.constants.c == 3.0 and r.constants.delta == 0.3
    assert p.solve().constants is None
    for constants, message in [
        (ufcm.Constants(l_ada=-1.0), "l_ada is -1"),
        (ufcm.Constants(executions=2), "does not take executions"),
    ]:
        with pytest.raises(ValueError, match=message):
            p.solve(method="ufcm", constants=constants)
    with pytest.raises(ValueError, match="the method auto does not take l_ada"):
        p.solve(constants=ufcm.Constants(l_ada=1.0))
    with pytest.raises(TypeError, match="must be ufcm.Constants"):
        p.solve(method="ufcm", constants={"l_ada": 1.0})


def test_every_iteration_is_traced():
    p = problem()
    exact = p.solve(eps_rel=1e-10)
    own = ufcm.Constants(l_ada=5.0, d_x=1.0, d_lambda=3.0, iterations=60)
    r = p.solve(
        method="ufcm", eps_rel=1e-12, eps_abs=0.0, constants=own, trace=True, saddle=(exact.x, exact.row_multipliers)
    )
    assert [now.t for now in r.trace] == list(range(1, 61))
    assert sum(now.inner_steps for now in r.trace) == r.inner_steps
    assert r.trace[-1].gap < 0.1 * r.trace[0].gap and r.trace[-1].measure < r.trace[0].measure
    assert abs(r.trace[-1].objective - exact.objective) < 0.05
    assert p.solve(method="ufcm", constants=own).trace == []
    with pytest.raises(ValueError, match="has no trace"):
        p.solve(trace=True)


def test_a_plan_says_which_condition_fails():
    plan = ufcm.Problem(minimize=ufcm.linear([1.0]), domain=ufcm.box(-1.0, 1.0)).plan(1e-3)
    assert plan.ufcm is None and "all rows are affine" in plan.ufcm_unproven
    assert "not promised by UFCM (Algorithm 1): eps <= 24 L_ADA D_x^2 does not hold" in repr(plan)
    assert "eps <= 1 does not hold" in problem().plan(5.0).restarted_unproven
