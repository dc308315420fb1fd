"""liblinear through scikit-learn."""

import warnings

import numpy as np
from benchopt import BaseSolver
from sklearn.linear_model import LogisticRegression


class Solver(BaseSolver):
    name = "liblinear"
    sampling_strategy = "iteration"

    def set_objective(self, X, y, lmbd):
        self.X, self.y, self.lmbd = X, y, lmbd

    def run(self, iterations):
        if iterations == 0:
            self.beta = np.zeros(self.X.shape[1])
            return
        solver = LogisticRegression(
            l1_ratio=1.0, C=1 / self.lmbd, solver="liblinear", fit_intercept=False, tol=1e-12, max_iter=iterations
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.beta = solver.fit(self.X, self.y).coef_.ravel()

    def get_result(self):
        return {"beta": self.beta}
