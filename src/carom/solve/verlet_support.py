"""Elements of a system that only the integrator "verlet" supports."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError
from carom.model.system import System


def needs_verlet(system: Any) -> bool:
    """Return True if a compliant run of ``system`` needs the integrator "verlet"."""
    return isinstance(system, System) and bool(system.groups or system.boundaries)


def refuse_boundaries(system: Any, method: str) -> None:
    """Raise if ``system`` has inlets or outlets; ``method`` is the method or analysis that does not support them."""
    if isinstance(system, System) and system.boundaries:
        raise ModelError(
            f"{system.boundaries[0].label}: {method} does not support inlets and outlets; use simulate with "
            "method='compliant' and integrator='verlet', or remove it"
        )
