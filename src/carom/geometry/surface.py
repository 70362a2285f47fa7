"""Freeform surfaces on bodies."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.geometry.lookup.table import LookupTable
from carom.geometry.rotation import matrix_of, rotation
from carom.geometry.shapes import Spatial
from carom.geometry.surfaces.base import NORMAL, OPEN, PERIODIC, POINT, POLE, SURFACE_OUT, ParametricSurface

# Numbers of a surface on a body: address of its kernel; bounds of u and v, what is at their ends; its size and the
# distance of the middles of its patches; addresses of its window (0: none) and of room to work in; patches along u and
# v and where they begin; where its parts and the surface's own numbers begin; whether its border does not push; where
# it is on the body and its axes there, row by row. A part: bounds of u and v. A patch: point, normal, and how far the
# surface gets from the point.
(
    KERNEL, U_LOW, U_HIGH, V_LOW, V_HIGH, U_LOW_END, U_HIGH_END, V_LOW_END, V_HIGH_END, SIZE, SPACING, WINDOW, ROOM,
    PATCHES_U, PATCHES_V, PATCHES_AT, PARTS_AT, OWN_AT, FACE_ONLY, AT,
) = range(20)  # fmt: skip
AXES = AT + 3
FIRST_PART = AXES + 9
PART, PATCH = 4, 7
REACH = 6
ENDS = (OPEN, PERIODIC, POLE)

PATCHES = 24
"""Along u and v, at least."""
MOST_PATCHES = 96
TURN = 0.35
"""Angle [rad] between the normals of patches side by side that asks for more of them."""
ROOM_HEAD = 2 * SURFACE_OUT + 12
"""Of the room: what two kernels give and a relative pose; then two numbers a patch."""


class Surface(Spatial):
    """A ``surface`` (one of `carom.surfaces`, a lookup table or the path of one) on ``body``.

    Its origin is at ``at`` [m], its axes are turned by ``orientation``. The solid is behind it. The border of an open
    surface pushes balls too, unless ``edge="face_only"``; other surfaces touch it on its face only.

    Two surfaces touch at one spot, where they are closest. With ``parts``, pieces (u_low, u_high, v_low, v_high) of the
    surface, each may touch at a spot of its own, such as the two condyles of a femur.
    """

    kind = "Surface"
    inside = False
    signed_radius = math.inf

    def __init__(
        self,
        body: Any,
        surface: Any,
        at: Any = (0.0, 0.0, 0.0),
        orientation: Any = (1.0, 0.0, 0.0, 0.0),
        parts: Any = (),
        edge: str = "push",
    ):
        super().__init__(body)
        if isinstance(surface, str | Path):
            surface = LookupTable(surface)
        if not isinstance(surface, ParametricSurface):
            raise ModelError(
                f"{self.label}: surface must be one of carom.surfaces or a lookup table, got {surface!r}"
            )
        self.surface = surface.own()
        self.at = self._spot("at", at)
        self.orientation = rotation(self.label, "orientation", orientation)
        self.face_only = self._edge(edge)
        self.parts = self._checked_parts(parts)
        self._patches, self.size, self.spacing = self._sampled()
        self._room = np.zeros(ROOM_HEAD + 2 * self._patches.shape[0] * self._patches.shape[1])

    @property
    def numbers(self) -> tuple[float, ...]:  # type: ignore[override]
        """As the kernels of its pairs read them; addresses are good as long as this shape lives."""
        surface, window = self.surface, getattr(self.surface, "window", None)
        rows, columns = self._patches.shape[:2]
        parts_at = FIRST_PART
        patches_at = parts_at + PART * max(len(self.parts), 1)
        ends = (ENDS.index(end) for end in (*surface.u_ends, *surface.v_ends))
        parts = self.parts or ((*surface.u_range, *surface.v_range),)
        return (
            float(surface.kernel.address), *surface.u_range, *surface.v_range, *map(float, ends), self.size,
            self.spacing, window.address if window is not None else 0.0, float(self._room.ctypes.data),
            float(rows), float(columns), float(patches_at), float(parts_at),
            float(patches_at + self._patches.size), self.face_only, *self.at,
            *matrix_of(self.orientation).ravel().tolist(), *(value for part in parts for value in part),
            *self._patches.ravel().tolist(), *map(float, surface.numbers),
        )  # fmt: skip

    @property
    def window(self) -> Any:
        """The window of a lookup table, None for all others."""
        return getattr(self.surface, "window", None)

    def points(self, rows: int = 25, columns: int = 25) -> np.ndarray:
        """A net of points [m] in the body's own axes, (rows, columns, 3)."""
        (u0, u1), (v0, v1) = self.surface.u_range, self.surface.v_range
        u, v = np.meshgrid(np.linspace(u0, u1, rows), np.linspace(v0, v1, columns), indexing="ij")
        return np.array(self.at) + self.surface.point(u, v) @ matrix_of(self.orientation).T

    def outline(self, n: int = 64) -> np.ndarray:
        """Points all over the surface."""
        side = max(math.isqrt(n - 1) + 1, 2)
        return self.points(side, side).reshape(-1, 3)[:n]

    def _checked_parts(self, parts: Any) -> tuple[tuple[float, ...], ...]:
        try:
            table = np.asarray(parts, float)
        except (TypeError, ValueError):
            table = np.zeros((1, 0))
        if table.size == 0 and table.shape != (1, 0):
            return ()
        if table.ndim != 2 or table.shape[1] != PART or not np.all(np.isfinite(table)):
            raise ModelError(f"{self.label}: parts must be rows (u_low, u_high, v_low, v_high), got {parts!r}")
        for low_u, high_u, low_v, high_v in table:
            (u0, u1), (v0, v1) = self.surface.u_range, self.surface.v_range
            if not (u0 <= low_u < high_u <= u1 and v0 <= low_v < high_v <= v1):
                raise ModelError(
                    f"{self.label}: a part must lie within u = {u0:g} … {u1:g}, v = {v0:g} … {v1:g}, got "
                    f"({low_u:g}, {high_u:g}, {low_v:g}, {high_v:g})"
                )
        return tuple(tuple(float(value) for value in row) for row in table)

    def _sampled(self) -> tuple[np.ndarray, float, float]:
        """Patches, size and spacing: more patches where the normal turns much."""
        count = PATCHES
        while True:
            middles, corners = self._net(count, 0.5), self._net(count + 1, 0.0)
            normal = middles[..., NORMAL : NORMAL + 3]
            along_u, along_v = normal[1:] * normal[:-1], normal[:, 1:] * normal[:, :-1]
            least = min(np.sum(along_u, axis=-1).min(), np.sum(along_v, axis=-1).min())
            if least > math.cos(TURN) or 2 * count > MOST_PATCHES:
                break
            count *= 2
        point = middles[..., POINT : POINT + 3]
        around = corners[..., POINT : POINT + 3]
        distances = [
            np.linalg.norm(around[a : count + a, b : count + b] - point, axis=-1) for a in (0, 1) for b in (0, 1)
        ]
        reach = 1.2 * np.max(distances, axis=0)
        size = float(np.linalg.norm(np.ptp(around.reshape(-1, 3), axis=0)))
        if not (math.isfinite(size) and size > 0.0):
            raise ModelError(f"{self.label}: the surface has no extent")
        return np.concatenate([point, normal, reach[..., None]], axis=-1), size, float(np.median(reach))

    def _net(self, count: int, shift: float) -> np.ndarray:
        (u0, u1), (v0, v1) = self.surface.u_range, self.surface.v_range
        steps = (np.arange(count) + shift) / (count if shift else count - 1)
        u, v = np.meshgrid(u0 + steps * (u1 - u0), v0 + steps * (v1 - v0), indexing="ij")
        return self.surface.evaluate(u, v)
