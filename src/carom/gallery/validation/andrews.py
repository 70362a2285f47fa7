"""Validation problem: Andrews' squeezing mechanism."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from math import cos, sin

import numpy as np

from carom.forces.registry import SpringDamper, Torque
from carom.gallery.case import CheckResult, max_abs_error
from carom.gallery.validation.problem import (
    PUBLISHED,
    SECOND_METHOD,
    relative_error,
    require_finished,
    validation_problem,
)
from carom.joints.registry import Revolute
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result
from carom.solve.options import Integrator
from carom.solve.simulate import simulate

BETA, THETA, GAMMA = -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449
PHI, DELTA = 0.222668390165885884674473185609, 0.487364979543842550225598953530
OMEGA, EPSILON = -0.222668390165885884674473185609, 1.23054744454982119249735015568
"""Initial angles of the mechanism [rad], by their published names."""
MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
"""Masses [kg] and inertias [kg m²] of the seven bodies."""
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
D, DA, E, EA, RR, RA = 28e-3, 115e-4, 2e-2, 1421e-5, 7e-3, 92e-5
SA, SB, SC, SD, TA, TB = 1874e-5, 1043e-5, 18e-3, 2e-2, 2308e-5, 916e-5
U, UA, UB, ZF, ZT, FA = 4e-2, 1228e-5, 449e-5, 2e-2, 4e-2, 1421e-5
"""Coordinates and lengths of the mechanism [m], by their published names."""
STIFFNESS, FREE_LENGTH, TORQUE = 4530.0, 0.07785, 0.033
"""Stiffness [N/m] and free length [m] of the spring, torque of the motor [N m]."""
END = 0.03
"""Duration [s]."""

REFERENCE = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 1.048080741042263,
)  # fmt: skip
"""Published angles (β, Θ, γ, Φ, δ, Ω, ε) at the end [rad]."""


def squeezer() -> System:
    """Return the mechanism at the start: a crank and six links with pins, a spring, and a torque on the crank."""
    bt, pd, oe = BETA + THETA, PHI + DELTA, OMEGA + EPSILON
    centres = (
        (RA * cos(BETA), RA * sin(BETA)),
        (RR * cos(BETA) - DA * cos(bt), RR * sin(BETA) - DA * sin(bt)),
        (B[0] + SA * sin(GAMMA) + SB * cos(GAMMA), B[1] - SA * cos(GAMMA) + SB * sin(GAMMA)),
        (A[0] + ZT * cos(DELTA) + (E - EA) * sin(pd), A[1] + ZT * sin(DELTA) - (E - EA) * cos(pd)),
        (A[0] + TA * cos(DELTA) - TB * sin(DELTA), A[1] + TA * sin(DELTA) + TB * cos(DELTA)),
        (A[0] + U * sin(EPSILON) + (ZF - FA) * cos(oe), A[1] - U * cos(EPSILON) + (ZF - FA) * sin(oe)),
        (A[0] + UA * sin(EPSILON) - UB * cos(EPSILON), A[1] - UA * cos(EPSILON) - UB * sin(EPSILON)),
    )
    angles = (BETA, bt, GAMMA, pd, DELTA, oe, EPSILON)
    system = System(name="squeezer")
    k = [system.add(Body(f"K{i + 1}", MASS[i], INERTIA[i], position=centres[i], angle=angles[i])) for i in range(7)]
    crank_end = (RR * cos(BETA), RR * sin(BETA))
    hub = (RR * cos(BETA) - D * cos(bt), RR * sin(BETA) - D * sin(bt))
    pin_5 = (A[0] + ZT * cos(DELTA), A[1] + ZT * sin(DELTA))
    pin_7 = (A[0] + U * sin(EPSILON), A[1] - U * cos(EPSILON))
    pins = (
        (None, 0, (0.0, 0.0)), (0, 1, crank_end), (1, 2, hub), (1, 3, hub), (1, 5, hub),
        (None, 2, B), (3, 4, pin_5), (None, 4, A), (5, 6, pin_7), (None, 6, A),
    )  # fmt: skip
    for a, b, at in pins:
        system.add(Revolute(system.ground if a is None else k[a], k[b], at=at))
    spring_end = (B[0] + SC * sin(GAMMA) + SD * cos(GAMMA), B[1] - SC * cos(GAMMA) + SD * sin(GAMMA))
    system.add(
        SpringDamper(
            system.ground.point(*C),
            k[2].point(*k[2].to_local(spring_end)),
            stiffness=STIFFNESS,
            free_length=FREE_LENGTH,
        )
    )
    system.add(Torque(k[0], TORQUE))
    return system


def relative_angles(result: Result) -> np.ndarray:
    """Return (β, Θ, γ, Φ, δ, Ω, ε) at the end from the absolute angles of the bodies [rad]."""
    a = [result[f"K{i}"].angle[-1] for i in range(1, 8)]
    return np.array([a[0], a[1] - a[0], a[2], a[3] - a[4], a[4], a[5] - a[6], a[6]])


@validation_problem(
    f"{PUBLISHED}, {SECOND_METHOD}",
    "F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, Andrews' squeezing mechanism; "
    "E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, VI.9; quadrature of the energy integral",
)
def andrews_squeezer() -> Iterator[CheckResult]:
    """Andrews' squeezing mechanism.

    Seven bodies, ten pins, one degree of freedom; a motor drives it for 0.03 s through 2.5 crank revolutions. The model
    uses the geometry, not the published equations. All seven angles at the end are compared, and the time of the crank
    motion from the energy integral, with the pins as intersections of circles.
    """
    runs: tuple[tuple[Integrator, float], ...] = (("dopri5", 1e-8), ("tsit5", 1e-8), ("dop853", 1e-11))
    for integrator, rtol in runs:
        result = require_finished(simulate(squeezer(), END, integrator=integrator, rtol=rtol))
        angles = relative_angles(result)
        # According to the quadrature with more digits, the published crank angle is 1.1e-9 rad too large.
        yield max_abs_error(f"angles at the end [rad], {integrator}", angles, REFERENCE, 3e-9)
        yield relative_error(f"end time by quadrature, {integrator}", crank_time(float(angles[0])), END, 1e-9)
        yield CheckResult(f"energy drift, {integrator}", result.energy.drift, 1e-8)


# ---- Solution in one degree of freedom: complex numbers are points in the plane; carom's mechanics is not used.

BASE_PIVOT, LINK_3_PIVOT, SPRING_PIVOT = complex(*A), complex(*B), complex(*C)
"""Fixed pivots of links 5 and 7, of link 3, and of the spring [m]."""
CRANK_PIN = RR * cmath.exp(1j * BETA)
HUB = CRANK_PIN - D * cmath.exp(1j * (BETA + THETA))
"""Initial ends of the crank and of link 2 [m]; links 3, 4 and 6 are connected at the second."""
INTERVALS, NODES = 40, 16
"""Number of intervals of Gauss's quadrature and of nodes per interval."""


def crank_time(angle: float) -> float:
    """Return the time from rest until the crank is at ``angle`` [rad]: ∫ √(M/(2 (W − W₀))) dβ, with β = β₀ + r² [s]."""
    edges = np.linspace(0.0, math.sqrt(angle - BETA), INTERVALS + 1)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half = 0.5 * np.diff(edges)[:, None]
    r = (edges[:-1, None] + half * (nodes + 1.0)).ravel()
    mass, work = inertia_and_work(BETA + r * r)
    initial_work = inertia_and_work(np.array([BETA]))[1]
    return float(np.sum((half * weights).ravel() * 2.0 * r * np.sqrt(mass / (2.0 * (work - initial_work)))))


def inertia_and_work(beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return M of the kinetic energy M β'²/2 [kg m²], and W, the work of the motor minus the spring energy [J]."""
    crank = RR * np.exp(1j * beta)
    crank_rate = 1j * crank
    hub, hub_rate, rate_3 = joint_point(crank, crank_rate, D, LINK_3_PIVOT, abs(HUB - LINK_3_PIVOT), CRANK_PIN, HUB)
    pin_5, pin_5_rate, rate_5 = joint_point(
        hub, hub_rate, E, BASE_PIVOT, ZT, HUB, BASE_PIVOT + ZT * cmath.exp(1j * DELTA)
    )
    pin_7, pin_7_rate, rate_7 = joint_point(
        hub, hub_rate, ZF, BASE_PIVOT, U, HUB, BASE_PIVOT - 1j * U * cmath.exp(1j * EPSILON)
    )
    direction_3 = (hub - LINK_3_PIVOT) / (HUB - LINK_3_PIVOT) * cmath.exp(1j * GAMMA)
    direction_5, direction_7 = (pin_5 - BASE_PIVOT) / ZT, 1j * (pin_7 - BASE_PIVOT) / U
    links = (  # velocity of the centre of mass and angular velocity, both divided by β'
        (crank_rate * RA / RR, np.ones_like(beta)),
        (crank_rate + (hub_rate - crank_rate) * DA / D, link_rate(hub - crank, hub_rate - crank_rate)),
        (1j * rate_3 * (SB - 1j * SA) * direction_3, rate_3),
        (pin_5_rate + (hub_rate - pin_5_rate) * (E - EA) / E, link_rate(hub - pin_5, hub_rate - pin_5_rate)),
        (1j * rate_5 * (TA + 1j * TB) * direction_5, rate_5),
        (pin_7_rate + (hub_rate - pin_7_rate) * (ZF - FA) / ZF, link_rate(hub - pin_7, hub_rate - pin_7_rate)),
        (1j * rate_7 * (-UB - 1j * UA) * direction_7, rate_7),
    )
    mass = np.zeros_like(beta)
    for m, j, (v, w) in zip(MASS, INERTIA, links, strict=True):
        mass += m * np.abs(v) ** 2 + j * w**2
    elongation = np.abs(LINK_3_PIVOT + (SD - 1j * SC) * direction_3 - SPRING_PIVOT) - FREE_LENGTH
    return mass, TORQUE * (beta - BETA) - 0.5 * STIFFNESS * elongation**2


def joint_point(
    a: np.ndarray, a_rate: np.ndarray, from_a: float, b: complex, from_b: float, a_start: complex, start: complex
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the point at distance ``from_a`` from the moving a and ``from_b`` from the fixed b, and two rates.

    The rates are the velocity of the point and its angular velocity about b. The point stays on its initial side of ab;
    the three points are never collinear.
    """
    side = math.copysign(1.0, ((b - a_start).conjugate() * (start - a_start)).imag)
    a_to_b = b - a
    distance_squared = np.abs(a_to_b) ** 2
    fraction = 0.5 * (1.0 + (from_a**2 - from_b**2) / distance_squared)
    point = a + (fraction + 1j * side * np.sqrt(from_a**2 / distance_squared - fraction**2)) * a_to_b
    arm = np.conj(point - a)
    rotation_rate = (arm * a_rate).real / (arm * 1j * (point - b)).real  # The distance from a is constant.
    return point, 1j * rotation_rate * (point - b), rotation_rate


def link_rate(arm: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return the angular velocity of a link along ``arm``."""
    return np.asarray((np.conj(arm) * rate).imag / np.abs(arm) ** 2)
