"""Data that several families share: drawn from a seed, or read from a folder of public data sets."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from suite.rows import Vector

FOLDER = Path(os.environ.get("UFCM_DATA", "/work/shared/data"))
Labels = NDArray[np.bool_]


def file(name: str) -> Path:
    """A data set by its name below UFCM_DATA; instances without their file are left out, and said so."""
    path = FOLDER / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is not here; UFCM_DATA names the folder of data sets")
    return path


def synthetic(seed: int, rows: int, n: int) -> tuple[Vector, Labels, Vector]:
    """Correlated features with a decaying spectrum, a constant column, labels from a logistic model; and its weights."""
    draw = np.random.default_rng(seed)
    k = n - 1
    a = (draw.standard_normal((rows, k)) * np.logspace(0, -1, k)) @ (draw.standard_normal((k, k)) / np.sqrt(k))
    a = np.c_[a / a.std(0), np.ones(rows)]
    w = 2 * draw.standard_normal(n) / np.sqrt(n)
    w[-1] = -0.8
    return a, draw.random(rows) < 1 / (1 + np.exp(-a @ w)), w


def sparse(seed: int, rows: int, n: int, entries: int = 50, signal: int = 200) -> tuple[Any, Labels, Vector]:
    """About `entries` nonzeros a row, some columns used much more often than others, and a constant column, the last; labels from a
    sparse logistic model."""
    draw = np.random.default_rng(seed)
    columns = ((n - 1) * draw.random((rows, entries)) ** 3).astype(np.int64)
    columns[:, -1] = n - 1
    values = draw.standard_normal((rows, entries)) / np.sqrt(entries) * 3
    values[:, -1] = 1.0
    a = sp.csr_array((values.ravel(), (np.repeat(np.arange(rows), entries), columns.ravel())), shape=(rows, n))
    a.sum_duplicates()
    w = np.zeros(n)
    used = draw.choice(min(n - 1, 20 * signal), min(signal, n - 1), replace=False)
    w[used] = 2 * draw.standard_normal(len(used))
    w[-1] = -0.8
    return a, draw.random(rows) < 1 / (1 + np.exp(-(a @ w))), w


def a9a() -> tuple[Any, Labels]:
    """LIBSVM's a9a with a constant column, sparse."""
    from sklearn.datasets import load_svmlight_file

    a, y = load_svmlight_file(str(file("classification/a9a.svm")))
    return sp.csr_array(sp.hstack([sp.csr_array(a), np.ones((a.shape[0], 1))])), y > 0


def adult() -> tuple[Vector, Labels, Labels, NDArray[np.int64]]:
    """UCI Adult: standardised numbers and indicators with a constant column; income, sex, and the group by race and sex."""
    with open(file("classification/adult.csv"), newline="") as stream:
        table = [[cell.strip() for cell in row] for row in csv.reader(stream) if len(row) == 15]
    fields = list(zip(*table))
    numbers = [np.array(fields[k], dtype=float) for k in (0, 4, 10, 11, 12)]
    blocks = [np.stack([(v - v.mean()) / v.std() for v in numbers], axis=1)]
    for k in (1, 3, 5, 6, 7, 8, 9, 13):
        kinds, index = np.unique(np.array(fields[k]), return_inverse=True)
        blocks.append(np.eye(len(kinds))[index][:, 1:])
    x = np.c_[np.hstack(blocks), np.ones(len(table))]
    income = np.array([cell.startswith(">50K") for cell in fields[14]])
    male = np.array(fields[9]) == "Male"
    _, race = np.unique(np.array(fields[8]), return_inverse=True)
    return x, income, male, 2 * race + male
