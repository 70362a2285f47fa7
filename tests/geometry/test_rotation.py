"""Rotations, against SciPy's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import carom as cm
from carom.geometry.pose import pose_of, turned_by
from carom.geometry.rotation import about, frame_along, matrix_of, product, quaternion_of, rotation

parts = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: math.hypot(*q) > 1e-3)
vectors = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: math.hypot(*v) > 1e-3)
axes = st.sampled_from([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)]) | vectors.map(
    lambda v: tuple(part / math.hypot(*v) for part in v)
)


def scipys(q: tuple[float, ...]) -> Rotation:
    return Rotation.from_quat((*q[1:], q[0]))


@given(q=parts)
def test_quaternions_and_matrices_are_those_of_scipy(q):
    unit = rotation("test", "turn", q)
    np.testing.assert_allclose(matrix_of(unit), scipys(q).as_matrix(), rtol=0.0, atol=1e-15)
    back = np.array(quaternion_of(matrix_of(unit)))
    assert back[0] >= 0.0
    np.testing.assert_allclose(back, np.array(unit) * math.copysign(1.0, back @ unit), rtol=0.0, atol=1e-15)


@given(a=parts, b=parts)
def test_a_product_turns_by_its_second_factor_first(a, b):
    found = matrix_of(product(rotation("test", "a", a), rotation("test", "b", b)))
    np.testing.assert_allclose(found, (scipys(a) * scipys(b)).as_matrix(), rtol=0.0, atol=2e-15)


@given(axis=axes, angle=st.floats(-20.0, 20.0))
def test_a_rotation_about_an_axis(axis, angle: float):
    expected = Rotation.from_rotvec(angle * np.array(axis)).as_matrix()
    np.testing.assert_allclose(matrix_of(about(axis, angle)), expected, rtol=0.0, atol=1e-14)


def test_matrices_of_many_quaternions_are_those_of_each():
    many = Rotation.random(5, rng=1).as_quat()[:, [3, 0, 1, 2]]
    np.testing.assert_array_equal(matrix_of(many), [matrix_of(q) for q in many])


@given(axis=axes, towards=axes)
def test_a_frame_along_a_direction_is_right_handed(axis, towards):
    for frame in (frame_along(axis), frame_along(axis, towards) if np.linalg.norm(np.cross(axis, towards)) > 0.1 else
                  frame_along(axis)):  # fmt: skip
        np.testing.assert_allclose(frame[:, 2], axis, rtol=0.0, atol=1e-15)
        np.testing.assert_allclose(frame.T @ frame, np.eye(3), rtol=0.0, atol=1e-14)
        assert np.linalg.det(frame) == pytest.approx(1.0)
    if np.linalg.norm(np.cross(axis, towards)) > 0.1:
        x, y, _ = frame_along(axis, towards).T
        assert y @ towards == pytest.approx(0.0, abs=1e-14)
        assert x @ towards > 0.0


@given(q=parts, point=vectors, position=vectors)
def test_a_spatial_pose_places_points_as_the_body_does(q, point, position):
    body = cm.Body("brick", 1.0, position=position, orientation=q)
    numbers = pose_of(body)
    expected = scipys(q).apply(point) + position
    found = numbers[:3] + numbers[3:].reshape(3, 3) @ point
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(body.to_global(point), expected, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(body.to_local(expected), point, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(turned_by(body, turned_by(body, point), back=True), point, rtol=0.0, atol=1e-14)
