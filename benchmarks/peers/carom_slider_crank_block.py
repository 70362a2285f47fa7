"""Slider-crank and block in carom, the gallery's case; the time includes building its tables and its result."""

from __future__ import annotations

from functools import partial

import carom as cm
from measured import best, say, timed
from problems import SliderCrankBlock as P


def run(case: object, **options: object) -> tuple[float, tuple[int, float, float]]:
    results = []
    seconds = timed(lambda: results.append(case.run(**options)))  # type: ignore[attr-defined]
    result = results[0]
    between = result.sample([P.between])["block"].vx[0]
    return seconds, (result.stats["steps"], float(between), float(result["block"].vx[-1]))


def main() -> None:
    case = cm.gallery.slider_crank_block()
    for integrator in ("dopri5", "dop853"):
        run(case, integrator=integrator)
        for rtol in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
            options = {"integrator": integrator, "rtol": rtol, "atol": 1e-2 * rtol}
            seconds, (steps, first, last) = best(partial(run, case, **options))
            say(integrator, f"rtol {rtol:.0e}", seconds, steps, first=first, last=last)


if __name__ == "__main__":
    main()
