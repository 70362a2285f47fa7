"""Memory of the implicit method between steps: polynomial of the last step, age of the Jacobian."""

from __future__ import annotations

from carom.kernels import floats, jit
from carom.solve.radau.coefficients import N_STAGES
from carom.solve.runge_kutta.records import RUNGE_KUTTA

KEPT_CONTRACTION = 0.02
"""Contraction of an iteration up to which the Jacobian is kept for the next step [-]."""


@jit
def keep_step(radau, h):
    """Keep the polynomial of an accepted step of length ``h`` [s], and the Jacobian if the iteration was fast."""
    Z = floats(radau.increments)
    last = floats(radau.last_increments)
    for j in range(N_STAGES * RUNGE_KUTTA(radau.rk).n_controlled):
        last[j] = Z[j]
    memory = radau.memory
    memory.h_last = h
    memory.has_fresh_jacobian = 0
    if memory.contraction > KEPT_CONTRACTION:
        memory.needs_jacobian = 1


@jit
def forget_steps(radau):
    """Let the next step begin without a past, after an event or steps of another method."""
    memory = radau.memory
    memory.h_last = 0.0
    memory.contraction = 0.0
    memory.needs_jacobian = 1
