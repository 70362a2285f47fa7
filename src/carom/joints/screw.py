"""Screw joint: a nut on a thread."""

from __future__ import annotations

import math

from carom.argument_checks import finite_float, object_label
from carom.deprecation import deprecated_arguments
from carom.errors import ModelError
from carom.geometry.marker import AttachmentLike, as_marker
from carom.joints.base import Coordinate, Joint
from carom.joints.cylindrical import coaxial_rows
from carom.joints.hinge_angle import REVOLUTION
from carom.joints.limits import Limits, StopImpact, StopLaw
from carom.joints.spatial_constraints import ROW_SIZE, axis_angle_row, axis_displacement, translation_row
from carom.joints.spatial_markers import SPATIAL_MARKERS, VECTOR, check_spatial, line_markers, spatial_fields
from carom.joints.stop_gaps import THREAD_STOP
from carom.kernels import FLOAT, JOINT, jit, kernel, offset, record
from carom.mechanics.spatial_body import body_at
from carom.mechanics.vector3 import rotated
from carom.typing import PointLike, VectorLike

SCREW = record(**dict.fromkeys(SPATIAL_MARKERS, VECTOR), pitch=FLOAT)
"""`SPATIAL_MARKERS`, and displacement per revolution [m]."""


@jit
def thread_row(a, b, params, Phi, Phi_q, gamma_c):
    """Evaluate displacement − pitch/2π angle [m], to the nearest revolution: the displacement counts them."""
    lead = params.pitch / REVOLUTION
    z = rotated(a, params.z_a)
    axis_angle_row(a, b, params, Phi, Phi_q, gamma_c)
    angle = Phi[0]
    angle_gamma = gamma_c[0]
    gradient = (Phi_q[3], Phi_q[4], Phi_q[5])
    translation_row(a, b, params, z, Phi, Phi_q, gamma_c)
    Phi[0] -= lead * angle
    Phi[0] -= params.pitch * math.floor(Phi[0] / params.pitch + 0.5)
    gamma_c[0] -= lead * angle_gamma
    for d in range(3):
        Phi_q[3 + d] -= lead * gradient[d]
        Phi_q[9 + d] += lead * gradient[d]


@kernel(JOINT, SCREW)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the five equations of a screw joint."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    coaxial_rows(a, b, params, Phi, Phi_q, gamma_c)
    thread_row(a, b, params, offset(Phi, 4), offset(Phi_q, 4 * ROW_SIZE), offset(gamma_c, 4))


@kernel(JOINT, SCREW)
def total_angle(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the angle with the revolutions that follow from the displacement [rad]."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    translation_row(a, b, params, rotated(a, params.z_a), Phi, Phi_q, gamma_c)
    expected = REVOLUTION * Phi[0] / params.pitch
    axis_angle_row(a, b, params, Phi, Phi_q, gamma_c)
    Phi[0] += REVOLUTION * math.floor((expected - Phi[0]) / REVOLUTION + 0.5)


class Screw(Joint):
    """Screw joint: ``b`` rotates about ``axis`` and moves along it by ``pitch`` [m] per revolution.

    The line is fixed in ``a``, along ``axis`` through ``at`` (global axes, current pose; default: the current centre
    of mass of ``b``). Φ: the four equations of `Cylindrical`, and displacement − pitch/2π · angle = 0, both measured
    from the current pose if ``axis`` is set. ``pitch`` > 0 is a right-handed thread, < 0 a left-handed one.
    Free coordinates, of which one determines the other: ``displacement`` [m] and ``angle`` [rad] with its revolutions.
    Reaction: force and torque on ``b`` at its point on the line.

    ``limits={"angle": (lower, upper)}`` bounds coordinates by stops, None: no limit; ``law`` is the normal law of the
    stops in compliant runs, ``impact`` that in non-smooth ones, of all stops or by coordinate (default: a stiff stop
    with next to no rebound, see `Joint.stops`).

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3)
    >>> bar = system.add(cm.Body("bar", mass=1.0, inertia=0.1, position=(0.0, 0.0, 1.0)))
    >>> joint = system.add(cm.Screw(system.ground, bar, axis=(0.0, 0.0, 1.0), pitch=2e-3))
    >>> system.degrees_of_freedom
    1
    """

    rows = 5
    spatial = spatial
    coordinates = {
        "displacement": axis_displacement,
        "angle": Coordinate(total_angle, "rad", "rad/s", stop=THREAD_STOP),
    }

    @deprecated_arguments(order=("a", "b", "axis", "at", "pitch"))
    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        *,
        at: PointLike | None = None,
        axis: VectorLike | None = None,
        pitch: float | None = None,
        limits: Limits = None,
        law: StopLaw = None,
        impact: StopImpact = None,
        name: str | None = None,
    ):
        owner = object_label("Screw", name)
        check_spatial(owner, as_marker(owner, b), "RackPinion")
        if pitch is None:
            raise ModelError(f"{owner}: pitch is missing; set pitch=, the displacement per revolution [m]")
        self.pitch = finite_float(owner, "pitch", pitch)
        if self.pitch == 0.0:
            raise ModelError(f"{owner}: pitch must not be zero; use Revolute for a joint without displacement")
        first, second = line_markers(owner, a, b, at, axis)
        super().__init__(name, first.body, second.body)
        self.parameters = SCREW.pack(**spatial_fields(first, second), pitch=self.pitch)
        self.points = (first.at, second.at)
        self._set_limits(limits, law, impact)
