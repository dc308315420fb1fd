"""Certified convex optimisation of problems made of unlike parts.

::

    minimise over x in X:   g_0(x) + h(g_1(x), ..., g_m(x)) + u(x)

Components g_j are convex functions (losses over data, quadratics, your own); terms and constraints say how they combine;
u and X are a regulariser and a domain. A solve proves how far its answer is from the optimum at most.

>>> import ufcm
>>> p = ufcm.Problem(
...     minimize=ufcm.least_squares([[1.0, 2.0], [3.0, 1.0]], [1.0, 1.0]),
...     subject_to=[ufcm.linear([1.0, 1.0]) <= 0.2],
...     regularizer=ufcm.l1(0.01),
...     domain=ufcm.box(-1.0, 1.0),
... )
>>> r = p.solve()
>>> r.status
'Certified'
>>> r.gap <= 1e-6 + 1e-9
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ufcm._component import Component
from ufcm._constraint import Affine, Constraint, affine, between
from ufcm._data import matrix
from ufcm._functions import (
    component,
    exponential_sum,
    huber,
    least_squares,
    linear,
    log_sum_exp,
    logistic,
    poisson,
    power,
    quadratic,
    smoothed_hinge,
    squared_hinge_loss,
)
from ufcm._insight import Audit, Finding, Plan
from ufcm._problem import Problem
from ufcm._regularizer import (
    Regularizer,
    affine_set,
    ball,
    box,
    elastic_net,
    group_l2,
    halfspace,
    hyperplane,
    l1,
    l1_ball,
    l1_box,
    l2,
    linf,
    linf_ball,
    nonnegative,
    parts,
    positive_part,
    ridge,
    second_order_cone,
    simplex,
    sum_of_largest,
    total_variation,
    zero,
)
from ufcm._proof import Certificate, Infeasibility, Verified
from ufcm._result import Fault, Feasible, Record, Result
from ufcm._term import (
    Objective,
    Term,
    maximum,
    norm1,
    norm2,
    norm_inf,
    quantile,
    smooth_maximum,
    squared_hinge,
    sum_huber,
    sum_power,
    sum_squares,
    weighted_sum,
)
from ufcm._ufcm import CertificateError, Error, Matrix, OracleError, Progress, __version__

if TYPE_CHECKING:
    from ufcm import jax, torch

__all__ = [
    "Affine",
    "Audit",
    "Certificate",
    "CertificateError",
    "Component",
    "Constraint",
    "Error",
    "Fault",
    "Feasible",
    "Finding",
    "Infeasibility",
    "Matrix",
    "Objective",
    "OracleError",
    "Plan",
    "Problem",
    "Progress",
    "Record",
    "Regularizer",
    "Result",
    "Term",
    "Verified",
    "__version__",
    "affine",
    "affine_set",
    "ball",
    "between",
    "box",
    "component",
    "elastic_net",
    "exponential_sum",
    "group_l2",
    "halfspace",
    "huber",
    "hyperplane",
    "jax",
    "l1",
    "l1_ball",
    "l1_box",
    "l2",
    "least_squares",
    "linear",
    "linf",
    "linf_ball",
    "log_sum_exp",
    "logistic",
    "matrix",
    "maximum",
    "nonnegative",
    "norm1",
    "norm2",
    "norm_inf",
    "parts",
    "poisson",
    "positive_part",
    "power",
    "quadratic",
    "quantile",
    "ridge",
    "second_order_cone",
    "simplex",
    "smooth_maximum",
    "smoothed_hinge",
    "squared_hinge",
    "squared_hinge_loss",
    "sum_huber",
    "sum_of_largest",
    "sum_power",
    "sum_squares",
    "torch",
    "total_variation",
    "weighted_sum",
    "zero",
]

# Imported at first use, each with the package it is named after.
_LAZY = ("cvxpy", "jax", "sklearn", "torch")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"ufcm.{name}")
    raise AttributeError(f"module 'ufcm' has no attribute {name!r}")
