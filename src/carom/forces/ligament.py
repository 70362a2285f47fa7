"""Ligament: pulls when stretched, never pushes."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import choice, named, positive
from carom.forces.base import Force
from carom.forces.line import pull, pull_in_space, stretch, stretch_in_space
from carom.geometry.marker import place
from carom.kernels import FORCE, jit, kernel


@jit
def tension_of(stretched, stiffness, order):
    """Tension and energy."""
    if stretched <= 0.0:
        return 0.0, 0.0
    if order == 2.0:
        tension = stiffness * stretched * stretched
        return tension, tension * stretched / 3.0
    tension = stiffness * stretched
    return tension, 0.5 * tension * stretched


@kernel(FORCE)
def planar(t, bodies, members, par, out):
    """par: points, stiffness, free length, order."""
    length, rate, ux, uy, ax, ay, bx, by = stretch(bodies, members[0], members[1], par)
    tension, energy = tension_of(length - par[5], par[4], par[6])
    pull(tension, ux, uy, ax, ay, bx, by, out)
    out[6] = energy
    out[7] = 0.0
    out[8] = 0.0
    out[9] = length
    out[10] = rate
    out[11] = tension


@kernel(FORCE)
def spatial(t, bodies, members, par, out):
    """par: points, stiffness, free length, order."""
    length, rate, u, sa, sb = stretch_in_space(bodies, members[0], members[1], par)
    tension, energy = tension_of(length - par[7], par[6], par[8])
    pull_in_space(tension, u, sa, sb, out)
    out[12] = energy
    out[13] = 0.0
    out[14] = 0.0
    out[15] = length
    out[16] = rate
    out[17] = tension


class Ligament(Force):
    """A cord that pulls only: tension = stiffness Δ² (``order="quadratic"``, stiffness in N/m²) or stiffness Δ
    (``"linear"``, N/m) with Δ = length − free_length > 0, else zero.

    ``a`` and ``b`` are markers (insertion points) or bodies; ``free_length`` [m] defaults to the present length.
    """

    planar = planar
    spatial = spatial
    grips = (False, False)
    signals = ("length", "rate", "tension")
    units = ("m", "m/s", "N")

    def __init__(
        self,
        a: Any,
        b: Any,
        stiffness: float,
        free_length: float | None = None,
        order: str = "quadratic",
        *,
        name: str | None = None,
    ):
        owner = named("Ligament", name)
        first, second = place(owner, a), place(owner, b)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        now = math.dist(first.position, second.position)
        self.stiffness = positive(self.label, "stiffness", stiffness)
        self.free_length = positive(self.label, "free_length", now if free_length is None else free_length)
        self.order = choice(self.label, "order", order, ("quadratic", "linear"))
        power = 2.0 if self.order == "quadratic" else 1.0
        self.parameters = (*first.at, *second.at, self.stiffness, self.free_length, power)
