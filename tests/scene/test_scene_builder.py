"""Scenes contain bodies at their positions and to scale."""

import numpy as np
import pytest

import carom as cm
from carom.scene.colours import INK
from carom.scene.scene import GROUND
from carom.scene.scene_builder import describe


def owned(scene, name):
    return [part for part in scene.parts if part.body == scene.bodies.index(name)]


def test_bars_reach_from_pin_to_pin(crank):
    scene = describe(crank)
    rod = owned(scene, "rod")
    width = max(np.ptp(part.vertices[:, 0]) for part in rod)
    assert width == pytest.approx(0.306, abs=0.3 * scene.size)  # a bar with round ends
    assert all(part.flat for part in scene.parts)


def test_supports_and_rails_of_a_planar_mechanism_are_hatched(crank):
    scene = describe(crank)
    ground = [part for part in scene.parts if part.body == GROUND]
    assert len(ground) >= 4  # a support with its hatch, a rail with its hatch
    rail = max(ground, key=lambda part: np.ptp(part.vertices[:, 0]))
    assert np.ptp(rail.vertices[:, 0]) > 0.4  # as long as slider and block move
    assert {part.colour for part in ground} <= {INK, "paper", "faint"}


def test_spheres_of_a_planar_body_are_discs_of_their_radius(crank):
    areas = [part for part in owned(describe(crank), "block") if part.opacity < 1.0]
    sizes = [np.ptp(part.vertices[:, 1]) for part in areas]
    assert any(size == pytest.approx(0.017, rel=1e-2) for size in sizes)


def test_the_box_contains_the_motion(crank, pile):
    for run in (crank, pile):
        scene = describe(run)
        positions = scene.poses[:, :, :3]
        assert np.all(positions >= scene.low - 1e-6)
        assert np.all(positions <= scene.high + 1e-6)
        assert np.isfinite(scene.poses).all()


def test_spheres_in_3d_are_spheres_and_a_floor_is_one_sided(pile):
    scene = describe(pile)
    (spheres,) = scene.spheres
    assert list(spheres.bodies) == [0, 1, 2]
    assert np.allclose(spheres.radii, 0.1)
    (floor,) = scene.parts
    assert floor.one_sided
    a, b, c = floor.vertices[floor.faces[0]]
    assert np.cross(b - a, c - a)[2] > 0.0  # seen from above
    assert np.array_equal(scene.up, (0.0, 0.0, 1.0))
    assert np.ptp(floor.vertices[:, 0]) > 0.8  # three spheres at a distance of 0.3 m


def test_springs_are_parts_between_points_of_two_bodies():
    result = cm.gallery.spring_pendulum().run(t_end=0.2)
    scene = describe(result, trace=["bob"])
    (spring,) = scene.two_body_parts
    assert (spring.a, spring.b) == (GROUND, 0)
    assert spring.vertices[:, 0].min() == pytest.approx(0.0, abs=0.05)
    assert spring.vertices[:, 0].max() == pytest.approx(1.0, abs=0.05)
    (path,) = scene.traces
    assert np.allclose(path.points[0, :2], result["bob"].position[0], atol=1e-6)
    assert np.allclose(path.points[-1, :2], result["bob"].position[-1], atol=1e-6)


def test_a_saved_run_has_the_same_scene(crank, tmp_path):
    crank.save(tmp_path / "run.h5")
    scene, other = describe(crank), describe(cm.load(tmp_path / "run.h5"))
    assert len(scene.parts) == len(other.parts)
    for one, two in zip(scene.parts, other.parts, strict=True):
        assert np.array_equal(one.vertices, two.vertices)
        assert np.array_equal(one.faces, two.faces)
    assert np.array_equal(scene.poses, other.poses)


def test_a_run_without_drawing_data_shows_its_bodies():
    system = cm.GeneralizedSystem(
        q0=[1.0], u0=[0.0], mass=[[1.0]], force=[-9.81], bodies={"ball": lambda q: (0.0, q[0], 0.0)}
    )
    scene = describe(cm.simulate(system, t_end=0.1, method="nonsmooth", step=1e-3))
    assert [part.body for part in scene.parts] == [0]


def test_old_names_of_scene_fields_are_deprecated(pile):
    scene = describe(pile)
    with pytest.warns(DeprecationWarning, match="Scene.balls is now Scene.spheres"):
        assert scene.balls is scene.spheres
    with pytest.raises(AttributeError, match="'Scene' object has no attribute 'cubes'"):
        scene.cubes  # noqa: B018
