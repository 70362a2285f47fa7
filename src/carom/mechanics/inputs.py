"""Inputs of a model at a time: their values, and the parameters and motions that follow them."""

from __future__ import annotations

from carom.kernels import MOTION, call_motion, floats, jit, kernel, record
from carom.mechanics.element_output import MOTION_OUTPUT
from carom.mechanics.model_record import INPUT, INPUT_SLOT

HELD_MOTION = record("anchor factor offset start rate since until integral")
"""Motion, or speed of a motion, that is factor · input + offset; ``anchor`` is the coordinate at t = 0 of a motion by a
speed, the other fields are those of `INPUT`."""


@jit
def input_value(source, t, model):
    """Return the value of an input at a time."""
    if source.kernel != 0 and source.follows != 0.0:
        output = MOTION_OUTPUT(model.element_output)
        call_motion(source.kernel, t, floats(model.params), output)
        return output.value
    return source.start + source.rate * (min(t, source.until) - source.since)


@jit
def update_inputs(t, model):
    """Store the values of the inputs behind the records of the bodies, and in the parameters that follow them."""
    values = floats(model.bodies)
    first = (model.n_bodies + 1) * model.input_record_size
    for k in range(model.n_inputs):
        values[first + k * model.input_record_size] = input_value(INPUT(model.inputs, k), t, model)
    params = floats(model.params)
    for j in range(model.n_input_slots):
        slot = INPUT_SLOT(model.input_slots, j)
        value = values[first + slot.input * model.input_record_size]
        params[slot.param] = slot.factor * value + slot.offset


@kernel(MOTION, HELD_MOTION, MOTION_OUTPUT)
def held_motion(t, params, output):
    """Evaluate a motion that is an input."""
    time = min(t, params.until)
    output.value = params.factor * (params.start + params.rate * (time - params.since)) + params.offset
    output.rate = params.factor * params.rate if t <= params.until else 0.0
    output.acceleration = 0.0


@kernel(MOTION, HELD_MOTION, MOTION_OUTPUT)
def held_speed(t, params, output):
    """Evaluate a motion whose speed is an input."""
    ramp = min(t, params.until) - params.since
    speed = params.start + params.rate * ramp
    travel = params.integral + params.start * ramp + 0.5 * params.rate * ramp * ramp
    if t > params.until:
        travel += speed * (t - params.until)
    output.value = params.anchor + params.factor * travel + params.offset * t
    output.rate = params.factor * speed + params.offset
    output.acceleration = params.factor * params.rate if t <= params.until else 0.0
