"""Film of lubricant in a revolute joint with clearance.

The force of the lubricant and a torque of shear act on the journal at its centre, the opposite ones on the bearing at
the same point. The shear of the whole circumference has the torque

    T = −μ R³ L (ω_j − ω_b) 2π/(c √(1 − ε²)) − e F_t/2

Near the wall the film passes into dry contact: in a layer of twice the thickness δ of the roughness it becomes thinner
more and more slowly, down to δ where the surfaces touch, and it vanishes when they have approached by δ more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.forces.base import Force
from carom.joints.planar_markers import PLANAR_POINTS, relative_motion
from carom.kernels import FLOAT, FORCE, Kernel, address_of, call_film, floats, jit, kernel, offset, record
from carom.laws.lubrication.base import Lubricant
from carom.mechanics.element_output import force_output, signals_of
from carom.mechanics.planar_body import body_at

BEARING_FILM = record(
    " ".join(PLANAR_POINTS),
    radius=FLOAT,  # of the journal [m]
    clearance=FLOAT,  # [m]
    roughness=FLOAT,  # δ over the clearance [-]
    viscosity=FLOAT,  # [Pa s]
    length=FLOAT,  # [m]; the parameters of the lubricant follow
)
SIZE = BEARING_FILM.size

OUTPUT = force_output(
    "radial_force tangential_force film_thickness eccentricity_ratio attitude_angle torque power_loss"
)


@jit
def film_thickness(gap, roughness):
    """Return the thinnest film for the distance of the surfaces, both over the clearance [-]."""
    if gap >= 2.0 * roughness:
        return gap
    if gap <= 0.0:
        return roughness
    return roughness + gap * gap / (4.0 * roughness)


@jit
def remaining_film(gap, roughness):
    """Return the factor of the film where the surfaces touch: 1 without indentation, 0 for more than δ."""
    x = min(max(-gap / roughness, 0.0), 1.0)
    return 1.0 - x * x * (3.0 - 2.0 * x)


@kernel(FORCE, BEARING_FILM, OUTPUT)
def planar(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate the film; ``body_offsets[2]`` is the address of the lubricant's kernel."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    ax, ay, bx, by, dx, dy, vx, vy = relative_motion(a, b, params)
    e = math.sqrt(dx * dx + dy * dy)
    nx = 1.0
    ny = 0.0
    if e > 0.0:
        nx = dx / e
        ny = dy / e
    elif vx != 0.0 or vy != 0.0:
        speed = math.sqrt(vx * vx + vy * vy)
        nx = vx / speed
        ny = vy / speed
    c = params.clearance
    gap = 1.0 - e / c
    thickness = film_thickness(gap, params.roughness)
    epsilon = 1.0 - thickness
    wedge = 0.5 * epsilon * (a.omega + b.omega) - (nx * vy - ny * vx) / c
    squeeze = (nx * vx + ny * vy) / c
    force = signals_of(output)
    lubricant = offset(floats(address_of(params)), SIZE)
    call_film(body_offsets[2], lubricant, params.radius, c, epsilon, wedge, squeeze, force)
    share = remaining_film(gap, params.roughness)
    radial = share * force[0]
    tangential = share * force[1]
    sliding = b.omega - a.omega
    shear = 2.0 * math.pi * params.viscosity * params.length * params.radius**3
    shear /= c * math.sqrt(thickness * (2.0 - thickness))
    torque = -share * shear * sliding - 0.5 * e * tangential
    fx = radial * nx - tangential * ny
    fy = radial * ny + tangential * nx
    wrenches[0] = -fx
    wrenches[1] = -fy
    wrenches[2] = -((ax + dx) * fy - (ay + dy) * fx) - torque
    wrenches[3] = fx
    wrenches[4] = fy
    wrenches[5] = bx * fy - by * fx + torque
    # The relative velocity of the bearing at the journal's centre.
    wx = vx + a.omega * dy
    wy = vy - a.omega * dx
    loss = -(fx * wx + fy * wy + torque * sliding)
    output.potential = 0.0
    output.dissipated_power = loss
    output.applied_power = 0.0
    output.radial_force = radial
    output.tangential_force = tangential
    output.film_thickness = thickness * c
    output.eccentricity_ratio = e / c
    output.attitude_angle = math.atan2(tangential, -radial)
    output.torque = torque
    output.power_loss = loss


def body_point(body: Any, point: Sequence[float]) -> tuple[float, float]:
    """Return a point of a planar body in global axes in the current pose [m]."""
    c, s = math.cos(body.angle), math.sin(body.angle)
    x, y = body.position
    return x + c * point[0] - s * point[1], y + s * point[0] + c * point[1]


class BearingFilm(Force):
    """Film of lubricant in a `RevoluteClearance`, which adds it to the system.

    Signals: ``radial_force`` and ``tangential_force`` on the journal [N], the thinnest ``film_thickness`` [m],
    ``eccentricity_ratio`` [-], ``attitude_angle`` from the load to the line of centres [rad], ``torque`` of the film on
    the journal [N m], ``power_loss`` [W].

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(gravity=(0.0, -9.81))
    >>> shaft = system.add(cm.Body("shaft", mass=1.0, inertia=1e-4, angular_velocity=100.0))
    >>> oil = cm.lubrication.LongBearing(viscosity=0.05, length=0.04)
    >>> sizes = {"journal_radius": 9.9e-3, "bearing_radius": 10e-3}
    >>> bearing = cm.RevoluteClearance(system.ground, shaft, at=(0.0, 0.0), lubricant=oil, name="bearing", **sizes)
    >>> system.add(bearing).name
    'bearing'
    >>> system["bearing film"].signals[:2]
    ('radial_force', 'tangential_force')
    """

    planar = planar
    signals = (
        "radial_force", "tangential_force", "film_thickness", "eccentricity_ratio", "attitude_angle", "torque",
        "power_loss",
    )  # fmt: skip
    units = ("N", "N", "m", "1", "rad", "N m", "W")

    def __init__(self, joint: Any, lubricant: Lubricant, roughness: float, name: str | None = None):
        super().__init__(name, *joint.members)
        self.joint, self.lubricant, self.roughness = joint, lubricant, roughness
        self.points = joint.points
        radius, clearance = joint.journal_radius, joint.clearance
        values = (*self.points[0], *self.points[1], radius, clearance, roughness / clearance)
        self.parameters = (*values, lubricant.viscosity, lubricant.length, *lubricant.film_parameters(radius))

    def warning_at_start(self) -> str | None:
        """Return a warning if the surfaces are nearer than their roughness in the current pose; None otherwise."""
        (ax, ay), (bx, by) = (body_point(body, point) for body, point in zip(self.members, self.points, strict=True))
        gap = self.joint.clearance - math.hypot(bx - ax, by - ay)
        if gap >= self.roughness:
            return None
        return (
            f"{self.label}: the film is ruptured at the start: the surfaces are {gap:.3g} m apart, less than the "
            f"roughness {self.roughness:.3g} m; move the journal away from the wall, or reduce roughness"
        )

    def compiled_function(self, body_dtype: np.dtype) -> Kernel:
        """Return the kernel of the lubricant."""
        return self.lubricant.kernel
