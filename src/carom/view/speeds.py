"""How fast a run is played."""

from __future__ import annotations

import math

LASTS = 8.0
"""How long the animation takes at first [s]."""


def speed_choices(duration: float) -> tuple[dict[str, float], float]:
    """Speeds by their words, and the usual one, with which a run of that ``duration`` [s] takes a few seconds."""
    base = duration / LASTS
    factors = sorted({*(nice(base * factor) for factor in (0.01, 0.04, 0.2, 1.0, 5.0)), 1.0})
    return {speed_words(factor): factor for factor in factors}, nice(base)


def nice(factor: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten; 1 where there is no duration."""
    if not factor > 0.0:
        return 1.0
    power = math.floor(math.log10(factor))
    return float(f"{min((1, 2, 5, 10), key=lambda m: abs(math.log(m * 10.0**power / factor)))}e{power}")


def speed_words(factor: float) -> str:
    if factor == 1.0:
        return "real time"
    return f"1/{1.0 / factor:,.0f} of real time" if factor < 1.0 else f"{factor:g} × real time"
