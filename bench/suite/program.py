"""A problem as a nonlinear program: the form that IPOPT, SLSQP and augmented Lagrangians take.

Variables v are x (or p and q with x = p - q, where there is an l1 norm), then t (the height of a maximum), then one number for each
absolute value. Constraints are smooth rows with a dense Jacobian, and linear rows with a sparse one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from suite.rows import Rows, Vector

INF = np.inf


@dataclass
class Absolute:
    """Pieces of a maximum that are half sums of absolute values: sum |a_k.x - b_k| / 2 + constant, k in the piece."""

    a: Vector  # (pieces, values, n)
    b: Vector  # (pieces, values)
    constant: Vector  # (pieces,)

    def values(self, x: Vector) -> Vector:
        return 0.5 * np.abs(self.a @ x - self.b).sum(axis=1) + self.constant


@dataclass
class Program:
    """minimise g_0 (or the largest of all g_j and pieces) + ridge |x|^2 / 2 + l1 |x|_1  subject to the other g_j <= 0,
    A x <= b (`linear`), |x| <= `ball`, lower <= x <= upper."""

    rows: Rows
    largest: bool = False
    lower: float | Vector = -INF
    upper: float | Vector = INF
    ball: float | None = None
    ridge: float = 0.0
    l1: float = 0.0
    linear: tuple[Any, Vector] | None = None
    absolute: Absolute | None = None
    start: Vector | None = None

    def __post_init__(self) -> None:
        n = self.n = self.rows.n
        self.split = self.l1 > 0.0
        self.x_size = 2 * n if self.split else n
        pieces = 0 if self.absolute is None else self.absolute.b.size
        self.size = self.x_size + (1 if self.largest else 0) + pieces
        self.exact = self.rows.exact
        self._heard: Callable[[float, float, float], None] | None = None
        self._point: Vector | None = None
        self._slopes_at: Vector | None = None
        self._values_at: Vector | None = None
        self._values_kept = np.zeros(0)
        self._slopes_kept = np.zeros((0, n))
        self.v_lower, self.v_upper = np.full(self.size, -INF), np.full(self.size, INF)
        if self.split:
            self.v_lower[: self.x_size] = 0.0
            self.v_upper[:n], self.v_upper[n : 2 * n] = self.upper, -np.asarray(self.lower)
        else:
            self.v_lower[:n], self.v_upper[:n] = self.lower, self.upper
        self.v_linear = self._linear()
        self.smooth_rows = (self.rows.m if self.largest else self.rows.m - 1) + (self.ball is not None)

    def _wide(self, a: Any) -> Any:
        """Rows over x as rows over v."""
        a = sp.csr_array(a)
        parts = [a, -a] if self.split else [a]
        rest = self.size - self.x_size
        return sp.csr_array(sp.hstack([*parts, sp.csr_array((a.shape[0], rest))]))

    def _linear(self) -> tuple[Any, Vector] | None:
        """All linear rows over v: those given, and those that say what absolute values are."""
        blocks, bounds = [], []
        if self.linear is not None:
            blocks.append(self._wide(self.linear[0]))
            bounds.append(self.linear[1])
        if self.absolute is not None:
            pieces, values, n = self.absolute.a.shape
            flat, b = self._wide(self.absolute.a.reshape(-1, n)), self.absolute.b.ravel()
            first = self.x_size + 1
            count = pieces * values
            own = sp.csr_array((np.ones(count), (np.arange(count), first + np.arange(count))), shape=(count, self.size))
            member = sp.csr_array(
                (np.full(count, 0.5), (np.repeat(np.arange(pieces), values), first + np.arange(count))),
                shape=(pieces, self.size),
            )
            height = sp.csr_array((np.ones(pieces), (np.arange(pieces), np.full(pieces, self.x_size))), shape=(pieces, self.size))
            blocks += [flat - own, -flat - own, member - height]
            bounds += [b, -b, -self.absolute.constant]
        return (sp.csr_array(sp.vstack(blocks)), np.concatenate(bounds)) if blocks else None

    def back(self, v: Vector) -> Vector:
        """x from v."""
        n = self.n
        return v[:n] - v[n : 2 * n] if self.split else v[:n]

    def begin(self) -> Vector:
        """The point 0 (or `start`), with t and absolute values as they are there."""
        v = np.zeros(self.size)
        x = np.zeros(self.n) if self.start is None else self.start
        v[: self.n] = np.maximum(x, 0.0) if self.split else x
        if self.split:
            v[self.n : 2 * self.n] = np.maximum(-x, 0.0)
        if self.absolute is not None:
            v[self.x_size + 1 :] = np.abs(self.absolute.a @ x - self.absolute.b).ravel()
        if self.largest:
            v[self.x_size] = self._height(x)
        return v

    def _height(self, x: Vector) -> float:
        most = float(self._values(x).max())
        return most if self.absolute is None else max(most, float(self.absolute.values(x).max()))

    def told(self, x: Vector) -> tuple[float, float]:
        """The objective and the largest violation of a constraint, from x alone."""
        g = self._values(x)
        objective = self._height(x) if self.largest else float(g[0])
        objective += self.ridge / 2 * float(x @ x) + self.l1 * float(np.abs(x).sum())
        over = [0.0, float(np.max(self.lower - x)), float(np.max(x - self.upper))]
        if not self.largest and len(g) > 1:
            over.append(float(g[1:].max()))
        if self.ball is not None:
            over.append(float(np.linalg.norm(x)) - self.ball)
        if self.linear is not None and self.linear[0].shape[0]:
            over.append(float((self.linear[0] @ x - self.linear[1]).max()))
        return objective, max(over)

    def follow(self, heard: Callable[[float, float, float], None] | None) -> None:
        """From now on `heard` is told of every new point: objective, violation, and the seconds that finding them took."""
        self._heard, self._point = heard, None

    def _visit(self, v: Vector) -> Vector:
        x = self.back(v)
        if self._heard is not None and (self._point is None or not np.array_equal(self._point, v)):
            self._point = v.copy()
            self._values(x)  # the judge needs no more than the peer does: products are charged to the peer
            began = time.process_time()
            told = self.told(x)
            self._heard(*told, time.process_time() - began)
        return x

    def _values(self, x: Vector) -> Vector:
        """The values of all rows, once for a point."""
        if self._values_at is None or not np.array_equal(self._values_at, x):
            self._values_at, self._values_kept = x.copy(), self.rows.values(x)
        return self._values_kept

    def _slopes(self, x: Vector) -> Vector:
        """The gradients of all rows, once for a point."""
        if self._slopes_at is None or not np.array_equal(self._slopes_at, x):
            self._slopes_at, self._slopes_kept = x.copy(), self.rows.jacobian(x)
        return self._slopes_kept

    def objective(self, v: Vector) -> float:
        x = self._visit(v)
        value = v[self.x_size] if self.largest else self._values(x)[0]
        return float(value + self.ridge / 2 * (x @ x) + self.l1 * v[: self.x_size].sum() * self.split)

    def gradient(self, v: Vector) -> Vector:
        x = self._visit(v)
        slope = self.ridge * x if self.largest else self._slopes(x)[0] + self.ridge * x
        g = np.zeros(self.size)
        g[: self.n] = slope + self.l1
        if self.split:
            g[self.n : 2 * self.n] = self.l1 - slope
        if self.largest:
            g[self.x_size] = 1.0
        return g

    def constraints(self, v: Vector) -> Vector:
        """The smooth rows; all must be <= 0."""
        x = self._visit(v)
        g = self._values(x)
        g = g - v[self.x_size] if self.largest else g[1:]
        return g if self.ball is None else np.append(g, 0.5 * (x @ x - self.ball**2))

    def jacobian(self, v: Vector) -> Vector:
        x = self._visit(v)
        j = self._slopes(x) if self.largest else self._slopes(x)[1:]
        if self.ball is not None:
            j = np.vstack([j, x])
        full = np.zeros((len(j), self.size))
        full[:, : self.n] = j
        if self.split:
            full[:, self.n : 2 * self.n] = -j
        if self.largest:
            full[: self.rows.m, self.x_size] = -1.0
        return full

    def hessian(self, v: Vector, weight: float, multipliers: Vector) -> Vector:
        """The Hessian of the Lagrangian over x: n x n, or its diagonal."""
        x = self.back(v)
        m = self.rows.m
        weights = multipliers[:m] if self.largest else np.append(weight, multipliers[: m - 1])
        h = self.rows.hessian(x, weights)
        extra = weight * self.ridge + (0.0 if self.ball is None else multipliers[-1])
        if h.ndim == 1:
            return h + extra
        h[np.diag_indices(self.n)] += extra
        return h
