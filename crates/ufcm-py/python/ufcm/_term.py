"""Terms of the objective: components and affine blocks under a composer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ufcm import _ufcm
from ufcm._component import Component, is_number, strict
from ufcm._constraint import Affine, Constraint
from ufcm._data import point
from ufcm._regularizer import Regularizer

Rows = Affine | Sequence[Component]


class Term:
    """A term ``h(g_1(x), ..., g_m(x))`` of the objective, e.g. a max of components or a norm of an affine block.

    Terms are weighted and added to components and to each other:

    >>> import ufcm
    >>> f, g = ufcm.quadratic([1.0, 1.0]), ufcm.linear([1.0, -1.0])
    >>> f + 0.5 * ufcm.maximum([f, g])
    <Objective: quadratic + 0.5 maximum of 2 rows>
    """

    __slots__ = ("_block", "_kind", "_rows", "_values", "name", "weight")
    __array_ufunc__ = None

    def __init__(
        self, kind: str, rows: Any, values: dict[str, Any], weight: float = 1.0, name: str | None = None
    ) -> None:
        self._kind, self._rows, self._values = kind, check_rows(kind, rows), values
        self.weight, self.name = float(weight), name
        self._block = self._named_block(name)

    @property
    def _core(self) -> _ufcm.Affine | list[_ufcm.Component]:
        return self._rows._core if isinstance(self._rows, Affine) else [g._core for g in self._rows]

    def _named_block(self, name: str | None) -> _ufcm.Block:
        return _ufcm.Block.term(self._kind, self._core, {**self._values, "weight": self.weight}, name)

    def __reduce__(self) -> Any:
        return (Term, (self._kind, self._rows, self._values, self.weight, self.name))

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._rows.rows if isinstance(self._rows, Affine) else len(self._rows)

    @property
    def n(self) -> int:
        """The number of variables."""
        return self._rows.n if isinstance(self._rows, Affine) else self._rows[0].n

    def named(self, name: str) -> Term:
        """The same term under a name, for results and messages."""
        return Term(self._kind, self._rows, self._values, self.weight, name)

    def _text(self) -> str:
        weight = "" if self.weight == 1.0 else f"{self.weight:g} "
        return f"{weight}{self._kind} of {self.rows} rows"

    def __repr__(self) -> str:
        return f"<Term: {self._text()}>"

    def __call__(self, x: ArrayLike) -> float:
        """The value at `x`.

        >>> import ufcm
        >>> ufcm.norm1(ufcm.affine([[1.0, 0.0], [0.0, -2.0]]))([1.0, 1.0])
        3.0
        """
        return Objective.of(self)(x)

    def __mul__(self, weight: Any) -> Term:
        if not is_number(weight):
            return NotImplemented
        return Term(self._kind, self._rows, self._values, self.weight * float(weight), self.name)

    __rmul__ = __mul__

    def __add__(self, other: Any) -> Objective:
        return Objective.of(self).__add__(other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Objective:
        return Objective.of(self).__sub__(other)

    def __ge__(self, bound: Any) -> Constraint:
        raise ValueError(f"{self._text()} >= {bound} is not convex; it is bounded from above, with <=")

    __lt__ = __gt__ = strict

    def __le__(self, bound: Any) -> Constraint:
        """``h(g(x)) <= bound``. A bound on a maximum or a norm_inf has a multiplier for each row, any other has one.

        >>> import ufcm
        >>> ufcm.norm2(ufcm.affine([[1.0, 0.0], [0.0, 2.0]])) <= 1.0
        <Constraint: norm2 of 2 rows <= 1.0>
        >>> losses = ufcm.affine([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
        >>> risk = ufcm.conditional_value_at_risk(losses, 0.5) <= 1.0
        >>> r = ufcm.Problem(ufcm.linear([-1.0, -1.0]), [risk], domain=ufcm.box(-5, 5)).solve()
        >>> r.status, isinstance(r.multipliers[0], float)
        ('Certified', True)
        """
        if not is_number(bound):
            return _at_most_other(self, bound)
        if not np.isfinite(float(bound)):
            raise ValueError(f"the bound of {self._kind} is {bound}; it must be a finite number")
        arguments = (self._kind, {**self._values, "weight": self.weight}, float(bound))
        constraint = Constraint(
            [("bounded", self, arguments)],
            f"{self._text()} <= {bound}",
            bool(self._block.is_bounded_as_a_whole),
            self.name,
            0.0,  # its bound is not that of a row
        )
        constraint._blocks("constraint")  # what is wrong with the bound is said here
        return constraint


def check_rows(kind: str, rows: Any) -> Affine | tuple[Component, ...]:
    if isinstance(rows, Affine):
        return rows
    if _is_data(rows):
        raise TypeError(f"{kind} takes a list of components or an affine block, not data; {_instead(kind)}")
    if isinstance(rows, Component) or not isinstance(rows, Iterable):
        raise TypeError(f"{kind} takes a list of components or an affine block, not {type(rows).__name__}")
    components = tuple(rows)
    for k, row in enumerate(components):
        if not isinstance(row, Component):
            raise TypeError(f"{kind}: row {k} is {type(row).__name__}; it must be a component")
        if row.n != components[0].n:
            raise ValueError(f"{kind}: row {k} has {row.n} variables; row 0 has {components[0].n}")
    if not components:
        raise ValueError(f"{kind} of nothing")
    return components


def _is_data(rows: Any) -> bool:
    """Whether these are numbers, where components were expected."""
    if isinstance(rows, (list, tuple)) and len(rows):
        return isinstance(rows[0], (list, tuple, np.ndarray)) or is_number(rows[0])
    plain = isinstance(rows, np.ndarray) and rows.dtype.kind in "fiub"
    return plain or hasattr(rows, "tocsr") or hasattr(rows, "to_numpy") or isinstance(rows, _ufcm.Matrix)


def _instead(kind: str) -> str:
    """What takes data where a composer got them."""
    if kind in ("squared_hinge", "sum_huber"):
        loss = {"squared_hinge": "squared_hinge_loss(A, y)", "sum_huber": "huber(A, y, delta)"}[kind]
        return f"the loss of samples is ufcm.{loss}"
    return f"write ufcm.{kind}(ufcm.affine(A, b), ...)"


def _at_most_other(term: Term | Objective, bound: Any) -> Constraint:
    """``term <= bound`` for what is no number: convex where it is affine."""
    if isinstance(bound, Component) and bound.is_affine:
        below: Constraint = (term - bound) <= 0.0
        return below
    if isinstance(bound, (Component, Term, Objective, Affine)):
        raise ValueError(f"{term!r} <= {bound!r} is not convex; the right side must be a number or an affine component")
    raise TypeError(f"the bound is {type(bound).__name__}; it must be a number or an affine component")


class Objective:
    """What is minimised: components and terms, added up."""

    __slots__ = ("component", "regularizer", "terms")
    __array_ufunc__ = None

    def __init__(
        self, component: Component | None, terms: tuple[Term, ...], regularizer: Regularizer | None = None
    ) -> None:
        self.component, self.terms, self.regularizer = component, terms, regularizer

    @staticmethod
    def of(part: Any) -> Objective:
        """`part` as an objective."""
        if isinstance(part, Objective):
            return part
        if isinstance(part, Component):
            return Objective(part, ())
        if isinstance(part, Term):
            return Objective(None, (part,))
        if isinstance(part, Regularizer):
            return Objective(None, (), part)
        raise TypeError(f"minimize is {type(part).__name__}; it must be a component, a term, or a sum of such")

    @property
    def n(self) -> int:
        """The number of variables."""
        if self.component is None and not self.terms:
            raise ValueError("the number of variables is not known: regularizers alone do not tell it; give n=")
        return self.terms[0].n if self.component is None else self.component.n

    def __reduce__(self) -> Any:
        return (Objective, (self.component, self.terms, self.regularizer))

    def without_regularizer(self) -> Objective | None:
        """Components and terms alone; None where there are none."""
        return None if self.component is None and not self.terms else Objective(self.component, self.terms)

    def __repr__(self) -> str:
        own = [] if self.component is None else [self.component.name or self.component.kind]
        last = [] if self.regularizer is None else [self.regularizer._text()]
        return f"<Objective: {' + '.join(own + [term._text() for term in self.terms] + last)}>"

    def __call__(self, x: ArrayLike) -> float:
        """The value at `x`.

        >>> import ufcm
        >>> f = ufcm.quadratic([1.0, 1.0]) + ufcm.maximum([ufcm.linear([1.0, 0.0]), ufcm.linear([0.0, 1.0])]) + ufcm.l1(0.5)
        >>> f([1.0, 2.0])
        6.0
        """
        x = point(x, self.n)
        blocks = [term._block for term in self.terms]
        core = _ufcm.Problem(self.n, None if self.component is None else self.component._core, blocks, [], [], None)
        return core.value(x) + (0.0 if self.regularizer is None else self.regularizer(x))

    def __add__(self, other: Any) -> Objective:
        if is_number(other):
            if float(other) == 0.0:
                return self
            other = Component._of_kind("linear", {"linear": np.zeros(self.n), "constant": float(other)})
        if not isinstance(other, (Component, Term, Objective, Regularizer)):
            return NotImplemented
        other = Objective.of(other)
        parts = [part for part in (self.component, other.component) if part is not None]
        component = None if not parts else parts[0] if len(parts) == 1 else parts[0] + parts[1]
        own = [part for part in (self.regularizer, other.regularizer) if part is not None]
        regularizer = None if not own else own[0] if len(own) == 1 else own[0] + own[1]
        return Objective(component, self.terms + other.terms, regularizer)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Objective:
        return self + (-other) if is_number(other) or isinstance(other, Component) else NotImplemented

    def __mul__(self, weight: Any) -> Objective:
        if not is_number(weight):
            return NotImplemented
        component = None if self.component is None else self.component * weight
        regularizer = None if self.regularizer is None else self.regularizer * weight
        return Objective(component, tuple(term * weight for term in self.terms), regularizer)

    __rmul__ = __mul__

    def __ge__(self, bound: Any) -> Constraint:
        raise ValueError(f"{repr(self)[len('<Objective: ') : -1]} >= {bound} is not convex; it is bounded from above, with <=")

    __lt__ = __gt__ = strict

    def __le__(self, bound: Any) -> Constraint:
        """``loss + norm2(...) <= bound``: one row that is the sum, with one multiplier.

        >>> import ufcm
        >>> size = ufcm.quadratic([1.0, 1.0]) + ufcm.norm2(ufcm.affine([[1.0, 0.0], [0.0, 1.0]]))
        >>> r = ufcm.Problem(ufcm.linear([1.0, 0.0]), [(size <= 1.5).named("size")], domain=ufcm.ball(9.0)).solve()
        >>> r.status, bool(abs(r.x[0] + 1.0) < 1e-5)
        ('Certified', True)
        """
        if not is_number(bound):
            return _at_most_other(self, bound)
        if self.component is None and self.regularizer is None and len(self.terms) == 1:
            alone: Constraint = self.terms[0] <= bound
            return alone
        constraint: Constraint = self._as_component() <= float(bound)
        constraint._text = f"{repr(self)[len('<Objective: ') : -1]} <= {bound}"
        return constraint

    def _as_component(self) -> Component:
        """The sum as one function of x."""
        parts = [] if self.component is None else [self.component]
        parts += [_composed(term._kind, term._rows, {**term._values, "weight": term.weight}) for term in self.terms]
        for price in () if self.regularizer is None else self.regularizer._summands:
            parts.append(_of_regularizer(price, self.n))
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total


def _composed(kind: str, rows: Any, values: dict[str, Any]) -> Component:
    """h(A x - b) as a component."""
    if not isinstance(rows, Affine):
        raise ValueError(f"{kind} of components cannot be part of a bounded sum; bound it alone, or write it over an affine block")
    if kind in ("negative_log", "negative_entropy", "reciprocal"):
        raise ValueError(f"{kind} is not finite everywhere and cannot be part of a bounded sum")
    return Component._made("composed", kind, rows, values)


def _of_regularizer(part: Regularizer, n: int) -> Component:
    """A regulariser as a component: prices on absolute values and on squares."""
    known = {"l1": ("weight",), "ridge": ("weight",), "elastic_net": ("l1", "ridge")}
    if part.kind not in known or part._changes:
        raise ValueError(f"{part._text()} cannot be part of a bounded sum; l1, ridge and elastic_net can, and terms such as norm1")
    made: list[Component] = []
    for field in known[part.kind]:
        prices = np.broadcast_to(np.asarray(part._values[field], np.float64), n)
        squares = field == "ridge" or part.kind == "ridge"
        if squares:
            made.append(Component._of_kind("quadratic", {"matrix": np.array(prices)}))
        else:
            made.append(_composed("norm1", Affine(np.eye(n)), {"weights": np.array(prices)}))
    return made[0] if len(made) == 1 else made[0] + made[1]
