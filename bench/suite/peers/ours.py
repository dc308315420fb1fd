"""ufcm itself, and the published method apdb through it."""

from __future__ import annotations

import signal
import time
from typing import Any

from suite.instance import Instance
from suite.peers.answer import ACCURACY, Answer, Wish

COUNTS = ("gradient_evaluations", "value_evaluations", "hessian_evaluations", "hessian_products", "inner_steps", "restarts", "steps")


def _solve(instance: Instance, wish: Wish, method: str, eps: float) -> tuple[Answer, Any]:
    began, wall = time.process_time(), time.perf_counter()
    problem = instance.model()
    built = time.process_time() - began
    # A limit of CPU seconds: the signal is heard as Ctrl-C is, and the run answers with what it has.
    signal.signal(signal.SIGPROF, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_PROF, wish.limit)
    try:
        settings = {"eps_rel": eps, "eps_abs": 0.0, "eps_feas": min(eps, ACCURACY)}
        result = problem.solve(method=method, threads=wish.threads, **settings)
    except (TypeError, ValueError) as error:
        return Answer(f"refused: {error}"[:200]), None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    spent = time.process_time() - began - built
    status = "TimeLimit" if result.status == "Interrupted" else result.status
    answer = Answer(status, built, spent, time.perf_counter() - wall)
    answer.counts = {name: getattr(result, name) for name in COUNTS}
    answer.counts |= {"methods": result.methods, "lower_bound": result.lower_bound, "gap_rel": result.gap_rel}
    answer.judged(instance, result.x)
    return answer, result


def solve(instance: Instance, wish: Wish, eps: float = ACCURACY) -> Answer:
    """The default solver, until its own proof of `eps`."""
    answer, result = _solve(instance, wish, "auto", eps)
    if answer.objective is not None and answer.violation is not None:
        answer.seen = [(answer.solve, answer.objective, answer.violation)]
    if result is not None:
        answer.counts["trouble"] = result.trouble
    return answer


def apdb(instance: Instance, wish: Wish) -> Answer:
    """The method of rAPDB, by its own history; what finding its constants took is not charged."""
    answer, result = _solve(instance, wish, "apdb", 1e-7)
    if result is not None:
        rate = answer.solve / max(answer.wall, 1e-9)  # the history has seconds of the wall
        answer.seen = [(rate * r.seconds, r.objective, r.violation) for r in result.history]
    return answer
