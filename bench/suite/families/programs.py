"""Linear and quadratic programs: subsets of Netlib and of Maros and Mészáros, read from UFCM_DATA."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from suite.families import data
from suite.instance import Family, Instance
from suite.rows import Vector

INF = np.inf
NETLIB = ("adlittle", "agg2", "bandm", "bnl1", "capri", "d6cube", "e226", "fit1d", "israel", "pilot", "scfxm2", "ship08l", "stocfor2", "woodw")
QUADRATIC = (
    "AUG2DCQP", "AUG3D", "CONT-050", "CVXQP2_M", "CVXQP3_S", "DTOC3", "DUAL2", "GOULDQP2", "HUESTIS", "LISWET5", "MOSARQP1",
    "PRIMAL4", "QSCFXM3", "QSHIP08S", "STADAT2", "STCQP1",
)  # fmt: skip


@dataclass
class Data:
    """minimise x'Px/2 + q.x + constant, row_lower <= A x <= row_upper, lower <= x <= upper. The answer is the first
    `wanted` variables."""

    p: Any
    q: Vector
    constant: float
    a: Any
    row_lower: Vector
    row_upper: Vector
    lower: Vector
    upper: Vector
    wanted: int

    def told(self, x: Vector) -> tuple[float, float]:
        """The objective and the largest violation."""
        objective = float(self.q @ x) + self.constant + (0.0 if self.p is None else 0.5 * float(x @ (self.p @ x)))
        z = self.a @ x
        sides = (self.row_lower - z, z - self.row_upper, self.lower - x, x - self.upper)
        return objective, max([0.0, *(float(side.max()) for side in sides if side.size)])

    def model(self) -> Any:
        """As a user of ufcm would write it: rows with equal sides are equations."""
        import ufcm

        a = sp.csr_array(self.a)
        equal = self.row_lower == self.row_upper
        bounded = ~equal & (np.isfinite(self.row_lower) | np.isfinite(self.row_upper))
        rows = []
        if equal.any():
            rows.append(ufcm.affine(a[equal], self.row_lower[equal]) == 0.0)
        if bounded.any():
            rows.append(ufcm.affine(a[bounded]).between(self.row_lower[bounded], self.row_upper[bounded]))
        objective = ufcm.linear(self.q, self.constant)
        if self.p is not None:
            objective = ufcm.quadratic(sp.csr_array(self.p), self.q, self.constant)
        return ufcm.Problem(minimize=objective, subject_to=rows, domain=ufcm.box(self.lower, self.upper), n=len(self.q))

    def instance(self, source: str) -> Instance:
        """The instance of this program."""
        known = [side[np.isfinite(side)] for side in (self.row_lower, self.row_upper, self.lower, self.upper)]
        scale = max([1.0, *(float(np.abs(side).max()) for side in known if side.size)])

        def one_pass(x: Vector) -> None:
            self.a.T @ (self.a @ x)

        return Instance(
            self.model, len(self.q), told=self.told, linear_program=self, data=source, one_pass=one_pass, violation_scale=scale
        )


def netlib(name: str, seed: int) -> Instance:
    """A linear program, read by HiGHS."""
    import highspy

    reader = highspy.Highs()
    reader.setOptionValue("output_flag", False)
    reader.readModel(str(data.file(f"netlib/{name}.mps.gz")))
    lp = reader.getLp()
    matrix = lp.a_matrix_
    shape = (lp.num_row_, lp.num_col_)
    entries = (np.array(matrix.value_), np.array(matrix.index_), np.array(matrix.start_))
    a = sp.csc_array(entries, shape=shape) if matrix.format_ == highspy.MatrixFormat.kColwise else sp.csr_array(entries, shape=shape)
    low, high, lower, upper = (np.array(s, dtype=float) for s in (lp.row_lower_, lp.row_upper_, lp.col_lower_, lp.col_upper_))
    program = Data(None, np.array(lp.col_cost_), lp.offset_, sp.csc_array(a), low, high, lower, upper, wanted=lp.num_col_)
    return program.instance("Netlib, from UFCM_DATA")


def maros_meszaros(name: str, seed: int) -> Instance:
    """A quadratic program; rows of the identity are bounds of variables."""
    with np.load(data.file(f"maros-meszaros/{name}.npz")) as file:
        n, m = int(file["n"]), int(file["m"])
        p = sp.csc_array((file["P_data"], file["P_indices"], file["P_indptr"]), shape=(n, n))
        a = sp.csr_array(sp.csc_array((file["A_data"], file["A_indices"], file["A_indptr"]), shape=(m, n)))
        q, constant = file["q"], float(file["r"])
        low = np.where(file["l"] < -1e19, -INF, file["l"])
        high = np.where(file["u"] > 1e19, INF, file["u"])
    single = (np.diff(a.indptr) == 1) & (np.add.reduceat(np.append(a.data, 0.0), np.minimum(a.indptr[:-1], len(a.data))) == 1.0)
    lower, upper = np.full(n, -INF), np.full(n, INF)
    for row in np.flatnonzero(single):
        column = a.indices[a.indptr[row]]
        lower[column], upper[column] = max(lower[column], low[row]), min(upper[column], high[row])
    full = p + p.T - sp.diags_array(p.diagonal()) if sp.tril(p, -1).nnz == 0 else p
    program = Data(
        sp.csc_array(full), q, constant, sp.csc_array(a[~single]), low[~single], high[~single], lower, upper, wanted=n
    )
    return program.instance("Maros and Meszaros, from UFCM_DATA")


INSTANCES: Family = {
    **{f"LP {name}": partial(netlib, name) for name in NETLIB},
    **{f"QP {name}": partial(maros_meszaros, name) for name in QUADRATIC},
}
