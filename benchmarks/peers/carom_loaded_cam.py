"""Loaded cam in carom, as bodies and joints; the time includes building its tables and its result."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import carom as cm
from measured import best, say, timed
from problems import LoadedCam as P

sys.path.append(str(Path(__file__).resolve().parents[1]))
from lasting import loaded_cam

STIFFNESS, DAMPING = P.stiffness, P.damping


def law(indentation: float, rate: float, approach_speed: float) -> float:
    """Return the contact force [N]; the damping does not depend on the approach."""
    return STIFFNESS * indentation**1.5 * (1.0 + DAMPING * rate)


def run(system: cm.System, **options: object) -> tuple[float, tuple[int, dict[str, float]]]:
    results: list[cm.Result] = []
    seconds = timed(lambda: results.append(cm.simulate(system, P.t_end, output=P.times, progress=False, **options)))
    result = results[0]
    found = {}
    for k in range(len(P.times)):
        found[f"position {k}"] = float(result["follower"].y[k + 1]) - P.foot
        found[f"force {k}"] = float(result["touch"].normal_force[k + 1])
    return seconds, (result.stats["steps"], found)


def main() -> None:
    system = loaded_cam(cm.laws.custom(law))
    for integrator in ("auto", "dopri5"):
        run(system, integrator=integrator)
        for rtol in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
            options = {"integrator": integrator, "rtol": rtol, "atol": 1e-2 * rtol}
            seconds, (steps, found) = best(partial(run, system, **options))
            say(integrator, f"rtol {rtol:.0e}", seconds, steps, **found)


if __name__ == "__main__":
    main()
