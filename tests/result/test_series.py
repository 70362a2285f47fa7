import copy
import pickle

import numpy as np
import pytest

from carom.result.column_info import ElementInfo
from carom.result.series import BodySeries, ElementSeries


@pytest.fixture
def turning():
    """Return a body that rotates on a circle of radius 2 m about the origin with 3 rad/s."""
    t = np.linspace(0.0, 1.0, 7)
    angle = 3.0 * t
    outward = np.column_stack((np.cos(angle), np.sin(angle)))
    along = np.column_stack((-np.sin(angle), np.cos(angle)))
    q = np.column_stack((2.0 * outward, angle))
    v = np.column_stack((6.0 * along, np.full(7, 3.0)))
    a = np.column_stack((-18.0 * outward, np.zeros(7)))
    return BodySeries("wheel", t, q, v, a), outward, along


def element(signals, units, values):
    info = ElementInfo("pivot", "Revolute", "joint", ("a", "b"), signals, units, (4, 4 + len(signals)))
    values = np.array(values, dtype=float)
    return ElementSeries(info, np.arange(float(len(values))), values)


def test_body_scalars_are_columns_in_the_documented_order():
    q, v, a = np.arange(27.0).reshape(3, 3, 3)
    body = BodySeries("b", np.arange(3.0), q, v, a)
    names = list(BodySeries.units)
    assert names == ["x", "y", "angle", "vx", "vy", "omega", "ax", "ay", "alpha"]
    for name, column in zip(names, [*q.T, *v.T, *a.T], strict=True):
        np.testing.assert_array_equal(getattr(body, name), column)


def test_body_vectors_agree_with_its_scalars(turning):
    body, outward, along = turning
    np.testing.assert_array_equal(body.position, 2.0 * outward)
    np.testing.assert_array_equal(body.velocity, 6.0 * along)
    np.testing.assert_array_equal(body.acceleration, -18.0 * outward)
    np.testing.assert_array_equal(body.angular_velocity, body.omega)
    np.testing.assert_array_equal(body.angular_acceleration, body.alpha)


def test_point_of_a_rotating_body_moves_on_a_circle(turning):
    body, outward, along = turning
    np.testing.assert_allclose(body.point(1.0, 0.5), 3.0 * outward + 0.5 * along, atol=1e-14)
    np.testing.assert_allclose(body.point_velocity(1.0, 0.5), 9.0 * along - 1.5 * outward, atol=1e-14)


def test_velocity_of_the_centre_of_rotation_is_zero(turning):
    body, *_ = turning
    np.testing.assert_allclose(body.point(-2.0, 0.0), 0.0, atol=1e-14)
    np.testing.assert_allclose(body.point_velocity(-2.0, 0.0), 0.0, atol=1e-14)


def test_unknown_body_series_raises_with_all_names(turning):
    with pytest.raises(AttributeError, match=r"Body 'wheel' has no series 'speed'; choose from x, y, angle, vx"):
        turning[0].speed  # noqa: B018


def test_signals_are_attributes():
    series = element(("angle", "torque"), ("rad", "N m"), [[1.0, 10.0], [2.0, 20.0]])
    np.testing.assert_array_equal(series.angle, [1.0, 2.0])
    np.testing.assert_array_equal(series.torque, [10.0, 20.0])
    assert (series.name, series.kind, series.names) == ("pivot", "Revolute", ("angle", "torque"))
    assert series.units == {"angle": "rad", "torque": "N m"}


def test_force_is_the_magnitude_of_its_components():
    plane = element(("torque", "fx", "fy"), ("N m", "N", "N"), [[9.0, 3.0, -4.0]])
    space = element(("fx", "fy", "fz"), ("N", "N", "N"), [[2.0, 3.0, 6.0]])
    assert plane.force == pytest.approx([5.0])
    assert space.force == pytest.approx([7.0])


def test_signal_named_force_precedes_the_magnitude():
    assert element(("fx", "fy", "force"), ("N", "N", "N"), [[3.0, 4.0, -1.0]]).force == pytest.approx([-1.0])


@pytest.mark.parametrize("wrong", ["lambda_", "force"])
def test_unknown_signal_raises_with_all_names(wrong):
    series = element(("angle", "fx"), ("rad", "N"), [[1.0, 2.0]])
    with pytest.raises(AttributeError, match=rf"Revolute 'pivot' has no signal '{wrong}'; choose from angle, fx$"):
        getattr(series, wrong)


def test_dir_lists_all_series(turning):
    series = element(("fx", "fy"), ("N", "N"), [[1.0, 2.0]])
    assert {"fx", "fy", "force", "t", "names", "units"} <= set(dir(series))
    assert {*BodySeries.units, "position", "point", "t", "name"} <= set(dir(turning[0]))
    assert all(hasattr(series, name) for name in dir(series))


def test_repr_contains_name_time_range_and_columns(turning):
    series = element(("fx", "slip"), ("N", ""), [[1.0, 2.0], [1.0, 2.0]])
    assert repr(series) == "<Revolute 'pivot', 2 nodes, t = 0 … 1 s: fx [N], slip>"
    assert repr(turning[0]).startswith("<body 'wheel', 7 nodes, t = 0 … 1 s: x, y, angle")


@pytest.mark.parametrize("again", [copy.deepcopy, lambda series: pickle.loads(pickle.dumps(series))])
def test_series_can_be_copied_and_pickled(turning, again):
    np.testing.assert_array_equal(again(turning[0]).x, turning[0].x)
    assert again(element(("fx",), ("N",), [[1.0]])).fx == pytest.approx([1.0])
