"""Linear systems of implicit methods against differences of the equations of motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.implicit_solver import implicit_solver
from carom.kernels import ADDRESS, STEP, floats, kernel, record
from carom.kernels.interpreted import address_of_argument
from carom.mechanics import implicit_matrix, implicit_solution
from carom.mechanics.contact_records import LOADED, SEPARATED
from carom.mechanics.model_record import MODEL
from carom.mechanics.motion_jacobian import store_motion_jacobian
from carom.solve.model_evaluator import ModelEvaluator

GRAVITY = 9.81
NEGLECTED = 0.02
"""Part of the solution that depends on the change of contact directions, which the code under test leaves out [-]."""
STIFF = cm.laws.KelvinVoigt(1e7, damping=2e3)
PLASTIC = cm.friction.ElastoPlastic(0.5, stiffness=4e5, damping=50.0, breakaway=0.2)
LUGRE = cm.friction.LuGre(static=0.5, dynamic=0.4, stribeck_speed=0.1, stiffness=1e4, damping=10.0)


def box_on_floor(friction: Any, rolling: Any = None) -> cm.System:
    """A planar box on two corner points, a ball on the box."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    box = system.add(cm.Body("box", 2.0, 0.02, position=(0.1, 0.05 - 2e-6), velocity=(0.02, 0.0), angle=1e-6))
    floor = cm.Plane(system.ground)
    for x in (-0.1, 0.1):
        system.add(cm.Contact(cm.Point(box, (x, -0.05)), floor, law=STIFF, friction=friction))
    ball = system.add(cm.Body("ball", 1.0, 4e-4, position=(0.12, 0.12 - 4e-6), velocity=(0.1, 0.0)))
    top = cm.Plane(box, (0.0, 0.05), (0.0, 1.0))
    system.add(cm.Contact(cm.Sphere(ball, 0.02), top, law=STIFF, friction=friction, rolling=rolling))
    return system


def ball_in_space(friction: Any, rolling: Any = None) -> cm.System:
    """A ball with another one on top, which do not spin; their principal axes are not the global ones."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    inertia = ((5e-4, 1e-4, 0.0), (1e-4, 4e-4, 0.0), (0.0, 0.0, 3e-4))
    below: Any = cm.Plane(system.ground, normal=(0.0, 0.0, 1.0))
    for k in range(2):
        body = cm.Body(
            f"ball {k}", 1.0, inertia, position=(0.0, 0.0, 0.02 + 0.04 * k - 2e-6 * (k + 1)),
            velocity=(0.3 * k, 0.1, 0.0), orientation=(0.8, 0.0, 0.6, 0.0),
        )  # fmt: skip
        shape = cm.Sphere(system.add(body), 0.02)
        system.add(cm.Contact(shape, below, law=STIFF, friction=friction, rolling=rolling))
        below = shape
    return system


def box_in_space(friction: Any) -> cm.System:
    """A box on a floor: its indentations depend on its rotation."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    body = system.add(
        cm.Body("box", 2.0, (0.01, 0.02, 0.03), position=(0.0, 0.0, 0.05 - 2e-6), velocity=(0.02, 0.01, 0))
    )
    system.add(cm.Contact(cm.Box(body, (0.1, 0.08, 0.05)), cm.Plane(system.ground), law=STIFF, friction=friction))
    return system


def held(make: Callable[..., cm.System], **laws: Any) -> cm.System:
    """Return the system with its first body on a slider, or on a redundant pair of them."""
    system = make(**laws)
    first = system.bodies[0]
    if system.dim == 2:
        system.add(cm.Prismatic(system.ground, first, axis=(0.6, 0.8), at=tuple(first.position)))
    else:
        system.add(cm.Revolute(system.ground, first, at=(0.0, 0.0, 0.1), axis=(0.0, 1.0, 0.0)))
    return system


SYSTEM = record(solver=ADDRESS, model=ADDRESS, y=ADDRESS, columns=ADDRESS, jacobians_kernel=ADDRESS)
"""Records and arrays of one evaluation of the Jacobian."""


class Linearised:
    """J of a system by the code under test, as (μ − J)⁻¹ r, and by differences."""

    def __init__(self, system: cm.System):
        self.mechanism = ModelEvaluator(system)
        tables = self.tables = self.mechanism.tables
        self.y = tables.y0.copy()
        states = self.y[2 * self.mechanism.n + tables.n_orientation : self.mechanism.controlled]
        # Friction states along the sliding velocity: against the tangent in the plane, and tangential in space.
        states[:] = -2e-5 if system.dim == 2 else np.resize([2e-5, 1e-5, 0.0], len(states))
        tables["contact_history"]["approach_speed"] = 0.1
        tables.settings.locates_events = 1
        self.modes = np.where(self.mechanism.indentations(self.y) > 0.0, LOADED, SEPARATED)
        assert LOADED in self.modes
        solver = implicit_solver(tables)
        self.solver, self.arrays = solver.record, solver.arrays
        self.size = self.mechanism.controlled

    def rate(self, y: np.ndarray, contacts: bool = True) -> np.ndarray:
        modes = self.tables["contact_history"]["mode"]
        modes[: len(self.tables.contacts)] = self.modes if contacts else SEPARATED
        return self.mechanism.rate(0.0, y)[0][: self.size]

    def jacobian(self) -> np.ndarray:
        """Return the contact part of J by differences: that of all forces less that without contacts."""
        columns = []
        for j in range(self.size):
            h = 1e-8 if j < self.mechanism.n else 1e-6
            change = np.zeros_like(self.y)
            change[j] = h
            sides = [self.rate(self.y + sign * change) - self.rate(self.y + sign * change, False) for sign in (1, -1)]
            columns.append((sides[0] - sides[1]) / (2.0 * h))
        return np.array(columns).T

    def solve(self, mu: complex, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (Re μ − J)⁻¹ r and (μ − J)⁻¹ r by the code under test."""
        self.rate(self.y)
        states = self.y[2 * self.mechanism.n :].copy()
        self.tables.kind.jacobians_kernel.call(states, self.arrays["jacobians"], self.tables.model)
        real, pair = r.copy(), r.astype(complex)
        model = self.tables.model
        implicit_matrix.factorise_real.call(mu.real, 0.0, self.solver, model)
        implicit_solution.solve_real.call(mu.real, 0.0, self.y, address_of_argument(real), self.solver, model)
        implicit_matrix.factorise_complex.call(mu.real, mu.imag, self.solver, model)
        implicit_solution.solve_complex.call(mu.real, mu.imag, self.y, address_of_argument(pair), self.solver, model)
        return real, pair


SYSTEMS = {
    "planar": lambda: box_on_floor(cm.friction.Coulomb(0.5, 0.05)),
    "planar with states": lambda: box_on_floor(LUGRE),
    "planar with joints": lambda: held(box_on_floor, friction=LUGRE),
    "planar and plastic": lambda: box_on_floor(PLASTIC),
    "planar, rolling": lambda: box_on_floor(None, cm.friction.Rolling(1e-3, 100.0)),
    "spatial": lambda: ball_in_space(cm.friction.Coulomb(0.5, 0.05)),
    "spatial box": lambda: box_in_space(cm.friction.Coulomb(0.5, 0.05)),
    "spatial with states": lambda: ball_in_space(LUGRE),
    "spatial with joints": lambda: held(ball_in_space, friction=LUGRE),
    "spatial and plastic": lambda: ball_in_space(PLASTIC),
    "spatial, rolling": lambda: ball_in_space(None, cm.friction.Rolling(1e-3, 1e3, spinning=5e-4)),
}


def jacobian_by_differences(linearised: Linearised) -> np.ndarray:
    """Return J with contact forces only: kinematics, accelerations and rates of friction states."""
    n, size = linearised.mechanism.n, linearised.size
    states = slice(2 * n + linearised.tables.n_orientation, size)
    jacobian = np.zeros((size, size))
    jacobian[:n, n : 2 * n] = np.eye(n)
    contact_part = linearised.jacobian()
    jacobian[n : 2 * n], jacobian[states] = contact_part[n : 2 * n], contact_part[states]
    jacobian[2 * n : states.start] = orientation_rows(linearised)
    return jacobian


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_systems_are_those_of_the_derivatives(name: str):
    """(μ − J) x = r with J by differences, but for the change of contact directions with the positions."""
    linearised = Linearised(SYSTEMS[name]())
    n, size = linearised.mechanism.n, linearised.size
    jacobian = jacobian_by_differences(linearised)
    rng = np.random.default_rng(1)
    for mu in (complex(3e3, -3.4e3), complex(800.0, -900.0)):
        r = rng.standard_normal(size)
        r[:n] *= 1e-3
        r[2 * n :] *= 1e-5
        for found, shift in zip(linearised.solve(mu, r), (mu.real, mu), strict=True):
            expected = np.linalg.solve(shift * np.eye(size) - jacobian, r)
            scale = np.abs(expected[n : 2 * n]).max()
            np.testing.assert_allclose(found[n : 2 * n], expected[n : 2 * n], rtol=0.0, atol=NEGLECTED * scale)
            np.testing.assert_allclose(found[:n], expected[:n], rtol=0.0, atol=NEGLECTED * np.abs(expected[:n]).max())
            if size > 2 * n:
                states = slice(2 * n, size)
                largest = np.abs(expected[states]).max()
                np.testing.assert_allclose(found[states], expected[states], rtol=0.0, atol=NEGLECTED * largest)


def orientation_rows(linearised: Linearised) -> np.ndarray:
    """Return the rows of J of the orientations by the velocities; by themselves they are not stiff."""
    n, size = linearised.mechanism.n, linearised.size
    rows = np.zeros((linearised.tables.n_orientation, size))
    for j in range(n, 2 * n):
        change = np.zeros_like(linearised.y)
        change[j] = 1e-6
        sides = [linearised.rate(linearised.y + sign * change) for sign in (1, -1)]
        rows[:, j] = (sides[0] - sides[1])[2 * n : 2 * n + len(rows)] / 2e-6
    return rows


@kernel(STEP, SYSTEM)
def store_matrix(t, unused, case):
    """Store the Jacobian of a case."""
    model = MODEL(case.model)
    columns = floats(case.columns)
    store_motion_jacobian(t, floats(case.y), case.solver, case.jacobians_kernel, model, columns, model.n_states)
    return 0


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_dense_jacobian_is_that_of_the_derivatives(name: str):
    linearised = Linearised(SYSTEMS[name]())
    expected = jacobian_by_differences(linearised)
    tables, size, n = linearised.tables, linearised.size, linearised.mechanism.n
    linearised.rate(linearised.y)
    columns = np.zeros((len(linearised.y), len(linearised.y)))
    kernel_address = tables.address(tables.kind.jacobians_kernel)
    model = address_of_argument(tables.model)
    case = SYSTEM.new(solver=address_of_argument(linearised.solver), model=model, jacobians_kernel=kernel_address)
    SYSTEM.connect(case, {"y": linearised.y, "columns": columns})
    store_matrix.call(0.0, 0.0, case)
    assert not columns[size:].any()
    assert not columns[:, size:].any()
    found = columns.T[:size, :size]
    for rows in (slice(0, n), slice(n, 2 * n), slice(2 * n, size)):
        for across in (slice(0, n), slice(n, 2 * n), slice(2 * n, size)):
            block = expected[rows, across]
            scale = max(np.abs(block).max(initial=0.0), 0.01 * np.abs(expected[rows, :n]).max(initial=0.0))
            atol = NEGLECTED * scale + 1e-6 * STIFF.stiffness
            np.testing.assert_allclose(found[rows, across], block, rtol=0.0, atol=atol)
