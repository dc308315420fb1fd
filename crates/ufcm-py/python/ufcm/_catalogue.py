"""The functions that make components, terms, regularisers and domains: one for each kind of the catalogue.

Names, signatures and documentation come from the library's catalogue, so that a kind that is added there is a function
here. ``_kinds.pyi`` tells them to type checkers and editors; a test holds it to the catalogue.
"""

from __future__ import annotations

import inspect
import json
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ufcm import _ufcm
from ufcm._component import Component
from ufcm._data import matrix, number_or_vector, vector
from ufcm._regularizer import Regularizer
from ufcm._term import Term, check_rows

Described = dict[str, Any]
KINDS: list[Described] = json.loads(_ufcm.catalogue())


# Values by the types of their fields


def _matrix_or_diagonal(value: Any, name: str) -> Any:
    if not isinstance(value, _ufcm.Matrix) and np.ndim(value) == 1:
        return vector(value, name)
    # A quadratic reads its matrix where it is: a copy would cost as much as some steps.
    return matrix(value, name, lend=True)


def _number(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}; it must be a number") from None


def _count(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be a whole number") from None


def _groups(value: Any, name: str) -> list[list[int]]:
    try:
        groups = [[operator.index(index) for index in group] for group in value]
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be a list of lists of indices, such as [[0, 1], [2]]") from None
    for g, group in enumerate(groups):
        for index in group:
            if index < 0:
                raise ValueError(f"{name}[{g}] has the index {index}; indices count from 0")
    return groups


def _parts(value: Any, name: str) -> list[tuple[int, Regularizer]]:
    for k, (_, piece) in enumerate(value):
        if not isinstance(piece, Regularizer):
            raise TypeError(f"parts: piece {k} is {type(piece).__name__}; it must be a regularizer")
        if len(piece._summands) > 1:
            raise TypeError(f"parts: piece {k} is a sum; add parts(...) of single regularizers instead")
    return [(operator.index(count), piece) for count, piece in value]


_CONVERTERS: dict[str, Callable[[Any, str], Any]] = {
    "matrix": matrix,
    "matrix_or_diagonal": _matrix_or_diagonal,
    "labels": number_or_vector,
    "vector": vector,
    "spread": number_or_vector,
    "per_coordinate": number_or_vector,
    "number": _number,
    "count": _count,
    "flag": lambda value, name: bool(value),
    "choice": lambda value, name: value,
    "groups": _groups,
    "parts": _parts,
}


# Signatures


def parameters(kind: Described) -> list[Described]:
    """The fields that are parameters: what operators do, such as ``2 * term``, is not among them."""
    return [field for field in kind["fields"] if field["call"] != "operator"]


def default(field: Described) -> Any:
    """What a parameter is where nobody gives it; ``inspect.Parameter.empty`` where it must be given."""
    preset = field["preset"]
    if preset == "required":
        return inspect.Parameter.empty
    [(what, value)] = preset.items()
    return None if what == "absent" else float(value) if what == "number" else value


def signature(kind: Described) -> inspect.Signature:
    """The signature of a kind's function."""
    given = [
        inspect.Parameter(
            field["symbol"],
            inspect.Parameter.KEYWORD_ONLY if field["call"] == "keyword" else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=default(field),
        )
        for field in parameters(kind)
    ]
    rows = [inspect.Parameter("rows", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    return inspect.Signature((rows if kind["section"] == "composer" else []) + given)


def documentation(kind: Described) -> str:
    """What a kind's function says of itself."""
    lines = [kind["about"], "", f"``{kind['formula']}``", ""]
    if kind["section"] == "composer":
        lines.append(":param rows: a list of components, or an affine block: the z_j")
    for field in parameters(kind):
        words = [field["about"]]
        if field["type"]["is"] == "choice":
            words.append(" or ".join(f'"{word}"' for word in field["type"]["choices"]))
        if field["bounds"]:
            words.append(field["bounds"])
        if isinstance(field["preset"], dict) and "absent" in field["preset"]:
            words.append(f"without it {field['preset']['absent']}")
        lines.append(f":param {field['symbol']}: {'; '.join(words)}")
    if kind["example"]:
        lines += ["", ">>> import ufcm", *kind["example"].splitlines()]
    return "\n".join(lines).rstrip() + "\n"


# Functions


def _spellings(kind: Described) -> dict[str, str]:
    """Other spellings of parameters, by which they may be given too."""
    others: dict[str, str] = {}
    for field in parameters(kind):
        for spelling in (field["name"], *field["aliases"]):
            others[spelling] = field["symbol"]
    return others


def _made(kind: Described, arguments: dict[str, Any]) -> Component | Term | Regularizer:
    values: dict[str, Any] = {}
    if kind["section"] == "composer":
        check_rows(kind["name"], arguments["rows"])  # said before anything else: data here are taken for another function
    for field in parameters(kind):
        value = arguments.get(field["symbol"])
        if value is not None:
            values[field["name"]] = _CONVERTERS[field["type"]["is"]](value, field["symbol"])
    if kind["section"] == "component":
        return Component._of_kind(kind["name"], values)
    if kind["section"] == "composer":
        return Term(kind["name"], arguments["rows"], values)
    return Regularizer(kind["name"], values)


def function(kind: Described) -> Callable[..., Any]:
    """The function that makes a kind."""
    own, spellings = signature(kind), _spellings(kind)

    def make(*given: Any, **keywords: Any) -> Any:
        named: dict[str, Any] = {}
        for name, value in keywords.items():
            symbol = name if name in own.parameters else spellings.get(name)
            if symbol is None:
                raise TypeError(f"{kind['name']}() got an unexpected keyword argument {name!r}; it takes {own}")
            if symbol in named:
                raise TypeError(f"{kind['name']}() got multiple values for argument {symbol!r}")
            named[symbol] = value
        try:
            bound = own.bind(*given, **named)
        except TypeError as error:
            if kind["section"] == "composer" and given:
                check_rows(kind["name"], given[0])  # norm2(A, b)
            raise TypeError(f"{kind['name']}() {error}") from None
        return _made(kind, bound.arguments)

    make.__name__ = make.__qualname__ = kind["name"]
    make.__module__, make.__doc__ = "ufcm", documentation(kind)
    make.__signature__ = own  # type: ignore[attr-defined]
    return make


FUNCTIONS: dict[str, Callable[..., Any]] = {kind["name"]: function(kind) for kind in KINDS}
# Earlier names, where they are not those of other kinds.
ALIASES: dict[str, Callable[..., Any]] = {
    alias["name"]: FUNCTIONS[kind["name"]]
    for kind in KINDS
    for alias in kind["aliases"]
    if alias["name"] not in FUNCTIONS
}
