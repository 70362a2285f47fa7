"""The free impact in one coordinate, the indentation."""

from __future__ import annotations

from scipy.integrate import solve_ivp

from problems import TwoSpheres as P


def solve() -> dict[str, float]:
    def rate(t, y):
        force = P.stiffness * max(y[0], 0.0) ** 1.5 * (1.0 + P.damping * y[1])
        return y[1], -force / (P.mass / 2.0)

    def parted(t, y):
        return y[0] if t > 1e-6 else 1.0

    parted.terminal, parted.direction = True, -1
    approach = 2.0 * P.speed
    run = solve_ivp(rate, (0.0, 1e-2), [0.0, approach], "DOP853", rtol=1e-12, atol=1e-18, events=parted, max_step=2e-6)
    return {"restitution": float(-run.y_events[0][0][1] / approach)}
