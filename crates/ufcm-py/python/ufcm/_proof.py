"""Proofs: data that are checked without the solver."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from ufcm import _ufcm
from ufcm._constants import Constants
from ufcm._data import Vector

if TYPE_CHECKING:
    from typing_extensions import Self

    from ufcm._problem import Problem

Core = TypeVar("Core", _ufcm.Certificate, _ufcm.Infeasibility, _ufcm.Unboundedness)


class Verified(NamedTuple):
    """What a certificate proves, recomputed from the problem."""

    lower: float
    upper: float
    violation: float

    @property
    def gap(self) -> float:
        """``upper - lower``"""
        return self.upper - self.lower


class _Proof(Generic[Core]):
    """What proofs share."""

    __slots__ = ("_core",)
    _kind: ClassVar[Any]
    _proves: ClassVar[str]

    def __init__(self, core: Core) -> None:
        self._core: Core = core

    @property
    def premise(self) -> str:
        """What the proof takes for granted, as it says: where solutions are, and which parts are not convex by construction."""
        return self._core.premise

    def rests_on(self, problem: Problem) -> str:
        """What the proof takes for granted. Which parts are not convex by construction is asked of the problem, not of the proof."""
        return self._core.rests_on(problem._core)

    def to_json(self) -> str:
        """The proof as a text, such as ``ufcm verify`` reads."""
        return json.dumps({"proves": self._proves, **json.loads(self._core.to_json())})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The proof in a text."""
        fields = json.loads(text)
        if not isinstance(fields, dict):
            raise ValueError("a certificate is a JSON object")
        found = fields.pop("proves", cls._proves)
        if found != cls._proves:
            raise ValueError(f"the file proves {found}, not {cls._proves}")
        return cls(cls._kind.from_json(json.dumps(fields)))

    def __reduce__(self) -> Any:
        return (type(self), (self._core,))


class Certificate(_Proof[_ufcm.Certificate]):
    """A point, bounds of the optimal value, and what proves them.

    >>> import ufcm
    >>> p = ufcm.Problem(minimize=ufcm.quadratic([2.0], [-1.0]), domain=ufcm.box(-1, 1))
    >>> c = p.solve().certificate
    >>> v = c.verify(p)
    >>> v.lower <= -0.25 <= v.upper and v.gap < 1e-5
    True
    >>> ufcm.Certificate.from_json(c.to_json()).verify(p) == v
    True
    """

    __slots__ = ()
    _kind = _ufcm.Certificate
    _proves = "bounds"

    def verify(self, problem: Problem) -> Verified:
        """Recomputes everything from the problem's components; :class:`CertificateError` where less is proven than claimed."""
        return Verified(*self._core.check(problem._core))

    @property
    def constants(self) -> Constants | None:
        """The constants of a published method, with which its run is repeated; no part of the proof."""
        told = json.loads(self._core.to_json()).get("constants")
        return None if told is None else Constants.of(told)

    @property
    def x(self) -> Vector:
        """The point."""
        return self._core.x

    @property
    def lower(self) -> float:
        """The lower bound that is claimed."""
        return self._core.lower

    @property
    def upper(self) -> float:
        """The objective at x, rounded up."""
        return self._core.upper

    @property
    def violation(self) -> float:
        """The violation at x."""
        return self._core.violation

    @property
    def premise_kind(self) -> str:
        """What makes the lower bound finite: ``none``, ``bounded domain``, ``level set``, ``implied bounds``, ``curvature`` or
        ``radius``."""
        return self._core.premise_kind

    def __repr__(self) -> str:
        return f"<Certificate: {self.lower:.9e} <= optimum, upper {self.upper:.9e}, violation {self.violation:.2e}>"


class NeededRow(NamedTuple):
    """A constraint that a proof of infeasibility uses."""

    name: str
    multiplier: float
    without: Vector | None
    """A point of the domain that satisfies all the others, which shows that this one is needed; None where none is known."""


class Infeasibility(_Proof[_ufcm.Infeasibility]):
    """A proof that no point satisfies the constraints.

    >>> import ufcm
    >>> x = ufcm.affine([[1.0, 1.0]])
    >>> p = ufcm.Problem(ufcm.linear([1.0, 0.0]), [x <= -1.0, x >= 0.0, ufcm.affine([[1.0, 0.0]]) <= 9.0])
    >>> proof = p.solve().infeasibility
    >>> [row.name for row in proof.rows], proof.irreducible
    (['constraint 1', 'constraint 2'], True)
    """

    __slots__ = ()
    _kind = _ufcm.Infeasibility
    _proves = "infeasibility"

    @property
    def rows(self) -> tuple[NeededRow, ...]:
        """The constraints that have no common point, with their multipliers in the proof."""
        return tuple(NeededRow(*row) for row in self._core.rows())

    @property
    def multipliers(self) -> Vector:
        """The multipliers of all rows, the objective's first: with them the constraints add up to something that nothing satisfies."""
        found: Vector = np.sum([multipliers for _, multipliers in self._points()], axis=0)
        return found

    def _points(self) -> list[tuple[Vector, Vector]]:
        """The points whose linearisations the proof is made of, each with its multipliers."""
        witnesses = json.loads(self._core.to_json())["witnesses"]
        return [(np.array(one["y"]), one["weight"] * np.array(one["multipliers"])) for one in witnesses]

    @property
    def irreducible(self) -> bool:
        """Whether each of them is shown to be needed: the others have a point in common."""
        return self._core.irreducible

    def verify(self, problem: Problem) -> float:
        """The margin of the proof, positive; :class:`CertificateError` where it proves nothing."""
        return self._core.check(problem._core)

    def __repr__(self) -> str:
        return f"<Infeasibility: {self._core.conflict}>"


class Unboundedness(_Proof[_ufcm.Unboundedness]):
    """A point that satisfies the constraints, and a ray from there along which the objective falls without bound."""

    __slots__ = ()
    _kind = _ufcm.Unboundedness
    _proves = "unboundedness"

    def verify(self, problem: Problem) -> float:
        """How much the objective falls for each length of the ray; :class:`CertificateError` where it proves nothing."""
        return self._core.check(problem._core)

    @property
    def x(self) -> Vector:
        """The point."""
        return self._core.x

    @property
    def ray(self) -> Vector:
        """The direction."""
        return self._core.ray

    def __repr__(self) -> str:
        return "<Unboundedness: a point and a ray along which the objective falls without bound>"
