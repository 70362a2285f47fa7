"""Elements of a system that only the methods for many bodies support."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError
from carom.model.system import System


def needs_many_bodies(system: Any) -> bool:
    """Return True if a run of ``system`` needs a method for many bodies: large groups, inlets, periodic directions."""
    return isinstance(system, System) and bool(system.groups or system.boundaries or system.periodic)


def refuse_boundaries(system: Any, method: str) -> None:
    """Raise if ``system`` has inlets, outlets or periodic directions; ``method`` or analysis does not support them."""
    if not isinstance(system, System):
        return
    use = "use integrator='verlet', or method='nonsmooth' with the default scheme and solver, or remove"
    if system.boundaries:
        raise ModelError(f"{system.boundaries[0].label}: {method} does not support inlets and outlets; {use} it")
    if system.periodic:
        axes = ", ".join(system.periodic)
        raise ModelError(
            f"System {system.name!r}: {method} does not support periodic directions, got {axes}; {use} periodic="
        )


def refuse_inputs(system: System, has_mechanism: bool) -> None:
    """Raise if inputs of ``system`` can have no effect in a run of many bodies, or a law follows one."""
    if system.inputs and not has_mechanism:
        raise ModelError(f"{system.inputs[0].label}: the system has no joint or force element that could follow it")
    for item in (*system.groups, *system.small_groups, *system.contacts):
        if any("_input_arguments" in getattr(getattr(item, role), "__dict__", {}) for role in ("law", "friction")):
            raise ModelError(
                f"{item.label}: laws cannot follow inputs in a run of many bodies; use numbers, or inputs in joints "
                "and force elements"
            )
