"""The three ways of keeping to the constraints: projection, Baumgarte's feedback, augmented Lagrangian."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.solve.analyses.mobility import examine
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.compliant.registry import INTEGRATORS
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.run import advance_to_end
from quick import each
from solve.mechanisms import FourBar, parallelogram, pendulum, slider_crank, violations

FOUR_BAR = FourBar(0.5, 1.5, 1.2, 1.6)
MECHANISMS = {
    "pendulum": pendulum,
    "four-bar": lambda: FOUR_BAR.system(1.0),
    "slider-crank": lambda: slider_crank(angle=0.7),
}


@each("integrator", INTEGRATORS)
@each("name", MECHANISMS)
def test_projection_keeps_positions_and_velocities_exact(name, integrator):
    system = MECHANISMS[name]()
    step = 2e-3 if integrator == "rk4" else None
    result = cm.simulate(system, 2.0, integrator=integrator, rtol=1e-6, atol=1e-8, max_step=step)
    position, speed = violations(system, result)
    assert result.outcome.ok
    assert position <= 1e-12
    assert speed <= 1e-11


@each("rtol", [1e-1, 1e-2, 1e-3])
def test_projection_is_exact_at_loose_tolerances_too(rtol):
    """Long steps need long corrections; what they leave of the velocities must not depend on that."""
    system = slider_crank(angle=0.7)
    position, speed = violations(system, cm.simulate(system, 2.0, rtol=rtol, atol=rtol))
    assert position <= 1e-12
    assert speed <= 1e-11


def test_projection_keeps_driven_motion_exact():
    system = slider_crank(angle=0.7)
    system.add(cm.Driver((system["crank"], "angle"), cm.SineMotion(0.8, 1.5)))
    result = cm.simulate(system.assemble(), 2.0)
    position, speed = violations(system, result)
    assert position <= 1e-12
    assert speed <= 1e-11


@each("constraints", ["baumgarte", "augmented"])
def test_feedback_keeps_the_violation_bounded_over_a_long_run(constraints):
    bob = cm.simulate(pendulum(), 30.0, constraints=constraints, rtol=1e-6, atol=1e-8)["bob"]
    gap = np.hypot(bob.x - np.cos(bob.angle), bob.y - np.sin(bob.angle))
    half = len(gap) // 2
    assert gap.max() < 1e-6
    assert gap[half:].max() < 2.0 * gap[:half].max()


def violated(system: cm.System, move: tuple[float, float], alpha: float, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and Φ of a run with feedback that starts off the constraints by ``move``."""
    mechanism = ModelEvaluator(system)
    mechanism.tables.stabilise(alpha, beta)
    y = mechanism.tables.y0.copy()
    y[:2] += move
    stops = np.linspace(0.0, 2.0, 21)[1:]
    method = INTEGRATORS["dopri5"](
        IntegrationRequest(
            mechanism=mechanism,
            integrator="dopri5",
            y=y,
            stops=stops,
            jumps=np.zeros(len(stops), bool),
            record_steps=False,
            projecting=False,
            rtol=1e-11,
            atol=1e-12,
            max_step=math.inf,
        )
    )
    advance_to_end(method, lambda *_: None)
    t, nodes = method.output.nodes()
    return t, np.array(
        [mechanism.rows(time, np.ascontiguousarray(node))[0] for time, node in zip(t, nodes, strict=True)]
    )


def test_feedback_with_equal_gains_takes_a_violation_away_aperiodically():
    """Φ'' + 2αΦ' + α²Φ = 0 from rest: Φ = Φ₀ (1 + αt) e^(−αt), whatever the mechanism does."""
    alpha, move = 5.0, (1e-3, -2e-3)
    t, phi = violated(pendulum(inertia=0.1), move, alpha, alpha)
    expected = np.outer((1.0 + alpha * t) * np.exp(-alpha * t), move)
    np.testing.assert_allclose(phi, expected, atol=1e-10)


def test_feedback_without_position_gain_only_stops_the_drift():
    _, phi = violated(pendulum(inertia=0.1), (1e-3, 0.0), 4.0, 0.0)
    np.testing.assert_allclose(phi[:, 0], 1e-3, atol=1e-10)


def test_feedback_below_critical_damping_rings():
    """α = 1, β = 5: Φ = Φ₀ e^(−αt) (cos ωt + α/ω sin ωt), ω² = β² − α²."""
    alpha, beta = 1.0, 5.0
    t, phi = violated(pendulum(inertia=0.1), (1e-3, 0.0), alpha, beta)
    omega = math.sqrt(beta**2 - alpha**2)
    expected = 1e-3 * np.exp(-alpha * t) * (np.cos(omega * t) + alpha / omega * np.sin(omega * t))
    np.testing.assert_allclose(phi[:, 0], expected, atol=1e-10)


@each("constraints", ["baumgarte", "augmented"])
@each("name", MECHANISMS)
def test_feedback_gives_the_motion_that_projection_gives(name, constraints):
    times = np.linspace(0.0, 2.0, 41)
    system = MECHANISMS[name]()
    exact = cm.simulate(system, 2.0, output=times, rtol=1e-11, atol=1e-12)
    other = cm.simulate(system, 2.0, output=times, constraints=constraints, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(other.q, exact.q, atol=2e-7)
    np.testing.assert_allclose(other.v, exact.v, atol=2e-6)


# ---- multipliers


def saddle_point(mechanism: ModelEvaluator, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and the multipliers of least Σ S_rr λ_r², S = Φ_q M⁻¹ Φ_qᵀ, by NumPy's own algebra.

    The weight S_rr is the mobility of a row: it makes forces and torques comparable.
    """
    jacobian = mechanism.jacobian(0.0, y).toarray()
    gamma = mechanism.rows(0.0, y)[2]
    bodies, gravity = mechanism.system.bodies, mechanism.system.gravity
    load = np.array([w for body in bodies for w in (body.mass * gravity[0], body.mass * gravity[1], 0.0)])
    inverse = 1.0 / mechanism.mass
    schur = jacobian * inverse @ jacobian.T
    weight = 1.0 / np.sqrt(np.diag(schur))
    reduced = weight[:, None] * schur * weight
    multipliers = weight * np.linalg.lstsq(reduced, weight * (jacobian @ (inverse * load) - gamma), rcond=1e-10)[0]
    return inverse * (load - jacobian.T @ multipliers), multipliers


def moving_parallelogram(bars: int) -> tuple[ModelEvaluator, np.ndarray]:
    system = parallelogram(0.8, bars)
    system["bar 0"].angular_velocity = 2.0
    system.assemble(keep=[("bar 0", "angular_velocity")])
    mechanism = ModelEvaluator(system)
    return mechanism, mechanism.tables.y0.copy()


@each("bars", [2, 3, 5])
def test_multipliers_of_redundant_joints_are_the_smallest_that_fit(bars):
    mechanism, y = moving_parallelogram(bars)
    acceleration, multipliers = saddle_point(mechanism, y)
    if bars > 2:
        with pytest.warns(cm.CaromWarning, match="redundant"):
            examine(mechanism, y)
    rate, _ = mechanism.rate(0.0, y)
    np.testing.assert_allclose(rate[mechanism.n : 2 * mechanism.n], acceleration, rtol=1e-12, atol=1e-12)
    mechanism.prepare_reactions()
    rate, _ = mechanism.rate(0.0, y)
    np.testing.assert_allclose(rate[mechanism.n : 2 * mechanism.n], acceleration, rtol=1e-9, atol=1e-9)
    # Rounding over the proximal term of 1e-8 is what a combination of rows without effect may keep.
    np.testing.assert_allclose(mechanism.multipliers(), multipliers, rtol=0.0, atol=2e-7 * np.abs(multipliers).max())


@each("bars", [2, 4])
def test_augmented_lagrangian_finds_the_same_multipliers(bars):
    mechanism, y = moving_parallelogram(bars)
    acceleration, multipliers = saddle_point(mechanism, y)
    mechanism.tables.regularise(1e-6, 3)
    rate, _ = mechanism.rate(0.0, y)
    np.testing.assert_allclose(rate[mechanism.n : 2 * mechanism.n], acceleration, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(mechanism.multipliers(), multipliers, rtol=1e-7, atol=1e-7 * np.abs(multipliers).max())


def test_redundant_rods_carry_the_whole_weight_and_symmetrically():
    system = cm.System(gravity=(0.0, -10.0))
    plate = system.add(cm.Body("plate", mass=3.0, inertia=1.0, position=(0.0, -1.0)))
    for k, x in enumerate((-0.2, 0.0, 0.2)):
        system.add(cm.Distance(system.ground.point(x, 0.0), plate.point(x, 0.0), name=f"rod {k}"))
    with pytest.warns(cm.CaromWarning, match="redundant, in 'rod 2'"):
        result = cm.simulate(system, 0.1)
    forces = [result[f"rod {k}"].fy[0] for k in range(3)]
    assert sum(forces) == pytest.approx(30.0, rel=1e-9)
    assert forces[0] == pytest.approx(forces[2], rel=1e-7)
