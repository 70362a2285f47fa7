"""Two spheres in carom, in an ensemble over the speed of one of them; times are per run, of all runs together."""

from __future__ import annotations

from functools import partial

import numpy as np

import carom as cm
from carom_two_spheres import model
from measured import best, say, timed
from problems import TwoSpheres as P
from problems import TwoSpheresEnsemble as E


def run(system: cm.System, rtol: float) -> tuple[float, tuple[int, float]]:
    runs = []
    parameters = {"sphere -1.velocity.x": E.speeds.tolist()}
    measures = ["impacts.restitution.first", "stats.steps"]
    options = {"t_end": P.t_end, "threads": 1, "rtol": rtol, "atol": 1e-2 * rtol}
    seconds = timed(lambda: runs.append(cm.ensemble(system, parameters, measures, **options)))
    restitution = runs[0]["impacts.restitution.first"]
    return seconds, (round(np.mean(runs[0]["stats.steps"])), E.worst(restitution))


def main() -> None:
    system = model()
    run(system, 1e-3)
    for rtol in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
        seconds, (steps, restitution) = best(partial(run, system, rtol))
        say("ensemble", f"rtol {rtol:.0e}", seconds / E.count, steps, restitution=restitution)


if __name__ == "__main__":
    main()
