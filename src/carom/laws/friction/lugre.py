"""LuGre friction: bristles with Stribeck effect."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import non_negative, positive
from carom.kernels import FRICTION, jit, kernel, record
from carom.laws.friction.base import (
    FRICTION_INPUT,
    FRICTION_OUTPUT,
    FrictionLaw,
    check_coefficients,
    direction,
    store_matrix,
)

PARAMS = record("static dynamic stribeck_speed stiffness damping viscous")
# μ_s [-], μ_d [-], v_s [m/s], σ₀ [1/m], σ₁ [s/m], σ₂ [s/m]


@jit
def store_derivatives(p, law_input, g, decay, out):
    """Store the derivatives of `lugre`; at rest, ∂ż/∂v is the mean of both directions of sliding."""
    z_t = law_input.z_t
    z_s = law_input.z_s
    load = law_input.normal_force
    squared = law_input.v_t * law_input.v_t + law_input.v_s * law_input.v_s
    e_t, e_s = direction(law_input.v_t, law_input.v_s, math.sqrt(squared))
    ratio = squared / (p.stribeck_speed * p.stribeck_speed)
    slope = p.stiffness / g * (1.0 + 2.0 * ratio * (g - p.dynamic) / g)  # d(σ₀ |v|/g)/d|v| [1/m]
    rate_by_velocity = out.rate_by_velocity
    store_matrix(
        rate_by_velocity, 1.0 - slope * z_t * e_t, -slope * z_t * e_s, -slope * z_s * e_t, 1.0 - slope * z_s * e_s
    )
    store_matrix(out.rate_by_state, -decay, 0.0, 0.0, -decay)
    for k in range(4):
        diagonal = 1.0 if k == 0 or k == 3 else 0.0
        out.force_by_velocity[k] = -load * (p.damping * rate_by_velocity[k] + p.viscous * diagonal)
        out.force_by_state[k] = -load * (p.stiffness - p.damping * decay) * diagonal
    for k in range(2):
        out.rate_by_normal[k] = 0.0
    out.force_by_normal[0] = -(p.stiffness * z_t + p.damping * out.z_dot_t + p.viscous * law_input.v_t)
    out.force_by_normal[1] = -(p.stiffness * z_s + p.damping * out.z_dot_s + p.viscous * law_input.v_s)


@kernel(FRICTION, PARAMS, FRICTION_INPUT, FRICTION_OUTPUT)
def lugre(p, law_input, out):
    """Evaluate F = −N (σ₀ z + σ₁ ż + σ₂ v) and ż = v − σ₀ |v| z/g."""
    v_t = law_input.v_t
    v_s = law_input.v_s
    z_t = law_input.z_t
    z_s = law_input.z_s
    squared = v_t * v_t + v_s * v_s
    g = p.dynamic + (p.static - p.dynamic) * math.exp(-squared / (p.stribeck_speed * p.stribeck_speed))
    decay = p.stiffness * math.sqrt(squared) / g  # σ₀ |v|/g [1/s]
    z_dot_t = v_t - decay * z_t
    z_dot_s = v_s - decay * z_s
    out.force_t = -law_input.normal_force * (p.stiffness * z_t + p.damping * z_dot_t + p.viscous * v_t)
    out.force_s = -law_input.normal_force * (p.stiffness * z_s + p.damping * z_dot_s + p.viscous * v_s)
    out.z_dot_t = z_dot_t
    out.z_dot_s = z_dot_s
    if law_input.needs_derivatives:
        store_derivatives(p, law_input, g, decay, out)


class LuGre(FrictionLaw):
    """F = −N (σ₀ z + σ₁ ż + σ₂ v), ż = v − σ₀ |v| z/g, g = μ_d + (μ_s − μ_d) exp(−(v/v_s)²).

    ``stiffness`` σ₀ [1/m], ``damping`` σ₁ [s/m] and ``viscous`` σ₂ [s/m] are per normal force, ``stribeck_speed`` v_s
    [m/s]. In steady sliding the coefficient is g + σ₂ |v|. The bristles dissipate energy at all speeds with
    σ₁ |v| < 4 g.

    Examples
    --------
    >>> import carom as cm
    >>> friction = cm.friction.LuGre(static=0.3, dynamic=0.2, stribeck_speed=1e-2, stiffness=1e5)
    >>> round(friction.coefficient(1.0), 4)
    0.2
    """

    name = "lugre"
    formula = "F = −N (σ₀ z + σ₁ ż + σ₂ v), ż = v − σ₀ |v| z/g, g = μ_d + (μ_s − μ_d) exp(−(v/v_s)²)"
    reference = (
        "C. Canudas de Wit, H. Olsson, K.J. Åström, P. Lischinsky, A new model for control of systems with friction, "
        "IEEE Trans. Automatic Control 40 (1995) 419–425"
    )
    arguments = ("static", "dynamic", "stribeck_speed", "stiffness", "damping", "viscous")
    kernel = lugre
    params = PARAMS
    has_state = True

    def __init__(
        self,
        static: float,
        dynamic: float,
        stribeck_speed: float,
        stiffness: float,
        damping: float = 0.0,
        viscous: float = 0.0,
    ):
        self.static, self.dynamic = check_coefficients("LuGre", static, dynamic)
        self.stribeck_speed = positive("LuGre", "stribeck_speed", stribeck_speed)
        self.stiffness = positive("LuGre", "stiffness", stiffness)
        self.damping = non_negative("LuGre", "damping", damping)
        self.viscous = non_negative("LuGre", "viscous", viscous)

    @property
    def top_speed(self) -> float:
        """Upper speed limit of the plot [m/s]."""
        return 4.0 * self.stribeck_speed

    def _steady(self, speed: np.ndarray) -> np.ndarray:
        g = self.dynamic + (self.static - self.dynamic) * np.exp(-((speed / self.stribeck_speed) ** 2))
        return np.where(speed > 0.0, g + self.viscous * speed, 0.0)
