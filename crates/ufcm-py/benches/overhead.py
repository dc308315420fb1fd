"""What Python adds: to a call of a user's function, and to the solve of a tiny problem.

Run it with the package installed (pip install ./crates/ufcm-py): python crates/ufcm-py/benches/overhead.py
"""

import timeit

import numpy as np

import ufcm

ROUNDS = 25


def best(call, number):
    """Microseconds of one call, the best of some rounds."""
    return 1e6 * min(timeit.repeat(call, number=number, repeat=ROUNDS)) / number


def callback(n):
    """A call of a Python function through the solver's interface, next to the function alone."""
    gradient = np.zeros(n)
    x = np.zeros(n)

    def fun(x):
        return 0.0, gradient

    component = ufcm.component(fun, n)._core
    alone = best(lambda: fun(x), 20_000)
    through = best(lambda: component.value_and_gradient(x), 20_000)
    beyond = through - alone
    # The way there and back is counted in full: from Python to Rust, to the function, and back with a gradient of our own.
    print(f"callback, n = {n:6}: {alone:7.2f} us alone, {beyond:7.2f} us beyond (ratio to the 3 us allowed: {beyond / 3:.2f})")


def tiny():
    """A problem of two variables and one constraint: the time of solve() next to the solver's own."""
    problem = ufcm.Problem(
        minimize=ufcm.quadratic([1.0, 1.0], [-2.0, 0.0]),
        subject_to=[ufcm.quadratic([1.0, 1.0]) <= 0.5],
        domain=ufcm.box(-5.0, 5.0),
    )
    whole = best(problem.solve, 200)
    inside = 1e6 * min(problem.solve().seconds for _ in range(2000))
    beyond = whole - inside
    print(f"tiny solve: {inside:7.1f} us in Rust, {beyond:7.1f} us beyond (ratio to the 300 us allowed: {beyond / 300:.2f})")


if __name__ == "__main__":
    for n in (2, 100, 10_000):
        callback(n)
    tiny()
