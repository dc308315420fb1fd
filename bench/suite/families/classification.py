"""Neyman–Pearson classification, and classification under a bound on unfairness."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from suite.families import data
from suite.instance import Family, Instance
from suite.program import Program
from suite.rows import LOGISTIC, Losses, Vector


def _loss(z: Any, w: Vector) -> float:
    return float(np.logaddexp(0.0, -(z @ w)).mean())


def neyman_pearson(a: Any, y: data.Labels, w: Vector, conic_too: bool, source: str = "generated") -> Instance:
    """The loss on one class, subject to 0.6 times what the model w has on the other, in a ball."""
    positive, negative = a[y], -a[~y]
    tau, radius = 0.6 * _loss(negative, w), max(10.0, 1.5 * float(np.linalg.norm(w)))

    def model() -> Any:
        import ufcm

        missed = ufcm.logistic(positive, np.ones(positive.shape[0]))
        alarms = ufcm.logistic(negative, np.ones(negative.shape[0])) <= tau
        return ufcm.Problem(minimize=missed, subject_to=[alarms], domain=ufcm.ball(radius))

    def conic() -> tuple[Any, Any]:
        import cvxpy as cp

        x = cp.Variable(a.shape[1])
        losses = [cp.sum(cp.logistic(-(z @ x))) / z.shape[0] for z in (positive, negative)]
        return cp.Problem(cp.Minimize(losses[0]), [losses[1] <= tau, cp.norm2(x) <= radius]), x

    rows = Losses([(positive, 0.0, LOGISTIC), (negative, 0.0, LOGISTIC)], np.array([0.0, tau]))
    return Instance(model, a.shape[1], Program(rows, ball=radius), conic=conic if conic_too else None, data=source)


def _fitted(a: Any, y: data.Labels) -> Vector:
    """A ridge-regularised logistic fit by Newton's method: only to choose the level of the constraint."""
    a = a.toarray() if sp.issparse(a) else a
    w = np.zeros(a.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-(a @ w)))
        w -= np.linalg.solve((a.T * (p * (1 - p))) @ a + 1e-2 * np.eye(len(w)), a.T @ (p - y) + 1e-2 * w)
    return w


def covariance(seed: int) -> Instance:
    """Adult: the logistic loss, while the score may covary with the sex by a fifth of what it does without a bound."""
    a, y, male, _ = data.adult()
    z = np.where(y, 1.0, -1.0)[:, None] * a
    w = _fitted(a, y)
    slope = ((male - male.mean()) / male.std()) @ a / len(a)
    limit, radius = 0.2 * abs(float(slope @ w)), 2 * float(np.linalg.norm(w))

    def model() -> Any:
        import ufcm

        unfair = ufcm.affine(slope[None, :]).between(-limit, limit)
        return ufcm.Problem(minimize=ufcm.logistic(z, np.ones(len(z))), subject_to=[unfair], domain=ufcm.ball(radius))

    linear = (np.stack([slope, -slope]), np.full(2, limit))
    program = Program(Losses([(z, 0.0, LOGISTIC)]), ball=radius, linear=linear)
    return Instance(model, a.shape[1], program, data="UCI Adult, from UFCM_DATA")


def group_loss(seed: int) -> Instance:
    """Adult: the logistic loss, while that on each sex is bounded, halfway between a common model and one for men alone."""
    a, y, male, _ = data.adult()
    z = np.where(y, 1.0, -1.0)[:, None] * a
    groups, share = [z[male], z[~male]], float(male.mean())
    common, own = _fitted(a, y), _fitted(a[male], y[male])
    bound, radius = 0.5 * (_loss(groups[0], common) + _loss(groups[0], own)), 2 * float(np.linalg.norm(common))

    def model() -> Any:
        import ufcm

        losses = [ufcm.logistic(part, np.ones(len(part))) for part in groups]
        mean = share * losses[0] + (1.0 - share) * losses[1]
        return ufcm.Problem(minimize=mean, subject_to=[loss <= bound for loss in losses], domain=ufcm.ball(radius))

    def reductions() -> Any:
        from suite.peers.reductions import bounded_group_loss

        return bounded_group_loss(a, y, male, bound)

    program = Program(GroupMeans(groups, [share, 1.0 - share], [bound, bound]), ball=radius)
    return Instance(model, a.shape[1], program, plain={"fairlearn": reductions}, data="UCI Adult, from UFCM_DATA")


class GroupMeans(Losses):
    """First the weighted mean of all groups' losses, then each group's loss minus its bound."""

    def __init__(self, groups: list[Vector], shares: list[float], bounds: list[float]) -> None:
        super().__init__([(z, 0.0, LOGISTIC) for z in groups], np.array(bounds))
        self.shares = np.array(shares)
        self.m = len(groups) + 1

    def values(self, x: Vector) -> Vector:
        own = super().values(x)
        return np.append(self.shares @ (own + self.bounds), own)

    def jacobian(self, x: Vector) -> Vector:
        own = super().jacobian(x)
        return np.vstack([self.shares @ own, own])

    def hessian(self, x: Vector, weights: Vector) -> Vector:
        return super().hessian(x, weights[0] * self.shares + weights[1:])


def _synthetic(seed: int, rows: int, n: int) -> Instance:
    return neyman_pearson(*data.synthetic(seed, rows, n), conic_too=rows <= 5000)


def _sparse(seed: int) -> Instance:
    a, y, w = data.sparse(seed, 100_000, 20_000)
    return neyman_pearson(a, y, w, False)


def _a9a(seed: int) -> Instance:
    a, y = data.a9a()
    return neyman_pearson(a, y, _fitted(a, y), False, "LIBSVM a9a, from UFCM_DATA")


INSTANCES: Family = {
    "Neyman-Pearson 5k x 50": lambda seed: _synthetic(seed, 5_000, 50),
    "Neyman-Pearson 50k x 100": lambda seed: _synthetic(seed, 50_000, 100),
    "Neyman-Pearson 200k x 200": lambda seed: _synthetic(seed, 200_000, 200),
    "Neyman-Pearson sparse 100k x 20k": _sparse,
    "Neyman-Pearson a9a": _a9a,
    "fairness Adult, covariance": covariance,
    "fairness Adult, group losses": group_loss,
}
