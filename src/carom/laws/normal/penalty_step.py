"""Penalty force of general multibody programs: the damping rises with the indentation up to a given depth."""

from __future__ import annotations

from carom.argument_checks import non_negative, positive
from carom.kernels import NORMAL, kernel, record
from carom.laws.cubic_step import cubic_step, cubic_step_slope
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, NormalLaw
from carom.laws.normal.power_law import power, power_slope

PARAMS = record("stiffness exponent damping depth")  # K [N/mⁿ], n [-], C_m [N s/m], δ_m [m]


@kernel(NORMAL, PARAMS, LAW_INPUT, LAW_OUTPUT)
def penalty_step(p, law_input, out):
    """Evaluate F = K δⁿ + Step(δ, 0, 0, δ_m, C_m) δ̇."""
    delta = max(law_input.delta, 0.0)
    zero = 0.0
    elastic = p.stiffness * power(delta, p.exponent)
    damping = cubic_step(delta, zero, zero, p.depth, p.damping)
    out.force = elastic + damping * law_input.delta_dot
    out.elastic_force = elastic
    out.stored_energy = elastic * delta / (p.exponent + 1.0)
    out.force_sign = 1.0
    if elastic > 0.0:
        out.force_sign = 1.0 + damping / elastic * law_input.delta_dot
    if law_input.needs_derivatives:
        damping_slope = cubic_step_slope(delta, zero, zero, p.depth, p.damping)
        out.stiffness = p.stiffness * power_slope(law_input.delta, p.exponent) + damping_slope * law_input.delta_dot
        out.damping = damping


class PenaltyStep(NormalLaw):
    """F = K δⁿ + Step(δ, 0, 0, δ_m, C_m) δ̇; K [N/mⁿ], ``damping`` C_m [N s/m], ``depth`` δ_m [m] of full damping.

    The computed force vanishes during restitution and, as the damping decreases near the surface, may return shortly
    before separation. The returned restitution depends on mass and speed.

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.PenaltyStep(stiffness=1e8, damping=500.0, depth=1e-4)
    >>> round(law.force(1e-4, 0.2), 6)
    200.0
    """

    name = "penalty_step"
    formula = "F = K δⁿ + Step(δ, 0, 0, δ_m, C_m) δ̇"
    reference = (
        "Z. Zhu, X. Ma, D. Liang, X. Jiang, Y. Liu, C. Lu, F. Zhou, A penalty function-based Modelica library for "
        "multi-body contact collision, eqs. (1) to (3)"
    )
    arguments = ("stiffness", "exponent", "damping", "depth")
    kernel = penalty_step
    params = PARAMS

    def __init__(self, stiffness: float, exponent: float = 1.5, *, damping: float, depth: float):
        self.stiffness = positive("PenaltyStep", "stiffness", stiffness)
        self.exponent = positive("PenaltyStep", "exponent", exponent)
        self.damping = non_negative("PenaltyStep", "damping", damping)
        self.depth = positive("PenaltyStep", "depth", depth)
