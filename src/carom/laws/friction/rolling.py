"""Resistance to rolling: the normal force of a rolling body acts a little ahead of its contact point."""

from __future__ import annotations

from carom.errors import not_negative, positive
from carom.init_arguments import Sealed


class Rolling(Sealed):
    """M = −N b tanh(|ω|/ω_s) ω/|ω|: the torque on a body that rolls with ω relative to the other one.

    ``lever`` b [m] is how far the normal force acts ahead of the contact point (the coefficient of rolling resistance
    times the radius); ``spin`` ω_s [rad/s] below which the torque fades, so that rest is no jump. ω is the part of the
    relative angular velocity along the tangent plane; turning about the normal is free.

    Reference: K. L. Johnson, Contact Mechanics, Cambridge University Press (1985), §9.1.
    """

    instead = "build a new Rolling and assign it to the contact"

    def __init__(self, lever: float, spin: float = 1e-2):
        self.lever = not_negative("Rolling", "lever", lever)
        self.spin = positive("Rolling", "spin", spin)
        self.parameters = (self.lever, self.spin)

    def keywords(self) -> dict[str, float]:
        """The arguments that make this resistance again."""
        return {"lever": self.lever, "spin": self.spin}

    def __repr__(self) -> str:
        return f"Rolling(lever={self.lever:g}, spin={self.spin:g})"
