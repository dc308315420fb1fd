"""Smooth functions in numpy, as a user of a general solver would write them: values, gradients and Hessians by hand.

A `Rows` is several functions of the same x. What a value computes (products with the data) is kept for the gradient at the
same point, so that a peer pays for each product once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Vector = NDArray[np.float64]
# Functions of margins or residuals: the value, and the first and second derivative.
Loss = tuple[Callable[[Vector], Vector], Callable[[Vector], Vector], Callable[[Vector], Vector]]


def _logistic_slope(z: Vector) -> Vector:
    return -1.0 / (1.0 + np.exp(np.clip(z, -500.0, 500.0)))


def _logistic_curvature(z: Vector) -> Vector:
    slope = _logistic_slope(z)
    return -slope * (1.0 + slope)


LOGISTIC: Loss = (lambda z: np.logaddexp(0.0, -z), _logistic_slope, _logistic_curvature)
SQUARES: Loss = (lambda r: 0.5 * r * r, lambda r: r, np.ones_like)


def power(p: float) -> Loss:
    """|r|^p. Below p = 2 the second derivative is cut off near 0, where it is infinite."""
    return (
        lambda r: np.abs(r) ** p,
        lambda r: p * np.sign(r) * np.abs(r) ** (p - 1.0),
        lambda r: p * (p - 1.0) * np.maximum(np.abs(r), 1e-8) ** (p - 2.0),
    )


def excess(bound: float) -> Loss:
    """max(r - bound, 0)^2"""
    return (
        lambda r: np.maximum(r - bound, 0.0) ** 2,
        lambda r: 2.0 * np.maximum(r - bound, 0.0),
        lambda r: 2.0 * (r > bound),
    )


class Rows:
    """Functions g_1, ..., g_m of n variables. `forward` computes what values and gradients share."""

    m: int
    n: int
    exact = True  # whether there is a Hessian
    diagonal = False  # whether it is its diagonal

    def __init__(self) -> None:
        self._point: Vector | None = None
        self._kept: Any = None

    def at(self, x: Vector) -> Any:
        """What values and gradients share, computed once for a point."""
        if self._point is None or not np.array_equal(self._point, x):
            self._point, self._kept = x.copy(), self.forward(x)
        return self._kept

    def forward(self, x: Vector) -> Any:
        raise NotImplementedError

    def values(self, x: Vector) -> Vector:
        raise NotImplementedError

    def jacobian(self, x: Vector) -> Vector:
        raise NotImplementedError

    def hessian(self, x: Vector, weights: Vector) -> Vector:
        """The Hessian of <weights, g>: n x n, or its diagonal where it has nothing else."""
        raise NotImplementedError


class Quadratics(Rows):
    """x'Q_j x / 2 + c_j.x - b_j with dense Q_j."""

    def __init__(self, q: Vector, c: Vector, b: Vector) -> None:
        super().__init__()
        self.q, self.c, self.b = q, c, b
        self.m, self.n = c.shape

    def forward(self, x: Vector) -> Vector:
        return self.q @ x

    def values(self, x: Vector) -> Vector:
        return 0.5 * (self.at(x) @ x) + self.c @ x - self.b

    def jacobian(self, x: Vector) -> Vector:
        return self.at(x) + self.c

    def hessian(self, x: Vector, weights: Vector) -> Vector:
        used = np.flatnonzero(weights)
        total = np.zeros((self.n, self.n))
        for j in used:
            total += weights[j] * self.q[j]
        return total


class LowRank(Rows):
    """|F_j x|^2 / 2 + <d_j, x^2> / 2 + c_j.x - b_j: too large for a dense Hessian."""

    exact = False

    def __init__(self, f: Vector, d: Vector, c: Vector, b: Vector) -> None:
        super().__init__()
        self.f, self.d, self.c, self.b = f, d, c, b
        self.m, self.n = c.shape

    def forward(self, x: Vector) -> Vector:
        return self.f @ x

    def values(self, x: Vector) -> Vector:
        return 0.5 * ((self.at(x) ** 2).sum(axis=1) + self.d @ (x * x)) + self.c @ x - self.b

    def jacobian(self, x: Vector) -> Vector:
        fx = self.at(x)
        return np.stack([fx[j] @ self.f[j] for j in range(self.m)]) + self.d * x + self.c


class Bowls(Rows):
    """<e_j, (x - o_j)^2> / 2: quadratics with diagonal Hessians."""

    diagonal = True

    def __init__(self, e: Vector, o: Vector) -> None:
        super().__init__()
        self.e, self.o = e, o
        self.m, self.n = e.shape

    def forward(self, x: Vector) -> Vector:
        return x - self.o

    def values(self, x: Vector) -> Vector:
        return 0.5 * np.einsum("ij,ij,ij->i", self.e, self.at(x), self.at(x))

    def jacobian(self, x: Vector) -> Vector:
        return self.e * self.at(x)

    def hessian(self, x: Vector, weights: Vector) -> Vector:
        return weights @ self.e


class Stacked(Rows):
    """Bowls, and half sums of absolute values below them: sum |a_jk.x - b_jk| / 2 + c_j, with a subgradient at kinks."""

    def __init__(self, bowls: Bowls, a: Vector, b: Vector, c: Vector) -> None:
        super().__init__()
        self.bowls, self.a, self.b, self.c = bowls, a, b, c
        self.m, self.n, self.exact = bowls.m + len(c), bowls.n, False

    def forward(self, x: Vector) -> Vector:
        return self.a @ x - self.b

    def values(self, x: Vector) -> Vector:
        return np.append(self.bowls.values(x), 0.5 * np.abs(self.at(x)).sum(axis=1) + self.c)

    def jacobian(self, x: Vector) -> Vector:
        folds = 0.5 * np.einsum("jk,jkn->jn", np.sign(self.at(x)), self.a)
        return np.vstack([self.bowls.jacobian(x), folds])


class Losses(Rows):
    """Weighted sums of losses over blocks of rows: g_j = <w, loss(A x - b)> over block j, minus bound_j."""

    def __init__(
        self, parts: Sequence[tuple[Any, Vector | float, Loss]], bounds: Vector | None = None, weights: list[float] | None = None
    ) -> None:
        """Each part is (A, b, loss); its weight is 1 / rows unless given."""
        super().__init__()
        self.parts = parts
        self.m, self.n = len(parts), parts[0][0].shape[1]
        self.bounds = np.zeros(self.m) if bounds is None else bounds
        self.scale = [1.0 / a.shape[0] for a, _, _ in parts] if weights is None else weights
        self.exact = self.n <= 3000

    def forward(self, x: Vector) -> list[Vector]:
        return [a @ x - b for a, b, _ in self.parts]

    def values(self, x: Vector) -> Vector:
        sums = [w * float(loss[0](r).sum()) for (_, _, loss), r, w in zip(self.parts, self.at(x), self.scale)]
        return np.array(sums) - self.bounds

    def jacobian(self, x: Vector) -> Vector:
        parts = zip(self.parts, self.at(x), self.scale)
        return np.stack([w * (a.T @ loss[1](r)) for (a, _, loss), r, w in parts])

    def hessian(self, x: Vector, weights: Vector) -> Vector:
        total = np.zeros((self.n, self.n))
        for (a, _, loss), r, w, weight in zip(self.parts, self.at(x), self.scale, weights):
            if weight != 0.0:
                root = np.sqrt(w * abs(weight) * loss[2](r))
                scaled = sp.diags_array(root) @ a if sp.issparse(a) else a * root[:, None]
                product = scaled.T @ scaled
                total += np.sign(weight) * (product.toarray() if sp.issparse(product) else product)
        return total


class Summed(Rows):
    """A sum of rows of another kind, as one function."""

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self.rows, self.m, self.n, self.exact = rows, 1, rows.n, rows.exact

    def values(self, x: Vector) -> Vector:
        return self.rows.values(x).sum(keepdims=True)

    def jacobian(self, x: Vector) -> Vector:
        return self.rows.jacobian(x).sum(axis=0, keepdims=True)

    def hessian(self, x: Vector, weights: Vector) -> Vector:
        return self.rows.hessian(x, np.full(self.rows.m, weights[0]))


class Softmax(Rows):
    """Cross-entropy over K classes: x is K vectors, one after the other."""

    def __init__(self, a: Vector, classes: NDArray[np.int64], k: int) -> None:
        super().__init__()
        self.a, self.y, self.k = a, classes, k
        self.m, self.n = 1, k * a.shape[1]

    def forward(self, x: Vector) -> tuple[float, Vector]:
        z = self.a @ x.reshape(self.k, -1).T
        chosen = z[np.arange(len(z)), self.y]
        top = z.max(axis=1)
        e = np.exp(z - top[:, None])
        total = e.sum(axis=1)
        return float(np.mean(np.log(total) + top - chosen)), e / total[:, None]

    def values(self, x: Vector) -> Vector:
        return np.array([self.at(x)[0]])

    def jacobian(self, x: Vector) -> Vector:
        p = self.at(x)[1].copy()
        p[np.arange(len(p)), self.y] -= 1.0
        return (p.T @ self.a / len(p)).reshape(1, -1)

    def hessian(self, x: Vector, weights: Vector) -> Vector:
        p, d = self.at(x)[1], self.a.shape[1]
        total = np.empty((self.n, self.n))
        for i in range(self.k):
            for j in range(i + 1):
                w = (p[:, i] * ((i == j) - p[:, j])) * (weights[0] / len(p))
                block = (self.a.T * w) @ self.a
                total[i * d : (i + 1) * d, j * d : (j + 1) * d] = block
                total[j * d : (j + 1) * d, i * d : (i + 1) * d] = block.T
        return total
