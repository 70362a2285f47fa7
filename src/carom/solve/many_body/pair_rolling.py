"""Rolling and spinning resistance of a pair, limited so that it stays stable for any step."""

from __future__ import annotations

import math

from carom.kernels import jit
from carom.laws.friction.rolling_resistance import PARAMS, rolling_torque, spinning_torque

MAX_FRACTION = 0.25
"""Fraction of the relative angular velocity that the torque of one contact may remove in one step [-]."""


@jit
def clear_rolling(state):
    """Reset the torque of a contact that begins or ends."""
    for d in range(3):
        state.last_rolling_torque[d] = 0.0


@jit
def rolling_resistance(params, force, body, other, nx, ny, nz, per_step, state, friction_power):
    """Return the torque on the first body [N m], and the sum of powers with this torque [W].

    ``force`` [N] is the normal force along n, ``per_step`` the inverse of the step [1/s]. The sum gets the powers of
    the torques at both ends of the step with the relative angular velocity in its middle.
    """
    p = PARAMS(params)
    last = state.last_rolling_torque
    wx = body.omega_half[0] - other.omega_half[0]
    wy = body.omega_half[1] - other.omega_half[1]
    wz = body.omega_half[2] - other.omega_half[2]
    friction_power -= last[0] * wx + last[1] * wy + last[2] * wz
    about_normal = wx * nx + wy * ny + wz * nz
    tx = wx - about_normal * nx
    ty = wy - about_normal * ny
    tz = wz - about_normal * nz
    spin = math.sqrt(tx * tx + ty * ty + tz * tz)
    rolling = 0.0
    spinning = 0.0
    inverse_inertia = body.max_inverse_inertia + other.max_inverse_inertia
    if force > 0.0 and inverse_inertia > 0.0:
        most = MAX_FRACTION * per_step / inverse_inertia
        if spin > 0.0:
            rolling = -min(force * rolling_torque(p, spin) / spin, most)
        if about_normal != 0.0:
            spinning = -min(force * spinning_torque(p, about_normal) / about_normal, most) * about_normal
    mx = rolling * tx + spinning * nx
    my = rolling * ty + spinning * ny
    mz = rolling * tz + spinning * nz
    friction_power -= mx * wx + my * wy + mz * wz
    last[0] = mx
    last[1] = my
    last[2] = mz
    return mx, my, mz, friction_power
