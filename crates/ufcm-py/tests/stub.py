"""The stub of the functions that are made from the catalogue: what type checkers and editors know of them."""

import inspect

from ufcm._catalogue import KINDS, default, documentation, parameters

TYPES = {
    "matrix": "Any",
    "matrix_or_diagonal": "Any",
    "labels": "ArrayLike",
    "vector": "ArrayLike",
    "spread": "ArrayLike",
    "per_coordinate": "ArrayLike",
    "number": "float",
    "count": "int",
    "flag": "bool",
    "choice": "str",
    "groups": "Sequence[Iterable[int]]",
    "parts": "Sequence[tuple[int, Regularizer]]",
}
MADE = {"component": "Component", "composer": "Term", "regulariser": "Regularizer", "domain": "Regularizer"}
HEAD = '''"""Written from the catalogue by `UFCM_BLESS=1 scripts/python test tests/test_kinds.py`; do not edit."""

from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from ufcm._component import Component
from ufcm._regularizer import Regularizer
from ufcm._term import Rows, Term

'''


def parameter(field):
    """A parameter with its type and default."""
    value, kind = default(field), TYPES[field["type"]["is"]]
    if value is inspect.Parameter.empty:
        return f"{field['symbol']}: {kind}"
    if value is None:
        kind += "" if kind == "Any" else " | None"
    simple = not isinstance(value, float) or abs(value) < float("inf")
    shown = f'"{value}"' if isinstance(value, str) else repr(value) if simple else "..."
    return f"{field['symbol']}: {kind} = {shown}"


def stub():
    """The whole file."""
    names = "".join(f'    "{kind["name"]}",\n' for kind in KINDS)
    text = HEAD + f"__all__ = [\n{names}]\n"
    for kind in KINDS:
        given = ["rows: Rows"] if kind["section"] == "composer" else []
        fields = parameters(kind)
        given += [parameter(field) for field in fields if field["call"] == "positional"]
        keywords = [parameter(field) for field in fields if field["call"] == "keyword"]
        given += ["*", *keywords] if keywords else []
        body = documentation(kind).strip().replace("\\", "\\\\").replace("\n", "\n    ").replace("\n    \n", "\n\n")
        one_line = f"def {kind['name']}({', '.join(given)}) -> {MADE[kind['section']]}:"
        if len(one_line) > 110:
            lines = "".join(f"    {each},\n" for each in given)
            one_line = f"def {kind['name']}(\n{lines}) -> {MADE[kind['section']]}:"
        text += f'\n{one_line}\n    """{body}\n    """\n'
    return text
