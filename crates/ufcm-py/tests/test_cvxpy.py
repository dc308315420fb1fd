"""CVXPY models solved here and by Clarabel: the same values, duals and feasibility."""

import copy
import gc
import pickle
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

cp = pytest.importorskip("cvxpy")
import ufcm.cvxpy  # noqa: E402
from ufcm._cvxpy_settings import is_answer  # noqa: E402

N = 5
RNG = np.random.default_rng(1)
A, B = RNG.normal(size=(12, N)), RNG.normal(size=12)
C = RNG.normal(size=N)
G = RNG.normal(size=(4, N))
F = RNG.normal(size=(3, N))
P = F.T @ F + 0.1 * np.eye(N)
SIGNS = np.sign(RNG.normal(size=12))


def x_():
    return cp.Variable(N, name="x")


def model(objective, *constraints, sense=cp.Minimize):
    """A model from functions of x."""

    def build():
        x = x_()
        return cp.Problem(sense(objective(x)), [constraint(x) for constraint in constraints])

    return build


def square(x):
    return cp.sum_squares(A @ x - B)


def matrix_model():
    X = cp.Variable((3, 2))
    D = np.arange(12.0).reshape(4, 3) / 5.0 - 1.0
    return cp.Problem(cp.Minimize(cp.sum_squares(D @ X - 1.0) + 0.3 * cp.norm1(X)), [cp.sum(X, axis=0) == 1, X <= 2])


def two_variables():
    x, y = cp.Variable(N), cp.Variable()
    return cp.Problem(cp.Minimize(square(x) + (y - 1) ** 2 + cp.abs(y)), [cp.sum(x) + y <= 0.5, y >= -1])


def with_a_parameter():
    x, level = x_(), cp.Parameter(nonneg=True, value=0.7)
    return cp.Problem(cp.Minimize(square(x) + level * cp.norm1(x)), [cp.norm2(x) <= 2 * level])


def with_bounds():
    x = cp.Variable(N, bounds=[-0.1, 0.2])
    return cp.Problem(cp.Minimize(square(x)), [cp.sum(x) == 0.3])


def nonnegative():
    x = cp.Variable(N, nonneg=True)
    return cp.Problem(cp.Minimize(C @ x), [cp.sum(x) == 1.0, G @ x <= 1.0])


def cone():
    x, t = cp.Variable(N), cp.Variable()
    return cp.Problem(cp.Minimize(C @ x + 0.5 * t), [cp.SOC(t, x - 1.0), t <= 4])


def tip(constraint):
    """The point of a cone is the answer."""

    def build():
        x, t = cp.Variable(N), cp.Variable()
        return cp.Problem(cp.Minimize(t), [constraint(t, x - C)])

    return build


def two_cones():
    X, t = cp.Variable((2, 3)), cp.Variable(2)
    return cp.Problem(cp.Minimize(cp.sum(cp.multiply(A[:2, :3], X)) + 3 * t[0] + 4 * t[1]), [cp.SOC(t, X, axis=1), t <= 2])


def by_columns(objective, *constraints):
    """A model from functions of a matrix."""

    def build():
        X = cp.Variable((3, 2))
        return cp.Problem(cp.Minimize(objective(X)), [constraint(X) for constraint in constraints])

    return build


def log_loss(x):
    return cp.sum(cp.logistic(-cp.multiply(SIGNS, A @ x)))


MODELS = {
    "least squares": model(square),
    "ridge": model(lambda x: square(x) + 0.5 * cp.sum_squares(x)),
    "lasso": model(lambda x: square(x) + 0.8 * cp.norm1(x)),
    "elastic net": model(lambda x: square(x) + 0.4 * cp.norm(x, 1) + cp.sum_squares(x)),
    "least absolute deviations": model(lambda x: cp.norm1(A @ x - B)),
    "Chebyshev fit": model(lambda x: cp.norm_inf(A @ x - B)),
    "norm of residuals": model(lambda x: cp.norm(A @ x - B) + 0.1 * cp.norm_inf(x)),
    "huber": model(lambda x: cp.sum(cp.huber(A @ x - B, 0.5))),
    "huber with weights": model(lambda x: cp.huber(A @ x - B, 0.3) @ np.arange(1.0, 13.0)),
    "logistic": model(lambda x: log_loss(x) + 0.1 * cp.sum_squares(x)),
    "logistic with offsets": model(lambda x: cp.sum(cp.logistic(A @ x - B)) + cp.sum_squares(x)),
    "logistic, l1": model(lambda x: log_loss(x) / 12 + 0.05 * cp.norm1(x)),
    "logistic, bounded": model(log_loss, lambda x: cp.norm2(x) <= 0.5),
    "log-sum-exp": model(lambda x: cp.log_sum_exp(A @ x + B) + 0.5 * cp.sum_squares(x)),
    "exponentials": model(lambda x: cp.sum(cp.exp(G @ x)) + cp.sum_squares(x)),
    "quadratic form": model(lambda x: cp.quad_form(x, P) + C @ x),
    "quadratic form, equality": model(lambda x: cp.quad_form(x, P), lambda x: cp.sum(x) == 1),
    "quadratic form of an affine argument": model(lambda x: cp.quad_form(F @ x - 1.0, np.eye(3)) + cp.sum_squares(x)),
    "portfolio": model(lambda x: cp.quad_form(x, P) - 0.5 * C @ x, lambda x: cp.sum(x) == 1, lambda x: x >= 0),
    "quadratic constraint": model(lambda x: C @ x, lambda x: cp.quad_form(x, P) <= 1.0),
    "two quadratic constraints": model(
        lambda x: C @ x, lambda x: cp.sum_squares(F @ x) <= 1.0, lambda x: cp.sum_squares(x) <= 3.0
    ),
    "ball": model(lambda x: C @ x, lambda x: cp.norm2(x) <= 2.0),
    "shifted ball": model(lambda x: C @ x, lambda x: cp.norm(x - 1.0) <= 2.0),
    "box": model(lambda x: C @ x, lambda x: x <= 1.0, lambda x: x >= -2.0),
    "linear program": model(lambda x: C @ x, lambda x: G @ x <= 1.0, lambda x: cp.norm_inf(x) <= 1.0),
    "simplex": model(lambda x: square(x), lambda x: cp.sum(x) == 1, lambda x: x >= 0),
    "l1 ball": model(square, lambda x: cp.norm1(x) <= 0.4),
    "weighted l1 ball": model(square, lambda x: np.arange(1.0, 6.0) @ cp.abs(x) <= 0.8),
    "infinity ball": model(square, lambda x: cp.norm_inf(x) <= 0.1),
    "affine bound on a norm": model(lambda x: C @ x + cp.sum_squares(x), lambda x: cp.norm2(F @ x) <= x[0] + 1.0),
    "affine bound on an l1 norm": model(lambda x: square(x), lambda x: cp.norm1(x) <= 0.5 - x[1]),
    "maximum of rows": model(lambda x: cp.max(A @ x - B) + 0.5 * cp.sum_squares(x)),
    "minimum of rows": model(lambda x: cp.min(A @ x - B) - cp.sum_squares(x), sense=cp.Maximize),
    "bounded maximum": model(square, lambda x: cp.max(G @ x) <= 0.1),
    "elementwise maximum": model(lambda x: cp.sum(cp.maximum(A @ x - B, 0.5 * (B - A @ x)))),
    "elementwise minimum": model(lambda x: cp.sum(cp.minimum(x, 1.0)) - cp.sum_squares(x), sense=cp.Maximize),
    "hinge": model(lambda x: cp.sum(cp.pos(1 - cp.multiply(SIGNS, A @ x))) / 12 + 0.1 * cp.sum_squares(x)),
    "squared hinge": model(lambda x: cp.sum(cp.square(cp.pos(1 - cp.multiply(SIGNS, A @ x)))) + cp.sum_squares(x)),
    "absolute values": model(lambda x: cp.sum(cp.abs(x - 1)) + cp.sum_squares(F @ x)),
    "powers": model(lambda x: cp.sum(cp.power(cp.abs(A @ x - B), 1.5))),
    "squares by entry": model(lambda x: cp.sum(cp.square(x - C)), lambda x: cp.square(x) <= 0.25),
    "exponential constraint": model(lambda x: -cp.sum(x), lambda x: cp.sum(cp.exp(x)) <= 6.0),
    "logistic constraint": model(lambda x: cp.sum_squares(x - 2), lambda x: cp.logistic(x[0]) + x[1] <= 1.0),
    "log-sum-exp constraint": model(lambda x: cp.sum_squares(x - 2), lambda x: cp.log_sum_exp(x) <= 1.0),
    "huber constraint": model(lambda x: C @ x, lambda x: cp.sum(cp.huber(x, 0.5)) <= 2.0),
    "division and negation": model(lambda x: -(-square(x) / 4.0) + cp.norm1(x) / 2),
    "quad over lin": model(lambda x: cp.quad_over_lin(A @ x - B, 3.0)),
    "total variation": model(lambda x: cp.sum_squares(x - C) + 0.5 * cp.tv(x)),
    "maximised": model(lambda x: C @ x - cp.sum_squares(x), sense=cp.Maximize),
    "constant in the objective": model(lambda x: cp.sum_squares(x - 1) + 7.5, lambda x: x[:2] == 0.5),
    "many equalities": model(lambda x: cp.sum_squares(x), lambda x: G[:2] @ x == 1.0),
    "a norm of norms": model(lambda x: cp.norm1(cp.hstack([cp.norm2(x[:2]), cp.norm2(x[2:] - 1)])) + cp.sum_squares(x)),
    "matrix variable": matrix_model,
    "two variables": two_variables,
    "parameter": with_a_parameter,
    "bounds": with_bounds,
    "nonnegative": nonnegative,
    "cone": cone,
    "two cones": two_cones,
    "tip of a cone": tip(cp.SOC),
    "tip of a norm": tip(lambda t, z: cp.norm2(z) <= t),
    "cubes": model(lambda x: cp.sum(cp.power(cp.pos(A @ x - B), 3)) + cp.sum_squares(x)),
    "fourth powers": model(lambda x: cp.sum(cp.power(A @ x - B, 4))),
    "quad over lin, both vary": model(
        lambda x: cp.quad_over_lin(A @ x - B, x[0] + 5.0), lambda x: x[0] >= -4.0, lambda x: cp.norm2(x) <= 3.0
    ),
    "inverses": model(lambda x: cp.sum(cp.inv_pos(x)), lambda x: cp.sum(x) <= 3.0),
    "roots": model(lambda x: cp.sum(cp.sqrt(x)), lambda x: cp.sum(x) <= 1.0, sense=cp.Maximize),
    "logarithms": model(lambda x: cp.sum(cp.log(x)), lambda x: np.arange(1.0, 6.0) @ x <= 1.0, sense=cp.Maximize),
    "logarithmic constraint": model(lambda x: C @ x + cp.sum_squares(x), lambda x: cp.sum(cp.log(x)) >= -3.0),
    "largest residuals": model(lambda x: cp.sum_largest(A @ x - B, 3), lambda x: cp.norm2(x) <= 1.0),
    "conditional value at risk": model(lambda x: cp.cvar(A @ x - B, 0.8) + cp.sum_squares(x)),
    "bounded conditional value at risk": model(
        lambda x: C @ x, lambda x: cp.cvar(A @ x - B, 0.8) <= 2.0, lambda x: cp.norm2(x) <= 1.0
    ),
    "geometric median": model(lambda x: sum(cp.norm2(x - row) for row in A)),
    "groups": by_columns(lambda X: cp.sum_squares(A[:, :3] @ X - 1.0) + 2 * cp.mixed_norm(X, 2, 1)),
    "norms of rows, bounded": by_columns(
        lambda X: cp.sum(cp.multiply(A[:3, :2], X)), lambda X: cp.norm(X, 2, axis=1) <= np.array([1.0, 2.0, 3.0])
    ),
    "l1 norms of rows, bounded": by_columns(
        lambda X: cp.sum(cp.max(X, axis=0)) + cp.sum_squares(X - A[:3, :2]), lambda X: cp.norm(X, 1, axis=1) <= 0.7
    ),
    "entropy": model(lambda x: cp.sum(cp.entr(x)), lambda x: cp.sum(x) == 1, lambda x: x[0] >= 0.4, sense=cp.Maximize),
    "divergence": model(lambda x: cp.sum(cp.kl_div(x, np.arange(1.0, 6.0))), lambda x: cp.sum(x) == 3),
    "relative entropy, both vary": model(
        lambda x: cp.sum(cp.rel_entr(x[:2], x[2:4])), lambda x: cp.sum(x) == 1, lambda x: x >= 0.01
    ),
    "log1p": model(lambda x: cp.sum(cp.log1p(x)), lambda x: np.arange(1.0, 6.0) @ x <= 2.0, lambda x: x >= 0, sense=cp.Maximize),
    "geometric mean": model(lambda x: cp.geo_mean(x), lambda x: np.arange(1.0, 6.0) @ x <= 1.0, sense=cp.Maximize),
    "3-norm": model(lambda x: cp.pnorm(A @ x - B, 3)),
    "negative powers": model(lambda x: cp.sum(cp.power(x, -3)), lambda x: cp.sum(x) <= 3.0),
    "logarithms by entry": model(lambda x: cp.sum_squares(x - 1), lambda x: cp.log(x) >= C - 1.0),
    "roots by entry": model(lambda x: C @ x + cp.sum_squares(x), lambda x: cp.sqrt(x) >= 0.3),
    "log-sum-exp of columns": by_columns(lambda X: cp.sum(cp.log_sum_exp(X, axis=0)) + cp.sum_squares(X - 1)),
}


def check_duals(own, theirs):
    pairs = zip(own, theirs) if isinstance(own, list) else [(own, theirs)]
    for mine, expected in pairs:
        scale = max(1.0, np.max(np.abs(expected)))
        np.testing.assert_allclose(np.squeeze(mine), np.squeeze(expected), atol=2e-3 * scale)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_as_clarabel_does(name):
    reference = MODELS[name]()
    reference.solve(solver=cp.CLARABEL)
    problem = MODELS[name]()
    value = problem.solve(method="UFCM", eps_rel=1e-8, eps_feas=1e-8)
    assert problem.status == cp.OPTIMAL
    size = max(1.0, abs(reference.value))
    assert value == pytest.approx(reference.value, abs=2e-5 * size)
    assert problem.value == pytest.approx(reference.value, abs=2e-5 * size)
    for constraint, other in zip(problem.constraints, reference.constraints):
        assert np.max(constraint.violation()) <= 1e-6
        check_duals(constraint.dual_value, other.dual_value)


def explicit_cones():
    x, y, z = cp.Variable(2), cp.Variable(2), cp.Variable(2)
    cones = [cp.ExpCone(x, y, z), cp.PowCone3D(z, y, x, [0.3, 0.6]), cp.sum(z) <= 4, y >= 0.5, x >= -1]
    return cp.Problem(cp.Minimize(cp.sum(z) - cp.sum(x) + 0.3 * cp.sum(y)), cones)


def test_explicit_cones_have_their_duals():
    problem, reference = explicit_cones(), explicit_cones()
    assert problem.solve(solver="UFCM") == pytest.approx(reference.solve(solver=cp.CLARABEL), abs=1e-6)
    for constraint, other in zip(problem.constraints, reference.constraints):
        check_duals(constraint.dual_value, other.dual_value)
        assert np.max(constraint.violation()) <= 1e-7


def test_solvers_are_asked_for_by_name():
    assert "UFCM" in cp.installed_solvers()
    problem = MODELS["lasso"]()
    value = problem.solve(solver="ufcm", warm_start=True, verbose=False)
    assert value == pytest.approx(MODELS["lasso"]().solve(solver=cp.CLARABEL), rel=1e-6)
    stats = problem.solver_stats
    assert stats.solver_name == "UFCM" and stats.solve_time > 0 and stats.num_iters > 0
    assert stats.extra_stats["status"] == "Certified" and stats.extra_stats["lower_bound"] <= value + 1e-9
    # The path of others is theirs.
    assert MODELS["lasso"]().solve() == pytest.approx(value, rel=1e-5)
    assert problem.solve(solver_path=["UFCM", "CLARABEL"]) == pytest.approx(value, rel=1e-6)


def test_geometric_and_quasiconvex_programs():
    x, y = cp.Variable(pos=True), cp.Variable(pos=True)
    p = cp.Problem(cp.Minimize(x + y), [x * y >= 4])
    assert p.solve(solver="UFCM", gp=True) == pytest.approx(4.0, rel=1e-5)
    p = cp.Problem(cp.Minimize(cp.ceil(x)), [x >= 12.5])
    assert p.solve(solver="UFCM", qcp=True) == pytest.approx(13.0)


def test_other_attributes_go_through_the_conic_form():
    X = cp.Variable((2, 2), symmetric=True)
    p = cp.Problem(cp.Minimize(cp.sum_squares(X - np.array([[1.0, 2.0], [0.0, 1.0]]))), [X[0, 0] <= 0.5])
    assert p.solve(solver="UFCM") == pytest.approx(2.0 + 0.25, abs=1e-6)
    assert p.constraints[0].dual_value == pytest.approx(1.0, abs=1e-5)


def test_building_is_linear():
    """One block of cones for all entries; a row for each would be as many auxiliary variables as entries, for each entry."""
    n = 10_000
    x, t = cp.Variable(n), cp.Variable(n)
    p = cp.Problem(cp.Maximize(cp.sum(t)), [t <= cp.log(x), t <= cp.sqrt(x), x <= 2.0])
    built = ufcm.cvxpy._Model(p).problem
    assert built.n <= 4 * n and len(built.subject_to) <= 4


def test_parameters_are_solved_again_without_a_walk(monkeypatch):
    level, target = cp.Parameter(nonneg=True), cp.Parameter(12)
    x = x_()
    p = cp.Problem(cp.Minimize(cp.sum_squares(A @ x - target)), [cp.norm1(x) <= level])
    walked = []
    walk = ufcm.cvxpy.Walk.scalar
    monkeypatch.setattr(ufcm.cvxpy.Walk, "scalar", lambda *given: walked.append(1) or walk(*given))
    for size in (0.3, 0.5, 0.9):
        level.value, target.value = size, B * (1 + size)
        value = p.solve(solver="UFCM")
        y = x_()
        other = cp.Problem(cp.Minimize(cp.sum_squares(A @ y - target.value)), [cp.norm1(y) <= size])
        assert value == pytest.approx(other.solve(solver=cp.CLARABEL), rel=1e-6)
        assert p.constraints[0].dual_value == pytest.approx(other.constraints[0].dual_value, rel=1e-4)
    assert len(walked) == 1


def test_parameters_as_weights_are_not_walked_again(monkeypatch):
    x, up, down = x_(), cp.Parameter(nonneg=True), cp.Parameter(nonpos=True)
    walks = []
    made = ufcm.cvxpy.Walk.__init__
    monkeypatch.setattr(ufcm.cvxpy.Walk, "__init__", lambda self, *rest: (walks.append(1), made(self, *rest))[1])
    models = [
        cp.Problem(cp.Minimize(cp.sum_squares(A @ x - B) + up * cp.norm1(x))),
        cp.Problem(cp.Minimize(cp.sum(cp.logistic(A @ x)) + up * (cp.sum_squares(x) + cp.norm2(x - 1)))),
        cp.Problem(cp.Maximize(down * cp.norm_inf(A @ x - B) + up * cp.sum(cp.log(x + 3))), [x <= 2]),
    ]
    for p in models:
        walks.clear()
        for number in (1.0, 0.1, 3.0, 0.0):
            up.value, down.value = max(number, 0.01 if p is models[2] else 0.0), -number - 0.1
            value = p.solve(solver="UFCM")
            assert value == pytest.approx(p.solve(solver="CLARABEL"), rel=1e-5, abs=1e-6)
        assert len(walks) == 1
    # One for each entry: these are.
    prices = cp.Parameter(N, nonneg=True)
    p = cp.Problem(cp.Minimize(cp.sum_squares(A @ x - B) + cp.sum(cp.multiply(prices, cp.abs(x)))))
    for number in (1.0, 5.0):
        prices.value = np.arange(N) * number
        value = p.solve(solver="UFCM")
        assert value == pytest.approx(p.solve(solver="CLARABEL"), rel=1e-5)


def test_parameters_that_weigh_entries_begin_at_the_last_answer():
    x, prices = x_(), cp.Parameter(N, nonneg=True)
    p = cp.Problem(cp.Minimize(cp.sum_squares(A @ x - B) + prices @ cp.abs(x)))
    steps = []
    for number in (1.0, 1.001):
        prices.value = np.full(N, number)
        value = p.solve(solver="UFCM")
        assert value == pytest.approx(p.solve(solver="CLARABEL"), rel=1e-5)
        p.solve(solver="UFCM")
        steps.append(p.solution.attr["result"].steps)
    assert steps[1] <= steps[0]


@pytest.mark.parametrize("n", [5, 100, 400])
def test_reciprocals_are_a_term(n):
    """The answer is known: shares as |f|. By second-order cones, 1/x for x near 1e-4 loses half of its digits."""
    f, x = np.random.default_rng(n).normal(size=n), cp.Variable(n)
    p = cp.Problem(cp.Minimize(cp.sum(cp.multiply(f**2, cp.inv_pos(x)))), [cp.sum(x) <= 1])
    assert p.solve(solver="UFCM") == pytest.approx(np.abs(f).sum() ** 2, rel=1e-7)
    assert p.solver_stats.extra_stats["status"] == "Certified"
    assert p.constraints[0].dual_value == pytest.approx(np.abs(f).sum() ** 2, rel=1e-4)
    inside = cp.Problem(cp.Minimize(cp.inv_pos(cp.sqrt(x[0])) + x[0]))
    assert inside.solve(solver="UFCM") == pytest.approx(inside.solve(solver="CLARABEL"), rel=1e-5)


def test_programs_are_not_looked_at_twice():
    x, w, points = cp.Variable(10), cp.Variable(10), np.linspace(-1, 1, 100)
    fit = cp.Problem(cp.Minimize(cp.norm_inf(np.polynomial.chebyshev.chebvander(points, 9) @ x - np.abs(points))))
    rng = np.random.default_rng(0)
    data, bias = rng.normal(size=(50, 10)), cp.Variable()
    signs = np.sign(data[:, :3].sum(axis=1))
    hinges = cp.sum(cp.pos(1 - cp.multiply(signs, data @ w - bias))) / 50
    for p in (fit, cp.Problem(cp.Minimize(hinges + 0.05 * cp.norm1(w)))):
        value = p.solve(solver="UFCM")
        assert p.solution.attr["result"].methods == ["interior-point"]
        assert value == pytest.approx(p.solve(solver="CLARABEL"), abs=1e-6)


def test_parameters_inside_atoms():
    x, floor, matrix = cp.Variable(3), cp.Parameter(), cp.Parameter((3, 3), PSD=True)
    p = cp.Problem(cp.Minimize(cp.sum(cp.maximum(x, floor)) + cp.quad_form(x - 1, matrix)))
    for number in (0.0, 0.9, 0.0):
        floor.value, matrix.value = number, np.diag([1.0, 2.0, 3.0 + number])
        value = p.solve(solver="UFCM")
        assert value == pytest.approx(p.solve(solver=cp.CLARABEL, ignore_dpp=True), rel=1e-6)


def test_one_limit_of_time():
    p = MODELS["logistic"]()
    p.solve(solver="UFCM", time_limit=1e-9)
    assert p.status == cp.USER_LIMIT
    assert p.solver_stats.extra_stats["status"] == "TimeLimit"


def test_options_of_other_solvers():
    p = MODELS["logistic"]()
    p.solve(solver="UFCM", max_iters=1)
    assert p.status == cp.USER_LIMIT
    p.solve(solver="UFCM", eps=1e-4, inner_method="adaptive")
    assert p.status == cp.OPTIMAL and p.solver_stats.extra_stats["methods"] == ["adaptive"]


def test_bounded_models_are_certified():
    for name in ("portfolio", "simplex", "ball", "logarithms", "entropy", "nonnegative", "log1p"):
        problem = MODELS[name]()
        problem.solve(solver="UFCM")
        assert problem.solver_stats.extra_stats["status"] == "Certified", name


@pytest.mark.parametrize("k", [1, 2.5, 400, 500])
def test_sums_of_largest_entries_need_no_variables_of_their_own(k):
    draw = np.random.default_rng(3)
    losses, mean, x = draw.normal(size=(400, 6)), draw.normal(size=6), cp.Variable(6)
    constraints = [cp.sum(x) == 1, x >= 0, cp.sum_largest(losses @ x, k) / k <= 2.0]
    problem = cp.Problem(cp.Minimize(mean @ x + 0.5 * cp.sum_largest(losses @ x + 1.0, k)), constraints)
    value = problem.solve(solver="UFCM")
    result = problem.solution.attr["result"]
    assert result.status == "Certified" and len(result.x) == 6
    largest = np.sort(losses @ x.value + 1.0)[::-1]
    top = largest[: int(k)].sum() + (k % 1) * largest[min(int(k), 399)]
    assert value == pytest.approx(mean @ x.value + 0.5 * top, rel=1e-6)


def test_what_there_is_besides():
    problem = MODELS["lasso"]()
    problem.solve(method="UFCM")
    result = problem.solution.attr["result"]
    assert isinstance(result, ufcm.Result) and result.success
    assert problem.solver_stats is None or problem.solution.attr["solver_name"] == "UFCM"


def test_infeasible_and_unbounded():
    x = cp.Variable(2, bounds=[-5, 5])
    p = cp.Problem(cp.Minimize(cp.sum_squares(x)), [cp.sum(x) >= 3, cp.norm_inf(x) <= 1])
    assert p.solve(method="UFCM") == np.inf and p.status == cp.INFEASIBLE
    y = cp.Variable(2)
    p = cp.Problem(cp.Maximize(cp.sum(y)), [y >= 0])
    assert p.solve(method="UFCM") == np.inf and p.status == cp.UNBOUNDED
    # Curved, and nothing bounds the variables.
    z = cp.Variable(N)
    p = cp.Problem(cp.Minimize(cp.log_sum_exp(G @ z)))
    assert p.solve(method="UFCM") == -np.inf and p.status == cp.UNBOUNDED
    for size in (cp.norm2(z), cp.sum_squares(z)):
        p = cp.Problem(cp.Minimize(C @ z), [size <= 1, cp.sum(z) >= 10])
        assert p.solve(method="UFCM") == np.inf and p.status == cp.INFEASIBLE


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda x: cp.Problem(cp.Minimize(cp.lambda_max(cp.diag(x)))), "the atom lambda_max"),
        (lambda x: cp.Problem(cp.Minimize(0), [cp.diag(x) >> 0]), "constraints of type PSD"),
        (lambda x: cp.Problem(cp.Minimize(cp.sum(cp.Variable(2, integer=True)))), "variables that are integer"),
    ],
)
def test_what_is_not_supported_is_named(build, message):
    with pytest.raises(ufcm.cvxpy.Unsupported, match=message):
        build(cp.Variable(3)).solve(method="UFCM")


def test_what_is_not_convex():
    x = cp.Variable()
    with pytest.raises(cp.error.DCPError):
        cp.Problem(cp.Minimize(cp.sqrt(x))).solve(method="UFCM")


def test_settings_are_passed_on(capsys):
    problem = MODELS["logistic"]()
    problem.solve(method="UFCM", max_gradients=1)
    assert problem.status == cp.USER_LIMIT
    problem.solve(method="UFCM", verbose=True)
    assert "1/step" in capsys.readouterr().out


def random_model(seed):
    """Sums of convex atoms of random affine arguments, under constraints that a random point holds."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    rng.integers(2, 12)
    x = cp.Variable(n, **({} if rng.random() < 0.7 else {"nonneg": True}))
    inside = rng.normal(size=n) * 0.5
    if x.attributes["nonneg"]:
        inside = np.abs(inside)

    def matrix(rows=None):
        return rng.normal(size=(rows or int(rng.integers(1, 8)), n))

    def convex():
        kind, a = int(rng.integers(0, 17)), matrix()
        z = a @ x - rng.normal(size=a.shape[0])
        return [
            lambda: cp.sum_squares(z),
            lambda: cp.norm(z, 2),
            lambda: cp.norm(z, 1),
            lambda: cp.norm(z, "inf"),
            lambda: cp.sum(cp.huber(z, 0.5)),
            lambda: cp.sum(cp.logistic(z)),
            lambda: cp.log_sum_exp(z),
            lambda: cp.max(z),
            lambda: cp.sum(cp.pos(z)),
            lambda: cp.sum(cp.abs(z)),
            lambda: cp.quad_form(x, np.eye(n)),
            lambda: cp.sum(cp.exp(0.5 * z)),
            lambda: cp.maximum(cp.sum(z), cp.sum_squares(x)),
            lambda: cp.sum_largest(z, 1),
            lambda: cp.sum(cp.power(cp.abs(z), 1.5)),
            lambda: cp.norm(z, 2) + cp.sum(z),
            lambda: cp.sum(cp.square(cp.pos(z))),
        ][kind]()

    objective = sum(float(rng.uniform(0.2, 2)) * convex() for _ in range(int(rng.integers(1, 3))))
    objective = objective + (rng.normal(size=n) @ x) * float(rng.choice([0, 1]))
    constraints = []
    for _ in range(int(rng.integers(0, 4))):
        kind = rng.random()
        if kind < 0.5:
            g = convex()
            x.value = inside
            constraints.append(g <= float(g.value) + float(rng.choice([0.3, 1.0, 0.05])))
        elif kind < 0.7:
            a = matrix()
            constraints.append(a @ x <= a @ inside + rng.uniform(0, 1, size=a.shape[0]))
        elif kind < 0.85:
            a = matrix(1)
            constraints.append(a @ x == a @ inside)
        else:
            constraints.append(x <= inside + 1)
    if rng.random() < 0.5:
        constraints.append(cp.norm(x, 2) <= 5)
    return cp.Problem(cp.Minimize(objective), constraints)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("block", range(6))
def test_random_models(block):
    compared = 0
    for seed in range(10 * block, 10 * block + 10):
        problem = random_model(seed)
        try:
            problem.solve(solver=cp.CLARABEL)
        except (cp.error.SolverError, ValueError):
            continue
        if problem.status != cp.OPTIMAL:
            continue
        value, duals = problem.value, [np.copy(constraint.dual_value) for constraint in problem.constraints]
        problem.solve(method="UFCM")
        assert problem.status == cp.OPTIMAL, seed
        assert problem.value == pytest.approx(value, abs=1e-5 * max(1.0, abs(value))), seed
        for constraint, theirs in zip(problem.constraints, duals):
            assert np.max(constraint.violation()) <= 1e-5, seed
            check_duals(constraint.dual_value, theirs)
        compared += 1
    assert compared >= 5


def test_entrywise_sizes_and_maxima_in_constraints_are_one_block() -> None:
    """A row for each entry took half a minute to write down; values and duals are those of the rows."""
    n = 300
    draw = np.random.default_rng(5)
    target = 2.0 * draw.standard_normal(n)
    x = cp.Variable(n)
    constraints = [cp.abs(x) <= 1.0, 2.0 * cp.pos(x) + x <= 1.5]
    p = cp.Problem(cp.Minimize(cp.sum_squares(x - target)), constraints)
    assert ufcm.cvxpy._Model(p).problem.n <= 4 * n
    p.solve(method="UFCM", eps_rel=1e-9)
    best = np.clip(target, -1.0, 0.5)
    assert np.abs(x.value - best).max() <= 1e-3
    assert constraints[0].dual_value.shape == (n,)
    below = target < -1.1
    assert np.allclose(constraints[0].dual_value[below], 2.0 * (-1.0 - target[below]), atol=1e-2)


@pytest.mark.parametrize(
    "build",
    [
        lambda x, t: (cp.Minimize(C @ x), [cp.norm2(x) <= 1]),
        lambda x, t: (cp.Minimize(C @ x), [cp.norm2(A @ x - B) <= 4]),
        lambda x, t: (cp.Minimize(C @ x), [cp.norm2(x[:3]) <= 1, cp.norm2(x[3:]) <= 2]),
        lambda x, t: (cp.Minimize(C @ x), [cp.quad_form(x, P) <= 1]),
        lambda x, t: (cp.Minimize(C @ x), [cp.norm1(x) <= 1]),
        lambda x, t: (cp.Minimize(C @ x), [cp.SOC(cp.Constant(2.0), x - 1)]),
        lambda x, t: (cp.Maximize(cp.sum(t)), [t <= cp.log1p(x), cp.sum(x) <= 1, x >= 0]),
        lambda x, t: (cp.Maximize(cp.sum(t)), [t <= cp.sqrt(x), cp.sum(x) <= 1]),
        lambda x, t: (cp.Minimize(cp.sum(cp.inv_pos(x))), [cp.sum(x) <= 1]),
        lambda x, t: (cp.Minimize(cp.sum(cp.kl_div(x, t))), [cp.sum(x) == 1, cp.sum(t) == 2, x >= 0.1]),
    ],
    ids=["norm2", "ellipsoid", "groups", "quadratic", "norm1", "cone", "logarithms", "roots", "inverses", "divergences"],
)
def test_what_cones_and_norms_bound_is_certified(build):
    """Nothing but a norm, a cone or the objective bounds these variables."""
    x, t = cp.Variable(N), cp.Variable(N)
    p = cp.Problem(*build(x, t))
    value = p.solve(solver="UFCM")
    assert p.solver_stats.extra_stats["status"] == "Certified", p.solver_stats.extra_stats
    p.solve(solver="CLARABEL")
    assert value == pytest.approx(p.value, abs=1e-5 * max(1.0, abs(p.value)))


def test_prices_of_sizes_are_a_regularizer():
    x, y = cp.Variable(N), cp.Variable(2)
    p = cp.Problem(cp.Minimize(cp.sum_squares(A @ x - B) + 3 * cp.norm1(2 * x) + cp.sum_squares(y - 1) + cp.sum(cp.abs(y)), ), [x <= 1])
    problem = ufcm.cvxpy._Model(p).problem
    assert problem.regularizer is not None and not problem._term_rows
    value = p.solve(solver="UFCM")
    assert value == pytest.approx(p.solve(solver="CLARABEL"), rel=1e-6)
    shifted = cp.Problem(cp.Minimize(cp.sum_squares(A @ x - B) + cp.norm1(x - 1)))
    assert ufcm.cvxpy._Model(shifted).problem.regularizer is None
    assert shifted.solve(solver="UFCM") == pytest.approx(shifted.solve(solver="CLARABEL"), rel=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "objective",
    [
        lambda x: cp.sum(x) - cp.log(x)[0],
        lambda x: cp.sum(x) - cp.sum(cp.multiply([1.0, 0.0], cp.log(x))),
        lambda x: cp.sum(x) + np.array([1.0, 0.0]) @ cp.inv_pos(x),
        lambda x: cp.sum(x) - 0 * cp.sum(cp.entr(x)) - cp.sqrt(x)[0],
        lambda x: cp.sum(x) - cp.Parameter(nonneg=True, value=0.0) * cp.sum(cp.log(x)),
        lambda x: cp.sum(x) + cp.entr(x)[1] * 0 - cp.log1p(x - 1)[0],
    ],
)
def test_a_weight_of_zero_keeps_the_domain(objective):
    # 0 log(x) is defined for x >= 0, so that the sum of x is bounded below.
    x = cp.Variable(2)
    p = cp.Problem(cp.Minimize(objective(x)))
    value = p.solve(solver="UFCM")
    q = cp.Problem(p.objective)
    assert p.status == cp.OPTIMAL
    assert value == pytest.approx(q.solve(solver=cp.CLARABEL), abs=1e-3)
    assert x.value[1] == pytest.approx(0.0, abs=1e-3)


def test_a_price_of_zero_keeps_the_domain_at_another_value():
    x, price = cp.Variable(), cp.Parameter(nonneg=True, value=1.0)
    p = cp.Problem(cp.Minimize(x - price * cp.log(x)))
    assert p.solve(solver="UFCM") == pytest.approx(1.0, abs=1e-6)
    price.value = 0.0
    assert p.solve(solver="UFCM") == pytest.approx(0.0, abs=1e-6)


def test_infinite_bounds_are_none():
    price = cp.Parameter(nonneg=True, value=np.inf)
    values, duals = [], []
    for solver in ("UFCM", "CLARABEL"):
        x = cp.Variable(3)
        bounds = [x <= np.array([1.0, np.inf, 5.0]), x >= [-np.inf, 3.0, -np.inf], cp.norm(x) <= price]
        p = cp.Problem(cp.Minimize(cp.sum_squares(x - 2)), [*bounds, cp.norm1(x) <= np.inf])
        values.append(p.solve(solver=solver))
        duals.append([c.dual_value for c in p.constraints])
    assert values[0] == pytest.approx(values[1], abs=1e-6)
    for mine, other in zip(*duals):
        np.testing.assert_allclose(mine, other, atol=1e-5)
    symmetric = cp.Variable((2, 2), symmetric=True)  # through the conic form
    p = cp.Problem(cp.Minimize(cp.sum_squares(symmetric - 2)), [symmetric <= np.array([[1.0, np.inf], [np.inf, 5.0]])])
    assert p.solve(solver="UFCM") == pytest.approx(1.0, abs=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_affine_atoms_that_need_canonicalising():
    x = cp.Variable(4)
    p = cp.Problem(cp.Minimize(cp.sum_squares(x - 1) + cp.max(cp.cumsum(x))), [cp.cumsum(x) <= 1.5])
    value = p.solve(solver="UFCM")
    assert value == pytest.approx(cp.Problem(p.objective, p.constraints).solve(solver=cp.CLARABEL), abs=1e-6)


def test_sums_of_largest_entries_of_matrices_with_values():
    x = cp.Variable((3, 4))
    for _ in range(2):
        p = cp.Problem(cp.Minimize(cp.sum_squares(x - 1)), [cp.sum_smallest(x, 3) >= 4])
        assert p.solve(solver="UFCM") == pytest.approx(12 / 9, abs=1e-5)


def test_duals_of_numbers_are_numbers():
    x = cp.Variable(2)
    p = cp.Problem(cp.Minimize(cp.sum_squares(x - 3)), [cp.sum(x) <= 1, x[0] == 0.2, cp.norm(x) <= 2, x <= 1])
    p.solve(solver="UFCM")
    assert [type(c.dual_value) for c in p.constraints] == [float, float, float, np.ndarray]


def test_finite_sets_are_refused():
    # CVXPY gives solvers without integers the relaxation, whose optimum is 0.
    x = cp.Variable()
    with pytest.raises(ufcm.cvxpy.Unsupported, match="FiniteSet"):
        cp.Problem(cp.Minimize(cp.square(x - 1.4)), [cp.FiniteSet(x, [1, 2])]).solve(solver="UFCM")


def test_what_others_say_of_rules_and_options():
    x, a = cp.Variable(), cp.Parameter(nonneg=True, value=2.0)
    with pytest.raises(cp.error.DCPError, match="objective is not DCP"):
        cp.Problem(cp.Minimize(cp.sqrt(x))).solve(solver="UFCM")
    p = cp.Problem(cp.Minimize(x), [a * a * x >= 1])
    with pytest.raises(cp.error.DPPError):
        p.solve(solver="UFCM", enforce_dpp=True)
    assert p.solve(solver="UFCM") == pytest.approx(0.25)
    with pytest.raises(ValueError, match="time_limit is -3"):
        p.solve(solver="UFCM", time_limit=-3)


def test_infeasible_models_with_curved_objectives():
    rng = np.random.default_rng(0)
    x, y, center, rows = cp.Variable(5), cp.Variable((2, 3)), rng.normal(size=(2, 3)), rng.normal(size=(9, 5))
    objective = cp.sum_squares(y) + cp.log_sum_exp(rows @ x) + cp.sum(cp.inv_pos(x + 3)) - 0.4 * cp.sum(cp.sqrt(x + 2))
    constraints = [cp.norm(y - center, "fro") <= 0.5, cp.log(x + 3) >= -1.0, cp.sum(y) == -2.0, cp.norm1(x) <= 0.5]
    p = cp.Problem(cp.Minimize(objective + 0.01 * cp.sum_squares(x)), constraints)
    p.solve(solver="UFCM", max_gradients=100_000)
    assert p.status == cp.INFEASIBLE
    # The constraints, weighed by their duals, add up to something positive wherever it is defined.
    duals = [np.asarray(c.dual_value) for c in constraints]
    rng = np.random.default_rng(1)
    for size in 10.0 ** rng.uniform(-2, 3, 300):
        x.value, y.value = np.maximum(size * rng.normal(size=5), -2.99), size * rng.normal(size=(2, 3))
        violations = [c.expr.value for c in constraints]
        assert sum(np.sum(dual * violation) for dual, violation in zip(duals, violations)) > 0


def test_infeasible_models_whose_objective_is_defined_nowhere():
    x = cp.Variable(3)
    p = cp.Problem(cp.Minimize(-cp.sum(cp.log(x)) + cp.log_sum_exp(x)), [x[0] <= -1, cp.norm(x) <= 4, cp.exp(x[1]) <= 3])
    p.solve(solver="UFCM")
    assert p.status == cp.INFEASIBLE and p.constraints[0].dual_value is not None


@pytest.mark.parametrize("weight", [1.0, 3.0])
@pytest.mark.parametrize("bound", [0.5, 4.0])
def test_duals_of_infeasible_norms_prove_it(bound, weight):
    center = np.array([1.0, -2.0, 0.5])
    y = cp.Variable(3)
    constraints = [weight * cp.norm(y - center) <= bound, cp.sum(y) <= -8.0, cp.exp(y[0]) <= 9.0]
    p = cp.Problem(cp.Minimize(cp.sum(y)), constraints)
    p.solve(solver="UFCM")
    ball, total, _ = [float(c.dual_value) for c in constraints]
    assert p.status == cp.INFEASIBLE
    # ball * (weight |y - center| - bound) + total * (sum(y) + 8) > 0 for all y
    assert total * 3**0.5 <= ball * weight * (1 + 1e-4)
    assert total * (np.sum(center) + 8.0) > ball * bound


@pytest.mark.parametrize("attributes", [{}, {"symmetric": True}])
def test_bounds_are_those_of_the_model(attributes):
    # Symmetric variables go through the conic form, whose objective has no constant and is minimised.
    for build, optimum, proven in (
        (lambda x: cp.Minimize(cp.sum(x) + 7), 11.0, "lower_bound"),
        (lambda x: cp.Maximize(7 - cp.sum(x) - cp.sum_squares(x)), -1.0, "upper_bound"),
    ):
        x = cp.Variable((2, 2), **attributes)
        p = cp.Problem(build(x), [x >= 1])
        p.solve(solver="UFCM")
        told = p.solver_stats.extra_stats
        assert told["status"] == "Certified"
        assert told[proven] == pytest.approx(optimum, abs=1e-5)
        assert told["lower_bound"] <= optimum + 1e-6 and told["upper_bound"] >= optimum - 1e-6


def test_bounds_of_geometric_and_quasiconvex_programs():
    x = cp.Variable(pos=True)
    programs = (cp.Minimize(3 * x + 1 / x), 12**0.5, "lower_bound"), (cp.Maximize(1 / (3 * x + 1 / x)), 12**-0.5, "upper_bound")
    for objective, optimum, proven in programs:
        p = cp.Problem(objective)
        assert p.solve(solver="UFCM", gp=True) == pytest.approx(optimum, rel=1e-5)
        told = p.solver_stats.extra_stats
        assert told[proven] == pytest.approx(optimum, rel=1e-5)
        assert told["lower_bound"] <= optimum * (1 + 1e-6) and told["upper_bound"] >= optimum * (1 - 1e-6)
    y = cp.Variable()
    p = cp.Problem(cp.Minimize(cp.ceil(y)), [y >= 12.5])
    p.solve(solver="UFCM", qcp=True)
    assert p.solver_stats is None or p.solver_stats.extra_stats is None or p.solver_stats.extra_stats["lower_bound"] == -np.inf


def test_powers_of_sizes_are_defined_everywhere():
    # CVXPY says of |z|^1.5 that |z| >= 0, which does not follow its rules.
    x = cp.Variable(3)
    weights = np.array([1.0, 0.0, 2.0])
    p = cp.Problem(cp.Minimize(weights @ cp.power(cp.abs(x - 1), 1.5) + cp.norm(x)), [x <= 5])
    assert p.solve(solver="UFCM") == pytest.approx(cp.Problem(p.objective, p.constraints).solve(solver=cp.CLARABEL), abs=1e-6)
    q = cp.Problem(cp.Minimize(cp.sum(cp.power(cp.abs(x), 1.5)) - cp.sum(cp.log(x))), [cp.sum(x) <= -1, cp.log(x) >= -3])
    q.solve(solver="UFCM")
    assert q.status == cp.INFEASIBLE


def test_problems_with_parameters_are_copied_and_pickled():
    x, price = cp.Variable(3), cp.Parameter(nonneg=True, value=1.0)
    p = cp.Problem(cp.Minimize(cp.sum_squares(x - 1) + price * cp.norm1(x)), [x <= 0.7])
    assert p.solve(solver="UFCM") == pytest.approx(2.25)
    other = copy.deepcopy(p)
    other.parameters()[0].value = 0.0
    assert other.solve(solver="UFCM") == pytest.approx(0.27, abs=1e-6)
    assert x.value == pytest.approx(np.full(3, 0.5), abs=1e-5)
    assert pickle.loads(pickle.dumps(other)) is not None


def test_problems_are_freed():
    x, price = cp.Variable(3), cp.Parameter(nonneg=True, value=1.0)
    p = cp.Problem(cp.Minimize(cp.sum_squares(x - 1) + price * cp.norm1(x)), [x <= 0.7])
    p.solve(solver="UFCM")
    gone = weakref.ref(p)
    del p
    gc.collect()
    assert gone() is None


def test_points_at_the_limit_of_rounding_are_answers_where_they_are_near():
    # As interior points end on an infeasible model, on an unbounded one, and on one that is only hard.
    def told(violation, size):
        return is_answer(SimpleNamespace(status="PrecisionLimit", violation=violation, x=np.array([1.0, -size])))

    assert not told(8.4e15, 4.2e30) and not told(7.5e-6, 2.5e10) and not told(0.4, 1.0)
    assert told(7.5e-5, 3.3e8)
    assert not is_answer(SimpleNamespace(status="NumericalError", violation=0.0, x=np.zeros(2)))
