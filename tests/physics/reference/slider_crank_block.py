"""Slider-crank struck twice by a free block: two coordinates, the crank angle θ and the indentation δ = x_s + 2a − x_b.

Lagrange's equation J θ'' + J' θ'²/2 + V' = −F x_s', block m x_b'' = F. With δ itself as a coordinate no digits are lost
in the difference of two places.
"""

from __future__ import annotations

import numpy as np

from .contact_problem import PowerLaw, Problem
from .contact_run import Run
from .laws import damping_factor

R, L, A = "0.153", "0.306", "0.01693"
MASSES = ("0.038", "0.076", "0.038", "0.190")  # crank, rod, slider, block
CRANK_INERTIA, STIFFNESS, GRAVITY = "7.4e-5", "9.5e9", "9.81"
STATE = ("crank_angle", "block_x", "crank_omega", "block_vx", "slider_x")
LAWS = (
    "hunt_crossley",
    "herbert_mcwhannell",
    "lee_wang",
    "lankarani_nikravesh",
    "gonthier",
    "gonthier_approximate",
    "zhiying_qishao",
    "flores",
    "hu_guo",
    "exact_restitution",
    "hertz",
)


def problem(law: str, restitution: float, rod_inertia: str, real):
    r, l, a, g = real(R), real(L), real(A), real(GRAVITY)
    m1, m2, m3, m4 = (real(m) for m in MASSES)
    j1, j2 = real(CRANK_INERTIA) + m1 * r * r / 4, real(rod_inertia)
    half = real(1) / 2

    def slider(theta):
        """Rod angle ψ with its first and second derivative by θ, and those of the slider's place."""
        s, c = np.sin(theta), np.cos(theta)
        sp = -r * s / l
        cp = np.sqrt(1 - sp * sp)
        p1 = -r * c / (l * cp)
        p2 = (r * s / l + sp * p1 * p1) / cp
        x = r * c + l * cp
        x1 = -r * s - l * sp * p1
        x2 = -r * c - l * (cp * p1 * p1 + sp * p2)
        return s, c, sp, cp, p1, p2, x, x1, x2

    def touch(t, y):
        return [(y[1], y[3])]

    def rates(t, y, forces):
        s, c, sp, cp, p1, p2, _, x1, x2 = slider(y[0])
        # rod centre: (r cos θ + l/2 cos ψ, r/2 sin θ)
        u1, u2 = -r * s - half * l * sp * p1, -r * c - half * l * (cp * p1 * p1 + sp * p2)
        v1, v2 = half * r * c, -half * r * s
        inertia = j1 + m2 * (u1 * u1 + v1 * v1) + j2 * p1 * p1 + m3 * x1 * x1
        change = m2 * (u1 * u2 + v1 * v2) + j2 * p1 * p2 + m3 * x1 * x2  # J'/2
        weight = (m1 + m2) * g * half * r * c
        turn = (-change * y[2] * y[2] - weight - forces[0] * x1) / inertia
        return np.array([y[2], y[3], turn, x2 * y[2] * y[2] + x1 * turn - forces[0] / m4])

    def places(y):
        """Crank angle, block x, crank speed, block velocity, slider x."""
        _, _, _, _, _, _, x, x1, _ = slider(y[0])
        return np.array([y[0], x + 2 * a - y[1], y[2], x1 * y[2] - y[3], x])

    return places, Problem(
        touch,
        rates,
        [PowerLaw(real(STIFFNESS), real(damping_factor(law, restitution)))],
        scale=np.array([1e-3, 1e-4, 150.0, 15.0]),
        contact_time=1e-5,
        max_step=2e-3,
    )


def solve(
    law: str = "lankarani_nikravesh",
    restitution: float = 0.7,
    rod_inertia: str | float = "5.9e-5",
    t_end: float = 0.08,
    times=(),
    tolerance: float = 1e-15,
    columns: int = 9,
    real=np.longdouble,
) -> dict:
    """Impacts (start, end, speeds, peak force, largest indentation) and the state at t_end and at `times`.

    The columns of `states` are named in STATE.
    """
    places, contact = problem(law, restitution, rod_inertia, real)
    start = [real(0), real(R) + real(L) + 2 * real(A) - real("0.914"), real(150), real(15)]
    run = Run(contact, start, tolerance=tolerance, columns=columns, real=real)
    for t in (*times, t_end):
        run.to(real(repr(float(t))))
    states = np.array([places(y) for y in run.states], float)
    return {
        "impacts": run.table(),
        "final": dict(zip(STATE, states[-1].tolist())),
        "states": states[:-1],
        "steps": run.steps,
        "evaluations": run.evaluations,
    }
