"""Random mechanisms in random motion, and their equations of motion by NumPy's dense algebra."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import carom as cm
from carom.compiled_model import linear_solver
from carom.mechanics import kkt_lu
from carom.solve.model_evaluator import ModelEvaluator

SOLVERS = ("schur", "sparse", "pivoted")


@contextmanager
def using(solver: str) -> Iterator[None]:
    """Every model built inside is given to one solver, whatever its size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_solver, "DENSE_ROWS", -1 if solver == "sparse" else 10**9)
        if solver == "pivoted":
            patch.setattr(linear_solver, "kkt_schur", kkt_lu)
            patch.setattr(linear_solver, "schur_arrays", linear_solver.pivoted_arrays)
        yield


def bodies(rng: np.random.Generator, count: int, gravity: bool = True) -> cm.System:
    """Unconnected bodies of very different masses, in random poses and motion."""
    system = cm.System(gravity=(1.0, -9.81) if gravity else None, name="random")
    for k in range(count):
        system.add(
            cm.Body(
                f"body {k}",
                mass=10.0 ** rng.uniform(-1.0, 1.0),
                inertia=10.0 ** rng.uniform(-1.0, 1.0),
                position=tuple(rng.uniform(-2.0, 2.0, 2)),
                angle=rng.uniform(-3.0, 3.0),
                velocity=tuple(rng.uniform(-1.0, 1.0, 2)),
                angular_velocity=rng.uniform(-1.0, 1.0),
            )
        )
    return system


def connect(rng: np.random.Generator, system: cm.System, a: cm.Body, b: cm.Body) -> None:
    """A joint of a random kind between two bodies, closed as they stand."""
    at = tuple(rng.uniform(-2.0, 2.0, 2))
    axis = tuple(rng.standard_normal(2))
    kind = rng.choice(["pin", "pin", "pin", "slide", "slot", "rod", "weld"])
    if kind == "pin":
        system.add(cm.Revolute(a, b, at=at))
    elif kind == "slide":
        system.add(cm.Prismatic(a, b, axis=axis, at=at))
    elif kind == "slot":
        system.add(cm.PointOnLine(a, b, axis=axis, at=at))
    elif kind == "rod":
        system.add(cm.Distance(cm.Marker(a, tuple(rng.uniform(-1.0, 1.0, 2))), b))
    else:
        system.add(cm.Weld(a, b, at=at))


def tree(rng: np.random.Generator, count: int) -> cm.System:
    """Every body on an earlier one or on the ground; sometimes on nothing."""
    system = bodies(rng, count)
    for k, body in enumerate(system.bodies):
        if rng.random() < 0.95:
            connect(rng, system, [system.ground, *system.bodies[:k]][rng.integers(k + 1)], body)
    return system


def loops(rng: np.random.Generator, count: int) -> cm.System:
    """A chain of pins with rods across it: many loops, one inside the other."""
    system = bodies(rng, count)
    before = system.ground
    for body in system.bodies:
        system.add(cm.Revolute(before, body, at=tuple(rng.uniform(-2.0, 2.0, 2))))
        before = body
    places = [system.ground, *system.bodies]
    for _ in range(count // 2):
        i, j = rng.choice(count + 1, 2, replace=False)
        system.add(cm.Distance(*(cm.Marker(places[k], tuple(rng.uniform(-1.0, 1.0, 2))) for k in (i, j))))
    return system


def hub(rng: np.random.Generator, count: int) -> cm.System:
    """All bodies around the first, which is on the ground; neighbours joined by rods, gears on the hub."""
    system = bodies(rng, count)
    centre, *spokes = system.bodies
    system.add(cm.Revolute(system.ground, centre, at=tuple(rng.uniform(-2.0, 2.0, 2))))
    for spoke in spokes:
        system.add(cm.Revolute(centre, spoke, at=tuple(rng.uniform(-2.0, 2.0, 2))))
    for a, b in zip(spokes[::3], spokes[1::3], strict=False):
        system.add(cm.Gear(a, b, ratio=rng.uniform(0.5, 2.0), carrier=centre))
    for a, b in zip(spokes[1::3], spokes[2::3], strict=False):
        system.add(cm.Distance(cm.Marker(a, tuple(rng.uniform(-1.0, 1.0, 2))), b))
    return system


def driven(rng: np.random.Generator, count: int) -> cm.System:
    """A chain of pins, its free angles driven here and there: at the joints, and at the bodies themselves."""
    system = bodies(rng, count)
    before = system.ground
    for k, body in enumerate(system.bodies):
        pin = system.add(cm.Revolute(before, body, at=tuple(rng.uniform(-2.0, 2.0, 2))))
        if k % 3 == 0:
            system.add(cm.Driver(pin, cm.SineMotion(0.5, 1.0, phase=rng.uniform(-1.0, 1.0))))
        if k % 3 == 1:
            system.add(cm.Driver((body, "angle"), cm.PolynomialMotion([0.0, 1.0, rng.uniform(-1.0, 1.0)])))
        before = body
    return system


def led(rng: np.random.Generator, count: int) -> cm.System:
    """A chain of pins whose last body is led along a path, x and y, as a crane's hook: four rows hold that body."""
    system = bodies(rng, count)
    before = system.ground
    for body in system.bodies:
        system.add(cm.Revolute(before, body, at=tuple(rng.uniform(-2.0, 2.0, 2))))
        before = body
    tip = before.point(0.7, -0.2)
    system.add(cm.Driver((tip, "x"), cm.SineMotion(0.5, 1.0)))
    system.add(cm.Driver((tip, "y"), cm.SineMotion(0.3, 2.0)))
    return system


FAMILIES = {"tree": tree, "loops": loops, "hub": hub, "driven": driven, "led": led}


def dense(mechanism: ModelEvaluator, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Accelerations and multipliers of [M Φ_qᵀ; Φ_q 0] [a; λ] = [weight; γ], and the condition of the matrix."""
    n, m = mechanism.n, mechanism.m
    system = mechanism.system
    weight = [w for body in system.bodies for w in (body.mass * system.gravity[0], body.mass * system.gravity[1], 0.0)]
    mass = [w for body in system.bodies for w in (body.mass, body.mass, body.inertia)]
    matrix = np.zeros((n + m, n + m))
    matrix[:n, :n] = np.diag(mass)
    matrix[n:, :n] = mechanism.jacobian(t, y).toarray()
    matrix[:n, n:] = matrix[n:, :n].T
    right = np.concatenate([weight, mechanism.rows(t, y)[2]])
    solution = np.linalg.solve(matrix, right)
    return solution[:n], solution[n:], float(np.linalg.cond(matrix))


def relative_error(found: np.ndarray, expected: np.ndarray) -> float:
    size = max(np.abs(expected).max(initial=0.0), 1.0)
    return float(np.abs(found - expected).max(initial=0.0) / size) if np.all(np.isfinite(found)) else math.inf
