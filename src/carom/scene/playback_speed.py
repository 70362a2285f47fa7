"""Playback speeds of an animation."""

from __future__ import annotations

import math

DEFAULT_DURATION = 8.0
"""Duration of the animation at the default speed [s]."""
REAL_TIME = (3.0, 20.0)
"""Shortest and longest run that is shown in real time [s]."""


def speed_choices(duration: float) -> tuple[dict[str, float], float]:
    """Return the speeds by label and the default speed for a run of ``duration`` [s]."""
    default = duration / DEFAULT_DURATION
    factors = sorted({*(round_factor(default * factor) for factor in (0.01, 0.04, 0.2, 1.0, 5.0)), 1.0})
    return {speed_label(factor): factor for factor in factors}, round_factor(default)


def default_speed(duration: float) -> float:
    """Return the speed of an animation of a run of ``duration`` [s]: real time, or one that takes about 8 s."""
    return 1.0 if REAL_TIME[0] <= duration <= REAL_TIME[1] else round_factor(duration / DEFAULT_DURATION)


def round_factor(factor: float) -> float:
    """Return the nearest of 1, 2, 5 times a power of ten; 1 if ``factor`` is not positive."""
    if not factor > 0.0:
        return 1.0
    power = math.floor(math.log10(factor))
    return float(f"{min((1, 2, 5, 10), key=lambda m: abs(math.log(m * 10.0**power / factor)))}e{power}")


def speed_label(factor: float) -> str:
    """Return the label of a playback speed, e.g. "1/100 of real time"."""
    if factor == 1.0:
        return "real time"
    return f"1/{1.0 / factor:,.0f} of real time" if factor < 1.0 else f"{factor:g} × real time"
