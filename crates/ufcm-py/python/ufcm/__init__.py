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

from ufcm import _kinds
from ufcm._catalogue import ALIASES
from ufcm._component import Component
from ufcm._constants import Constants
from ufcm._constraint import Affine, Constraint, affine, between
from ufcm._data import matrix, omit_nan
from ufcm._functions import component
from ufcm._insight import Audit, Finding, Plan
from ufcm._kinds import *  # noqa: F403
from ufcm._losses import cvar, entropy, hinge, kl, multinomial
from ufcm._minimize import minimize
from ufcm._problem import Problem
from ufcm._proof import Certificate, Infeasibility, NeededRow, Unboundedness, Verified
from ufcm._regularizer import Regularizer
from ufcm._result import Fault, Feasible, Iteration, Multipliers, Record, Result
from ufcm._term import Objective, Term
from ufcm._tradeoff import Surface, SurfacePoint, Tradeoff, TradeoffPoint
from ufcm._ufcm import CertificateError, Error, Matrix, OracleError, Progress, __version__
from ufcm._variables import Variables

from ufcm import distributed, ranks, theory  # isort: skip

if TYPE_CHECKING:
    from ufcm import jax, torch

__all__ = [
    "Affine",
    "Audit",
    "Certificate",
    "CertificateError",
    "Component",
    "Constants",
    "Constraint",
    "Error",
    "Fault",
    "Feasible",
    "Finding",
    "Infeasibility",
    "Iteration",
    "NeededRow",
    "Matrix",
    "Multipliers",
    "Objective",
    "OracleError",
    "Plan",
    "Problem",
    "Progress",
    "Record",
    "Regularizer",
    "Result",
    "Surface",
    "SurfacePoint",
    "Term",
    "Tradeoff",
    "TradeoffPoint",
    "Unboundedness",
    "Variables",
    "Verified",
    "__version__",
    "affine",
    "between",
    "component",
    "cvar",
    "distributed",
    "entropy",
    "hinge",
    "jax",
    "kl",
    "matrix",
    "minimize",
    "multinomial",
    "omit_nan",
    "ranks",
    "theory",
    "torch",
]
__all__ += _kinds.__all__

# Imported at first use, each with the package it is named after.
_LAZY = ("cvxpy", "jax", "sklearn", "torch")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"ufcm.{name}")
    if name in ALIASES:
        return ALIASES[name]
    raise AttributeError(f"module 'ufcm' has no attribute {name!r}")
