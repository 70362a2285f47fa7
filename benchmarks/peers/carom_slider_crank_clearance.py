"""Slider-crank with clearance in carom, the gallery's case: two schemes of time stepping, two kinds of coordinates."""

from __future__ import annotations

from functools import partial

import carom as cm
from measured import best, say, timed
from problems import SliderCrankClearance as P


def run(case: object, **options: object) -> tuple[float, tuple[int, float, float]]:
    results = []
    # Recorded is the end alone, as by the other programs.
    seconds = timed(lambda: results.append(case.run(t_end=P.t_end, output=P.t_end, **options)))  # type: ignore[attr-defined]
    crank = results[0]["crank"]
    return seconds, (results[0].stats["steps"], float(crank.angle[-1]), float(crank.omega[-1]))


def main() -> None:
    for coordinates in ("generalized", "cartesian"):
        case = cm.gallery.slider_crank_clearance(coordinates=coordinates)
        for scheme in ("moreau", "midpoint"):
            run(case, scheme=scheme)
            for step in (1e-4, 5e-5, 2e-5, 1e-5, 5e-6, 2e-6, 1e-6):
                seconds, (steps, angle, speed) = best(partial(run, case, scheme=scheme, step=step, solver="lemke"))
                say(f"{scheme}, {coordinates}", f"step {step:.0e}", seconds, steps, angle=angle, speed=speed)


if __name__ == "__main__":
    main()
