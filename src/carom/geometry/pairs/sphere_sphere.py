"""Two spheres outside each other, or a ball in a spherical cavity."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError
from carom.geometry.pairs.base import CONTACT_POINT, GAP, NORMAL_AT, POINT_A, POINT_B, POSE, Pair, placed, put
from carom.kernels import PAIR, jit, kernel, offset


@jit
def order(pose_a, pose_b, par):
    """The normal of concentric spheres along x: 1.0 or −1.0, the other one when a and b are exchanged.

    Their radii tell them apart, or else the first number in which they differ.
    """
    if abs(par[3]) != abs(par[7]):
        if abs(par[3]) < abs(par[7]):
            return 1.0
        return -1.0
    for k in range(POSE):
        if pose_a[k] != pose_b[k]:
            if pose_a[k] < pose_b[k]:
                return 1.0
            return -1.0
    for k in range(3):
        if par[k] < par[4 + k]:
            return 1.0
        if par[k] > par[4 + k]:
            return -1.0
    return 1.0


@kernel(PAIR)
def sphere_sphere(pose_a, pose_b, par, memory, out):
    """par: centre and signed radius of a, of b (negative: cavity). The force acts midway between the skins."""
    ax, ay, az = placed(pose_a, par[0], par[1], par[2])
    bx, by, bz = placed(pose_b, par[4], par[5], par[6])
    ra = par[3]
    rb = par[7]
    dx = ax - bx
    dy = ay - by
    dz = az - bz
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    # From b to a: along the line of centres, but from the wall to the ball when one is a cavity.
    way = 1.0
    if ra < 0.0 or rb < 0.0:
        way = -1.0
    nx = 0.0
    ny = 0.0
    nz = 0.0
    if distance > 0.0:
        nx = way * dx / distance
        ny = way * dy / distance
        nz = way * dz / distance
    else:
        nx = order(pose_a, pose_b, par)
    pax = ax - ra * nx
    pay = ay - ra * ny
    paz = az - ra * nz
    pbx = bx + rb * nx
    pby = by + rb * ny
    pbz = bz + rb * nz
    out[GAP] = way * distance - (ra + rb)
    put(offset(out, NORMAL_AT), nx, ny, nz)
    put(offset(out, POINT_A), pax, pay, paz)
    put(offset(out, POINT_B), pbx, pby, pbz)
    put(offset(out, CONTACT_POINT), 0.5 * (pax + pbx), 0.5 * (pay + pby), 0.5 * (paz + pbz))


def check(owner: str, a: Any, b: Any) -> None:
    names = f"{a.label} and {b.label}"
    if a.inside and b.inside:
        raise ModelError(f"{owner}: {names} are both cavities; one of them must be a ball")
    if (a.inside or b.inside) and a.signed_radius + b.signed_radius > 0.0:
        ball, hollow = (a, b) if b.inside else (b, a)
        raise ModelError(
            f"{owner}: {ball.label} must fit into the cavity of {hollow.label}, "
            f"got radius {ball.radius:g} in {hollow.radius:g}"
        )


def meet(owner: str, a: Any, b: Any) -> None:
    if a.radius == 0.0 and b.radius == 0.0:
        raise ModelError(f"{owner}: {a.label} and {b.label} are both points and can never touch; give one a radius")


SPHERE_SPHERE = Pair(sphere_sphere, check=check, meet=meet)
