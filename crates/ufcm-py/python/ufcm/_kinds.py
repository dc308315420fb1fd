"""One function for each kind of the catalogue; ``_kinds.pyi`` lists them."""

from ufcm._catalogue import FUNCTIONS

globals().update(FUNCTIONS)
__all__ = list(FUNCTIONS)
