"""Spring, damper and actuator along a line."""

from __future__ import annotations

import math

from carom.argument_checks import finite_float, non_negative, object_label
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
from carom.kernels import FLOAT, FORCE, call_user, jit, kernel, offset
from carom.kernels.user_functions import UserFunction
from carom.mechanics import spatial_body
from carom.mechanics.element_output import signals_of
from carom.mechanics.planar_body import body_at
from carom.typing import ScalarFunction

PLANAR_SPRING, SPATIAL_SPRING = line_params(
    stiffness=FLOAT,  # [N/m]
    free_length=FLOAT,  # [m]
    damping=FLOAT,  # [N s/m]
    tension=FLOAT,  # constant part [N]
)


@jit
def spring_tension(t, bodies, user_kernel, params, length, rate, output):
    """Store energy, powers and signals; return the tension [N]."""
    applied = params.tension
    output.length = length
    output.rate = rate
    if user_kernel != 0:
        signals = signals_of(output)  # The function reads length and rate, and writes the tension behind them.
        call_user(user_kernel, t, bodies, signals, offset(signals, 2))
        applied = output.tension
    elongation = length - params.free_length
    tension = params.stiffness * elongation + params.damping * rate + applied
    output.potential = 0.5 * params.stiffness * elongation * elongation
    output.dissipated_power = params.damping * rate * rate
    output.applied_power = -applied * rate
    output.tension = tension
    return tension


@kernel(FORCE, PLANAR_SPRING, LINE_OUTPUT)
def planar(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a spring-damper in 2D; ``body_offsets[2]`` is the address of the user's characteristic."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    length, rate, ux, uy, ax, ay, bx, by = line_kinematics(a, b, params)
    tension = spring_tension(t, bodies, body_offsets[2], params, length, rate, output)
    store_tension(tension, ux, uy, ax, ay, bx, by, wrenches)


@kernel(FORCE, SPATIAL_SPRING, LINE_OUTPUT)
def spatial(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a spring-damper in 3D; ``body_offsets[2]`` is the address of the user's characteristic."""
    a = spatial_body.body_at(bodies, body_offsets[0])
    b = spatial_body.body_at(bodies, body_offsets[1])
    length, rate, u, sa, sb = spatial_line_kinematics(a, b, params)
    tension = spring_tension(t, bodies, body_offsets[2], params, length, rate, output)
    store_spatial_tension(tension, u, sa, sb, wrenches)


class SpringDamper(Force):
    """Spring, damper and actuator between a point of ``a`` and a point of ``b`` (markers, or centres of mass).

    tension = stiffness (length − free_length) + damping · rate + ``tension``, positive when it pulls the points
    together; ``free_length`` [m] defaults to the current length. ``tension`` [N] is a constant, or a function ``f(t)``,
    ``f(length, rate)``, or ``f(t, length, rate)``: an actuator, or a user-defined characteristic.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> spring = system.add(cm.SpringDamper(system.ground, rod, stiffness=200.0, damping=1.0))
    >>> spring.free_length
    0.5
    """

    planar = planar
    spatial = spatial
    symbol = Symbol.SPRING
    styles = {"tension": (("t",), ("length", "rate"), ("t", "length", "rate"))}
    grips = (False, False)
    signals = ("length", "rate", "tension")
    units = ("m", "m/s", "N")

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_length: float | None = None,
        tension: float | ScalarFunction = 0.0,
        *,
        name: str | None = None,
    ):
        owner = object_label("SpringDamper", name)
        first, second = as_marker(owner, a), as_marker(owner, b)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        current_length = math.dist(first.position, second.position)
        self.stiffness = non_negative(self.label, "stiffness", stiffness)
        self.damping = non_negative(self.label, "damping", damping)
        self.free_length = (
            current_length if free_length is None else non_negative(self.label, "free_length", free_length)
        )
        self.tension = tension
        if callable(tension):
            self.function = UserFunction(self.label, tension, self.styles["tension"], inputs=("length", "rate"))
        constant = 0.0 if callable(tension) else finite_float(self.label, "tension", tension)
        self.parameters = self.params_record.pack(
            **point_fields(first, second),
            stiffness=self.stiffness,
            free_length=self.free_length,
            damping=self.damping,
            tension=constant,
        )

    @property
    def line_stiffness(self) -> float:
        """Stiffness [N/m]."""
        return self.stiffness
