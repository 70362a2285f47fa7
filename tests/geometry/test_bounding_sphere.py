"""Bounding spheres contain the shapes; triangles for display lie on their surfaces."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import carom as cm
from carom.geometry.shapes import Shape
from carom.geometry.shapes.registry import SHAPES
from geometry.pairs.in_space import HELIX, OCTAHEDRON, RING, STAR
from geometry.pairs.skins import skin
from quick import each

PLANAR = ("Curve", "Polygon")
"""Kinds of shapes with a bounding sphere on planar bodies only."""
ROCK = cm.Body("rock", 1.0, (1.0, 1.0, 1.0), position=(0, 0, 0))
AT, AXIS = (0.3, -0.2, 0.5), (1.0, 2.0, -2.0)


def shapes() -> dict[str, Shape]:
    return {
        "Sphere": cm.Sphere(ROCK, 0.3, AT),
        "Segment": cm.Segment(ROCK, AT, (1.0, 0.4, 0.2), 0.1),
        "line": cm.Segment(ROCK, AT, (1.0, 0.4, 0.2)),
        "Triangle": cm.Triangle(ROCK, AT, (1.0, 0.4, 0.2), (0.1, -0.7, 0.1)),
        "Rectangle": cm.Rectangle(ROCK, AT, (0.0, 1.0, 1.0), (1.0, 0.0, 0.0), 0.3, 0.6),
        "Disc": cm.Disc(ROCK, AT, AXIS, 0.4),
        "Cylinder": cm.Cylinder(ROCK, AT, AXIS, 0.2, 0.5),
        "shell": cm.Cylinder(ROCK, AT, AXIS, 0.2, 0.5, inside=True),
        "Cone": cm.Cone(ROCK, AT, AXIS, 0.2, 0.5, 0.4),
        "tip": cm.Cone(ROCK, AT, AXIS, 0.3, 0.5),
        "Torus": cm.Torus(ROCK, AT, AXIS, 0.5, 0.2),
        "Box": cm.Box(ROCK, (0.2, 0.4, 0.1), AT, (0.4, 0.2, -0.7, 0.5)),
        "Ellipsoid": cm.Ellipsoid(ROCK, (0.2, 0.4, 0.1), AT, (0.4, 0.2, -0.7, 0.5)),
        "ConvexHull": cm.ConvexHull(ROCK, OCTAHEDRON * (0.2, 0.4, 0.1), AT, (0.4, 0.2, -0.7, 0.5)),
        "Mesh": cm.Mesh(ROCK, vertices=STAR[0], faces=STAR[1]),
        "Surface": cm.Surface(ROCK, cm.surfaces.Ellipsoid(0.2, 0.4, 0.3), AT, (0.4, 0.2, -0.7, 0.5)),
    }


@each("name", shapes())
def test_a_bounding_sphere_contains_the_whole_shape_and_little_more(name: str):
    shape = shapes()[name]
    bound = shape.bounding_sphere()
    assert bound is not None
    centre, radius = np.array(bound[0]), bound[1]
    if name == "Mesh":
        points = STAR[0]
    elif name == "Surface":
        points = shape.points(200, 200).reshape(-1, 3)
    else:
        u, v = np.random.default_rng(4).uniform(0.0, 1.0, (2, 4000))
        corners = np.array([(a, b) for a in (0.0, 0.5, 1.0) for b in (0.0, 0.5, 1.0)]).T
        u, v = np.append(u, corners[0]), np.append(v, corners[1])
        points = np.concatenate([patch.at(u, v).reshape(-1, 3) for patch in skin(shape)])
    far = np.linalg.norm(points - centre, axis=1).max()
    assert far <= radius * (1.0 + 1e-12)
    assert far > 0.75 * radius


def test_every_bounding_sphere_is_checked():
    bounded = {kind.kind for kind in SHAPES.values() if kind.bounding_sphere is not Shape.bounding_sphere}
    assert bounded == {*(shape.kind for shape in shapes().values()), *PLANAR}


@each("name", PLANAR)
def test_a_bounding_sphere_contains_a_planar_outline_and_little_more(name: str):
    """The smallest circle around an ellipse has its long half axis as radius."""
    disc = cm.Body("disc", 1.0, 1.0)
    angles = np.linspace(0.0, 2.0 * math.pi, 40, endpoint=False)
    points = np.stack([0.4 * np.cos(angles) + 0.1, 0.2 * np.sin(angles)], axis=1)
    shape = cm.Polygon(disc, points) if name == "Polygon" else cm.Curve(disc, points, closed=True)
    centre, radius = shape.bounding_sphere()
    assert radius == pytest.approx(0.4, rel=1e-3)
    distances = np.linalg.norm(shape.outline(400) - centre[:2], axis=1)
    assert distances.max() <= radius * (1.0 + 1e-9)


@pytest.mark.parametrize(
    "shape",
    [
        cm.Plane(ROCK),
        cm.Sphere(ROCK, 0.3, inside=True),
        cm.Torus(ROCK, AT, AXIS, 0.5, 0.2, inside=True),
        cm.Curve(ROCK, HELIX),
        cm.Union(cm.Sphere(ROCK, 0.1), cm.Sphere(ROCK, 0.1, AT)),
    ],
    ids=repr,
)
def test_infinite_shapes_cavities_and_unions_have_no_bounding_sphere(shape: Shape):
    """A cavity also touches bodies that have left it: no distance is large enough."""
    assert shape.bounding_sphere() is None


# ---- triangles


def more() -> dict[str, Shape]:
    return {
        **shapes(),
        "Plane": cm.Plane(ROCK, AT, AXIS),
        "cavity": cm.Sphere(ROCK, 0.3, AT, inside=True),
        "Union": cm.Union(cm.Sphere(ROCK, 0.1), cm.Box(ROCK, (0.2, 0.1, 0.1), AT)),
        "Curve": cm.Curve(ROCK, RING, closed=True, radius=0.05),
    }


@each("name", more())
def test_corners_of_triangles_lie_on_the_skin(name: str):
    """A point there touches: its gap is zero. A line is drawn thin, a union by its shapes, a curve as a tube."""
    shape = more()[name]
    vertices, faces = shape.triangles(2.0)
    assert vertices.shape[1] == faces.shape[1] == 3
    assert len(faces) > 0
    assert faces.min() == 0
    assert faces.max() == len(vertices) - 1
    assert np.isfinite(vertices).all()
    if name == "Union":
        return
    probe = cm.Body("probe", 1.0, position=(0, 0, 0))
    size = float(np.ptp(vertices, axis=0).max())
    gaps = []
    for vertex in vertices[:: max(len(vertices) // 60, 1)]:
        probe.position = vertex
        gaps.append(cm.closest(cm.Point(probe), shape).gap)
    bound = {"line": 2e-3, "Curve": 5e-3}.get(name, 1e-12)
    assert np.abs(gaps).max() < bound * size


def test_every_kind_of_a_skin_is_drawn():
    planar_only = {"Polygon"}
    assert {shape.kind for shape in SHAPES.values()} - planar_only == {shape.kind for shape in more().values()}


@each(
    "name, area",
    [
        ("Triangle", None),
        ("Rectangle", 4.0 * 0.3 * 0.6),
        ("Disc", math.pi * 0.4**2),
        ("Cylinder", 2.0 * math.pi * 0.2 * (1.0 + 0.2)),
        ("shell", 2.0 * math.pi * 0.2 * 1.0),
        ("Torus", 4.0 * math.pi**2 * 0.5 * 0.2),
        ("Box", 8.0 * (0.2 * 0.4 + 0.4 * 0.1 + 0.1 * 0.2)),
        ("Sphere", 4.0 * math.pi * 0.3**2),
        ("Segment", 4.0 * math.pi * 0.1**2 + 2.0 * math.pi * 0.1 * math.dist(AT, (1.0, 0.4, 0.2))),
        ("Plane", 4.0),
    ],
)
def test_triangles_cover_the_whole_skin_once(name: str, area: float | None):
    vertices, faces = more()[name].triangles(2.0)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    found = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    if area is None:
        one, other = np.subtract((1.0, 0.4, 0.2), AT), np.subtract((0.1, -0.7, 0.1), AT)
        area = 0.5 * float(np.linalg.norm(np.cross(one, other)))
    flat = name in ("Triangle", "Rectangle", "Box", "Plane")
    assert found == pytest.approx(area, rel=1e-12 if flat else 0.03)  # chords are shorter than arcs


def test_no_shape_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shape in more().values():
            shape.triangles()
