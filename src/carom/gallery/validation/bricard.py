"""Validation problem: Bricard's mechanism."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from carom.gallery.case import CheckResult, energy_drift, max_abs_error
from carom.gallery.validation.problem import SECOND_METHOD, require_finished, validation_problem
from carom.joints.registry import Revolute
from carom.model.body import Body
from carom.model.system import System
from carom.solve.simulate import simulate

GRAVITY, THINNESS = 9.81, 1e-4
"""Gravity [m/s²], and axial inertia of a rod relative to its transverse inertia [-]."""
CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
"""Corners of a cube of 1 m, the ends of the rods; the rod from the last to the first corner is the ground."""
NODES, STRIDE = 60, 5
"""Number of nodes of Gauss's quadrature, and stride of the compared nodes of the run."""


def bricard() -> System:
    """Return six rods of 1 m and 1 kg (one is the ground) along the edges of a cube; hinges are normal to both rods."""
    system = System(dim=3, gravity=(0.0, -GRAVITY, 0.0), name="bricard")
    rods: list[Body] = [system.ground]
    for k in range(5):
        rod_vector = CORNERS[k + 1] - CORNERS[k]
        inertia = (np.eye(3) - (1.0 - THINNESS) * np.outer(rod_vector, rod_vector)) / 12.0
        centre_velocity = 0.5 * (CORNERS[k] + CORNERS[k + 1])
        rods.append(system.add(Body(f"rod {k + 1}", 1.0, inertia.tolist(), position=centre_velocity)))
    for k, axis in enumerate(hinge_axes()):
        system.add(Revolute(rods[k], rods[(k + 1) % 6], at=CORNERS[k], axis=axis, name=f"hinge {k + 1}"))
    return system


def hinge_axes() -> np.ndarray:
    """Return the initial axes of the hinges at the corners."""
    rod_vector = CORNERS - np.roll(CORNERS, 1, axis=0)
    return np.cross(rod_vector, np.roll(rod_vector, -1, axis=0))


@validation_problem(
    SECOND_METHOD,
    "Library of Computational Benchmark Problems (IFToMM), Bricard's mechanism; quadrature of the energy integral",
)
def bricard_mechanism() -> Iterator[CheckResult]:
    """Bricard's mechanism, movable despite redundant constraints.

    Six rods of 1 m in a loop with six hinges have as many constraints as coordinates, but one degree of freedom. The
    hinges rotate alternately by α and β, with (1 + cos a) (1 + cos b) = 1 for the angles a = α + π/2, b = β + π/2
    between rods. On that curve the energy gives dt = √(M/(2 (V₀ − V))) ds, so that time is a quadrature.
    """
    system = bricard()
    yield CheckResult("degrees of freedom", abs(system.degrees_of_freedom - 1), 0.0)
    result = require_finished(simulate(system, 10.0))
    hinge_angles = np.column_stack([result[f"hinge {k + 1}"].angle for k in range(6)])
    first, second = (hinge_angles[:, k] + 0.5 * math.pi for k in (0, 1))
    yield CheckResult("energy [J]", float(np.ptp(result.energy.total)), 1e-7)
    yield energy_drift(result, 1e-8)
    yield max_abs_error(
        "angles [rad] of hinges 3 and 5 against hinge 1", hinge_angles[:, 2:5:2], hinge_angles[:, :1], 1e-7
    )
    yield max_abs_error(
        "angles [rad] of hinges 4 and 6 against hinge 2", hinge_angles[:, 3:6:2], hinge_angles[:, 1:2], 1e-7
    )
    yield max_abs_error("closure (1 + cos a) (1 + cos b)", (1.0 + np.cos(first)) * (1.0 + np.cos(second)), 1.0, 1e-7)
    path = np.unwrap(np.arctan2(np.tan(0.5 * second), np.tan(0.5 * first)))
    first_half = slice(1, int(np.argmax(np.abs(path - path[0]))))  # Ends where it comes to rest on the other side.
    # Positions near rest are left out, because they determine the time poorly.
    moving = np.abs(np.gradient(path, result.t))[first_half] > 0.2
    t, positions = (values[first_half][moving][::STRIDE] for values in (result.t, path))
    yield max_abs_error(
        "time [s] of positions from rest to rest", t, [travel_time(path[0], s) for s in positions], 1e-7
    )


def travel_time(start: float, end: float) -> float:
    """Return the time from rest at ``start`` to ``end`` [s]: ∫ √(M/(2 (V₀ − V))) ds, with s = start ± r²."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    span = math.sqrt(abs(end - start))
    r = 0.5 * span * (nodes + 1.0)
    mass, potential = inertia_and_potential(start + math.copysign(1.0, end - start) * r * r)
    initial_potential = inertia_and_potential(np.array([start]))[1]
    return float(0.5 * span * np.sum(weights * 2.0 * r * np.sqrt(mass / (2.0 * (initial_potential - potential)))))


def hinges(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the hinge angles (n, 6) and their derivatives: (1 + tan² a/2) (1 + tan² b/2) = 4 in polar coordinates."""
    c, d = np.cos(s), np.sin(s)
    product, orientation = (c * d) ** 2, 2.0 * c * d * (c * c - d * d)
    root = np.sqrt(1.0 + 12.0 * product)
    radius = np.sqrt(6.0 / (1.0 + root))
    radius_rate = -0.5 * radius / (1.0 + root) * 6.0 * orientation / root
    x, y = radius * c, radius * d
    dx, dy = radius_rate * c - y, radius_rate * d + x
    a, b = 2.0 * np.arctan(x) - 0.5 * math.pi, 2.0 * np.arctan(y) - 0.5 * math.pi
    da, db = 2.0 * dx / (1.0 + x * x), 2.0 * dy / (1.0 + y * y)
    return np.column_stack([a, b] * 3), np.column_stack([da, db] * 3)


def inertia_and_potential(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return M of the kinetic energy M s'²/2 [kg m²] and the potential energy [J], rod by rod along the loop."""
    angles, rates = hinges(s)
    n = len(s)
    orientation, corner_position = np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3))
    omega, corner_velocity = np.zeros((n, 3)), np.zeros((n, 3))
    mass, potential = np.zeros(n), np.zeros(n)
    for k, axis in enumerate(hinge_axes()[:5]):
        omega = omega + rates[:, k, None] * (orientation @ axis)
        orientation = orientation @ rotation(axis, angles[:, k])
        rod_vector = orientation @ (CORNERS[k + 1] - CORNERS[k])
        velocity_change = np.cross(omega, rod_vector)
        centre_velocity = corner_velocity + 0.5 * velocity_change
        axial_rate = np.sum(omega * rod_vector, axis=1)
        rotation_term = np.sum(omega * omega, axis=1) - (1.0 - THINNESS) * axial_rate**2
        mass += np.sum(centre_velocity * centre_velocity, axis=1) + rotation_term / 12.0
        potential += GRAVITY * (corner_position + 0.5 * rod_vector)[:, 1]
        corner_position, corner_velocity = corner_position + rod_vector, corner_velocity + velocity_change
    return mass, potential


def rotation(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Return rotation matrices by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sine, versine = np.sin(angle)[:, None, None], (1.0 - np.cos(angle))[:, None, None]
    return np.eye(3) + sine * cross + versine * (cross @ cross)
