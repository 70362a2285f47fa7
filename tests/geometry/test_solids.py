"""Cylinders, cones, tori and boxes: what they are made of, how they are drawn, and what is refused."""

import math

import numpy as np
import pytest

import carom as cm
from carom.geometry.shapes import Box, Cone, Cylinder, Torus
from checkers import assert_close
from geometry.pairs.skins import search, skin
from quick import each

ROCK = cm.Body("rock", 1.0, (1.0, 1.0, 1.0), position=(1.0, 2.0, 3.0))
ROD = cm.Body("rod", 1.0, 1.0)
GROUND = cm.System(dim=3).ground
HALF = math.sqrt(0.5)
SOLIDS = {
    "cylinder": Cylinder(ROCK, (1, 2, 3), (1, 2, 2), 0.5, 2.0),
    "shell": Cylinder(ROCK, (1, 2, 3), (1, 2, 2), 0.5, 2.0, inside=True),
    "cone": Cone(ROCK, (1, 2, 3), (0, 0, 1), 0.5, 2.0),
    "frustum": Cone(ROCK, (1, 2, 3), (0, -1, 0), 0.5, 2.0, 0.8),
    "torus": Torus(ROCK, (1, 2, 3), (1, 2, 2), 0.5, 0.2),
    "box": Box(ROCK, (1, 2, 3), (1, 0, 0), (HALF, HALF, 0.0, 0.0)),
}


@each("name", SOLIDS)
@each("n", [2, 17, 100])
def test_outlines_lie_on_the_skin_and_close(name: str, n: int):
    points = SOLIDS[name].outline(n)
    assert points.shape == (n, 3)
    assert_close(points[0], points[-1], 1e-14, "closed")
    assert_close(search(skin(SOLIDS[name]), points).distance, np.zeros(n), 1e-7, "on the skin")


def test_outlines_reach_as_far_as_the_solid():
    cone = SOLIDS["frustum"].outline(500) - (1, 2, 3)
    assert cone.min(axis=0) == pytest.approx((-0.8, -2.0, -0.8), abs=1e-3)
    assert cone.max(axis=0) == pytest.approx((0.8, 2.0, 0.8), abs=1e-3)
    box = SOLIDS["box"].outline(2400) - (1, 0, 0)
    assert np.abs(box).max(axis=0) == pytest.approx((1.0, 3.0, 2.0), abs=1e-2)
    ring = SOLIDS["torus"].outline(50) - (1, 2, 3)
    assert np.linalg.norm(ring, axis=1) == pytest.approx(np.full(50, 0.7), abs=1e-15)


def test_the_corners_of_a_box_are_joined_by_edges():
    corners = SOLIDS["box"].corners
    assert len({tuple(np.round(corner, 9)) for corner in corners}) == 8
    steps = np.linalg.norm(np.diff(np.vstack([corners, corners[:1]]), axis=0), axis=1)
    assert sorted(set(np.round(steps, 12))) == [2.0, 4.0, 6.0]


def test_radii_for_hertz_are_negative_inside():
    assert SOLIDS["cylinder"].signed_radius == 0.5
    assert SOLIDS["shell"].signed_radius == -0.5
    assert SOLIDS["torus"].signed_radius == 0.2
    assert Torus(ROCK, (0, 0, 0), (0, 0, 1), 1.0, 0.2, inside=True).signed_radius == -0.2


def test_only_shells_are_thin():
    assert {name for name, solid in SOLIDS.items() if solid.thin} == {"shell"}


def test_the_ground_of_a_spatial_system_may_be_a_solid():
    assert Cylinder(GROUND, (0, 0, 0), (0, 0, 2), 0.5, 2.0).parameters[:9] == (0, 0, 0, 0, 0, 1, 0.5, 0.5, 2.0)


@each(
    "make, message",
    [
        (lambda: Cylinder(ROCK, (0, 0, 0), (0, 0, 1), 0.0, 1.0), r"Cylinder on 'rock': radius must be positive, got 0"),
        (lambda: Cylinder(ROCK, (0, 0, 0), (0, 0, 1), 1.0, 0.0), r"Cylinder on 'rock': half_length must be positive"),
        (
            lambda: Cylinder(ROCK, (0, 0, 0), (0, 0, 1), 1.0, 1.0, edges="both"),
            r"Cylinder on 'rock': edges must be one of 'contact', 'ignore', got 'both'",
        ),
        (
            lambda: Cylinder(ROD, (0, 0), (0, 0, 1), 1.0, 1.0),
            r"Cylinder on 'rod': needs a spatial body, got a planar one; planar bodies have Point, Sphere",
        ),
        (
            lambda: Cone(ROCK, (0, 0, 0), (0, 0, 1), -1.0, 1.0),
            r"Cone on 'rock': radius must be positive or zero, got -1",
        ),
        (lambda: Cone(ROCK, (0, 0, 0), (0, 0, 1), 0.0, 1.0), r"Cone on 'rock': radius and end_radius must not both be"),
        (lambda: Cone(ROD, (0, 0), (0, 0, 1), 1.0, 1.0), r"Cone on 'rod': needs a spatial body"),
        (
            lambda: Torus(ROCK, (0, 0, 0), (0, 0, 1), 1.0, 1.5),
            r"Torus on 'rock': tube_radius must not be larger than radius, got 1.5 > 1",
        ),
        (lambda: Torus(ROD, (0, 0), (0, 0, 1), 1.0, 0.5), r"Torus on 'rod': needs a spatial body"),
        (lambda: Box(ROCK, (1.0, 0.0, 1.0)), r"Box on 'rock': half\[1\] must be positive, got 0"),
        (lambda: Box(ROCK, 1.0), r"Box on 'rock': half must be 3 numbers, got 1.0"),
        (lambda: Box(ROCK, (1, 1, 1), orientation=(0, 0, 0, 0)), r"Box on 'rock': orientation must not be zero"),
        (lambda: Box(ROD, (1.0, 1.0, 1.0)), r"Box on 'rod': needs a spatial body"),
    ],
)
def test_what_is_no_solid_is_refused(make, message: str):
    with pytest.raises(cm.ModelError, match=message):
        make()


LONG = {"half_length": 0.3}


@pytest.mark.parametrize(
    ("kind", "more"),
    [(cm.Disc, {}), (cm.Cylinder, LONG), (cm.Cone, LONG), (cm.Torus, {"tube_radius": 0.1})],
)
def test_solids_of_revolution_stand_upright_on_their_body_unless_told(kind, more):
    body = cm.Body("rock", 1.0, 1.0, (0.0, 0.0, 0.0))
    sizes = {"radius": 0.2, **more}
    assert kind(body, **sizes).parameters == kind(body, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), *sizes.values()).parameters
    with pytest.raises(cm.ModelError, match="radius must be a number, got None"):
        kind(body)
