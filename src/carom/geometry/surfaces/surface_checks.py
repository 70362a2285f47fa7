"""Checks of user-defined surfaces: regularity, closure at periodic ends and poles, and orientation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from carom.argument_checks import vector
from carom.errors import ModelError
from carom.geometry.surfaces.base import DEGENERATE, OPEN, PERIODIC, POLE, ParametricSurface
from carom.typing import PointLike

N_SAMPLES = 17
"""Number of samples along each parameter, with both ends."""

COINCIDENT_DISTANCE = 1e-9
"""Ratio to the size of the surface below which points of two ends coincide [-]."""

MAX_SEAM_KINK = 1e-4
"""Largest difference of the unit normals on both sides of a seam [-]."""

Evaluate = Callable[[Any, Any], np.ndarray]


class Sample:
    """Coarse sample of a surface: the records ``evaluate(u, v)`` on a grid of parameters."""

    def __init__(self, owner: str, surface: ParametricSurface, evaluate: Evaluate):
        self.owner, self.surface = owner, surface
        self.u = np.linspace(*surface.u_range, N_SAMPLES)
        self.v = np.linspace(*surface.v_range, N_SAMPLES)
        self.out = evaluate(self.u[:, None], self.v[None, :])
        bad = ~np.isfinite(self.out["point"]).all(axis=-1)
        if bad.any():
            raise ModelError(f"{owner}: the point is not finite at {self._parameters_text(bad)}")
        self.points = self.out["point"]
        self.normals = self.out["normal"]
        self.size = float(np.ptp(self.points.reshape(-1, 3), axis=0).max())
        if self.size == 0.0:
            raise ModelError(f"{owner}: all of it is one point, {_triple(self.points[0, 0])}")

    def _parameters_text(self, mask: Any) -> str:
        i, j = np.argwhere(mask)[0]
        return f"(u, v) = ({self.u[i]:.6g}, {self.v[j]:.6g})"

    def collapsed(self) -> tuple[list[bool], list[bool]]:
        """Return for both ends of u, and of v, whether the surface is a point there."""
        near = COINCIDENT_DISTANCE * self.size
        at_u = [bool(np.ptp(self.points[end], axis=0).max() <= near) for end in (0, -1)]
        at_v = [bool(np.ptp(self.points[:, end], axis=0).max() <= near) for end in (0, -1)]
        return at_u, at_v

    def check_ends(self) -> None:
        """Raise unless periodic ends join smoothly and poles are points with the other parameter periodic."""
        at_u, at_v = self.collapsed()
        surface = self.surface
        for what, other, ends, others, swap, flat in (
            ("u", "v", surface.u_ends, surface.v_ends, False, at_u),
            ("v", "u", surface.v_ends, surface.u_ends, True, at_v),
        ):
            points = self.points.swapaxes(0, 1) if swap else self.points
            normals = self.normals.swapaxes(0, 1) if swap else self.normals
            grid, other_grid = (self.v, self.u) if swap else (self.u, self.v)
            if ends[0] == PERIODIC:
                self._check_seam(what, other, grid, other_grid, points, normals)
            for end, end_type in zip((0, -1), ends, strict=True):
                if end_type != POLE:
                    continue
                if others[0] != PERIODIC:
                    pole = f"{what} = {grid[end]:.6g}"
                    raise ModelError(f"{self.owner}: {other} must be periodic for {pole} to be a pole")
                if not flat[end]:
                    k = int(np.argmax(np.linalg.norm(points[end] - points[end][0], axis=1)))
                    raise ModelError(
                        f"{self.owner}: {what} = {grid[end]:.6g} must be one point to be a pole, but is "
                        f"{_triple(points[end][0])} at {other} = {other_grid[0]:.6g} and {_triple(points[end][k])} at "
                        f"{other} = {other_grid[k]:.6g}"
                    )

    def _check_seam(self, what: str, other: str, grid: Any, other_grid: Any, points: Any, normals: Any) -> None:
        gaps = np.linalg.norm(points[0] - points[-1], axis=1)
        k = int(np.argmax(gaps))
        where = f"{what} = {grid[0]:.6g} and {grid[-1]:.6g}"
        if gaps[k] > COINCIDENT_DISTANCE * self.size:
            raise ModelError(
                f"{self.owner}: a periodic {what} must end where it starts, but {where} are {gaps[k]:.3g} m apart at "
                f"{other} = {other_grid[k]:.6g}: {_triple(points[0][k])} and {_triple(points[-1][k])}"
            )
        turns = np.linalg.norm(normals[0] - normals[-1], axis=1)[1:-1]
        k = int(np.argmax(turns)) + 1
        if turns[k - 1] > MAX_SEAM_KINK:
            raise ModelError(
                f"{self.owner}: a periodic {what} must have no kink where it closes, but the normals at {where} are "
                f"{_triple(normals[0][k])} and {_triple(normals[-1][k])} at {other} = {other_grid[k]:.6g}"
            )

    def check_regular(self) -> None:
        """Raise unless the tangents span a plane at all samples between the ends."""
        t_u, t_v = self.out["point_u"], self.out["point_v"]
        area = np.linalg.norm(np.cross(t_u, t_v), axis=-1)
        largest = np.linalg.norm(t_u, axis=-1).max() * np.linalg.norm(t_v, axis=-1).max()
        flat = ~(area > DEGENERATE * largest)
        flat[[0, -1]] = flat[:, [0, -1]] = False
        if flat.any():
            i, j = np.argwhere(flat)[0]
            raise ModelError(
                f"{self.owner}: the tangents {_triple(t_u[i, j])} by u and {_triple(t_v[i, j])} by v span no plane at "
                f"{self._parameters_text(flat)}; choose parameters with independent tangents there"
            )

    def faces_away(self, point: PointLike) -> bool:
        """Return True if all normals point away from ``point``, False if all point towards it; raise otherwise."""
        origin = np.array(vector(self.owner, "outward_from", point, 3))
        away = np.einsum("uvk,uvk->uv", self.points - origin, self.normals)
        tolerance = COINCIDENT_DISTANCE * max(self.size, float(np.abs(self.points - origin).max()))
        if np.all(away >= -tolerance) and np.any(away > tolerance):
            return True
        if np.all(away <= tolerance) and np.any(away < -tolerance):
            return False
        wrong, right = self._parameters_text(away < -tolerance), self._parameters_text(away > tolerance)
        raise ModelError(
            f"{self.owner}: the normal points away from outward_from = {_triple(origin)} at {right} but towards it at "
            f"{wrong}; choose a point from which all of the surface is seen from one side"
            if np.any(away > tolerance)
            else f"{self.owner}: outward_from = {_triple(origin)} lies in the plane of the surface"
        )


def facing(sample: Sample, outward_from: PointLike | None) -> float:
    """Return 1.0, or −1.0 if the normal of the sample must be reversed to point away from ``outward_from``."""
    return 1.0 if outward_from is None or sample.faces_away(outward_from) else -1.0


def pole_ends(ends: tuple[str, str], flat: list[bool], other: tuple[str, str]) -> tuple[str, str]:
    """Return the end types with poles at open ends that are points, if the other parameter is periodic."""
    if other[0] != PERIODIC:
        return ends
    low, high = (POLE if end == OPEN and point else end for end, point in zip(ends, flat, strict=True))
    return low, high


def _triple(values: Any) -> str:
    return "(" + ", ".join(f"{float(value):.6g}" for value in values) + ")"
