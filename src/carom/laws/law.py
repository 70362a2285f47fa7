"""What normal and friction laws share: a name, keywords, numbers for a kernel, and where they come from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np

from carom.errors import ModelError, bounded, choice, shown
from carom.init_arguments import Sealed
from carom.kernels import Kernel
from carom.kernels.user import UserKernel

NO_BODIES = np.dtype([("none", [("x", np.float64)])])
"""The state a user's law is compiled with: laws see their own quantities only."""


class Law(Sealed):
    """A formula with its parameters: ``kernel`` and the numbers it takes."""

    instead = "build a new law and assign it to the contact"

    name: str
    """Snake case; laws are found by it."""
    formula: str
    reference: str
    arguments: ClassVar[tuple[str, ...]]
    """Keywords of the constructor."""
    styles: ClassVar[Mapping[str, tuple[tuple[str, ...], ...]]] = {}
    """Argument lists of the functions among them."""
    kernel: ClassVar[Kernel]
    parameters: tuple[float, ...]
    """What the kernel is given as ``par``."""

    def compiled(self, label: str, record: np.dtype) -> Kernel | UserKernel:
        """What has the ``address``; ``label`` and ``record`` matter to laws written by users only."""
        return self.kernel

    def keywords(self) -> dict[str, Any]:
        """The arguments that make this law again."""
        return {key: getattr(self, key) for key in self.arguments}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self.keywords().items())})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Law) and other.parameters == self.parameters

    def __hash__(self) -> int:
        return hash((type(self), self.parameters))


L = TypeVar("L", bound=Law)


def find(
    family: str,
    base: type[L],
    known: Mapping[str, type[L]],
    write: Callable[[Any], L],
    law: Any,
    parameters: Mapping[str, Any],
) -> L:
    """The law meant by ``law``: its name or class, with parameters; a function that ``write`` makes one; or itself."""
    kind = known[choice(family, "name", law, sorted(known))] if isinstance(law, str) else law
    if isinstance(kind, type) and issubclass(kind, base):
        try:
            inspect.signature(kind).bind(**parameters)
        except TypeError as trouble:
            raise ModelError(f"{family} {kind.name!r} takes {', '.join(kind.arguments)}: {trouble}") from None
        return kind(**parameters)
    if not isinstance(law, base) and not callable(law):
        raise ModelError(f"{family}: expected a law, its name, or a function, got {shown(law)}")
    if parameters:
        raise ModelError(f"{family} {law!r} has its parameters already; {', '.join(parameters)} can go to a name only")
    return law if isinstance(law, base) else write(law)


def numbers(owner: str, what: str, value: Any) -> np.ndarray:
    """``value``, a number or an array, as finite floats."""
    try:
        if np.asarray(bounded(owner, what, value)).dtype.kind not in "iufO":
            raise TypeError(value)
        result = np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{owner}: {what} must be a number or an array of numbers, got {shown(value)}") from None
    if not np.isfinite(result).all():
        raise ModelError(f"{owner}: {what} must be finite, got {shown(value)}")
    return result
