"""Instances with a planted saddle point: x*, lambda* and all constants of the theory are known, for every composer of the paper.

The tables of docs/theory.md are made of them: ``examples/python/theory.py``.

>>> from ufcm.theory import planted
>>> instance = planted.uniform_instance("max", p=1.0, convexity=None, seed=11)
>>> run = planted.runs.ufcm(instance, eps=1e-2, early=True)
>>> run.hit <= run.promised.gradients
True
>>> instance.problem
<planted Problem: 30 variables, 4 rows, l2 ball>
"""

from __future__ import annotations

from ufcm.theory.planted import runs
from ufcm.theory.planted._instance import (
    COMPOSITIONS,
    Composition,
    Instance,
    RowKind,
    mixed_instance,
    smooth_and_lipschitz,
    uniform_instance,
)

__all__ = [
    "COMPOSITIONS",
    "Composition",
    "Instance",
    "RowKind",
    "mixed_instance",
    "runs",
    "smooth_and_lipschitz",
    "uniform_instance",
]
