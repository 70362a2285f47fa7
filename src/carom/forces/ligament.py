"""Ligament: a force that pulls when stretched and never pushes."""

from __future__ import annotations

import math
from typing import Literal

from carom.argument_checks import object_label, one_of, positive
from carom.forces.base import Force
from carom.forces.point_to_point import (
    LINE_OUTPUT,
    line_kinematics,
    line_params,
    spatial_line_kinematics,
    store_spatial_tension,
    store_tension,
)
from carom.geometry.drawing import Symbol
from carom.geometry.marker import AttachmentLike, as_marker
from carom.joints.spatial_markers import point_fields
from carom.kernels import FLOAT, FORCE, jit, kernel
from carom.mechanics import spatial_body
from carom.mechanics.planar_body import body_at

PLANAR_LIGAMENT, SPATIAL_LIGAMENT = line_params(
    stiffness=FLOAT,  # [N/m² or N/m]
    free_length=FLOAT,  # [m]
    order=FLOAT,  # 1 or 2
)


@jit
def tension_of(elongation, stiffness, order):
    """Return tension [N] and stored energy [J]."""
    if elongation <= 0.0:
        return 0.0, 0.0
    if order == 2.0:
        tension = stiffness * elongation * elongation
        return tension, tension * elongation / 3.0
    tension = stiffness * elongation
    return tension, 0.5 * tension * elongation


@jit
def store_output(output, energy, length, rate, tension):
    """Store energy, powers and signals."""
    output.potential = energy
    output.dissipated_power = 0.0
    output.applied_power = 0.0
    output.length = length
    output.rate = rate
    output.tension = tension


@kernel(FORCE, PLANAR_LIGAMENT, LINE_OUTPUT)
def planar(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a ligament in 2D."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    length, rate, ux, uy, ax, ay, bx, by = line_kinematics(a, b, params)
    tension, energy = tension_of(length - params.free_length, params.stiffness, params.order)
    store_tension(tension, ux, uy, ax, ay, bx, by, wrenches)
    store_output(output, energy, length, rate, tension)


@kernel(FORCE, SPATIAL_LIGAMENT, LINE_OUTPUT)
def spatial(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a ligament in 3D."""
    a = spatial_body.body_at(bodies, body_offsets[0])
    b = spatial_body.body_at(bodies, body_offsets[1])
    length, rate, u, sa, sb = spatial_line_kinematics(a, b, params)
    tension, energy = tension_of(length - params.free_length, params.stiffness, params.order)
    store_spatial_tension(tension, u, sa, sb, wrenches)
    store_output(output, energy, length, rate, tension)


class Ligament(Force):
    """Ligament: pulls with the tension stiffness Δ² or stiffness Δ for Δ = length − free_length > 0, else zero.

    ``order`` is "quadratic" (stiffness in N/m²) or "linear" (N/m). ``a`` and ``b`` are markers (insertion points) or
    bodies; ``free_length`` [m] defaults to the current length.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> system.add(cm.Ligament(system.ground.point(0.0, 0.1), rod, stiffness=1e5)).order
    'quadratic'
    """

    planar = planar
    spatial = spatial
    symbol = Symbol.LIGAMENT
    grips = (False, False)
    signals = ("length", "rate", "tension")
    units = ("m", "m/s", "N")

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        stiffness: float,
        free_length: float | None = None,
        order: Literal["quadratic", "linear"] = "quadratic",
        *,
        name: str | None = None,
    ):
        owner = object_label("Ligament", name)
        first, second = as_marker(owner, a), as_marker(owner, b)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        current_length = math.dist(first.position, second.position)
        self.stiffness = positive(self.label, "stiffness", stiffness)
        self.free_length = positive(self.label, "free_length", current_length if free_length is None else free_length)
        self.order = one_of(self.label, "order", order, ("quadratic", "linear"))
        power = 2.0 if self.order == "quadratic" else 1.0
        self.parameters = self.params_record.pack(
            **point_fields(first, second), stiffness=self.stiffness, free_length=self.free_length, order=power
        )
