"""What the estimators share: a problem stated from samples, a solve that holds its constraints, coefficients in the units of the data.

With a communicator the rows are those of all ranks: sums over samples are sums over ranks as well.
"""

from __future__ import annotations

import time
import warnings
import zlib
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from ufcm._constraint import Constraint
from ufcm._data import Vector
from ufcm._kinds import box, ridge
from ufcm._problem import Problem
from ufcm._proof import Certificate, Verified
from ufcm._result import Result
from ufcm._samples import Samples, digest, moments, tidy
from ufcm._ufcm import Error

# Parameters that change how a problem is solved, and not what it is.
HOW = ("eps_rel", "threads", "time_limit", "verbose", "warm_start")
# What an answer may violate a constraint by where the time was over before it could be moved.
NEARLY = 1e-6


class Stated(NamedTuple):
    """A model as a problem."""

    objective: Any
    constraints: Callable[[float], list[Constraint]]
    """The constraints tightened by a margin."""
    samples: Samples
    bounds: tuple[Any, Any] = (None, None)
    """Of the coefficients of standardised columns."""
    unit: float = 1.0
    shift: float = 0.0
    """A score of s is ``unit s + shift`` in the units of the data."""
    fallback: str | None = None
    """The method that is tried after a NumericalError."""


class Linear(BaseEstimator):  # type: ignore[misc]
    """Linear scores of standardised columns, a ridge, a box around it all, a solve."""

    alpha: float
    radius: float
    fit_intercept: bool
    eps_rel: float
    threads: int | None
    time_limit: float | None
    verbose: bool
    warm_start: bool

    problem_: Problem
    result_: Result
    certificate_: Certificate | None
    digest_: str

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "radius": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "eps_rel": [Interval(Real, 0, None, closed="neither")],
        "threads": [Interval(Integral, 1, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
    }

    # What the ranks exchange numbers by, while a model is fitted.
    _communicator: Any = None
    # How many scores a row has: 1, or that of the classes.
    _scores: int = 1
    # The unit of scores and of bounds on them.
    _unit: float = 1.0
    # What the constraints of each parameter that is a bound are called, or how their names begin.
    _constraint_names: ClassVar[dict[str, str]] = {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self) -> Any:
        """Without the problem: it holds the training data. ``digest_`` tells whether data are those."""
        state = dict(super().__getstate__())
        for name in ("_communicator", "problem_"):
            state.pop(name, None)
        return state

    def __getattr__(self, name: str) -> Any:
        if name == "problem_" and "digest_" in self.__dict__:
            raise AttributeError(
                "problem_ holds the training data and is not pickled; verify(X, y, ...) builds it again and checks the certificate"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    # Ranks

    def _summed(self, *numbers: Any) -> list[Any]:
        """The sums of numbers or vectors over all ranks."""
        if self._communicator is None:
            return list(numbers)
        parts = [np.atleast_1d(np.asarray(part, np.float64)) for part in numbers]
        flat = np.concatenate(parts)
        self._communicator.sum(flat)
        ends = np.cumsum([len(part) for part in parts])[:-1]
        return [whole if np.ndim(part) else float(whole[0]) for whole, part in zip(np.split(flat, ends), numbers)]

    def _agree(self, error: Exception | None) -> None:
        """Raises the error; and on all other ranks that one of them has one, or they would wait for it."""
        failed = self._summed(float(error is not None))[0]
        if error is not None:
            raise error
        if failed:
            raise ValueError(f"the rows of {int(failed)} other rank(s) cannot be read; there the error says why")

    def _check_same(self, what: str, names: Any) -> None:
        """Refuses ranks that have not the same names, on all of them."""
        if self._communicator is not None:
            check = float(zlib.crc32(repr(list(names)).encode()) % (1 << 20))
            total, squares = self._summed(check, check * check)
            if self._communicator.size * squares != total * total:
                raise ValueError(f"the ranks do not have the same {what}; this one has {list(names)}")

    # The problem

    # The problem of data, from what fit takes. It changes this object; :meth:`verify` asks a clone.
    _stated: Callable[..., Stated]
    coef_: Any
    intercept_: Any

    def _standardised(self, samples: Samples) -> None:
        """The columns in units of their spread, about their mean where an intercept takes it up; then one of ones.

        The models are the same, and the problem is well scaled whatever the units of the data. Sparse columns stay where
        they are, or they would be dense; the intercept takes that up.
        """
        X = samples.data
        if sp.issparse(X) and self._communicator is not None:
            raise ValueError("a model over ranks is fitted to dense data; these are sparse")
        self._mean, self._spread = moments(X, samples.weights, self.fit_intercept, self._summed)
        if sp.issparse(X):
            self._mean = np.zeros(X.shape[1])
            X.data /= self._spread[X.indices]
            samples.data = sp.hstack([X, np.ones((X.shape[0], 1))], format="csr") if self.fit_intercept else X
        else:
            columns = (X - self._mean) / self._spread
            samples.data = np.column_stack([columns, np.ones(X.shape[0])]) if self.fit_intercept else columns

    def _built(self, stated: Stated) -> tuple[Problem, Any]:
        """The problem, and its domain."""
        n, width = stated.objective.n, stated.samples.data.shape[1]
        weights = np.full(n, float(self.alpha))
        lower, upper = np.full(n, -float(self.radius)), np.full(n, float(self.radius))
        for side, bound, choose in ((lower, stated.bounds[0], np.maximum), (upper, stated.bounds[1], np.minimum)):
            if bound is not None:
                side[: len(bound)] = choose(side[: len(bound)], bound)
        if self.fit_intercept:
            weights[width - 1 :: width] = 0.0
        domain = box(lower, upper)
        regularizer = ridge(weights) if self.alpha > 0 else None
        over = {"communicator": self._communicator}
        return Problem(stated.objective, stated.constraints(0.0), regularizer=regularizer, domain=domain, **over), domain

    def _digest(self, stated: Stated) -> str:
        """What tells whether data and parameters are those of the problem that was solved."""
        words = sorted((name, repr(value)) for name, value in self.get_params().items() if name not in HOW)
        samples = stated.samples
        weights = "" if samples.weights is None else samples.weights
        return digest([type(self).__name__, *words, samples.data, *samples.keys.values(), weights, stated.unit, stated.shift])

    # The solve

    def _fit(self, stated: Stated) -> Vector:
        """Solves, moves the answer until the constraints hold, and sets all that every estimator has."""
        began = time.perf_counter()

        def left() -> float | None:
            return None if self.time_limit is None else max(1e-9, float(self.time_limit) - (time.perf_counter() - began))

        def solve(problem: Problem, **more: Any) -> Result:
            how = {"eps_rel": float(self.eps_rel), "threads": self.threads, "time_limit": left(), **more}
            return problem.solve(verbose=bool(self.verbose), **how)

        before = self.__dict__.get("result_") if self.warm_start else None
        warm = None if before is None or len(before.x) != stated.objective.n else before
        problem, domain = self._built(stated)
        self.problem_, self.digest_ = problem, self._digest(stated)
        result, how = solve(problem, warm_start=warm), {}
        if result.status == "NumericalError" and stated.fallback is not None:
            how = {"method": stated.fallback}
            result = solve(problem, **how)
        if result.success and result.violation > 0.0 and result.feasible is None:
            # From a point inside the constraints the answer is moved until they hold, not nearly hold.
            for margin in (1e-2, 1e-4):
                inside = Problem(None, stated.constraints(margin), domain=domain, communicator=self._communicator)
                found = inside.solve(threads=self.threads, time_limit=left())
                if found.success:
                    result = solve(problem, interior=found.x, **how)
                    break
        self.result_, self.certificate_ = result, result.certificate
        self.n_iter_, self._unit = max(1, result.steps), stated.unit
        point = self._answer(result)
        self._unscale(point, stated.unit, stated.shift)
        return point

    def _answer(self, result: Result) -> Vector:
        if result.status == "Infeasible":
            raise Error("no linear score satisfies the constraints on these data, and that is proven (see result_)")
        held = result.feasible is not None or result.violation <= NEARLY
        if not result.success and result.status == "TimeLimit" and held:
            gap = f"the objective is proven to be within {result.gap:.2g} of the optimum"
            told = gap if np.isfinite(result.gap) else "nothing is proven about the objective"
            warnings.warn(f"time_limit={self.time_limit:g} s was over; {told} (see result_)", ConvergenceWarning, stacklevel=4)
        elif not result.success:
            raise Error(f"the solver ended with {result.status}: {result.meaning} (see result_)")
        return result.x if result.feasible is None else result.feasible.x

    def verify(self, X: Any, y: Any, **fit_parameters: Any) -> Verified:
        """Checks the certificate against the data that the model was fitted to, also of a model that was pickled.

        `fit_parameters` are those that ``fit`` got. ValueError where data or parameters are others.
        """
        check_is_fitted(self, "digest_")
        if self.certificate_ is None:
            raise ValueError("the solve left no certificate (see result_.status)")
        again = clone(self)
        stated = again._stated(X, y, **fit_parameters)
        if again._digest(stated) != self.digest_:
            raise ValueError("these are not the data, weights and parameters that the model was fitted with: the digest is another")
        return self.certificate_.verify(again._built(stated)[0])

    def _unscale(self, point: Vector, unit: float, shift: float) -> None:
        """Coefficients in the units of the data."""
        table = point.reshape(self._scores, -1)
        slopes = table[:, :-1] if self.fit_intercept else table
        self.coef_ = unit * slopes / self._spread
        self.intercept_ = np.zeros(self._scores)
        if self.fit_intercept:
            self.intercept_ = unit * table[:, -1] + shift - self.coef_ @ self._mean

    def _score(self, X: Any) -> Vector:
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        return np.asarray(X @ self.coef_.T + self.intercept_)


__all__ = ["Linear", "Stated", "tidy"]
