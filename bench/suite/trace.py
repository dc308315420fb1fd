"""Clocks, and the course of a peer that calls back: when it was where."""

from __future__ import annotations

import resource
import time

Seen = tuple[float, float, float]  # CPU seconds, objective, violation


class Stopped(Exception):
    """The peer has had its time, or goes on long after it was done."""


class Trace:
    """What a peer's evaluations were worth, in CPU seconds of its own: what is computed here is not charged.

    `hint` is where the optimum is believed to be. A peer that has come within `accuracy` of it goes on for half as long
    again, and one second, so that the final reference can be better than the hint."""

    def __init__(self, limit: float, hint: float | None, accuracy: float) -> None:
        self.limit, self.hint, self.accuracy = limit, hint, accuracy
        self.seen: list[Seen] = []
        self.own = 0.0  # seconds that belong to the trace
        self.done_at: float | None = None
        self.began = time.process_time()

    def now(self) -> float:
        """The peer's CPU seconds."""
        return time.process_time() - self.began - self.own

    def note(self, objective: float, violation: float, own: float) -> None:
        """A point that was evaluated; `own` seconds were spent on judging it."""
        self.own += own
        spent = self.now()
        self.seen.append((spent, objective, violation))
        if self.done_at is None and self.hint is not None:
            scale = max(1.0, abs(self.hint)) * self.accuracy
            if objective - self.hint <= scale and violation <= scale:
                self.done_at = spent

    def over(self) -> bool:
        """Whether the peer has had its time."""
        spent = self.now()
        return spent > self.limit or (self.done_at is not None and spent > 1.5 * self.done_at + 1.0)

    def check(self) -> None:
        """Ends a peer that cannot be asked to stop."""
        if self.over():
            raise Stopped


def reached(seen: list[Seen], reference: float, accuracy: float) -> float | None:
    """The CPU seconds after which a point was within the accuracy, in objective and violation."""
    scale = max(1.0, abs(reference)) * accuracy
    return next((t for t, f, v in seen if abs(f - reference) <= scale and v <= scale), None)


def peak_memory() -> float:
    """The largest resident size of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
