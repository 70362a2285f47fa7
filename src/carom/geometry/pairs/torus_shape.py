"""Torus against another shape: the spheres along its circle, one kernel for all shapes that spheres touch.

The gap of the sphere about the point of the circle at angle θ has the derivative R nᵀt, n the normal of that contact
and t the tangent of the circle. Spots of contact are its minima, where nᵀt changes from negative to positive. They are
found from the signs at equal steps of θ and refined between two of them, so that no search has to begin anywhere: of
two interlocked rings each keeps to the side of the tube on which it is. A gap changes by R Δθ at most: steps within
which it can be negative, or less than the gaps found so far, are divided further, so that spots close to each other are
told apart.
"""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import (
    NO_CONTACT,
    PAIR_OUTPUT,
    POSE,
    PairKernel,
    pair_kernel,
    rotate,
    to_global,
)
from carom.geometry.pairs.illinois import narrow
from carom.geometry.pairs.spots import EMPTY_SLOT, POSES, SPOT, assign_slots, is_prepared, read_slot, store_poses
from carom.geometry.rotation import frame_along
from carom.geometry.shapes.sphere import Sphere
from carom.geometry.shapes.torus import TORUS
from carom.kernels import FLOAT, address_of, call_pair, floats, jit, offset, record, stack_floats

N_SPOTS = 4
"""Largest number of spots: the distance of two circles has at most four minima."""
N_STEPS = 16
"""Steps of θ around the circle."""
N_PARTS, N_LEVELS = 4, 2
"""Parts into which a step of θ is divided at once, and how often: the shortest is 1.4°."""
MAX_ITERATIONS = 60
"""Largest number of steps that refine a minimum."""
LEVEL_SLOPE = 1e-10
"""nᵀt below which all around the gap is the same everywhere, and the spots are at four points of the circle [-]."""
SLOPE_TOLERANCE = 1e-13
"""nᵀt that counts as zero [-]."""
ANGLE_TOLERANCE = 1e-15
"""Length of a bracket of θ, relative to a turn, that counts as its end [-]."""

PARAMS = record(
    point_index=FLOAT,  # 0: closest points; 1 … N_SPOTS: spot in that slot
    torus=TORUS,
    axis_1=(FLOAT, 3),  # unit vectors along which the circle begins, and a quarter of a turn later
    axis_2=(FLOAT, 3),
    sphere_kernel=FLOAT,  # address of the pair of a sphere about the origin of its pose, and of the other shape;
    # its parameters follow
)
SPOTS = record(numbers=(FLOAT, N_SPOTS * SPOT.size))
"""Table of spots."""
WARM_START = record(
    poses=POSES,
    n_found=FLOAT,
    slots=SPOTS,
    found=SPOTS,
    # workspace
    centre=POSE,  # pose of the sphere
    candidate=PAIR_OUTPUT,
    slopes=(FLOAT, N_STEPS),
    gaps=(FLOAT, N_STEPS),  # [m]
)
NO_SPOTS = (
    *(0.0,) * (POSES.size + 1),
    *EMPTY_SLOT * N_SPOTS,
    *(0.0,) * (SPOTS.size + POSE.size + PAIR_OUTPUT.size + 2 * N_STEPS),
)
"""Initial values of the warm start."""
PARAMS_SIZE = PARAMS.size
STEP = 2.0 * math.pi / N_STEPS
PIECE = record(low=FLOAT, width=FLOAT, slope_low=FLOAT, slope_high=FLOAT, gap_low=FLOAT, gap_high=FLOAT, level=FLOAT)
"""Piece of the circle: angle at its start and its width [rad], values at both ends, and how often it was divided."""
PIECE_SIZE = PIECE.size
PIECES_NUMBERS = PIECE_SIZE * ((N_PARTS - 1) * N_LEVELS + 1)


@jit
def slope_at(pose_a, pose_b, params, work, angle):
    """Compute the contact of the sphere at an angle of the circle, and return nᵀt [-]."""
    torus = params.torus
    first = params.axis_1
    second = params.axis_2
    c = math.cos(angle)
    s = math.sin(angle)
    ex = c * first[0] + s * second[0]
    ey = c * first[1] + s * second[1]
    ez = c * first[2] + s * second[2]
    r = torus.radius
    centre = work.centre
    centre.x, centre.y, centre.z = to_global(pose_a, torus.ox + r * ex, torus.oy + r * ey, torus.oz + r * ez)
    candidate = work.candidate
    no_warm_start = floats(address_of(candidate))
    sphere_params = offset(floats(address_of(params)), PARAMS_SIZE)
    call_pair(int(params.sphere_kernel), centre, pose_b, sphere_params, no_warm_start, candidate)
    tx, ty, tz = rotate(
        pose_a, c * second[0] - s * first[0], c * second[1] - s * first[1], c * second[2] - s * first[2]
    )
    normal = candidate.normal
    return normal[0] * tx + normal[1] * ty + normal[2] * tz


@jit
def refine(pose_a, pose_b, params, work, low, high, slope_low, slope_high):
    """Return the angle between ``low`` and ``high`` at which the slope changes sign, by the Illinois method."""
    angle = high
    side = 0
    for _ in range(MAX_ITERATIONS):
        if not high - low > ANGLE_TOLERANCE:
            break
        angle = high - slope_high * (high - low) / (slope_high - slope_low)
        if not low < angle < high:
            angle = 0.5 * (low + high)
        slope = slope_at(pose_a, pose_b, params, work, angle)
        if abs(slope) < SLOPE_TOLERANCE:
            break
        low, high, slope_low, slope_high, side = narrow(low, high, slope_low, slope_high, side, angle, slope)
    return angle


@jit
def add_spot(pose_a, pose_b, params, work, angle):
    """Store the spot at an angle of the circle; where there are too many, the one with the largest gap is dropped."""
    slope_at(pose_a, pose_b, params, work, angle)
    candidate = work.candidate
    found = floats(address_of(work.found))
    k = int(work.n_found)
    if k == N_SPOTS:
        k = 0
        for i in range(1, N_SPOTS):
            if SPOT(found, i).gap > SPOT(found, k).gap:
                k = i
        if candidate.gap >= SPOT(found, k).gap:
            return
    else:
        work.n_found = k + 1.0
    spot = SPOT(found, k)
    spot.is_occupied = 1.0
    spot.gap = candidate.gap
    spot.place[0] = params.torus.radius * math.cos(angle)
    spot.place[1] = params.torus.radius * math.sin(angle)
    spot.place[2] = 0.0
    for d in range(3):
        spot.normal[d] = candidate.normal[d]
        spot.point_a[d] = candidate.point_a[d]
        spot.point_b[d] = candidate.point_b[d]


@jit
def set_axes_of_sphere(centre):
    """Give the pose of the sphere the global axes."""
    zero = 0.0
    one = 1.0
    centre.r11 = one
    centre.r12 = zero
    centre.r13 = zero
    centre.r21 = zero
    centre.r22 = one
    centre.r23 = zero
    centre.r31 = zero
    centre.r32 = zero
    centre.r33 = one


@jit
def set_piece(piece, low, width, slope_low, slope_high, gap_low, gap_high, level):
    """Store a piece of the circle."""
    piece.low = low
    piece.width = width
    piece.slope_low = slope_low
    piece.slope_high = slope_high
    piece.gap_low = gap_low
    piece.gap_high = gap_high
    piece.level = level


@jit
def divide(pose_a, pose_b, params, work, piece, pieces):
    """Store the parts of a piece in ``pieces``."""
    width = piece.width / N_PARTS
    low = piece.low
    level = piece.level + 1.0
    slope_high = piece.slope_high
    gap_high = piece.gap_high
    slope = piece.slope_low
    gap = piece.gap_low
    for part in range(1, N_PARTS):
        next_slope = slope_at(pose_a, pose_b, params, work, low + part * width)
        next_gap = work.candidate.gap
        at = PIECE(pieces, part)
        set_piece(at, low + (part - 1) * width, width, slope, next_slope, gap, next_gap, level)
        slope = next_slope
        gap = next_gap
    set_piece(PIECE(pieces, 0), low + (N_PARTS - 1) * width, width, slope, slope_high, gap, gap_high, level)


@jit
def search_piece(pose_a, pose_b, params, work, pieces, limit):
    """Find the minima in the only piece of the circle in ``pieces``, and all of them with a gap below ``limit`` [m]."""
    waiting = 1
    while waiting > 0:
        waiting -= 1
        piece = PIECE(pieces, waiting)
        lowest = 0.5 * (piece.gap_low + piece.gap_high - params.torus.radius * piece.width)
        if lowest < limit and piece.level < N_LEVELS:
            divide(pose_a, pose_b, params, work, piece, offset(pieces, waiting * PIECE_SIZE))
            waiting += N_PARTS
        elif piece.slope_low < 0.0 <= piece.slope_high:
            low = piece.low
            high = low + piece.width
            angle = refine(pose_a, pose_b, params, work, low, high, piece.slope_low, piece.slope_high)
            add_spot(pose_a, pose_b, params, work, angle)


@jit
def find_spots(pose_a, pose_b, params, work):
    """Find the spots of contact: the minima of the gap around the circle."""
    work.n_found = 0.0
    set_axes_of_sphere(work.centre)
    slopes = work.slopes
    gaps = work.gaps
    steepest = 0.0
    limit = NO_CONTACT
    for k in range(N_STEPS):
        slopes[k] = slope_at(pose_a, pose_b, params, work, k * STEP)
        gaps[k] = work.candidate.gap
        steepest = max(steepest, abs(slopes[k]))
        limit = min(limit, gaps[k])
    if steepest < LEVEL_SLOPE:
        for k in range(0, N_STEPS, N_STEPS // N_SPOTS):
            add_spot(pose_a, pose_b, params, work, k * STEP)
        return
    limit = max(limit, 0.0)
    pieces = stack_floats(PIECES_NUMBERS)
    level = 0.0
    for k in range(N_STEPS):
        after = (k + 1) % N_STEPS
        set_piece(PIECE(pieces, 0), k * STEP, STEP, slopes[k], slopes[after], gaps[k], gaps[after], level)
        search_piece(pose_a, pose_b, params, work, pieces, limit)


@pair_kernel(PARAMS, WARM_START)
def torus_shape(pose_a, pose_b, params, work, out):
    """Compute the contact of a torus (a) with another shape (b); the force acts midway between them."""
    found = floats(address_of(work.found))
    slots = floats(address_of(work.slots))
    if not is_prepared(pose_a, pose_b, work.poses):
        store_poses(pose_a, pose_b, work.poses)
        find_spots(pose_a, pose_b, params, work)
        assign_slots(found, int(work.n_found), slots, N_SPOTS)
    index = int(params.point_index)
    if index > 0:
        read_slot(SPOT(slots, index - 1), out)
        return
    out.gap = NO_CONTACT
    for k in range(int(work.n_found)):
        if SPOT(found, k).gap < out.gap:
            read_slot(SPOT(found, k), out)


def torus_pair(sphere_pair: PairKernel) -> PairKernel:
    """Return the pair of a torus and the kind of shapes that touch spheres by ``sphere_pair``."""

    def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
        frame = frame_along(a.axis)
        address = float(sphere_pair.kernel.address)
        return (*a.parameters, *frame[:, 0], *frame[:, 1], address, *sphere_pair.parameters_of(_tube_sphere(a), b))

    def check(owner: str, a: Any, b: Any) -> None:
        if a.inside:
            raise ModelError(f"{owner}: {a.label} is a cavity, which only a sphere can touch; {b.label} cannot")
        sphere_pair.check(owner, _tube_sphere(a), b)

    return PairKernel(
        torus_shape, PARAMS, parameters_of, NO_SPOTS, check, contact_points=N_SPOTS,
        shares_warm_start=True,
        slots_offset=WARM_START.index("slots"),
    )  # fmt: skip


def _tube_sphere(torus: Any) -> Sphere:
    """Return a sphere of the radius of the tube, about the origin of its body."""
    return Sphere(torus.body, torus.tube_radius)
