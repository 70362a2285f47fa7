"""Tools of the checkers of joints, motions, forces and laws: high-order differences, random states, probes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import carom as cm
from carom.forces.base import Force
from carom.joints.motion import Motion
from carom.laws.friction.base import FrictionLaw
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, NormalLaw
from carom.mechanics.element_output import FORCE_OUTPUT, N_FORCE_OUTPUT
from carom.mechanics.planar_body import BODY_DTYPE
from carom.solve.model_evaluator import ModelEvaluator

STEP = 2.5e-3
"""Step of the differences: with lengths near one, truncation and rounding both stay below 1e-9."""

FIRST = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
SECOND = (8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0)
SECOND_CENTRE = -205.0 / 72.0


def derivative(f: Callable[[float], Any], h: float = STEP) -> np.ndarray:
    """f'(0) by central differences of eighth order."""
    terms = [c * (np.asarray(f(k * h)) - np.asarray(f(-k * h))) for k, c in enumerate(FIRST, 1)]
    return np.asarray(sum(terms) / h)


def second_derivative(f: Callable[[float], Any], h: float = STEP) -> np.ndarray:
    """f''(0) by central differences of eighth order."""
    terms = [c * (np.asarray(f(k * h)) + np.asarray(f(-k * h))) for k, c in enumerate(SECOND, 1)]
    return np.asarray((SECOND_CENTRE * np.asarray(f(0.0)) + sum(terms)) / (h * h))


def gradient(f: Callable[[np.ndarray], Any], q: np.ndarray, h: float = STEP) -> np.ndarray:
    """∂f/∂q, one column a coordinate."""

    def along(direction: np.ndarray) -> np.ndarray:
        return derivative(lambda x: f(q + x * direction), h)

    return np.stack([along(direction) for direction in np.eye(len(q))], axis=-1)


def assert_close(found: Any, expected: Any, tolerance: float, what: str) -> None:
    """Equal to ``tolerance``, relative to the largest number of the two (at least one)."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    size = max(1.0, np.abs(found).max(initial=0.0), np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance * size, err_msg=what)


# ---- models in random poses


def three_bodies(rng: np.random.Generator) -> tuple[cm.System, list[cm.Body]]:
    """Bodies a, b and c about a metre apart, in random poses with random velocities."""
    system = cm.System()
    bodies = [
        system.add(
            cm.Body(
                name,
                mass=rng.uniform(0.5, 2.0),
                inertia=rng.uniform(0.1, 1.0),
                position=tuple(np.add(centre, rng.uniform(-0.3, 0.3, 2))),
                angle=rng.uniform(-3.0, 3.0),
                velocity=tuple(rng.uniform(-2.0, 2.0, 2)),
                angular_velocity=rng.uniform(-2.0, 2.0),
            )
        )
        for name, centre in (("a", (-1.0, 0.0)), ("b", (1.0, 0.5)), ("c", (0.0, -1.0)))
    ]
    return system, bodies


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A unit quaternion, all rotations alike."""
    q = rng.standard_normal(4)
    return q / np.linalg.norm(q)


def three_spatial_bodies(rng: np.random.Generator) -> tuple[cm.System, list[cm.Body]]:
    """Return random spatial bodies with full inertia tensors."""
    system = cm.System(dim=3)
    bodies = []
    for name, centre in (("a", (-1.0, 0.0, 0.3)), ("b", (1.0, 0.5, -0.2)), ("c", (0.0, -1.0, 0.1))):
        axes = cm.Body("axes", 1.0, orientation=random_rotation(rng)).rotation
        body = cm.Body(
            name,
            mass=rng.uniform(0.5, 2.0),
            inertia=axes @ np.diag(rng.uniform(0.5, 1.0, 3)) @ axes.T,
            position=tuple(np.add(centre, rng.uniform(-0.3, 0.3, 3))),
            orientation=random_rotation(rng),
            velocity=tuple(rng.uniform(-2.0, 2.0, 3)),
            angular_velocity=tuple(rng.uniform(-2.0, 2.0, 3)),
        )
        bodies.append(system.add(body))
    return system, bodies


def disturbed(mechanism: ModelEvaluator, rng: np.random.Generator, spread: float) -> np.ndarray:
    """The start of a model, its coordinates moved off the constraints."""
    y = mechanism.tables.y0.copy()
    y[: mechanism.n] += rng.uniform(-spread, spread, mechanism.n)
    mechanism.update_orientation(y)
    return y


def moved(mechanism: ModelEvaluator, y: np.ndarray, q: np.ndarray) -> np.ndarray:
    """``y`` with other coordinates."""
    result = y.copy()
    result[: mechanism.n] = q
    return result


def drifted(mechanism: ModelEvaluator, y: np.ndarray, time: float) -> np.ndarray:
    """``y`` after ``time`` at constant velocities."""
    n = mechanism.n
    return moved(mechanism, y, y[:n] + time * y[n : 2 * n])


# ---- parameters


def check_parameters(parameters: Any, kernel: Any, has_data: bool = False) -> None:
    """Parameters are the numbers of the kernel's record, finite; ``has_data``: data of any length follow."""
    size = kernel.records[0].size
    assert len(parameters) == size or (has_data and len(parameters) > size), kernel
    assert all(np.isfinite(parameters))


def check_coordinate(coordinate: Any, joint_kernel: Any) -> None:
    """The parameters of a coordinate are those that the record of the joint begins with."""
    own, whole = coordinate.kernel.records[0], joint_kernel.records[0]
    assert own.names == whole.names[: len(own)]
    assert [own.dtype.fields[name][:2] for name in own] == [whole.dtype.fields[name][:2] for name in own]


def check_output(force: Force) -> None:
    """The output of a force is `FORCE_OUTPUT`, then its signals by their names."""
    assert force.kernel.records[1].names == (*FORCE_OUTPUT.names, *force.signals)


# ---- joints


def check_rows(mechanism: ModelEvaluator, y: np.ndarray, t: float, tolerance: float = 2e-9) -> None:
    """Φ_q, ν and γ are the derivatives of Φ: ∂Φ/∂q, −∂Φ/∂t, and −Φ̈ along q + v t without accelerations."""
    n = mechanism.n
    q = y[:n].copy()
    jacobian = mechanism.jacobian(t, y).toarray()
    _, nu, gamma = mechanism.rows(t, y)
    phi_q = gradient(lambda q: mechanism.rows(t, moved(mechanism, y, q))[0], q)
    assert_close(jacobian, phi_q, tolerance, "Jacobian")
    phi_t = derivative(lambda x: mechanism.rows(t + x, y)[0])
    assert_close(nu, -phi_t, tolerance, "nu")
    along = second_derivative(lambda x: mechanism.rows(t + x, drifted(mechanism, y, x))[0])
    assert_close(gamma, -along, 10.0 * tolerance, "gamma")


# ---- motions


def motion_values(motion: Motion, times: Any, now: float = 0.0) -> np.ndarray:
    """f, f' and f'' at ``times`` (one row a time), as compiled code sees them, for a coordinate that is ``now``."""
    kernel = motion.compiled("test", np.dtype([("ground", BODY_DTYPE)]))
    real = ctypes.POINTER(ctypes.c_double)
    call = ctypes.CFUNCTYPE(None, ctypes.c_double, real, real)(kernel.address)
    par = np.array(motion.parameters(now), float)
    out = np.zeros((np.size(times), 3))
    for row, t in zip(out, np.ravel(times), strict=True):
        call(float(t), par.ctypes.data_as(real), row.ctypes.data_as(real))
    return out


# ---- forces


@dataclass(frozen=True)
class Effect:
    """Evaluation of a force at one state: wrench (force and torque) on each body, energy and power, signals."""

    wrenches: np.ndarray
    potential: float
    dissipated: float
    applied: float
    signals: np.ndarray


class ForceProbe:
    """The forces of a system, evaluated at any state."""

    def __init__(self, system: cm.System):
        self.mechanism = ModelEvaluator(system)
        self.start = self.mechanism.tables.y0

    def effect(self, force: Force, t: float, y: np.ndarray) -> Effect:
        tables = self.mechanism.tables
        self.mechanism.rate(t, y)
        k = next(k for k, known in enumerate(tables.forces) if known is force)
        first = tables["forces"]["output_offset"][k]
        out = tables["element_output"][first:].copy()
        width = tables.kind.n_velocities
        count = width * len(force.members)
        potential, dissipated, applied = out[count : count + N_FORCE_OUTPUT]
        signals = out[count + N_FORCE_OUTPUT :][: len(force.signals)]
        return Effect(out[:count].reshape(-1, width), potential, dissipated, applied, signals)

    def generalised(self, force: Force, t: float, y: np.ndarray) -> np.ndarray:
        """The force on every velocity coordinate of the system; what acts on the ground is left out."""
        bodies = self.mechanism.system.bodies
        total = np.zeros((len(bodies), self.mechanism.tables.kind.n_velocities))
        for body, wrench in zip(force.members, self.effect(force, t, y).wrenches, strict=True):
            for k, known in enumerate(bodies):
                if known is body:
                    total[k] += wrench
        return total.ravel()


# ---- derivatives of laws


def smooth_derivative(f: Callable[[float], Any], h: float, size: float) -> np.ndarray:
    """f'(0) by differences; NaN where a kink between the samples makes them depend on the step."""
    coarse, fine = derivative(f, h), derivative(f, 0.4 * h)
    return np.where(np.abs(coarse - fine) < 1e-5 * size, fine, np.nan)


def assert_derivative(found: Any, f: Callable[[float], Any], h: float, least: float, what: str) -> None:
    """``found`` is f'(0) to 1e-5, relative to the larger of it and ``least``, wherever f is smooth."""
    found = np.asarray(found, float)
    size = max(least, np.abs(found).max())
    expected = smooth_derivative(f, h, size)
    expected = np.where(np.isnan(expected), found, expected)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-5 * size, err_msg=what)


def normal_output(law: NormalLaw, delta: float, rate: float, v_in: float, delta_turn: float | None = None) -> np.void:
    """Outputs of the kernel of a normal law with derivatives; ``delta_turn``: on the unloading curve from there."""
    inputs = LAW_INPUT.zeros()
    unloading = delta_turn is not None
    inputs[0] = delta, rate, v_in, delta_turn if unloading else 0.0, unloading, 0, 1
    outputs = LAW_OUTPUT.zeros()
    outputs["stiffness"] = outputs["damping"] = np.nan
    return law.evaluator()(inputs, outputs)[0]


def check_normal_derivatives(
    law: NormalLaw, delta: float, rate: float, v_in: float, delta_turn: float | None = None
) -> None:
    """``stiffness`` and ``damping`` are the derivatives of the force by the indentation and by its rate."""

    def force(x: float, v: float) -> float:
        return float(normal_output(law, x, v, v_in, delta_turn)["force"])

    found = normal_output(law, delta, rate, v_in, delta_turn)
    largest = abs(found["force"]) + abs(found["elastic_force"])
    speed = max(abs(rate), v_in, 1e-2)
    step = 2e-3 * abs(delta)
    assert_derivative(found["stiffness"], lambda x: force(delta + x, rate), step, largest / abs(delta), "stiffness")
    assert_derivative(found["damping"], lambda v: force(delta, rate + v), 2e-3 * speed, largest / speed, "damping")


def check_friction_derivatives(law: FrictionLaw, load: float, velocity: Any, state: Any) -> None:
    """All derivatives of force and rate are those by normal force, sliding velocity and state; at rest along t only."""
    velocity, state = np.asarray(velocity, float), np.asarray(state, float)
    speed, size = float(np.hypot(*velocity)), float(np.hypot(*state))
    table = law.evaluate(load, velocity, state, derivatives=True)
    force = np.array([table["force_t"], table["force_s"]])
    rate = np.array([table["z_dot_t"], table["z_dot_s"]])
    # At rest, a step that no law resolves; a sum of both sides leaves the mean of their derivatives.
    v_step = 2e-3 * speed or 1e-10
    z_step = 2e-3 * size or 1e-9
    least = {
        "normal": (np.abs(force).max() / load, np.abs(rate).max() / load),
        "velocity": (np.abs(force).max() / (speed or 1.0), np.abs(rate).max() / (speed or 1.0) + 1e-3),
        "state": (np.abs(force).max() / (size or 1.0), np.abs(rate).max() / (size or 1.0)),
    }
    for k, unit in enumerate(np.eye(2)):
        if k == 1 and speed == 0.0:
            break
        for variable, change, step in (
            ("normal", (1.0, 0.0, 0.0), 2e-3 * load),
            ("velocity", (0.0, 1.0, 0.0), v_step),
            ("state", (0.0, 0.0, 1.0), z_step),
        ):
            if variable == "state" and not law.has_state:
                continue

            def outputs(x: float, change: Any = change, unit: np.ndarray = unit) -> np.ndarray:
                dn, dv, dz = (x * c for c in change)
                return law.outputs(load + dn, velocity + dv * unit, state + dz * unit)

            for what, part, smallest in zip(
                ("force", "rate"), (slice(0, 2), slice(2, 4)), least[variable], strict=True
            ):
                name = f"{what}_by_{variable}"
                found = table[name] if variable == "normal" else table[name].reshape(2, 2)[:, k]
                assert_derivative(found, lambda x, part=part: outputs(x)[part], step, smallest + 1e-12, name)


def check_friction_derivatives_at_all_speeds(law: FrictionLaw) -> None:
    """Derivatives from 1e-5 to 10 m/s, off the kinks of the laws, in all directions, with states of all sizes."""
    for k, speed in enumerate(np.geomspace(1.1e-5, 11.0, 25)):
        for angle in (0.0, np.pi, 0.7 + k):
            velocity = speed * np.array([np.cos(angle), np.sin(angle) if angle not in (0.0, np.pi) else 0.0])
            state = 3e-8 * 2.0 ** (k % 12) * np.array([1.0, -0.5 if angle not in (0.0, np.pi) else 0.0])
            check_friction_derivatives(law, 20.0, velocity, state)


def check_normal_derivatives_at_all_depths(law: NormalLaw) -> None:
    """Derivatives at depths from 1e-7 to 1e-3 m and without contact, loading and unloading."""
    for depth in (*np.geomspace(1e-7, 1e-3, 9), -1e-5):
        for rate, v_in in ((0.0, 0.0), (0.2, 0.3), (-0.1, 0.3), (0.05, 0.0)):
            check_normal_derivatives(law, depth, rate, v_in)
            check_normal_derivatives(law, depth, rate, v_in, 1.2 * abs(depth))
