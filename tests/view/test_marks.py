"""Arrows point where forces go."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.geometry.rotation import matrix_of
from carom.view import describe
from carom.view.marks import LONGEST, along_x, arrow, reaches, rgb, unit_ball
from carom.view.speeds import nice, speed_choices, speed_words

PART = st.floats(-1.0, 1.0)


@given(PART, PART, PART)
def test_a_quaternion_turns_x_into_the_direction(x, y, z):
    way = np.array([[x, y, z]])
    size = float(np.linalg.norm(way))
    if size < 1e-3:
        return
    (turn,) = along_x(way)
    assert matrix_of(turn) @ (1.0, 0.0, 0.0) == pytest.approx(way[0] / size, abs=1e-6)


def test_straight_back_and_nowhere_have_a_quaternion_too():
    back, none = along_x(np.array([[-2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    assert matrix_of(back) @ (1.0, 0.0, 0.0) == pytest.approx((-1.0, 0.0, 0.0))
    assert none == pytest.approx((1.0, 0.0, 0.0, 0.0))


def test_the_longest_arrow_belongs_to_the_largest_force(crank):
    scene = describe(crank)
    lengths = np.array([reaches(scene, k).max() for k in range(len(scene.t))])
    assert lengths.max() == pytest.approx(LONGEST * scene.diagonal, rel=1e-6)
    assert lengths[0] == 0.0
    largest = [impact.peak_force for impact in crank.impacts]
    second = lengths[scene.t > 0.06].max()
    assert second / lengths.max() == pytest.approx((min(largest) / max(largest)) ** 0.5, rel=1e-3)


def test_meshes_are_of_unit_size():
    assert np.abs(unit_ball(12)[0]).max() == pytest.approx(1.0)
    vertices, faces = arrow()
    assert (vertices[:, 0].min(), vertices[:, 0].max()) == (0.0, 1.0)
    assert faces.max() < len(vertices)
    assert rgb("#ff8000") == (255, 128, 0)


@pytest.mark.parametrize(("factor", "expected"), [(0.0123, 0.01), (0.016, 0.02), (0.6, 0.5), (8.0, 10.0), (0.0, 1.0)])
def test_speeds_are_round(factor, expected):
    assert nice(factor) == pytest.approx(expected)


def test_the_usual_speed_shows_a_run_in_a_few_seconds():
    choices, usual = speed_choices(0.08)
    assert usual == 0.01
    assert speed_words(usual) == "1/100 of real time"
    assert choices["real time"] == 1.0
