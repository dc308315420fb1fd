"""Runs one instance: ufcm, then the peers, each in a process forked for it, so that data are made once and memory is its own."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from suite.families import INSTANCES
from suite.instance import Instance
from suite.peers import PEERS, ours, plain
from suite.peers.answer import ACCURACY, Answer, Wish
from suite.trace import peak_memory, reached

Record = dict[str, Any]
SHORT = 0.25  # seconds


def _child(pipe: Any, work: Callable[[], Answer], imports: tuple[str, ...]) -> None:
    try:
        for name in imports:
            importlib.import_module(name)
        before = peak_memory()
        answer = work()
        # What takes milliseconds is done three times: the first has cold caches.
        for _ in range(2 if answer.build + answer.solve < SHORT else 0):
            answer = min(answer, work(), key=lambda one: one.build + one.solve)
    except Exception as error:  # a peer may fail in any way; the table says how
        traceback.print_exc()
        answer, before = Answer(f"failed: {type(error).__name__}: {error}"[:200]), peak_memory()
    pipe.send({**asdict(answer), "memory_mb": round(peak_memory() - before, 1)})
    pipe.close()
    os._exit(0)


def _cpu_seconds(pid: int | None) -> float:
    """The CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def apart(work: Callable[[], Answer], limit: float, imports: tuple[str, ...] = ("ufcm",)) -> Record:
    """The answer of `work`, done in a process of its own, which is ended if it takes much longer than it may. A limit is one of CPU
    seconds, since the machine may be shared; imports and ladders of tolerances come on top."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_child, args=(there, work, imports), daemon=True)
    process.start()
    there.close()
    try:
        while not here.poll(0.2):
            if process.is_alive() and _cpu_seconds(process.pid) > 1.5 * limit + 10.0:
                return {**asdict(Answer("killed at the limit", solve=limit)), "memory_mb": None}
        return dict(here.recv())
    except (EOFError, FileNotFoundError):
        process.join()
        return {**asdict(Answer(f"died with code {process.exitcode}")), "memory_mb": None}
    finally:
        process.kill()
        process.join()


def numpy_pass(instance: Instance) -> float:
    """Seconds of one evaluation of all values and gradients in numpy: the least of several."""
    draw, best = np.random.default_rng(0), np.inf
    for _ in range(4):
        x = 0.01 * draw.standard_normal(instance.n)
        began = time.process_time()
        instance.pass_over_data(x)
        best = min(best, time.process_time() - began)
    return best


def _seconds(record: Record, reference: float) -> float | None:
    """What a solver is charged until it is within the accuracy: building, and solving as far as needed."""
    point = reached(record["seen"], reference, ACCURACY)
    return None if point is None else record["build"] + point


def _reference(records: dict[str, Record]) -> tuple[float | None, list[str]]:
    """The optimum, and who agrees on it: the least objective that points of two solvers have, within 1e-8 of the constraints if there are
    such points, and else as near as there are; where no two agree, the least of all."""
    points = {}
    for name, record in records.items():
        points[name] = [(f, v) for _, f, v in record["seen"]]
        if record["objective"] is not None:
            points[name].append((record["objective"], record["violation"]))

    def least(bar: float) -> dict[str, float]:
        """Of each solver that has points so near to the constraints."""
        near = {name: [f for f, v in seen if v <= bar * max(1.0, abs(f))] for name, seen in points.items()}
        return {name: min(values) for name, values in near.items() if values}

    # A solver's best point within 1e-9 may be a poor one, from its way through the interior: both of the tightest are looked at.
    for bars in ((1e-9, 1e-8), (1e-7,), (ACCURACY,)):
        agreed = []
        for found in map(least, bars):
            for value in found.values():
                agree = [name for name, f in found.items() if abs(f - value) <= ACCURACY * max(1.0, abs(value))]
                if len({name.split()[0] for name in agree}) >= 2:
                    agreed.append((value, agree))
        if agreed:
            return min(agreed)
    found = least(ACCURACY)
    best = min(found.values(), default=None)
    return best, [name for name, f in found.items() if f == best]


@dataclass
class Plan:
    """What a run of the suite is asked for. Peers get at most `patience` times ufcm's seconds, and one: who loses by more loses."""

    seed: int = 0
    limit: float = 60.0
    threads: int = 1
    patience: float = 2.0
    peers: tuple[str, ...] = ()


def run(name: str, plan: Plan, say: Callable[[str], None]) -> Record:
    """Everything about one instance, as a line of the results."""
    seed, limit, threads = plan.seed, plan.limit, plan.threads
    try:
        instance = INSTANCES[name](seed)
    except FileNotFoundError as missing:
        return {"instance": name, "seed": seed, "left_out": str(missing)}
    line: Record = {"instance": name, "seed": seed, "n": instance.n, "data": instance.data, "limit": limit, "threads": threads}
    line["pass"] = numpy_pass(instance)
    wish = Wish(limit, threads)
    records = {"ufcm": apart(lambda: ours.solve(instance, wish), limit)}
    first = records["ufcm"]
    say(f"  ufcm {first['status']} {first['build']:.3f} + {first['solve']:.3f} s, error of the bound {first['counts'].get('gap_rel')}")
    loose = first["counts"].get("gap_rel") is None or not first["counts"]["gap_rel"] <= 1e-8
    if instance.tight and loose and first["status"] in ("Certified", "Solved"):
        records["ufcm to 1e-9"] = apart(lambda: ours.solve(instance, wish, 1e-9), limit)
    hints = [r["objective"] for r in records.values() if r["objective"] is not None and r["violation"] <= 1e-6]
    spent = first["build"] + first["solve"]
    patience = limit if first["status"] not in ("Certified", "Solved") else min(limit, plan.patience * spent + 1.0)
    asked = Wish(patience, threads, hints[-1] if hints else None)
    for peer, description in PEERS.items():
        if plan.peers and not any(word in peer for word in plan.peers):
            continue
        if not description.takes(instance):
            continue
        works: dict[str, Callable[[], Answer]] = {peer: partial(description.solve, instance, asked)}
        if peer == "plain":
            works = {tool: partial(plain.solve, instance, asked, tool) for tool in instance.plain}
        for label, work in works.items():
            records[label] = apart(work, asked.limit, description.imports or ("ufcm",))
            record = records[label]
            say(f"  {label}: {record['status']}, {record['build']:.3f} + {record['solve']:.3f} s, {record['objective']}, {record['violation']}")
    reference, agreed = _reference(records)
    line |= {"reference": reference, "agreed": agreed, "patience": patience}
    for record in records.values():
        record["to_accuracy"] = None if reference is None else _seconds(record, reference)
        record["points"] = len(record.pop("seen"))
    line["solvers"] = records
    return line
