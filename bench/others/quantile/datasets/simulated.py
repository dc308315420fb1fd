"""A linear model with heavy tails, from a seed."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "simulated"
    parameters = {"rows, n": [(2000, 50)], "seed": [0]}

    def get_data(self):
        draw = np.random.default_rng(self.seed)
        X = draw.standard_normal((self.rows, self.n))
        return {"X": X, "y": X @ draw.standard_normal(self.n) + draw.standard_t(3, self.rows)}
