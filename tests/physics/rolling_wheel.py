"""Wheel with rolling resistance on a plane, for several test modules."""

from __future__ import annotations

import math

import carom as cm

MASS, RADIUS, GRAVITY, LEVER, SPEED = 2.0, 0.1, 9.81, 2e-3, 1.0
STIFFNESS, FRICTION = 1e9, 0.5


def wheel(dim, shape=0.4, slope=0.0, speed=SPEED, spin=0.0, lever=LEVER, spinning=0.0, height=0.0, fall=0.0,
          friction=FRICTION, restitution=0.0, turning=None, radius=RADIUS):  # fmt: skip
    """Return a system with a wheel of inertia ``shape`` m R² that rolls along a direction that is no axis.

    ``turning`` is R ω of its rolling [m/s]; without it the wheel does not slide.
    """
    rolling = cm.friction.Rolling(lever, spin=1e-3, spinning=spinning)
    down, along = GRAVITY * math.cos(slope), GRAVITY * math.sin(slope)
    inertia, omega = shape * MASS * radius**2, (speed if turning is None else turning) / radius
    if dim == 2:
        system = cm.System(gravity=(along, -down))
        body = cm.Body("wheel", MASS, inertia, (0.0, radius + height), velocity=(speed, -fall),
                       angular_velocity=-omega)  # fmt: skip
    else:
        system = cm.System(dim=3, gravity=(0.6 * along, 0.8 * along, -down))
        body = cm.Body("wheel", MASS, inertia, (0.0, 0.0, radius + height), velocity=(0.6 * speed, 0.8 * speed, -fall),
                       angular_velocity=(-0.8 * omega, 0.6 * omega, spin))  # fmt: skip
    system.add(body)
    law, coulomb = cm.laws.HuntCrossley(STIFFNESS, restitution=0.8), cm.friction.Coulomb(0.5, 1e-4)
    impact = cm.ImpactLaw(restitution, friction=friction)
    system.add(cm.Contact(cm.Sphere(body, radius), cm.Plane(system.ground), law, coulomb, impact=impact,
                          rolling=rolling, name="floor"))  # fmt: skip
    return system
