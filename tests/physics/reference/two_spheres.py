"""Two equal spheres in a central impact: R 0.02 m, 0.092 kg each, ±0.15 m/s, K 5.5e9 N/m^1.5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import closed_forms
from .contact_problem import Problem
from .contact_run import Run
from .laws import FACTORS, damping_factor

RADIUS, MASS, SPEED, STIFFNESS, EXPONENT = 0.02, 0.092, 0.15, 5.5e9, 1.5
REDUCED_MASS, APPROACH = 0.5 * MASS, 2.0 * SPEED
RESTITUTIONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def impact(law: str, restitution: float = 0.7) -> dict[str, float]:
    """Peak force, δmax, duration, returned restitution … of a law named in `laws.FACTORS`, from first integrals."""
    if law == "plastic_unloading":
        return closed_forms.plastic_unloading_impact(STIFFNESS, restitution, REDUCED_MASS, APPROACH)
    factor = damping_factor(law, restitution)
    return closed_forms.power_law_impact(STIFFNESS, EXPONENT, factor, REDUCED_MASS, APPROACH)


def table(restitutions=RESTITUTIONS) -> dict[tuple[str, float], dict[str, float]]:
    """`impact` of every law at every prescribed restitution."""
    return {(law, c): impact(law, c) for law in (*FACTORS, "plastic_unloading") for c in restitutions}


@dataclass
class PenaltyLaw:
    """F = max(K δ^1.5 + C(δ) δ̇, 0), C a cubic step from 0 at δ = 0 to C_m at δ_m."""

    stiffness: float
    damping: float
    bend: float  # δ_m
    cut: bool = True

    def ratio(self, depth):
        """C(δ)/δ^1.5, smooth in √δ at δ = 0."""
        if depth >= self.bend:
            return self.damping / (depth * np.sqrt(depth))
        return self.damping * np.sqrt(depth) / self.bend**2 * (3 - 2 * depth / self.bend)

    def push(self, depth, rate, approach):
        return self.stiffness + self.ratio(depth) * rate

    def force(self, depth, rate, approach):
        return depth * np.sqrt(depth) * self.push(depth, rate, approach)


def penalty_step(
    stiffness: float = STIFFNESS,
    damping: float = 500.0,
    full_depth: float = 1e-5,
    mass: float = REDUCED_MASS,
    speed: float = APPROACH,
    tolerance: float = 1e-15,
    columns: int = 8,
    real=np.longdouble,
) -> dict:
    """One impact under the penalty law, with the times `cuts` where the force is cut to zero and where it returns."""
    depth = (1.25 * mass * speed**2 / stiffness) ** 0.4
    contact = Problem(
        touch=lambda t, y: [(y[0], y[1])],
        rates=lambda t, y, forces: np.array([y[1], -forces[0] / real(mass)]),
        laws=[PenaltyLaw(real(stiffness), real(damping), real(full_depth))],
        scale=np.array([depth, speed]),
        contact_time=0.1 * depth / speed,
        max_step=0.5 * depth / speed,
    )
    lead = depth / real(speed)  # flight before the onset
    run = Run(contact, [-depth, real(speed)], tolerance=tolerance, columns=columns, real=real)
    run.limit = real(1000.0) * lead
    while not run.impacts or run.impacts[0].t_end is None:
        if not run.end_of_contact():
            run.time_step()
    first = run.impacts[0]
    return {
        "peak_force": float(first.peak_force),
        "max_indentation": float(first.max_indentation),
        "duration": float(first.t_end - first.t_start),
        "separation_speed": float(first.separation_speed),
        "restitution": float(first.separation_speed / first.approach_speed),
        "cuts": [float(t - first.t_start) for t in first.cuts],
    }
