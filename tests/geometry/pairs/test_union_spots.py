"""Unions that touch at several places, and meshes that are divided into convex parts."""

import numpy as np
import pytest

import carom as cm
from geometry.pairs.contacts import rock
from geometry.pairs.test_convex_mesh import STEP, prism

B = rock("b")


def body(*position: float) -> cm.Body:
    return cm.Body("body", 1.0, (1.0, 1.0, 1.0), position=position)


def test_a_peg_between_two_walls_touches_both():
    walls = cm.Union(*(cm.Box(B, (0.1, 1.0, 1.0), at=(x, 0.0, 0.0)) for x in (-0.6, 0.6)), spots=8)
    found = cm.closest(cm.Sphere(body(0.0, 0.1, 0.2), 0.5 + 1e-4), walls)
    assert sorted(float(spot.normal[0]) for spot in found.spots) == pytest.approx([-1.0, 1.0])
    assert [spot.gap for spot in found.spots] == pytest.approx([-1e-4, -1e-4])


def test_a_box_on_two_blocks_stands_on_the_corners_of_both():
    blocks = cm.Union(*(cm.Box(B, (0.5, 1.0, 0.5), at=(x, 0.0, -0.5)) for x in (-0.5, 0.5)), spots=16)
    found = cm.closest(cm.Box(body(0.05, 0.0, 0.3 - 1e-4), (0.4, 0.3, 0.3)), blocks)
    assert all(spot.normal == pytest.approx((0, 0, 1)) for spot in found.spots)
    x = [round(float(spot.point_a[0]), 6) for spot in found.spots]
    assert (min(x), max(x)) == (-0.35, 0.45)


def test_over_an_edge_of_two_shapes_the_closer_one_pushes():
    """A ball on the higher one of two blocks touches its top, not its edge or the lower block."""
    roof = cm.Union(
        cm.Box(B, (1.0, 1.0, 1.0), (-1.0, 0.0, -1.0)), cm.Box(B, (1.0, 1.0, 0.9), (1.0, 0.0, -1.0)), spots=4
    )
    found = cm.closest(cm.Sphere(body(-0.05, 0.0, 0.2 - 1e-4), 0.2), roof)
    touching = [spot for spot in found.spots if spot.gap < 0.0]
    assert len(touching) == 1
    assert touching[0].normal == pytest.approx((0, 0, 1))


def test_two_unions_need_spots():
    a = body(0.0, 0.0, 2.0)
    balls = [cm.Sphere(a, 0.1, at=(x, 0.0, 0.0)) for x in (-0.3, 0.3)]
    table = [cm.Box(B, (0.5, 1.0, 0.5), at=(x, 0.0, -0.5)) for x in (-0.5, 0.5)]
    with pytest.raises(cm.ModelError, match="two unions with spots"):
        cm.closest(cm.Union(*balls), cm.Union(*table, spots=8))
    found = cm.closest(cm.Union(*balls, spots=2), cm.Union(*table, spots=8))
    assert found.gap == pytest.approx(1.9)
    assert sorted(round(float(spot.point_a[0]), 9) for spot in found.spots) == [-0.3, 0.3]


def test_the_number_of_spots_is_checked():
    with pytest.raises(cm.ModelError, match="spots must be"):
        cm.Union(cm.Sphere(B, 0.1), cm.Sphere(B, 0.2), spots=17)


def test_a_divided_mesh_touches_as_its_parts():
    pytest.importorskip("coacd")
    step = cm.Mesh(B, prism(STEP, 1.0), decompose=True)
    assert len(step.parts) == 2
    found = cm.closest(cm.Box(body(0.3 - 2e-4, 0.0, 0.8 - 1e-4), (0.3, 0.3, 0.3)), step)
    normals = {tuple(int(x) for x in spot.normal.round(6)) for spot in found.spots if spot.gap < 0.0}
    assert normals == {(1, 0, 0), (0, 0, 1)}
    assert found.gap == pytest.approx(-2e-4, abs=2e-4)  # the parts approximate the mesh


def test_a_box_comes_to_rest_on_a_divided_mesh():
    pytest.importorskip("coacd")
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    step = cm.Mesh(system.ground, prism(STEP, 1.0), decompose=True)
    box = system.add(cm.Body("box", 1.0, (2e-3, 2e-3, 2e-3), position=(0.2, 0.0, 0.62)))
    system.add(cm.Contact(cm.Box(box, (0.05, 0.05, 0.1)), step, impact=cm.ImpactLaw(0.0, 0.5), name="floor"))
    result = cm.simulate(system, 0.5, method="nonsmooth", step=1e-3)
    assert result["box"].z[-1] == pytest.approx(0.6, abs=1e-6)
    assert np.linalg.norm(result["box"].velocity[-1]) < 1e-8


def test_an_open_mesh_is_not_divided():
    vertices, faces = prism(STEP, 1.0)
    with pytest.warns(cm.CaromWarning), pytest.raises(cm.ModelError, match="decompose=True needs a closed mesh"):
        cm.Mesh(B, (vertices, faces[:-1]), decompose=True)
