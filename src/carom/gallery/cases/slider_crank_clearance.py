"""Slider-crank whose slider has play in its guide."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from carom.errors import ModelError, choice, number, positive
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest
from carom.gallery.chosen import chosen
from carom.gallery.compare import quiet
from carom.gallery.figures.slider_crank_clearance import GUIDE, RESTITUTIONS, STIFFNESSES, TITLE, Stiffened, drawings
from carom.joints.motion import ConstantSpeed
from carom.joints.registry import Driver, Revolute
from carom.laws.friction.coulomb import Coulomb
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.laws.stiffness import hertz_stiffness
from carom.model.body import Body
from carom.model.clearance import PrismaticClearance
from carom.model.generalized import GeneralizedSystem
from carom.model.system import System
from carom.result.result import Result
from carom.solve.simulate import simulate

CRANK, ROD = 0.153, 0.306
SIZE = LENGTH, WIDTH, CLEARANCE = 0.10, 0.05, 0.001
"""Of the slider, 2a and 2b, and its play c on each side [m]; the guide is 2 (b + c) wide."""
MASSES, INERTIAS = (0.038, 0.038, 0.076), (7.4e-5, 5.9e-4, 2.7e-6)
SPEED, ROD_SPEED, GRAVITY = 150.0, -75.0, 9.81
CORNER = 1e-3
"""Radius of the corners [m] that gives the stiffness of a compliant run: of steel, 4.8e9 N/m^1.5."""
JAMMED = math.asin((WIDTH / 2 + CLEARANCE) / math.hypot(LENGTH, WIDTH) * 2) - math.atan2(WIDTH, LENGTH)
"""Angle [rad] at which the slider, in the middle of its guide, touches it with two opposite corners."""
STEP, FINE = 1e-5, 1e-6
"""Of a run, and of the one that compliant runs are compared with [s]."""
SHORT, TILT = 0.02, 0.015
"""Length of those runs [s]; tilt of the slider where the paper's start has none [rad]."""
PREDICTABLE, FEW = (0.6, 0.005), 4
"""Restitution and tilt [rad] up to which two runs stay together; impacts up to which they do with any."""
BODIES, CORNERS = ("crank", "rod", "slider"), (1, 2, 3, 4)
NAME = "slider-crank with clearance"


@bounded
def slider_crank_clearance(
    restitution: float = 0.4,
    friction: float = 0.01,
    crank: str = "free",
    slider_angle: float = 0.0,
    coordinates: str = "generalized",
    law: str | NormalLaw = "exact_restitution",
    stiffness: float | None = None,
) -> Case:
    """Slider-crank whose slider has play in its guide, and strikes it.

    The crank starts at 150 rad/s, the slider in the middle of its guide with 1 mm on each side; its four corners strike
    the guide and slide along it, with ``restitution`` and ``friction``. Then ``crank`` is "free", or "driven" at that
    speed. The motion stays symmetric for ever unless ``slider_angle`` [rad] tilts the slider at the start.
    ``coordinates``: "generalized", the three angles (of rod and slider where the crank is driven), by Lagrange's
    equations from SymPy; or "cartesian", bodies and joints. Both give the same motion. Cartesian ones run compliant,
    too (``method="compliant"``), with a contact ``law`` by name or itself and its ``stiffness`` [N/m^1.5] (default:
    steel corners of 1 mm radius, 4.8e9). With much restitution runs of different steps part after a few impacts.
    """
    owner = "slider_crank_clearance"
    choice(owner, "crank", crank, ("free", "driven"))
    choice(owner, "coordinates", coordinates, ("generalized", "cartesian"))
    impact, tilt = ImpactLaw(restitution, friction), number(owner, "slider_angle", slider_angle)
    if not abs(tilt) < JAMMED:
        raise ModelError(f"{owner}: slider_angle must lie between −{JAMMED:.5f} and {JAMMED:.5f}, where the corners "
                         f"touch the guide, got {tilt:g}")  # fmt: skip
    contact_law = None  # no law has restitution 0
    if impact.restitution > 0.0 or isinstance(law, NormalLaw):
        hardness = hertz_stiffness(CORNER) if stiffness is None else positive(owner, "stiffness", stiffness)
        contact_law = chosen(owner, law, stiffness=hardness, restitution=impact.restitution)

    bodies = mechanism(impact, crank, tilt, contact_law)
    equations = cache(lambda: lagrangian(impact, crank, tilt))
    system: Any = equations() if coordinates == "generalized" else bodies

    @cache
    def second(coordinates: str, t_end: float, step: float) -> Result:
        """The run by the midpoint rule in these coordinates."""
        model = bodies if coordinates == "cartesian" else equations()
        with quiet():
            return simulate(model, t_end, method="nonsmooth", step=step)

    def findings(result: Result) -> list[Finding]:
        found = [pins(result)]
        if crank == "driven":
            found.append(farthest("driven angle [rad]", result["crank"].angle, SPEED * result.t, 1e-5))
        settings = result.settings
        if settings["method"] == "compliant":
            return [drift(result, 1e-7), *found]
        step = settings["step"]
        # The rules as published let corners in lasting contact drift; Moreau's is of first order.
        rough = max(step / STEP, 1.0) * (1.0 if settings["projection"] else 20.0)
        if crank == "free" or coordinates == "cartesian":  # else the motor's work is in no book
            found.append(drift(result, 5e-4 * rough))
        if np.all(np.diff(result.t) < 1.5 * step):
            found.append(farthest("crank angle [rad] from its speed", *from_speed(result), 2e-4 * rough))
        fastest = max((impact.approach_speed for impact in result.impacts), default=0.0)
        deepest = max(float(np.max(result[f"{GUIDE} {k}"].indentation)) for k in CORNERS)
        allowed = 2.0 * step * max(fastest, 0.1) if settings["projection"] else 2e-5 * rough
        found.append(Finding("deepest corner [m]", max(deepest, 0.0), allowed))
        end = float(result.t[-1])
        predictable = impact.restitution <= PREDICTABLE[0] and abs(tilt) <= PREDICTABLE[1]
        until = end if predictable or len(result.impacts) <= FEW else result.impacts[FEW].t_start
        others = "cartesian" if coordinates == "generalized" else "generalized"
        found += together(f"in {others} coordinates", result, second(others, end, step), until, rough)
        if predictable:
            found += together("with half the step", result, second(coordinates, end, step / 2.0), until, rough)
        return found

    @cache
    def other(restitution: float, tilt: float, **options: Any) -> Result:
        """A run of other parameters, in Cartesian coordinates, which take no time to derive."""
        with quiet():
            case = slider_crank_clearance(restitution, friction, crank, tilt, "cartesian", law, stiffness)
            return case.run(**options)

    def same(result: Result) -> dict[str, Any]:
        """Options of a run like ``result``."""
        settings = result.settings
        options = {"t_end": float(result.t[-1]), "method": settings["method"]}
        return options if settings["method"] == "compliant" else {**options, "step": settings["step"]}

    def with_restitution(result: Result) -> dict[float, Result]:
        return {
            value: result if value == impact.restitution else other(value, tilt, **same(result))
            for value in RESTITUTIONS
        }

    def tilted(result: Result) -> dict[str, Result]:
        runs = {f"slider_angle {tilt:g} rad": result}
        if abs(tilt) < TILT:
            runs[f"slider_angle {TILT:g} rad"] = other(impact.restitution, TILT, **same(result))
        return runs

    def stiffened(result: Result) -> dict[float, Stiffened]:
        runs: dict[float, Stiffened] = {}
        end = min(float(result.t[-1]), SHORT)
        for mu in dict.fromkeys((0.0, impact.friction)):
            rigid = mechanism(ImpactLaw(impact.restitution, mu), crank, 0.0, None)
            laws = {value: ExactRestitution(value, impact.restitution) for value in STIFFNESSES}
            runs[mu] = (
                simulate(rigid, end, method="nonsmooth", step=FINE),
                {
                    value: simulate(mechanism(ImpactLaw(friction=mu), crank, 0.0, law), end)
                    for value, law in laws.items()
                },
            )
        return runs

    def overview(result: Result) -> Any:
        from carom.plot import plot_overview

        end = float(result.t[-1])
        ghosts = [time for time in look.ghosts if time <= end]
        return plot_overview(bodies, result, *look.panels, pose=min(look.pose, end), ghosts=ghosts, title=TITLE)

    look = Look(
        panels=("crank.omega", "slider.y"),
        motion=("crank.omega", "rod.omega", "slider.y") + (("slider.angle",) if tilt else ()),
        pose=0.008,
        ghosts=(0.0, 0.016, 0.024),
    )
    return Case(
        slider_crank_clearance,
        system=system,
        drawn=bodies,
        options={"t_end": 0.2, "step": STEP, "method": "nonsmooth"},
        findings=findings,
        look=look,
        reference="P. Flores, R. Leine, C. Glocker, Modeling and analysis of planar rigid multibody systems with "
        "translational clearance joints based on the non-smooth dynamics approach, Multibody System Dynamics 23 (2010) "
        "165–190, Figs 8–13 and Table 1",
        drawings={
            "overview": overview,
            **drawings(SIZE, with_restitution, tilted, stiffened if impact.restitution > 0.0 else None),
        },
    )


def mechanism(impact: ImpactLaw, crank: str, slider_angle: float, law: NormalLaw | None) -> System:
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


def lagrangian(impact: ImpactLaw, crank: str, slider_angle: float) -> GeneralizedSystem:
    """The same in the angles of crank, rod and slider, or, where the crank is driven, of rod and slider."""
    import sympy

    cos, sin, t = sympy.cos, sympy.sin, sympy.Symbol("t")
    free = [sympy.Function(f"{body} angle")(t) for body in BODIES]
    start = [(0.0, SPEED), (0.0, ROD_SPEED), (slider_angle, 0.0)]
    angles = [SPEED * t, *free[1:]] if crank == "driven" else free
    if crank == "driven":
        free, start = free[1:], start[1:]
    pin = (CRANK * cos(angles[0]), CRANK * sin(angles[0]))
    x, y = pin[0] + ROD * cos(angles[1]), pin[1] + ROD * sin(angles[1])
    centres = [(pin[0] / 2, pin[1] / 2), ((pin[0] + x) / 2, (pin[1] + y) / 2), (x, y)]
    bodies = list(zip(BODIES, centres, angles, MASSES, INERTIAS, strict=True))
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
        contacts=[f"{GUIDE} {k}" for k in CORNERS], name=NAME,
    )  # fmt: skip


def pins(result: Result) -> Finding:
    """The bodies are where their angles put them."""
    crank, rod, slider = (result[name] for name in BODIES)
    x, y = CRANK * np.cos(crank.angle), CRANK * np.sin(crank.angle)
    along, across = x + ROD * np.cos(rod.angle), y + ROD * np.sin(rod.angle)
    expected = [x / 2, y / 2, (x + along) / 2, (y + across) / 2, along, across]
    places = [crank.x, crank.y, rod.x, rod.y, slider.x, slider.y]
    return farthest("bodies at their pins [m]", places, expected, 1e-6)


def from_speed(result: Result) -> tuple[Any, Any]:
    """Crank angle, and the integral of its speed, which is linear in every step [rad]."""
    angle, speed = result["crank"].angle, result["crank"].omega
    steps = 0.5 * np.diff(result.t) * (speed[1:] + speed[:-1])
    return angle, angle[0] + np.concatenate([[0.0], np.cumsum(steps)])


def together(how: str, result: Result, other: Result, until: float, rough: float) -> list[Finding]:
    """Whether two runs move alike, up to a time [s]: the slider across its guide on average, the crank anywhere."""
    times = result.t[result.t <= min(until, other.t[-1])]
    one, two = result.sample(times), other.sample(times)
    off = float(np.mean(np.abs(one["slider"].y - two["slider"].y))) / CLEARANCE
    return [
        Finding(f"slider across the guide [clearances] {how}", off, 0.05 * rough),
        farthest(f"crank angle [rad] {how}", one["crank"].angle, two["crank"].angle, 2e-3 * rough),
    ]
