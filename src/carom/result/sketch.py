"""What a run needs for its pictures: shapes and joints as plain numbers, in the axes of their bodies."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

GROUND = "ground"
"""The body whose axes are the global ones."""

Numbers = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Skin:
    """A shape on a body, once for all contacts that use it.

    Parameters
    ----------
    body, kind : name of the body; what the shape is, e.g. "Sphere".
    at, radius : centre [m] and radius [m] of a sphere; ``at`` is a point of a plane; ``radius`` that about ``spots``.
    normal : of a plane, that has no end.
    inside : whether it holds another body inside.
    one_sided : whether the solid lies on one side (the right) of a ``line`` that ends.
    line : (n, 2) along the shape of a planar body.
    spots : (m, 2) points of a planar body; the shape lies within ``radius`` about them.
    vertices, faces : (n, 3) and (m, 3): triangles of a shape in space, but of spheres and planes.
    """

    body: str
    kind: str
    at: Numbers = ()
    radius: float = 0.0
    normal: Numbers = ()
    inside: bool = False
    one_sided: bool = False
    line: np.ndarray | None = None
    spots: np.ndarray | None = None
    vertices: np.ndarray | None = None
    faces: np.ndarray | None = None

    @property
    def wall(self) -> bool:
        """Whether it has no end."""
        return self.kind == "Plane"


@dataclass(frozen=True, eq=False)
class Link:
    """A joint or force between a point of body ``a`` and a point of body ``b``.

    Parameters
    ----------
    name, kind : of the element; e.g. "Revolute".
    a, b, at_a, at_b : names of the bodies, and the point of each in its own axes [m].
    axis : of a slide or a hinge in the axes of ``a``: an angle [rad] in the plane, a direction in space.
    sizes : radius of a pinion; length, width and play of a slider; radii of a bearing and its journal [m].
    corners : of a slider with play, in the axes of ``b``, round about [m].
    slot : (n, 2) points of a curve in the axes of ``a`` [m].
    """

    name: str
    kind: str
    a: str
    b: str
    at_a: Numbers
    at_b: Numbers
    axis: float | Numbers = 0.0
    sizes: Numbers = ()
    corners: tuple[Numbers, ...] = ()
    slot: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Sketch:
    """Shapes and links of a system, its direction of gravity, and what its elements are in words.

    ``words`` has a row for each joint, force and contact: name, kind, bodies, and its laws with their numbers.
    """

    dim: int
    gravity: Numbers
    skins: tuple[Skin, ...] = ()
    links: tuple[Link, ...] = ()
    words: tuple[tuple[str, str, str, str], ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """Dictionaries, tuples, numbers, texts and arrays; what is as it is by default is left out."""
        return {
            "dim": self.dim, "gravity": self.gravity, "words": self.words,
            "skins": [_plain(skin) for skin in self.skins], "links": [_plain(link) for link in self.links],
        }  # fmt: skip

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Sketch:
        """What `to_plain` was called on."""
        skins = tuple(Skin(**item) for item in plain["skins"])
        links = tuple(Link(**item) for item in plain["links"])
        return cls(plain["dim"], plain["gravity"], skins, links, plain["words"])


def _plain(item: Skin | Link) -> dict[str, Any]:
    given = {field.name: (getattr(item, field.name), field.default) for field in fields(item)}
    return {name: value for name, (value, usual) in given.items() if value is not usual and _differs(value, usual)}


def _differs(value: Any, usual: Any) -> bool:
    return isinstance(value, np.ndarray) or value != usual
