"""ufcm for benchopt: until its own proof of a gap."""

import numpy as np
import ufcm
from benchopt import BaseSolver


class Solver(BaseSolver):
    name = "ufcm"
    sampling_strategy = "tolerance"

    def set_objective(self, X, y, quantile, lmbd):
        loss = (1 / len(y)) * ufcm.quantile(ufcm.affine(X, y), quantile)
        self.problem = ufcm.Problem(minimize=loss, regularizer=ufcm.l1(lmbd))
        self.beta = np.zeros(X.shape[1])

    def run(self, tolerance):
        if tolerance < 1.0:
            self.beta = self.problem.solve(eps_rel=max(tolerance, 1e-10), eps_abs=0.0, threads=1).x

    def get_result(self):
        return {"beta": self.beta}
