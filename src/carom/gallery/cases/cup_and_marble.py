"""Marble in a cup on the slider of a slider-crank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import integer, one_of, short_repr
from carom.errors import ModelError
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.case_law import case_law
from carom.gallery.figures.cup_and_marble import extra_figures
from carom.gallery.lookup_files import sphere_table
from carom.geometry.lookup.format import integer_pair
from carom.geometry.lookup.table import LookupTable
from carom.geometry.shapes.sphere import Sphere as Ball
from carom.geometry.shapes.surface import Surface
from carom.geometry.surfaces import Sphere
from carom.joints.driver import Driver
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Prismatic, Revolute, Spherical, Universal, Weld
from carom.laws.normal.base import NormalLaw
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.model.visual import Visual
from carom.result.result import Result

CRANK, COUPLER, SPEED, GRAVITY = 0.1524, 0.3048, 2.0, 9.81
"""Lengths of crank and coupler [m], speed of the crank [rad/s], gravity [m/s²]."""
CUP_RADIUS, BALL_RADIUS = 0.05, 0.01
"""Radii of the cup and of the marble [m]."""
MASSES = {"crank": 1.726, "coupler": 3.451, "slider": 1.726, "cup": 0.016, "ball": 0.011}
"""Masses of the bodies [kg]."""
STIFFNESS, RESTITUTION = 5.0181e9, 0.6275
"""Stiffness [N/m^1.5] and restitution [-] of the contact."""
START = (0.4572, 0.0056, 0.012)
"""Centre of the marble at the start [m]."""
HALF_ANGLE = math.pi / 4.0
"""Half range of latitude and longitude of a table about the lowest point of its sphere [rad]: an eighth of a sphere, as
in Fig. 16 of the paper; the marble stays within 20 degrees."""
MAX_POINTS = 1000
"""Largest number of points of a lookup table along u and v."""
RECORD_POINTS = 27
"""Points of a record along u and v, if the number of points is divisible by it."""
AXIS_DOWN = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
"""Quaternion that rotates the x-axis of a sphere, the centre of its table, downwards."""


@check_parameters
def cup_and_marble(
    law: str | NormalLaw = "hertz",
    restitution: float = RESTITUTION,
    surface: str = "table",
    points: int = 999,
    window: Any = None,
    interpolation: str = "bicubic",
    crank: str = "driven",
) -> Case:
    """A marble falls into a cup that a slider-crank shakes.

    Cup and marble are freeform surfaces: ``surface="table"`` reads both from tables of ``points`` × ``points`` points,
    completely or in a ``window`` of records such as (5, 11), or one window each for marble and cup, ((5, 11), (5, 7));
    ``"analytic"`` evaluates the exact surfaces. The ``crank`` is "driven" at 2 rad/s, or "free" after a start at that
    speed.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.cup_and_marble(points=100).system
    <System 'cup and marble': 5 bodies, 6 joints, 1 contacts>
    """
    contact_law = case_law("cup_and_marble", law, stiffness=STIFFNESS, restitution=restitution)
    one_of("cup_and_marble", "surface", surface, ("table", "analytic"))
    one_of("cup_and_marble", "crank", crank, ("driven", "free"))
    system = System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="cup and marble")
    bodies = {name: system.add(body) for name, body in build_bodies().items()}
    connect(system, bodies, crank == "driven")
    ball_shape, cup_shape = build_surfaces(bodies, surface, points, window_pair(window), interpolation)
    system.add(Contact(ball_shape, cup_shape, law=contact_law, name="touch"))
    system.add(Visual(Ball(bodies["ball"], BALL_RADIUS)))  # its surface covers a part of it only
    keep = [(bodies["ball"], "velocity")]
    if crank == "free":
        keep.append((bodies["crank"], "angular_velocity"))
    system.assemble(keep=keep)

    def check_results(result: Result) -> list[CheckResult]:
        checks = [energy_drift(result, 1e-6)]
        if crank == "driven":
            x, v = zip(*(slider_at(float(time)) for time in result.t), strict=True)
            checks.append(max_abs_error("slider in closed form [m]", result["slider"].x, x, 1e-9))
            checks.append(max_abs_error("its speed in closed form [m/s]", result["slider"].vx, v, 1e-8))
        if crank == "driven" and not contact_law.has_unloading_curve:
            exact = surface == "analytic"
            checks += compare_impacts(result, contact_law, 1e-8 if exact else 5e-6, 1e-6 if exact else 1e-3)
        return checks

    def variant(**changes: Any) -> Case:
        arguments = {"law": law, "restitution": restitution, "surface": surface, "points": points, "window": window,
                     "interpolation": interpolation, "crank": crank}  # fmt: skip
        return cup_and_marble(**(arguments | changes))

    return Case(
        cup_and_marble,
        system=system,
        options={"t_end": 0.1},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("ball.z", "touch.normal_force"),
            motion=("slider.x", "ball.y", "ball.z", "touch.normal_force"),
            pose=0.0,
            trace=("ball",),
            focus=("cup", "ball"),
        ),
        reference="M. Machado, P. Flores, J. Ambrósio, A lookup-table-based approach for spatial analysis of contact "
        "problems, Journal of Computational and Nonlinear Dynamics 9 (2014) 041010",
        extra_figures=extra_figures(variant),
    )


def build_bodies() -> dict[str, Body]:
    """Return the five bodies of Table 2 of the paper.

    Rods are slender; the inertias of bodies that only translate have no effect.
    """

    def rod(name: str, length: float, x: float) -> Body:
        transverse = MASSES[name] * length**2 / 12.0
        return Body(name, MASSES[name], (0.05 * transverse, transverse, transverse), position=(x, 0.0, 0.0))

    crank = rod("crank", CRANK, 0.5 * CRANK)
    crank.angular_velocity = (0.0, SPEED, 0.0)
    block = 1e-4 * MASSES["slider"]
    cup = 0.5 * MASSES["cup"] * CUP_RADIUS**2
    ball = 0.4 * MASSES["ball"] * BALL_RADIUS**2
    return {
        "crank": crank,
        "coupler": rod("coupler", COUPLER, CRANK + 0.5 * COUPLER),
        "slider": Body("slider", MASSES["slider"], (block,) * 3, position=(CRANK + COUPLER, 0.0, 0.0)),
        "cup": Body("cup", MASSES["cup"], (cup,) * 3, position=(CRANK + COUPLER, 0.0, CUP_RADIUS)),
        "ball": Body("ball", MASSES["ball"], (ball,) * 3, position=START),
    }


def connect(system: System, bodies: dict[str, Body], driven: bool) -> None:
    """Add the joints of the slider-crank in the plane y = 0, with the cup on its slider."""
    ground, transverse = system.ground, (0.0, 1.0, 0.0)
    bearing = system.add(Revolute(ground, bodies["crank"], at=(0.0, 0.0, 0.0), axis=transverse, name="bearing"))
    # Revolute joints at both pins would constrain the plane of the coupler redundantly.
    pin = (CRANK, 0.0, 0.0)
    system.add(Universal(bodies["crank"], bodies["coupler"], pin, transverse, (0.0, 0.0, 1.0), name="crank pin"))
    system.add(Spherical(bodies["coupler"], bodies["slider"], at=(CRANK + COUPLER, 0.0, 0.0), name="wrist pin"))
    system.add(Prismatic(ground, bodies["slider"], axis=(1.0, 0.0, 0.0), name="guide"))
    system.add(Weld(bodies["slider"], bodies["cup"], name="foot"))
    if driven:
        system.add(Driver(bearing, ConstantSpeed(SPEED), name="motor"))


def window_pair(window: Any) -> tuple[Any, Any]:
    """Return the windows of marble and cup."""
    if window is None:
        return None, None
    pair = integer_pair(window, 1)
    if pair:
        return pair, pair
    pairs = [integer_pair(part, 1) for part in window] if np.iterable(window) else []
    if len(pairs) != 2 or None in pairs:
        raise ModelError(
            f"cup_and_marble: window must be None, a pair such as (5, 11), or two pairs, got {short_repr(window)}"
        )
    return pairs[0], pairs[1]


def build_surfaces(
    bodies: dict[str, Body], surface: str, points: Any, window: Any, interpolation: str
) -> list[Surface]:
    """Return the surfaces of marble and cup."""
    points = integer("cup_and_marble", "points", points, 4, MAX_POINTS)
    shapes = []
    for name, radius, table_window in zip(("ball", "cup"), (BALL_RADIUS, CUP_RADIUS), window, strict=True):
        inside = name == "cup"
        if surface == "analytic":
            geometry: Any = Sphere(radius, u=(-HALF_ANGLE, HALF_ANGLE), v=(-HALF_ANGLE, HALF_ANGLE), inside=inside)
        else:
            path = sphere_table(radius, inside, HALF_ANGLE, (points, points), (RECORD_POINTS, RECORD_POINTS))
            geometry = LookupTable(path, table_window, interpolation)
        shapes.append(Surface(bodies[name], geometry, orientation=AXIS_DOWN))
    return shapes


def slider_at(t: float) -> tuple[float, float]:
    """Return position [m] and velocity [m/s] of the slider in closed form."""
    s, c = math.sin(SPEED * t), math.cos(SPEED * t)
    root = math.sqrt(COUPLER**2 - (CRANK * s) ** 2)
    return CRANK * c + root, -SPEED * CRANK * s - CRANK**2 * s * c * SPEED / root


def compare_impacts(result: Result, law: NormalLaw, time_bound: float, size_bound: float) -> list[CheckResult]:
    """Compare the first impacts with a point mass in a sphere that moves with the slider, integrated by SciPy."""
    impacts = [impact for impact in result.impacts if impact.t_end < result.t[-1]]
    expected = reference_impacts(law, min(len(impacts), 3), float(result.t[-1]))
    checks = []
    for k, ((start, max_indentation, force), impact) in enumerate(zip(expected, impacts, strict=False), start=1):
        checks.append(
            CheckResult(f"start of impact {k} by a second method [s]", abs(impact.t_start - start), time_bound)
        )
        error = max(abs(impact.max_indentation / max_indentation - 1.0), abs(impact.peak_force / force - 1.0))
        checks.append(CheckResult(f"depth and force of impact {k}, relative", error, size_bound))
    return checks


def reference_impacts(law: NormalLaw, count: int, t_end: float) -> list[tuple[float, float, float]]:
    """Return start [s], largest indentation [m] and largest force [N] of the first impacts."""
    from scipy.integrate import solve_ivp

    def contact_kinematics(t: float, y: Any) -> tuple[float, float, np.ndarray]:
        x, v = slider_at(t)
        arm = y[:3] - (x, 0.0, CUP_RADIUS)
        distance = float(np.linalg.norm(arm))
        outward = arm / distance
        return distance + BALL_RADIUS - CUP_RADIUS, float(outward @ (y[3:] - (v, 0.0, 0.0))), outward

    def equations(approach: float | None) -> Any:
        def rhs(t: float, y: Any) -> Any:
            acceleration = np.array([0.0, 0.0, -GRAVITY])
            if approach is not None:
                indentation, speed, outward = contact_kinematics(t, y)
                acceleration = (
                    acceleration - law.force(max(indentation, 0.0), speed, approach) / MASSES["ball"] * outward
                )
            return np.concatenate([y[3:], acceleration])

        return rhs

    def gap_event(t: float, y: Any) -> float:
        return contact_kinematics(t, y)[0]

    gap_event.terminal = True  # type: ignore[attr-defined]
    state, t, impacts = np.array([*START, 0.0, 0.0, 0.0]), 0.0, []
    for _ in range(count):
        gap_event.direction = 1.0  # type: ignore[attr-defined]
        flight = solve_ivp(equations(None), (t, t_end), state, "DOP853", events=gap_event, rtol=1e-13, atol=1e-15)
        if not flight.t_events[0].size:
            break
        t, state = float(flight.t[-1]), flight.y[:, -1]
        approach = contact_kinematics(t, state)[1]
        gap_event.direction = -1.0  # type: ignore[attr-defined]
        contact = solve_ivp(equations(approach), (t, t_end), state, "DOP853", events=gap_event, rtol=1e-12, atol=1e-15,
                        max_step=1e-6, first_step=1e-8, dense_output=True)  # fmt: skip
        samples = [contact_kinematics(s, contact.sol(s)) for s in np.linspace(t, contact.t[-1], 4001)]
        forces = [law.force(max(d, 0.0), speed, approach) for d, speed, _ in samples]
        impacts.append((t, max(d for d, _, _ in samples), max(forces)))
        t, state = float(contact.t[-1]), contact.y[:, -1]
    return impacts
