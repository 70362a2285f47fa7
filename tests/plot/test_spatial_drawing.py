"""Drawings of spatial systems by Matplotlib, where they cannot be rendered."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d import art3d
from scipy.spatial.transform import Rotation

import carom as cm
from carom.plot import plot_mechanism, plot_overview
from carom.plot.spatial_drawing import GHOST_OPACITY, SpatialDrawing
from carom.plot.style import COLOURS

LAW = cm.laws.HuntCrossley(1e5, 0.8)


def falling() -> cm.System:
    """Return a box that falls and rotates, and a pendulum beside it."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="falling box")
    box = system.add(cm.Body("box", 1.0, (0.1, 0.2, 0.25), position=(0.5, 0.0, 2.0), angular_velocity=(1.0, 2.0, 3.0)))
    system.add(cm.Contact(cm.Box(box, (0.2, 0.3, 0.1)), cm.Plane(system.ground), LAW, name="floor"))
    bob = system.add(cm.Body("bob", 1.0, 0.01, position=(-1.0, 0.5, 1.0)))
    system.add(cm.Spherical(system.ground, bob, at=(-1.0, 0.0, 1.0), name="hook"))
    return system


class RecordedCollection(art3d.Poly3DCollection):
    """Collection that records its corners, which Matplotlib does not make public."""

    def __init__(self, corners: np.ndarray, **style: Any):
        super().__init__(corners, **style)
        self.corners = np.asarray(corners).reshape(-1, 3)


@pytest.fixture
def recorded(monkeypatch):
    monkeypatch.setattr(art3d, "Poly3DCollection", RecordedCollection)


@pytest.fixture(autouse=True)
def without_renderer(monkeypatch):
    monkeypatch.setattr("carom.plot.mechanism.can_render", lambda: False)


@pytest.fixture(scope="module")
def run() -> tuple[cm.System, cm.Result]:
    system = falling()
    return system, cm.simulate(system, 0.5)


def shapes(axes) -> list[np.ndarray]:
    """Return the corners of all polygons, one array per collection."""
    return [part.corners for part in axes.collections if isinstance(part, RecordedCollection)]


def test_a_spatial_system_is_drawn_without_a_warning(run):
    system, result = run
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".* deprecated")  # between other packages
        for figure in (plot_mechanism(system, result), plot_overview(system, result, "box.z", "bob.vx", trace=["bob"])):
            figure.draw_without_rendering()
    first, *panels = figure.get_axes()
    assert first.name == "3d"
    assert len(panels) == 3
    assert (first.get_xlabel(), first.get_ylabel(), first.get_zlabel()) == ("x [m]", "y [m]", "z [m]")


def test_shapes_are_drawn_at_the_poses_of_their_bodies(run, recorded):
    system, result = run
    axes = plot_mechanism(system, result, pose=0.3, ghosts=[]).get_axes()[0]
    box, plane = sorted(shapes(axes), key=len, reverse=True)
    now = result.sample([0.3])["box"]
    corners = now.position[0] + system["floor"].shapes[0].corners @ now.rotation[0].T
    for points, expected in ((box, corners), (corners, box)):
        nearest = np.linalg.norm(points[:, None] - expected[None], axis=2).min(axis=1)
        assert nearest.max() < 1e-12
    np.testing.assert_allclose(plane[:, 2], 0.0, atol=1e-12)


def test_joints_are_rods_and_bodies_without_a_shape_are_dots(run):
    system, result = run
    axes = plot_mechanism(system, result, pose=0.4, ghosts=[]).get_axes()[0]
    here = result.sample([0.4])["bob"].position[0]
    lines = [np.array(line.get_data_3d()).T for line in axes.lines]
    rod = next(line for line in lines if len(line) == 2)
    np.testing.assert_allclose(sorted(rod.tolist()), sorted([here.tolist(), [-1.0, 0.0, 1.0]]), atol=1e-9)
    dot = next(line for line in lines if len(line) == 1)
    np.testing.assert_allclose(dot[0], here, atol=1e-12)


def test_limits_contain_all_bodies_at_equal_scales(run):
    system, result = run
    axes = plot_mechanism(system, result, pose=0.0, ghosts=[0.25]).get_axes()[0]
    spans = [axes.get_xlim(), axes.get_ylim(), axes.get_zlim()]
    assert np.ptp(spans, axis=1) == pytest.approx([np.ptp(spans[0])] * 3)
    for name in ("box", "bob"):
        for axis, (low, high) in enumerate(spans):
            assert low < result[name].position[:, axis].min()
            assert high > result[name].position[:, axis].max()


def test_ghosts_are_faint_and_the_ground_is_drawn_once(run):
    system, result = run
    axes = Figure().add_subplot(projection="3d")
    SpatialDrawing(system, result).draw(axes, 0.0, ghosts=[0.1, 0.2])
    opacity = [part.get_facecolor()[0, 3] for part in axes.collections]
    assert sorted(opacity) == pytest.approx(sorted([0.18, 1.0, GHOST_OPACITY, GHOST_OPACITY]))


def test_a_traced_point_draws_its_path(run):
    system, result = run
    marker = system["box"].point(0.2, 0.0, 0.0)
    axes = plot_mechanism(system, result, ghosts=[], trace=[marker, "bob"]).get_axes()[0]
    paths = [np.array(line.get_data_3d()).T for line in axes.lines if len(line.get_data_3d()[0]) > 2]
    np.testing.assert_array_equal(paths[0], result["box"].point(0.2, 0.0, 0.0))
    np.testing.assert_array_equal(paths[1], result["bob"].position)


@pytest.mark.parametrize(("gravity", "up"), [((0, 0, -9.81), "z"), ((0, -9.81, 0), "y"), ((0, 9.81, 0), "y"),
                                             ((0, 0, 0), "z"), ((-9.81, 0, 1.0), "x")])  # fmt: skip
def test_gravity_determines_the_vertical_axis(gravity, up: str):
    system = cm.System(dim=3, gravity=gravity)
    ball = system.add(cm.Body("ball", 1.0, position=(0, 0, 1)))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground, (0, 0, -9.0)), LAW))
    axes = plot_mechanism(system, cm.simulate(system, 0.01), ghosts=[]).get_axes()[0]
    assert axes._vertical_axis == "xyz".index(up)


def test_a_plane_is_drawn_below_the_bodies(recorded):
    """The drawn rectangle of a tilted plane with a distant reference point lies below the bodies."""
    normal = Rotation.from_rotvec([0.3, 0.2, 0.0]).apply([0.0, 0.0, 1.0])
    system = cm.System(dim=3)
    ball = system.add(cm.Body("ball", 1.0, position=(5.0, 5.0, 5.0)))
    far = np.array([5.0, 5.0, 4.5]) + 100.0 * np.cross(normal, [1.0, 0.0, 0.0])
    system.add(cm.Contact(cm.Sphere(ball, 0.3), cm.Plane(system.ground, far, normal), LAW))
    axes = plot_mechanism(system, cm.simulate(system, 0.01), ghosts=[]).get_axes()[0]
    plane = min(shapes(axes), key=len)
    np.testing.assert_allclose((plane - far) @ normal, 0.0, atol=1e-12)
    assert np.linalg.norm(plane - [5.0, 5.0, 5.0], axis=1).max() < 1.5


def test_bodies_keep_their_colours(run):
    system, result = run
    axes = plot_mechanism(system, result, ghosts=[]).get_axes()[0]
    box = next(part for part in axes.collections if part.get_facecolor()[0, 3] == 1.0)
    colour = np.array(to_rgb(COLOURS[0]))
    shade = box.get_facecolor()[:, :3] @ colour / (colour @ colour)
    np.testing.assert_allclose(box.get_facecolor()[:, :3], np.outer(shade, colour), atol=1e-12)
    assert 0.5 < shade.min() < shade.max() <= 1.0
