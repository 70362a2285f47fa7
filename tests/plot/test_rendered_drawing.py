"""Rendered pictures of spatial systems: what is where in them, what hides what, and what is faint."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.plot import plot_mechanism
from carom.plot.rendered_drawing import RenderedDrawing
from carom.plot.scene_renderer import SceneRenderer, can_render, missing_renderer
from carom.scene.scene_builder import describe

WIDTH, HEIGHT = 300, 200


def two_balls() -> tuple[cm.System, cm.Result]:
    """Return a large blue ball and a small orange one, which moves along x, without gravity."""
    system = cm.System(dim=3)
    large = system.add(cm.Body("large", 1.0, 0.1, position=(0.0, 0.0, 0.0)))
    small = system.add(cm.Body("small", 1.0, 0.1, position=(0.0, 3.0, 0.0), velocity=(1.0, 0.0, 0.0)))
    system.add(cm.Visual(cm.Sphere(large, radius=1.0), colour="#0000ff"))
    system.add(cm.Visual(cm.Sphere(small, radius=0.3), colour="#ff8800"))
    return system, cm.simulate(system, 1.0)


@pytest.fixture(scope="module")
def balls() -> tuple[cm.System, cm.Result]:
    return two_balls()


def pixel(renderer: SceneRenderer, point: np.ndarray) -> tuple[int, int]:
    """Return row and column of a point [m] by the geometry of a pinhole camera."""
    camera = renderer.camera
    u, v, depth = camera.axes @ (np.asarray(point, float) - camera.position)
    focal = 0.5 * HEIGHT / np.tan(np.radians(0.5 * camera.view_angle))
    return round(0.5 * HEIGHT - focal * v / -depth), round(0.5 * WIDTH + focal * u / -depth)


def is_blue(colour: np.ndarray) -> bool:
    return bool(colour[2] > 1.5 * colour[0])


def is_orange(colour: np.ndarray) -> bool:
    return bool(colour[0] > 1.5 * colour[2])


def test_bodies_are_where_the_camera_projects_them(balls):
    _, result = balls
    scene = describe(result, frames=3)
    renderer = SceneRenderer(scene, WIDTH, HEIGHT)
    for frame in (0, 2):
        picture = renderer.picture(frame)
        assert picture.shape == (HEIGHT, WIDTH, 4)
        assert is_blue(picture[pixel(renderer, scene.poses[frame, 0, :3])])
        assert is_orange(picture[pixel(renderer, scene.poses[frame, 1, :3])])
    renderer.close()


def test_the_nearer_body_hides_the_other_one(balls):
    # Drawn as whole objects by distance, a small ball in front of the centre of a large disc is hidden in half of all
    # positions; with a depth of every pixel it is visible wherever it is in front.
    system = cm.System(dim=3)
    disc = system.add(cm.Body("disc", 1.0, 0.1, position=(0.0, 0.0, 0.0)))
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, 0.0, 0.2)))
    system.add(cm.Visual(cm.Disc(disc, axis=(0.0, 0.0, 1.0), radius=1.0), colour="#0000ff"))
    system.add(cm.Visual(cm.Sphere(ball, radius=0.15), colour="#ff8800"))
    for x, y in ((0.0, 0.0), (0.4, 0.0), (-0.4, 0.0), (0.0, 0.4), (0.0, -0.4)):
        for side in (1.0, -1.0):
            ball.position = (x, y, 0.17 * side)
            scene = describe(cm.simulate(system, 1e-6), frames=2)
            renderer = SceneRenderer(scene, WIDTH, HEIGHT)
            seen = renderer.picture(0)[pixel(renderer, ball.position)]
            renderer.close()
            assert is_orange(seen) if side > 0.0 else is_blue(seen)


def test_the_camera_shows_all_that_moves(balls):
    _, result = balls
    renderer = SceneRenderer(describe(result, frames=5), WIDTH, HEIGHT)
    low, high = renderer.camera.low, renderer.camera.high
    renderer.close()
    np.testing.assert_allclose(low, (-1.0, -1.0, -1.0), atol=1e-6)
    np.testing.assert_allclose(high, (1.3, 3.3, 1.0), atol=1e-6)


def test_focus_fits_the_picture_to_one_body(balls):
    _, result = balls
    scene = describe(result, frames=2)
    renderer = SceneRenderer(scene, WIDTH, HEIGHT, frames=[0], focus=["small"])
    picture = renderer.picture(0)
    orange = (picture[:, :, 0] > 1.5 * picture[:, :, 2].astype(float)) & (picture[:, :, 3] > 0)
    renderer.close()
    rows = np.flatnonzero(orange.any(axis=1))
    assert np.ptp(rows) > 0.7 * HEIGHT


def test_earlier_poses_are_faint(balls):
    _, result = balls
    scene = describe(result, frames=3)

    def colour_at_the_end(ghosts):
        renderer = SceneRenderer(scene, WIDTH, HEIGHT, ghosts=ghosts)
        found = renderer.picture(0)[pixel(renderer, scene.poses[2, 1, :3])].astype(float)
        renderer.close()
        return found[0] - found[2]

    assert colour_at_the_end([2]) > colour_at_the_end([]) + 10.0
    assert colour_at_the_end([2]) < 120.0


def test_forces_and_points_are_optional():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, 0.0, 0.499)))
    system.add(cm.Contact(cm.Sphere(ball, 0.5), cm.Plane(system.ground), cm.laws.Hertz(1e6), name="floor"))
    scene = describe(cm.simulate(system, 0.01), frames=3)

    def red(**options):
        renderer = SceneRenderer(scene, WIDTH, HEIGHT, **options)
        picture = renderer.picture(2).astype(int)
        renderer.close()
        return np.count_nonzero((picture[:, :, 0] > 90) & (picture[:, :, 1] < 70) & (picture[:, :, 2] < 70))

    assert red(forces=False, points=False) == 0
    assert red() > red(forces=False) > 0


def test_the_floor_is_the_plane_of_the_ground_and_bodies_cast_shadows_on_it():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, 0.0, 1.5)))
    system.add(cm.Contact(cm.Sphere(ball, 0.5), cm.Plane(system.ground, at=(0.0, 0.0, 0.25)), cm.laws.Hertz(1e6)))
    scene = describe(cm.simulate(system, 1e-6), frames=2)
    renderer = SceneRenderer(scene, WIDTH, HEIGHT)
    assert renderer.floor is not None
    np.testing.assert_allclose(renderer.floor.corners[:, 2], 0.25)
    matrix = renderer.floor.shadow_matrix(np.array([0.0, 0.0, -1.0]))
    shadow = matrix @ (0.3, 0.4, 1.5, 1.0)
    np.testing.assert_allclose(shadow[:3], (0.3, 0.4, 0.25), atol=1e-3)
    assert renderer.floor.shadow_matrix(np.array([1.0, 0.0, 0.0])) is None
    renderer.close()


def test_a_drawing_states_the_spacing_of_its_grid(balls):
    system, result = balls
    figure = plot_mechanism(system, result)
    (axes,) = figure.axes
    assert len(axes.images) == 1
    assert [text.get_text() for text in axes.texts] == ["grid 500 mm"]


def test_times_outside_the_run_are_its_ends(balls):
    system, result = balls
    drawing = RenderedDrawing(system, result)
    figure = plot_mechanism(system, result, pose=99.0, ghosts=[])
    assert drawing.aspect > 0.0
    assert len(figure.axes[0].images) == 1


def test_without_pyvista_a_hint_says_what_to_install(monkeypatch, balls):
    import importlib.util

    missing_renderer.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.warns(cm.CaromWarning, match=r"to render them: pip install carom\[render\]"):
        assert not can_render()
    with pytest.warns(cm.CaromWarning):
        assert plot_mechanism(*balls).axes[0].name == "3d"
    missing_renderer.cache_clear()


def test_a_focus_that_is_no_body_or_in_the_plane_raises(balls):
    with pytest.raises(cm.ModelError, match=r"focus names no body 'ball'; choose from large, small"):
        plot_mechanism(*balls, focus=["ball"])
    case = cm.gallery.falling_ball()
    with pytest.raises(cm.ModelError, match="focus is for pictures in 3D"):
        plot_mechanism(case.system, case.run(t_end=0.1), focus=["ball"])
