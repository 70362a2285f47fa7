"""Height map over a rectangular grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.geometry.surfaces.bspline import finite_array
from carom.geometry.surfaces.polynomial_patches import PatchSurface
from carom.typing import MatrixLike, VectorLike

ORDERS = (2, 3, 4, 5)


class HeightMap(PatchSurface):
    """Height map ``z`` (len(x) × len(y)) over rising ``x`` and ``y`` [m], interpolated by splines of degree ``order``.

    The splines are not-a-knot at the borders; u = x and v = y. The solid is below and the normal points up; with
    ``inside`` the reverse.

    Examples
    --------
    >>> import carom as cm
    >>> import numpy as np
    >>> x = np.linspace(-0.1, 0.1, 5)
    >>> surface = cm.surfaces.HeightMap(x, x, np.add.outer(x**2, x**2))
    >>> surface.point(0.05, 0.0).round(6).tolist()
    [0.05, 0.0, 0.0025]
    """

    def __init__(self, x: VectorLike, y: VectorLike, z: MatrixLike, order: int = 3, *, inside: bool = False):
        from scipy.interpolate import make_interp_spline

        owner = f"{self.label} surface"
        if not isinstance(order, (int, np.integer)) or order not in ORDERS:
            raise ModelError(f"{owner}: order must be 2, 3, 4 or 5, got {short_repr(order)}")
        self.order, self.inside = int(order), inside
        self.x, self.y = (_rising(owner, what, axis, self.order) for what, axis in (("x", x), ("y", y)))
        self.z = finite_array(owner, "z", z, 2)
        if self.z.shape != (len(self.x), len(self.y)):
            raise ModelError(
                f"{owner}: z must be len(x) × len(y) = {len(self.x)} × {len(self.y)} heights, got shape {self.z.shape}"
            )
        by_x = make_interp_spline(self.x, self.z, k=self.order)
        by_y = make_interp_spline(self.y, by_x.c.T, k=self.order)
        control = np.ascontiguousarray(by_y.c.T)[..., None]
        self._make(owner, control, (by_x.t, by_y.t), (self.order, self.order), (False, False))


def _rising(owner: str, what: str, value: Any, order: int) -> np.ndarray:
    axis = finite_array(owner, what, value, 1)
    if len(axis) <= order:
        raise ModelError(f"{owner}: {what} must have at least {order + 1} values for order {order}, got {len(axis)}")
    if np.any(np.diff(axis) <= 0.0):
        k = int(np.argmax(np.diff(axis) <= 0.0))
        raise ModelError(f"{owner}: {what} must rise, got {axis[k + 1]:g} after {axis[k]:g}")
    return axis
