"""Gear pair: fixed ratio between the angles of two bodies relative to their carrier; in 3D, of two joints."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from carom.argument_checks import finite_float, object_label, short_repr, vector
from carom.errors import ModelError
from carom.geometry.marker import body_of
from carom.joints.base import Joint
from carom.joints.hinge_angle import HINGE_FIELDS, REVOLUTION, hinge_fields, with_revolutions
from carom.joints.spatial_constraints import angle_between, axis_angle
from carom.kernels import FLOAT, JOINT, address_of, jit, kernel, record
from carom.mechanics import spatial_body
from carom.mechanics.planar_body import body_at
from carom.mechanics.vector3 import angular_velocity, rotated
from carom.typing import BodyLike

MAX_TEETH = 250
"""Largest integer of a ratio that counts as one of teeth; such a ratio needs no count of revolutions."""

PLANAR_GEAR = record(
    ratio=FLOAT,  # ω_b / ω_a relative to the carrier [-]
    offset=FLOAT,  # constant of the constraint [rad]
)

SPATIAL_GEAR = record(
    ratio=FLOAT,  # ω_b / ω_a of the angles of the two joints [-]
    offset=FLOAT,  # constant of the constraint [rad]
    period=FLOAT,  # rotation of b by which the teeth mesh again, 0 for other ratios [rad]
    n_bodies=FLOAT,
)
"""Two rows of `GEAR_HINGE` follow, for the joints of a and of b."""

GEAR_HINGE = record(
    i_base=FLOAT,  # index of the first body of the joint among the bodies of the gear
    i_wheel=FLOAT,  # index of its second body
    **HINGE_FIELDS,
)

HINGES_OFFSET = SPATIAL_GEAR.dtype.itemsize


@kernel(JOINT, PLANAR_GEAR)
def planar(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate (θ_b − θ_c) − ratio (θ_a − θ_c) − constant [rad]."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    carrier = body_at(bodies, body_offsets[2])
    ratio = params.ratio
    Phi[0] = b.angle - ratio * a.angle + (ratio - 1.0) * carrier.angle - params.offset
    for k in range(9):
        Phi_q[k] = 0.0
    Phi_q[2] = -ratio
    Phi_q[5] = 1.0
    Phi_q[8] = ratio - 1.0
    gamma_c[0] = 0.0


@jit
def add_angle(bodies, body_offsets, hinge, factor, Phi_q, gamma_c):
    """Add ``factor`` × the angle of a joint to Φ_q and γ; return the angle [rad]."""
    i = int(hinge.i_base)
    j = int(hinge.i_wheel)
    a = spatial_body.body_at(bodies, body_offsets[i])
    b = spatial_body.body_at(bodies, body_offsets[j])
    x = rotated(a, hinge.x_a)
    y = rotated(a, hinge.y_a)
    w = rotated(b, hinge.x_b)
    angle, gradient, bias = angle_between(angular_velocity(a), angular_velocity(b), x, y, w)
    for d in range(3):
        Phi_q[6 * i + 3 + d] += factor * gradient[d]
        Phi_q[6 * j + 3 + d] -= factor * gradient[d]
    gamma_c[0] -= factor * bias
    return with_revolutions(a, b, angle, hinge)


@kernel(JOINT, SPATIAL_GEAR)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate angle_b − ratio angle_a − constant, to the nearest tooth if the ratio is one of teeth [rad]."""
    ratio = params.ratio
    for k in range(6 * int(params.n_bodies)):
        Phi_q[k] = 0.0
    gamma_c[0] = 0.0
    one = 1.0
    hinges = address_of(params) + HINGES_OFFSET
    angle_a = add_angle(bodies, body_offsets, GEAR_HINGE(hinges, 0), -ratio, Phi_q, gamma_c)
    angle_b = add_angle(bodies, body_offsets, GEAR_HINGE(hinges, 1), one, Phi_q, gamma_c)
    Phi[0] = angle_b - ratio * angle_a - params.offset
    if params.period != 0.0:
        Phi[0] -= params.period * math.floor(Phi[0] / params.period + 0.5)


class Gear(Joint):
    """Gear pair on ``a`` and ``b``: (ω_b − ω_c) = ratio (ω_a − ω_c), starting from the current angles.

    Set ``ratio``, or ``teeth=(z_a, z_b)`` (numbers of teeth or pitch radii): ratio = −z_a/z_b, or +z_a/z_b with
    ``internal=True`` (one of them is a ring gear). ``carrier`` is the body that holds both shafts (default: ground);
    with a moving carrier this is an epicyclic gear. The bearings of the shafts are separate joints.
    Reaction: the torque of the mesh on ``b``.

    In 3D ``a`` and ``b`` are the two joints in which the wheels rotate (`Revolute` or `Cylindrical`), with any axes:
    Φ = angle_b − ratio angle_a − constant = 0, so ω_b = ratio ω_a for the rates of their angles. The reaction is the
    torque on the second body of ``b``; the tooth forces on the bearings are not included. A ratio of integers up to 250
    is one of teeth, which mesh wherever a run starts; for other ratios revolutions are counted from the start of a run.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> a = system.add(cm.Body("a", mass=1.0, inertia=0.1))
    >>> b = system.add(cm.Body("b", mass=1.0, inertia=0.1, position=(1.0, 0.0)))
    >>> system.add(cm.Gear(a, b, teeth=(20, 40))).ratio
    -0.5
    """

    rows = 1
    planar = planar
    spatial = spatial

    def __init__(
        self,
        a: BodyLike | Joint,
        b: BodyLike | Joint,
        ratio: float | None = None,
        *,
        teeth: tuple[float, float] | None = None,
        internal: bool = False,
        carrier: BodyLike | None = None,
        name: str | None = None,
    ):
        owner = object_label("Gear", name)
        hinges = [joint for joint in (a, b) if isinstance(joint, Joint)]
        if len(hinges) == 2:
            super().__init__(name, *bodies_of(owner, hinges, carrier))
        else:
            super().__init__(name, body_of(owner, a), body_of(owner, b), carrier)
            if self.in_space:
                raise ModelError(
                    f"{owner}: in 3D, a and b must be the two joints in which the wheels rotate, "
                    f"got {short_repr(a)} and {short_repr(b)}"
                )
        if (ratio is None) == (teeth is None):
            raise ModelError(f"{self.label}: set either ratio= or teeth=(z_a, z_b)")
        if teeth is not None:
            z_a, z_b = vector(self.label, "teeth", teeth, 2)
            if z_a <= 0.0 or z_b <= 0.0:
                raise ModelError(f"{self.label}: teeth must be positive, got {teeth}")
            ratio = z_a / z_b if internal else -z_a / z_b
        self.ratio = finite_float(self.label, "ratio", ratio)
        if self.ratio == 0.0:
            raise ModelError(f"{self.label}: ratio must not be zero")
        if isinstance(a, Joint) or isinstance(b, Joint):
            self._connect_joints(*hinges)
            return
        c = 0.0 if carrier is None else carrier.angle
        offset = b.angle - self.ratio * a.angle + (self.ratio - 1.0) * c
        self.parameters = PLANAR_GEAR.pack(ratio=self.ratio, offset=offset)

    def _connect_joints(self, a: Joint, b: Joint) -> None:
        """Set the parameters and points of the mesh between two spatial joints."""
        teeth = Fraction(self.ratio).limit_denominator(MAX_TEETH)
        has_teeth = abs(float(teeth) - self.ratio) <= 1e-12 * abs(self.ratio)
        angles: list[float] = []
        hinges: list[float] = []
        for joint in (a, b):
            i_base, i_wheel = (
                next(k for k, body in enumerate(self.members) if body is member) for member in joint.members
            )
            fields = hinge_fields(joint)
            angles.append(fields["start_angle"])
            hinges += GEAR_HINGE.pack(i_base=i_base, i_wheel=i_wheel, **fields)
        gear = SPATIAL_GEAR.pack(
            ratio=self.ratio,
            offset=angles[1] - self.ratio * angles[0],
            period=REVOLUTION / teeth.denominator if has_teeth else 0.0,
            n_bodies=len(self.members),
        )
        self.parameters = (*gear, *hinges)
        points = {id(body): point for joint in (a, b) for body, point in zip(joint.members, joint.points, strict=True)}
        self.points = tuple(points[id(body)] for body in self.members)


def bodies_of(owner: str, joints: list[Joint], carrier: BodyLike | None) -> list[Any]:
    """Return the bodies of two spatial joints, each once: the wheels of a and of b, then their bases."""
    for joint in joints:
        if joint.coordinates.get("angle") is not axis_angle:
            raise ModelError(
                f"{owner}: joints must be spatial and have an angle (Revolute or Cylindrical), got {short_repr(joint)}"
            )
    if carrier is not None:
        raise ModelError(f"{owner}: carrier is only for planar gears; in 3D the joints hold the wheels")
    (base_a, wheel_a), (base_b, wheel_b) = (joint.members for joint in joints)
    bodies: list[Any] = []
    for body in (wheel_a, wheel_b, base_a, base_b):
        if not any(body is known for known in bodies):
            bodies.append(body)
    if len(bodies) < 3 and joints[0] is joints[1]:
        raise ModelError(f"{owner}: needs two different joints, got {joints[0]!r} twice")
    return bodies
