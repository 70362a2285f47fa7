"""Layout of spatial drawings."""

import numpy as np
import pytest

import carom as cm
from carom.scene.spatial_layout import SpatialLayout, up_direction
from carom.solve.drawing_builder import drawing_data


@pytest.fixture(scope="module")
def layout():
    """Return the layout of a pendulum beside a falling sphere on a spring."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="pendulum and sphere")
    bob = system.add(cm.Body("bob", 1.0, 0.01, position=(-1.0, 0.5, 1.0)))
    system.add(cm.Spherical(system.ground, bob, at=(-1.0, 0.0, 1.0)))
    sphere = system.add(cm.Body("sphere", 1.0, 0.01, position=(0.0, 0.0, 2.0)))
    system.add(cm.Contact(cm.Sphere(sphere, 0.3), cm.Plane(system.ground), cm.laws.Hertz(1e6)))
    system.add(cm.SpringDamper(system.ground.point(0.0, 0.0, 3.0), sphere, stiffness=10.0))
    result = cm.simulate(system, 0.2)
    return SpatialLayout(drawing_data(system), result)


def test_the_box_contains_bodies_shapes_and_joints_but_no_plane(layout):
    height = layout.result["sphere"].z.min() - 0.3
    assert layout.low == pytest.approx([-1.0, -0.3, min(height, layout.result["bob"].z.min())], abs=1e-3)
    assert layout.high == pytest.approx([0.3, max(0.3, layout.result["bob"].y.max()), 3.0], abs=1e-3)


def test_joints_are_rods_and_springs_are_two_body_links(layout):
    assert layout.rods == [("bob", (0.0, -0.5, 0.0))]
    assert [link.kind for link in layout.two_body_links] == ["SpringDamper"]
    assert layout.bodies_without_shape() == ["bob"]


def test_a_fixed_plane_covers_the_picture(layout):
    (plane,) = [shape for shape in layout.data.shapes if shape.is_plane]
    vertices, _ = layout.triangles(plane, layout.low, layout.high)
    assert np.all(vertices[:, :2].min(axis=0) < layout.low[:2])
    assert np.all(vertices[:, :2].max(axis=0) > layout.high[:2])
    assert np.allclose(vertices[:, 2], 0.0)


@pytest.mark.parametrize(
    ("dim", "gravity", "up"),
    [
        (2, (9.81, 0.0), (0, 1, 0)),
        (3, (0.0, 0.0, 0.0), (0, 0, 1)),
        (3, (0.0, 9.81, 1.0), (0, -1, 0)),
        (3, (), (0, 0, 1)),
    ],
)
def test_up_is_the_axis_against_gravity(dim, gravity, up):
    assert tuple(up_direction(dim, gravity)) == up
