"""Named blocks of variables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ufcm import _kinds
from ufcm._constraint import Affine
from ufcm._data import Vector, point, real
from ufcm._regularizer import Regularizer, RegularizerSum

Block = NDArray[np.float64]
# Kinds that go coordinate by coordinate: each field, and its value where they do nothing.
ELSEWHERE: dict[str, dict[str, float]] = {
    "l1": {"weight": 0.0},
    "positive_part": {"weight": 0.0},
    "ridge": {"weight": 0.0},
    "elastic_net": {"l1": 0.0, "ridge": 0.0},
    "l1_box": {"weight": 0.0, "lower": -np.inf, "upper": np.inf},
    "box": {"lower": -np.inf, "upper": np.inf},
    "nonnegative": {},
}


class Variables(Mapping[str, slice]):
    """Names for blocks of the variables of a problem, one after the other: a number of variables each, or a shape.

    >>> import numpy as np, ufcm
    >>> v = ufcm.Variables(w=2, b=1)
    >>> v
    Variables(w=2, b=1)
    >>> v.n, v["b"]
    (3, slice(2, 3, None))

    Data and regularisers by block; blocks that are not named have zeros, and no regulariser:

    >>> X, y = np.array([[1.0, 2.0], [3.0, 1.0]]), [1.0, -1.0]
    >>> p = ufcm.Problem(
    ...     minimize=ufcm.logistic(v.matrix(w=X, b=np.ones((2, 1))), y),
    ...     subject_to=[v.affine(w=[[1.0, 1.0]]) == 0],
    ...     regularizer=v.regularizer(w=ufcm.ridge(0.1)),
    ...     domain=ufcm.ball(10.0),
    ... )
    >>> parts = v.unpack(p.solve().x)
    >>> parts["w"].shape, bool(abs(parts["w"].sum()) < 1e-6)
    ((2,), True)
    >>> v.pack(w=[1.0, 2.0], b=3.0)
    array([1., 2., 3.])
    """

    __slots__ = ("_shapes", "_slices", "n")

    def __init__(self, **blocks: int | tuple[int, ...]) -> None:
        if not blocks:
            raise ValueError("no blocks: write Variables(w=100, b=1)")
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._slices: dict[str, slice] = {}
        self.n = 0
        for name, shape in blocks.items():
            own = tuple(int(size) for size in (shape if isinstance(shape, tuple) else (shape,)))
            if any(size < 1 for size in own):
                raise ValueError(f"{name} has the shape {own}; each block has at least one variable")
            self._shapes[name] = own
            self._slices[name] = slice(self.n, self.n + math.prod(own))
            self.n += math.prod(own)

    def __reduce__(self) -> Any:
        return (_made, (self._shapes,))

    def __getitem__(self, name: str) -> slice:
        """Where the block is."""
        if name not in self._slices:
            raise KeyError(f"no block is called {name!r}; there are {', '.join(map(repr, self))}")
        return self._slices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)

    def __repr__(self) -> str:
        told = (f"{name}={shape[0] if len(shape) == 1 else shape}" for name, shape in self._shapes.items())
        return f"Variables({', '.join(told)})"

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each block."""
        return dict(self._shapes)

    def unpack(self, x: ArrayLike) -> dict[str, Block]:
        """The blocks of a point, each in its shape; views of it."""
        values = point(x, self.n)
        return {name: values[self[name]].reshape(self._shapes[name]) for name in self}

    def pack(self, **blocks: ArrayLike) -> Vector:
        """A point from its blocks; 0 where a block is not given."""
        x = np.zeros(self.n)
        for name, values in blocks.items():
            place, array = self[name], real(values, name)
            if array.ndim and array.size != place.stop - place.start:
                raise ValueError(f"{name} has the shape {array.shape}; expected {self._shapes[name]}")
            x[place] = array.ravel() if array.ndim else array
        return x

    def matrix(self, **blocks: Any) -> Any:
        """The matrix whose columns are those of the blocks; sparse where one of them is."""
        tables = {name: _table(block, name) for name, block in blocks.items()}
        rows = {table.shape[0] for table in tables.values()}
        if len(rows) != 1:
            told = ", ".join(f"{name} {table.shape[0]}" for name, table in tables.items())
            raise ValueError(f"the blocks have different numbers of rows: {told}" if tables else "no block is given")
        count = rows.pop()
        for name, table in tables.items():
            width = self[name].stop - self[name].start
            if table.shape[1] != width:
                raise ValueError(f"{name} has {table.shape[1]} columns; the block has {width} variables")
        if any(hasattr(table, "tocsr") for table in tables.values()):
            import scipy.sparse as sp

            widths = {name: self[name].stop - self[name].start for name in self}
            return sp.hstack([tables.get(name, sp.csr_array((count, widths[name]))) for name in self], format="csr")
        whole = np.zeros((count, self.n))
        for name, table in tables.items():
            whole[:, self[name]] = table
        return whole

    def affine(self, offset: ArrayLike | None = None, *, name: str | None = None, **blocks: Any) -> Affine:
        """The rows ``sum of A_block x_block - offset``."""
        return Affine(self.matrix(**blocks), offset, name)

    def regularizer(self, **blocks: Regularizer) -> Regularizer:
        """Regularisers or domains of blocks, as one of all variables; those that go coordinate by coordinate stay so."""
        for name in blocks:
            self[name]
        if not blocks:
            return _kinds.zero()
        lifted = [self._lifted(name, part) for name, block in blocks.items() for part in block._summands]
        coordinatewise = tuple(part for part in lifted if part is not None)
        if len(coordinatewise) == len(lifted):
            return coordinatewise[0] if len(lifted) == 1 else RegularizerSum(coordinatewise)
        pieces = [(part.stop - part.start, blocks.get(name, _kinds.zero())) for name, part in self._slices.items()]
        return _kinds.parts(pieces)

    def _lifted(self, name: str, part: Regularizer) -> Regularizer | None:
        """A coordinatewise regulariser of a block as one of all variables, which does nothing to the others."""
        if part.kind not in ELSEWHERE or part._changes:
            return None
        if part.kind == "nonnegative":
            part = _kinds.box(0.0, np.inf)
        given = {}
        for field, elsewhere in ELSEWHERE[part.kind].items():
            values = np.full(self.n, elsewhere)
            values[self[name]] = part._values.get(field, elsewhere)
            given[field] = values
        return Regularizer(part.kind, given)

    domain = regularizer


def _table(block: Any, name: str) -> Any:
    if hasattr(block, "tocsr"):
        return block
    array = real(block, name)
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; expected 2 (one row for each sample)")
    return array


def _made(shapes: dict[str, tuple[int, ...]]) -> Variables:
    return Variables(**shapes)
