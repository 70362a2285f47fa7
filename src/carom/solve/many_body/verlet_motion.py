"""Motion of the bodies in a chunk: velocity Verlet, with the angular momentum in global axes for rotations.

From time t to t + h: v(t + h/2) = v + h a/2, r(t + h) = r + h v(t + h/2), forces there, v(t + h) = v(t + h/2) + h a/2.
A rotation has the same steps with the angular momentum; the angular velocity at t + h/2 is that of an orientation
extrapolated to t + h/2 (Fincham, Molecular Simulation 8 (1992) 165–178).
"""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import BODY_MOTION_DATA, BODY_PAIR_DATA
from carom.kernels import address_of, floats, ints, jit, offset
from carom.mechanics.spatial_body import exponential, multiply, store_rotation_matrix
from carom.solve.many_body.records import BODY_POSE, PAIR_WRENCH, VERLET_SETTINGS


@jit
def angular_velocity(w, x, y, z, lx, ly, lz, inertia):
    """Return ω = R I⁻¹ Rᵀ L in global axes [rad/s] at the orientation (w, x, y, z)."""
    ax, ay, az = to_local(w, x, y, z, lx, ly, lz)
    ax = ax / inertia[0] if inertia[0] > 0.0 else 0.0
    ay = ay / inertia[1] if inertia[1] > 0.0 else 0.0
    az = az / inertia[2] if inertia[2] > 0.0 else 0.0
    return to_local(w, -x, -y, -z, ax, ay, az)


@jit
def to_local(w, x, y, z, ax, ay, az):
    """Return the vector a in the axes of the unit quaternion: a + 2 q × (q × a − w a) with q = (x, y, z)."""
    bx = y * az - z * ay - w * ax
    by = z * ax - x * az - w * ay
    bz = x * ay - y * ax - w * az
    return ax + 2.0 * (y * bz - z * by), ay + 2.0 * (z * bx - x * bz), az + 2.0 * (x * by - y * bx)


@jit
def contact_wrench(many_body, i, motion):
    """Return force and torque of all contacts of a body: pairs in which it is the first body, then the second."""
    is_touching = ints(many_body.is_touching)
    first = ints(many_body.first_reverse_entry)
    reverse_entries = ints(many_body.reverse_entries)
    fx = motion.force[0]
    fy = motion.force[1]
    fz = motion.force[2]
    mx = motion.torque[0]
    my = motion.torque[1]
    mz = motion.torque[2]
    for n in range(first[i], first[i + 1]):
        k = reverse_entries[n]
        if is_touching[k] != 0:
            wrench = PAIR_WRENCH(many_body.wrenches, k)
            fx += wrench.force[0]
            fy += wrench.force[1]
            fz += wrench.force[2]
            mx += wrench.torque[0]
            my += wrench.torque[1]
            mz += wrench.torque[2]
    return fx, fy, fz, mx, my, mz


@jit
def sum_forces(many_body, i, inverse_mass, motion):
    """Set acceleration and torque of a free body from its contacts and gravity."""
    fx, fy, fz, mx, my, mz = contact_wrench(many_body, i, motion)
    gravity = VERLET_SETTINGS(many_body.settings).gravity
    motion.acceleration[0] = inverse_mass * fx + gravity[0]
    motion.acceleration[1] = inverse_mass * fy + gravity[1]
    motion.acceleration[2] = inverse_mass * fz + gravity[2]
    motion.torque[0] = mx
    motion.torque[1] = my
    motion.torque[2] = mz


@jit
def rotate_body(h, body, motion):
    """Advance the orientation by a step ``h`` [s] with the angular velocity and momentum in its middle."""
    q = motion.quaternion
    L = motion.angular_momentum
    if motion.is_isotropic != 0:
        inverse_inertia = body.max_inverse_inertia
        wx = inverse_inertia * L[0]
        wy = inverse_inertia * L[1]
        wz = inverse_inertia * L[2]
    else:
        half = 0.5 * h
        torque = motion.torque
        inertia = motion.inertia
        wx, wy, wz = angular_velocity(q[0], q[1], q[2], q[3], L[0] - half * torque[0], L[1] - half * torque[1],
                                      L[2] - half * torque[2], inertia)  # fmt: skip
        ew, ex, ey, ez = exponential(half * wx, half * wy, half * wz)
        ew, ex, ey, ez = multiply(ew, ex, ey, ez, q[0], q[1], q[2], q[3])
        wx, wy, wz = angular_velocity(ew, ex, ey, ez, L[0], L[1], L[2], inertia)
    motion.angle += h * wz
    if motion.extent > 0.0:
        motion.rotation_since_list += h * math.sqrt(wx * wx + wy * wy + wz * wz)
    ew, ex, ey, ez = exponential(h * wx, h * wy, h * wz)
    ew, ex, ey, ez = multiply(ew, ex, ey, ez, q[0], q[1], q[2], q[3])
    # Rounding changes the length only slightly in one step, so one Newton iteration for 1/√ is enough.
    scale = 1.5 - 0.5 * (ew * ew + ex * ex + ey * ey + ez * ez)
    q[0] = scale * ew
    q[1] = scale * ex
    q[2] = scale * ey
    q[3] = scale * ez
    body.omega_half[0] = wx
    body.omega_half[1] = wy
    body.omega_half[2] = wz


@jit
def store_pose(body, motion, pose):
    """Store position and rotation matrix of a body for the kernels of pairs."""
    for d in range(3):
        pose.r[d] = body.r[d]
    q = motion.quaternion
    matrix = offset(floats(address_of(pose)), 3)
    store_rotation_matrix(q[0], q[1], q[2], q[3], matrix)


@jit
def finish_step(many_body, i, half, body, motion):
    """Complete the velocities of a step with the forces at its end. ``half`` is half the step [s]."""
    sum_forces(many_body, i, body.inverse_mass, motion)
    for d in range(3):
        motion.v[d] += half * motion.acceleration[d]
        motion.angular_momentum[d] += half * motion.torque[d]


@jit
def start_step(many_body, i, h, body, motion):
    """Move a body by a step ``h`` [s]; return True if it has left the range of the neighbour list."""
    half = 0.5 * h
    square = 0.0
    for d in range(3):
        v = motion.v[d] + half * motion.acceleration[d]
        motion.v[d] = v
        body.v_half[d] = v
        x = body.r[d] + h * v
        body.r[d] = x
        x -= motion.r_at_list[d]
        square += x * x
        motion.angular_momentum[d] += half * motion.torque[d]
    rotate_body(h, body, motion)
    if motion.needs_pose != 0:
        store_pose(body, motion, BODY_POSE(many_body.poses, i))
    return has_left_list(many_body, motion, square)


@jit
def has_left_list(many_body, motion, square):
    """Return True if a body has left the range of the neighbour list; ``square`` is that of its displacement [m²]."""
    limit = VERLET_SETTINGS(many_body.settings).list_displacement_limit
    # The negated comparisons are True for NaN as well.
    if motion.needs_pose != 0:
        return not math.sqrt(square) + motion.extent * motion.rotation_since_list < limit
    return not square < limit * limit


@jit
def update_chunk(many_body, chunk, finish, start):
    """Finish a step of the free bodies in a chunk, start the next one, or both; return True if the list is outdated."""
    h = VERLET_SETTINGS(many_body.settings).h
    list_is_outdated = False
    first_body = 1 + chunk * many_body.chunk_size
    for i in range(first_body, 1 + min((chunk + 1) * many_body.chunk_size, many_body.n_free_bodies)):
        body = BODY_PAIR_DATA(many_body.pair_data, i)
        motion = BODY_MOTION_DATA(many_body.motion_data, i)
        if finish:
            finish_step(many_body, i, 0.5 * h, body, motion)
        if start and start_step(many_body, i, h, body, motion):
            list_is_outdated = True
    return list_is_outdated
