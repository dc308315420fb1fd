"""Writes target.mtx, cord.mtx and rest.mtx: the dose that one unit of each beamlet leaves in each voxel.

    python generate.py

A round slice of 20 cm with a horseshoe of tumour around the spinal cord, seven directions of 12 beamlets each.
Nothing is random, and nothing but Python's own library is needed.
"""

import math
from pathlib import Path

DIRECTIONS = 7
BEAMLETS = 12  # of each direction
WIDTH = 0.8  # cm, of a beamlet
SPREAD = 0.45  # cm, standard deviation of its profile
ATTENUATION = 0.045  # per cm of tissue
RADIUS = 10.0  # cm, of the body
GRID = 0.6  # cm, between voxels
LEAST = 2e-3  # smaller contributions are left out


def tissue(x, y):
    """What there is at a place."""
    distance = math.hypot(x, y)
    if distance <= 1.3:
        return "cord"
    if 2.0 <= distance <= 4.2 and y > -1.0:
        return "target"
    return "rest" if distance <= RADIUS else None


def contribution(x, y, direction, beamlet):
    """The dose at a place of one unit of a beamlet."""
    angle = 2 * math.pi * direction / DIRECTIONS
    along = x * math.cos(angle) + y * math.sin(angle)
    across = -x * math.sin(angle) + y * math.cos(angle)
    off = across - WIDTH * (beamlet - (BEAMLETS - 1) / 2)
    depth = along + math.sqrt(RADIUS**2 - across**2)  # from where it enters the body
    return math.exp(-ATTENUATION * depth - (off / SPREAD) ** 2 / 2)


def main():
    voxels = {"target": [], "cord": [], "rest": []}
    steps = int(RADIUS / GRID)
    for i in range(-steps, steps + 1):
        for j in range(-steps, steps + 1):
            # Healthy tissue is looked at on a grid twice as coarse.
            kind = tissue(i * GRID, j * GRID)
            if kind and (kind != "rest" or i % 2 == j % 2 == 0):
                voxels[kind].append((i * GRID, j * GRID))
    for kind, places in voxels.items():
        entries = []
        for row, (x, y) in enumerate(places, start=1):
            for column in range(DIRECTIONS * BEAMLETS):
                dose = contribution(x, y, *divmod(column, BEAMLETS))
                if dose >= LEAST:
                    entries.append(f"{row} {column + 1} {dose:.4f}\n")
        head = f"%%MatrixMarket matrix coordinate real general\n{len(places)} {DIRECTIONS * BEAMLETS} {len(entries)}\n"
        (Path(__file__).parent / f"{kind}.mtx").write_text(head + "".join(entries))


main()
