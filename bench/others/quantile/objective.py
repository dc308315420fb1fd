"""Quantile regression with an l1 norm for benchopt: the mean pinball loss."""

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    name = "Quantile regression"
    parameters = {"quantile": [0.5, 0.8], "reg": [0.01]}
    min_benchopt_version = "1.6"

    def set_data(self, X, y):
        self.X, self.y = X, y

    def get_objective(self):
        return {"X": self.X, "y": self.y, "quantile": self.quantile, "lmbd": self.reg}

    def evaluate_result(self, beta):
        r = self.y - self.X @ beta
        loss = np.maximum(self.quantile * r, (self.quantile - 1) * r).mean()
        return {"value": loss + self.reg * np.abs(beta).sum()}

    def get_one_result(self):
        return {"beta": np.zeros(self.X.shape[1])}
