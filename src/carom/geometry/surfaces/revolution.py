"""Surfaces of revolution."""

from __future__ import annotations

import math

import numpy as np

from carom.errors import ModelError
from carom.geometry.planar_path import PATH, Path, curve_at
from carom.geometry.spline import Spline
from carom.geometry.surfaces.base import OPEN, POLE, ParametricSurface, checked_side, surface_kernel
from carom.geometry.surfaces.gradient_normal import store_gradient_normal, store_point
from carom.geometry.surfaces.parameter_range import FULL_TURN, ROUND, set_ranges
from carom.geometry.surfaces.surface_checks import Sample, facing
from carom.kernels import FLOAT, record
from carom.typing import MatrixLike, PointLike, RangeLike

PARAMS = record(
    side=FLOAT,  # 1.0 for the solid to the left of the profile, else −1.0
    profile=PATH,  # (r, z) [m]
)


@surface_kernel(PARAMS)
def revolution(params, u, v, out):
    """Evaluate a surface of revolution."""
    r, z, r1, z1, r2, z2, _, _ = curve_at(params.profile, u)
    c = math.cos(v)
    s = math.sin(v)
    store_point(out, (r * c, r * s, z), (r1 * c, r1 * s, z1), (-r * s, r * c, 0.0))
    store_gradient_normal(params.side, out, (z1 * c, z1 * s, -r1), (z2 * c, z2 * s, -r2), (-z1 * s, z1 * c, 0.0))


class Revolution(ParametricSurface):
    """Surface of revolution about z of a profile: a cubic spline through ``points`` (r, z) [m].

    u is the chord length along the profile [m], v in [0, 2π] the angle. A profile that begins or ends at r = 0 has a
    pole there, at a right angle to the axis; other ends are natural. A ``closed`` profile gives a ring. The normal
    points to the right of the profile's direction (outwards if it goes up); of a ring, and of a profile from pole to
    pole, always outwards; with ``outward_from`` away from that point. ``inside`` reverses it. ``u`` and ``v`` =
    (low, high) are sub-ranges.

    Examples
    --------
    >>> import carom as cm
    >>> bowl = cm.surfaces.Revolution([(0.0, 0.0), (0.06, 0.02), (0.1, 0.08)])
    >>> bowl.u_ends, bowl.v_ends
    (('pole', 'open'), ('periodic', 'periodic'))
    """

    kernel = revolution

    def __init__(
        self,
        points: MatrixLike,
        closed: bool = False,
        *,
        u: RangeLike | None = None,
        v: RangeLike | None = None,
        inside: bool = False,
        outward_from: PointLike | None = None,
    ):
        owner = f"{self.label} surface"
        spline = Spline(owner, points, closed)
        self.points, self.closed = np.array(points, dtype=float), spline.closed
        self.u, self.v, self.inside, self.outward_from = u, v, inside, outward_from
        rows = np.asarray(spline.spline(spline.knots))
        rows[: len(self.points)] = self.points
        r = rows[:, 0]
        if self.points[:, 0].min() < 0.0:
            k = int(np.argmin(self.points[:, 0]))
            raise ModelError(f"{owner}: points[{k}] must have r of zero or more, got {self.points[k, 0]:g}")
        poles = tuple(not closed and radius == 0.0 for radius in (r[0], r[-1]))
        self.profile = _profile(spline.knots, rows, poles) if any(poles) else spline
        self._check_axis(owner, poles)
        ends = ROUND if closed else tuple(POLE if pole else OPEN for pole in poles)
        set_ranges(self, owner, u, v, self.profile.span, (ends[0], ends[1]), FULL_TURN, ROUND)
        side = checked_side(owner, inside)
        turn = 1.0
        if (closed or all(poles)) and _area(self.profile) < 0.0:
            turn = -1.0
        self.parameters = (turn, *self.profile.parameters())
        if outward_from is not None:
            turn *= facing(Sample(owner, self, self.output), outward_from)
        self.parameters = (side * turn, *self.parameters[1:])

    def _check_axis(self, owner: str, poles: tuple[bool, ...]) -> None:
        """Raise if the profile touches the axis between its ends."""
        s = self.profile.samples(64, 8)
        r, z = self.profile.spline(s).T
        inner = np.ones(len(s), bool)
        inner[[0, -1]] = [not pole for pole in poles]
        if np.any(r[inner] <= 0.0):
            k = int(np.argmin(np.where(inner, r, np.inf)))
            raise ModelError(
                f"{owner}: the profile must have r > 0 except at a pole at its ends, got r = {r[k]:.6g} at "
                f"z = {z[k]:.6g}; add points there"
            )


def _profile(knots: np.ndarray, rows: np.ndarray, poles: tuple[bool, ...]) -> Path:
    """Return the spline (r, z) with poles: r is odd and z even about a pole, so r'' = 0 and z' = 0 there."""
    from scipy.interpolate import CubicSpline, PPoly

    end_slopes = tuple((1 if pole else 2, 0.0) for pole in poles)
    r = CubicSpline(knots, rows[:, 0], bc_type="natural")
    z = CubicSpline(knots, rows[:, 1], bc_type=end_slopes)
    return Path(PPoly(np.stack([r.c, z.c], axis=2), knots))


def _area(path: Path) -> float:
    """Return the area within the profile and the line from its end to its start [m²], positive if counterclockwise."""
    r, z = path.spline(path.samples(256)).T
    return 0.5 * float(np.sum(r * np.roll(z, -1) - np.roll(r, -1) * z))
