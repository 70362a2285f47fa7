"""Contact forces of all pairs in a chunk of bodies.

The forces are those at the end of a step. The velocities of the bodies are those in its middle; the relative velocity
at the end is extrapolated from the middles of this step and the last one. Damping that would remove more than a
fraction of the relative velocity in one step is limited to this fraction, so that it stays stable for any stiffness.
The work of a step is that of the mean of the forces at its ends with the velocity in its middle, as in the motion.
"""

from __future__ import annotations

from carom.compiled_model.many_body_records import BODY_MOTION_DATA, BODY_PAIR_DATA, GROUP_LAW, PAIR_KIND
from carom.kernels import address_of, call_normal, floats, ints, jit
from carom.kernels.pointers import prefetch
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT
from carom.laws.normal.power_law import PARAMS as POWER_LAW_PARAMS
from carom.laws.normal.power_law import damping_ratio, power
from carom.mechanics.contact import (
    MAX_RESTING_SPEED,
    damping_speed,
    start_loading,
    store_law_input,
    update_turning_point,
)
from carom.mechanics.contact_duration import resting_speed
from carom.solve.many_body.contact_tracking import end_tracking, track_contact
from carom.solve.many_body.pair_friction import clear_friction_state, friction_force, rotate_friction_state
from carom.solve.many_body.pair_geometry import shape_contact, sphere_contact
from carom.solve.many_body.pair_rolling import clear_rolling, rolling_resistance
from carom.solve.many_body.records import (
    ENERGY_LOSSES,
    GROUP_WORK,
    NEIGHBOUR_ENTRY,
    PAIR_HISTORY,
    PAIR_NODE_DATA,
    PAIR_SHIFT,
    PAIR_STATE,
    PAIR_WRENCH,
    VERLET_SETTINGS,
    WORKSPACE,
)

NORMAL_FRACTION, SLIDING_FRACTION = 0.25, 0.25
"""Fraction of the relative velocity that damping and friction of one contact may remove in one step [-]. It is small
because a body has several contacts."""
PREFETCH_DISTANCE = 16
"""Number of pairs by which memory is requested in advance."""


@jit
def start_contact(history, keeps_state, state, wrench, rate, gx, gy, gz):
    """Initialise the history of a contact with the indentation rate and the sliding velocity g [m/s]."""
    history.approach_speed = max(rate, 0.0)
    if keeps_state != 0:
        start_loading(state)
        state.max_indentation = 0.0
        clear_friction_state(state)
        clear_rolling(state)
    history.last_rate = rate
    history.last_sliding_velocity[0] = gx
    history.last_sliding_velocity[1] = gy
    history.last_sliding_velocity[2] = gz
    wrench.damping_force = 0.0
    for d in range(3):
        history.last_friction[d] = 0.0


@jit
def set_resting_speed(group_law, history, delta, nx, ny, nz, inverse_mass, settings, workspace, final):
    """Set the approach speed of a contact that starts at rest under gravity."""
    g = settings.gravity
    pull = abs(g[0] * nx + g[1] * ny + g[2] * nz)
    law_input = LAW_INPUT(workspace.law_input)
    history.approach_speed = resting_speed(
        group_law.law_kernel, floats(group_law.law_params), law_input, LAW_OUTPUT(workspace.law_output),
        delta, pull, inverse_mass,
    )  # fmt: skip
    law_input.stores_energy = 1 if final else 0


@jit(inline=True)
def power_law_force(p, delta, rate, approach_speed):
    """Return the normal force of a power law, K δⁿ (1 + A δ̇/v_in), and its elastic part [N].

    This is the force of its kernel without the call through an address, which would take as long as the rest of a pair
    of spheres.
    """
    elastic = p.stiffness * power(delta, p.exponent)
    return elastic * damping_ratio(p, rate, damping_speed(approach_speed)), elastic


@jit(inline=True)
def law_force(group_law, history, pair_state, delta, rate, final, workspace):
    """Return the normal force and its elastic part [N]; if ``final``, the law output contains the stored energy."""
    delta_turn = 0.0
    is_unloading = 0
    if group_law.has_unloading_curve != 0:
        update_turning_point(pair_state, delta, rate)
        pair_state.max_indentation = max(delta, pair_state.max_indentation)
        delta_turn = pair_state.delta_turn
        is_unloading = pair_state.is_unloading
    if group_law.is_power_law != 0 and not final:
        return power_law_force(POWER_LAW_PARAMS(group_law.law_params), delta, rate, history.approach_speed)
    law_input = LAW_INPUT(workspace.law_input)
    law_output = LAW_OUTPUT(workspace.law_output)
    store_law_input(law_input, delta, rate, history.approach_speed, delta_turn, is_unloading)
    call_normal(group_law.law_kernel, floats(group_law.law_params), law_input, law_output)
    return law_output.force, law_output.elastic_force


@jit
def limit_damping(force, elastic, inverse_mass, most):
    """Return the force with its damping limited to a change ``most`` [m/s²] of the relative velocity."""
    if (force - elastic) * inverse_mass > most:
        return elastic + most / inverse_mass
    if (elastic - force) * inverse_mass > most:
        return elastic - most / inverse_mass
    return force


@jit
def rotational_inverse_mass(inverse_inertia, ax, ay, az, nx, ny, nz):
    """Return the contribution (a × n)²/I of a body's rotation to the inverse effective mass along n [1/kg]."""
    cx = ay * nz - az * ny
    cy = az * nx - ax * nz
    cz = ax * ny - ay * nx
    return inverse_inertia * (cx * cx + cy * cy + cz * cz)


@jit(inline=True)
def relative_velocity(body, other, ax, ay, az, bx, by, bz):
    """Return the velocity of the first body relative to the second one at the contact point [m/s]."""
    v = body.v_half
    w = body.omega_half
    ux = v[0] + w[1] * az - w[2] * ay
    uy = v[1] + w[2] * ax - w[0] * az
    uz = v[2] + w[0] * ay - w[1] * ax
    v = other.v_half
    w = other.omega_half
    ux -= v[0] + w[1] * bz - w[2] * by
    uy -= v[1] + w[2] * bx - w[0] * bz
    uz -= v[2] + w[0] * by - w[1] * bx
    return ux, uy, uz


@jit
def indentation_rate(body, other, nx, ny, nz, ax, ay, az, bx, by, bz):
    """Return the rate of indentation in the middle of the step [m/s]."""
    ux, uy, uz = relative_velocity(body, other, ax, ay, az, bx, by, bz)
    return -(ux * nx + uy * ny + uz * nz)


@jit(inline=True)
def normal_force(group_law, body, other, history, state, delta, rate, geometry, is_sphere_pair, per_step, final,
                 workspace):  # fmt: skip
    """Return the limited normal force and its elastic part [N]. ``per_step`` is the inverse of the step [1/s]."""
    force, elastic = law_force(group_law, history, state, delta, rate, final, workspace)
    if group_law.has_unloading_curve == 0:
        inverse_mass = body.inverse_mass + other.inverse_mass
        if not is_sphere_pair:
            nx, ny, nz, ax, ay, az, bx, by, bz = geometry
            inverse_mass += rotational_inverse_mass(body.max_inverse_inertia, ax, ay, az, nx, ny, nz)
            inverse_mass += rotational_inverse_mass(other.max_inverse_inertia, bx, by, bz, nx, ny, nz)
        force = limit_damping(force, elastic, inverse_mass, NORMAL_FRACTION * per_step * abs(rate))
    if force < 0.0 and group_law.is_adhesive == 0:
        force = 0.0
    return force, elastic


@jit
def lost_power(energy, settings):
    """Return an energy [J] lost in this step as a part of the sum of powers at both ends of the step [W]."""
    return 2.0 * energy / settings.h if settings.h > 0.0 else 0.0


@jit(inline=True)
def pair_force(body, other, delta, geometry, is_sphere_pair, is_new, group_law, history, state, wrench, settings,
               workspace, final, damping_power, friction_power):  # fmt: skip
    """Return the contact force on the first body [N], the normal force [N], the sums of power and the sliding power.

    ``damping_power`` and ``friction_power`` [W] sum the power of the forces at both ends of the step with the velocity
    in its middle, over this pair and earlier ones. The sliding power of this pair is F_N |v_t| [W], with friction only.
    """
    nx, ny, nz, ax, ay, az, bx, by, bz = geometry
    ux, uy, uz = relative_velocity(body, other, ax, ay, az, bx, by, bz)
    un = ux * nx + uy * ny + uz * nz
    rate_half = -un
    gx = ux - un * nx
    gy = uy - un * ny
    gz = uz - un * nz
    inverse_mass = body.inverse_mass + other.inverse_mass
    if is_new:
        start_contact(history, group_law.keeps_state, state, wrench, rate_half, gx, gy, gz)
        if abs(rate_half) <= MAX_RESTING_SPEED:
            set_resting_speed(group_law, history, delta, nx, ny, nz, inverse_mass, settings, workspace, final)
    rate = 1.5 * rate_half - 0.5 * history.last_rate
    history.last_rate = rate_half
    per_step = 1.0 / settings.h_damping
    force, elastic = normal_force(group_law, body, other, history, state, delta, rate, geometry, is_sphere_pair,
                                  per_step, final, workspace)  # fmt: skip
    damping_power += (force - elastic + wrench.damping_force) * rate_half
    wrench.damping_force = force - elastic
    px = force * nx
    py = force * ny
    pz = force * nz
    sliding_power = 0.0
    if group_law.friction_kernel != 0:
        last = history.last_friction
        friction_power -= last[0] * gx + last[1] * gy + last[2] * gz
        energy = 0.0
        if group_law.has_friction_state != 0:
            energy = state.friction_energy
            rotate_friction_state(state, body.omega_half, other.omega_half, settings.h)
        inverse_mass += body.max_inverse_inertia * (ax * ax + ay * ay + az * az)
        inverse_mass += other.max_inverse_inertia * (bx * bx + by * by + bz * bz)
        qx, qy, qz, speed = friction_force(group_law, force, gx, gy, gz, nx, ny, nz, inverse_mass,
                                           SLIDING_FRACTION * per_step, settings.h_friction, history, state,
                                           workspace)  # fmt: skip
        sliding_power = force * speed
        friction_power -= qx * gx + qy * gy + qz * gz
        if group_law.has_friction_state != 0:
            friction_power += lost_power(energy - state.friction_energy, settings)
        last[0] = qx
        last[1] = qy
        last[2] = qz
        px += qx
        py += qy
        pz += qz
    return px, py, pz, force, damping_power, friction_power, sliding_power


@jit(inline=True)
def store_wrench(wrench, px, py, pz, bx, by, bz):
    """Store force and torque on the second body, opposite to the force p on the first one."""
    wrench.force[0] = -px
    wrench.force[1] = -py
    wrench.force[2] = -pz
    wrench.torque[0] = bz * py - by * pz
    wrench.torque[1] = bx * pz - bz * px
    wrench.torque[2] = by * px - bx * py


@jit
def store_output(many_body, k, delta, force, group, friction_energy, workspace):
    """Store the values of a pair at an output node."""
    output = PAIR_NODE_DATA(many_body.output, k)
    output.indentation = delta
    output.normal_force = force
    output.stored_energy = LAW_OUTPUT(workspace.law_output).stored_energy + friction_energy
    output.group = group


@jit(inline=True)
def compute_body_forces(many_body, i, first_work, workspace, final, is_periodic, damping_power, friction_power):
    """Compute the forces of the pairs of body ``i``, store their sum, and return the two sums of power [W]."""
    is_touching = ints(many_body.is_touching)
    settings = VERLET_SETTINGS(many_body.settings)
    body = BODY_PAIR_DATA(many_body.pair_data, i)
    fx = 0.0
    fy = 0.0
    fz = 0.0
    mx = 0.0
    my = 0.0
    mz = 0.0
    first_entry = ints(many_body.first_entry)
    h = settings.h
    for k in range(first_entry[i], first_entry[i + 1]):
        prefetch(floats(address_of(PAIR_HISTORY(many_body.history, k + PREFETCH_DISTANCE))))
        prefetch(floats(address_of(PAIR_WRENCH(many_body.wrenches, k + PREFETCH_DISTANCE))))
        entry = NEIGHBOUR_ENTRY(many_body.entries, k)
        other = BODY_PAIR_DATA(many_body.pair_data, entry.body_b)
        group = entry.group_or_kind
        is_sphere_pair = group >= 0
        contact = -1
        sx = 0.0
        sy = 0.0
        sz = 0.0
        if is_periodic:
            shift = PAIR_SHIFT(many_body.pair_shifts, k)
            sx = shift.r[0]
            sy = shift.r[1]
            sz = shift.r[2]
        if is_sphere_pair:
            delta, nx, ny, nz, ax, ay, az, bx, by, bz = sphere_contact(body, other, sx, sy, sz)
        else:
            kind = PAIR_KIND(many_body.pair_kinds, -1 - group)
            delta, nx, ny, nz, ax, ay, az, bx, by, bz = shape_contact(
                many_body, i, entry.body_b, k, body, other, kind, sx, sy, sz, workspace
            )
            group = kind.group
            contact = kind.contact
        if not delta > 0.0:
            if is_touching[k] != 0:
                is_touching[k] = 0
                energy = 0.0
                if many_body.pair_states != 0:
                    state = PAIR_STATE(many_body.pair_states, k)
                    energy = state.friction_energy
                    friction_power += lost_power(energy, settings)
                    GROUP_WORK(many_body.group_work, first_work + group).friction += energy
                    state.friction_energy = 0.0
                if contact >= 0:
                    rate = indentation_rate(body, other, nx, ny, nz, ax, ay, az, bx, by, bz)
                    end_tracking(many_body, contact, rate, energy, workspace)
            continue
        is_new = is_touching[k] == 0
        if is_new:
            is_touching[k] = 1
        wrench = PAIR_WRENCH(many_body.wrenches, k)
        group_law = GROUP_LAW(many_body.group_laws, group)
        damping_power_before = damping_power
        friction_power_before = friction_power
        px, py, pz, force, damping_power, friction_power, sliding_power = pair_force(
            body, other, delta, (nx, ny, nz, ax, ay, az, bx, by, bz), is_sphere_pair, is_new,
            group_law, PAIR_HISTORY(many_body.history, k),
            PAIR_STATE(many_body.pair_states, k), wrench, settings, workspace, final, damping_power, friction_power,
        )  # fmt: skip
        fx += px
        fy += py
        fz += pz
        mx += ay * pz - az * py
        my += az * px - ax * pz
        mz += ax * py - ay * px
        store_wrench(wrench, px, py, pz, bx, by, bz)
        if group_law.rolling_params != 0:
            tx, ty, tz, friction_power = rolling_resistance(
                group_law.rolling_params, force, body, other, nx, ny, nz, 1.0 / settings.h_damping,
                PAIR_STATE(many_body.pair_states, k), friction_power,
            )  # fmt: skip
            mx += tx
            my += ty
            mz += tz
            wrench.torque[0] -= tx
            wrench.torque[1] -= ty
            wrench.torque[2] -= tz
        work = GROUP_WORK(many_body.group_work, first_work + group)
        work.friction += 0.5 * h * (friction_power - friction_power_before)
        work.sliding += h * sliding_power
        if contact >= 0:
            track_contact(
                many_body, contact, is_new, delta, PAIR_HISTORY(many_body.history, k).last_rate, force,
                damping_power - damping_power_before, friction_power - friction_power_before,
            )  # fmt: skip
        if final:
            friction_energy = 0.0
            if group_law.keeps_state != 0:
                friction_energy = PAIR_STATE(many_body.pair_states, k).friction_energy
            store_output(many_body, k, delta, force, group, friction_energy, workspace)
    motion = BODY_MOTION_DATA(many_body.motion_data, i)
    motion.force[0] = fx
    motion.force[1] = fy
    motion.force[2] = fz
    motion.torque[0] = mx
    motion.torque[1] = my
    motion.torque[2] = mz
    return damping_power, friction_power


@jit(inline=True)
def compute_chunk_forces(many_body, chunk, thread, final, is_periodic):
    """Compute the forces of the pairs whose first bodies are in a chunk; if ``final``, store the output of a node.

    ``is_periodic`` is a constant: runs without periodic directions are compiled without the images of bodies.
    """
    workspace = WORKSPACE(many_body.workspaces, thread)
    LAW_INPUT(workspace.law_input).stores_energy = 1 if final else 0
    damping_power = 0.0
    friction_power = 0.0
    first_body = 1 + chunk * many_body.chunk_size
    for i in range(first_body, 1 + min((chunk + 1) * many_body.chunk_size, many_body.n_bodies)):
        damping_power, friction_power = compute_body_forces(
            many_body,
            i,
            chunk * many_body.groups_per_chunk,
            workspace,
            final,
            is_periodic,
            damping_power,
            friction_power,
        )
    half_step = 0.5 * VERLET_SETTINGS(many_body.settings).h
    losses = ENERGY_LOSSES(many_body.energy_losses, chunk)
    losses.dissipated += half_step * damping_power
    losses.friction += half_step * friction_power
