"""Torque on a body, or between two."""

from __future__ import annotations

from carom.argument_checks import finite_float, object_label, short_repr, unit_vector, vector
from carom.deprecation import deprecated_arguments
from carom.errors import ModelError
from carom.forces.base import Force
from carom.geometry.marker import body_of
from carom.geometry.pose import turned_by
from carom.joints.spatial_markers import VECTOR
from carom.kernels import FLOAT, FORCE, call_user, kernel, offset, record
from carom.kernels.user_functions import UserFunction
from carom.mechanics import spatial_body
from carom.mechanics.element_output import force_output, signals_of
from carom.mechanics.planar_body import body_at
from carom.mechanics.vector3 import angular_velocity, dot, load, rotated, scale, store, subtract
from carom.typing import BodyLike, ScalarFunction, VectorFunction, VectorLike

PLANAR_TORQUE = record("torque")
"""Constant torque [N m]."""

SPATIAL_TORQUE = record(
    torque=VECTOR,  # constant torque [N m]; its first number if it acts about an axis
    has_axis=FLOAT,  # 1: the torque acts about the axis
    axis=VECTOR,  # in axes of the reaction body [-]
)

PLANAR_OUTPUT = force_output("torque")
SPATIAL_OUTPUT = force_output("tx ty tz")


@kernel(FORCE, PLANAR_TORQUE, PLANAR_OUTPUT)
def planar(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a torque in 2D; the bodies are the reaction body and the driven one.

    ``body_offsets[2]`` is the address of the user's function.
    """
    torque = params.torque
    if body_offsets[2] != 0:
        call_user(body_offsets[2], t, bodies, params, signals_of(output))
        torque = output.torque
    for k in range(6):
        wrenches[k] = 0.0
    wrenches[2] = -torque
    wrenches[5] = torque
    reaction = body_at(bodies, body_offsets[0])
    driven = body_at(bodies, body_offsets[1])
    output.potential = 0.0
    output.dissipated_power = 0.0
    output.applied_power = torque * (driven.omega - reaction.omega)
    output.torque = torque


@kernel(FORCE, SPATIAL_TORQUE, SPATIAL_OUTPUT)
def spatial(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a torque in 3D; the bodies are the reaction body and the driven one.

    ``body_offsets[2]`` is the address of the user's function.
    """
    reaction = spatial_body.body_at(bodies, body_offsets[0])
    driven = spatial_body.body_at(bodies, body_offsets[1])
    signals = signals_of(output)
    torque = load(params.torque)
    if body_offsets[2] != 0:
        call_user(body_offsets[2], t, bodies, params, signals)
        torque = load(signals)
    if params.has_axis != 0.0:
        torque = scale(torque[0], rotated(reaction, params.axis))
    for k in range(12):
        wrenches[k] = 0.0
    store(offset(wrenches, 3), scale(-1.0, torque))
    store(offset(wrenches, 9), torque)
    output.potential = 0.0
    output.dissipated_power = 0.0
    output.applied_power = dot(torque, subtract(angular_velocity(driven), angular_velocity(reaction)))
    store(signals, torque)


class Torque(Force):
    """Torque [N m] on ``body``, with the opposite torque on ``reaction_body`` (default: the ground).

    ``torque`` is constant, a function of time ``f(t)``, or of time and state ``f(t, s)`` (see `PointForce`).

    In 3D it is a vector of three numbers in global axes; or one number about ``axis`` (global axes, current pose),
    which rotates with ``reaction_body``, as the shaft of a motor with its stator.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> system.add(cm.Torque(rod, lambda t, s: -0.1 * s.rod.omega, name="drag"))
    <Torque 'drag': rod>
    """

    planar = planar
    spatial = spatial
    styles = {"torque": (("t",), ("t", "state"))}
    signals: tuple[str, ...] = ("torque",)
    units: tuple[str, ...] = ("N m",)

    @deprecated_arguments(renamed={"reaction": "reaction_body"})
    def __init__(
        self,
        body: BodyLike,
        torque: float | VectorLike | ScalarFunction | VectorFunction,
        reaction_body: BodyLike | None = None,
        axis: VectorLike | None = None,
        *,
        name: str | None = None,
    ):
        super().__init__(name, reaction_body, body_of(object_label("Torque", name), body))
        self.torque = torque
        if self.in_space:
            self._set_spatial(reaction_body, axis)
            return
        if axis is not None:
            raise ModelError(
                f"{self.label}: axis requires spatial bodies, got {short_repr(axis)}; planar bodies rotate about z"
            )
        if callable(torque):
            self.function = UserFunction(self.label, torque, self.styles["torque"])
        else:
            self.torque = finite_float(self.label, "torque", torque)
        self.parameters = PLANAR_TORQUE.pack(torque=0.0 if callable(torque) else self.torque)

    def _set_spatial(self, reaction_body: BodyLike | None, axis: VectorLike | None) -> None:
        """Check the torque and set the parameters in 3D."""
        self.signals, self.units = ("tx", "ty", "tz"), ("N m",) * 3
        local_axis: tuple[float, ...] = (0.0, 0.0, 0.0)
        if axis is not None:
            local_axis = unit_vector(self.label, "axis", axis, 3)
            if reaction_body is not None:
                local_axis = turned_by(reaction_body, local_axis, back=True)
        size = 3 if axis is None else 1
        constant: tuple[float, ...] = (0.0, 0.0, 0.0)
        if callable(self.torque):
            self.function = UserFunction(self.label, self.torque, self.styles["torque"], outputs=size)
        elif axis is None:
            if not hasattr(self.torque, "__len__"):
                raise ModelError(
                    f"{self.label}: torque must have three numbers, or one with axis=(x, y, z), "
                    f"got {short_repr(self.torque)}"
                )
            self.torque = constant = vector(self.label, "torque", self.torque, 3)
        else:
            self.torque = finite_float(self.label, "torque", self.torque)
            constant = (self.torque, 0.0, 0.0)
        self.parameters = SPATIAL_TORQUE.pack(torque=constant, has_axis=float(axis is not None), axis=local_axis)
