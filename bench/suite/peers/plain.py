"""The tools people use for one kind of problem. Each instance names its own; the fastest that is right is reported."""

from __future__ import annotations

import warnings

from suite.instance import Instance
from suite.peers.answer import Answer, Wish, climb
from suite.rows import Vector


def solve(instance: Instance, wish: Wish, name: str = "") -> Answer:
    """The tool of that name. Only what fits the model is charged: no compilation, no change of the data's format."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = instance.plain[name]()

    def quietly(tolerance: float) -> tuple[str, Vector]:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            x = fit(tolerance)
        return ("warned: " + heard[-1].category.__name__) if heard else "done", x

    return climb(instance, wish, lambda: quietly)
