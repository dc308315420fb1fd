"""What an instance is: the same problem in the words of every solver, and what x is worth, in numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suite.program import Program
from suite.rows import Vector

# A peer made for one kind of problem: builds what it needs, and answers a tolerance with x.
Plain = Callable[[], Callable[[float], Vector]]


@dataclass
class Instance:
    """A problem. `told` is the judge: objective and largest violation of x. Sides that a solver does not take are None."""

    model: Callable[[], Any]  # ufcm.Problem
    n: int
    program: Program | None = None
    kinked: Program | None = None  # the same with kinks left as they are, which suits peers without second derivatives
    told: Callable[[Vector], tuple[float, float]] | None = None
    conic: Callable[[], tuple[Any, Any]] | None = None  # a CVXPY problem and its variable
    linear_program: Any = None  # suite.families.programs.Data
    plain: dict[str, Plain] = field(default_factory=dict)
    one_pass: Callable[[Vector], Any] | None = None
    data: str = "generated"
    violation_scale: float = 1.0
    tight: bool = True  # whether a run to 1e-9 is worth its time

    def judge(self, x: Vector) -> tuple[float, float]:
        """The objective and the largest violation at x."""
        told = self.told or (self.program.told if self.program is not None else None)
        assert told is not None
        objective, violation = told(np.asarray(x, dtype=float))
        return float(objective), float(violation) / self.violation_scale

    def pass_over_data(self, x: Vector) -> None:
        """All values and gradients, once."""
        if self.one_pass is not None:
            self.one_pass(x)
        elif self.program is not None:
            self.program.rows.values(x)
            self.program.rows.jacobian(x)


Family = dict[str, Callable[[int], Instance]]
