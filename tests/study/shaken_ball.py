"""Ball on a shaken table, y = A sin ωt, whose bifurcation thresholds are known in closed form.

With Γ = A ω²/g and restitution ε, a motion with one bounce per period exists for Γ > Γ₁ = π (1 − ε)/(1 + ε), at the
phase cos φ = Γ₁/Γ. There the map from one impact (time, separation speed) to the next has the determinant ε² and the
trace 1 + ε² − (1 + ε)² Γ sin φ. The period doubles where its eigenvalue is −1, at Γ sin φ = 2 (1 + ε²)/(1 + ε)², hence
at Γ₂² = Γ₁² + (2 (1 + ε²)/(1 + ε)²)².
"""

from __future__ import annotations

import math

import carom as cm

GRAVITY, RESTITUTION, FREQUENCY = 9.81, 0.5, 10.0
PERIOD = 1.0 / FREQUENCY
ONE_BOUNCE = math.pi * (1.0 - RESTITUTION) / (1.0 + RESTITUTION)
TWO_BOUNCES = math.hypot(ONE_BOUNCE, 2.0 * (1.0 + RESTITUTION**2) / (1.0 + RESTITUTION) ** 2)


def shaken_ball(strength: float = 1.3, periods: float = 40.0, off: float = 1e-3):
    """Return a ball near its motion of one bounce per period; ``off`` is the relative speed error, ``strength`` Γ."""
    omega = 2.0 * math.pi * FREQUENCY
    amplitude = strength * GRAVITY / omega**2
    phase = math.acos(min(ONE_BOUNCE / strength, 1.0))
    flight = PERIOD - phase / omega  # time since the last impact
    start_speed = 0.5 * GRAVITY * PERIOD * (1.0 + off)
    height = amplitude * math.sin(phase) + start_speed * flight - 0.5 * GRAVITY * flight**2
    system = cm.System(gravity=(0.0, -GRAVITY), name="shaken ball")
    table = system.add(cm.Body("table", 1.0, 1.0, velocity=(0.0, amplitude * omega)))
    ball = system.add(cm.Body("ball", 1.0, 1.0, position=(0.0, height), velocity=(0.0, start_speed - GRAVITY * flight)))
    guide = system.add(cm.Prismatic(system.ground, table, axis=(0.0, 1.0), name="guide"))
    system.add(cm.Driver(guide, cm.SineMotion(amplitude, FREQUENCY), name="shaker"))
    system.add(
        cm.Contact(
            cm.Sphere(ball, 0.01, at=(0.0, 0.01)), cm.Plane(table, normal=(0.0, 1.0)),
            law=cm.laws.ExactRestitution(1e9, RESTITUTION), impact=cm.ImpactLaw(restitution=RESTITUTION), name="hit",
        )
    )  # fmt: skip
    return system, {"t_end": periods * PERIOD, "method": "nonsmooth", "scheme": "event-driven"}
