"""One problem on several ranks, each with its own samples, through whatever the ranks talk by.

``ufcm.Problem(..., communicator=c)`` takes a communicator of mpi4py, a process group of torch.distributed, or one of the
objects below. Every rank builds the same problem from its own rows and calls ``solve``; all get the same answer, to the last bit:

.. code-block:: python

    from mpi4py import MPI                      # mpirun -n 4 python -m mpi4py script.py

    p = ufcm.Problem(minimize=ufcm.logistic(my_rows, my_labels), domain=ufcm.ball(10.0), communicator=MPI.COMM_WORLD)
    r = p.solve()

Losses over data are those over the samples of all ranks. All else must be the same everywhere, which is checked before the first
step; a function of your own is summed over ranks where :func:`per_rank` says so. An error on one rank ends the run of all.

A communicator of your own is an object with ``rank``, ``size``, and ``sum(array)``, which replaces the numbers of a one-dimensional float64 array by
their sums over all ranks: the same bits on every rank, every time.
"""

from __future__ import annotations

import importlib
import socket
import struct
import time
from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ufcm._component import Component

__all__ = ["Communicator", "Dask", "Mpi", "Ray", "Sockets", "Torch", "communicator", "per_rank"]

Numbers = NDArray[np.float64]


class Communicator(Protocol):
    """What ranks exchange numbers by."""

    @property
    def rank(self) -> int: ...

    @property
    def size(self) -> int: ...

    def sum(self, array: Numbers) -> None: ...


def per_rank(component: Component, samples: float | None = None) -> Component:
    """The part that this rank has of a component over all ranks: the sum of the parts, or with `samples` (a number, or a sum of
    weights) their mean. Losses over data know it by themselves; functions of your own do not.

    >>> import ufcm
    >>> f = ufcm.component(lambda x: (x @ x, 2.0 * x), n=2)
    >>> ufcm.ranks.per_rank(f, samples=100)
    <Component: Python function, n = 2>
    """
    return Component._made("per_rank", component, None if samples is None else float(samples), name=component.name)


def communicator(c: Any) -> Communicator:
    """The communicator behind `c`, as :class:`ufcm.Problem` takes it."""
    kind = type(c)
    module = kind.__module__.split(".")[0]
    if module == "mpi4py":
        return Mpi(c)
    if module == "torch" or (kind.__name__ == "module" and c.__name__ == "torch.distributed"):
        return Torch(None if kind.__name__ == "module" else c)
    if all(hasattr(c, name) for name in ("rank", "size", "sum")):
        return c  # type: ignore[no-any-return]
    raise TypeError(
        f"communicator is {kind.__name__}; it must be one of mpi4py or torch.distributed, of ufcm.ranks, or have rank, size and sum"
    )


class _Tree(ABC):
    """Sums up and down a tree of ranks, in the same order every time: all ranks get the same bits."""

    rank: int
    size: int

    @abstractmethod
    def _send(self, array: Numbers, to: int) -> None:
        """Sends the numbers to another rank."""

    @abstractmethod
    def _receive(self, array: Numbers, source: int) -> None:
        """Waits for as many numbers from another rank, and writes them."""

    def sum(self, array: Numbers) -> None:
        """Replaces the numbers by their sums over all ranks."""
        received, step = np.empty_like(array), 1
        while step < self.size and self.rank % (2 * step) == 0:
            if self.rank + step < self.size:
                self._receive(received, self.rank + step)
                array += received
            step *= 2
        if self.rank > 0:
            self._send(array, self.rank - step)
            self._receive(array, self.rank - step)
        while step > 1:
            step //= 2
            if self.rank + step < self.size:
                self._send(array, self.rank + step)


class Mpi(_Tree):
    """Ranks of mpi4py. Start scripts by ``mpirun -n R python -m mpi4py script.py``: an exception on one rank then ends all."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm
        self.rank, self.size = comm.Get_rank(), comm.Get_size()

    def _send(self, array: Numbers, to: int) -> None:
        self.comm.Send(array, dest=to, tag=7919)

    def _receive(self, array: Numbers, source: int) -> None:
        self.comm.Recv(array, source=source, tag=7919)


class Torch(_Tree):
    """A process group of torch.distributed (gloo), the default one without a group."""

    def __init__(self, group: Any = None) -> None:
        import torch.distributed as dist

        self.group = group
        self.rank, self.size = dist.get_rank(group), dist.get_world_size(group)

    def _peer(self, rank: int) -> int:
        import torch.distributed as dist

        return rank if self.group is None else int(dist.get_global_rank(self.group, rank))

    def _send(self, array: Numbers, to: int) -> None:
        import torch
        import torch.distributed as dist

        dist.send(torch.from_numpy(array), self._peer(to), self.group)

    def _receive(self, array: Numbers, source: int) -> None:
        import torch
        import torch.distributed as dist

        dist.recv(torch.from_numpy(array), self._peer(source), self.group)


class Sockets:
    """Ranks that talk to rank 0 over the network, whoever has started them: needs nothing but Python.

    Rank 0 listens at `address` (``"host:port"``), the others connect to it, within `timeout` seconds. A rank that ends closes its
    connection, which ends the run of the others at once. The network is to be trusted: whoever reaches the port first is taken for a rank.
    """

    def __init__(self, rank: int, size: int, address: str, *, timeout: float = 60.0) -> None:
        if not 0 <= rank < size:
            raise ValueError(f"rank is {rank}; it must be from 0 to {size - 1}")
        host, _, port = address.rpartition(":")
        self.rank, self.size = rank, size
        self._peers: list[socket.socket] = []
        if rank == 0:
            self._accept(socket.create_server((host, int(port))), timeout)
        else:
            self._connect((host, int(port)), timeout)

    @classmethod
    def _listening(cls, size: int, server: socket.socket, timeout: float = 60.0) -> Sockets:
        """Rank 0, where the port is open already."""
        self = object.__new__(cls)
        self.rank, self.size, self._peers = 0, size, []
        self._accept(server, timeout)
        return self

    def _accept(self, server: socket.socket, timeout: float) -> None:
        server.settimeout(timeout)
        ranks: dict[int, socket.socket] = {}
        with server:
            while len(ranks) < self.size - 1:
                try:
                    peer, _ = server.accept()
                except TimeoutError:
                    missing = sorted(set(range(1, self.size)) - set(ranks))
                    raise ConnectionError(f"ranks {missing} did not come within {timeout:g} s") from None
                _prepare(peer)
                rank = struct.unpack("<q", _exactly(peer, 8, "a rank that connects"))[0]
                ranks[rank] = peer
        self._peers = [ranks[rank] for rank in range(1, self.size)]

    def _connect(self, address: tuple[str, int], timeout: float) -> None:
        end = time.monotonic() + timeout
        while True:
            try:
                peer = socket.create_connection(address, timeout=1.0)
                break
            except OSError as error:
                if time.monotonic() > end:
                    raise ConnectionError(f"rank 0 cannot be reached at {address[0]}:{address[1]}: {error}") from None
                time.sleep(0.05)
        peer.settimeout(None)
        _prepare(peer)
        peer.sendall(struct.pack("<q", self.rank))
        self._peers = [peer]

    def sum(self, array: Numbers) -> None:
        """Replaces the numbers by their sums over all ranks, added in the order of ranks."""
        if self.rank > 0:
            self._tell(0, array)
            self._hear(0, array)
            return
        received = np.empty_like(array)
        for k in range(self.size - 1):
            self._hear(k, received)
            array += received
        for k in range(self.size - 1):
            self._tell(k, array)

    def _name(self, k: int) -> str:
        return f"rank {k + 1 if self.rank == 0 else 0}"

    def _tell(self, k: int, array: Numbers) -> None:
        try:
            self._peers[k].sendall(struct.pack("<q", array.nbytes) + array.tobytes())
        except OSError as error:
            raise ConnectionError(f"{self._name(k)} has left: {error}") from None

    def _hear(self, k: int, array: Numbers) -> None:
        length = struct.unpack("<q", _exactly(self._peers[k], 8, self._name(k)))[0]
        if length != array.nbytes:
            self.close()
            raise ConnectionError(f"{self._name(k)} brings {length // 8} numbers, this rank {array.size}")
        array[:] = np.frombuffer(_exactly(self._peers[k], length, self._name(k)))

    def close(self) -> None:
        """Ends the connections; the other ranks are told."""
        for peer in self._peers:
            peer.close()


def _prepare(peer: socket.socket) -> None:
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def _exactly(peer: socket.socket, count: int, who: str) -> bytes:
    parts = []
    while count > 0:
        try:
            part = peer.recv(min(count, 1 << 20))
        except OSError as error:
            raise ConnectionError(f"{who} has left: {error}") from None
        if not part:
            raise ConnectionError(f"{who} has left")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _open_port() -> tuple[socket.socket, str]:
    """A port of this machine, and where others reach it."""
    server = socket.create_server(("", 0))
    return server, f"{socket.gethostbyname(socket.gethostname())}:{server.getsockname()[1]}"


def Ray(rank: int, size: int, name: str = "ufcm") -> Sockets:
    """Ranks that are tasks or actors of Ray, all running at the same time. They find each other by `name`, one for each group; numbers go from
    machine to machine without the object store."""
    ray: Any = importlib.import_module("ray")

    class Board:
        def __init__(self) -> None:
            self.address: str | None = None

        def write(self, address: str) -> None:
            self.address = address

        def read(self) -> str | None:
            return self.address

    board = ray.remote(num_cpus=0)(Board).options(name=f"ufcm-{name}", get_if_exists=True).remote()
    if rank == 0:
        server, address = _open_port()
        ray.get(board.write.remote(address))
        return Sockets._listening(size, server)
    return Sockets(rank, size, _waited(lambda: ray.get(board.read.remote())))


def Dask(rank: int, size: int, name: str = "ufcm") -> Sockets:
    """Ranks that are tasks of a dask.distributed cluster, all running at the same time, on a worker each. They find each other by `name`, one for
    each group."""
    distributed: Any = importlib.import_module("distributed")
    with distributed.worker_client(separate_thread=False) as client:
        board = distributed.Variable(f"ufcm-{name}", client=client)
        if rank == 0:
            server, address = _open_port()
            board.set(address)
            return Sockets._listening(size, server)
        return Sockets(rank, size, board.get(timeout=60))


def _waited(ask: Any) -> str:
    """The first answer of `ask` that is not None."""
    end = time.monotonic() + 60.0
    while (answer := ask()) is None:
        if time.monotonic() > end:
            raise ConnectionError("rank 0 did not come within 60 s")
        time.sleep(0.05)
    return str(answer)
