"""Choice between the engine of many rigid bodies and single contacts for systems with large groups."""

from __future__ import annotations

from carom.compiled_model.rigid_body_data import unsupported_element
from carom.model.system import System
from carom.solve.options import Nonsmooth

SCHEMES = ("midpoint", "moreau")
"""Schemes of the engine."""


def expansion_reason(system: System, options: Nonsmooth) -> str | None:
    """Return why the pairs of large groups must be single contacts in a non-smooth run, or None."""
    if options.scheme not in SCHEMES:
        return f"scheme={options.scheme!r} needs single contacts"
    if options.solver not in (None, "pgs"):
        return f"solver={options.solver!r} needs single contacts"
    if options.adaptive:
        return "adaptive=True needs single contacts"
    reason = unsupported_element(system)
    return None if reason is None else f"{reason}, which needs single contacts"
