"""Resistance of a contact to rolling and to spinning about its normal."""

from __future__ import annotations

import math

from carom.argument_checks import non_negative, positive
from carom.init_arguments import Sealed
from carom.kernels import jit, record

PARAMS = record("lever spin spinning")  # b [m], ω_s [rad/s], b_s [m]


@jit
def rolling_torque(p, omega):
    """Return the torque against rolling with ``omega`` [rad/s], divided by the normal force [m]."""
    return p.lever * math.tanh(omega / p.spin)


@jit
def spinning_torque(p, omega):
    """Return the torque against spinning about the normal with ``omega`` [rad/s], divided by the normal force [m]."""
    return p.spinning * math.tanh(omega / p.spin)


class Rolling(Sealed):
    """M = −N b tanh(|ω|/ω_s) ω/|ω|: the torque on a body that rolls with ω relative to the other one.

    ``lever`` b [m] is the distance of the normal force ahead of the contact point (the coefficient of rolling
    resistance times the radius). ω is the part of the relative angular velocity in the tangent plane. ``spinning`` b_s
    [m] is the lever of the torque N b_s against the rotation about the normal: 2/3 μ a for a contact spot of radius a
    with uniform pressure, 3π/16 μ a for a Hertzian one; with 0 this rotation is free. In 2D there is no such rotation.

    In a compliant run both torques decrease to zero below ``spin`` ω_s [rad/s], so that they are continuous at rest. In
    a non-smooth run they are set-valued there, and bodies come to rest: torque impulses are limited by the lever times
    the normal impulse, and ``spin`` is not used.

    References: K. L. Johnson, Contact Mechanics, Cambridge University Press (1985), §9.1; R. I. Leine, C. Glocker,
    A set-valued force law for spatial Coulomb–Contensou friction, European Journal of Mechanics A 22 (2003) 193–216.

    Examples
    --------
    >>> import carom as cm
    >>> cm.friction.Rolling(lever=1e-4, spinning=2e-5)
    Rolling(lever=0.0001, spin=0.01, spinning=2e-05)
    """

    change_advice = "build a new Rolling and assign it to the contact"

    def __init__(self, lever: float, spin: float = 1e-2, spinning: float = 0.0):
        self.lever = non_negative("Rolling", "lever", lever)
        self.spin = positive("Rolling", "spin", spin)
        self.spinning = non_negative("Rolling", "spinning", spinning)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Values of the kernel parameters, in the order of ``PARAMS``."""
        return tuple(getattr(self, name) for name in PARAMS)

    def keywords(self) -> dict[str, float]:
        """Return the constructor arguments of an equal rolling resistance."""
        return {"lever": self.lever, "spin": self.spin, "spinning": self.spinning}

    def __repr__(self) -> str:
        return f"Rolling(lever={self.lever:g}, spin={self.spin:g}, spinning={self.spinning:g})"
