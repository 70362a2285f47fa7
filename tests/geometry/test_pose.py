"""Poses: the body's own points in global axes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.pairs.base import POSE
from carom.geometry.pose import pose, pose_of
from checkers import assert_close

lengths = st.floats(-10.0, 10.0)


@given(x=lengths, y=lengths, angle=st.floats(-20.0, 20.0), px=lengths, py=lengths)
def test_a_pose_places_points_as_the_body_does(x: float, y: float, angle: float, px: float, py: float):
    body = cm.Body("plate", 1.0, 1.0, position=(x, y), angle=angle)
    numbers = pose_of(body)
    assert numbers.shape == (POSE.size,)
    rotation = numbers[3:].reshape(3, 3)
    found = numbers[:3] + rotation @ (px, py, 0.0)
    assert_close(found, [*body.to_global((px, py)), 0.0], 1e-15, "point")
    assert_close(rotation @ rotation.T, np.eye(3), 1e-15, "rotation")
    assert np.linalg.det(rotation) > 0.0


def test_a_pose_in_space_keeps_its_height():
    assert_close(pose((1.0, 2.0, 3.0), 0.0)[:3], [1.0, 2.0, 3.0], 0.0, "position")
