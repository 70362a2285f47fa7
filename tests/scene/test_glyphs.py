"""Force arrows and unit glyphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.geometry.rotation import matrix_of
from carom.scene.glyphs import LONGEST_ARROW, arrow_lengths, quaternions_from_x, unit_arrow, unit_sphere
from carom.scene.scene_builder import describe

PART = st.floats(-1.0, 1.0)


@given(PART, PART, PART)
def test_quaternion_rotates_x_into_the_direction(x, y, z):
    direction = np.array([[x, y, z]])
    size = float(np.linalg.norm(direction))
    if size < 1e-3:
        return
    (quaternion,) = quaternions_from_x(direction)
    assert matrix_of(quaternion) @ (1.0, 0.0, 0.0) == pytest.approx(direction[0] / size, abs=1e-6)


def test_opposite_and_zero_directions_have_a_quaternion():
    back, none = quaternions_from_x(np.array([[-2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    assert matrix_of(back) @ (1.0, 0.0, 0.0) == pytest.approx((-1.0, 0.0, 0.0))
    assert none == pytest.approx((1.0, 0.0, 0.0, 0.0))


def test_the_longest_arrow_belongs_to_the_largest_force(crank):
    scene = describe(crank)
    lengths = np.array([arrow_lengths(scene, k).max() for k in range(len(scene.t))])
    assert lengths.max() == pytest.approx(LONGEST_ARROW * scene.diagonal, rel=1e-6)
    assert lengths[0] == 0.0
    largest = [impact.peak_force for impact in crank.impacts]
    second = lengths[scene.t > 0.06].max()
    assert second / lengths.max() == pytest.approx((min(largest) / max(largest)) ** 0.5, rel=1e-3)


def test_glyphs_have_unit_size():
    assert np.abs(unit_sphere(12)[0]).max() == pytest.approx(1.0)
    vertices, faces = unit_arrow()
    assert (vertices[:, 0].min(), vertices[:, 0].max()) == (0.0, 1.0)
    assert faces.max() < len(vertices)
