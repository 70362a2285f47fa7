"""Convex shapes as Python describes them to the kernels: core, axes, sizes and the tables of a polytope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carom.geometry.convex.support import CONVEX, POLYTOPE_HEAD

IDENTITY = np.eye(3)


@dataclass(frozen=True)
class ConvexShape:
    """Core of a convex shape in body axes and the ``radius`` [m] around it; see `carom.geometry.convex.support`.

    ``axes`` are the columns of a rotation matrix. ``polytope`` are the tables of a polytope, as numbers.
    """

    core: int
    at: Sequence[float]
    extent: float
    axes: np.ndarray = field(default_factory=lambda: IDENTITY)
    size: Sequence[float] = (0.0, 0.0, 0.0)
    radius: float = 0.0
    polytope: tuple[float, ...] = ()

    @property
    def n_vertices(self) -> int:
        """Number of vertices of a polytope."""
        return int(self.polytope[0])

    def numbers(self, polytope_offset: int) -> tuple[float, ...]:
        """Return the record of the shape (`CONVEX`), whose polytope begins ``polytope_offset`` numbers after it."""
        return CONVEX.pack(
            core=self.core,
            at=self.at,
            axes=np.asarray(self.axes).T.ravel(),
            size=self.size,
            radius=self.radius,
            extent=self.extent,
            polytope_offset=polytope_offset,
        )


def polytope_tables(vertices: np.ndarray, faces: Sequence[Sequence[int]], normals: np.ndarray) -> tuple[float, ...]:
    """Return the tables of a polytope as numbers (`POLYTOPE_HEAD` and what follows).

    ``faces`` are lists of vertices, counter-clockwise from outside; edges are their sides.
    """
    neighbours: list[set[int]] = [set() for _ in vertices]
    for face in faces:
        for i, j in zip(face, [*face[1:], face[0]], strict=True):
            neighbours[i].add(j)
            neighbours[j].add(i)
    lists = [sorted(neighbours[k]) for k in range(len(vertices))]
    first_neighbours = np.cumsum([0, *map(len, lists)])
    first_corners = np.cumsum([0, *map(len, faces)])
    corners = np.array([k for face in faces for k in face])
    face_of_corner = np.repeat(np.arange(len(faces)), [len(face) for face in faces])
    first_faces = np.cumsum([0, *np.bincount(corners, minlength=len(vertices))])
    blocks: list[Any] = [
        np.ravel(vertices), first_neighbours, [k for some in lists for k in some], first_corners, corners,
        np.ravel(normals), first_faces, face_of_corner[np.argsort(corners, kind="stable")],
    ]  # fmt: skip
    starts = POLYTOPE_HEAD.size + np.cumsum([0, *map(len, blocks)])
    head = POLYTOPE_HEAD.pack(
        n_vertices=len(vertices),
        n_faces=len(faces),
        first_neighbours=starts[1],
        neighbours=starts[2],
        first_corners=starts[3],
        corners=starts[4],
        normals=starts[5],
        first_faces=starts[6],
        faces=starts[7],
    )
    return (*head, *(float(number) for block in blocks for number in block))
