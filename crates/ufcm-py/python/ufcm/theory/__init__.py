"""The paper's constants, promises, measures and planted instances, under the names that the Rust library has for them.

=====================  ==========================================================================================
:class:`RowConstants`  what the theory knows of a row: multiplier, Hölder smoothness, uniform convexity
:class:`Aggregate`     all rows for an accuracy: L_ADA, mu_ADA, and those of each execution of R-UFCM
:mod:`promise`         the gradients and proximal steps that each theorem promises, or :class:`Unproven`
:mod:`measure`         the gap function Q, and (eps, r)-optimality for a known saddle point
:mod:`planted`         instances with a known saddle point, and runs on them
=====================  ==========================================================================================

>>> from ufcm import theory
>>> rows = [theory.RowConstants.smooth(1.0, 2.0, pinned=True), theory.RowConstants.smooth(0.5, 10.0)]
>>> l_ada = theory.Aggregate(rows, eps=1e-4, r=0.01).l_ada(d_x=1.0)
>>> round(l_ada, 9)
7.1
>>> at = theory.Distances(d_x=1.0, d_lambda=0.5, m=3.0)
>>> theory.promise.heterogeneous_balanced(l_ada, 1e-4, at).gradients
1305.3735097664576

A theorem whose conditions do not hold promises nothing, and says which one does not:

>>> try:
...     theory.promise.heterogeneous_balanced(l_ada, 5.0, at)
... except theory.Unproven as unproven:
...     print(unproven.name, unproven.numbers, unproven, sep=" | ")
EpsAboveOne | {'eps': 5.0} | eps <= 1 does not hold: eps = 5e0
"""

from __future__ import annotations

from ufcm._ufcm import Unproven
from ufcm.theory import measure, planted, promise
from ufcm._rows import Aggregate, RowConstants
from ufcm.theory.promise import Balance, Case, Distances, Promise

__all__ = [
    "Aggregate",
    "Balance",
    "Case",
    "Distances",
    "Promise",
    "RowConstants",
    "Unproven",
    "measure",
    "planted",
    "promise",
]
