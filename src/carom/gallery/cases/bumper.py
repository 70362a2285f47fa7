"""Trolley that runs into a bumper, whose stiffness and damping are chosen for the smallest force."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

from carom.argument_checks import positive
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift
from carom.gallery.figures.bumper import extra_figures
from carom.geometry.shapes import Plane, Point, Polygon
from carom.joints.registry import Prismatic
from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.laws.root_finding import root
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.model.visual import Visual
from carom.result.result import Result

if TYPE_CHECKING:
    from carom.study.optimize import Optimum

STIFFNESS_RANGE, DAMPING_RANGE = (0.05, 50.0), (0.05, 20.0)
"""Ranges of the design, relative to m v²/s² and m v/s [-]."""
LENGTH, HEIGHT = 8.0, 3.0
"""Size of the drawn trolley, relative to the stroke [-]."""
TOLERANCE = 1e-12
"""Tolerance of the optimisation [-]."""


@check_parameters
def bumper(
    stiffness: float = 3e5, damping: float = 2e3, mass: float = 500.0, speed: float = 1.0, stroke: float = 0.05
) -> Case:
    """A bumper, designed for the smallest force.

    A trolley with the ``mass`` m and the ``speed`` v hits a bumper, a spring with a damper, F = K δ + D δ̇. The run is
    that of a first design with ``stiffness`` K and ``damping`` D. The check and the figure "design" optimise it:
    `optimize` looks for the K and D with the smallest peak force whose travel is at most ``stroke`` s.

    The optimum in closed form: with ω = √(K/m), the damping ratio ζ = D/(2 m ω) = cos α < 1/2 and λ = α cot α, the
    motion of a damped oscillator has the largest travel δ = v/ω exp(−λ) and the peak force
    F = m v ω exp(−(3 − π/α) λ). A softer bumper has a smaller force and a longer travel, so that the best one uses its
    stroke, δ = s: ω = v/s exp(−λ), and F = m v²/s exp((π − 4α) cot α). This has its minimum where
    sin 2α = 2α − π/2, which for y = 2α − π/2 reads cos y = y: y = 0.739085, ζ = cos(π/4 + y/2) = 0.403973,
    F = 0.520599 m v²/s. A constant force would be m v²/(2 s), a spring without damper has m v²/s.

    Examples
    --------
    >>> import carom as cm
    >>> best = cm.optimize(
    ...     "bumper",
    ...     "bumper.normal_force.max",
    ...     {"stiffness": (3e5, 1e4, 1e7), "damping": (2e3, 5e2, 2e5)},
    ...     constraints={"bumper.indentation.max": (0.0, 0.05)},
    ... )
    >>> print(f"{best.objective:.1f} N with {best['stiffness']:.0f} N/m and {best['damping']:.1f} N s/m")
    5206.0 N with 72114 N/m and 4851.5 N s/m
    """
    mass, speed = positive("bumper", "mass", mass), positive("bumper", "speed", speed)
    stroke = positive("bumper", "stroke", stroke)
    law = KelvinVoigt(positive("bumper", "stiffness", stiffness), positive("bumper", "damping", damping))
    expected = law.impact(mass, speed)
    system = System(name="bumper")
    length, height = LENGTH * stroke, HEIGHT * stroke
    inertia = mass * (length**2 + height**2) / 12.0
    start = (-stroke - 0.5 * length, 0.0)
    trolley = system.add(Body("trolley", mass, inertia, position=start, velocity=(speed, 0.0)))
    system.add(Prismatic(system.ground, trolley, axis=(1.0, 0.0), name="rails"))
    plate = Plane(system.ground, normal=(-1.0, 0.0))
    system.add(Contact(Point(trolley, at=(0.5 * length, 0.0)), plate, law=law, name="bumper"))
    corners = [(0.5 * x * length, 0.5 * y * height) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    system.add(Visual(Polygon(trolley, corners)))

    @functools.cache
    def design() -> Optimum:
        return optimal_design(law, mass, speed, stroke)

    def check_results(result: Result) -> list[CheckResult]:
        checks = [energy_drift(result, 1e-8)]
        if not result.impacts or not result.impacts[0].t_end < result.t[-1]:
            return checks
        impact, best = result.impacts[0], design()
        best_stiffness, best_damping, best_force = optimum_in_closed_form(mass, speed, stroke)
        pairs = (
            ("peak force", impact.peak_force, expected.peak_force, 1e-7),
            ("travel", impact.max_indentation, expected.max_indentation, 1e-7),
            ("separation speed", abs(impact.separation_speed), expected.restitution * speed, 1e-7),
            ("optimal stiffness", best["stiffness"], best_stiffness, 1e-5),
            ("optimal damping", best["damping"], best_damping, 1e-5),
            ("peak force of the optimum", best.objective, best_force, 1e-7),
            ("travel of the optimum", best.outputs["bumper.indentation.max"], stroke, 1e-7),
        )
        return checks + [
            CheckResult(f"{quantity}, relative", abs(value / exact - 1.0), bound)
            for quantity, value, exact, bound in pairs
        ]

    return Case(
        bumper,
        system=system,
        options={"t_end": stroke / speed + 1.2 * expected.duration},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("bumper.normal_force", "trolley.vx"),
            motion=("trolley.x", "trolley.vx", "bumper.normal_force"),
            ghosts=(stroke / speed + 0.5 * expected.duration,),
        ),
        reference="D. V. Balandin, N. N. Bolotnik, W. D. Pilkey, Optimal Protection from Impact, Shock, and Vibration, "
        "Gordon and Breach 2001",
        extra_figures=extra_figures(design, mass, speed, stroke),
    )


def optimal_design(start: KelvinVoigt, mass: float, speed: float, stroke: float) -> Optimum:
    """Return the bumper with the smallest peak force within the stroke, from the design ``start``."""
    from carom.study.optimize import optimize

    def start_and_bounds(value: float, scale: float, limits: tuple[float, float]) -> tuple[float, float, float]:
        return value, min(limits[0] * scale, 0.5 * value), max(limits[1] * scale, 2.0 * value)

    return optimize(
        "bumper",
        "bumper.normal_force.max",
        {
            "stiffness": start_and_bounds(start.stiffness, mass * (speed / stroke) ** 2, STIFFNESS_RANGE),
            "damping": start_and_bounds(start.damping, mass * speed / stroke, DAMPING_RANGE),
        },
        constraints={"bumper.indentation.max": (0.0, stroke)},
        tolerance=TOLERANCE, mass=mass, speed=speed, stroke=stroke,
    )  # fmt: skip


def optimum_in_closed_form(mass: float, speed: float, stroke: float) -> tuple[float, float, float]:
    """Return stiffness [N/m], damping [N s/m] and peak force [N] of the best bumper, derived in `bumper`."""
    angle = 0.25 * math.pi + 0.5 * root(lambda y: y - math.cos(y), 0.0, 1.0)
    frequency = speed / stroke * math.exp(-angle / math.tan(angle))
    force = mass * speed**2 / stroke * math.exp((math.pi - 4.0 * angle) / math.tan(angle))
    return mass * frequency**2, 2.0 * math.cos(angle) * mass * frequency, force
