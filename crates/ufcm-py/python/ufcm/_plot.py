"""The course of a run as a picture. Matplotlib is imported here, at first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ufcm._result import Result

LABELS = {"gradient_evaluations": "gradients", "seconds": "seconds", "step": "steps"}


def plot(result: Result, axes: Any, against: str) -> Any:
    """Bounds above, relative gap and violation below."""
    if against not in LABELS:
        raise ValueError(f"against is {against!r}; it must be one of {', '.join(LABELS)}")
    if axes is None:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(2, 1, sharex=True, figsize=(6.4, 5.6), layout="constrained")
    else:
        figure = axes[0].figure
    bounds, errors = axes
    history = result.history
    across = [getattr(record, against) for record in history]
    lower = _numbers([record.lower_bound for record in history])
    bounds.plot(across, _numbers([record.objective for record in history]), label="objective")
    bounds.plot(across, lower, label="lower bound")
    bounds.set_ylabel("objective")
    _focus(bounds, result, lower)
    bounds.legend()
    gap = _numbers([record.gap_rel for record in history])
    # On a log scale there is no 0, and no negative gap either (x violates the constraints a little).
    errors.plot(across, np.where(gap > 0.0, gap, np.nan), label="relative gap")
    violation = _numbers([record.violation for record in history])
    if np.any(violation > 0.0):
        errors.plot(across, np.where(violation > 0.0, violation, np.nan), label="violation")
    tolerance = result.settings.get("eps_rel")
    if tolerance:
        errors.axhline(tolerance, color="grey", linewidth=0.8, linestyle=":")
    errors.set_yscale("log")
    errors.set_xlabel(LABELS[against])
    errors.legend()
    bounds.set_title(f"{result.status} after {result.gradient_evaluations} gradients, {result.seconds:.3g} s")
    return figure


def _numbers(values: list[float]) -> Any:
    array = np.asarray(values, dtype=float)
    return np.where(np.isfinite(array), array, np.nan)


def _focus(axis: Any, result: Result, lower: Any) -> None:
    """Leaves out the first, far-away bounds, beside which the rest would be one line."""
    known = lower[np.isfinite(lower)]
    if known.size == 0 or not np.isfinite(result.objective):
        return
    spread = max(result.objective - np.median(known), 1e-12 * max(1.0, abs(result.objective)))
    axis.set_ylim(result.objective - 2.0 * spread, result.objective + 2.0 * spread)
