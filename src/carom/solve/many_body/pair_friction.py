"""Friction force of a pair, limited so that it stays stable for any step."""

from __future__ import annotations

import math

from carom.kernels import floats, jit
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT
from carom.laws.friction.coulomb import PARAMS as COULOMB_PARAMS
from carom.laws.friction.coulomb import drag
from carom.mechanics.contact_friction import call_friction_law, sliding_direction, store_tangential
from carom.mechanics.spatial_body import cross


@jit
def clear_friction_state(state):
    """Reset the friction state of a pair without force; its elastic energy is lost."""
    for d in range(3):
        state.friction_state[d] = 0.0
    state.friction_energy = 0.0


@jit
def rotate_friction_state(state, omega_a, omega_b, h):
    """Rotate the friction state of a pair with the mean angular velocity of its bodies over a step ``h`` [s]."""
    z = state.friction_state
    half = 0.5 * h
    x, y, z_ = cross(
        half * (omega_a[0] + omega_b[0]), half * (omega_a[1] + omega_b[1]), half * (omega_a[2] + omega_b[2]),
        z[0], z[1], z[2],
    )  # fmt: skip
    squared = z[0] * z[0] + z[1] * z[1] + z[2] * z[2]
    if squared == 0.0:
        return
    scale = 1.0 / math.sqrt(1.0 + (x * x + y * y + z_ * z_) / squared)  # The step is normal to the state.
    z[0] = scale * (z[0] + x)
    z[1] = scale * (z[1] + y)
    z[2] = scale * (z[2] + z_)


@jit
def friction_force(law, force, gx, gy, gz, nx, ny, nz, inverse_mass, max_rate, h, history, state, workspace):
    """Return the friction force [N] and the sliding speed [m/s] at the end of a step.

    ``g`` is the sliding velocity in the middle of the step [m/s]. The sliding velocity at the end of the step is
    extrapolated from the middles of this step and the last one. The force changes the relative velocity at most by
    ``max_rate`` [1/s] times this velocity. ``inverse_mass`` [1/kg] includes the rotation of both bodies.
    """
    tx = 1.5 * gx - 0.5 * history.last_sliding_velocity[0]
    ty = 1.5 * gy - 0.5 * history.last_sliding_velocity[1]
    tz = 1.5 * gz - 0.5 * history.last_sliding_velocity[2]
    history.last_sliding_velocity[0] = gx
    history.last_sliding_velocity[1] = gy
    history.last_sliding_velocity[2] = gz
    normal_part = tx * nx + ty * ny + tz * nz
    tx -= normal_part * nx
    ty -= normal_part * ny
    tz -= normal_part * nz
    speed = math.sqrt(tx * tx + ty * ty + tz * tz)
    if force <= 0.0:
        if law.has_friction_state != 0:
            clear_friction_state(state)
        return 0.0, 0.0, 0.0, speed
    if law.has_friction_state != 0:
        tx, ty, tz = sliding_direction(tx, ty, tz, speed, nx, ny, nz)
        sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
        z_t, z_s = update_friction_state(law, force, tx, ty, tz, sx, sy, sz, history, state, h, workspace)
        most = max_rate * speed / inverse_mass
        along_t, along_s = friction_with_state(law, force, speed, z_t, z_s, most, workspace)
        state.friction_energy = FRICTION_OUTPUT(workspace.friction_output).stored_energy
        return along_t * tx + along_s * sx, along_t * ty + along_s * sy, along_t * tz + along_s * sz, speed
    if speed == 0.0:
        return 0.0, 0.0, 0.0, speed
    force_per_speed = sliding_friction(law, force, speed, workspace)
    if -force_per_speed * inverse_mass > max_rate:
        force_per_speed = -max_rate / inverse_mass
    return force_per_speed * tx, force_per_speed * ty, force_per_speed * tz, speed


@jit
def sliding_friction(law, force, speed, workspace):
    """Return the friction of a law without a state, divided by the sliding speed [N s/m]."""
    if law.is_coulomb != 0:
        return -drag(COULOMB_PARAMS(law.friction_params), force, speed)
    law_input = FRICTION_INPUT(workspace.friction_input)
    law_output = FRICTION_OUTPUT(workspace.friction_output)
    call_friction_law(
        law.friction_kernel, floats(law.friction_params), law_input, law_output, force, speed, 0.0, 0.0, 0.0
    )
    return law_output.force_t / speed


@jit
def update_friction_state(law, force, tx, ty, tz, sx, sy, sz, history, state, h, workspace):
    """Integrate the friction state over a step ``h`` [s] with the sliding velocity in the middle of the step.

    Return the new state along the tangents t and s = n × t. The rate is ż = v − w(v) z. Two calls of the kernel give
    both terms; the step is implicit in z, as w may be large.
    """
    law_input = FRICTION_INPUT(workspace.friction_input)
    law_output = FRICTION_OUTPUT(workspace.friction_output)
    params = floats(law.friction_params)
    zx = state.friction_state[0]
    zy = state.friction_state[1]
    zz = state.friction_state[2]
    z_t = zx * tx + zy * ty + zz * tz
    z_s = zx * sx + zy * sy + zz * sz
    gx = history.last_sliding_velocity[0]
    gy = history.last_sliding_velocity[1]
    gz = history.last_sliding_velocity[2]
    g_t = gx * tx + gy * ty + gz * tz
    g_s = gx * sx + gy * sy + gz * sz
    call_friction_law(law.friction_kernel, params, law_input, law_output, force, g_t, g_s, 0.0, 0.0)
    v_t = law_output.z_dot_t
    v_s = law_output.z_dot_s
    call_friction_law(law.friction_kernel, params, law_input, law_output, force, g_t, g_s, z_t, z_s)
    size = math.sqrt(z_t * z_t + z_s * z_s)
    w = 0.0
    if size > 0.0:
        w = math.sqrt((v_t - law_output.z_dot_t) ** 2 + (v_s - law_output.z_dot_s) ** 2) / size
    z_t = (z_t + h * v_t) / (1.0 + h * w)
    z_s = (z_s + h * v_s) / (1.0 + h * w)
    store_tangential(state.friction_state, z_t, z_s, tx, ty, tz, sx, sy, sz)
    return z_t, z_s


@jit
def friction_with_state(law, force, speed, z_t, z_s, most, workspace):
    """Return the friction along t and s [N] for the friction state z [m] and the sliding speed along t [m/s].

    The part that the velocity adds to the force of the state is damping, limited to ``most`` [N].
    """
    law_input = FRICTION_INPUT(workspace.friction_input)
    law_output = FRICTION_OUTPUT(workspace.friction_output)
    params = floats(law.friction_params)
    call_friction_law(law.friction_kernel, params, law_input, law_output, force, speed, 0.0, z_t, z_s)
    along_t = law_output.force_t
    along_s = law_output.force_s
    call_friction_law(law.friction_kernel, params, law_input, law_output, force, 0.0, 0.0, z_t, z_s)
    damping_t = along_t - law_output.force_t
    damping_s = along_s - law_output.force_s
    size = math.sqrt(damping_t * damping_t + damping_s * damping_s)
    if size > most:
        damping_t *= most / size
        damping_s *= most / size
    return law_output.force_t + damping_t, law_output.force_s + damping_s
