"""Problems: operators, composers, constraints, domains, and answers that are known."""

import pickle
import time

import numpy as np
import pytest

import ufcm

SQUARE = ufcm.quadratic([1.0, 1.0])


def solved(*arguments, **keywords):
    problem = ufcm.Problem(*arguments, **keywords)
    result = problem.solve(eps_rel=1e-8)
    assert result.status == "Certified", result
    assert result.certificate.verify(problem).gap <= 1e-6
    return result


# Operators


def test_arithmetic_of_components():
    f, g = ufcm.quadratic([2.0, 0.0]), ufcm.linear([1.0, -1.0], 0.5)
    x = np.array([1.5, -2.0])
    combination = 2.0 * f + g - 0.3
    assert combination(x) == pytest.approx(2.0 * f(x) + g(x) - 0.3)
    np.testing.assert_allclose(combination.gradient(x), 2.0 * f.gradient(x) + g.gradient(x))
    assert (f / 4.0)(x) == pytest.approx(f(x) / 4.0)
    assert (f - g)(x) == pytest.approx(f(x) - g(x))
    assert (1.0 - g)(x) == pytest.approx(1.0 - g(x))
    assert sum([f, g, f])(x) == pytest.approx(2.0 * f(x) + g(x))
    assert (np.float64(2.0) * f)(x) == (f * np.int64(2))(x) == 2.0 * f(x)
    assert (np.array(3.0) * f)(x) == pytest.approx(3.0 * f(x))
    assert (2.0 * (3.0 * f + 1.0) + 1.0)(x) == pytest.approx(6.0 * f(x) + 3.0)


def test_what_is_not_convex_is_refused():
    with pytest.raises(ValueError, match="quadratic: weight is -1; it must be nonnegative"):
        -SQUARE
    with pytest.raises(ValueError, match="only an affine component is bounded from below"):
        SQUARE >= 1.0  # noqa: B015
    with pytest.raises(ValueError, match="quadratic <= quadratic is not convex"):
        SQUARE <= SQUARE  # noqa: B015
    with pytest.raises(ValueError, match="the composer `l1 norm of rows` is not nondecreasing"):
        ufcm.Problem(minimize=ufcm.norm1([SQUARE]))
    with pytest.raises(ValueError, match="x has length 3; expected 2"):
        SQUARE + ufcm.linear([1.0, 1.0, 1.0])
    with pytest.raises(TypeError):
        SQUARE * SQUARE
    with pytest.raises(TypeError):
        SQUARE + "1"


def test_a_constraint_has_no_truth():
    block = ufcm.affine([[1.0, 1.0]])
    with pytest.raises(TypeError, match=r"between\(lower, upper\)"):
        0.0 <= block <= 1.0  # noqa: B015
    with pytest.raises(TypeError, match=r"subject_to\[1\] is False"):
        ufcm.Problem(minimize=SQUARE, subject_to=[SQUARE <= 1, SQUARE == "0"])


def test_numpy_leaves_comparisons_to_us():
    block = ufcm.affine([[1.0, 0.0], [0.0, 1.0]])
    for constraint in (np.array([1.0, 2.0]) >= block, block <= np.array([1.0, 2.0])):
        assert isinstance(constraint, ufcm.Constraint)
    assert isinstance(np.float64(0.5) >= SQUARE, ufcm.Constraint)


# Answers


def test_a_bound_and_its_multiplier():
    r = solved(ufcm.quadratic([1.0, 1.0], [-2.0, 0.0]), [SQUARE <= 0.5], domain=ufcm.box(-5, 5))
    np.testing.assert_allclose(r.x, [1.0, 0.0], atol=1e-5)
    assert r.multipliers == [pytest.approx(1.0, abs=1e-4)]
    assert r.objective == pytest.approx(-1.5, abs=1e-6)


def test_multipliers_come_in_the_order_of_the_constraints():
    # min |x - (3, 3, 3)|^2/2: x_0 <= 1 costs 2, x_1 = 1 costs 2, 0 <= x_2 <= 2 costs 1, x_0 >= -5 nothing
    row = np.eye(3)
    constraints = [
        (ufcm.linear(row[0]) <= 1.0).named("first"),
        ufcm.affine(row[1:2]) == 1.0,
        ufcm.affine(row[2:]).between(0.0, 2.0),
        ufcm.affine(row[:2]) >= -5.0,
    ]
    objective = ufcm.quadratic(np.ones(3), -3.0 * np.ones(3))
    r = solved(objective + ufcm.norm1(ufcm.affine(row[:1])), constraints, domain=ufcm.ball(20.0))
    np.testing.assert_allclose(r.x, [1.0, 1.0, 2.0], atol=1e-5)
    first, second, third, fourth = r.multipliers
    assert first == pytest.approx(1.0, abs=1e-4)  # 2 less the slope of the norm
    np.testing.assert_allclose(second, [2.0], atol=1e-4)
    np.testing.assert_allclose(third, [1.0], atol=1e-4)
    np.testing.assert_allclose(fourth, [0.0, 0.0], atol=1e-4)
    np.testing.assert_allclose(r.term_multipliers[0], [1.0], atol=1e-4)
    assert list(r.multipliers_by_name) == ["first", "constraint 2", "constraint 3", "constraint 4"]


def test_sides_of_an_interval_have_their_signs():
    objective = ufcm.quadratic([1.0], [-3.0])
    block = ufcm.affine([[1.0]])
    for constraint, x, multiplier in [
        (block <= 1.0, 1.0, 2.0),
        (block >= 4.0, 4.0, -1.0),
        (block == ufcm.between(-1.0, 2.0), 2.0, 1.0),
        (ufcm.between(block, 5.0, 6.0), 5.0, -2.0),
        (block.between(-np.inf, 1.0), 1.0, 2.0),
        (block <= np.array([np.inf]), 3.0, 0.0),
        (ufcm.linear([1.0]) >= 4.0, 4.0, 1.0),
    ]:
        r = solved(objective, constraint, domain=ufcm.box(-10, 10))
        # A gap of 4.5e-8 leaves x free by the root of twice that.
        assert r.x[0] == pytest.approx(x, abs=3e-4), constraint
        assert np.ravel(r.multipliers[0])[0] == pytest.approx(multiplier, abs=1e-4), constraint


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (lambda z: ufcm.norm1(z), 4.0),
        (lambda z: ufcm.norm1(z, [1.0, 2.0, 1.0]), 4.0),
        (lambda z: ufcm.norm2(z), np.sqrt(78.0) / 3.0),
        (lambda z: ufcm.norm_inf(z), 2.0),
        (lambda z: ufcm.sum_power(z, 1.0), 4.0),
        (lambda z: ufcm.sum_power(z, 2.0), 78.0 / 9.0),
        (lambda z: ufcm.half_squares(z), 39.0 / 9.0),
        (lambda z: ufcm.sum_squares(z), 78.0 / 9.0),
        (lambda z: ufcm.sum_huber(z, 100.0), 39.0 / 9.0),
        (lambda z: ufcm.quantile(z, 0.5), 2.0),
        (lambda z: ufcm.maximum(z), -1.0),
        (lambda z: ufcm.squared_hinge(z, 1.0), 0.0),
        (lambda z: 2.5 * ufcm.norm1(z), 10.0),
        (lambda z: 0.5 * ufcm.norm1(z) + 0.5 * ufcm.norm1(z) + 1.0, 5.0),
    ],
)
def test_composers_of_an_affine_block(term, value):
    # the rows are x, x - 1, x - 4 (the mean of 0, 1, 4 is 5/3); x >= -1 keeps the max bounded
    z = ufcm.affine([[1.0], [1.0], [1.0]], [0.0, 1.0, 4.0])
    r = solved(term(z), domain=ufcm.box(-1.0, 10.0))
    assert r.objective == pytest.approx(value, abs=1e-5)


def test_composers_of_curved_components():
    left, right = ufcm.quadratic([1.0], [-1.0], 0.5), ufcm.quadratic([1.0], [1.0], 0.5)  # (x -+ 1)^2 / 2
    box = {"domain": ufcm.box(-5, 5)}
    assert solved(ufcm.maximum([left, right]), **box).objective == pytest.approx(0.5, abs=1e-6)
    eta = 0.1
    smooth = solved(ufcm.smooth_maximum([left, right], eta), **box)
    assert smooth.objective == pytest.approx(0.5 + eta * np.log(2.0), abs=1e-6)
    assert solved(ufcm.squared_hinge([left, right], 0.5), **box).objective == pytest.approx(2.0, abs=1e-6)
    assert solved(ufcm.weighted_sum([left, right], [1.0, 3.0]), **box).x[0] == pytest.approx(-0.5, abs=1e-4)


def test_bounds_on_terms_that_come_apart():
    left, right = ufcm.quadratic([1.0], [-1.0], 0.5), ufcm.quadratic([1.0], [1.0], 0.5)
    r = solved(ufcm.linear([1.0]), [ufcm.maximum([left, right]) <= 2.0], domain=ufcm.box(-9, 9))
    assert r.x[0] == pytest.approx(-1.0, abs=1e-5)
    assert r.multipliers[0].shape == (2,)
    block = ufcm.affine([[1.0], [2.0]])
    r = solved(ufcm.linear([-1.0]), [2.0 * ufcm.norm_inf(block) <= 8.0], domain=ufcm.box(-9, 9))
    assert r.x[0] == pytest.approx(2.0, abs=1e-5)


@pytest.mark.parametrize(
    ("term", "bound", "x", "multiplier"),
    [
        (lambda z: ufcm.norm2(z), 2.0, [2 * 0.6, 2 * 0.8], 5.0),
        (lambda z: 3.0 * ufcm.norm2(z), 6.0, [2 * 0.6, 2 * 0.8], 5.0 / 3.0),
        (lambda z: ufcm.sum_huber(z, 10.0), 2.0, [2 * 0.6, 2 * 0.8], 2.5),
        (lambda z: ufcm.half_squares(z), 2.0, [2 * 0.6, 2 * 0.8], 2.5),
        (lambda z: ufcm.sum_squares(z), 4.0, [2 * 0.6, 2 * 0.8], 1.25),
        (lambda z: ufcm.sum_power(z, 2.0), 4.0, [2 * 0.6, 2 * 0.8], 1.25),
    ],
)
def test_bounds_on_norms(term, bound, x, multiplier):
    constraint = term(ufcm.affine(np.eye(2))) <= bound
    p = ufcm.Problem(minimize=ufcm.linear([-3.0, -4.0]), subject_to=[constraint], domain=ufcm.box(-9, 9))
    r = p.solve()
    assert r.success
    np.testing.assert_allclose(r.x, x, atol=2e-3)
    assert r.multipliers[0] == pytest.approx(multiplier, abs=2e-2)
    assert p.check(quick=True).ok


@pytest.mark.parametrize(
    ("term", "bound", "least", "multiplier"),
    [
        (lambda z: ufcm.norm1(z), 2.0, -8.0, 4.0),
        (lambda z: ufcm.norm1(z, reduction="mean"), 1.0, -8.0, 8.0),
        (lambda z: ufcm.quantile(z, 0.8), 2.0, -40.0, 20.0),
        (lambda z: ufcm.conditional_value_at_risk(z, 0.6), 1.0, -7.0, 7.0),
        (lambda z: ufcm.sum_power(z, 1.5), 1.0, -((3.0**3 + 4.0**3) ** (1 / 3)), None),
    ],
)
def test_every_term_can_be_bounded(term, bound, least, multiplier):
    constraint = (term(ufcm.affine(np.eye(2))) <= bound).named("bound")
    p = ufcm.Problem(minimize=ufcm.linear([-3.0, -4.0]), subject_to=[constraint], domain=ufcm.box(-99, 99))
    r = p.solve()
    assert r.status == "Certified", r
    assert r.objective == pytest.approx(least, rel=1e-5)
    assert isinstance(r.multipliers_by_name["bound"], float)
    if multiplier is not None:
        assert r.multipliers_by_name["bound"] == pytest.approx(multiplier, rel=1e-3)
    assert r.certificate.verify(p).gap < 1e-4
    again = pickle.loads(pickle.dumps(p)).solve()
    assert again.objective == r.objective


def test_bounds_on_terms_of_curved_components():
    left, right = ufcm.quadratic([1.0], [-1.0], 0.5), ufcm.quadratic([1.0], [1.0], 0.5)
    r = solved(ufcm.linear([1.0]), [ufcm.smooth_maximum([left, right], 0.01) <= 2.0], domain=ufcm.box(-9, 9))
    assert r.x[0] == pytest.approx(-1.0, abs=1e-3)
    assert isinstance(r.multipliers[0], float)


def test_offsets_are_added_to_the_scores():
    A, y, o = [[1.0, 2.0], [-1.0, 0.5]], [1, 0], [0.3, -0.2]
    for kind, extra in (("logistic", {}), ("squared_hinge_loss", {}), ("smoothed_hinge", {"gamma": 0.5}), ("poisson", {})):
        f = getattr(ufcm, kind)(A, y, offset=o, **extra)
        wide = getattr(ufcm, kind)(np.column_stack([A, o]), y, **extra)
        assert f([0.4, -0.7]) == pytest.approx(wide([0.4, -0.7, 1.0]), rel=1e-14)
        np.testing.assert_allclose(f.gradient([0.4, -0.7]), wide.gradient([0.4, -0.7, 1.0])[:2], rtol=1e-13)
        np.testing.assert_allclose(f.hessian([0.4, -0.7]), wide.hessian([0.4, -0.7, 1.0])[:2, :2], rtol=1e-13)


def test_bounds_that_make_no_sense():
    with pytest.raises(ValueError, match="it must be above the least value of what it bounds"):
        ufcm.norm1(ufcm.affine(np.eye(2))) <= 0.0  # noqa: B015
    with pytest.raises(ValueError, match="the bound of norm1 is inf"):
        ufcm.norm1(ufcm.affine(np.eye(2))) <= np.inf  # noqa: B015


def test_infeasible_problems_come_with_their_proof():
    p = ufcm.Problem(subject_to=[SQUARE <= 1.0], domain=ufcm.box(2.0, 3.0))
    r = p.solve()
    assert r.status == "Infeasible" and not r.success
    assert r.infeasibility.verify(p) > 0.0
    assert ufcm.Infeasibility.from_json(r.infeasibility.to_json()).verify(p) > 0.0
    with pytest.raises(ufcm.CertificateError):
        r.infeasibility.verify(ufcm.Problem(subject_to=[SQUARE <= 100.0], domain=ufcm.box(2.0, 3.0)))


def test_unbounded_problems():
    assert ufcm.Problem(minimize=ufcm.linear([1.0, 0.0])).solve().status == "Unbounded"


def test_limits():
    p = ufcm.Problem(minimize=ufcm.log_sum_exp(np.random.default_rng(0).normal(size=(40, 10))), domain=ufcm.ball(5.0))
    r = p.solve(max_gradients=2)
    assert r.status == "IterationLimit" and r.gradient_evaluations <= 2
    assert p.solve(time_limit=1e-9).status == "TimeLimit"
    again = p.solve(x0=p.solve())
    assert again.success and again.gradient_evaluations <= p.solve().gradient_evaluations


def test_a_path_of_bounds_from_the_result_before(rng):
    A, B = rng.normal(size=(300, 8)) + 0.5, rng.normal(size=(200, 8)) - 0.5
    hit, alarm = ufcm.logistic(A, np.ones(300)), ufcm.logistic(B, -np.ones(200))

    def problem(bound, *more):
        constraints = [(alarm <= bound).named("alarms"), *more]
        return ufcm.Problem(minimize=hit, subject_to=constraints, domain=ufcm.ball(10.0))

    before = problem(0.4).solve()
    for bound in np.linspace(0.39, 0.3, 6):
        r = problem(bound).solve(warm_start=before)
        assert r.status == "Certified" and r.gradient_evaluations <= 5
        before = r
    # One constraint more, and one less.
    cap = (ufcm.quadratic(np.ones(8)) <= 20.0).named("cap")
    r = problem(0.3, cap).solve(warm_start=before)
    assert r.status == "Certified" and r.gradient_evaluations <= 10
    again = pickle.loads(pickle.dumps(r))
    assert problem(0.3).solve(warm_start=again).status == "Certified"
    with pytest.raises(TypeError, match="warm_start is list; it must be the result of a solve"):
        problem(0.3).solve(warm_start=[1.0])
    with pytest.raises(ValueError, match="warm start: x has length 8; expected 2"):
        ufcm.Problem(minimize=ufcm.quadratic([1.0, 1.0]), domain=ufcm.ball(1.0)).solve(warm_start=r)


@pytest.mark.parametrize("n", [4, 31])
def test_the_hessian_of_a_function_is_used(rng, n):
    """With its Hessian a function must not take more gradients than without."""
    A = rng.normal(size=(40 * n, n)) @ np.diag(np.logspace(0, -2, n)) @ rng.normal(size=(n, n))
    y = np.where(rng.random(40 * n) < 0.5, 1.0, -1.0)

    def fun(x):
        z = y * (A @ x)
        return np.logaddexp(0, -z).mean(), -(A.T @ (y / (1 + np.exp(z)))) / len(y)

    def hess(x):
        s = 1 / (1 + np.exp(-(A @ x)))
        return (A.T * (s * (1 - s))) @ A / len(y)

    with_hessian, without = (
        ufcm.Problem(minimize=ufcm.component(fun, n, hess=given), domain=ufcm.ball(5.0)).solve() for given in (hess, None)
    )
    assert with_hessian.status == "Certified" and with_hessian.hessian_evaluations > 0
    assert with_hessian.gradient_evaluations <= min(60, without.gradient_evaluations)


def test_a_limit_of_time_takes_effect_between_two_slow_functions():
    def slow(k):
        def fun(x):
            time.sleep(0.1)
            return float(x @ x) / 2 - k * x.sum(), x - k

        return ufcm.component(fun, 3)

    p = ufcm.Problem(minimize=slow(0), subject_to=[slow(k) <= 1 for k in range(1, 10)], domain=ufcm.box(-10, 10))
    late = []
    for _ in range(3):  # a machine that is shared may hold one attempt up, hardly three
        started = time.perf_counter()
        assert p.solve(time_limit=0.35).status == "TimeLimit"
        late.append(time.perf_counter() - started - 0.35)
        if late[-1] <= 0.1 + 0.2:  # one function, 100 ms, and as much for other work
            return
    raise AssertionError(f"late by {late}")


def test_a_radius_makes_bounds():
    p = ufcm.Problem(minimize=ufcm.log_sum_exp([[1.0], [-1.0]]))
    assert p.solve().status in ("Solved", "Certified")
    r = p.solve(radius=3.0)
    assert r.status == "Certified" and "within" in r.premise


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"eps_rel": -1.0}, "settings: eps_rel is -1"),
        ({"eps_feas": 0.0}, "settings: eps_feas is 0; it must be positive"),
        ({"method": "simplex"}, "method is \"simplex\"; it must be one of auto, adaptive, sliding, primal-dual, newton, working-set, interior-point, ufcm, restarted"),
        ({"metric": "round"}, "metric is \"round\""),
        ({"x0": [1.0]}, "settings: x0 has length 1; expected 2"),
        ({"x0": [1.0, np.nan]}, r"settings: x0\[1\] is NaN"),
        ({"threads": 0}, "threads is 0; it must be at least 1"),
        ({"threads": -1}, "threads is -1; it must not be negative"),
        ({"max_gradients": -5}, "max_gradients is -5; it must not be negative"),
        ({"time_limit": 0.0}, "time_limit is 0; it must be positive"),
        ({"radius": -1.0}, "radius is -1"),
    ],
)
def test_bad_settings_are_refused_by_name(keywords, message):
    with pytest.raises(ValueError, match=message):
        ufcm.Problem(minimize=SQUARE).solve(**keywords)


@pytest.mark.parametrize(
    ("regularizer", "domain"),
    [
        (ufcm.l1(0.01), ufcm.ball(10.0)),
        (ufcm.elastic_net(0.1, 0.2), ufcm.ball(0.5, center=[0.3, 0.0])),
        (ufcm.group_l2([[0, 1]], 0.1), ufcm.ball(0.5)),
        (ufcm.ridge(0.1), ufcm.simplex()),
        (ufcm.l1(0.1), ufcm.nonnegative()),
    ],
)
def test_a_regularizer_with_a_domain(regularizer, domain):
    f = ufcm.least_squares([[1.0, 2.0], [0.5, -1.0], [1.0, 1.0]], [1.0, 0.0, 2.0])
    r = ufcm.Problem(minimize=f, subject_to=[f <= 3.0], regularizer=regularizer, domain=domain).solve()
    assert r.success and regularizer(r.x) < np.inf and domain(r.x) == 0.0
    # No direction within the domain leads down.
    rng = np.random.default_rng(0)
    for _ in range(200):
        x = r.x + 1e-3 * rng.normal(size=2)
        assert domain(x) == np.inf or f(x) + regularizer(x) >= r.objective - 2e-6


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({}, ValueError, "the number of variables is not known"),
        ({"minimize": 1.0}, TypeError, "minimize is float"),
        ({"minimize": SQUARE, "subject_to": [SQUARE]}, TypeError, r"subject_to\[0\] is <Component"),
        ({"minimize": SQUARE, "domain": SQUARE}, TypeError, "domain is Component"),
        (
            {"minimize": SQUARE, "subject_to": [(ufcm.linear([1.0]) <= 1).named("budget")]},
            ValueError,
            r"budget \(linear component\) has 1 variables; the problem has 2",
        ),
        ({"minimize": SQUARE, "domain": ufcm.box([0.0], [1.0])}, ValueError, "has 1 variables; the problem has 2"),
        (
            {"minimize": SQUARE, "regularizer": ufcm.l2(1.0), "domain": ufcm.simplex()},
            ValueError,
            "there is no joint prox for the regulariser",
        ),
    ],
)
def test_problems_that_cannot_be(keywords, error, message):
    with pytest.raises(error, match=message):
        ufcm.Problem(**keywords)


def test_values_and_violations():
    p = ufcm.Problem(minimize=SQUARE, subject_to=[ufcm.linear([1.0, 0.0]) <= 1.0], regularizer=ufcm.l1(1.0))
    assert p.value([1.0, 1.0]) == 3.0 and p.value([2.0, 0.0]) == np.inf
    assert p.violation([3.0, 0.0]) == 2.0
    assert p.n == 2


def test_check_finds_what_is_wrong_and_nothing_else():
    good = ufcm.Problem(minimize=ufcm.logistic([[1.0, 2.0], [0.5, -1.0]], [1, -1]), domain=ufcm.ball(1.0))
    assert good.check().ok and "no fault found" in repr(good.check())
    concave = ufcm.component(lambda x: (-np.sum(x**2), -2.0 * x), n=2)
    audit = ufcm.Problem(minimize=SQUARE, subject_to=[(concave <= 0).named("dent")]).check()
    assert not audit and audit.faults[0].part == "dent"
    assert "WRONG  dent (Python function)" in repr(audit)

    def fails(x):
        raise RuntimeError("no data")

    audit = ufcm.Problem(minimize=ufcm.component(fails, n=1)).check()
    assert audit.faults[0].law == "Failure" and "RuntimeError: no data" in audit.faults[0].message
    assert "\ue0f0" not in repr(audit)


def test_the_plan_of_the_paper():
    p = ufcm.Problem(minimize=ufcm.quadratic([1.0, 1.0], [-2.0, 0.0]), subject_to=[SQUARE <= 0.5], domain=ufcm.box(-5, 5))
    plan = p.plan(1e-4)
    assert plan.d_x == pytest.approx(1.0, abs=1e-3) and plan.d_lambda > 0
    assert plan.ufcm.gradients > plan.used.gradients > 0 and plan.restarted.gradients > 0
    assert "promised by R-UFCM" in repr(plan)
    # a finer accuracy costs more
    assert p.plan(1e-6).ufcm.gradients > plan.ufcm.gradients
    with pytest.raises(ValueError, match="eps is -1"):
        p.plan(-1)
    unknown = ufcm.component(lambda x: (np.sum(x**2), 2 * x), n=2)
    with pytest.raises(ValueError, match=r"objective \(Python function\) has no Hölder smoothness"):
        ufcm.Problem(minimize=unknown, domain=ufcm.ball(1.0)).plan(1e-3)
    with pytest.raises(ufcm.Error, match="none was found: Infeasible"):
        ufcm.Problem(subject_to=[SQUARE <= 1.0], domain=ufcm.box(2.0, 3.0)).plan(1e-3)


@pytest.mark.parametrize("method", ["ufcm", "restarted"])
def test_the_published_method_finds_its_constants_first(method):
    disc = ufcm.quadratic([1.0, 1.0])
    problem = ufcm.Problem(ufcm.quadratic([1.0, 1.0], [-2.0, 0.0]), [disc <= 0.5], domain=ufcm.box(-5.0, 5.0))
    steps = []
    result = problem.solve(1e-3, eps_feas=1e-3, method=method, callback=lambda now: steps.append(now.step))
    assert result.status == "Certified" and abs(result.objective + 1.5) < 3e-3
    assert len(steps) == result.steps == result.gradient_evaluations <= result.promised_gradients
    assert result.constants_gradients > 0 and "gradients of the default method before" in repr(result)
    assert problem.solve().constants_gradients is None
    with pytest.raises(ValueError, match="all rows are affine"):
        ufcm.Problem(ufcm.linear([1.0]), domain=ufcm.box(-1.0, 1.0)).solve(method=method)


def test_sums_with_terms_are_bounded():
    A, y = np.array([[1.0, 0.2], [0.3, 1.0], [-1.0, 0.5]]), [1.0, -1.0, 1.0]
    rows, box = ufcm.affine(np.eye(2)), ufcm.box(-9.0, 9.0)
    sums = {
        "norm2": ufcm.logistic(A, y) + ufcm.norm2(rows),
        "l1": ufcm.logistic(A, y) + ufcm.l1(0.5),
        "ridge": ufcm.norm1(rows) + ufcm.ridge([1.0, 2.0]),
        "elastic net": ufcm.logistic(A, y) + ufcm.elastic_net(0.2, 0.3),
        "hinge": ufcm.hinge(A, y) + ufcm.quadratic([1.0, 1.0]),
        "tail": ufcm.linear([0.1, 0.0]) + ufcm.cvar(ufcm.affine(A), 0.5) + ufcm.ridge(0.1),
    }
    for name, total in sums.items():
        constraint = (total <= 1.5).named(name)
        p = ufcm.Problem(ufcm.linear([1.0, 0.5]), [constraint], domain=box)
        r = p.solve()
        assert r.status == "Certified", (name, r)
        assert total(r.x) == pytest.approx(1.5, abs=1e-5) and r.multipliers[name] > 0.0
        assert p.with_bound(name, 2.0).solve(warm_start=r).objective < r.objective
    with pytest.raises(ValueError, match="maximum of components cannot be part of a bounded sum"):
        SQUARE + ufcm.maximum([SQUARE, SQUARE]) <= 1.0
    with pytest.raises(ValueError, match="negative_log is not finite everywhere"):
        SQUARE + ufcm.negative_log(rows) <= 1.0
    with pytest.raises(ValueError, match="group_l2 cannot be part of a bounded sum"):
        SQUARE + ufcm.group_l2([[0, 1]], 1.0) <= 1.0


def test_bounds_of_terms_move():
    losses = ufcm.affine([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    p = ufcm.Problem(ufcm.linear([-1.0, -1.0]), [(ufcm.cvar(losses, 0.5) <= 1.0).named("risk")], domain=ufcm.box(-5, 5))
    r = p.solve()
    moved = p.with_bound("risk", 2.0)
    again = moved.solve(warm_start=r)
    assert again.status == "Certified" and again.objective == pytest.approx(2.0 * r.objective, rel=1e-5)
    assert moved.subject_to[0]._parts[0][1]._rows is losses  # the data are those


def test_entropies_by_their_names():
    rows = ufcm.affine(np.eye(3))
    q = [0.2, 0.3, 0.5]
    assert ufcm.kl(rows, q)([0.4, 0.3, 0.3]) == pytest.approx(0.4 * np.log(2.0) + 0.3 * np.log(0.6))
    assert ufcm.entropy(rows)([0.4, 0.3, 0.3]) == pytest.approx(-sum(p * np.log(p) for p in (0.4, 0.3, 0.3)))
    r = ufcm.Problem(-ufcm.entropy(rows), [ufcm.linear([1.0, 1.0, 1.0]) == 1]).solve()
    assert r.status == "Certified" and np.allclose(r.x, 1 / 3, atol=1e-4)
    with pytest.raises(ValueError, match=r"q\[1\] is 0"):
        ufcm.kl(rows, [1.0, 0.0, 1.0])
    with pytest.raises(TypeError, match="concave"):
        SQUARE + ufcm.entropy(rows)


def test_comparisons_that_are_no_constraints_say_what_is():
    rows, loss = ufcm.affine(np.eye(3)), ufcm.least_squares(np.eye(3), np.ones(3))
    refused = [
        (lambda: ufcm.norm1(rows) >= 1, ValueError, "norm1 of 3 rows >= 1 is not convex; it is bounded from above"),
        (lambda: loss + ufcm.norm1(rows) >= 1, ValueError, "is not convex; it is bounded from above"),
        (lambda: ufcm.norm1(rows) <= ufcm.norm1(rows), ValueError, "the right side must be a number or an affine component"),
        (lambda: ufcm.norm1(rows) <= loss, ValueError, "the right side must be a number or an affine component"),
        (lambda: ufcm.norm1(rows) <= "1", TypeError, "the bound is str"),
        (lambda: ufcm.norm1(rows) < 1, TypeError, "strict inequalities"),
        (lambda: loss > 1, TypeError, "strict inequalities"),
        (lambda: rows < 1, TypeError, "strict inequalities"),
        (lambda: rows <= rows, TypeError, "write their difference"),
        (lambda: ufcm.entropy(rows) >= 1, TypeError, "in_exponential_cones"),
        (lambda: ufcm.l1(1.0) <= 3, TypeError, "ufcm.l1_ball"),
        (lambda: ufcm.norm2(np.eye(3), np.ones(3)), TypeError, r"ufcm.norm2\(ufcm.affine\(A, b\)"),
        (lambda: ufcm.group_l2(0.3, [[0, 1]]), TypeError, "groups is 0.3; it must be a list of lists"),
        (lambda: ufcm.Problem(loss, ufcm.ball(1.0)), TypeError, "pass it as domain="),
        (lambda: ufcm.Problem(loss, 3), TypeError, "subject_to is int"),
    ]
    for make, kind, message in refused:
        with pytest.raises(kind, match=message):
            make()


def test_terms_are_bounded_by_affine_components():
    t = ufcm.linear([0.0, 0.0, 1.0])
    distance = ufcm.norm2(ufcm.affine(np.eye(2, 3), [1.0, 2.0]))
    for bound in (distance <= t, t >= distance):
        r = ufcm.Problem(t, [bound], domain=ufcm.box(-5, 5)).solve()
        assert r.status == "Certified" and abs(r.objective) < 1e-5
    with pytest.raises(ValueError, match="not convex"):
        distance <= ufcm.log_sum_exp(np.eye(3))  # noqa: B015


def test_a_problem_takes_no_other_parts():
    p = ufcm.Problem(ufcm.least_squares(np.eye(2), [1.0, 2.0]))
    for name in ("minimise", "constraints", "x"):
        with pytest.raises(AttributeError, match=f"a problem has no part '{name}'"):
            setattr(p, name, None)


def test_a_regularizer_times_zero_is_nothing():
    loss = ufcm.least_squares(np.eye(2), [1.0, 2.0])
    for nothing in (0 * ufcm.l1(1.0), 0 * (ufcm.l1(1.0) + ufcm.ridge(1.0))):
        assert nothing([3.0, 4.0]) == 0.0
        np.testing.assert_allclose(ufcm.Problem(loss + nothing).solve().x, [1.0, 2.0], atol=1e-4)


def test_limits_with_functions_of_users_point_to_the_check():
    # A gradient without the exponentials: it is that of a convex function, of another.
    wrong = ufcm.component(lambda x: (np.sum((x - 1) ** 2 + np.exp(x)), 2 * (x - 1)), n=3)
    r = ufcm.Problem(wrong).solve(max_gradients=2000)
    assert not r.success and "Problem.check()" in r.message
    right = ufcm.least_squares(np.eye(2), [1.0, 2.0])
    assert "check" not in ufcm.Problem(right, domain=ufcm.box(-9, 9)).solve(max_gradients=1).message
