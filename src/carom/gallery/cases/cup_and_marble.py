"""A marble in a cup on a slider-crank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.errors import ModelError, choice, shown, whole
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest
from carom.gallery.chosen import chosen
from carom.gallery.figures.cup_and_marble import drawings
from carom.gallery.tables import sphere_table
from carom.geometry.lookup.format import whole_pair
from carom.geometry.lookup.table import LookupTable
from carom.geometry.surface import Surface
from carom.geometry.surfaces.sphere import Sphere
from carom.joints.driver import Driver
from carom.joints.motion import ConstantSpeed
from carom.joints.registry import Prismatic, Revolute, Spherical, Universal, Weld
from carom.laws.normal.base import NormalLaw
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

CRANK, COUPLER, SPEED, GRAVITY = 0.1524, 0.3048, 2.0, 9.81
CUP_RADIUS, BALL_RADIUS = 0.05, 0.01
MASSES = {"crank": 1.726, "coupler": 3.451, "slider": 1.726, "cup": 0.016, "ball": 0.011}
STIFFNESS, RESTITUTION = 5.0181e9, 0.6275
START = (0.4572, 0.0056, 0.012)
HALF = math.pi / 4.0
"""Of latitude and longitude about the lowest point of a sphere, that a table has: in all an eighth of a sphere, as in
L's Fig. 16; the marble stays within 20 degrees."""
MOST = 1000
"""Points of a lookup table along u and v."""
RECORD = 27
"""Points of a record along u and v, where the points can be divided by it."""
DOWN = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
"""Turns the x-axis of a sphere, about which its table is, down."""


@bounded
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
    whole or in a ``window`` of so many records, such as (5, 11), or one for the marble and one for the cup,
    ((5, 11), (5, 7)); ``"analytic"`` evaluates them. The ``crank`` is "driven" at 2 rad/s, or "free" after a start at
    that speed.
    """
    contact_law = chosen("cup_and_marble", law, stiffness=STIFFNESS, restitution=restitution)
    choice("cup_and_marble", "surface", surface, ("table", "analytic"))
    choice("cup_and_marble", "crank", crank, ("driven", "free"))
    system = System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="cup and marble")
    bodies = {name: system.add(body) for name, body in made_bodies().items()}
    connect(system, bodies, crank == "driven")
    ball_shape, cup_shape = skins(bodies, surface, points, windows(window), interpolation)
    system.add(Contact(ball_shape, cup_shape, law=contact_law, name="touch"))
    keep = [(bodies["ball"], "velocity")]
    if crank == "free":
        keep.append((bodies["crank"], "angular_velocity"))
    system.assemble(keep=keep)

    def findings(result: Result) -> list[Finding]:
        found = [drift(result, 1e-6)]
        if crank == "driven":
            x, v = zip(*(slider_at(float(time)) for time in result.t), strict=True)
            found.append(farthest("slider in closed form [m]", result["slider"].x, x, 1e-9))
            found.append(farthest("its speed in closed form [m/s]", result["slider"].vx, v, 1e-8))
        if crank == "driven" and not contact_law.has_unloading_curve:
            exact = surface == "analytic"
            found += compare(result, contact_law, 1e-8 if exact else 5e-6, 1e-6 if exact else 1e-3)
        return found

    def variant(**changes: Any) -> Case:
        given = {"law": law, "restitution": restitution, "surface": surface, "points": points, "window": window,
                 "interpolation": interpolation, "crank": crank}  # fmt: skip
        return cup_and_marble(**(given | changes))

    return Case(
        cup_and_marble,
        system=system,
        options={"t_end": 0.1},
        findings=findings,
        look=Look(
            panels=("ball.z", "touch.normal_force"),
            motion=("slider.x", "ball.y", "ball.z", "touch.normal_force"),
            pose=0.0,
            trace=("ball",),
        ),
        reference="M. Machado, P. Flores, J. Ambrósio, A lookup-table-based approach for spatial analysis of contact "
        "problems, Journal of Computational and Nonlinear Dynamics 9 (2014) 041010",
        drawings=drawings(variant),
    )


def made_bodies() -> dict[str, Body]:
    """The five bodies of L's Table 2; rods are slender, the inertias of what only slides do not matter."""

    def rod(name: str, length: float, x: float) -> Body:
        across = MASSES[name] * length**2 / 12.0
        return Body(name, MASSES[name], (0.05 * across, across, across), position=(x, 0.0, 0.0))

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
    """The slider-crank, in the plane y = 0, with the cup on its slider."""
    ground, across = system.ground, (0.0, 1.0, 0.0)
    bearing = system.add(Revolute(ground, bodies["crank"], at=(0.0, 0.0, 0.0), axis=across, name="bearing"))
    # In space two more revolute joints would hold the plane of the coupler three times.
    pin = (CRANK, 0.0, 0.0)
    system.add(Universal(bodies["crank"], bodies["coupler"], pin, across, (0.0, 0.0, 1.0), name="crank pin"))
    system.add(Spherical(bodies["coupler"], bodies["slider"], at=(CRANK + COUPLER, 0.0, 0.0), name="wrist pin"))
    system.add(Prismatic(ground, bodies["slider"], axis=(1.0, 0.0, 0.0), name="guide"))
    system.add(Weld(bodies["slider"], bodies["cup"], name="foot"))
    if driven:
        system.add(Driver(bearing, ConstantSpeed(SPEED), name="motor"))


def windows(window: Any) -> tuple[Any, Any]:
    """Of the marble and of the cup."""
    if window is None:
        return None, None
    pair = whole_pair(window, 1)
    pairs = [pair, pair] if pair else [whole_pair(own, 1) for own in window] if np.iterable(window) else []
    if len(pairs) != 2 or None in pairs:
        raise ModelError(
            f"cup_and_marble: window must be None, a pair such as (5, 11), or two pairs, got {shown(window)}"
        )
    return pairs[0], pairs[1]


def skins(bodies: dict[str, Body], surface: str, points: Any, window: Any, interpolation: str) -> list[Surface]:
    """The surfaces of marble and cup."""
    points = whole("cup_and_marble", "points", points, 4, MOST)
    shapes = []
    for name, radius, own in zip(("ball", "cup"), (BALL_RADIUS, CUP_RADIUS), window, strict=True):
        inside = name == "cup"
        if surface == "analytic":
            skin: Any = Sphere(radius, u=(-HALF, HALF), v=(-HALF, HALF), inside=inside)
        else:
            path = sphere_table(radius, inside, HALF, (points, points), (RECORD, RECORD))
            skin = LookupTable(path, own, interpolation)
        shapes.append(Surface(bodies[name], skin, orientation=DOWN))
    return shapes


def slider_at(t: float) -> tuple[float, float]:
    """Position and velocity of the slider, in closed form."""
    s, c = math.sin(SPEED * t), math.cos(SPEED * t)
    root = math.sqrt(COUPLER**2 - (CRANK * s) ** 2)
    return CRANK * c + root, -SPEED * CRANK * s - CRANK**2 * s * c * SPEED / root


def compare(result: Result, law: NormalLaw, time_bound: float, size_bound: float) -> list[Finding]:
    """First impacts, by SciPy for a point mass in a sphere that moves as the slider does."""
    impacts = [impact for impact in result.impacts if impact.t_end < result.t[-1]]
    other = bounces(law, min(len(impacts), 3), float(result.t[-1]))
    found = []
    for k, ((start, deepest, force), impact) in enumerate(zip(other, impacts, strict=False), start=1):
        found.append(Finding(f"start of impact {k} by a second method [s]", abs(impact.t_start - start), time_bound))
        error = max(abs(impact.max_indentation / deepest - 1.0), abs(impact.peak_force / force - 1.0))
        found.append(Finding(f"depth and force of impact {k}, relative", error, size_bound))
    return found


def bounces(law: NormalLaw, count: int, t_end: float) -> list[tuple[float, float, float]]:
    """Start, largest indentation and largest force of the first impacts."""
    from scipy.integrate import solve_ivp

    def depth(t: float, y: Any) -> tuple[float, float, np.ndarray]:
        x, v = slider_at(t)
        arm = y[:3] - (x, 0.0, CUP_RADIUS)
        far = float(np.linalg.norm(arm))
        out = arm / far
        return far + BALL_RADIUS - CUP_RADIUS, float(out @ (y[3:] - (v, 0.0, 0.0))), out

    def rate(approach: float | None) -> Any:
        def motion(t: float, y: Any) -> Any:
            pull = np.array([0.0, 0.0, -GRAVITY])
            if approach is not None:
                indentation, speed, out = depth(t, y)
                pull = pull - law.force(max(indentation, 0.0), speed, approach) / MASSES["ball"] * out
            return np.concatenate([y[3:], pull])

        return motion

    def touching(t: float, y: Any) -> float:
        return depth(t, y)[0]

    touching.terminal = True  # type: ignore[attr-defined]
    state, t, found = np.array([*START, 0.0, 0.0, 0.0]), 0.0, []
    for _ in range(count):
        touching.direction = 1.0  # type: ignore[attr-defined]
        fall = solve_ivp(rate(None), (t, t_end), state, "DOP853", events=touching, rtol=1e-13, atol=1e-15)
        if not fall.t_events[0].size:
            break
        t, state = float(fall.t[-1]), fall.y[:, -1]
        approach = depth(t, state)[1]
        touching.direction = -1.0  # type: ignore[attr-defined]
        hit = solve_ivp(rate(approach), (t, t_end), state, "DOP853", events=touching, rtol=1e-12, atol=1e-15,
                        max_step=1e-6, first_step=1e-8, dense_output=True)  # fmt: skip
        seen = [depth(s, hit.sol(s)) for s in np.linspace(t, hit.t[-1], 4001)]
        forces = [law.force(max(d, 0.0), speed, approach) for d, speed, _ in seen]
        found.append((t, max(d for d, _, _ in seen), max(forces)))
        t, state = float(hit.t[-1]), hit.y[:, -1]
    return found
