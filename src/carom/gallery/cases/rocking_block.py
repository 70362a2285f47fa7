"""Housner's rocking block."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from carom.errors import ModelError, not_negative, positive
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest, resolution
from carom.gallery.figures.rocking_block import drawings
from carom.geometry.shapes import Plane, Point
from carom.laws.friction.threlfall import Threlfall
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, GRAVITY = 100.0, 9.81
STIFFNESS, SOFTNESS, CREEP = 1e9, 0.2, 1e-3
"""Of the corners in a compliant run: stiffness [N/m^1.5], restitution, speed of full friction [m/s]."""
YIELDING = 3e-4
"""Time in which they stop a corner, about [s]."""
STEP = 2e-5
SHOWN = 15
"""Impacts in a run."""
SHORT = 100
"""Steps that a block must be in the air between impacts that are compared."""


@dataclass(frozen=True)
class Rocking:
    """The motion in closed form: half-diagonal R [m] at the angle α [rad] from the edge, p² = 3 g/(4 R) [1/s²].

    Pivoting about a corner, θ'' = −p² sin(α − θ). When the other corner strikes and stays, and the first one leaves
    without an impulse, the moment of momentum about the new corner gives ω⁺/ω⁻ = 1 − (3/2) sin² α.
    """

    radius: float
    alpha: float

    @property
    def frequency(self) -> float:
        return math.sqrt(0.75 * GRAVITY / self.radius)

    @property
    def ratio(self) -> float:
        return 1.0 - 1.5 * math.sin(self.alpha) ** 2

    def speed(self, turning: float) -> float:
        """Angular velocity [rad/s] with which the block falls flat from rest at the angle ``turning``."""
        fall = math.cos(self.alpha - turning) - math.cos(self.alpha)
        return self.frequency * math.sqrt(2.0 * fall)

    def turning(self, speed: float) -> float:
        """The angle [rad] at which a block that rises with angular velocity ``speed`` [rad/s] turns."""
        return self.alpha - math.acos(math.cos(self.alpha) + 0.5 * (speed / self.frequency) ** 2)

    def quarter(self, turning: float) -> float:
        """Time [s] of that fall: ∫ dθ/ω, with θ = turning − s² because ω vanishes at its beginning."""
        from scipy.integrate import quad

        top = self.alpha - turning

        def rate(s: float) -> float:
            # cos a − cos (a + x) = 2 sin(a + x/2) sin(x/2), without the difference
            return s / (self.frequency * math.sqrt(math.sin(top + 0.5 * s * s) * math.sin(0.5 * s * s)))

        return float(quad(rate, 0.0, math.sqrt(turning), epsabs=0.0, epsrel=1e-10)[0])

    def housner(self, turning: float) -> float:
        """The same for small angles [s]: Housner's arccosh(1/(1 − θ/α))/p."""
        return math.acosh(1.0 / (1.0 - turning / self.alpha)) / self.frequency

    def impacts(self, turning: float, until: float, shortest: float) -> tuple[list[float], list[float]]:
        """Times [s] and angular velocities [rad/s] before the impacts up to ``until``, ``shortest`` apart at least."""
        times, speeds = [], []
        quarter = t = self.quarter(turning)
        while t < until and 2.0 * quarter > shortest:
            times.append(t)
            speeds.append(self.speed(turning))
            turning = self.turning(self.ratio * speeds[-1])
            quarter = self.quarter(turning)
            t += 2.0 * quarter
        return times, speeds

    def needed_friction(self, turning: float) -> float:
        """Friction that keeps the corners from slipping, in the first swing and in an impact."""
        phi = np.linspace(self.alpha - turning, self.alpha, 400)
        square = 2.0 * self.frequency**2 * (np.cos(phi[0]) - np.cos(phi))
        rise = self.frequency**2 * np.sin(phi)
        along = self.radius * np.abs(np.cos(phi) * rise - np.sin(phi) * square)
        normal = GRAVITY - self.radius * (np.sin(phi) * rise + np.cos(phi) * square)
        struck = (1.0 - self.ratio) / (1.0 + self.ratio) / math.tan(self.alpha)
        return float(max(np.max(along / normal), struck))


@bounded
def rocking_block(width: float = 0.5, height: float = 1.5, angle0: float = 0.25, friction: float = 0.8) -> Case:
    """Housner's rocking block, released tilted on one corner.

    A uniform block of ``width`` and ``height`` [m] stands on two corners with ``friction``, is tilted by ``angle0``
    [rad] and rocks from corner to corner until it stands. Restitution is 0 (Newton's law) and friction keeps the
    corners in place; for a block with width² < 2 height² the corner that was down then leaves without an impulse, which
    is what Housner assumes: an impact leaves 1 − (3/2) sin² α of the angular velocity, tan α = width/height. From rest
    at θ₀ to the impact it takes arccosh(1/(1 − θ₀/α))/p where angles are small, p² = 3 g/(4 R).
    """
    width, height = positive("rocking_block", "width", width), positive("rocking_block", "height", height)
    angle0, friction = positive("rocking_block", "angle0", angle0), not_negative("rocking_block", "friction", friction)
    if not width**2 < 2.0 * height**2:
        raise ModelError(
            f"rocking_block: width must be below √2 height = {math.sqrt(2.0) * height:g}, got {width:g}: "
            "a flatter block does not rock on, it stops at the first impact"
        )
    theory = Rocking(0.5 * math.hypot(width, height), math.atan(width / height))
    if not angle0 < theory.alpha:
        raise ModelError(f"rocking_block: angle0 must be below {theory.alpha:g}, where it topples, got {angle0:g}")
    needed = theory.needed_friction(angle0)
    if not friction > needed:
        raise ModelError(f"rocking_block: friction must be above {needed:.3g}, or a corner slips, got {friction:g}")
    b, h = 0.5 * width, 0.5 * height
    system = System(gravity=(0.0, -GRAVITY), name="rocking block")
    c, s = math.cos(angle0), math.sin(angle0)
    block = system.add(
        Body("block", MASS, MASS * theory.radius**2 / 3.0, position=(b * (1.0 - c) + h * s, b * s + h * c),
             angle=-angle0)
    )  # fmt: skip
    law, drag = ExactRestitution(STIFFNESS, SOFTNESS), Threlfall(friction, CREEP)
    for name, x in (("left corner", -b), ("right corner", b)):
        impact = ImpactLaw(restitution=0.0, friction=friction)
        system.add(Contact(Point(block, (x, -h)), Plane(system.ground), law, drag, impact=impact, name=name))
    first = theory.quarter(angle0)

    def findings(result: Result) -> list[Finding]:
        """Against the closed form, within a few steps, or times in which a compliant corner gives way."""
        rigid = result.settings["method"] == "nonsmooth"
        step = resolution(result) if rigid else YIELDING
        times, speeds = theory.impacts(angle0, float(result.t[-1]) - 50.0 * step, SHORT * step)
        # An impact is noticed within a step; falling steeper and longer, a block feels it more.
        late = 8.0 * step / (1.0 - angle0 / theory.alpha)
        # Lifted out of what each impact leaves of an overlap, 2 b ω step, on one of its corners.
        lifted = 2.0 * MASS * GRAVITY * b * theory.speed(angle0) * step / (1.0 - theory.ratio)
        found = [drift(result, lifted / float(result.energy.scale) if rigid else 1e-6)]
        if not times:
            return found
        if not rigid:  # a corner that yields bounces a little, between the impacts
            times, speeds = times[:1], speeds[:1]
        hits = [impact for impact in result.impacts if impact.approach_speed > 0.6 * width * speeds[-1]]
        if len(hits) < len(times):
            return [*found, Finding(f"impacts, of which there are {len(hits)}", len(times) - len(hits), 0.0)]
        met = np.array([impact.t_start for impact in hits[: len(times)]])
        swing = result.t < min(met[0], times[0])
        standing = result[block].point(b, -h)[swing]
        small, bent = theory.housner(angle0), theory.alpha**2 / 12.0  # sin φ is between φ (1 − α²/6) and φ
        number = 1.0 + np.arange(len(times))
        found += [
            Finding("time of the first impact [s]", abs(met[0] - times[0]), late),
            Finding("the same for small angles, relative", abs(met[0] / small - 1.0), bent + late / small),
            farthest("time of an impact [s], divided by its number", met / number, times / number, late),
            farthest("way of the corner it pivots about [m]", standing, (b, 0.0), 20.0 * width * speeds[0] * step),
        ]
        if rigid:
            node = np.searchsorted(result.t, met)
            before, after = result[block].omega[node - 1], result[block].omega[node]
            change = 2.0 * theory.frequency**2 * math.sin(theory.alpha) * step  # of ω in free motion
            found += [
                farthest("angular velocity before an impact [rad/s]", np.abs(before), speeds, 10.0 * change),
                farthest("angular velocity after it [rad/s]", after, theory.ratio * before, change),
            ]
        return found

    times = theory.impacts(angle0, math.inf, 1e-2 * first)[0][:SHOWN]
    corners = tuple(block.point(x, y) for x in (-b, b) for y in (-h, h))
    return Case(
        rocking_block,
        system=system,
        options={"t_end": times[-1] + 0.1 * first, "method": "nonsmooth", "step": STEP},
        findings=findings,
        look=Look(
            panels=("block.angle", "block.omega"),
            motion=("block.angle", "block.omega", ("left corner.indentation", "right corner.indentation")),
            ghosts=(first, *(0.5 * (one + next_one) for one, next_one in pairwise(times[:2]))),
            trace=corners,
        ),
        reference="G. W. Housner, The behavior of inverted pendulum structures during earthquakes, Bulletin of the "
        "Seismological Society of America 53 (1963) 403–417",
        drawings=drawings(theory, angle0, width),
    )
