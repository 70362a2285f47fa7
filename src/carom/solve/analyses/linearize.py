"""Linearisation: natural frequencies about an equilibrium."""

from __future__ import annotations

import numpy as np

from carom.compiled_model.model_inputs import FOLLOWS, START
from carom.errors import ModelError
from carom.mechanics import model_record as slot
from carom.model.system import System
from carom.result.linearization import Linearization
from carom.solve.analyses.assembly import solve_positions
from carom.solve.analyses.mobility import examine
from carom.solve.analyses.statics import imbalance
from carom.solve.analyses.stick_deflection import balance, friction_states, mean_change
from carom.solve.analyses.tangent_stiffness import free_directions, reach, rest_state
from carom.solve.model_evaluator import ModelEvaluator

STENCIL = ((1.0, 3.0 / 4.0), (2.0, -3.0 / 20.0), (3.0, 1.0 / 60.0))
"""First derivative of sixth order: Σ c (f(+kh) − f(−kh)) / h."""

INPUT_STEP = 1e-5
"""Difference step of an input, relative to its value, or to 1 [-]."""


def linearize(system: System) -> Linearization:
    """Linearise the motion about the current pose, an equilibrium (``system.set_state(cm.statics(system))``).

    Drivers are held at time 0. Stiffness and damping follow from the exact equations by differences of sixth order
    along the constraints, so the forces of the joints are included. Inputs have their initial values; see
    `Linearization.state_space` for the matrices of a controller. Friction laws with a state stick: their deflections
    balance the pose and follow the motion as a spring, with the mean slope of both directions where they yield.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> spring = system.add(cm.SpringDamper(system.ground, rod, stiffness=100.0, free_length=0.5))
    >>> round(float(cm.linearize(system).frequencies[-1]), 6)
    1.591549
    """
    mechanism = ModelEvaluator(system, "linearize")
    mechanism.require_laws("linearize")
    mechanism.tables.freeze(0.0)
    y = rest_state(mechanism)
    solve_positions(mechanism, y, [])
    examine(mechanism, y)
    states = friction_states(mechanism)
    if states.size:
        balance(mechanism, y, states)
    residual, scale = imbalance(mechanism, y)
    worst = int(np.argmax(np.abs(residual)))
    if abs(residual[worst]) > 1e-6 * scale:
        raise ModelError(
            f"System {system.name!r} is not in equilibrium: {residual[worst]:.3g} N or N m out of balance at body "
            f"{mechanism.body(worst).name!r}; call system.set_state(cm.statics(system)) first"
        )
    basis = free_directions(mechanism, y)
    k = -derivative(mechanism, y, basis, states, positions=True)
    c = -derivative(mechanism, y, basis, states, positions=False)
    squares, shapes = np.linalg.eigh(0.5 * (k + k.T)) if np.allclose(k, k.T, atol=1e-7 * _size(k)) else _general(k)
    frequencies = np.sqrt(np.maximum(squares, 0.0)) / (2.0 * np.pi)
    modes = basis @ shapes
    largest = np.abs(modes).max(axis=0, initial=0.0)
    f = len(k)
    state = np.block([[np.zeros((f, f)), np.eye(f)], [-k, -c]])
    return Linearization(
        bodies=tuple(body.name for body in system.bodies),
        stiffness=k,
        damping=c,
        basis=basis,
        frequencies=frequencies,
        modes=modes / np.where(largest > 0.0, largest, 1.0),
        eigenvalues=np.linalg.eigvals(state) if f else np.zeros(0, complex),
        inputs=tuple(u.name for u in system.inputs),
        input_matrix=derivative_by_inputs(mechanism, y, basis),
    )


def _size(matrix: np.ndarray) -> float:
    return float(np.abs(matrix).max(initial=0.0)) or 1.0


def _general(k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues and eigenvectors of an unsymmetric stiffness, as follower forces cause."""
    values, vectors = np.linalg.eig(k)
    order = np.argsort(values.real)
    return values.real[order], vectors.real[:, order]


def derivative(
    mechanism: ModelEvaluator, y: np.ndarray, basis: np.ndarray, states: np.ndarray, positions: bool
) -> np.ndarray:
    """Return the derivative of the accelerations along the free directions by free positions or velocities."""
    n = mechanism.n
    steps = reach(mechanism, y)
    columns = []
    for direction in basis.T:
        h = 1.0 / np.abs(direction / steps).max()
        total = np.zeros(basis.shape[1])
        sticking = mean_change(mechanism, y, states, h * direction) if positions and states.size else 0.0
        for count, weight in STENCIL:
            for sign in (1.0, -1.0):
                trial = y.copy()
                if positions:
                    trial[:n] += sign * count * h * direction
                    if mechanism.assemble(0.0, trial) != slot.OK:
                        raise ModelError(f"System {mechanism.system.name!r}: the joints allow no small motion here")
                    trial[n : 2 * n] = 0.0
                    trial[states] += sign * count * sticking
                else:
                    trial[n : 2 * n] = sign * count * h * direction
                rate, _ = mechanism.rate(0.0, trial)
                total += sign * weight * (basis.T @ (mechanism.mass * rate[n : 2 * n]))
        columns.append(total / h)
    return np.array(columns).T.reshape(basis.shape[1], basis.shape[1])


def derivative_by_inputs(mechanism: ModelEvaluator, y: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Return the derivative of the accelerations along the free directions by the inputs, a column for each."""
    tables, n = mechanism.tables, mechanism.n
    if tables.inputs is None:
        return np.zeros((basis.shape[1], 0))
    initial = tables.inputs.history.states[0]
    columns = []
    for k, source in enumerate(tables.inputs.inputs):
        h = INPUT_STEP * max(abs(source.initial), 1.0)
        total = np.zeros(basis.shape[1])
        for sign in (1.0, -1.0):
            state = initial.copy()
            state[k, START] += sign * h
            state[k, FOLLOWS] = 0.0
            tables.inputs.apply(tables, state, 0.0)
            rate, _ = mechanism.rate(0.0, y.copy())
            total += sign * (basis.T @ (mechanism.mass * rate[n : 2 * n]))
        columns.append(total / (2.0 * h))
    tables.inputs.apply(tables, initial, 0.0)
    return np.array(columns).T
