"""Prescribed motion that is an input of the system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carom.errors import ModelError
from carom.input_value import InputValue
from carom.joints.motion import Motion
from carom.mechanics.inputs import HELD_MOTION, held_motion


class InputMotion(Motion):
    """Motion f = u(t) of an input u with ``hold="linear"``: the velocity jumps where the input is set."""

    kernel = held_motion
    takes_inputs = True

    def __init__(self, value: InputValue):
        source = value.input
        if source.hold != "linear":
            raise ModelError(
                f"{source.label}: a motion by an input with hold={source.hold!r} would jump; use hold='linear', or "
                "the input as the speed of a ConstantSpeed"
            )
        if source.function is not None:
            raise ModelError(f"{source.label}: a function of time is the motion of a driver itself, without an input")
        self.input = self.value = value

    def parameters(self, current_value: float) -> Sequence[float]:
        """Return the parameters of the kernel, for a coordinate with the current value ``current_value``."""
        return held_parameters(self.value, 0.0)

    @property
    def shown(self) -> dict[str, Any]:
        """Attributes in its representation."""
        return {"value": self.value}


def held_parameters(value: InputValue, anchor: float) -> Sequence[float]:
    """Return the parameters of a motion that follows an input, at t = 0."""
    return HELD_MOTION.pack(
        anchor=anchor, factor=value.factor, offset=value.offset, start=value.input.initial, rate=0.0, since=0.0,
        until=0.0, integral=0.0,
    )  # fmt: skip


def input_of_speed(speed: Any, start: Any) -> InputValue | None:
    """Return the input that a speed follows, or None; raise for one that follows a function of time."""
    if isinstance(start, InputValue):
        raise ModelError(f"{start.input.label}: the start of a ConstantSpeed cannot follow an input")
    if not isinstance(speed, InputValue):
        return None
    if speed.input.function is not None:
        raise ModelError(f"{speed.input.label}: its function of time cannot be a speed; use a FunctionMotion instead")
    return speed
