"""Rolling resistance: the normal force on a rolling body acts slightly ahead of its contact point."""

from __future__ import annotations

import math

from carom.argument_checks import non_negative, positive
from carom.init_arguments import Sealed
from carom.kernels import jit, record

PARAMS = record("lever spin")  # b [m], ω_s [rad/s]


@jit
def rolling_torque(p, omega):
    """Return the torque against rolling with ``omega`` [rad/s], divided by the normal force [m]."""
    return p.lever * math.tanh(omega / p.spin)


class Rolling(Sealed):
    """M = −N b tanh(|ω|/ω_s) ω/|ω|: the torque on a body that rolls with ω relative to the other one.

    ``lever`` b [m] is the distance of the normal force ahead of the contact point (the coefficient of rolling
    resistance times the radius); below ``spin`` ω_s [rad/s] the torque decreases to zero, so that it is continuous at
    rest. ω is the part of the relative angular velocity in the tangent plane; rotation about the normal is free.

    Reference: K. L. Johnson, Contact Mechanics, Cambridge University Press (1985), §9.1.

    Examples
    --------
    >>> import carom as cm
    >>> cm.friction.Rolling(lever=1e-4).lever
    0.0001
    """

    change_advice = "build a new Rolling and assign it to the contact"

    def __init__(self, lever: float, spin: float = 1e-2):
        self.lever = non_negative("Rolling", "lever", lever)
        self.spin = positive("Rolling", "spin", spin)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Values of the kernel parameters, in the order of ``PARAMS``."""
        return tuple(getattr(self, name) for name in PARAMS)

    def keywords(self) -> dict[str, float]:
        """Return the constructor arguments of an equal rolling resistance."""
        return {"lever": self.lever, "spin": self.spin}

    def __repr__(self) -> str:
        return f"Rolling(lever={self.lever:g}, spin={self.spin:g})"
