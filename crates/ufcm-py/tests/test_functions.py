"""Users' own functions: what they may return, what happens when they fail, threads. See test_exceptions.py, too."""

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import traceback

import numpy as np
import pytest

import ufcm


def cosh(x):
    return np.sum(np.cosh(x)), np.sinh(x)


def cosh_hessian(x):
    return np.diag(np.cosh(x))


@pytest.mark.parametrize("hess", [None, cosh_hessian])
def test_a_function_of_ones_own(hess):
    f = ufcm.component(cosh, n=3, hess=hess)
    p = ufcm.Problem(minimize=f + ufcm.linear([-1.0, 0.0, 2.0]), domain=ufcm.ball(5.0))
    r = p.solve(eps_rel=1e-8)
    assert r.status == "Certified"
    np.testing.assert_allclose(r.x, np.arcsinh([1.0, 0.0, -2.0]), atol=1e-3)
    assert r.certificate.verify(p).gap < 1e-6
    assert p.check().ok


def test_the_gradient_may_come_from_another_function():
    f = ufcm.component(lambda x: cosh(x)[0], n=2, jac=lambda x: cosh(x)[1])
    np.testing.assert_allclose(f.gradient([1.0, 2.0]), np.sinh([1.0, 2.0]))


@pytest.mark.parametrize(
    "answer",
    [
        lambda x: (1, [2, 3]),
        lambda x: (np.float32(1.0), np.array([2, 3], dtype=np.float32)),
        lambda x: (np.array([1.0]), (2.0, 3.0)),
        lambda x: [np.array(1.0), np.array([2.0, 9.0, 3.0])[::2]],
    ],
)
def test_answers_of_many_kinds(answer):
    value, gradient = ufcm.component(answer, n=2).value_and_gradient([0.0, 0.0])
    assert value == 1.0
    np.testing.assert_array_equal(gradient, [2.0, 3.0])


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (lambda x: 1.0, TypeError, r"returned <class 'float'>; expected \(value, gradient\)"),
        (lambda x: (1.0, [1.0]), ValueError, r"gradient has shape \[1\]; expected \[2\]"),
        (lambda x: (1.0, [[1.0, 2.0]]), ValueError, r"gradient has shape \[1, 2\]"),
        (lambda x: (1.0, "ab"), TypeError, "no array of numbers"),
        (lambda x: ("a", [1.0, 2.0]), ValueError, "value is <class 'str'>; expected a number"),
        (lambda x: (np.nan, [1.0, 2.0]), ufcm.OracleError, "value is NaN"),
        (lambda x: (1.0, [1.0, np.inf]), ufcm.OracleError, r"gradient\[1\] is inf"),
    ],
)
def test_wrong_answers_are_named(answer, error, message):
    f = ufcm.component(answer, n=2)
    with pytest.raises(error, match=message):
        f.gradient([0.0, 0.0])
    problem = ufcm.Problem(minimize=f)
    try:
        result = problem.solve()
    except (TypeError, ValueError) as raised:  # at the start already
        assert re.search(message, str(raised))
    else:
        assert result.status == "NumericalError" and re.search(message, result.trouble)
        assert result.fault.row == "objective"


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"fun": 1, "n": 2}, TypeError, "fun is int"),
        ({"fun": cosh, "n": 0}, ValueError, "n is 0"),
        ({"fun": cosh, "n": 1.5}, TypeError, "float"),
        ({"fun": cosh, "n": 2, "jac": None}, ValueError, "ufcm.jax.component"),
        ({"fun": cosh, "n": 2, "jac": 3}, TypeError, "jac is int"),
        ({"fun": cosh, "n": 2, "hess": 3}, TypeError, "hess is int"),
        ({"fun": cosh, "n": 2, "smoothness": -1.0}, ValueError, "L is -1"),
        ({"fun": cosh, "n": 2, "smoothness": (1.0, 2.0)}, ValueError, "p is 2; it must be between 0 and 1"),
        ({"fun": cosh, "n": 2, "convexity": (1.0, 0.5)}, ValueError, "q is 0.5; it must be at least 1"),
        ({"fun": cosh, "n": 2, "lower_bound": np.inf}, ValueError, "lower bound is inf"),
    ],
)
def test_bad_declarations_are_refused(keywords, error, message):
    with pytest.raises(error, match=message):
        ufcm.component(**keywords)


class Trouble(Exception):
    """An exception of the user's own."""


def repr_of(error):
    """An exception as its last line in a traceback."""
    return "".join(traceback.format_exception_only(error)).strip().removeprefix(__name__ + ".")


def failing_after(calls):
    count = 0

    def fun(x):
        nonlocal count
        count += 1
        if count > calls:
            raise Trouble("the data base is gone", count)
        return np.sum(x**2) + np.sum(np.abs(x - 1)), 2 * x + np.sign(x - 1)

    return fun


@pytest.mark.parametrize("threads", [None, 2])
def test_an_exception_comes_back_as_it_is(threads):
    original = failing_after(4)
    p = ufcm.Problem(minimize=ufcm.component(original, n=3), domain=ufcm.ball(5.0))
    with pytest.raises(Trouble) as caught:
        p.solve(threads=threads)
    error = caught.value
    assert error.args == ("the data base is gone", 5)
    assert "in fun" in "".join(traceback.format_exception(error))
    assert error.best_point.shape == (3,) and np.all(np.isfinite(error.best_point))
    assert error.result.status == "NumericalError"
    assert error.result.fault.row == "objective" and error.result.fault.point.shape == (3,)
    assert error.result.x is error.best_point
    assert error.result.trouble == "in row 0: the oracle failed: " + repr_of(error)


def test_an_exception_at_the_start():
    p = ufcm.Problem(minimize=ufcm.component(failing_after(0), n=3))
    with pytest.raises(Trouble) as caught:
        p.solve(x0=[1.0, 2.0, 3.0])
    np.testing.assert_array_equal(caught.value.best_point, [1.0, 2.0, 3.0])
    assert caught.value.result is None


def test_an_exception_in_a_hessian_in_a_constraint_and_in_a_sum():
    def bad_hessian(x):
        raise Trouble("hessian")

    f = ufcm.component(cosh, n=2, hess=bad_hessian)
    with pytest.raises(Trouble, match="hessian"):
        f.hessian([0.0, 0.0])
    g = 2.0 * ufcm.component(failing_after(3), n=2) + ufcm.linear([1.0, 1.0])
    p = ufcm.Problem(minimize=ufcm.linear([1.0, 0.0]), subject_to=[(g <= 4.0).named("sum")], domain=ufcm.box(-3, 3))
    with pytest.raises(Trouble) as caught:
        p.solve()
    assert caught.value.result.fault.row == "sum"


def test_exceptions_outside_of_solve():
    f = ufcm.component(failing_after(0), n=1)
    with pytest.raises(Trouble):
        f([0.0])
    p = ufcm.Problem(minimize=f)
    with pytest.raises(Trouble):
        p.value([0.0])
    good = ufcm.Problem(minimize=ufcm.component(cosh, n=1), domain=ufcm.box(-1, 1))
    certificate = good.solve().certificate
    with pytest.raises(Trouble):
        certificate.verify(ufcm.Problem(minimize=f, domain=ufcm.box(-1, 1)))


def test_an_exception_in_the_callback():
    p = ufcm.Problem(minimize=ufcm.component(cosh, n=2), domain=ufcm.ball(2.0))

    def callback(now):
        raise Trouble("enough")

    with pytest.raises(Trouble, match="enough") as caught:
        p.solve(callback=callback)
    assert caught.value.result.status == "Interrupted" and caught.value.best_point.shape == (2,)


def test_only_true_stops_a_run():
    p = ufcm.Problem(minimize=ufcm.component(cosh, n=2), domain=ufcm.ball(2.0))
    assert p.solve(callback=lambda now: now.objective).success
    assert p.solve(callback=lambda now: np.True_).status == "Interrupted"
    seen = []
    p.solve(callback=lambda now: seen.append((now.step, now.x.shape, now.row_values.shape, now.row_multipliers[0])))
    assert seen[0] == (1, (2,), (1,), 1.0)


def test_x_is_the_users_to_keep():
    kept = []

    def fun(x):
        kept.append(x)
        x_before = x.copy()
        x[:] = 7.0  # does no harm
        return cosh(x_before)

    r = ufcm.Problem(minimize=ufcm.component(fun, n=2), domain=ufcm.ball(2.0)).solve(x0=[1.0, -1.0])
    assert r.success and len({id(x) for x in kept}) == len(kept)


def test_several_threads_solve_at_once():
    f = ufcm.component(cosh, n=3)
    problems = [
        ufcm.Problem(minimize=f + ufcm.linear([k, 0.0, -k]), subject_to=[f <= 4.0], domain=ufcm.ball(5.0))
        for k in range(6)
    ]
    alone = [p.solve().x for p in problems]
    together = [None] * len(problems)

    def work(k):
        for _ in range(5):
            together[k] = problems[k].solve().x

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(problems))]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for x, y in zip(alone, together):
        np.testing.assert_array_equal(x, y)


def test_the_same_problem_fails_in_two_threads_with_two_exceptions():
    def fun(x):
        raise Trouble(threading.get_ident())

    p = ufcm.Problem(minimize=ufcm.component(fun, n=2))
    caught = {}

    def work():
        try:
            p.solve()
        except Trouble as error:
            caught[threading.get_ident()] = error.args[0]

    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(caught) >= 1 and all(own == told for own, told in caught.items())


def test_the_gil_is_free_while_rust_works(rng):
    A = rng.normal(size=(4000, 200))
    p = ufcm.Problem(minimize=ufcm.log_sum_exp(A), domain=ufcm.ball(1.0))
    finished = threading.Event()

    def work():
        p.solve(eps_rel=1e-7)
        finished.set()

    thread = threading.Thread(target=work)
    thread.start()
    turns = 0
    while not finished.is_set():
        turns += 1
        time.sleep(0.0005)
    thread.join()
    # Had the solver kept the GIL, this thread would have had a turn or two.
    assert turns > 5


def test_other_signals_find_their_handlers():
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))
    try:

        def fun(x):
            os.kill(os.getpid(), signal.SIGUSR1)
            return cosh(x)

        assert ufcm.Problem(minimize=ufcm.component(fun, n=2), domain=ufcm.ball(2.0)).solve().success
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard


def test_functions_are_pickled_by_name():
    f = pickle.loads(pickle.dumps(ufcm.component(cosh, n=2, name="cosh")))
    assert f([0.0, 0.0]) == 2.0 and f.name == "cosh"
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(ufcm.component(lambda x: cosh(x), n=2))


FORKED = """
import os, signal, sys
import numpy as np, ufcm
rng = np.random.default_rng(0)
p = ufcm.Problem(minimize=ufcm.logistic(rng.normal(size=(20000, 60)), rng.integers(0, 2, 20000)), domain=ufcm.ball(1.0))
x = p.solve().x  # starts threads, which a fork does not copy
child = os.fork()
if child == 0:
    signal.alarm(60)  # no child that waits for ever is left behind
    os._exit(0 if np.array_equal(p.solve().x, x) else 1)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_a_forked_child_solves_too():
    run = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=120, check=False)
    assert run.stdout == "0\n", run.stderr
