"""Cost of gradients, in runs: p sensitivities of two spheres and of a slider-crank and a block."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import carom as cm

PARAMETER_BAR = 0.6
"""Of the cost of one sensitivity, in runs [-]."""
CASES = {
    "two_spheres": (["touch.law.stiffness", "left.mass", "left.velocity.x", "right.mass"], "left.vx"),
    "slider_crank_block": (
        ["touch.law.stiffness", "block.mass", "crank.angular_velocity", "touch.law.restitution"], "block.vx",
    ),
}  # fmt: skip
TRIES = 8

Measured = tuple[str, float, float | None, str, float]


def best(work: Callable[[], object]) -> float:
    """Return the shortest CPU time of a piece of work [s]."""
    work()
    times = []
    for _ in range(TRIES):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def measure() -> list[Measured]:
    """Rows of the bars: (time of a gradient of p parameters / time of a run − 1)/p."""
    rows: list[Measured] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (parameters, output) in CASES.items():
            case = getattr(cm.gallery, name)()
            run = best(case.run)
            whole = best(lambda case=case, p=parameters, o=output: cm.gradient(case, parameters=p, outputs=[o]))
            work = f"one of {len(parameters)} sensitivities of {name}, in runs"
            rows.append((work, (whole / run - 1.0) / len(parameters), PARAMETER_BAR, "-", 1.0))
    return rows


if __name__ == "__main__":
    for work, measured, bar, unit, scale in measure():
        print(f"{work}: {measured * scale:.3g} {unit} (bar {bar})")
