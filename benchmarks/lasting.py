"""Scenes of lasting contact: bodies that stay pressed together, for the bars of `bars.lasting` and `tolerance.py`.

All quantities are in SI units.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import carom as cm
from problems import FiveBoxes, LoadedCam

GRAVITY = 9.81


def loaded_cam(law: cm.laws.NormalLaw | None = None) -> cm.System:
    """Return an eccentric disc that turns at 10 Hz under a follower that a spring presses on it.

    The numbers are those of the comparison with other programs; the law is by default that of Flores. The follower
    starts at its highest position, where the contact carries the spring.
    """
    p = LoadedCam
    law = law or cm.laws.Flores(p.stiffness, restitution=0.7)
    system = cm.System(gravity=(0.0, 0.0), name="loaded cam")
    cam = system.add(cm.Body("cam", mass=1.0, inertia=1e-3, angular_velocity=p.speed))
    follower = system.add(cm.Body("follower", mass=p.mass, inertia=1e-3, position=(0.0, p.start + p.foot)))
    shaft = system.add(cm.Revolute(system.ground, cam, at=(0.0, 0.0), name="shaft"))
    system.add(cm.Driver(shaft, cm.ConstantSpeed(p.speed), name="motor"))
    system.add(cm.Prismatic(system.ground, follower, axis=(0.0, 1.0), name="guide"))
    above = 0.5
    length = above - p.eccentricity - p.radius - p.foot
    system.add(
        cm.SpringDamper(
            system.ground.point(0.0, above), follower, stiffness=p.spring, free_length=length + p.preload / p.spring,
            name="spring",
        )
    )  # fmt: skip
    foot = cm.Plane(follower, at=(0.0, -p.foot), normal=(0.0, -1.0))
    disc = cm.Sphere(cam, radius=p.radius, at=(0.0, p.eccentricity))
    system.add(cm.Contact(foot, disc, law=law, name="touch"))
    return system


def spline_cam() -> cm.System:
    """Return the cam of the gallery, a spline of 24 points at 1 Hz, with the law of Flores."""
    system = cm.gallery.cam_follower().system
    system["touch"].law = cm.laws.Flores(1e8, 0.7)
    return system


def five_boxes() -> cm.System:
    """Return five boxes of 1 kg in space, 0.2 m × 0.2 m × 0.1 m, one above the other, that settle into a stack.

    The numbers are those of the comparison with other programs.
    """
    p = FiveBoxes
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="five boxes")
    law, friction = cm.laws.KelvinVoigt(p.stiffness, p.damping), cm.friction.Coulomb(p.friction)
    square = sum(size**2 for size in p.half)
    inertia = tuple(p.mass * (square - size**2) / 3.0 for size in p.half)
    below: cm.Plane | cm.Box = cm.Plane(system.ground, normal=(0.0, 0.0, 1.0))
    for k, centre in enumerate(p.start().tolist()):
        body = system.add(cm.Body(f"box {k}", mass=p.mass, inertia=inertia, position=centre))
        box = cm.Box(body, p.half)
        system.add(cm.Contact(box, below, law=law, friction=friction, name=f"contact {k}"))
        below = box
    return system


def five_planar_boxes() -> cm.System:
    """Return five planar boxes of 1 kg, 0.2 m × 0.1 m, that stand on their lower corners and settle into a stack."""
    p = FiveBoxes
    system = cm.System(gravity=(0.0, -GRAVITY), name="five planar boxes")
    law, friction = cm.laws.KelvinVoigt(p.stiffness, p.damping), cm.friction.Coulomb(p.friction)
    width, height = 0.1, 0.05  # halves
    floor = cm.Plane(system.ground, at=(0.0, 0.0), normal=(0.0, 1.0))
    for k in range(5):
        y = height * (2 * k + 1) + p.gap * (k + 1)
        inertia = (width**2 + height**2) / 3.0
        box = system.add(cm.Body(f"box {k}", mass=1.0, inertia=inertia, position=(p.offset * k, y)))
        for side, x in (("left", -width), ("right", width)):
            corner = cm.Point(box, at=(x, -height))
            system.add(cm.Contact(corner, floor, law=law, friction=friction, name=f"{side} corner {k}"))
        floor = cm.Plane(box, at=(0.0, height), normal=(0.0, 1.0))
    return system


def balls_in_tube() -> cm.System:
    """Return five steel balls of 10 mm radius that fall into a tube of 24 mm, in a plane, and come to rest."""
    system = cm.System(gravity=(0.0, -GRAVITY), name="balls in a tube")
    radius, width, gap = 0.01, 0.024, 5e-4
    mass = 7800.0 * 4.0 / 3.0 * math.pi * radius**3
    law = cm.laws.Flores(cm.hertz_stiffness(radius), 0.5)
    walls = {
        "left": cm.Plane(system.ground, at=(0.0, 0.0), normal=(1.0, 0.0)),
        "right": cm.Plane(system.ground, at=(width, 0.0), normal=(-1.0, 0.0)),
    }
    shapes: list[cm.Sphere] = []
    for k in range(5):
        x = radius + gap if k % 2 == 0 else width - radius - gap
        ball = system.add(cm.Body(f"ball {k}", mass, 0.4 * mass * radius**2, position=(x, 0.012 + 0.022 * k)))
        shapes.append(cm.Sphere(ball, radius))
        for name, wall in walls.items():
            system.add(cm.Contact(shapes[k], wall, law=law, name=f"ball {k}, {name}"))
    floor = cm.Plane(system.ground, at=(0.0, 0.0), normal=(0.0, 1.0))
    system.add(cm.Contact(shapes[0], floor, law=law, name="floor"))
    for k in range(4):
        system.add(cm.Contact(shapes[k + 1], shapes[k], law=law, name=f"balls {k}, {k + 1}"))
    return system


def crank_press() -> cm.System:
    """Return a crank press at 10 Hz whose pin in the ram is worn: a clearance of 0.5 mm."""
    system = cm.System(gravity=(0.0, -GRAVITY), name="crank press with a worn pin")
    crank_length, rod_length, speed = 0.05, 0.12, 20.0 * math.pi
    rise = 0.5 * speed * crank_length
    crank = system.add(
        cm.Body("crank", 0.3, 1e-4, position=(crank_length / 2, 0.0), velocity=(0.0, rise), angular_velocity=speed)
    )
    rod = system.add(
        cm.Body(
            "rod", 0.21, 2.5e-4, position=(crank_length + rod_length / 2, 0.0), velocity=(0.0, rise),
            angular_velocity=-speed * crank_length / rod_length,
        )
    )  # fmt: skip
    ram = system.add(cm.Body("ram", 0.14, 1e-4, position=(crank_length + rod_length, 0.0)))
    shaft = system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0), name="shaft"))
    system.add(cm.Driver(shaft, cm.ConstantSpeed(speed), name="motor"))
    system.add(cm.Revolute(crank, rod, at=(crank_length, 0.0), name="crank pin"))
    system.add(cm.Prismatic(system.ground, ram, axis=(1.0, 0.0), name="guide"))
    system.add(
        cm.RevoluteClearance(
            rod, ram, at=(crank_length + rod_length, 0.0), journal_radius=0.01, bearing_radius=0.0105,
            law=cm.laws.Flores(1e10, 0.7), friction=cm.friction.Coulomb(0.03), name="pin",
        )
    )  # fmt: skip
    return system


def cup_and_marble() -> cm.System:
    """Return the cup and marble of the gallery with the law of Flores: the marble comes to rest in the cup."""
    return cm.gallery.cup_and_marble(law="flores", surface="analytic").system


class Scene(NamedTuple):
    """A scene, its length and the bar of its CPU time."""

    title: str
    build: Callable[[], cm.System]
    t_end: float
    """Length of the run [s]."""
    bar: float
    """CPU time of the run at the default tolerance [s]."""


SCENES = {
    "loaded_cam": Scene("loaded cam at 10 Hz, K = 1e10, 1 s", loaded_cam, 1.0, 0.03),
    "spline_cam": Scene("spline cam with Flores, 10 s", spline_cam, 10.0, 1.0),
    "five_boxes": Scene("five boxes in space settle, 2 s", five_boxes, 2.0, 1.0),
    "balls_in_tube": Scene("five steel balls in a tube, 3 s", balls_in_tube, 3.0, 0.15),
    "five_planar_boxes": Scene("five planar boxes settle, 2 s", five_planar_boxes, 2.0, 0.2),
    "crank_press": Scene("crank press with a worn pin, 20 revolutions", crank_press, 2.0, 1.0),
    "cup_and_marble": Scene("cup and marble with Flores to rest, 5 s", cup_and_marble, 5.0, 3.0),
}
REST_BAR = 0.02
"""CPU time per second of motion of five boxes in space at rest [-]."""


def at_rest() -> cm.System:
    """Return the five boxes in space after they have settled."""
    scene = SCENES["five_boxes"]
    system = scene.build()
    system.set_state(cm.simulate(system, scene.t_end, progress=False))
    return system


RIGID_HALF, RIGID_MASS = 0.05, 1.0
"""Half side [m] and mass [kg] of a rigid box."""


def five_rigid_boxes() -> cm.System:
    """Return five cubes on each other at rest, for ``simulate(system, 5.0, method="nonsmooth", step=1e-3)``."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="five rigid boxes")
    below: cm.Plane | cm.Box = cm.Plane(system.ground)
    for k in range(5):
        inertia = (RIGID_MASS * (2.0 * RIGID_HALF) ** 2 / 6.0,) * 3
        body = system.add(cm.Body(f"box {k}", RIGID_MASS, inertia, (0.0, 0.0, RIGID_HALF * (2 * k + 1))))
        box = cm.Box(body, (RIGID_HALF, RIGID_HALF, RIGID_HALF))
        system.add(cm.Contact(box, below, impact=cm.ImpactLaw(0.0, friction=0.5), name=f"touch {k}"))
        below = box
    return system
