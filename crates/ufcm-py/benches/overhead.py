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
    """Calls of a Python function by the solver's oracle, next to calls by Python itself.

    A sum of many functions has one way in and out of Rust, so that what is left is the callbacks' own: an array for x, the
    call, and the gradient copied and added up.
    """
    gradient, x, many = np.zeros(n), np.zeros(n), 500

    def fun(x):
        return 0.0, gradient

    total = ufcm.component(fun, n)
    total = sum((ufcm.component(fun, n) for _ in range(many - 1)), total)._core
    alone = best(lambda: fun(x), 20_000)
    through = best(lambda: total.value_and_gradient(x), 20) / many
    beyond, copy = through - alone, best(lambda: np.copyto(x, gradient), 2000)
    print(
        f"callback, n = {n:6}: {alone:6.2f} us alone, {beyond:6.2f} us beyond (ratio to the 3 us allowed: {beyond / 3:.2f}; "
        f"x and the gradient are copied, which takes np.copyto {2 * copy:.2f} us)"
    )


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
