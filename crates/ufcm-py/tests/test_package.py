"""What Python's users expect of a package: operators, names, SciPy's arguments, data frames, messages that lead on."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import ufcm

optimize = pytest.importorskip("scipy.optimize")


def cosh(x):
    return np.sum(np.cosh(x - 1.0)), np.sinh(x - 1.0)


# Regularisers


def test_regularizers_add_and_scale(rng):
    x = rng.normal(size=4)
    both = ufcm.l1(0.1) + 2 * ufcm.ridge(0.2)
    assert both(x) == pytest.approx(0.1 * np.abs(x).sum() + 0.2 * x @ x)
    assert (both / 2)(x) == pytest.approx(both(x) / 2)
    assert pickle.loads(pickle.dumps(both))(x) == both(x)
    A, b = rng.normal(size=(6, 4)), rng.normal(size=6)
    loss = ufcm.least_squares(A, b)
    sum_of_all = ufcm.Problem(minimize=loss + both, domain=ufcm.box(-1, 1)).solve()
    by_name = ufcm.Problem(loss, regularizer=ufcm.elastic_net(0.1, 0.4), domain=ufcm.box(-1, 1)).solve()
    assert sum_of_all.status == "Certified"
    assert sum_of_all.objective == pytest.approx(by_name.objective, abs=1e-6)
    in_objective = 2.0 * (loss + ufcm.l1(0.1) + ufcm.norm1(ufcm.affine(A)))
    assert in_objective(x) == pytest.approx(2.0 * (loss(x) + 0.1 * np.abs(x).sum() + np.abs(A @ x).sum()))
    p = ufcm.Problem(minimize=in_objective, regularizer=ufcm.ridge(0.2), domain=ufcm.box(-1, 1))
    assert p.value(x / 9) == pytest.approx(in_objective(x / 9) + ufcm.ridge(0.2)(x / 9))
    assert pickle.loads(pickle.dumps(p)).value(x / 9) == p.value(x / 9)
    # three and more, not all coordinatewise: a norm in a ball, with what goes coordinate by coordinate
    ball = ufcm.Problem(minimize=loss, regularizer=ufcm.ball(0.5) + ufcm.l1(0.1) + ufcm.ridge(0.2)).solve()
    same = ufcm.Problem(minimize=loss, regularizer=ufcm.elastic_net(0.1, 0.2), domain=ufcm.ball(0.5)).solve()
    assert ball.status == "Certified" and ball.objective == pytest.approx(same.objective, abs=1e-6)


def test_regularizers_that_do_not_go_together():
    loss = ufcm.quadratic([1.0, 1.0])
    with pytest.raises(ValueError, match="no joint prox is known for"):
        ufcm.Problem(loss, regularizer=ufcm.total_variation(1.0) + ufcm.sorted_l1([1.0, 0.5]))
    with pytest.raises(ValueError, match="do not meet"):
        ufcm.Problem(loss, regularizer=ufcm.box(0, 1) + ufcm.box(2, 3))
    with pytest.raises(ValueError, match="3"):
        ufcm.Problem(loss, regularizer=ufcm.l1([1.0, 1.0, 1.0]) + ufcm.ridge(1.0))
    with pytest.raises(TypeError, match="piece 0 is a sum"):
        ufcm.parts([(2, ufcm.l1(1.0) + ufcm.ridge(1.0))])
    with pytest.raises(TypeError):
        ufcm.l1(1.0) + "loss"
    with pytest.raises(TypeError):
        ufcm.l1(1.0) * "two"


# Terms, losses, constraints


def test_terms_are_functions(rng):
    A, b, x = rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3)
    z = A @ x - b
    assert (2.0 * ufcm.maximum(ufcm.affine(A, b)))(x) == pytest.approx(2.0 * z.max())
    assert ufcm.sum_squares(ufcm.affine(A, b))(x) == pytest.approx(z @ z)
    assert ufcm.half_squares(ufcm.affine(A, b))(x) == pytest.approx(z @ z / 2)
    f = ufcm.least_squares(A, b) + ufcm.norm2(ufcm.affine(A, b))
    assert f(x) == pytest.approx(np.mean(z**2) / 2 + np.linalg.norm(z))
    with pytest.raises(ValueError, match="x has length 2; expected 3"):
        f(x[:2])


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_hinge(rng, layout):
    A, y, w, x = rng.normal(size=(7, 3)), np.array([1, 0, 1, 0, 0, 1, 1]), rng.uniform(size=7), rng.normal(size=3)
    losses = np.maximum(1.0 - (2 * y - 1) * (A @ x), 0.0)
    assert ufcm.hinge(layout(A), y)(x) == pytest.approx(losses.mean())
    assert ufcm.hinge(layout(A), 2 * y - 1, reduction="sum")(x) == pytest.approx(losses.sum())
    assert ufcm.hinge(layout(A), y, weights=w)(x) == pytest.approx(np.average(losses, weights=w))
    assert ufcm.Problem(minimize=ufcm.hinge(layout(A), y) + ufcm.ridge(0.1)).solve().success


def test_what_a_hinge_refuses():
    A = [[1.0], [2.0]]
    for arguments, words in [
        ((A, [1, 2]), r"y\[1\] is 2.0; it must be -1 or 1"),
        ((A, [1]), "y has length 1; expected 2"),
        (([1.0, 2.0], [1, 1]), "A has 1 dimensions"),
    ]:
        with pytest.raises(ValueError, match=words):
            ufcm.hinge(*arguments)
    with pytest.raises(ValueError, match=r"weights\[0\] is -1.0"):
        ufcm.hinge(A, [1, -1], weights=[-1.0, 1.0])
    with pytest.raises(ValueError, match="reduction is 'median'"):
        ufcm.hinge(A, [1, -1], reduction="median")
    with pytest.raises(TypeError, match="not a ufcm.matrix"):
        ufcm.hinge(ufcm.matrix(A), [1, -1])


def test_multinomial_counts_its_classes():
    f = ufcm.multinomial([[1.0, 2.0], [0.5, 1.0], [1.0, 0.0]], [0, 2, 1])
    assert f.n == 6 and f(np.zeros(6)) == pytest.approx(np.log(3.0))
    with pytest.raises(ValueError, match="give classes="):
        ufcm.multinomial([[1.0]], [np.nan])


def test_an_affine_component_is_held_at_a_value():
    a, f = ufcm.linear([1.0, 2.0], -1.0).named("budget"), ufcm.quadratic([1.0, 1.0])
    r = ufcm.Problem(minimize=f, subject_to=[a == 1.5, ufcm.linear([1.0, 0.0]) == ufcm.linear([0.0, 1.0])]).solve()
    np.testing.assert_allclose(r.x, 2.5 / 3.0, atol=1e-6)
    assert isinstance(r.multipliers["budget"], float)
    for refused in (lambda: f == 1.0, lambda: 1.0 == f):
        with pytest.raises(ValueError, match="quadratic == 1.0 is not convex; only an affine component"):
            refused()
    assert len({a, f}) == 2 and f in [a, f] and not (f == "text")
    with pytest.raises(ValueError, match="finite"):
        a == np.inf


def test_messages_lead_to_the_right_function():
    A, y = np.ones((3, 2)), np.ones(3)
    f = ufcm.quadratic([1.0, 1.0])
    for refused, error, words in [
        (lambda: ufcm.squared_hinge(A, y), TypeError, r"the loss of samples is ufcm.squared_hinge_loss\(A, y\)"),
        (lambda: ufcm.norm1(A), TypeError, r"write ufcm.norm1\(ufcm.affine\(A, b\)"),
        (lambda: f <= f, ValueError, "quadratic <= quadratic is not convex; the right side must be"),
        (lambda: (f <= 1.0) <= 2.0, TypeError, "is a constraint already and cannot be compared again"),
        (lambda: ufcm.Problem(f, [(f <= 1.0) >= 0.0]), TypeError, "is a constraint already"),
    ]:
        with pytest.raises(error, match=words):
            refused()
    wrong = ufcm.component(lambda x: (np.sum(x**2), 3.0 * x + 1.0), n=2)
    r = ufcm.Problem(minimize=wrong, domain=ufcm.ball(1.0)).solve()
    assert r.status == "NumericalError" and "Problem.check()" in r.message and "Problem.check()" in repr(r)


def test_a_problem_is_not_changed():
    p = ufcm.Problem(ufcm.quadratic([1.0, 1.0]), [ufcm.linear([1.0, 0.0]) <= 1.0], ufcm.l1(0.1), ufcm.ball(1.0))
    for name in ("minimize", "subject_to", "regularizer", "domain"):
        with pytest.raises(AttributeError, match=f"{name} is part of it: make another problem"):
            setattr(p, name, None)
    with pytest.raises(AttributeError):
        p.subject_to.append(ufcm.linear([1.0, 0.0]) <= 0.0)


def test_multipliers_by_name_and_index():
    f = ufcm.quadratic([1.0, 1.0], [-2.0, -2.0])
    r = ufcm.Problem(f, [(ufcm.linear([1.0, 0.0]) <= 1.0).named("first"), ufcm.affine([[0.0, 1.0]]) <= 0.5]).solve()
    assert r.multipliers["first"] == r.multipliers[0] == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_array_equal(r.multipliers["constraint 2"], r.multipliers[1])
    assert len(r.multipliers[:]) == 2 and r.multipliers.names == ["first", "constraint 2"]
    again = pickle.loads(pickle.dumps(r.multipliers))
    assert again["first"] == r.multipliers[0] and again.names == r.multipliers.names
    with pytest.raises(KeyError, match="no constraint is called 'second'"):
        r.multipliers["second"]


# Variables


def test_named_blocks(rng):
    v = ufcm.Variables(W=(2, 3), b=2)
    assert v.n == 8 and list(v) == ["W", "b"] and v["b"] == slice(6, 8)
    parts = {"W": rng.normal(size=(2, 3)), "b": rng.normal(size=2)}
    x = v.pack(**parts)
    for name, part in v.unpack(x).items():
        np.testing.assert_array_equal(part, parts[name])
    A = rng.normal(size=(4, 2))
    for layout in (np.asarray, sp.csr_array):
        rows = v.affine([1.0, 2.0, 3.0, 4.0], b=layout(A))
        np.testing.assert_allclose(rows(x), A @ parts["b"] - [1.0, 2.0, 3.0, 4.0])
    u = v.regularizer(b=ufcm.l1(2.0))
    assert u(x) == pytest.approx(2.0 * np.abs(parts["b"]).sum())
    assert pickle.loads(pickle.dumps(v)).unpack(x)["W"].shape == (2, 3)
    for refused, error, words in [
        (lambda: v["c"], KeyError, "no block is called 'c'; there are 'W', 'b'"),
        (lambda: v.pack(b=[1.0]), ValueError, r"b has the shape \(1,\); expected \(2,\)"),
        (lambda: v.matrix(b=A, W=np.ones((3, 6))), ValueError, "different numbers of rows: b 4, W 3"),
        (lambda: v.matrix(W=A), ValueError, "W has 2 columns; the block has 6 variables"),
        (lambda: v.regularizer(c=ufcm.l1(1.0)), KeyError, "no block is called 'c'"),
        (lambda: ufcm.Variables(), ValueError, "no blocks"),
        (lambda: ufcm.Variables(w=0), ValueError, "at least one variable"),
    ]:
        with pytest.raises(error, match=words):
            refused()


def test_pytrees_of_jax():
    pytest.importorskip("jax")
    import jax.numpy as jnp

    v = ufcm.Variables(w=3, b=1)
    f = ufcm.jax.component(lambda t: jnp.sum((t["w"] - 2.0) ** 2) + t["b"][0] ** 2, v)
    r = ufcm.Problem(minimize=f, domain=ufcm.ball(9.0)).solve()
    np.testing.assert_allclose(v.unpack(r.x)["w"], 2.0, atol=1e-4)
    tree = ufcm.jax.Tree({"layers": [np.zeros((2, 2)), np.zeros(2)]})
    x = np.arange(6.0)
    np.testing.assert_array_equal(tree.pack(tree.unpack(x)), x)
    with pytest.raises(ValueError, match="the tree is"):
        tree.pack({"other": x})


# Data


def test_frames_of_polars_and_arrow(rng):
    A = rng.normal(size=(5, 2))
    frames = []
    polars, arrow = (pytest.importorskip(name) for name in ("polars", "pyarrow"))
    frames.append(polars.DataFrame({"a": A[:, 0], "b": A[:, 1]}))
    frames.append(arrow.table({"a": A[:, 0], "b": A[:, 1]}))
    frames.append(arrow.record_batch({"a": A[:, 0], "b": A[:, 1]}))
    for frame in frames:
        f = ufcm.least_squares(frame, A[:, 0])
        assert f([1.0, 0.0]) == pytest.approx(0.0, abs=1e-15)
    for column in (arrow.array(A[:, 0]), arrow.chunked_array([A[:2, 0], A[2:, 0]]), polars.Series(A[:, 0])):
        assert ufcm.least_squares(A, column)([1.0, 0.0]) == pytest.approx(0.0, abs=1e-15)
    with pytest.raises(ValueError, match="column 'b' of A has 1 null entries"):
        ufcm.matrix(arrow.table({"a": [1.0, 2.0], "b": [None, 1.0]}))
    with pytest.raises(TypeError, match="column 'a' of type string"):
        ufcm.matrix(arrow.table({"a": ["x", "y"]}))


def test_rows_with_nan_are_left_out_on_request(rng):
    A, y = rng.normal(size=(5, 2)), rng.normal(size=5)
    A[1, 0], y[3] = np.nan, np.nan
    with pytest.raises(ValueError, match="NaN"):
        ufcm.least_squares(A, y)
    kept = [0, 2, 4]
    for found, whole in zip(ufcm.omit_nan(A, y), (A, y)):
        np.testing.assert_array_equal(found, whole[kept])
    with pytest.raises(ValueError, match="array 1 has shape"):
        ufcm.omit_nan(A, y[:2])


# SciPy's minimize


def test_minimize_is_called_as_scipys():
    r = ufcm.minimize(cosh, [0.0, 0.0], jac=True, bounds=[(-5, 0.5), (None, 5)])
    assert isinstance(r, optimize.OptimizeResult) and r.success and r.status == 0
    reference = optimize.minimize(cosh, [0.0, 0.0], jac=True, bounds=[(-5, 0.5), (None, 5)])
    np.testing.assert_allclose(r.x, reference.x, atol=1e-4)
    assert r.fun == pytest.approx(reference.fun, abs=1e-5) and r.lower_bound <= reference.fun + 1e-9
    assert r.nfev >= r.njev > 0 and r.nit > 0 and "Certified" in r.message
    np.testing.assert_allclose(r.jac, cosh(r.x)[1])
    assert r.result.fun == r.fun and r.result.nit == r.nit and r.result.message == r.message
    apart = ufcm.minimize(
        lambda x, s: np.sum(np.cosh(x - s)),
        np.zeros(2),
        args=(1.0,),
        jac=lambda x, s: np.sinh(x - s),
        hess=lambda x, s: np.diag(np.cosh(x - s)),
        bounds=optimize.Bounds([-5, -5], [0.5, 5]),
        tol=1e-8,
        options={"maxiter": 500, "disp": False},
    )
    np.testing.assert_allclose(apart.x, r.x, atol=1e-4)
    assert apart.nhev > 0
    loss = ufcm.least_squares([[1.0, 0.0], [0.0, 2.0]], [1.0, 1.0])
    assert ufcm.minimize(loss + ufcm.l1(0.1), [0.0, 0.0], bounds=[(-1, 1)] * 2).success


def test_scipys_constraints():
    target = np.array([2.0, 1.0])

    def distance(x):
        return np.sum((x - target) ** 2), 2.0 * (x - target)

    disc = optimize.NonlinearConstraint(lambda x: x @ x, -np.inf, 1.0, jac=lambda x: 2.0 * x, hess=lambda x, v: 2.0 * v[0] * np.eye(2))
    concave = {"type": "ineq", "fun": lambda x: 1.0 - x @ x, "jac": lambda x: -2.0 * x}
    for constraint in (disc, concave, [disc], ufcm.quadratic([2.0, 2.0]) <= 1.0):
        r = ufcm.minimize(distance, [0.0, 0.0], jac=True, constraints=constraint, bounds=[(-3, 3)] * 2)
        assert r.success, r.message
        np.testing.assert_allclose(r.x, target / np.sqrt(5.0), atol=1e-4)
    flat = optimize.LinearConstraint(sp.csr_array([[1.0, 1.0], [1.0, -1.0], [0.0, 1.0]]), [1.0, -np.inf, -4.0], [1.0, 0.0, 4.0])
    old = [
        {"type": "eq", "fun": lambda x: x.sum() - 1.0, "jac": lambda x: np.ones(2)},
        {"type": "ineq", "fun": lambda x, s: s * (x[1] - x[0]), "jac": lambda x, s: s * np.array([-1.0, 1.0]), "args": (2.0,)},
    ]
    for constraint in (flat, old):
        r = ufcm.minimize(distance, [0.0, 0.0], jac=True, constraints=constraint, bounds=[(-3, 3)] * 2)
        assert r.success, r.message
        np.testing.assert_allclose(r.x, [0.5, 0.5], atol=1e-4)
    several = optimize.NonlinearConstraint(lambda x: [x @ x, x[0] ** 2], -np.inf, [1.0, 0.25], jac=lambda x: [2.0 * x, [2.0 * x[0], 0.0]])
    r = ufcm.minimize(distance, [0.0, 0.0], jac=True, constraints=several, bounds=[(-3, 3)] * 2)
    np.testing.assert_allclose(r.x, [0.5, np.sqrt(0.75)], atol=1e-4)
    assert len(r.multipliers) == 2 and r.multipliers["constraints[0][1]"] > 0.0


def test_what_minimize_refuses():
    x0, box = [0.0, 0.0], [(-1, 1)] * 2

    def with_constraint(constraint):
        return lambda: ufcm.minimize(cosh, x0, jac=True, constraints=constraint)

    circle = {"fun": lambda x: x @ x - 1.0, "jac": lambda x: 2.0 * x}
    for refused, error, words in [
        (lambda: ufcm.minimize(lambda x: x @ x, x0), ValueError, "fun needs its gradient: proofs rest on gradients"),
        (lambda: ufcm.minimize(lambda x: x @ x, x0, jac="2-point"), ValueError, "fun needs its gradient"),
        (lambda: ufcm.minimize(3.0, x0), TypeError, "fun is float; it must be a function or a component"),
        (lambda: ufcm.minimize(cosh, x0, jac=True, hess="bfgs"), TypeError, "hess is 'bfgs'"),
        (lambda: ufcm.minimize(ufcm.linear([1.0]), x0), ValueError, "fun has 1 variables; x0 has 2"),
        (lambda: ufcm.minimize(ufcm.linear([1.0, 0.0]), x0, jac=True), ValueError, "which knows its derivatives"),
        (lambda: ufcm.minimize(cosh, x0, jac=True, bounds=[(0, 1)]), ValueError, "bounds has 1 pairs; there are 2 variables"),
        (lambda: ufcm.minimize(cosh, x0, jac=True, bounds=[0, 1]), ValueError, r"bounds\[0\] is 0; it must be a pair"),
        (lambda: ufcm.minimize(cosh, x0, jac=True, bounds=box, options={"ftol": 1.0}), ValueError, "options has 'ftol'; known are"),
        (lambda: ufcm.minimize(cosh, x0, jac=True, method="SLSQP"), ValueError, "SLSQP"),
        (with_constraint({**circle, "type": "eq"}), ValueError, r"constraints\[0\] is an equality of a nonlinear function, which is not convex"),
        (with_constraint({**circle, "type": "le"}), ValueError, "type is 'le'; it must be 'ineq' or 'eq'"),
        (with_constraint({"type": "ineq", "fun": circle["fun"]}), ValueError, "needs its gradient"),
        (with_constraint(optimize.NonlinearConstraint(circle["fun"], 0.0, 0.0, jac=circle["jac"])), ValueError, "is an equality of a nonlinear"),
        (with_constraint(optimize.NonlinearConstraint(circle["fun"], -1.0, 0.0, jac=circle["jac"])), ValueError, "on both sides, which is not convex"),
        (with_constraint(optimize.NonlinearConstraint(circle["fun"], -np.inf, 0.0)), ValueError, "needs its gradient"),
        (with_constraint(optimize.NonlinearConstraint(circle["fun"], -np.inf, 0.0, jac=lambda x: x[:1])), ValueError, "jac of a constraint has shape"),
        (with_constraint([3.0]), TypeError, r"constraints\[0\] is float"),
    ]:
        with pytest.raises(error, match=words):
            refused()
    with pytest.warns(RuntimeWarning, match="keep_feasible is not held"):
        with_constraint(optimize.LinearConstraint([[1.0, 0.0]], -1.0, 1.0, keep_feasible=True))()


def test_callbacks_of_scipy():
    seen = []

    def told(intermediate_result):
        seen.append(intermediate_result.fun)
        raise StopIteration

    r = ufcm.minimize(cosh, [0.0, 0.0], jac=True, bounds=[(-5, 5)] * 2, callback=told)
    assert len(seen) == 1 and not r.success and r.status == 1 and "Interrupted" in r.message
    points = []
    ufcm.minimize(cosh, [0.0, 0.0], jac=True, bounds=[(-5, 5)] * 2, callback=points.append)
    assert all(x.shape == (2,) for x in points) and points
