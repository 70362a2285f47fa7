"""Gear pair: the angles of two bodies, seen from their carrier, are in a fixed ratio."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError, number, vector
from carom.geometry.marker import body_of
from carom.joints.base import Joint
from carom.kernels import JOINT, kernel
from carom.mechanics.planar import ANGLE


@kernel(JOINT)
def planar(bodies, members, par, phi, jac, gamma):
    """(θ_b − θ_c) − ratio (θ_a − θ_c) − constant."""
    ratio = par[0]
    phi[0] = (
        bodies[members[1] + ANGLE]
        - ratio * bodies[members[0] + ANGLE]
        + (ratio - 1.0) * bodies[members[2] + ANGLE]
        - par[1]
    )
    for k in range(9):
        jac[k] = 0.0
    jac[2] = -ratio
    jac[5] = 1.0
    jac[8] = ratio - 1.0
    gamma[0] = 0.0


class Gear(Joint):
    """Gears on ``a`` and ``b``: (ω_b − ω_c) = ratio (ω_a − ω_c), from the angles they have now.

    Give ``ratio``, or ``teeth=(z_a, z_b)`` (numbers or pitch radii): ratio = −z_a/z_b, or +z_a/z_b with
    ``internal=True`` (one of them is a ring gear). ``carrier`` is the body that holds both shafts, the ground when
    None; with a moving carrier this is an epicyclic gear. The shafts themselves are joints of their own.
    Reaction: the torque of the mesh on ``b``.
    """

    rows = 1
    planar = planar

    def __init__(
        self,
        a: Any,
        b: Any,
        ratio: float | None = None,
        *,
        teeth: tuple[float, float] | None = None,
        internal: bool = False,
        carrier: Any = None,
        name: str | None = None,
    ):
        owner = f"Gear {name!r}" if name else "Gear"
        super().__init__(name, body_of(owner, a), body_of(owner, b), carrier)
        if (ratio is None) == (teeth is None):
            raise ModelError(f"{self.label}: give either ratio= or teeth=(z_a, z_b)")
        if teeth is not None:
            z_a, z_b = vector(self.label, "teeth", teeth, 2)
            if z_a <= 0.0 or z_b <= 0.0:
                raise ModelError(f"{self.label}: teeth must be positive, got {teeth}")
            ratio = z_a / z_b if internal else -z_a / z_b
        self.ratio = number(self.label, "ratio", ratio)
        if self.ratio == 0.0:
            raise ModelError(f"{self.label}: ratio must not be zero")
        c = 0.0 if carrier is None else carrier.angle
        self.parameters = (self.ratio, b.angle - self.ratio * a.angle + (self.ratio - 1.0) * c)
