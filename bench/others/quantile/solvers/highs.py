"""HiGHS through scikit-learn."""

from benchopt import BaseSolver
from sklearn.linear_model import QuantileRegressor


class Solver(BaseSolver):
    name = "scikit-learn highs"
    sampling_strategy = "run_once"

    def set_objective(self, X, y, quantile, lmbd):
        self.X, self.y = X, y
        self.solver = QuantileRegressor(quantile=quantile, alpha=lmbd, fit_intercept=False, solver="highs")

    def run(self, _):
        self.beta = self.solver.fit(self.X, self.y).coef_

    def get_result(self):
        return {"beta": self.beta}
