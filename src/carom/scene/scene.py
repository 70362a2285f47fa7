"""Renderer-independent scene of a run: geometry of the bodies and their poses in each frame."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carom.short_form import ShortRepr

GROUND = -1
"""Index of the ground in place of a body."""

_OLD_NAMES = {"balls": "spheres", "struts": "two_body_parts", "touches": "contacts"}


@dataclass(frozen=True, eq=False, repr=False)
class Part(ShortRepr):
    """Triangles fixed on a body: ``vertices`` (n, 3) [m] in its axes and ``faces`` (m, 3).

    A ``flat`` part belongs to a planar drawing and is not shaded; a higher ``layer`` lies above a lower one. A
    ``one_sided`` part is visible only from the side on which its triangles run counterclockwise, so that a plane does
    not hide the bodies in front of it.
    """

    body: int
    vertices: np.ndarray
    faces: np.ndarray
    colour: str
    opacity: float = 1.0
    flat: bool = False
    layer: float = 0.0
    one_sided: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class SphereGroup(ShortRepr):
    """Spheres: ``bodies`` (n,), ``centres`` (n, 3) [m] in their axes, ``radii`` (n,) [m] and one colour each."""

    bodies: np.ndarray
    centres: np.ndarray
    radii: np.ndarray
    colours: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class TwoBodyPart(ShortRepr):
    """Triangles between a point of body ``a`` and a point of body ``b``: a spring, a massless rod, a ligament.

    x of the ``vertices`` is the fraction of the length, from 0 to 1; y and z are transverse [m].
    """

    a: int
    at_a: np.ndarray
    b: int
    at_b: np.ndarray
    vertices: np.ndarray
    faces: np.ndarray
    colour: str
    layer: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Trace(ShortRepr):
    """Path (n, 3) [m] of a point of a body."""

    body: int
    points: np.ndarray
    colour: str


@dataclass(frozen=True, eq=False, repr=False)
class ContactFrames(ShortRepr):
    """Contacts in each frame: ``points`` (f, c, 3) [m] and ``forces`` (f, c, 3) on the first body [N].

    A frame holds the largest force since the previous frame, so that no impact is missed, or the decayed force of an
    earlier impact. ``largest_force`` [N] is the maximum over all frames.
    """

    names: tuple[str, ...]
    points: np.ndarray
    forces: np.ndarray
    largest_force: float


@dataclass(frozen=True, eq=False, repr=False)
class Scene(ShortRepr):
    """Geometry, poses and contacts of a run.

    ``t`` (f,) are the times of the frames [s], ``poses`` (f, b, 7) positions [m] and quaternions (w, x, y, z) of the
    bodies. ``low`` and ``high`` are the corners of the box that contains the motion [m], ``up`` is the direction
    against gravity, ``size`` the size of symbols [m].

    Examples
    --------
    >>> import carom as cm
    >>> case = cm.gallery.falling_ball()
    >>> scene = cm.view.describe(case.run(), case.system, frames=10)
    >>> scene.poses.shape
    (10, 1, 7)
    """

    name: str
    dim: int
    bodies: tuple[str, ...]
    colours: tuple[str, ...]
    t: np.ndarray
    poses: np.ndarray
    low: np.ndarray
    high: np.ndarray
    up: np.ndarray
    size: float
    parts: list[Part] = field(default_factory=list)
    spheres: list[SphereGroup] = field(default_factory=list)
    two_body_parts: list[TwoBodyPart] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    contacts: ContactFrames | None = None

    @property
    def diagonal(self) -> float:
        """Diagonal of the box that contains the motion [m]."""
        return float(np.linalg.norm(self.high - self.low)) or 1.0

    def __getattr__(self, name: str) -> Any:
        if name in _OLD_NAMES:
            new = _OLD_NAMES[name]
            warnings.warn(f"Scene.{name} is now Scene.{new}", DeprecationWarning, stacklevel=2)
            return getattr(self, new)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
