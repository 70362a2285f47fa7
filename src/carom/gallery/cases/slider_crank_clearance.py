"""Slider-crank whose slider has play in its guide."""

from __future__ import annotations

from functools import cache
from typing import Any

from carom.errors import ModelError, choice, not_negative, number
from carom.gallery.case import Case, Finding, Look, drift, farthest
from carom.gallery.chosen import chosen
from carom.gallery.figures.slider_crank_clearance import drawings
from carom.joints.motion import ConstantSpeed
from carom.joints.registry import Driver, Revolute
from carom.laws.friction.coulomb import Coulomb
from carom.laws.impact import Impact
from carom.laws.normal.base import NormalLaw
from carom.laws.stiffness import hertz_stiffness
from carom.model.body import Body
from carom.model.clearance import PrismaticClearance
from carom.model.generalized import GeneralizedSystem
from carom.model.system import System
from carom.result.result import Result

CRANK, ROD = 0.153, 0.306
LENGTH, WIDTH, CLEARANCE = 0.10, 0.05, 0.001
"""Of the slider, 2a and 2b, and its play c on each side [m]; the guide is 2 (b + c) wide."""
MASSES, INERTIAS = (0.038, 0.038, 0.076), (7.4e-5, 5.9e-4, 2.7e-6)
SPEED, ROD_SPEED, GRAVITY = 150.0, -75.0, 9.81
CORNER = 1e-3
"""Radius of the corners [m] that gives the stiffness of a compliant run: of steel, 4.8e9 N/m^1.5."""
STEP = 1e-5
GUIDE, NAME = "guide", "slider-crank with clearance"


def make(restitution=0.4, friction=0.01, crank="free", slider_angle=0.0, coordinates="generalized", law="exact_restitution", stiffness=None):
    impact = Impact(restitution, friction)
    if coordinates == "generalized":
        return lagrangian(impact, crank, slider_angle)
    k = hertz_stiffness(CORNER) if stiffness is None else stiffness
    return mechanism(impact, crank, slider_angle, chosen("slider_crank_clearance", law, stiffness=k, restitution=restitution))


def mechanism(impact: Impact, crank: str, slider_angle: float, law: NormalLaw | None) -> System:
    """Bodies and joints; the slider's guide is a prismatic joint with clearance."""
    system = System(gravity=(0.0, -GRAVITY), name=NAME)
    ground = system.ground
    turn, pin = SPEED * CRANK, (CRANK + ROD, 0.0)
    arm = system.add(
        Body("crank", MASSES[0], INERTIAS[0], (CRANK / 2, 0.0), velocity=(0.0, turn / 2), angular_velocity=SPEED)
    )
    rod = system.add(
        Body("rod", MASSES[1], INERTIAS[1], (CRANK + ROD / 2, 0.0), velocity=(0.0, turn + ROD_SPEED * ROD / 2),
             angular_velocity=ROD_SPEED)
    )  # fmt: skip
    slider = system.add(Body("slider", MASSES[2], INERTIAS[2], pin, angle=slider_angle))
    bearing = system.add(Revolute(ground, arm, at=(0.0, 0.0), name="bearing"))
    system.add(Revolute(arm, rod, at=(CRANK, 0.0), name="crank pin"))
    system.add(Revolute(rod, slider, at=pin, name="wrist pin"))
    rubbing = Coulomb(impact.friction) if impact.friction > 0.0 else None
    system.add(
        PrismaticClearance(
            ground, slider, axis=(1.0, 0.0), length=LENGTH, width=WIDTH, clearance=CLEARANCE, law=law, friction=rubbing,
            impact=impact, tilt=slider_angle, name=GUIDE,
        )
    )  # fmt: skip
    if crank == "driven":
        system.add(Driver(bearing, ConstantSpeed(SPEED), name="motor"))
    return system


def lagrangian(impact: Impact, crank: str, slider_angle: float) -> GeneralizedSystem:
    """The same in the angles of crank, rod and slider, or, where the crank is driven, of rod and slider."""
    try:
        import sympy
    except ImportError:
        raise ModelError(
            "slider_crank_clearance: generalised coordinates are worked out by SymPy: pip install 'carom[sym]', or "
            "take coordinates='cartesian'"
        ) from None
    cos, sin, t = sympy.cos, sympy.sin, sympy.Symbol("t")
    free = [sympy.Function(f"{body} angle")(t) for body in ("crank", "rod", "slider")]
    start = ((0.0, SPEED), (0.0, ROD_SPEED), (slider_angle, 0.0))
    angles = [SPEED * t, *free[1:]] if crank == "driven" else free
    if crank == "driven":
        free, start = free[1:], start[1:]
    pin = (CRANK * cos(angles[0]), CRANK * sin(angles[0]))
    x, y = pin[0] + ROD * cos(angles[1]), pin[1] + ROD * sin(angles[1])
    centres = [(pin[0] / 2, pin[1] / 2), ((pin[0] + x) / 2, (pin[1] + y) / 2), (x, y)]
    bodies = list(zip(("crank", "rod", "slider"), centres, angles, MASSES, INERTIAS, strict=True))
    kinetic = sum(
        (m * (at[0].diff(t) ** 2 + at[1].diff(t) ** 2) + j * angle.diff(t) ** 2) / 2 for _, at, angle, m, j in bodies
    )
    potential = sum(m * GRAVITY * at[1] for _, at, _, m, _ in bodies)
    corners = [(rear * LENGTH / 2, side) for side in (1, -1) for rear in (-1, 1)]  # along the guide; left or right
    c, s = cos(angles[2]), sin(angles[2])
    return GeneralizedSystem.from_lagrangian(
        free, kinetic, potential,
        gaps=[WIDTH / 2 + CLEARANCE - side * (y + a * s) - WIDTH / 2 * c for a, side in corners],  # (98)–(104)
        slips=[x + a * c - side * WIDTH / 2 * s for a, side in corners],  # (99)–(105)
        q0=[angle for angle, _ in start], u0=[speed for _, speed in start], time=t, impact=impact,
        bodies={name: ((*at, angle), m, j) for name, at, angle, m, j in bodies},
        contacts=[f"{GUIDE} {k}" for k in (1, 2, 3, 4)], name=NAME,
    )  # fmt: skip
