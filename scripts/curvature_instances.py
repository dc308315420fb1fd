#!/usr/bin/env python3
"""Writes the instances of `scripts/figures curvature` as .npz files: curvature_instances.py [folder [names...]].

Like those of instances.py they are defined by NumPy's stream, but for two that need data files: a folder, the variable
UFCM_DATA, with classification/a9a.svm and classification/adult.csv (UCI Adult). Without them, these two are not written.

    np      min mean log(1 + exp(-a'x)), a in class 1   subject to  mean log(1 + exp(a'x)) <= tau, a in class 0,  |x| <= 10
    groups  min max_j mean log(1 + exp(-z'x)), z in group j,  + weight |x|_1
    ls      min |Ax - b|^2 / 2N   subject to  |Cx - d|^2 / 2N <= bound,  |x_i| <= 10
"""

import csv
import os
import sys
from pathlib import Path

import numpy as np

from instances import INSTANCES, check_numpy, save

DATA = Path(os.environ.get("UFCM_DATA", "/work/shared/data")) / "classification"
GROUPS = 10
L1_WEIGHT = 5e-3


def mixed(random, samples, features):
    """Columns that mix others with scales from 1 to 0.1, standardised, and a constant one."""
    columns = features - 1
    data = random.standard_normal((samples, columns)) * np.logspace(0, -1, columns)
    data = data @ random.standard_normal((columns, columns)) / np.sqrt(columns)
    return np.hstack([data / data.std(0), np.ones((samples, 1))])


def conditioned(random, samples, features, exponent):
    """Singular values from 1 to 10^-exponent (in units of sqrt(samples)) in random directions, and a constant column."""
    columns = features - 1
    left = np.linalg.qr(random.standard_normal((samples, columns)))[0]
    right = np.linalg.qr(random.standard_normal((columns, columns)))[0]
    data = np.sqrt(samples) * (left * np.logspace(0, -exponent, columns)) @ right
    return np.hstack([data, np.ones((samples, 1))])


def flip(random, margins):
    """True with the probability that logistic regression gives to the margin."""
    return random.random(len(margins)) < 1 / (1 + np.exp(-margins))


def classes(data, positive, tau):
    return {"class1": data[positive], "class0": data[~positive], "tau": np.array([tau]), "radius": np.array([10.0])}


def neyman_pearson(features_of, samples, features, seed):
    random = np.random.default_rng(seed)
    data = features_of(random, samples, features)
    truth = 2 * random.standard_normal(features) / np.sqrt(features)
    return classes(data, flip(random, data @ truth), 0.4)


def grouped(data, signs, group):
    """Rows times labels, sorted by group."""
    order = np.argsort(group, kind="stable")
    count = np.bincount(group)
    return {"rows": (data * signs[:, None])[order], "count": count.astype(float), "weight": np.array([L1_WEIGHT])}


def group_robust(features_of, samples, features, seed):
    """Group j holds a share of j of the samples; each has its own truth near a common one."""
    random = np.random.default_rng(seed)
    data = features_of(random, samples, features)
    share = np.arange(1, GROUPS + 1) / np.arange(1, GROUPS + 1).sum()
    group = np.sort(random.choice(GROUPS, samples, p=share))
    common = 2 * random.standard_normal(features) / np.sqrt(features)
    truth = common + random.standard_normal((GROUPS, features)) / np.sqrt(features)
    positive = flip(random, np.einsum("ij,ij->i", data, truth[group]))
    return grouped(data, np.where(positive, 1.0, -1.0), group)


def least_squares(features_of, samples, features, seed):
    """Two regressions with truths of their own; half-way between them the bound holds with room."""
    random = np.random.default_rng(seed)
    first, second = (features_of(random, samples, features) for _ in range(2))
    truths = random.standard_normal((2, features))
    targets = [data @ truth + 0.1 * random.standard_normal(samples) for data, truth in zip((first, second), truths)]
    bound = 0.55 * np.mean((second @ truths.mean(0) - targets[1]) ** 2)
    return {"A": first, "b": targets[0], "C": second, "d": targets[1], "bound": np.array([bound])}


def a9a():
    """The 123 binary features, without those that are always 0, and a constant one; the richer class is class 1."""
    lines = [line.split() for line in (DATA / "a9a.svm").read_text().splitlines() if line.strip()]
    data = np.zeros((len(lines), 124))
    data[:, -1] = 1
    for row, line in enumerate(lines):
        for entry in line[1:]:
            index, value = entry.split(":")
            data[row, int(index) - 1] = float(value)
    positive = np.array([float(line[0]) > 0 for line in lines])
    return classes(data[:, data.any(0)], positive, 0.3)


def adult():
    """Six columns standardised, eight one-hot with all their levels, and a constant; groups by sex and race."""
    numbers, race, sex, income = (0, 2, 4, 10, 11, 12), 8, 9, 14
    with (DATA / "adult.csv").open() as file:
        table = np.array([[cell.strip() for cell in row] for row in csv.reader(file) if row])
    columns = []
    for k in range(income):
        if k in numbers:
            column = table[:, k].astype(float)
            columns.append((column - column.mean()) / column.std())
        else:
            columns.extend((table[:, k] == level).astype(float) for level in np.unique(table[:, k]))
    data = np.column_stack([*columns, np.ones(len(table))])
    group = np.unique(table[:, [sex, race]], axis=0, return_inverse=True)[1].ravel()
    return grouped(data, np.where(table[:, income] == ">50K", 1.0, -1.0), group)


def sweep(exponent):
    return lambda random, samples, features: conditioned(random, samples, features, exponent)


# The seeds of the first two are the first whose condition number exceeds 1e3.
SUITE = {
    "np-5000-50-mixed": lambda: neyman_pearson(mixed, 5000, 50, seed=2),
    "np-50000-100-mixed": lambda: neyman_pearson(mixed, 50000, 100, seed=1),
    "groups-5000-50": lambda: group_robust(mixed, 5000, 50, seed=0),
    "groups-50000-100": lambda: group_robust(mixed, 50000, 100, seed=0),
    "np-a9a": a9a,
    "groups-adult": adult,
}
for k in (2, 4, 6, 8):
    SUITE[f"np-1e{k}"] = lambda k=k: neyman_pearson(sweep(k), 1000, 20, seed=0)
    SUITE[f"groups-1e{k}"] = lambda k=k: group_robust(sweep(k), 1000, 20, seed=0)
    SUITE[f"ls-1e{k}"] = lambda k=k: least_squares(sweep(k), 1000, 20, seed=0)
NEEDS = {"np-a9a": "a9a.svm", "groups-adult": "adult.csv"}


def main():
    check_numpy()
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else INSTANCES
    for name in sys.argv[2:] or SUITE:
        if name not in NEEDS or (DATA / NEEDS[name]).is_file():
            save(folder, name, SUITE[name]())


if __name__ == "__main__":
    main()
