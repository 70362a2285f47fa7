"""Sphere and curve: a roller on a planar profile, or a sphere on a wire or tube in 3D."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.curve_projection import (
    CELL_CURVE,
    CURVE_WARM_START,
    closest_parameter,
    knots_of,
    point_at,
    projection_parameters,
)
from carom.geometry.pairs.base import PairKernel, pair_kernel, rotate, to_global, to_local
from carom.geometry.pairs.outline_outline import OUTLINE_OUTLINE
from carom.geometry.pairs.sphere_common import perpendicular_to, reject_cavity, require_radius, store_sphere_contact
from carom.geometry.shapes.sphere import SPHERE
from carom.kernels import FLOAT, jit, record

PARAMS = record(
    sphere=SPHERE,
    side=FLOAT,  # side of the solid, 0.0 in 3D (see `carom.geometry.shapes.curve.CURVE`)
    radius=FLOAT,  # radius of the tube [m]
    curve=CELL_CURVE,
)

PERPENDICULAR_COSINE = 1e-9
"""Cosine of the angle between the curve and the line to one of its ends up to which they are perpendicular [-]."""


@jit
def is_end(curve, s):
    """Return True if ``s`` is an end of an open curve."""
    knots = knots_of(curve)
    return curve.is_closed == 0.0 and (s == knots[0] or s == knots[int(curve.n_segments)])


@pair_kernel(PARAMS, CURVE_WARM_START)
def sphere_curve(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) with a curve (b); the force acts on the surface of the curve.

    At an end of an open profile the normal points away from the end.
    """
    sphere = params.sphere
    curve = params.curve
    side = params.side
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    px, py, pz = to_local(pose_b, cx, cy, cz)
    s = closest_parameter(curve, px, py, pz, warm_start)
    qx, qy, qz, tx, ty, tz, _, _, _ = point_at(curve, s)
    dx = px - qx
    dy = py - qy
    dz = pz - qz
    speed = math.sqrt(tx * tx + ty * ty + tz * tz)
    tx /= speed
    ty /= speed
    tz /= speed
    height = math.sqrt(dx * dx + dy * dy + dz * dz)
    is_slanted = is_end(curve, s) and abs(dx * tx + dy * ty + dz * tz) > PERPENDICULAR_COSINE * height
    if side != 0.0 and not is_slanted:  # the normal is to the left of the tangent that has the solid on its right
        nx = -side * ty
        ny = side * tx
        nz = 0.0
        height = dx * nx + dy * ny
    elif height > 0.0:
        nx = dx / height
        ny = dy / height
        nz = dz / height
    else:
        nx, ny, nz = perpendicular_to(tx, ty, tz)
    nx, ny, nz = rotate(pose_b, nx, ny, nz)
    store_sphere_contact(out, cx, cy, cz, sphere.radius, nx, ny, nz, height - params.radius)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a sphere and a curve."""
    return (*a.parameters, b.side, b.radius, *projection_parameters(b.path))


def check_planar(owner: str, a: Any, b: Any) -> None:
    """Raise for a cavity, or for a planar profile on a spatial body."""
    reject_cavity(owner, a, b)
    if b.side != 0.0 and not (a.planar and b.planar):
        raise ModelError(
            f"{owner}: {b.label} is a planar profile and needs planar bodies; use points (x, y, z) for a curve in 3D"
        )


def with_corners(a: Any, b: Any) -> PairKernel | None:
    """Return the pair of a sphere and a planar curve with corners, which may touch at several places."""
    return OUTLINE_OUTLINE if b.has_corners else None


SPHERE_CURVE = PairKernel(
    sphere_curve, PARAMS, parameters_of, (0.0,) * CURVE_WARM_START.size, check_planar, require_radius,
    select=with_corners,
)  # fmt: skip
