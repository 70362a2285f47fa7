"""Base class of normal and friction laws, and the choice of a law by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np

from carom.argument_checks import limit_length, one_of, short_repr
from carom.errors import ModelError
from carom.init_arguments import Sealed
from carom.kernels import Kernel, RecordType
from carom.kernels.user_functions import UserKernel

NO_BODIES = np.dtype([("none", [("x", np.float64)])])
"""Body dtype for which user-defined laws are compiled: a law uses the quantities of its contact only."""


class Law(Sealed):
    """Contact law: a formula with its parameters and its compiled kernel."""

    change_advice = "build a new law and assign it to the contact"
    takes_inputs = True

    name: str
    """Name in snake case, by which the law is selected."""
    formula: str
    reference: str
    arguments: ClassVar[tuple[str, ...]]
    """Keywords of the constructor."""
    styles: ClassVar[Mapping[str, tuple[tuple[str, ...], ...]]] = {}
    """Argument lists of those arguments that are functions."""
    kernel: ClassVar[Kernel]
    params: ClassVar[RecordType]
    """Record of the kernel parameters; the law has an attribute for each field."""

    @property
    def parameters(self) -> tuple[float, ...]:
        """Values of the kernel parameters, in the order of ``params``."""
        return tuple(float(getattr(self, name)) for name in self.params)

    def compiled(self, label: str, body_dtype: np.dtype) -> Kernel | UserKernel:
        """Return the kernel; ``label`` and ``body_dtype`` are used by user-defined laws only."""
        return self.kernel

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments of an equal law."""
        return {key: getattr(self, key) for key in self.arguments}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self.keywords().items())})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Law) and other.parameters == self.parameters

    def __hash__(self) -> int:
        return hash((type(self), self.parameters))


L = TypeVar("L", bound=Law)


def resolve_law(
    family: str,
    base: type[L],
    known: Mapping[str, type[L]],
    custom: Callable[[Any], L],
    law: Any,
    parameters: Mapping[str, Any],
) -> L:
    """Return a law from its name or class with ``parameters``, from a function (by ``custom``), or from a law itself.

    Raise `ModelError` for an unknown name, wrong parameters or an object of another kind.
    """
    kind = known[one_of(family, "name", law, sorted(known))] if isinstance(law, str) else law
    if isinstance(kind, type) and issubclass(kind, base):
        try:
            inspect.signature(kind).bind(**parameters)
        except TypeError as error:
            raise ModelError(
                f"{family} {kind.name!r}: {error}; its parameters are {', '.join(kind.arguments)}"
            ) from None
        return kind(**parameters)
    if not isinstance(law, base) and not callable(law):
        raise ModelError(f"{family}: must be a law, the name of a law or a function, got {short_repr(law)}")
    if parameters:
        raise ModelError(
            f"{family}: {', '.join(parameters)} can be set with the name of a law only, got {law!r}, which has its "
            "parameters already"
        )
    return law if isinstance(law, base) else custom(law)


def finite_floats(owner: str, what: str, value: Any) -> np.ndarray:
    """Return a number or an array as an array of floats; raise `ModelError` unless all are finite."""
    try:
        if np.asarray(limit_length(owner, what, value)).dtype.kind not in "iufO":
            raise TypeError(value)
        result = np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{owner}: {what} must be a number or an array of numbers, got {short_repr(value)}") from None
    if not np.isfinite(result).all():
        raise ModelError(f"{owner}: {what} must be finite, got {short_repr(value)}")
    return result


def raise_user_error(kernel: Kernel | UserKernel) -> None:
    """Raise the error that the function of a user-defined law raised in its last calls, if any."""
    if isinstance(kernel, UserKernel) and kernel.error is not None:
        error = kernel.error
        kernel.forget()
        raise error
