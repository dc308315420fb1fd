"""Communicators for ``ufcm.Problem(..., communicator=c)``, one for each engine; :mod:`ufcm.ranks` has the rest.

.. code-block:: python

    from mpi4py import MPI

    p = ufcm.Problem(minimize=ufcm.logistic(my_rows, my_labels), communicator=ufcm.distributed.from_mpi4py(MPI.COMM_WORLD))
"""

from __future__ import annotations

import importlib
from typing import Any

from ufcm.ranks import Communicator, Dask, Mpi, Ray, Sockets, Torch, per_rank

__all__ = ["Communicator", "from_dask", "from_mpi4py", "from_ray", "from_sockets", "from_torch", "per_rank"]


def from_mpi4py(comm: Any = None) -> Communicator:
    """Ranks of mpi4py; those of ``MPI.COMM_WORLD`` without a communicator. Start scripts by ``mpirun -n R python -m mpi4py script.py``: an exception on
    one rank then ends all."""
    return Mpi(importlib.import_module("mpi4py.MPI").COMM_WORLD if comm is None else comm)


def from_torch(group: Any = None) -> Communicator:
    """Ranks of a process group of torch.distributed (gloo), of the default one without a group."""
    return Torch(group)


def from_ray(rank: int, size: int, name: str = "ufcm") -> Communicator:
    """Ranks that are tasks or actors of Ray, all running at the same time; they find each other by `name`."""
    return Ray(rank, size, name)


def from_dask(rank: int, size: int, name: str = "ufcm") -> Communicator:
    """Ranks that are tasks of a dask.distributed cluster, all running at the same time, on a worker each; they find each other by `name`."""
    return Dask(rank, size, name)


def from_sockets(rank: int, size: int, address: str, *, timeout: float = 60.0) -> Communicator:
    """Ranks that talk to rank 0 over the network at ``"host:port"``, whoever has started them; needs nothing but Python."""
    return Sockets(rank, size, address, timeout=timeout)
