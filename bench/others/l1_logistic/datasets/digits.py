"""Handwritten digits, from scikit-learn's package: even against odd."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "digits"

    def get_data(self):
        from sklearn.datasets import load_digits

        X, digit = load_digits(return_X_y=True)
        X = X[:, X.std(axis=0) > 0]
        return {"X": (X - X.mean(axis=0)) / X.std(axis=0), "y": np.where(digit % 2 == 0, 1.0, -1.0)}
