"""The penalty force of general multibody programs: damping that is switched on over a depth."""

from __future__ import annotations

from carom.errors import not_negative, positive
from carom.kernels import NORMAL, kernel
from carom.laws.normal.base import ELASTIC_FORCE, FORCE, INDENTATION, PRESSING, RATE, STORED, NormalLaw
from carom.laws.normal.power_law import power
from carom.laws.cubic_step import cubic_step


@kernel(NORMAL)
def penalty_step(par, state, out):
    """par: stiffness K, exponent n, full damping C_m, depth δ_m."""
    delta = max(state[INDENTATION], 0.0)
    n = par[1]
    zero = 0.0
    elastic = par[0] * power(delta, n)
    damping = cubic_step(delta, zero, zero, par[3], par[2])
    out[FORCE] = elastic + damping * state[RATE]
    out[ELASTIC_FORCE] = elastic
    out[STORED] = elastic * delta / (n + 1.0)
    out[PRESSING] = 1.0
    if elastic > 0.0:
        out[PRESSING] = 1.0 + damping / elastic * state[RATE]


class PenaltyStep(NormalLaw):
    """F = K δⁿ + Step(δ, 0, 0, δ_m, C_m) δ̇; K [N/mⁿ], ``damping`` C_m [N s/m], ``depth`` δ_m [m] of full damping.

    The raw force vanishes during restitution and, as the damping fades near the surface, may return shortly before
    separation. What restitution comes back depends on mass and speed.
    """

    name = "penalty_step"
    formula = "F = K δⁿ + Step(δ, 0, 0, δ_m, C_m) δ̇"
    reference = (
        "Z. Zhu, X. Ma, D. Liang, X. Jiang, Y. Liu, C. Lu, F. Zhou, A penalty function-based Modelica library for "
        "multi-body contact collision, eqs. (1) to (3)"
    )
    arguments = ("stiffness", "exponent", "damping", "depth")
    kernel = penalty_step

    def __init__(self, stiffness: float, exponent: float = 1.5, *, damping: float, depth: float):
        self.stiffness = positive("PenaltyStep", "stiffness", stiffness)
        self.exponent = positive("PenaltyStep", "exponent", exponent)
        self.damping = not_negative("PenaltyStep", "damping", damping)
        self.depth = positive("PenaltyStep", "depth", depth)
        self.parameters = (self.stiffness, self.exponent, self.damping, self.depth)
