"""Geoms of MuJoCo documents: shapes, and masses and inertia of bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.geometry.rotation import quaternion_of
from carom.geometry.shapes import Shape
from carom.geometry.shapes.registry import Box, Cylinder, Ellipsoid, Mesh, Plane, Segment, Sphere
from carom.io.model.mjcf_document import MjcfDocument, rotation_to
from carom.io.model.mjcf_meshes import read_mesh

DENSITY = 1000.0
"""Default density [kg/m³]."""


@dataclass
class Geom:
    """Geom of a body: type, sizes and frame in the axes of the body, mass properties, and contact attributes."""

    name: str
    kind: str
    size: np.ndarray
    frame: np.ndarray
    mass: float
    inertia: np.ndarray
    attributes: dict[str, str]
    vertices: np.ndarray | None = None
    faces: np.ndarray | None = None

    def shape(self, body: Any, centre: np.ndarray) -> Shape:
        """Return the shape on a body, whose axes are those of the frame, with its centre of mass at ``centre``."""
        at, rotation = self.frame[:3, 3] - centre, self.frame[:3, :3]
        axis = rotation[:, 2]
        point = tuple(float(x) for x in at)
        if self.kind == "plane":
            return Plane(body, point, axis)
        if self.kind == "sphere":
            return Sphere(body, float(self.size[0]), point)
        if self.kind == "capsule":
            return Segment(body, at - self.size[1] * axis, at + self.size[1] * axis, radius=float(self.size[0]))
        if self.kind == "cylinder":
            return Cylinder(body, point, axis, radius=float(self.size[0]), half_length=float(self.size[1]))
        if self.kind == "box":
            return Box(body, self.size, point, quaternion_of(rotation))
        if self.kind == "ellipsoid":
            return Ellipsoid(body, self.size, at=point, orientation=quaternion_of(rotation))
        assert self.vertices is not None
        assert self.faces is not None
        return Mesh(body, vertices=self.vertices @ rotation.T + at, faces=self.faces)

    @property
    def colour(self) -> tuple[str | None, float | None]:
        """Colour and opacity; None where they are the default or it is invisible."""
        rgba = [float(x) for x in self.attributes.get("rgba", "0.5 0.5 0.5 1").split()]
        if len(rgba) != 4 or "rgba" not in self.attributes or not 0.0 < rgba[3] <= 1.0:
            return None, None
        red, green, blue = (round(255.0 * min(max(value, 0.0), 1.0)) for value in rgba[:3])
        return f"#{red:02x}{green:02x}{blue:02x}", None if rgba[3] == 1.0 else rgba[3]


SIZES = {"plane": 0, "sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3, "mesh": 0}
"""Numbers of the size of each type."""


def read_geom(document: MjcfDocument, attributes: dict[str, str], frame: np.ndarray) -> Geom | None:
    """Return a geom in the ``frame`` of its body; None, and a note, if its type is unknown."""
    kind = attributes.get("type", "mesh" if "mesh" in attributes and "type" not in attributes else "sphere")
    name = attributes.get("name", "")
    if kind not in SIZES:
        document.not_imported[f"geoms of type {kind}"] += 1
        return None
    size = document.numbers(attributes, "size", [])
    own = document.frame(attributes)
    if "fromto" in attributes and kind in ("capsule", "cylinder", "box", "ellipsoid"):
        ends = document.numbers(attributes, "fromto", [], 6).reshape(2, 3)
        half = 0.5 * float(np.linalg.norm(ends[1] - ends[0]))
        if not half > 0.0:
            raise ModelError(f"{document.owner}: fromto of geom {name!r} must be two different points")
        own = np.eye(4)
        own[:3, 3] = ends.mean(axis=0)
        own[:3, :3] = rotation_to((ends[0] - ends[1]) / (2.0 * half))
        thick = [size[0], size[-1] if size.size > 1 else size[0]] if kind in ("box", "ellipsoid") else [size[0]]
        size = np.array([*thick, half])
    count = SIZES[kind]
    if size.size < count or (count and not np.all(size[:count] > 0.0)):
        raise ModelError(f"{document.owner}: size of {kind} {name!r} must be {count} positive numbers, got {size}")
    geom = Geom(name, kind, size[:count], frame @ own, 0.0, np.zeros((3, 3)), attributes)
    volume, unit_inertia = _solid(document, geom)
    density = document.number(attributes, "density", DENSITY)
    geom.mass = document.number(attributes, "mass", density * volume)
    rotation = geom.frame[:3, :3]
    geom.inertia = geom.mass * rotation @ unit_inertia @ rotation.T
    return geom


def _solid(document: MjcfDocument, geom: Geom) -> tuple[float, np.ndarray]:
    """Return the volume [m³] of a geom and its inertia per mass about its centre, in its own axes [m²]."""
    size = geom.size
    if geom.kind == "plane":
        return 0.0, np.zeros((3, 3))
    if geom.kind == "mesh":
        return _mesh(document, geom)
    if geom.kind in ("sphere", "ellipsoid"):
        a, b, c = size if geom.kind == "ellipsoid" else np.repeat(size, 3)
        squares = 0.2 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        return 4.0 / 3.0 * math.pi * a * b * c, np.diag(squares)
    if geom.kind == "box":
        a, b, c = size
        return 8.0 * a * b * c, np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 3.0
    radius, half = size
    tube = 2.0 * math.pi * radius**2 * half
    across = 0.25 * radius**2 + half**2 / 3.0
    if geom.kind == "cylinder":
        return tube, np.diag([across, across, 0.5 * radius**2])
    ends = 4.0 / 3.0 * math.pi * radius**3
    volume = tube + ends
    across = (tube * across + ends * (0.4 * radius**2 + half**2 + 0.75 * radius * half)) / volume
    return volume, np.diag([across, across, (tube * 0.5 + ends * 0.4) * radius**2 / volume])


def _mesh(document: MjcfDocument, geom: Geom) -> tuple[float, np.ndarray]:
    """Set the triangles of a mesh; return its volume and its inertia per mass, and move the geom to its centre."""
    solid = read_mesh(document, geom.attributes.get("mesh", ""))
    geom.vertices, geom.faces = solid.vertices, solid.faces
    centre = geom.frame[:3, :3] @ solid.centre
    geom.attributes = {**geom.attributes, "centre": " ".join(repr(float(x)) for x in centre)}
    return solid.volume, solid.unit_inertia


def centre_of(geom: Geom) -> np.ndarray:
    """Return the centre of mass of a geom in the axes of its body [m]."""
    offset = geom.attributes.get("centre")
    return geom.frame[:3, 3] + (0.0 if offset is None else np.array([float(x) for x in offset.split()]))


def inertia_of(geoms: list[Geom]) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre and inertia about it of geoms together, in the axes of the body."""
    mass = sum(geom.mass for geom in geoms)
    if not mass > 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = sum(geom.mass * centre_of(geom) for geom in geoms) / mass
    total = np.zeros((3, 3))
    for geom in geoms:
        r = centre_of(geom) - centre
        total += geom.inertia + geom.mass * ((r @ r) * np.eye(3) - np.outer(r, r))
    return mass, np.asarray(centre), total
