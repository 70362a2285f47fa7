"""Gear pair: the angles of two bodies, seen from their carrier, are in a fixed ratio; in space, those of two joints."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from carom.errors import ModelError, named, number, shown, vector
from carom.geometry.marker import body_of
from carom.joints.base import Joint
from carom.joints.spatial_rows import TURN, angle_between, axis_angle, counted, hinge_numbers
from carom.kernels import JOINT, jit, kernel, offset
from carom.mechanics.planar import ANGLE
from carom.mechanics.vectors import omega, turned

MOST_TEETH = 250
"""A ratio of whole numbers up to this is one of teeth: it needs no memory of turns."""

# Parameters in space: ratio, constant, period of the meshing (0 when the ratio is not one of teeth), members; then for
# each joint the places of its two bodies among the members, x and y in the first, x in the second, and `counted`'s own.
PERIOD, COUNT, SIDES = 2, 3, 4
AXES, HINGE, SIDE = 2, 11, 18


@kernel(JOINT)
def planar(bodies, members, par, phi, jac, gamma):
    """(θ_b − θ_c) − ratio (θ_a − θ_c) − constant."""
    ratio = par[0]
    phi[0] = (
        bodies[members[1] + ANGLE]
        - ratio * bodies[members[0] + ANGLE]
        + (ratio - 1.0) * bodies[members[2] + ANGLE]
        - par[1]
    )
    for k in range(9):
        jac[k] = 0.0
    jac[2] = -ratio
    jac[5] = 1.0
    jac[8] = ratio - 1.0
    gamma[0] = 0.0


@jit
def add_angle(bodies, members, side, factor, jac, gamma):
    """Add ``factor`` × the angle of a joint to the row; returns the angle."""
    i = int(side[0])
    j = int(side[1])
    a = members[i]
    b = members[j]
    x = turned(bodies, a, offset(side, AXES))
    y = turned(bodies, a, offset(side, AXES + 3))
    w = turned(bodies, b, offset(side, AXES + 6))
    angle, torque, second = angle_between(omega(bodies, a), omega(bodies, b), x, y, w)
    for d in range(3):
        jac[6 * i + 3 + d] += factor * torque[d]
        jac[6 * j + 3 + d] -= factor * torque[d]
    gamma[0] -= factor * second
    return counted(bodies, a, b, angle, offset(side, HINGE))


@kernel(JOINT)
def spatial(bodies, members, par, phi, jac, gamma):
    """angle_b − ratio angle_a − constant, to the nearest tooth, if there are teeth."""
    ratio = par[0]
    for k in range(6 * int(par[COUNT])):
        jac[k] = 0.0
    gamma[0] = 0.0
    one = 1.0
    first = offset(par, SIDES)
    second = offset(par, SIDES + SIDE)
    angle_a = add_angle(bodies, members, first, -ratio, jac, gamma)
    angle_b = add_angle(bodies, members, second, one, jac, gamma)
    phi[0] = angle_b - ratio * angle_a - par[1]
    if par[PERIOD] != 0.0:
        phi[0] -= par[PERIOD] * math.floor(phi[0] / par[PERIOD] + 0.5)


class Gear(Joint):
    """Gears on ``a`` and ``b``: (ω_b − ω_c) = ratio (ω_a − ω_c), from the angles they have now.

    Give ``ratio``, or ``teeth=(z_a, z_b)`` (numbers or pitch radii): ratio = −z_a/z_b, or +z_a/z_b with
    ``internal=True`` (one of them is a ring gear). ``carrier`` is the body that holds both shafts, the ground when
    None; with a moving carrier this is an epicyclic gear. The shafts themselves are joints of their own.
    Reaction: the torque of the mesh on ``b``.

    In space ``a`` and ``b`` are the two joints that the wheels turn in (`Revolute` or `Cylindrical`), with any axes:
    Φ = angle_b − ratio angle_a − constant = 0, so ω_b = ratio ω_a for the rates of their angles. The reaction is the
    torque on the second body of ``b``; what the teeth press on the shafts is not part of it. A ratio of whole numbers
    (up to 250) is one of teeth: they mesh wherever a run starts; other ratios count turns from the start of a run.
    """

    rows = 1
    planar = planar
    spatial = spatial

    def __init__(
        self,
        a: Any,
        b: Any,
        ratio: float | None = None,
        *,
        teeth: tuple[float, float] | None = None,
        internal: bool = False,
        carrier: Any = None,
        name: str | None = None,
    ):
        owner = named("Gear", name)
        hinges = [joint for joint in (a, b) if isinstance(joint, Joint)]
        if len(hinges) == 2:
            super().__init__(name, *members_of(owner, hinges, carrier))
        else:
            super().__init__(name, body_of(owner, a), body_of(owner, b), carrier)
            if self.in_space:
                raise ModelError(
                    f"{owner}: in space, give the two joints that the wheels turn in, got {shown(a)} and {shown(b)}"
                )
        if (ratio is None) == (teeth is None):
            raise ModelError(f"{self.label}: give either ratio= or teeth=(z_a, z_b)")
        if teeth is not None:
            z_a, z_b = vector(self.label, "teeth", teeth, 2)
            if z_a <= 0.0 or z_b <= 0.0:
                raise ModelError(f"{self.label}: teeth must be positive, got {teeth}")
            ratio = z_a / z_b if internal else -z_a / z_b
        self.ratio = number(self.label, "ratio", ratio)
        if self.ratio == 0.0:
            raise ModelError(f"{self.label}: ratio must not be zero")
        if hinges:
            self._mesh(a, b)
            return
        c = 0.0 if carrier is None else carrier.angle
        self.parameters = (self.ratio, b.angle - self.ratio * a.angle + (self.ratio - 1.0) * c)

    def _mesh(self, a: Joint, b: Joint) -> None:
        """Numbers of the mesh between two joints in space."""
        teeth = Fraction(self.ratio).limit_denominator(MOST_TEETH)
        whole = abs(float(teeth) - self.ratio) <= 1e-12 * abs(self.ratio)
        period = TURN / teeth.denominator if whole else 0.0
        sides: list[float] = []
        for joint in (a, b):
            places = [next(k for k, body in enumerate(self.members) if body is held) for held in joint.members]
            measured, turns = hinge_numbers(joint)
            sides += [*places, *measured, *turns]
        now = sides[SIDE + HINGE] - self.ratio * sides[HINGE]
        self.parameters = (self.ratio, now, period, len(self.members), *sides)
        held = {id(body): point for joint in (a, b) for body, point in zip(joint.members, joint.points, strict=True)}
        self.points = tuple(held[id(body)] for body in self.members)


def members_of(owner: str, joints: list[Joint], carrier: Any) -> list[Any]:
    """The bodies of two joints in space, each once: what turns in a, what turns in b, and what holds them."""
    for joint in joints:
        if joint.coordinates.get("angle") is not axis_angle:
            raise ModelError(
                f"{owner}: wheels turn in spatial joints with an angle, Revolute or Cylindrical, got {shown(joint)}"
            )
    if carrier is not None:
        raise ModelError(f"{owner}: carrier is for planar gears; in space the joints say what holds the wheels")
    (base_a, wheel_a), (base_b, wheel_b) = (joint.members for joint in joints)
    members: list[Any] = []
    for body in (wheel_a, wheel_b, base_a, base_b):
        if not any(body is known for known in members):
            members.append(body)
    if len(members) < 3 and joints[0] is joints[1]:
        raise ModelError(f"{owner}: needs two different joints, got {joints[0]!r} twice")
    return members
