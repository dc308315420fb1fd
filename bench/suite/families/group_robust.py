"""The largest loss of groups, with a ridge or an l1 norm."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from suite.families import data
from suite.instance import Family, Instance
from suite.program import Program
from suite.rows import LOGISTIC, Losses

SIDE = 20.0
WEIGHT = {"ridge": 1e-2, "l1": 1e-3}


def group_robust(a: Any, y: data.Labels, group: Any, penalty: str, conic_too: bool, source: str) -> Instance:
    """The largest of the groups' mean logistic losses."""
    z = a.multiply(np.where(y, 1.0, -1.0)[:, None]).tocsr() if hasattr(a, "multiply") else np.where(y, 1.0, -1.0)[:, None] * a
    parts = [z[group == k] for k in np.unique(group)]
    n, weight = a.shape[1], WEIGHT[penalty]

    def model() -> Any:
        import ufcm

        losses = [ufcm.logistic(part, np.ones(part.shape[0])) for part in parts]
        norm = ufcm.l1(weight) if penalty == "l1" else ufcm.ridge(weight)
        return ufcm.Problem(minimize=ufcm.maximum(losses), regularizer=norm, domain=ufcm.box(-SIDE, SIDE))

    def conic() -> tuple[Any, Any]:
        import cvxpy as cp

        x = cp.Variable(n, bounds=[-SIDE, SIDE])
        losses = [cp.sum(cp.logistic(-(part @ x))) / part.shape[0] for part in parts]
        norm = weight * cp.norm1(x) if penalty == "l1" else weight / 2 * cp.sum_squares(x)
        return cp.Problem(cp.Minimize(cp.maximum(*losses) + norm)), x

    rows = Losses([(part, 0.0, LOGISTIC) for part in parts])
    l1, ridge = (weight, 0.0) if penalty == "l1" else (0.0, weight)
    program = Program(rows, largest=True, lower=-SIDE, upper=SIDE, l1=l1, ridge=ridge)
    return Instance(model, n, program, conic=conic if conic_too else None, data=source)


def _groups(seed: int, rows: int) -> Any:
    """Ten groups of unlike sizes."""
    return np.random.default_rng(seed + 1).choice(10, rows, p=np.arange(1, 11) / 55)


def _synthetic(penalty: str, rows: int, n: int, seed: int) -> Instance:
    a, y, _ = data.synthetic(seed, rows, n)
    groups = _groups(seed, rows)
    # Each group's labels are turned with a rate of its own, so that groups disagree.
    y = y ^ (np.random.default_rng(seed + 2).random(rows) < 0.02 * groups)
    return group_robust(a, y, groups, penalty, rows <= 5000, "generated")


def _sparse(penalty: str, seed: int) -> Instance:
    a, y, _ = data.sparse(seed, 100_000, 20_000)
    groups = _groups(seed, 100_000)
    y = y ^ (np.random.default_rng(seed + 2).random(100_000) < 0.02 * groups)
    return group_robust(a, y, groups, penalty, False, "generated")


def _adult(penalty: str, seed: int) -> Instance:
    a, y, _, groups = data.adult()
    return group_robust(a, y, groups, penalty, False, "UCI Adult, from UFCM_DATA")


INSTANCES: Family = {}
for _penalty in WEIGHT:
    for _rows, _n in ((5, 50), (50, 100), (200, 200)):
        INSTANCES[f"group-robust {_penalty} {_rows}k x {_n}"] = partial(_synthetic, _penalty, 1000 * _rows, _n)
    INSTANCES[f"group-robust {_penalty} sparse 100k x 20k"] = partial(_sparse, _penalty)
    INSTANCES[f"group-robust {_penalty} Adult"] = partial(_adult, _penalty)
