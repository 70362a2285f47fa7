"""Evaluation of contacts: a planar contact is the spatial one of bodies that move in a plane."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.mechanics.contact_records import SIGNAL_NAMES, SPATIAL_SIGNAL_NAMES
from carom.solve.model_evaluator import ModelEvaluator
from quick import each

FRICTIONS = {
    "none": None,
    "coulomb": cm.friction.Coulomb(0.3, 1e-2),
    "lugre": cm.friction.LuGre(0.3, 0.2, 0.05, 1e3, 0.5),
}
STATES = ((2.0, 0.03, (0.0, 0.0), 0.05, (0.4, -0.3), 2.0), (3.0, 0.05, (0.3, 0.02), -0.04, (-0.2, 0.5), -1.5))
"""Mass, inertia, position, angle, velocity and angular velocity of two bodies."""


def build(dim: int, friction, swapped: bool) -> cm.System:
    """Return two bodies in contact, sliding and rolling on each other, in the plane or in space."""
    system = cm.System(dim=dim, gravity=(0.0,) * dim)
    bodies = []
    for name, (mass, inertia, position, angle, velocity, omega) in zip("ab", STATES, strict=True):
        if dim == 2:
            body = cm.Body(name, mass, inertia, position, angle, velocity, omega)
        else:
            body = cm.Body(
                name,
                mass,
                (inertia,) * 3,
                (*position, 0.0),
                orientation=(math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)),
                velocity=(*velocity, 0.0),
                angular_velocity=(0.0, 0.0, omega),
            )
        bodies.append(system.add(body))
    zero = (0.0,) * (dim - 2)
    shapes = (
        cm.Sphere(bodies[0], 0.1, (0.07, 0.05, *zero)),
        cm.Segment(bodies[1], (-0.1, -0.4, *zero), (-0.12, 0.4, *zero), 0.025),
    )
    law = cm.laws.KelvinVoigt(1e5, damping=50.0)
    rolling = cm.friction.Rolling(2e-3, spin=1e-2)
    system.add(cm.Contact(*(shapes[::-1] if swapped else shapes), law, friction, rolling=rolling, name="touch"))
    return system


def evaluate(dim: int, friction, swapped: bool) -> tuple[np.ndarray, dict[str, float], np.ndarray]:
    """Return accelerations (x, y, angle) of both bodies, signals, and the rates of the dissipated energies."""
    mechanism = ModelEvaluator(build(dim, friction, swapped))
    rate, _ = mechanism.rate(0.0, mechanism.tables.y0)
    n = mechanism.n
    accelerations = rate[n : 2 * n].reshape(2, -1)[:, [0, 1, -1]]
    names = SIGNAL_NAMES if dim == 2 else SPATIAL_SIGNAL_NAMES
    values = mechanism.tables["contact_state"][0].tolist()
    return accelerations, dict(zip(names, values, strict=False)), rate[-2:]


@each("swapped", [False, True])
@each("friction", FRICTIONS)
def test_planar_contact_is_the_spatial_one_in_the_plane(friction: str, swapped: bool):
    planar, signals, losses = evaluate(2, FRICTIONS[friction], swapped)
    spatial, others, spatial_losses = evaluate(3, FRICTIONS[friction], swapped)
    np.testing.assert_allclose(spatial, planar, rtol=1e-12)
    np.testing.assert_allclose(spatial_losses, losses, rtol=1e-12)
    for name in ("indentation", "indentation_rate", "normal_force", "x", "y", "nx", "ny", "fx", "fy"):
        assert others[name] == pytest.approx(signals[name], rel=1e-12), name
    for name, planar_name in (("sliding_speed", "sliding_velocity"), ("friction_force", "friction_force")):
        assert others[name] == pytest.approx(abs(signals[planar_name]), rel=1e-12), name  # magnitudes in space
    for name in ("z", "nz", "fz"):
        assert others[name] == pytest.approx(0.0, abs=1e-12)
    assert signals["normal_force"] > 0.0
    assert (signals["friction_force"] != 0.0) == (friction != "none")


def test_rolling_resistance_opposes_the_relative_rotation():
    """Without friction the torque on each body beside that of the normal force is N b tanh(|ω|/ω_s) against ω."""
    accelerations, signals, losses = evaluate(2, None, False)
    force = np.array([signals["fx"], signals["fy"]])
    torque = signals["normal_force"] * 2e-3  # fully developed at ω = 3.5 rad/s
    for k, sign in enumerate((1.0, -1.0)):
        _, inertia, position, *_ = STATES[k]
        arm = np.array([signals["x"], signals["y"]]) - position
        moment = inertia * accelerations[k, 2] - sign * (arm[0] * force[1] - arm[1] * force[0])
        assert moment == pytest.approx(-sign * torque, rel=1e-9)
    assert losses[1] == pytest.approx(3.5 * torque, rel=1e-12)
