"""l1-regularised logistic regression for benchopt, in the scaling of benchopt's own benchmark: a sum over the rows."""

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    name = "L1 logistic regression"
    parameters = {"reg": [0.05]}
    min_benchopt_version = "1.6"

    def set_data(self, X, y):
        self.X, self.y = X, y
        self.lmbd = self.reg * np.abs(X.T @ y).max() / 2

    def get_objective(self):
        return {"X": self.X, "y": self.y, "lmbd": self.lmbd}

    def evaluate_result(self, beta):
        losses = np.logaddexp(0.0, -self.y * (self.X @ beta))
        return {"value": losses.sum() + self.lmbd * np.abs(beta).sum()}

    def get_one_result(self):
        return {"beta": np.zeros(self.X.shape[1])}
