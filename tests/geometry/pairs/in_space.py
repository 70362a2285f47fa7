"""Examples of the pairs of lines, boxes, curves in space and meshes, for the checker of pairs."""

from __future__ import annotations

import math

import numpy as np

import carom as cm
from carom.geometry.pairs.registry import CONVEX_KINDS, GENERAL_PAIRS
from carom.geometry.shapes import (
    Box,
    Cone,
    ConvexHull,
    Cylinder,
    Disc,
    Ellipsoid,
    Plane,
    Point,
    Rectangle,
    Segment,
    Shape,
    Sphere,
    Torus,
    Triangle,
)
from carom.geometry.shapes.curve import Curve
from carom.geometry.shapes.mesh import Mesh
from carom.geometry.shapes.surface import Surface

Rng = np.random.Generator

CAM_ANGLES = np.radians(15.0 * np.arange(24))
CAM_RADII = 0.04 + 0.012 * (0.5 * (1.0 - np.cos(CAM_ANGLES))) ** 2
CAM = np.column_stack([CAM_RADII * np.cos(CAM_ANGLES), CAM_RADII * np.sin(CAM_ANGLES)])
"""Points of the cam of the third example of the penalty library paper [m]."""

TURNS = np.linspace(0.0, 4.0 * math.pi, 40)
HELIX = np.column_stack([0.5 * np.cos(TURNS), 0.5 * np.sin(TURNS), 0.05 * TURNS])
RING = np.column_stack([0.6 * np.cos(TURNS[:19]), 0.4 * np.sin(TURNS[:19]), 0.2 * np.sin(2.0 * TURNS[:19])])

OCTAHEDRON = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], float)
OCTAHEDRON_FACES = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]


def star() -> tuple[np.ndarray, np.ndarray]:
    """A closed body with dents: an octahedron, each face parted in four twice, with some vertices pushed in."""
    vertices, faces = [tuple(v) for v in OCTAHEDRON], list(OCTAHEDRON_FACES)
    for _ in range(2):
        middles: dict[tuple[int, int], int] = {}
        parted = []
        for a, b, c in faces:
            ab, bc, ca = (middle(vertices, middles, *pair) for pair in ((a, b), (b, c), (c, a)))
            parted += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        faces = parted
    points = np.array(vertices)
    points /= np.linalg.norm(points, axis=1)[:, None]
    points *= np.where(np.arange(len(points)) % 3 == 0, 0.35, 0.5)[:, None]
    return points, np.array(faces)


def middle(vertices: list, known: dict[tuple[int, int], int], a: int, b: int) -> int:
    key = (min(a, b), max(a, b))
    if key not in known:
        known[key] = len(vertices)
        vertices.append(tuple(0.5 * (np.array(vertices[a]) + np.array(vertices[b]))))
    return known[key]


STAR = star()


def stick(rng: Rng, on: cm.Body, radius: float = 0.1) -> Segment:
    size = len(on.position)
    return Segment(on, rng.uniform(-0.6, 0.6, size), rng.uniform(-0.6, 0.6, size), radius)


def wall(rng: Rng, on: cm.Body) -> Plane:
    size = len(on.position)
    return Plane(on, rng.uniform(-0.4, 0.4, size), rng.normal(size=size))


def tilted(rng: Rng, on: cm.Body) -> Box:
    return Box(on, rng.uniform(0.1, 0.5, 3), rng.uniform(-0.3, 0.3, 3), rng.normal(size=4))


def plate(rng: Rng, on: cm.Body) -> Rectangle:
    u, v = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    return Rectangle(on, rng.uniform(-0.3, 0.3, 3), u, v, *rng.uniform(0.2, 0.6, 2))


def tin(rng: Rng, on: cm.Body, inside: bool = False) -> Cylinder:
    return Cylinder(on, rng.uniform(-0.3, 0.3, 3), rng.normal(size=3), *rng.uniform(0.2, 0.6, 2), inside=inside)


def three(rng: Rng, on: cm.Body) -> Triangle:
    return Triangle(on, *rng.uniform(-0.6, 0.6, (3, 3)))


def coin(rng: Rng, on: cm.Body) -> Disc:
    return Disc(on, rng.uniform(-0.3, 0.3, 3), rng.normal(size=3), rng.uniform(0.2, 0.6))


def bead(rng: Rng, on: cm.Body) -> Sphere:
    return Sphere(on, rng.uniform(0.1, 0.3), rng.uniform(-0.2, 0.2, len(on.position)))


def funnel(rng: Rng, on: cm.Body) -> Cone:
    end_radius = rng.choice([0.0, 0.3])
    return Cone(on, rng.uniform(-0.3, 0.3, 3), rng.normal(size=3), *rng.uniform(0.2, 0.6, 2), end_radius=end_radius)


def pebble(rng: Rng, on: cm.Body) -> Ellipsoid:
    return Ellipsoid(on, rng.uniform(0.2, 0.6, 3), rng.uniform(-0.3, 0.3, 3), rng.normal(size=4))


def stone(rng: Rng, on: cm.Body) -> ConvexHull:
    points = rng.uniform(-0.5, 0.5, (int(rng.integers(4, 40)), 3))
    return ConvexHull(on, points, rng.uniform(-0.2, 0.2, 3), rng.normal(size=4))


CONVEX = {
    "Sphere": bead, "Segment": stick, "Triangle": three, "Rectangle": plate, "Disc": coin, "Cylinder": tin,
    "Cone": funnel, "Box": tilted, "Ellipsoid": pebble, "ConvexHull": stone,
}  # fmt: skip
"""Makers of convex shapes by kind."""
ELLIPSOID, EGG = cm.surfaces.Ellipsoid(0.3, 0.4, 0.5), cm.surfaces.Ellipsoid(0.3, 0.3, 0.2)
RING_SURFACE = cm.surfaces.Torus(0.5, 0.15)


def skin(rng: Rng, on: cm.Body, surface: cm.surfaces.ParametricSurface) -> Surface:
    return Surface(on, surface, rng.uniform(-0.3, 0.3, 3), rng.normal(size=4))


def ring(rng: Rng, on: cm.Body) -> Torus:
    return Torus(on, rng.uniform(-0.3, 0.3, 3), rng.normal(size=3), rng.uniform(0.4, 0.6), rng.uniform(0.1, 0.2))


def star_mesh(rng: Rng, on: cm.Body) -> Mesh:
    return Mesh(on, STAR)


def octahedron(rng: Rng, on: cm.Body) -> Mesh:
    return Mesh(on, (0.5 * OCTAHEDRON, OCTAHEDRON_FACES), rng.uniform(-0.3, 0.3, 3), rng.normal(size=4))


Pair = tuple[Shape, Shape]


def pair_of(first, second):
    def example(rng: Rng, a: cm.Body, b: cm.Body) -> Pair:
        return first(rng, a), second(rng, b)

    return example


IN_SPACE = {
    ("Segment", "Segment"): {
        "capsules": pair_of(stick, stick),
        "capsule and line": pair_of(stick, lambda rng, on: stick(rng, on, 0.0)),
    },
    ("Segment", "Plane"): {"capsule": pair_of(stick, wall), "line": pair_of(lambda rng, on: stick(rng, on, 0.0), wall)},
    ("Segment", "Triangle"): {"capsule": pair_of(stick, three)},
    ("Segment", "Rectangle"): {"capsule": pair_of(stick, plate)},
    ("Segment", "Cylinder"): {
        "solid": pair_of(stick, tin),
        "shell": pair_of(stick, lambda rng, on: tin(rng, on, True)),
    },
    ("Disc", "Plane"): {"coin": pair_of(coin, wall)},
    ("Torus", "Plane"): {"ring": pair_of(ring, wall)},
    ("Torus", "Torus"): {"rings": pair_of(ring, ring)},
    ("Torus", "Segment"): {"capsule": pair_of(ring, stick)},
    ("Torus", "Cylinder"): {"solid": pair_of(ring, tin)},
    ("Torus", "Cone"): {
        "solid": pair_of(ring, lambda rng, on: Cone(on, rng.uniform(-0.3, 0.3, 3), rng.normal(size=3), 0.4, 0.6)),
    },
    ("Torus", "Box"): {"box": pair_of(ring, tilted)},
    ("Torus", "Disc"): {"coin": pair_of(ring, coin)},
    ("Torus", "Rectangle"): {"plate": pair_of(ring, plate)},
    ("Torus", "Triangle"): {"triangle": pair_of(ring, three)},
    ("Torus", "Mesh"): {"star": pair_of(ring, star_mesh)},
    ("Torus", "Ellipsoid"): {"pebble": pair_of(ring, pebble)},
    ("Torus", "ConvexHull"): {"stone": pair_of(ring, stone)},
    ("Box", "Plane"): {"box": pair_of(tilted, wall)},
    ("Box", "Box"): {"boxes": pair_of(tilted, tilted)},
    ("Mesh", "Plane"): {"star": pair_of(star_mesh, wall)},
    ("Mesh", "Mesh"): {"octahedra": pair_of(octahedron, octahedron)},
    ("Mesh", "Box"): {
        "octahedron": pair_of(octahedron, lambda rng, on: Box(on, (0.3, 0.4, 0.5), rng.uniform(-0.3, 0.3, 3))),
    },
    ("Mesh", "ConvexHull"): {
        "octahedra": pair_of(
            octahedron, lambda rng, on: cm.ConvexHull(on, 0.5 * OCTAHEDRON, rng.uniform(-0.3, 0.3, 3))
        ),
    },
    ("Segment", "Mesh"): {"capsule": pair_of(stick, octahedron)},
    **{
        (kind, "Mesh"): {"octahedron": pair_of(CONVEX[kind], octahedron)}
        for kind in ("Cylinder", "Cone", "Disc", "Ellipsoid", "Rectangle", "Triangle")
    },
    ("Mesh", "Surface"): {
        "octahedron": pair_of(octahedron, lambda rng, on: skin(rng, on, ELLIPSOID)),
        "ring": pair_of(octahedron, lambda rng, on: skin(rng, on, RING_SURFACE)),
    },
    **{
        (kind, "Surface"): {"ellipsoid": pair_of(CONVEX[kind], lambda rng, on: skin(rng, on, ELLIPSOID))}
        for kind in ("Box", "ConvexHull", "Segment", "Triangle", "Rectangle", "Cylinder", "Cone", "Disc", "Ellipsoid")
    },
    ("Sphere", "Mesh"): {
        "star": pair_of(bead, star_mesh),
        "point": pair_of(lambda rng, on: Point(on), star_mesh),
    },
    ("Sphere", "Curve"): {
        "wire": pair_of(bead, lambda rng, on: Curve(on, HELIX)),
        "tube": pair_of(bead, lambda rng, on: Curve(on, RING, closed=True, radius=0.05)),
        "roller": pair_of(bead, lambda rng, on: Curve(on, 10.0 * CAM, closed=True)),
    },
    ("Sphere", "Surface"): {
        "ellipsoid": pair_of(bead, lambda rng, on: skin(rng, on, ELLIPSOID)),
        "torus": pair_of(bead, lambda rng, on: skin(rng, on, RING_SURFACE)),
        "point": pair_of(lambda rng, on: Point(on), lambda rng, on: skin(rng, on, ELLIPSOID)),
    },
    ("Surface", "Plane"): {
        "ellipsoid": pair_of(
            lambda rng, on: skin(rng, on, ELLIPSOID),
            lambda rng, on: Plane(on, rng.uniform(-0.3, 0.3, 3), rng.normal(size=3)),
        ),
    },
    ("Surface", "Surface"): {
        "ellipsoids": pair_of(lambda rng, on: skin(rng, on, ELLIPSOID), lambda rng, on: skin(rng, on, EGG)),
        "ball and ring": pair_of(lambda rng, on: skin(rng, on, EGG), lambda rng, on: skin(rng, on, RING_SURFACE)),
    },
}
assert set(CONVEX) == set(CONVEX_KINDS)
for one, other in GENERAL_PAIRS:
    makers = (CONVEX[one], wall if other == "Plane" else CONVEX[other])
    IN_SPACE.setdefault((one, other), {"convex": pair_of(*makers)})
"""Examples by the kinds of their shapes: name, and what makes the two shapes on two bodies from random numbers."""
