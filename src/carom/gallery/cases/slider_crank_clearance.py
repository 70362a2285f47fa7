"""Slider-crank with clearance between slider and guide."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, one_of, positive
from carom.errors import ModelError, suppress_warnings
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.case_law import case_law
from carom.gallery.figures.slider_crank_clearance import (
    GUIDE,
    RESTITUTIONS,
    STIFFNESSES,
    TITLE,
    StiffnessRuns,
    extra_figures,
)
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Driver, Revolute
from carom.laws.friction.coulomb import Coulomb
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.laws.stiffness import hertz_stiffness
from carom.model.body import Body
from carom.model.generalized_system import GeneralizedSystem
from carom.model.planar_clearance import PrismaticClearance
from carom.model.system import System
from carom.result.result import Result
from carom.solve.simulate import simulate

CRANK, ROD = 0.153, 0.306
"""Lengths [m]."""
SIZE = LENGTH, WIDTH, CLEARANCE = 0.10, 0.05, 0.001
"""Length 2a and width 2b of the slider and clearance c on each side [m]; the guide is 2 (b + c) wide."""
MASSES, INERTIAS = (0.038, 0.038, 0.076), (7.4e-5, 5.9e-4, 2.7e-6)
"""Masses [kg] and moments of inertia [kg m²] of crank, rod and slider."""
SPEED, ROD_SPEED, GRAVITY = 150.0, -75.0, 9.81
"""Angular velocities of crank and rod at the start [rad/s], gravity [m/s²]."""
CORNER_RADIUS = 1e-3
"""Radius of the corners for the stiffness of a compliant run [m]: 4.8e9 N/m^1.5 for steel."""
MAX_TILT = math.asin((WIDTH / 2 + CLEARANCE) / math.hypot(LENGTH, WIDTH) * 2) - math.atan2(WIDTH, LENGTH)
"""Tilt at which a centred slider touches its guide with two opposite corners [rad]."""
STEP, FINE_STEP = 1e-5, 1e-6
"""Step of a run, and step of the run with which compliant runs are compared [s]."""
SHORT_END, TILTED_START = 0.02, 0.015
"""Duration of the compared runs [s]; initial tilt of the slider in the variant of the paper's start [rad]."""
PREDICTABLE_LIMITS, N_PREDICTABLE = (0.6, 0.005), 4
"""Restitution [-] and tilt [rad] up to which two runs agree to the end; number of impacts for which any two agree."""
BODIES, CORNERS = ("crank", "rod", "slider"), (1, 2, 3, 4)
NAME = "slider-crank with clearance"


@check_parameters
def slider_crank_clearance(
    restitution: float = 0.4,
    friction: float = 0.01,
    crank: str = "free",
    slider_angle: float = 0.0,
    coordinates: str = "generalized",
    law: str | NormalLaw = "exact_restitution",
    stiffness: float | None = None,
) -> Case:
    """Slider-crank with clearance between slider and guide, with impacts.

    The crank starts at 150 rad/s with the slider centred in its guide, with 1 mm clearance on each side. Its four
    corners hit the guide and slide along it, with ``restitution`` and ``friction``. The ``crank`` is "free", or
    "driven" at the initial speed. The motion remains symmetric unless ``slider_angle`` [rad] tilts the slider at the
    start. ``coordinates`` are "generalized", the three angles (of rod and slider with a driven crank) with Lagrange's
    equations from SymPy, or "cartesian", bodies and joints; both give the same motion. Cartesian coordinates also allow
    compliant runs (``method="compliant"``) with a contact ``law``, a name or a law object, and its ``stiffness``
    [N/m^1.5] (default: steel corners of 1 mm radius, 4.8e9). With high restitution, runs with different steps diverge
    after a few impacts.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.slider_crank_clearance().system
    <GeneralizedSystem 'slider-crank with clearance': 3 coordinates, 4 contacts>
    """
    case_name = "slider_crank_clearance"
    one_of(case_name, "crank", crank, ("free", "driven"))
    one_of(case_name, "coordinates", coordinates, ("generalized", "cartesian"))
    impact, tilt = ImpactLaw(restitution, friction), finite_float(case_name, "slider_angle", slider_angle)
    if not abs(tilt) < MAX_TILT:
        raise ModelError(f"{case_name}: slider_angle must lie between −{MAX_TILT:.5f} and {MAX_TILT:.5f}, where "
                         f"corners touch the guide, got {tilt:g}")  # fmt: skip
    contact_law = corner_law(law, stiffness, impact.restitution)
    bodies = mechanism(impact, crank, tilt, contact_law)
    equations = cache(lambda: lagrangian(impact, crank, tilt))
    system: Any = equations() if coordinates == "generalized" else bodies

    @cache
    def reference_run(coordinates: str, t_end: float, step: float) -> Result:
        """Return the run by the midpoint rule in these coordinates."""
        model = bodies if coordinates == "cartesian" else equations()
        with suppress_warnings():
            return simulate(model, t_end, method="nonsmooth", step=step)

    @cache
    def variant_run(restitution: float, tilt: float, **options: Any) -> Result:
        """Return a run with other parameters, in Cartesian coordinates, which need no symbolic derivation."""
        with suppress_warnings():
            case = slider_crank_clearance(restitution, friction, crank, tilt, "cartesian", law, stiffness)
            return case.run(**options)

    parameters = Parameters(impact, crank, tilt, coordinates)
    variants = Variants(parameters, variant_run)
    figure_settings = CaseFigures(
        panels=("crank.omega", "slider.y"),
        motion=("crank.omega", "rod.omega", "slider.y") + (("slider.angle",) if tilt else ()),
        pose=0.008,
        ghosts=(0.0, 0.016, 0.024),
    )
    return Case(
        slider_crank_clearance,
        system=system,
        drawing_system=bodies,
        options={"t_end": 0.2, "step": STEP, "method": "nonsmooth"},
        check_results=lambda result: clearance_checks(result, parameters, reference_run),
        figure_settings=figure_settings,
        reference="P. Flores, R. Leine, C. Glocker, Modeling and analysis of planar rigid multibody systems with "
        "translational clearance joints based on the non-smooth dynamics approach, Multibody System Dynamics 23 (2010) "
        "165–190, Figs 8–13 and Table 1",
        extra_figures={
            "overview": lambda result: overview(bodies, result, figure_settings),
            **extra_figures(
                SIZE,
                variants.with_restitution,
                variants.with_tilt,
                variants.with_stiffness if impact.restitution > 0.0 else None,
            ),
        },
    )


@dataclass(frozen=True)
class Parameters:
    """Parameters of the case that its checks and figures depend on; ``tilt`` is the initial one of the slider [rad]."""

    impact: ImpactLaw
    crank: str
    tilt: float
    coordinates: str

    @property
    def predictable(self) -> bool:
        """True if two runs agree to the end."""
        return self.impact.restitution <= PREDICTABLE_LIMITS[0] and abs(self.tilt) <= PREDICTABLE_LIMITS[1]


@dataclass(frozen=True)
class Variants:
    """Runs with other parameters for the figures; ``run`` takes restitution, tilt [rad] and options of the run."""

    parameters: Parameters
    run: Callable[..., Result]

    def with_restitution(self, result: Result) -> dict[float, Result]:
        """Return the runs for RESTITUTIONS."""
        restitution, tilt = self.parameters.impact.restitution, self.parameters.tilt
        return {
            value: result if value == restitution else self.run(value, tilt, **run_options(result))
            for value in RESTITUTIONS
        }

    def with_tilt(self, result: Result) -> dict[str, Result]:
        """Return the run itself and one with an initial tilt."""
        restitution, tilt = self.parameters.impact.restitution, self.parameters.tilt
        runs = {f"slider_angle {tilt:g} rad": result}
        if abs(tilt) < TILTED_START:
            runs[f"slider_angle {TILTED_START:g} rad"] = self.run(restitution, TILTED_START, **run_options(result))
        return runs

    def with_stiffness(self, result: Result) -> dict[float, StiffnessRuns]:
        """Return a non-smooth run and compliant runs by stiffness, for each friction coefficient."""
        impact, crank = self.parameters.impact, self.parameters.crank
        runs: dict[float, StiffnessRuns] = {}
        end = min(float(result.t[-1]), SHORT_END)
        for mu in dict.fromkeys((0.0, impact.friction)):
            rigid = mechanism(ImpactLaw(impact.restitution, mu), crank, 0.0, None)
            laws = {value: ExactRestitution(value, impact.restitution) for value in STIFFNESSES}
            runs[mu] = (
                simulate(rigid, end, method="nonsmooth", step=FINE_STEP),
                {
                    value: simulate(mechanism(ImpactLaw(friction=mu), crank, 0.0, law), end)
                    for value, law in laws.items()
                },
            )
        return runs


def run_options(result: Result) -> dict[str, Any]:
    """Return the options of a run like ``result``."""
    settings = result.settings
    options = {"t_end": float(result.t[-1]), "method": settings["method"]}
    return options if settings["method"] == "compliant" else {**options, "step": settings["step"]}


def corner_law(law: str | NormalLaw, stiffness: float | None, restitution: float) -> NormalLaw | None:
    """Return the contact law of the corners, or None for restitution 0, which no law has."""
    if restitution == 0.0 and not isinstance(law, NormalLaw):
        return None
    case_name = "slider_crank_clearance"
    if stiffness is None:
        stiffness = hertz_stiffness(CORNER_RADIUS)
    return case_law(case_name, law, stiffness=positive(case_name, "stiffness", stiffness), restitution=restitution)


def overview(bodies: System, result: Result, settings: CaseFigures) -> Any:
    """Plot the mechanism and the main series."""
    from carom.plot import plot_overview

    end = float(result.t[-1])
    ghosts = [time for time in settings.ghosts if time <= end]
    return plot_overview(
        bodies,
        result,
        *settings.panels,
        pose=min(settings.pose, end),
        ghosts=ghosts,
        title=TITLE,
    )


def clearance_checks(
    result: Result, parameters: Parameters, reference_run: Callable[[str, float, float], Result]
) -> list[CheckResult]:
    """Check pins, energy, penetration, and the agreement with runs in other coordinates and with half the step."""
    checks = [check_pins(result)]
    if parameters.crank == "driven":
        checks.append(max_abs_error("driven angle [rad]", result["crank"].angle, SPEED * result.t, 1e-5))
    settings = result.settings
    if settings["method"] == "compliant":
        return [energy_drift(result, 1e-7), *checks]
    step = settings["step"]
    # The published schemes let corners in persistent contact drift; Moreau's is of first order.
    bound_factor = max(step / STEP, 1.0) * (1.0 if settings["projection"] else 20.0)
    # In generalised coordinates, the work of the motor of a driven crank is not recorded.
    if parameters.crank == "free" or parameters.coordinates == "cartesian":
        checks.append(energy_drift(result, 5e-4 * bound_factor))
    if np.all(np.diff(result.t) < 1.5 * step):
        checks.append(max_abs_error("crank angle [rad] from its speed", *integrated_speed(result), 2e-4 * bound_factor))
    fastest = max((impact.approach_speed for impact in result.impacts), default=0.0)
    deepest = max(float(np.max(result[f"{GUIDE} {k}"].indentation)) for k in CORNERS)
    allowed = 2.0 * step * max(fastest, 0.1) if settings["projection"] else 2e-5 * bound_factor
    checks.append(CheckResult("deepest corner [m]", max(deepest, 0.0), allowed))
    end = float(result.t[-1])
    until = (
        end if parameters.predictable or len(result.impacts) <= N_PREDICTABLE else result.impacts[N_PREDICTABLE].t_start
    )
    other_coordinates = "cartesian" if parameters.coordinates == "generalized" else "generalized"
    checks += compare_runs(
        f"in {other_coordinates} coordinates",
        result,
        reference_run(other_coordinates, end, step),
        until,
        bound_factor,
    )
    if parameters.predictable:
        checks += compare_runs(
            "with half the step", result, reference_run(parameters.coordinates, end, step / 2.0), until, bound_factor
        )
    return checks


def mechanism(impact: ImpactLaw, crank: str, slider_angle: float, law: NormalLaw | None) -> System:
    """Return bodies and joints; the guide of the slider is a prismatic joint with clearance."""
    system = System(gravity=(0.0, -GRAVITY), name=NAME)
    ground = system.ground
    pin_speed, pin = SPEED * CRANK, (CRANK + ROD, 0.0)
    crank_body = system.add(
        Body("crank", MASSES[0], INERTIAS[0], (CRANK / 2, 0.0), velocity=(0.0, pin_speed / 2), angular_velocity=SPEED)
    )
    rod = system.add(
        Body("rod", MASSES[1], INERTIAS[1], (CRANK + ROD / 2, 0.0), velocity=(0.0, pin_speed + ROD_SPEED * ROD / 2),
             angular_velocity=ROD_SPEED)
    )  # fmt: skip
    slider = system.add(Body("slider", MASSES[2], INERTIAS[2], pin, angle=slider_angle))
    bearing = system.add(Revolute(ground, crank_body, at=(0.0, 0.0), name="bearing"))
    system.add(Revolute(crank_body, rod, at=(CRANK, 0.0), name="crank pin"))
    system.add(Revolute(rod, slider, at=pin, name="wrist pin"))
    friction_law = Coulomb(impact.friction, 1e-3) if impact.friction > 0.0 else None
    system.add(
        PrismaticClearance(
            ground, slider, axis=(1.0, 0.0), length=LENGTH, width=WIDTH, clearance=CLEARANCE, law=law,
            friction=friction_law, impact=impact, tilt=slider_angle, name=GUIDE,
        )
    )  # fmt: skip
    if crank == "driven":
        system.add(Driver(bearing, ConstantSpeed(SPEED), name="motor"))
    return system


def lagrangian(impact: ImpactLaw, crank: str, slider_angle: float) -> GeneralizedSystem:
    """Return the mechanism in the angles of crank, rod and slider, or of rod and slider for a driven crank."""
    import sympy

    cos, sin, t = sympy.cos, sympy.sin, sympy.Symbol("t")
    coordinates = [sympy.Function(f"{body} angle")(t) for body in BODIES]
    start = [(0.0, SPEED), (0.0, ROD_SPEED), (slider_angle, 0.0)]
    angles = [SPEED * t, *coordinates[1:]] if crank == "driven" else coordinates
    if crank == "driven":
        coordinates, start = coordinates[1:], start[1:]
    pin = (CRANK * cos(angles[0]), CRANK * sin(angles[0]))
    x, y = pin[0] + ROD * cos(angles[1]), pin[1] + ROD * sin(angles[1])
    centres = [(pin[0] / 2, pin[1] / 2), ((pin[0] + x) / 2, (pin[1] + y) / 2), (x, y)]
    bodies = list(zip(BODIES, centres, angles, MASSES, INERTIAS, strict=True))
    kinetic = sum(
        (m * (at[0].diff(t) ** 2 + at[1].diff(t) ** 2) + j * angle.diff(t) ** 2) / 2 for _, at, angle, m, j in bodies
    )
    potential = sum(m * GRAVITY * at[1] for _, at, _, m, _ in bodies)
    corners = [(end * LENGTH / 2, side) for side in (1, -1) for end in (-1, 1)]  # position along the guide, and side
    c, s = cos(angles[2]), sin(angles[2])
    return GeneralizedSystem.from_lagrangian(
        coordinates, kinetic, potential,
        gaps=[WIDTH / 2 + CLEARANCE - side * (y + a * s) - WIDTH / 2 * c for a, side in corners],  # (98)–(104)
        tangential=[x + a * c - side * WIDTH / 2 * s for a, side in corners],  # (99)–(105)
        q0=[angle for angle, _ in start], u0=[speed for _, speed in start], time=t, impact=impact,
        bodies={name: ((*at, angle), m, j) for name, at, angle, m, j in bodies},
        contacts=[f"{GUIDE} {k}" for k in CORNERS], name=NAME,
    )  # fmt: skip


def check_pins(result: Result) -> CheckResult:
    """Check that the positions of the bodies agree with their angles."""
    crank, rod, slider = (result[name] for name in BODIES)
    x, y = CRANK * np.cos(crank.angle), CRANK * np.sin(crank.angle)
    pin_x, pin_y = x + ROD * np.cos(rod.angle), y + ROD * np.sin(rod.angle)
    expected = [x / 2, y / 2, (x + pin_x) / 2, (y + pin_y) / 2, pin_x, pin_y]
    positions = [crank.x, crank.y, rod.x, rod.y, slider.x, slider.y]
    return max_abs_error("bodies at their pins [m]", positions, expected, 1e-6)


def integrated_speed(result: Result) -> tuple[Any, Any]:
    """Return the crank angle and the integral of its speed, which is linear in each step [rad]."""
    angle, speed = result["crank"].angle, result["crank"].omega
    steps = 0.5 * np.diff(result.t) * (speed[1:] + speed[:-1])
    return angle, angle[0] + np.concatenate([[0.0], np.cumsum(steps)])


def compare_runs(label: str, result: Result, reference: Result, until: float, bound_factor: float) -> list[CheckResult]:
    """Compare two runs up to a time [s]: mean distance of the sliders across the guide, largest of the crank angles."""
    times = result.t[result.t <= min(until, reference.t[-1])]
    one, two = result.sample(times), reference.sample(times)
    distance = float(np.mean(np.abs(one["slider"].y - two["slider"].y))) / CLEARANCE
    return [
        CheckResult(f"slider across the guide [clearances] {label}", distance, 0.05 * bound_factor),
        max_abs_error(f"crank angle [rad] {label}", one["crank"].angle, two["crank"].angle, 2e-3 * bound_factor),
    ]
