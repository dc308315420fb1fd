"""Problems from whatever comes: errors are of the kinds that are documented, and what is claimed holds."""

import random

import numpy as np
import pytest
import scipy.sparse as sp

import ufcm

NUMBERS = [0, 1, -1, 0.5, 2, 3, 1e-300, 1e300, 1e-9, np.nan, np.inf, -np.inf, None, "x", [1], np.float32(2), True]
N = 3


class Maker:
    """Sound and unsound arguments, components, regularizers and problems."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.rng = np.random.default_rng(seed)

    def often(self, share):
        return self.random.random() < share

    def array(self):
        shape = tuple(self.random.choice([0, 1, 2, N, N, N, 5]) for _ in range(self.random.choice([0, 1, 1, 2, 2, 2, 3])))
        a = self.rng.normal(size=shape)
        if self.often(0.1) and a.size:
            a.flat[self.rng.integers(a.size)] = self.random.choice([np.nan, np.inf, 1e300, 0.0])
        kinds = [np.float32, int, complex, object] if np.all(np.abs(np.nan_to_num(a)) < 1e9) else [object]
        kind = self.random.choice(["plain"] * 5 + ["fortran", "list", "sparse", "sparse"] + kinds)
        if kind == "fortran":
            return np.asfortranarray(a)
        if kind == "list":
            return a.tolist()
        if kind == "sparse":
            layout = self.random.choice([sp.csr_array, sp.csc_matrix, sp.coo_array])
            return layout(a) if a.ndim == 2 else a
        return a if kind == "plain" else np.nan_to_num(a).astype(kind)

    def anything(self):
        return self.array() if self.often(0.6) else self.random.choice(NUMBERS)

    def component(self):
        A, y = self.rng.normal(size=(4, N)), np.sign(self.rng.normal(size=4))
        A = self.random.choice([A, sp.csr_array(A)])
        sound = {
            ufcm.logistic: (A, y),
            ufcm.least_squares: (A, y),
            ufcm.poisson: (A, np.abs(y)),
            ufcm.quadratic: (np.abs(self.rng.normal(size=N)),),
            ufcm.linear: (self.rng.normal(size=N),),
            ufcm.log_sum_exp: (A, y),
            ufcm.huber: (A, y, 0.5),
            ufcm.power: (A, y, self.random.choice([1, 1.5, 2, 3])),
            ufcm.squared_hinge_loss: (A, y),
            ufcm.exponential_sum: (A, y),
        }
        make, arguments = self.random.choice(list(sound.items()))
        return make(*arguments) if self.often(0.8) else make(*[self.anything() for _ in arguments])

    def regularizer(self):
        sound = {
            ufcm.l1: (0.1,),
            ufcm.ridge: (0.2,),
            ufcm.elastic_net: (0.1, 0.1),
            ufcm.box: (-1, 1),
            ufcm.ball: (2.0,),
            ufcm.simplex: (1.0,),
            ufcm.nonnegative: (),
            ufcm.l2: (0.1,),
            ufcm.linf: (0.1,),
            ufcm.group_l2: ([[0, 1]], 0.1),
            ufcm.total_variation: (0.1,),
            ufcm.halfspace: ([1, 1, 1], 1.0),
            ufcm.l1_ball: (1.0,),
            ufcm.second_order_cone: (),
            ufcm.affine_set: ([[1, 1, 1]], [1.0]),
        }
        make, arguments = self.random.choice(list(sound.items()))
        return make(*arguments) if self.often(0.8) else make(*[self.anything() for _ in arguments])

    def problem(self):
        parts = [self.component() for _ in range(self.random.choice([1, 2, 3]))]
        objective = parts[0]
        if self.often(0.3):
            join = [ufcm.maximum, lambda c: ufcm.smooth_maximum(c, 0.1), lambda c: ufcm.squared_hinge(c, 0.1)]
            objective = self.random.choice(join)(parts)
        constraints = [part <= self.random.choice([1.0, 2.0, 2.0, self.random.choice(NUMBERS)]) for part in parts[1:]]
        if self.often(0.4):
            block = ufcm.affine(self.rng.normal(size=(2, N)), self.rng.normal(size=2))
            constraints.append(self.random.choice([block <= 0, block == 0, block.between(-1, 2)]))
        return ufcm.Problem(
            minimize=objective,
            subject_to=constraints,
            regularizer=self.regularizer() if self.often(0.5) else None,
            domain=self.regularizer() if self.often(0.6) else None,
        )

    def settings(self):
        if self.often(0.8):
            return {}
        names = ["eps_rel", "x0", "radius", "threads", "max_gradients", "method"]
        return {self.random.choice(names): self.anything()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
def test_whatever_comes(seed):
    maker, solved = Maker(seed), 0
    for _ in range(150):
        try:
            problem = maker.problem()
            result = problem.solve(**{"max_gradients": 300, **maker.settings()})
        except (ValueError, TypeError, ufcm.OracleError) as error:
            assert "internal" not in str(error)
            continue
        solved += result.success
        slack = 2e-6 * max(1.0, abs(result.lower_bound))
        assert result.lower_bound == -np.inf or result.lower_bound <= result.upper_bound + slack, result
        if result.certificate is not None:
            result.certificate.verify(problem)
    assert solved > 20
