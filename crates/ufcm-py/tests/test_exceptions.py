"""Exceptions of users' functions come back as the same object from wherever they were raised; Ctrl-C and other signals."""

import contextvars
import os
import signal
import subprocess
import sys
import threading
import time
import traceback

import numpy as np
import pytest

import ufcm


class Trouble(Exception):
    """An exception of the user's own."""


def cosh(x):
    return np.sum(np.cosh(x)), np.sinh(x)


def raising(error, after=0, fun=cosh):
    """A function that raises that very object from some call on."""
    calls = 0

    def failing(x):
        nonlocal calls
        calls += 1
        if calls > after:
            raise error
        return fun(x)

    return failing


def problem_of(fun, **keywords):
    return ufcm.Problem(minimize=ufcm.component(fun, n=2, **keywords), domain=ufcm.box(-1.0, 2.0))


@pytest.fixture
def error():
    return Trouble("the data base is gone")


@pytest.fixture
def ctrl_c():
    """Python's own answer to Ctrl-C: whoever runs the tests in the background may have had the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def in_thread(work):
    """Runs `work` on a thread that is not the main one."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@pytest.mark.parametrize("method", ["auto", "sliding", "primal-dual", "ufcm", "restarted"])
@pytest.mark.parametrize("after", range(0, 16, 3))
def test_the_same_object_comes_back_whenever_it_is_raised(error, method, after):
    p = problem_of(raising(error, after), smoothness=4.0, convexity=1.0)
    try:
        p.solve(x0=[1.0, 0.5], method=method, eps_rel=1e-12, max_gradients=50)
    except Trouble as caught:
        assert caught is error and error.best_point.shape == (2,)
        assert "in failing" in "".join(traceback.format_exception(caught))
    else:
        assert after > 6  # some methods need few calls


def test_from_the_start_from_threads_and_from_where_the_interior_is(error):
    p = problem_of(raising(error))
    for keywords in [{}, {"threads": 2}, {"interior": [0.5, 0.5]}]:
        with pytest.raises(Trouble) as caught:
            p.solve(**keywords)
        assert caught.value is error and error.result is None
    others = []

    def work():
        with pytest.raises(Trouble) as caught:
            p.solve()
        others.append(caught.value)

    in_thread(work)
    assert others == [error]


def test_from_hessians(error):
    def hessian(x):
        raise error

    f = ufcm.component(cosh, n=2, hess=hessian)
    with pytest.raises(Trouble) as caught:
        f.hessian([0.0, 0.0])
    assert caught.value is error
    with pytest.raises(Trouble) as caught:
        ufcm.Problem(minimize=f, domain=ufcm.ball(2.0)).solve(metric="curvature", x0=[1.0, 1.0])
    assert caught.value is error


@pytest.mark.parametrize("threads", [None, 2])
def test_from_callbacks(error, threads):
    def callback(now):
        raise error

    with pytest.raises(Trouble) as caught:
        problem_of(cosh).solve(callback=callback, threads=threads, x0=[1.0, 1.0])
    assert caught.value is error and error.result.status == "Interrupted"
    assert "in callback" in "".join(traceback.format_exception(error))


def test_from_audits_plans_values_and_certificates(error):
    p = problem_of(raising(error), smoothness=4.0)
    audit = p.check()
    assert [fault.law for fault in audit.faults] == ["Failure"] and audit.faults[0].exception is error
    assert "the data base is gone" in audit.faults[0].message
    certificate = problem_of(cosh).solve().certificate
    for call in (lambda: p.plan(1e-3), lambda: p.value([0.0, 0.0]), lambda: certificate.verify(p)):
        with pytest.raises(Trouble) as caught:
            call()
        assert caught.value is error
    good = problem_of(lambda x: (np.sum(x**2), x))  # the gradient is 2 x
    assert all(fault.exception is None for fault in good.check().faults)
    with pytest.raises(Trouble) as caught:
        problem_of(raising(error, 5), smoothness=4.0).plan(1e-3)
    assert caught.value is error


def test_chained_exceptions_keep_their_causes():
    def fun(x):
        try:
            {}["key"]
        except KeyError as missing:
            raise Trouble("wrapped") from missing

    with pytest.raises(Trouble) as caught:
        problem_of(fun).solve()
    assert isinstance(caught.value.__cause__, KeyError)


def test_on_which_threads_functions_and_callbacks_are_called():
    local, seen, steps = threading.local(), [], []

    def fun(x):
        local.calls = getattr(local, "calls", 0) + 1
        seen.append((threading.get_ident(), local.calls))
        return cosh(x)

    def work():
        seen.clear()
        steps.clear()
        p = problem_of(fun)
        assert p.solve(x0=[1.0, 1.0], callback=lambda now: steps.append(threading.get_ident())).success
        assert set(steps) == {threading.get_ident()} and len({thread for thread, _ in seen}) == 1
        # What a function keeps for its thread lasts for the whole run.
        assert [calls for _, calls in seen] == list(range(1, len(seen) + 1))

    work()
    assert threading.get_ident() != seen[0][0]
    in_thread(work)
    assert steps[0] == seen[0][0] != threading.get_ident()


def test_context_variables_reach_functions():
    colour = contextvars.ContextVar("colour", default="grey")
    seen = set()

    def fun(x):
        seen.add(colour.get())
        return cosh(x)

    token = colour.set("blue")
    assert problem_of(fun).solve().success
    colour.reset(token)
    assert seen == {"blue"}


def test_functions_and_callbacks_may_interrupt():
    r = problem_of(raising(KeyboardInterrupt(), 4)).solve(x0=[1.0, 1.0])
    assert (r.status, r.trouble, r.fault, r.meaning) == ("Interrupted", None, None, "stopped on request")
    r = problem_of(cosh).solve(x0=[1.0, 1.0], callback=raising(KeyboardInterrupt()))
    assert (r.status, r.steps, r.trouble) == ("Interrupted", 1, None)
    with pytest.raises(KeyboardInterrupt):
        problem_of(raising(KeyboardInterrupt())).check()


def slow(x):
    time.sleep(0.01)
    return np.sum(np.abs(x - np.arange(2))) + np.sum(x**2), np.sign(x - np.arange(2)) + 2 * x


def test_a_signal_handler_may_raise_what_it_likes(error):
    def handler(number, frame):
        raise error

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Trouble) as caught:
            # Solved, it starts again: the signal comes during one of the runs.
            while True:
                problem_of(slow).solve(eps_rel=1e-15, eps_abs=1e-300, max_gradients=1000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert caught.value is error


def test_ctrl_c_twice_is_one_interrupt(ctrl_c):
    sent = []

    def fun(x):
        while len(sent) < 2:  # both within one evaluation: the run ends after it
            sent.append(os.kill(os.getpid(), signal.SIGINT))
            time.sleep(0.2)
        return slow(x)

    r = problem_of(fun).solve(eps_rel=1e-15, eps_abs=1e-300, x0=[1.0, 1.0])
    for _ in range(100):
        pass  # Python would raise here what it had not been asked for
    assert (r.status, len(sent)) == ("Interrupted", 2)


@pytest.mark.parametrize("call", ["check", "plan"])
def test_ctrl_c_ends_audits_and_plans(ctrl_c, call):
    sent = []

    def fun(x):
        if not sent:
            sent.append(os.kill(os.getpid(), signal.SIGINT))
            time.sleep(0.2)
        return cosh(x)

    p = problem_of(fun, smoothness=4.0)
    with pytest.raises(KeyboardInterrupt):
        if call == "check":
            p.check()
        else:
            p.plan(1e-3)


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np, ufcm
# Whoever runs this in the background may have had the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
{body}
def interrupt():
    time.sleep(0.6)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
r = p.solve(eps_rel=1e-15, eps_abs=1e-300, {settings})
assert r.status == "Interrupted", r.status
assert np.all(np.isfinite(r.x)) and r.trouble is None
print("interrupted")
"""
SLOW_PYTHON = """
def fun(x):
    for _ in range(5): time.sleep(0.01)
    return np.sum(np.abs(x - np.arange(5))) + np.sum(x**2), np.sign(x - np.arange(5)) + 2 * x
p = ufcm.Problem(minimize=ufcm.component(fun, n=5), domain=ufcm.ball(50.0))
"""
SLOW_RUST = """
rng = np.random.default_rng(0)
f = [ufcm.power(rng.normal(size=(40_000, 100)), rng.normal(size=40_000), 1.0) for _ in range(3)]
p = ufcm.Problem(minimize=ufcm.maximum(f), domain=ufcm.ball(50.0))
"""


@pytest.mark.parametrize("settings", ["", "threads=2"])
@pytest.mark.parametrize("body", [SLOW_PYTHON, SLOW_RUST])
def test_ctrl_c_ends_a_run_with_what_there_is(body, settings):
    script = INTERRUPTED.format(body=body, settings=settings)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert run.stdout == "interrupted\n", run.stderr
