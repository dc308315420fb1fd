"""``ufcm.minimize``: problems as SciPy's users state them."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ufcm import _kinds
from ufcm._component import Component
from ufcm._constraint import Constraint, affine
from ufcm._data import Vector, point
from ufcm._functions import component
from ufcm._problem import Problem
from ufcm._result import Result
from ufcm._term import Objective, Term

if TYPE_CHECKING:
    from ufcm._regularizer import Regularizer

# What SciPy calls settings of ours.
OPTIONS = {"disp": "verbose", "maxiter": "max_gradients", "maxfev": "max_gradients"}
# Slopes of an equality at other points than x0 differ by less than this, relative to their size, where it is affine.
AFFINE = 1e-9
NO_GRADIENT = (
    "{what} needs its gradient: proofs rest on gradients, and finite differences are not exact. Give jac=, or fun that returns "
    "(value, gradient) with jac=True, or ufcm.jax.component(fun, n), which differentiates it"
)


def minimize(
    fun: Callable[..., Any] | Component | Term | Objective,
    x0: Any,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    jac: bool | Callable[..., Any] | None = None,
    hess: Callable[..., Any] | None = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
    options: dict[str, Any] | None = None,
    *,
    regularizer: Regularizer | None = None,
) -> Any:
    """Minimises a convex function from `x0`, with the arguments of ``scipy.optimize.minimize``; the answer is an ``OptimizeResult``.

    :param fun: ``fun(x, *args)`` that returns the value, with `jac` its gradient; ``(value, gradient)`` with ``jac=True``; or a
        component, a term or a sum of such, which know their gradients
    :param method: one of :meth:`Problem.solve`; None for the default
    :param hess: ``hess(x, *args)``, an n x n array
    :param bounds: ``scipy.optimize.Bounds``, or a pair (lower, upper) for each variable, with None where there is none
    :param constraints: ``LinearConstraint``, ``NonlinearConstraint``, a dictionary with ``type``, ``fun`` and ``jac``, one of ufcm's own
        (``f <= 1``), or a list of such
    :param tol: the relative gap that is small enough
    :param callback: gets the point after every step (or ``intermediate_result=``), and stops the run by returning True or raising
        StopIteration
    :param options: ``disp``, ``maxiter`` (evaluations), and all settings of :meth:`Problem.solve`

    Constraints must be convex: ``fun(x) <= ub`` with a convex function, or ``fun(x) >= lb`` (and SciPy's ``"ineq"``) with a concave one.
    An equality must be affine, which is checked at some points. That functions are convex is looked at as :meth:`Problem.solve` does with
    all functions of yours.

    Beside what SciPy has (``x``, ``fun``, ``jac``, ``success``, ``status``, ``message``, ``nit``, ``nfev``, ``njev``, ``nhev``, ``maxcv``) the
    result has ``lower_bound``, ``multipliers``, ``certificate``, and ``problem`` and ``result``, which are ufcm's own.

    >>> import numpy as np, ufcm
    >>> from scipy.optimize import LinearConstraint
    >>> def rosy(x):
    ...     return np.sum(np.cosh(x - 1.0)), np.sinh(x - 1.0)
    >>> r = ufcm.minimize(rosy, [0.0, 0.0], jac=True, bounds=[(-5, 5)] * 2, constraints=LinearConstraint([[1.0, 1.0]], -np.inf, 1.0))
    >>> r.success, r.x.round(4), round(r.fun - r.lower_bound, 5)
    (True, array([0.5, 0.5]), 0.0)
    """
    start = point(np.atleast_1d(np.asarray(x0, np.float64)), name="x0")
    n = len(start)
    objective = _objective(fun, n, args, jac, hess)
    stated, checks = _constraints(constraints, start)
    problem = Problem(objective, stated, regularizer, _domain(bounds, n), n=n)
    settings = _settings(options, method, tol, callback, problem)
    result = problem.solve(x0=start, **settings)
    for check in checks:
        check(result.x)
    return _told(problem, result)


# The objective


def _with_args(function: Callable[..., Any], args: tuple[Any, ...]) -> Callable[[Vector], Any]:
    return (lambda x: function(x, *args)) if args else function


def _objective(fun: Any, n: int, args: tuple[Any, ...], jac: Any, hess: Any) -> Any:
    if isinstance(fun, (Component, Term, Objective)):
        if jac is not None or hess is not None or args:
            raise ValueError("fun is a component of ufcm, which knows its derivatives; leave jac, hess and args out")
        if fun.n != n:
            raise ValueError(f"fun has {fun.n} variables; x0 has {n}")
        return fun
    if not callable(fun):
        raise TypeError(f"fun is {type(fun).__name__}; it must be a function or a component of ufcm")
    if not isinstance(args, tuple):
        args = (args,)
    return component(_with_args(fun, args), n, *_derivatives("fun", jac, hess, args))


def _derivatives(what: str, jac: Any, hess: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    """jac and hess as :func:`component` takes them."""
    if jac is None or jac is False or isinstance(jac, str):
        raise ValueError(NO_GRADIENT.format(what=what))
    if jac is not True and not callable(jac):
        raise TypeError(f"jac is {type(jac).__name__}; it must be True or a function")
    if hess is not None and not callable(hess):
        raise TypeError(f"hess is {hess!r}; it must be a function that returns an n x n array, or None")
    return (jac if jac is True else _with_args(jac, args)), (None if hess is None else _with_args(hess, args))


# Bounds


def _domain(bounds: Any, n: int) -> Any:
    if bounds is None:
        return None
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        lower, upper = (np.broadcast_to(np.asarray(side, np.float64), n) for side in (bounds.lb, bounds.ub))
    else:
        pairs = list(bounds)
        if len(pairs) != n:
            raise ValueError(f"bounds has {len(pairs)} pairs; there are {n} variables")
        for k, pair in enumerate(pairs):
            if np.ndim(pair) != 1 or len(pair) != 2:
                raise ValueError(f"bounds[{k}] is {pair!r}; it must be a pair (lower, upper)")
        lower = np.array([-np.inf if side is None else float(side) for side, _ in pairs])
        upper = np.array([np.inf if side is None else float(side) for _, side in pairs])
    return _kinds.box(lower, upper)


# Constraints


class _Rows:
    """A vector of functions with its Jacobian, each evaluated once at a point however many rows ask for it."""

    def __init__(self, fun: Callable[[Vector], Any], jac: Callable[[Vector], Any], n: int) -> None:
        self._fun, self._jac, self._n = fun, jac, n
        # (point, values, Jacobian), replaced as a whole: another thread may ask meanwhile.
        self._last: tuple[bytes, Any, Any] = (b"", None, None)

    def __call__(self, x: Vector) -> tuple[Any, Any]:
        """Values and Jacobian."""
        key, last = np.asarray(x).tobytes(), self._last
        if key != last[0]:
            values = np.atleast_1d(np.asarray(self._fun(x), np.float64)).ravel()
            slopes = self._jac(x)
            slopes = slopes.toarray() if hasattr(slopes, "toarray") else np.asarray(slopes, np.float64)
            if slopes.size != len(values) * self._n:
                raise ValueError(
                    f"jac of a constraint has shape {np.shape(slopes)}; expected {(len(values), self._n)}"
                )
            last = self._last = (key, values, slopes.reshape(len(values), self._n))
        return last[1:]

    def row(self, k: int, sign: float, hess: Any) -> Component:
        """sign times row k."""

        def value_and_gradient(x: Vector) -> tuple[float, Vector]:
            values, slopes = self(x)
            return sign * float(values[k]), sign * slopes[k]

        def hessian(x: Vector) -> Any:
            direction = np.zeros(len(self(x)[0]))
            direction[k] = sign
            found = hess(x, direction)
            return found.toarray() if hasattr(found, "toarray") else np.asarray(found, np.float64)

        return component(value_and_gradient, self._n, hess=None if hess is None else hessian)


Check = Callable[[Vector], None]


def _constraints(given: Any, x0: Vector) -> tuple[list[Constraint], list[Check]]:
    """Ufcm's constraints, and what is to be checked at the answer."""
    single = isinstance(given, (Constraint, dict)) or hasattr(given, "lb")
    listed: Iterable[Any] = [given] if single else list(given)
    made: list[Constraint] = []
    checks: list[Check] = []
    for k, one in enumerate(listed):
        what = f"constraints[{k}]"
        if isinstance(one, Constraint):
            made.append(one)
        elif isinstance(one, dict):
            _old_style(one, what, x0, made, checks)
        elif hasattr(one, "A") and hasattr(one, "lb"):
            made += _linear(one.A, one.lb, one.ub, what)
        elif hasattr(one, "fun") and hasattr(one, "lb"):
            _nonlinear(one, what, x0, made)
        else:
            expected = "a LinearConstraint, a NonlinearConstraint, a dictionary, or a constraint such as f <= 1"
            raise TypeError(f"{what} is {type(one).__name__}; it must be {expected}")
        if np.any(getattr(one, "keep_feasible", False)):
            warnings.warn(f"{what}: keep_feasible is not held; only bounds are, at every point", RuntimeWarning, stacklevel=4)
    return made, checks


def _linear(A: Any, lower: Any, upper: Any, what: str) -> list[Constraint]:
    """lower <= A x <= upper, equal sides as equalities."""
    table = A.tocsr() if hasattr(A, "tocsr") else np.atleast_2d(np.asarray(A, np.float64))
    lower, upper = (np.broadcast_to(np.asarray(side, np.float64), table.shape[0]) for side in (lower, upper))
    equal = lower == upper
    if np.all(equal):
        return [(affine(table, upper) == 0).named(what)]
    if not np.any(equal):
        return [affine(table).between(lower, upper).named(what)]
    return [
        (affine(table[equal], upper[equal]) == 0).named(f"{what}, equalities"),
        affine(table[~equal]).between(lower[~equal], upper[~equal]).named(f"{what}, inequalities"),
    ]


def _nonlinear(one: Any, what: str, x0: Vector, made: list[Constraint]) -> None:
    if not callable(one.jac):
        raise ValueError(NO_GRADIENT.format(what=f"{what} (NonlinearConstraint)"))
    rows = _Rows(one.fun, one.jac, len(x0))
    count = len(rows(x0)[0])
    # SciPy's default is an approximation of its own, which is no function.
    hess = one.hess if callable(one.hess) and not isinstance(one.hess, type) and not hasattr(one.hess, "update") else None
    lower, upper = (np.broadcast_to(np.asarray(side, np.float64), count) for side in (one.lb, one.ub))
    for k in range(count):
        name = what if count == 1 else f"{what}[{k}]"
        if lower[k] == upper[k]:
            raise ValueError(
                f"{name} is an equality of a nonlinear function, which is not convex; an affine one is a LinearConstraint"
            )
        if np.isfinite(lower[k]) and np.isfinite(upper[k]):
            raise ValueError(
                f"{name} bounds a nonlinear function on both sides, which is not convex; an affine one is a LinearConstraint"
            )
        if np.isfinite(upper[k]):
            made.append((rows.row(k, 1.0, hess) <= float(upper[k])).named(name))
        elif np.isfinite(lower[k]):
            made.append((rows.row(k, -1.0, hess) <= -float(lower[k])).named(name))


def _old_style(one: dict[str, Any], what: str, x0: Vector, made: list[Constraint], checks: list[Check]) -> None:
    """{"type": "ineq" or "eq", "fun": ..., "jac": ...}: fun(x) >= 0, or fun(x) == 0."""
    kind, fun, jac = str(one.get("type", "")).lower(), one.get("fun"), one.get("jac")
    if kind not in ("ineq", "eq"):
        raise ValueError(f"{what}: type is {one.get('type')!r}; it must be 'ineq' or 'eq'")
    if not callable(fun):
        raise ValueError(f"{what}: fun is {fun!r}; it must be a function")
    if not callable(jac):
        raise ValueError(NO_GRADIENT.format(what=f"{what} ({kind!r})"))
    args = tuple(one.get("args", ()))
    rows = _Rows(_with_args(fun, args), _with_args(jac, args), len(x0))
    if kind == "ineq":
        for k in range(len(rows(x0)[0])):
            name = what if len(rows(x0)[0]) == 1 else f"{what}[{k}]"
            made.append((rows.row(k, -1.0, None) <= 0.0).named(name))
        return
    values, slopes = (np.array(part) for part in rows(x0))
    offset = values - slopes @ x0

    def check(x: Vector) -> None:
        found, here = rows(x)
        size = np.abs(slopes) @ (1.0 + np.abs(x)) + np.abs(offset)
        if np.any(np.abs(found - slopes @ x - offset) > AFFINE * size) or np.any(np.abs(here - slopes) > AFFINE * size[:, None]):
            raise ValueError(f"{what} is an equality of a nonlinear function, which is not convex")

    rng = np.random.default_rng(0)
    for scale in (1e-2, 1.0, 1e2):
        check(x0 + scale * (1.0 + np.abs(x0)) * rng.standard_normal(len(x0)))
    made.append((affine(slopes, -offset) == 0).named(what))
    checks.append(check)


# The run, and what comes of it


def _settings(options: Any, method: Any, tol: Any, callback: Any, problem: Problem) -> dict[str, Any]:
    known = set(inspect.signature(Problem.solve).parameters) - {"self", "x0", "callback"}
    settings: dict[str, Any] = {} if method is None else {"method": method}
    for name, value in (options or {}).items():
        setting = OPTIONS.get(name, name)
        if setting not in known:
            raise ValueError(f"options has {name!r}; known are {', '.join(sorted(known | set(OPTIONS)))}")
        settings[setting] = value
    if tol is not None:
        settings.setdefault("eps_rel", float(tol))
    if callback is not None:
        settings["callback"] = _observer(callback)
    return settings


def _observer(callback: Callable[..., Any]) -> Callable[[Any], Any]:
    if not callable(callback):
        raise TypeError(f"callback is {type(callback).__name__}; it must be a function")
    try:
        told_all = "intermediate_result" in inspect.signature(callback).parameters
    except (TypeError, ValueError):  # a function without a signature
        told_all = False

    def observe(progress: Any) -> bool:
        from scipy.optimize import OptimizeResult

        x = np.array(progress.x)
        try:
            if told_all:
                return bool(callback(intermediate_result=OptimizeResult(x=x, fun=progress.objective)))
            return bool(callback(x))
        except StopIteration:
            return True

    return observe


def _told(problem: Problem, result: Result) -> Any:
    from scipy.optimize import OptimizeResult

    objective = problem.minimize
    plain = objective is not None and objective.component is not None and not objective.terms
    slope = objective.component.gradient(result.x) if plain and objective is not None and objective.component else None
    return OptimizeResult(
        x=result.x,
        fun=result.objective,
        jac=slope,
        success=result.success,
        status=0 if result.success else 1,
        message=result.message,
        nit=result.nit,
        nfev=result.nfev,
        njev=result.njev,
        nhev=result.nhev,
        maxcv=result.violation,
        lower_bound=result.lower_bound,
        upper_bound=result.upper_bound,
        multipliers=result.multipliers,
        certificate=result.certificate,
        problem=problem,
        result=result,
    )
