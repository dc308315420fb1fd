"""Fairness of linear scores: the rows that bound them, and the rates that are measured."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np

from ufcm._data import Vector
from ufcm._samples import Samples

# A float column with so few values, all whole, is likely to be one of categories; and one of more whole numbers one of numbers.
FEW = 10


def kind_of(values: Any, asked: str) -> str:
    """Whether a sensitive attribute is "categories" or "numbers"; where its type does not tell, a warning says what is taken."""
    values = np.asarray(values)
    if asked == "numbers":
        if values.dtype.kind not in "fiub":
            raise ValueError(f"sensitive_type is 'numbers', and sensitive_features are of type {values.dtype}")
        return asked
    if asked == "categories" or values.dtype.kind not in "fiu":
        return "categories"
    found = "numbers" if values.dtype.kind == "f" else "categories"
    few = len(np.unique(values)) <= FEW
    if (found == "categories") != few and (not few or np.all(values == np.round(values))):
        what = f"{'few' if few else 'many'} different {'floats' if found == 'numbers' else 'whole numbers'}"
        warnings.warn(
            f"sensitive_features have {what} and are taken for {found}; say sensitive_type='categories' or 'numbers'",
            UserWarning,
            stacklevel=5,
        )
    return found


def covariance_rows(samples: Samples, columns: list[Vector]) -> Vector:
    """Rows r with r.x the covariance of a score with each column, in units of the column's spread."""
    shares = samples.shares(np.ones(len(samples), bool))
    rows = []
    for column in columns:
        centred = column - shares @ column
        spread = float(np.sqrt(shares @ centred**2))
        rows.append((shares * centred) @ samples.data / (spread if spread > 0 else 1.0))
    return np.asarray(rows)


def gap_rows(samples: Samples, codes: Any, groups: int, mask: Any) -> tuple[Vector, list[tuple[int, int]]]:
    """Rows r with r.x the mean score of one group minus that of another, over the rows of `mask`, for each pair of groups.

    Groups without such rows are left out.
    """
    present = [g for g in range(groups) if np.any(mask & (codes == g))]
    means = {g: np.asarray(samples.shares(mask & (codes == g)) @ samples.data) for g in present}
    pairs = list(combinations(present, 2))
    return np.asarray([means[b] - means[a] for a, b in pairs]).reshape(len(pairs), samples.data.shape[1]), pairs


def for_class(rows: Vector, k: int, classes: int) -> Vector:
    """Rows of one score as rows of the scores of all classes: that of class `k` minus the mean of all."""
    factors = np.full(classes, -1.0 / classes)
    factors[k] += 1.0
    return np.kron(factors, rows)


def selection_rates(predicted: Any, groups: Any, weights: Any = None) -> dict[Any, float]:
    """The share of each group's rows that `predicted` (true or false) selects."""
    own = np.ones(len(predicted)) if weights is None else np.asarray(weights, np.float64)
    names, codes = np.unique(groups, return_inverse=True)
    totals, chosen = np.bincount(codes, own, len(names)), np.bincount(codes, own * predicted, len(names))
    return {name: float(c / t) for name, c, t in zip(names.tolist(), chosen, totals) if t > 0.0}


def spread_of(rates: dict[Any, float]) -> float:
    """The largest rate minus the smallest."""
    return max(rates.values()) - min(rates.values()) if rates else 0.0


def differences(predicted: Any, truth: Any, groups: Any, classes: Any, weights: Any = None) -> tuple[float, float]:
    """The measured differences between groups: of the rates at which a class is predicted, and of those among its own rows.

    Of two classes the second counts, of more that with the largest difference.
    """
    predicted, truth, groups = np.asarray(predicted), np.asarray(truth), np.asarray(groups)
    parity, opportunity = [0.0], [0.0]
    for name in classes[1:] if len(classes) == 2 else classes:
        own = truth == name
        parity.append(spread_of(selection_rates(predicted == name, groups, weights)))
        within = None if weights is None else np.asarray(weights)[own]
        opportunity.append(spread_of(selection_rates(predicted[own] == name, groups[own], within)))
    return max(parity), max(opportunity)


__all__ = [
    "covariance_rows",
    "differences",
    "for_class",
    "gap_rows",
    "kind_of",
    "selection_rates",
    "spread_of",
]
