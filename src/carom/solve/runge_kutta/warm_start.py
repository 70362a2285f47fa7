"""Start values of closest-point searches: accepted with a state, restored before another step from it."""

from __future__ import annotations

from carom.kernels import floats, jit


@jit
def accept_warm_start(model):
    """Accept the start values of the closest-point searches with the current state."""
    memory = floats(model.warm_start)
    saved = floats(model.warm_start_accepted)
    for i in range(model.n_warm_start):
        saved[i] = memory[i]


@jit
def restore_warm_start(model):
    """Restore the start values of the closest-point searches at the last accepted state."""
    memory = floats(model.warm_start)
    saved = floats(model.warm_start_accepted)
    for i in range(model.n_warm_start):
        memory[i] = saved[i]
