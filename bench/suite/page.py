"""Tables and the performance profile of docs/benchmarks.md, from the lines of results."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from suite.families import FAMILIES

Line = dict[str, Any]
PAGE = Path(__file__).resolve().parents[2] / "docs/benchmarks.md"
PICTURE = PAGE.with_name("benchmarks.svg")
MARKS = ("<!-- bench/run begins -->", "<!-- bench/run ends -->")
HEAD = "| instance | ufcm (of it building) | gradients + Hessians | status | best peer | its seconds | peer / ufcm | one pass, ms | ufcm in passes |"
OURS = ("ufcm", "ufcm to 1e-9")


def peers_of(line: Line) -> dict[str, float]:
    """The seconds of every peer that got there, IPOPT's two histories as one."""
    found: dict[str, float] = {}
    for name, record in line["solvers"].items():
        if name not in OURS and record["to_accuracy"] is not None:
            label = "ipopt lbfgs" if name.startswith("ipopt lbfgs") else name
            found[label] = min(found.get(label, math.inf), record["to_accuracy"])
    return found


def seconds_of(line: Line) -> float | None:
    """ufcm's seconds until its own proof; None where the answer is not as good as it says, or nothing is claimed."""
    own = line["solvers"]["ufcm"]
    right = own["to_accuracy"] is not None and own["status"] in ("Certified", "Solved")
    return own["build"] + own["solve"] if right else None


def ratio_of(line: Line) -> tuple[str, float]:
    """The ratio peer / ufcm in words, and as a number for the mean. Where one side did not get there, what it spent is a bound."""
    own, peers = line["solvers"]["ufcm"], peers_of(line)
    mine = seconds_of(line)
    best = min(peers.values(), default=None)
    if mine is None and best is None:
        return "neither", 1.0
    if mine is None:
        ratio = float(best or 0.0) / (own["build"] + own["solve"])
        return f"**< {_short(ratio)}**", ratio
    if best is None:
        ratio = line["patience"] / mine
        return f"> {_short(ratio)}", ratio
    ratio = best / mine
    return (f"**{_short(ratio)}**" if ratio < 1.0 else _short(ratio)), ratio


def _short(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def row_of(line: Line) -> str:
    """The row of an instance."""
    if "left_out" in line:
        return f"| {line['instance']} | left out: {line['left_out']} |"
    own, peers = line["solvers"]["ufcm"], peers_of(line)
    counts, spent = own["counts"], own["build"] + own["solve"]
    best = min(peers, key=lambda peer: peers[peer], default="none in time")
    status = own["status"]
    if own["to_accuracy"] is None:
        status += ", not within 1e-6"
    work = f"{counts.get('gradient_evaluations', '?')}+{counts.get('hessian_evaluations', '?')}"
    cells = [line["instance"], f"{_short(spent)} ({_short(own['build'])})", work, status, best, _short(peers[best]) if peers else "-", ratio_of(line)[0]]
    passes = spent / line["pass"] if line["pass"] > 0 else math.inf
    return "| " + " | ".join([*cells, _short(1e3 * line["pass"]), _short(passes)]) + " |"


def mean_of(lines: list[Line]) -> float:
    """The geometric mean of the ratios."""
    logs = [math.log(max(ratio_of(line)[1], 1e-9)) for line in lines]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def without(line: Line, peer: str) -> Line:
    """The line without one peer."""
    return {**line, "solvers": {name: record for name, record in line["solvers"].items() if name != peer}}


def latest(results: Path, seed: int = 0) -> list[Line]:
    """The last line of each instance, of files of full runs."""
    lines: dict[str, Line] = {}
    for path in sorted(results.glob("????-??-??.jsonl")):
        for text in path.read_text().splitlines():
            line = json.loads(text)
            if line["seed"] == seed and line.get("threads", 1) == 1:
                lines[line["instance"]] = line
    return list(lines.values())


def profile(lines: list[Line]) -> None:
    """The share of instances that a solver finishes within a factor of the fastest."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "ufcm"
    from matplotlib import pyplot

    times: dict[str, dict[str, float]] = {}
    for line in lines:
        mine = seconds_of(line)
        row = {**peers_of(line), **({} if mine is None else {"ufcm": mine})}
        for name, seconds in row.items():
            times.setdefault(name, {})[line["instance"]] = seconds / min(row.values())
    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    common = sorted(times, key=lambda name: -len(times[name]))[:9]
    for name in sorted(common, key=lambda name: name != "ufcm"):
        factors = sorted(times[name].values())
        steps = [0.0, *[(k + 1) / len(lines) for k in range(len(factors))]]
        style = {"linewidth": 2.5, "color": "black"} if name == "ufcm" else {"linewidth": 1.2}
        axes.step([1.0, *factors, 1000.0], [*steps, steps[-1]], where="post", label=f"{name} ({len(factors)})", **style)
    axes.set(xscale="log", xlim=(1, 1000), ylim=(0, 1), xlabel="seconds, as a multiple of the fastest on the instance")
    axes.set(ylabel=f"share of {len(lines)} instances", title="Performance profile (in brackets: instances finished)")
    axes.legend(fontsize=8, loc="lower right")
    figure.savefig(PICTURE, metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)


def write(results: Path) -> None:
    """Puts tables and picture on the page, between their marks."""
    lines = latest(results)
    ran = {line["instance"]: line for line in lines if "solvers" in line}
    some = next(iter(ran.values()))
    dates = sorted({line["date"][:10] for line in ran.values()})
    versions = ", ".join(f"{name} {version}" for name, version in some["versions"].items())
    text = [f"{' to '.join(dict.fromkeys((dates[0], dates[-1])))}, seed {some['seed']}, one thread, limit {some['limit']:g} s, {some['machine']}, shared. {versions}.", ""]
    for family, members in FAMILIES.items():
        rows = [ran[name] for name in members if name in ran]
        if rows:
            text += [f"### {family}", "", HEAD, "|" + "---|" * 9, *map(row_of, rows), ""]
            text += [f"Geometric mean of peer / ufcm over these {len(rows)}: {_short(mean_of(rows))}.", ""]
    everything = list(ran.values())
    won = sum(ratio_of(line)[1] >= 1.0 for line in everything)
    finished = sum(seconds_of(line) is not None for line in everything)
    certified = sum(line["solvers"]["ufcm"]["status"] == "Certified" for line in everything)
    small = set(FAMILIES["LP and QP"])
    large = [line for line in everything if line["instance"] not in small]
    others = mean_of([without(line, "apdb") for line in large])
    text += [
        f"Over all {len(everything)}: geometric mean {_short(mean_of(everything))}; without LP and QP {_short(mean_of(large))}, and beside other people's software alone, without apdb, "
        f"{_short(others)}. ufcm is the faster one on {won}, finishes {finished}, certifies {certified}. Two solvers agree on the reference of {sum(len(line['agreed']) >= 2 for line in everything)}.",
        "",
        "![Performance profile](benchmarks.svg)",
    ]
    losses = sorted((line for line in everything if ratio_of(line)[1] < 1.0), key=lambda line: ratio_of(line)[1])
    if losses:
        text += ["", "Losses, worst first: " + "; ".join(f"{line['instance']} {_short(ratio_of(line)[1])}" for line in losses) + "."]
    out = [line for line in lines if "left_out" in line]
    text += ["", *[f"Left out: {line['instance']}: {line['left_out']}." for line in out]]
    page = PAGE.read_text()
    before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
    PAGE.write_text(before + "\n".join([MARKS[0], *text]).rstrip() + "\n" + MARKS[1] + after)
    profile(everything)
