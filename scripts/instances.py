#!/usr/bin/env python3
"""Writes the seeded instances of the figures command as .npz files: instances.py [folder [names...]].

The instances are defined by NumPy's PCG64 stream: the draws, their order and the arithmetic after them are the definition,
and the figures hold for these bits. Hence the pinned version below; scripts/figures installs it.

    qcqp   min x'Q_0 x/2 + c_0'x   subject to  x'Q_j x/2 + c_j'x <= b_j,  |x_i| <= 10
    np     min mean log(1 + exp(-a'x)), a in class 1   subject to  mean log(1 + exp(a'x)) <= 0.4, a in class 0,  |x| <= 10
    max    min max_j g_j(x),  |x_i| <= 10; even j: sum_i e_ji (x_i - o_ji)^2 / 2, odd j: sum_k |A_j (x - o_j)|_k / 2 + b_j
"""

import sys
from pathlib import Path

import numpy as np

NUMPY = "2.4.6"
INSTANCES = Path(__file__).resolve().parent.parent / "target" / "instances"
ABSOLUTE_VALUES = 5  # in each piece of a max that is not smooth


def qcqp(n, constraints, seed=0):
    """Quadratics with spectra from 1 to 1e-2 (objective) or 1e-1; every third constraint has rank n/10."""
    random = np.random.default_rng(seed)
    forms, slopes, bounds = [], [], []
    for row in range(constraints + 1):
        objective = row == 0
        rank = n if objective or row % 3 else max(1, n // 10)
        factor = random.standard_normal((rank, n)) / np.sqrt(n)
        spectrum = np.logspace(0, -2 if objective else -1, rank)
        forms.append((factor.T * spectrum) @ factor)
        slopes.append(random.standard_normal(n) / np.sqrt(n) * (5 if objective else 1))
        bounds.append(0.0 if objective else 1.0 + random.random())
    return {"Q": np.array(forms), "c": np.array(slopes), "b": np.array(bounds)}


def neyman_pearson(samples, features, smallest_scale, seed=0):
    """Logistic data with a constant feature; the scales of the columns fall from 1 to 10^smallest_scale."""
    random = np.random.default_rng(seed)
    truth = random.standard_normal(features) / np.sqrt(features) * 3
    data = random.standard_normal((samples, features)) * np.logspace(0, smallest_scale, features)
    data[:, 0] = 1
    positive = random.random(samples) < 1 / (1 + np.exp(-(data @ truth)))
    return {"class1": data[positive], "class0": data[~positive], "tau": np.array([0.4]), "radius": np.array([10.0])}


def max_of_mixed(n, pieces, seed=0):
    """Ill-conditioned quadratics and half sums of absolute values in turn."""
    random = np.random.default_rng(seed)
    origins = [random.standard_normal(n) for _ in range(pieces)]
    kinks = [random.standard_normal((ABSOLUTE_VALUES, n)) / np.sqrt(n) for _ in range(pieces)]
    curvatures = [np.logspace(0, -2, n)[random.permutation(n)] for _ in range(pieces)]
    constants = random.random(pieces)
    arrays = {"origin": origins, "kinks": kinks, "curvature": curvatures, "constant": constants}
    return {name: np.array(values) for name, values in arrays.items()}


# Name -> (arrays, the optimum from an interior-point solver at 1e-10; the figures command finds it where it is missing).
SUITE = {
    "qcqp-60-6": (lambda: qcqp(60, 6), -21.27097174605169),
    "qcqp-300-20": (lambda: qcqp(300, 20), -13.610265481443086),
    "np-2000-30": (lambda: neyman_pearson(2000, 30, -1), 0.8781071852610405),
    "np-5000-50-scaled": (lambda: neyman_pearson(5000, 50, -2), 0.9708093183280062),
    "max-50-6": (lambda: max_of_mixed(50, 6), 2.7022723033777902),
    "max-200-20": (lambda: max_of_mixed(200, 20, seed=3), None),
}


def check_numpy():
    if np.__version__ != NUMPY:
        sys.exit(f"the instances need numpy {NUMPY}, not {np.__version__}: scripts/figures installs it")


def save(folder, name, arrays):
    """A file is there completely or not at all, so that one that exists can be reused."""
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{name}.draft.npz"
    np.savez(draft, **{key: np.ascontiguousarray(array) for key, array in arrays.items()})
    draft.rename(folder / f"{name}.npz")


def main():
    check_numpy()
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else INSTANCES
    for name in sys.argv[2:] or SUITE:
        arrays, optimum = SUITE[name]
        known = {} if optimum is None else {"optimum": np.array([optimum])}
        save(folder, name, arrays() | known)


if __name__ == "__main__":
    main()
