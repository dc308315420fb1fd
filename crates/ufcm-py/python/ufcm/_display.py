"""Numbers, tables and pages as people read them."""

from __future__ import annotations

import html
import math
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ufcm import _ufcm

if TYPE_CHECKING:
    from ufcm._problem import Problem
    from ufcm._result import Result

# Multipliers shown at most.
SHOWN = 20
# Multipliers below this part of the largest are told as 0, as on the terminal.
NEGLIGIBLE = 1e-9
# Seconds after which a row is due, in a run of slow steps.
ROW_INTERVAL = 5.0
HEADER = "  step  gradients       objective     lower bound  rel. gap violation    1/step   time (s)"


def scientific(value: float, digits: int) -> str:
    """``1.25e-06``; ``-`` where there is no number."""
    return f"{value:.{digits}e}" if math.isfinite(value) else "-"


def banner(problem: Problem, settings: dict[str, Any]) -> list[str]:
    """What is solved, and how."""
    core = problem._core
    lines = [f"ufcm {_ufcm.__version__}: convex problems with a proven gap", ""]
    rows = len(core.row_names)
    lines.append(f"problem    {problem.n} variables, {rows} rows, regularizer and domain: {core.regularizer_kind}")
    for name, _, count, composer, component, is_constraint in core.blocks[:SHOWN]:
        lines.append(f"           {name}: {_block(count, composer, component, is_constraint)}")
    if len(core.blocks) > SHOWN:
        lines.append(f"           and {len(core.blocks) - SHOWN} more")
    lines.append(
        f"settings   gap {settings['eps_rel']:g} relative + {settings['eps_abs']:g}, "
        f"violation {settings['eps_feas']:g}"
    )
    return [*lines, "", HEADER]


def _block(rows: int, composer: str, component: str, is_constraint: bool) -> str:
    if is_constraint:
        return f"constraint on {component}, {composer}" if rows == 1 else f"constraints on {component} of {rows} rows, {composer}"
    return component if rows == 1 else f"{composer} of {component}, {rows} rows"


class Table:
    """A table of steps, printed as they come: all at first, then every tenth, hundredth, ..."""

    def __init__(self, problem: Problem, settings: dict[str, Any]) -> None:
        self._waiting: str | None = None
        self._last = time.monotonic()
        self._print(*banner(problem, settings))

    def _print(self, *lines: str) -> None:
        # Looked up each time: notebooks and pytest put another stream there.
        sys.stdout.write("".join(line + "\n" for line in lines))
        self._last, self._waiting = time.monotonic(), None

    def step(self, progress: _ufcm.Progress) -> None:
        """Shows a step, or keeps it until it turns out to be the last."""
        row = _row(progress)
        twenties = (progress.step - 1) // 20
        stride = 10 ** len(str(twenties)) if twenties else 1
        if progress.step % stride == 0 or time.monotonic() - self._last > ROW_INTERVAL:
            self._print(row)
        else:
            self._waiting = row

    def end(self, result: Result | None) -> None:
        """Shows what came of it."""
        if self._waiting is not None:
            self._print(self._waiting)
        if result is not None:
            self._print("", *summary(result))


def _row(progress: _ufcm.Progress) -> str:
    mark = "r" if progress.restarted else " "
    return (
        f"{progress.step:6}{mark} {progress.gradient_evaluations:9} {scientific(progress.objective, 7):>15} "
        f"{scientific(progress.lower_bound, 7):>15} {scientific(progress.gap_rel, 2):>9} "
        f"{scientific(progress.violation, 2):>9} {scientific(progress.inverse_step, 2):>9} {progress.seconds:10.3f}"
    )


def _facts(result: Result) -> list[tuple[str, str]]:
    """(what, how much) for each line of a summary."""
    facts = [("status", f"{result.status}: {result.meaning}")]
    if result.advice:
        facts.append(("advice", result.advice))
    if result.status != "Infeasible":  # where no point is feasible, there is no value to speak of
        facts.append(("objective", scientific(result.objective, 9)))
        facts += [
            (f"{side} bound", scientific(value, 9) if math.isfinite(value) else "none")
            for side, value in (("lower", result.lower_bound), ("upper", result.upper_bound))
        ]
        if math.isfinite(result.gap):
            below = " (negative, since x violates the constraints a little)" if result.gap < 0.0 else ""
            facts.append(("gap", f"{result.gap_told}{below}"))
    facts.append(("violation", f"{scientific(result.violation, 2)}{_weighed(result)}"))
    facts.append(("rests on", result.premise))
    names, multipliers = result.constraint_names, result.multipliers
    for name, multiplier in list(zip(names, multipliers))[:SHOWN]:
        facts.append((f"multiplier of {name}", _multiplier(multiplier)))
    if len(names) > SHOWN:
        facts.append(("", f"and {len(names) - SHOWN} more"))
    facts.append(
        (
            "work",
            f"{result.gradient_evaluations} gradients, {result.value_evaluations} values, "
            f"{result.hessian_evaluations} Hessians, {result.inner_steps} inner steps, {result.restarts} restarts",
        )
    )
    if result.audit_gradients:
        told = f"{result.audit_gradients} gradients beyond these, of what is not convex by construction"
        facts.append(("audit", told))
    if result.constants_gradients is not None:
        promised = result.promised_gradients
        told = "none were found" if promised is None else f"they promise {promised} to suffice"
        facts.append(("constants", f"{result.constants_gradients} gradients of the default method before; {told}"))
    facts.append(("time", f"{result.seconds:.3f} s"))
    return facts


def _weighed(result: Result) -> str:
    """What the violation is relative to its row and worth in the objective, where there is one."""
    if result.violation == 0.0:
        return ""
    relative = result.violation_relative
    of_row = "" if relative is None else f", {scientific(relative, 2)} of its row"
    return f"{of_row}; worth {scientific(result.violation_worth, 2)} of the objective"


def _multiplier(value: Any) -> str:
    if isinstance(value, float):
        return scientific(value, 3)
    # As on the terminal: interior points leave a little in every entry.
    least = NEGLIGIBLE * float(abs(value).max()) if value.size else 0.0
    active = int((~(abs(value) < least) & (value != 0.0)).sum())
    rest = f" (others are below {NEGLIGIBLE:g} of the largest)" if active < int((value != 0.0).sum()) else ""
    rows = "1 row" if value.size == 1 else f"{value.size} rows"
    return f"{rows}, {active} not 0{rest}"


def summary(result: Result) -> list[str]:
    """The lines of a result."""
    facts = _facts(result)
    width = max(len(what) for what, _ in facts) + 2
    return [f"{what:<{width}}{how}" for what, how in facts]


def page(result: Result) -> str:
    """A result as a table for notebooks."""
    cell = '<td style="text-align:left">'
    rows = "".join(
        f"<tr>{cell}{html.escape(what)}</td>{cell}{html.escape(how)}</td></tr>" for what, how in _facts(result)
    )
    return f"<table>{rows}</table>"


def audit(lines: Sequence[tuple[str, str, list[str]]]) -> str:
    """What :meth:`Problem.check` found."""
    text = []
    for part, kind, faults in lines:
        text.append(f"{'WRONG' if faults else 'ok':<6} {part} ({kind})")
        text += [f"       {fault}" for fault in faults]
    count = sum(len(faults) for _, _, faults in lines)
    text.append("no fault found" if count == 0 else f"{count} faults found")
    return "\n".join(text)
