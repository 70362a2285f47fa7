"""Freeform surfaces on bodies."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from carom.errors import ModelError, shown
from carom.geometry.lookup.table import LookupTable
from carom.geometry.lookup.window import let_go
from carom.geometry.rotation import matrix_of, rotation
from carom.geometry.shapes import Spatial
from carom.geometry.surfaces.base import NORMAL, OPEN, PERIODIC, POINT, POLE, SURFACE_OUT, ParametricSurface

# Numbers of a surface on a body: address of its kernel; bounds of u and v, what is at their ends; its size; addresses
# of its window (0: none) and of room to work in; where its nets of patches, its parts and its own numbers begin;
# whether its border does not push; where it is on the body and its axes there, row by row; then the parts: bounds of u
# and v each.
(
    KERNEL, U_LOW, U_HIGH, V_LOW, V_HIGH, U_LOW_END, U_HIGH_END, V_LOW_END, V_HIGH_END, SIZE, WINDOW, ROOM, FINE_AT,
    COARSE_AT, PARTS_AT, OWN_AT, FACE_ONLY, AT,
) = range(18)  # fmt: skip
AXES = AT + 3
FIRST_PART = AXES + 9
PART = 4
# A net: patches along u and v, the distance of their middles; then the patches. A patch: point, normal, and how far the
# surface gets from the point. A ball is searched for in the fine net, another surface in the coarse one.
ROWS, COLUMNS, SPACING, PATCHES = range(4)
PATCH, REACH = 7, 6
ENDS = (OPEN, PERIODIC, POLE)

FEWEST, MOST = 24, 96
"""Patches along u and v in a fine net."""
FEWEST_COARSE, MOST_COARSE = 16, 32
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
        surface: ParametricSurface | str | Path,
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
                f"{self.label}: surface must be one of carom.surfaces or a lookup table, got {shown(surface)}"
            )
        self.surface = surface.own()
        self.at = self._spot("at", at)
        self.orientation = rotation(self.label, "orientation", orientation)
        self.face_only = self._edge(edge)
        self.parts = self._checked_parts(parts)
        self._fine, self._coarse, self.size = self._nets()
        self._room = np.zeros(ROOM_HEAD + 2 * self._fine.size // PATCH)
        if self.window is not None:  # the nets were all over the table
            let_go(int(self.window.address))

    def keywords(self) -> dict[str, Any]:
        return {**super().keywords(), "surface": self.surface}

    @property
    def numbers(self) -> tuple[float, ...]:  # type: ignore[override]
        """As the kernels of its pairs read them; addresses are good as long as this shape lives."""
        surface, window = self.surface, self.window
        parts = self.parts or ((*surface.u_range, *surface.v_range),)
        fine_at = FIRST_PART + PART * len(parts)
        coarse_at = fine_at + self._fine.size
        return (
            float(surface.kernel.address), *surface.u_range, *surface.v_range,
            *(float(ENDS.index(end)) for end in (*surface.u_ends, *surface.v_ends)), self.size,
            window.address if window is not None else 0.0, float(self._room.ctypes.data), float(fine_at),
            float(coarse_at), float(FIRST_PART), float(coarse_at + self._coarse.size), self.face_only, *self.at,
            *matrix_of(self.orientation).ravel().tolist(), *(value for part in parts for value in part),
            *self._fine.tolist(), *self._coarse.tolist(), *map(float, surface.numbers),
        )  # fmt: skip

    @property
    def window(self) -> Any:
        """The window of a lookup table, None for all others."""
        return getattr(self.surface, "window", None)

    @property
    def reach(self) -> float:
        """How far the surface gets from the middle of a patch of a fine net [m], at most."""
        return float(self._fine[PATCHES:].reshape(-1, PATCH)[:, REACH].max())

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
        except (TypeError, ValueError, OverflowError):
            table = np.zeros((1, 0))
        if table.size == 0 and table.shape != (1, 0):
            return ()
        if table.ndim != 2 or table.shape[1] != PART or not np.all(np.isfinite(table)):
            raise ModelError(f"{self.label}: parts must be rows (u_low, u_high, v_low, v_high), got {shown(parts)}")
        for low_u, high_u, low_v, high_v in table:
            (u0, u1), (v0, v1) = self.surface.u_range, self.surface.v_range
            if not (u0 <= low_u < high_u <= u1 and v0 <= low_v < high_v <= v1):
                raise ModelError(
                    f"{self.label}: a part must lie within u = {u0:g} … {u1:g}, v = {v0:g} … {v1:g}, got "
                    f"({low_u:g}, {high_u:g}, {low_v:g}, {high_v:g})"
                )
        return tuple(tuple(float(value) for value in row) for row in table)

    def _nets(self) -> tuple[np.ndarray, np.ndarray, float]:
        """The fine and the coarse net, and the size: finer where the normal turns much."""
        count = FEWEST
        while count < MOST:
            normal = self._at(count, 0.5)[..., NORMAL : NORMAL + 3]
            along_u, along_v = normal[1:] * normal[:-1], normal[:, 1:] * normal[:, :-1]
            if min(np.sum(along_u, axis=-1).min(), np.sum(along_v, axis=-1).min()) > math.cos(TURN):
                break
            count *= 2
        corners = self._at(count + 1, 0.0)[..., POINT : POINT + 3].reshape(-1, 3)
        size = float(np.linalg.norm(np.ptp(corners, axis=0)))
        if not (math.isfinite(size) and size > 0.0):
            raise ModelError(f"{self.label}: the surface has no extent")
        coarse = FEWEST_COARSE if count == FEWEST else MOST_COARSE
        return self._net(count), self._net(coarse), size

    def _net(self, count: int) -> np.ndarray:
        """``count`` × ``count`` patches, as the kernels read them."""
        middles = self._at(count, 0.5)
        point, normal = middles[..., POINT : POINT + 3], middles[..., NORMAL : NORMAL + 3]
        around = self._at(count + 1, 0.0)[..., POINT : POINT + 3]
        corners = [around[a : count + a, b : count + b] for a in (0, 1) for b in (0, 1)]
        reach = 1.2 * np.max([np.linalg.norm(corner - point, axis=-1) for corner in corners], axis=0)
        patches = np.concatenate([point, normal, reach[..., None]], axis=-1)
        return np.concatenate([[count, count, np.median(reach)], patches.ravel()])

    def _at(self, count: int, shift: float) -> np.ndarray:
        """The surface at ``count`` × ``count`` places; with ``shift`` a half in the middles of so many patches."""
        (u0, u1), (v0, v1) = self.surface.u_range, self.surface.v_range
        steps = (np.arange(count) + shift) / (count if shift else count - 1)
        u, v = np.meshgrid(u0 + steps * (u1 - u0), v0 + steps * (v1 - v0), indexing="ij")
        return self.surface.evaluate(u, v)
