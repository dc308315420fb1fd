"""The progress of diabetes, from scikit-learn's package."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "diabetes"

    def get_data(self):
        from sklearn.datasets import load_diabetes

        X, y = load_diabetes(return_X_y=True)
        return {"X": np.c_[X / X.std(axis=0), np.ones(len(X))], "y": (y - y.mean()) / y.std()}
