"""Problems."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ufcm import _display, _ufcm, ranks
from ufcm._component import Component
from ufcm._constants import Constants
from ufcm._constraint import Constraint
from ufcm._data import point
from ufcm._insight import Audit, Plan
from ufcm._regularizer import Regularizer
from ufcm._result import Result, RowLayout
from ufcm._term import Objective, Term
from ufcm._tradeoff import Surface, Tradeoff

if TYPE_CHECKING:
    Callback = Callable[[_ufcm.Progress], Any]


# What a problem is made of; nobody assigns to these.
PARTS = ("minimize", "subject_to", "regularizer", "domain")


class Problem:
    """minimise an objective subject to constraints, with a regulariser and over a domain; checked when it is made.

    `minimize` is a component, a term (:func:`maximum`, :func:`norm1`, ...) or a sum of such; without it, a point that
    satisfies the constraints is sought. The number of variables comes from the data. With a `communicator` several ranks build the
    problem together, each from its own samples, and solve it together: see :mod:`ufcm.ranks`.

    >>> import ufcm
    >>> A = [[1.0, 0.2], [1.0, 0.9]]
    >>> B = [[1.0, -0.3], [1.0, -0.7]]
    >>> p = ufcm.Problem(
    ...     minimize=ufcm.logistic(A, [1, 1]),
    ...     subject_to=[(ufcm.logistic(B, [-1, -1]) <= 0.5).named("false alarms")],
    ...     domain=ufcm.ball(10.0),
    ... )
    >>> p
    <Problem: 2 variables, objective, 1 constraint, l2 ball>
    >>> r = p.solve(eps_rel=1e-7)
    >>> r.status
    'Certified'
    >>> r.certificate.verify(p).gap < 1e-6
    True
    """

    def __init__(
        self,
        minimize: Component | Term | Objective | None = None,
        subject_to: Constraint | Iterable[Constraint] = (),
        regularizer: Regularizer | None = None,
        domain: Regularizer | None = None,
        *,
        n: int | None = None,
        communicator: Any = None,
    ) -> None:
        self.minimize = None if minimize is None else Objective.of(minimize)
        self.subject_to = _constraints(subject_to)
        for name, part in (("regularizer", regularizer), ("domain", domain)):
            if part is not None and not isinstance(part, Regularizer):
                raise TypeError(f"{name} is {type(part).__name__}; it must be such as ufcm.l1(...) or ufcm.box(...)")
        self.regularizer, self.domain = regularizer, domain
        self._n_given, self._communicator = n, communicator
        if self.minimize is not None and self.minimize.regularizer is not None:
            inner = self.minimize.regularizer
            self.regularizer = regularizer = inner if regularizer is None else inner + regularizer
            self.minimize = self.minimize.without_regularizer()
        self._link = None if communicator is None else _ufcm.Link(ranks.communicator(communicator))
        terms = () if self.minimize is None else self.minimize.terms
        objective = None if self.minimize is None or self.minimize.component is None else self.minimize.component
        blocks: list[_ufcm.Block] = []
        row = 1  # the objective has row 0
        self._term_rows: list[RowLayout] = []
        for k, term in enumerate(terms):
            name = term.name or f"term {k + 1}"
            blocks.append(term._named_block(name))
            self._term_rows.append(RowLayout(name, row, blocks[-1].rows, False))
            row += blocks[-1].rows
        self._constraint_rows: list[RowLayout] = []
        for k, constraint in enumerate(self.subject_to):
            name = constraint.name or f"constraint {k + 1}"
            own = constraint._blocks(name)
            rows = sum(block.rows for block in own)
            self._constraint_rows.append(RowLayout(name, row, rows, constraint.is_scalar, own[0]))
            blocks += own
            row += rows
        self._core = _ufcm.Problem(
            self._dimension(n),
            None if objective is None else objective._core,
            blocks,
            [] if regularizer is None else regularizer._cores,
            [] if domain is None else domain._cores,
            self._link,
        )
        self._is_built = True

    def _dimension(self, given: int | None) -> int:
        if given is not None:
            return given
        if self.minimize is not None:
            return self.minimize.n
        for constraint in self.subject_to:
            return constraint.n
        for part in (self.regularizer, self.domain):
            for core in () if part is None else part._cores:
                if core.dimension is not None:
                    return core.dimension
        raise ValueError("the number of variables is not known: no part of the problem tells it; give n=")

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_is_built", False) and name in PARTS:
            raise AttributeError(f"a problem is checked as a whole when it is made, and {name} is part of it: make another problem")
        if getattr(self, "_is_built", False) and not name.startswith("_"):
            raise AttributeError(f"a problem has no part {name!r}, and its parts do not change: make another problem")
        super().__setattr__(name, value)

    def __reduce__(self) -> Any:
        if self._link is not None:
            raise TypeError("a problem over ranks cannot be pickled: each rank builds its own")
        parts = (self.minimize, self.subject_to, self.regularizer, self.domain, self._n_given)
        return (_rebuilt, parts)

    def _has_functions(self) -> bool:
        """Whether a function of the user's own is part of it."""
        parts: list[Any] = [] if self.minimize is None else [self.minimize.component, *(term._rows for term in self.minimize.terms)]
        parts += [subject for constraint in self.subject_to for _, subject, _ in constraint._parts]
        while parts:
            part = parts.pop()
            if isinstance(part, (list, tuple)):
                parts += part
            elif isinstance(part, Component):
                make, arguments = part._recipe
                if make == "function":
                    return True
                parts += [argument for argument in arguments if isinstance(argument, (Component, list))]
        return False

    @property
    def traffic(self) -> tuple[int, int, float] | None:
        """What this rank has exchanged so far: sums over all ranks, their bytes, seconds in them; None without a communicator."""
        return None if self._link is None else self._link.traffic

    @property
    def n(self) -> int:
        """The number of variables."""
        return self._core.dimension

    def __repr__(self) -> str:
        parts = [f"{self.n} variables", "objective"]
        for count, word in ((len(self._term_rows), "term"), (len(self.subject_to), "constraint")):
            if count:
                parts.append(f"{count} {word}" + ("s" if count > 1 else ""))
        if self.regularizer is not None or self.domain is not None:
            parts.append(self._core.regularizer_kind)
        return f"<Problem: {', '.join(parts)}>"

    def value(self, x: ArrayLike) -> float:
        """The objective at `x`; infinite outside the domain and where a constraint is violated at all."""
        return self._core.value(point(x, self.n))

    def violation(self, x: ArrayLike) -> float:
        """The Euclidean distance of the rows at `x` from satisfying the constraints."""
        return self._core.violation(point(x, self.n))

    def solve(
        self,
        eps_rel: float = 1e-6,
        eps_abs: float = 1e-9,
        eps_feas: float = 1e-6,
        x0: ArrayLike | Result | None = None,
        method: str = "auto",
        time_limit: float | None = None,
        max_gradients: int | None = None,
        threads: int | None = None,
        callback: Callback | None = None,
        verbose: bool = False,
        radius: float | None = None,
        *,
        metric: str = "auto",
        interior: ArrayLike | None = None,
        objective_floor: float = float("-inf"),
        audit: bool = True,
        warm_start: Result | _ufcm.WarmStart | None = None,
        constants: Constants | None = None,
        multipliers0: ArrayLike | None = None,
        trace: bool = False,
        saddle: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> Result:
        """Solves the problem. It needs no constants.

        :param eps_rel, eps_abs: the gap that is small enough: ``eps_abs + eps_rel max(1, |objective|)``
        :param eps_feas: the violation of constraints that is small enough
        :param x0: where to start; a :class:`Result` is a warm start
        :param method: ``"auto"``, ``"adaptive"``, ``"sliding"`` (products instead of Newton systems), ``"primal-dual"`` for
            affine rows under a smooth objective, ``"interior-point"`` for what can be said in cones and factored quickly, ``"newton"`` where
            second derivatives are cheap, ``"working-set"`` where a regulariser holds many variables at 0; for research
            ``"ufcm"``, ``"restarted"`` and ``"doubling"``, the published algorithms, and to compare with ``"acgd-s"``, ``"apdb"``, ``"ideal"``,
            ``"ufgm"`` and ``"switching"``; what they ask for is given as `constants`, or found by a default solve before
        :param time_limit: seconds after which to stop
        :param max_gradients: evaluations of all values and gradients after which to stop; never exceeded
        :param threads: the number of threads; all cores by default
        :param callback: gets a progress object after every step, and stops the run by returning True
        :param verbose: prints a table of steps
        :param radius: a solution is known to lie so near to the start: bounds may then rest on it
        :param metric: the norm in which steps are measured: ``"auto"``, ``"scalar"``, ``"hints"``, ``"damped"``,
            ``"curvature"``, ``"low-rank"`` or ``"quasi-newton"``
        :param interior: a point that satisfies constraints strictly, from which a true upper bound is found
        :param objective_floor: the run ends, with status BelowFloor, where the objective falls below this
        :param audit: looks at your own functions at some 20 points more before it calls the problem solved; without it the
            result's ``premise`` says that nobody did
        :param warm_start: the :class:`Result` of a solve before, of this problem or of one with the same variables and another
            bound, a constraint more or a constraint less. It lends its point, its multipliers by the names of their constraints, and
            the second derivatives of its last steps; the next point of a path takes some 3 gradients then
        :param constants: the :class:`Constants` of a published method
        :param multipliers0: the multipliers to start from, of all rows as ``Result.row_multipliers`` has them
        :param trace: keeps every iteration of ``"ufcm"``, ``"restarted"``, ``"doubling"`` or ``"acgd-s"`` as ``Result.trace``
        :param saddle: the solution and its multipliers of all rows, where they are known: a trace then has the gap function and the
            (eps, r) measure

        What happens in the run is told by the result's status. An exception in a function of yours is raised as it is, the
        same object, with the attributes ``best_point`` and ``result``. Ctrl-C ends the run with the status ``Interrupted``.

        Called on Python's main thread, ``solve`` works on another thread, so that Ctrl-C is heard at any time. Your functions
        are called on that thread, one call at a time, with the context variables of the caller; they must not wait for a lock
        that the caller holds. The callback is called on the thread that called ``solve``, and so are your functions when that
        is not the main thread. With ``threads=`` functions are called on the threads of the run.

        >>> import ufcm
        >>> p = ufcm.Problem(minimize=ufcm.quadratic([1.0, 2.0], [1.0, 1.0]), domain=ufcm.ball(3.0))
        >>> steps = []
        >>> r = p.solve(callback=lambda now: steps.append(now.objective))
        >>> r.success, len(steps) == r.steps
        (True, True)
        >>> p.solve(callback=lambda now: True).status
        'Interrupted'

        A path of bounds, each from the result before:

        >>> f = ufcm.quadratic([1.0, 2.0, 4.0], [-3.0, 1.0, 2.0])
        >>> size = ufcm.quadratic([3.0, 1.0, 2.0])
        >>> r = None
        >>> for bound in (0.5, 0.55, 0.6):
        ...     p = ufcm.Problem(minimize=f, subject_to=[(size <= bound).named("size")], domain=ufcm.ball(9.0))
        ...     r = p.solve(warm_start=r)
        >>> r.status, r.gradient_evaluations <= 5
        ('Certified', True)
        """
        settings: dict[str, Any] = {
            "eps_rel": float(eps_rel),
            "eps_abs": float(eps_abs),
            "eps_feas": float(eps_feas),
            "method": method,
            "metric": metric,
            "time_limit": None if time_limit is None else float(time_limit),
            "max_gradients": _count(max_gradients, "max_gradients"),
            "threads": _count(threads, "threads"),
            "radius": None if radius is None else float(radius),
            "objective_floor": float(objective_floor),
            "audit": bool(audit),
        }
        if trace:
            settings["trace"] = True
        if constants is not None:
            if not isinstance(constants, Constants):
                raise TypeError(f"constants is {type(constants).__name__}; it must be ufcm.Constants")
            settings["constants"] = constants.given()
        start, warm = _start(x0, warm_start)
        if callback is not None and not callable(callback):
            raise TypeError(f"callback is {type(callback).__name__}; it must be a function")
        table = _display.Table(self, settings) if verbose else None
        points = {
            "x0": start,
            "interior": None if interior is None else point(interior, name="interior"),
            "multipliers0": None if multipliers0 is None else point(multipliers0, name="multipliers0"),
        }
        known = None if saddle is None else (point(saddle[0], name="saddle"), point(saddle[1], name="saddle"))
        told, error = _ufcm.solve(self._core, {**settings, **points}, _observer(table, callback), warm, known)
        result = None if told is None else Result(told, self)
        if table is not None:
            table.end(result)
        if error is not None:
            _attach(error, result, warm.x if start is None and warm is not None else start)
            raise error
        assert result is not None  # there is one or the other
        return result

    def with_bound(self, name: str, bound: float) -> Problem:
        """The same problem with another bound of the constraint `name`; data are shared, not copied.

        A result of this problem is a warm start for that one.

        >>> import ufcm
        >>> p = ufcm.Problem(
        ...     minimize=ufcm.quadratic([2.0], [-8.0]),
        ...     subject_to=[(ufcm.quadratic([2.0]) <= 1.0).named("size")],
        ...     domain=ufcm.box(-9.0, 9.0),
        ... )
        >>> r = p.solve()
        >>> round(float(p.with_bound("size", 4.0).solve(warm_start=r).x[0]), 4)
        2.0
        """
        k = self._constraint_index(name)
        subject_to = list(self.subject_to)
        changed = subject_to[k].with_bound(bound)
        subject_to[k] = changed.named(name)
        parts = (self.minimize, subject_to, self.regularizer, self.domain)
        return Problem(*parts, n=self._n_given, communicator=self._communicator)

    def tradeoff(
        self,
        name: str,
        low: float,
        high: float,
        tol: float = 1e-3,
        *,
        eps_feas: float = 1e-6,
        method: str = "auto",
        time_limit: float | None = None,
        max_gradients: int | None = None,
        threads: int | None = None,
        radius: float | None = None,
    ) -> Tradeoff:
        """The optimal value for every bound of the constraint `name` from `low` to `high`, as a band that is proven.

        Every solve gives a point above the curve and, through its proof, a line below it: the value is known between them, for
        every bound. The next solve is where the band is widest, until it is within `tol` of max(unit, |value|) everywhere.
        Limits hold for all solves together. Ctrl-C raises KeyboardInterrupt.

        >>> import ufcm
        >>> p = ufcm.Problem(
        ...     minimize=ufcm.quadratic([2.0], [-8.0], 16.0),
        ...     subject_to=[(ufcm.quadratic([2.0]) <= 1.0).named("size")],
        ...     domain=ufcm.box(-9.0, 9.0),
        ... )
        >>> curve = p.tradeoff("size", 1.0, 9.0)
        >>> lower, upper = curve.band(4.0)
        >>> bool(lower <= 4.0 <= upper and upper - lower <= 4e-3)
        True
        """
        row, sign, ends = self._bounded(name, low, high)
        settings = _curve_settings(eps_feas, method, time_limit, max_gradients, threads, radius)
        return Tradeoff(name, sign, _ufcm.tradeoff(self._core, row, ends, float(tol), settings))

    def surface(
        self,
        first: tuple[str, float, float],
        second: tuple[str, float, float],
        tol: float = 1e-3,
        *,
        eps_feas: float = 1e-6,
        method: str = "auto",
        time_limit: float | None = None,
        max_gradients: int | None = None,
        threads: int | None = None,
        radius: float | None = None,
    ) -> Surface:
        """The optimal value for every pair of bounds of two constraints, between sides that are proven.

        Each constraint is given as (name, low, high). It is :meth:`tradeoff` with planes for lines; a surface takes about the square of the
        solves of a curve.

        >>> import ufcm
        >>> p = ufcm.Problem(
        ...     minimize=ufcm.linear([-1.0, -1.0]),
        ...     subject_to=[(ufcm.quadratic([2.0, 0.0]) <= 1.0).named("a"), (ufcm.quadratic([0.0, 2.0]) <= 1.0).named("b")],
        ...     domain=ufcm.box(-9.0, 9.0),
        ... )
        >>> surface = p.surface(("a", 1.0, 4.0), ("b", 1.0, 9.0), tol=1e-2)
        >>> lower, upper = surface.band(4.0, 9.0)
        >>> bool(lower <= -5.0 <= upper and upper - lower <= 5e-2)
        True
        """
        (row, sign, ends), (other, other_sign, other_ends) = self._bounded(*first), self._bounded(*second)
        settings = _curve_settings(eps_feas, method, time_limit, max_gradients, threads, radius)
        core = _ufcm.surface(self._core, (row, other), (ends, other_ends), float(tol), settings)
        return Surface((first[0], second[0]), (sign, other_sign), core)

    def _bounded(self, name: str, low: float, high: float) -> tuple[int, float, tuple[float, float]]:
        """The row of a constraint with one bound, its sign, and the ends in the solver's numbers."""
        k = self._constraint_index(name)
        constraint = self.subject_to[k]
        constraint._require_one_bound()
        sign = constraint._bound_sign
        return self._constraint_rows[k].start, sign, (sign * float(low), sign * float(high))

    def _constraint_index(self, name: str) -> int:
        names = [layout.name for layout in self._constraint_rows]
        if name not in names:
            known = ", ".join(repr(name) for name in names[:8])
            raise ValueError(f"there is no constraint {name!r}; " + (f"there are {known}" if known else "there are none"))
        return names.index(name)

    def check(self, *, seed: int = 0, radius: float = 1.0, quick: bool = False) -> Audit:
        """Audits every component, composer and regulariser: gradients, convexity, prox; names a witness of each fault.

        A fault by an exception in a function of yours has that exception as ``exception``. Ctrl-C raises KeyboardInterrupt
        once the part at hand is audited.

        >>> import numpy as np, ufcm
        >>> wrong = ufcm.component(lambda x: (np.sum(x**2), x), n=2)     # the gradient is 2 x
        >>> audit = ufcm.Problem(minimize=wrong).check()
        >>> audit.ok
        False
        >>> audit.faults[0].part, audit.faults[0].law
        ('objective', 'Gradient')
        """
        return Audit(self._core.check(seed, radius, quick))

    def plan(self, eps: float) -> Plan:
        """What the paper's theorems promise for an accuracy `eps`, next to what the default solver takes.

        The constants speak of a solution, so the problem is solved first. Every component must know its smoothness.

        >>> import ufcm
        >>> p = ufcm.Problem(
        ...     minimize=ufcm.quadratic([1.0, 1.0], [-2.0, 0.0]),
        ...     subject_to=[ufcm.quadratic([1.0, 1.0]) <= 0.5],
        ...     domain=ufcm.box(-5.0, 5.0),
        ... )
        >>> plan = p.plan(1e-4)
        >>> plan.ufcm.gradients > plan.used.gradients
        True
        """
        return Plan(**_ufcm.plan(self._core, float(eps)))


def _rebuilt(minimize: Any, subject_to: Any, regularizer: Any, domain: Any, n: int | None) -> Problem:
    return Problem(minimize, subject_to, regularizer, domain, n=n)


def _constraints(given: Any) -> tuple[Constraint, ...]:
    if isinstance(given, Constraint):
        return (given,)
    if isinstance(given, Regularizer):
        raise TypeError(f"subject_to is {given!r}; pass it as domain= or regularizer=, or add it to what is minimised")
    if not isinstance(given, Iterable):
        raise TypeError(f"subject_to is {type(given).__name__}; it must be a constraint or a list of constraints")
    constraints = tuple(given)
    for k, constraint in enumerate(constraints):
        if not isinstance(constraint, Constraint):
            raise TypeError(
                f"subject_to[{k}] is {constraint!r} ({type(constraint).__name__}), no constraint; write "
                "f <= bound with a component f, or affine(A, b) <= 0, == 0 or .between(lower, upper)"
            )
    return constraints


def _curve_settings(
    eps_feas: float,
    method: str,
    time_limit: float | None,
    max_gradients: int | None,
    threads: int | None,
    radius: float | None,
) -> dict[str, Any]:
    return {
        "eps_feas": float(eps_feas),
        "method": method,
        "time_limit": None if time_limit is None else float(time_limit),
        "max_gradients": _count(max_gradients, "max_gradients"),
        "threads": _count(threads, "threads"),
        "radius": None if radius is None else float(radius),
    }


def _count(value: Any, name: str) -> int | None:
    if value is None:
        return None
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be a whole number") from None
    if count < 0:
        raise ValueError(f"{name} is {count}; it must not be negative")
    return count


def _start(x0: Any, warm_start: Any) -> tuple[Any, _ufcm.WarmStart | None]:
    """The point to start from, if one was given, and the warm start."""
    if isinstance(x0, Result):
        if warm_start is not None:
            raise ValueError("x0 is a result, and so is warm_start; give one of them")
        x0, warm_start = None, x0
    if isinstance(warm_start, Result):
        warm_start = warm_start.warm_start
    if warm_start is not None and not isinstance(warm_start, _ufcm.WarmStart):
        raise TypeError(f"warm_start is {type(warm_start).__name__}; it must be the result of a solve")
    return None if x0 is None else point(x0, name="x0"), warm_start


def _observer(table: Any, callback: Any) -> Any:
    if table is None:
        return callback
    if callback is None:
        return table.step

    def observe(progress: _ufcm.Progress) -> Any:
        table.step(progress)
        return callback(progress)

    return observe


def _attach(error: BaseException, result: Result | None, start: Any) -> None:
    """Gives the exception of a user's function what the run had found so far."""
    try:
        error.best_point = start if result is None else result.x  # type: ignore[attr-defined]
        error.result = result  # type: ignore[attr-defined]
    except (AttributeError, TypeError):
        pass  # an exception that takes no attributes
