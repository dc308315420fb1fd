"""What can be told of a problem besides its solution: an audit of its parts, and the paper's promises."""

from __future__ import annotations

from typing import Any, NamedTuple

from ufcm import _display
from ufcm._rows import RowConstants


class Calls(NamedTuple):
    """Calls that suffice, or that were made."""

    gradients: float
    inner_steps: float


class Plan:
    """The paper's constants of a problem, and what they promise; see :meth:`Problem.plan`."""

    def __init__(
        self,
        *,
        eps: float,
        l_ada: float,
        mu_ada: float,
        l_h: float,
        r: float,
        d_x: float,
        d_lambda: float,
        m: float,
        m_restarted: float,
        gap: float,
        executions: int,
        rows: list[Any],
        ufcm: tuple[float, float] | None,
        ufcm_unproven: str | None,
        restarted: tuple[float, float] | None,
        restarted_unproven: str | None,
        used: tuple[int, int],
    ) -> None:
        self.eps, self.r, self.executions = eps, r, executions
        self.l_ada, self.mu_ada, self.l_h = l_ada, mu_ada, l_h
        self.d_x, self.d_lambda, self.m = d_x, d_lambda, m
        self.m_restarted, self.gap = m_restarted, gap
        self.rows = [RowConstants(*row) for row in rows]
        """The rows as the theory sees them, for :class:`ufcm.theory.Aggregate`; a constant objective is none."""
        self.ufcm = None if ufcm is None else Calls(*ufcm)
        """What Algorithm 1 promises; ``None`` where a condition of its theorem does not hold."""
        self.ufcm_unproven = ufcm_unproven
        """Which condition that is."""
        self.restarted = None if restarted is None else Calls(*restarted)
        """What Algorithm 2 promises; ``None`` where a condition of its theorem does not hold."""
        self.restarted_unproven = restarted_unproven
        """Which condition that is."""
        self.used = Calls(*used)

    def __repr__(self) -> str:
        lines = [
            f"constants  L_ADA = {self.l_ada:.3e}, mu_ADA = {self.mu_ada:.3e}, L_h = {self.l_h:.3e}",
            f"           D_x = {self.d_x:.3e}, D_lambda = {self.d_lambda:.3e}, M = {self.m:.3e}, r = {self.r:.3e}",
            f"{'':<44}{'gradients':>14}{'inner steps':>18}",
        ]
        rows: list[tuple[str, Calls | None, str | None]] = [
            ("promised by UFCM (Algorithm 1)", self.ufcm, self.ufcm_unproven),
            (f"promised by R-UFCM ({self.executions} executions)", self.restarted, self.restarted_unproven),
            ("used by the default solver", self.used, None),
        ]
        for name, calls, unproven in rows:
            lines.append(f"not {name}: {unproven}" if calls is None else f"{name:<44}{calls[0]:>14.0f}{calls[1]:>18.0f}")
        return "\n".join(lines)


class Finding(NamedTuple):
    """A law that a part of a problem breaks."""

    part: str
    kind: str
    law: str
    message: str
    exception: BaseException | None
    """The exception of a function of yours, where it raised one."""


class Audit:
    """What :meth:`Problem.check` found."""

    def __init__(self, audited: list[tuple[str, str, list[tuple[str, str, BaseException | None]]]]) -> None:
        self.parts = [(part, kind) for part, kind, _ in audited]
        self.faults = [Finding(part, kind, *fault) for part, kind, found in audited for fault in found]
        self._text = _display.audit([(part, kind, [text for _, text, _ in found]) for part, kind, found in audited])

    @property
    def ok(self) -> bool:
        """Whether no fault was found, which is no proof that there is none."""
        return not self.faults

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return self._text
