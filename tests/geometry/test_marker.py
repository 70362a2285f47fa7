"""Markers: a point on a body and back, from any pose."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import carom as cm
from carom.geometry.marker import as_marker, axis_angle, coincident_markers, rotate

lengths = st.floats(-10.0, 10.0)
angles = st.floats(-20.0, 20.0)
points = st.tuples(lengths, lengths)


def body(position: tuple[float, float] = (0.0, 0.0), angle: float = 0.0) -> cm.Body:
    return cm.Body("plate", 1.0, 1.0, position=position, angle=angle)


@given(position=points, angle=angles, point=points)
def test_global_and_local_points_are_inverse(position, angle: float, point):
    plate = body(position, angle)
    assert plate.to_local(plate.to_global(point)) == pytest.approx(point, abs=1e-13)
    assert plate.to_global(plate.to_local(point)) == pytest.approx(point, abs=1e-13)


@given(position=points, angle=angles, point=points, turned=angles)
def test_a_marker_placed_from_global_axes_is_where_it_was_put(position, angle: float, point, turned: float):
    marker = as_marker("test", body(position, angle), at=point, orientation=turned)
    assert marker.position == pytest.approx(point, abs=1e-13)
    assert marker.orientation == pytest.approx(turned, abs=1e-13)


@given(position=points, angle=angles, point=points)
def test_a_marker_moves_with_its_body(position, angle: float, point):
    plate = body()
    marker = plate.marker(point, 0.4)
    plate.position, plate.angle = position, angle
    assert marker.position == pytest.approx(plate.to_global(point), abs=1e-15)
    assert marker.orientation == pytest.approx(angle + 0.4, abs=1e-15)


@given(angle=angles, point=points)
def test_rotation_keeps_length_and_turns_by_its_angle(angle: float, point):
    x, y = rotate(point, angle)
    turned = complex(*point) * complex(math.cos(angle), math.sin(angle))
    assert (x, y) == pytest.approx((turned.real, turned.imag), abs=1e-13)
    assert math.hypot(x, y) == pytest.approx(math.hypot(*point), abs=1e-13)


@given(first=points, second=points, angle=angles, common=points)
def test_markers_that_meet_are_at_one_place(first, second, angle: float, common):
    a, b = coincident_markers("test", body(first, angle), body(second, -angle), common)
    assert a.position == pytest.approx(common, abs=1e-13)
    assert b.position == pytest.approx(common, abs=1e-13)


def test_a_body_without_a_point_gives_its_centre_of_mass():
    marker = as_marker("test", body((3.0, -2.0), 0.7))
    assert marker.at == (0.0, 0.0)
    assert marker.position == (3.0, -2.0)


def test_a_marker_stays_itself():
    marker = body().point(1.0, 2.0)
    assert as_marker("test", marker, at=(5.0, 5.0)) is marker


@given(angle=st.floats(-3.1, 3.1), size=st.floats(1e-3, 1e3))
def test_the_angle_of_an_axis_does_not_depend_on_its_length(angle: float, size: float):
    assert axis_angle("test", (size * math.cos(angle), size * math.sin(angle))) == pytest.approx(angle, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: body().point(1.0, math.nan), r"Marker on 'plate': at\[1\] must be finite, got nan"),
        (lambda: body().marker((1.0, 2.0, 3.0)), r"Marker on 'plate': at must be 2 numbers, got 3"),
        (lambda: body().marker((1.0, 2.0), math.inf), r"Marker on 'plate': angle must be finite, got inf"),
        (lambda: as_marker("Hook", "plate"), r"Hook: expected a Body, system.ground or a Marker, got 'plate'"),
        (lambda: as_marker("Hook", body(), at=3.0), r"Hook: at must be 2 numbers, got 3.0"),
        (lambda: coincident_markers("Hook", body(), body(), None), r"Hook: set at=\(x, y\)"),
        (lambda: axis_angle("Hook", (0.0, 0.0)), r"Hook: axis must have a direction, got a zero vector \(0.0, 0.0\)"),
    ],
    ids=["nan", "three numbers", "infinite angle", "a name", "a number", "no point", "no direction"],
)
def test_what_is_no_point_is_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        make()


# ---- in space


def brick(turned: Rotation, position: tuple[float, float, float] = (1.0, -2.0, 0.5)) -> cm.Body:
    return cm.Body("brick", 1.0, position=position, orientation=turned)


spots = st.tuples(lengths, lengths, lengths)
turnings = st.tuples(angles, angles, angles).map(lambda euler: Rotation.from_euler("XYZ", euler))


@given(position=spots, turned=turnings, point=spots, axes=turnings)
def test_a_spatial_marker_placed_from_global_axes_is_where_it_was_put(position, turned, point, axes):
    marker = as_marker("test", brick(turned, position), at=point, orientation=axes.as_matrix())
    assert marker.position == pytest.approx(point, abs=1e-13)
    np.testing.assert_allclose(marker.frame, axes.as_matrix(), rtol=0.0, atol=1e-13)


@given(turned=turnings, point=spots, axes=turnings)
def test_a_spatial_marker_moves_with_its_body(turned, point, axes):
    body = brick(Rotation.identity())
    marker = body.marker(point, orientation=axes)
    body.position, body.orientation = (3.0, 2.0, 1.0), turned
    np.testing.assert_allclose(marker.position, np.add(turned.apply(point), body.position), rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(marker.axes, axes.as_matrix(), rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(marker.frame, (turned * axes).as_matrix(), rtol=0.0, atol=1e-14)


@given(first=turnings, second=turnings, common=spots)
def test_spatial_markers_that_meet_are_at_one_place(first, second, common):
    for marker in coincident_markers("test", brick(first), brick(second), common):
        assert marker.position == pytest.approx(common, abs=1e-13)


def test_a_planar_marker_has_an_angle_a_spatial_one_an_orientation():
    with pytest.raises(cm.ModelError, match=r"Marker on 'brick': angle is for planar bodies"):
        brick(Rotation.identity()).marker((0.0, 0.0, 0.0), angle=0.3)
    with pytest.raises(cm.ModelError, match=r"Marker on 'plate': orientation is for spatial bodies; use angle"):
        body().marker((0.0, 0.0), orientation=(1, 0, 0, 0))
    with pytest.raises(cm.ModelError, match=r"Marker on 'brick': at must be 3 numbers, got 2"):
        brick(Rotation.identity()).point(1.0, 2.0)
    with pytest.raises(cm.ModelError, match=r"Marker on 'brick': orientation must be a rotation matrix"):
        brick(Rotation.identity()).marker((0.0, 0.0, 0.0), orientation=2.0 * np.eye(3))
