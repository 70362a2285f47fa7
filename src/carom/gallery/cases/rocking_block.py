"""Housner's rocking block."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from carom.argument_checks import non_negative, positive
from carom.errors import ModelError
from carom.gallery.case import (
    Case,
    CaseFigures,
    CheckResult,
    check_parameters,
    energy_drift,
    max_abs_error,
    time_resolution,
)
from carom.gallery.figures.rocking_block import extra_figures
from carom.geometry.shapes import Plane, Point
from carom.laws.friction.threlfall import Threlfall
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, GRAVITY = 100.0, 9.81
"""Mass [kg], gravity [m/s²]."""
STIFFNESS, RESTITUTION, FULL_FRICTION_SPEED = 1e9, 0.2, 1e-3
"""Contact of the corners in a compliant run: stiffness [N/m^1.5], restitution [-], speed of full friction [m/s]."""
STOPPING_TIME = 3e-4
"""Approximate time in which a compliant corner stops [s]."""
STEP = 2e-5
"""Time step [s]."""
N_IMPACTS = 15
"""Number of impacts in a run."""
MIN_FLIGHT = 100
"""Smallest number of steps between impacts that are compared."""


@dataclass(frozen=True)
class RockingMotion:
    """Closed-form motion of a block with half diagonal R [m] at the angle α [rad] from the edge.

    While it pivots about a corner, θ'' = −p² sin(α − θ) with p² = 3 g/(4 R) [1/s²]. When the other corner hits the
    ground and stays, and the first one separates without an impulse, the angular momentum about the new corner gives
    ω⁺/ω⁻ = 1 − (3/2) sin² α.
    """

    radius: float
    alpha: float

    @property
    def frequency(self) -> float:
        """Frequency parameter p [1/s]."""
        return math.sqrt(0.75 * GRAVITY / self.radius)

    @property
    def ratio(self) -> float:
        """Ratio ω⁺/ω⁻ of the angular velocities after and before an impact [-]."""
        return 1.0 - 1.5 * math.sin(self.alpha) ** 2

    def impact_rate(self, amplitude: float) -> float:
        """Return the angular velocity at the impact after rest at the angle ``amplitude`` [rad/s]."""
        fall = math.cos(self.alpha - amplitude) - math.cos(self.alpha)
        return self.frequency * math.sqrt(2.0 * fall)

    def amplitude_after(self, speed: float) -> float:
        """Return the largest angle after an impact with the angular velocity ``speed`` [rad/s] after it [rad]."""
        return self.alpha - math.acos(math.cos(self.alpha) + 0.5 * (speed / self.frequency) ** 2)

    def quarter_period(self, amplitude: float) -> float:
        """Return the time from rest at ``amplitude`` to the impact [s].

        It is ∫ dθ/ω, with θ = amplitude − s² because ω is zero at the start.
        """
        from scipy.integrate import quad

        top = self.alpha - amplitude

        def integrand(s: float) -> float:
            # cos a − cos (a + x) = 2 sin(a + x/2) sin(x/2) avoids the cancellation.
            return s / (self.frequency * math.sqrt(math.sin(top + 0.5 * s * s) * math.sin(0.5 * s * s)))

        return float(quad(integrand, 0.0, math.sqrt(amplitude), epsabs=0.0, epsrel=1e-10)[0])

    def small_angle_quarter(self, amplitude: float) -> float:
        """Return Housner's approximation of `quarter_period` for small angles, arccosh(1/(1 − θ/α))/p [s]."""
        return math.acosh(1.0 / (1.0 - amplitude / self.alpha)) / self.frequency

    def impacts(self, amplitude: float, until: float, shortest: float) -> tuple[list[float], list[float]]:
        """Return times [s] and angular velocities [rad/s] of impacts up to ``until``, at least ``shortest`` apart."""
        times, speeds = [], []
        flight = t = self.quarter_period(amplitude)
        while t < until and 2.0 * flight > shortest:
            times.append(t)
            speeds.append(self.impact_rate(amplitude))
            amplitude = self.amplitude_after(self.ratio * speeds[-1])
            flight = self.quarter_period(amplitude)
            t += 2.0 * flight
        return times, speeds

    def required_friction(self, amplitude: float) -> float:
        """Return the friction coefficient that prevents slip in the first swing and in the impacts [-]."""
        phi = np.linspace(self.alpha - amplitude, self.alpha, 400)
        centripetal_term = 2.0 * self.frequency**2 * (np.cos(phi[0]) - np.cos(phi))
        acceleration_term = self.frequency**2 * np.sin(phi)
        horizontal = self.radius * np.abs(np.cos(phi) * acceleration_term - np.sin(phi) * centripetal_term)
        normal = GRAVITY - self.radius * (np.sin(phi) * acceleration_term + np.cos(phi) * centripetal_term)
        impact_ratio = (1.0 - self.ratio) / (1.0 + self.ratio) / math.tan(self.alpha)
        return float(max(np.max(horizontal / normal), impact_ratio))


@check_parameters
def rocking_block(width: float = 0.5, height: float = 1.5, angle0: float = 0.25, friction: float = 0.8) -> Case:
    """Housner's rocking block, released tilted on one corner.

    A uniform block of ``width`` and ``height`` [m] with ``friction`` at its two corners is tilted by ``angle0`` [rad]
    and rocks from corner to corner until it stands. Restitution is 0 (Newton's law), and friction prevents slip. For a
    block with width² < 2 height², the corner in contact then separates without an impulse, as Housner assumes: the
    angular velocity after an impact is 1 − (3/2) sin² α of that before, tan α = width/height. The time from rest at θ₀
    to the impact is arccosh(1/(1 − θ₀/α))/p for small angles, p² = 3 g/(4 R).

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.rocking_block().system
    <System 'rocking block': 1 bodies, 2 contacts>
    """
    width, height = positive("rocking_block", "width", width), positive("rocking_block", "height", height)
    angle0, friction = positive("rocking_block", "angle0", angle0), non_negative("rocking_block", "friction", friction)
    if not width**2 < 2.0 * height**2:
        raise ModelError(
            f"rocking_block: width must be below √2 height = {math.sqrt(2.0) * height:g}, got {width:g}: "
            "a flatter block stops at the first impact"
        )
    theory = RockingMotion(0.5 * math.hypot(width, height), math.atan(width / height))
    if not angle0 < theory.alpha:
        raise ModelError(
            f"rocking_block: angle0 must be below {theory.alpha:g}, beyond which the block overturns, got {angle0:g}"
        )
    min_friction = theory.required_friction(angle0)
    if not friction > min_friction:
        raise ModelError(f"rocking_block: friction must be above {min_friction:.3g} to prevent slip, got {friction:g}")
    b, h = 0.5 * width, 0.5 * height
    system = System(gravity=(0.0, -GRAVITY), name="rocking block")
    c, s = math.cos(angle0), math.sin(angle0)
    block = system.add(
        Body("block", MASS, MASS * theory.radius**2 / 3.0, position=(b * (1.0 - c) + h * s, b * s + h * c),
             angle=-angle0)
    )  # fmt: skip
    law, friction_law = ExactRestitution(STIFFNESS, RESTITUTION), Threlfall(friction, FULL_FRICTION_SPEED)
    for name, x in (("left corner", -b), ("right corner", b)):
        impact = ImpactLaw(restitution=0.0, friction=friction)
        system.add(Contact(Point(block, (x, -h)), Plane(system.ground), law, friction_law, impact=impact, name=name))
    quarter_period = theory.quarter_period(angle0)

    times = theory.impacts(angle0, math.inf, 1e-2 * quarter_period)[0][:N_IMPACTS]
    corners = tuple(block.point(x, y) for x in (-b, b) for y in (-h, h))
    return Case(
        rocking_block,
        system=system,
        options={"t_end": times[-1] + 0.1 * quarter_period, "method": "nonsmooth", "step": STEP},
        check_results=lambda result: rocking_checks(result, theory, angle0, width, height),
        figure_settings=CaseFigures(
            panels=("block.angle", "block.omega"),
            motion=("block.angle", "block.omega", ("left corner.indentation", "right corner.indentation")),
            ghosts=(quarter_period, *(0.5 * (one + next_one) for one, next_one in pairwise(times[:2]))),
            trace=corners,
        ),
        reference="G. W. Housner, The behavior of inverted pendulum structures during earthquakes, Bulletin of the "
        "Seismological Society of America 53 (1963) 403–417",
        extra_figures=extra_figures(theory, angle0, width),
    )


def rocking_checks(
    result: Result, theory: RockingMotion, angle0: float, width: float, height: float
) -> list[CheckResult]:
    """Compare with the closed form, within a few steps or a few stopping times of a compliant corner."""
    b, h = 0.5 * width, 0.5 * height
    block = result["block"]
    nonsmooth = result.settings["method"] == "nonsmooth"
    step = time_resolution(result) if nonsmooth else STOPPING_TIME
    times, speeds = theory.impacts(angle0, float(result.t[-1]) - 50.0 * step, MIN_FLIGHT * step)
    # An impact is detected within one step; the delay has more effect near the angle of overturning.
    time_error = 8.0 * step / (1.0 - angle0 / theory.alpha)
    # Work of the position projection, which removes the penetration 2 b ω step of one corner after each impact.
    projection_work = 2.0 * MASS * GRAVITY * b * theory.impact_rate(angle0) * step / (1.0 - theory.ratio)
    checks = [energy_drift(result, projection_work / float(result.energy.scale) if nonsmooth else 1e-6)]
    if not times:
        return checks
    if not nonsmooth:  # A compliant corner bounces a little between the impacts.
        times, speeds = times[:1], speeds[:1]
    impacts = [impact for impact in result.impacts if impact.approach_speed > 0.6 * width * speeds[-1]]
    if len(impacts) < len(times):
        return [*checks, CheckResult(f"impacts, of which there are {len(impacts)}", len(times) - len(impacts), 0.0)]
    t_impacts = np.array([impact.t_start for impact in impacts[: len(times)]])
    first_swing = result.t < min(t_impacts[0], times[0])
    pivot_corner = block.point(b, -h)[first_swing]
    # sin φ lies between φ (1 − α²/6) and φ.
    small_angle_time, small_angle_error = theory.small_angle_quarter(angle0), theory.alpha**2 / 12.0
    numbers = 1.0 + np.arange(len(times))
    checks += [
        CheckResult("time of the first impact [s]", abs(t_impacts[0] - times[0]), time_error),
        CheckResult(
            "time of the first impact for small angles, relative",
            abs(t_impacts[0] / small_angle_time - 1.0),
            small_angle_error + time_error / small_angle_time,
        ),
        max_abs_error("time of an impact [s], divided by its number", t_impacts / numbers, times / numbers, time_error),
        max_abs_error("displacement of the pivot corner [m]", pivot_corner, (b, 0.0), 20.0 * width * speeds[0] * step),
    ]
    if nonsmooth:
        node = np.searchsorted(result.t, t_impacts)
        before, after = block.omega[node - 1], block.omega[node]
        rate_error = 2.0 * theory.frequency**2 * math.sin(theory.alpha) * step  # change of ω in free motion
        checks += [
            max_abs_error("angular velocity before an impact [rad/s]", np.abs(before), speeds, 10.0 * rate_error),
            max_abs_error("angular velocity after it [rad/s]", after, theory.ratio * before, rate_error),
        ]
    return checks
