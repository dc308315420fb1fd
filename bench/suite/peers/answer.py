"""What is asked of a peer and what it answers."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suite.instance import Instance
from suite.rows import Vector
from suite.trace import Seen, Stopped, Trace

ACCURACY = 1e-6
# Limits of peers that count seconds of the wall are so much longer; the runner ends who takes too many of the CPU.
WALL = 50.0
# Tolerances of peers that do not call back: the first whose answer passes the judge is charged.
LADDER = (1e-5, 1e-7, 1e-9, 1e-11)


@dataclass
class Wish:
    """Seconds of CPU, threads, and where the optimum is believed to be."""

    limit: float
    threads: int = 1
    hint: float | None = None


@dataclass
class Answer:
    """How it went: seconds of building and solving apart, and what was seen on the way."""

    status: str
    build: float = 0.0
    solve: float = 0.0
    wall: float = 0.0
    seen: list[Seen] = field(default_factory=list)
    objective: float | None = None
    violation: float | None = None
    counts: dict[str, Any] = field(default_factory=dict)

    def judged(self, instance: Instance, x: Vector | None) -> Answer:
        """The same, with what x is worth."""
        if x is not None and np.all(np.isfinite(x)):
            self.objective, self.violation = instance.judge(x)
        return self


def close(instance: Instance, x: Vector, hint: float | None) -> bool:
    """Whether x is as good as asked for, as far as the hint tells."""
    if hint is None:
        return False
    objective, violation = instance.judge(x)
    scale = max(1.0, abs(hint)) * ACCURACY
    return objective - hint <= scale and violation <= scale


def follow(instance: Instance, wish: Wish, run: Any, kinked: bool = False) -> Answer:
    """Runs a peer that calls back: `run(program, trace)` answers with a status and the last variables."""
    program = instance.kinked if kinked and instance.kinked is not None else instance.program
    assert program is not None
    wall, trace = time.perf_counter(), Trace(wish.limit, wish.hint, ACCURACY)
    program.follow(trace.note)
    last = None
    try:
        status, last = run(program, trace)
    except Stopped:
        status = "stopped"
    spent, wall = trace.now(), time.perf_counter() - wall
    if spent > wish.limit:
        status = "limit"
    program.follow(None)
    answer = Answer(status, 0.0, spent, wall, trace.seen, counts={"evaluations": len(trace.seen)})
    return answer.judged(instance, None if last is None else program.back(np.asarray(last)))


def climb(instance: Instance, wish: Wish, build: Any) -> Answer:
    """Runs a peer that does not call back: `build()` makes what `fit(tolerance)` then solves. The first tolerance of the
    ladder that suffices is charged, once."""
    began = time.process_time()
    fit = build()
    built = time.process_time() - began
    answer = Answer("no answer", built)
    for tolerance in LADDER:
        began, wall = time.process_time(), time.perf_counter()
        status, x = fit(tolerance)
        spent = time.process_time() - began
        answer = Answer(status, built, spent, time.perf_counter() - wall, counts={"tolerance": tolerance})
        answer.judged(instance, x)
        if answer.objective is not None and answer.violation is not None:
            answer.seen.append((spent, answer.objective, answer.violation))
        if (x is not None and close(instance, x, wish.hint)) or spent > wish.limit / 3:
            break
    return answer
