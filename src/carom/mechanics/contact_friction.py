"""Friction and rolling resistance of a contact, in 3D and, as a special case, in 2D.

The tangent (−n_y, n_x, 0) of a planar contact does not turn with the motion, so the sliding speed, the friction force
and the friction state along it are single signed numbers. In 3D the first tangent follows the sliding velocity, speed
and force are magnitudes, and the friction state is a vector in global axes, which turns with the two bodies.
"""

from __future__ import annotations

import math

from carom.kernels import call_friction, floats, jit, offset
from carom.laws.friction.rolling_resistance import PARAMS as ROLLING_PARAMS
from carom.laws.friction.rolling_resistance import rolling_torque, spinning_torque
from carom.mechanics.contact_records import CONTACT_WORKSPACE
from carom.mechanics.friction_state import add_rotation, keep_tangential, tangential_scale
from carom.mechanics.model_record import SETTINGS
from carom.mechanics.spatial_body import cross


@jit
def perpendicular(nx, ny, nz):
    """Return a unit vector perpendicular to a unit normal, the same for the same normal."""
    if abs(nx) <= abs(ny) and abs(nx) <= abs(nz):
        tx = 0.0
        ty = -nz
        tz = ny
    elif abs(ny) <= abs(nz):
        tx = nz
        ty = 0.0
        tz = -nx
    else:
        tx = -ny
        ty = nx
        tz = 0.0
    length = math.sqrt(tx * tx + ty * ty + tz * tz)
    return tx / length, ty / length, tz / length


@jit
def sliding_direction(gx, gy, gz, speed, nx, ny, nz):
    """Return the unit vector of the sliding velocity g, or any tangent at rest."""
    if speed > 0.0:
        return gx / speed, gy / speed, gz / speed
    return perpendicular(nx, ny, nz)


@jit
def call_friction_law(law_kernel, params, law_input, law_output, force, v_t, v_s, z_t, z_s):
    """Evaluate a friction law for a normal force [N], the sliding velocity [m/s] and the friction state [m]."""
    law_input.normal_force = force
    law_input.v_t = v_t
    law_input.v_s = v_s
    law_input.z_t = z_t
    law_input.z_s = z_s
    law_output.stored_energy = 0.0  # for laws that do not store energy
    law_output.stored_power = 0.0
    call_friction(law_kernel, params, law_input, law_output)


@jit
def store_tangential(vector, along_t, along_s, tx, ty, tz, sx, sy, sz):
    """Store a vector of the tangent plane, given along its two tangents, in global axes."""
    vector[0] = along_t * tx + along_s * sx
    vector[1] = along_t * ty + along_s * sy
    vector[2] = along_t * tz + along_s * sz


@jit
def stored_friction_energy(model, contact, z):
    """Return the elastic energy of a friction state that starts at ``z`` in y [J]."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    squared = 0.0
    for d in range(1 if model.dim == 2 else 3):
        squared += z[d] * z[d]
    call_friction_law(
        contact.friction_kernel, offset(floats(model.params), contact.friction_params), workspace.friction_input,
        workspace.friction_output, 0.0, 0.0, 0.0, math.sqrt(squared), 0.0,
    )  # fmt: skip
    return workspace.friction_output.stored_energy


@jit
def store_unloaded_energy(model, contact, contact_state, z):
    """Store the elastic energy of the friction state of a contact without force, if a result needs it."""
    contact_state.friction_energy = 0.0
    if contact.friction_state_offset >= 0 and SETTINGS(model.settings).stores_energy != 0:
        contact_state.friction_energy = stored_friction_energy(model, contact, offset(z, contact.friction_state_offset))


@jit
def store_planar_friction(contact_state, force, friction):
    """Store a friction force along (−n_y, n_x) [N], signed and as a vector."""
    contact_state.friction_force = force
    friction[0] = -force * contact_state.ny
    friction[1] = force * contact_state.nx
    friction[2] = 0.0


@jit
def planar_friction(model, contact, contact_state, z, z_rate):
    """Store the friction force along (−n_y, n_x) and the rate of its state; return the power that it dissipates [W]."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    state = contact.friction_state_offset
    output = workspace.friction_output
    force = 0.0
    z_dot = 0.0
    stored_power = 0.0
    if contact.friction_kernel != 0 and contact_state.normal_force > 0.0:
        z_t = z[state] if state >= 0 else 0.0
        call_friction_law(
            contact.friction_kernel, offset(floats(model.params), contact.friction_params), workspace.friction_input,
            output, contact_state.normal_force, contact_state.sliding_speed, 0.0, z_t, 0.0,
        )  # fmt: skip
        force = output.force_t
        z_dot = output.z_dot_t
        stored_power = output.stored_power
        contact_state.friction_energy = output.stored_energy
    else:
        store_unloaded_energy(model, contact, contact_state, z)
    if state >= 0:
        z_rate[state] = z_dot
    store_planar_friction(contact_state, force, workspace.friction)
    return -force * contact_state.sliding_speed - stored_power


@jit
def spatial_friction(model, contact, a, b, contact_state, z, z_rate):
    """Store the friction force and the rate of its state in global axes; return the power that it dissipates [W]."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    friction = workspace.friction
    state = contact.friction_state_offset
    for d in range(3):
        friction[d] = 0.0
        if state >= 0:
            z_rate[state + d] = 0.0
    gx = contact_state.sliding_x
    gy = contact_state.sliding_y
    gz = contact_state.sliding_z
    stored_power = 0.0
    if contact.friction_kernel != 0 and contact_state.normal_force > 0.0:
        nx = contact_state.nx
        ny = contact_state.ny
        nz = contact_state.nz
        tx, ty, tz = sliding_direction(gx, gy, gz, contact_state.sliding_speed, nx, ny, nz)
        sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
        z_t = 0.0
        z_s = 0.0
        if state >= 0:
            scale = tangential_scale(offset(z, state), nx, ny, nz)
            z_t = scale * (z[state] * tx + z[state + 1] * ty + z[state + 2] * tz)
            z_s = scale * (z[state] * sx + z[state + 1] * sy + z[state + 2] * sz)
        output = workspace.friction_output
        call_friction_law(
            contact.friction_kernel, offset(floats(model.params), contact.friction_params), workspace.friction_input,
            output, contact_state.normal_force, contact_state.sliding_speed, 0.0, z_t, z_s,
        )  # fmt: skip
        store_tangential(friction, output.force_t, output.force_s, tx, ty, tz, sx, sy, sz)
        if state >= 0:
            store_tangential(offset(z_rate, state), output.z_dot_t, output.z_dot_s, tx, ty, tz, sx, sy, sz)
            speed = contact_state.sliding_speed
            keep_tangential(a, b, nx, ny, nz, speed, offset(z, state), offset(z_rate, state))
            add_rotation(a, b, offset(z, state), offset(z_rate, state))
        stored_power = output.stored_power
        contact_state.friction_energy = output.stored_energy
    else:
        store_unloaded_energy(model, contact, contact_state, z)
    contact_state.friction_force = math.sqrt(friction[0] ** 2 + friction[1] ** 2 + friction[2] ** 2)
    return -(friction[0] * gx + friction[1] * gy + friction[2] * gz) - stored_power


@jit
def rolling_velocity(a, b, contact_state):
    """Return the part of the relative angular velocity in the tangent plane [rad/s]."""
    wx = a.wx - b.wx
    wy = a.wy - b.wy
    wz = a.wz - b.wz
    about_normal = wx * contact_state.nx + wy * contact_state.ny + wz * contact_state.nz
    return (
        wx - about_normal * contact_state.nx,
        wy - about_normal * contact_state.ny,
        wz - about_normal * contact_state.nz,
    )


@jit
def rolling_secant(model, contact, a, b, contact_state):
    """Return the torque against rolling over the angular velocity, its derivative near rest [N m s]."""
    if contact.rolling_params < 0 or not contact_state.normal_force > 0.0:
        return 0.0
    wx, wy, wz = rolling_velocity(a, b, contact_state)
    rolling = ROLLING_PARAMS(offset(floats(model.params), contact.rolling_params))
    spin = max(math.sqrt(wx * wx + wy * wy + wz * wz), 1e-3 * rolling.spin)
    return contact_state.normal_force * rolling_torque(rolling, spin) / spin


@jit
def spinning_secant(model, contact, a, b, contact_state):
    """Return the torque against spinning over the angular velocity, its derivative near rest [N m s]."""
    if contact.rolling_params < 0 or not contact_state.normal_force > 0.0:
        return 0.0
    rolling = ROLLING_PARAMS(offset(floats(model.params), contact.rolling_params))
    omega = (a.wx - b.wx) * contact_state.nx + (a.wy - b.wy) * contact_state.ny + (a.wz - b.wz) * contact_state.nz
    spin = max(abs(omega), 1e-3 * rolling.spin)
    return contact_state.normal_force * spinning_torque(rolling, spin) / spin


@jit
def rolling_resistance(model, contact, a, b, contact_state):
    """Store the torque against rolling on the first body of the pair; return the power that it dissipates [W]."""
    out = CONTACT_WORKSPACE(model.workspace).rolling_torque
    wx, wy, wz = rolling_velocity(a, b, contact_state)
    spin = math.sqrt(wx * wx + wy * wy + wz * wz)
    if spin == 0.0:
        for d in range(3):
            out[d] = 0.0
        return 0.0
    rolling = ROLLING_PARAMS(offset(floats(model.params), contact.rolling_params))
    torque = contact_state.normal_force * rolling_torque(rolling, spin)
    factor = -torque / spin
    out[0] = factor * wx
    out[1] = factor * wy
    out[2] = factor * wz
    if model.dim == 2:  # without the rounding of the unit vector
        out[2] = -torque if wz > 0.0 else torque
    return torque * spin


@jit
def spinning_resistance(model, contact, a, b, contact_state):
    """Add the torque against spinning about the normal to that against rolling; return the power it dissipates [W]."""
    rolling = ROLLING_PARAMS(offset(floats(model.params), contact.rolling_params))
    if model.dim == 2 or not rolling.spinning > 0.0:
        return 0.0
    out = CONTACT_WORKSPACE(model.workspace).rolling_torque
    omega = (a.wx - b.wx) * contact_state.nx + (a.wy - b.wy) * contact_state.ny + (a.wz - b.wz) * contact_state.nz
    torque = contact_state.normal_force * spinning_torque(rolling, omega)
    out[0] -= torque * contact_state.nx
    out[1] -= torque * contact_state.ny
    out[2] -= torque * contact_state.nz
    return torque * omega
