"""Motion of the bodies in a piece of work: velocity Verlet, rotations by the angular momentum in global axes.

From time t to t + h: v(t + h/2) = v + h a/2, x(t + h) = x + h v(t + h/2), forces there, v(t + h) = v(t + h/2) + h a/2.
A rotation follows the same steps with the angular momentum; the angular velocity at t + h/2 is that of an orientation
foreseen to t + h/2 (Fincham, Molecular Simulation 8 (1992) 165–178).
"""

from __future__ import annotations

import math

from carom.kernels import floats, ints, jit, offset
from carom.mechanics.spatial_body import exponential, multiply, store_rotation_matrix
from carom.solve.many import layout as at


@jit
def turning(w, x, y, z, lx, ly, lz, inertia):
    """Angular velocity in global axes for an angular momentum: R I⁻¹ Rᵀ L, at orientation (w, x, y, z)."""
    ax, ay, az = turned_back(w, x, y, z, lx, ly, lz)
    ax = ax / inertia[0] if inertia[0] > 0.0 else 0.0
    ay = ay / inertia[1] if inertia[1] > 0.0 else 0.0
    az = az / inertia[2] if inertia[2] > 0.0 else 0.0
    return turned_back(w, -x, -y, -z, ax, ay, az)


@jit
def turned_back(w, x, y, z, ax, ay, az):
    """The vector a in the axes of the unit quaternion: v + 2 q × (q × v − w v) with q = (x, y, z)."""
    bx = y * az - z * ay - w * ax
    by = z * ax - x * az - w * ay
    bz = x * ay - y * ax - w * az
    return ax + 2.0 * (y * bz - z * by), ay + 2.0 * (z * bx - x * bz), az + 2.0 * (x * by - y * bx)


@jit
def add_up(plan, i, light, cold):
    """Acceleration and torque of a body: the sums over the pairs it is first in, then those it is second in."""
    touching = ints(plan[at.TOUCHING_AT])
    wrenches = floats(plan[at.WRENCHES_AT])
    arrivals = ints(plan[at.ARRIVALS_AT])
    begins = ints(plan[at.ARRIVALS_FIRST_AT])
    gravity = offset(floats(plan[at.NUMBERS_AT]), at.GRAVITY)
    fx = cold[at.ACCELERATION]
    fy = cold[at.ACCELERATION + 1]
    fz = cold[at.ACCELERATION + 2]
    mx = cold[at.TORQUE]
    my = cold[at.TORQUE + 1]
    mz = cold[at.TORQUE + 2]
    for n in range(begins[i], begins[i + 1]):
        k = arrivals[n]
        if touching[k] != 0:
            wrench = offset(wrenches, k * at.WRENCH)
            fx += wrench[0]
            fy += wrench[1]
            fz += wrench[2]
            mx += wrench[3]
            my += wrench[4]
            mz += wrench[5]
    cold[at.ACCELERATION] = light * fx + gravity[0]
    cold[at.ACCELERATION + 1] = light * fy + gravity[1]
    cold[at.ACCELERATION + 2] = light * fz + gravity[2]
    cold[at.TORQUE] = mx
    cold[at.TORQUE + 1] = my
    cold[at.TORQUE + 2] = mz


@jit
def turn_on(h, hot, cold):
    """Orientation over a step, by the angular velocity in its middle; the momentum is that of the middle."""
    q = offset(cold, at.TURNED)
    momentum = offset(cold, at.MOMENTUM)
    torque = offset(cold, at.TORQUE)
    inertia = offset(cold, at.INERTIA)
    if cold[at.ROUND] != 0.0:
        nimble = hot[at.NIMBLE]
        wx = nimble * momentum[0]
        wy = nimble * momentum[1]
        wz = nimble * momentum[2]
    else:
        half = 0.5 * h
        wx, wy, wz = turning(q[0], q[1], q[2], q[3], momentum[0] - half * torque[0], momentum[1] - half * torque[1],
                             momentum[2] - half * torque[2], inertia)  # fmt: skip
        ew, ex, ey, ez = exponential(half * wx, half * wy, half * wz)
        ew, ex, ey, ez = multiply(ew, ex, ey, ez, q[0], q[1], q[2], q[3])
        wx, wy, wz = turning(ew, ex, ey, ez, momentum[0], momentum[1], momentum[2], inertia)
    if cold[at.REACH] > 0.0:
        cold[at.ANGLE] += h * math.sqrt(wx * wx + wy * wy + wz * wz)
    ew, ex, ey, ez = exponential(h * wx, h * wy, h * wz)
    ew, ex, ey, ez = multiply(ew, ex, ey, ez, q[0], q[1], q[2], q[3])
    # Rounding grows the length by little in a step: one step of Newton's method for 1/√.
    length = 1.5 - 0.5 * (ew * ew + ex * ex + ey * ey + ez * ez)
    q[0] = length * ew
    q[1] = length * ex
    q[2] = length * ey
    q[3] = length * ez
    hot[at.W] = wx
    hot[at.W + 1] = wy
    hot[at.W + 2] = wz


@jit
def put_pose(hot, cold, pose):
    for d in range(3):
        pose[d] = hot[at.X + d]
    q = offset(cold, at.TURNED)
    store_rotation_matrix(q[0], q[1], q[2], q[3], offset(pose, 3))


@jit
def move_pieces(c, plan, finish, start):
    """End a step of the bodies in piece ``c`` with the forces there (``finish``), begin the next one (``start``)."""
    numbers = floats(plan[at.NUMBERS_AT])
    h = numbers[at.H]
    half = 0.5 * h
    limit = numbers[at.LIMIT]
    moved = False
    for i in range(1 + c * plan[at.CHUNK], 1 + min((c + 1) * plan[at.CHUNK], plan[at.BODIES])):
        hot = offset(floats(plan[at.HOT_AT]), i * at.HOT)
        cold = offset(floats(plan[at.COLD_AT]), i * at.COLD)
        if finish:
            add_up(plan, i, hot[at.LIGHT], cold)
            for d in range(3):
                cold[at.VELOCITY + d] += half * cold[at.ACCELERATION + d]
                cold[at.MOMENTUM + d] += half * cold[at.TORQUE + d]
        if start:
            square = 0.0
            for d in range(3):
                v = cold[at.VELOCITY + d] + half * cold[at.ACCELERATION + d]
                cold[at.VELOCITY + d] = v
                hot[at.V + d] = v
                x = hot[at.X + d] + h * v
                hot[at.X + d] = x
                x -= cold[at.WAS + d]
                square += x * x
                cold[at.MOMENTUM + d] += half * cold[at.TORQUE + d]
            turn_on(h, hot, cold)
            if cold[at.POSED] != 0.0:
                put_pose(hot, cold, offset(floats(plan[at.POSES_AT]), i * at.POSE))
                if not math.sqrt(square) + cold[at.REACH] * cold[at.ANGLE] < limit:
                    moved = True
            elif not square < limit * limit:
                moved = True
    return moved
