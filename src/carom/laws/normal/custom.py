"""User-defined normal law: a plain Python function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from carom.kernels import NORMAL, with_records
from carom.kernels.user_functions import compiled
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, NormalLaw
from carom.laws.user_law import UserLaw

_nodes, _weights = np.polynomial.legendre.leggauss(20)
NODES = tuple(float(0.5 * (1.0 + x)) for x in _nodes)
WEIGHTS = tuple(float(0.5 * w) for w in _weights)
"""Gauss–Legendre quadrature on [0, 1]."""

STEP, SMALL_SPEED = 6e-6, 1e-3
"""Relative step of the differences of the function [-], and the smallest speed to which it is relative [m/s]."""


class CustomLaw(UserLaw, NormalLaw):
    """F = f(δ, δ̇) or f(δ, δ̇, v⁻), built by `custom`."""

    signature = with_records(NORMAL, UserLaw.params, LAW_INPUT, LAW_OUTPUT)
    styles = {"function": (("indentation", "rate"), ("indentation", "rate", "approach_speed"))}

    def __init__(self, function: Callable[..., float], name: str | None = None):
        super().__init__("custom", function, name, (2, 3))
        self.needs_approach_speed = self.count == 3
        self.formula = f"F = {self.name}(δ, δ̇, v⁻)" if self.needs_approach_speed else f"F = {self.name}(δ, δ̇)"

    def wrap(self, f: Any, view: Any) -> Any:
        """Return the kernel around a function."""
        if self.needs_approach_speed:

            def law(delta, delta_dot, v_in):
                if v_in <= 0.0:  # Unknown: without damping, at a speed by which the function can divide.
                    return f(delta, 0.0, 1.0)
                return f(delta, delta_dot, v_in)

        else:

            def law(delta, delta_dot, v_in):
                return f(delta, delta_dot)

        if hasattr(f, "py_func"):
            law = compiled(law)

        def custom(params, law_input, out):
            delta = law_input.delta
            v_in = law_input.v_in
            at_rest = 0.0
            out.force = 0.0
            out.elastic_force = 0.0
            out.stored_energy = 0.0
            out.force_sign = 0.0
            if law_input.needs_derivatives:
                out.stiffness = 0.0
                out.damping = 0.0
            if delta > 0.0:
                force = law(delta, law_input.delta_dot, v_in)
                out.elastic_force = law(delta, at_rest, v_in)
                out.force_sign = force
                if law_input.stores_energy:
                    energy = 0.0
                    for k in range(20):  # Over u with δ = δ₁ u², which makes half powers of the indentation smooth.
                        energy += WEIGHTS[k] * NODES[k] * law(delta * NODES[k] * NODES[k], at_rest, v_in)
                    out.stored_energy = 2.0 * energy * delta
                out.force = force
                if law_input.needs_derivatives:
                    rate = law_input.delta_dot
                    step = STEP * delta
                    out.stiffness = (law(delta + step, rate, v_in) - law(delta - step, rate, v_in)) / (2.0 * step)
                    speed = abs(rate)
                    if v_in > speed:  # Numba would compile a function for `max`.
                        speed = v_in
                    if speed < SMALL_SPEED:
                        speed = SMALL_SPEED
                    step = STEP * speed
                    out.damping = (law(delta, rate + step, v_in) - law(delta, rate - step, v_in)) / (2.0 * step)

        return custom


def custom(function: Callable[..., float], name: str | None = None) -> CustomLaw:
    """Return a law from ``function(indentation, rate)`` or ``function(indentation, rate, approach_speed)``: force [N].

    The function is compiled on first use and is then as fast as a built-in law. The force is zero without contact and
    where the function gives a tensile force. Its elastic part is the force at rate zero, and the stored energy is the
    integral of that over the indentation. While the approach speed is unknown, a function of three arguments is called
    with rate zero and 1 m/s.

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.custom(lambda indentation, rate: 1e6 * indentation * (1.0 + 0.1 * rate))
    >>> round(law.force(1e-3, 1.0), 6)
    1100.0
    """
    return CustomLaw(function, name)
