"""Dose planning: the tumour gets its dose, healthy tissue little, and some of it never more than a limit."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from suite.instance import Family, Instance
from suite.program import Program
from suite.rows import Losses, Summed, Vector, excess

TARGET, TOLERATED, MOST, COST = 60.0, 20.0, 25.0, 1e-3


class Anatomy(NamedTuple):
    """What each beam gives to the voxels of the tumour, of the spared organ and of the rest."""

    tumour: Any
    spared: Any
    rest: Any


def anatomy(seed: int, n: int, voxels: int, limited: int) -> Anatomy:
    """Beams from ten directions through a disc, with a ring-shaped tumour around the spared organ."""
    draw = np.random.default_rng(seed)
    directions = 10
    beams = n // directions
    place = draw.uniform(-1.0, 1.0, (voxels, 2))
    rows, columns, values = [], [], []
    for direction in range(directions):
        angle = math.pi * direction / directions
        across = (place @ np.array([-math.sin(angle), math.cos(angle)]) + 1.5) / 3.0 * beams
        depth = place @ np.array([math.cos(angle), math.sin(angle)]) + 1.5
        nearest = np.rint(across).astype(int)
        for off in range(-3, 4):
            beam = nearest + off
            inside = (beam >= 0) & (beam < beams)
            strength = np.exp(-0.5 * depth - ((across - beam) / 1.5) ** 2)
            rows.append(np.flatnonzero(inside))
            columns.append(direction * beams + beam[inside])
            values.append(strength[inside])
    shape = (voxels, directions * beams)
    a = sp.csr_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
    distance = np.hypot(*place.T)
    tumour = (distance > 0.25) & (distance < 0.5)
    spared = np.zeros(voxels, bool)
    spared[np.argsort(distance)[:limited]] = True
    return Anatomy(a[tumour], a[spared], a[~tumour & ~spared])


def conic(parts: Anatomy) -> tuple[Any, Any]:
    """The plan as a CVXPY problem, and its variable."""
    import cvxpy as cp

    x = cp.Variable(parts.tumour.shape[1], nonneg=True)
    loss = cp.sum_squares(parts.tumour @ x - TARGET) / parts.tumour.shape[0]
    over = cp.sum_squares(cp.pos(parts.rest @ x - TOLERATED)) / parts.rest.shape[0]
    return cp.Problem(cp.Minimize(loss + 0.5 * over + COST * cp.sum(x)), [parts.spared @ x <= MOST]), x


def plan(seed: int, n: int, voxels: int, limited: int) -> Instance:
    """The plan in the words of each solver."""
    parts = anatomy(seed, n, voxels, limited)
    heavy, light = 1.0 / parts.tumour.shape[0], 0.5 / parts.rest.shape[0]

    def model() -> Any:
        import ufcm

        loss = 2.0 * ufcm.least_squares(parts.tumour, np.full(parts.tumour.shape[0], TARGET))
        over = light * ufcm.squared_hinge(ufcm.affine(parts.rest), 1.0, np.full(parts.rest.shape[0], TOLERATED))
        spared = ufcm.affine(parts.spared, np.full(parts.spared.shape[0], MOST)) <= 0.0
        cost = ufcm.linear(np.full(n, COST))
        return ufcm.Problem(minimize=loss + cost + over, subject_to=[spared], domain=ufcm.nonnegative())

    ones = sp.csr_array(np.full((1, n), COST))
    square = (lambda r: r * r, lambda r: 2.0 * r, lambda r: np.full_like(r, 2.0))
    plain = (lambda r: r, np.ones_like, np.zeros_like)
    losses = Losses(
        [(parts.tumour, TARGET, square), (parts.rest, 0.0, excess(TOLERATED)), (ones, 0.0, plain)], weights=[heavy, light, 1.0]
    )
    limit = (parts.spared, np.full(parts.spared.shape[0], MOST))
    program = Program(Summed(losses), lower=0.0, linear=limit)

    def one_pass(x: Vector) -> None:
        losses.values(x)
        losses.jacobian(x)
        parts.spared.T @ np.maximum(parts.spared @ x - MOST, 0.0)

    return Instance(model, n, program, conic=lambda: conic(parts), one_pass=one_pass)


INSTANCES: Family = {
    "dose planning 5k x 500": lambda seed: plan(seed, 500, 5_000, 186),
    "dose planning 20k x 2000": lambda seed: plan(seed, 2000, 20_000, 744),
}
