"""Modes and forces of a contact from the complementarity problem of its accelerations."""

from __future__ import annotations

import numpy as np
import pytest

from carom.solve.event_driven.contact_modes import solve_contact_modes
from carom.solve.event_driven.records import FRICTIONLESS, OPEN, SLIP, STICK

G, MASS, MU = 9.81, 2.0, 0.3
"""Gravity [m/s²], mass [kg] and friction of a block on a floor."""

AT_REST = np.zeros((1, 1))
"""Sliding direction of a contact that does not slide."""


@pytest.mark.parametrize(
    ("pull", "mode", "friction"),
    [
        (0.9 * MU * G, STICK, -0.9 * MU * G),
        (-0.9 * MU * G, STICK, 0.9 * MU * G),
        (1.1 * MU * G, SLIP, -MU * G),
        (-1.1 * MU * G, SLIP, MU * G),
    ],
)
def test_block_at_rest_slides_where_the_pull_exceeds_the_friction_limit(pull, mode, friction):
    """``pull`` and ``friction`` are forces per mass [m/s²]."""
    modes = solve_contact_modes(np.eye(2) / MASS, np.array([-G, pull]), np.array([MU]), AT_REST, 2)
    assert modes is not None
    assert modes.modes == [mode]
    assert modes.forces[0] == pytest.approx([MASS * G, MASS * friction])


@pytest.mark.parametrize("direction", [1, -1])
def test_friction_of_a_sliding_block_opposes_its_motion(direction):
    modes = solve_contact_modes(
        np.eye(2) / MASS, np.array([-G, 0.0]), np.array([MU]), np.array([[float(direction)]]), 2
    )
    assert modes is not None
    assert modes.modes == [SLIP]
    assert modes.slip[0, 0] == direction
    assert modes.forces[0] == pytest.approx([MASS * G, -direction * MU * MASS * G])


@pytest.mark.parametrize(
    ("torque", "mode", "moment"),
    [(0.9, STICK, -0.9), (-0.9, STICK, 0.9), (1.1, SLIP, -1.0), (-1.1, SLIP, 1.0)],
)
def test_disc_at_rest_turns_where_the_torque_exceeds_the_rolling_limit(torque, mode, moment):
    """``torque`` and ``moment`` are in units of lever × weight; rows of rotation have the units of a velocity."""
    lever = 0.02
    gamma_dot = np.array([-G, 0.0, torque * lever * G])
    found = solve_contact_modes(np.eye(3) / MASS, gamma_dot, np.array([[MU, lever]]), np.zeros((1, 2)), 3)
    assert found is not None
    assert found.modes.tolist() == [[STICK, mode]]
    assert found.forces[0] == pytest.approx([MASS * G, 0.0, moment * lever * MASS * G])


@pytest.mark.parametrize(("rolling", "spinning"), [(0.9, 0.9), (1.1, 0.9), (0.9, -1.1), (1.1, -1.1)])
def test_ball_at_rest_rolls_and_spins_where_torques_exceed_their_limits(rolling, spinning):
    """The rolling limit is a disc, the spinning limit an interval; friction sticks."""
    levers, along = np.array([0.02, 0.001]), np.array([0.6, -0.8])
    gamma_dot = np.array([-G, 0.0, 0.0, *(rolling * levers[0] * G * along), spinning * levers[1] * G])
    found = solve_contact_modes(np.eye(6) / MASS, gamma_dot, np.array([[MU, *levers]]), np.zeros((1, 5)), 6)
    assert found is not None
    rolls, spins = abs(rolling) > 1.0, abs(spinning) > 1.0
    assert found.modes.tolist() == [[STICK, SLIP if rolls else STICK, SLIP if spins else STICK]]
    assert found.slip[0] == pytest.approx([0.0, 0.0, *(along * rolls), np.sign(spinning) * spins])
    moment = -np.array([*(min(rolling, 1.0) * levers[0] * along), max(spinning, -1.0) * levers[1]]) * MASS * G
    assert found.forces[0] == pytest.approx([MASS * G, 0.0, 0.0, *moment], abs=1e-9)


def test_moving_ball_has_the_moments_of_its_limits():
    levers, direction = np.array([0.02, 0.001]), np.array([[0.0, 0.0, 0.6, -0.8, -1.0]])
    gamma_dot = np.array([-G, 0.1 * G, 0.0, 0.0, 0.0, 0.0])
    found = solve_contact_modes(np.eye(6) / MASS, gamma_dot, np.array([[MU, *levers]]), direction, 6)
    assert found is not None
    assert found.modes.tolist() == [[STICK, SLIP, SLIP]]
    expected = MASS * G * np.array([1.0, -0.1, 0.0, -0.6 * levers[0], 0.8 * levers[0], levers[1]])
    assert found.forces[0] == pytest.approx(expected, abs=1e-9)


def test_lifted_block_opens():
    modes = solve_contact_modes(np.eye(2) / MASS, np.array([0.5, 0.0]), np.array([MU]), AT_REST, 2)
    assert modes is not None
    assert modes.modes == [OPEN]
    assert not np.any(modes.forces)


def test_modes_of_a_wedged_contact():
    """G_NN + μ G_NT < 0 for sliding: no forces; without friction there are."""
    matrix = np.array([[1.0, -2.0], [-2.0, 5.0]])
    assert solve_contact_modes(matrix, np.array([-1.0, 0.0]), np.array([1.0]), AT_REST + 1.0, 2) is not None
    assert solve_contact_modes(matrix, np.array([-1.0, 0.0]), np.array([1.0]), AT_REST - 1.0, 2) is None
    found = solve_contact_modes(matrix, np.array([-1.0, 0.0]), np.zeros(1), AT_REST, 2)
    assert found is not None
    assert found.modes == [FRICTIONLESS]
    assert found.forces[0] == pytest.approx([1.0, 0.0])
