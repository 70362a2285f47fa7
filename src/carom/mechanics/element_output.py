"""Records that the kernels of motions and forces write."""

from __future__ import annotations

from typing import Any

from carom.kernels import FLOAT, address_of, floats, jit, offset, record

MOTION_OUTPUT = record(
    value=FLOAT,  # prescribed coordinate [m, rad]
    rate=FLOAT,  # first derivative [m/s, rad/s]
    acceleration=FLOAT,  # second derivative [m/s², rad/s²]
)

FORCE_OUTPUT = record(
    potential=FLOAT,  # stored energy [J]
    dissipated_power=FLOAT,  # [W]
    applied_power=FLOAT,  # supplied from outside [W]
)
"""Begins the output of every force, behind the wrenches on its bodies; the signals of the force follow."""

N_FORCE_OUTPUT = len(FORCE_OUTPUT)


def force_output(signals: str) -> Any:
    """Declare the output of a force: `FORCE_OUTPUT`, then its signals."""
    return record(" ".join((*FORCE_OUTPUT.names, *signals.split())))


@jit
def signals_of(output):
    """Return a pointer to the signals in the output of a force."""
    return offset(floats(address_of(output)), N_FORCE_OUTPUT)
