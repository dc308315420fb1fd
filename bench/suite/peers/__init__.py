"""The peers by name. A peer says whether it takes an instance, and solves it; it runs in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from suite.instance import Instance
from suite.peers import augmented, conic, ipopt, linear, ours, plain, scipy_peers
from suite.peers.answer import Answer, Wish

TOOLS = ("sklearn.linear_model", "skglm", "fairlearn.reductions")
Solve = Callable[[Instance, Wish], Answer]


@dataclass
class Peer:
    """`takes` is asked before a process is made."""

    takes: Callable[[Instance], bool]
    solve: Solve
    packages: tuple[str, ...]  # whose versions are recorded
    imports: tuple[str, ...] = ()  # what is imported before the clock starts


def _smooth(instance: Instance) -> bool:
    return instance.program is not None


def _peers() -> dict[str, Peer]:
    found: dict[str, Peer] = {
        "ipopt exact": Peer(ipopt.takes_exact, ipopt.exact, ("cyipopt", "casadi"), ("cyipopt",)),
        "ipopt lbfgs 6": Peer(ipopt.takes, ipopt.lbfgs(6), ("cyipopt", "casadi"), ("cyipopt",)),
        "ipopt lbfgs 20": Peer(ipopt.takes, ipopt.lbfgs(20), ("cyipopt", "casadi"), ("cyipopt",)),
        "slsqp": Peer(scipy_peers.takes_slsqp, scipy_peers.slsqp, ("scipy",), ("scipy.optimize",)),
        "slsqp split": Peer(scipy_peers.takes_split, scipy_peers.split, ("scipy",), ("scipy.optimize",)),
        "l-bfgs-b": Peer(scipy_peers.takes_lbfgsb, scipy_peers.lbfgsb, ("scipy",), ("scipy.optimize",)),
        "alpaqa": Peer(augmented.takes, augmented.solve, ("alpaqa",), ("alpaqa",)),
        "apdb": Peer(_smooth, ours.apdb, ()),
        "highs": Peer(linear.takes, linear.highs, ("highspy",), ("highspy",)),
        "piqp": Peer(linear.takes, linear.piqp, ("piqp",), ("piqp",)),
        "clarabel direct": Peer(linear.takes, linear.clarabel, ("clarabel",), ("clarabel",)),
        "plain": Peer(lambda instance: bool(instance.plain), plain.solve, ("scikit-learn", "skglm", "fairlearn"), TOOLS),
    }
    for solver in conic.SOLVERS:
        found[solver] = Peer(conic.takes, conic.by(solver), ("cvxpy", solver), ("cvxpy", solver))
    return found


PEERS: dict[str, Peer] = _peers()
