"""Compiled functions of a system in generalised coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from carom.kernels.derivatives import Derivative, Rows
from carom.kernels.state_functions import Function, GeneralKernel


@dataclass(frozen=True)
class GeneralizedKernels:
    """Compiled functions of a system with f coordinates, n contacts and d directions per contact.

    Each is a kernel of (t, q, u). ``mass`` writes M row by row, ``force`` h, ``gaps`` the n gaps. ``directions``
    writes d rows (normal, then tangents) of f + 1 numbers w, w̃ per contact, so that γ = w·u + w̃. ``bodies`` writes
    x, y, angle of each body, ``body_rates`` a row of f + 1 numbers for each of these. None: the system has none.
    """

    mass: GeneralKernel
    force: GeneralKernel
    potential: GeneralKernel | None
    gaps: GeneralKernel | None
    directions: GeneralKernel | None
    bodies: GeneralKernel | None
    body_rates: GeneralKernel | None

    @property
    def user_kernels(self) -> list[GeneralKernel]:
        """All kernels; a run reports the errors of the user functions in them."""
        return [kernel for kernel in vars(self).values() if kernel is not None]


def compile_generated(
    functions: Mapping[str, Any], freedom: int, n_contacts: int, directions: int, n_bodies: int
) -> GeneralizedKernels:
    """Return the kernels of functions (t, q, u, out) generated from Lagrange's equations."""
    sizes = {
        "mass": freedom * freedom,
        "force": freedom,
        "potential": 1,
        "gaps": n_contacts,
        "directions": n_contacts * directions * (freedom + 1),
        "bodies": 3 * n_bodies,
        "body_rates": 3 * n_bodies * (freedom + 1),
    }
    kernels: dict[str, Any] = {
        what: _generated_kernel(freedom, size, functions[what]) if size else None for what, size in sizes.items()
    }
    return GeneralizedKernels(**kernels)


@cache
def _generated_kernel(freedom: int, outputs: int, function: Callable[..., None]) -> GeneralKernel:
    """Return the kernel of a generated function, compiled once for all systems with the same formula."""
    return GeneralKernel("GeneralizedSystem.from_lagrangian", freedom, outputs, function, function)


def derivatives(functions: Sequence[Function], jacobian: Function | None, rows: Rows) -> list[Derivative]:
    """Return the derivatives of functions whose values follow each other in ``rows``."""
    if len(functions) == 1:
        return [Derivative(functions[0], rows, jacobian)]
    result = [] if jacobian is None else [Derivative(None, rows, jacobian)]
    first_value = 0
    for function in functions:
        part = Rows(rows(first_value), rows.block_size, rows.stride)
        result.append(Derivative(function, part, only_time=jacobian is not None))
        first_value += function.count
    return result
