"""Freeform surfaces on bodies."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from carom.argument_checks import short_repr
from carom.deprecation import DeprecatedName
from carom.errors import ModelError
from carom.geometry.bounding_sphere import BoundingSphere, sphere_around
from carom.geometry.lookup.table import LookupTable
from carom.geometry.lookup.window import release_pages_of
from carom.geometry.pairs.base import POSE
from carom.geometry.rotation import matrix_of, rotation
from carom.geometry.shapes.base import SpatialShape, edges_renamed
from carom.geometry.surfaces.base import OPEN, PERIODIC, POLE, SURFACE_OUTPUT, ParametricSurface
from carom.geometry.tessellation import Triangles, grid_triangles
from carom.kernels import FLOAT, record
from carom.typing import BodyLike, EdgeContact, MatrixLike, OrientationLike, PointLike

SURFACE_SHAPE = record(
    kernel=FLOAT,  # address of the surface kernel
    u_low=FLOAT,  # ranges of u and v
    u_high=FLOAT,
    v_low=FLOAT,
    v_high=FLOAT,
    u_low_end=FLOAT,  # types of their ends: indices of `ENDS`
    u_high_end=FLOAT,
    v_low_end=FLOAT,
    v_high_end=FLOAT,
    size=FLOAT,  # diagonal of its bounding box [m]
    window=FLOAT,  # address of the window of a lookup table, 0.0 for other surfaces
    workspace=FLOAT,  # address of a `WORKSPACE`
    fine_net=FLOAT,  # where the nets, the parts and the parameters of the kernel begin, in numbers
    coarse_net=FLOAT,
    parts=FLOAT,
    params=FLOAT,
    ignores_edges=FLOAT,  # 1.0 if the border does not touch
    x=FLOAT,  # pose of the surface on the body: origin [m] and axes, as columns of a rotation matrix
    y=FLOAT,
    z=FLOAT,
    r11=FLOAT,
    r12=FLOAT,
    r13=FLOAT,
    r21=FLOAT,
    r22=FLOAT,
    r23=FLOAT,
    r31=FLOAT,
    r32=FLOAT,
    r33=FLOAT,
)
"""Head of the parameters of a surface on a body; then its parts, two nets of patches, the parameters of its kernel."""
PART = record("u_low u_high v_low v_high")
"""Ranges of u and v of a part of a surface."""
NET = record("n_u n_v spacing")
"""Patches along u and v, the distance of their middles [m]; then the patches. Spheres are searched in the fine net,
other surfaces in the coarse one."""
PATCH = record(
    point=(FLOAT, 3),  # middle [m]
    normal=(FLOAT, 3),  # unit normal there
    radius=FLOAT,  # radius of a sphere about the middle that contains the patch [m]
)
WORKSPACE = record(
    first=SURFACE_OUTPUT,  # output of the kernel of the first surface
    second=SURFACE_OUTPUT,  # output of the kernel of the second surface
    pose=POSE,  # pose of the first surface in the axes of the second
)
"""Head of the workspace of a surface; then two numbers per patch."""
ENDS = (OPEN, PERIODIC, POLE)

MIN_PATCHES, MAX_PATCHES = 24, 96
"""Patches along u and v in a fine net."""
MIN_COARSE_PATCHES, MAX_COARSE_PATCHES = 16, 32
"""Patches along u and v in a coarse net."""
MAX_TURN = 0.35
"""Angle [rad] between the normals of neighbouring patches above which the net is refined."""


class Surface(SpatialShape):
    """Parametric ``surface`` (one of `carom.surfaces`, a lookup table or its path) on ``body``.

    Its origin is at ``at`` [m], its axes are rotated by ``orientation``. The solid is behind it. The border of an open
    surface touches spheres too, unless ``edges="ignore"``; other surfaces touch it on its face only.

    It touches spheres, planes and other surfaces at up to eight separate places. With ``parts``, sub-ranges (u_low,
    u_high, v_low, v_high) of the surface, each part has one contact point, such as the two condyles of a femur.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 0.0, 1.0))
    >>> cm.Surface(ball, cm.surfaces.Ellipsoid(0.1, 0.1, 0.2)).at
    (0.0, 0.0, 0.0)
    """

    kind = "Surface"
    inside = False
    signed_radius = math.inf
    face_only = DeprecatedName("ignores_edges")

    @edges_renamed
    def __init__(
        self,
        body: BodyLike,
        surface: ParametricSurface | str | Path,
        at: PointLike = (0.0, 0.0, 0.0),
        orientation: OrientationLike = (1.0, 0.0, 0.0, 0.0),
        parts: MatrixLike = (),
        edges: EdgeContact = "contact",
    ):
        super().__init__(body)
        if isinstance(surface, str | Path):
            surface = LookupTable(surface)
        if not isinstance(surface, ParametricSurface):
            raise ModelError(
                f"{self.label}: surface must be one of carom.surfaces or a lookup table, got {short_repr(surface)}"
            )
        self.surface = surface.for_one_shape()
        self.at = self._point("at", at)
        self.orientation = rotation(self.label, "orientation", orientation)
        self.ignores_edges = self._set_edges(edges)
        self.parts = self._checked_parts(parts)
        self._fine, self._coarse, self.size = self._nets()
        self._workspace = np.zeros(WORKSPACE.size + 2 * self._fine.size // PATCH.size)
        if self.window is not None:  # the nets have read all of the table
            release_pages_of.call(int(self.window.address))

    def keywords(self) -> dict[str, Any]:
        """Return the arguments of the constructor."""
        return {**super().keywords(), "surface": self.surface}

    @property
    def parameters(self) -> tuple[float, ...]:  # type: ignore[override]
        """Parameters of its pair kernels (`SURFACE_SHAPE`); the addresses are valid while this shape lives."""
        surface, window = self.surface, self.window
        parts = self.parts or ((*surface.u_range, *surface.v_range),)
        parts_offset = SURFACE_SHAPE.size
        fine_net = parts_offset + PART.size * len(parts)
        coarse_net = fine_net + self._fine.size
        return (
            float(surface.kernel.address), *surface.u_range, *surface.v_range,
            *(float(ENDS.index(end)) for end in (*surface.u_ends, *surface.v_ends)), self.size,
            window.address if window is not None else 0.0, float(self._workspace.ctypes.data), float(fine_net),
            float(coarse_net), float(parts_offset), float(coarse_net + self._coarse.size), self.ignores_edges, *self.at,
            *matrix_of(self.orientation).ravel().tolist(), *(value for part in parts for value in part),
            *self._fine.tolist(), *self._coarse.tolist(), *map(float, surface.parameters),
        )  # fmt: skip

    @property
    def window(self) -> Any:
        """Window of a lookup table, None for other surfaces."""
        return getattr(self.surface, "window", None)

    @property
    def reach(self) -> float:
        """Largest distance of the surface from the middle of a patch of the fine net [m]."""
        return float(self._fine[NET.size :].view(PATCH.dtype)["radius"].max())

    def points(self, rows: int = 25, columns: int = 25) -> np.ndarray:
        """Return a net of points [m] in body axes, (rows, columns, 3)."""
        (u0, u1), (v0, v1) = self.surface.u_range, self.surface.v_range
        u, v = np.meshgrid(np.linspace(u0, u1, rows), np.linspace(v0, v1, columns), indexing="ij")
        return np.array(self.at) + self.surface.point(u, v) @ matrix_of(self.orientation).T

    def bounding_sphere(self) -> BoundingSphere | None:
        """Return a sphere that contains the shape."""
        return sphere_around(self.points().reshape(-1, 3), self.reach)

    def triangles(self, extent: float = 1.0) -> Triangles:
        """Return the triangles of the surface."""
        return grid_triangles(self.points())

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points distributed over the surface [m]."""
        side = max(math.isqrt(n - 1) + 1, 2)
        return self.points(side, side).reshape(-1, 3)[:n]

    def _checked_parts(self, parts: Any) -> tuple[tuple[float, ...], ...]:
        try:
            table = np.asarray(parts, float)
        except (TypeError, ValueError, OverflowError):
            table = np.zeros((1, 0))
        if table.size == 0 and table.shape != (1, 0):
            return ()
        if table.ndim != 2 or table.shape[1] != len(PART) or not np.all(np.isfinite(table)):
            raise ModelError(
                f"{self.label}: parts must be rows (u_low, u_high, v_low, v_high), got {short_repr(parts)}"
            )
        for low_u, high_u, low_v, high_v in table:
            (u0, u1), (v0, v1) = self.surface.u_range, self.surface.v_range
            if not (u0 <= low_u < high_u <= u1 and v0 <= low_v < high_v <= v1):
                raise ModelError(
                    f"{self.label}: a part must lie within u = {u0:g} … {u1:g}, v = {v0:g} … {v1:g}, got "
                    f"({low_u:g}, {high_u:g}, {low_v:g}, {high_v:g})"
                )
        return tuple(tuple(float(value) for value in row) for row in table)

    def _nets(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the fine and the coarse net, and the size [m]; the nets are finer where the normal turns much."""
        count = MIN_PATCHES
        while count < MAX_PATCHES:
            normal = self._evaluate_net(count, 0.5)["normal"]
            along_u, along_v = normal[1:] * normal[:-1], normal[:, 1:] * normal[:, :-1]
            if min(np.sum(along_u, axis=-1).min(), np.sum(along_v, axis=-1).min()) > math.cos(MAX_TURN):
                break
            count *= 2
        corners = self._evaluate_net(count + 1, 0.0)["point"].reshape(-1, 3)
        size = float(np.linalg.norm(np.ptp(corners, axis=0)))
        if not (math.isfinite(size) and size > 0.0):
            raise ModelError(f"{self.label}: the surface has no extent")
        coarse = MIN_COARSE_PATCHES if count == MIN_PATCHES else MAX_COARSE_PATCHES
        return self._net(count), self._net(coarse), size

    def _net(self, count: int) -> np.ndarray:
        """Return ``count`` × ``count`` patches as the kernels read them (`NET`, `PATCH`)."""
        middles = self._evaluate_net(count, 0.5)
        point, normal = middles["point"], middles["normal"]
        around = self._evaluate_net(count + 1, 0.0)["point"]
        corners = [around[a : count + a, b : count + b] for a in (0, 1) for b in (0, 1)]
        radius = 1.2 * np.max([np.linalg.norm(corner - point, axis=-1) for corner in corners], axis=0)
        patches = np.concatenate([point, normal, radius[..., None]], axis=-1)
        return np.concatenate([[count, count, np.median(radius)], patches.ravel()])

    def _evaluate_net(self, count: int, shift: float) -> np.ndarray:
        """Return the surface at ``count`` × ``count`` points; with ``shift`` = 0.5 in the middles of patches."""
        (u0, u1), (v0, v1) = self.surface.u_range, self.surface.v_range
        steps = (np.arange(count) + shift) / (count if shift else count - 1)
        u, v = np.meshgrid(u0 + steps * (u1 - u0), v0 + steps * (v1 - v0), indexing="ij")
        return self.surface.output(u, v)
