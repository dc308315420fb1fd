"""The largest of quadratics and of half sums of absolute values."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from suite.instance import Family, Instance
from suite.program import Absolute, Program
from suite.rows import Bowls, Stacked, Vector

SIDE, VALUES = 10.0, 5


def mixed(m: int, n: int, seed: int) -> Instance:
    """m pieces: ill-conditioned diagonal quadratics and half sums of five absolute values in turn."""
    draw = np.random.default_rng(seed)
    origin = draw.standard_normal((m, n))
    kinks = draw.standard_normal((m, VALUES, n)) / np.sqrt(n)
    curvature = np.stack([np.logspace(0, -2, n)[draw.permutation(n)] for _ in range(m)])
    constant = draw.random(m)
    a, b = kinks[1::2], np.einsum("jkn,jn->jk", kinks[1::2], origin[1::2])
    e, o = curvature[::2], origin[::2]

    def model() -> Any:
        import ufcm

        bowls = [ufcm.quadratic(ej, -ej * oj, 0.5 * float(ej @ oj**2)) for ej, oj in zip(e, o)]
        folds = [0.5 * ufcm.power(aj, bj, 1.0, reduction="sum") + float(cj) for aj, bj, cj in zip(a, b, constant[1::2])]
        return ufcm.Problem(minimize=ufcm.maximum([*bowls, *folds]), domain=ufcm.box(-SIDE, SIDE))

    def conic() -> tuple[Any, Any]:
        import cvxpy as cp

        x = cp.Variable(n, bounds=[-SIDE, SIDE])
        bowls = [cp.sum(cp.multiply(ej, cp.square(x - oj))) / 2 for ej, oj in zip(e, o)]
        folds = [cp.norm1(aj @ x - bj) / 2 + cj for aj, bj, cj in zip(a, b, constant[1::2])]
        return cp.Problem(cp.Minimize(cp.maximum(*bowls, *folds))), x

    absolute = Absolute(a, b, constant[1::2])
    program = Program(Bowls(e, o), largest=True, lower=-SIDE, upper=SIDE, absolute=absolute)

    pieces = Stacked(Bowls(e, o), a, b, constant[1::2])
    kinked = Program(pieces, largest=True, lower=-SIDE, upper=SIDE)

    def one_pass(x: Vector) -> None:
        pieces.values(x)
        pieces.jacobian(x)

    return Instance(model, n, program, kinked, conic=conic if m * n <= 10_000 else None, one_pass=one_pass)


SIZES = ((2, 100), (10, 200), (20, 500), (50, 1000), (200, 1000), (20, 10_000))
INSTANCES: Family = {f"max of {m} n={n}": partial(mixed, m, n) for m, n in SIZES}
