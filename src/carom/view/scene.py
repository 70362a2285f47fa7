"""A run as something to look at, for any renderer: what each body looks like, and where it is in every frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

GROUND = -1
"""Number of the body that does not move."""

INK, PAPER, FAINT = "ink", "paper", "faint"
"""Colours that depend on whether it is day or night; all others are "#rrggbb"."""


@dataclass(frozen=True, eq=False)
class Part:
    """Triangles fixed on a body: ``vertices`` (n, 3) [m] in its axes and ``faces`` (m, 3).

    A ``flat`` part belongs to a drawing and is not lit; a higher ``layer`` lies above a lower one. A ``one_sided`` part
    is seen from where its triangles run counterclockwise only: a wall does not hide what is before it.
    """

    body: int
    vertices: np.ndarray
    faces: np.ndarray
    colour: str
    opacity: float = 1.0
    flat: bool = False
    layer: float = 0.0
    one_sided: bool = False


@dataclass(frozen=True, eq=False)
class Balls:
    """Many balls: ``bodies`` (n,), centres ``at`` (n, 3) [m] in their axes, ``radius`` (n,) [m], a colour each."""

    bodies: np.ndarray
    at: np.ndarray
    radius: np.ndarray
    colours: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Strut:
    """Triangles between a point of body ``a`` and a point of body ``b``: a spring, a rod, a ligament.

    x of the ``vertices`` is how far along it they are, from 0 to 1; y how far across [m].
    """

    a: int
    at_a: np.ndarray
    b: int
    at_b: np.ndarray
    vertices: np.ndarray
    faces: np.ndarray
    colour: str
    layer: float = 0.0


@dataclass(frozen=True, eq=False)
class Trace:
    """The path (n, 3) [m] of a point of a body."""

    body: int
    points: np.ndarray
    colour: str


@dataclass(frozen=True, eq=False)
class Touches:
    """Contacts by name over the frames: ``points`` (f, c, 3) [m] and ``forces`` (f, c, 3) [N], as the first body feels.

    A frame shows the largest force since the last one, so that no impact is missed, and what is left of earlier ones.
    ``largest`` [N] is the largest of all.
    """

    names: tuple[str, ...]
    points: np.ndarray
    forces: np.ndarray
    largest: float


@dataclass(frozen=True, eq=False)
class Scene:
    """What is seen of a run.

    ``t`` (f,) are the times of the frames [s], ``poses`` (f, b, 7) positions [m] and quaternions (w, x, y, z) of the
    bodies. ``low`` and ``high`` are corners of the box in which everything happens, ``up`` the direction against
    gravity, ``size`` that of symbols [m].
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
    balls: list[Balls] = field(default_factory=list)
    struts: list[Strut] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    touches: Touches | None = None

    @property
    def diagonal(self) -> float:
        """Of the box [m]."""
        return float(np.linalg.norm(self.high - self.low)) or 1.0
