"""Bodies in space: inertia and orientation in all the ways they may be given, and what no body can have."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import carom as cm
from quick import each

TENSOR = np.array([[0.3, -0.02, 0.01], [-0.02, 0.4, 0.05], [0.01, 0.05, 0.25]])


def brick(**changes: Any) -> cm.Body:
    return cm.Body(**{"name": "brick", "mass": 2.0, "inertia": 0.1, "position": (1.0, 2.0, 3.0), **changes})


@pytest.mark.parametrize(
    "given",
    [
        {"position": (1.0, 2.0, 3.0)},
        {"velocity": np.zeros(3)},
        {"inertia": (0.1, 0.1, 0.1)},
        {"inertia": TENSOR},
        {"angular_velocity": [1, 2, 3]},
        {"orientation": (1, 0, 0, 0)},
        {"orientation": np.eye(3)},
    ],
)
def test_three_parts_of_anything_make_a_body_spatial(given: dict):
    body = cm.Body("brick", 2.0, **given)
    assert body.dim == 3
    assert len(body.position) == len(body.velocity) == len(body.angular_velocity) == 3
    assert len(body.orientation) == 4
    assert np.shape(body.inertia) == (3, 3)
    assert not hasattr(body, "angle")
    system = cm.System(dim=3)
    system.add(body)


def test_a_spatial_body_holds_its_start_as_plain_numbers():
    body = brick(velocity=np.arange(3), angular_velocity=np.float32([4.0, 5.0, 6.0]), orientation=(2, 0, 0, 0))
    assert (body.velocity, body.angular_velocity) == ((0.0, 1.0, 2.0), (4.0, 5.0, 6.0))
    assert body.orientation == (1.0, 0.0, 0.0, 0.0)
    numbers = (body.mass, *body.position, *body.velocity, *body.angular_velocity, *body.orientation, *body.inertia[1])
    assert all(type(value) is float for value in numbers)
    assert repr(body) == "<Body 'brick' 2 kg at (1, 2, 3), orientation (1, 0, 0, 0)>"


def test_inertia_is_a_number_three_principal_ones_or_a_tensor():
    np.testing.assert_array_equal(brick(inertia=0.1).inertia, 0.1 * np.eye(3))
    np.testing.assert_array_equal(brick(inertia=(0.1, 0.2, 0.3)).inertia, np.diag([0.1, 0.2, 0.3]))
    np.testing.assert_array_equal(brick(inertia=TENSOR).inertia, TENSOR)
    np.testing.assert_array_equal(brick(inertia=TENSOR.tolist()).inertia, TENSOR)
    np.testing.assert_array_equal(brick(inertia=0).inertia, np.zeros((3, 3)))  # a particle
    np.testing.assert_array_equal(brick(inertia=(0.0, 0.1, 0.1)).inertia, np.diag([0.0, 0.1, 0.1]))  # a thin rod
    np.testing.assert_array_equal(brick(inertia=(0.1, 0.1, 0.2)).inertia, np.diag([0.1, 0.1, 0.2]))  # a flat disc


def test_orientation_is_a_quaternion_a_matrix_or_a_scipy_rotation():
    turn = Rotation.from_rotvec([0.3, -1.2, 2.0])
    x, y, z, w = turn.as_quat()
    for given in (turn, turn.as_matrix(), turn.as_matrix().tolist(), (w, x, y, z), (-3 * w, -3 * x, -3 * y, -3 * z)):
        body = brick(orientation=given)
        assert math.hypot(*body.orientation) == pytest.approx(1.0, abs=1e-15)
        np.testing.assert_allclose(body.rotation, turn.as_matrix(), rtol=0.0, atol=1e-15)
        np.testing.assert_allclose(body.to_global((0.1, 0.2, 0.3)), np.add(turn.apply([0.1, 0.2, 0.3]), body.position))
        np.testing.assert_allclose(body.to_local((0.1, 0.2, 0.3)), turn.inv().apply([-0.9, -1.8, -2.7]))


@each("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (-1, 2, 3)])
def test_half_turns_are_read_from_matrices_exactly(axis: tuple):
    """The trace is −1 there: the quaternion has no scalar part to divide by."""
    turn = Rotation.from_rotvec(math.pi * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    np.testing.assert_allclose(brick(orientation=turn).rotation, turn, rtol=0.0, atol=1e-15)


def test_the_rotation_of_a_planar_body_is_about_z():
    matrix = cm.Body("plate", 1.0, 1.0, angle=0.7).rotation
    np.testing.assert_allclose(matrix, Rotation.from_euler("z", 0.7).as_matrix(), rtol=0.0, atol=1e-15)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inertia": -0.1}, r"inertia must be positive or zero, got -0\.1"),
        ({"inertia": (0.1, 0.2)}, r"inertia must be 3 numbers, got 2"),
        ({"inertia": (0.1, 0.2, math.nan)}, r"inertia\[2\] must be finite, got nan"),
        ({"inertia": (0.1, 0.2, 0.4)}, r"inertia must obey the triangle inequality.* got 0\.1, 0\.2 and 0\.4"),
        ({"inertia": (-0.1, 0.2, 0.2)}, r"inertia must have principal values that are positive or zero, got -0\.1"),
        ({"inertia": (0.0, 0.0, 0.1)}, r"inertia must obey the triangle inequality.* got 0, 0 and 0\.1"),
        ({"inertia": [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]}, r"triangle inequality.* got 0\.1, 1 and 1"),
        ({"inertia": [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]}, r"inertia must be a symmetric matrix, got"),
        ({"inertia": [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]}, r"positive or zero, got -1"),
        ({"inertia": np.eye(3)[:2]}, r"inertia must be 3 numbers, got 2"),
        ({"orientation": (1.0, 0.0, 0.0)}, r"orientation must be a quaternion \(w, x, y, z\), a 3×3 rotation matrix"),
        ({"orientation": (0.0, 0.0, 0.0, 0.0)}, r"orientation must not be zero"),
        ({"orientation": (1.0, 0.0, math.nan, 0.0)}, r"orientation\[2\] must be finite, got nan"),
        ({"orientation": "z"}, r"orientation must be a quaternion .* got 'z'"),
        ({"orientation": np.diag([1.0, 1.0, -1.0])}, r"orientation must be a rotation matrix, right-handed"),
        ({"orientation": Rotation.identity(2)}, r"orientation must be a quaternion .* got .*Rotation"),
        ({"orientation": 1.1 * np.eye(3)}, r"orientation must be a rotation matrix, right-handed and orthogonal"),
        ({"angle": 0.3}, r"angle is for planar bodies; set orientation=\(w, x, y, z\), got 0\.3"),
        ({"position": (1.0, 2.0), "orientation": (1, 0, 0, 0)}, r"position must be 3 numbers, got 2"),
        ({"velocity": (1.0, 2.0)}, r"velocity must be 3 numbers, got 2"),
        ({"angular_velocity": 2.0}, r"angular_velocity must be 3 numbers, got 2\.0"),
        ({"position": (0.0, math.inf, 0.0)}, r"position\[1\] must be finite, got inf"),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else value[:30],
)
def test_numbers_that_no_spatial_body_has_are_refused_by_name(changes: dict, message: str):
    with pytest.raises(cm.ModelError, match="Body 'brick': .*" + message):
        brick(**changes)


def test_an_inertia_measured_to_nine_digits_may_miss_the_triangle_by_rounding():
    brick(inertia=(0.1, 0.2, 0.3 * (1.0 + 5e-10)))
    with pytest.raises(cm.ModelError, match="triangle"):
        brick(inertia=(0.1, 0.2, 0.3 * (1.0 + 5e-9)))


def test_numbers_changed_later_are_checked():
    body = brick()
    with pytest.raises(cm.ModelError, match=r"Body 'brick': orientation must not be zero"):
        body.orientation = (0, 0, 0, 0)
    with pytest.raises(cm.ModelError, match=r"Body 'brick': inertia must obey the triangle"):
        body.inertia = (1.0, 1.0, 3.0)
    with pytest.raises(cm.ModelError, match=r"Body 'brick': position must be 3 numbers, got 2"):
        body.position = (1.0, 2.0)
    body.orientation = (0, 0, 0, 5)
    assert body.orientation == (0.0, 0.0, 0.0, 1.0)
    with pytest.raises(cm.ModelError, match=r"ground: orientation cannot be changed"):
        cm.System(dim=3).ground.orientation = (0, 1, 0, 0)
