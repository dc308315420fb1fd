"""What comes of a solve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, overload

from ufcm import _display, _ufcm
from ufcm._constants import Constants
from ufcm._data import Vector
from ufcm._proof import Certificate, Infeasibility, Unboundedness

if TYPE_CHECKING:
    from ufcm._problem import Problem

Multiplier = float | Vector


class Multipliers(list[Multiplier]):
    """The multiplier of each constraint (or term): by its index, or by its name.

    >>> import ufcm
    >>> r = ufcm.Problem(
    ...     minimize=ufcm.quadratic([1.0, 1.0], [-2.0, 0.0]),
    ...     subject_to=[(ufcm.quadratic([1.0, 1.0]) <= 0.5).named("size")],
    ...     domain=ufcm.box(-5.0, 5.0),
    ... ).solve()
    >>> r.multipliers["size"] == r.multipliers[0]
    True
    >>> r.multipliers["length"]
    Traceback (most recent call last):
        ...
    KeyError: "no constraint is called 'length'; there are 'size'"
    """

    __slots__ = ("names",)

    def __init__(self, names: list[str], values: list[Multiplier]) -> None:
        super().__init__(values)
        self.names = names

    @overload
    def __getitem__(self, which: SupportsIndex | str) -> Multiplier: ...

    @overload
    def __getitem__(self, which: slice) -> list[Multiplier]: ...

    def __getitem__(self, which: SupportsIndex | slice | str) -> Multiplier | list[Multiplier]:
        if not isinstance(which, str):
            return super().__getitem__(which)
        if which not in self.names:
            raise KeyError(f"no constraint is called {which!r}; there are {', '.join(map(repr, self.names))}")
        return super().__getitem__(self.names.index(which))

    def __reduce__(self) -> Any:
        return (Multipliers, (self.names, list(self)))


class Record(NamedTuple):
    """Where a run stood after a step; ``pandas.DataFrame(result.history)`` is a table of them."""

    step: int
    seconds: float
    gradient_evaluations: int
    value_evaluations: int
    hessian_evaluations: int
    objective: float
    lower_bound: float
    violation: float
    inverse_step: float
    restarted: bool
    unit: float = 1.0

    @property
    def gap(self) -> float:
        """Objective minus lower bound."""
        return self.objective - self.lower_bound

    @property
    def gap_rel(self) -> float:
        """The gap relative to max(unit, |objective|); the unit is 1, or less where the objective is small."""
        return self.gap / max(self.unit, abs(self.objective))


class Iteration(NamedTuple):
    """Where a published method stood after an iteration; ``pandas.DataFrame(result.trace)`` is a table of them."""

    execution: int
    """The execution of R-UFCM or the run of the doubling schedule, from 0 on."""
    t: int
    """The iteration of this execution, from 1 on."""
    gradients: int
    """Evaluations of all gradients so far."""
    inner_steps: int
    """S_t, the inner steps of this iteration."""
    jacobian_norm: float
    """The norm of the Jacobian, as the step sizes have it."""
    l_ada: float
    objective: float
    """The objective at the averages, constraints left aside."""
    violation: float
    gap: float | None
    """The gap function Q, where the saddle point is known."""
    measure: float | None
    """An eps for which the averages are (eps, r)-optimal, where the saddle point is known."""


class Fault(NamedTuple):
    """Where a component failed or contradicted itself."""

    row: str
    step: int
    point: Vector


class Feasible(NamedTuple):
    """x moved until all constraints hold, and the objective there: a true upper bound."""

    x: Vector
    objective: float


class Result:
    """The answer, its bounds and their proof, and what it took.

    >>> import ufcm
    >>> p = ufcm.Problem(
    ...     minimize=ufcm.quadratic([1.0, 1.0], [-2.0, 0.0]),
    ...     subject_to=[ufcm.quadratic([1.0, 1.0]) <= 0.5],
    ...     domain=ufcm.box(-5.0, 5.0),
    ... )
    >>> r = p.solve()
    >>> r.status, r.success, r.x.round(3)
    ('Certified', True, array([1., 0.]))
    >>> r.lower_bound <= -1.5 <= r.upper_bound
    True
    >>> round(r.multipliers[0], 3)
    1.0
    """

    status: str
    """Certified, Solved, Infeasible, Unbounded, BelowFloor, PrecisionLimit, IterationLimit, TimeLimit, Interrupted or NumericalError."""
    meaning: str
    """What the status says here, in half a sentence."""
    x: Vector
    """The best point found."""
    objective: float
    """The objective at x, constraints left aside."""
    lower_bound: float
    """No point that satisfies the constraints has a smaller objective; -inf where nothing is proven."""
    upper_bound: float
    """The optimum is at most this, as a feasible point shows; inf where none is known."""
    gap_rel: float
    """The gap relative to max(unit, |objective|)."""
    gap_told: str
    """The gap beside what it is relative to, in words."""
    unit: float
    """What the gap is relative to at least: 1; a tenth of the largest that the objective was in the run, where that was below 0.1."""
    violation: float
    """The Euclidean distance of the rows at x from satisfying the constraints."""
    violation_relative: float | None
    """The largest violation of a row relative to the size of its terms."""
    violation_worth: float
    """What the violation may be worth in the objective: multipliers times violations."""
    premise: str
    """All that the bounds take for granted: where solutions are, and which parts are not convex by construction."""
    version: str
    """The version that solved it."""
    row_multipliers: Vector
    """The multipliers of all rows, that of the objective (1) first, then terms, then constraints."""
    multipliers: Multipliers
    """The multiplier of each of ``subject_to``, by index or name: a number, or an array for a block of rows."""
    term_multipliers: Multipliers
    """The multipliers of the terms of the objective."""
    constraint_names: list[str]
    methods: list[str]
    """The methods that took the steps, one after the other: more than one where the first stalled."""
    chosen: list[str]
    """Why each of these was chosen, in half a sentence; empty where a method was asked for by name."""
    gradient_evaluations: int
    """Evaluations of all values and gradients."""
    value_evaluations: int
    hessian_evaluations: int
    hessian_products: int
    proof_gradients: int
    """Gradients that checking the certificate took, beyond those of the run."""
    audit_gradients: int
    """Points at which your own functions were audited before a success was claimed, beyond those of the run."""
    inner_steps: int
    """Newton steps in the subproblems."""
    restarts: int
    steps: int
    operations: int
    """Multiplications and additions of the run, about, at the speed of products with data: methods are compared by it."""
    data_passes: float
    """Reads of the data from beginning to end, proofs included; of a Hessian the share of the data that it was formed from."""
    constants_gradients: int | None
    """What finding the constants of a published method took besides, by the default method; None with other methods."""
    promised_gradients: int | None
    """What the theorem of a published method promises to suffice."""
    constants: Constants | None = None
    """The constants that a published method was run with, given or found: the same solve with these repeats the run."""
    seconds: float
    history: list[Record]
    """One record for each step; fewer in long runs."""
    trace: list[Iteration]
    """Every iteration of a published method, where ``trace=True`` asked for it."""
    trouble: str | None
    """What went wrong, with NumericalError."""
    fault: Fault | None
    """Which row failed, when and where."""
    feasible: Feasible | None
    """Where x violates constraints a little and a strictly feasible point was met or found beside x: x moved until they hold."""
    certificate: Certificate | None
    infeasibility: Infeasibility | None
    """The proof that no point satisfies the constraints."""
    unboundedness: Unboundedness | None
    """The proof that the objective falls without bound: a point and a ray."""
    warm_start: _ufcm.WarmStart
    """Where the run ended, for the next one to begin with: ``p.solve(warm_start=result)`` uses it."""
    settings: dict[str, Any]
    """What was asked, all settings by name; starting points are not kept."""

    def __init__(self, told: dict[str, Any], problem: Problem) -> None:
        wrappers: dict[str, Any] = {"certificate": Certificate, "infeasibility": Infeasibility}
        wrappers["unboundedness"] = Unboundedness
        tuples = {"fault": Fault, "feasible": Feasible}
        for name, value in told.items():
            if value is not None and name in wrappers:
                value = wrappers[name](value)
            elif value is not None and name in tuples:
                value = tuples[name](*value)
            elif value is not None and name == "constants":
                value = Constants.of(value)
            elif name == "history":
                value = [Record._make(fields) for fields in value]
            elif name == "trace":
                value = [Iteration._make(fields) for fields in value]
            setattr(self, name, value)
        self._has_functions = problem._has_functions()
        rows = self.row_multipliers
        self.constraint_names = [layout.name for layout in problem._constraint_rows]
        self.multipliers = Multipliers(self.constraint_names, [layout.of(rows) for layout in problem._constraint_rows])
        names = [layout.name for layout in problem._term_rows]
        self.term_multipliers = Multipliers(names, [layout.of(rows) for layout in problem._term_rows])

    @property
    def success(self) -> bool:
        """Whether x can be taken for a solution within the tolerances."""
        return self.status in ("Certified", "Solved")

    @property
    def gap(self) -> float:
        """Objective minus lower bound."""
        return self.objective - self.lower_bound

    # What SciPy's users look for

    @property
    def fun(self) -> float:
        """The objective at x, as SciPy calls it."""
        return self.objective

    @property
    def message(self) -> str:
        """What the status says, in a sentence; where a function of yours is at fault, what looks closer."""
        advice = f"; {self.advice}" if self.advice else ""
        return f"{self.status}: {self.meaning}{advice}"

    @property
    def advice(self) -> str | None:
        """What to do next, where a function of yours seems to be at fault; None elsewhere."""
        unfinished = self.status in ("NumericalError", "IterationLimit", "TimeLimit") and self._has_functions
        if unfinished or (self.status == "NumericalError" and self.fault is not None):
            return "Problem.check() looks for mistakes in gradients and convexity, and names where they are"
        return None

    @property
    def nit(self) -> int:
        """The steps of the run, as SciPy calls them."""
        return self.steps

    @property
    def nfev(self) -> int:
        """Evaluations of values, with or without gradients, those of proofs and audits included."""
        return self.njev + self.value_evaluations

    @property
    def njev(self) -> int:
        """Evaluations of gradients, those of proofs and audits included."""
        return self.gradient_evaluations + self.proof_gradients + self.audit_gradients

    @property
    def nhev(self) -> int:
        """Evaluations of second derivatives."""
        return self.hessian_evaluations

    @property
    def multipliers_by_name(self) -> dict[str, Multiplier]:
        """The multipliers under the names of their constraints."""
        return dict(zip(self.constraint_names, self.multipliers))

    def __repr__(self) -> str:
        return "\n".join(_display.summary(self))

    def _repr_html_(self) -> str:
        return _display.page(self)

    def plot(self, axes: Any = None, *, against: str = "gradient_evaluations") -> Any:
        """Draws bounds, relative gap and violation over the course of the run with matplotlib; returns the figure.

        `against` is ``"gradient_evaluations"``, ``"seconds"`` or ``"step"``; `axes` are two axes to draw into.
        """
        from ufcm._plot import plot

        return plot(self, axes, against)


class RowLayout(NamedTuple):
    """Which rows belong to a constraint or a term."""

    name: str
    start: int
    rows: int
    is_scalar: bool
    bound: _ufcm.Block | None = None

    def of(self, values: Vector) -> Multiplier:
        """The part of a vector of multipliers over all rows; one number where a bound on several rows has one multiplier."""
        # + 0.0 turns -0 into 0.
        own = values[self.start : self.start + self.rows] + 0.0
        whole = self.bound.bound_multiplier(own) if self.is_scalar and self.bound is not None else None
        return own if not self.is_scalar else float(own[0]) if whole is None else whole


__all__ = ["Fault", "Feasible", "Iteration", "Multipliers", "Record", "Result"]
