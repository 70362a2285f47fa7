"""Bricard's mechanism."""

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

GRAVITY, THIN = 9.81, 1e-4
"""Gravity [m/s²], and the inertia of a rod about itself over that across it."""
CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
"""Of a cube of 1 m; the rods lie between them, that from the last to the first is the ground."""
NODES, EACH = 60, 5
"""Of Gauss's quadrature, and of the places that it is made for, one in so many."""


def bricard() -> System:
    """Six rods of 1 m and 1 kg (one of them the ground) along the edges of a cube, hinges across both neighbours."""
    system = System(dim=3, gravity=(0.0, -GRAVITY, 0.0), name="bricard")
    rods: list[Body] = [system.ground]
    for k in range(5):
        along = CORNERS[k + 1] - CORNERS[k]
        inertia = (np.eye(3) - (1.0 - THIN) * np.outer(along, along)) / 12.0
        middle = 0.5 * (CORNERS[k] + CORNERS[k + 1])
        rods.append(system.add(Body(f"rod {k + 1}", 1.0, inertia.tolist(), position=middle)))
    for k, axis in enumerate(axes()):
        system.add(Revolute(rods[k], rods[(k + 1) % 6], at=CORNERS[k], axis=axis, name=f"hinge {k + 1}"))
    return system


def axes() -> np.ndarray:
    """Of the hinges at the corners, at the start."""
    along = CORNERS - np.roll(CORNERS, 1, axis=0)
    return np.cross(along, np.roll(along, -1, axis=0))


@validation_problem(
    SECOND_METHOD,
    "Library of Computational Benchmark Problems (IFToMM), Bricard's mechanism; quadrature of the energy integral",
)
def bricard_mechanism() -> Iterator[CheckResult]:
    """Bricard's mechanism, which moves though counting says it cannot.

    Six rods of 1 m in a loop with six hinges have as many constraints as coordinates, yet one degree of freedom. The
    hinges turn by α and β in turn, with (1 + cos a) (1 + cos b) = 1 for the angles a = α + π/2, b = β + π/2 between
    rods. On that curve the energy leaves dt = √(M/(2 (V₀ − V))) ds, and time is a quadrature.
    """
    system = bricard()
    yield CheckResult("degrees of freedom", abs(system.degrees_of_freedom - 1), 0.0)
    result = require_finished(simulate(system, 10.0))
    turned = np.column_stack([result[f"hinge {k + 1}"].angle for k in range(6)])
    first, second = (turned[:, k] + 0.5 * math.pi for k in (0, 1))
    yield CheckResult("energy [J]", float(np.ptp(result.energy.total)), 1e-7)
    yield energy_drift(result, 1e-8)
    yield max_abs_error("angles [rad] of hinges 3 and 5 against hinge 1", turned[:, 2:5:2], turned[:, :1], 1e-7)
    yield max_abs_error("angles [rad] of hinges 4 and 6 against hinge 2", turned[:, 3:6:2], turned[:, 1:2], 1e-7)
    yield max_abs_error("closure (1 + cos a) (1 + cos b)", (1.0 + np.cos(first)) * (1.0 + np.cos(second)), 1.0, 1e-7)
    way = np.unwrap(np.arctan2(np.tan(0.5 * second), np.tan(0.5 * first)))
    falling = slice(1, int(np.argmax(np.abs(way - way[0]))))  # to where it comes to rest on the other side
    sure = np.abs(np.gradient(way, result.t))[falling] > 0.2  # at rest, the place says little of the time
    t, place = (values[falling][sure][::EACH] for values in (result.t, way))
    yield max_abs_error("time [s] of places from rest to rest", t, [time(way[0], s) for s in place], 1e-7)


def time(start: float, end: float) -> float:
    """Time [s] from rest at ``start`` to ``end``: ∫ √(M/(2 (V₀ − V))) ds, with s = start ± r² as it begins at rest."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    reach = math.sqrt(abs(end - start))
    r = 0.5 * reach * (nodes + 1.0)
    mass, potential = inertia_and_potential(start + math.copysign(1.0, end - start) * r * r)
    begun = inertia_and_potential(np.array([start]))[1]
    return float(0.5 * reach * np.sum(weights * 2.0 * r * np.sqrt(mass / (2.0 * (begun - potential)))))


def hinges(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles of the hinges (n, 6) and their derivatives; (1 + tan² a/2) (1 + tan² b/2) = 4 in polar coordinates."""
    c, d = np.cos(s), np.sin(s)
    mixed, turn = (c * d) ** 2, 2.0 * c * d * (c * c - d * d)
    root = np.sqrt(1.0 + 12.0 * mixed)
    radius = np.sqrt(6.0 / (1.0 + root))
    growth = -0.5 * radius / (1.0 + root) * 6.0 * turn / root
    x, y = radius * c, radius * d
    dx, dy = growth * c - y, growth * d + x
    a, b = 2.0 * np.arctan(x) - 0.5 * math.pi, 2.0 * np.arctan(y) - 0.5 * math.pi
    da, db = 2.0 * dx / (1.0 + x * x), 2.0 * dy / (1.0 + y * y)
    return np.column_stack([a, b] * 3), np.column_stack([da, db] * 3)


def inertia_and_potential(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M [kg m²] of the kinetic energy M s'²/2, and the potential energy [J], with the rods hung one on the next."""
    angles, rates = hinges(s)
    n = len(s)
    turn, corner = np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3))
    spin, speed = np.zeros((n, 3)), np.zeros((n, 3))
    mass, potential = np.zeros(n), np.zeros(n)
    for k, axis in enumerate(axes()[:5]):
        spin = spin + rates[:, k, None] * (turn @ axis)
        turn = turn @ rotation(axis, angles[:, k])
        along = turn @ (CORNERS[k + 1] - CORNERS[k])
        moved = np.cross(spin, along)
        middle = speed + 0.5 * moved
        about = np.sum(spin * along, axis=1)
        across = np.sum(spin * spin, axis=1) - (1.0 - THIN) * about**2
        mass += np.sum(middle * middle, axis=1) + across / 12.0
        potential += GRAVITY * (corner + 0.5 * along)[:, 1]
        corner, speed = corner + along, speed + moved
    return mass, potential


def rotation(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sine, versine = np.sin(angle)[:, None, None], (1.0 - np.cos(angle))[:, None, None]
    return np.eye(3) + sine * cross + versine * (cross @ cross)
