"""Sparse logistic data from a seed."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "simulated"
    parameters = {"rows, n": [(2000, 500)], "seed": [0]}

    def get_data(self):
        draw = np.random.default_rng(self.seed)
        X = draw.standard_normal((self.rows, self.n))
        w = np.where(draw.random(self.n) < 0.05, draw.standard_normal(self.n), 0.0)
        y = np.where(draw.random(self.rows) < 1 / (1 + np.exp(-X @ w)), 1.0, -1.0)
        return {"X": X, "y": y}
