"""Operations that only compiled code has, by name: their definitions need a compiler and are loaded with it."""

from __future__ import annotations

from functools import cached_property
from typing import Any


class Intrinsic:
    """An operation of compiled code that `carom.kernels.numba_intrinsics` defines under ``name``.

    With ``arguments`` the definition is what the function of this name returns for them.
    """

    def __init__(self, name: str, *arguments: Any):
        self.name = name
        self.arguments = arguments

    @cached_property
    def _numba_type_(self) -> Any:
        """Type of this object in compiled code."""
        from carom.kernels import numba_compat, numba_intrinsics

        definition = getattr(numba_intrinsics, self.name)
        return numba_compat.type_of_intrinsic(definition(*self.arguments) if self.arguments else definition)

    def __repr__(self) -> str:
        return f"<intrinsic {self.name}>"
